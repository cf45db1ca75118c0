"""Imports modules of optional packages. If one is missing, the error names the extra that installs
it.

An extra is a group of optional dependencies: `pip install 'crossplane-lite[schemas]'` installs the
extra `schemas`.
"""

from __future__ import annotations

import importlib
from typing import Any

from ...errors import MissingExtraError


def load(module: str, extra: str) -> Any:
    """Import a module of an optional package.

    Args:
        module: The module's dotted name, such as `jsonschema_rs`.
        extra: The extra of crossplane-lite that installs the package, such as `schemas`.

    Returns:
        The module.

    Raises:
        MissingExtraError: The module, or a package that contains it, isn't installed.
        ImportError: The module is installed, but can't be imported, for example because a package
            that it imports is missing.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as e:
        if e.name is None or not (module + ".").startswith(e.name + "."):
            raise
        raise MissingExtraError(not_installed(module, extra)) from e


def not_installed(module: str, extra: str) -> str:
    """Return the text that says which extra installs a missing module."""
    return (
        f"{module} is not installed; it comes with an extra: pip install 'crossplane-lite[{extra}]'"
    )

"""The one way to packages that only an extra installs."""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import MissingExtraError

__all__ = ["load"]


def load(module: str, extra: str) -> Any:
    """Import a module of an optional dependency.

    Args:
        module: The module's dotted name.
        extra: The extra of this distribution that installs it.

    Returns:
        The module.

    Raises:
        MissingExtraError: The module isn't installed. A module that is installed, but lacks a package that it
            imports itself, raises an ImportError of its own.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as e:
        if e.name is None or not (module + ".").startswith(e.name + "."):
            raise
        raise MissingExtraError(
            f"{module} is not installed; it comes with an extra: pip install 'crossplane-lite[{extra}]'"
        ) from e

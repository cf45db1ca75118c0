"""Makes the lines in the report of `crossplane-lite generate` that show how to import the generated
models.
"""

from __future__ import annotations

import keyword
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .definitions import Kind

MOST: Final = 8
"""The report shows at most this many import lines, and then the number of the others. As JSON it
has all of them.
"""

# The groups of Kubernetes whose kinds are composed most.
_COMMON: Final = ("", "apps", "batch")


def import_lines(kinds: Sequence[Kind], folder: Path) -> list[str]:
    """Return lines of Python that import the modules of kinds, each under an alias.

    A kind with several versions may have several modules. Only the module of the stored version is
    imported, or of the first version if none is stored. A module with several kinds is imported
    once.

    Kinds from CustomResourceDefinitions and CompositeResourceDefinitions come first, then the
    groups of Kubernetes that are composed most (core, apps and batch), then all others. Otherwise
    the order of `kinds` is kept.

    Args:
        kinds: All kinds that were generated.
        folder: The folder of the models.

    Returns:
        Lines such as `from models.io.example.bucket import v1 as bucketv1`; an empty list if Python
        can't import a folder of that name.
    """
    package = _package(folder)
    if not is_importable(folder):
        return []
    chosen: dict[tuple[str, str], Kind] = {}
    for kind in kinds:
        known = chosen.get((kind.group, kind.kind))
        if known is None or (kind.storage and not known.storage):
            chosen[kind.group, kind.kind] = kind
    aliases: dict[str, tuple[str, ...]] = {}
    main = sorted(
        chosen.values(), key=lambda kind: (kind.document is not None, kind.group not in _COMMON)
    )
    for module in dict.fromkeys(kind.module for kind in main):
        length = 2
        while (alias := "".join(module[-length:])) in aliases and length < len(module):
            length += 1
        aliases[alias] = module
    return [
        f"from {'.'.join((*package, *path[:-1]))} import {path[-1]} as {alias}"
        for alias, path in aliases.items()
    ]


def is_importable(folder: Path) -> bool:
    """Return whether the names of a folder and of the packages around it are names that Python can
    import.
    """
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in _package(folder))


def _package(folder: Path) -> list[str]:
    """Return the name with which Python imports a folder, in parts: the packages around it, then
    the folder's name.
    """
    whole = Path(os.path.abspath(folder))
    parts = [whole.name]
    for above in whole.parents:
        if not (above / "__init__.py").is_file():
            break
        parts.insert(0, above.name)
    return parts

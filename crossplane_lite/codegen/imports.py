"""How the models that were made are imported: a line for each of the main kinds."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .definitions import Kind

__all__ = ["MOST", "import_lines"]

MOST: Final = 8
"""How many lines there are at most."""

# The groups of Kubernetes whose kinds are composed most.
_COMMON: Final = ("", "apps", "batch")


def import_lines(kinds: Sequence[Kind], folder: Path) -> list[str]:
    """Return a line for each module of the kinds: of a kind the version that is stored.

    Kinds from definitions come first, then those of Kubernetes that are composed most; each in the order of the
    sources.

    Args:
        kinds: All kinds that were made.
        folder: Where the models are.

    Returns:
        The lines; none where the folder's name can't be imported.
    """
    package = _package(folder)
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in package):
        return []
    chosen: dict[tuple[str, str], Kind] = {}
    for kind in kinds:
        known = chosen.get((kind.group, kind.kind))
        if known is None or (kind.storage and not known.storage):
            chosen[kind.group, kind.kind] = kind
    aliases: dict[str, tuple[str, ...]] = {}
    main = sorted(chosen.values(), key=lambda kind: (kind.document is not None, kind.group not in _COMMON))
    for module in dict.fromkeys(kind.module for kind in main):
        length = 2
        while (alias := "".join(module[-length:])) in aliases and length < len(module):
            length += 1
        aliases[alias] = module
    return [f"from {'.'.join((*package, *path[:-1]))} import {path[-1]} as {alias}" for alias, path in aliases.items()]


def _package(folder: Path) -> list[str]:
    """Return the folder's name as a package, with the packages that it lies in."""
    whole = folder.absolute()
    parts = [whole.name]
    for above in whole.parents:
        if not (above / "__init__.py").is_file():
            break
        parts.insert(0, above.name)
    return parts

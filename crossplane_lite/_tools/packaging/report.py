"""Makes tables, such as that of the size of each package in an image's layer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .installing import canonical, installed

__all__ = ["owners", "package_sizes", "size", "table"]


def owners(target: Path) -> dict[str, str]:
    """Return the name of the package that each file belongs to, by the file's path in a folder that pip has filled.

    The files are taken from pip's RECORD files. Files that aren't listed there are left out.
    """
    return {str(file): name for name, package in installed(target).items() for file in package.files or ()}


def package_sizes(target: Path, owned: dict[str, str]) -> dict[str, int]:
    """Return the size of each package in a folder, in bytes, by the package's name.

    A file without a package counts for the package whose name is the first part of its path, else as `(other files)`.

    Args:
        target: The folder.
        owned: The package of each file by path, as `owners` returned it before pip's RECORD files were removed.
    """
    names = set(owned.values())
    sizes = dict.fromkeys(sorted(names), 0)
    for folder, _, files in os.walk(target):
        for file in files:
            path = os.path.join(folder, file)
            inside = os.path.relpath(path, target).replace(os.sep, "/")
            name = owned.get(inside) or _by_folder(inside, names)
            sizes[name] = sizes.get(name, 0) + os.lstat(path).st_size
    return sizes


def _by_folder(path: str, names: set[str]) -> str:
    first = path.split("/")[0]
    name = canonical(first.split("-")[0] if first.endswith(".dist-info") else first.removesuffix(".py"))
    return name if name in names else "(other files)"


def size(number: int) -> str:
    """Return a number of bytes as text for people, such as `1.25 MB` or `3.0 kB`."""
    return f"{number / 1_000_000:,.2f} MB" if number >= 100_000 else f"{number / 1000:,.1f} kB"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table: first `head`, then `rows`. All columns except the first are aligned to the right."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = []
    for row in [head, *rows]:
        first, *others = (
            text.ljust(width) if not at else text.rjust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join([first, *others]).rstrip())
    return lines

"""Copies of the project, with its links and without."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.typing.checkers import ROOT

__all__ = ["LINKS", "PACKAGE", "STUBS", "copy_of_the_project", "stub_texts", "without_links"]

PACKAGE = ROOT / "crossplane_lite"
STUBS = ROOT / "stubs"
LINKS = sorted(PACKAGE.rglob("*.pyi"))

# What the package is built from.
_BUILT_FROM = ("LICENSE", "README.rst", "pyproject.toml", "setup.cfg", "setup.py", "crossplane_lite", "stubs")


def stub_texts() -> dict[str, str]:
    """Return the text of each stub, by its place in `stubs`."""
    return {path.relative_to(STUBS).as_posix(): path.read_text(encoding="utf-8") for path in STUBS.rglob("*.pyi")}


def copy_of_the_project(folder: Path, *more: str) -> Path:
    """Copy what the package is built from, and more files and folders; links stay links.

    Args:
        folder: A folder, which may be missing.
        more: What else to copy, by its place in the project.

    Returns:
        The folder.
    """
    for name in (*_BUILT_FROM, *more):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return folder


def without_links(root: Path) -> Path:
    """Replace the links in a copy's package by what git writes without `core.symlinks`: text files with their targets.

    Args:
        root: The copy.

    Returns:
        The copy.
    """
    links = [path for path in (root / "crossplane_lite").rglob("*") if path.is_symlink()]
    assert links
    for link in links:
        target = os.readlink(link)
        link.unlink()
        link.write_text(target)
    return root

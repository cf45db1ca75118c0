"""The package as a wheel, as a user's pip gets it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["ROOT", "build"]

ROOT = Path(__file__).resolve().parents[1]


def build(folder: Path) -> Path:
    """Build the wheel of this checkout into a folder.

    It is built from a copy, because building leaves files behind in the tree.
    """
    source = folder / "source"
    source.mkdir(parents=True)
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.rst", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    for name in ("crossplane_lite", "stubs"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored, symlinks=True)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (wheel,) = folder.glob("*.whl")
    return wheel

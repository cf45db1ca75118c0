"""The row of what a function image needs in site-packages."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import models, processes
from benchmarks.measuring import Reach, Row, Samples

__all__ = ["ROWS", "bytes_of", "copy_of_the_source", "install"]

_SIDES = {
    "official": ["crossplane-function-sdk-python>=0.15"],
    "floor": ["grpcio", "protobuf"],
    "ours": [],
}


def copy_of_the_source(folder: Path) -> Path:
    """Return a copy that can be installed, because building leaves files behind in the tree."""
    source = folder / "source"
    source.mkdir()
    for name in ("setup.cfg", "pyproject.toml", "README.rst", "LICENSE"):
        if (processes.ROOT / name).exists():
            shutil.copy(processes.ROOT / name, source / name)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(processes.ROOT / "crossplane_lite", source / "crossplane_lite", ignore=ignored)
    if not (source / "README.rst").exists():
        (source / "README.rst").write_text("crossplane-lite\n", encoding="utf-8")
    return source


def install(target: Path, *arguments: str) -> None:
    """Install packages into a folder.

    Raises:
        SkipRow: pip fails.
    """
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-compile",
        "--target",
        str(target),
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise models.SkipRow(f"pip failed: {done.stderr[-300:]}")


def bytes_of(folder: Path) -> float:
    """Return the size of all files in a folder."""
    return float(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))


def _sample() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        source = copy_of_the_source(Path(folder))
        samples = {}
        for side, packages in _SIDES.items():
            target = Path(folder, side)
            install(target, *(packages or [str(source)]))
            samples[side] = [bytes_of(target)]
        return samples


ROWS = (
    Row(
        "site-packages of a function image",
        tuple(_SIDES),
        _sample,
        (Reach("floor", 1.06),),
        unit="B",
    ),
)

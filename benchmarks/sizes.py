"""The row of what a function image needs in site-packages."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import models, processes
from benchmarks.measuring import Reach, Row, Samples

__all__ = ["ROWS"]

_SIDES = {"official": ["crossplane-function-sdk-python>=0.15"], "floor": ["grpcio", "protobuf"], "ours": []}


def _sample() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        # A copy, because building leaves files behind in the tree.
        source = Path(folder, "source")
        source.mkdir()
        for name in ("setup.cfg", "pyproject.toml", "README.rst", "LICENSE"):
            if (processes.ROOT / name).exists():
                shutil.copy(processes.ROOT / name, source / name)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(processes.ROOT / "crossplane_lite", source / "crossplane_lite", ignore=ignored)
        if not (source / "README.rst").exists():
            (source / "README.rst").write_text("crossplane-lite\n", encoding="utf-8")
        samples = {}
        for side, packages in _SIDES.items():
            target = Path(folder, side)
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-compile", "--target", str(target)]
            done = subprocess.run([*command, *(packages or [str(source)])], capture_output=True, text=True, check=False)
            if done.returncode:
                raise models.SkipRow(f"pip failed: {done.stderr[-300:]}")
            samples[side] = [float(sum(path.stat().st_size for path in target.rglob("*") if path.is_file()))]
        return samples


ROWS = (Row("site-packages of a function image", tuple(_SIDES), _sample, (Reach("floor", 1.06),), unit="B"),)

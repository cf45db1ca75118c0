"""Images of functions on an empty base, made by `crossplane-lite image` for the comparison."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from crossplane_lite._tools.packaging import images

__all__ = ["image", "project", "unpacked", "wheel"]

_ROOT = Path(__file__).resolve().parents[1]

_PROJECT = """\
[build-system]
requires = ["setuptools>=64"]
build-backend = "setuptools.build_meta"
[project]
name = "function-{name}"
version = "0.1.0"
dependencies = [{needs}]
[project.scripts]
function = "fn.function:main"
[tool.setuptools]
packages = {{ find = {{ include = ["fn*", "lite_models*"] }} }}
package-data = {{ "*" = ["*.pyi"] }}
"""


@functools.cache
def wheel(work: Path) -> Path:
    """Make the wheel of this package."""
    source = work / "source"
    source.mkdir()
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.rst", "LICENSE"):
        shutil.copy(_ROOT / name, source / name)
    for name in ("crossplane_lite", "stubs"):
        shutil.copytree(
            _ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    _run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--wheel-dir",
        str(work),
        str(source),
    )
    return next(work.glob("*.whl"))


def _run(*command: str, path: str = os.defpath) -> None:
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=_ROOT, check=False, env=environment
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:6])} failed: {done.stderr[-1000:]}")


def project(work: Path, name: str, needs: Iterable[str], code: str) -> Path:
    """Write a project whose module `fn.function` has the code, and which needs packages."""
    folder = work / name
    (folder / "fn").mkdir(parents=True)
    (folder / "fn" / "__init__.py").touch()
    (folder / "fn" / "function.py").write_text(code, encoding="utf-8")
    text = _PROJECT.format(name=name, needs=", ".join(json.dumps(one) for one in needs))
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder


def image(
    work: Path, project: Path, name: str, *flags: str, python: Path = Path(sys.executable)
) -> Path:
    """Make a project's image on an empty base with the version of a Python, and return its file."""
    code = "import sys; print('python%d.%d' % sys.version_info[:2])"
    program = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    base = work / f"base-{program}"
    if not base.exists():
        (base / "usr" / "bin").mkdir(parents=True)
        head = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + bytes(44)
        (base / "usr" / "bin" / program).write_bytes(head)
    output = work / f"{name}.tar"
    common = ["--base", str(base), "--byte-code", "yes", "-o", str(output)]
    _run(
        sys.executable,
        "-m",
        "crossplane_lite",
        "image",
        str(project),
        *common,
        *flags,
        path=str(python.parent),
    )
    return output


def unpacked(image: Path, work: Path) -> tuple[Path, int]:
    """Unpack what an image has on its base; return the folder of its packages, and the size of the
    layer as pulled.
    """
    (read,) = images.read(str(image), Path(tempfile.mkdtemp(dir=work)))
    layer = read.layers[-1]
    folder = Path(tempfile.mkdtemp(dir=work))
    with tarfile.open(layer.file) as tar:
        tar.extractall(folder)
    return folder / "function", layer.size

"""Programs in Go that tests run: built once, through the Go module proxy, into a folder below the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

__all__ = ["H2SPEC", "built_from", "grpc_client", "installed"]

H2SPEC = "github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible"


def installed(package: str) -> Path:
    """Return a published program, installed if it isn't yet. The test is skipped where that can't be done."""
    name = package.partition("@")[0].rpartition("/")[2]
    return _made(f"{name}-{package.partition('@')[2]}", name, ["install", package], None)


def grpc_client() -> Path:
    """Return the client of grpc-go beside this file, built if it isn't yet. The test is skipped where it can't be."""
    return built_from(Path(__file__).with_name("go"), "client")


def built_from(source: Path, name: str) -> Path:
    """Return the program `name` of a Go module, built if it isn't yet. The test is skipped where it can't be."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(source.iterdir()))).hexdigest()[:12]
    return _made(f"{name}-{digest}", name, ["install", "."], source)


def _made(folder: str, name: str, command: list[str], source: Path | None) -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crossplane-lite" / "go"
    program = base / folder / name
    if program.exists():
        return program
    go = shutil.which("go")
    if go is None:
        pytest.skip("Go is not installed")
    base.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=base) as work:
        directory = Path(work, "source")
        if source is None:
            directory.mkdir()
        else:
            shutil.copytree(source, directory)
        done = subprocess.run(
            [go, *command],
            cwd=directory,
            env={**os.environ, "GOBIN": str(Path(work, "bin")), "GOFLAGS": "-mod=mod"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"{folder} can't be built: {done.stderr.strip().splitlines()[-1:]}")
        Path(work, "bin").chmod(0o755)
        try:
            Path(work, "bin").rename(program.parent)
        except OSError:  # another process was faster
            assert program.exists()
    return program

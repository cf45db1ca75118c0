"""What several files of tests build once."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import wheels
from tests.packaging.support import CACHE, tool

HERE = Path(__file__).parent / "real"


@pytest.fixture(scope="session")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a wheel."""
    return wheels.build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def parser() -> str:
    """Crossplane's parser of packages and a registry with clients, built through the Go module proxy."""
    go = tool("go")
    program = CACHE / "package-parser"
    sources = [HERE / "main.go", HERE / "registry.go", HERE / "go.mod"]
    if not program.exists() or any(source.stat().st_mtime > program.stat().st_mtime for source in sources):
        folder = CACHE / "package-parser-source"
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources:
            shutil.copy(source, folder)
        done = subprocess.run(
            [go, "build", "-o", str(program), "."],
            cwd=folder,
            env={**os.environ, "GOFLAGS": "-mod=mod"},
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"the package parser can't be built here: {done.stderr[-300:]}")
    return str(program)

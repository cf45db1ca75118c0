"""Runs of pytest in a process of their own, over files that a test writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

__all__ = ["FUNCTION", "ROOT", "Done", "Project"]

ROOT = Path(__file__).resolve().parents[2]

FUNCTION = """
from crossplane_lite import Unstructured, composition, testing

XR = {"apiVersion": "example.org/v1", "kind": "XNet", "metadata": {"name": "net"}, "spec": {"region": "eu"}}


@composition.function(name="net")
def compose(ctx):
    xr = ctx.composite(Unstructured)
    for name in ("a", "b"):
        thing = ctx.resource(name, Unstructured("example.org/v1", "Thing"))
        thing.spec.region = xr.observed.spec.region
        thing.spec.size = 3
"""
"""A module with a composition function and a composite, for tests to import."""


class Done(NamedTuple):
    """A run that has ended.

    Attributes:
        status: The exit status.
        text: What it has written.
    """

    status: int
    text: str

    def lines(self, start: str = "") -> list[str]:
        """Return the lines that begin so, without spaces around them."""
        return [line.strip() for line in self.text.splitlines() if line.strip().startswith(start)]


class Project:
    """A folder with tests.

    Attributes:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # What makes it a root for pytest, so that no settings of folders above count.
        self.write("pytest.ini", "[pytest]\naddopts = -p no:cacheprovider\npythonpath = .\n")

    def write(self, path: str, text: str) -> Path:
        """Write a file, and the folders above it."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def read(self, path: str) -> str:
        """Return what is in a file."""
        return (self.folder / path).read_text(encoding="utf-8")

    def files(self) -> list[str]:
        """Return the paths of all files that are no Python."""
        found = (file for file in self.folder.rglob("*") if file.is_file() and file.suffix not in (".py", ".pyc"))
        return sorted(str(file.relative_to(self.folder)) for file in found if file.name != "pytest.ini")

    def pytest(self, *arguments: str, cwd: Path | None = None, **environment: str) -> Done:
        """Run pytest.

        Args:
            arguments: Its arguments.
            cwd: Where; in the folder by default.
            environment: Variables that are set for it.
        """
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_") and name != "CI"}
        kept["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [kept.get("PYTHONPATH")])])
        # Other plugins that happen to be installed cost time; what is tested is named, installed or not.
        kept |= {"PY_COLORS": "0", "COLUMNS": "200", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "pytest", "-p", "crossplane_lite.testing.plugin", *arguments]
        done = subprocess.run(
            command,
            cwd=cwd or self.folder,
            env={**kept, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout + done.stderr)

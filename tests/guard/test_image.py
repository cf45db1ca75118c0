"""The guard's own image, which has no function in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite.cli import main
from tests.packaging.support import members, root_folder
from tests.runtime.serving import ROOT

_MEGABYTES = 10**6


@pytest.mark.slow
def test_the_image(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The image of this project with the guard as its program has no tools, and runs the guard."""
    root_folder(tmp_path / "base")
    output = tmp_path / "guard.tar"
    program = "crossplane_lite.runtime.guarding:main"
    arguments = ["--function", program, "--base", str(tmp_path / "base"), "-o", str(output)]
    assert main(["image", str(ROOT), *arguments]) == 0, capsys.readouterr()
    layers = [data for name, data in members(output.read_bytes()).items() if name.endswith(".tar.gz")]
    files = next(found for found in map(members, layers) if "function/__main__.py" in found)
    assert sum(map(len, files.values())) < 12 * _MEGABYTES
    assert not any("/_tools/" in name or "/grpc/" in name for name in files)
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-I", "-S", tmp_path / "function", "--transport", "h2"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, "no target was given" in done.stderr) == (2, True), done.stderr

"""The command itself: sub-commands, version, help, and errors as one line."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

import pytest

from crossplane_lite.cli import _COMMANDS, main
from tests.runtime.serving import ROOT, run_command


def test_version(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """--version prints the version of the installed distribution, or that there is none."""
    monkeypatch.setattr(importlib.metadata, "version", {"crossplane-lite": "1.2.3"}.__getitem__)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "crossplane-lite 1.2.3\n"

    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "crossplane-lite (not installed)\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help(capsys: pytest.CaptureFixture[str], flag: str) -> None:
    """Help lists the sub-commands."""
    assert main([flag]) == 0
    shown = capsys.readouterr().out
    for name in _COMMANDS:
        assert re.search(rf"^  {name} {{2,}}\S", shown, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(_COMMANDS))
def test_help_of_a_command(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Each sub-command has help of its own, under its own name."""
    try:
        assert main([name, "--help"]) == 0
    except SystemExit as e:  # argparse's way
        assert e.code == 0
    assert capsys.readouterr().out.startswith(f"usage: crossplane-lite {name} ")


def test_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a sub-command, help goes to stderr and the status says that it went wrong."""
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: crossplane-lite ")


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown sub-command names those that exist."""
    assert main(["rendr"]) == 2
    assert capsys.readouterr().err == (
        f"crossplane-lite: there is no command 'rendr'; the commands are {', '.join(sorted(_COMMANDS))}\n"
    )


def test_unknown_flag() -> None:
    """An unknown flag is status 2 and names itself."""
    done = run_command("serve", "a:b", "--no-such-flag")
    assert done.returncode == 2
    assert "--no-such-flag" in done.stderr


def test_render_without_its_extra() -> None:
    """Without PyYAML, render names the extra to install in one line."""
    program = (
        "import sys; sys.modules['yaml'] = None\n"
        "from crossplane_lite.cli import main\n"
        "sys.exit(main(['render', 'xr.yaml', '--function', 'a:b']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == (
        "crossplane-lite render: yaml is not installed; it comes with an extra: pip install 'crossplane-lite[render]'\n"
    )


def test_reader_that_goes_away() -> None:
    """Output into a pipe that nobody reads any more ends quietly."""
    program = (
        "import os, sys\n"
        "reader, writer = os.pipe(); os.close(reader); os.dup2(writer, 1)\n"
        "from crossplane_lite.cli import main\n"
        "sys.exit(main(['render', 'examples/storage_bucket/xr.yaml', "
        "'--function', 'examples.storage_bucket.function:compose']))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert "BrokenPipeError" not in done.stderr
    assert "Exception" not in done.stderr

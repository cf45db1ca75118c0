"""How the command lines of render, simulate and graph are parsed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from crossplane_lite._tools.render.arguments import duration
from crossplane_lite.cli import main
from tests.render.files import HERE, XR, put
from tests.runtime.serving import ROOT


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        (["render"], "usage: crossplane-lite render [options] XR [COMPOSITION] [FUNCTIONS]"),
        (["render", "op"], "usage: crossplane-lite render op [options] OPERATION [FUNCTIONS]"),
        (["simulate"], "usage: crossplane-lite simulate [options] XR [COMPOSITION] [FUNCTIONS]"),
        (["graph"], "usage: crossplane-lite graph [options] XR [COMPOSITION] [FUNCTIONS]"),
    ],
)
def test_usage(capsys: pytest.CaptureFixture[str], command: list[str], usage: str) -> None:
    """A wrong command line is told with one line of usage, and help begins with the same line and has all flags."""
    with pytest.raises(SystemExit) as caught:
        main([*command, "a", "--no-such-flag"])
    assert caught.value.code == 2
    name = " ".join(["crossplane-lite", *command])
    assert capsys.readouterr() == (
        "",
        f"{usage}\n{name}: error: unrecognized arguments: --no-such-flag\n{name} --help says more\n",
    )
    with pytest.raises(SystemExit) as caught:
        main([*command, "--help"])
    assert caught.value.code == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(f"{usage}\n\n")
    assert "\n  --timeout DURATION" in captured.out
    assert captured.err == ""


def test_long_duration() -> None:
    """A duration of any length is refused at once."""
    began = time.process_time()
    with pytest.raises(ArgumentTypeError, match="is not a duration") as caught:
        duration("1" * 1_000_000)
    assert time.process_time() - began < 5
    assert len(str(caught.value)) < 200


@pytest.mark.sample(1)
@pytest.mark.skipif(sys.platform == "win32", reason="arguments are bytes on Unix alone")
@pytest.mark.parametrize("flag", [b"--context-values=a=\xff", b"--context-values=\xff=b"])
def test_bytes_that_are_no_text(tmp_path: Path, flag: bytes) -> None:
    """A value that isn't UTF-8 is refused with a line that says so."""
    put(tmp_path, xr=XR)
    done = subprocess.run(
        [sys.executable, "-m", "crossplane_lite", "render", "xr.yaml", "--function", f"{HERE}:bucket", flag],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "'\\udcff' is not UTF-8: use a terminal with UTF-8, for example LANG=C.UTF-8\n" in done.stderr
    assert "Traceback" not in done.stderr

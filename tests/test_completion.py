"""Completion in real shells: each runs in a terminal of its own, gets a line and TAB, and shows what it made."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crossplane_lite._tools.commands.completion import SHELLS
from crossplane_lite._tools.commands.table import COMMANDS
from tests.wheels import ROOT

pytest.importorskip("shtab", reason="shtab is not installed")

# How each shell is started without the user's settings, and told of the script.
STARTS = {
    "bash": (
        ["--norc", "--noprofile", "-i"],
        "PS1='> '; bind 'set enable-bracketed-paste off'; eval \"$(cat script)\"",
    ),
    "zsh": (
        ["-f", "-i"],
        "PS1='> '; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u; eval \"$(cat script)\"",
    ),
    "fish": (["--no-config", "-i"], "source ./script"),
}
# A line before TAB, and how the shell must go on.
LINES = {
    "xpkg ver": "xpkg verify",
    "render exam": "render example/",
    "render one two exam": "render one two example/",
    "xpkg verify pack": "xpkg verify package.xpkg",
    "xpkg verify one pack": "xpkg verify one package.xpkg",
    "image --base pack": "image --base package.xpkg",
    "simulate --max-r": "simulate --max-rounds",
    "diff --format mark": "diff --format markdown",
    "krm run a pack": "krm run a package.xpkg",
}


@pytest.fixture(scope="module")
def scripts() -> dict[str, str]:
    """What `crossplane-lite completion` prints for each shell."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "crossplane_lite", "completion"]
    return {
        shell: subprocess.run([*command, shell], env=environment, capture_output=True, text=True, check=True).stdout
        for shell in SHELLS
    }


def program(shell: str) -> str:
    """Return the path of a shell, or skip."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


def read(terminal: int, wanted: str, seconds: float = 15) -> str:
    """Return what a terminal shows, without its escape codes, once that has a text, or after some seconds."""
    shown = b""
    plain = ""
    end = time.monotonic() + seconds
    while wanted not in plain and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 65536)
            plain = re.sub(r"\x1b(\[[0-9;?>=]*[a-zA-Z]|\][^\x07]*\x07|[=>()][0-9A-B]?)|\x08|\r", "", shown.decode())
    return plain


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_in_a_terminal(tmp_path: Path, scripts: dict[str, str], shell: str) -> None:
    """TAB completes commands, flags and their values, and still file names, also after other ones."""
    path = program(shell)
    for name in ("example/xr.yaml", "package.xpkg", "script"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(scripts[shell] if name == "script" else "")
    flags, start = STARTS[shell]
    child, terminal = pty.fork()
    if not child:
        os.chdir(tmp_path)
        os.execve(path, [shell, *flags], {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": str(tmp_path)})
    try:
        os.write(terminal, f"{start}; echo rea''dy\n".encode())
        assert "\nready" in read(terminal, "\nready")
        read(terminal, "no text of a shell", 0.5)  # until the next prompt
        for line, wanted in LINES.items():
            os.write(terminal, f"crossplane-lite {line}\t".encode())
            assert f"crossplane-lite {wanted}" in read(terminal, f"crossplane-lite {wanted}"), line
            os.write(terminal, b"\x15")  # Ctrl-U drops the line
            read(terminal, "no text of a shell", 0.5)
    finally:
        os.write(terminal, b"\x15exit\n")
        os.close(terminal)
        os.waitpid(child, 0)


@pytest.mark.slow
def test_in_fish(tmp_path: Path, scripts: dict[str, str]) -> None:
    """The same in fish, which can print what TAB would offer."""
    fish = program("fish")
    for name in ("example/xr.yaml", "package.xpkg", "script"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(scripts["fish"] if name == "script" else "")
    for line, wanted in LINES.items():
        flags, start = STARTS["fish"]
        command = [fish, flags[0], "-c", f"{start}; complete -C 'crossplane-lite {line}'"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        offered = [one.split("\t")[0] for one in done.stdout.splitlines()]
        assert wanted.split()[-1] in offered, line


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_the_script(scripts: dict[str, str], shell: str) -> None:
    """The script names every command and flags of them, and the shell finds no mistake in it."""
    for word in (*COMMANDS, "embed-runtime-image-tarball", "tls-certs-dir", "observed-resources"):
        assert word in scripts[shell]
    done = subprocess.run([program(shell), "-n"], input=scripts[shell], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

"""Other programs are run for so long, and with so much output."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from crossplane_lite._tools.programs import process
from crossplane_lite._tools.programs.process import Done, TooLongError, TooMuchError, run

posix = pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")


def python(program: str) -> list[str]:
    """Return the command that runs a Python program."""
    return [sys.executable, "-c", program]


def test_output() -> None:
    """What a program writes, and how it ends, comes back."""
    program = "import sys; sys.stdout.write('out' * 100000); sys.stderr.write('err'); sys.exit(3)"
    done = run(python(program), timeout=30)
    assert done == Done(3, b"out" * 100_000, b"err")
    assert done.ending == "its exit status is 3"


def test_input() -> None:
    """A program reads what it is given, or nothing; it need not read it."""
    copy = python("import sys; sys.stdout.write(sys.stdin.read())")
    assert run(copy, timeout=30, given=b"x" * 1_000_000).output == b"x" * 1_000_000
    assert run(copy, timeout=30).output == b""
    assert run(python("print(1)"), timeout=30, given=b"x" * 10_000_000).status == 0


def test_long_complaints() -> None:
    """Of the standard error only the beginning is kept, and all of it is read."""
    done = run(python("import sys; sys.stderr.write('x' * 3000000); print(1)"), timeout=30)
    assert (done.status, done.output.strip(), len(done.told)) == (0, b"1", 1 << 16)


def test_what_can_not_be_started(tmp_path: Path) -> None:
    """A program that isn't there, or that isn't one, is an OSError."""
    with pytest.raises(FileNotFoundError):
        run([str(tmp_path / "gone")], timeout=30)
    with pytest.raises(OSError):
        run([str(tmp_path)], timeout=30)
    with pytest.raises(ValueError):
        run([sys.executable, "\0"], timeout=30)


@posix
def test_signals() -> None:
    """A program that a signal has ended says so."""
    assert run(["sh", "-c", "kill -TERM $$"], timeout=30).ending == "it was ended by the signal SIGTERM"
    assert Done(-200, b"", b"").ending == "it was ended by the signal 200"


@pytest.mark.slow
@pytest.mark.sample(1)
@posix
@pytest.mark.parametrize(
    "script",
    ["sleep 600 & echo $! > pid; wait", "sleep 600 & echo $! > pid", "exec >&- 2>&-; sleep 600 & echo $! > pid; wait"],
)
def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program that takes too long is killed with its children, whether they hold its output or not."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TooLongError):
        run(["sh", "-c", script], timeout=1)
    child = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 10
    while is_running(child):
        assert time.monotonic() < deadline


def is_running(number: int) -> bool:
    """Say whether a process runs; one that is dead, and that nobody has waited for, doesn't."""
    try:
        os.kill(number, 0)
        return Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:  # no /proc, or gone since
        return os.path.exists("/proc/self/stat") is False


@posix
def test_output_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that prints without an end is killed when it has printed too much, long before its time is over."""
    monkeypatch.setattr(process, "_LARGEST", 16 << 20)
    start = time.monotonic()
    with pytest.raises(TooMuchError, match="^16 MiB$"):
        run(["sh", "-c", "yes & wait"], timeout=600)
    assert time.monotonic() - start < 60


@pytest.mark.slow
@posix
def test_interrupts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever interrupts the waiting leaves nothing behind either."""
    monkeypatch.chdir(tmp_path)
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        with pytest.raises(KeyboardInterrupt):
            run(["sh", "-c", "echo $$ > pid; sleep 600"], timeout=600)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert not is_running(int((tmp_path / "pid").read_text()))

"""The line on a terminal that says what a command is doing."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

import pytest

from crossplane_lite._core.base import terminal
from crossplane_lite._core.base.terminal import StatusLine


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Gone(Terminal):
    """A terminal that can't be written any more."""

    def write(self, _text: str) -> int:
        raise OSError(5, "Input/output error")


def test_each_text_takes_the_place_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is overwritten in place, and is gone at the end, also after an error; it is cleared only once."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(KeyError), StatusLine() as status:
        status.clear()
        status.show("one")
        status.show("two")
        status.clear()
        status.clear()
        status.show("three")
        raise KeyError
    assert stream.getvalue() == "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[K\r\x1b[Kthree\r\x1b[K"


def test_a_text_stays_in_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters that change a terminal are escaped, and at most 79 characters are shown, escapes counted."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    StatusLine().show(f"a\n\x1b[2J{'b' * 100}")
    assert stream.getvalue() == "\r\x1b[Ka\\n\\x1b[2J" + "b" * 69


def test_without_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file and a pipe get nothing of the line, and a stderr that is closed or None is no error."""
    with StatusLine() as status:
        status.show("one")
    assert capsys.readouterr().err == ""
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stderr", stream)
        with StatusLine() as status:
            status.show("one")


def test_a_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file gets a whole line about what takes long, not more often than every ten seconds."""
    now = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    terminal.going_on("nothing is told without a step")
    with StatusLine() as status:
        status.show("reading")
        for second in range(25):
            now[0] = 101.0 + second
            terminal.going_on(f"{second} MB")
        status.show("writing")
    assert capsys.readouterr().err == "reading (9 MB, 10 s)\nreading (19 MB, 20 s)\n"


def test_how_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the step's line grows by how far it is, at most once a second, and the inner step counts."""
    now = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with StatusLine() as outer:
        outer.show("pushing")
        with StatusLine() as inner:
            inner.show("reading")
            for tenth in range(25):
                now[0] = 100.0 + tenth / 10
                terminal.going_on()
        now[0] = 104.0
        terminal.going_on("2 of 4 MB")
    shown = stream.getvalue().split("\r\x1b[K")
    assert shown == ["", "pushing", "reading", "reading (1 s)", "reading (2 s)", "", "pushing (2 of 4 MB, 4 s)", ""]


def test_a_terminal_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that can't be written is dropped: the command goes on."""
    monkeypatch.setattr(sys, "stderr", Gone())
    with StatusLine() as status:
        status.show("one")


def test_a_real_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pseudo-terminal gets the line at once, and the codes that clear it."""
    here, there = pty.openpty()
    with open(there, "w") as stream, open(here, "rb", buffering=0) as terminal:
        monkeypatch.setattr(sys, "stderr", stream)
        with StatusLine() as status:
            status.show("one")
            assert os.read(terminal.fileno(), 100) == b"\r\x1b[Kone"
        assert os.read(terminal.fileno(), 100) == b"\r\x1b[K"


COMMAND = """
import logging, sys
from crossplane_lite._core.base import stdio
from crossplane_lite._core.base.terminal import StatusLine
from crossplane_lite._tools.render import terminal

stdio.repair()
terminal.begin()
with StatusLine() as status:
    status.show("one")
    print("log", end="")
    print(" of the function")
    status.show("two")
    status.clear()
    logging.getLogger().warning("between")
    status.show("three")
    print("last", end="")
"""


def test_text_of_a_function_takes_the_place_of_the_line() -> None:
    """In a command, other text begins in an empty row, is whole afterwards, and isn't cleared at the end."""
    here, there = pty.openpty()
    with open(here, "rb", buffering=0) as terminal:
        with open(there, "wb") as stream:
            subprocess.run([sys.executable, "-c", COMMAND], stderr=stream, stdin=subprocess.DEVNULL, check=True)
        written = os.read(terminal.fileno(), 1000)
    rows = [row.rpartition(b"\x1b[K")[2] for row in written.split(b"\r\n")]
    assert rows[0] == b"log of the function"
    assert rows[1].endswith(b"between")
    assert rows[2:] == [b"last"]
    # Each step was shown, and each was cleared once.
    assert [written.count(one) for one in (b"one", b"two", b"three", b"\r\x1b[K")] == [1, 1, 1, 6], written

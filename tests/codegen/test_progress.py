"""The line that says what the generator is doing."""

from __future__ import annotations

import io
import sys

import pytest

from crossplane_lite._tools.codegen import command
from crossplane_lite._tools.codegen.command import Progress


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, steps: list[tuple[str, str, int, int]], rhythm: float) -> list[str]:
    """Return the lines that were shown, one over the other."""
    monkeypatch.setattr(command, "_RHYTHM", rhythm)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress() as line:
        for step in steps:
            line.step(*step)
    return stream.getvalue().split("\r\x1b[K")[1:]


def test_each_part_begins_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast it goes, the first and the last of each part are shown, and the line is gone at the end."""
    steps = [(what, f"{what}-{at}", at, 5000) for what in ("resolving", "writing") for at in range(1, 5001)]
    assert shown(monkeypatch, steps, 3600) == [
        *("resolving 1/5,000 resolving-1", "resolving 5,000/5,000 resolving-5000"),
        *("writing 1/5,000 writing-1", "writing 5,000/5,000 writing-5000", ""),
    ]


def test_nothing_is_left_out_where_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow steps are all shown; long names are cut, and characters that change a terminal are not written."""
    steps = [("reading", f"a\x1b[2J{'b' * 100}", at, 0) for at in (1, 2)]
    lines = shown(monkeypatch, steps, 0)
    assert [line[:19] for line in lines] == ["reading 1 a\\x1b[2Jb", "reading 2 a\\x1b[2Jb", ""]
    assert max(map(len, lines)) == 79


def test_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Where standard error is no terminal nothing is shown, and the time is known all the same."""
    with Progress() as line:
        line.step("reading", "a", 1, 1)
    assert capsys.readouterr().err == ""
    assert line.seconds >= 0

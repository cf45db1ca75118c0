"""Text on a terminal: in colour, and a line that says what a command is doing, which each step
overwrites.

Where stderr isn't a terminal, such as in a log, a new line is written every ten seconds instead.
The environment variable NO_COLOR turns the colours off (https://no-color.org).
"""

from __future__ import annotations

import os
import sys
import time

from . import stdio
from .texts import escaped

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TextIO

_CODES = {"red": "31", "green": "32", "yellow": "33"}


def painted(text: str, colour: str, stream: TextIO | None = None) -> str:
    """Return a text between the escape codes that turn a colour on and off.

    The text is returned unchanged if `stream` isn't a terminal or is closed, NO_COLOR isn't empty,
    or TERM is `dumb`.

    Args:
        text: The text.
        colour: `red`, `green` or `yellow`.
        stream: The stream that the text will be written to; None for sys.stderr.
    """
    stream = sys.stderr if stream is None else stream
    if (
        os.environ.get("NO_COLOR")
        or os.environ.get("TERM") == "dumb"
        or stream is None
        or not stream.isatty()
    ):
        return text
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m"


# A longer line would be continued in the next row of a terminal with 80 columns, and only that row
# would be cleared.
_WIDTH = 79

_CLEAR = "\r\x1b[K"

# The shortest times between two texts about one step: on a terminal, and anywhere else.
_SECOND = 1.0
LOG_SECONDS = 10.0


class StatusLine:
    """A line on stderr with the current step. The end of the `with` statement clears the line.

    Other text that is written to stderr in the meantime, such as a function's log line, takes the
    line's place until the next step. If stderr isn't a terminal, the step is a whole line there,
    every ten seconds at most. Nothing is written if stderr is closed, and a line that can't be
    written is dropped.
    """

    def __init__(self) -> None:
        self._is_shown = False
        self._text = ""
        self._since = self._told = time.monotonic()

    def show(self, text: str) -> None:
        """Replace the line by `text`: its first 79 characters, with escapes for those that aren't
        printable.
        """
        self._text, self._since = text, time.monotonic()
        self._tell(text)

    def go_on(self, how_far: str) -> None:
        """Add to the line how far the step is, and how many seconds it has taken, if a second has
        passed.
        """
        now = time.monotonic()
        if self._text and now - self._told >= _SECOND:
            seconds = f"{now - self._since:.0f} s"
            self._tell(f"{self._text} ({', '.join(filter(None, (how_far, seconds)))})")

    def _tell(self, text: str) -> None:
        now = time.monotonic()
        stdio.before_next(b"")
        if self._write(f"{_CLEAR}{escaped(text):.{_WIDTH}}"):
            stdio.before_next(_CLEAR.encode())
            self._is_shown = True
            self._told = now
        elif now - self._told >= LOG_SECONDS:
            stdio.say(text)
            self._told = now

    def clear(self) -> None:
        """Clear the line, so that other text can be written. Nothing is written if no line is
        shown.
        """
        # An empty text means that other text has taken the line's place.
        if stdio.before_next(b"") != b"" and self._is_shown:
            self._write(_CLEAR)
        self._is_shown = False

    def _write(self, text: str) -> bool:
        """Write `text` if stderr is a terminal, and say whether it was written."""
        try:
            if sys.stderr is not None and sys.stderr.isatty():
                sys.stderr.write(text)
                sys.stderr.flush()
                return True
        except (OSError, ValueError):  # the terminal is gone, or the function has closed the stream
            pass
        return False

    def __enter__(self) -> StatusLine:
        _lines.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _lines.remove(self)
        self.clear()


# The lines whose `with` statements run, the innermost one last.
_lines: list[StatusLine] = []


def going_on(how_far: str = "") -> None:
    """Say that the current step goes on, and how far it is, such as `12 of 40 MB`. Without a step,
    do nothing.

    What takes long calls this as often as it can: a text is written once a second on a terminal,
    and every ten seconds anywhere else.
    """
    if _lines:
        _lines[-1].go_on(how_far)

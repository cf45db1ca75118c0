"""Text on a terminal: in colour, and a line that says what a command is doing, which each step overwrites.

The environment variable NO_COLOR turns the colours off (https://no-color.org).
"""

from __future__ import annotations

import os
import sys

from . import stdio
from .texts import escaped

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TextIO

_CODES = {"red": "31", "green": "32", "yellow": "33"}


def painted(text: str, colour: str, stream: TextIO | None = None) -> str:
    """Return a text between the escape codes that turn a colour on and off.

    The text is returned unchanged if `stream` isn't a terminal or is closed, NO_COLOR isn't empty, or TERM is `dumb`.

    Args:
        text: The text.
        colour: `red`, `green` or `yellow`.
        stream: The stream that the text will be written to; None for sys.stderr.
    """
    stream = sys.stderr if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or stream is None or not stream.isatty():
        return text
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m"


# A longer line would be continued in the next row of a terminal with 80 columns, and only that row would be cleared.
_WIDTH = 79

_CLEAR = "\r\x1b[K"


class StatusLine:
    """A line on stderr with the current step. The end of the `with` statement clears the line.

    Other text that is written to stderr in the meantime, such as a function's log line, takes the line's place until
    the next step. Nothing is written if stderr is closed or isn't a terminal, and a line that can't be written is
    dropped.
    """

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, text: str) -> None:
        """Replace the line by `text`: its first 79 characters, with escapes for those that aren't printable."""
        stdio.before_next(b"")
        if self._write(f"{_CLEAR}{escaped(text):.{_WIDTH}}"):
            stdio.before_next(_CLEAR.encode())
            self._is_shown = True

    def clear(self) -> None:
        """Clear the line, so that other text can be written. Nothing is written if no line is shown."""
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
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

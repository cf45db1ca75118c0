"""Shows what a command is doing, in one line on the terminal that each step overwrites."""

from __future__ import annotations

import sys

from . import stdio
from .lines import escaped

__all__ = ["StatusLine"]

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

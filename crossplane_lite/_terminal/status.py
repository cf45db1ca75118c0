"""Shows what a command is doing, in one line on the terminal that each step overwrites."""

from __future__ import annotations

import sys

from .lines import escaped

__all__ = ["StatusLine"]

# A longer line would be continued in the next row of a terminal with 80 columns, and only that row would be cleared.
_WIDTH = 79


class StatusLine:
    """A line on stderr with the current step. The end of the `with` statement clears the line.

    Nothing is written if stderr is closed or isn't a terminal, and a line that can't be written is dropped.
    """

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, text: str) -> None:
        """Replace the line by `text`: its first 79 characters, with escapes for those that aren't printable."""
        self._write(f"{escaped(text):.{_WIDTH}}")
        self._is_shown = True

    def clear(self) -> None:
        """Clear the line, so that other text can be written. Nothing is written if no line is shown."""
        if self._is_shown:
            self._write("")
            self._is_shown = False

    def _write(self, text: str) -> None:
        try:
            if sys.stderr is not None and sys.stderr.isatty():
                sys.stderr.write(f"\r\x1b[K{text}")
                sys.stderr.flush()
        except (OSError, ValueError):  # the terminal is gone, or the function has closed the stream
            pass

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

"""What `crossplane-lite generate` is doing, as a line on a terminal: from the first file to the last one written."""

from __future__ import annotations

import sys
import time
from typing import Final

from .._terminal.lines import escaped

__all__ = ["Progress"]

# How often the line changes, in seconds: writing to a terminal takes longer than many a file does.
_RHYTHM: Final = 0.05
_WIDTH: Final = 79


class Progress:
    """A line on standard error that is gone at the end; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._what = ""
        self._last = 0.0
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self._start

    def step(self, what: str, of: str, done: int, total: int) -> None:
        """Show what is being done.

        Args:
            what: What: `reading`, `resolving`, `making`, `writing`.
            of: To which file or kind.
            done: The how manyth it is.
            total: Of how many; 0 where nobody knows.
        """
        if not self._shown:
            return
        now = time.monotonic()
        if what == self._what and done != total and now - self._last < _RHYTHM:
            return
        self._what, self._last = what, now
        count = f"{done:,}/{total:,}" if total else f"{done:,}"
        print(f"\r\x1b[K{escaped(f'{what} {count} {of}'):.{_WIDTH}}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

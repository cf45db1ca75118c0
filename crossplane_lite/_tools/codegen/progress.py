"""Shows the progress of `crossplane-lite generate` in one line on the terminal, which changes with each step."""

from __future__ import annotations

import time
from typing import Final

from ..._core.base.status import StatusLine

__all__ = ["Progress"]

# The shortest time between two changes of the line, in seconds. Writing to a terminal takes longer than many a step.
_RHYTHM: Final = 0.05


class Progress:
    """A status line with the progress. The end of the `with` statement clears the line."""

    def __init__(self) -> None:
        self._line = StatusLine()
        self._what = ""
        self._last = 0.0
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since the run began, when this object was made."""
        return time.monotonic() - self._start

    def step(self, what: str, of: str, done: int, total: int) -> None:
        """Show the current step, such as `reading 5/12 crds.yaml`.

        A step is skipped if the line changed less than 0.05 seconds ago. The first step of a sort, and the last of
        `total`, are always shown.

        Args:
            what: The sort of step: `reading`, `resolving`, `making`, `checking` or `writing`.
            of: The file, document, kind or module that the step is about.
            done: The number of this step among the steps of its sort, from 1.
            total: How many steps of this sort there are; 0 if that isn't known.
        """
        now = time.monotonic()
        if what == self._what and done != total and now - self._last < _RHYTHM:
            return
        self._what, self._last = what, now
        count = f"{done:,}/{total:,}" if total else f"{done:,}"
        self._line.show(f"{what} {count} {of}")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()

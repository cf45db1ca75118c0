"""Prints of compose(), as people may read them: paths in the place of placeholders, and secret values masked."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from .tracker import current, mask, watch_threads

__all__ = ["Readable", "make_all_readable", "make_readable", "undo"]


class Readable:
    """A text stream that shows prints of compose(), and drops those of runs whose results are thrown away.

    Prints outside of all calls go through as they are.

    Args:
        stream: Where it goes.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def is_over(self, stream: Any) -> bool:
        """Say whether this goes to a stream."""
        return self._stream is stream

    def write(self, text: str) -> int:
        """Write a text; return how many characters it had."""
        call = current()
        if call is None:
            self._stream.write(mask(text))
        elif not call.rehearsed:
            self._stream.write(call.show(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)


def make_all_readable() -> None:
    """Show all that compose() and its threads print from now on in this process, on stdout and on stderr.

    This is for processes that do nothing but run functions. Tracebacks of threads and warnings go to stderr.
    """
    make_readable()
    watch_threads()
    if sys.stderr is not None and not isinstance(sys.stderr, Readable):
        sys.stderr = _over(sys.stderr)


def make_readable() -> Any:
    """Show the prints of compose() from now on in this process.

    Returns:
        The argument for `undo`.
    """
    if isinstance(sys.stdout, Readable):
        return None
    before: Any = sys.stdout
    sys.stdout = _over(before)
    return before


def _over(stream: Any) -> Any:
    # print() in another thread holds no reference of its own to sys.stdout: when that is replaced, the old one must
    # not be freed, or the process ends with a segmentation fault. So there is one for a stream, as long as that lives.
    made = getattr(stream, "_crossplane_lite_readable", None)
    if made is None:
        made = Readable(stream)
        with contextlib.suppress(AttributeError):
            stream._crossplane_lite_readable = made
    return made


def undo(before: Any) -> None:
    """Go back to the stream that was there before, if nobody has put another one there."""
    if before is not None and isinstance(sys.stdout, Readable) and sys.stdout.is_over(before):
        sys.stdout = before

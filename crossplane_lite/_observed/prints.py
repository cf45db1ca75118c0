"""Changing prints of compose() for people: paths in the place of placeholders, and secret values masked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from .tracker import current, mask, watch_threads

__all__ = ["Readable", "make_all_readable", "make_readable", "undo"]


class Readable:
    """A text stream that writes prints of compose() for people, and drops prints of rehearsals.

    A print outside of a call, such as in a thread that compose() has started, is changed for all calls that are going
    on.

    Args:
        stream: The stream that gets the texts.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def is_over(self, stream: Any) -> bool:
        """Say whether this object writes to `stream`."""
        return self._stream is stream

    def write(self, text: str) -> int:
        """Write `text` for people; in a rehearsal, write nothing. Return the length of `text` in both cases."""
        call = current()
        if call is None:
            self._stream.write(mask(text))
        elif not call.rehearsed:
            self._stream.write(call.show(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each text in `lines`, as `write` does."""
        for line in lines:
            self.write(line)


def make_all_readable(subject: Callable[[], Mapping[str, str]] = dict) -> None:
    """Change the prints of compose() and its threads for people from now on, on stdout and stderr.

    Secret values are masked, and placeholders are shown as paths. This is for processes that only run functions. stderr
    is included because Python writes the tracebacks of threads, and warnings, to it. `subject` returns the fields that
    identify the current call in log lines.
    """
    make_readable()
    watch_threads(subject)
    if sys.stderr is not None and not isinstance(sys.stderr, Readable):
        sys.stderr = _over(sys.stderr)


def make_readable() -> Any:
    """Change the prints of compose() on stdout for people from now on.

    Secret values are masked, and placeholders are shown as paths. Returns the stream that was replaced, for `undo`;
    None if this was done before.
    """
    if isinstance(sys.stdout, Readable):
        return None
    before: Any = sys.stdout
    sys.stdout = _over(before)
    return before


def _over(stream: Any) -> Any:
    # print() in another thread has no reference of its own to sys.stdout. If the old object were freed when sys.stdout
    # is replaced, the process could end with a segmentation fault. So each stream keeps its Readable as long as it
    # lives.
    made = getattr(stream, "_crossplane_lite_readable", None)
    if made is None:
        made = Readable(stream)
        with contextlib.suppress(AttributeError):
            stream._crossplane_lite_readable = made
    return made


def undo(before: Any) -> None:
    """Undo `make_readable`. Nothing happens if something else has replaced sys.stdout since then.

    Args:
        before: The result of `make_readable`. Nothing happens for None.
    """
    if before is not None and isinstance(sys.stdout, Readable) and sys.stdout.is_over(before):
        sys.stdout = before

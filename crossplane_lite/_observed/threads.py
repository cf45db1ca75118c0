"""The threads that compose() starts: their output is masked, also after the call has ended.

Threads don't inherit context variables, so this module remembers which call started a thread.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .masking import Masker

__all__ = ["Started", "mask_of_thread", "watch"]

# The masker of a thread's output. The keys are the threads themselves, because their ids are used again.
_maskers: Final[weakref.WeakKeyDictionary[threading.Thread, Masker]] = weakref.WeakKeyDictionary()
_started_by: Final[weakref.WeakKeyDictionary[threading.Thread, Started]] = weakref.WeakKeyDictionary()


class Started:
    """The threads that a call has started, and all threads that these threads have started."""

    def __init__(self) -> None:
        self._threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._masker: Masker | None = None

    def add(self, thread: threading.Thread) -> None:
        """Add `thread`, which is about to start."""
        self._threads.add(thread)
        _started_by[thread] = self
        if self._masker is not None:
            _maskers[thread] = self._masker

    def end(self, masker: Callable[[], Masker]) -> None:
        """End the call: threads that still run keep the masker of the call's secrets, and nothing else of the call.

        Args:
            masker: The function that returns the masker. It is only called if a thread still runs.
        """
        going_on = [thread for thread in self._threads if thread.ident is None or thread.is_alive()]
        if going_on:
            self._masker = masker()
            for thread in going_on:
                _maskers[thread] = self._masker


def watch(current: Callable[[], Any]) -> None:
    """Remember from now on which call starts each thread. For this, `threading.Thread.start` is replaced.

    Args:
        current: The function that returns the call of the current thread, or None outside of calls.
    """

    def noted(thread: threading.Thread, *args: Any, **kwargs: Any) -> None:
        call = current()
        if call is not None and not call.closed:
            if call.threads is None:
                call.threads = Started()
            call.threads.add(thread)
        elif _started_by:
            parent = _started_by.get(threading.current_thread())
            if parent is not None:
                parent.add(thread)
        start(thread, *args, **kwargs)

    start = threading.Thread.start
    threading.Thread.start = noted  # type: ignore[assignment,method-assign]


def mask_of_thread(text: str) -> str:
    """Return `text` with secret values masked, if this thread outlives the call that started it; else `text` itself."""
    masker = _maskers.get(threading.current_thread()) if _maskers else None
    return text if masker is None else masker(text)

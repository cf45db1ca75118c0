"""The threads that compose() starts: their output is masked, also after the call has ended.

Threads don't inherit context variables, so this module remembers which call started a thread. A thread of an executor
runs the work of many calls, so this module also remembers which call submitted the work.
"""

from __future__ import annotations

import _thread
import sys
import threading
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .masking import Masker

__all__ = ["Started", "mask_of_thread", "watch"]

_EXECUTORS: Final = "concurrent.futures.thread"

# Keys are the threads themselves, because their ids are used again.
_started_by: Final[weakref.WeakKeyDictionary[threading.Thread, Started]] = weakref.WeakKeyDictionary()
# Whose work this thread does now: a function that was submitted to an executor, or given to `_thread`.
_works_for: ContextVar[Started | None] = ContextVar("crossplane_lite_work", default=None)


class Started:
    """The threads that a call has started and the work that it has submitted, and all that these have started."""

    def __init__(self) -> None:
        self._threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._work: weakref.WeakSet[_Work] = weakref.WeakSet()
        self.masker: Masker | None = None

    def add(self, thread: threading.Thread) -> None:
        """Add `thread`, which is about to start."""
        self._threads.add(thread)
        _started_by[thread] = self

    def work(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same as `function`, which another thread is about to run."""
        made = _Work(function, self)
        self._work.add(made)
        return made

    def end(self, masker: Callable[[], Masker]) -> None:
        """End the call: threads and work that go on keep the masker of the call's secrets, and nothing else of it.

        Args:
            masker: The function that returns the masker. It is only called if a thread still runs, or if work isn't
                done.
        """
        if self._work or any(thread.ident is None or thread.is_alive() for thread in self._threads):
            self.masker = masker()


class _Work:
    """A function that runs later in another thread, for a call.

    Args:
        function: The function.
        started: The call's threads and work.
    """

    __slots__ = ("__weakref__", "_function", "_started")

    def __init__(self, function: Callable[..., Any], started: Started) -> None:
        self._function = function
        self._started = started

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        before = _works_for.set(self._started)
        try:
            return self._function(*args, **kwargs)
        finally:
            _works_for.reset(before)


def watch(current: Callable[[], Any]) -> None:
    """Remember from now on which call starts each thread and which call submits work to executors.

    For this, `threading.Thread.start`, `_thread.start_new_thread` and `ThreadPoolExecutor.submit` are replaced.

    Args:
        current: The function that returns the call of the current thread, or None outside of calls.
    """
    is_submit_replaced = False

    def replace_submit() -> None:
        nonlocal is_submit_replaced
        # Executors aren't imported before they are needed. One that runs something has started a thread before.
        if not is_submit_replaced and _EXECUTORS in sys.modules:
            is_submit_replaced = True
            _carry(sys.modules[_EXECUTORS].ThreadPoolExecutor, owner)

    def owner() -> Started | None:
        call = current()
        if call is None:
            return _of_this_thread()
        if call.threads is None:
            call.threads = Started()
        started: Started = call.threads
        if call.closed and started.masker is None:  # a task that goes on when its call has ended
            started.masker = call.masker()
        return started

    def start(thread: threading.Thread, *args: Any, **kwargs: Any) -> None:
        started = owner()
        if started is not None:
            started.add(thread)
        replace_submit()
        before(thread, *args, **kwargs)

    def start_new_thread(function: Callable[..., Any], *args: Any) -> int:
        started = owner()
        return before_new(function if started is None else started.work(function), *args)

    before, before_new = threading.Thread.start, _thread.start_new_thread
    threading.Thread.start = start  # type: ignore[assignment,method-assign]
    _thread.start_new_thread = start_new_thread
    replace_submit()


def _carry(executor: Any, owner: Callable[[], Started | None]) -> None:
    """Let work that is submitted to executors belong to the call that submits it.

    Args:
        executor: The class `ThreadPoolExecutor`.
        owner: The function that returns what the call of the current thread has started; None outside of calls.
    """

    def submitted(self: Any, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        started = owner()
        # Executors of interpreters pickle the function, and have streams of their own.
        if started is not None and callable(function) and not _runs_elsewhere(self):
            function = started.work(function)
        return submit(self, function, *args, **kwargs)

    submit = executor.submit
    executor.submit = submitted


def _runs_elsewhere(executor: Any) -> bool:
    module = sys.modules.get("concurrent.futures.interpreter")
    return module is not None and isinstance(executor, module.InterpreterPoolExecutor)


def _of_this_thread() -> Started | None:
    return _works_for.get() or (_started_by.get(threading.current_thread()) if _started_by else None)


def mask_of_thread(text: str) -> str:
    """Return `text` with secret values masked, if this thread belongs to a call that has ended; else `text` itself.

    These are the values of the call that started the thread, and of the call whose work the thread does now.
    """
    works_for = _works_for.get()
    started_by = _started_by.get(threading.current_thread()) if _started_by else None
    if works_for is not None and works_for.masker is not None:
        text = works_for.masker(text)
    if started_by is not None and started_by is not works_for and started_by.masker is not None:
        text = started_by.masker(text)
    return text

"""The threads that compose() starts: their output is masked, also after the call has ended.

Threads don't inherit context variables, so this module remembers which call started a thread. A thread of an executor
runs the work of many calls, so this module also remembers which call submitted the work.
"""

from __future__ import annotations

import _thread
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .masking import Masker

__all__ = ["Started", "mask_of_thread", "subject_of_thread", "watch"]

_EXECUTORS: Final = "concurrent.futures.thread"

# Keys are the threads themselves, because their ids are used again.
_started_by: Final[weakref.WeakKeyDictionary[threading.Thread, Started]] = weakref.WeakKeyDictionary()
# Whose work this thread does now: a function that was submitted to an executor, or given to `_thread`.
_works_for: ContextVar[Started | None] = ContextVar("crossplane_lite_work", default=None)


class Started:
    """The threads that a call has started and the work that it has submitted, and all that these have started.

    Args:
        subject: The fields that identify the call in log lines.
    """

    def __init__(self, subject: Mapping[str, str]) -> None:
        self.subject = subject
        self._threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._work: weakref.WeakSet[_Work] = weakref.WeakSet()
        self.masker: Masker | None = None

    def add(self, thread: threading.Thread) -> None:
        """Add `thread`, which is about to start."""
        self._threads.add(thread)
        _started_by[thread] = self

    def work(self, function: Callable[..., Any], *, is_last: bool = False) -> Callable[..., Any]:
        """Return a function that does the same as `function`, which another thread is about to run.

        If the thread ends with the function (`is_last`), Python shows the function's exception after its end.
        """
        made = _Work(function, self, is_last=is_last)
        self._work.add(made)
        return made

    def end(self, masker: Callable[[], Masker]) -> None:
        """End the call: threads and work that go on keep the masker of the call's secrets.

        `masker` is only called if a thread still runs, or if work isn't done.
        """
        if self._work or any(thread.ident is None or thread.is_alive() for thread in self._threads):
            self.masker = masker()


class _Work:
    """A function that runs later in another thread, for a call.

    Args:
        function: The function.
        started: The call's threads and work.
        is_last: Whether the thread ends with the function.
    """

    __slots__ = ("__weakref__", "_function", "_is_last", "_started")

    def __init__(self, function: Callable[..., Any], started: Started, *, is_last: bool) -> None:
        self._function = function
        self._started = started
        self._is_last = is_last

    def __repr__(self) -> str:
        return repr(self._function)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        before = _works_for.set(self._started)
        try:
            return self._function(*args, **kwargs)
        finally:
            if not self._is_last:
                _works_for.reset(before)


def watch(current: Callable[[], Any], subject: Callable[[], Mapping[str, str]]) -> None:
    """Remember from now on which call starts each thread and which call submits work to executors.

    For this, `threading.Thread.start`, `_thread.start_new_thread` and `ThreadPoolExecutor.submit` are replaced.
    `current` returns the call of the current thread, and `subject` the fields that identify it in log lines.
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
            call.threads = Started(subject())
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
        return before_new(function if started is None else started.work(function, is_last=True), *args)

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


def subject_of_thread() -> Mapping[str, str]:
    """Return the fields in log lines, such as the tag, of the call that this thread works for; empty without a call."""
    started = _of_this_thread()
    return {} if started is None else started.subject


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

"""A limit on the time of Python code."""

from __future__ import annotations

import contextvars
import ctypes
import threading
from collections.abc import Callable

__all__ = ["TooLong", "run_limited"]

# Code may catch TooLong. It is raised again after so many seconds, so many times.
_AGAIN_SECONDS = 0.2
_TIMES = 50


class TooLong(BaseException):
    """Code takes too long. It isn't an Exception, so that `except Exception` doesn't catch it."""


class _Run:
    """Runs a function in a thread of its own: an exception that is raised in it from outside hits nothing else."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self.over = threading.Event()
        self.error: BaseException | None = None
        # A daemon doesn't keep the process alive. The context variables are copied: they tell which call this is.
        self.thread = threading.Thread(
            target=contextvars.copy_context().run, args=(self._run,), name="script", daemon=True
        )

    def _run(self) -> None:
        try:
            try:
                self._function()
            except BaseException as error:
                self.error = error
            finally:
                self.over.set()
        except TooLong:  # raised after the end of the function
            self.over.set()


def run_limited(function: Callable[[], None], seconds: float) -> None:
    """Run a function, for some seconds at most.

    After that it is stopped between two steps of Python. A call of C, such as `time.sleep`, can't be stopped: its
    thread goes on until the call returns, and nothing waits for it.

    Args:
        function: The function.
        seconds: The time that it may take.

    Raises:
        TooLong: It has taken longer.
        BaseException: The function's own exception.
    """
    run = _Run(function)
    run.thread.start()
    if run.over.wait(seconds):
        error, run.error = run.error, None
        if error is not None:
            raise error
        return
    _end(run)
    raise TooLong


def _end(run: _Run, times: int = _TIMES) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(run.thread.ident or 0), ctypes.py_object(TooLong))
    # Code may catch even this, so a timer raises it again. The call is answered now.
    if not run.over.wait(_AGAIN_SECONDS / 10) and times > 1:
        again = threading.Timer(_AGAIN_SECONDS, _end_again, (run, times - 1))
        again.daemon = True
        again.start()


def _end_again(run: _Run, times: int) -> None:
    if not run.over.is_set():
        _end(run, times)

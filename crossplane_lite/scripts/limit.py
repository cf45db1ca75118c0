"""A limit on the time of Python code."""

from __future__ import annotations

import contextlib
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
    """Runs a function in a thread of its own, so that an exception raised in it from outside can hit nothing else.

    The exception goes to a thread by its number, which another thread may get as soon as this one has ended. So this
    one stays until nobody raises anything in it any more.

    Attributes:
        over: Whether the function has come to its end.
        released: Whether the thread may end.
        error: What the function has raised.
        thread: The thread.
    """

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self.over = threading.Event()
        self.released = threading.Event()
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
        while not self.released.is_set():
            with contextlib.suppress(TooLong):
                self.released.wait()


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
    try:
        over = run.over.wait(seconds)
    except BaseException:  # somebody wants this thread to stop
        run.released.set()
        raise
    if over:
        run.released.set()
        error, run.error = run.error, None
        if error is not None:
            raise error
        return
    _end(run)
    raise TooLong


def _end(run: _Run, times: int = _TIMES) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(run.thread.ident or 0), ctypes.py_object(TooLong))
    # Code may catch even this, so a timer raises it again. The call is answered now.
    if run.over.wait(_AGAIN_SECONDS / 10) or times == 1:
        run.released.set()
        return
    again = threading.Timer(_AGAIN_SECONDS, _end_again, (run, times - 1))
    again.daemon = True
    again.start()


def _end_again(run: _Run, times: int) -> None:
    if run.over.is_set():
        run.released.set()
    else:
        _end(run, times)

"""Runs Python code with a time limit."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import threading
from collections.abc import Callable

__all__ = ["TooLong", "run_limited"]

# Code may catch TooLong. So it is raised again after _AGAIN_SECONDS, at most _TIMES times.
_AGAIN_SECONDS = 0.2
_TIMES = 50


class TooLong(BaseException):
    """The code takes longer than its limit. `except Exception` in the code doesn't catch this BaseException."""


class _Run:
    """Runs a function in a thread of its own, in which TooLong can be raised from outside.

    Python finds the thread for the exception by a number, and another thread may get the number when this thread has
    ended. So the thread waits at its end until `released` is set: nobody raises TooLong after that.

    Attributes:
        over: Set when the function has ended.
        released: Set when the thread may end.
        error: The exception that the function has raised; None without one.
        thread: The thread.
    """

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self.over = threading.Event()
        self.released = threading.Event()
        self.error: BaseException | None = None
        # A daemon thread doesn't keep the process alive. The context variables tell the SDK which call this is.
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
        except TooLong:  # raised from outside just after the function had ended
            self.over.set()
        while not self.released.is_set():
            with contextlib.suppress(TooLong):
                self.released.wait()


def run_limited(function: Callable[[], None], seconds: float) -> None:
    """Run a function in another thread, for at most `seconds` seconds.

    A function that takes longer is stopped between two instructions of Python. A call of C code, such as `time.sleep`,
    can't be stopped: the thread goes on until the call returns, but `run_limited` doesn't wait for that.

    Args:
        function: The function.
        seconds: The most seconds that the function may take.

    Raises:
        TooLong: The function has taken longer.
        BaseException: The function's own exception.
    """
    run = _Run(function)
    run.thread.start()
    try:
        over = run.over.wait(seconds)
    except BaseException:  # Ctrl-C, or an outer time limit
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
    # Code may catch even TooLong, so a timer raises it again later. The call is answered in the meantime.
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

"""Runs Python code with a time limit."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import threading
from collections.abc import Callable

# Code may catch TooLong. So it is raised again after _AGAIN_SECONDS, at most _TIMES times.
_AGAIN_SECONDS = 0.2
_TIMES = 50


class TooLong(BaseException):
    """The code takes longer than its time limit. It is a BaseException, so that `except Exception`
    doesn't catch it.
    """


class _Run:
    """Runs a function in a new thread, in which another thread can raise TooLong.

    To raise an exception in a thread, Python takes the thread's ident, and a later thread may get
    the same ident. So the thread doesn't end before `released` is set. After that, TooLong is never
    raised in it.

    Attributes:
        over: An event that is set when the function has ended.
        released: An event that is set when the thread may end.
        error: The exception that the function has raised; None if there is none.
        thread: The thread.
    """

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self.over = threading.Event()
        self.released = threading.Event()
        self.error: BaseException | None = None
        # A daemon thread doesn't keep the process alive. The context variables tell the SDK which
        # call this is.
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
    """Run a function in another thread, with a time limit.

    In a function that takes longer, TooLong is raised between two Python instructions; if the
    function catches it, up to 50 times. A call of C code, such as `time.sleep`, can't be
    interrupted: the thread runs until the call returns. `run_limited` doesn't wait for that.

    Args:
        function: The function. It is called in a copy of the current context (`contextvars`).
        seconds: The time limit in seconds.

    Raises:
        TooLong: The function takes longer.
        BaseException: The function raised it.
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
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(run.thread.ident or 0), ctypes.py_object(TooLong)
    )
    # Code may catch even TooLong, so a timer raises it again later. The call is answered in the
    # meantime.
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

"""The event loop that all calls of `async def` functions share, in a thread of its own.

Some objects that a module keeps between calls belong to a loop: a semaphore, a lock, a client with
its connections. If each call or each thread had a loop of its own, the second call that uses such
an object would fail or wait for ever.

Each call is one task, with a copy of the context variables of the thread that asks for it. An
exception of a call (`SystemExit` too) or its cancellation doesn't reach other calls. When a call
ends, the tasks that it has started go on, because other calls may need them, such as a client's
tasks for its connections.

A call that waits without `await` blocks the loop. When such a call is cancelled or interrupted, the
loop is left to it and to the calls that wait there, and later calls run on a new loop.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Awaitable
from concurrent import futures
from contextvars import copy_context
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import asyncio
    from types import FrameType

_GRACE_SECONDS: Final = 1.0  # the time that a cancelled task or a blocked loop gets

Outcome = tuple[Any, "BaseException | None"]


def run(awaitable: Awaitable[Any]) -> Any:
    """Run an awaitable on the shared loop, wait until it ends, and return its result.

    Any thread may call this. If the thread has a running loop of its own, that loop is blocked
    meanwhile. If a task on the shared loop calls this, the awaitable runs on a new loop in a new
    thread, and both end with the awaitable.

    Raises the exception of the awaitable, the exception that interrupts the waiting thread, or
    Cancelled if another thread has cancelled it (see `awaited`).
    """
    import asyncio

    # Not get_running_loop(): exceptions of compose() would show its RuntimeError as their context.
    running = asyncio._get_running_loop()
    if running is not None and running is _shared.loop:
        outcomes: list[Outcome] = []
        target = copy_context().run
        thread = threading.Thread(
            target=target, args=(lambda: outcomes.append(asyncio.run(_to_its_end(awaitable))),)
        )
        thread.start()
        thread.join()
        outcome = outcomes.pop()
    else:
        outcome = _shared.run(awaitable)
    returned, error = outcome
    if error is None:
        return returned
    try:
        raise error
    finally:
        del outcome, error  # the error's traceback refers to this frame


def awaited(thread: int) -> Awaited | None:
    """Return the awaitable that the thread with the id `thread` waits for now; None if it waits for
    none.
    """
    return _shared.waiting.get(thread)


class Cancelled(futures.CancelledError):
    """An awaitable was cancelled by `Awaited.cancel`: nobody waits for its result any more."""


class Awaited:
    """An awaitable that a thread waits for.

    `cancel` and `stack` always mean this awaitable, even if the thread already waits for the
    awaitable of another call.

    Attributes:
        cancelled: Whether `cancel` was called.
        loop: The loop on which the awaitable runs.
        future: The future of its outcome; None before the start, and after the outcome is taken.
    """

    __slots__ = ("_awaitable", "_on", "cancelled", "future", "loop")

    def __init__(
        self, awaitable: Awaitable[Any], loop: asyncio.AbstractEventLoop, on: threading.Thread
    ) -> None:
        self._awaitable = awaitable
        self._on = on
        self.cancelled = False
        self.loop = loop
        self.future: futures.Future[Outcome] | None = None

    def start(self) -> futures.Future[Outcome]:
        """Begin to run the awaitable, as soon as the loop's thread gets to it. Return the future of
        its outcome.
        """
        import asyncio

        self.future = future = asyncio.run_coroutine_threadsafe(self._run(), self.loop)
        if self.cancelled:
            future.cancel()
        return future

    async def _run(self) -> Outcome:
        if not self.cancelled:
            return await _to_its_end(self._awaitable)
        if isinstance(self._awaitable, CoroutineType):
            self._awaitable.close()  # otherwise Python warns on stderr that it was never awaited
        return None, None

    def cancel(self) -> None:
        """Cancel the awaitable. The waiting thread goes on at once, even if the awaitable catches
        CancelledError.
        """
        self.cancelled = True
        future = self.future
        if future is not None:
            future.cancel()

    def stack(self) -> str:
        """Return the present stack of the awaitable, formatted like a traceback; empty if the
        awaitable has ended.
        """
        import traceback

        found = _frames_of(self._awaitable)
        top = sys._current_frames().get(self._on.ident or 0)
        running = [] if top is None else [frame for frame, _ in traceback.walk_stack(top)][::-1]
        if found and found[-1] in running:  # it runs: the frames below it are the last ones there
            found += running[running.index(found[-1]) + 1 :]
        places = ((frame, frame.f_lineno) for frame in found)
        return "".join(traceback.StackSummary.extract(places).format()).rstrip()


def _frames_of(coroutine: Any) -> list[FrameType]:
    """Return the frames of a coroutine and of the coroutines that it awaits, the outermost
    first.
    """
    found: list[FrameType] = []
    while coroutine is not None:
        found += filter(None, [getattr(coroutine, "cr_frame", None)])
        coroutine = getattr(coroutine, "cr_await", None)
    return found


class _Shared:
    """The shared loop and its thread. Both start with the first call that needs them.

    Attributes:
        loop: The loop; None until the first call, and after `forget`.
        waiting: The awaitables that threads wait for, by the thread's id.
    """

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.waiting: dict[int, Awaited] = {}

    def run(self, awaitable: Awaitable[Any]) -> Outcome:
        thread = threading.get_ident()
        # so that no other thread forgets the loop, before it can see that this one is on it
        with self._lock:
            one = self.waiting[thread] = Awaited(awaitable, *self._running())
            future = one.start()
        try:
            return future.result()
        except BaseException as error:
            # another thread wants this one to stop, or not to wait any more
            cancelled = one.cancelled and isinstance(error, futures.CancelledError)
            one.cancel()
            self._forget_blocked(one.loop)
            if cancelled:
                raise Cancelled from None
            raise
        finally:
            # The traceback of an exception in the outcome refers to a frame that has this object.
            del self.waiting[thread], future
            one.future = None

    def _running(self) -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
        """Return the loop and its thread; start both if they don't run yet. The lock must be
        held.
        """
        if self.loop is None or self._thread is None:
            import asyncio
            import atexit

            self.loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_serve, args=(self.loop,), name="crossplane-lite event loop", daemon=True
            )
            self._thread.start()
            atexit.unregister(self.stop)
            atexit.register(self.stop)
        return self.loop, self._thread

    def _forget_blocked(self, loop: asyncio.AbstractEventLoop) -> None:
        """Forget `loop` if it is blocked by code that waits without `await`: if it runs no callback
        within a second.
        """
        alive = threading.Event()
        try:
            loop.call_soon_threadsafe(alive.set)
            alive.wait(_GRACE_SECONDS)
        finally:  # a second exception may interrupt the wait
            if not alive.is_set():
                self.forget(loop)

    def forget(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Forget the present loop, so that the next call starts a new one; do nothing if `loop` is
        a former one.
        """
        with self._lock:
            if loop is None or loop is self.loop:
                self.loop = self._thread = None

    def begin_again(self) -> None:
        """Reset the state in a forked process, because the threads of the parent process don't
        exist in it.
        """
        if self.loop is not None and self._thread is threading.current_thread():
            # A coroutine has forked. The child has the parent's pipes, so it ends as soon as it
            # comes back to the loop.
            self.loop.call_soon(os._exit, 1)
        self._lock = threading.Lock()  # a thread of the parent may have held the old lock
        self.loop = self._thread = None
        self.waiting = {}

    def stop(self) -> None:
        """Stop the loop at the end of the process: cancel its tasks, and wait for its thread, for a
        second at most.
        """
        loop, thread = self.loop, self._thread
        if loop is None or thread is None or loop.is_closed():
            return
        self.forget()
        loop.call_soon_threadsafe(_cancel_all, loop)
        thread.join(_GRACE_SECONDS)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run `loop` until `_Shared.stop` stops it, and close it. A task's SystemExit doesn't stop the
    loop.
    """
    import asyncio

    asyncio.set_event_loop(loop)
    stopped = False
    while not stopped:
        try:
            loop.run_forever()
            stopped = True
        except BaseException as error:
            # a task's SystemExit, which asyncio lets end the loop; the task has it too
            loop.call_exception_handler(
                {"message": "a task tried to end the event loop", "exception": error}
            )
    loop.close()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    import asyncio

    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.call_soon(loop.call_soon, loop.stop)  # after the cancelled tasks have run


async def _to_its_end(awaitable: Awaitable[Any]) -> Outcome:
    """Wait for an awaitable, and return its result and None, or None and its exception.

    The exception isn't raised here, because SystemExit would end the loop for all calls.
    """
    try:
        return await awaitable, None
    except BaseException as error:
        return None, error


_shared: Final = _Shared()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_shared.begin_again)

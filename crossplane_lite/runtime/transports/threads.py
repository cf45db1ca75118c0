"""The threads that grpcio has its calls run in.

A thread is free again as soon as its call is answered, before the answer is on its way, and the one that has been free
for the shortest time gets the next call. So calls that come one after the other run in one thread. Each thread that has
run a large call keeps memory of that size, because it has a heap of its own, and the one that ran last finds everything
in the processor's cache.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent import futures
from typing import Any, Final, TypeVar

__all__ = ["Threads"]

T = TypeVar("T")

_Job = tuple["futures.Future[Any]", "Callable[..., Any]", tuple[Any, ...], dict[str, Any]]


class _Worker:
    """One thread, as the others see it.

    Attributes:
        awake: Held while there is nothing to do.
        job: What it is to do next; None for its end.
        offered: Whether it has asked for another job since it has begun its last one. Only its own thread uses it.
    """

    __slots__ = ("awake", "job", "offered")

    def __init__(self) -> None:
        self.awake = threading.Lock()
        self.awake.acquire()
        self.job: _Job | None = None
        self.offered = False

    def give(self, job: _Job | None) -> None:
        """Let the thread do a job, as soon as it has done what it is at."""
        self.job = job
        self.awake.release()


class Threads(futures.Executor):
    """A bounded number of threads. They begin when they are needed, and stay until `shutdown`.

    Nobody waits for them at the process's end: a call that doesn't end must not keep it.

    Args:
        most: How many there may be. Other jobs wait.
    """

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._lock = threading.Lock()
        self._free: list[_Worker] = []  # the one that was free last stands last
        self._queue: deque[_Job] = deque()
        self._started = 0
        self._ended = False
        self._own = threading.local()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> futures.Future[T]:
        """Run a function in one of the threads.

        Raises:
            RuntimeError: The system gives no thread, and there is none yet.
        """
        future: futures.Future[T] = futures.Future()
        job = (future, fn, args, kwargs)
        with self._lock:
            if self._free:
                self._free.pop().give(job)
            elif self._started == self._most or not self._start_one(job):
                self._queue.append(job)
        return future

    def nearly_done(self) -> None:
        """Count the thread that calls this as free: what it has still to do waits for nothing."""
        worker: _Worker = self._own.worker
        worker.offered = True
        with self._lock:
            if self._queue:
                worker.give(self._queue.popleft())
            elif self._ended:
                worker.give(None)
            else:
                self._free.append(worker)

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = False) -> None:
        """End the threads that are free, and the others when they are.

        Args:
            wait: Must be False.
            cancel_futures: Must be False: what has been submitted is done.
        """
        assert not wait and not cancel_futures
        with self._lock:
            self._ended = True
            while self._free:
                self._free.pop().give(None)

    def _start_one(self, job: _Job) -> bool:
        """Start a thread with a job; say whether there is one more."""
        worker = _Worker()
        worker.give(job)
        self._started += 1
        try:
            threading.Thread(target=self._work, args=(worker,), name=f"call_{self._started}", daemon=True).start()
        except RuntimeError:  # no more of them; those that there are take it
            self._started -= 1
            if not self._started:
                raise
            return False
        return True

    def _work(self, worker: _Worker) -> None:
        self._own.worker = worker
        while True:
            worker.awake.acquire()
            job, worker.job = worker.job, None
            if job is None:
                return
            worker.offered = False
            _do(*job)
            del job  # a request may be large
            if not worker.offered:
                self.nearly_done()


def _do(future: futures.Future[T], fn: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    try:
        result = fn(*args, **kwargs)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)

"""The pool of threads in which grpcio runs calls.

A thread's job is a function that grpcio submits, such as to run a call. A thread counts as free as soon as its call is
answered, even before grpcio has sent the answer. The next call goes to the thread that became free last. So calls that
come one after the other run in the same thread. This saves memory, because each thread that has run a large call keeps
a heap of that size. It also saves time, because the thread that ran last finds its data in the processor's cache.
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
    """One thread of the pool.

    Attributes:
        awake: A lock that is free while the thread has a job to take.
        job: The thread's next job; None to end the thread.
        offered: Whether `nearly_done` was called in the thread's present job. Only the thread itself uses this.
    """

    __slots__ = ("awake", "job", "offered")

    def __init__(self) -> None:
        self.awake = threading.Lock()
        self.awake.acquire()
        self.job: _Job | None = None
        self.offered = False

    def give(self, job: _Job | None) -> None:
        """Give the thread its next job, for after the present job; None ends the thread then."""
        self.job = job
        self.awake.release()


class Threads(futures.Executor):
    """A bounded number of threads, which are started when they are needed, and stay until `shutdown`.

    The threads don't keep the process alive, not even with a job that never ends.

    Args:
        most: The largest number of threads. Further jobs wait for a free thread.
    """

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._lock = threading.Lock()
        self._free: list[_Worker] = []  # in the order in which they became free
        self._queue: deque[_Job] = deque()
        self._started = 0
        self._ended = False
        self._own = threading.local()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> futures.Future[T]:
        """Run `fn(*args, **kwargs)` in one of the threads, and return the future of its result.

        Raises:
            RuntimeError: The pool has no thread, and the system can't start one.
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
        """Count the calling thread as free. Call this near the end of a job, when the rest of the job never waits."""
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
        """End the free threads at once, and the others after their jobs. All submitted jobs are still done.

        Args:
            wait: Must be False.
            cancel_futures: Must be False.
        """
        assert not wait and not cancel_futures
        with self._lock:
            self._ended = True
            while self._free:
                self._free.pop().give(None)

    def _start_one(self, job: _Job) -> bool:
        """Start a thread with a job. Return False if the system can't start a thread, but the pool has others.

        Raises:
            RuntimeError: The system can't start a thread, and the pool has no other.
        """
        worker = _Worker()
        worker.give(job)
        self._started += 1
        try:
            threading.Thread(target=self._work, args=(worker,), name=f"call_{self._started}", daemon=True).start()
        except RuntimeError:  # the system's limit on threads: another thread will take the job
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
            del job  # frees the memory of the request
            if not worker.offered:
                self.nearly_done()


def _do(future: futures.Future[T], fn: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    try:
        result = fn(*args, **kwargs)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)

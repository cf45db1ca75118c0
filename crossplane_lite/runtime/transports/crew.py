"""Threads that take turns: one leads, which is to wait for sockets, and the others do jobs.

The thread that finds a job does it itself, and another one leads meanwhile. So a call isn't handed from thread to
thread while its caller waits, which takes a tenth of a millisecond with Python's global lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Crew"]

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


class Crew(Generic[Job, Outcome]):
    """A bounded number of threads, and a queue of jobs with a limit.

    Threads begin when they are needed, and stay. Nobody waits for them at the process's end: a call that doesn't end
    must not keep it.

    Args:
        lead: Waits for sockets once, and submits the jobs that came; returns whether to go on. Only one thread at a
            time does it, and it takes `lock` itself.
        do: Does a job. It must not raise.
        hand_back: Takes the outcome of a job, with `lock` held.
        threads: How many jobs may run at the same time.
        waiting: How many more may wait.

    Attributes:
        lock: Is held by whoever reads or changes the state that the threads share.
    """

    def __init__(
        self,
        lead: Callable[[], bool],
        do: Callable[[Job], Outcome],
        hand_back: Callable[[Job, Outcome], None],
        threads: int,
        waiting: int,
    ) -> None:
        self.lock = threading.Lock()
        self._turn = threading.Lock()
        self._lead = lead
        self._do = do
        self._hand_back = hand_back
        self._threads = threads
        self._most = threads + waiting
        self._queue: dict[Job, None] = {}  # the first comes next
        self._running = 0
        self._started = 0

    def start(self) -> None:
        """Begin with one thread, which leads.

        Raises:
            RuntimeError: The system gives no thread.
        """
        if not self._start_one():
            raise RuntimeError("can't start a thread")

    def submit(self, job: Job) -> bool:
        """Take a job into the queue; say whether there was room. With `lock` held."""
        if len(self._queue) + self._running >= self._most:
            return False
        self._queue[job] = None
        return True

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._queue)

    def forget(self, job: Job) -> None:
        """Don't do a job, if it still waits. With `lock` held."""
        self._queue.pop(job, None)

    def _start_one(self) -> bool:
        """Start a thread; say whether there is one more."""
        try:
            threading.Thread(target=self._work, name=f"call_{self._started + 1}", daemon=True).start()
        except RuntimeError:  # the system gives no more of them
            return False
        self._started += 1
        return True

    def _work(self) -> None:
        while True:
            with self._turn:
                job = self._lead_until_job()
            if job is None:
                return
            while job is not None:
                outcome = self._do(job)
                with self.lock:
                    self._running -= 1
                    self._hand_back(job, outcome)
                    job = self._next()

    def _lead_until_job(self) -> Job | None:
        """Return a job that this thread is to do, or None at the end of everything."""
        while True:
            with self.lock:
                job = self._next()
                if job is not None:
                    # Somebody must be left to lead, unless this thread is the only one that there can be.
                    if self._running < self._started or self._start_one() or self._started == 1:
                        return job
                    self._put_back(job)
            if not self._lead():
                return None

    def _put_back(self, job: Job) -> None:
        """Leave a job for the first thread that has done its own."""
        self._running -= 1
        self._queue = {job: None, **self._queue}

    def _next(self) -> Job | None:
        if not self._queue or self._running == self._threads:
            return None
        job = next(iter(self._queue))
        del self._queue[job]
        self._running += 1
        return job

"""Threads that take turns: one thread leads, which means that it waits for sockets, and the others do jobs.

A job is a call to answer. The thread that finds a job does the job itself, and another thread leads in the meantime. So
only a job that had to wait in the queue passes from one thread to another, which takes a tenth of a millisecond with
Python's GIL.
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

    Threads are started when they are needed, and stay until the crew ends. They are daemon threads, so they don't keep
    the process alive, not even with a job that never ends.

    Args:
        lead: Waits for sockets once, and calls `submit` for each job that came. It returns False to end the crew. Only
            one thread at a time calls `lead`, without holding `lock`.
        do: Does a job, and returns its outcome. It must not raise.
        hand_back: Is called with a job and its outcome by the thread that did the job, which holds `lock`.
        threads: The most jobs that may run at the same time.
        waiting: The most jobs that may wait in the queue.

    Attributes:
        lock: Must be held to read or change the state that the threads share.
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
        self._queue: dict[Job, None] = {}  # in the order of their turns
        self._running = 0
        self._started = 0

    def start(self) -> None:
        """Start the first thread, which leads.

        Raises:
            RuntimeError: The system can't start a thread.
        """
        if not self._start_one():
            raise RuntimeError("can't start a thread: raise the system's limit on threads (ulimit -u) or on memory")

    def submit(self, job: Job) -> bool:
        """Add a job to the queue and return True; return False if the queue is full. The caller must hold `lock`."""
        if len(self._queue) + self._running >= self._most:
            return False
        self._queue[job] = None
        return True

    @property
    def waiting(self) -> int:
        """The number of jobs in the queue."""
        return len(self._queue)

    def forget(self, job: Job) -> None:
        """Remove a job from the queue, if it is still there. The caller must hold `lock`."""
        self._queue.pop(job, None)

    def _start_one(self) -> bool:
        """Start a thread; return False if the system can't start another thread."""
        try:
            threading.Thread(target=self._work, name=f"call_{self._started + 1}", daemon=True).start()
        except RuntimeError:  # the system's limit on threads
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
        """Call `lead` until there is a job for this thread, and return the job; None when the crew ends."""
        while True:
            with self.lock:
                job = self._next()
                if job is not None:
                    # Another thread must be free to lead, unless no second thread can be started.
                    if self._running < self._started or self._start_one() or self._started == 1:
                        return job
                    self._put_back(job)
            if not self._lead():
                return None

    def _put_back(self, job: Job) -> None:
        """Put a job back to the beginning of the queue. The next free thread does it."""
        self._running -= 1
        self._queue = {job: None, **self._queue}

    def _next(self) -> Job | None:
        if not self._queue or self._running == self._threads:
            return None
        job = next(iter(self._queue))
        del self._queue[job]
        self._running += 1
        return job

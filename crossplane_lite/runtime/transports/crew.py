"""Threads that take turns: one thread leads, which means that it waits for sockets, and the others
do jobs.

A job is a call to answer. The thread that finds a job does the job itself, and another thread leads
in the meantime. So only a job that had to wait in the queue passes from one thread to another,
which takes a tenth of a millisecond with Python's GIL.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["Crew"]

Job = TypeVar("Job")


class Crew(Generic[Job]):
    """A bounded number of threads, and a queue of jobs with a limit. The owners of jobs take turns.

    If there is more than one owner, a quarter of the threads is for those of which no job runs.

    Threads are started when they are needed, and stay until the crew ends. They are daemon threads,
    so they don't keep the process alive, not even with a job that never ends.

    Args:
        lead: Waits for sockets once, and calls `submit` for each job that came. It returns False to
            end the crew. Only one thread at a time calls `lead`.
        do: Does a job. It must not raise.
        threads: The most jobs that may run at the same time.
        waiting: The most jobs that may wait in the queue.
    """

    def __init__(
        self, lead: Callable[[], bool], do: Callable[[Job], object], threads: int, waiting: int
    ) -> None:
        self._lock = threading.Lock()  # for the queue and the counts, and never held for long
        self._turn = threading.Lock()
        self._lead = lead
        self._do = do
        self._threads = threads
        self._most = threads + waiting
        # the jobs of each owner, in the order of the owners' turns
        self._queue: dict[Any, deque[Job]] = {}
        self._queued = 0
        self._owners: dict[Any, int] = {}  # how many jobs of each owner run
        self._running = 0
        self._started = 0

    def start(self) -> None:
        """Start the first thread, which leads.

        Raises:
            RuntimeError: The system can't start a thread.
        """
        if not self._start_one():
            raise RuntimeError(
                "can't start a thread: raise the system's limit on threads (ulimit -u) or on memory"
            )

    def submit(self, job: Job, owner: Any) -> bool:
        """Add a job of an owner to the queue and return True; return False if the queue is full."""
        with self._lock:
            if self._queued + self._running >= self._most:
                return False
            self._queue.setdefault(owner, deque()).append(job)
            self._queued += 1
            return True

    @property
    def waiting(self) -> int:
        """The number of jobs in the queue."""
        return self._queued

    def forget(self, job: Job, owner: Any) -> None:
        """Remove a job of an owner from the queue, if it is still there."""
        with self._lock:
            jobs = self._queue.get(owner)
            if jobs is not None and job in jobs:
                jobs.remove(job)
                self._queued -= 1
                if not jobs:
                    del self._queue[owner]

    def _start_one(self) -> bool:
        """Start a thread; return False if there are enough, or the system can't start another
        thread.
        """
        if self._started > self._threads:
            return False
        try:
            threading.Thread(
                target=self._work, name=f"call_{self._started + 1}", daemon=True
            ).start()
        except RuntimeError:  # the system's limit on threads
            return False
        self._started += 1
        return True

    def _work(self) -> None:
        while True:
            with self._turn:
                owner, job = self._lead_until_job()
            if job is None:
                return
            while job is not None:
                self._do(job)
                with self._lock:
                    self._end(owner)
                    owner, job = self._next()

    def _lead_until_job(self) -> tuple[Any, Job | None]:
        """Call `lead` until there is a job for this thread. Return its owner and the job; None when
        the crew ends.
        """
        while True:
            with self._lock:
                # Another thread must be free to lead, unless no second thread can be started.
                free = self._queue and self._running < self._threads
                if free and (
                    self._running + 1 < self._started or self._start_one() or self._started == 1
                ):
                    owner, job = self._next()
                    if job is not None:
                        return owner, job
            if not self._lead():
                return None, None

    def _next(self) -> tuple[Any, Job | None]:
        """Take the next job from the queue, and return its owner and the job; None if no job may
        begin now.
        """
        if self._running == self._threads:
            return None, None
        few = (
            self._running >= self._threads - self._threads // 4
            and len({*self._queue, *self._owners}) > 1
        )
        owner = next((one for one in self._queue if not few or one not in self._owners), None)
        if owner is None:
            return None, None
        jobs = self._queue.pop(owner)
        job = jobs.popleft()
        if jobs:
            self._queue[owner] = jobs  # behind the others
        self._queued -= 1
        self._running += 1
        self._owners[owner] = self._owners.get(owner, 0) + 1
        return owner, job

    def _end(self, owner: Any) -> None:
        """Count a job of an owner as done."""
        self._running -= 1
        self._owners[owner] -= 1
        if not self._owners[owner]:
            del self._owners[owner]

"""A bounded pool of threads, and a queue with a limit before it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

__all__ = ["Pool"]

Job = TypeVar("Job")


class Pool(Generic[Job]):
    """Does jobs in threads. All methods are called by one thread, which also hears of each end and says `done`.

    Threads begin when they are needed, and stay.

    Args:
        do: Does a job, in one of the threads. It must not raise.
        threads: How many jobs may run at the same time.
        waiting: How many more may wait.
    """

    def __init__(self, do: Callable[[Job], None], threads: int, waiting: int) -> None:
        self._do = do
        self._threads = threads
        self._most_waiting = waiting
        self._waiting: dict[Job, None] = {}  # the first comes next
        self._ready: SimpleQueue[Job] = SimpleQueue()
        self._running = 0
        self._started = 0

    @property
    def idle(self) -> bool:
        """Whether nothing runs or waits."""
        return not self._running

    def submit(self, job: Job) -> bool:
        """Do a job as soon as a thread is free; say whether it was taken, which it isn't when too many wait."""
        if self._running < self._threads:
            self._begin(job)
        elif len(self._waiting) < self._most_waiting:
            self._waiting[job] = None
        else:
            return False
        return True

    def forget(self, job: Job) -> bool:
        """Don't do a job; say whether it still waited."""
        return self._waiting.pop(job, self) is None

    def done(self) -> None:
        """Note that a job has ended, and begin the next one."""
        self._running -= 1
        if self._waiting:
            job = next(iter(self._waiting))
            del self._waiting[job]
            self._begin(job)

    def _begin(self, job: Job) -> None:
        self._running += 1
        if self._running > self._started:
            self._started += 1
            # Not waited for at the process's end: a call that doesn't end must not keep it.
            threading.Thread(target=self._work, name=f"call_{self._started}", daemon=True).start()
        self._ready.put(job)

    def _work(self) -> None:
        while True:
            self._do(self._ready.get())

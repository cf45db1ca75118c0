"""The threads of the h2 transport, which take turns."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

import pytest

from crossplane_lite.runtime.transports.crew import Crew

SECONDS = 60

Job = Callable[[], object]


class Crewed:
    """A crew whose leader takes jobs from a queue.

    Attributes:
        done: The outcomes of jobs, in the order of their ends.
    """

    def __init__(self, threads: int) -> None:
        self.done: queue.Queue[object] = queue.Queue()
        self._jobs: queue.Queue[Job | None] = queue.Queue()
        self._led = threading.Semaphore(0)
        self.crew: Crew[Job] = Crew(self._lead, lambda job: self.done.put(job()), threads, 10)
        self.crew.start()

    def give(self, job: Job | None) -> None:
        """Let the leader find a job, or the end."""
        self._jobs.put(job)

    def until_led(self) -> None:
        """Return when the leader has submitted a job."""
        assert self._led.acquire(timeout=SECONDS)

    def _lead(self) -> bool:
        job = self._jobs.get()
        if job is not None:
            assert self.crew.submit(job, self)
            self._led.release()
        return job is not None


@pytest.fixture
def crewed() -> Iterator[Crewed]:
    """A crew of up to four threads."""
    made = Crewed(4)
    yield made
    for _ in range(4):
        made.give(None)


def refuse(self: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_somebody_leads_while_others_work(crewed: Crewed) -> None:
    """While jobs run, another thread takes the next one, as far as there may be threads; the others wait."""
    go = threading.Event()
    for number in range(4):
        crewed.give(lambda number=number: go.wait(SECONDS) and number)  # type: ignore[misc]
        crewed.until_led()
    crewed.give(lambda: 4)
    crewed.until_led()
    assert crewed.crew.waiting == 1
    go.set()
    assert {crewed.done.get(timeout=SECONDS) for _ in range(5)} == {0, 1, 2, 3, 4}


def test_a_single_thread(crewed: Crewed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system gives no second thread, the first one does all jobs, one after the other."""
    monkeypatch.setattr(threading.Thread, "start", refuse)
    for number in range(3):
        crewed.give(lambda number=number: number)  # type: ignore[misc]
    assert [crewed.done.get(timeout=SECONDS) for _ in range(3)] == [0, 1, 2]


def test_no_further_thread(crewed: Crewed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system gives no further thread, somebody still leads, and jobs wait for those that there are."""
    go = threading.Event()
    inside = threading.Event()

    def first() -> int:
        inside.set()
        assert go.wait(SECONDS)
        return 0

    crewed.give(first)
    assert inside.wait(SECONDS)
    crewed.until_led()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    for number in (1, 2):
        crewed.give(lambda number=number: number)  # type: ignore[misc]
        crewed.until_led()
    go.set()
    assert [crewed.done.get(timeout=SECONDS) for _ in range(3)] == [0, 1, 2]


def test_not_even_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system gives no thread at all, whoever starts the crew hears of it."""
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start a thread"):
        Crewed(4)


def never(_: object) -> None:
    """Do nothing."""


def test_owners_take_turns() -> None:
    """A job of another owner waits for one job of each owner before it, and not for all of them."""
    crew: Crew[str] = Crew(lambda: False, never, 4, 10)
    for job, owner in zip(("a1", "a2", "a3", "b1", "gone"), "aaabb", strict=True):
        assert crew.submit(job, owner)
    crew.forget("gone", "b")
    assert crew.waiting == 4
    order = []
    for _ in range(4):
        owner, job = crew._next()
        order.append(job)
        crew._end(owner)
    assert order == ["a1", "b1", "a2", "a3"]


def test_a_thread_for_others() -> None:
    """An owner with many jobs has all threads while it is alone, and leaves a quarter of them to others if it isn't."""
    crew: Crew[str] = Crew(lambda: False, never, 8, 100)
    for number in range(20):
        assert crew.submit(f"a{number}", "a")
    assert [crew._next()[1] for _ in range(9)] == [*(f"a{number}" for number in range(8)), None]
    assert crew.submit("b0", "b")
    crew._end("a")
    assert crew._next() == ("b", "b0")
    crew._end("a")
    assert crew._next() == (None, None)
    crew._end("b")
    assert crew._next()[0] == "a"

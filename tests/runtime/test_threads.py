"""The threads that grpcio has its calls run in."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from crossplane_lite.runtime.transports.threads import Threads

SECONDS = 60


@pytest.fixture
def threads() -> Iterator[Threads]:
    """Return three threads at most."""
    made = Threads(3)
    yield made
    made.shutdown()


def test_what_comes_one_after_the_other_runs_in_one_thread(threads: Threads) -> None:
    """A thread that is free takes the next job, and no other one is started."""

    def call() -> int:
        threads.nearly_done()
        return threading.get_ident()

    assert len({threads.submit(call).result(SECONDS) for _ in range(50)}) == 1


def test_a_thread_is_free_once_it_says_so(threads: Threads) -> None:
    """The next job waits for a thread that has nearly done its last one, and not for a new thread."""
    said, go_on = threading.Event(), threading.Event()

    def call() -> int:
        threads.nearly_done()
        said.set()
        assert go_on.wait(SECONDS)
        return threading.get_ident()

    first = threads.submit(call)
    assert said.wait(SECONDS)
    second = threads.submit(threading.get_ident)
    assert not second.done()
    go_on.set()
    assert second.result(SECONDS) == first.result(SECONDS)


def test_the_last_one_that_was_free_comes_next(threads: Threads) -> None:
    """Of several free threads the one takes a job that has ended its last one latest."""
    gates = [threading.Event() for _ in range(3)]

    def call(gate: threading.Event) -> int:
        assert gate.wait(SECONDS)
        threads.nearly_done()
        return threading.get_ident()

    calls = [threads.submit(call, gate) for gate in gates]
    idents = []
    for at in (2, 0, 1):
        gates[at].set()
        idents.append(calls[at].result(SECONDS))
    assert len(set(idents)) == 3
    assert threads.submit(threading.get_ident).result(SECONDS) == idents[-1]


def test_more_jobs_than_threads_wait(threads: Threads) -> None:
    """There are never more threads than allowed; waiting jobs run in order, also in a thread that is nearly done."""
    gate = threading.Event()
    order: list[int] = []
    running: list[int] = []
    most: list[int] = []

    def call(number: int) -> None:
        running.append(number)
        most.append(len(running))
        if number < 3:
            assert gate.wait(SECONDS)
        order.append(number)
        running.remove(number)
        if number % 2:
            threads.nearly_done()

    calls = [threads.submit(call, number) for number in range(30)]
    assert not any(one.done() for one in calls)
    gate.set()
    for one in calls:
        one.result(SECONDS)
    assert sorted(order) == list(range(30))
    assert max(most) <= 3


def test_what_a_job_raises_is_its_futures(threads: Threads) -> None:
    """A job that raises, be it SystemExit, ends neither its thread nor the process."""

    def fail(error: BaseException) -> None:
        threads.nearly_done()
        raise error

    for error in (ValueError("no"), SystemExit(3)):
        with pytest.raises(type(error)):
            threads.submit(fail, error).result(SECONDS)
    assert threads.submit(str, 5).result(SECONDS) == "5"


def test_nothing_of_a_job_is_kept(threads: Threads) -> None:
    """A thread that is free holds neither the arguments nor the result of its last job."""

    class Request:
        pass

    request = Request()
    gone = weakref.ref(request)
    future = threads.submit(id, request)
    future.result(SECONDS)
    del request, future
    threads.submit(int).result(SECONDS)
    gc.collect()
    assert gone() is None


def test_the_end() -> None:
    """At the end the free threads end at once, and one with a job when it has done it."""
    before = set(threading.enumerate())
    made = Threads(2)
    gate = threading.Event()
    busy = made.submit(gate.wait, SECONDS)
    made.submit(int).result(SECONDS)
    ours = set(threading.enumerate()) - before
    assert len(ours) == 2
    made.shutdown()
    gate.set()
    assert busy.result(SECONDS)
    for thread in ours:
        thread.join(SECONDS)
        assert not thread.is_alive()


def test_no_more_threads_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system gives no further thread, those that there are do all of it; without any the caller hears."""
    made = Threads(4)
    gate = threading.Event()
    first = made.submit(gate.wait, SECONDS)

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        second = made.submit(int)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            Threads(4).submit(int)
    assert not second.done()
    gate.set()
    assert (first.result(SECONDS), second.result(SECONDS)) == (True, 0)
    made.shutdown()

"""What a worker and the server say to each other: requests whose caller has gone before they are read."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from crossplane_lite._call.tally import Tally
from crossplane_lite.runtime.calls import Calls
from crossplane_lite.runtime.transports import status
from crossplane_lite.runtime.transports.limits import Limits
from crossplane_lite.runtime.workers import frames, worker

SECONDS = 60


@pytest.fixture
def ran() -> list[bytes]:
    """The requests that the function has seen."""
    return []


@pytest.fixture
def calls(ran: list[bytes]) -> Calls:
    """A function that answers with the request."""

    def run(request: bytes) -> bytes:
        ran.append(request)
        return request

    return Calls(run, Limits())


def test_calls_one_after_the_other(calls: Calls) -> None:
    """Each request on a socket gets its own answer, and the worker's thread ends with the socket."""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=worker._run_calls, args=(theirs, calls))
    thread.start()
    with ours:
        for size in (0, 5, 3_000_000):
            outcome = frames.ask(ours, b"x" * size, time.monotonic() + SECONDS)
            assert outcome == (status.OK, Tally().counts, b"x" * size)
    thread.join(SECONDS)
    assert not thread.is_alive()


@pytest.mark.parametrize("size", [pytest.param(10, id="small"), pytest.param(5_000_000, id="large")])
def test_a_request_that_nobody_reads_in_time(calls: Calls, ran: list[bytes], size: int) -> None:
    """A request whose deadline is over before it is read isn't begun, be it sent whole or in part, and keeps nobody."""
    ours, theirs = socket.socketpair()
    with ours:
        with pytest.raises(TimeoutError):
            frames.ask(ours, b"x" * size, time.monotonic() + 0.05)
        thread = threading.Thread(target=worker._run_calls, args=(theirs, calls))
        thread.start()
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert ran == []

"""What a worker and the server say to each other: requests whose caller has gone before they are read."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import threading
import time

import pytest

from crossplane_lite._core.call.results import Tally
from crossplane_lite.errors import WireError
from crossplane_lite.runtime import log
from crossplane_lite.runtime.calls import Calls
from crossplane_lite.runtime.transports import status
from crossplane_lite.runtime.transports.budget import Limits
from crossplane_lite.runtime.workers import frames, worker
from tests.runtime.serving import ROOT

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
            outcome = frames.ask(ours, 1, b"x" * size, time.monotonic() + SECONDS)
            assert outcome == (frames.CALL, 1, status.OK, Tally().counts, b"x" * size)
    thread.join(SECONDS)
    assert not thread.is_alive()


@pytest.mark.parametrize("size", [pytest.param(10, id="small"), pytest.param(5_000_000, id="large")])
def test_a_request_that_nobody_reads_in_time(calls: Calls, ran: list[bytes], size: int) -> None:
    """A request whose deadline is over before it is read isn't begun, be it sent whole or in part, and keeps nobody."""
    ours, theirs = socket.socketpair()
    with ours:
        with pytest.raises(TimeoutError):
            frames.ask(ours, 1, b"x" * size, time.monotonic() + 0.05)
        thread = threading.Thread(target=worker._run_calls, args=(theirs, calls))
        thread.start()
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert ran == []


def test_a_call_that_is_refused() -> None:
    """A status instead of an answer goes to the server with its text, and the next call is answered."""

    def run(request: bytes) -> bytes:
        if request == b"odd":
            raise WireError("it is odd")
        return request

    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=worker._run_calls, args=(theirs, Calls(run, Limits())))
    thread.start()
    with ours:
        outcome = frames.ask(ours, 1, b"odd", time.monotonic() + SECONDS)
        assert (outcome.value, outcome.content) == (status.INVALID_ARGUMENT, b"it is odd")
        assert frames.ask(ours, 1, b"even", time.monotonic() + SECONDS).content == b"even"
    thread.join(SECONDS)
    assert not thread.is_alive()


def test_a_worker_looks_at_its_calls(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The stack of a call that goes on is logged while nothing else comes; a look that fails ends nothing."""
    monkeypatch.setattr(log, "_subject", dict)
    monkeypatch.setattr(worker, "_LOOK_SECONDS", 0.01)
    go, logged = threading.Event(), threading.Event()
    look, failed = Calls.look, threading.Event()

    def looking(self: Calls) -> None:
        look(self)
        if any("still runs after the call's deadline" in record.message for record in caplog.records):
            logged.set()
        if not failed.is_set():
            failed.set()
            raise RuntimeError("a look that fails")

    def waiting(request: bytes) -> bytes:
        go.wait(SECONDS)
        return request

    monkeypatch.setattr(Calls, "look", looking)
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=worker.work, args=(theirs, waiting, Limits()))
    with caplog.at_level(logging.ERROR):
        thread.start()
        sock, end = socket.socketpair()
        frames.send(ours, frames.Message(frames.CALL, 1), end.fileno())
        end.close()
        with sock, pytest.raises(TimeoutError):
            frames.ask(sock, 1, b"a", time.monotonic() + 0.1)
        assert logged.wait(SECONDS)
        go.set()
        ours.close()
        thread.join(SECONDS)
    assert not thread.is_alive()
    texts = [record.getMessage() for record in caplog.records]
    assert sorted(texts) == [
        "the check of running calls has failed; it runs again in a second",
        "the function still runs after the call's deadline; the stack shows where",
    ]
    (stack,) = (vars(record)["stack"] for record in caplog.records if hasattr(record, "stack"))
    assert "go.wait(SECONDS)" in stack
    theirs.close()


def test_a_worker_that_fails() -> None:
    """What ends a worker is logged, and its exit status isn't 0."""
    program = (
        "from crossplane_lite.runtime import log\n"
        "from crossplane_lite.runtime.transports.budget import Limits\n"
        "from crossplane_lite.runtime.workers import worker\n"
        "log.configure()\n"
        "worker.run_and_exit(None, bytes, Limits())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 1
    assert [json.loads(line)["msg"] for line in done.stderr.splitlines()] == ["a worker has failed"]

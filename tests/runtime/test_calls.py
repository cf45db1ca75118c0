"""Calls that go on after their deadline: answered in time, logged with their stack, counted, and told to Kubernetes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from crossplane_lite._core.call import event_loop
from crossplane_lite.errors import WireError
from crossplane_lite.runtime.calls import Calls
from crossplane_lite.runtime.transports import status
from crossplane_lite.runtime.transports.budget import Limits
from crossplane_lite.runtime.transports.status import Refused
from tests.runtime.health import health_of, until_health_is
from tests.runtime.serving import PREFIX, Serving, channel, code_of, in_process, raw_call, serving
from tests.support import Response, request

LATE = "the function still runs after the call's deadline; the stack shows where"
XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "photos", "namespace": "team"}}


def asking(**spec: Any) -> bytes:
    """Return a request with that spec."""
    return request(xr={**XR, "spec": {"location": "EU", **spec}}, tag="a tag")


def status_of(opened: grpc.Channel, data: bytes, timeout: float) -> str:
    """Return with which status a call is answered."""
    try:
        raw_call(opened, data, timeout=timeout)
    except grpc.RpcError as e:
        return code_of(e)
    return "OK"


@contextlib.contextmanager
def limited(limits: str, transport: str) -> Iterator[Serving]:
    """Serve a function that hangs, with limits that no flag sets."""
    program = (
        "import sys\n"
        "from crossplane_lite.runtime import log, server\n"
        "from crossplane_lite.runtime.transports.budget import Limits\n"
        "from tests.runtime.functions import hanging\n"
        "log.configure()\n"
        f"served = server.Server(hanging.run, limits=Limits({limits}), transport=sys.argv[1])\n"
        "served.listen('127.0.0.1:0')\n"
        "served.listen_for_health('127.0.0.1:0')\n"
        "served.serve()\n"
    )
    server = Serving([sys.executable, "-c", program, transport])
    try:
        yield server
    finally:
        server.stop(signal.SIGKILL)


def late(server: Serving) -> list[dict[str, Any]]:
    """Return the log lines about calls after their deadline."""
    return [record for record in server.records if record["msg"] == LATE]


@pytest.mark.slow
def test_a_call_that_hangs(transport: str) -> None:
    """It is answered DEADLINE_EXCEEDED in time, and logged once, with its stack, its tag and its composite."""
    function = "tests.runtime.functions:hanging"
    with serving(function, "--insecure", "--transport", transport, "--health-address", "127.0.0.1:0") as server:
        with channel(server.address) as opened:
            start = time.monotonic()
            assert status_of(opened, asking(hang=True), 1) == "DEADLINE_EXCEEDED"
            assert time.monotonic() - start < 30
            record = server.record(LATE)
            assert "bucket" in Response(raw_call(opened, asking())).resources  # the others go on
        assert health_of(server) == "SERVING"  # one of 32 threads
        time.sleep(2.1)  # the server looks each second, and says it only once
        server.stop(9)
    assert (record["tag"], record["composite"], record["level"]) == ("a tag", "team/photos", "error")
    # The frames of the transport and of the package are left out.
    assert re.match(r'  File ".*functions\.py", line \d+, in hanging\n    _sleep_on\(\)\n', record["stack"])
    assert len(late(server)) == 1


@pytest.mark.slow
def test_too_many_that_hang(transport: str) -> None:
    """Where half of the threads hang, the health check says NOT_SERVING, on its own port and on the main one."""
    with limited("threads=4, stuck_seconds=0.1", transport) as server:
        with channel(server.address) as opened:
            assert status_of(opened, asking(hang=True), 0.5) == "DEADLINE_EXCEEDED"
            server.record(LATE)
            assert health_of(server) == "SERVING"
            for _ in range(3):
                assert status_of(opened, asking(hang=True), 0.5) == "DEADLINE_EXCEEDED"
            until_health_is("NOT_SERVING", server)
            assert health_of(server, server.address) == "NOT_SERVING"
            # All threads are taken: the caller is answered in time nevertheless.
            assert status_of(opened, asking(), 0.5) == "DEADLINE_EXCEEDED"
        server.stop(9)
    assert len(late(server)) == 4
    assert any(record["msg"].startswith("not healthy: ") for record in server.records)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stubborn", "blocking"])
def test_async_code_that_does_not_stop(name: str, transport: str) -> None:
    """An `async def` that swallows its cancellation, or blocks the loop, gives its thread back, and others go on."""
    flags = ("--insecure", "--transport", transport, "--threads", "1")
    with serving(f"tests.runtime.functions:{name}", *flags) as server:
        with channel(server.address) as opened:
            assert status_of(opened, asking(hang=True), 0.5) == "DEADLINE_EXCEEDED"
            assert "bucket" in Response(raw_call(opened, asking())).resources
        server.stop(9)
    (record,) = late(server)
    line = "await asyncio.sleep(3600)" if name == "stubborn" else "_sleep_on()"
    assert f"in {name}\n" in record["stack"]
    assert line in record["stack"]


@pytest.mark.slow
def test_a_caller_without_a_deadline(transport: str) -> None:
    """A call whose caller says nothing ends after the time of the limits; grpcio can only cancel it."""
    with limited("call_seconds=0.5", transport) as server:
        with channel(server.address) as opened:
            pending = opened.unary_unary("/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction").future(
                asking(hang=True)
            )
            error: Any = pending.exception(timeout=60)
            assert error.code().name == ("DEADLINE_EXCEEDED" if transport == "h2" else "CANCELLED")
            server.record(LATE)
        server.stop(9)


END = """
import sys
from crossplane_lite.runtime import log, server
from tests.runtime.functions import hanging
log.configure()
served = server.Server(hanging.run, transport=sys.argv[1])
served.listen("127.0.0.1:0")
served.serve(grace=1)
"""


@pytest.mark.slow
def test_end_with_code_that_hangs(transport: str) -> None:
    """A call that hangs doesn't keep the process beyond the time that is left for calls to end."""
    server = Serving([sys.executable, "-c", END, transport])
    with channel(server.address) as opened:
        assert status_of(opened, asking(hang=True), 0.2) == "DEADLINE_EXCEEDED"
        assert server.stop() == 1
    assert any("calls still run 1 seconds after the signal to stop" in record["msg"] for record in server.records)


def test_what_counts_as_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is late once, and stuck after `stuck_seconds`; when it ends it is neither."""
    inside, leave = threading.Event(), threading.Event()

    def run(_: bytes) -> bytes:
        inside.set()
        leave.wait(60)
        return b""

    calls = Calls(run, Limits(threads=2, stuck_seconds=0))
    now = time.monotonic()
    thread = threading.Thread(target=calls.handle, args=(b"", now + 60))
    thread.start()
    assert inside.wait(60)
    calls.look()
    assert (calls.running, calls.late, calls.stuck, calls.healthy) == (1, 0, 0, True)
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    for _ in range(2):
        calls.look()
        assert (calls.running, calls.late, calls.stuck, calls.healthy) == (1, 1, 1, False)
    leave.set()
    thread.join(60)
    calls.look()
    assert (calls.running, calls.late, calls.stuck, calls.healthy) == (0, 1, 0, True)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("timeout", [None, 1e6])
def test_no_deadline_of_its_own(transport: str, timeout: float | None) -> None:
    """A caller without a deadline, or with one that is far away, is answered when the server's own is over."""
    leave = threading.Event()

    def run(_: bytes) -> bytes:
        leave.wait(60)
        return b""

    limits = Limits(call_seconds=0.5, longest_call=0.5)
    with in_process(run, transport, limits=limits) as (_, address), channel(address) as opened:
        with pytest.raises(grpc.RpcError) as caught:
            opened.unary_unary(PREFIX + "RunFunction")(b"", timeout=timeout, wait_for_ready=True)
        leave.set()
    assert code_of(caught.value) == "DEADLINE_EXCEEDED"


@pytest.mark.slow
def test_the_next_call_of_the_thread_of_a_late_one() -> None:
    """A late `async def` is cancelled, and never the call that its thread has taken up while that was logged."""
    events: dict[bytes, tuple[threading.Event, asyncio.Event]] = {
        data: (threading.Event(), asyncio.Event()) for data in (b"late", b"next")
    }

    async def compose(data: bytes) -> bytes:
        inside, leave = events[data]
        inside.set()
        await leave.wait()
        return data

    calls = Calls(lambda data: event_loop.run(compose(data)), Limits())
    begun = time.monotonic()
    answers: list[bytes] = []

    def serve() -> None:
        answers.extend(calls.handle(data, begun + each) for data, each in ((b"late", 1), (b"next", 60)))

    def end(data: bytes) -> None:
        asyncio.run_coroutine_threadsafe(_set(events[data][1]), event_loop._shared._running()[0]).result(60)

    class Slow(logging.Handler):
        """Ends the late call while its line is written, and lets its thread begin the next one."""

        def emit(self, record: logging.LogRecord) -> None:
            if record.getMessage() == LATE:
                end(b"late")
                assert events[b"next"][0].wait(60)

    handler, log = Slow(), logging.getLogger("crossplane_lite")
    log.addHandler(handler)
    try:
        thread = threading.Thread(target=serve)
        thread.start()
        assert events[b"late"][0].wait(60)
        time.sleep(max(0.0, begun + 1 - time.monotonic()))
        calls.look()
        end(b"next")
        thread.join(60)
    finally:
        log.removeHandler(handler)
    assert answers == [b"late", b"next"]


async def _set(event: asyncio.Event) -> None:
    event.set()


@pytest.mark.parametrize(("error", "code"), [(WireError("no"), status.INVALID_ARGUMENT), (OSError(), status.INTERNAL)])
def test_outcomes(error: Exception, code: int) -> None:
    """What a function raises becomes a status, and the call isn't running any more."""

    def run(_: bytes) -> bytes:
        raise error

    calls = Calls(run, Limits())
    with pytest.raises(Refused) as caught:
        calls.handle(b"", time.monotonic() + 1)
    assert caught.value.code == code
    assert calls.running == 0


def test_malformed_requests_are_logged_seldom(caplog: pytest.LogCaptureFixture) -> None:
    """A client that sends nothing but malformed requests doesn't fill the log."""

    def run(_: bytes) -> bytes:
        raise WireError("no")

    calls = Calls(run, Limits())
    for _ in range(3):
        with pytest.raises(Refused):
            calls.handle(b"", 0.0)
    assert [record.getMessage() for record in caplog.records] == ["malformed request: no"]

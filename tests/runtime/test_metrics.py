"""What Prometheus sees of a server."""

from __future__ import annotations

import socket
import socketserver
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from crossplane_lite.errors import InputError, MissingExtraError, UsageError
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from crossplane_lite.runtime import metrics
from crossplane_lite.runtime.server import Server
from tests.behaviour.samples import bucket
from tests.runtime.certificates import Authority, write
from tests.runtime.scraping import scraped
from tests.runtime.serving import Serving, channel, raw_call, serving
from tests.support import request

XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "photos"}}
OWNED = {"f:spec": {"f:forProvider": {"f:a": {}}}}
FLAGS = ("--insecure", "--metrics-address", "127.0.0.1:0")


@pytest.fixture(autouse=True)
def _servers_end_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of HTTP in this process looks more often than twice a second whether it shall end."""
    serve_forever = socketserver.BaseServer.serve_forever
    monkeypatch.setattr(socketserver.BaseServer, "serve_forever", lambda server: serve_forever(server, 0.01))


def until_counted(server: Serving, calls: int) -> dict[str, float]:
    """Return what a server says when it has counted so many calls."""
    until = time.monotonic() + 60
    while (found := scraped(server))["crossplane_lite_call_seconds_count"] < calls:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert found["crossplane_lite_call_seconds_count"] == calls
    return found


def asking(**spec: Any) -> bytes:
    """Return a request with that spec."""
    return request(xr={**XR, "spec": spec})


@pytest.mark.slow
def test_counts(transport: str) -> None:
    """Calls by code, their time, results, resources and rehearsals are counted."""
    with serving("tests.runtime.functions:counted", *FLAGS, "--transport", transport) as server:
        with channel(server.address) as opened:
            for _ in range(3):
                raw_call(opened, asking(location="EU"))
            with pytest.raises(grpc.RpcError):
                raw_call(opened, b"\xff")
            with pytest.raises(grpc.RpcError):
                raw_call(opened, asking(location="EU", hang=True), timeout=0.5)
        # The caller has its status before the server has counted it.
        found = until_counted(server, 4)
        assert found["crossplane_lite_calls_total OK"] == 3
        assert found["crossplane_lite_calls_total INVALID_ARGUMENT"] == 1
        assert found["crossplane_lite_results_total warning"] == 3
        assert found["crossplane_lite_resources_total emitted"] == 6
        assert found["crossplane_lite_resources_total held back"] == 3
        assert found["crossplane_lite_rehearsals_total"] >= 3
        assert found["crossplane_lite_calls_waiting"] == 0
        assert found["crossplane_lite_healthy"] == 1
        assert found["crossplane_lite_threads"] == 32
        assert found["process_resident_memory_bytes"] > 0
        assert found["crossplane_lite_calls_in_flight"] == 1  # the one that hangs
        server.line(lambda line: "still runs after" in line)
        found = scraped(server)
        assert found["crossplane_lite_calls_late_total"] == 1
        server.stop(9)


@pytest.mark.parametrize(("seconds", "counted"), [(5, 1), (0, 0)])
def test_results_of_answers(seconds: float, counted: int) -> None:
    """Results count if the caller gets the answer; one that is thrown away after the deadline has none."""
    answer = fnv1.RunFunctionResponse(results=[fnv1.Result(severity=fnv1.SEVERITY_FATAL, message="no")])

    one = metrics.Metrics(lambda: iter(()))
    one.counted(lambda data, until: answer.SerializeToString())(b"", time.monotonic() + seconds)
    found = one._registry.get_sample_value("crossplane_lite_results_total", {"severity": "fatal"})
    assert (found or 0) == counted


@pytest.mark.slow
def test_a_cancelled_call(transport: str) -> None:
    """An `async def` that is cancelled after its deadline is one line of the log, and no Fatal result."""
    with serving("tests.runtime.functions:sleeping", *FLAGS, "--transport", transport) as server:
        with channel(server.address) as opened, pytest.raises(grpc.RpcError):
            raw_call(opened, asking(location="EU"), timeout=0.5)
        found = until_counted(server, 1)
        assert found["crossplane_lite_calls_total DEADLINE_EXCEEDED"] == 1
        assert found["crossplane_lite_calls_late_total"] == 1
        assert "crossplane_lite_results_total fatal" not in found
    (said,) = [record["msg"] for record in server.records if record["level"] == "error"]
    assert said == "the function still runs after the call's deadline; the stack shows where"


@pytest.mark.slow
def test_kept_resources() -> None:
    """An existing resource that a call doesn't register, because it doesn't know enough, is counted as kept."""
    observed = {"bucket": bucket({"a": "b"}, ours="tests.runtime.functions.keeping", owned=OWNED)}
    with serving("tests.runtime.functions:keeping", *FLAGS) as server:
        with channel(server.address) as opened:
            raw_call(opened, request(xr=XR, observed=observed))
        assert scraped(server)["crossplane_lite_resources_total kept"] == 1


@pytest.mark.slow
def test_expiry_of_the_certificate(tmp_path: Path) -> None:
    """The time when the certificate expires is among them, for alerts."""
    authority = Authority()
    directory = write(tmp_path / "certs", authority.issue("server"), authority)
    flags = ("--tls-certs-dir", str(directory), "--metrics-address", "127.0.0.1:0")
    with serving("tests.runtime.functions:echo", *flags) as server:
        assert scraped(server)["crossplane_lite_certificate_expiry_seconds"] > 1_700_000_000


@pytest.mark.slow
def test_failed_handshakes(tmp_path: Path) -> None:
    """Handshakes that fail are counted with h2; grpcio doesn't say how many there are."""
    authority = Authority()
    directory = write(tmp_path / "certs", authority.issue("server"), authority)
    flags = ("--tls-certs-dir", str(directory), "--metrics-address", "127.0.0.1:0", "--transport")
    with serving("tests.runtime.functions:echo", *flags, "h2") as server:
        assert scraped(server)["crossplane_lite_handshakes_failed_total"] == 0
        host, _, port = server.address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=60) as opened:
            opened.sendall(b"GET / HTTP/1.1\r\n\r\n")
            server.line(lambda line: "failed: the client sent plain text" in line)
        assert scraped(server)["crossplane_lite_handshakes_failed_total"] == 1
    with serving("tests.runtime.functions:echo", *flags, "grpcio") as server:
        assert "crossplane_lite_handshakes_failed_total" not in scraped(server)


def test_addresses() -> None:
    """An address that can't be used is an error that says why."""
    server = Server(lambda data: data, metrics=True)
    with pytest.raises(InputError, match="is a Unix socket; give HOST:PORT"):
        server.listen_for_metrics("unix:/run/metrics")
    bound = server.listen_for_metrics("127.0.0.1:0")
    with pytest.raises(InputError, match="another process, or another address of this server, has the port"):
        Server(lambda data: data, metrics=True).listen_for_metrics(bound)
    server.stop(0)
    with pytest.raises(UsageError, match="metrics=True"):
        Server(lambda data: data).listen_for_metrics("127.0.0.1:0")


@contextmanager
def listening(address: str = "127.0.0.1:0") -> Iterator[tuple[str, int]]:
    """Serve metrics in this process until the end of the block; return their host and port."""
    server = Server(lambda data: data, metrics=True)
    host, _, port = server.listen_for_metrics(address).rpartition(":")
    try:
        yield host, int(port)
    finally:
        server.stop(0)


def asked(address: tuple[str, int], text: bytes = b"GET /metrics HTTP/1.1\r\n\r\n") -> bytes:
    """Send a request of HTTP, and return all that comes until the server closes the connection."""
    with socket.create_connection(address, timeout=60) as opened, opened.makefile("rb") as answer:
        opened.sendall(text)
        return answer.read()


@pytest.mark.slow
def test_connections_that_say_nothing() -> None:
    """However many clients connect and send nothing, they have sixteen threads at most, and a scrape is answered."""
    before = threading.active_count()
    with listening() as address, ExitStack() as opened:
        silent = [opened.enter_context(socket.create_connection(address, timeout=60)) for _ in range(250)]
        assert b"crossplane_lite_healthy 1.0" in asked(address)
        assert threading.active_count() <= before + 17  # and the one that accepts connections
        assert [one.recv(1) for one in silent[:200]] == [b""] * 200


@pytest.mark.slow
def test_a_connection_that_goes_silent(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """A connection whose client sends no whole request is closed after a while, without a word."""
    monkeypatch.setattr(metrics, "_SILENT_SECONDS", 0.1)
    with listening() as address:
        assert asked(address, b"GET /met") == b""
        assert b"crossplane_lite_healthy 1.0" in asked(address)
    assert capfd.readouterr() == ("", "")


def test_metrics_that_fail(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A fault of the server while it answers is in the log, and the next scrape is answered."""
    with listening() as address:
        with monkeypatch.context() as broken:
            broken.setattr(Server, "healthy", property(lambda server: 1 / 0))
            assert asked(address) == b""
        assert b"crossplane_lite_healthy 1.0" in asked(address)
    (record,) = caplog.records
    assert record.getMessage() == "a request for metrics couldn't be answered"
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


def test_every_address_of_the_machine() -> None:
    """A port without a host is served to IPv6 as well as to IPv4, as the port for calls is."""
    with listening(":0") as (_, port):
        assert b"crossplane_lite_healthy 1.0" in asked(("127.0.0.1", port))
        with socket.socket(socket.AF_INET6) as probe:
            try:
                probe.bind(("::1", 0))
            except OSError:
                pytest.skip("this machine has no IPv6")
        assert b"crossplane_lite_healthy 1.0" in asked(("::1", port))


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where prometheus-client isn't installed, the error names the extra."""
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    monkeypatch.delitem(sys.modules, "crossplane_lite.runtime.metrics", raising=False)
    with pytest.raises(MissingExtraError, match=r"crossplane-lite\[metrics\]"):
        Server(lambda data: data, metrics=True)

"""The server over gRPC, both transports, with the official SDK's generated stubs as the client."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1beta1 import run_function_pb2 as fnv1beta1

from crossplane_lite.errors import InputError
from crossplane_lite.runtime.server import Server
from tests.runtime.processes import children
from tests.runtime.serving import PREFIX, Serving, channel, in_process, raw_call, serving, stub, stub_v1beta1
from tests.support import Response, build, message_fields, request

XR = {"apiVersion": "example.org/v1alpha1", "kind": "XStorageBucket", "metadata": {"name": "photos"}}


def xr(**spec: Any) -> dict[str, Any]:
    """Return a composite with that spec."""
    return {**XR, "spec": spec}


def location(response: bytes | fnv1.RunFunctionResponse) -> Any:
    """Return where the bucket of a response is to be."""
    data = response if isinstance(response, bytes) else response.SerializeToString()
    return Response(data).resources["bucket"]["spec"]["forProvider"]["location"]


@pytest.fixture(scope="module")
def echo(transport: str) -> Iterator[Serving]:
    """A server without transport security."""
    with serving("tests.runtime.functions:echo", "--insecure", "--transport", transport) as server:
        yield server


def test_v1(echo: Serving) -> None:
    """The v1 service answers the official client, and copies the tag."""
    with channel(echo.address) as opened:
        response = stub(opened).RunFunction(build(xr=xr(location="EU"), tag="a tag"))
    assert location(response) == "EU"
    assert response.meta.tag == "a tag"
    assert response.meta.ttl.seconds > 0


def test_v1beta1(echo: Serving) -> None:
    """The v1beta1 service gives the same answer as v1."""
    data = request(xr=xr(location="EU"))
    with channel(echo.address) as opened:
        beta = stub_v1beta1(opened).RunFunction(fnv1beta1.RunFunctionRequest.FromString(data))
        ga = stub(opened).RunFunction(fnv1.RunFunctionRequest.FromString(data))
    assert location(ga) == "EU"
    assert fnv1.RunFunctionResponse.FromString(beta.SerializeToString()) == ga


def test_request_just_below_the_limit(echo: Serving) -> None:
    """A request of 3.9 MB is answered under the default limit of 4 MB, everything passed through."""
    ballast = {f"thing-{number}": {"kind": "Thing", "spec": {"text": "x" * 38_000}} for number in range(102)}
    message = build(xr=xr(location="EU"), desired=ballast)
    assert 3_850_000 < message.ByteSize() < 4 << 20
    with channel(echo.address) as opened:
        response = stub(opened).RunFunction(message)
    assert location(response) == "EU"
    assert Response(response.SerializeToString()).resources.keys() == {"bucket", *ballast}
    for name in ballast:
        assert response.desired.resources[name] == message.desired.resources[name]


@pytest.mark.slow
@pytest.mark.sample(1)
def test_request_over_the_limit(echo: Serving) -> None:
    """A request over the limit is refused with RESOURCE_EXHAUSTED, and the server goes on."""
    message = build(xr=xr(location="x" * (4 << 20)))
    with channel(echo.address) as opened:
        client = stub(opened)
        with pytest.raises(grpc.RpcError) as caught:
            client.RunFunction(message)
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert location(client.RunFunction(build(xr=xr(location="EU")))) == "EU"


@pytest.mark.slow
@pytest.mark.sample(1)
def test_limits_from_flags(transport: str) -> None:
    """The largest request has a flag in megabytes, and answers have no limit."""
    flags = ("--insecure", "--transport", transport, "--max-recv-message-size", "8")
    message = build(xr=xr(location="EU"))
    message.input.update({"ballast": "x" * (5 << 20)})
    with serving("tests.runtime.functions:echo", *flags) as server, channel(server.address) as opened:
        client = stub(opened)
        assert location(client.RunFunction(message)) == "EU"
        assert location(client.RunFunction(build(xr=xr(location="x" * (6 << 20))))) == "x" * (6 << 20)


def test_deeply_nested_request(echo: Serving) -> None:
    """A resource nested 200 levels deep, which the official messages can't even parse, passes byte for byte."""
    deep = _nested(200)
    with pytest.raises(Exception, match="parsing"):
        fnv1.Resource.FromString(deep)
    desired = _field(3, _field(2, _field(1, b"deep") + _field(2, deep)))
    with channel(echo.address) as opened:
        response = raw_call(opened, request(xr=xr(location="EU")) + desired)
    (state,) = message_fields(response, 2)
    resources = {
        bytes(message_fields(entry, 1)[0]): bytes(message_fields(entry, 2)[0]) for entry in message_fields(state, 2)
    }
    assert resources[b"deep"] == deep
    assert b"bucket" in resources


@pytest.mark.slow
def test_64_concurrent_calls(echo: Serving) -> None:
    """64 calls at once, twice as many as threads by default, each get their own answer."""
    with channel(echo.address) as opened:
        client = stub(opened)
        pending = [client.RunFunction.future(build(xr=xr(location=f"region-{number}"))) for number in range(64)]
        answers = [location(call.result(timeout=60)) for call in pending]
    assert answers == [f"region-{number}" for number in range(64)]


@pytest.mark.slow
def test_threads_flag(transport: str) -> None:
    """With --threads 64, 64 calls that wait for each other are inside compose() at the same time."""
    flags = ("--insecure", "--threads", "64", "--transport", transport)
    with serving("tests.runtime.functions:meeting", *flags) as server:
        with channel(server.address) as opened:
            client = stub(opened)
            pending = [client.RunFunction.future(build(xr=XR)) for _ in range(64)]
            answers = [location(call.result(timeout=60)) for call in pending]
    assert answers == ["EU"] * 64


@pytest.mark.slow
def test_async_calls_share_what_a_module_keeps() -> None:
    """Calls of an `async def` function at the same time, and later ones, share a connection, a semaphore and a lock."""
    with serving("tests.runtime.sharing:sharing", "--insecure") as server, channel(server.address) as opened:
        client = stub(opened)
        for _ in range(2):
            pending = [client.RunFunction.future(build(xr=xr(location=f"region-{number}"))) for number in range(12)]
            answers = [location(call.result(timeout=60)) for call in pending]
            assert answers == [f"REGION-{number}" for number in range(12)]
        assert server.stop() == 0


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xff", id="a cut tag"),
        pytest.param(b"\x12\x7f", id="a length beyond the end"),
        pytest.param(b"\x0a\x03\x0a\x01\xff", id="a tag that is not UTF-8"),
        # observed.composite.resource: an entry "spec" whose value is one byte that starts nothing
        pytest.param(
            bytes.fromhex("1211 0a0f 0a0d 0a0b 0a04 73706563 1203 2a01ff"), id="what comes to light inside compose()"
        ),
    ],
)
def test_malformed_request(echo: Serving, data: bytes) -> None:
    """Bytes that are no request are INVALID_ARGUMENT with a text, also when only compose() comes across them."""
    with channel(echo.address) as opened, pytest.raises(grpc.RpcError) as caught:
        raw_call(opened, data)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.details()


@pytest.mark.parametrize("path", [PREFIX + "RunFunction", "/grpc.health.v1.Health/Check"])
def test_two_messages(echo: Serving, path: str) -> None:
    """A call with two messages is an error, and no answer to the first of them."""
    with channel(echo.address) as opened:
        call = opened.stream_unary(path)
        with pytest.raises(grpc.RpcError) as caught:
            call(iter([b"", b""]), timeout=60)
        assert call(iter([b""]), timeout=60)
    assert caught.value.code() == grpc.StatusCode.INTERNAL


def test_unknown_method(echo: Serving) -> None:
    """Other methods are UNIMPLEMENTED."""
    with channel(echo.address) as opened, pytest.raises(grpc.RpcError) as caught:
        opened.unary_unary(PREFIX + "Other")(b"", timeout=60)
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.slow
@pytest.mark.sample(1)
def test_exception_in_compose(transport: str) -> None:
    """An exception in compose() is a fatal result of a successful call, with its traceback in the log only."""
    with serving("tests.runtime.functions:failing", "--insecure", "--transport", transport) as server:
        with channel(server.address) as opened:
            response = stub(opened).RunFunction(build(xr=XR, tag="a tag"))
        assert server.stop() == 0
    (result,) = response.results
    assert result.severity == fnv1.SEVERITY_FATAL
    assert "LookupError" in result.message
    assert "no such bucket class" in result.message
    assert "Traceback" not in result.message
    (raised,) = [record for record in server.records if "no such bucket class" in record["msg"]]
    assert "Traceback" in raised["msg"]
    assert (raised["tag"], raised["composite"]) == ("a tag", "photos")


@pytest.mark.sample(1)
def test_secret_values_stay_out_of_the_log(transport: str) -> None:
    """A credential that compose() logs and raises is masked in every line."""
    message = build(xr=XR, credentials={"cloud": {"password": b"correct-horse-battery"}})
    with serving("tests.runtime.functions:logging_secrets", "--insecure", "--transport", transport) as server:
        with channel(server.address) as opened:
            response = stub(opened).RunFunction(message)
        server.stop()
    assert "correct-horse-battery" not in "".join(server.lines)
    assert "correct-horse-battery" not in response.results[0].message
    assert any(record["logger"] == "mine" for record in server.records)


@pytest.mark.slow
@pytest.mark.sample(1)
def test_a_long_log_is_read(transport: str) -> None:
    """A server that logs more than a pipe holds answers meanwhile: these tests take its log from it."""
    with serving("tests.runtime.functions:talking", "--insecure", "--transport", transport) as server:
        with channel(server.address) as opened:
            assert location(stub(opened).RunFunction(build(xr=XR), timeout=60)) == "EU"
        assert server.stop() == 0
    assert sum(len(line) for line in server.lines) > 200_000


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_drains_on_signal(tmp_path: Path, number: int, transport: str) -> None:
    """A call that runs when the signal comes is answered; new ones are refused; the process ends with 0."""
    _make_fifos(tmp_path)
    with serving("tests.runtime.functions:waiting", "--insecure", "--transport", transport) as server:
        with channel(server.address) as opened:
            client = stub(opened)
            pending = client.RunFunction.future(build(xr=xr(directory=str(tmp_path))))
            (tmp_path / "running").read_bytes()  # returns when compose() runs
            server.process.send_signal(number)
            _until_refused(server.address)
            (tmp_path / "go").write_bytes(b"")
            assert location(pending.result(timeout=60)) == "EU"
        assert server.process.wait(timeout=60) == 0


@pytest.mark.slow
def test_second_signal_ends_at_once(tmp_path: Path, transport: str) -> None:
    """A second signal doesn't wait for the running call."""
    _make_fifos(tmp_path)
    with serving("tests.runtime.functions:waiting", "--insecure", "--transport", transport) as server:
        with channel(server.address) as opened:
            pending = stub(opened).RunFunction.future(build(xr=xr(directory=str(tmp_path))))
            (tmp_path / "running").read_bytes()
            server.process.send_signal(signal.SIGTERM)
            _until_refused(server.address)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(timeout=60) == 128 + signal.SIGTERM
            assert pending.exception(timeout=60) is not None


UNSHARE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")


def _can_unshare() -> bool:
    """Return whether this process may start the first process of a new PID namespace."""
    try:
        return subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not _can_unshare(), reason="unshare can't make a PID namespace here: it is missing or not allowed")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_second_signal_in_a_container(tmp_path: Path, number: int, transport: str) -> None:
    """A second signal also ends a server with the PID 1, for which the kernel ignores a signal without a handler."""
    _make_fifos(tmp_path)
    command = [*UNSHARE, sys.executable, "-m", "crossplane_lite", "serve", "tests.runtime.functions:waiting"]
    server = Serving([*command, "--address", "127.0.0.1:0", "--insecure", "--transport", transport])
    try:
        (process,) = children(server.process.pid)
        with channel(server.address) as opened:
            pending = stub(opened).RunFunction.future(build(xr=xr(directory=str(tmp_path))))
            (tmp_path / "running").read_bytes()
            os.kill(process, signal.SIGTERM)
            _until_refused(server.address)
            os.kill(process, number)
            assert server.process.wait(timeout=10) == 128 + number
            assert pending.exception(timeout=60) is not None
    finally:
        server.stop(signal.SIGKILL)


def test_stop_reports_a_call_that_goes_on(transport: str) -> None:
    """When the grace period ends before a call does, stop() says so and doesn't wait for it."""
    inside, leave = threading.Event(), threading.Event()

    def run(_: bytes) -> bytes:
        inside.set()
        leave.wait(60)
        return b""

    with in_process(run, transport) as (server, address), channel(address) as opened:
        pending = opened.unary_unary(PREFIX + "RunFunction").future(b"")
        assert inside.wait(60)
        assert not server.stop(0)
        leave.set()
        assert pending.exception(timeout=60) is not None
        assert server.stop(60)


def test_defect_is_internal(transport: str) -> None:
    """What a function raises that is no WireError is INTERNAL, and its text stays out of the answer."""

    def run(_: bytes) -> bytes:
        raise SystemExit("the password is sesame")

    with in_process(run, transport) as (_, address), channel(address) as opened, pytest.raises(grpc.RpcError) as caught:
        raw_call(opened, b"")
    assert caught.value.code() == grpc.StatusCode.INTERNAL
    assert "sesame" not in str(caught.value.details())


def test_wildcard_address_is_both_families(transport: str) -> None:
    """The default host answers on IPv4, and on IPv6 where the machine has it."""
    with in_process(lambda data: data, transport, "0.0.0.0:0") as (_, address):
        port = int(address.rpartition(":")[2])
        hosts = ["127.0.0.1"]
        if _has_ipv6():
            hosts.append("[::1]")
        for host in hosts:
            with channel(f"{host}:{port}") as opened:
                assert raw_call(opened, b"abc") == b"abc"


def test_unix_socket(tmp_path: Path, transport: str) -> None:
    """A Unix socket is an address as well."""
    address = f"unix:{tmp_path / 'socket'}"
    with in_process(lambda data: data, transport, address) as (_, bound), channel(address) as opened:
        assert bound == address
        assert raw_call(opened, b"abc") == b"abc"


@pytest.mark.parametrize("address", ["", "9443", "localhost", "localhost:", ":", ":port", "0.0.0.0:99999", "::1:9443"])
def test_address_that_is_none(address: str, transport: str) -> None:
    """What gRPC would read as another address than meant is refused."""
    with pytest.raises(InputError, match="not an address"):
        Server(lambda data: data, transport=transport).listen(address)


def test_address_as_in_go(transport: str) -> None:
    """An address without a host means all addresses of the machine, as in Go."""
    with in_process(lambda data: data, transport, ":0") as (_, address):
        host, _, port = address.rpartition(":")
        assert host == "0.0.0.0"
        with channel(f"127.0.0.1:{port}") as opened:
            assert raw_call(opened, b"abc") == b"abc"


def test_address_in_use(transport: str) -> None:
    """A port that another server has is refused instead of shared."""
    with in_process(lambda data: data, transport) as (_, address), pytest.raises(InputError, match="another process"):
        Server(lambda data: data, transport=transport).listen(address)


def _field(number: int, content: bytes) -> bytes:
    """Return a length-delimited field."""
    size = len(content)
    length = bytearray()
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    length.append(size)
    return bytes([number << 3 | 2]) + bytes(length) + content


def _nested(levels: int) -> bytes:
    """Return a Resource whose Struct is nested that deep."""
    value = b"\x11" + struct.pack("<d", 1.0)
    for _ in range(levels):
        value = _field(5, _field(1, _field(1, b"a") + _field(2, value)))
    return _field(1, _field(1, _field(1, b"a") + _field(2, value)))


def _make_fifos(directory: Path) -> None:
    os.mkfifo(directory / "running")
    os.mkfifo(directory / "go")


def _until_refused(address: str) -> None:
    """Return when nothing listens at the address any more."""
    host, _, port = address.rpartition(":")
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            socket.create_connection((host, int(port)), timeout=60).close()
        except ConnectionError:
            return
    raise AssertionError(f"after 20 seconds {address} still takes connections")


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True

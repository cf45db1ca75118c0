"""Peers that want the server to suffer: each costs little, and a good call is answered all the while."""

from __future__ import annotations

import os
import resource
import socket
import ssl
import struct
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import grpc
import h2.connection
import h2.errors
import h2.events
import h2.settings
import pytest

from crossplane_lite.runtime.tls import Certificates
from crossplane_lite.runtime.transports import status
from crossplane_lite.runtime.transports.budget import Budget, Limits, Shared
from crossplane_lite.runtime.transports.call import Call
from crossplane_lite.runtime.transports.connection import Connection
from tests.runtime.attackers import literal
from tests.runtime.certificates import Authority, write
from tests.runtime.http2 import HEADERS, PREFACE, frame, message, raw
from tests.runtime.serving import PREFIX, Serving, channel, code_of, in_process, raw_call
from tests.support import request

CALM = int(h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
SETTINGS = frame(4)
ACKNOWLEDGED = frame(4, 1)


def is_answered(address: str) -> bool:
    """Say whether a good call on a connection of its own is answered soon."""
    with channel(address) as opened:
        return raw_call(opened, b"good", timeout=10) == b"good"


def echo(request: bytes) -> bytes:
    return request


def connected(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def seconds_until_closed(sock: socket.socket) -> float:
    """Return how long the server leaves a connection open."""
    start = time.monotonic()
    try:
        while sock.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return time.monotonic() - start


def test_unfinished_streams(transport: str) -> None:
    """More calls than threads that never end their requests don't keep a good call waiting."""
    limits = Limits(request_seconds=60)
    with in_process(echo, transport, threads=4, limits=limits) as (_, address), raw(address) as client:
        for number in range(40):
            stream = client.open()
            if number % 2:
                client.data(stream, message(b"x" * 100)[:50])
        assert is_answered(address)
        assert not client.ended


@pytest.mark.slow
@pytest.mark.sample(1)
def test_requests_that_take_too_long(transport: str) -> None:
    """A call whose request isn't there in time is refused, and the connection goes on."""
    limits = Limits(request_seconds=0.3)
    with in_process(echo, transport, limits=limits) as (_, address), raw(address) as client:
        stream = client.open()
        client.data(stream, message(b"x" * 100)[:50])
        answer = client.answer(stream)
        if transport == "h2":
            assert answer.status == status.DEADLINE_EXCEEDED
        else:  # grpcio can end a call before its request only by cancelling it
            assert answer.status == grpc.StatusCode.CANCELLED.value[0]
        assert client.answer(client.call(b"next")).data == message(b"next")


def test_full_queue(transport: str) -> None:
    """A call that finds no thread and no place in the queue is refused with RESOURCE_EXHAUSTED."""
    inside, go = threading.Event(), threading.Event()

    def run(request: bytes) -> bytes:
        inside.set()
        assert go.wait(30)
        return request

    limits = Limits(waiting=2)
    with in_process(run, transport, threads=1, limits=limits) as (_, address), channel(address) as opened:
        method = opened.unary_unary(PREFIX + "RunFunction")
        pending = [method.future(b"%d" % number, wait_for_ready=True) for number in range(3)]
        assert inside.wait(30)
        with pytest.raises(grpc.RpcError) as caught:
            for _ in range(20):  # of the three some may still be on their way
                method(b"too many", timeout=0.5)
        assert code_of(caught.value) in ("RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED")
        while caught.value.code() != grpc.StatusCode.RESOURCE_EXHAUSTED:
            with pytest.raises(grpc.RpcError) as caught:
                method(b"too many", timeout=5)
        go.set()
        answers = []
        for call in pending:
            try:
                answers.append(call.result(timeout=30))
            except grpc.RpcError as e:
                assert e.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert b"0" in answers


FLOODS = {
    "pings": lambda number: frame(6, 0, 0, struct.pack(">Q", number)),
    "answers to pings": lambda number: frame(6, 1, 0, struct.pack(">Q", number)),
    "settings": lambda number: frame(4, 0, 0, struct.pack(">HI", 4, 65_535 - number % 2)),
    "empty settings": lambda _: frame(4),
    "priorities": lambda number: frame(2, 0, 2 * number + 1, struct.pack(">IB", 0, 1)),
    "windows": lambda _: frame(8, 0, 0, struct.pack(">I", 1)),
    "unknown frames": lambda _: frame(0xBE, 0, 0, b"?"),
    "empty data": lambda _: frame(0, 0, 1),
    "small data": lambda _: frame(0, 0, 1, b"\0"),
    "padding": lambda _: frame(0, 8, 1, b"\xff" + bytes(255)),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("kind", FLOODS)
def test_floods(kind: str) -> None:
    """A connection that sends more small frames than calls explain is closed, early and with the reason."""
    with in_process(echo, "h2") as (_, address), raw(address) as client:
        client.open()
        make = FLOODS[kind]
        for number in range(200):
            client.send(b"".join(make(100 * number + at) for at in range(100)))
            if client.ended:
                break
        goodbyes = client.until_closed()
        # The server may have closed before it was asked to read all; then the reason can be lost on the way.
        assert all(int.from_bytes(one[4:8], "big") == CALM for one in goodbyes)
        assert is_answered(address)


class Owner:
    """An owner of a connection that answers nothing.

    Attributes:
        calls: The calls whose requests have arrived.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def knows(self, path: str) -> bool:
        return True

    def ready(self, call: Call) -> None:
        self.calls.append(call)

    def dropped(self, call: Call) -> None:
        pass


def test_many_goodbyes() -> None:
    """GOAWAY frames that come together are read as others are, and end the connection with the reason."""
    connection = Connection(Limits(), Owner(), 0.0, Budget(Shared(1), 0.0))
    connection.receive(PREFACE + SETTINGS + frame(1, 4, 1, literal(HEADERS)), 0.0)
    connection.receive(2 * frame(7, 0, 0, bytes(8)), 0.0)
    assert not connection.closed
    connection.receive(4000 * frame(7, 0, 0, bytes(8)), 0.0)
    assert connection.closed
    assert b"too many frames that advance no call" in connection.output(0.0)


@pytest.mark.slow
def test_rapid_reset() -> None:
    """A connection that begins calls and resets them at once is closed, and few of them are begun."""
    begun = []

    def run(request: bytes) -> bytes:
        begun.append(request)
        return request

    with in_process(run, "h2") as (_, address), raw(address) as client:
        for _ in range(100):
            batch = b""
            for _ in range(100):
                stream = client.h2.get_next_available_stream_id()
                client.h2.send_headers(stream, HEADERS)
                client.h2.send_data(stream, message(b"bad"), end_stream=True)
                client.h2.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
                batch += client.h2.data_to_send()
            client.send(batch)
            if client.ended:
                break
        client.until_closed()
        assert is_answered(address)
    assert begun.count(b"bad") < 1000


@pytest.mark.parametrize(
    ("size", "code"),
    [(4000, CALM), (1, int(h2.errors.ErrorCodes.PROTOCOL_ERROR))],  # h2 itself counts the pieces
)
def test_continuations(size: int, code: int) -> None:
    """A header block in endless pieces, large or small, ends the connection before it takes much memory."""
    with in_process(echo, "h2") as (_, address), raw(address) as client:
        client.send(frame(1, 0, 1, b""))
        for _ in range(200):
            client.send(frame(9, 0, 1, bytes(size)))
            if client.ended:
                break
        goodbyes = client.until_closed()
        assert all(int.from_bytes(one[4:8], "big") == code for one in goodbyes)
        assert is_answered(address)


def test_large_headers() -> None:
    """Headers that are longer than the limit end the connection, also when a table makes few bytes of them."""
    with in_process(echo, "h2") as (_, address):
        with raw(address) as client:
            client.open([*HEADERS, *((b"x-%d" % number, b"y" * 1000) for number in range(20))])
            assert client.until_closed()
        with raw(address) as client:
            large = client.h2.encoder.encode([*HEADERS, (b"x-large", b"y" * 3000)])
            client.send(frame(1, 5, 1, large + b"\xbe" * 100))  # the entry a hundred times more
            assert client.until_closed()
        assert is_answered(address)


def test_large_tables() -> None:
    """A table of headers that is larger than the server's settings say ends the connection."""
    with in_process(echo, "h2") as (_, address), raw(address) as client:
        client.send(frame(1, 5, 1, b"\x3f\xe1\xff\xff\xff\x0f"))
        assert client.until_closed()
        assert is_answered(address)


@pytest.mark.slow
def test_tables_that_the_peer_offers(transport: str) -> None:
    """A peer that offers a huge table for the server's headers doesn't make the server fill it."""
    with in_process(echo, transport) as (_, address):
        with raw(address, {h2.settings.SettingCodes.HEADER_TABLE_SIZE: 2**31}) as client:
            client.h2.decoder.max_allowed_table_size = 2**31
            for _ in range(50):
                assert client.answer(client.call(b"x")).status == status.OK
            assert client.h2.decoder.header_table_size <= 65_536


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", id="HTTP 1"),
        pytest.param(os.urandom(2000), id="chance"),
        pytest.param(b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + bytes(150), id="TLS"),
        pytest.param(PREFACE + b"\xff" * 2000, id="ones after the preface"),
        pytest.param(PREFACE + SETTINGS + b"\x04\x00\x01\x00\x00\x00\x00\x00\x01", id="a frame above the limit"),
        pytest.param(PREFACE + SETTINGS + frame(0, 0, 1, b"x"), id="data of no stream"),
        pytest.param(PREFACE + SETTINGS + frame(1, 5, 2, b"\x82"), id="a stream of the server"),
        pytest.param(PREFACE + SETTINGS + frame(1, 5, 1, b"\x80"), id="a header that is none"),
    ],
)
def test_garbage(transport: str, data: bytes) -> None:
    """Bytes that are no HTTP/2 end the connection, and nothing else."""
    with in_process(echo, transport) as (_, address):
        with connected(address) as sock:
            sock.sendall(data)
            if transport == "h2":
                assert seconds_until_closed(sock) < 5
        assert is_answered(address)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(PREFACE[:10], id="half of the preface"),
        pytest.param(PREFACE, id="no settings"),
        pytest.param(PREFACE + SETTINGS[:5], id="half of the settings"),
    ],
)
def test_connections_that_never_begin(data: bytes) -> None:
    """A connection without its first frames is closed after the time for them."""
    with in_process(echo, "h2", limits=Limits(handshake_seconds=0.3)) as (_, address), connected(address) as sock:
        sock.sendall(data)
        assert 0.25 < seconds_until_closed(sock) < 5
        assert is_answered(address)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x00\x00", id="half of a head"),
        pytest.param(frame(1, 5, 1, b"\x82" * 20)[:15], id="half of a header frame"),
        pytest.param(frame(1, 0, 1, b"\x82"), id="half of a header block"),
        pytest.param(frame(4, 0, 0, bytes(6))[:12], id="half of the settings"),
    ],
)
def test_frames_that_take_too_long(data: bytes) -> None:
    """A frame or header block that isn't whole in time ends the connection, though its bytes come one by one."""
    with in_process(echo, "h2", limits=Limits(request_seconds=0.4)) as (_, address), raw(address) as client:
        client.send(data[:-1])
        start = time.monotonic()
        closer = threading.Thread(target=client.until_closed)
        closer.start()
        time.sleep(0.2)
        client.send(data[-1:])
        closer.join(20)
        assert 0.35 < time.monotonic() - start < 20
        assert is_answered(address)


@pytest.mark.slow
@pytest.mark.sample(1)
def test_handshakes_that_take_too_long(transport: str, tmp_path: Path) -> None:
    """A handshake of TLS that stops half way is cut off after its time; others go on meanwhile."""
    authority = Authority()
    certificates = Certificates(str(write(tmp_path / "certs", authority.issue("server"), authority)))
    client = authority.issue("client")
    limits = Limits(handshake_seconds=0.5)
    with in_process(echo, transport, limits=limits, certificates=certificates) as (_, address):
        with ExitStack() as stack:
            slow = [stack.enter_context(connected(address)) for _ in range(40)]
            hello = ssl.MemoryBIO()
            half = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost")
            with pytest.raises(ssl.SSLWantReadError):
                half.do_handshake()
            for number, sock in enumerate(slow):
                sock.sendall(hello.read(number) if number % 2 else b"\x16\x03\x01")
            credentials = grpc.ssl_channel_credentials(authority.certificate, client.key, client.certificate)
            with channel(address.replace("127.0.0.1", "localhost"), credentials) as opened:
                assert raw_call(opened, b"good", timeout=10) == b"good"
            assert all(seconds_until_closed(sock) < 10 for sock in slow)


@pytest.mark.slow
def test_windows_of_zero() -> None:
    """A peer that never lets its answers be sent has its calls reset, and its connection goes on."""
    limits = Limits(send_seconds=0.3)
    with in_process(echo, "h2", limits=limits) as (_, address):
        with raw(address, {h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
            streams = [client.call(b"x" * 1000) for _ in range(10)]
            answers = [client.answer(stream) for stream in streams]
            assert {answer.reset for answer in answers} == {int(h2.errors.ErrorCodes.CANCEL)}
            assert is_answered(address)
            assert not client.ended


@pytest.mark.slow
def test_peers_that_do_not_read() -> None:
    """A peer that reads nothing of large answers is closed after its time, and others are answered meanwhile."""
    limits = Limits(send_seconds=0.5)
    with in_process(echo, "h2", limits=limits) as (_, address):
        window = {h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 2**31 - 1}
        with raw(address, window) as client:
            client.h2.increment_flow_control_window(2**31 - 1 - 65_535)
            client.flush()
            data = message(bytes(4_000_000))
            for stream in range(1, 21, 2):
                client.send(frame(1, 4, stream, client.h2.encoder.encode(HEADERS)))
                for at in range(0, len(data), 16_384):
                    piece = data[at : at + 16_384]
                    client.send(frame(0, len(piece) < 16_384, stream, piece))
            assert is_answered(address)
            start = time.monotonic()
            while not client.ended and time.monotonic() - start < 20:
                client.send(frame(6, 0, 0, bytes(8)))
                time.sleep(0.05)
            assert client.ended


def test_memory_of_requests() -> None:
    """Where requests take too much memory, the one that is being received for longest goes; others are answered."""
    limits = Limits(memory=1_000_000)
    with in_process(echo, "h2", limits=limits) as (_, address), raw(address) as client:
        streams = []
        for _ in range(12):
            streams.append(client.open())
            client.data(streams[-1], message(bytes(200_000))[:100_000])
        assert is_answered(address)
        assert client.answer(streams[0]).status == status.RESOURCE_EXHAUSTED
        client.data(streams[-1], message(bytes(200_000))[100_000:], end=True)
        assert client.answer(streams[-1]).status == status.OK


def test_memory_of_answers() -> None:
    """If answers that a peer doesn't take need too much memory, some of its calls are refused; others are answered."""
    with in_process(echo, "h2", limits=Limits(memory=1_000_000)) as (_, address):
        with raw(address, {h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
            streams = [client.call(bytes(200_000)) for _ in range(12)]
            assert is_answered(address)
            ended = (h2.events.StreamEnded, h2.events.StreamReset)
            refused = client.until(lambda event: isinstance(event, ended))
            assert refused.stream_id in streams  # type: ignore[attr-defined]
            assert not client.ended


@pytest.mark.slow
def test_answers_that_are_taken_byte_by_byte() -> None:
    """A peer that takes an answer a byte at a time has no more time for it than one that takes nothing."""
    with in_process(echo, "h2", limits=Limits(send_seconds=0.5)) as (_, address):
        with raw(address, {h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0}) as client:
            stream = client.call(bytes(100_000))
            client.sock.settimeout(0.02)
            received = b""
            start = time.monotonic()
            while frame(3, 0, stream, struct.pack(">I", h2.errors.ErrorCodes.CANCEL)) not in received:
                assert time.monotonic() - start < 10
                client.send(frame(8, 0, stream, struct.pack(">I", 1)))
                with suppress(TimeoutError):
                    received += client.sock.recv(65_536)


@pytest.mark.slow
def test_deadlines_that_are_far_away() -> None:
    """A caller's deadline counts up to a limit, after which the call is answered."""
    go = threading.Event()

    def run(request: bytes) -> bytes:
        assert go.wait(30)
        return request

    with (
        in_process(run, "h2", limits=Limits(longest_call=0.3, call_seconds=0.1)) as (_, address),
        raw(address) as client,
    ):
        answer = client.answer(client.call(b"x", (b"grpc-timeout", b"99999999H")))
        go.set()
        assert answer.status == status.DEADLINE_EXCEEDED


def test_connections_with_unfinished_requests() -> None:
    """Connections that never send a whole request don't drive out an idle one that did, and don't keep others out."""
    with in_process(echo, "h2", limits=Limits(connections=10)) as (_, address), ExitStack() as stack:
        idle = stack.enter_context(raw(address))
        assert idle.answer(idle.call(b"x")).status == status.OK
        for _ in range(20):
            stack.enter_context(raw(address)).open()
        assert is_answered(address)
        assert idle.answer(idle.call(b"x")).status == status.OK


def test_turns() -> None:
    """Frames that don't fit into a turn wait for the next turn, and none is lost."""
    memory = Shared(1 << 20)
    budget = Budget(memory, 0.0)
    owner = Owner()
    ready = owner.calls
    connection = Connection(Limits(), owner, 0.0, budget)
    client = h2.connection.H2Connection()
    client.initiate_connection()
    for stream in range(1, 41, 2):
        client.send_headers(stream, HEADERS)
        client.send_data(stream, message(b"x"), end_stream=True)
    connection.receive(client.data_to_send(), 0.0, until=0.0)
    turns = 1
    while connection.behind:
        assert not connection.closed
        assert len(ready) < 20
        connection.receive(b"", 0.0, until=0.0)
        turns += 1
    assert len(ready) == 20
    assert turns >= 40  # a frame in each, because the turn is over at once


def test_newcomers_of_other_addresses() -> None:
    """A newcomer's time counts for the address that it comes from, and not for newcomers from elsewhere."""
    with in_process(echo, "h2") as (server, address), ExitStack() as stack:
        host, _, port = address.rpartition(":")
        for source in ("127.0.0.1", "127.0.0.2"):
            try:
                sock = socket.create_connection((host, int(port)), timeout=60, source_address=(source, 0))
            except OSError:
                pytest.skip(f"this machine has no address {source}")
            stack.enter_context(sock).recv(1)  # so the server has accepted it
        transport: Any = server._transport
        assert {"127.0.0.1", "127.0.0.2"} <= set(transport._shared._newcomers)


def test_code_that_closes_stdout(tmp_path: Path) -> None:
    """If code of the function closes stdout and stderr, log lines are still written, and get into no connection."""
    (tmp_path / "closing.py").write_text(CLOSING)
    command = [sys.executable, "-m", "crossplane_lite", "serve", "closing:compose", "--insecure"]
    server = Serving([*command, "--transport", "h2", "--address", "127.0.0.1:0"], cwd=tmp_path)
    for _ in range(4):
        with channel(server.address) as opened:
            raw_call(opened, b"", timeout=20)
    assert server.stop() == 0
    assert sum(record["msg"] == "closed" for record in server.records) == 4


CLOSING = """
import os
from crossplane_lite import composition

@composition.function
def compose(ctx):
    for number in (1, 2):
        try:
            os.close(number)
        except OSError:
            pass
    ctx.log.info("closed")
    os.write(1, b"written") if os.path.exists("/proc/self/fd/1") else None
"""


def test_more_connections_than_allowed() -> None:
    """Where there are too many connections, one goes that never had a call, and of these the oldest."""
    with in_process(echo, "h2", limits=Limits(connections=10)) as (_, address), ExitStack() as stack:
        busy = stack.enter_context(raw(address))
        assert busy.answer(busy.call(b"x")).status == status.OK
        idle = [stack.enter_context(connected(address)) for _ in range(9)]
        assert busy.answer(busy.call(b"x")).status == status.OK
        assert is_answered(address)
        assert seconds_until_closed(idle[0]) < 5
        assert busy.answer(busy.call(b"x")).status == status.OK


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("files", [40, 120])
def test_few_files(files: int) -> None:
    """A process that may open few files goes on answering when more connections come than it has files for."""
    serve = f"{sys.executable} -m crossplane_lite serve tests.runtime.functions:echo --insecure --transport h2"
    server = Serving(["sh", "-c", f"ulimit -n {files}; exec {serve} --address 127.0.0.1:0"])
    data = request(xr={"apiVersion": "a/v1", "kind": "K", "metadata": {"name": "x"}, "spec": {"location": "EU"}})
    with ExitStack() as stack:
        for _ in range(150):
            stack.enter_context(connected(server.address))
        with channel(server.address) as opened:
            assert b"EU" in raw_call(opened, data, timeout=20)
    assert server.stop() == 0
    assert "error" not in {record["level"] for record in server.records}


@pytest.mark.slow
def test_a_thousand_connections(transport: str) -> None:
    """With 1,000 connections, half of them without a word, a good call is answered and memory stays small."""
    from benchmarks.processes import resident_bytes

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4096:
        pytest.skip("this machine allows too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    try:
        with in_process(echo, transport, limits=Limits(connections=2000)) as (_, address), ExitStack() as stack:
            assert is_answered(address)
            before = resident_bytes(os.getpid())
            for number in range(1000):
                sock = stack.enter_context(connected(address))
                if number % 2:
                    sock.sendall(PREFACE + SETTINGS)
            assert is_answered(address)
            assert resident_bytes(os.getpid()) - before < 150_000_000
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

"""gRPC over HTTP/2 as the h2 transport speaks it, seen by a client that chooses every frame."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import h2.errors
import h2.events
import h2.settings
import pytest

from crossplane_lite.errors import InputError
from crossplane_lite.runtime import addresses
from crossplane_lite.runtime.server import Server
from crossplane_lite.runtime.tls import Certificates
from crossplane_lite.runtime.transports import peer, protocol, status
from crossplane_lite.runtime.transports.budget import Limits
from crossplane_lite.runtime.transports.call import Call
from tests.runtime.certificates import Authority, CrossplaneAuthority, write
from tests.runtime.http2 import HEADERS, PREFACE, Raw, frame, message, raw
from tests.runtime.serving import in_process

WINDOW = h2.settings.SettingCodes.INITIAL_WINDOW_SIZE


class Gate:
    """A function that waits inside of each call, and says which ones have begun."""

    def __init__(self) -> None:
        self.begun: list[bytes] = []
        self.inside = threading.Semaphore(0)
        self.go = threading.Event()

    def __call__(self, request: bytes) -> bytes:
        self.begun.append(request)
        self.inside.release()
        assert self.go.wait(30)
        return request


@pytest.fixture(scope="module")
def echo() -> Iterator[str]:
    """The address of a server that answers what it was asked."""
    with in_process(lambda data: data, "h2") as (_, address):
        yield address


@pytest.fixture
def client(echo: str) -> Iterator[Raw]:
    """A connection to that server."""
    with raw(echo) as opened:
        yield opened


def replaced(name: bytes, value: bytes | None) -> list[tuple[bytes, bytes]]:
    """Return the headers of a call with one of them set, or left out."""
    others = [pair for pair in HEADERS if pair[0] != name]
    return others if value is None else [*others, (name, value)]


def test_answer(client: Raw) -> None:
    """An answer has headers, one message and trailers with the status."""
    answer = client.answer(client.call(b"hello"))
    assert answer.headers == {b":status": b"200", b"content-type": b"application/grpc"}
    assert answer.data == message(b"hello")
    assert answer.trailers == {b"grpc-status": b"0"}
    assert answer.reset is None


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param(HEADERS, id="call"),
        pytest.param([(b":path", b"/grpc.health.v1.Health/Check"), *replaced(b":path", None)], id="health"),
        pytest.param(replaced(b"content-type", b"text/plain"), id="not gRPC"),
    ],
)
def test_a_reset_right_behind_the_request(client: Raw, headers: list[tuple[bytes, bytes]]) -> None:
    """A peer that gives up a request together with its last bytes keeps its connection and all other calls."""
    other = client.open()
    stream = client.open(headers)
    assert client.answer(client.call(b"first")).data == message(b"first")  # so all headers have been read
    client.h2.send_data(stream, message(b""), end_stream=True)
    client.h2.reset_stream(stream)
    client.flush()
    client.data(other, message(b"other"), end=True)
    assert client.answer(other).data == message(b"other")


def test_calls_that_fail_outside_of_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that fails before or after the function, without memory for example, costs no thread."""

    def take_message(*_: object) -> bytes:
        raise MemoryError

    with in_process(lambda data: data, "h2", threads=1) as (_, address), raw(address) as client:
        with monkeypatch.context() as patch:
            patch.setattr(Call, "take_message", take_message)
            for _ in range(3):
                assert client.answer(client.call(b"x")).status == status.INTERNAL
        assert client.answer(client.call(b"next")).data == message(b"next")


def test_answers_of_several_streams(client: Raw) -> None:
    """Calls whose messages come in pieces, in turns, each get their own answer."""
    texts = [os.urandom(3000) for _ in range(20)]
    streams = [client.open() for _ in texts]
    for at in range(0, 3005, 601):
        for stream, text in zip(streams, texts, strict=True):
            client.data(stream, message(text)[at : at + 601], end=at + 601 >= 3005)
    for stream, text in zip(streams, texts, strict=True):
        assert client.answer(stream).data == message(text)


@pytest.mark.parametrize("name", ["application/grpc", "application/grpc+proto", "application/grpc; charset=utf-8"])
def test_content_type(client: Raw, name: str) -> None:
    """Each spelling of gRPC's content type is answered."""
    stream = client.open([*replaced(b"content-type", name.encode())])
    client.data(stream, message(b"x"), end=True)
    assert client.answer(stream).status == status.OK


@pytest.mark.parametrize(
    ("headers", "http"),
    [
        pytest.param(replaced(b"content-type", b"text/plain"), b"415", id="another content type"),
        pytest.param(replaced(b"content-type", b"application/grpc-web"), b"415", id="grpc-web"),
        pytest.param(replaced(b"content-type", None), b"415", id="no content type"),
        pytest.param([(b":method", b"GET"), *HEADERS[1:]], b"405", id="another method"),
    ],
)
def test_what_is_not_grpc(client: Raw, headers: list[tuple[bytes, bytes]], http: bytes) -> None:
    """A request that isn't gRPC gets a status of HTTP and a text for people, and the connection goes on."""
    answer = client.answer(client.open(headers, end=True))
    assert (answer.headers[b":status"], answer.headers[b"content-type"]) == (http, b"text/plain")
    assert b"gRPC server" in answer.data
    assert b"grpc-status" not in {**answer.headers, **answer.trailers}
    assert client.answer(client.call(b"next")).data == message(b"next")


def test_what_is_not_grpc_is_answered_at_its_end(client: Raw) -> None:
    """A request that isn't gRPC is read to its end first, so that an error behind its headers is one of the peer."""
    stream = client.open(replaced(b"content-type", b"text/plain"))
    assert client.answer(client.call(b"first")).data == message(b"first")
    assert not [event for event in client.events if getattr(event, "stream_id", None) == stream]
    client.data(stream, b"some text", end=True)
    assert client.answer(stream).headers[b":status"] == b"415"


@pytest.mark.parametrize(
    ("headers", "data", "code", "text"),
    [
        pytest.param(replaced(b"te", None), b"", status.INTERNAL, "te: trailers is missing", id="no te"),
        pytest.param(
            [*HEADERS[:2], (b":path", b"/a/\xc3\xbc%20"), *HEADERS[3:]],
            b"",
            status.UNIMPLEMENTED,
            "there is no method /a/\u00fc%20",
            id="unknown method",
        ),
        pytest.param(
            [*HEADERS, (b"grpc-encoding", b"gzip")], b"", status.UNIMPLEMENTED, "the grpc-encoding gzip)", id="gzip"
        ),
        pytest.param(
            replaced(b"content-type", b"application/grpc+json"),
            message(b"{}"),
            status.UNIMPLEMENTED,
            "application/grpc+json",
            id="JSON",
        ),
        pytest.param([*HEADERS, (b"grpc-timeout", b"1x")], b"", status.INTERNAL, "grpc-timeout", id="no timeout"),
        pytest.param(
            HEADERS,
            b"",
            status.UNIMPLEMENTED,
            "the call has no request message; RunFunction takes exactly one",
            id="no message",
        ),
        pytest.param(HEADERS, message(b"abc")[:-1], status.INTERNAL, "cut off", id="message cut off"),
        pytest.param(HEADERS, b"\0\0", status.INTERNAL, "cut off", id="prefix cut off"),
        pytest.param(HEADERS, message(b"a") + message(b"b"), status.INTERNAL, "more than one", id="two messages"),
        pytest.param(HEADERS, b"\x02" + message(b"a")[1:], status.INTERNAL, "must be 0 (got 2)", id="odd first byte"),
        pytest.param(HEADERS, message(b"a", True), status.INTERNAL, "must be 0 (got 1)", id="compressed"),
        pytest.param(
            HEADERS, b"\0\xff\xff\xff\xff", status.RESOURCE_EXHAUSTED, "function's limit", id="announced too large"
        ),
    ],
)
def test_refused(client: Raw, headers: list[tuple[bytes, bytes]], data: bytes, code: int, text: str) -> None:
    """A call that can't be answered gets headers alone, with the status and a text, and the connection goes on."""
    stream = client.open(headers, end=not data)
    if data:
        client.data(stream, data, end=True)
    answer = client.answer(stream)
    assert (answer.status, answer.data, answer.trailers) == (code, b"", {})
    assert text in unquote_to_bytes(answer.headers[b"grpc-message"]).decode()
    if code == status.UNIMPLEMENTED:
        assert answer.headers[b"grpc-accept-encoding"] == b"identity"
    assert client.answer(client.call(b"next")).data == message(b"next")


@pytest.mark.parametrize("ask", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"POST /a HTTP/1.0\r\n\r\n"])
def test_clients_of_http_1(echo: str, ask: bytes) -> None:
    """A client of HTTP/1 gets an answer that it can read, and others are answered meanwhile."""
    host, _, port = echo.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as sock:
        sock.sendall(ask)
        with http.client.HTTPResponse(sock) as response:
            response.begin()
            assert response.status == 400
            assert "gRPC" in response.read().decode()
    with raw(echo) as client:
        assert client.answer(client.call(b"next")).data == message(b"next")


def test_rest_of_a_refused_request(client: Raw) -> None:
    """A peer whose request is refused is told to stop sending the rest, and may go on meanwhile."""
    stream = client.open(replaced(b"te", None))
    answer = client.until(lambda event: isinstance(event, h2.events.StreamReset))
    assert answer.error_code == h2.errors.ErrorCodes.NO_ERROR  # type: ignore[attr-defined]
    client.send(frame(0, 0, stream, b"x" * 16_000))
    assert client.answer(client.call(b"next")).data == message(b"next")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [(b"1H", 3600), (b"2M", 120), (b"3S", 3), (b"99999999n", 0.099999999), (b"5m", 0.005), (b"6u", 6e-6)],
)
def test_timeouts_are_read(text: bytes, seconds: float) -> None:
    """Each unit of grpc-timeout is known."""
    found = protocol.read_headers([*HEADERS, (b"grpc-timeout", text)])
    assert found.timeout == pytest.approx(seconds)


@pytest.mark.parametrize("text", [b"", b"S", b"1", b"-1S", b"1.5S", b"123456789S", b"1s", "\u0661S".encode()])
def test_timeouts_that_are_none(text: bytes) -> None:
    """Whatever else grpc-timeout says is refused."""
    with pytest.raises(status.Refused):
        protocol.read_headers([*HEADERS, (b"grpc-timeout", text)])


@pytest.mark.slow
def test_deadline() -> None:
    """A call that takes too long is answered with DEADLINE_EXCEEDED in time, and one that waited isn't begun."""
    gate = Gate()
    with in_process(gate, "h2", threads=1) as (_, address), raw(address) as client:
        start = time.monotonic()
        running = client.call(b"running", (b"grpc-timeout", b"200m"))
        waiting = client.call(b"waiting", (b"grpc-timeout", b"250m"))
        assert client.answer(running).status == status.DEADLINE_EXCEEDED
        assert client.answer(waiting).status == status.DEADLINE_EXCEEDED
        assert 0.2 < time.monotonic() - start < 10
        gate.go.set()
        assert client.answer(client.call(b"next")).data == message(b"next")
        assert gate.begun == [b"running", b"next"]


def test_flow_control_to_the_peer(echo: str) -> None:
    """An answer goes out in pieces as small as the peer's window, in full."""
    text = os.urandom(3000)
    with raw(echo, {WINDOW: 7}) as client:
        assert client.answer(client.call(text)).data == message(text)
    sizes = [len(event.data or b"") for event in client.events if isinstance(event, h2.events.DataReceived)]
    assert max(sizes) <= 7


def test_flow_control_of_the_connection(echo: str) -> None:
    """Answers that are larger than the connection's window take turns, and each arrives in full."""
    texts = [os.urandom(60_000) for _ in range(5)]
    with raw(echo, {WINDOW: 1 << 20}) as client:
        streams = [client.call(text) for text in texts]
        assert [client.answer(stream).data for stream in streams] == [message(text) for text in texts]


@pytest.mark.slow
def test_flow_control_from_the_peer(echo: str) -> None:
    """Requests go on arriving after more bytes than any window has, on one connection."""
    with raw(echo) as client:
        client.h2.increment_flow_control_window(1 << 30)
        for _ in range(6):
            text = os.urandom(4_000_000)
            assert client.answer(client.call(text)).data == message(text)


def reset(client: Raw, stream: int) -> None:
    client.h2.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
    client.flush()


def disconnect(client: Raw, _: int) -> None:
    client.sock.shutdown(socket.SHUT_WR)
    client.until_closed()


@pytest.mark.parametrize("give_up", [reset, disconnect])
def test_callers_that_give_up(give_up: Callable[[Raw, int], None]) -> None:
    """A call whose caller has gone isn't begun if it still waits, and isn't answered if it runs."""
    gate = Gate()
    with in_process(gate, "h2", threads=1) as (_, address), raw(address) as other:
        with raw(address) as client:
            running = client.call(b"running")
            assert gate.inside.acquire(timeout=30)
            waiting = client.call(b"waiting")
            last = other.call(b"last")
            ping(client)  # all of it has arrived
            give_up(client, waiting)
            if give_up is reset:
                reset(client, running)
                ping(client)
            gate.go.set()
            assert other.answer(last).data == message(b"last")
            if give_up is reset:
                ping(client)
                answers = (h2.events.ResponseReceived, h2.events.DataReceived)
                assert not [event for event in client.events if isinstance(event, answers)]
    assert gate.begun == [b"running", b"last"]


def ping(client: Raw) -> None:
    """Wait until the server has read all that was sent."""
    data = os.urandom(8)
    client.h2.ping(data)
    client.flush()
    client.until(lambda event: isinstance(event, h2.events.PingAckReceived) and event.ping_data == data)


def test_too_many_streams() -> None:
    """A stream beyond the limit is refused, so that the client may send it again; the others are answered."""
    gate = Gate()
    with in_process(gate, "h2", limits=Limits(streams=3)) as (_, address), raw(address) as client:
        client.h2.remote_settings[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS] = 100
        client.h2.remote_settings.acknowledge()
        streams = [client.call(b"%d" % number) for number in range(4)]
        assert client.answer(streams.pop()).reset == h2.errors.ErrorCodes.REFUSED_STREAM
        gate.go.set()
        assert [client.answer(stream).data for stream in streams] == [message(b"%d" % number) for number in range(3)]


@pytest.mark.slow
def test_goodbye_in_two_steps() -> None:
    """When the server stops, calls that were on the way are answered, and it ends after the last answer."""
    gate = Gate()
    with in_process(gate, "h2") as (server, address), raw(address) as client:
        first = client.call(b"first")
        assert gate.inside.acquire(timeout=30)
        stopped: list[bool] = []
        stopping = threading.Thread(target=lambda: stopped.append(server.stop(30)))
        stopping.start()
        # h2's client takes the first goodbye for the end, so from here on the frames are ours.
        assert received_goodbye(client) == (2**31 - 1, 0)
        second = frame(1, 4, first + 2, client.h2.encoder.encode(HEADERS)) + frame(0, 1, first + 2, message(b"second"))
        client.send(second + frame(6, 1, 0, b"goodbye!"))
        assert received_goodbye(client) == (first + 2, 0)
        gate.go.set()
        rest = frames_until_closed(client)
        stopping.join(30)
        assert stopped == [True]
    assert sorted(gate.begun) == [b"first", b"second"]
    assert {(stream, payload) for kind, stream, payload in rest if kind == 0} == {
        (first, message(b"first")),
        (first + 2, message(b"second")),
    }


def test_goodbye_behind_the_settings() -> None:
    """A client that is still exchanging settings when the server stops reads them first, and the GOAWAY frame later.

    grpcio's client may wait for ever when both come in one piece.
    """
    with in_process(Gate(), "h2") as (server, address), raw(address, begin=False) as client:
        client.send(PREFACE + frame(4))
        stopping = threading.Thread(target=server.stop, args=(30,))
        begin = [next_frame(client)[0] for _ in range(3)]
        assert begin == [4, 8, 4]  # its settings, the window, and that it has read ours
        stopping.start()
        client.sock.settimeout(0.3)
        with pytest.raises(TimeoutError):
            next_frame(client)
        client.sock.settimeout(30)
        client.send(frame(4, 1))
        assert received_goodbye(client) == (2**31 - 1, 0)
        client.send(frame(6, 1, 0, b"goodbye!"))
        assert received_goodbye(client) == (0, 0)
        assert frames_until_closed(client) == []
        stopping.join(30)


def received_goodbye(client: Raw) -> tuple[int, int]:
    """Return the last stream and the code of the next GOAWAY frame."""
    while True:
        kind, _, payload = next_frame(client)
        if kind == 7:
            return int.from_bytes(payload[:4], "big"), int.from_bytes(payload[4:8], "big")


def next_frame(client: Raw) -> tuple[int, int, bytes]:
    head = exactly(client.sock, 9)
    return head[3], int.from_bytes(head[5:], "big"), exactly(client.sock, int.from_bytes(head[:3], "big"))


def exactly(sock: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = sock.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def frames_until_closed(client: Raw) -> list[tuple[int, int, bytes]]:
    frames = []
    while True:
        try:
            frames.append(next_frame(client))
        except EOFError:
            return frames


def test_goodbye_of_the_client() -> None:
    """A client that says goodbye still gets the answers that it waits for, and then the connection ends."""
    gate = Gate()
    with in_process(gate, "h2") as (_, address), raw(address) as client:
        stream = client.call(b"last")
        client.send(frame(7, 0, 0, bytes(8) + b"thank you"))
        assert gate.inside.acquire(timeout=30)
        gate.go.set()
        assert client.answer(stream).data == message(b"last")
        assert client.until_closed() == []


@pytest.mark.slow
def test_keepalive() -> None:
    """A silent peer gets pings, and stays as long as it answers them."""
    limits = Limits(keepalive_seconds=0.05, keepalive_timeout_seconds=30)
    with in_process(lambda data: data, "h2", limits=limits) as (_, address), raw(address) as client:
        pings = 0
        while pings < 5:
            pings += sum(isinstance(event, h2.events.PingReceived) for event in client.read())
        assert client.answer(client.call(b"x")).status == status.OK


@pytest.mark.slow
def test_keepalive_without_an_answer() -> None:
    """A silent peer that doesn't answer a ping in time is closed."""
    limits = Limits(keepalive_seconds=0.1, keepalive_timeout_seconds=0.2)
    with in_process(lambda data: data, "h2", limits=limits) as (_, address), raw(address) as client:
        start = time.monotonic()
        client.until_closed()
        assert time.monotonic() - start > 0.25


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Certificates of a server, and in client.pem those of a client."""
    authority = Authority()
    found = write(tmp_path / "certs", authority.issue("server"), authority)
    pair = authority.issue("client")
    (found / "client.pem").write_bytes(pair.certificate + pair.key)
    return found


def client_context(directory: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(directory / "ca.crt"))
    context.load_cert_chain(directory / "client.pem")
    context.set_alpn_protocols(["h2"])
    return context


def shaken(address: str, context: ssl.SSLContext) -> tuple[str | None, bytes]:
    """Return the version of TLS, and what the server sends first: nothing, if it closes the connection."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as secure:
            try:
                return secure.version(), secure.recv(9)
            except (ConnectionResetError, ssl.SSLEOFError):
                return secure.version(), b""


def test_tls(directory: Path) -> None:
    """TLS 1.2 and 1.3 with the protocol h2 are spoken; older versions, and clients that don't ask for h2, are not."""
    with in_process(lambda data: data, "h2", certificates=Certificates(str(directory))) as (_, address):
        context = client_context(directory)
        assert shaken(address, context)[0] == "TLSv1.3"
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        version, first = shaken(address, context)
        assert (version, first[3:4]) == ("TLSv1.2", b"\x04")  # settings
        context.set_alpn_protocols(["http/1.1"])
        assert shaken(address, context)[1] == b""
        old = client_context(directory)
        old.set_ciphers("DEFAULT:@SECLEVEL=0")
        with pytest.warns(DeprecationWarning):
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with pytest.raises(ssl.SSLError):
            shaken(address, old)


@pytest.fixture
def failures(monkeypatch: pytest.MonkeyPatch) -> peer.Failures:
    """The failed handshakes from now on."""
    new = peer.Failures()
    monkeypatch.setattr(peer, "failures", new)
    return new


def no_certificate(directory: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(directory / "ca.crt"))
    context.set_alpn_protocols(["h2"])
    return context


def of_another_authority(directory: Path) -> ssl.SSLContext:
    context, pair = no_certificate(directory), Authority().issue("client")
    (directory / "other.pem").write_bytes(pair.certificate + pair.key)
    context.load_cert_chain(directory / "other.pem")
    return context


def self_signed(directory: Path) -> ssl.SSLContext:
    context, pair = no_certificate(directory), CrossplaneAuthority().issue("client")
    (directory / "other.pem").write_bytes(pair.certificate + pair.key)
    context.load_cert_chain(directory / "other.pem")
    return context


def that_trusts_another_authority(directory: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=Authority().certificate.decode())
    context.load_cert_chain(directory / "client.pem")
    context.set_alpn_protocols(["h2"])
    return context


def without_http2(directory: Path) -> ssl.SSLContext:
    context = client_context(directory)
    context.set_alpn_protocols(["http/1.1"])
    return context


def tried(address: str, client: ssl.SSLContext | bytes) -> str:
    """Try a handshake, or send these bytes; when the server has closed the connection, return the client's address."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as plain:
        name = "{}:{}".format(*plain.getsockname())
        try:
            if isinstance(client, bytes):
                plain.sendall(client)
                while plain.recv(1024):
                    pass
            else:
                with client.wrap_socket(plain, server_hostname="localhost") as secure:
                    secure.recv(1)
        except OSError:
            pass
    return name


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("client", "reason"),
    [
        (no_certificate, "the client showed no certificate: give it a certificate that the CA in ca.crt has signed"),
        (
            of_another_authority,
            "the client's certificate isn't valid (unable to get local issuer certificate): give it",
        ),
        (self_signed, "no CA in ca.crt has signed the client's certificate: "),
        (that_trusts_another_authority, "the client refused it (tlsv1 alert unknown ca)"),
        (without_http2, "the client didn't offer HTTP/2 (the protocol h2, by ALPN): let it use gRPC"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "the client sent plain text or another protocol: let it connect"),
        (b"GET / HTTP/1.1\r\n\r\n", "the client sent plain text or another protocol: let it connect with TLS"),
        (b"", "the client took more than 0.3 seconds"),
    ],
)
def test_failed_handshakes(
    directory: Path,
    failures: peer.Failures,
    caplog: pytest.LogCaptureFixture,
    client: Callable[[Path], ssl.SSLContext] | bytes,
    reason: str,
) -> None:
    """A handshake that fails is in the log, with the client's address and the reason, and counts."""
    limits = Limits(handshake_seconds=0.3 if client == b"" else 30)
    with in_process(lambda data: data, "h2", limits=limits, certificates=Certificates(str(directory))) as (_, address):
        name = tried(address, client if isinstance(client, bytes) else client(directory))
        until = time.monotonic() + 30
        while not failures.count and time.monotonic() < until:
            time.sleep(0.01)
    (said,) = [record.getMessage() for record in caplog.records if record.name == peer.__name__]
    assert said.startswith(f"the TLS handshake with {name} failed: {reason}")
    assert failures.count == 1


def test_handshakes_that_do_not_fail(directory: Path, failures: peer.Failures) -> None:
    """A probe that only connects, and a client that is served, are no failures."""
    with in_process(lambda data: data, "h2", certificates=Certificates(str(directory))) as (_, address):
        host, _, port = address.rpartition(":")
        for _ in range(5):
            socket.create_connection((host, int(port)), timeout=30).close()
            shaken(address, client_context(directory))
        tried(address, no_certificate(directory))
    assert failures.count == 1


def test_failures_are_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """Of many failures one a minute is in the log, with the number of those that were left out."""
    failures = peer.Failures()
    for second in range(100, 200):
        failures.add("192.0.2.1:5", "no reason", second)
    assert failures.count == 100
    assert [record.getMessage() for record in caplog.records] == [
        "the TLS handshake with 192.0.2.1:5 failed: no reason",
        "the TLS handshake with 192.0.2.1:5 failed: no reason (59 more since the last line about one)",
    ]


@pytest.mark.parametrize(
    ("where", "name"),
    [
        (("192.0.2.1", 5), "192.0.2.1:5"),
        (("::ffff:192.0.2.1", 5, 0, 0), "192.0.2.1:5"),
        (("2001:db8::1", 5, 0, 0), "[2001:db8::1]:5"),
        ("", "a client without an address"),
    ],
)
def test_names_of_clients(where: object, name: str) -> None:
    """Addresses are written as in URLs, and IPv4 as such, also by a socket for IPv6."""

    class Socket(socket.socket):
        def getpeername(self) -> object:
            return where

    with Socket() as sock:
        assert peer.name_of(sock) == name


def test_unix_socket_left_behind(tmp_path: Path) -> None:
    """A Unix socket that nobody listens at is replaced, one in use is refused, and it is removed at the end."""
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with in_process(lambda data: data, "h2", f"unix://{path}"):
        with pytest.raises(InputError, match="in use|another server"):
            Server(lambda data: data, transport="h2").listen(f"unix:{path}")
    assert not path.exists()


def test_the_unix_socket_of_the_next_server(tmp_path: Path) -> None:
    """A server that ends removes its socket while it still listens, and so never that of the server that follows it."""
    path = tmp_path / "socket"
    server = Server(lambda data: data, transport="h2")
    server.listen(f"unix:{path}")
    transport: Any = server._transport
    followers: list[socket.socket] = []

    class Followed(socket.socket):
        """Is replaced by the socket of another server as soon as it is closed."""

        def close(self) -> None:
            super().close()
            if not followers:
                assert not path.exists()
                followers.extend(addresses.unix_socket(str(path)))

    (mine,) = transport._listeners
    transport._listeners = [Followed(fileno=mine.detach())]
    server.stop(0)
    with followers[0]:
        assert path.exists()


def test_names_of_hosts() -> None:
    """The name of a host means all of its addresses, with one port."""
    with in_process(lambda data: data, "h2", "localhost:0") as (_, address):
        port = int(address.rpartition(":")[2])
        for _, _, _, _, place in socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM):
            with socket.create_connection(place[:2], timeout=30):
                pass


def test_localhost_where_no_file_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system doesn't know localhost, it is 127.0.0.1; another name is an error."""
    known = socket.getaddrinfo

    def unknown(host: bytes, *arguments: object, **more: object) -> object:
        if host in (b"localhost", b"example"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return known(host, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with in_process(lambda data: data, "h2", "localhost:0") as (_, address):
        port = int(address.rpartition(":")[2])
        with raw(f"127.0.0.1:{port}") as client:
            assert client.answer(client.call(b"x")).data == message(b"x")
    with pytest.raises(InputError, match="can't listen on example:0: name or service not known"):
        Server(lambda data: data, transport="h2").listen("example:0")


def test_callers_that_come_early() -> None:
    """A caller that connects before the server serves waits, and is answered then."""
    server = Server(lambda data: data, transport="h2")
    address = server.listen("127.0.0.1:0")
    with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=30) as sock:
        client = Raw(sock)
        client.h2.initiate_connection()
        client.flush()
        stream = client.call(b"early")
        server.start()
        try:
            assert client.answer(stream).data == message(b"early")
        finally:
            server.stop(0)

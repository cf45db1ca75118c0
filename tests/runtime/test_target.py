"""The client with which the guard calls its target, against real servers and servers that misbehave."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc
import h2.config
import h2.connection
import h2.events
import h2.exceptions
import pytest

from crossplane_lite.errors import InputError
from crossplane_lite.proto import METHOD, V1BETA1_SERVICE
from crossplane_lite.runtime.server import Server
from crossplane_lite.runtime.transports import GRPCIO, H2, status
from crossplane_lite.runtime.transports.budget import Limits
from crossplane_lite.runtime.transports.client import Target
from crossplane_lite.runtime.transports.status import Refused
from tests.runtime.serving import in_process

_LARGE = 10 << 20
_LIMITS = Limits(receive_bytes=64 << 20)


def soon(seconds: float = 10) -> float:
    """Return a deadline."""
    return time.monotonic() + seconds


@contextlib.contextmanager
def served(run: Callable[[bytes], bytes], transport: str) -> Iterator[str]:
    """Serve a function, and yield its address."""
    with in_process(run, transport, limits=_LIMITS, threads=32) as (_, address):
        yield address


def test_a_call(transport: str) -> None:
    """Answers of all sizes come back to the byte, from servers over both packages."""
    with served(lambda data: data[::-1], transport) as address:
        target = Target(address)
        for data in (b"", b"abc", bytes(range(256)) * 300, b"x" * _LARGE):
            assert target.call(data, soon(30)) == data[::-1]


def test_a_server_of_grpcio() -> None:
    """A server that only speaks v1beta1, as old ones do, is called by that."""
    asked: list[str] = []

    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
        def service(self, details: Any) -> Any:
            asked.append(details.method)
            if V1BETA1_SERVICE not in details.method:
                return None
            return grpc.unary_unary_rpc_method_handler(lambda data, _: data * 2)

    server = grpc.server(futures.ThreadPoolExecutor(4), handlers=[Handler()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        target = Target(f"127.0.0.1:{port}")
        assert target.call(b"ab", soon()) == b"abab"
        assert target.call(b"ab", soon()) == b"abab"
    finally:
        server.stop(0)
    assert asked[1:] == [f"/{V1BETA1_SERVICE}/{METHOD}"] * 2


def test_many_threads(transport: str) -> None:
    """Thirty-two threads at once get their own answers."""
    with served(lambda data: data * 3, transport) as address:
        target = Target(address)

        def call(number: int) -> bool:
            data = f"{number} ".encode() * 5000
            return all(target.call(data, soon(30)) == data * 3 for _ in range(5))

        with futures.ThreadPoolExecutor(32) as pool:
            assert all(pool.map(call, range(32)))


def test_a_status_is_passed_on() -> None:
    """The target's status and its text come back, also where the text isn't ASCII."""

    def run(_data: bytes) -> bytes:
        raise Refused(7, "nö, 100 %")

    with served(run, GRPCIO) as address, pytest.raises(Refused, match="nö, 100 %") as found:
        Target(address).call(b"", soon())
    assert found.value.code == 7


def test_a_deadline() -> None:
    """A call ends at its deadline."""
    end = threading.Event()

    def run(_data: bytes) -> bytes:
        end.wait(5)
        return b""

    with served(run, GRPCIO) as address:
        start = time.monotonic()
        with pytest.raises(Refused) as found:
            Target(address).call(b"", soon(0.3))
        took = time.monotonic() - start
        end.set()
    assert found.value.code == status.DEADLINE_EXCEEDED
    assert took < 3


def test_nothing_listens() -> None:
    """Where nothing listens, a call is UNAVAILABLE, and says where."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(Refused, match=f"127.0.0.1:{port} can't be reached") as found:
            Target(f"127.0.0.1:{port}").call(b"", soon(0.5))
    assert found.value.code == status.UNAVAILABLE


def test_a_target_that_starts_later() -> None:
    """A target that starts beside the guard may take some seconds to listen."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    server = Server(lambda data: data, transport=H2)

    def start() -> None:
        time.sleep(0.4)
        server.listen(address)
        server.start()

    thread = threading.Thread(target=start)
    thread.start()
    try:
        assert Target(address).call(b"abc", soon()) == b"abc"
    finally:
        thread.join()
        server.stop(0)


def test_a_target_that_starts_again() -> None:
    """A call over a connection that has broken since its last call is made over a new one."""
    first = Server(lambda _data: b"first", transport=H2)
    address = first.listen("127.0.0.1:0")
    first.start()
    target = Target(address)
    assert target.call(b"", soon()) == b"first"
    first.stop(0)
    second = Server(lambda _data: b"second", transport=H2)
    second.listen(address)
    second.start()
    try:
        assert target.call(b"", soon()) == b"second"
    finally:
        second.stop(0)


@pytest.mark.parametrize("address", ["", "localhost", ":9443", "localhost:https", "no.such.host.invalid:1"])
def test_wrong_addresses(address: str) -> None:
    """An address that can't be one is an error."""
    with pytest.raises(InputError):
        Target(address)


class Misbehaving:
    """A server of one connection that answers a call as a test says.

    Args:
        answer: Answers the call on a stream.
    """

    def __init__(self, answer: Callable[[Any, int], None]) -> None:
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        sock, _ = self._listener.accept()
        with sock:
            conn = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
            conn.initiate_connection()
            sock.sendall(conn.data_to_send())
            with contextlib.suppress(h2.exceptions.ProtocolError):  # frames that come after a GOAWAY
                while data := sock.recv(1 << 16):
                    for event in conn.receive_data(data):
                        if isinstance(event, h2.events.StreamEnded):
                            self._answer(conn, event.stream_id)
                    sock.sendall(conn.data_to_send())
        self._listener.close()


HEADERS = [(":status", "200"), ("content-type", "application/grpc")]
OK = [("grpc-status", "0")]


def cut(conn: Any, stream: int) -> None:
    """Answer with a message that is shorter than it says."""
    conn.send_headers(stream, HEADERS)
    conn.send_data(stream, b"\0\0\0\0\x09abc")
    conn.send_headers(stream, OK, end_stream=True)


def compressed(conn: Any, stream: int) -> None:
    """Answer with a compressed message."""
    conn.send_headers(stream, HEADERS)
    conn.send_data(stream, b"\1\0\0\0\x03abc")
    conn.send_headers(stream, OK, end_stream=True)


def reset(conn: Any, stream: int) -> None:
    """Reset the call."""
    conn.reset_stream(stream)


def plain_http(conn: Any, stream: int) -> None:
    """Answer as a web server does."""
    conn.send_headers(stream, [(":status", "404")], end_stream=True)


def departing(conn: Any, stream: int) -> None:
    """Refuse the call, because the server stops."""
    del stream
    conn.close_connection(last_stream_id=0)


def no_text(conn: Any, stream: int) -> None:
    """Answer with a status whose text isn't UTF-8."""
    conn.send_headers(stream, HEADERS)
    conn.send_headers(stream, [(b"grpc-status", b"7"), (b"grpc-message", b"\xff\xfe")], end_stream=True)


def no_status(conn: Any, stream: int) -> None:
    """Answer with a status that is no number of gRPC's."""
    conn.send_headers(stream, HEADERS)
    conn.send_headers(stream, [("grpc-status", "9" * 5000)], end_stream=True)


@pytest.mark.parametrize("answer", [cut, compressed, reset, plain_http, departing, no_text, no_status])
def test_servers_that_misbehave(answer: Callable[[Any, int], None]) -> None:
    """A server that breaks the rules of gRPC ends the call at once, with a status and a text."""
    server = Misbehaving(answer)
    start = time.monotonic()
    with pytest.raises(Refused) as found:
        Target(server.address).call(b"abc", soon())
    assert found.value.text
    assert time.monotonic() - start < 3


def test_answers_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is too large ends the call."""
    monkeypatch.setattr("crossplane_lite.runtime.transports.client._MOST_BYTES", 1000)
    with served(lambda _data: b"x" * 2000, H2) as address, pytest.raises(Refused, match="more than 1,000 bytes"):
        Target(address).call(b"", soon())

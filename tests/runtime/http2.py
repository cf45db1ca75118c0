"""A client of HTTP/2 for tests, which can say what no well-behaved client says."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

__all__ = ["HEADERS", "PREFACE", "Answer", "Raw", "frame", "message", "raw"]

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PATH = b"/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"
HEADERS = [
    (b":method", b"POST"),
    (b":scheme", b"http"),
    (b":path", PATH),
    (b":authority", b"localhost"),
    (b"content-type", b"application/grpc"),
    (b"te", b"trailers"),
]


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    """Return a frame as it is sent."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def message(data: bytes, compressed: bool = False) -> bytes:
    """Return a message of gRPC with its prefix."""
    return bytes([compressed]) + struct.pack(">I", len(data)) + data


class Answer(NamedTuple):
    """What came back for one stream."""

    headers: dict[bytes, bytes]
    data: bytes
    trailers: dict[bytes, bytes]
    reset: int | None

    @property
    def status(self) -> int:
        """gRPC's status, be it in trailers or in headers alone."""
        return int({**self.headers, **self.trailers}[b"grpc-status"])


class Raw:
    """A connection, of which every byte can be chosen.

    Attributes:
        sock: The socket.
        h2: h2's own client, for what it can say.
        events: All that was received.
    """

    def __init__(self, sock: socket.socket, settings: dict[int, int] | None = None) -> None:
        self.sock = sock
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=True, header_encoding=None, validate_outbound_headers=False)
        )
        if settings:
            values = dict(settings)
            self.h2.local_settings = h2.settings.Settings(client=True, initial_values=values)
        self.events: list[h2.events.Event] = []
        self.ended = False

    def begin(self) -> Raw:
        """Exchange settings."""
        self.h2.initiate_connection()
        self.flush()
        self.until(lambda event: isinstance(event, h2.events.RemoteSettingsChanged))
        return self

    def flush(self) -> None:
        """Send what h2 has to say."""
        data = self.h2.data_to_send()
        if data:
            self.sock.sendall(data)

    def send(self, data: bytes) -> None:
        """Send bytes of one's own; the server may have gone by then."""
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            self.ended = True

    def open(self, headers: list[tuple[bytes, bytes]] | None = None, *, end: bool = False) -> int:
        """Begin a call and return its stream."""
        stream = self.h2.get_next_available_stream_id()
        self.h2.send_headers(stream, HEADERS if headers is None else headers, end_stream=end)
        self.flush()
        return stream

    def call(self, data: bytes, *extra: tuple[bytes, bytes]) -> int:
        """Begin a call with its whole message, and return its stream."""
        stream = self.open([*HEADERS, *extra])
        self.data(stream, message(data), end=True)
        return stream

    def data(self, stream: int, data: bytes, *, end: bool = False) -> None:
        """Send data as the windows allow."""
        while data or end:
            size = min(len(data), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if data and not size:
                assert not self.ended, "the connection ended before the server took all data"
                self.read()
                continue
            self.h2.send_data(stream, data[:size], end_stream=end and size == len(data))
            data = data[size:]
            self.flush()
            if not data:
                return

    def read(self, *, acknowledge: bool = True) -> list[h2.events.Event]:
        """Wait for bytes, and return what they mean; none at the connection's end."""
        try:
            data = self.sock.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            self.ended = True
            return []
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError:
            self.ended = True
            raise
        if acknowledge:
            for event in events:
                if isinstance(event, h2.events.DataReceived) and event.flow_controlled_length:
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        self.flush_quietly()
        self.events += events
        return events

    def flush_quietly(self) -> None:
        """Send what h2 has to say, if anybody still listens."""
        self.send(self.h2.data_to_send())

    def until(self, wanted: Any) -> h2.events.Event:
        """Read until an event is as wanted, and return it."""
        seen = 0
        while True:
            for event in self.events[seen:]:
                if wanted(event):
                    return event
            seen = len(self.events)
            if self.ended:
                raise AssertionError(f"the connection ended before that: {self.events}")
            self.read()

    def answer(self, stream: int) -> Answer:
        """Read until a stream is over, and return what came back."""

        def over(event: Any) -> bool:
            ends = (h2.events.StreamEnded, h2.events.StreamReset)
            return isinstance(event, ends) and event.stream_id == stream

        self.until(over)
        headers: dict[bytes, bytes] = {}
        trailers: dict[bytes, bytes] = {}
        data = b""
        reset = None
        for event in self.events:
            if getattr(event, "stream_id", None) != stream:
                continue
            if isinstance(event, h2.events.ResponseReceived):
                headers = dict(event.headers or [])
            elif isinstance(event, h2.events.TrailersReceived):
                trailers = dict(event.headers or [])
            elif isinstance(event, h2.events.DataReceived):
                data += event.data or b""
            elif isinstance(event, h2.events.StreamReset):
                reset = int(event.error_code or 0)
        return Answer(headers, data, trailers, reset)

    def until_closed(self) -> list[bytes]:
        """Read until the server closes the connection; return the frames' kinds and payloads of GOAWAY, undecoded."""
        received = b""
        while True:
            try:
                data = self.sock.recv(65536)
            except ConnectionResetError:
                break
            if not data:
                break
            received += data
        self.ended = True
        goodbyes = []
        while len(received) >= 9:
            length = int.from_bytes(received[:3], "big")
            if received[3] == 7:
                goodbyes.append(received[9 : 9 + length])
            received = received[9 + length :]
        return goodbyes


@contextmanager
def raw(address: str, settings: dict[int, int] | None = None, *, begin: bool = True) -> Iterator[Raw]:
    """Open a connection; with `begin`, settings are exchanged."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = Raw(sock, settings)
        yield client.begin() if begin else client

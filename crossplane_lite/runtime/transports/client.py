"""The client with which the guard calls its target, a function on another server: gRPC over h2, in
plain text.

Sockets block, and a connection has one call at a time. A function may be called again, so a call is
made once more if a connection breaks that has had calls before. Source: "gRPC over HTTP2" in the
documentation of grpc/grpc (PROTOCOL-HTTP2).
"""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from ..._core.base.extras import load
from ...errors import InputError
from ...proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from .. import addresses
from . import protocol, status
from .budget import FOREVER, Exceeded, Limits
from .status import Refused

__all__ = ["Target"]

_events: Final = load("h2.events", "h2")
_exceptions: Final = load("h2.exceptions", "h2")
_hpack: Final = load("hpack", "h2")

_CONNECT_SECONDS: Final = 5.0
"""How long a server may take to listen, such as one that starts beside the client."""
_MOST_BYTES: Final = 128 << 20
"""The largest answer."""
_LIMITS: Final = Limits(receive_bytes=_MOST_BYTES)
_PAUSE: Final = 0.1
_READ: Final = 1 << 16
_MOST_IDLE: Final = 64
_UNKNOWN: Final = 2
_DIGITS: Final = 2  # of gRPC's statuses
_LONGEST_TIMEOUT: Final = 99_999_999  # eight digits


_HEADERS: Final = [
    (b":method", b"POST"),
    (b":scheme", b"http"),
    (b"te", b"trailers"),
    (b"content-type", b"application/grpc+proto"),
    (b"user-agent", b"crossplane-lite-guard"),
]

Meanwhile = Callable[[], object]


class _Broken(Exception):
    """A connection has broken."""


class Target:
    """Calls a function on a gRPC server. All threads may use it.

    Args:
        address: `host:port`.

    Raises:
        InputError: The address is wrong, or nobody knows the host.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._family, self._place = _place(address)
        self._idle: deque[_Connection] = deque(maxlen=_MOST_IDLE)
        self._services = [V1_SERVICE, V1BETA1_SERVICE]

    def call(self, request: bytes, until: float, meanwhile: Meanwhile = int) -> bytes:
        """Call the function, by v1 of the protocol or v1beta1, and return its answer.

        Args:
            request: The bytes of the request.
            until: The deadline, a time by `time.monotonic`.
            meanwhile: Is called while the target works.

        Raises:
            Refused: The target answers with a status, or doesn't answer in time, or isn't there.
        """
        service = self._services[0]
        try:
            return self._called(f"/{service}/{METHOD}", request, until, meanwhile)
        except Refused as e:
            if e.code != status.UNIMPLEMENTED or service == self._services[-1]:
                raise
        self._services = self._services[1:]
        return self.call(request, until, meanwhile)

    def _called(self, path: str, request: bytes, until: float, meanwhile: Meanwhile) -> bytes:
        """Call a method over an idle connection, or a new one."""
        while True:
            is_new = False
            try:
                connection = self._idle.pop()
            except IndexError:
                is_new = True
                connection = _Connection(self._connected(until), self._address)
            try:
                return connection.call(path, request, until, meanwhile)
            except _Broken as e:
                if is_new:
                    text = f"the target {self._address} has closed the connection: {e}"
                    raise Refused(status.UNAVAILABLE, text) from None
            finally:
                if connection.is_idle:
                    self._idle.append(connection)
                else:
                    connection.sock.close()

    def _connected(self, until: float) -> socket.socket:
        """Return a new connection. A target that doesn't listen yet may take some seconds."""
        until = min(until, time.monotonic() + _CONNECT_SECONDS)
        while True:
            sock = socket.socket(self._family)
            try:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.settimeout(max(until - time.monotonic(), 0.001))
                sock.connect(self._place)
                return sock
            except OSError as e:
                sock.close()
                if time.monotonic() + _PAUSE >= until:
                    text = f"the target {self._address} can't be reached: {e.strerror or e}"
                    raise Refused(status.UNAVAILABLE, text) from None
            time.sleep(_PAUSE)


def _place(address: str) -> tuple[int, Any]:
    """Return the family and the address for a socket."""
    try:
        where = addresses.parse(address)
    except InputError:
        where = None
    # Without a host all addresses of the machine are meant, which is right for servers only.
    if where is None or where.path or address.startswith(":"):
        raise InputError(
            f"the target's address must be host:port, as localhost:9444 (got {address!r})"
        )
    try:
        return next(iter(addresses.places(where)))
    except OSError as e:
        raise InputError(f"the target's host {where.host} isn't known: {e}") from None


class _Connection:
    """A connection over h2. It has one call at a time.

    Attributes:
        sock: The connection's socket.
        is_idle: Whether it can take another call.
    """

    def __init__(self, sock: socket.socket, authority: str) -> None:
        self.sock = sock
        self.is_idle = True
        self._headers = [(b":authority", authority.encode()), *_HEADERS]
        self._frames = protocol.Frames(_LIMITS.header_bytes, server=False)
        self._frames.until = FOREVER
        self._conn = protocol.new_connection(_LIMITS, self._frames, server=False)

    def call(self, path: str, request: bytes, until: float, meanwhile: Meanwhile) -> bytes:
        """Call a method, and return the answer's message.

        Raises:
            Refused: The server answers with a status, not in time or too much.
            _Broken: The connection has broken.
        """
        self.is_idle = False
        try:
            return _message(*self._called(path, request, until, meanwhile))
        except TimeoutError:
            raise Refused(status.DEADLINE_EXCEEDED, "the target didn't answer in time") from None
        except (OSError, Exceeded, _exceptions.ProtocolError) as e:
            raise _Broken(str(e)) from None

    def _called(
        self, path: str, request: bytes, until: float, meanwhile: Meanwhile
    ) -> tuple[dict[bytes, bytes], bytes]:
        """Return the headers and the data of the answer."""
        conn = self._conn
        stream = conn.get_next_available_stream_id()
        headers = [(b":path", path.encode()), *self._headers]
        seconds = self._wait_until(until)
        if seconds is not None:
            timeout = b"%dm" % min(int(seconds * 1000) + 1, _LONGEST_TIMEOUT)
            # Each call has another one, so it must not fill the table for compressing headers.
            headers.append(_hpack.NeverIndexedHeaderTuple(b"grpc-timeout", timeout))
        conn.send_headers(stream, headers)
        left = self._send(stream, memoryview(protocol.prefix(request) + request))
        meanwhile()
        found: dict[bytes, bytes] = {}
        data = bytearray()
        is_over = False
        while not is_over:
            self._wait_until(until)
            received = self.sock.recv(_READ)
            events = conn.receive_data(received)
            if not received or self._frames.last_stream < stream:
                raise _Broken("the server is stopping")
            for event in events:
                if isinstance(event, _events.DataReceived):
                    data += event.data
                    conn.acknowledge_received_data(event.flow_controlled_length, stream)
                elif isinstance(event, _events.StreamReset) and not is_over:
                    raise _Broken(f"the server has reset the call (error {int(event.error_code)})")
                elif isinstance(event, _events.StreamEnded):
                    is_over = True
                elif isinstance(event, (_events.ResponseReceived, _events.TrailersReceived)):
                    found.update(event.headers)
            if len(data) > _MOST_BYTES:
                text = f"the target's answer has more than {_MOST_BYTES:,} bytes"
                raise Refused(status.RESOURCE_EXHAUSTED, text)
            # Behind the answer only answers to pings are sent.
            left = self._send(stream, left)
        # A server that refuses a call may not wait for the end of the request.
        self.is_idle = not (left or self._frames.departing)
        return found, bytes(data)

    def _wait_until(self, until: float) -> float | None:
        """Let the socket wait until a deadline, and return how many seconds are left; None without
        a deadline.
        """
        left = None
        if until != FOREVER:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
        self.sock.settimeout(left)
        return left

    def _send(self, stream: int, body: memoryview) -> memoryview:
        """Send all frames, and as much of a request as the server takes now; return the rest."""
        conn = self._conn
        while body and not conn.streams[stream].closed:
            window = conn.local_flow_control_window(stream)
            size = min(window, conn.max_outbound_frame_size, len(body))
            if size <= 0:
                break
            conn.send_data(stream, bytes(body[:size]), end_stream=size == len(body))
            body = body[size:]
        data = conn.data_to_send()
        if data:
            self.sock.sendall(data)
        return body


def _message(headers: dict[bytes, bytes], data: bytes) -> bytes:
    """Return the message of an answer, or raise Refused for another status than OK."""
    code = headers.get(b"grpc-status")
    if code is None:
        http = headers.get(b":status", b"").decode(errors="replace")
        raise Refused(
            _UNKNOWN, f"the target doesn't answer as a gRPC server does (HTTP status {http})"
        )
    if code != b"0":
        number = int(code) if code.isdigit() and len(code) <= _DIGITS else _UNKNOWN
        text = unquote_to_bytes(headers.get(b"grpc-message", b"")).decode(errors="replace")
        raise Refused(number, text or f"the target answers with the status {number}")
    message = data[protocol.PREFIX_BYTES :]
    if data != protocol.prefix(message) + message:
        raise Refused(
            status.INTERNAL, "the target's answer is compressed, cut or not a single message"
        )
    return message

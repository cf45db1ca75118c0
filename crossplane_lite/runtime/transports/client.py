"""The client with which the guard calls its target, a function on another server: gRPC over h2, in plain text.

Sockets block, and a connection has one call at a time. A function may be called again, so a call is made once more if a
connection breaks that has had calls before.
Source: "gRPC over HTTP2" in the documentation of grpc/grpc (PROTOCOL-HTTP2).
"""

from __future__ import annotations

import math
import socket
import time
from collections import deque
from typing import Any, Final
from urllib.parse import unquote

from ..._core.base.extras import load
from ...errors import InputError
from ...proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from .. import addresses
from . import status
from .protocol import PREFIX_BYTES, prefix
from .status import Refused

__all__ = ["Target"]

_h2: Final = load("h2.connection", "h2")
_config: Final = load("h2.config", "h2")
_events: Final = load("h2.events", "h2")
_exceptions: Final = load("h2.exceptions", "h2")
_settings: Final = load("h2.settings", "h2")

_CONNECT_SECONDS: Final = 5.0
"""How long a server may take to listen, such as one that starts beside the client."""
_MOST_BYTES: Final = 128 << 20
"""The largest answer."""
_PAUSE: Final = 0.1
_WINDOW: Final = 16 << 20
_READ: Final = 1 << 16
_MOST_IDLE: Final = 64
_UNKNOWN: Final = 2
_DIGITS: Final = 2  # of gRPC's statuses
_LONGEST_TIMEOUT: Final = 99_999_999  # eight digits


class _Broken(Exception):
    """A connection has broken."""


class Target:
    """Calls a function on a gRPC server. All threads may use it.

    Args:
        address: `host:port` or `unix:path`.

    Raises:
        InputError: The address is wrong, or nobody knows the host.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._place = _place(address)
        self._idle: deque[_Connection] = deque(maxlen=_MOST_IDLE)
        self._services = [V1_SERVICE, V1BETA1_SERVICE]

    def call(self, request: bytes, until: float) -> bytes:
        """Call the function, by v1 of the protocol or v1beta1, and return its answer.

        Args:
            request: The bytes of the request.
            until: The deadline, a time by `time.monotonic`.

        Raises:
            Refused: The target answers with a status, or doesn't answer in time, or isn't there.
        """
        service = self._services[0]
        try:
            return self._called(f"/{service}/{METHOD}", request, until)
        except Refused as e:
            if e.code != status.UNIMPLEMENTED or service == self._services[-1]:
                raise
        self._services = self._services[1:]
        return self.call(request, until)

    def _called(self, path: str, request: bytes, until: float) -> bytes:
        """Call a method over an idle connection, or a new one."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = None
            is_used = connection is not None
            if connection is None:
                connection = _Connection(self._connected(until), self._address)
            try:
                answer = connection.call(path, request, until)
            except _Broken as e:
                connection.close()
                if not is_used:
                    text = f"the target {self._address} has closed the connection: {e}"
                    raise Refused(status.UNAVAILABLE, text) from None
                continue
            except BaseException:
                connection.close()
                raise
            if connection.is_idle:
                self._idle.append(connection)
            else:
                connection.close()
            return answer.message()

    def _connected(self, until: float) -> socket.socket:
        """Return a new connection. A target that doesn't listen yet may take some seconds."""
        family, place = self._place
        until = min(until, time.monotonic() + _CONNECT_SECONDS)
        while True:
            sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                sock.settimeout(max(until - time.monotonic(), 0.001))
                sock.connect(place)
            except OSError as e:
                sock.close()
                if time.monotonic() + _PAUSE >= until:
                    text = f"the target {self._address} can't be reached: {e.strerror or e}"
                    raise Refused(status.UNAVAILABLE, text) from None
                time.sleep(_PAUSE)
                continue
            if family != socket.AF_UNIX:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock


def _place(address: str) -> tuple[int, Any]:
    """Return the family and the address for a socket."""
    problem = f"the target's address must be host:port, as localhost:9444 (got {address!r})"
    if address.startswith(":"):  # all addresses of the machine, which is right for servers only
        raise InputError(problem)
    try:
        where = addresses.parse(address)
    except InputError:
        raise InputError(problem) from None
    if where.path:
        return socket.AF_UNIX, where.path
    try:
        return next(iter(addresses.places(where)))
    except OSError as e:
        raise InputError(f"the target's host {where.host} isn't known: {e}") from None


class _Connection:
    """A connection over h2. It has one call at a time.

    Attributes:
        is_idle: Whether it can take another call.
    """

    def __init__(self, sock: socket.socket, authority: str) -> None:
        self._sock = sock
        self.is_idle = True
        self._authority = "localhost" if authority.startswith("unix:") else authority
        options = _config.H2Configuration(client_side=True, header_encoding="utf-8")
        self._conn = _h2.H2Connection(options)
        codes = _settings.SettingCodes
        values = {codes.ENABLE_PUSH: 0, codes.INITIAL_WINDOW_SIZE: _WINDOW}
        self._conn.local_settings = _settings.Settings(client=True, initial_values=values)
        self._conn.initiate_connection()
        self._conn.increment_flow_control_window(_WINDOW)

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()

    def call(self, path: str, request: bytes, until: float) -> _Answer:
        """Call a method.

        Raises:
            Refused: The server doesn't answer in time, or answers too much.
            _Broken: The connection has broken.
        """
        try:
            return self._called(path, request, until)
        except TimeoutError:
            text = f"the target {self._authority} didn't answer in time"
            raise Refused(status.DEADLINE_EXCEEDED, text) from None
        except (OSError, ValueError, _exceptions.ProtocolError) as e:  # ValueError: headers that aren't UTF-8
            raise _Broken(str(e)) from None

    def _called(self, path: str, request: bytes, until: float) -> _Answer:
        conn = self._conn
        self.is_idle = False
        stream = conn.get_next_available_stream_id()
        conn.send_headers(stream, self._headers(path, until))
        body = memoryview(prefix(request) + request)
        answer = _Answer(stream)
        while not answer.is_over:
            body = self._send(stream, body)
            self._sock.settimeout(_seconds_left(until))
            self._sock.sendall(conn.data_to_send())
            data = self._sock.recv(_READ)
            if not data:
                raise _Broken("it ended within a call")
            for event in conn.receive_data(data):
                answer.take(event)
                if isinstance(event, _events.DataReceived):
                    self._give_back(event)
        self._sock.sendall(conn.data_to_send())
        self.is_idle = not body  # a server that refuses a call may not wait for the end of the request
        return answer

    def _headers(self, path: str, until: float) -> list[tuple[str, str]]:
        headers = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", self._authority),
            ("te", "trailers"),
            ("content-type", "application/grpc+proto"),
            ("user-agent", "crossplane-lite-guard"),
        ]
        if math.isfinite(until):
            milliseconds = max(int((until - time.monotonic()) * 1000), 1)
            headers.append(("grpc-timeout", f"{min(milliseconds, _LONGEST_TIMEOUT)}m"))
        return headers

    def _send(self, stream: int, body: memoryview) -> memoryview:
        """Send as much of a request as the server takes now, and return the rest."""
        conn = self._conn
        while body:
            window = conn.local_flow_control_window(stream)
            size = min(window, conn.max_outbound_frame_size, len(body))
            if size <= 0:
                return body
            conn.send_data(stream, bytes(body[:size]), end_stream=size == len(body))
            body = body[size:]
        return body

    def _give_back(self, event: Any) -> None:
        """Allow the server as many more bytes as have come."""
        size = event.flow_controlled_length
        if size:
            self._conn.acknowledge_received_data(size, event.stream_id)


def _seconds_left(until: float) -> float | None:
    if not math.isfinite(until):
        return None
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Answer:
    """The answer to a call while it comes."""

    def __init__(self, stream: int) -> None:
        self._stream = stream
        self._data = bytearray()
        self._headers: dict[str, str] = {}
        self.is_over = False

    def take(self, event: Any) -> None:
        """Take an event of the connection."""
        if isinstance(event, _events.ConnectionTerminated):
            last = event.last_stream_id
            if last is not None and last < self._stream:
                raise _Broken("the server is stopping")
            return
        if getattr(event, "stream_id", self._stream) != self._stream:
            return
        if isinstance(event, (_events.ResponseReceived, _events.TrailersReceived)):
            self._headers.update(event.headers)
        elif isinstance(event, _events.DataReceived):
            self._data += event.data
            if len(self._data) > _MOST_BYTES:
                raise Refused(status.RESOURCE_EXHAUSTED, f"the target's answer has more than {_MOST_BYTES:,} bytes")
        elif isinstance(event, _events.StreamReset):
            raise _Broken(f"the server has reset the call (error {int(event.error_code)})")
        elif isinstance(event, _events.StreamEnded):
            self.is_over = True

    def message(self) -> bytes:
        """Return the answer's message, or raise Refused for another status than OK."""
        code = self._headers.get("grpc-status")
        if code is None:
            http = self._headers.get(":status")
            raise Refused(_UNKNOWN, f"the target doesn't answer as a gRPC server does (HTTP status {http})")
        if code != "0":
            is_status = code.isdecimal() and len(code) <= _DIGITS
            number = int(code) if is_status else _UNKNOWN
            text = unquote(self._headers.get("grpc-message", ""))
            raise Refused(number, text or f"the target answers with the status {code[:9]}")
        data = bytes(self._data)
        length = int.from_bytes(data[1:PREFIX_BYTES], "big")
        if len(data) < PREFIX_BYTES or data[0] or len(data) != PREFIX_BYTES + length:
            raise Refused(status.INTERNAL, "the target's answer is compressed, cut or not a single message")
        return data[PREFIX_BYTES:]

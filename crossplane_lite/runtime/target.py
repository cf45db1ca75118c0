"""The client with which the guard calls its target, a function on another gRPC server.

In plain text over h2, which needs no more memory than the server does; with TLS, and where h2 isn't
installed, over grpcio. A connection has one call at a time. A function may be called again, so a
call is made once more if a connection breaks that has had calls before.
Source: "gRPC over HTTP2" in the documentation of grpc/grpc (PROTOCOL-HTTP2).
"""

from __future__ import annotations

import contextlib
import math
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import unquote

from .._core.base.extras import load
from ..errors import InputError, MissingExtraError
from ..proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from .transports import GRPCIO, H2, status
from .transports.status import Refused

__all__ = ["Target"]

_CONNECT_SECONDS: Final = 5.0
"""How long a target may take to listen, such as one that starts beside the guard."""
_PAUSE: Final = 0.1
_MOST_BYTES: Final = 128 << 20
"""The largest answer."""
_WINDOW: Final = 16 << 20
_READ: Final = 1 << 16
_MOST_IDLE: Final = 64
_PREFIX: Final = 5
_UNKNOWN: Final = 2

Call = Callable[[str, bytes, float], bytes]
"""Calls a method: it takes its path, the request and the deadline."""


class Target:
    """Calls a function on a gRPC server. All threads may use it.

    Args:
        address: `host:port` or `unix:path`.
        certificates: A folder with tls.crt, tls.key and ca.crt for mutual TLS; None for plain text.
        server_name: The name in the server's certificate, if it isn't the host.
        transport: `h2` or `grpcio`; None for h2 where it serves, else grpcio. TLS needs grpcio.

    Raises:
        InputError: The address or a certificate is wrong.
        MissingExtraError: The package for the transport isn't installed.
    """

    def __init__(
        self,
        address: str,
        certificates: str | None = None,
        server_name: str = "",
        transport: str | None = None,
    ) -> None:
        self._services = [V1_SERVICE, V1BETA1_SERVICE]
        if certificates is None and transport in (None, H2):
            with contextlib.suppress(MissingExtraError):
                self._call: Call = _Connections(address).call
                return
        if transport == H2 and certificates is None:
            raise MissingExtraError("the package h2 isn't installed: pip install 'crossplane-lite[h2]'")
        self._call = _over_grpcio(address, certificates, server_name)

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
            return self._call(f"/{service}/{METHOD}", request, until)
        except Refused as e:
            if e.code != status.UNIMPLEMENTED or service == self._services[-1]:
                raise
        self._services = self._services[1:]
        return self.call(request, until)


class _Broken(Exception):
    """A connection has broken."""


class _Connections:
    """The connections to a server over h2."""

    def __init__(self, address: str) -> None:
        load("h2.connection", "h2")
        self._address = address
        self._place = _place(address)
        self._idle: deque[_Connection] = deque(maxlen=_MOST_IDLE)

    def call(self, path: str, request: bytes, until: float) -> bytes:
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
    if address.startswith("unix:"):
        return socket.AF_UNIX, address[len("unix:") :]
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isdecimal()):
        raise InputError(f"the target's address must be host:port, as localhost:9444 (got {address!r})")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
    except (OSError, OverflowError) as e:
        raise InputError(f"the target's host {host} isn't known: {e}") from None
    return found[0][0], found[0][4]


class _Connection:
    """A connection over h2. It has one call at a time.

    Attributes:
        is_idle: Whether it can take another call.
    """

    def __init__(self, sock: socket.socket, authority: str) -> None:
        connection: Any = load("h2.connection", "h2")
        config: Any = load("h2.config", "h2")
        settings: Any = load("h2.settings", "h2")
        self._events: Any = load("h2.events", "h2")
        self._error: Any = load("h2.exceptions", "h2").ProtocolError
        self._sock = sock
        self.is_idle = True
        self._authority = "localhost" if authority.startswith("unix:") else authority
        options = config.H2Configuration(client_side=True, header_encoding="utf-8")
        self._conn = connection.H2Connection(options)
        codes = settings.SettingCodes
        values = {codes.ENABLE_PUSH: 0, codes.INITIAL_WINDOW_SIZE: _WINDOW}
        self._conn.local_settings = settings.Settings(client=True, initial_values=values)
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
        except (OSError, self._error) as e:
            raise _Broken(str(e)) from None

    def _called(self, path: str, request: bytes, until: float) -> _Answer:
        conn = self._conn
        self.is_idle = False
        stream = conn.get_next_available_stream_id()
        conn.send_headers(stream, self._headers(path, until))
        body = memoryview(b"\0" + len(request).to_bytes(4, "big") + request)
        answer = _Answer(stream, self._events)
        while not answer.is_over:
            body = self._send(stream, body)
            self._sock.settimeout(_seconds_left(until))
            self._sock.sendall(conn.data_to_send())
            data = self._sock.recv(_READ)
            if not data:
                raise _Broken("it ended within a call")
            for event in conn.receive_data(data):
                answer.take(event)
                if isinstance(event, self._events.DataReceived):
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
            headers.append(("grpc-timeout", f"{min(milliseconds, 99_999_999)}m"))
        return headers

    def _send(self, stream: int, body: memoryview) -> memoryview:
        """Send as much of a request as the server takes now; return what is left."""
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
        """Let the server send as much more as has come."""
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

    def __init__(self, stream: int, events: Any) -> None:
        self._stream = stream
        self._events = events
        self._data = bytearray()
        self._headers: dict[str, str] = {}
        self.is_over = False

    def take(self, event: Any) -> None:
        """Take an event of the connection."""
        events = self._events
        if isinstance(event, events.ConnectionTerminated):
            last = event.last_stream_id
            if last is not None and last < self._stream:
                raise _Broken("the server is stopping")
            return
        if getattr(event, "stream_id", self._stream) != self._stream:
            return
        if isinstance(event, (events.ResponseReceived, events.TrailersReceived)):
            self._headers.update(event.headers)
        elif isinstance(event, events.DataReceived):
            self._data += event.data
            if len(self._data) > _MOST_BYTES:
                raise Refused(status.RESOURCE_EXHAUSTED, f"the target's answer has more than {_MOST_BYTES:,} bytes")
        elif isinstance(event, events.StreamReset):
            raise _Broken(f"the server has reset the call (error {int(event.error_code)})")
        elif isinstance(event, events.StreamEnded):
            self.is_over = True

    def message(self) -> bytes:
        """Return the answer's message, or raise Refused for another status than OK."""
        code = self._headers.get("grpc-status")
        if code is None:
            http = self._headers.get(":status")
            raise Refused(_UNKNOWN, f"the target doesn't answer as a gRPC server does (HTTP status {http})")
        if code != "0":
            number = int(code) if code.isdecimal() else _UNKNOWN
            raise Refused(number, unquote(self._headers.get("grpc-message", "")))
        data = bytes(self._data)
        length = int.from_bytes(data[1:_PREFIX], "big")
        if len(data) < _PREFIX or data[0] or len(data) != _PREFIX + length:
            raise Refused(status.INTERNAL, "the target's answer is compressed, cut or not a single message")
        return data[_PREFIX:]


def _over_grpcio(address: str, certificates: str | None, server_name: str) -> Call:
    """Return a function that calls methods over grpcio."""
    grpc: Any = load("grpc", GRPCIO)
    options: list[tuple[str, Any]] = [
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", _MOST_BYTES),
        ("grpc.enable_http_proxy", 0),
    ]
    if certificates is None:
        channel = grpc.insecure_channel(address, options)
    else:
        if server_name:
            options.append(("grpc.ssl_target_name_override", server_name))
        files = _contents(certificates, ("ca.crt", "tls.key", "tls.crt"))
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(*files), options)
    methods: dict[str, Any] = {}
    lock = threading.Lock()

    def call(path: str, request: bytes, until: float) -> bytes:
        with lock:
            method = methods.get(path) or methods.setdefault(path, channel.unary_unary(path))
        left = max(until - time.monotonic(), 0.001) if math.isfinite(until) else None
        try:
            answer: bytes = method(request, timeout=left)
        except grpc.RpcError as e:
            text = f"the target {address}: {e.details()}"
            raise Refused(e.code().value[0], text) from None
        return answer

    return call


def _contents(folder: str, names: Iterable[str]) -> list[bytes]:
    found = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            with open(path, "rb") as file:
                found.append(file.read())
        except OSError as e:
            raise InputError(f"{path} can't be read: {e.strerror}") from None
    return found

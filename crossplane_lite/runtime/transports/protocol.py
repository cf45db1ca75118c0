"""gRPC over HTTP/2: sets up the package h2 with a buffer that counts frames, and reads and writes
what gRPC adds.

h2 answers each correct frame. So a peer (a client) could keep a server busy with nothing but small
correct frames, such as pings. Therefore each frame that doesn't advance a call costs the peer one
event or two, and h2 gets the frames of one turn only.

What gRPC adds are headers and the prefix of messages. Compressed messages are refused: Crossplane
sends none. Source: "gRPC over HTTP2" in the documentation of grpc/grpc (PROTOCOL-HTTP2).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.base.extras import load
from ...proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from . import status
from .budget import Exceeded
from .status import Refused

if TYPE_CHECKING:
    from .budget import Limits

__all__ = [
    "FRAME_BYTES",
    "LAST_STREAM",
    "PREFIX_BYTES",
    "CallHeaders",
    "Frames",
    "answer_to_http_1",
    "error_headers",
    "message_length",
    "new_connection",
    "prefix",
    "read_headers",
]

_h2: Final = load("h2.connection", "h2")
_buffer: Final = load("h2.frame_buffer", "h2")
_config: Final = load("h2.config", "h2")
_settings: Final = load("h2.settings", "h2")
_frame: Final = load("hyperframe.frame", "h2")

_SETTINGS: Final = _settings.SettingCodes

FRAME_BYTES: Final = 256 << 10
"""The largest frame that peers may send, in bytes. The limit is high, because each frame takes time
in Python.
"""

_HEAD: Final = 9
_DATA, _HEADERS, _RST_STREAM, _GOAWAY, _CONTINUATION = 0x0, 0x1, 0x3, 0x7, 0x9
_END_STREAM: Final = 0x1
_FRAME_SIZE_ERROR: Final = 0x6
# The longest GOAWAY frame that is read. A peer may add a text for people to it.
_LONGEST_GOAWAY: Final = 1024
# A data frame with fewer bytes costs an event, unless it is a call's last frame.
_SMALL: Final = 1024
# A reset costs more, because the server may have begun with the call.
_COST_OF_RESET: Final = 2

# The largest flow control window of a stream. The window is a whole request of the largest size, up
# to this limit.
_MOST_WINDOW: Final = 16 << 20
LAST_STREAM: Final = 2**31 - 1
"""The greatest number of a stream, and of bytes in a window."""


class _Protocol(_h2.H2Connection):  # type: ignore[name-defined, misc]
    # h2 remembers how streams were closed, by default for 65,536 streams of each connection.
    MAX_CLOSED_STREAMS = 256


def _quiet(cls: Any) -> Any:
    """Return a subclass of a frame class whose `repr` is only the class's name.

    h2 makes the repr of each frame for a trace that nobody reads. The usual repr has the content as
    hexadecimal digits, which takes a third of the time of a large call. `__class__` stays the
    original class, because h2 looks it up.
    """
    return type(
        cls.__name__,
        (cls,),
        {"__repr__": lambda self: cls.__name__, "__class__": property(lambda self: cls)},
    )


_QUIET: Final = {
    cls: _quiet(cls) for cls in (_frame.DataFrame, _frame.HeadersFrame, _frame.WindowUpdateFrame)
}


class Frames(_buffer.FrameBuffer):  # type: ignore[name-defined, misc]
    """The bytes from a peer that aren't processed yet: h2's own buffer, which gives the frames of
    one turn only.

    The limits on sizes are enforced as soon as a frame's head has come.

    Args:
        header_bytes: The largest header block as it is sent, in bytes, in all of its frames
            together.
        server: Whether the peer is a client, which sends a preface.

    Attributes:
        until: When the present turn is over, by `time.monotonic`. At least one frame is taken in
            each turn.
        begun: The number of frames that have begun. The frames of a header block count as one.
        cost: The events that the frames in the present turn cost.
        departing: Whether the peer has sent a GOAWAY frame, so that it begins no more calls and
            takes no more.
        last_stream: The last stream that a departing peer takes.
        behind: Whether the last turn was over before all whole frames were taken.
    """

    def __init__(self, header_bytes: int, *, server: bool = True) -> None:
        super().__init__(server=server)
        self._header_bytes = header_bytes
        self._checked = False  # whether the head of the first frame was checked and counted
        self._taken = False  # whether a frame was taken in the present turn
        self._block_bytes = 0  # of the open header block
        self.until = 0.0
        self.begun = 0
        self.cost = 0
        self.departing = False
        self.last_stream = LAST_STREAM
        self.behind = False

    def __len__(self) -> int:
        """Return how many bytes are kept."""
        return len(self._data) + (self._block_bytes if self._headers_buffer else 0)

    @property
    def inside(self) -> bool:
        """Whether a frame or a header block, or the preface, has come only in part."""
        return bool(self._data or self._headers_buffer or self._preamble_len) and not self.behind

    @property
    def prefaced(self) -> bool:
        """Whether the preface, with which a client begins, has come."""
        return not self._preamble_len

    @property
    def wants_more(self) -> bool:
        """Whether the bytes that have come end inside of a data frame, so that many more are to
        come.
        """
        return self._checked and self._data[3] == _DATA

    def __iter__(self) -> Frames:
        """Begin a turn."""
        self.cost = 0
        self.behind = self._taken = False
        return self

    def __next__(self) -> Any:
        """Return the next frame of the present turn. A header block in several frames becomes one
        frame.
        """
        data = self._data
        while True:
            if len(data) < _HEAD:
                raise StopIteration
            size, kind = data[0] << 16 | data[1] << 8 | data[2], data[3]
            if not self._checked:
                self._check(size, kind, data[4])
                self._checked = True
            if len(data) < _HEAD + size:
                raise StopIteration
            if self._taken and time.monotonic() >= self.until:
                self.behind = True
                raise StopIteration
            self._checked, self._taken = False, True
            if (
                kind != _GOAWAY
                or self._headers_buffer
                or any(data[5:_HEAD])
                or not 8 <= size <= _LONGEST_GOAWAY
            ):
                break
            # After a GOAWAY frame h2 would refuse to send the answers for which the peer still
            # waits. h2 handles wrong GOAWAY frames.
            self.departing = True
            self.last_stream = int.from_bytes(data[_HEAD : _HEAD + 4], "big") & LAST_STREAM
            del data[: _HEAD + size]
        frame = super().__next__()
        quiet = _QUIET.get(type(frame))
        if quiet is not None:
            frame.__class__ = quiet
        return frame

    def _check(self, size: int, kind: int, flags: int) -> None:
        """Count a frame by its head, and raise Exceeded if the frame or the header block is too
        large.
        """
        if size > FRAME_BYTES:
            text = f"a frame has {size:,} bytes; at most {FRAME_BYTES:,} are accepted"
            raise Exceeded(text, _FRAME_SIZE_ERROR)
        self.begun += not self._headers_buffer
        if kind == _DATA:
            self.cost += size < _SMALL and not flags & _END_STREAM
        elif kind == _HEADERS or (kind == _CONTINUATION and self._headers_buffer):
            self._block_bytes = size + (self._block_bytes if self._headers_buffer else 0)
            if self._block_bytes > self._header_bytes:
                raise Exceeded(f"a header block has more than {self._header_bytes:,} bytes")
            self.cost += kind == _CONTINUATION
        else:
            self.cost += _COST_OF_RESET if kind == _RST_STREAM else 1


def new_connection(limits: Limits, frames: Frames, *, server: bool = True) -> Any:
    """Return a new h2 connection with the settings for gRPC. Its SETTINGS frame is ready to be
    sent.

    Args:
        limits: The limits.
        frames: The buffer from which h2 takes frames.
        server: Whether the peer is a client.
    """
    conn = _Protocol(
        _config.H2Configuration(
            client_side=not server,
            header_encoding=None,
            validate_inbound_headers=server,  # a client looks at the status only
            # Our own headers are known to be correct.
            validate_outbound_headers=False,
            normalize_outbound_headers=False,
        )
    )
    window = min(max(limits.receive_bytes + (64 << 10), 64 << 10), _MOST_WINDOW)
    values = {
        _SETTINGS.MAX_CONCURRENT_STREAMS: limits.streams,
        _SETTINGS.MAX_HEADER_LIST_SIZE: limits.header_bytes,
        _SETTINGS.INITIAL_WINDOW_SIZE: window,
        _SETTINGS.MAX_FRAME_SIZE: FRAME_BYTES,
        _SETTINGS.ENABLE_CONNECT_PROTOCOL: 0,
        _SETTINGS.ENABLE_PUSH: 0,
    }
    conn.local_settings = _settings.Settings(client=not server, initial_values=values)
    conn.initiate_connection()
    # If a peer opens too many streams, h2 closes the connection. But a peer may not have read our
    # settings yet. So Connection refuses the single stream, and h2's limit is higher, for peers
    # that ignore our settings.
    values[_SETTINGS.MAX_CONCURRENT_STREAMS] = 10 * limits.streams
    conn.local_settings = _settings.Settings(client=not server, initial_values=values)
    conn.incoming_buffer = frames
    conn.max_inbound_frame_size = FRAME_BYTES
    conn.decoder.max_header_list_size = limits.header_bytes
    conn.increment_flow_control_window(LAST_STREAM - 65535)
    return conn


PREFIX_BYTES: Final = 5
"""The size of a message's prefix: a byte that is 0 (not compressed), and the message's length in
four bytes.
"""

_PATHS: Final = frozenset(f"/{service}/{METHOD}" for service in (V1_SERVICE, V1BETA1_SERVICE))
_ENCODING: Final = b"identity"
_SECONDS: Final = {b"H": 3600.0, b"M": 60.0, b"S": 1.0, b"m": 1e-3, b"u": 1e-6, b"n": 1e-9}

Headers = list[tuple[bytes, bytes]]


_NOT_GRPC: Final = (
    "This is a gRPC server: send POST requests with the content type application/grpc.\n"
)
_NOT_HTTP_2: Final = (
    "This is a gRPC server, which speaks HTTP/2 alone: call it with a client of gRPC.\n"
)
_HTTP_1: Final = re.compile(rb"[A-Z]+ \S+ HTTP/1\.[01]\r?\n")
_FORMATS: Final = frozenset((b"application/grpc", b"application/grpc+proto"))


class CallHeaders(NamedTuple):
    """The contents of a call's headers.

    Attributes:
        timeout: How many seconds the caller waits; None if the caller sets no deadline.
        path: The method's path; an empty string for RunFunction.
    """

    timeout: float | None = None
    path: str = ""


def read_headers(headers: Iterable[tuple[bytes, bytes]]) -> CallHeaders:
    """Read and check the headers of a request.

    Args:
        headers: The names and values, with the pseudo-headers of HTTP/2, such as `:path`.

    Raises:
        Refused: A header of the call is missing or wrong, the compression isn't supported, or the
            request isn't a call of gRPC.
    """
    values = dict(headers)
    if values.get(b":method") != b"POST":
        raise Refused(status.INTERNAL, _NOT_GRPC, 405)
    content_type = values.get(b"content-type", b"").lower().partition(b";")[0].strip()
    if content_type.partition(b"+")[0] != b"application/grpc":
        raise Refused(status.INTERNAL, _NOT_GRPC, 415)
    if content_type not in _FORMATS:
        name = content_type.decode("utf-8", "replace")[:100]
        text = f"this server takes messages of protobuf alone (got the content type {name})"
        raise Refused(status.UNIMPLEMENTED, text)
    if values.get(b"te") != b"trailers":
        raise Refused(
            status.INTERNAL,
            "the header te: trailers is missing; a proxy on the way may have dropped it",
        )
    path = values[b":path"].decode("utf-8", "replace")
    encoding = values.get(b"grpc-encoding", _ENCODING)
    if encoding != _ENCODING:
        name = encoding.decode("utf-8", "replace")[:100]
        text = (
            f"this server takes no compressed messages (got the grpc-encoding {name}): let the"
            " client compress none"
        )
        raise Refused(status.UNIMPLEMENTED, text)
    timeout = values.get(b"grpc-timeout")
    return CallHeaders(
        None if timeout is None else _seconds(timeout), "" if path in _PATHS else path
    )


def answer_to_http_1(data: bytes) -> bytes:
    """Return the answer to the first bytes of a connection if they ask in HTTP/1, otherwise
    nothing.
    """
    if not _HTTP_1.match(data):
        return b""
    head = (
        "HTTP/1.1 400 Bad Request",
        "Content-Type: text/plain",
        f"Content-Length: {len(_NOT_HTTP_2)}",
        "Connection: close",
    )
    return "\r\n".join([*head, "", _NOT_HTTP_2]).encode()


def _seconds(timeout: bytes) -> float:
    digits, unit = timeout[:-1], timeout[-1:]
    if not digits.isdigit() or len(digits) > 8 or unit not in _SECONDS:
        given = timeout[:20].decode("ascii", "replace")
        text = (
            f"grpc-timeout must be up to eight digits and one of H, M, S, m, u, n (got {given!r})"
        )
        raise Refused(status.INTERNAL, text)
    return int(digits) * _SECONDS[unit]


def error_headers(error: Refused) -> Headers:
    """Return the headers of an answer that has a status and no response. A long status text is
    cut.
    """
    if error.http_status != 200:
        headers = [(b":status", str(error.http_status).encode()), (b"content-type", b"text/plain")]
        return [*headers, (b"allow", b"POST")] if error.http_status == 405 else headers
    headers = [
        (b":status", b"200"),
        (b"content-type", b"application/grpc"),
        (b"grpc-status", str(error.code).encode()),
        (b"grpc-message", _percent_encoded(error.text)),
    ]
    if error.code == status.UNIMPLEMENTED:
        headers.append((b"grpc-accept-encoding", _ENCODING))
    return headers


def _percent_encoded(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    # Printable ASCII characters other than % are sent unchanged.
    return b"".join(
        b"%c" % byte if 0x20 <= byte <= 0x7E and byte != 0x25 else b"%%%02X" % byte for byte in data
    )


def message_length(prefix: bytes, limit: int) -> int:
    """Return the length of a message, in bytes, from the message's prefix of `PREFIX_BYTES` bytes.

    Raises:
        Refused: The message is longer than `limit` bytes, or the prefix is wrong.
    """
    if prefix[0]:
        text = (
            f"the first byte of the request, gRPC's compression flag, must be 0 (got {prefix[0]})"
        )
        raise Refused(status.INTERNAL, text)
    length = int.from_bytes(prefix[1:PREFIX_BYTES], "big")
    if length > limit:
        text = (
            f"the request has {length:,} bytes, and is larger than the function's limit of"
            f" {limit:,} bytes: give the function a larger --max-recv-message-size (in MB)"
        )
        raise Refused(status.RESOURCE_EXHAUSTED, text)
    return length


def prefix(message: bytes) -> bytes:
    """Return the prefix of gRPC for a message, which says that the message isn't compressed."""
    return b"\0" + len(message).to_bytes(4, "big")

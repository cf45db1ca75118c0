"""Reads and writes the parts of gRPC over HTTP/2: headers, the prefix of messages, and compression.

Source: "gRPC over HTTP2" in the documentation of grpc/grpc (PROTOCOL-HTTP2).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from . import status
from .status import Refused

__all__ = [
    "NO_HEADERS",
    "PREFIX_BYTES",
    "CallHeaders",
    "NotGrpc",
    "error_headers",
    "message_length",
    "prefixed",
    "read_headers",
    "unpack",
]

PREFIX_BYTES: Final = 5
"""The size of a message's prefix: a byte for compression, and the message's length in four bytes."""

# Status texts are sent in a header, and peers limit headers to 8 KB or less.
_MAX_STATUS_TEXT: Final = 1000

_PATHS: Final = frozenset(f"/{service}/{METHOD}".encode() for service in (V1_SERVICE, V1BETA1_SERVICE))
_ENCODINGS: Final = b"identity,gzip"
_SECONDS: Final = {b"H": 3600.0, b"M": 60.0, b"S": 1.0, b"m": 1e-3, b"u": 1e-6, b"n": 1e-9}

Headers = list[tuple[bytes, bytes]]


class NotGrpc(Exception):
    """A request isn't a call of gRPC. It is answered with an HTTP status and a text, like any HTTP request.

    Attributes:
        http_status: The HTTP status of the answer.
        text: The body of the answer.
    """

    def __init__(self, http_status: int) -> None:
        super().__init__(http_status)
        self.http_status = http_status
        self.text = b"This is a gRPC server: send POST requests with the content type application/grpc.\n"

    def headers(self) -> Headers:
        """Return the HTTP headers of the answer."""
        headers = [(b":status", str(self.http_status).encode()), (b"content-type", b"text/plain")]
        return [*headers, (b"allow", b"POST")] if self.http_status == 405 else headers


class CallHeaders:
    """The contents of a call's headers.

    Attributes:
        timeout: How many seconds the caller waits; None if the caller sets no deadline.
        gzip: Whether the caller may compress the message, with gzip.
        path: The method's path; an empty string for RunFunction.
    """

    __slots__ = ("gzip", "path", "timeout")

    def __init__(self, timeout: float | None, gzip: bool, path: str = "") -> None:
        self.timeout = timeout
        self.gzip = gzip
        self.path = path


NO_HEADERS: Final = CallHeaders(None, False)
"""The headers for a request that isn't a call of gRPC."""


def read_headers(headers: Iterable[tuple[bytes, bytes]]) -> CallHeaders:
    """Read and check the headers of a request.

    Args:
        headers: The names and values, with the pseudo-headers of HTTP/2, such as `:path`.

    Raises:
        NotGrpc: The request isn't a call of gRPC.
        Refused: A header of the call is missing or wrong, or the compression isn't supported.
    """
    values = dict(headers)
    if values.get(b":method") != b"POST":
        raise NotGrpc(405)
    content_type = values.get(b"content-type", b"").lower()
    if content_type.partition(b";")[0].partition(b"+")[0].strip() != b"application/grpc":
        raise NotGrpc(415)
    if values.get(b"te") != b"trailers":
        raise Refused(status.INTERNAL, "the header te: trailers is missing; a proxy on the way may have dropped it")
    path = "" if values[b":path"] in _PATHS else values[b":path"].decode("utf-8", "replace")
    encoding = values.get(b"grpc-encoding", b"identity")
    if encoding not in _ENCODINGS.split(b","):
        name = encoding.decode("utf-8", "replace")
        raise Refused(status.UNIMPLEMENTED, f"grpc-encoding must be identity or gzip (got {name[:100]})")
    timeout = values.get(b"grpc-timeout")
    return CallHeaders(None if timeout is None else _seconds(timeout), encoding == b"gzip", path)


def _seconds(timeout: bytes) -> float:
    digits, unit = timeout[:-1], timeout[-1:]
    if not digits.isdigit() or len(digits) > 8 or unit not in _SECONDS:
        given = timeout[:20].decode("ascii", "replace")
        text = f"grpc-timeout must be up to eight digits and one of H, M, S, m, u, n (got {given!r})"
        raise Refused(status.INTERNAL, text)
    return int(digits) * _SECONDS[unit]


def error_headers(error: Refused) -> Headers:
    """Return the headers of an answer that has a status and no response. A long status text is cut."""
    headers = [
        (b":status", b"200"),
        (b"content-type", b"application/grpc"),
        (b"grpc-status", str(error.code).encode()),
        (b"grpc-message", _percent_encoded(error.text[:_MAX_STATUS_TEXT])),
    ]
    if error.code == status.UNIMPLEMENTED:
        headers.append((b"grpc-accept-encoding", _ENCODINGS))
    return headers


def _percent_encoded(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    # Printable ASCII characters other than % are sent unchanged.
    return b"".join(b"%c" % byte if 0x20 <= byte <= 0x7E and byte != 0x25 else b"%%%02X" % byte for byte in data)


def message_length(prefix: bytes, limit: int) -> int:
    """Return the length of a message, in bytes, from the message's prefix of `PREFIX_BYTES` bytes.

    Raises:
        Refused: The message is longer than `limit` bytes, or the prefix is wrong.
    """
    if prefix[0] > 1:
        raise Refused(
            status.INTERNAL,
            "the request isn't a message of gRPC: its first byte, the compression flag, must be 0 or 1 (got "
            f"{prefix[0]})",
        )
    length = int.from_bytes(prefix[1:PREFIX_BYTES], "big")
    if length > limit:
        text = f"the request has {length:,} bytes, and is larger than {_the_limit(limit)}"
        raise Refused(status.RESOURCE_EXHAUSTED, text)
    return length


def _the_limit(limit: int) -> str:
    return f"the function's limit of {limit:,} bytes: give the function a larger --max-recv-message-size (in MB)"


def unpack(message: bytes, compressed: bool, headers: CallHeaders, limit: int) -> bytes:
    """Return the uncompressed content of a message.

    Args:
        message: The message without its prefix.
        compressed: Whether the prefix says that the message is compressed.
        headers: The call's headers.
        limit: The largest size of a compressed message after uncompressing it, in bytes.

    Raises:
        Refused: The message is compressed without a header that says so, can't be uncompressed, or is too large.
    """
    if not compressed:
        return message
    if not headers.gzip:
        raise Refused(status.INTERNAL, "the message is compressed, but the header grpc-encoding: gzip is missing")
    import zlib  # here, because few callers compress

    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        plain = reader.decompress(message, limit + 1)
    except zlib.error as e:
        raise Refused(status.INTERNAL, f"the message can't be uncompressed with gzip: {e}") from None
    if len(plain) > limit:
        text = f"the uncompressed request is larger than {_the_limit(limit)}"
        raise Refused(status.RESOURCE_EXHAUSTED, text)
    if not reader.eof or reader.unused_data:
        raise Refused(
            status.INTERNAL,
            "the message is not one complete gzip stream: it is cut off, or has more bytes after its end",
        )
    return plain


def prefixed(message: bytes) -> bytes:
    """Return a message with the prefix of gRPC in front, which says that the message isn't compressed."""
    return b"\0" + len(message).to_bytes(4, "big") + message

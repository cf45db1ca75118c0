"""One call over HTTP/2: the pieces of its request, and of its answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from . import grpc_http2, status
from .status import Refused

if TYPE_CHECKING:
    from .connection import Connection
    from .grpc_http2 import CallHeaders

__all__ = ["Call"]

_FOREVER: Final = float("inf")


class Call:
    """A call, from its headers on.

    Attributes:
        connection: Where it came from.
        stream: The number of its stream.
        deadline: When its caller gives up.
        message: The request as it came, once it is whole; nothing of it any more once the call runs.
        dropped: Whether nobody waits for an answer any more.
        trailers: The headers that follow the answer, if there are any.
    """

    __slots__ = (
        *("_answer", "_at", "_chunks", "_compressed", "_length", "_received", "_said", "connection", "deadline"),
        *("dropped", "headers", "held", "message", "stream", "trailers", "until"),
    )

    def __init__(self, connection: Connection, stream: int, headers: CallHeaders, now: float, seconds: float) -> None:
        self.connection = connection
        self.stream = stream
        self.headers = headers
        self.deadline = _FOREVER if headers.timeout is None else now + headers.timeout
        self.until = now + seconds  # the end of what it waits for now: its request, or a window to send
        self.message: bytes | None = None
        self.dropped = False
        self.trailers: list[tuple[bytes, bytes]] = []
        self.held = 0  # bytes of the request that are kept
        self._chunks: list[bytes] = []
        self._received = 0  # bytes of the message and its prefix
        self._length = -1  # of the message, once its prefix is there
        self._compressed = False
        self._answer: bytes | None = None
        self._at = 0  # how much of the answer is sent

    def time_remaining(self) -> float | None:
        """Return how many seconds its caller still waits, None for ever."""
        return None if self.deadline == _FOREVER else self.deadline - time.monotonic()

    def cancel(self) -> None:
        """Do nothing: its connection answers in time, when the deadline is over."""

    def add(self, data: bytes, limit: int) -> None:
        """Take a piece of the request.

        Raises:
            Refused: It is too large, or not one message.
        """
        self._chunks.append(data)
        self._received += len(data)
        if self._length < 0 and self._received >= grpc_http2.PREFIX_BYTES:
            joined = b"".join(self._chunks)
            self._length = grpc_http2.message_length(joined[: grpc_http2.PREFIX_BYTES], limit)
            self._compressed = joined[0] == 1
            self._chunks = [joined[grpc_http2.PREFIX_BYTES :]]
        if 0 <= self._length < self._received - grpc_http2.PREFIX_BYTES:
            raise Refused(status.INTERNAL, "the call has more than one message")

    def complete(self) -> None:
        """Make the message of the pieces.

        Raises:
            Refused: It isn't whole.
        """
        if not self._received:
            raise Refused(status.UNIMPLEMENTED, "the call has no message")
        if self._length != self._received - grpc_http2.PREFIX_BYTES:
            raise Refused(status.INTERNAL, "the call's message is cut off")
        self.message = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks = []

    def unpack(self, limit: int) -> bytes:
        """Return the request as the function takes it. Called where the call runs: it may take time and memory.

        Raises:
            Refused: It can't be uncompressed, or is too large then.
        """
        message = self.message
        assert message is not None
        self.message = b""
        return grpc_http2.unpack(message, self._compressed, self.headers, limit)

    def answered(self, data: bytes, trailers: list[tuple[bytes, bytes]]) -> None:
        """Keep the answer until it is sent."""
        self.message = None
        self._answer = data
        self.trailers = trailers

    @property
    def answering(self) -> bool:
        """Whether it has its answer."""
        return self._answer is not None

    def take(self, most: int) -> bytes:
        """Return the next piece of the answer."""
        assert self._answer is not None
        piece = self._answer[self._at : self._at + most] if most < len(self._answer) else self._answer
        self._at += len(piece)
        return piece

    @property
    def left(self) -> int:
        """How much of the answer is still to be sent."""
        return len(self._answer) - self._at if self._answer is not None else 0

"""One gRPC call over HTTP/2: collects the pieces of the request, and returns the answer in pieces
to send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import protocol, status
from .budget import FOREVER, Pace
from .status import Refused

if TYPE_CHECKING:
    from .budget import Limits
    from .connection import Connection
    from .protocol import CallHeaders

__all__ = ["Call"]


class Call:
    """A call, from the arrival of its headers on.

    Args:
        connection: The connection on which the call arrived.
        stream: The number of the call's HTTP/2 stream.
        headers: The call's headers.
        now: The present time, by `time.monotonic`.
        limits: The server's limits.

    Attributes:
        deadline: When the call is over, by `time.monotonic`: the caller's deadline, within the
            server's limits.
        until: When the request must have arrived; infinity after that.
        pace: The rate at which the peer takes the answer.
        refusal: Why the request isn't a call of gRPC; None if it is one.
        begun: Whether a thread has begun with the call.
        message: The request, after it has arrived completely. Empty after `take_message`; None
            before the request is complete, and after the call is answered.
        dropped: Whether the call is over: answered, refused, or its caller has gone.
        held: How many bytes are charged for the call: its request, and then what is left of its
            answer.
        trailers: The headers after the answer; an empty list for no headers.
    """

    __slots__ = (
        *("_answer", "_at", "_chunks", "_length", "_received", "begun", "connection"),
        *(
            "deadline",
            "dropped",
            "headers",
            "held",
            "message",
            "pace",
            "refusal",
            "stream",
            "trailers",
            "until",
        ),
    )

    def __init__(
        self, connection: Connection, stream: int, headers: CallHeaders, now: float, limits: Limits
    ) -> None:
        self.connection = connection
        self.stream = stream
        self.headers = headers
        self.deadline = now + limits.seconds_for(headers.timeout)
        self.until = now + limits.request_seconds
        self.pace = Pace(limits.send_seconds)
        self.begun = False
        self.refusal: Refused | None = None
        self.message: bytes | None = None
        self.dropped = False
        self.trailers: list[tuple[bytes, bytes]] = []
        self.held = 0
        self._chunks: list[bytes] = []
        self._received = 0  # how many bytes of the message and its prefix have come
        self._length = -1  # the message's length; -1 until the prefix has come
        self._answer: bytes | None = None
        self._at = 0  # how many bytes of the answer are sent

    @property
    def waits_for_peer(self) -> bool:
        """Whether the request is arriving, or the answer waits until the peer takes it."""
        return self.until != FOREVER or self._answer is not None

    def add(self, data: bytes, limit: int) -> None:
        """Add a piece of the request.

        Args:
            data: The piece.
            limit: The largest request, in bytes.

        Raises:
            Refused: The request is larger than `limit`, has more than one message, or begins with a
                wrong prefix.
        """
        self._chunks.append(data)
        self._received += len(data)
        if self._length < 0 and self._received >= protocol.PREFIX_BYTES:
            joined = b"".join(self._chunks)
            self._length = protocol.message_length(joined[: protocol.PREFIX_BYTES], limit)
            self._chunks = [joined[protocol.PREFIX_BYTES :]]
        if 0 <= self._length < self._received - protocol.PREFIX_BYTES:
            raise Refused(status.INTERNAL, status.TWO_MESSAGES)

    def complete(self) -> None:
        """Join the pieces of the request to `message`, after the last piece was added.

        Raises:
            Refused: The request has no message, or the message is cut off.
        """
        if not self._received:
            raise Refused(status.UNIMPLEMENTED, status.NO_MESSAGE)
        if self._length != self._received - protocol.PREFIX_BYTES:
            raise Refused(
                status.INTERNAL,
                "the call's request message is cut off: it has fewer bytes than its prefix says",
            )
        self.message = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks = []

    def take_message(self) -> bytes:
        """Return the request, and empty `message`. Call this once, in the call's thread.

        Raises:
            Refused: Another thread has dropped the call.
        """
        message = self.message
        if message is None:
            raise Refused(status.UNAVAILABLE, "the call is over")
        self.message = b""
        return message

    def answered(self, data: bytes, trailers: list[tuple[bytes, bytes]]) -> None:
        """Keep the answer, and the headers after it, until they are sent. Drop the request."""
        self.message = None
        self._answer = data
        self.trailers = trailers

    def drop(self) -> None:
        """End the call, and free its bytes now. The garbage collector may not find the call in a
        long time.
        """
        self.dropped = True
        self.message = self._answer = None
        self._chunks = []

    @property
    def answering(self) -> bool:
        """Whether the call has an answer that is being sent."""
        return self._answer is not None

    def take(self, most: int) -> bytes:
        """Return the next piece of the answer, which has at most `most` bytes. The piece counts as
        sent.
        """
        assert self._answer is not None
        piece = self._answer[self._at : self._at + most]
        self._at += len(piece)
        return piece

    @property
    def left(self) -> int:
        """How many bytes of the answer aren't sent yet; 0 without an answer."""
        return len(self._answer) - self._at if self._answer is not None else 0

"""One HTTP/2 connection of a gRPC server: makes calls from the peer's bytes, and bytes from
answers.

The peer is the client at the other end. A connection has no socket, no thread and no clock: its
owner passes in the bytes and the time. The package h2 implements the protocol. This module adds the
parts that h2 leaves to its users: flow control, limits, and gRPC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from ..._core.base.extras import load
from . import protocol, status
from .budget import FOREVER, Exceeded
from .call import Call
from .status import Refused

if TYPE_CHECKING:
    from .budget import Budget, Limits

__all__ = ["NO_ERROR", "Connection", "Owner"]

_errors: Final = load("h2.errors", "h2")
_events: Final = load("h2.events", "h2")
_exceptions: Final = load("h2.exceptions", "h2")
_frame: Final = load("hyperframe.frame", "h2")
_hpack: Final = load("hpack", "h2")

_CODES: Final = _errors.ErrorCodes
NO_ERROR: Final = _CODES.NO_ERROR

# At most so many bytes of answers become frames at a time, so that a large answer doesn't hold up
# others.
_PIECE: Final = 256 << 10
# The size of the table for compressing our headers. A peer may allow more, but our few headers
# don't need it.
_HEADER_TABLE_BYTES: Final = 4096

_KEEPALIVE_PING: Final = b"are you?"
_DRAIN_PING: Final = b"goodbye!"
# After so many seconds new calls are refused, even if the peer hasn't answered _DRAIN_PING.
_DRAIN_SECONDS: Final = 1.0

_EVENTS_OF_CALL: Final = 16
_EVENTS_OF_DATA: Final = 3

_HEADERS: Final = [(b":status", b"200"), (b"content-type", b"application/grpc")]
_TRAILERS: Final = [(b"grpc-status", b"0")]


class Owner(Protocol):
    """The owner of a connection. The connection calls these methods when something happens to its
    calls.
    """

    def knows(self, path: str) -> bool:
        """Return whether there is a method with the path `path`; an empty path stands for
        RunFunction.
        """

    def ready(self, call: Call) -> None:
        """Run or refuse a call whose request has arrived completely."""

    def dropped(self, call: Call) -> None:
        """Forget a call that is over: answered, refused, or its caller has gone."""


class Connection:
    """One HTTP/2 connection.

    Args:
        limits: The server's limits.
        owner: The owner, whose methods the connection calls about its calls.
        now: The present time, in seconds of a clock that never goes back. All methods use the same
            clock.
        budget: The account of the connection.
        peer: An object of the owner, which the connection only keeps.

    Attributes:
        peer: As given.
        closed: Whether the connection reads no more bytes. `output` may still have bytes to send.
    """

    def __init__(
        self, limits: Limits, owner: Owner, now: float, budget: Budget, peer: Any = None
    ) -> None:
        self._limits = limits
        self._owner = owner
        self.peer = peer
        self._budget = budget
        self._calls: dict[int, Call] = {}
        self._answering: dict[Call, None] = {}
        # the bytes of data that the peer isn't told of yet, by stream
        self._read: dict[int, int] = {}
        self._out = bytearray()
        self.closed = False
        self._heard = now
        self._asked = FOREVER  # when the ping was sent that isn't answered yet
        self._settled = False  # whether the peer's settings have come
        self._met = False  # whether the peer has acknowledged our settings
        self._settle_until = now + limits.handshake_seconds
        # when the frame or header block began that hasn't arrived completely
        self._inside = FOREVER
        self._begun = 0
        # 1: the peer was told that the connection will close; 2: new calls are refused
        self._draining = 0
        self._drain_until = FOREVER
        self._frames = protocol.Frames(limits.header_bytes)
        self._h2 = protocol.new_connection(limits, self._frames)

    @property
    def idle(self) -> bool:
        """Whether the connection has no open call."""
        return not self._calls

    @property
    def untaken(self) -> int:
        """How many bytes of answers wait until the peer takes them."""
        return sum(call.left for call in self._answering)

    @property
    def behind(self) -> bool:
        """Whether whole frames are left for the next turn."""
        return self._frames.behind and not self.closed

    @property
    def wants_more(self) -> bool:
        """Whether many more bytes are to come now: the rest of a data frame."""
        return self._frames.wants_more

    def receive(self, data: bytes, now: float, until: float = FOREVER) -> None:
        """Process bytes from the peer, until the turn is over. Bytes that break the protocol or a
        limit close it.

        If the turn ends before all bytes are processed, `behind` is true. The answers to the bytes,
        such as an error, are in `output`.

        Args:
            data: The bytes; empty to go on with those that are left.
            now: The present time.
            until: When the turn is over, by `time.monotonic`.
        """
        if self.closed:
            return
        frames = self._frames
        frames.until = until
        self._heard = now
        self._asked = FOREVER
        try:
            events = self._h2.receive_data(data)
            self._budget.spend(frames.cost, now)
            for event in events:
                handler = _HANDLERS.get(event.__class__)
                if handler is not None:
                    handler(self, event, now)
            # once for all frames of a call, because it takes time
            while self._read and not self.closed:
                stream, size = self._read.popitem()
                self._h2.acknowledge_received_data(size, stream)
        except Exceeded as e:
            self.fail(e.code, str(e))
            return
        except _exceptions.ProtocolError:  # h2 has written a GOAWAY frame with the reason
            self._collect()
            answer = b"" if frames.prefaced else protocol.answer_to_http_1(data)
            if answer:
                self._out[:] = answer
            self.abandon()
            return
        if not frames.inside:
            self._inside = FOREVER
        elif self._begun != frames.begun or self._inside == FOREVER:
            self._inside = now
        self._begun = frames.begun
        self._end_if_over()

    def _on_request(self, event: Any, now: float) -> None:
        stream = event.stream_id
        if self._gone(stream):  # h2 has already read a later frame that resets the stream
            return
        if self._draining == 2 or len(self._calls) >= self._limits.streams:
            self._reset(stream, _CODES.REFUSED_STREAM)
            return
        self._budget.last = now
        try:
            headers = protocol.read_headers(event.headers)
            if not self._owner.knows(headers.path):
                raise Refused(status.UNIMPLEMENTED, f"there is no method {headers.path[:200]}")
        except Refused as e:
            if e.http_status == 200:
                self._send_error(stream, e)
            else:
                # answered at the request's end: frames after the headers may be an error of the
                # whole connection
                call = self._calls[stream] = Call(
                    self, stream, protocol.CallHeaders(), now, self._limits
                )
                call.refusal = e
            return
        self._calls[stream] = Call(self, stream, headers, now, self._limits)

    def _on_data(self, event: Any, _: float) -> None:
        size = len(event.data)
        self._read[event.stream_id] = (
            self._read.get(event.stream_id, 0) + event.flow_controlled_length
        )
        call = self._calls.get(event.stream_id)
        if call is None or call.message is not None or call.answering or call.refusal:
            return  # the call was answered already, or its content doesn't matter
        if size > 1023:
            self._budget.earn(_EVENTS_OF_DATA)
        try:
            call.add(event.data, self._limits.receive_bytes)
        except Refused as e:
            self.refuse(call, e)
            return
        self.hold(call, size)

    def _on_end(self, event: Any, now: float) -> None:
        call = self._calls.get(event.stream_id)
        # a later frame may have reset the stream
        if call is None or call.answering or self._gone(event.stream_id):
            return
        if call.refusal:
            self._send(
                call, protocol.error_headers(call.refusal), call.refusal.text.encode(), [], now
            )
            return
        call.until = FOREVER
        try:
            call.complete()
        except Refused as e:
            self.refuse(call, e)
            return
        self._budget.complete(now)
        self._owner.ready(call)

    def _on_reset(self, event: Any, _: float) -> None:
        call = self._calls.get(event.stream_id)
        if call is not None:
            self._forget(call)

    def _on_settings(self, _event: Any, _: float) -> None:
        self._settled = True
        if self._h2.encoder.header_table_size > _HEADER_TABLE_BYTES:
            self._h2.encoder.header_table_size = _HEADER_TABLE_BYTES

    def _on_acknowledged(self, _event: Any, _: float) -> None:
        if self._met:
            return
        self._met = True
        if self._draining == 1:
            self._announce_end()

    def _on_pong(self, event: Any, _: float) -> None:
        if event.ping_data == _DRAIN_PING and self._draining == 1:
            self._refuse_new()

    def answer(self, call: Call, response: bytes, now: float) -> None:
        """Begin to send the response of a call; refuse the call (RESOURCE_EXHAUSTED) if the
        response is too large.

        Do nothing if the call is over.
        """
        if call.dropped:
            return
        most = self._limits.send_bytes
        if most is not None and len(response) > most:
            text = (
                f"the response has {len(response):,} bytes, and is larger than the function's limit"
                f" of {most:,} bytes"
            )
            self.refuse(call, Refused(status.RESOURCE_EXHAUSTED, text))
            return
        self._send(call, _HEADERS, protocol.prefix(response) + response, _TRAILERS, now)
        self._pump(now)

    def _send(self, call: Call, headers: Any, data: bytes, trailers: Any, now: float) -> None:
        call.answered(data, trailers)
        self.hold(call, call.left - call.held)
        call.pace.wait(now)
        self._h2.send_headers(call.stream, headers)
        self._answering[call] = None

    def refuse(self, call: Call, error: Refused) -> None:
        """Answer a call with the status in `error` and no response; do nothing if the call is over.

        If a part of the response was already sent, the call's stream is reset instead.
        """
        if call.dropped:
            return
        begun = call.answering
        self._forget(call)
        if begun:  # headers for an answer were sent already, so only a reset can end the stream
            self._reset(call.stream, _CODES.CANCEL)
        else:
            self._send_error(call.stream, error)
        self._end_if_over()

    def hold(self, call: Call, size: int) -> None:
        """Charge `size` more bytes that are held for a call; fewer if it is negative; nothing if
        the call is over.
        """
        if not call.dropped:
            call.held += size
            self._budget.hold(size)

    def make_room(self) -> bool:
        """Refuse one call, to make room in the server's memory; return False if none can be
        refused.

        This is the oldest call whose request is arriving or whose answer waits for the peer;
        otherwise the last call that waits for a thread.
        """
        found = next(
            (call for call in self._calls.values() if call.waits_for_peer and call.held), None
        )
        found = found or next(
            (call for call in reversed(self._calls.values()) if not call.begun and call.held), None
        )
        if found is None:
            return False
        text = (
            f"the server holds more than {self._limits.memory:,} bytes for its callers, and most of"
            " them for this connection; send the request again later"
        )
        self.refuse(found, Refused(status.RESOURCE_EXHAUSTED, text))
        return True

    def drain(self, now: float) -> None:
        """Refuse new calls, and close the connection when the open calls are answered.

        This takes two steps, because the peer may have begun a call that hasn't arrived yet. First
        a GOAWAY frame tells the peer that the connection will close, and a ping follows. When the
        ping is answered, the peer has read the frame, and its calls from before have arrived. From
        then on, or after a second, new calls are refused.

        The first step waits until the peer has acknowledged our settings: a client of grpcio that
        reads both in one piece may wait for ever (1.84).
        """
        if self._draining or self.closed:
            return
        self._draining = 1
        self._drain_until = now + _DRAIN_SECONDS
        if self._met:
            self._announce_end()

    def _announce_end(self) -> None:
        self._say_goodbye(protocol.LAST_STREAM)
        self._h2.ping(_DRAIN_PING)

    def _refuse_new(self) -> None:
        self._draining = 2
        self._drain_until = FOREVER
        self._say_goodbye(self._h2.highest_inbound_stream_id)
        self._end_if_over()

    def _say_goodbye(self, last_stream: int) -> None:
        # Not by h2: after h2 has sent a GOAWAY frame, it sends and receives nothing more.
        self._collect()
        self._out += _frame.GoAwayFrame(0, last_stream_id=last_stream, error_code=0).serialize()

    def fail(self, code: Any, text: str) -> None:
        """Close the connection, and tell the peer why: `code` is HTTP/2's error code, `text` a
        message for people.
        """
        if self.closed:
            return
        try:
            self._h2.close_connection(code, text.encode())
        except _exceptions.ProtocolError:  # h2 has closed it
            pass
        self._collect()
        self.abandon()

    def abandon(self) -> None:
        """Close the connection and drop all calls, without a message to the peer."""
        self.closed = True
        for call in list(self._calls.values()):
            self._forget(call)

    def output(self, now: float) -> bytes:
        """Return the next bytes to send to the peer; empty bytes if there is nothing to send
        now.
        """
        if not self.closed:
            # a client of HTTP/1 couldn't read an answer behind our settings
            if not self._frames.prefaced:
                return b""
            self._pump(now)
            self._collect()
        data = bytes(self._out)
        self._out.clear()
        return data

    @property
    def pending(self) -> int:
        """The number of bytes that are ready for `output`. Answers that wait for flow control don't
        count.
        """
        self._collect()
        return len(self._out)

    @property
    def buffered(self) -> int:
        """The number of bytes from the peer that aren't processed, and of bytes that are ready for
        `output`.
        """
        return len(self._frames) + self.pending

    def check(self, now: float) -> None:
        """Enforce the time limits: close the connection, ping the peer, refuse late calls, or begin
        to refuse new ones.

        Args:
            now: The present time, by `time.monotonic`.
        """
        if self.closed:
            return
        limits = self._limits
        if not self._settled and now >= self._settle_until:
            self.fail(
                _CODES.SETTINGS_TIMEOUT,
                f"no SETTINGS frame came within {limits.handshake_seconds:g} seconds",
            )
        elif now >= self._inside + limits.request_seconds:
            text = (
                f"a frame or header block took more than {limits.request_seconds:g} seconds to"
                " arrive"
            )
            self.fail(_CODES.ENHANCE_YOUR_CALM, text)
        elif now >= self._asked + limits.keepalive_timeout_seconds:
            self.fail(
                _CODES.NO_ERROR,
                f"a ping was not answered within {limits.keepalive_timeout_seconds:g} seconds",
            )
        elif self._asked == FOREVER and now >= self._heard + limits.keepalive_seconds:
            self._asked = now
            self._h2.ping(_KEEPALIVE_PING)
        if now >= self._drain_until:
            self._refuse_new()
        for call in [
            call
            for call in self._calls.values()
            if now >= min(call.deadline, call.until, call.pace.until)
        ]:
            if call.answering or now >= call.deadline:
                text = "the call's deadline is over"
            else:
                text = (
                    f"the request took too long to arrive: more than {limits.request_seconds:g}"
                    " seconds"
                )
            self.refuse(call, Refused(status.DEADLINE_EXCEEDED, text))

    def _pump(self, now: float) -> None:
        """Make frames from the answers, a frame of each in turn, until flow control or `_PIECE`
        (256 KB) ends it.
        """
        if not self._answering:
            return
        conn = self._h2
        room = _PIECE
        moved = True
        while moved and room > 0 and self._answering:
            moved = False
            for call in list(self._answering):
                size = min(
                    call.left,
                    conn.local_flow_control_window(call.stream),
                    conn.max_outbound_frame_size,
                )
                if size <= 0:
                    continue
                last = size == call.left
                conn.send_data(call.stream, call.take(size), end_stream=last and not call.trailers)
                self.hold(call, -size)
                call.pace.took(size, now)
                self._budget.earn(_EVENTS_OF_DATA)
                room -= size
                moved = True
                if last:
                    if call.trailers:
                        conn.send_headers(call.stream, call.trailers, end_stream=True)
                    # if the answer came before the request's end
                    self._reset(call.stream, _CODES.NO_ERROR)
                    self._budget.earn(_EVENTS_OF_CALL)
                    self._forget(call)
        self._end_if_over()

    def _send_error(self, stream: int, error: Refused) -> None:
        # Each text is different, so it must not fill the table for compressing headers.
        headers = [
            _hpack.NeverIndexedHeaderTuple(*pair) if pair[0] == b"grpc-message" else pair
            for pair in protocol.error_headers(error)
        ]
        if not self._gone(stream):
            self._h2.send_headers(stream, headers, end_stream=True)
            self._reset(stream, _CODES.NO_ERROR)  # the peer need not send the rest of the request

    def _reset(self, stream: int, code: Any) -> None:
        if not self._gone(stream):
            self._h2.reset_stream(stream, code)

    def _gone(self, stream: int) -> bool:
        found = self._h2.streams.get(stream)
        return found is None or found.closed

    def _forget(self, call: Call) -> None:
        self._calls.pop(call.stream, None)
        self._answering.pop(call, None)
        self.hold(call, -call.held)
        call.drop()
        self._owner.dropped(call)

    def _collect(self) -> None:
        self._out += self._h2.data_to_send()

    def _end_if_over(self) -> None:
        """Close the connection if no call is open, and a GOAWAY frame of either side has said that
        none will follow.
        """
        if not self._calls and (self._draining == 2 or self._frames.departing) and not self.closed:
            self._collect()
            self.closed = True


_HANDLERS: Final = {
    _events.RequestReceived: Connection._on_request,
    _events.DataReceived: Connection._on_data,
    _events.StreamEnded: Connection._on_end,
    _events.StreamReset: Connection._on_reset,
    _events.RemoteSettingsChanged: Connection._on_settings,
    _events.SettingsAcknowledged: Connection._on_acknowledged,
    _events.PingAckReceived: Connection._on_pong,
}

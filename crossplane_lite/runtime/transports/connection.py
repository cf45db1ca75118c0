"""One HTTP/2 connection as a server of gRPC sees it: bytes come in, calls come out, answers become bytes.

It has no socket, no thread and no clock: its owner says which bytes came and what time it is. h2 keeps to the protocol;
the parts that it leaves to its users are here: who may send what when, limits, and gRPC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from ..._base.extras import load
from . import grpc_http2, http2, status
from .call import Call
from .frames import Credits, Flood, Frames
from .grpc_http2 import NotGrpc
from .status import Refused

if TYPE_CHECKING:
    from .limits import Limits

__all__ = ["NO_ERROR", "Connection", "Owner"]

_errors: Final = load("h2.errors", "h2")
_events: Final = load("h2.events", "h2")
_exceptions: Final = load("h2.exceptions", "h2")
_frame: Final = load("hyperframe.frame", "h2")
_hpack: Final = load("hpack", "h2")

_CODES: Final = _errors.ErrorCodes
NO_ERROR: Final = _CODES.NO_ERROR

_LAST_STREAM: Final = 2**31 - 1
# Made into frames at once, so that answers of other calls don't wait behind a large one.
_PIECE: Final = 256 << 10
# The peer may ask for larger tables of headers than our few headers need.
_HEADER_TABLE_BYTES: Final = 4096

_KEEPALIVE_PING: Final = b"are you?"
_DRAIN_PING: Final = b"goodbye!"
# How long a peer has for the answer to that ping, until calls that it begins are refused.
_DRAIN_SECONDS: Final = 1.0

_CREDITS_OF_CALL: Final = 16
_CREDITS_OF_DATA: Final = 3

_HEADERS: Final = [(b":status", b"200"), (b"content-type", b"application/grpc")]
_TRAILERS: Final = [(b"grpc-status", b"0")]

_FOREVER: Final = float("inf")


class Owner(Protocol):
    """Who has a connection, and hears of its calls."""

    def knows(self, path: str) -> bool:
        """Say whether there is a method of that path; an empty one is RunFunction."""

    def opened(self, call: Call) -> None:
        """A call has begun; its request is being received."""

    def took(self, call: Call, size: int) -> None:
        """So many bytes of the call's request are kept from now on."""

    def ready(self, call: Call) -> None:
        """The call's request is whole."""

    def dropped(self, call: Call) -> None:
        """The call is over: answered, refused, or nobody waits for it any more."""


class Connection:
    """One connection.

    Args:
        limits: How much of everything.
        owner: Hears of calls.
        now: The time, as in all methods: seconds of a clock that never goes back.
        peer: Whose connection it is, for the owner.

    Attributes:
        closed: Whether nothing is read any more. Bytes may be left to send.
        had_calls: Whether it has had a call.
        last_call: When it last had one; its beginning if it has had none.
    """

    def __init__(self, limits: Limits, owner: Owner, now: float, peer: Any = None) -> None:
        self._limits = limits
        self._owner = owner
        self.peer = peer
        self._calls: dict[int, Call] = {}
        self._answering: dict[Call, None] = {}
        self._not_grpc: dict[int, NotGrpc] = {}  # requests of other protocols that haven't ended, by stream
        self._frames = Frames(http2.FRAME_BYTES, 4 * limits.header_bytes)
        self._credits = Credits(now)
        self._out = bytearray()
        self.closed = False
        self.had_calls = False
        self.last_call = now
        self._heard = now
        self._asked = _FOREVER  # when the ping was sent to which there is no answer yet
        self._settled = False  # whether the peer's settings are there
        self._settle_until = now + limits.handshake_seconds
        self._inside = _FOREVER  # when the frame or header block began that isn't whole yet
        self._begun = 0
        self._draining = 0  # 1: it was said; 2: no new calls
        self._drain_until = _FOREVER
        self._h2 = http2.protocol(limits)

    @property
    def idle(self) -> bool:
        """Whether it has no call."""
        return not self._calls

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes of the peer."""
        if self.closed:
            return
        self._heard = now
        self._asked = _FOREVER
        try:
            passed = self._frames.pass_on(data)
            self._credits.spend(self._frames.cost, now)
            events = self._h2.receive_data(passed)
            for event in events:
                handler = _HANDLERS.get(event.__class__)
                if handler is not None:
                    handler(self, event, now)
        except Flood as e:
            self.fail(e.code, str(e))
            return
        except _exceptions.ProtocolError:  # h2 has written a GOAWAY frame that says what
            self._collect()
            self.abandon()
            return
        if not self._frames.inside:
            self._inside = _FOREVER
        elif self._begun != self._frames.begun or self._inside == _FOREVER:
            self._inside = now
        self._begun = self._frames.begun
        self._end_if_over()

    def _on_request(self, event: Any, now: float) -> None:
        stream = event.stream_id
        if self._gone(stream):  # reset, by a frame that h2 has read together with this one
            return
        if self._draining == 2 or len(self._calls) >= self._limits.streams:
            self._reset(stream, _CODES.REFUSED_STREAM)
            return
        self.had_calls = True
        self.last_call = now
        try:
            headers = grpc_http2.read_headers(event.headers)
            if not self._owner.knows(headers.path):
                raise Refused(status.UNIMPLEMENTED, f"there is no method {headers.path[:200]}")
        except Refused as e:
            self._send_error(stream, e)
            return
        except NotGrpc as e:
            call = Call(self, stream, grpc_http2.NO_HEADERS, now, self._limits.request_seconds)
            self._calls[stream] = call
            # Answered at its end: what follows the headers may be an error of the whole connection.
            self._not_grpc[stream] = e
            return
        call = Call(self, stream, headers, now, self._limits.request_seconds)
        if headers.timeout is None:
            call.deadline = now + self._limits.call_seconds
        self._calls[stream] = call
        self._owner.opened(call)

    def _on_data(self, event: Any, _: float) -> None:
        size = len(event.data)
        if event.flow_controlled_length:
            self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        call = self._calls.get(event.stream_id)
        if call is None or call.message is not None or call.answering or event.stream_id in self._not_grpc:
            return  # it was answered already, or what it says doesn't matter
        if size > 1023:
            self._credits.earn(_CREDITS_OF_DATA)
        try:
            call.add(event.data, self._limits.receive_bytes)
        except Refused as e:
            self.refuse(call, e)
            return
        self._owner.took(call, size)

    def _on_end(self, event: Any, now: float) -> None:
        call = self._calls.get(event.stream_id)
        if call is None or call.answering or self._gone(event.stream_id):  # reset by the next frame, perhaps
            return
        other = self._not_grpc.pop(event.stream_id, None)
        if other is not None:
            self._send(call, other.headers(), other.text, [], now)
            return
        call.until = _FOREVER
        try:
            call.complete()
        except Refused as e:
            self.refuse(call, e)
            return
        self._owner.ready(call)

    def _on_reset(self, event: Any, _: float) -> None:
        call = self._calls.get(event.stream_id)
        if call is not None:
            self._forget(call)

    def _on_settings(self, _event: Any, _: float) -> None:
        self._settled = True
        if self._h2.encoder.header_table_size > _HEADER_TABLE_BYTES:
            self._h2.encoder.header_table_size = _HEADER_TABLE_BYTES

    def _on_pong(self, event: Any, _: float) -> None:
        if event.ping_data == _DRAIN_PING and self._draining == 1:
            self._refuse_new()

    def answer(self, call: Call, response: bytes, now: float) -> None:
        """Send a response."""
        most = self._limits.send_bytes
        if most is not None and len(response) > most:
            text = f"the response is larger than the limit ({len(response)} vs. {most} bytes)"
            self.refuse(call, Refused(status.RESOURCE_EXHAUSTED, text))
            return
        self._send(call, _HEADERS, grpc_http2.prefixed(response), _TRAILERS, now)
        self._pump(now)

    def _send(self, call: Call, headers: Any, data: bytes, trailers: Any, now: float) -> None:
        call.answered(data, trailers)
        call.until = now + self._limits.send_seconds
        self._h2.send_headers(call.stream, headers)
        self._answering[call] = None

    def refuse(self, call: Call, error: Refused) -> None:
        """Answer a call with a status alone."""
        if call.dropped:
            return
        begun = call.answering
        self._forget(call)
        if begun:  # its headers have gone, and the rest can't
            self._reset(call.stream, _CODES.CANCEL)
        else:
            self._send_error(call.stream, error)
        self._end_if_over()

    def drain(self, now: float) -> None:
        """Take no new calls from now on, and close when those that there are have their answers.

        In two steps, because the peer may have begun a call that isn't here yet: the first frame says that the end is
        near. When the peer has answered a ping it has read that frame, and all that it sent before is here.
        """
        if self._draining or self.closed:
            return
        self._draining = 1
        self._drain_until = now + _DRAIN_SECONDS
        self._say_goodbye(_LAST_STREAM)
        self._h2.ping(_DRAIN_PING)

    def _refuse_new(self) -> None:
        self._draining = 2
        self._drain_until = _FOREVER
        self._say_goodbye(self._h2.highest_inbound_stream_id)
        self._end_if_over()

    def _say_goodbye(self, last_stream: int) -> None:
        # h2's own way of sending this frame lets nothing be sent or received after it.
        self._collect()
        self._out += _frame.GoAwayFrame(0, last_stream_id=last_stream, error_code=0).serialize()

    def fail(self, code: Any, text: str) -> None:
        """Close the connection, and tell the peer why."""
        if self.closed:
            return
        try:
            self._h2.close_connection(code, text.encode())
        except _exceptions.ProtocolError:  # h2 has closed it
            pass
        self._collect()
        self.abandon()

    def abandon(self) -> None:
        """Forget all calls: the peer has gone, or is to go."""
        self.closed = True
        for call in list(self._calls.values()):
            self._forget(call)

    def output(self, now: float) -> bytes:
        """Return bytes for the peer, if there are any."""
        if not self.closed:
            self._pump(now)
            self._collect()
        data = bytes(self._out)
        self._out.clear()
        return data

    @property
    def pending(self) -> int:
        """How many bytes wait for `output`."""
        self._collect()
        return len(self._out)

    def check(self, now: float) -> None:
        """Do what is due by now."""
        if self.closed:
            return
        if not self._settled and now >= self._settle_until:
            self.fail(_CODES.SETTINGS_TIMEOUT, "no settings came")
        elif now >= self._inside + self._limits.request_seconds:
            self.fail(_CODES.ENHANCE_YOUR_CALM, "a frame took too long")
        elif now >= self._asked + self._limits.keepalive_timeout_seconds:
            self.fail(_CODES.NO_ERROR, "a ping was not answered")
        elif self._asked == _FOREVER and now >= self._heard + self._limits.keepalive_seconds:
            self._asked = now
            self._h2.ping(_KEEPALIVE_PING)
        if now >= self._drain_until:
            self._refuse_new()
        for call in [call for call in self._calls.values() if now >= call.deadline or now >= call.until]:
            if call.answering or now >= call.deadline:
                text = "the call's deadline is over"
            else:
                text = "the request took too long to arrive"
            self.refuse(call, Refused(status.DEADLINE_EXCEEDED, text))

    def due(self) -> float:
        """Return when `check` has something to do next."""
        if self.closed:
            return _FOREVER
        due = min(
            _FOREVER if self._settled else self._settle_until,
            self._inside + self._limits.request_seconds,
            self._asked + self._limits.keepalive_timeout_seconds,
            self._heard + self._limits.keepalive_seconds if self._asked == _FOREVER else _FOREVER,
            self._drain_until,
        )
        for call in self._calls.values():
            due = min(due, call.deadline, call.until)
        return due

    def _pump(self, now: float) -> None:
        """Make frames of answers, in turns, as far as the peer's windows allow and not too many at once."""
        if not self._answering:
            return
        conn = self._h2
        room = _PIECE
        moved = True
        while moved and room > 0 and self._answering:
            moved = False
            for call in list(self._answering):
                size = min(call.left, conn.local_flow_control_window(call.stream), conn.max_outbound_frame_size)
                if size <= 0:
                    continue
                last = size == call.left
                conn.send_data(call.stream, call.take(size), end_stream=last and not call.trailers)
                call.until = now + self._limits.send_seconds
                self._credits.earn(_CREDITS_OF_DATA)
                room -= size
                moved = True
                if last:
                    if call.trailers:
                        conn.send_headers(call.stream, call.trailers, end_stream=True)
                    self._reset(call.stream, _CODES.NO_ERROR)  # where the request was answered before its end
                    self._credits.earn(_CREDITS_OF_CALL)
                    self._forget(call)
        self._end_if_over()

    def _send_error(self, stream: int, error: Refused) -> None:
        # A text may hold anything; it is not for the tables of headers.
        headers = [
            _hpack.NeverIndexedHeaderTuple(*pair) if pair[0] == b"grpc-message" else pair
            for pair in grpc_http2.error_headers(error)
        ]
        if not self._gone(stream):
            self._h2.send_headers(stream, headers, end_stream=True)
            self._reset(stream, _CODES.NO_ERROR)  # the rest of the request isn't wanted

    def _reset(self, stream: int, code: Any) -> None:
        if not self._gone(stream):
            self._h2.reset_stream(stream, code)

    def _gone(self, stream: int) -> bool:
        found = self._h2.streams.get(stream)
        return found is None or found.closed

    def _forget(self, call: Call) -> None:
        self._calls.pop(call.stream, None)
        self._answering.pop(call, None)
        self._not_grpc.pop(call.stream, None)
        call.dropped = True
        self._owner.dropped(call)

    def _collect(self) -> None:
        self._out += self._h2.data_to_send()

    def _end_if_over(self) -> None:
        """Close when the peer or this side has said that no more calls come, and all have their answers."""
        if not self._calls and (self._draining == 2 or self._frames.departing) and not self.closed:
            self._collect()
            self.closed = True


_HANDLERS: Final = {
    _events.RequestReceived: Connection._on_request,
    _events.DataReceived: Connection._on_data,
    _events.StreamEnded: Connection._on_end,
    _events.StreamReset: Connection._on_reset,
    _events.RemoteSettingsChanged: Connection._on_settings,
    _events.PingAckReceived: Connection._on_pong,
}

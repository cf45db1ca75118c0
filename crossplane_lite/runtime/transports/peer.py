"""A peer's socket: the TLS handshake, reading and writing without waiting, and closing so that no answer gets lost.

The peer is the client at the other end of a connection.
"""

from __future__ import annotations

import contextlib
import socket
from selectors import EVENT_READ, EVENT_WRITE
from typing import TYPE_CHECKING, Any, Final

from . import handshakes
from .connection import NO_ERROR, Connection, Owner

if TYPE_CHECKING:
    from .limits import Limits

__all__ = ["Peer"]

_READ_BYTES: Final = 64 << 10
# The most reads in a row, so that a peer that sends fast doesn't keep the others waiting.
_READS: Final = 16
# If so many bytes wait to be sent, the peer's bytes aren't read. Otherwise a peer that reads nothing could make us keep
# ever more answers, such as answers to pings.
_MOST_PENDING: Final = 256 << 10
# If a socket is closed with unread bytes, the last written bytes get lost. So bytes are read and dropped for a while.
_LINGER_SECONDS: Final = 1.0
_LINGER_READS: Final = 64
_FOREVER: Final = float("inf")

# The exceptions of a socket that would have to wait. Those of ssl are recognised by name, because a server without TLS
# doesn't import ssl.
_WOULD_WAIT: Final = (BlockingIOError, InterruptedError)


class Peer:
    """One accepted connection. No method waits for the peer.

    Args:
        sock: The connection's non-blocking socket. With TLS it is an SSLSocket, and the handshake isn't done yet.
        tls: Whether the connection uses TLS.
        limits: The server's limits.
        owner: The owner, whose methods the connection calls about its calls.
        now: The present time, in seconds of a clock that never goes back. All methods use the same clock.

    Attributes:
        connection: The HTTP/2 connection; None until the TLS handshake is over.
        draining: Whether new calls are refused, because the server stops.
        gone: Whether the connection has ended, and the owner must call `release`.
        more: Whether TLS may have unread bytes that it has taken from the socket, so that a selector doesn't report
            them.
        since: When the connection began.
    """

    __slots__ = (
        *("_handshake_until", "_limits", "_linger_reads", "_linger_until", "_out", "_owner", "_sock", "_stalled_until"),
        *("_name", "_tls", "_wants_write", "connection", "draining", "gone", "more", "since"),
    )

    def __init__(self, sock: socket.socket, tls: bool, limits: Limits, owner: Owner, now: float) -> None:
        self._sock = sock
        self._tls = tls
        self._name = handshakes.name_of(sock) if tls else ""
        self._limits = limits
        self._owner = owner
        self._out = memoryview(b"")
        self._handshake_until = now + limits.handshake_seconds if tls else _FOREVER
        self._stalled_until = _FOREVER
        self._linger_until = _FOREVER
        self._linger_reads = _LINGER_READS
        self._wants_write = False
        self.since = now
        self.connection = None if tls else Connection(limits, owner, now, self)
        self.draining = False
        self.gone = False
        self.more = False

    def fileno(self) -> int:
        """Return the socket's file descriptor, for selectors."""
        return self._sock.fileno()

    @property
    def events(self) -> int:
        """The events that a selector must wait for, `EVENT_READ` or `EVENT_WRITE` or both."""
        events = EVENT_WRITE if self._wants_write else 0
        if self._linger_until != _FOREVER or not self._too_much_pending():
            events |= EVENT_READ
        return events or EVENT_READ

    def _too_much_pending(self) -> bool:
        return len(self._out) > _MOST_PENDING or (bool(self._out) and self._connection_pending() > _MOST_PENDING)

    def _connection_pending(self) -> int:
        return 0 if self.connection is None else self.connection.pending

    @property
    def worth(self) -> tuple[bool, float]:
        """A key for sorting. To make room for others, the connection with the least key is closed first.

        The key is a pair: whether the connection has had a call, and when its last call (or else the connection) began.
        """
        if self.connection is None:
            return False, self.since
        return self.connection.had_calls, self.connection.last_call

    @property
    def idle(self) -> bool:
        """Whether the connection has no open call."""
        return self.connection is None or self.connection.idle

    def ready(self, events: int, now: float) -> None:
        """Continue the handshake, or read and write, after a selector has reported `events` for the socket."""
        try:
            if self._linger_until != _FOREVER:
                self._discard()
                return
            if self.connection is None:
                if not self._shake_hands(now):
                    return
                events |= EVENT_READ  # HTTP/2 bytes may have come with the last message of the handshake
            if events & EVENT_READ and not self._too_much_pending():
                self._read(now)
            self.write(now)
        except OSError:  # ssl's errors are OSErrors, too
            self.close()

    def write(self, now: float) -> None:
        """Send the connection's output, as far as the socket accepts it; begin to close a connection that has ended."""
        connection = self.connection
        if connection is None or self.gone or self._linger_until != _FOREVER:
            return
        try:
            while True:
                if not self._out:
                    self._out = memoryview(connection.output(now))
                    if not self._out:
                        self._wants_write = False
                        self._stalled_until = _FOREVER
                        break
                sent = self._send()
                if sent is None:
                    self._wants_write = True
                    if self._stalled_until == _FOREVER:
                        self._stalled_until = now + self._limits.send_seconds
                    return
                self._out = self._out[sent:]
                self._stalled_until = _FOREVER
        except OSError:
            self.close()
            return
        if connection.closed:
            self._linger(now)

    def check(self, now: float) -> None:
        """Enforce the time limits at the time `now`: close the connection, or do what `Connection.check` does."""
        if now >= self._handshake_until and not self.draining:
            self._fail(f"the client took more than {self._limits.handshake_seconds:g} seconds", now)
        if now >= self._handshake_until or now >= self._stalled_until or now >= self._linger_until:
            self.close()
        elif self.connection is not None:
            self.connection.check(now)
            self.write(now)

    def due(self) -> float:
        """Return the time at which `check` must be called next; infinity if no time limit is running."""
        connection = _FOREVER if self.connection is None else self.connection.due()
        return min(self._handshake_until, self._stalled_until, self._linger_until, connection)

    def drain(self, now: float) -> None:
        """Refuse new calls, and close the connection when the open calls are answered (see `Connection.drain`).

        If the TLS handshake isn't over, it gets one more second.
        """
        self.draining = True
        if self.connection is None:
            # The first call may be on its way, so the handshake gets a second, but no more: the server stops.
            self._handshake_until = min(self._handshake_until, now + _LINGER_SECONDS)
        else:
            self.connection.drain(now)
            self.write(now)

    def close(self) -> None:
        """Drop all calls, and set `gone`. `release` closes the socket."""
        if self.gone:
            return
        self.gone = True
        self.more = False
        if self._tls:
            _forget_errors()
        if self.connection is not None:
            self.connection.abandon()

    def release(self) -> None:
        """Close the socket. Call this after the socket is removed from the selector."""
        self._sock.close()

    def give_way(self, now: float) -> None:
        """Close this connection, to make room for another. If HTTP/2 has begun, tell the peer so."""
        if self.connection is None or self._linger_until != _FOREVER:
            self.close()
        else:
            text = f"the server has its limit of {self._limits.connections:,} connections, and closes idle ones"
            self.connection.fail(NO_ERROR, text)
            self.write(now)
            self.close()

    def _shake_hands(self, now: float) -> bool:
        """Go on with the TLS handshake; return True if it is over, and HTTP/2 can begin.

        A peer that doesn't choose HTTP/2 is disconnected.

        Raises:
            OSError: The handshake fails.
        """
        sock: Any = self._sock
        try:
            sock.do_handshake()
        except OSError as e:
            wanted = _wanted(e)
            if wanted is None:
                self._fail(handshakes.reason_of(sock, e), now)
                raise
            self._wants_write = wanted == EVENT_WRITE
            return False
        self._wants_write = False
        if sock.selected_alpn_protocol() != "h2":
            self._fail("the client didn't offer HTTP/2 (the protocol h2, by ALPN): let it use gRPC", now)
            self.close()
            return False
        self._handshake_until = _FOREVER
        self.connection = Connection(self._limits, self._owner, now, self)
        if self.draining:
            self.connection.drain(now)
        return True

    def _fail(self, reason: str, now: float) -> None:
        if reason:
            handshakes.failures.add(self._name, reason, now)

    def _read(self, now: float) -> None:
        assert self.connection is not None
        self.more = False
        for _ in range(_READS):
            data = self._receive()
            if data is None:
                return
            if not data:
                self.close()
                return
            self.connection.receive(data, now)
            if self.connection.closed or (not self._tls and len(data) < _READ_BYTES):
                return
        # A selector doesn't see bytes that TLS has already read from the socket.
        self.more = self._tls

    def _receive(self) -> bytes | None:
        """Return the next bytes from the peer: None if no bytes have come yet, empty bytes if the peer has gone."""
        try:
            return self._sock.recv(_READ_BYTES)
        except OSError as e:
            if _wanted(e) is None:
                raise
            return None

    def _send(self) -> int | None:
        try:
            return self._sock.send(self._out)
        except OSError as e:
            if _wanted(e) is None:
                raise
            return None

    def _linger(self, now: float) -> None:
        """End the sending side of the connection, and give the peer a second to close the connection."""
        self._linger_until = now + _LINGER_SECONDS
        self._wants_write = False
        with contextlib.suppress(OSError, ValueError):
            if self._tls:
                try:
                    self._sock.unwrap()  # type: ignore[attr-defined]  # an SSLSocket
                finally:
                    _forget_errors()
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)

    def _discard(self) -> None:
        while self._linger_reads:
            self._linger_reads -= 1
            data = self._receive()
            if data is None:
                return
            if not data:
                break
        self.close()


_any_context: Any = None


def _forget_errors() -> None:
    """Empty this thread's queue of OpenSSL errors. Call this after a connection with TLS has failed.

    With OpenSSL 3.4 and later, Python leaves errors of the system there, such as a broken pipe. The next read of any
    other connection in this thread would then fail with that error (python/cpython, issue 148594).
    """
    global _any_context
    import ssl

    if _any_context is None:
        _any_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with contextlib.suppress(ssl.SSLError):
        _any_context.set_ciphers("no such cipher")  # Python empties the queue when this fails


def _wanted(error: OSError) -> int | None:
    """Return the event to wait for before a socket operation is tried again; None if `error` isn't about waiting."""
    if isinstance(error, _WOULD_WAIT):
        return EVENT_READ
    name = type(error).__name__
    if name == "SSLWantReadError":
        return EVENT_READ
    return EVENT_WRITE if name == "SSLWantWriteError" else None

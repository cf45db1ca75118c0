"""A peer's socket: the handshake of TLS, reading and writing without waiting, and an end that the peer can read."""

from __future__ import annotations

import contextlib
import socket
from selectors import EVENT_READ, EVENT_WRITE
from typing import TYPE_CHECKING, Any, Final

from .connection import NO_ERROR, Connection, Owner

if TYPE_CHECKING:
    from .limits import Limits

__all__ = ["Peer"]

_READ_BYTES: Final = 64 << 10
# Reads in a row, so that one peer that sends fast doesn't keep the others waiting.
_READS: Final = 16
# A peer that doesn't read what it makes us send (answers to pings, to settings) isn't read any more.
_MOST_PENDING: Final = 256 << 10
# Closing a socket with unread bytes loses what was written last. So they are read for a while, and thrown away.
_LINGER_SECONDS: Final = 1.0
_LINGER_READS: Final = 64
_FOREVER: Final = float("inf")

# What a socket raises when it would have to wait. Those of ssl are told apart by name: a server
# without TLS doesn't load ssl.
_WOULD_WAIT: Final = (BlockingIOError, InterruptedError)


class Peer:
    """One accepted connection. Every method returns at once.

    Args:
        sock: Its socket; where TLS is spoken, wrapped, with the handshake still to be made.
        tls: Whether TLS is spoken.
        limits: How much of everything.
        owner: Hears of calls.
        now: The time.

    Attributes:
        connection: HTTP/2, once the handshake is over.
        gone: Whether it is over, and the socket to be closed.
        more: Whether bytes may be left to read that no selector knows of.
        events: What a selector should wait for.
    """

    __slots__ = (
        *("_handshake_until", "_limits", "_linger_reads", "_linger_until", "_out", "_owner", "_sock", "_stalled_until"),
        *("_tls", "_wants_write", "connection", "draining", "gone", "more", "since"),
    )

    def __init__(self, sock: socket.socket, tls: bool, limits: Limits, owner: Owner, now: float) -> None:
        self._sock = sock
        self._tls = tls
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
        """Return the socket's number."""
        return self._sock.fileno()

    @property
    def events(self) -> int:
        """What to wait for."""
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
        """Whether it has had a call, and when the last one was, or when it began; the least is the first to go."""
        if self.connection is None:
            return False, self.since
        return self.connection.had_calls, self.connection.last_call

    @property
    def idle(self) -> bool:
        """Whether it has no call."""
        return self.connection is None or self.connection.idle

    def ready(self, events: int, now: float) -> None:
        """Go on: the socket can be read or written."""
        try:
            if self._linger_until != _FOREVER:
                self._discard()
                return
            if self.connection is None:
                if not self._shake_hands(now):
                    return
                events |= EVENT_READ  # what came with the last message of the handshake
            if events & EVENT_READ and not self._too_much_pending():
                self._read(now)
            self.write(now)
        except OSError:  # ssl's errors are of this kind as well
            self.close()

    def write(self, now: float) -> None:
        """Send what there is to send, as far as the socket takes it."""
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
        """Do what is due by now."""
        if now >= self._handshake_until or now >= self._stalled_until or now >= self._linger_until:
            self.close()
        elif self.connection is not None:
            self.connection.check(now)
            self.write(now)

    def due(self) -> float:
        """Return when `check` has something to do next."""
        connection = _FOREVER if self.connection is None else self.connection.due()
        return min(self._handshake_until, self._stalled_until, self._linger_until, connection)

    def drain(self, now: float) -> None:
        """Take no new calls, and end when the running ones are answered."""
        self.draining = True
        if self.connection is None:
            # Its first call may be on the way, but the process is about to end.
            self._handshake_until = min(self._handshake_until, now + _LINGER_SECONDS)
        else:
            self.connection.drain(now)
            self.write(now)

    def close(self) -> None:
        """End at once."""
        if self.gone:
            return
        self.gone = True
        self.more = False
        if self.connection is not None:
            self.connection.abandon()

    def release(self) -> None:
        """Give the socket back, once no selector knows it any more."""
        self._sock.close()

    def give_way(self, now: float) -> None:
        """End, because others need the place."""
        if self.connection is None or self._linger_until != _FOREVER:
            self.close()
        else:
            self.connection.fail(NO_ERROR, "too many connections; this one had no call for longest")
            self.write(now)
            self.close()

    def _shake_hands(self, now: float) -> bool:
        """Go on with the handshake; say whether it is over, and HTTP/2 begins."""
        sock: Any = self._sock
        try:
            sock.do_handshake()
        except OSError as e:
            wanted = _wanted(e)
            if wanted is None:
                raise
            self._wants_write = wanted == EVENT_WRITE
            return False
        self._wants_write = False
        if sock.selected_alpn_protocol() != "h2":
            self.close()
            return False
        self._handshake_until = _FOREVER
        self.connection = Connection(self._limits, self._owner, now, self)
        if self.draining:
            self.connection.drain(now)
        return True

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
        # A selector doesn't see what TLS has read already.
        self.more = self._tls

    def _receive(self) -> bytes | None:
        """Return bytes: empty where the peer has gone, None where nothing has come yet."""
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
        """Say that nothing more comes, and wait for the peer to close."""
        self._linger_until = now + _LINGER_SECONDS
        self._wants_write = False
        with contextlib.suppress(OSError, ValueError):
            if self._tls:
                self._sock.unwrap()  # type: ignore[attr-defined]  # an SSLSocket
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


def _wanted(error: OSError) -> int | None:
    """Return the event that a socket waits for, None where the error is a real one."""
    if isinstance(error, _WOULD_WAIT):
        return EVENT_READ
    name = type(error).__name__
    if name == "SSLWantReadError":
        return EVENT_READ
    return EVENT_WRITE if name == "SSLWantWriteError" else None

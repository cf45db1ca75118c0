"""A peer's socket: the TLS handshake, reading and writing without waiting, and closing so that no
answer gets lost.

The peer is the client at the other end of a connection. Failed handshakes are counted, and logged
once a minute.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable
from selectors import EVENT_READ, EVENT_WRITE
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .. import log
from .budget import FOREVER, Budget, Pace, Shared
from .connection import NO_ERROR, Connection, Owner

if TYPE_CHECKING:
    from ..tls import Certificates
    from .budget import Limits

__all__ = ["Failures", "Peer", "failures", "name_of", "reason_of"]

Done = TypeVar("Done")

_READ_BYTES: Final = 16 << 10
_READ_MORE_BYTES: Final = 64 << 10  # inside of a data frame, whose bytes cost little time
# If so many bytes wait to be sent, the peer's bytes aren't read. Otherwise a peer that reads
# nothing could make us keep ever more answers, such as answers to pings.
_MOST_PENDING: Final = 256 << 10
# If a socket is closed with unread bytes, the last written bytes get lost. So bytes are read and
# dropped for a while.
_LINGER_SECONDS: Final = 1.0
_LINGER_READS: Final = 64

# The exceptions of a socket that would have to wait. Those of ssl are recognised by name, because a
# server without TLS doesn't import ssl.
_WOULD_WAIT: Final = (BlockingIOError, InterruptedError)


class Peer:
    """One accepted connection. No method waits for the peer. All are called with `lock` held.

    Args:
        sock: The connection's non-blocking socket.
        certificates: The certificates for mutual TLS; None for a connection without transport
            security.
        limits: The server's limits.
        owner: The owner, whose methods the connection calls about its calls.
        shared: The accounts of the server, to which the connection's are charged.
        now: The present time, in seconds of a clock that never goes back. All methods use the same
            clock.

    Attributes:
        lock: Must be held to use the peer or its connection.
        budget: The account of the connection.
        waits_for: The events for which the owner's selector waits.
        connection: The HTTP/2 connection; None until the TLS handshake is over.
        draining: Whether new calls are refused, because the server stops.
        gone: Whether the connection has ended, and the owner must call `release`.
        more: Whether bytes are left that a selector doesn't report: TLS has taken them from the
            socket, or the turn was over before they were processed.
    """

    __slots__ = (
        *(
            "_certificates",
            "_handshake_until",
            "_limits",
            "_linger_reads",
            "_linger_until",
            "_name",
            "_out",
            "_owner",
        ),
        *(
            "_pace",
            "_sock",
            "_tls",
            "_wants_write",
            "budget",
            "connection",
            "draining",
            "gone",
            "lock",
            "more",
        ),
        "waits_for",
    )

    def __init__(
        self,
        sock: socket.socket,
        certificates: Certificates | None,
        limits: Limits,
        owner: Owner,
        shared: Shared,
        now: float,
    ) -> None:
        tls = certificates is not None
        self._sock = sock
        self._certificates = certificates
        self._tls = tls
        self._name = name_of(sock)
        self._limits = limits
        self._owner = owner
        self._out = memoryview(b"")
        self._handshake_until = now + limits.handshake_seconds if tls else FOREVER
        self._pace = Pace(limits.send_seconds)
        self._linger_until = FOREVER
        self._linger_reads = _LINGER_READS
        self._wants_write = False
        self.lock = threading.Lock()
        self.budget = Budget(shared, now, self._name.rpartition(":")[0])
        self.waits_for = EVENT_READ
        self.connection = None if tls else Connection(limits, owner, now, self.budget, self)
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
        if self._linger_until != FOREVER or not self._too_much_pending():
            events |= EVENT_READ
        return events or EVENT_READ

    @property
    def lingers(self) -> bool:
        """Whether the connection has ended, and waits for the peer to close it."""
        return self._linger_until != FOREVER

    def _too_much_pending(self) -> bool:
        more = self.connection.pending if self._out and self.connection is not None else 0
        return len(self._out) + more > _MOST_PENDING

    @property
    def idle(self) -> bool:
        """Whether the connection has no open call."""
        return self.connection is None or self.connection.idle

    def ready(self, events: int, now: float, until: float) -> None:
        """Continue the handshake, or read and write, after a selector has reported `events` for the
        socket.

        Bytes are processed until the turn is over, at the time `until`. The time is charged to the
        budget.
        """
        try:
            if self._linger_until != FOREVER:
                self._discard()
                return
            if self.connection is None:
                if not self._shake_hands(now):
                    return
                # HTTP/2 bytes may have come with the last message of the handshake
                events |= EVENT_READ
            if (events & EVENT_READ or self.more) and not self._too_much_pending():
                self._read(now, until)
            self.write(now)
        except OSError:  # ssl's errors are OSErrors, too
            self.close()
        finally:
            self.budget.work(time.monotonic() - now, now)

    def write(self, now: float) -> None:
        """Send the connection's output, as far as the socket accepts it; begin to close a
        connection that has ended.
        """
        connection = self.connection
        if connection is None or self.gone or self._linger_until != FOREVER:
            return
        try:
            while True:
                if not self._out:
                    self._out = memoryview(connection.output(now))
                    if not self._out:
                        self._wants_write = False
                        self._pace.done()
                        break
                sent = self._at_once(self._sock.send, self._out)
                if sent is None:
                    self._wants_write = True
                    self._pace.wait(now)
                    break
                self._out = self._out[sent:]
                self._pace.took(sent, now)
        except OSError:
            self.close()
            return
        self.budget.buffer(len(self._out) + connection.buffered)
        if connection.closed and not self._out:
            self._linger(now)

    def check(self, now: float) -> None:
        """Enforce the time limits at the time `now`: close the connection, or do what
        `Connection.check` does.
        """
        if now >= self._handshake_until and not self.draining:
            failures.add(
                self._name,
                f"the client took more than {self._limits.handshake_seconds:g} seconds",
                now,
            )
        if now >= self._handshake_until or now >= self._pace.until or now >= self._linger_until:
            self.close()
        elif self.connection is not None:
            self.connection.check(now)
            self.write(now)

    def drain(self, now: float) -> None:
        """Refuse new calls, and close the connection when the open calls are answered (see
        `Connection.drain`).

        If the TLS handshake isn't over, it gets one more second.
        """
        self.draining = True
        if self.connection is None:
            # The first call may be on its way, so the handshake gets a second, but no more: the
            # server stops.
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
        self.budget.buffer(0)

    def release(self) -> None:
        """Close the socket. Call this after the socket is removed from the selector."""
        self._sock.close()

    def give_way(self, now: float) -> None:
        """Close this connection, to make room for another. If HTTP/2 has begun, tell the peer
        so.
        """
        if self.connection is None or self._linger_until != FOREVER:
            self.close()
        else:
            text = (
                f"the server has its limit of {self._limits.connections:,} connections, and closes"
                " idle ones"
            )
            self.connection.fail(NO_ERROR, text)
            self.write(now)
            self.close()

    def make_room(self) -> bool:
        """Refuse a call, or close the connection, to make room in the server's memory; return False
        if nothing helps.

        Call `write` next. A running call can't be stopped.
        """
        if self.connection is None or self.gone:
            return False
        if self.connection.make_room():
            return True
        if len(self._out) + self.connection.buffered:
            self.close()
        return self.gone

    def _shake_hands(self, now: float) -> bool:
        """Go on with the TLS handshake; return True if it is over, and HTTP/2 can begin.

        A peer that doesn't choose HTTP/2 is disconnected.

        Raises:
            OSError: The handshake fails.
        """
        if self._certificates is not None:  # only now, because some clients connect and say nothing
            self._certificates.changed()
            context, self._certificates = self._certificates.context, None
            self._sock = context.wrap_socket(
                self._sock, server_side=True, do_handshake_on_connect=False
            )
        sock: Any = self._sock
        self.budget.last = now  # the newest newcomers come first: this one is further than others
        try:
            sock.do_handshake()
        except OSError as e:
            wanted = _wanted(e)
            if wanted is None:
                failures.add(self._name, reason_of(sock, e), now)
                raise
            self._wants_write = wanted == EVENT_WRITE
            return False
        self._wants_write = False
        if sock.selected_alpn_protocol() != "h2":
            failures.add(
                self._name,
                "the client didn't offer HTTP/2 (the protocol h2, by ALPN): let it use gRPC",
                now,
            )
            self.close()
            return False
        self._handshake_until = FOREVER
        self.connection = Connection(self._limits, self._owner, now, self.budget, self)
        if self.draining:
            self.connection.drain(now)
        return True

    def _read(self, now: float, until: float) -> None:
        connection = self.connection
        assert connection is not None
        self.more = False
        while True:
            size = _READ_MORE_BYTES if connection.wants_more else _READ_BYTES
            data = b"" if connection.behind else self._at_once(self._sock.recv, size)
            if data is None:
                return
            if not data and not connection.behind:
                self.close()
                return
            # What the frames mean is done after reading them, and takes about as long.
            connection.receive(data, now, (time.monotonic() + until) / 2)
            if connection.closed:
                return
            # A selector doesn't see bytes that TLS has already read from the socket.
            left = connection.behind or (self._tls and self._sock.pending() > 0)  # type: ignore[attr-defined]
            if time.monotonic() >= until:
                self.more = left
                return
            if not left and len(data) < size:
                return

    def _at_once(self, operation: Callable[[Any], Done], argument: Any) -> Done | None:
        """Return the result of a socket's operation; None if it would have to wait."""
        try:
            return operation(argument)
        except OSError as e:
            if _wanted(e) is None:
                raise
            return None

    def _linger(self, now: float) -> None:
        """End the sending side of the connection, and give the peer a second to close the
        connection.
        """
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
            data = self._at_once(self._sock.recv, _READ_MORE_BYTES)
            if data is None:
                return
            if not data:
                break
        self.close()


_any_context: Any = None


def _forget_errors() -> None:
    """Empty this thread's queue of OpenSSL errors. Call this after a connection with TLS has
    failed.

    With OpenSSL 3.4 and later, Python leaves errors of the system there, such as a broken pipe. The
    next read of any other connection in this thread would then fail with that error
    (python/cpython, issue 148594).
    """
    global _any_context
    import ssl

    if _any_context is None:
        _any_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with contextlib.suppress(ssl.SSLError):
        _any_context.set_ciphers("no such cipher")  # Python empties the queue when this fails


def _wanted(error: OSError) -> int | None:
    """Return the event to wait for before a socket operation is tried again; None if `error` isn't
    about waiting.
    """
    if isinstance(error, _WOULD_WAIT):
        return EVENT_READ
    name = type(error).__name__
    if name == "SSLWantReadError":
        return EVENT_READ
    return EVENT_WRITE if name == "SSLWantWriteError" else None


_log = logging.getLogger(__name__)

_GIVE: Final = "give it a certificate that the CA in ca.crt has signed"
_NOT_TLS: Final = "the client sent plain text or another protocol: let it connect with TLS"
_SELF_SIGNED: Final = 18  # X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
_REASONS: Final = {
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": f"the client showed no certificate: {_GIVE}",
    "HTTP_REQUEST": _NOT_TLS,
    "WRONG_VERSION_NUMBER": _NOT_TLS,
}


class Failures:
    """The failed handshakes of this process.

    Attributes:
        count: The number of handshakes that have failed.
    """

    def __init__(self) -> None:
        self.count = 0
        self._seldom = log.Seldom()

    def add(self, peer: str, reason: str, now: float) -> None:
        """Count a failed handshake, and log it, unless another was logged in the last minute.

        Args:
            peer: The client's address.
            reason: Why the handshake failed; if it is empty, nothing is counted.
            now: The present time, by `time.monotonic`.
        """
        if not reason:
            return
        self.count += 1
        more = self._seldom.more(now)
        if more is not None:
            _log.warning("the TLS handshake with %s failed: %s%s", peer, reason, more)


failures: Final = Failures()
"""The failed handshakes of this process."""


def name_of(sock: socket.socket) -> str:
    """Return the address of a socket's peer, as text for people."""
    with contextlib.suppress(OSError):
        found = sock.getpeername()
        if isinstance(found, tuple):
            host = str(found[0]).removeprefix("::ffff:")  # IPv4 by a socket for both
            return f"[{host}]:{found[1]}" if ":" in host else f"{host}:{found[1]}"
    return "a client without an address"


def reason_of(sock: Any, error: OSError) -> str:
    """Return why a handshake has failed.

    Args:
        sock: The SSLSocket.
        error: The exception of `do_handshake`.

    Returns:
        The reason. It is empty if the client has closed the connection before it asked for
        anything. Probes that only connect do that.
    """
    reason = str(getattr(error, "reason", None) or "")
    # The exceptions of ssl are recognised by name, because this module is loaded without TLS, too.
    if isinstance(error, ConnectionError) or type(error).__name__ in (
        "SSLEOFError",
        "SSLZeroReturnError",
    ):
        return "" if sock.shared_ciphers() is None else "the client closed the connection"
    if reason == "CERTIFICATE_VERIFY_FAILED":
        if getattr(error, "verify_code", 0) == _SELF_SIGNED:
            return (
                "no CA in ca.crt has signed the client's certificate: it is self-signed, or another"
                " CA of that name has signed it; give it one that the CA in ca.crt has signed, or"
                " try the transport grpcio (--transport grpcio)"
            )
        why = getattr(error, "verify_message", "")
        return f"the client's certificate isn't valid ({why}): {_GIVE}"
    words = reason.replace("_", " ").lower() or error.strerror or str(error)
    if "_ALERT_" in reason:
        return f"the client refused it ({words})"
    return _REASONS.get(reason, words)

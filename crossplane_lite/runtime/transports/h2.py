"""The transport that uses the package h2: pure Python, with one selector for all sockets and a crew of threads.

A crew is a pool of threads of which one waits for the sockets at a time (see `crew`). Because there is one selector
instead of a thread for each connection, a thousand idle connections need no threads, and limits, deadlines and the
queue of calls are in one place. docs/reference/transports.rst has measurements.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..._base.extras import load
from ..._base.type_names import type_in_words
from ...errors import InputError, UsageError
from .. import address as addresses
from . import H2, Handle, Others, listening, status
from .call import Call
from .crew import Crew
from .status import Refused

if TYPE_CHECKING:
    from ..tls import Certificates
    from .limits import Limits
    from .peer import Peer

load("h2", "h2")  # raises an error if h2 isn't installed; `listen` imports the modules that use it

__all__ = ["H2Transport"]

_ACCEPTS: Final = 64
# Open files that the process needs in addition to its connections.
_OTHER_FILES: Final = 64
_FEWEST_PEERS: Final = 16
# Deadlines are checked no more often than this, because checking thousands of connections takes a while.
_TICK_SECONDS: Final = 0.01
_PAUSE_SECONDS: Final = 1.0
_NO_MORE_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_FOREVER: Final = float("inf")

_log = logging.getLogger(__name__)


class H2Transport:
    """The transport that serves gRPC over HTTP/2: over TLS, or in plain text without an upgrade from HTTP/1.1.

    Args:
        handle: Answers calls of RunFunction; None if RunFunction isn't served.
        limits: The server's limits.
        others: Returns the functions that answer other methods.
    """

    name = H2

    def __init__(self, handle: Handle | None, limits: Limits, others: Others) -> None:
        self._handle = handle
        self._others = others
        self._limits = limits
        self._most_peers = min(limits.connections, max(_FEWEST_PEERS, listening.most_files() - _OTHER_FILES))
        self._listeners: list[tuple[socket.socket, Certificates | None]] = []
        self._sockets_to_remove: list[tuple[str, int]] = []
        self._peers: dict[Peer, int] = {}  # with the events that the selector waits for
        self._more: dict[Peer, None] = {}
        self._crew: Crew[Call, bytes | Refused] = Crew(
            self._turn, self._run, self._hand_back, limits.threads, limits.waiting
        )
        self._receiving: dict[Call, None] = {}  # in the order in which the calls began
        self._held = 0  # how many bytes of requests are kept in memory
        self._touched: dict[Peer, None] = {}
        self._due = _FOREVER  # when connections must be checked next
        self._asleep_until = 0.0  # until when the leading thread waits at most
        self._paused_until = _FOREVER
        self._stop_at = _FOREVER
        self._stopping = False
        self._ended = threading.Event()
        self._started = False

    def listen(self, address: str, certificates: Certificates | None) -> str:
        """Listen on an address, and return the address with the port that was taken.

        Args:
            address: `host:port` or `unix:path`. Port 0 takes a free port.
            certificates: The certificates for mutual TLS; None serves without transport security.

        Raises:
            InputError: The address is wrong, the server can't listen on it, or OpenSSL can't verify clients of the CA.
            UsageError: The certificates are credentials of grpcio, which h2 can't use.
        """
        where = addresses.parse(address)
        # The attribute is made when it is asked for, and is an error if OpenSSL can't verify clients of the CA.
        if certificates is not None and not hasattr(certificates, "context"):
            kind = type_in_words(certificates)
            raise UsageError(
                f"the transport h2 takes only credentials that load_credentials() returns (got {kind}); give those, or "
                "choose the transport grpcio"
            )
        try:
            found = listening.unix_socket(where.path) if where.path else listening.sockets(where)
        except OSError as e:
            if e.errno == errno.EADDRINUSE and not where.path:
                raise addresses.in_use(address) from None
            reason = (e.strerror or str(e)).lower()
            raise InputError(f"can't listen on {address}: {reason}") from e
        if where.path and not where.path.startswith("\0"):
            self._sockets_to_remove.append((where.path, os.stat(where.path).st_ino))
        self._listeners += [(sock, certificates) for sock in found]
        # Imported after the sockets listen: clients that connect now wait, instead of being refused.
        from .peer import Peer

        self._new_peer = Peer
        if where.path:
            return address
        return f"{address.rpartition(':')[0]}:{found[0].getsockname()[1]}"

    def start(self) -> None:
        """Answer calls from now on, in other threads."""
        self._started = True
        self._selector = selectors.DefaultSelector()
        self._wake, self._poke = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._poke, False)
        self._selector.register(self._wake, selectors.EVENT_READ)
        self._listen(True)
        self._crew.start()

    def stop(self, grace: float) -> None:
        """Refuse new calls, wait for the running calls for at most `grace` seconds, and end the transport."""
        if not self._started:
            self._close_listeners()
            return
        with self._crew.lock:
            if not self._ended.is_set():
                self._stop_at = time.monotonic() + grace
                self._stopping = True
                self._wake_up()
        self._ended.wait(grace + 1)

    @property
    def waiting(self) -> int:
        """The number of calls that wait for a thread."""
        return self._crew.waiting

    def look(self) -> None:
        """Do nothing: the thread that waits for the sockets enforces the time limits."""

    # Connections call the next five methods, with the crew's lock held.

    def knows(self, path: str) -> bool:
        """Return whether there is a method with the path `path`; an empty path stands for RunFunction."""
        return self._others(path) is not None if path else self._handle is not None

    def opened(self, call: Call) -> None:
        """Remember that a call has begun, and that its request is arriving."""
        self._receiving[call] = None

    def took(self, call: Call, size: int) -> None:
        """Count `size` more bytes of a call's request.

        If the requests in memory then have more than `Limits.request_memory` bytes, refuse the calls whose requests
        have been arriving for the longest time.
        """
        call.held += size
        self._held += size
        while self._held > self._limits.request_memory and self._receiving:
            # The oldest goes first: so a peer that never ends its requests can't keep others out.
            slowest = next(iter(self._receiving))
            text = (
                f"the requests that the server holds have more than {self._limits.request_memory:,} bytes, and this "
                "one took longest to arrive; send it again later"
            )
            slowest.connection.refuse(slowest, Refused(status.RESOURCE_EXHAUSTED, text))
            self._touch(slowest)

    def ready(self, call: Call) -> None:
        """Queue a call, whose request has arrived completely, for a thread; refuse the call if the queue is full.

        A call of a method other than RunFunction, such as a health check, is answered at once.
        """
        del self._receiving[call]
        if call.headers.path:
            self._answer_quickly(call)
        elif not self._crew.submit(call):
            text = f"too many calls wait for a thread: {self._limits.waiting:,}; call again later, or raise --threads"
            call.connection.refuse(call, Refused(status.RESOURCE_EXHAUSTED, text))

    def _answer_quickly(self, call: Call) -> None:
        quick = self._others(call.headers.path)
        assert quick is not None
        try:
            call.connection.answer(call, quick(call.unpack(self._limits.receive_bytes)), time.monotonic())
        except Refused as e:
            call.connection.refuse(call, e)

    def dropped(self, call: Call) -> None:
        """Forget a call that is over: answered, refused, or its caller has gone."""
        self._held -= call.held
        call.held = 0
        self._receiving.pop(call, None)
        self._crew.forget(call)

    # The crew calls the next three methods.

    def _run(self, call: Call) -> bytes | Refused:
        assert self._handle is not None
        try:
            return self._handle(call.unpack(self._limits.receive_bytes), call)
        except Refused as e:
            return e
        except BaseException as e:  # MemoryError, for example; the thread must go on
            _log.error("a call has failed in the server, outside of the function's code: %s", type(e).__name__)
            return Refused(status.INTERNAL, "the server failed; its log says why")

    def _hand_back(self, call: Call, outcome: bytes | Refused) -> None:
        if not call.dropped:
            self._with(call.connection.peer, _answer, call, outcome, time.monotonic())

    def _turn(self) -> bool:
        """Wait for sockets, and read and write those that are ready; return False when the transport has ended.

        This is the crew's `lead`. An exception is logged, and the next turn begins after a second.
        """
        with self._crew.lock:
            now = time.monotonic()
            if self._ended.is_set():
                return False
            if self._stopping and (not self._peers or now >= self._stop_at):
                self._end()
                return False
            wake = 0.0 if self._more else min(self._due, self._paused_until, self._stop_at)
            self._asleep_until = wake
        try:
            selected = self._selector.select(None if wake == _FOREVER else max(0.0, wake - now))
            with self._crew.lock:
                self._asleep_until = 0.0
                self._look_at(selected)
        except Exception:
            # The next leading thread goes on. Without a pause, a lasting fault would keep a processor busy.
            _log.exception("the transport has failed; it goes on in a second")
            time.sleep(_PAUSE_SECONDS)
        return True

    def _look_at(self, selected: list[tuple[selectors.SelectorKey, int]]) -> None:
        now = time.monotonic()
        for key, events in selected:
            data = key.data
            if data is None:
                self._woken(now)
            elif data.__class__ is not tuple:
                self._with(data, data.ready, events, now)
            elif data in self._listeners:
                self._accept(data, now)
        if self._more:
            again, self._more = self._more, {}
            for peer in again:
                self._with(peer, peer.ready, selectors.EVENT_READ, now)
        while self._touched:
            peer = next(iter(self._touched))
            del self._touched[peer]
            self._with(peer, peer.write, now)
        if now >= self._due:
            self._due = _FOREVER
            for peer in list(self._peers):
                self._with(peer, peer.check, now)
        if now >= self._paused_until:
            self._paused_until = _FOREVER
            self._listen(not self._stopping)

    def _wake_up(self) -> None:
        with contextlib.suppress(BlockingIOError):  # the pipe is full, so the thread will wake up anyway
            os.write(self._poke, b"\0")

    def _end(self) -> None:
        for peer in list(self._peers):
            peer.close()
            self._forget(peer)
        self._listen(False)
        self._close_listeners()
        self._selector.close()
        os.close(self._wake)
        os.close(self._poke)
        self._ended.set()

    def _with(self, peer: Peer, step: Callable[..., None], *arguments: object) -> None:
        """Call `step`, which changes `peer`. Then update the events and the time for which the peer waits.

        If `step` raises an exception, it is logged and the peer's connection is closed. If the peer was already
        removed, nothing happens.
        """
        if peer not in self._peers:
            return
        try:
            step(*arguments)
        except Exception:
            _log.exception("a connection has failed, and is closed")
            peer.close()
        if peer.gone:
            self._forget(peer)
            return
        if peer.more:
            self._more[peer] = None
        events = peer.events
        if events != self._peers[peer]:
            self._selector.modify(peer, events, peer)
            self._peers[peer] = events
        due = peer.due()
        if due < self._due:
            self._due = max(due, time.monotonic() + _TICK_SECONDS)
            if self._due < self._asleep_until:
                self._asleep_until = self._due
                self._wake_up()

    def _forget(self, peer: Peer) -> None:
        del self._peers[peer]
        self._more.pop(peer, None)
        self._touched.pop(peer, None)
        self._selector.unregister(peer)
        peer.release()

    def _touch(self, call: Call) -> None:
        self._touched[call.connection.peer] = None

    def _woken(self, now: float) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake, 4096):
                pass
        if self._stopping and self._listeners:
            self._listen(False)
            for listener in self._listeners:
                self._accept(listener, now)  # clients that have connected by now may have begun a call
            self._close_listeners()
            for peer in list(self._peers):
                self._with(peer, peer.drain, now)

    def _accept(self, listener: tuple[socket.socket, Certificates | None], now: float) -> None:
        sock, certificates = listener
        for _ in range(_ACCEPTS):
            try:
                accepted, _where = sock.accept()
            except BlockingIOError:
                return
            except OSError as e:
                if e.errno in _NO_MORE_FILES and not self._make_room(now):
                    _log.warning(
                        "no connections are accepted for a second: %s; raise the limit on open files (ulimit -n)",
                        e.strerror,
                    )
                    self._listen(False)
                    self._paused_until = now + _PAUSE_SECONDS
                    return
                continue  # the peer has gone before it was accepted
            try:
                self._admit(accepted, certificates, now)
            except OSError:  # the peer has gone, or the system has no more memory or files
                accepted.close()

    def _admit(self, sock: socket.socket, certificates: Certificates | None, now: float) -> None:
        if len(self._peers) >= self._most_peers and not self._make_room(now):
            sock.close()
            return
        sock.setblocking(False)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if certificates is not None:
            certificates.changed()
            sock = certificates.context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        peer = self._new_peer(sock, certificates is not None, self._limits, self, now)
        self._selector.register(peer, selectors.EVENT_READ, peer)
        self._peers[peer] = selectors.EVENT_READ
        self._with(peer, peer.write, now)  # sends our settings

    def _make_room(self, now: float) -> bool:
        """Close the connection without an open call whose `worth` is least; return False if all have open calls."""
        idle = [peer for peer in self._peers if peer.idle]
        if not idle:
            return False
        least = min(idle, key=lambda peer: peer.worth)
        self._with(least, least.give_way, now)
        return True

    def _listen(self, on: bool) -> None:
        for listener in self._listeners:
            if on:
                self._selector.register(listener[0], selectors.EVENT_READ, listener)
            else:
                with contextlib.suppress(KeyError, ValueError):  # not registered, because accepting was paused
                    self._selector.unregister(listener[0])

    def _close_listeners(self) -> None:
        # The files of Unix sockets are removed before the sockets are closed. After that, another server could take the
        # path over, with a file that has the same number.
        for path, number in self._sockets_to_remove:
            with contextlib.suppress(OSError):
                if os.stat(path).st_ino == number:  # our file, and not another server's
                    os.unlink(path)
        self._sockets_to_remove.clear()
        for sock, _ in self._listeners:
            sock.close()
        self._listeners.clear()


def _answer(call: Call, outcome: bytes | Refused, now: float) -> None:
    if isinstance(outcome, Refused):
        call.connection.refuse(call, outcome)
    else:
        call.connection.answer(call, outcome, now)
    call.connection.peer.write(now)

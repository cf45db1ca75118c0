"""The transport that uses the package h2: pure Python, with one selector for all sockets and a crew
of threads.

A crew is a pool of threads of which one waits for the sockets at a time (see `crew`). Because there
is one selector instead of a thread for each connection, a thousand idle connections need no
threads, and limits, deadlines and the queue of calls are in one place.
docs/reference/transports.rst has measurements.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..._core.base.extras import load
from .. import addresses
from . import H2, Handle, Others, status
from .budget import FOREVER, Shared
from .crew import Crew
from .status import Refused

if TYPE_CHECKING:
    from ..tls import Certificates
    from .budget import Limits
    from .call import Call
    from .connection import Connection
    from .peer import Peer

load("h2", "h2")  # raises an error if h2 isn't installed; `listen` imports the modules that use it

__all__ = ["H2Transport"]

# After this time the leading thread looks at the sockets again, and those come first that have used
# less time.
_TURN_SECONDS: Final = 0.001
_LONGEST_TURN_SECONDS: Final = 0.004
# Open files that the process needs in addition to its connections.
_OTHER_FILES: Final = 64
_FEWEST_PEERS: Final = 16
# While there are connections, their time limits are checked so often, for each connection a little
# less often: checking thousands takes a while.
_TICK_SECONDS: Final = 0.1
_TICK_SECONDS_PER_PEER: Final = 0.0005
# A connection for which no more bytes are held doesn't count if memory is shared.
_LITTLE_BYTES: Final = 64 << 10
_PAUSE_SECONDS: Final = 1.0
_LAST_ACCEPT_SECONDS: Final = 0.2
_NO_MORE_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

_log = logging.getLogger(__name__)


class H2Transport:
    """The transport that serves gRPC over HTTP/2: over TLS, or in plain text without an upgrade
    from HTTP/1.1.

    Args:
        handle: Answers calls of RunFunction; None if RunFunction isn't served.
        limits: The server's limits.
        others: Returns the functions that answer other methods.
        certificates: The certificates for mutual TLS; None serves without transport security.

    Raises:
        InputError: OpenSSL can't verify clients of the CA.
    """

    name = H2
    why = ""

    def __init__(
        self,
        handle: Handle | None,
        limits: Limits,
        others: Others,
        certificates: Certificates | None = None,
    ) -> None:
        if certificates is not None:
            certificates.context  # noqa: B018  # made when it is asked for; an error if OpenSSL can't verify clients
        self._certificates = certificates
        self._handle = handle
        self._others = others
        self._limits = limits
        self._most_peers = min(
            limits.connections, max(_FEWEST_PEERS, addresses.most_files() - _OTHER_FILES)
        )
        self._listeners: list[socket.socket] = []
        self._sockets_to_remove: list[tuple[str, int]] = []
        # Only the leading thread uses these, except `_touched`: the peers that it has to look at
        # again.
        self._peers: dict[Peer, None] = {}
        self._more: dict[Peer, None] = {}
        self._touched: dict[Peer, None] = {}
        self._crew: Crew[Call] = Crew(self._turn, self._do, limits.threads, limits.waiting)
        self._shared = Shared(limits.memory)
        self._due = 0.0  # when connections must be checked next
        self._paused_until = FOREVER
        self._stop_at = FOREVER
        self._stopping = False
        self._ended = threading.Event()
        self._waking = threading.Lock()
        self._started = False

    def listen(self, address: str) -> str:
        """Listen on an address, and return the address with the port that was taken.

        Args:
            address: `host:port` or `unix:path`. Port 0 takes a free port.

        Raises:
            InputError: The address is wrong, or the server can't listen on it.
        """
        where = addresses.parse(address)
        found = addresses.listening(where)
        if where.path:
            self._sockets_to_remove.append((where.path, os.stat(where.path).st_ino))
        self._listeners += found
        # Imported after the sockets listen: clients that connect now wait, instead of being
        # refused.
        from .peer import Peer

        self._new_peer = Peer
        return where.text if where.path else where.bound(found[0].getsockname()[1])

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
        """Refuse new calls, wait for the running calls for at most `grace` seconds, and end the
        transport.
        """
        if not self._started:
            self._close_listeners()
            return
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

    # Connections call the next four methods, with their lock held.

    def knows(self, path: str) -> bool:
        """Return whether there is a method with the path `path`; an empty path stands for
        RunFunction.
        """
        return self._others(path) is not None if path else self._handle is not None

    def ready(self, call: Call) -> None:
        """Queue a call, whose request has arrived completely, for a thread; refuse the call if the
        queue is full.

        A call of a method other than RunFunction, such as a health check, is answered at once.
        """
        if call.headers.path:
            self._answer_quickly(call)
        elif self._shared.left < self._shared.limit // 4 and self._has_its_share(call.connection):
            text = (
                "the server's memory is short, and this connection doesn't take its answers: take"
                " them first"
            )
            call.connection.refuse(call, Refused(status.RESOURCE_EXHAUSTED, text))
        elif not self._crew.submit(call, call.connection):
            text = (
                f"too many calls wait for a thread: {self._limits.waiting:,}; call again later, or"
                " raise --threads"
            )
            call.connection.refuse(call, Refused(status.RESOURCE_EXHAUSTED, text))

    def _has_its_share(self, connection: Connection) -> bool:
        """Return whether untaken answers of a connection have its share of half of the memory.

        Otherwise the server would make answers for it, only to drop earlier ones.
        """
        holding = sum(peer.budget.held > _LITTLE_BYTES for peer in self._peers)
        return connection.untaken * holding > self._shared.limit // 2

    def _answer_quickly(self, call: Call) -> None:
        quick = self._others(call.headers.path)
        assert quick is not None
        try:
            call.connection.answer(call, quick(call.take_message()), time.monotonic())
        except Refused as e:
            call.connection.refuse(call, e)

    def dropped(self, call: Call) -> None:
        """Forget a call that is over: answered, refused, or its caller has gone."""
        if not call.begun:
            self._crew.forget(call, call.connection)

    def _do(self, call: Call) -> None:
        """Run a call and answer it. The crew calls this."""
        assert self._handle is not None
        call.begun = True
        try:
            outcome: bytes | Refused = self._handle(call.take_message(), call.deadline)
        except Refused as e:
            outcome = e
        except BaseException as e:  # MemoryError, for example; the thread must go on
            _log.error(
                "a call has failed in the server, outside of the function's code: %s",
                type(e).__name__,
            )
            outcome = Refused(status.INTERNAL, "the server failed; its log says why")
        self._hand_back(call, outcome)

    def _hand_back(self, call: Call, outcome: bytes | Refused) -> None:
        """Answer a call, in the thread that ran it. The leading thread does what is left to do, if
        there is any.
        """
        peer = call.connection.peer
        now = time.monotonic()
        with peer.lock:
            try:
                if isinstance(outcome, Refused):
                    call.connection.refuse(call, outcome)
                else:
                    call.connection.answer(call, outcome, now)
                peer.write(now)
            except Exception:
                _log.exception("a connection has failed, and is closed")
                peer.close()
            settled = (
                call.dropped and peer.events == peer.waits_for and not (peer.gone or peer.lingers)
            )
        if not settled or self._shared.left < 0:
            self._touched[peer] = None
            self._wake_up()

    def _turn(self) -> bool:
        """Wait for sockets, and read and write those that are ready; return False when the
        transport has ended.

        This is the crew's `lead`. An exception is logged, and the next turn begins after a second.
        """
        now = time.monotonic()
        if self._ended.is_set():
            return False
        if self._stopping and (not self._peers or now >= self._stop_at):
            self._end()
            return False
        due = self._due if self._peers else FOREVER
        wake = 0.0 if self._more or self._touched else min(due, self._paused_until, self._stop_at)
        try:
            self._look_at(self._selector.select(None if wake == FOREVER else max(0.0, wake - now)))
        except Exception:
            # The next leading thread goes on. Without a pause, a lasting fault would keep a
            # processor busy.
            _log.exception("the transport has failed; it goes on in a second")
            time.sleep(_PAUSE_SECONDS)
        return True

    def _look_at(self, selected: list[tuple[selectors.SelectorKey, int]]) -> None:
        now = time.monotonic()
        found = dict.fromkeys(self._more, 0)
        listeners: list[socket.socket] = []
        for key, events in selected:
            data = key.data
            if data is None:
                self._woken(now)
            elif data in self._peers:
                found[data] = events
            else:
                listeners.append(data)
        # Who has used the least time comes first. The selector reports those again that get no turn
        # now.
        ranked = (
            sorted(found, key=lambda peer: peer.budget.rank(now)) if len(found) > 1 else list(found)
        )
        # If there are so many that looking at them takes long, a turn is longer, too.
        started = time.monotonic()
        turn = min(max(_TURN_SECONDS, 2 * (started - now)), _LONGEST_TURN_SECONDS)
        until = started + turn
        for peer in ranked:
            now = time.monotonic()
            if now >= until:
                break
            self._more.pop(peer, None)
            self._with(peer, peer.ready, found[peer], now, max(until, now + _TURN_SECONDS / 4))
        now = time.monotonic()
        for listener in listeners:
            if listener in self._listeners:
                self._accept(listener, now + turn / 2)
        while self._touched:
            peer, _ = self._touched.popitem()
            self._with(peer, peer.write, now)
        if self._shared.left < 0:
            self._make_memory(now)
        if now >= self._due:
            for peer in list(self._peers):
                self._with(peer, peer.check, now)
            self._due = time.monotonic() + _TICK_SECONDS + _TICK_SECONDS_PER_PEER * len(self._peers)
        if now >= self._paused_until:
            self._paused_until = FOREVER
            self._listen(not self._stopping)

    def _make_memory(self, now: float) -> None:
        """Refuse calls until the memory is within its limit again: those of the connection with the
        most bytes first.

        So a peer that doesn't end its requests, or doesn't take its answers, can't keep others out.
        """
        for peer in sorted(self._peers, key=lambda peer: peer.budget.held, reverse=True):
            while self._shared.left < 0:
                with peer.lock:
                    made = peer.make_room()
                self._with(peer, peer.write, now)
                if not made:
                    break
            else:
                return

    def _wake_up(self) -> None:
        with self._waking:
            if not self._ended.is_set():
                # the pipe is full, so the thread will wake up anyway
                with contextlib.suppress(BlockingIOError):
                    os.write(self._poke, b"\0")

    def _end(self) -> None:
        for peer in list(self._peers):
            with peer.lock:
                peer.close()
            self._forget(peer)
        self._listen(False)
        self._close_listeners()
        self._selector.close()
        # no other thread may write to the pipe's number when it belongs to another file
        with self._waking:
            self._ended.set()
            os.close(self._wake)
            os.close(self._poke)

    def _with(self, peer: Peer, step: Callable[..., None], *arguments: object) -> None:
        """Call `step`, which changes `peer`. Then update the events for which the peer waits.

        If `step` raises an exception, it is logged and the peer's connection is closed. If the peer
        was already removed, nothing happens.
        """
        if peer not in self._peers:
            return
        with peer.lock:
            try:
                step(*arguments)
            except Exception:
                _log.exception("a connection has failed, and is closed")
                peer.close()
            if not peer.gone:
                events = peer.events
                if peer.more and events & selectors.EVENT_READ:
                    self._more[peer] = None
                if events != peer.waits_for:
                    self._selector.modify(peer, events, peer)
                    peer.waits_for = events
                return
        self._forget(peer)

    def _forget(self, peer: Peer) -> None:
        del self._peers[peer]
        self._more.pop(peer, None)
        self._touched.pop(peer, None)
        self._selector.unregister(peer)
        peer.release()

    def _woken(self, now: float) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake, 4096):
                pass
        if self._stopping and self._listeners:
            self._listen(False)
            for listener in self._listeners:
                # Clients that have connected by now may have begun a call. Others may connect all
                # the time.
                self._accept(listener, now + _LAST_ACCEPT_SECONDS)
            self._close_listeners()
            for peer in list(self._peers):
                self._with(peer, peer.drain, now)

    def _accept(self, listener: socket.socket, until: float) -> None:
        while (now := time.monotonic()) < until:
            try:
                accepted, _where = listener.accept()
            except BlockingIOError:
                return
            except OSError as e:
                if e.errno in _NO_MORE_FILES and not self._make_room(now):
                    _log.warning(
                        "no connections are accepted for a second: %s; raise the limit on open"
                        " files (ulimit -n)",
                        e.strerror,
                    )
                    self._listen(False)
                    self._paused_until = now + _PAUSE_SECONDS
                    return
                continue  # the peer has gone before it was accepted
            try:
                self._admit(accepted, now)
            except OSError:  # the peer has gone, or the system has no more memory or files
                accepted.close()

    def _admit(self, sock: socket.socket, now: float) -> None:
        if len(self._peers) >= self._most_peers and not self._make_room(now):
            sock.close()
            return
        if sock.fileno() < 3:
            # Code of the function has closed stdout or stderr. What is written there must not get
            # into a connection.
            null, low = os.open(os.devnull, os.O_RDWR), sock.detach()
            sock = socket.socket(fileno=fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 3))
            os.dup2(null, low)
            os.close(null)
        sock.setblocking(False)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer = self._new_peer(sock, self._certificates, self._limits, self, self._shared, now)
        self._selector.register(peer, selectors.EVENT_READ, peer)
        self._peers[peer] = None
        self._with(peer, peer.write, now)  # sends our settings
        peer.budget.work(time.monotonic() - now, now)

    def _make_room(self, now: float) -> bool:
        """Close the connection that is worth least, to make room for another; return False if none
        may be closed.

        This is the oldest one from which no whole request has come; if there is none, of those
        without an open call the one whose last call began first.
        """
        least = next((peer for peer in self._peers if not peer.budget.completed), None)
        if least is None:
            idle = (peer for peer in self._peers if peer.idle)
            least = min(idle, key=lambda peer: peer.budget.last, default=None)
        if least is None:
            return False
        self._with(least, least.give_way, now)
        return True

    def _listen(self, on: bool) -> None:
        for listener in self._listeners:
            if on:
                self._selector.register(listener, selectors.EVENT_READ, listener)
            else:
                # not registered, because accepting was paused
                with contextlib.suppress(KeyError, ValueError):
                    self._selector.unregister(listener)

    def _close_listeners(self) -> None:
        # The files of Unix sockets are removed before the sockets are closed. After that, another
        # server could take the path over, with a file that has the same number.
        for path, number in self._sockets_to_remove:
            with contextlib.suppress(OSError):
                if os.stat(path).st_ino == number:  # our file, and not another server's
                    os.unlink(path)
        self._sockets_to_remove.clear()
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()

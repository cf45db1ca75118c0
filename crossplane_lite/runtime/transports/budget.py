"""The accountant: what the peers of the server use, and what they may use. A peer is the client of
a connection.

All that a peer makes the server do is charged to the budget of its connection: the bytes that the
server holds for it (requests, answers, unfinished frames, output), the frames that advance no call,
and the time. The bytes are charged to the memory of the server, too. The answers that follow from
it are in `connection` (a flood closes the connection), `h2` (who has used less time comes first,
and the largest account pays if memory runs out). Memory that the allocator of C keeps goes back to
the system.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Final, NamedTuple

__all__ = ["FOREVER", "Budget", "Exceeded", "GiveBack", "Limits", "Pace", "Shared", "Used"]

FOREVER: Final = float("inf")


class Limits(NamedTuple):
    """The limits of a server. The table in docs/reference/transports.rst says what happens beyond
    each limit.

    Attributes:
        threads: The most calls that may run at the same time.
        waiting: The most calls that may wait for one of these threads.
        receive_bytes: The largest request, in bytes.
        send_bytes: The largest response, in bytes; None for no limit.
        streams: The most calls that a connection may have open at the same time.
        connections: The most connections. To make room for another, the oldest connection is closed
            that has never sent a whole request; if there is none, of those without an open call the
            one whose last call began first.
        memory: The largest memory that is held for all peers, in bytes: requests, answers,
            and other bytes to or from the peers. Beyond this limit, the connection for which most
            is held loses calls.
        header_bytes: The largest headers of a call, in bytes, uncompressed.
        handshake_seconds: The longest time of the TLS handshake, and from the beginning of HTTP/2
            to its SETTINGS frame.
        request_seconds: The longest time from a call's headers to the end of its request, and for a
            single frame or the headers to arrive.
        send_seconds: The longest time in which a peer may accept less than 64 KB of an answer, or
            of all that is sent to it, unless less is left.
        keepalive_seconds: How long a connection may be silent before a ping is sent.
        keepalive_timeout_seconds: The longest time until the answer to the ping.
        call_seconds: The longest time for a call whose caller has set no deadline. Crossplane's own
            reconcile may take two minutes.
        longest_call: The longest time for a call whose caller's deadline is later, unless
            `call_seconds` is more.
        stuck_seconds: How long after its deadline a call that still runs counts as stuck.
        stuck_share: The share of the threads that must be in stuck calls for the server to report
            that it isn't healthy; 0.5 is half.
    """

    threads: int = 32
    waiting: int = 1000
    receive_bytes: int = 4 << 20
    send_bytes: int | None = None
    streams: int = 100
    connections: int = 1000
    memory: int = 256 << 20
    header_bytes: int = 16 << 10
    handshake_seconds: float = 10
    request_seconds: float = 30
    send_seconds: float = 30
    keepalive_seconds: float = 60
    keepalive_timeout_seconds: float = 20
    call_seconds: float = 120
    longest_call: float = 600
    stuck_seconds: float = 10
    stuck_share: float = 0.5

    def seconds_for(self, timeout: float | None) -> float:
        """Return how many seconds a call may take.

        Args:
            timeout: How long the caller waits, in seconds; None for a caller without a deadline.
        """
        return (
            self.call_seconds
            if timeout is None
            else min(timeout, max(self.longest_call, self.call_seconds))
        )


_MOST_ADDRESSES: Final = 1000


class Exceeded(Exception):
    """A peer has exceeded a limit, which the exception's text names, so its connection is closed.

    Attributes:
        code: The error code of HTTP/2 to send to the peer.
    """

    def __init__(self, text: str, code: int = 0xB) -> None:  # ENHANCE_YOUR_CALM
        super().__init__(text)
        self.code = code


class Used:
    """The time that the server has worked for somebody. Each second, half of it is forgotten."""

    __slots__ = ("_at", "_seconds")

    def __init__(self, seconds: float, now: float) -> None:
        self._seconds = seconds
        self._at = now

    def work(self, seconds: float, now: float) -> None:
        """Add time."""
        self._seconds = self.seconds(now) + seconds
        self._at = now

    def seconds(self, now: float) -> float:
        """Return the time that isn't forgotten."""
        seconds: float = self._seconds * 0.5 ** (now - self._at)
        return seconds


class Shared:
    """What peers share: the memory of the server, which any thread may charge, and the time of
    newcomers.

    Newcomers, from which no whole request has come, have one account for each address that they
    come from. So clients that always connect again come before nobody else, and of a flood from
    elsewhere a new client sees little.

    Attributes:
        limit: How many bytes may be held.
        held: How many bytes are held.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self._newcomers: dict[str, Used] = {}
        self._lock = threading.Lock()

    def charge(self, size: int) -> None:
        """Count `size` more bytes; fewer if it is negative."""
        with self._lock:
            self.held += size

    def newcomers(self, address: str, now: float) -> Used:
        """Return the account of the newcomers from an address. Of very many addresses, the oldest
        is forgotten.
        """
        if address not in self._newcomers:
            if len(self._newcomers) >= _MOST_ADDRESSES:
                del self._newcomers[next(iter(self._newcomers))]
            self._newcomers[address] = Used(0.0, now)
        return self._newcomers[address]

    @property
    def left(self) -> int:
        """How many more bytes may be held; negative if too many are held."""
        return self.limit - self.held


class Budget:
    """The account of one connection. All methods are called with the connection's lock held.

    Until a whole request has come, the time is that of all newcomers from the peer's address. So
    clients that always connect again don't come before a busy one that stays.

    The peer spends events on frames that don't advance a call, such as pings. It begins with 1,000
    events, and never has more. It gets 100 back each second, and some for each useful frame.

    Attributes:
        held: How many bytes are held for the peer.
        completed: Whether a whole request has come from the peer. Until then, the connection is
            worth less than others.
        last: When the last call began; before the first call, when the connection began or its
            handshake went on.
    """

    MOST_EVENTS: Final = 1000
    EVENTS_PER_SECOND: Final = 100
    # The least used time of an address's newcomers.
    FIRST_SECONDS: Final = 0.05
    # No handshake and first call takes longer.
    FIRST_CALL_SECONDS: Final = 0.016

    __slots__ = (
        "_buffered",
        "_earned",
        "_events",
        "_newcomers",
        "_shared",
        "_used",
        "completed",
        "held",
        "last",
    )

    def __init__(self, shared: Shared, now: float, address: str = "") -> None:
        self._shared = shared
        self._newcomers = shared.newcomers(address, now)
        self._events = float(self.MOST_EVENTS)
        self._earned = now
        self._buffered = 0
        self._used = Used(0.0, now)
        self.held = 0
        self.completed = False
        self.last = now

    def hold(self, size: int) -> None:
        """Charge `size` more bytes that are held for the peer; fewer if it is negative."""
        if size:
            self.held += size
            self._shared.charge(size)

    def buffer(self, size: int) -> None:
        """Charge unfinished frames and output: `size` bytes in place of those of the last time."""
        self.hold(size - self._buffered)
        self._buffered = size

    def spend(self, events: int, now: float) -> None:
        """Take events away, after adding those for the time since the last time.

        Raises:
            Exceeded: The peer had fewer than `events` events.
        """
        earned = (now - self._earned) * self.EVENTS_PER_SECOND
        self._earned = now
        self._events = min(self._events + earned, self.MOST_EVENTS) - events
        if self._events < 0:
            raise Exceeded(
                "too many frames that advance no call: pings, settings, resets, or small pieces of"
                " data"
            )

    def earn(self, events: int) -> None:
        """Add events, for a frame that advances a call."""
        self._events = min(self._events + events, self.MOST_EVENTS)

    def work(self, seconds: float, now: float) -> None:
        """Charge time that the server has worked for the peer."""
        self._used.work(seconds, now)
        if not self.completed:
            self._newcomers.work(seconds, now)

    def complete(self, now: float) -> None:
        """Note that a whole request has come from the peer."""
        if not self.completed:
            self._used = Used(self.seconds(now), now)
            self.completed = True

    def seconds(self, now: float) -> float:
        """Return how much time the peer has used; if it is a newcomer, all from its address
        together.
        """
        if self.completed:
            return self._used.seconds(now)
        return max(self._newcomers.seconds(now), self.FIRST_SECONDS)

    def rank(self, now: float) -> tuple[float, float, float]:
        """Return a key for sorting peers: who has used less time comes first.

        Of newcomers this is who has used less than others for more than a first call, and of these
        the newest: if the server can't keep up with newcomers, it answers some of them at once, and
        not all of them too late.
        """
        return self.seconds(now), self._used.seconds(now) // self.FIRST_CALL_SECONDS, -self.last


class Pace:
    """The least rate of a peer: it takes 64 KB, or all that is left, in each period of
    `Limits.send_seconds`.

    Attributes:
        until: When the present period ends; infinity if nothing is left to take.
    """

    LEAST: Final = 64 << 10

    __slots__ = ("_seconds", "_taken", "until")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._taken = 0
        self.until = FOREVER

    def wait(self, now: float) -> None:
        """Begin to measure, unless that has begun."""
        if self.until == FOREVER:
            self.until = now + self._seconds
            self._taken = 0

    def took(self, size: int, now: float) -> None:
        """Note that the peer has taken `size` bytes."""
        self._taken += size
        if self._taken >= self.LEAST and self.until != FOREVER:
            self.until = now + self._seconds
            self._taken = 0

    def done(self) -> None:
        """Note that the peer has taken everything."""
        self.until = FOREVER


_GROWTH: Final = 32 << 20
_PAGE: Final = 4096
_PAUSE_SECONDS: Final = 5.0


class GiveBack:
    """Calls glibc's `malloc_trim` while the process is larger than it was. Elsewhere it does
    nothing.
    """

    def __init__(self) -> None:
        self._least = _resident_bytes()
        self._next = 0.0

    def look(self) -> None:
        """Give memory back if the process has grown by 32 MB, at most every five seconds."""
        size = _resident_bytes()
        self._least = min(self._least, size)
        if size >= self._least + _GROWTH and time.monotonic() >= self._next:
            self._next = time.monotonic() + _PAUSE_SECONDS
            with contextlib.suppress(ImportError, AttributeError, OSError):
                import ctypes  # here, because few servers need it

                ctypes.CDLL(None).malloc_trim(0)


def _resident_bytes() -> int:
    """Return how much memory this process has; 0 where there is no /proc."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except OSError:
        return 0

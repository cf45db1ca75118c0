"""The limits of a server: on calls, connections, memory and time."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Limits"]


class Limits(NamedTuple):
    """The limits of a server. The table in docs/reference/transports.rst says what happens beyond each limit.

    Attributes:
        threads: The most calls that may run at the same time.
        waiting: The most calls that may wait for one of these threads.
        receive_bytes: The largest request, in bytes.
        send_bytes: The largest response, in bytes; None for no limit.
        streams: The most calls that a connection may have open at the same time.
        connections: The most connections. To make room for another, a connection without an open call is closed: the
            oldest that never had a call; if all had calls, the connection whose last call began first.
        request_memory: The largest memory for all requests that aren't answered yet, in bytes. Beyond this limit, the
            request that has been arriving for the longest time is refused.
        header_bytes: The largest headers of a call, in bytes, uncompressed.
        handshake_seconds: The longest time of the TLS handshake, and from the beginning of HTTP/2 to its SETTINGS
            frame.
        request_seconds: The longest time from a call's headers to the end of its request, and for a single frame or the
            headers to arrive.
        send_seconds: The longest time in which a peer may accept none of the bytes that are sent to it.
        keepalive_seconds: How long a connection may be silent before a ping is sent.
        keepalive_timeout_seconds: The longest time until the answer to the ping.
        call_seconds: The longest time for a call whose caller has set no deadline. Crossplane's own reconcile may take
            two minutes.
        stuck_seconds: How long after its deadline a call that still runs counts as stuck.
        stuck_share: The share of the threads that must be in stuck calls for the server to report that it isn't
            healthy; 0.5 is half.
    """

    threads: int = 32
    waiting: int = 1000
    receive_bytes: int = 4 << 20
    send_bytes: int | None = None
    streams: int = 100
    connections: int = 1000
    request_memory: int = 256 << 20
    header_bytes: int = 16 << 10
    handshake_seconds: float = 10
    request_seconds: float = 30
    send_seconds: float = 30
    keepalive_seconds: float = 60
    keepalive_timeout_seconds: float = 20
    call_seconds: float = 120
    stuck_seconds: float = 10
    stuck_share: float = 0.5

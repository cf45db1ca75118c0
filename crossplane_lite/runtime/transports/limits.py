"""How much a server takes: of calls, of connections, of memory and of time."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Limits"]


class Limits(NamedTuple):
    """The limits of a server. docs/reference/transports.rst has them as a table, with what happens beyond each of them.

    Attributes:
        threads: How many calls may run at the same time.
        waiting: How many more may wait for one of these threads.
        receive_bytes: The largest request.
        send_bytes: The largest response; None for no limit.
        streams: How many calls a connection may have open at the same time.
        connections: How many connections there may be. Beyond it, one without a call is closed: first one that never
            had a call, then the one that has had none for longest.
        request_memory: Bytes of all requests that aren't answered yet. Beyond it, the request that is being received
            for longest is refused.
        header_bytes: The headers of a call, uncompressed.
        handshake_seconds: From a connection's beginning to the end of TLS and of HTTP/2's first frames.
        request_seconds: From a call's headers to the end of its request; also for the headers themselves.
        send_seconds: How long a peer may take nothing of what is sent to it.
        keepalive_seconds: How long a connection may be silent until a ping is sent.
        keepalive_timeout_seconds: How long the answer to that ping may take.
        call_seconds: How long a call may take whose caller has set no deadline. Crossplane gives up after two minutes.
        stuck_seconds: How long after its deadline a call that still runs counts as stuck.
        stuck_share: The share of threads with stuck calls from which on the server says that it isn't healthy.
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

"""What the processes say to each other: a call and its outcome through a socket, one at a time, and a few commands."""

from __future__ import annotations

import os
import socket
import struct
import time
from typing import Final, NamedTuple

__all__ = [
    "END",
    "ENDED",
    "NOT_STARTED",
    "START",
    "STARTED",
    "Event",
    "Outcome",
    "ask",
    "command",
    "receive_command",
    "receive_event",
    "receive_request",
    "send_event",
    "send_outcome",
]

_REQUEST: Final = struct.Struct("!dQ")  # the deadline, length
_OUTCOME: Final = struct.Struct("!B4IQ")  # status, counts, length
_COMMAND: Final = struct.Struct("!cQ")
_EVENT: Final = struct.Struct("!cQq")

START: Final = b"s"
"""Start a worker with this number; its end of a socket comes along."""
END: Final = b"e"
"""End the worker with this number at once."""
STARTED: Final = b"S"
"""The worker with this number has this process number."""
ENDED: Final = b"E"
"""The worker with this number has ended, with this status."""
NOT_STARTED: Final = b"N"
"""The worker with this number couldn't be started, for this reason of the system."""


class Outcome(NamedTuple):
    """The outcome of a call.

    Attributes:
        code: gRPC's status.
        counts: The counts of its tally.
        content: The response, or the text of the status.
    """

    code: int
    counts: tuple[int, ...]
    content: bytes


class Event(NamedTuple):
    """What has happened to a worker.

    Attributes:
        kind: `STARTED`, `ENDED` or `NOT_STARTED`.
        worker: The worker's number.
        value: Its process number, its exit status, or the system's number of an error.
    """

    kind: bytes
    worker: int
    value: int


def ask(sock: socket.socket, request: bytes, until: float) -> Outcome:
    """Send a request and wait for its outcome.

    Args:
        sock: A socket on which no call runs.
        request: The request.
        until: The call's deadline, by the clock that all processes of the machine share (`time.monotonic`).

    Raises:
        TimeoutError: The deadline is over. The socket can be read once the call has come to its end.
        OSError: The other side has gone.
        EOFError: The other side has gone.
    """
    sock.settimeout(max(until - time.monotonic(), 0.001))
    try:
        sock.sendall(_REQUEST.pack(until, len(request)) + request)
        code, *counts, size = _OUTCOME.unpack(_receive(sock, _OUTCOME.size))
        return Outcome(code, tuple(counts), _receive(sock, size))
    except TimeoutError:
        # The rest of a request that is sent in part never comes; nobody must wait for it.
        sock.shutdown(socket.SHUT_WR)
        raise


def receive_request(sock: socket.socket) -> tuple[float, bytes]:
    """Wait for a request; return its deadline, and the request.

    Raises:
        OSError: The other side has gone.
        EOFError: The other side has gone.
    """
    until, size = _REQUEST.unpack(_receive(sock, _REQUEST.size))
    return until, _receive(sock, size)


def send_outcome(sock: socket.socket, outcome: Outcome) -> None:
    """Send the outcome of a call.

    Raises:
        OSError: The other side has gone.
    """
    sock.sendall(_OUTCOME.pack(outcome.code, *outcome.counts, len(outcome.content)) + outcome.content)


def _receive(sock: socket.socket, size: int) -> bytes:
    first = sock.recv(min(size, 1 << 20)) if size else b""
    if len(first) == size:
        return first
    parts = [first]
    left = size - len(first)
    while left:
        if not parts[-1]:
            raise EOFError("the other process has gone")
        parts.append(sock.recv(min(left, 1 << 20)))
        left -= len(parts[-1])
    return b"".join(parts)


def command(sock: socket.socket, kind: bytes, worker: int, end: socket.socket | None = None) -> None:
    """Send a command, and with it the end of a socket."""
    socket.send_fds(sock, [_COMMAND.pack(kind, worker)], [] if end is None else [end.fileno()])


def receive_command(sock: socket.socket) -> tuple[bytes, int, socket.socket | None]:
    """Wait for a command.

    Raises:
        EOFError: The other side has gone.
    """
    data, numbers, _, _ = socket.recv_fds(sock, _COMMAND.size, 1)
    if len(data) < _COMMAND.size:
        raise EOFError("the other process has gone")
    kind, worker = _COMMAND.unpack(data)
    for number in numbers:
        os.set_inheritable(number, False)  # programs that functions start must not hold it open
    return kind, worker, socket.socket(fileno=numbers[0]) if numbers else None


def send_event(sock: socket.socket, event: Event) -> None:
    """Send an event."""
    sock.sendall(_EVENT.pack(*event))


def receive_event(sock: socket.socket) -> Event:
    """Wait for an event.

    Raises:
        OSError: The other side has gone.
        EOFError: The other side has gone.
    """
    return Event(*_EVENT.unpack(_receive(sock, _EVENT.size)))

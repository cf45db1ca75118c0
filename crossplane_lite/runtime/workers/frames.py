"""The messages between the server, its workers, and the nursery, from which workers are forked.

The server sends requests to workers, and gets outcomes. It sends commands to the nursery (and, to pass a socket, to
workers), and gets events from the nursery. `Worker` is the server's record of one: its sockets, and the calls in it.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from typing import Final, NamedTuple

__all__ = [
    "DUMP",
    "END",
    "ENDED",
    "NOT_STARTED",
    "START",
    "STARTED",
    "Event",
    "Late",
    "Outcome",
    "Worker",
    "WrongAnswer",
    "ask",
    "command",
    "receive_command",
    "receive_event",
    "receive_request",
    "send_event",
    "send_outcome",
]

_REQUEST: Final = struct.Struct("!QdQ")  # the call's number, the deadline, the request's length
_OUTCOME: Final = struct.Struct("!QB4IQ")  # the call's number, the status, four counts, the content's length
_COMMAND: Final = struct.Struct("!cQ")
_EVENT: Final = struct.Struct("!cQq")

START: Final = b"s"
"""A command to the nursery: start a worker with the given number. The worker's end of a socket pair is sent, too."""
END: Final = b"e"
"""A command to the nursery: kill the worker with the given number."""
DUMP: Final = b"d"
"""A command to the nursery: have the worker with the given number write its stacks. It must have offered them."""
STARTED: Final = b"S"
"""An event: the worker was started; the value is its PID."""
ENDED: Final = b"E"
"""An event: the worker has ended; the value is its exit status, or a signal as a negative number."""
NOT_STARTED: Final = b"N"
"""An event: the worker couldn't be started; the value is the system's error number (errno)."""


class Outcome(NamedTuple):
    """The outcome of a call.

    Attributes:
        code: gRPC's status code.
        counts: How many resources the call emitted, held back and kept, and how often compose() ran besides the real
            run, as in `Tally.counts`.
        content: The response if the code is OK; otherwise the status text in UTF-8.
    """

    code: int
    counts: tuple[int, ...]
    content: bytes


class WrongAnswer(OSError):
    """A worker sent something else than the outcome of the call that it was asked to run."""


class Event(NamedTuple):
    """Something that happened to a worker, reported to the server by the nursery.

    Attributes:
        kind: `STARTED`, `ENDED` or `NOT_STARTED`.
        worker: The worker's number.
        value: The PID if `STARTED`; the exit status, or a signal's number as a negative number, if `ENDED`; the error
            number (errno) if `NOT_STARTED`.
    """

    kind: bytes
    worker: int
    value: int


def ask(sock: socket.socket, number: int, request: bytes, until: float) -> Outcome:
    """Send a request to a worker, wait for the outcome of the call, and return the outcome.

    Args:
        sock: A socket to the worker on which no call runs.
        number: The call's number, which no other call has. The worker repeats it in the outcome.
        request: The bytes of the request.
        until: The call's deadline, by `time.monotonic`, which is the same clock in all processes of the machine.

    Raises:
        TimeoutError: The deadline is over. The socket can't be used for another call. It becomes readable when the
            call has ended.
        WrongAnswer: The bytes on the socket aren't the outcome of this call. Code in the worker may have written to the
            socket, or a process that it has forked. The socket can't be used for another call.
        OSError: The worker has gone, or the socket has failed.
        EOFError: The worker has closed the socket.
    """
    sock.settimeout(max(until - time.monotonic(), 0.001))
    try:
        sock.sendall(_REQUEST.pack(number, until, len(request)) + request)
        answered, code, *counts, size = _OUTCOME.unpack(_receive(sock, _OUTCOME.size))
        if answered != number:
            raise WrongAnswer(f"the answer has the number {answered} instead of {number}")
        return Outcome(code, tuple(counts), _receive(sock, size))
    except TimeoutError:
        # A request may be sent only in part. The worker must not wait for its rest.
        sock.shutdown(socket.SHUT_WR)
        raise


def receive_request(sock: socket.socket) -> tuple[int, float, bytes]:
    """Wait for a request from the server.

    Returns:
        The call's number, its deadline by `time.monotonic`, and the request's bytes.

    Raises:
        OSError: The server has gone, or the socket has failed.
        EOFError: The server has closed the socket.
    """
    number, until, size = _REQUEST.unpack(_receive(sock, _REQUEST.size))
    return number, until, _receive(sock, size)


def send_outcome(sock: socket.socket, number: int, outcome: Outcome) -> None:
    """Send the outcome of the call `number` to the server.

    Raises:
        OSError: The server has gone.
    """
    sock.sendall(_OUTCOME.pack(number, outcome.code, *outcome.counts, len(outcome.content)) + outcome.content)


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
    """Send a command to the nursery, or a socket for calls to a worker.

    A worker knows no commands: it takes each socket that is sent with `START`, and answers the requests on it.

    Args:
        sock: The socket to the nursery, or to the worker.
        kind: `START`, `END` or `DUMP`.
        worker: The number of the worker.
        end: One end of a socket pair to send with the command; None for no socket.

    Raises:
        OSError: The other side has gone, or reads nothing, so that `sock` is full.
    """
    socket.send_fds(sock, [_COMMAND.pack(kind, worker)], [] if end is None else [end.fileno()])


def receive_command(sock: socket.socket) -> tuple[bytes, int, socket.socket | None]:
    """Wait for a command. Return the command, the worker's number, and the socket that was sent with the command.

    The socket is None if no socket was sent, or if this process can't open another file descriptor.

    Raises:
        TimeoutError: `sock` has a timeout, and it is over.
        OSError: The socket has failed.
        EOFError: The other side has gone.
    """
    data, numbers, _, _ = socket.recv_fds(sock, _COMMAND.size, 1)
    if len(data) < _COMMAND.size:
        raise EOFError("the other process has gone")
    kind, worker = _COMMAND.unpack(data)
    for number in numbers:
        os.set_inheritable(number, False)  # programs that a function starts must not keep the socket open
    return kind, worker, socket.socket(fileno=numbers[0]) if numbers else None


def send_event(sock: socket.socket, event: Event) -> None:
    """Send an event to the server.

    Raises:
        OSError: The server has gone.
    """
    sock.sendall(_EVENT.pack(*event))


def receive_event(sock: socket.socket) -> Event:
    """Wait for an event, and return it.

    Raises:
        OSError: The nursery has gone, or the socket has failed.
        EOFError: The nursery has closed the socket.
    """
    return Event(*_EVENT.unpack(_receive(sock, _EVENT.size)))


class Late(NamedTuple):
    """A call that runs on after its deadline.

    Attributes:
        since: When the deadline was over, by `time.monotonic`.
        subject: The call's tag and composite, as in log lines.
    """

    since: float
    subject: dict[str, str]


class Worker:
    """The server's record of a worker.

    Attributes:
        number: The worker's number, which no other worker gets.
        process: The worker's PID; None until the nursery has reported that the worker has started.
        control: The socket for commands to the worker. It doesn't block, because a worker that hangs reads nothing.
        idle: Sockets to the worker on which no call runs.
        busy: Sockets on which a call runs whose deadline isn't over. Maps each socket to the call's request.
        late: Sockets whose call runs on after its deadline. Maps each socket to its call.
        cut: The subjects of calls whose sockets were closed or had a wrong answer, so that the worker ends.
        retiring: Whether the worker gets no more calls, and is killed when it is `reported`, and its calls in `busy`
            are over.
        reported: Whether the log says why the worker is retiring.
        gone: Whether the worker has ended, or is being killed because it has closed a socket or sent a wrong
            answer.
        asked: Whether the nursery was asked to kill the worker because it is retiring.
        began: When the nursery was asked to start the worker, by `time.monotonic`.
        answered: Whether the worker has answered a call.
    """

    def __init__(self, number: int, control: socket.socket) -> None:
        self.number = number
        self.process: int | None = None
        control.setblocking(False)
        self.control = control
        self.idle: list[socket.socket] = []
        self.busy: dict[socket.socket, bytes] = {}
        self.late: dict[socket.socket, Late] = {}
        self.cut: list[dict[str, str]] = []
        self.retiring = self.reported = self.gone = self.asked = self.answered = False
        self.began = time.monotonic()

    @property
    def load(self) -> int:
        """The number of calls that the worker runs, late calls included."""
        return len(self.busy) + len(self.late)

    @property
    def takes_calls(self) -> bool:
        """Whether the worker can get more calls."""
        return not self.retiring and not self.gone

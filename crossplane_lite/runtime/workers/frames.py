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
    "CALL",
    "DUMP",
    "END",
    "ENDED",
    "NOT_STARTED",
    "START",
    "STARTED",
    "Late",
    "Message",
    "Worker",
    "WrongAnswer",
    "ask",
    "receive",
    "receive_command",
    "send",
]

_HEAD: Final = struct.Struct("!cQd4IQ")  # a message, with the content's length in place of the content

# The kinds of messages. Commands to the nursery, about the worker with the given number:
START: Final = b"s"  # start it, with its end of a socket pair (a file)
END: Final = b"e"  # kill it
DUMP: Final = b"d"  # have it write its stacks
# Events, from the nursery:
STARTED: Final = b"S"  # it was started; the value is its PID
ENDED: Final = b"E"  # it has ended; the value is its exit status, or a signal as a negative number
NOT_STARTED: Final = b"N"  # it couldn't be started; the value is the system's error number (errno)
# A call, or its outcome. With a file, to a worker: answer calls on this socket, too.
CALL: Final = b"c"


class Message(NamedTuple):
    """What the processes send each other: a call, its outcome, a command or an event.

    Attributes:
        kind: One of the constants of this module.
        number: The worker's number; for a call and its outcome, the call's.
        value: The value of an event; a call's deadline, by `time.monotonic`; the status code of an outcome.
        counts: Of an outcome: how many resources the call emitted, held back and kept, and how often compose() ran
            besides the real run, as in `Tally.counts`.
        content: The request; the response if the code is OK; otherwise the status text in UTF-8.
    """

    kind: bytes
    number: int
    value: float = 0
    counts: tuple[int, ...] = (0, 0, 0, 0)
    content: bytes = b""


class WrongAnswer(OSError):
    """A worker sent something else than the outcome of the call that it was asked to run."""


def ask(sock: socket.socket, number: int, request: bytes, until: float) -> Message:
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
        send(sock, Message(CALL, number, until, content=request))
        outcome, size = _head(_receive(sock, _HEAD.size))
        if outcome.number != number:
            raise WrongAnswer(f"the answer has the number {outcome.number} instead of {number}")
        return outcome._replace(content=_receive(sock, size))
    except TimeoutError:
        # A request may be sent only in part. The worker must not wait for its rest.
        sock.shutdown(socket.SHUT_WR)
        raise


def send(sock: socket.socket, message: Message, *files: int) -> None:
    """Send a message, and files by their descriptors.

    Raises:
        OSError: The other side has gone; or the socket doesn't wait, and is full, because the other side reads nothing.
    """
    kind, number, value, counts, content = message
    data = _HEAD.pack(kind, number, value, *counts, len(content)) + content
    if files:
        socket.send_fds(sock, [data], files)
    else:
        sock.sendall(data)


def receive(sock: socket.socket) -> Message:
    """Wait for a message, and return it.

    Raises:
        OSError: The other side has gone, or the socket has failed.
        EOFError: The other side has closed the socket.
    """
    message, size = _head(_receive(sock, _HEAD.size))
    return message._replace(content=_receive(sock, size))


def receive_command(sock: socket.socket, most: int) -> tuple[Message, list[int]]:
    """Wait for a command without content. Return it, and the descriptors of the files that were sent with it.

    The list is empty if no files were sent, or if this process can't open `most` more.

    Raises:
        TimeoutError: `sock` has a timeout, and it is over.
        OSError: The socket has failed.
        EOFError: The other side has gone.
    """
    data, files, _, _ = socket.recv_fds(sock, _HEAD.size, most)
    if len(data) < _HEAD.size:
        raise EOFError("the other process has gone")
    if len(files) < most:
        for file in files:
            os.close(file)
        files = []
    for file in files:
        os.set_inheritable(file, False)  # programs that a function starts must not keep it open
    return _head(data)[0], files


def _head(data: bytes) -> tuple[Message, int]:
    """Return a message without its content, and the content's length."""
    kind, number, value, *counts, size = _HEAD.unpack(data)
    return Message(kind, number, value, tuple(counts)), size


def _receive(sock: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        parts.append(sock.recv(min(size, 1 << 20)))
        if not parts[-1]:
            raise EOFError("the other process has gone")
        size -= len(parts[-1])
    return b"".join(parts)


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

    Args:
        number: The worker's number, which no other worker gets.
        control: The socket to the worker, for sockets for calls.

    Attributes:
        number: As given.
        process: The worker's PID; None until the nursery has reported that the worker has started.
        control: As given. It doesn't block, because a worker that hangs reads nothing.
        idle: Sockets to the worker on which no call runs.
        busy: Sockets on which a call runs whose deadline isn't over. Maps each socket to the call's request.
        late: Sockets whose call runs on after its deadline. Maps each socket to its call.
        cut: The subjects of calls whose sockets were closed or had a wrong answer, so that the worker ends.
        retiring: Whether the worker gets no more calls, and is killed when its calls in `busy` are over.
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
        self.retiring = self.gone = self.asked = self.answered = False
        self.began = time.monotonic()

    @property
    def load(self) -> int:
        """The number of calls that the worker runs, late calls included."""
        return len(self.busy) + len(self.late)

    @property
    def takes_calls(self) -> bool:
        """Whether the worker can get more calls."""
        return not self.retiring and not self.gone

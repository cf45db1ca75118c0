"""The server's record of a worker: its sockets, and the calls in it."""

from __future__ import annotations

import socket
import time
from typing import NamedTuple

__all__ = ["Late", "Worker"]


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

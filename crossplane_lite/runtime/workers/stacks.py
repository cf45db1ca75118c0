"""The stacks of a worker that hangs or crashes: faulthandler writes them into a pipe, which the server reads.

faulthandler needs no thread of Python that runs. So the stacks are there also if C code lets no thread run.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import select
import signal
import socket
from typing import Final

__all__ = ["SIGNAL", "accept", "offer", "read"]

SIGNAL: Final = signal.SIGQUIT
"""The signal on which a worker that has made an offer writes its stacks."""

# A pause of this length ends the stacks.
_PAUSE_SECONDS: Final = 0.1

# Functions of threads that run no call: those that wait for a request, and the worker's main thread.
_IDLE: Final = re.compile(r"workers/\w+\.py\", line \d+ in (receive_request|run_and_exit)$", re.MULTILINE)


def offer(control: socket.socket) -> None:
    """Have this process, a worker, write its stacks into a pipe on `SIGNAL` and if it crashes; send the pipe's end.

    Nothing happens if the function's module has a handler of its own for `SIGNAL`.
    """
    if signal.getsignal(SIGNAL) not in (signal.SIG_DFL, signal.SIG_IGN):
        return
    end, pipe = os.pipe()
    os.set_blocking(pipe, False)  # with a full pipe, the rest of the stacks is left out
    faulthandler.register(SIGNAL, pipe)
    if not faulthandler.is_enabled():  # by the module or PYTHONFAULTHANDLER, which write to stderr
        faulthandler.enable(pipe)
    socket.send_fds(control, [b"p"], [end])
    os.close(end)


def accept(control: socket.socket) -> int | None:
    """Return the pipe that a worker has offered; None without an offer, or if it was accepted before.

    Args:
        control: The server's socket for commands to the worker, which doesn't block.
    """
    with contextlib.suppress(OSError):
        _, numbers, _, _ = socket.recv_fds(control, 1, 1)
        for number in numbers:
            os.set_inheritable(number, False)
            return number
    return None


def read(pipe: int | None, seconds: float) -> str:
    """Return the stacks that a worker has written, without those of idle threads, and close the pipe.

    Args:
        pipe: The pipe from `accept`; the text is empty if it is None.
        seconds: How long to wait for the worker to begin.
    """
    if pipe is None:
        return ""
    parts: list[bytes] = []
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    try:
        while poll.poll(1000 * (min(_PAUSE_SECONDS, seconds) if parts else seconds)):
            parts.append(os.read(pipe, 1 << 16))
            if not parts[-1]:
                break
    finally:
        os.close(pipe)
    # faulthandler writes a block of lines for each thread.
    blocks = b"".join(parts).decode(errors="replace").strip().split("\n\n")
    return "\n\n".join(block for block in blocks if '  File "' in block and not _IDLE.search(block))

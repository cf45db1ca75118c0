"""The nursery: the process from which all workers are forked. It has the function, one thread, and no server.

A process with threads can't be forked safely, and the server has many threads. So the nursery is forked before the
server starts threads. It forks all workers, also later ones that replace others, and kills them when the server has
gone.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
from typing import TYPE_CHECKING, Any

from ..calls import Run, end_if_forked
from . import frames, stacks
from .frames import Event
from .worker import run_and_exit

if TYPE_CHECKING:
    from ..transports.limits import Limits

__all__ = ["keep"]


def keep(sock: socket.socket, run: Run, limits: Limits) -> None:
    """Run the nursery: start and kill workers as the server commands, and report when workers start and end.

    Returns when the server has gone, after killing all workers that are left.

    Args:
        sock: The socket to the server.
        run: The function for the workers, which takes request bytes and returns response bytes.
        limits: The server's limits.
    """
    # The server alone reacts to a terminal's signals. This is a handler and not SIG_IGN, because programs that
    # functions start would inherit SIG_IGN.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _ignore)
    signal.signal(signal.SIGCHLD, _ignore)
    ended, poke = os.pipe()
    os.set_blocking(poke, False)
    os.set_blocking(ended, False)
    signal.set_wakeup_fd(poke, warn_on_full_buffer=False)
    nursery = os.getpid()
    numbers: dict[int, int] = {}  # the number of each worker, by its process
    try:
        while True:
            waited: list[Any] = [sock, ended]
            ready, _, _ = select.select(waited, [], [])
            end_if_forked(nursery)  # by a signal handler of the function's module
            if ended in ready:
                os.read(ended, 4096)
                _tell_ended(sock, numbers)
            if sock not in ready:
                continue
            kind, worker, control = frames.receive_command(sock)
            if kind != frames.START:
                for process in [process for process, number in numbers.items() if number == worker]:
                    os.kill(process, signal.SIGKILL if kind == frames.END else stacks.SIGNAL)
                continue
            if control is None:  # the socket was dropped, because this process can't open another descriptor
                frames.send_event(sock, Event(frames.NOT_STARTED, worker, errno.EMFILE))
                continue
            try:
                process = os.fork()
            except OSError as e:  # the system has no memory or process numbers left: the server tries again
                control.close()
                frames.send_event(sock, Event(frames.NOT_STARTED, worker, e.errno or 0))
                continue
            if not process:
                try:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for one in (ended, poke, sock.detach()):
                        os.close(one)
                finally:  # the code below this loop is for the nursery alone
                    run_and_exit(control, run, limits)
            control.close()
            numbers[process] = worker
            frames.send_event(sock, Event(frames.STARTED, worker, process))
    except (EOFError, OSError):
        pass  # the server has gone
    finally:
        for process in numbers:
            os.kill(process, signal.SIGKILL)


def _ignore(*_: object) -> None:
    pass


def _tell_ended(sock: socket.socket, numbers: dict[int, int]) -> None:
    while numbers:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        worker = numbers.pop(process, None)
        if worker is not None:
            frames.send_event(sock, Event(frames.ENDED, worker, os.waitstatus_to_exitcode(status)))

"""The processes behind the server: workers, which run calls, and the nursery, from which they are forked.

A worker has a thread for each socket that the server has sent it. The nursery has the function, one thread, and no
server: a process with threads can't be forked safely, and the server has many. So the nursery is forked before the
server starts threads. It forks all workers, also later ones that replace others, and kills them when the server has
gone.

faulthandler writes the stacks of a worker that hangs or crashes to stderr. It needs no thread of Python that runs, so
the stacks are there also if C code lets no thread run.
"""

from __future__ import annotations

import errno
import faulthandler
import logging
import os
import select
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from ..._core.call import results
from ..._core.call.results import Tally
from .. import log
from ..calls import Calls, Run, current_subject, end_if_forked
from ..transports import status
from ..transports.budget import GiveBack
from ..transports.status import Refused
from . import frames
from .frames import Message

if TYPE_CHECKING:
    from ..transports.budget import Limits

__all__ = ["SIGNAL", "keep", "work"]

_LOOK_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


def work(control: socket.socket, run: Run, limits: Limits) -> None:
    """Run calls until the server has gone. About once a second, log the stacks of calls that hang.

    Args:
        control: The socket for commands. Through it, the server sends a socket for each thread of calls.
        run: The function, which takes request bytes and returns response bytes.
        limits: The server's limits.
    """
    calls = Calls(run, limits)
    log.set_subject(_subject)
    # Often enough to log the stack of a call that hangs before the server has this process killed because of it.
    pause = min(_LOOK_SECONDS, limits.stuck_seconds / 3)
    control.settimeout(pause)
    looked = time.monotonic()
    memory = GiveBack()
    process = os.getpid()
    while True:
        try:
            _, files = frames.receive_command(control, 1)
        except TimeoutError:
            files = []
        except (EOFError, OSError):
            return
        end_if_forked(process)  # by a signal handler of the function's module, for example
        for file in files:
            # No other reference to the socket: it is closed when its thread ends in whichever way.
            threading.Thread(target=_run_calls, args=(socket.socket(fileno=file), calls), daemon=True).start()
        if time.monotonic() - looked >= pause:
            looked = time.monotonic()
            log.flush()
            memory.look()
            try:
                calls.look()
            except Exception:
                _log.exception("the check of running calls has failed; it runs again in a second")


def _subject() -> dict[str, str]:
    return {**current_subject(), "worker": str(os.getpid())}


def _run_calls(sock: socket.socket, calls: Calls) -> None:
    sock.settimeout(None)
    try:
        while True:
            call = frames.receive(sock)
            counts = Tally()
            before = results.counting.set(counts)
            try:
                if call.value <= time.monotonic():  # this process read it too late: nobody waits any more
                    raise Refused(status.DEADLINE_EXCEEDED, "")
                code, content = status.OK, calls.handle(call.content, call.value)
            except Refused as e:
                code, content = e.code, e.text.encode(errors="replace")
            finally:
                results.counting.reset(before)
            frames.send(sock, Message(frames.CALL, call.number, code, counts.counts, content))
    except (EOFError, OSError):
        sock.close()


def run_and_exit(control: socket.socket, run: Run, limits: Limits) -> None:
    """Run `work`, then end this forked process, without the exit handlers that its parent has registered.

    The exit status is 1 if `work` fails.
    """
    code = 1
    try:
        if not _is_handled():
            faulthandler.register(SIGNAL)
            faulthandler.enable()
        work(control, run, limits)
        code = 0
    except BaseException:
        _log.exception("a worker has failed")
    finally:
        os._exit(code)


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
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
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
            (kind, worker, *_), files = frames.receive_command(sock, 1)
            if kind != frames.START:
                for process in [process for process, number in numbers.items() if number == worker]:
                    if kind == frames.END:
                        os.kill(process, signal.SIGKILL)
                    elif not _is_handled():
                        os.kill(process, SIGNAL)
                continue
            try:
                if not files:  # this process can't open more files
                    raise OSError(errno.EMFILE, "")
                process = os.fork()
            except OSError as e:  # the system has no memory, process numbers or files left: the server tries again
                process, event = -1, Message(frames.NOT_STARTED, worker, e.errno or 0)
            if not process:
                try:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for one in (ended, poke, sock.detach()):
                        os.close(one)
                finally:  # the code below this loop is for the nursery alone
                    run_and_exit(socket.socket(fileno=files[0]), run, limits)
            for file in files:
                os.close(file)
            if process > 0:
                numbers[process] = worker
                event = Message(frames.STARTED, worker, process)
            frames.send(sock, event)
    except (EOFError, OSError):
        pass  # the server has gone
    finally:
        for process in numbers:
            os.kill(process, signal.SIGKILL)


def _tell_ended(sock: socket.socket, numbers: dict[int, int]) -> None:
    while numbers:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        worker = numbers.pop(process, None)
        if worker is not None:
            frames.send(sock, Message(frames.ENDED, worker, os.waitstatus_to_exitcode(status)))


SIGNAL: Final = signal.SIGQUIT
"""The signal on which a worker writes its stacks to stderr, unless the function's module handles it."""


def _is_handled() -> bool:
    """Return whether the function's module has a handler of its own for `SIGNAL`."""
    return signal.getsignal(SIGNAL) not in (signal.SIG_DFL, signal.SIG_IGN)

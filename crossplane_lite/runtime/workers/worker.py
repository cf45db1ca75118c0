"""A worker: a process that runs calls, with a thread for each socket that the server has sent it."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from typing import TYPE_CHECKING, Final

from ..._call import tally
from ..._call.tally import Tally
from .. import log
from ..calls import Calls, Run, end_if_forked
from ..subject import current_subject
from ..transports import status
from ..transports.status import Refused
from . import frames, stacks
from .frames import Outcome

if TYPE_CHECKING:
    from ..transports.limits import Limits

__all__ = ["work"]

_LOOK_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)

_TOO_LATE: Final = Outcome(status.DEADLINE_EXCEEDED, Tally().counts, b"")


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
    process = os.getpid()
    while True:
        try:
            _, _, sock = frames.receive_command(control)
        except TimeoutError:
            sock = None
        except (EOFError, OSError):
            return
        end_if_forked(process)  # by a signal handler of the function's module, for example
        if sock is not None:
            threading.Thread(target=_run_calls, args=(sock, calls), daemon=True).start()
        if time.monotonic() - looked >= pause:
            looked = time.monotonic()
            try:
                calls.look()
            except Exception:
                _log.exception("the check of running calls has failed; it runs again in a second")


def _subject() -> dict[str, str]:
    return {**current_subject(), "worker": str(os.getpid())}


class _Caller:
    """The caller of a call, who waits in the server's process."""

    def __init__(self, until: float) -> None:
        self._until = until

    def time_remaining(self) -> float | None:
        """Return the seconds until the caller's deadline: 0 or less after the deadline; never None."""
        return self._until - time.monotonic()

    def cancel(self) -> None:
        """Do nothing: the server answers the caller when the deadline is over."""


def _run_calls(sock: socket.socket, calls: Calls) -> None:
    sock.settimeout(None)
    try:
        while True:
            number, until, request = frames.receive_request(sock)
            if until <= time.monotonic():  # this process read the request too late: nobody waits any more
                frames.send_outcome(sock, number, _TOO_LATE)
                continue
            counts = Tally()
            before = tally.counting.set(counts)
            try:
                response = calls.handle(request, _Caller(until))
                outcome = Outcome(status.OK, counts.counts, response)
            except Refused as e:
                outcome = Outcome(e.code, counts.counts, e.text.encode(errors="replace"))
            finally:
                tally.counting.reset(before)
            frames.send_outcome(sock, number, outcome)
    except (EOFError, OSError):
        sock.close()


def run_and_exit(control: socket.socket, run: Run, limits: Limits) -> None:
    """Run `work`, then end this forked process, without the exit handlers that its parent has registered.

    The exit status is 1 if `work` fails.
    """
    code = 1
    try:
        stacks.offer(control)
        work(control, run, limits)
        code = 0
    except BaseException:
        _log.exception("a worker has failed")
    finally:
        os._exit(code)

"""A worker: a process that runs calls, each socket that it is given in a thread."""

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
from ..calls import Calls, Run
from ..subject import current_subject
from ..transports import status
from ..transports.status import Refused
from . import frames
from .frames import Outcome

if TYPE_CHECKING:
    from ..transports.limits import Limits

__all__ = ["work"]

_LOOK_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)

_TOO_LATE: Final = Outcome(status.DEADLINE_EXCEEDED, Tally().counts, b"")


def work(control: socket.socket, run: Run, limits: Limits) -> None:
    """Run calls until whoever sends them has gone.

    Args:
        control: Sockets of calls come through it.
        run: The function.
        limits: How much of everything.
    """
    calls = Calls(run, limits)
    log.set_subject(_subject)
    # So often that the stack of a call that hangs is logged before this process is ended because of it.
    pause = min(_LOOK_SECONDS, limits.stuck_seconds / 3)
    control.settimeout(pause)
    looked = time.monotonic()
    while True:
        try:
            _, _, sock = frames.receive_command(control)
        except TimeoutError:
            sock = None
        except (EOFError, OSError):
            return
        if sock is not None:
            threading.Thread(target=_run_calls, args=(sock, calls), daemon=True).start()
        if time.monotonic() - looked >= pause:
            looked = time.monotonic()
            try:
                calls.look()
            except Exception:
                _log.exception("looking at the calls has failed")


def _subject() -> dict[str, str]:
    return {**current_subject(), "worker": str(os.getpid())}


class _Caller:
    """Who waits for an answer, in another process."""

    def __init__(self, until: float) -> None:
        self._until = until

    def time_remaining(self) -> float | None:
        """Return how many seconds it still waits."""
        return self._until - time.monotonic()

    def cancel(self) -> None:
        """Do nothing: whoever has sent the call keeps its time."""


def _run_calls(sock: socket.socket, calls: Calls) -> None:
    sock.settimeout(None)
    try:
        while True:
            until, request = frames.receive_request(sock)
            if until <= time.monotonic():  # this process was kept from reading it: nobody waits any more
                frames.send_outcome(sock, _TOO_LATE)
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
            frames.send_outcome(sock, outcome)
    except (EOFError, OSError):
        sock.close()


def run_and_exit(control: socket.socket, run: Run, limits: Limits) -> None:
    """Be a worker, and end the process without the exit handlers that were copied with it."""
    code = 1
    try:
        work(control, run, limits)
        code = 0
    except BaseException:
        _log.exception("a worker has failed")
    finally:
        os._exit(code)

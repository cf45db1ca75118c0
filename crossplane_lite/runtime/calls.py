"""Calls that run in this process: their outcomes, and those that go on after their deadline.

Python can't end a thread. So a call that hangs is answered by the transport, and what is left to do is here: its stack
is logged, it is counted, and when too many threads hang the server says that it isn't healthy.
"""

from __future__ import annotations

import logging
import os
import sys
import time
import traceback
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, Protocol

from ..errors import WireError
from . import log
from .subject import subject_of
from .transports import seconds_left, status

if TYPE_CHECKING:
    from types import FrameType

    from .transports import Caller
    from .transports.limits import Limits

__all__ = ["Calls", "Handler", "Run"]

_log = logging.getLogger(__name__)

Run = Callable[[bytes], bytes]

_PACKAGE: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


class Handler(Protocol):
    """Answers calls, in this process or in others.

    Attributes:
        late: How many calls have gone on after their deadline, since the start.
    """

    late: int

    @property
    def running(self) -> int:
        """How many calls run."""

    @property
    def stuck(self) -> int:
        """How many of them have gone on for too long after their deadline."""

    @property
    def healthy(self) -> bool:
        """Whether it makes sense to send it the next call."""

    def handle(self, request: bytes, caller: Caller) -> bytes:
        """Answer a request.

        Raises:
            Refused: There is a status instead of an answer.
        """

    def look(self) -> None:
        """Look at the calls that run. It is called about once a second."""

    def close(self) -> None:
        """End the processes that are left."""


class _Late:
    """A call that `look` has seen.

    Attributes:
        caller: Who waits for it. Its request isn't kept, so that it is freed when the call ends.
        since: When it was seen first.
        late_since: When its deadline was first seen to be over, None where it isn't.
    """

    __slots__ = ("caller", "late_since", "since")

    def __init__(self, caller: Caller, now: float) -> None:
        self.caller = caller
        self.since = now
        self.late_since: float | None = None


class Calls:
    """Runs calls, each in the thread that asks for it.

    Args:
        run: The function, request bytes to response bytes. An exception other than WireError is a defect.
        limits: How much of everything.

    Attributes:
        late: How many calls have gone on after their deadline, since the start.
    """

    def __init__(self, run: Run, limits: Limits) -> None:
        self._run = run
        self._limits = limits
        # By thread. A thread changes its own entry only, which needs no lock of ours.
        self._running: dict[int, tuple[Caller, bytes]] = {}
        self._seen: dict[int, _Late] = {}
        self._stuck = 0
        self.late = 0

    @property
    def running(self) -> int:
        """How many calls run. One whose caller has gone away counts until compose() returns."""
        return len(self._running)

    @property
    def stuck(self) -> int:
        """How many of them have gone on for too long after their deadline."""
        return self._stuck

    @property
    def healthy(self) -> bool:
        """Whether enough threads are left."""
        return self._stuck < self._limits.stuck_share * self._limits.threads

    def handle(self, request: bytes, caller: Caller) -> bytes:
        """Answer a request.

        Raises:
            Refused: There is a status instead of an answer.
        """
        thread = get_ident()
        self._running[thread] = caller, request
        try:
            return self._run(request)
        except WireError as e:
            _log.warning("malformed request: %s", e)
            raise status.Refused(status.INVALID_ARGUMENT, str(e)) from None
        except BaseException:
            # The function turns its own failures into results, so this is a defect. Its text may hold anything.
            log.exception_in_call(_log, "a call failed outside of compose()", request)
            raise status.Refused(status.INTERNAL, "the function failed; its log says why") from None
        finally:
            del self._running[thread]

    def look(self) -> None:
        """Look at the calls that run, log those that have become late, and count those that are stuck."""
        now = time.monotonic()
        before, self._seen = self._seen, {}
        stuck = 0
        for thread, running in self._running.copy().items():
            seen = before.get(thread)
            if seen is None or seen.caller is not running[0]:
                seen = _Late(running[0], now)
            self._seen[thread] = seen
            if seen.late_since is None and self._is_late(running[0], now - seen.since):
                seen.late_since = now
                self._report(thread, running)
            if seen.late_since is not None and now - seen.late_since >= self._limits.stuck_seconds:
                stuck += 1
        was_healthy, self._stuck = self.healthy, stuck
        if was_healthy and not self.healthy:
            _log.error(
                "not healthy: calls have gone on for more than %g seconds after their deadline in %d of %d threads; "
                "the process has to be started again",
                *(self._limits.stuck_seconds, stuck, self._limits.threads),
            )

    def close(self) -> None:
        """Do nothing: threads end with the process."""

    def _is_late(self, caller: Caller, seconds: float) -> bool:
        remaining = seconds_left(caller)
        if remaining is not None:
            return remaining <= 0
        if seconds < self._limits.call_seconds:
            return False
        caller.cancel()
        return True

    def _report(self, thread: int, running: tuple[Caller, bytes]) -> None:
        loop = sys.modules.get("crossplane_lite._call.event_loop")
        # The stack of the thread, or of what it waits for on the event loop.
        frame = sys._current_frames().get(thread)
        awaited = None if loop is None else loop.awaited(thread)
        stack = None if awaited is None else awaited.stack()
        # The thread may be in another call meanwhile. Where it isn't, the stack is that of this one, and so is what it
        # waits for: nothing below may ask for it by thread again.
        if self._running.get(thread) is not running:
            return
        self.late += 1
        extra = {**subject_of(running[1]), "stack": stack or _stack(frame)}
        _log.error("compose() goes on after the call's deadline", extra=extra)
        if awaited is not None:
            awaited.cancel()


def _stack(frame: FrameType | None) -> str:
    """Return a thread's stack, the outermost frame first, without the frames of this package before the function's."""
    found = traceback.extract_stack(frame)
    for number, one in enumerate(found):
        if not one.filename.startswith(_PACKAGE) and any(each.filename.startswith(_PACKAGE) for each in found[:number]):
            return "".join(traceback.format_list(found[number:])).rstrip()
    return "".join(traceback.format_list(found)).rstrip()


def timed(run: Run) -> Run:
    """Return the function with a line of the log for each call."""

    def run_timed(request: bytes) -> bytes:
        start = time.perf_counter()
        fields: dict[str, Any] = {"request_bytes": len(request)}
        try:
            response = run(request)
            fields["response_bytes"] = len(response)
            return response
        finally:
            milliseconds = round((time.perf_counter() - start) * 1000, 3)
            _log.debug("call", extra={"milliseconds": milliseconds, **fields, **subject_of(request)})

    return run_timed

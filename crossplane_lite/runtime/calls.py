"""Runs calls in this process, and finds calls that still run after their deadline.

Python can't end a thread. If a call hangs, the transport answers the caller at the deadline, but the call's thread goes
on. So the running calls are checked here: the stack of a call that hangs is logged, such calls are counted, and if too
many threads hang, the server reports that it isn't healthy.
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

__all__ = ["Calls", "Handler", "Run", "end_if_forked", "timed"]

_log = logging.getLogger(__name__)

Run = Callable[[bytes], bytes]

_PACKAGE: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


class Handler(Protocol):
    """Answers calls, in this process (`Calls`) or in worker processes (`Pool`).

    Attributes:
        late: The number of calls since the server's start that ran on after their deadline.
    """

    late: int

    @property
    def running(self) -> int:
        """The number of calls that run now."""

    @property
    def stuck(self) -> int:
        """The number of stuck calls, which still run `Limits.stuck_seconds` after their deadline."""

    @property
    def healthy(self) -> bool:
        """Whether the handler can take more calls."""

    def handle(self, request: bytes, caller: Caller) -> bytes:
        """Answer a request: return the bytes of the response.

        Args:
            request: The bytes of the request.
            caller: The caller, who knows the call's deadline.

        Raises:
            Refused: The call must be answered with a status other than OK.
        """

    def look(self) -> None:
        """Find calls that run after their deadline: log them, or replace their workers. Runs about once a second."""

    def close(self) -> None:
        """End the worker processes, if the handler has any."""


class _Late:
    """A running call that `look` has found. The request isn't kept here, so that its memory is freed with the call.

    Attributes:
        caller: The object for the call's caller, by which `look` recognises the call.
        since: When `look` first found the call, by `time.monotonic`.
        late_since: When `look` first found that the call's deadline was over; None before.
    """

    __slots__ = ("caller", "late_since", "since")

    def __init__(self, caller: Caller, now: float) -> None:
        self.caller = caller
        self.since = now
        self.late_since: float | None = None


class Calls:
    """Runs calls, each in the thread that calls `handle`.

    Args:
        run: The function, which takes request bytes and returns response bytes. It raises WireError for a malformed
            request. Any other exception is a bug, which is logged.
        limits: The server's limits.

    Attributes:
        late: The number of calls since the server's start that ran on after their deadline.
    """

    def __init__(self, run: Run, limits: Limits) -> None:
        self._run = run
        self._limits = limits
        # By thread number. No lock is needed, because each thread changes only its own entry.
        self._running: dict[int, tuple[Caller, bytes]] = {}
        self._seen: dict[int, _Late] = {}
        self._stuck = 0
        self.late = 0

    @property
    def running(self) -> int:
        """The number of calls that run now. A call whose caller has gone counts until the function returns."""
        return len(self._running)

    @property
    def stuck(self) -> int:
        """The number of calls that the last `look` found stuck, `Limits.stuck_seconds` or more after their deadline."""
        return self._stuck

    @property
    def healthy(self) -> bool:
        """Whether the share of threads that are stuck in a call is less than `Limits.stuck_share` (by default half)."""
        return self._stuck < self._limits.stuck_share * self._limits.threads

    def handle(self, request: bytes, caller: Caller) -> bytes:
        """Answer a request: call `run` in this thread, and return the bytes of the response.

        If `run` forks this process, and returns in the child, too, the child ends here, and only this process answers.

        Raises:
            Refused: The request is malformed (INVALID_ARGUMENT), or `run` has raised another exception (INTERNAL).
        """
        thread, process = get_ident(), os.getpid()
        self._running[thread] = caller, request
        try:
            return self._run(request)
        except WireError as e:
            _log.warning("malformed request: %s", e)
            raise status.Refused(status.INVALID_ARGUMENT, str(e)) from None
        except BaseException:
            # A bug, because functions turn errors of their code into results. The text may have secrets: mask it.
            log.exception_in_call(_log, "a call failed outside of the function's code", request)
            raise status.Refused(status.INTERNAL, "the function failed; its log says why") from None
        finally:
            end_if_forked(process)
            del self._running[thread]

    def look(self) -> None:
        """Log the stack of each call that runs after its deadline, once for each call, and count the stuck calls.

        If such a call is of an `async def` function, its coroutine is cancelled. A call without a deadline is cancelled
        after `Limits.call_seconds`, and counts as late then.
        """
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
                "not healthy: calls still run more than %g seconds after their deadline in %d of %d threads; restart "
                "this process, and see in the stacks that were logged before what blocks the function",
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
        # An `async def compose` runs on the event loop while this thread waits for it: show the stack of the coroutine.
        frame = sys._current_frames().get(thread)
        awaited = None if loop is None else loop.awaited(thread)
        stack = None if awaited is None else awaited.stack()
        # The thread may run another call by now; then the stack isn't the late call's. If it is still the same call,
        # stack and coroutine are right. Below, nothing may be looked up by thread again.
        if self._running.get(thread) is not running:
            return
        self.late += 1
        extra = {**subject_of(running[1]), "stack": stack or _stack(frame)}
        _log.error("the function still runs after the call's deadline; the stack shows where", extra=extra)
        if awaited is not None:
            awaited.cancel()


def end_if_forked(process: int) -> None:
    """End the current process at once, with status 1, if it isn't `process`: then the function's code has forked it.

    Such a child has the connections of its parent. It must not read from them or answer: the bytes would get mixed up
    with those of the parent. It must not run the parent's exit handlers either.
    """
    if os.getpid() != process:
        os._exit(1)


def _stack(frame: FrameType | None) -> str:
    """Return the text of a thread's stack, from the outermost frame, as in a traceback.

    The first frames, which run the function but aren't the function's own code, are left out: those of the transport
    up to `Calls.handle`, and those of this package after it. If no frame is in the function's own code, all frames are
    returned.
    """
    found = traceback.extract_stack(frame)
    code = Calls.handle.__code__
    handle = code.co_filename, code.co_name
    start = next((at for at, one in enumerate(found) if (one.filename, one.name) == handle), 0)
    own = next((at for at in range(start + 1, len(found)) if not found[at].filename.startswith(_PACKAGE)), 0)
    return "".join(traceback.format_list(found[own:])).rstrip()


def timed(run: Run) -> Run:
    """Return a function that calls `run`, and logs the duration and the sizes in bytes of each call at level DEBUG."""

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

"""Runs calls in this process, finds those that still run after their deadline, and names calls in
log lines.

Python can't end a thread. If a call hangs, the transport answers the caller at the deadline, but
the call's thread goes on. So the running calls are checked here: the stack of a call that hangs is
logged, such calls are counted, and if too many threads hang, the server reports that it isn't
healthy.
"""

from __future__ import annotations

import logging
import os
import sys
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final

from .._core import codec
from .._core.base.folder import PACKAGE
from .._core.observed import tracker
from ..errors import WireError
from ..proto import _view
from . import log
from .transports import status

if TYPE_CHECKING:
    from types import FrameType

    from .._core.observed.tracker import Tracker
    from .transports.budget import Limits

__all__ = ["Calls", "Run", "current_subject", "deadline", "end_if_forked", "subject_of"]

_log = logging.getLogger(__name__)

Run = Callable[[bytes], bytes]

deadline: Final[ContextVar[float]] = ContextVar("deadline", default=float("inf"))
"""The deadline of the current call, a time by `time.monotonic`."""


class Calls:
    """Runs calls, each in the thread that calls `handle`.

    Args:
        run: The function, which takes request bytes and returns response bytes. It raises WireError
            for a malformed request, and Refused to answer with a status. Any other exception is a
            bug, which is logged.
        limits: The server's limits.

    Attributes:
        late: The number of calls since the server's start that ran on after their deadline.
        stuck: The number of calls that ran `Limits.stuck_seconds` or more after their deadline at
            the last `look`.
    """

    def __init__(self, run: Run, limits: Limits) -> None:
        self._run = run
        self._limits = limits
        # By thread number: the deadline and the request. No lock is needed, because each thread
        # changes only its own.
        self._running: dict[int, tuple[float, bytes]] = {}
        # the deadlines of calls that `look` has reported, by thread number
        self._late: dict[int, float] = {}
        self._malformed = log.Seldom()
        self.late = self.stuck = 0

    @property
    def running(self) -> int:
        """The number of calls that run now. A call whose caller has gone counts until the function
        returns.
        """
        return len(self._running)

    @property
    def healthy(self) -> bool:
        """Whether the share of threads that are stuck in a call is less than `Limits.stuck_share`
        (by default half).
        """
        return self.stuck < self._limits.stuck_share * self._limits.threads

    def handle(self, request: bytes, until: float) -> bytes:
        """Answer a request: call `run` in this thread, and return the bytes of the response.

        If `run` forks this process, and returns in the child, too, the child ends here, and only
        this process answers.

        Raises:
            Refused: `run` has raised it, the request is malformed (INVALID_ARGUMENT), or `run` has
                raised another exception (INTERNAL).
        """
        thread, process = get_ident(), os.getpid()
        start = time.perf_counter()
        response = b""
        self._running[thread] = until, request
        deadline.set(until)
        try:
            response = self._run(request)
            return response
        except status.Refused:
            raise
        except WireError as e:
            more = self._malformed.more(time.monotonic())
            if more is not None:
                _log.warning("malformed request: %s%s", e, more)
            raise status.Refused(status.INVALID_ARGUMENT, str(e)) from None
        except BaseException:
            # A bug, because functions turn errors of their code into results. The text may have
            # secrets: mask it.
            log.exception_in_call(_log, "a call failed outside of the function's code", request)
            raise status.Refused(status.INTERNAL, "the function failed; its log says why") from None
        finally:
            end_if_forked(process)
            del self._running[thread]
            if _log.isEnabledFor(logging.DEBUG):
                fields = {
                    "request_bytes": len(request),
                    "response_bytes": len(response),
                    **subject_of(request),
                }
                milliseconds = round((time.perf_counter() - start) * 1000, 3)
                _log.debug("call", extra={"milliseconds": milliseconds, **fields})

    def look(self) -> None:
        """Log the stack of each call that runs after its deadline, once for each call, and count
        the stuck calls.

        If such a call is of an `async def` function, its coroutine is cancelled.
        """
        now = time.monotonic()
        late = {thread: call for thread, call in self._running.copy().items() if call[0] <= now}
        for thread, call in late.items():
            if self._late.get(thread) != call[0]:
                self._report(thread, call)
        self._late = {thread: until for thread, (until, _) in late.items()}
        stuck = sum(now - until >= self._limits.stuck_seconds for until in self._late.values())
        was_healthy, self.stuck = self.healthy, stuck
        if was_healthy and not self.healthy:
            _log.error(
                "not healthy: calls still run more than %g seconds after their deadline in %d of %d"
                " threads; restart this process, and see in the stacks that were logged before what"
                " blocks the function",
                *(self._limits.stuck_seconds, stuck, self._limits.threads),
            )

    def _report(self, thread: int, running: tuple[float, bytes]) -> None:
        loop = sys.modules.get("crossplane_lite._core.call.event_loop")
        # An `async def compose` runs on the event loop while this thread waits for it: show the
        # stack of the coroutine.
        frame = sys._current_frames().get(thread)
        awaited = None if loop is None else loop.awaited(thread)
        stack = None if awaited is None else awaited.stack()
        # The thread may run another call by now; then the stack isn't the late call's. If it is
        # still the same call, stack and coroutine are right. Below, nothing may be looked up by
        # thread again.
        if self._running.get(thread) is not running:
            return
        self.late += 1
        extra = {**subject_of(running[1]), "stack": stack or _stack(frame)}
        _log.error(
            "the function still runs after the call's deadline; the stack shows where", extra=extra
        )
        if awaited is not None:
            awaited.cancel()


def end_if_forked(process: int) -> None:
    """End the current process at once, with status 1, if it isn't `process`: then the function's
    code has forked it.

    Such a child has the connections of its parent. It must not read from them or answer: the bytes
    would get mixed up with those of the parent. It must not run the parent's exit handlers either.
    """
    if os.getpid() != process:
        os._exit(1)


def _stack(frame: FrameType | None) -> str:
    """Return the text of a thread's stack, from the outermost frame, as in a traceback.

    The first frames, which run the function but aren't the function's own code, are left out: those
    of the transport up to `Calls.handle`, and those of this package after it. If no frame is in the
    function's own code, all frames are returned.
    """
    found = traceback.extract_stack(frame)
    code = Calls.handle.__code__
    handle = code.co_filename, code.co_name
    start = next((at for at, one in enumerate(found) if (one.filename, one.name) == handle), 0)
    own = next(
        (at for at in range(start + 1, len(found)) if not found[at].filename.startswith(PACKAGE)), 0
    )
    return "".join(traceback.format_list(found[own:])).rstrip()


def subject_of(request: bytes) -> dict[str, str]:
    """Return the fields that identify a request; an empty dict if the request's bytes are
    malformed.

    Returns:
        The fields `tag`, which is the request's tag, and `composite`, which is the composite's name
        or `namespace/name`. A field without a value is left out.
    """
    try:
        return _subject(_view.RunFunctionRequest.FromString(request))
    except Exception:  # running the function reports what is wrong with the request
        return {}


def current_subject() -> dict[str, str]:
    """Return the fields of `subject_of` for the current call of this thread or task; an empty dict
    without a call.
    """
    call: Tracker | None = tracker.current()
    if call is None:
        return {}
    request = getattr(call, "request", None)
    if request is None:
        return subject_of(call.data)
    try:
        return _subject(request)
    except Exception:
        return {}


def _subject(request: Any) -> dict[str, str]:
    fields = {"tag": request.meta.tag} if request.meta.tag else {}
    metadata = codec.get_path(request.observed.composite.resource, ("metadata",))
    if isinstance(metadata, dict) and isinstance(metadata.get("name"), str):
        namespace = metadata.get("namespace")
        fields["composite"] = (
            f"{namespace}/{metadata['name']}" if isinstance(namespace, str) else metadata["name"]
        )
    return fields

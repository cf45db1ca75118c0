"""One more run of compose(): a dry run, whose results are thrown away, or one whose answer counts.

The run is a call of its own. Of a dry run the results, conditions, requirements, context, output
and exceptions are thrown away. So are the log lines of `ctx.log`, and the log lines that reach the
root logger's handlers from the thread or task of compose(). The log lines of a thread that
compose() starts, and of a logger with handlers of its own, aren't thrown away. A filter on the root
logger's handlers drops the lines of dry runs. It stays there, and lets all other lines through: a
filter can't be taken off a handler safely while other threads log to it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from ...errors import WireError
from ..call import results
from ..call.call import Call
from ..models.walker import Tree, tree_of
from ..observed import tracker

if TYPE_CHECKING:
    from .answers import Answers

_silent: Final = logging.Logger("crossplane_lite.rehearsal")
_silent.disabled = True


class Run:
    """A run of compose() and its state, until `end` is called.

    Attributes:
        call: The call of this run.
        error: The exception that compose() raised; None if it returned.
    """

    __slots__ = ("call", "error")

    def __init__(self, call: Call, error: BaseException | None) -> None:
        self.call = call
        self.error = error

    @classmethod
    def dry(
        cls, real: Call, request: Any, data: bytes, *, oracle: Answers | None = None, form: int = 0
    ) -> Run:
        """Run compose() once more, only for the dependencies that it shows; its exception is the
        run's `error`.

        Only KeyboardInterrupt is raised. `data` are the bytes for `ctx.request`; an `oracle` of
        None answers as in a real call; `form` is that of the placeholders, `EARLY` or `LATE`.
        """
        call = Call(data, real.function, request)
        call.stand_in_for(real)
        call.rehearsed = True
        call.oracle = oracle
        call.form = form
        call.log.logger = _silent
        return cls(call, _invoke(real, call))

    @classmethod
    def real(cls, first: Call, request: Any) -> Run:
        """Run compose() on another request, as the call that is answered in place of the first one.

        Raises:
            WireError: A part of the request that compose() reads is malformed.
        """
        call = Call(request.SerializeToString(), first.function, request)
        call.stand_in_for(first)
        # The first run has logged the same lines.
        log, call.log.logger = call.log.logger, _silent
        call.rehearsed = True
        error = _invoke(first, call)
        call.rehearsed = False
        call.log.logger = log
        if isinstance(error, WireError):
            raise error
        return cls(call, error)

    def end(self) -> None:
        """Free the objects that the run has made. The run can't be used after that."""
        self.error = None  # its traceback has the frames of compose()
        tracker.close(self.call)
        self.call.release()


def _invoke(real: Call, call: Call) -> BaseException | None:
    """Run compose() for a call, and return the exception that it raised."""
    counts = results.counting.get()
    if counts is not None:
        counts.rehearsals += 1
    for handler in logging.getLogger().handlers:
        handler.addFilter(_is_of_a_real_call)
    before = tracker.enter(call)
    error: BaseException | None = None
    try:
        try:
            call.function.invoke(call)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:
            # SystemExit and the like end this run, and not the real call
            error = raised
            real.log.debug("another run of compose() ended early (%s)", type(raised).__name__)
        if real.observer is not None:
            real.observer.ended(call, error)
        return error
    finally:
        error = None  # its traceback has this frame
        tracker.go_back(before)


def tree_or_none(model: Any, call: Call) -> Tree | None:
    """Return the fields set in `model`, as a tree of plain data.

    None if a value can't be encoded, or raises an exception when it is read.
    """
    try:
        return tree_of(model, call)
    except Exception:  # the answer of the real run reports it
        return None


def details_of(call: Call) -> dict[str, Any]:
    """Return the connection details that a run sets in the composite, as texts, in which
    placeholders may be.
    """
    registered = None if call.composite is None else call.composite._state
    own = {} if registered is None or registered.details is None else registered.details.changes[0]
    return {
        key: value.decode("latin-1") if type(value) is bytes else value
        for key, value in own.items()
    }


def _is_of_a_real_call(record: logging.LogRecord) -> bool:
    """Say whether a handler may log `record`: False if the record comes from a dry run. This is a
    logging filter.
    """
    call = tracker.current()
    return call is None or not call.rehearsed

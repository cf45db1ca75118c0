"""One more run of compose(), whose results are thrown away.

It is a call of its own. Results, conditions, requirements, context, output, exceptions, the log lines of `ctx.log`, and
those that reach the root logger's handlers from the thread or task that compose() runs in go nowhere. A thread that
compose() starts, and a logger with handlers of its own, log in each run. The filter that keeps the lines back stays on
the root logger's handlers and lets everything else through: filters can't be taken off a handler safely while other
threads log to it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from .._call import tally
from .._call.call import Call
from .._call.marking import direct
from .._models.walker import Tree, tree_of
from .._observed import tracker

if TYPE_CHECKING:
    from .._models.resource import Resource
    from .._observed.uses import Oracle

__all__ = ["MOST_RUNS", "Run"]

MOST_RUNS: Final = 6
"""How often compose() runs for one request at the most, the real run among them."""

_silent: Final = logging.Logger("crossplane_lite.rehearsal")
_silent.disabled = True


class Run:
    """A run of compose() and its state, until `end` is called.

    Attributes:
        call: Its call.
        error: The exception of compose().
        resources: The composed resources that it registered, by name.
        opaque: The paths of values that it used in a way that another answer can't show.
        counted: The paths of the values that loops and numbers came from.
        bytes: Its resources as bytes, as far as somebody has asked.
        trees: The fields set in its resources, as far as somebody has asked.
    """

    __slots__ = ("bytes", "call", "counted", "error", "opaque", "resources", "trees")

    def __init__(self, call: Call, error: BaseException | None) -> None:
        self.call = call
        self.error = error
        self.resources: dict[str, Resource] = call.resources
        self.opaque = set(call.opaque)
        self.counted = set(call.counted)
        self.trees: dict[str, Tree | None] = {}
        self.bytes: dict[str, bytes | None] = {}

    @classmethod
    def again(cls, real: Call, request: Any, data: bytes, *, oracle: Oracle | None = None, form: int = 0) -> Run:
        """Run compose() once more.

        Args:
            real: The real call.
            request: The request of this run.
            data: The same as bytes.
            oracle: Answers for unresolved values; None as a real call does.
            form: The form of its tokens.
        """
        counts = tally.current()
        if counts is not None:
            counts.rehearsals += 1
        for handler in logging.getLogger().handlers:
            handler.addFilter(_is_of_a_real_call)
        call = Call(data, real.function, request)
        call.rehearsed = True
        call.oracle = oracle
        call.form = form
        call.log.logger = _silent
        call.stand_in_for(real)
        error: BaseException | None = None
        before = tracker.enter(call)
        try:
            try:
                real.function.invoke(call)
            except KeyboardInterrupt:
                raise
            except BaseException as raised:  # whatever ends a real call cleanly must not end one that goes on
                error = raised
                real.log.debug("a run whose results are thrown away ended early (%s)", type(raised).__name__)
            return cls(call, error)
        finally:
            tracker.go_back(before)

    def tree(self, name: str) -> Tree | None:
        """Return the fields set in a registered resource; None where that can't be carried."""
        if name not in self.trees:
            self.trees[name] = tree_or_none(self.resources[name], self.call)
        return self.trees[name]

    def encoded(self, name: str) -> bytes | None:
        """Return the bytes of a registered resource; None where something is unresolved or can't be carried."""
        if name not in self.bytes:
            self.bytes[name] = direct(self.resources[name], self.call.mark)
        return self.bytes[name]

    def end(self) -> None:
        """Free the objects of the run."""
        self.error = None  # its traceback has the frames of compose()
        tracker.close(self.call)
        self.call.release()


def tree_or_none(model: Any, call: Call) -> Tree | None:
    """Return the fields set in a model; None for a value that can't be carried, or that fails when it is looked at."""
    try:
        return tree_of(model, call)
    except Exception:  # the real run speaks of it
        return None


def _is_of_a_real_call(record: logging.LogRecord) -> bool:
    """Let through records that are not from a rehearsal."""
    call = tracker.current()
    return call is None or not call.rehearsed

"""One more run of compose(), whose results are thrown away.

The run is a call of its own. Its results, conditions, requirements, context, output and exceptions are thrown away. So
are the log lines of `ctx.log`, and the log lines that reach the root logger's handlers from the thread or task of
compose(). The log lines of a thread that compose() starts, and of a logger with handlers of its own, aren't thrown
away. A filter on the root logger's handlers drops the lines of these runs. It stays there, and lets all other lines
through: a filter can't be taken off a handler safely while other threads log to it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ...proto import _view
from .. import codec
from ..call import results
from ..call.call import Call
from ..call.mark import direct, plain_bytes
from ..models.walker import Tree, tree_of
from ..observed import tracker
from .draft import draft_from, with_references

if TYPE_CHECKING:
    from ..call.mark import Content
    from ..observed.observable import Oracle
    from ..resources.resource import Resource

MOST_RUNS: Final = 6
"""The largest number of times that compose() runs for one request, the real run included."""

_silent: Final = logging.Logger("crossplane_lite.rehearsal")
_silent.disabled = True


class Run:
    """A run of compose() and its state, until `end` is called.

    Attributes:
        call: The call of this run.
        error: The exception that compose() raised; None if it returned.
        resources: The composed resources that the run registered, by name.
        opaque: The missing values that were used in a way whose effect no other run can show.
        contents: The results of `content`, by name.
        trees: The results of `tree`, by name.
    """

    __slots__ = ("_lacks", "call", "contents", "error", "opaque", "resources", "trees")

    def __init__(
        self, call: Call, error: BaseException | None, contents: Mapping[str, Content | None] | None = None
    ) -> None:
        self.call = call
        self.error = error
        self.resources: dict[str, Resource] = call.resources
        self.opaque = list(call.opaque.values())
        self._lacks = False
        self.trees: dict[str, Tree | None] = {}
        self.contents: dict[str, Content | None] = {} if contents is None else dict(contents)

    @classmethod
    def again(
        cls, real: Call, request: Any, data: bytes, *, oracle: Oracle | None = None, form: int = 0, made_up: str = ""
    ) -> Run:
        """Run compose() once more, and return the run; an exception of compose() is its `error`.

        Only KeyboardInterrupt is raised. `data` are the bytes for `ctx.request`; an `oracle` of None answers as in a
        real call; `form` is that of the placeholders, `EARLY` or `LATE`; `made_up` is a text in their place.
        """
        counts = results.counting.get()
        if counts is not None:
            counts.rehearsals += 1
        for handler in logging.getLogger().handlers:
            handler.addFilter(_is_of_a_real_call)
        call = Call(data, real.function, request)
        call.rehearsed = True
        call.oracle = oracle
        call.refusals = real.refusals
        call.form = form
        call.made_up = made_up
        call.log.logger = _silent
        call.stand_in_for(real)
        error: BaseException | None = None
        before = tracker.enter(call)
        try:
            try:
                real.function.invoke(call)
            except KeyboardInterrupt:
                raise
            except BaseException as raised:  # SystemExit and the like end this run, and not the real call
                error = raised
                real.log.debug("a run whose results are thrown away ended early (%s)", type(raised).__name__)
            if real.observer is not None:
                real.observer.ended(call, error)
            return cls(call, error)
        finally:
            error = None  # its traceback has this frame
            tracker.go_back(before)

    def tree(self, name: str) -> Tree | None:
        """Return the fields set in the registered resource `name`; None if one of the values can't be encoded."""
        if name not in self.trees:
            self.trees[name] = tree_or_none(self.resources[name], self.call)
        return self.trees[name]

    def content(self, name: str) -> Content | None:
        """Return the content of the registered resource `name`; None if `_core.call.mark.direct` can't encode it.

        Raises:
            WireError: The bytes that previous functions desire are malformed.
        """
        if name not in self.contents:
            self.contents[name] = direct(self.resources[name])
        return self.contents[name]

    def as_made(self, name: str, digest: str) -> Content | None:
        """Return the content of an existing resource, with observed values in the place of missing ones.

        None if it has another digest than the content that the resource was made with.
        """
        draft = with_references(self.call, name, digest) if self._lacks else None
        if draft is None:
            made = self.content(name)
            # The next one probably has missing values, too, and can't be encoded at once.
            self._lacks = made is None
            has_texts = made is not None and self.call.has_token(plain_bytes(made))
            draft = draft_from(self.call, name, (), made, has_texts)
        return draft.content if draft.digest == digest else None

    def end(self) -> None:
        """Free the objects that the run has made. The run can't be used after that."""
        self.error = None  # its traceback has the frames of compose()
        tracker.close(self.call)
        self.call.release()


def with_status(call: Call, status: Mapping[str, Any]) -> Any:
    """Return a call's request as it would be if the composite had the fields of `status` in its observed status."""
    request = _view.RunFunctionRequest.FromString(call.data)
    composite = request.observed.composite
    composite.resource = codec.encode_over({"status": status}, composite.resource)
    return request


def tree_or_none(model: Any, call: Call) -> Tree | None:
    """Return the fields set in `model`, as a tree of plain data.

    None if a value can't be encoded, or raises an exception when it is read.
    """
    try:
        return tree_of(model, call)
    except Exception:  # the answer of the real run reports it
        return None


def _is_of_a_real_call(record: logging.LogRecord) -> bool:
    """Say whether a handler may log `record`: False if the record comes from a rehearsal. This is a logging filter."""
    call = tracker.current()
    return call is None or not call.rehearsed

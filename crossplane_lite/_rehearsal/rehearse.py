"""Runs of compose() that only look for dependencies.

A value that is resolved leaves no trace of where it came from. compose() is therefore run again over a request with
nothing observed, in which every value of a composed resource is an Observable, and everything is thrown away but the
edges: results, conditions, requirements, context, output, exceptions, the log lines of `ctx.log`, and those that reach
the root logger's handlers from the thread or task that compose() runs in. A thread that compose() starts, and a logger
with handlers of its own, log in each run. The filter that keeps the lines back stays on the root logger's handlers and
lets everything else through: filters can't be taken off a handler safely while other threads log to it.

What compose() decides by stays, so that it takes the path that it takes in the real run: the composite's spec and
metadata, the input, the context with the environment, credentials, required resources and schemas, capabilities, and
what earlier functions desire. None of it comes from the resources that compose() itself composes, so none of it can
hide an edge between them, and without it the code would stop, or go where it waits for an answer. Away go the observed
resources, and the composite's status and connection details: these come from composed resources, and only what is
missing shows where it is needed.

**Guesses.** Where compose() uses an unresolved value as a plain one, one run goes one way only: `a and b` is `a` while
there is no `a`, though the value that counts later is that of `b`; below `if a:` nothing happens at all. In rehearsals
every such question is therefore answered both ways, at every place where it comes up: in the first run always with no,
as in the real run; in a second one always with yes (true, equal, not empty); and where an answer has not come up
in these (`a and b and c` with an `a` and no `b`), in runs that answer like an earlier one but for all such questions.
`a > 2` is such a question too. That takes no second run where there are no guesses, usually two where there are some,
and at the most `_MOST_RUNS`.

**Values.** Below a question that is answered with yes the value is used like one that is there. Arithmetic, slices and
methods therefore give an Observable of what went in, as `apply` does. `int(a)`, `len(a)` and iteration need more: they
get the number, and the length, of what the real call observes (`crossplane_lite._rehearsal.observed_values`), 1 where
it observes nothing.
So does the name of a resource that has a value in it. Where Python insists on a real text, the run ends
(`",".join([a])`); where it insists on a number, what is made of that shows no edge (`int(a)`).

A run that ends in an exception has shown what it came to.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Sized
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .. import _wire
from .._answer.resources import Wait
from .._base.sentinels import TOMBSTONE
from .._models.walker import show_path, tree_of, unresolved_in
from .._observed import tracker
from .._observed.observable import Observable, root_of, sources
from .._observed.tracker import Call
from ..proto import _view
from .observed_values import Actual

if TYPE_CHECKING:
    from .._models.model import Resource
    from .._waits.graph import Graph
    from ..context import Context

__all__ = ["Oracle", "rehearse", "run_once"]

N = TypeVar("N", int, float)

_MOST_RUNS: Final = 16
# A loop over what a value leads to would never end where the answer is always yes.
_MOST_QUESTIONS: Final = 2000

_silent: Final = logging.Logger("crossplane_lite.rehearsal")
_silent.disabled = True

# The path of a value that is used as a plain one, and what it is compared with.
_Question = tuple[str, object]
# A question, the place in the code where it came up, and an answer.
_Branch = tuple[_Question, tuple[int, int], bool]

_PACKAGE: Final = __name__.partition(".")[0]


class _Enough(BaseException):
    """Ends a run, also where compose() catches every Exception."""


class Oracle:
    """Answers the questions of one run.

    Attributes:
        actual: What is observed in the real call.
        answers: The questions that came up, and the answers.
        branches: The same with the places.
        default: The answer where none is laid down.
    """

    __slots__ = ("_count", "_fixed", "actual", "answers", "branches", "default")

    def __init__(self, actual: Actual, default: bool, fixed: dict[_Question, bool]) -> None:
        self.actual = actual
        self.default = default
        self.answers: dict[_Question, bool] = {}
        self.branches: set[_Branch] = set()
        self._fixed = fixed
        self._count = 0

    def __call__(self, observable: Observable[Any], compared: object) -> bool:
        root = root_of(observable)
        if root is not None and root.kind == "required":
            return False  # required resources are here as in the real run, and so is what they lack
        self._count_one()
        question = (observable.source_path, compared if isinstance(compared, (str, int, float)) else None)
        answer = self.answers.setdefault(question, self._fixed.get(question, self.default))
        self.branches.add((question, _place(), answer))
        return answer

    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that is observed in the real call, None where there is none."""
        try:
            return self.actual.value(observable)
        except LookupError:
            return None

    def length(self, observable: Observable[Any]) -> int:
        """Return the length that is observed in the real call, 1 where there is none."""
        value = self.value(observable)
        return len(value) if value and isinstance(value, Sized) else 1

    def number(self, observable: Observable[Any], kind: type[N]) -> N:
        """Return the number that is observed in the real call, 1 where there is none."""
        self._count_one()
        try:
            return kind(self.value(observable))
        except (TypeError, ValueError, OverflowError):
            return kind(1)

    def _count_one(self) -> None:
        self._count += 1
        if self._count > _MOST_QUESTIONS:
            raise _Enough

    def open(self, seen: AbstractSet[_Branch]) -> frozenset[_Question]:
        """Return the questions that had this answer alone at some place."""
        return frozenset(one for one, place, answer in self.branches if (one, place, not answer) not in seen)

    def otherwise(self, questions: Iterable[_Question]) -> Oracle:
        """Return one that answers some questions the other way, and everything else as this one did."""
        return Oracle(self.actual, self.default, {**self.answers, **{one: not self.answers[one] for one in questions}})


def _place() -> tuple[int, int]:
    """Return the place in the author's code that asks."""
    frame = sys._getframe(2)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return id(frame.f_code), frame.f_lasti


def rehearse(ctx: Context, graph: Graph) -> dict[str, Resource]:
    """Add to a graph every edge that compose() shows where nothing is observed.

    Args:
        ctx: The real call, which has its answer already.
        graph: The graph.

    Returns:
        The resources that were registered in any of the runs, by name.
    """
    request = _nothing_observed(ctx)
    data = request.SerializeToString()  # for ctx.request
    resources: dict[str, Resource] = {}
    ran: list[Oracle] = []
    seen: set[_Branch] = set()
    tried: set[tuple[int, frozenset[_Question]]] = set()
    actual = Actual(ctx)
    oracle: Oracle | None = Oracle(actual, False, {})
    while oracle is not None and len(ran) < _MOST_RUNS:
        resources.update(run_once(ctx, graph, request, data, oracle))
        seen.update(oracle.branches)
        ran.append(oracle)
        oracle = Oracle(actual, True, {}) if len(ran) == 1 and oracle.branches else _next(ran, seen, tried)
    return resources


def _next(ran: list[Oracle], seen: AbstractSet[_Branch], tried: set[tuple[int, frozenset[_Question]]]) -> Oracle | None:
    """Return what answers the next run, None where every question has had both answers, or can't have them."""
    for at, earlier in enumerate(ran):
        questions = earlier.open(seen)
        if questions and (at, questions) not in tried:
            tried.add((at, questions))
            return earlier.otherwise(questions)
    return None


def _nothing_observed(ctx: Context) -> Any:
    """Return the request with nothing in it that comes from composed resources."""
    request = _view.RunFunctionRequest.FromString(ctx._data)
    request.observed.ClearField("resources")
    composite = request.observed.composite
    composite.ClearField("connection_details")
    if composite.HasField("resource"):
        composite.resource = _wire.encode_over({"status": TOMBSTONE}, composite.resource)
    return request


def _is_of_a_real_call(record: logging.LogRecord) -> bool:
    """Let through what is not logged in a rehearsal."""
    call = tracker.current()
    return call is None or call.oracle is None


def run_once(ctx: Context, graph: Graph, request: Any, data: bytes, oracle: Oracle) -> dict[str, Resource]:
    """Run compose() once, throw away what comes of it, and add to a graph what it shows.

    Args:
        ctx: The real call.
        graph: The graph.
        request: The request of this run.
        data: The same as bytes.
        oracle: Answers the questions of this run.

    Returns:
        The resources that it registered, by name.
    """
    from .._call.secrets import masker_for

    for handler in logging.getLogger().handlers:
        handler.addFilter(_is_of_a_real_call)
    call = Call(lambda: masker_for(ctx._request))
    call.oracle = oracle
    rehearsed = type(ctx)(request, data, call, ctx._function)
    rehearsed.log.logger = _silent
    rehearsed._lazy["required_schemas"] = ctx.required_schemas  # large, and decoded once is enough
    before = tracker.enter(call)
    try:
        try:
            ctx._function.call_compose(rehearsed)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever ends a real call cleanly must not end one that has its answer
            ctx.log.debug("a run that looks for dependencies ended early (%s)", type(error).__name__)
        graph.add(_waiting(rehearsed, oracle), _composite(rehearsed), _asked(rehearsed, oracle))
    finally:
        tracker.leave(call, before)
        rehearsed.release()
    return rehearsed.resources


def _waiting(ctx: Context, oracle: Oracle) -> dict[str, list[Wait]]:
    """Return what each registered resource needs."""
    waiting: dict[str, list[Wait]] = {}
    for name, model in ctx.resources.items():
        found = _found(ctx, model).values()
        waits = [Wait(source) for waits_for in found for one in waits_for for source in sources(one)]
        assert model._state is not None
        gates = [oracle.actual.text(other, ctx._call) for other in model._state.depends_on]
        waiting[name] = waits + [Wait(other) for other in gates]
    return waiting


def _composite(ctx: Context) -> dict[str, list[Observable[Any]]]:
    """Return the fields of the composite that compose() sets, by path, and what they need."""
    model = ctx._composite
    if model is None:
        return {}
    found = {f"xr.{path}": waits_for for path, waits_for in _found(ctx, model).items()}
    assert model._state is not None
    details = model._state.details
    if details is not None:
        for key, value in details.changes[0].items():
            text = value.decode("latin-1") if isinstance(value, bytes) else value
            found[f'xr.connection_details["{key}"]'] = unresolved_in(text, ctx._call)
    return found


def _asked(ctx: Context, oracle: Oracle) -> dict[str, list[Observable[Any]]]:
    """Return what the selectors of requirements need, by key."""
    return {
        oracle.actual.text(key, ctx._call): unresolved_in(
            [key, *(text for text in selector.texts() if text is not None)], ctx._call
        )
        for key, selector in ctx.asked or ()
    }


def _found(ctx: Context, model: Resource) -> dict[str, list[Observable[Any]]]:
    """Return the unresolved values that were set in a model, by path."""
    found: dict[str, list[Observable[Any]]] = {}
    try:
        for one in tree_of(model, ctx._call).found:
            # An entry of a map can wait twice: for its key and for its value.
            found.setdefault(show_path(one.steps), []).extend(one.waits_for)
    except Exception:  # a value that can't be carried, or that fails when it is looked at; the real run speaks of it
        return {}
    return found

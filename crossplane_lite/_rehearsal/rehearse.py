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
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._base.sentinels import TOMBSTONE
from .._call.call import Call
from .._models.walker import show_path, tree_of, unresolved_in
from .._observed import tracker
from .._observed.observable import Observable, sources
from .._waits.wait import Wait
from ..proto import _view
from .both_ways import BothWays, Branch, Question
from .observed_values import Actual

if TYPE_CHECKING:
    from .._models.resource import Resource
    from .._waits.graph import Graph

__all__ = ["rehearse", "run_once"]

_MOST_RUNS: Final = 16

_silent: Final = logging.Logger("crossplane_lite.rehearsal")
_silent.disabled = True


def rehearse(call: Call, graph: Graph) -> dict[str, Resource]:
    """Add to a graph every edge that compose() shows where nothing is observed.

    Args:
        call: The real call, which has its answer already.
        graph: The graph.

    Returns:
        The resources that were registered in any of the runs, by name.
    """
    request = _nothing_observed(call)
    data = request.SerializeToString()  # for ctx.request
    resources: dict[str, Resource] = {}
    ran: list[BothWays] = []
    seen: set[Branch] = set()
    tried: set[tuple[int, frozenset[Question]]] = set()
    actual = Actual(call)
    oracle: BothWays | None = BothWays(actual, False, {})
    while oracle is not None and len(ran) < _MOST_RUNS:
        resources.update(run_once(call, graph, request, data, oracle))
        seen.update(oracle.branches)
        ran.append(oracle)
        oracle = BothWays(actual, True, {}) if len(ran) == 1 and oracle.branches else _next(ran, seen, tried)
    return resources


def _next(
    ran: list[BothWays], seen: AbstractSet[Branch], tried: set[tuple[int, frozenset[Question]]]
) -> BothWays | None:
    """Return what answers the next run, None where every question has had both answers, or can't have them."""
    for at, earlier in enumerate(ran):
        questions = earlier.open(seen)
        if questions and (at, questions) not in tried:
            tried.add((at, questions))
            return earlier.otherwise(questions)
    return None


def _nothing_observed(call: Call) -> Any:
    """Return the request with nothing in it that comes from composed resources."""
    request = _view.RunFunctionRequest.FromString(call.data)
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


def run_once(call: Call, graph: Graph, request: Any, data: bytes, oracle: BothWays) -> dict[str, Resource]:
    """Run compose() once, throw away what comes of it, and add to a graph what it shows.

    Args:
        call: The real call.
        graph: The graph.
        request: The request of this run.
        data: The same as bytes.
        oracle: Answers the questions of this run.

    Returns:
        The resources that it registered, by name.
    """
    for handler in logging.getLogger().handlers:
        handler.addFilter(_is_of_a_real_call)
    rehearsed = Call(data, call.function, request)
    rehearsed.oracle = oracle
    rehearsed.log.logger = _silent
    rehearsed.stand_in_for(call)
    resources = rehearsed.resources
    before = tracker.enter(rehearsed)
    try:
        try:
            call.function.invoke(rehearsed)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever ends a real call cleanly must not end one that has its answer
            call.log.debug("a run that looks for dependencies ended early (%s)", type(error).__name__)
        graph.add(_waiting(rehearsed, oracle), _composite(rehearsed), _asked(rehearsed, oracle))
    finally:
        tracker.leave(rehearsed, before)
        rehearsed.release()
    return resources


def _waiting(call: Call, oracle: BothWays) -> dict[str, list[Wait]]:
    """Return what each registered resource needs."""
    waiting: dict[str, list[Wait]] = {}
    for name, model in call.resources.items():
        found = _found(call, model).values()
        waits = [Wait(source) for waits_for in found for one in waits_for for source in sources(one)]
        assert model._state is not None
        gates = [oracle.text(other, call) for other in model._state.depends_on]
        waiting[name] = waits + [Wait(other) for other in gates]
    return waiting


def _composite(call: Call) -> dict[str, list[Observable[Any]]]:
    """Return the fields of the composite that compose() sets, by path, and what they need."""
    model = call.composite
    if model is None:
        return {}
    found = {f"xr.{path}": waits_for for path, waits_for in _found(call, model).items()}
    assert model._state is not None
    details = model._state.details
    if details is not None:
        for key, value in details.changes[0].items():
            text = value.decode("latin-1") if isinstance(value, bytes) else value
            found[f'xr.connection_details["{key}"]'] = unresolved_in(text, call)
    return found


def _asked(call: Call, oracle: BothWays) -> dict[str, list[Observable[Any]]]:
    """Return what the selectors of requirements need, by key."""
    return {
        oracle.text(key, call): unresolved_in([key, *(text for text in selector.texts() if text is not None)], call)
        for key, selector in call.asked or ()
    }


def _found(call: Call, model: Resource) -> dict[str, list[Observable[Any]]]:
    """Return the unresolved values that were set in a model, by path."""
    found: dict[str, list[Observable[Any]]] = {}
    try:
        for one in tree_of(model, call).found:
            # An entry of a map can wait twice: for its key and for its value.
            found.setdefault(show_path(one.steps), []).extend(one.waits_for)
    except Exception:  # a value that can't be carried, or that fails when it is looked at; the real run speaks of it
        return {}
    return found

"""Runs of compose() that only look for dependencies.

A value that is resolved leaves no trace of where it came from. compose() is therefore run again over a request with
nothing observed, in which every value of a composed resource is an Observable, and everything is thrown away but the
edges (`crossplane_lite._rehearsal.run`).

The grounds of compose()'s decisions stay, so that it takes the path of the real run: the composite's spec and
metadata, the input, the context with the environment, credentials, required resources and schemas, capabilities, and
resources of previous functions. None of it comes from the resources that compose() itself composes, so none of it can
hide an edge between them, and without it the code would stop, or go where it waits for an answer. Away go the observed
resources, and the composite's status and connection details: these come from composed resources, and only the state
that is missing shows where it is needed.

**Guesses.** Where compose() uses an unresolved value as a plain one, one run goes one way only: `a and b` is `a` while
`a` is missing, though the value that counts later is that of `b`; below `if a:` nothing happens at all. In rehearsals
every such question is therefore answered both ways, at every place where it comes up: in the first run always with no,
as in the real run; in a second one always with yes (true, equal, not empty); and where an answer has not come up
in these (`a and b and c` with an `a` and no `b`), in runs that answer like an earlier one but for all such questions.
`a > 2` is such a question too. That takes no second run where there are no guesses, usually two where there are some,
and at the most as many as the caller has left of them.

**Values.** Below a question that is answered with yes the value is used like one that is there. Arithmetic, slices and
methods therefore give an Observable of the arguments, as `apply` does. `int(a)`, `len(a)` and iteration need more: they
get the number, and the length, that the real call observes (`crossplane_lite._rehearsal.observed_values`), 1 where
it observes nothing.
So does the name of a resource that has a value in it. Where Python insists on a real text, the run ends
(`",".join([a])`); where it insists on a number, values made of that don't show an edge (`int(a)`).

A run that ends in an exception has shown the part that it came to.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._base.sentinels import TOMBSTONE
from .._call.call import Call
from .._models.walker import show_path, unresolved_in
from .._observed import tracker
from .._observed.observable import Observable
from .._observed.tracker import Branch, Question
from .._observed.uses import sources
from .._waits.wait import Wait
from ..proto import _view
from .both_ways import BothWays
from .observed_values import Actual
from .run import Run, tree_or_none

if TYPE_CHECKING:
    from .._models.resource import Resource
    from .._waits.graph import Graph

__all__ = ["next_answers", "rehearse", "run_once"]


def rehearse(call: Call, graph: Graph, most: int) -> dict[str, Resource]:
    """Add to a graph every edge that compose() shows where nothing is observed.

    Args:
        call: The real call, which has its answer already.
        graph: The graph.
        most: How often compose() may run at the most.

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
    while oracle is not None and len(ran) < most:
        resources.update(run_once(call, graph, request, data, oracle))
        seen.update(oracle.branches)
        ran.append(oracle)
        oracle = BothWays(actual, True, {}) if len(ran) == 1 and oracle.branches else next_answers(ran, seen, tried)
    return resources


def next_answers(
    ran: list[BothWays], seen: AbstractSet[Branch], tried: set[tuple[int, frozenset[Question]]]
) -> BothWays | None:
    """Return the oracle of the next run, None where every question has had both answers, or can't have them."""
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


def run_once(call: Call, graph: Graph, request: Any, data: bytes, oracle: BothWays) -> dict[str, Resource]:
    """Run compose() once, throw its result away, and add its dependencies to a graph.

    Args:
        call: The real call.
        graph: The graph.
        request: The request of this run.
        data: The same as bytes.
        oracle: Answers the questions of this run.

    Returns:
        The resources that it registered, by name.
    """
    run = Run.again(call, request, data, oracle=oracle)
    before = tracker.enter(run.call)
    try:
        graph.add(_waiting(run, oracle), _composite(run.call), _asked(run.call, oracle))
        return run.resources
    finally:
        tracker.go_back(before)
        run.end()


def _waiting(run: Run, oracle: BothWays) -> dict[str, list[Wait]]:
    """Return the needs of each registered resource."""
    waiting: dict[str, list[Wait]] = {}
    call = run.call
    for name, model in run.resources.items():
        found = _found(call, model).values()
        waits = [Wait(source) for waits_for in found for one in waits_for for source in sources(one)]
        assert model._state is not None
        gates = [oracle.text(other, call) for other in model._state.depends_on]
        waiting[name] = waits + [Wait(other) for other in gates]
    return waiting


def _composite(call: Call) -> dict[str, list[Observable[Any]]]:
    """Return the fields of the composite that compose() sets, by path, and their needs."""
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
    """Return the needs of requirements' selectors, by key."""
    return {
        oracle.text(key, call): unresolved_in([key, *(text for text in selector.texts() if text is not None)], call)
        for key, selector in call.asked or ()
    }


def _found(call: Call, model: Resource) -> dict[str, list[Observable[Any]]]:
    """Return the unresolved values that were set in a model, by path."""
    found: dict[str, list[Observable[Any]]] = {}
    tree = tree_or_none(model, call)
    for one in () if tree is None else tree.found:
        # An entry of a map can wait twice: for its key and for its value.
        found.setdefault(show_path(one.steps), []).extend(one.waits_for)
    return found

"""Runs of compose() that only look for dependencies.

A value that is resolved doesn't show where it came from. So compose() runs again on a request without observed
resources, in which every value of a composed resource is an Observable. Such a run is called a rehearsal. Only its
edges are kept: which resource or field needs a value of which other one. Everything else is thrown away
(`_core.waits.run`).

The request keeps all values by which compose() decides, so that compose() takes the path of the real run: the
composite's spec and metadata, the input, the context with the environment, credentials, required resources and schemas,
capabilities, and the resources of previous functions. None of these values comes from a resource that compose()
composes, so none of them can hide an edge between such resources. The request loses the observed resources, and the
composite's status and connection details, which come from composed resources: only if a value is missing does compose()
show where it is needed.

**Guesses.** Where compose() uses an unresolved value as a plain one, a run takes only one of two ways: `a and b` is `a`
while `a` is missing, though later the value of `b` counts; and while `a` is missing nothing below `if a:` runs. So
rehearsals answer every such question both ways, at every place where it comes up. The first run always answers no, as
the real run does. The second always answers yes (true, equal, not empty). If a question has had only one answer then
(`a and b and c` needs a run with `a` and without `b`), further runs answer it the other way, and all other questions as
a previous run did. `a > 2` is such a question too. Without guesses there is only the first run; with guesses there are
usually two, and never more than the caller allows.

**Values.** After the answer yes, compose() uses the value as if it were there. So arithmetic, slices and methods return
an Observable that depends on their arguments, as `apply` does. `int(a)`, `len(a)` and iteration need a real number:
they get the number or the length that the real call observes (`_core.waits.both_ways`), or another if it
observes none. The name of a resource gets the values that the real call observes, too. Where Python needs a real
string, the run ends (`",".join([a])`). Values that are made from a real number don't show an edge (`int(a)`).

A run that ends with an exception shows the edges of the part that did run.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE
from ..call.call import Call
from ..models.walker import show_path, unresolved_in
from ..observed import tracker
from ..observed.observable import Observable
from ..observed.tracker import Branch, Question
from ..observed.uses import sources
from .both_ways import Actual, BothWays
from .draft import Wait
from .run import Run, tree_or_none

if TYPE_CHECKING:
    from ..models.resource import Resource
    from .graph import Graph

__all__ = ["next_answers", "rehearse", "run_once"]


def rehearse(call: Call, graph: Graph, most: int, number: int = 1) -> dict[str, Resource]:
    """Add to a graph every edge (a dependency) that compose() shows if no composed resource is observed.

    compose() runs at most `most` times, and gets `number` where it needs a number that isn't observed. Returns the
    resources that any of the runs registered, by name.
    """
    request = _nothing_observed(call)
    data = request.SerializeToString()  # for ctx.request
    resources: dict[str, Resource] = {}
    ran: list[BothWays] = []
    seen: set[Branch] = set()
    tried: set[tuple[int, frozenset[Question]]] = set()
    actual = Actual(call)
    oracle: BothWays | None = BothWays(actual, False, {}, number=number)
    while oracle is not None and len(ran) < most:
        resources.update(run_once(call, graph, request, data, oracle))
        seen.update(oracle.branches)
        ran.append(oracle)
        second = len(ran) == 1 and oracle.branches
        oracle = BothWays(actual, True, {}, number=number) if second else next_answers(ran, seen, tried)
    return resources


def next_answers(
    ran: list[BothWays], seen: AbstractSet[Branch], tried: set[tuple[int, frozenset[Question]]]
) -> BothWays | None:
    """Return the oracle of the next run; None if every question has had both answers, or can't get them.

    `ran` are the oracles up to now, and `seen` the questions they answered. The new attempt, the number of a run and
    the questions to answer the other way, is added to `tried`.
    """
    for at, earlier in enumerate(ran):
        questions = earlier.open(seen)
        if questions and (at, questions) not in tried:
            tried.add((at, questions))
            return earlier.otherwise(questions)
    return None


def _nothing_observed(call: Call) -> Any:
    """Return a copy of the request without observed resources.

    The composite has no status and no connection details in it.
    """
    request = _view.RunFunctionRequest.FromString(call.data)
    request.observed.ClearField("resources")
    composite = request.observed.composite
    composite.ClearField("connection_details")
    if composite.HasField("resource"):
        composite.resource = codec.encode_over({"status": TOMBSTONE}, composite.resource)
    return request


def run_once(call: Call, graph: Graph, request: Any, data: bytes, oracle: BothWays) -> dict[str, Resource]:
    """Run compose() once, throw its result away, and add its dependencies to a graph.

    An exception of compose() ends the run and isn't raised here. The dependencies up to the exception are added. `data`
    is the request as bytes. Returns the resources that the run registered, by name.
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
    """Return the unresolved values and other resources that each registered resource waits for, by its name.

    It waits for other resources because of `depends_on`.
    """
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
    """Return the unresolved values that compose() sets in fields of the composite, by the field's path.

    Connection details are among the fields, such as `xr.connection_details["password"]`.
    """
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
    """Return the unresolved values in the key and selector of each requirement, by the key without placeholders."""
    return {
        oracle.text(key, call): unresolved_in([key, *(text for text in selector.texts() if text is not None)], call)
        for key, selector in call.asked or ()
    }


def _found(call: Call, model: Resource) -> dict[str, list[Observable[Any]]]:
    """Return the unresolved values that were set in `model`, by path; empty if a value can't be encoded."""
    found: dict[str, list[Observable[Any]]] = {}
    tree = tree_or_none(model, call)
    for one in () if tree is None else tree.found:
        # An entry of a map can wait twice: for its key and for its value.
        found.setdefault(show_path(one.steps), []).extend(one.waits_for)
    return found

"""Every dependency that compose() shows (`Function.dependencies`).

An answer shows only dependencies on missing values, because a value that is there doesn't show
where it came from. So compose() runs again, in dry runs of which only the edges are kept: which
resource or field needs a value of which other one. Two runs have nothing observed, so that each
value of a composed resource is an Observable: in the first one each question about a missing value
is answered with no, in the second one with yes (true, equal, not empty). What only a mix of answers
makes isn't found.

The request keeps all values by which compose() decides: the composite's spec and metadata, the
input, the context with the environment, credentials, required resources and schemas, capabilities,
and the resources of previous functions. It loses the observed resources, and the composite's status
and connection details, which come from composed resources. `Function.dependencies` also runs
compose() on the request as it is, and with required resources that lack their values.

After the answer yes, compose() uses the value as if it were there. So arithmetic, slices and
methods return an Observable that depends on their arguments, as `apply` does. `int(a)`, `len(a)`
and iteration need a real number: they get the number or the length that the real call observes, or
another if it observes none. The name of a resource gets the values that the real call observes,
too. Where Python needs a real string, the run ends (`",".join([a])`). A run that ends with an
exception shows the edges of the part that did run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE
from ..call.call import Call
from ..models.walker import unresolved_in
from ..observed import tracker
from ..observed.lookup import is_ready
from ..observed.observable import Observable
from ..observed.tracker import Observer
from .answers import Answers
from .dry_run import Run, details_of, tree_or_none
from .graph import UNKNOWN, Graph, Source, fields_of, shown_vertex

if TYPE_CHECKING:
    from ..call.call import Callee
    from ..resources.resource import Resource
    from .graph import Vertex

# The apiVersion and the kind of a resource.
Kind = tuple[str, str]

# The fields that identify an object. Every object that exists has them.
_IDENTITY = ("apiVersion", "kind", "metadata")


class Dependency(NamedTuple):
    """A dependency between resources, fields of the composite, and requirements.

    A composed resource is named by its composition resource name, a field of the composite by its
    path (`xr.status.x`), and a requirement by `required.<key>`.

    Attributes:
        dependent: The name of the resource, field or requirement that needs a value.
        dependency: The name of the resource, field or requirement that has the value.
        path: The value's path, such as `vpc.status.atProvider.vpcId`. For `depends_on` it is only
            the resource's name.
    """

    dependent: str
    dependency: str
    path: str


class Shown(NamedTuple):
    """The dependencies that compose() shows for a request.

    Attributes:
        dependencies: Every dependency once, sorted.
        missing: The dependencies whose values don't exist yet.
        registered: The apiVersion and kind of each resource that compose() registers for the
            request, by name.
        possible: The apiVersion and kind, by name, of each resource that compose() doesn't register
            now, but would register if values that it asks about were different.
    """

    dependencies: list[Dependency]
    missing: frozenset[Dependency]
    registered: dict[str, Kind]
    possible: dict[str, Kind]


def show(
    function: Callee, request: bytes, observer: Observer | None = None, number: int = 1
) -> Shown:
    """Return the dependencies that a function's compose() shows for a request.

    If compose() raises an exception, the dependencies that it showed before count, and the
    exception isn't raised here. The observer is told of the end of each run. compose() gets
    `number` where it needs one that isn't observed. Raises WireError if `request`, a
    RunFunctionRequest, is malformed.
    """
    call = Call(request, function)
    before = tracker.enter(call)
    if observer is not None:
        tracker.observe(call, observer)
    try:
        return _shown(call, number)
    finally:
        tracker.leave(call, before)
        call.release()


def _shown(call: Call, number: int) -> Shown:
    """Return the dependencies that compose() shows for `call`. compose() hasn't run for this call
    before.
    """
    first = Answers(call, False, number=number)
    graph = _Shown(first)
    registered = _kinds(_run_once(call, graph, call.request, call.data, first))
    missing = graph.dependencies_shown()
    request = _without_required_values(call)
    if request is not None:
        _run_once(call, graph, request, request.SerializeToString(), Answers(call, False))
    possible = _kinds(add_all(call, graph, number))
    return Shown(
        sorted(graph.dependencies_shown()),
        frozenset(one for one in missing if not _is_met(call, one)),
        registered,
        {name: kind for name, kind in possible.items() if name not in registered},
    )


def _kinds(resources: Mapping[str, Resource]) -> dict[str, Kind]:
    return {name: (str(model.apiVersion), str(model.kind)) for name, model in resources.items()}


def _is_met(call: Call, dependency: Dependency) -> bool:
    """Say whether `dependency` comes from `depends_on` and is met: the dependent exists, or its
    dependency is ready.
    """
    if dependency.path != dependency.dependency or dependency.path.startswith("xr."):
        return False
    observed = call.observed.get(dependency.dependency)
    return dependency.dependent in call.observed or (
        observed is not None and is_ready(observed.resource)
    )


class _Shown(Graph):
    """A dependency graph for people: real values replace placeholders in its paths, and secret
    values are masked.
    """

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self._answers = answers

    def dependencies_shown(self) -> set[Dependency]:
        """Return the edges of the graph as dependencies, except edges from a vertex to itself."""
        return {
            Dependency(shown_vertex(waiting), shown_vertex(field), path)
            for waiting, targets in self.edges.items()
            for target, path in targets
            for field in self.set_at(target)
            # A resource that reads its own observed state, or a field that keeps its value, depends
            # on nothing else.
            if field != waiting
        }

    def field_of(self, path: str) -> str:
        return super().field_of(self._text(path))

    def _add(self, dependent: Vertex, vertex: Vertex, path: str) -> None:
        if vertex != UNKNOWN:
            super()._add(dependent, vertex, self._text(path))

    def _text(self, text: str) -> str:
        """Return `text` for people, with real values in place of placeholders, and secret values
        masked.
        """
        call = tracker.current()
        return text if call is None else call.show(self._answers.text(text, call))


def _without_required_values(call: Call) -> Any:
    """Return a copy of the request in which required resources have only apiVersion, kind and
    metadata.

    None if the request has no required resources.
    """
    request = _view.RunFunctionRequest.FromString(call.data)
    items = [
        item
        for answers in (request.required_resources, request.extra_resources)
        for key in answers
        for item in answers[key].items
    ]
    for item in items:
        values = {key: TOMBSTONE for key in codec.split(item.resource) if key not in _IDENTITY}
        item.resource = codec.encode_over(values, item.resource)
        item.ClearField("connection_details")
    return request if items else None


def add_all(call: Call, graph: Graph, number: int = 1) -> dict[str, Resource]:
    """Add to a graph every edge (a dependency) that compose() shows if no composed resource is
    observed.

    compose() runs once, or twice if it asks about missing values, and gets `number` where it needs
    a number that isn't observed. Returns the resources that a run registered, by name.
    """
    request = _nothing_observed(call)
    data = request.SerializeToString()  # for ctx.request
    no = Answers(call, False, number=number)
    resources = _run_once(call, graph, request, data, no)
    if no.asked:
        resources.update(_run_once(call, graph, request, data, Answers(call, True, number=number)))
    return resources


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


def _run_once(
    call: Call, graph: Graph, request: Any, data: bytes, oracle: Answers
) -> dict[str, Resource]:
    """Run compose() once, throw its result away, and add its dependencies to a graph.

    An exception of compose() ends the run and isn't raised here. The dependencies up to the
    exception are added. `data` is the request as bytes. Returns the resources that the run
    registered, by name.
    """
    run = Run.dry(call, request, data, oracle=oracle)
    before = tracker.enter(run.call)
    try:
        asked = {
            oracle.text(key, run.call): one.waits_in(run.call, key)
            for key, one in run.call.asked or ()
        }
        graph.add(_waiting(run, oracle), _composite(run.call), asked)
        return dict(run.call.resources)
    finally:
        tracker.go_back(before)
        run.end()


def _waiting(run: Run, oracle: Answers) -> dict[str, list[Source]]:
    """Return the unresolved values and other resources that each registered resource waits for, by
    its name.

    It waits for other resources because of `depends_on`.
    """
    waiting: dict[str, list[Source]] = {}
    call = run.call
    for name, model in call.resources.items():
        found = _found(call, model).values()
        waits: list[Source] = [one for waits_for in found for one in waits_for]
        assert model._state is not None
        waiting[name] = waits + [oracle.text(other, call) for other in model._state.depends_on]
    return waiting


def _composite(call: Call) -> dict[str, list[Observable]]:
    """Return the unresolved values that compose() sets in fields of the composite, by the field's
    path.

    Connection details are among the fields, such as `xr.connection_details["password"]`.
    """
    model = call.composite
    if model is None:
        return {}
    found = _found(call, model, "xr.")
    for key, text in details_of(call).items():
        found[f'xr.connection_details["{key}"]'] = unresolved_in(text, call)
    return found


def _found(call: Call, model: Resource, top: str = "") -> dict[str, list[Observable]]:
    """Return the unresolved values that were set in `model`, by path; empty if a value can't be
    encoded.
    """
    tree = tree_or_none(model, call)
    return {} if tree is None else fields_of(tree.found, top)

"""Every dependency that compose() shows (`Function.dependencies`).

An answer shows only dependencies on missing values. To find dependencies on values that are there, compose() runs
again, and the answers are thrown away: once on the same request, once with required resources that lack their values
(if there are any), and in `_core.waits.rehearse` up to 16 times without observed composed resources.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE
from ..call.call import Call
from ..observed import tracker
from ..observed.observable import Observable
from ..observed.observer import Observer
from ..observed.readiness import is_ready
from ..observed.uses import root_of
from .both_ways import Actual, BothWays
from .entry import keeping
from .graph import Graph, shown_vertex
from .rehearse import rehearse, run_once

if TYPE_CHECKING:
    from ..call.callee import Callee
    from ..models.resource import Resource
    from ..observed.root import Root
    from .draft import Wait
    from .graph import Vertex

__all__ = ["Dependency", "Kind", "Shown", "rehearse_required", "show"]

# The apiVersion and the kind of a resource.
Kind = tuple[str, str]

# The fields that identify an object. Every object that exists has them.
_IDENTITY = ("apiVersion", "kind", "metadata")


class Dependency(NamedTuple):
    """A dependency between resources, fields of the composite, and requirements.

    A composed resource is named by its composition resource name, a field of the composite by its path (`xr.status.x`),
    and a requirement by `required.<key>`.

    Attributes:
        dependent: The name of the resource, field or requirement that needs a value.
        dependency: The name of the resource, field or requirement that has the value.
        path: The value's path, such as `vpc.status.atProvider.vpcId`. For `depends_on` it is only the resource's name.
    """

    dependent: str
    dependency: str
    path: str


# More runs than for an answer: here no caller waits for one.
_MOST_RUNS: Final = 16


class Shown(NamedTuple):
    """The dependencies that compose() shows for a request.

    Attributes:
        dependencies: Every dependency once, sorted.
        missing: The dependencies whose values don't exist yet.
        registered: The apiVersion and kind of each resource that compose() registers for the request, by name.
        possible: The apiVersion and kind, by name, of each resource that compose() doesn't register now, but would
            register if values that it asks about were different.
    """

    dependencies: list[Dependency]
    missing: frozenset[Dependency]
    registered: dict[str, Kind]
    possible: dict[str, Kind]


def show(function: Callee, request: bytes, observer: Observer | None = None, number: int = 1) -> Shown:
    """Return the dependencies that a function's compose() shows for a request.

    If compose() raises an exception, the dependencies that it showed before count, and the exception isn't raised here.
    The observer is told of the end of each run. compose() gets `number` where it needs one that isn't observed. Raises
    WireError if `request`, a RunFunctionRequest, is malformed.
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
    """Return the dependencies that compose() shows for `call`. compose() hasn't run for this call before."""
    actual = _ActualWithRequired(call)
    graph = _Shown(actual)
    registered = _kinds(run_once(call, graph, call.request, call.data, BothWays(actual, False, {}, number=number)))
    missing = graph.dependencies_shown()
    rehearse_required(call, graph)
    possible = _kinds(rehearse(call, graph, _MOST_RUNS, number))
    return Shown(
        sorted(graph.dependencies_shown()),
        frozenset(one for one in missing if not _is_met(call, one)),
        registered,
        {name: kind for name, kind in possible.items() if name not in registered},
    )


def rehearse_required(call: Call, graph: Graph) -> None:
    """Add to a graph every dependency that compose() shows if required resources lack their values.

    Raises:
        WireError: The bytes of a required resource are malformed.
    """
    request = _without_required_values(call)
    if request is not None:
        oracle = _AsRequired(_ActualWithRequired(call), False, {})
        run_once(call, graph, request, request.SerializeToString(), oracle)


def _kinds(resources: Mapping[str, Resource]) -> dict[str, Kind]:
    return {name: (str(model.apiVersion), str(model.kind)) for name, model in resources.items()}


def _is_met(call: Call, dependency: Dependency) -> bool:
    """Say whether `dependency` comes from `depends_on` and is met: the dependent exists, or its dependency is ready."""
    if dependency.path != dependency.dependency or dependency.path.startswith("xr."):
        return False
    observed = call.observed.get(dependency.dependency)
    return dependency.dependent in call.observed or (observed is not None and is_ready(observed.resource))


class _Shown(Graph):
    """A dependency graph for people: real values replace placeholders in its paths, and secret values are masked."""

    def __init__(self, actual: Actual) -> None:
        super().__init__()
        self._actual = actual

    def dependencies_shown(self) -> set[Dependency]:
        """Return the edges of the graph as dependencies, except edges from a vertex to itself."""
        return {
            Dependency(shown_vertex(waiting), shown_vertex(field), path)
            for waiting, targets in self.edges.items()
            for target, path in targets
            for field in self.set_at(target)
            # A resource that reads its own observed state, or a field that keeps its value, depends on nothing else.
            if field != waiting
        }

    def add(
        self,
        waiting: dict[str, list[Wait]],
        composite: dict[str, list[Observable[Any]]],
        unsent: Mapping[str, list[Observable[Any]]] | None = None,
    ) -> None:
        super().add(waiting, {self._text(path): values for path, values in composite.items()}, unsent)

    def vertex_of(self, source: Observable[Any] | str) -> Vertex | None:
        vertex = super().vertex_of(source)
        return vertex if vertex is None or vertex[0] != "xr" else ("xr", self._text(vertex[1]))

    def _add(self, dependent: Vertex, vertex: Vertex, path: str) -> None:
        name = vertex[1] if vertex[0] == "resource" else ""
        super()._add(dependent, vertex, keeping(name, path, self._text))

    def _text(self, text: str) -> str:
        """Return `text` for people, with real values in place of placeholders, and secret values masked."""
        call = tracker.current()
        return text if call is None else call.show(self._actual.text(text, call))


class _ActualWithRequired(Actual):
    """Looks up the real call's values, also those of required resources, which a run's request may lack."""

    __slots__ = ("_required",)

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self._required = call.required_resources

    def _observed_of(self, root: Root) -> Any | None:
        if root.kind != "required":
            return super()._observed_of(root)
        return self._required.answer(root.name)[int(root.prefix.rpartition("[")[2].removesuffix("]"))]


class _AsRequired(BothWays):
    """Answers questions about required resources by their real values, which the request of the run lacks."""

    __slots__ = ()

    def __call__(self, observable: Observable[Any], compared: object) -> bool:
        root = root_of(observable)
        if root is None or root.kind != "required":
            return super().__call__(observable, compared)
        self._count_one()
        value = self.value(observable)
        return bool(value) if compared is None else bool(value == compared)


def _without_required_values(call: Call) -> Any:
    """Return a copy of the request in which required resources have only apiVersion, kind and metadata.

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

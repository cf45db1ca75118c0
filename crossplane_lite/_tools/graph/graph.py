"""Makes the graph of one reconcile: composed resources, their states and their dependencies.

A node is a composed resource, a field of the composite or a required resource. An edge is a node's
dependency on another node. A wave is the set of resources that one round of a simulation composes
for the first time.
"""

from __future__ import annotations

import enum
import graphlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.dependencies.graph import components
from ..._core.paths import field_path
from ..._core.paths.trees import lookup
from ..render.rendered import Rendered, RenderError
from ..render.told import HEADING, lines
from .collect import Collected, collect

if TYPE_CHECKING:
    from ..simulate.simulation import Simulation

_FIELD: Final = "xr."
_REQUIRED: Final = "required."


class Sort(enum.Enum):
    """The sort of a node: composed resource, field or required resource. A member's value is its
    text in drawings.
    """

    RESOURCE = "composed resource"
    FIELD = "field of the composite"
    REQUIRED = "required resource"


class State(enum.Enum):
    """The state of a node. A member's value is its text in drawings.

    Composed resources have the states up to UNKNOWN. HELD: the function registered the resource,
    but leaves it out of the desired state because values that it needs are missing. POSSIBLE: a
    value that is missing decides whether the resource is composed. UNKNOWN: a dependency names the
    resource, but no step composes it. Fields of the composite are SET or UNSET; required resources
    are FOUND or MISSING.
    """

    READY = "ready"
    EXISTS = "not ready"
    CREATE = "to be created"
    HELD = "held back"
    DELETE = "to be deleted"
    POSSIBLE = "depends on a value"
    UNKNOWN = "not composed"
    SET = "has a value"
    UNSET = "no value yet"
    FOUND = "found"
    MISSING = "not found"


class DrawnNode(NamedTuple):
    """One node of a graph.

    Attributes:
        name: A composed resource's name, the path of a field of the composite (`xr.status.x`), or
            `required.<key>`.
        sort: Whether the node is a composed resource, a field or a required resource.
        kind: The kind of a composed resource, or the kind and name of a required resource; empty if
            it isn't known.
        state: The state of the node.
        wave: The number of the wave in which a simulation created the composed resource, from 1;
            None for other nodes.
        in_cycle: Whether the node is part of a dependency cycle.
    """

    name: str
    sort: Sort
    kind: str
    state: State
    wave: int | None = None
    in_cycle: bool = False


class Edge(NamedTuple):
    """One node's dependency on another.

    Attributes:
        dependent: The name of the node that needs values of the other.
        dependency: The name of the node that has these values.
        paths: The paths of the values, such as `vpc.status.atProvider.vpcId`. The name of a
            resource alone means that the resource must be ready.
        missing: The paths that have no value yet.
        in_cycle: Whether the edge is part of a dependency cycle.
    """

    dependent: str
    dependency: str
    paths: tuple[str, ...]
    missing: tuple[str, ...] = ()
    in_cycle: bool = False

    @property
    def waiting(self) -> bool:
        """Whether at least one of the needed values is still missing."""
        return bool(self.missing)

    def is_gate(self, path: str) -> bool:
        """Return whether a path means that the dependency must be ready, as with `depends_on`.

        This is so if the path is the dependency's name alone, and neither end is a field of the
        composite.
        """
        return (
            path == self.dependency
            and not path.startswith(_FIELD)
            and not self.dependent.startswith(_FIELD)
        )


class Graph(NamedTuple):
    """A dependency graph.

    Attributes:
        title: The kind and name of the composite.
        nodes: The composed resources, then the fields of the composite, then the required
            resources; each group is sorted by name.
        edges: The edges, sorted by the names of the dependent and the dependency. No two edges have
            the same ends.
        notes: Remarks for the user: cycles, and dependencies and resources that the graph doesn't
            show.
    """

    title: str
    nodes: list[DrawnNode]
    edges: list[Edge]
    notes: list[str]

    @property
    def levels(self) -> dict[str, int]:
        """For each node's name, the number of edges in the longest chain of its dependencies.

        It is 0 for a node without dependencies. The nodes of a cycle count as a single node.
        """
        pairs = [(edge.dependent, edge.dependency) for edge in self.edges]
        component = components(pairs)
        below: dict[str, set[str]] = {}
        for dependent, dependency in pairs:
            start, end = component[dependent], component[dependency]
            below.setdefault(start, set())
            if start != end:
                below[start].add(end)
        found: dict[str, int] = {}
        for name in graphlib.TopologicalSorter(below).static_order():
            found[name] = max((found[end] + 1 for end in below.get(name, ())), default=0)
        return {node.name: found.get(component.get(node.name, node.name), 0) for node in self.nodes}

    @property
    def waves(self) -> list[tuple[int | None, list[DrawnNode]]]:
        """The nodes of each wave, after the nodes without a wave."""
        waves: dict[int | None, list[DrawnNode]] = {}
        for node in self.nodes:
            waves.setdefault(node.wave, []).append(node)
        return sorted(waves.items(), key=lambda wave: wave[0] or 0)

    def states(self) -> dict[State, int]:
        """Return the number of composed resources in each state, in the order of `State`; numbers
        of 0 are left out.
        """
        counted = Counter(node.state for node in self.nodes if node.sort is Sort.RESOURCE)
        return {state: counted[state] for state in State if counted[state]}


def graph_of(rendered: Rendered | RenderError, waves: Mapping[str, int] | None = None) -> Graph:
    """Return the graph of one reconcile.

    For a step that runs in this process, the graph has all dependencies, even if their values exist
    (see `composition.Function.dependencies`). For a step that runs elsewhere, the graph has only
    the dependencies on missing values, and these only if the step's function uses this package.
    Usages that the SDK has added aren't drawn.

    Args:
        rendered: The result of the reconcile, or its failure.
        waves: The wave in which each composed resource was created, by name; None for a reconcile
            without simulation.
    """
    found = collect(rendered.steps)
    composite: Mapping[str, Any] | None = rendered.composite
    edges = _merged(_joined(found))
    names = (
        {end for edge in edges for end in edge[:2]}
        | found.resources
        | {_REQUIRED + key for key in found.required}
    )
    nodes = [_node(name, found, edges, rendered, waves or {}) for name in names]
    nodes = [node for node in nodes if node.name not in found.usages]
    component = components([edge[:2] for edge in edges])
    size = Counter(component.values())
    nodes = [node._replace(in_cycle=size[component.get(node.name, "")] > 1) for node in nodes]
    edges = [
        edge._replace(in_cycle=component[edge.dependent] == component[edge.dependency])
        for edge in edges
    ]
    order = list(Sort)
    return Graph(
        _title(composite or found.composite),
        sorted(nodes, key=lambda node: (order.index(node.sort), node.name)),
        edges,
        [*_cycle_notes(component, size), *found.notes],
    )


def graph_of_simulation(simulation: Simulation, failure: RenderError | None = None) -> Graph:
    """Return the graph of a simulation's last round, with the wave of each composed resource.

    Args:
        simulation: A simulation that has run.
        failure: The failure of the last round; None if no round failed.
    """
    graph = graph_of(failure or simulation.rounds[-1].rendered, simulation.waves)
    heading = HEADING if simulation.stable else "still waiting:"
    unresolved = [f"{heading} {line}" for line in lines(simulation.unresolved)]
    notes = dict.fromkeys([*graph.notes, *unresolved, *simulation.notes_on_fixtures()])
    return graph._replace(notes=list(notes))


def _joined(found: Collected) -> Iterable[tuple[str, str, str, bool]]:
    """Yield the dependent, the dependency, the path, and whether the value is missing, for each
    known dependency.

    If a step reads a field of the composite, such as `xr.status.vpc.id`, and a step sets a field
    above or below it, such as `xr.status.vpc`, the dependency is on the field that is set.
    """
    set_fields = {one.dependent for one in found.dependencies if one.dependent.startswith(_FIELD)}
    for one in found.dependencies:
        ends = [one.dependency]
        if one.dependency.startswith(_FIELD) and one.dependency not in set_fields:
            ends = [field for field in set_fields if _overlap(field, one.dependency)] or ends
        for end in ends:
            if end != one.dependent:
                yield one.dependent, end, one.path, one in found.missing


def _overlap(field: str, other: str) -> bool:
    """Return whether one of two different paths is above the other, as `xr.status` is above
    `xr.status.vpc`.
    """
    short, long = sorted((field, other), key=len)
    return long.startswith((short + ".", short + "["))


def _merged(dependencies: Iterable[tuple[str, str, str, bool]]) -> list[Edge]:
    """Merge dependencies with the same two ends into one edge. Return the edges, sorted by the
    names of their ends.
    """
    paths: dict[tuple[str, str], set[str]] = {}
    missing: dict[tuple[str, str], set[str]] = {}
    for dependent, dependency, path, waits in dependencies:
        paths.setdefault((dependent, dependency), set()).add(path)
        if waits:
            missing.setdefault((dependent, dependency), set()).add(path)
    return [
        Edge(*ends, tuple(sorted(paths[ends])), tuple(sorted(missing.get(ends, ()))))
        for ends in sorted(paths)
    ]


def _node(
    name: str,
    found: Collected,
    edges: list[Edge],
    rendered: Rendered | RenderError,
    waves: Mapping[str, int],
) -> DrawnNode:
    if name not in found.resources:
        if name.startswith(_FIELD):
            return DrawnNode(name, Sort.FIELD, "", _field_state(name, edges, rendered))
        if name.startswith(_REQUIRED):
            key = name.removeprefix(_REQUIRED)
            state = State.FOUND if key in found.answered else State.MISSING
            return DrawnNode(name, Sort.REQUIRED, found.required.get(key, ""), state)
    return DrawnNode(
        name,
        Sort.RESOURCE,
        found.kinds.get(name, ""),
        _state(name, found, rendered),
        waves.get(name),
    )


def _state(name: str, found: Collected, rendered: Rendered | RenderError) -> State:
    """Return the state of the composed resource `name`."""
    if name in found.observed:
        if isinstance(rendered, Rendered):
            if name in rendered.deleted:
                return State.DELETE
            return State.READY if rendered.ready.get(name) else State.EXISTS
        return State.READY if name in found.ready else State.EXISTS
    if name in found.desired:
        return State.CREATE
    if name in found.registered:
        # A failed step has no desired state. Its registered resources without missing values would
        # be created.
        waits = isinstance(rendered, Rendered) or any(
            one.dependent == name for one in found.missing
        )
        return State.HELD if waits else State.CREATE
    if name in found.held:
        return State.HELD
    return State.POSSIBLE if name in found.resources else State.UNKNOWN


def _field_state(name: str, edges: list[Edge], rendered: Rendered | RenderError) -> State:
    """Return the state of a field of the composite: UNSET if a value that the field needs is
    missing, else SET.

    A field that no step sets is UNSET if a node that needs it waits for a value of it. A field of
    the status that the steps set only in an `if` is UNSET if the status lacks it.
    """
    own = [edge for edge in edges if edge.dependent == name]
    needs = own or [edge for edge in edges if edge.dependency == name]
    if any(edge.waiting for edge in needs):
        return State.UNSET
    if not own or not name.startswith(f"{_FIELD}status.") or not isinstance(rendered, Rendered):
        return State.SET
    there = lookup(rendered.composite, field_path.parse(name.removeprefix(_FIELD)))
    return State.UNSET if there is None else State.SET


def _title(composite: Mapping[str, Any]) -> str:
    metadata = composite.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    return " ".join(str(part) for part in (composite.get("kind"), name) if part)


def _cycle_notes(component: Mapping[str, str], size: Mapping[str, int]) -> list[str]:
    members: dict[str, list[str]] = {}
    for name, head in component.items():
        if size[head] > 1:
            members.setdefault(head, []).append(name)
    return [
        f"dependency cycle: {', '.join(names)} need each other"
        for names in sorted(map(sorted, members.values()))
    ]

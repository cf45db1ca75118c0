"""Usages: the order of deletion (`@composition.function(usages=True)`).

For every dependency between two composed resources a Usage is composed, `by` the dependent and `of` the dependency.
Crossplane then refuses to delete the dependency while the dependent exists. `replayDeletion` makes it delete the
dependency as soon as the last Usage of it is gone; otherwise that waits for the garbage collector's next try.

**The API** is `protection.crossplane.io/v1beta1` of Crossplane v2. Its controller and webhook:

- `spec.of` and `spec.by` have `apiVersion`, `kind` and `resourceRef.name`, the name of an object that exists: there are
  only errors before. A `Usage` is namespaced and looks for both in its own namespace; `spec.of.resourceRef.namespace`
  can name another one. A `ClusterUsage` looks for both without a namespace.
- A `Usage` doesn't protect a cluster-scoped `of` (the webhook doesn't find it, and newer versions refuse it), but finds
  a cluster-scoped `by`. A `ClusterUsage` with a namespaced `by` never gets ready, nor goes once it is deleted.
- A Usage that is deleted together with its composite stays until its `by` is gone. That keeps the order when the
  composite is deleted, for which no function is called.

So a Usage is composed for ends of these scopes:

- both cluster-scoped: a ClusterUsage;
- both namespaced: a Usage in the namespace of `by`, which names that of `of` where it is another one;
- `of` namespaced, `by` cluster-scoped: a Usage in the namespace of `of`;
- `of` cluster-scoped, `by` namespaced: none, because neither kind can say it.

The scope is that of the observed objects: they have a `metadata.namespace` or not. Resources that a namespaced
composite composes is namespaced.

**Which.** The edges are those that the real call saw and those that `crossplane_lite._rehearsal.rehearse` finds,
those through the composite's status and connection details and those of `depends_on` among them. Both ends must be
desired, or registered in the real call, and both must be observed. A required resource isn't composed, and not ours to
order. There is none

- for an edge on a cycle: none of the resources on it could be deleted. Whether it is on one goes by all edges, also
  those of resources that aren't observed yet, so that it doesn't come and go as they appear;
- for an edge that would close a cycle with a Usage that exists (of an edge that is not in the code any more, or of
  another step): that one has to be gone first;
- for resources that `ctx.remove` took out.

**Those that exist stay** whether their edge shows in a call or not: a value may have gone missing, a guess may have
taken another path, compose() may have failed where nothing was observed. Such a Usage goes when

- an end isn't observed any more;
- the dependency isn't desired any more and the dependent is: so the author wants it. Where it is the dependent that
  isn't desired, the Usage stays as long as it exists, and the order with it, also when neither is desired: Crossplane
  deletes resources that aren't desired in any order;
- it is on a cycle with the edges of today;
- `usages=True` is taken away.

**Names.** The composition resource name is made from those of the two ends and nothing else, so that it never changes.
It always ends in a hash of them: `a-b` needing `c` and `a` needing `b-c` would have one name otherwise, and no author
calls a resource so by accident (where one does, the author's stays and the Usage isn't composed). The object's own name
is Crossplane's choice. Each Usage has the annotation of this step's resources, and two with its ends.

A Usage is ready from the start: the composite's readiness is about its author's resources.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._call.mark import ANNOTATION, steps_in
from .._waits.graph import Edge, Graph, components
from ..proto import _view

if TYPE_CHECKING:
    from .._call.call import Call

__all__ = ["add_usages", "edge_of", "usage_name"]

API_VERSION: Final = "protection.crossplane.io/v1beta1"
BY: Final = "crossplane-lite/usage-by"
OF: Final = "crossplane-lite/usage-of"

_PREFIX: Final = "usage-"
_LONGEST: Final = 63
_HASH: Final = 12  # hex digits
_READY_TRUE: Final = _view.READY_TRUE


def usage_name(edge: Edge) -> str:
    """Return the composition resource name of the Usage for an edge."""
    dependent, dependency = edge
    # With the first one's length, so that no other pair is hashed to the same.
    digest = hashlib.sha256(f"{len(dependent)}:{dependent}{dependency}".encode()).hexdigest()[:_HASH]
    return f"{_PREFIX}{dependent}-{dependency}"[: _LONGEST - _HASH - 1] + f"-{digest}"


def edge_of(name: str, raw: bytes) -> Edge | None:
    """Return the edge that a resource is the Usage for; None for whatever isn't one of this package.

    Args:
        name: Its composition resource name.
        raw: Its Struct bytes.
    """
    made = _Made.of(name, raw)
    return None if made is None else made.edge


class _Made:
    """A Usage that exists, or that a previous step composes.

    Attributes:
        edge: The edge that it is for.
        steps: The steps that compose it.
    """

    __slots__ = ("edge", "steps")

    def __init__(self, edge: Edge, steps: list[str]) -> None:
        self.edge = edge
        self.steps = steps

    @classmethod
    def of(cls, name: str, raw: bytes) -> _Made | None:
        """Return it for a resource; None for whatever isn't a Usage of this package."""
        if not name.startswith(_PREFIX):
            return None
        annotations = _wire.get_path(raw, ("metadata", "annotations"))
        if not isinstance(annotations, dict):
            return None
        by, of = annotations.get(BY), annotations.get(OF)
        if not (isinstance(by, str) and isinstance(of, str) and usage_name((by, of)) == name):
            return None
        return cls((by, of), steps_in(annotations.get(ANNOTATION)))

    @classmethod
    def among(cls, resources: Any) -> list[_Made]:
        """Return those among resources by name."""
        found = (cls.of(name, resources[name].resource) for name in resources if name.startswith(_PREFIX))
        return [made for made in found if made is not None]


class _Object:
    """The key by which an observed object is found; the namespace is empty for a cluster-scoped one."""

    __slots__ = ("api_version", "kind", "name", "namespace")

    def __init__(self, raw: bytes, namespace: str) -> None:
        fields = _wire.split(raw)
        kind, metadata = _wire.open_value(fields.get("metadata", b""))
        below = _wire.split(metadata) if kind == _wire.STRUCT else {}
        self.api_version = _text(fields, "apiVersion")
        self.kind = _text(fields, "kind")
        self.name = _text(below, "name")
        self.namespace = _text(below, "namespace") or namespace

    def reference(self, namespace: str) -> dict[str, Any]:
        """Return an end of a Usage that is in this namespace."""
        reference = {"name": self.name}
        if self.namespace and self.namespace != namespace:
            reference["namespace"] = self.namespace
        return {"apiVersion": self.api_version, "kind": self.kind, "resourceRef": reference}


def _text(fields: Any, key: str) -> str:
    value = _wire.open_value(fields.get(key, b""))[1]
    return value if isinstance(value, str) else ""


def add_usages(call: Call, desired: Any, graph: Graph | None, step: str, rehearsed: Callable[[], Graph] | None) -> None:
    """Add to desired state the Usages that are due.

    Args:
        call: The call.
        desired: The answer's desired resources, otherwise complete.
        graph: The waits that the call saw, None without any.
        step: The step's identity.
        rehearsed: Returns every edge that compose() shows. None where it didn't get to its end with all that it asked
            for: then nothing new is looked for, and nothing goes.
    """
    observed = call.observed
    if len(observed) < 2:
        return
    graph = Graph() if graph is None else graph
    existing = _Made.among(observed)
    exist = {made.edge for made in existing}
    ours = {made.edge for made in existing if step in made.steps}
    if rehearsed is not None:
        wanted = {*desired, *call.resources}
        graph.join(rehearsed())
        edges = {edge for edge in graph.dependencies() if wanted.issuperset(edge)}
        retained = {edge for edge in ours if edge[0] not in wanted or edge[1] in wanted}
    else:
        edges, retained = set(), ours
    due = _due(edges, retained, exist | {made.edge for made in _Made.among(desired)})
    ends = {name for edge in due for name in edge if name in observed}
    namespace = _Object(call.xr.raw or b"", "").namespace
    objects = {name: _Object(observed[name].resource, namespace) for name in ends}
    for edge in sorted(due):
        if not all(end in objects and objects[end].name for end in edge):
            continue
        name = usage_name(edge)
        if name in desired or name in call.resources or (name in observed and edge not in exist):
            continue  # a previous step's, or the author's own
        by, of = objects[edge[0]], objects[edge[1]]
        if by.namespace and not of.namespace:
            call.log.debug("no Usage can say that %s, in a namespace, needs %s, which is in none", *edge)
            continue
        target = desired[name]
        target.resource = _encoded(edge, by, of, step)
        target.ready = _READY_TRUE


def _due(edges: set[Edge], retained: set[Edge], standing: set[Edge]) -> set[Edge]:
    """Return the edges that are to have a Usage.

    Args:
        edges: Those that the code has.
        retained: Those of our Usages that exist and may stay.
        standing: Those of all Usages that exist, or that previous steps compose.
    """
    current = _off_cycles(edges, edges)
    kept = _off_cycles(retained - edges, edges | retained)
    new = _off_cycles(current - standing, current | kept | standing)
    return (current & standing) | kept | new


def _off_cycles(edges: set[Edge], graph: set[Edge]) -> set[Edge]:
    """Return those of the edges that are on no cycle of a graph that has them all; one to itself is on one."""
    if not edges:
        return set()
    component = components(graph)
    return {edge for edge in edges if component[edge[0]] != component[edge[1]]}


def _encoded(edge: Edge, by: _Object, of: _Object, step: str) -> bytes:
    """Return the Struct bytes of the Usage for an edge."""
    namespace = by.namespace or of.namespace
    metadata: dict[str, Any] = {"annotations": {ANNOTATION: step, BY: edge[0], OF: edge[1]}}
    if namespace:
        metadata["namespace"] = namespace
    return _wire.encode_struct(
        {
            "apiVersion": API_VERSION,
            "kind": "Usage" if namespace else "ClusterUsage",
            "metadata": metadata,
            "spec": {"of": of.reference(namespace), "by": by.reference(namespace), "replayDeletion": True},
        }
    )

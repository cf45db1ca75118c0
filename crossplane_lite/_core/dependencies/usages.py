"""Usages: the order of deletion (`@composition.function(usages=True)`).

For every dependency between two composed resources a Usage is composed, `by` the dependent and `of` the dependency.
Crossplane then refuses to delete the dependency while the dependent exists. With `replayDeletion` Crossplane deletes
the dependency as soon as its last Usage is gone; without it, the garbage collector does, when it tries again.

**The API** is `protection.crossplane.io/v1beta1` of Crossplane v2. Its controller and webhook:

- `spec.of` and `spec.by` have `apiVersion`, `kind` and `resourceRef.name`, the name of an object that must exist. A
  `Usage` is namespaced and looks for both objects in its own namespace; `spec.of.resourceRef.namespace` can name
  another one for `of`. A `ClusterUsage` looks for both without a namespace.
- A `Usage` doesn't protect a cluster-scoped `of` (the webhook doesn't find it, and newer versions refuse it), but finds
  a cluster-scoped `by`. A `ClusterUsage` with a namespaced `by` never gets ready, and stays when it is deleted.
- A Usage that is deleted together with its composite stays until its `by` is gone. That keeps the order when the
  composite is deleted, for which no function is called.

So a Usage is composed for ends of these scopes:

- both cluster-scoped: a ClusterUsage;
- both namespaced: a Usage in the namespace of `by`, which names the namespace of `of` if it is another one;
- `of` namespaced, `by` cluster-scoped: a Usage in the namespace of `of`;
- `of` cluster-scoped, `by` namespaced: no Usage, because neither kind allows it.

The scope of an end is the scope of the observed object: with or without a `metadata.namespace`. All resources that a
namespaced composite composes are namespaced.

**Which edges get a Usage.** An edge is a dependency between two resources, which are its ends. The edges are the ones
that the real call saw and the ones that `_core.dependencies.dependencies` finds, also through the composite's
status and connection details, and by `depends_on`. Both ends must be desired, or registered in the real call, and both
must be observed. A required resource isn't composed, so its deletion isn't ordered here. No Usage is composed

- for an edge on a cycle: no resource on the cycle could be deleted. All edges count for cycles, also edges of resources
  that aren't observed yet; so a Usage doesn't come and go when these appear;
- for an edge that would close a cycle with an existing Usage (for an edge that isn't in the code any more, or of
  another step): the existing Usage has to be gone first;
- for resources that `ctx.remove` took out.

**Existing Usages stay**, whether their edge shows in a call or not: a value may have gone missing, a guess may have
taken another path, or compose() may have failed without observed resources. An existing Usage goes when

- an end isn't observed any more;
- the dependency isn't desired any more and the dependent still is: the author wants that. If the dependent isn't
  desired, the Usage stays as long as the dependent exists, also if neither is desired: Crossplane deletes resources
  that aren't desired in any order, and the Usage keeps them in order;
- it is on a cycle with the edges that the code has now;
- `usages=True` is taken away.

**Names.** The composition resource name of a Usage is made only from the names of the two ends, so it never changes. It
always ends with a hash of them: otherwise the Usages for `a-b` needing `c` and for `a` needing `b-c` would have the
same name. Authors don't give a resource such a name by accident; if one does, the author's resource stays, and the
Usage isn't composed. Crossplane chooses the name of the object itself. Each Usage has the annotation of this step's
resources, and two annotations with its ends.

A Usage is ready from the start: the composite's readiness depends only on the author's resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...proto import _view
from .. import codec
from ..base.hashes import sha256
from ..call.mark import ANNOTATION, steps_in
from .graph import Edge, Graph, components

if TYPE_CHECKING:
    from ..call.call import Call

API_VERSION: Final = "protection.crossplane.io/v1beta1"
BY: Final = "crossplane-lite/usage-by"
OF: Final = "crossplane-lite/usage-of"

_PREFIX: Final = "usage-"
_LONGEST: Final = 63
_HASH: Final = 12  # hex digits
_READY_TRUE: Final = _view.READY_TRUE


def usage_name(edge: Edge) -> str:
    """Return the composition resource name of the Usage for `edge`: at most 63 characters, with a hash at the end.

    Args:
        edge: The names of the dependent and its dependency.
    """
    dependent, dependency = edge
    # The length of the first name is hashed too: otherwise two pairs of names could give the same text.
    digest = sha256(f"{len(dependent)}:{dependent}{dependency}".encode()).hexdigest()[:_HASH]
    return f"{_PREFIX}{dependent}-{dependency}"[: _LONGEST - _HASH - 1] + f"-{digest}"


def edge_of(name: str, raw: bytes) -> Edge | None:
    """Return the edge for which a resource is the Usage; None if the resource isn't a Usage of this package.

    An edge has the names of two resources: the dependent and its dependency.
    """
    made = _Made.of(name, raw)
    return None if made is None else made.edge


class _Made:
    """A Usage that exists, or that a previous step composes.

    Attributes:
        edge: The edge that the Usage is for.
        steps: The steps that compose the Usage.
    """

    __slots__ = ("edge", "steps")

    def __init__(self, edge: Edge, steps: list[str]) -> None:
        self.edge = edge
        self.steps = steps

    @classmethod
    def of(cls, name: str, raw: bytes) -> _Made | None:
        """Return the Usage that a resource is; None if the resource isn't a Usage of this package.

        Raises WireError for malformed bytes.
        """
        if not name.startswith(_PREFIX):
            return None
        annotations = codec.get_path(raw, ("metadata", "annotations"))
        if not isinstance(annotations, dict):
            return None
        by, of = annotations.get(BY), annotations.get(OF)
        if not (isinstance(by, str) and isinstance(of, str) and usage_name((by, of)) == name):
            return None
        return cls((by, of), steps_in(annotations.get(ANNOTATION)))

    @classmethod
    def among(cls, resources: Any) -> list[_Made]:
        """Return the Usages of this package in `resources`, the messages of resources by composition resource name."""
        found = (cls.of(name, resources[name].resource) for name in resources if name.startswith(_PREFIX))
        return [made for made in found if made is not None]


class _Object:
    """The apiVersion, kind, name and namespace of an observed object; empty where the object has none.

    Args:
        raw: The object's Struct bytes.
        namespace: The namespace to use if the object has none: the composite's namespace, or empty.
    """

    __slots__ = ("api_version", "kind", "name", "namespace")

    def __init__(self, raw: bytes, namespace: str) -> None:
        fields = codec.split(raw)
        kind, metadata = codec.open_value(fields.get("metadata", b""))
        below = codec.split(metadata) if kind == codec.STRUCT else {}
        self.api_version = _text(fields, "apiVersion")
        self.kind = _text(fields, "kind")
        self.name = _text(below, "name")
        self.namespace = _text(below, "namespace") or namespace

    def reference(self, namespace: str) -> dict[str, Any]:
        """Return the reference to the object for `spec.of` or `spec.by` of a Usage.

        It has the object's namespace only if the Usage's is another one. An empty `namespace` means a ClusterUsage.
        """
        reference = {"name": self.name}
        if self.namespace and self.namespace != namespace:
            reference["namespace"] = self.namespace
        return {"apiVersion": self.api_version, "kind": self.kind, "resourceRef": reference}


def _text(fields: Any, key: str) -> str:
    value = codec.open_value(fields.get(key, b""))[1]
    return value if isinstance(value, str) else ""


def add_usages(call: Call, desired: Any, graph: Graph | None, step: str, *, complete: bool) -> None:
    """Add the Usages that must exist to desired state.

    `graph` has the dependencies on missing values, and gets those that further runs find. The call isn't `complete` if
    compose() raised, or if Crossplane hasn't answered a requirement: then existing Usages stay, and none is added.
    Raises WireError for malformed bytes.
    """
    observed = call.observed
    if len(observed) < 2:
        return
    graph = Graph() if graph is None else graph
    existing = _Made.among(observed)
    exist = {made.edge for made in existing}
    ours = {made.edge for made in existing if step in made.steps}
    if complete:
        from .dependencies import add_all

        wanted = {*desired, *call.resources}
        add_all(call, graph)
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
            continue  # a previous step or the author has a resource of this name
        by, of = objects[edge[0]], objects[edge[1]]
        if by.namespace and not of.namespace:
            call.log.debug("no Usage for %s, which needs %s: the first is in a namespace, the second in none", *edge)
            continue
        target = desired[name]
        target.resource = _encoded(edge, by, of, step)
        target.ready = _READY_TRUE


def _due(edges: set[Edge], retained: set[Edge], standing: set[Edge]) -> set[Edge]:
    """Return the edges that must have a Usage of this step.

    Edges on a cycle are left out, and so are new edges that would close a cycle with existing Usages. `standing` are
    the edges of all Usages that exist, or that previous steps compose; `retained` are those of this step that may stay.
    """
    current = _off_cycles(edges, edges)
    kept = _off_cycles(retained - edges, edges | retained)
    new = _off_cycles(current - standing, current | kept | standing)
    return (current & standing) | kept | new


def _off_cycles(edges: set[Edge], graph: set[Edge]) -> set[Edge]:
    """Return the edges in `edges` that aren't on a cycle of `graph`. An edge from a name to itself is a cycle."""
    if not edges:
        return set()
    component = components(graph)
    return {edge for edge in edges if component[edge[0]] != component[edge[1]]}


def _encoded(edge: Edge, by: _Object, of: _Object, step: str) -> bytes:
    """Return the Usage or ClusterUsage for an edge, encoded as a Struct."""
    namespace = by.namespace or of.namespace
    metadata: dict[str, Any] = {"annotations": {ANNOTATION: step, BY: edge[0], OF: edge[1]}}
    if namespace:
        metadata["namespace"] = namespace
    return codec.encode_struct(
        {
            "apiVersion": API_VERSION,
            "kind": "Usage" if namespace else "ClusterUsage",
            "metadata": metadata,
            "spec": {"of": of.reference(namespace), "by": by.reference(namespace), "replayDeletion": True},
        }
    )

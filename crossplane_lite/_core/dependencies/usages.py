"""Usages: the order of deletion (`@composition.function(usages=True)`).

For every dependency between two composed resources a Usage is composed, `by` the dependent and `of`
the dependency. Crossplane then refuses to delete the dependency while the dependent exists. With
`replayDeletion` Crossplane deletes the dependency as soon as its last Usage is gone; without it,
the garbage collector does, when it tries again.

**The API** is `protection.crossplane.io/v1beta1` of Crossplane v2. Its controller and webhook:

- `spec.of` and `spec.by` have `apiVersion`, `kind` and `resourceRef.name`, the name of an object
  that must exist. A `Usage` is namespaced and looks for both objects in its own namespace;
  `spec.of.resourceRef.namespace` can name another one for `of`. A `ClusterUsage` looks for both
  without a namespace.
- A `Usage` doesn't protect a cluster-scoped `of` (the webhook doesn't find it, and newer versions
  refuse it), but finds a cluster-scoped `by`. A `ClusterUsage` with a namespaced `by` never gets
  ready, and stays when it is deleted.
- A Usage that is deleted together with its composite stays until its `by` is gone. That keeps the
  order when the composite is deleted, for which no function is called.

So a Usage is composed for ends of these scopes:

- both cluster-scoped: a ClusterUsage;
- both namespaced: a Usage in the namespace of `by`, which names the namespace of `of` if it is
  another one;
- `of` namespaced, `by` cluster-scoped: a Usage in the namespace of `of`;
- `of` cluster-scoped, `by` namespaced: no Usage, because neither kind allows it.

The scope of an end is the scope of the observed object: with or without a `metadata.namespace`. All
resources that a namespaced composite composes are namespaced.

**Which edges get a Usage.** An edge is a dependency between two resources, which are its ends. The
edges are the ones that the real call saw and the ones that `_core.dependencies.dependencies` finds,
also through the composite's status and connection details, and by `depends_on`. Both ends must be
desired, or registered in the real call, and both must be observed. A required resource isn't
composed, so its deletion isn't ordered here. No Usage is composed

- for an edge on a cycle: no resource on the cycle could be deleted. All edges count for cycles,
  also edges of resources that aren't observed yet; so a Usage doesn't come and go when these
  appear;
- for an edge that would close a cycle with an existing Usage (for an edge that isn't in the code
  any more, or of another step): the existing Usage has to be gone first;
- for resources that `ctx.remove` took out.

**Existing Usages stay**, whether their edge shows in a call or not: a value may have gone missing,
a guess may have taken another path, or compose() may have failed without observed resources. An
existing Usage goes when

- its dependency isn't observed any more, or its dependent is gone;
- the dependency isn't desired any more and the dependent still is: the author wants that. If the
  dependent isn't desired, the Usage stays as long as the dependent exists, also if neither is
  desired;
- it is on a cycle with the edges that the code has now, or with other Usages;
- `usages=True` is taken away.

**What a Usage protects stays desired.** Crossplane deletes resources that aren't desired in any
order, and the first deletion that is refused ends its reconcile, before it applies anything. So an
existing resource that this step doesn't desire any more, or removes, stays as it is until no Usage
of it is observed (`used_until`): first the dependents go, then their Usages, then the resource. A
resource belongs to the last step in its mark: no other one can know what that one desires. One that
a step removes and a previous step desires stays as that step desires it.

Crossplane shows no resource that it has begun to delete. So it is asked for dependents that it
doesn't show (required resources); until it answers they count as existing. Crossplane takes a Usage
that isn't desired out of the composite before it deletes it, so that it goes at once, whether its
`by` exists or not.

**Names.** The composition resource name of a Usage is made only from the names of the two ends, so
it never changes. It always ends with a hash of them: otherwise the Usages for `a-b` needing `c` and
for `a` needing `b-c` would have the same name. Authors don't give a resource such a name by
accident; if one does, the author's resource stays, and the Usage isn't composed. Crossplane chooses
the name of the object itself. Each Usage has the annotation of this step's resources, and two
annotations with its ends.

A Usage is ready from the start: the composite's readiness depends only on the author's resources.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from ...proto import _view
from .. import codec
from ..base.hashes import sha256
from ..base.texts import some
from ..call.mark import ANNOTATION, OUR_NAME, OURS, steps_in, whose
from ..observed.lookup import text_at
from ..observed.owned import as_owned
from .graph import Edge, Graph, components

if TYPE_CHECKING:
    from ..call.call import Call

API_VERSION: Final = "protection.crossplane.io/v1beta1"
BY: Final = "crossplane-lite/usage-by"
OF: Final = "crossplane-lite/usage-of"

_PREFIX: Final = "usage-"
_LONGEST: Final = 63
_HASH: Final = 12  # hex digits


def usage_name(edge: Edge) -> str:
    """Return the composition resource name of the Usage for `edge`: at most 63 characters, with a
    hash at the end.

    Args:
        edge: The names of the dependent and its dependency.
    """
    dependent, dependency = edge
    # The length of the first name is hashed too: otherwise two pairs of names could give the same
    # text.
    digest = sha256(f"{len(dependent)}:{dependent}{dependency}".encode()).hexdigest()[:_HASH]
    return f"{_PREFIX}{dependent}-{dependency}"[: _LONGEST - _HASH - 1] + f"-{digest}"


def edge_of(name: str, raw: bytes) -> Edge | None:
    """Return the edge for which a resource is the Usage; None if the resource isn't a Usage of this
    package.

    An edge has the names of two resources: the dependent and its dependency. Raises WireError for
    malformed bytes.
    """
    if not name.startswith(_PREFIX):
        return None
    by, of = (codec.get_path(raw, ("metadata", "annotations", key)) for key in (BY, OF))
    is_usage = isinstance(by, str) and isinstance(of, str) and usage_name((by, of)) == name
    return (by, of) if is_usage else None


def _edges_in(resources: Any) -> set[Edge]:
    """Return the edges of the Usages in `resources`, the messages of resources by composition
    resource name.
    """
    found = {
        edge_of(name, resources[name].resource) for name in resources if name.startswith(_PREFIX)
    }
    return {edge for edge in found if edge is not None}


def used_until(call: Call) -> dict[str, str]:
    """Return the resources that have to stay because of Usages, each with a remark that says what
    goes first.

    These are dependencies that this step doesn't desire any more, or that it removes, while a Usage
    protects them. Dependencies on a cycle aren't among them: nothing on it could go. Nor are those
    whose managedFields don't show what was desired. Crossplane is asked for dependents that it
    doesn't show. Raises WireError for malformed bytes.
    """
    edges = _edges_in(call.existing)
    first: dict[str, list[str]] = {}
    for edge in sorted(_off_cycles(edges, edges)):
        if edge[0] not in call.existing:
            _ask_for_dependent(call, edge)
        # It would go, or it is another step's and this one removes it.
        name = edge[1]
        goes = name in call.removed if name in call.desired else _is_own(call, name)
        if goes and name in call.existing and name not in call.resources:
            first.setdefault(name, []).append(edge[0])
    return {
        name: f"is kept until {some(names, 5)} {'are' if names[1:] else 'is'} deleted (Usages)"
        for name, names in first.items()
        if as_owned(call.existing[name].resource) is not None
    }


def _ask_for_dependent(call: Call, edge: Edge) -> None:
    """Ask Crossplane whether the dependent of a Usage of this step still exists."""
    name = usage_name(edge)
    can_ask = call.function.usages and call.supports(_view.CAPABILITY_REQUIRED_RESOURCES)
    if can_ask and edge[1] in call.existing and _is_own(call, name):
        from ..call.requirements import ResourceSelector

        raw = call.existing[name].resource
        version, kind = (text_at(raw, "spec", "by", key) for key in ("apiVersion", "kind"))
        call.requirements.resources[name] = ResourceSelector(
            api_version=version,
            kind=kind,
            match_name=text_at(raw, "spec", "by", "resourceRef", "name"),
            namespace=text_at(raw, "metadata", "namespace") or None,
        )


def _is_own(call: Call, name: str) -> bool:
    """Say whether an existing resource is this step's and no later step's.

    The last step in the mark is the last one that desired the resource. A step of the same function
    with another input counts as this one as long as nothing that exists has this step's mark: the
    input has changed.
    """
    last = "".join(steps_in(call.mark_of(name))[-1:])
    found = whose(last, call.step, call.function.name, call.function.formerly)
    return found == OURS or (
        found == OUR_NAME and not any(call.whose(one) == OURS for one in call.existing)
    )


def _end(raw: bytes, default: str) -> tuple[dict[str, Any], str]:
    """Return the reference to an object for `spec.of` or `spec.by` of a Usage, and its namespace;
    else `default`.
    """
    version, kind = text_at(raw, "apiVersion"), text_at(raw, "kind")
    reference = {
        "apiVersion": version,
        "kind": kind,
        "resourceRef": {"name": text_at(raw, "metadata", "name")},
    }
    return reference, text_at(raw, "metadata", "namespace") or default


def add_usages(
    call: Call, desired: Any, used: Collection[str], graph: Graph, *, complete: bool
) -> None:
    """Add the Usages that must exist to desired state.

    `used` are the resources in it that only stay because of Usages: the composite doesn't wait for
    them. `graph` has the dependencies on missing values, and gets those that further runs find. The
    call isn't `complete` if compose() raised, or if Crossplane hasn't answered a requirement: then
    existing Usages stay, and none is added. Raises WireError for malformed bytes.
    """
    from .dependencies import add_all

    if len(call.observed) < 2:
        return
    for name in set(used).intersection(desired):
        desired[name].ready = _view.READY_TRUE
    exist = _edges_in(call.observed)
    retained = {edge for edge in exist if _is_own(call, usage_name(edge))}
    edges: set[Edge] = set()
    if complete:
        wanted = {*desired, *call.resources}.difference(used)
        add_all(call, graph)
        edges = set(filter(wanted.issuperset, graph.dependencies()))
        retained = {edge for edge in retained if edge[0] not in wanted or edge[1] in wanted}
    for edge in sorted(_due(edges, retained, exist | _edges_in(desired))):
        name = usage_name(edge)
        is_others = name in call.observed and edge not in exist
        if is_others or name in desired or name in call.resources:
            continue  # a previous step or the author has a resource of this name
        made = _made(call, edge)
        if made is not None:
            desired[name].resource = made
            desired[name].ready = _view.READY_TRUE


def _due(edges: set[Edge], retained: set[Edge], standing: set[Edge]) -> set[Edge]:
    """Return the edges that must have a Usage of this step.

    Edges on a cycle are left out, and so are new edges that would close a cycle with existing
    Usages. `standing` are the edges of all Usages that exist, or that previous steps compose;
    `retained` are those of this step that may stay.
    """
    current = _off_cycles(edges, edges)
    kept = _off_cycles(retained - edges, edges | standing)
    new = _off_cycles(current - standing, current | standing)
    return (current & standing) | kept | new


def _off_cycles(edges: set[Edge], graph: set[Edge]) -> set[Edge]:
    """Return the edges in `edges` that aren't on a cycle of `graph`. An edge from a name to itself
    is a cycle.
    """
    component = components(graph)
    return {edge for edge in edges if component[edge[0]] != component[edge[1]]}


def _made(call: Call, edge: Edge) -> bytes | None:
    """Return the Usage or ClusterUsage for an edge, encoded as a Struct; None if there can't be
    one.
    """
    existing = call.existing
    name = usage_name(edge)
    if edge[1] not in existing:
        return None
    if edge[0] in existing:
        (by, inside), (of, place) = (_end(existing[end].resource, call.namespace) for end in edge)
        namespace = inside or place
        if namespace and not place:
            return None
        if place != namespace:
            of["resourceRef"]["namespace"] = place
        spec = {"of": of, "by": by, "replayDeletion": True}
    elif name in call.requirements.resources and call.required_resources.answer(name) != []:
        namespace = text_at(existing[name].resource, "metadata", "namespace")
        spec = codec.get_path(existing[name].resource, ("spec",))
    else:
        return None
    metadata: dict[str, Any] = {"annotations": {ANNOTATION: call.step, BY: edge[0], OF: edge[1]}}
    if namespace:
        metadata["namespace"] = namespace
    kind = "Usage" if namespace else "ClusterUsage"
    return codec.encode_struct(
        {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
    )

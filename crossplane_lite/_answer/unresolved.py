"""Resources with unresolved values: encoding them, or holding them back with the reason.

A resource is held back if it isn't put into the answer. The fields that compose() set become a tree, which is plain
data with a list of the unresolved values in it. In a resource that exists, the observed values replace the unresolved
values; with `on_unresolved="hold"` it is held back, and "fatal" stops the call. A resource that doesn't exist yet is
held back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _wire
from .._call.marking import marked_over
from .._models.fallback import fall_back, part_for
from .._models.object_meta import check_metadata
from .._models.walker import Found, Tree, tree_of
from .._observed import readiness
from .._observed.observable import Observable
from .._observed.owned import changes, is_owned, with_live_values
from .._observed.uses import root_of, sources
from .._waits.wait import Wait
from ..errors import EncodeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._call.call import Call
    from .._models.registered import Registered
    from .._models.resource import Resource
    from .._rehearsal.differences import Difference
    from .._rehearsal.look import Look

__all__ = ["Outcome", "blocked_by", "outcome_of", "status_bytes"]


class Outcome:
    """The decision about a resource: it is sent with these bytes, or held back.

    Attributes:
        encoded: The resource's Struct bytes; None if the resource is held back.
        waits: The values and resources that the resource waits for. A resource that exists may wait and still be sent.
        fatal: Whether the call needs a fatal result: the resource exists, has unresolved values, and its
            `on_unresolved` is "fatal". It is held back then.
        gated: Whether the resource must not be created before those in its `depends_on` are ready. Then it is removed
            from desired state, even if a previous step desires it.
    """

    __slots__ = ("encoded", "fatal", "gated", "waits")

    def __init__(self, encoded: bytes | None, waits: list[Wait], *, fatal: bool = False, gated: bool = False) -> None:
        self.encoded = encoded
        self.waits = waits
        self.fatal = fatal
        self.gated = gated


def blocked_by(call: Call, registered: Registered) -> list[Wait]:
    """Return a `Wait` for each resource in the `depends_on` of `registered` that isn't observed or isn't ready.

    `depends_on` only keeps a resource from being created, so nobody calls this for a resource that is observed.
    """
    waits = []
    for other in registered.depends_on:
        observed = call.observed.get(other)
        if observed is None or not readiness.is_ready(observed.resource):
            waits.append(Wait(other))
    return waits


def outcome_of(
    call: Call,
    name: str,
    model: Resource,
    step: str,
    blocked: list[Wait],
    look: Look | None,
    *,
    held_elsewhere: bool,
) -> Outcome:
    """Decide whether a resource is sent or held back, and encode it.

    `emit_resource` calls this for the cases that it can't decide itself. `blocked` are the resources of `depends_on`
    that aren't ready: any of them holds the resource back. Raises EncodeError, or WireError for malformed bytes.
    """
    registered = model._state
    assert registered is not None
    observed = registered.root.raw
    exists = observed is not None or registered.base is not None
    tree = (None if look is None else look.trees.pop(name, None)) or tree_of(model, call)
    base = registered.base
    check_metadata(tree.data, tree.found, None if base is None else _wire.get_path(base, ("metadata",)))
    if look is not None:
        _doubt(tree, look.unresolved.get(name, ()), look.made_from)
        if exists:
            decided = look.decided.get(name, ())
            if observed is not None:
                # A key that is made from a missing value counts in any case: nobody knows which live key that was.
                decided = [one for one in decided if not one.added or one.is_key or is_owned(observed, one.steps)]
            _doubt(tree, decided, look.sources)
    waits = _waits(tree, registered)
    if blocked:
        return Outcome(None, blocked + waits, gated=True)
    if waits:
        if registered.on_unresolved == "fatal" and exists:
            return Outcome(None, waits, fatal=True)
        if not exists or registered.on_unresolved == "hold":
            return Outcome(None, waits)
    if held_elsewhere and not exists:
        return Outcome(None, waits)
    fall_back(tree, part_for(tree, observed))
    encoded = marked_over(_encode_tree(tree.data, base), step)
    if look is not None and name in look.frozen and observed is not None and changes(encoded, observed):
        waits += [Wait(source) for source in look.sources]
        encoded = with_live_values(encoded, observed)
    return Outcome(encoded, waits)


def _doubt(tree: Tree, places: Iterable[Difference], sources: list[Observable[Any]]) -> None:
    """Mark fields of a tree as unresolved, because their plain values differ between runs of compose().

    A field that only another run of compose() has set is added to the tree. apiVersion, kind and fields that are
    unresolved already are ignored. `sources` are the missing values that the fields depend on.
    """
    known = {tuple(found.steps) for found in tree.found}
    for place in places:
        if not place.steps or place.steps[0] in ("apiVersion", "kind") or place.steps in known:
            continue
        holder: Any = tree.data
        for step in place.steps[:-1]:
            if isinstance(holder, dict) and place.added:
                holder = holder.setdefault(step, {})
            else:
                missing = isinstance(holder, dict) and step not in holder
                holder = None if missing or not isinstance(holder, (dict, list)) else holder[step]  # type: ignore[index]
        if not isinstance(holder, (dict, list)):
            continue
        if place.added and isinstance(holder, dict) and not place.is_key:
            holder[place.steps[-1]] = sources[0] if sources else None
        tree.found.append(Found(list(place.steps), sources, place.is_key))


def _encode_tree(data: dict[str, Any], base: bytes | None) -> bytes:
    return _wire.encode_struct(data) if base is None else _wire.encode_over(data, base)


def _waits(tree: Tree, registered: Registered) -> list[Wait]:
    """Return a `Wait` for each unresolved value in a resource's tree.

    Values of the same resource don't count, because a resource can't wait for itself: the cluster sets the value.
    """
    return [
        Wait(source)
        for found in tree.found
        for observable in found.waits_for
        for source in sources(observable)
        if not _is_same_resource(source, registered)
    ]


def _is_same_resource(source: Observable[Any], registered: Registered) -> bool:
    """Return whether the value `source`, which the resource `registered` uses, is a value of this resource itself."""
    root = root_of(source)
    if root is not None:
        return root.kind == registered.root.kind and root.name == registered.root.name and root.kind != "required"
    path, prefix = source.source_path, registered.root.prefix
    return path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in (".", "[")


def status_bytes(call: Call, model: Resource, look: Look | None) -> tuple[bytes, list[Found]]:
    """Return the desired composite's Struct bytes, and the unresolved values of its status.

    An unresolved field gets its observed value, or is left out if it has none. All other fields are sent. The path of
    an EncodeError begins with `xr`.
    """
    registered = model._state
    assert registered is not None
    try:
        tree = tree_of(model, call)
        if look is not None:
            _doubt(tree, look.status, look.made_from)
        found = list(tree.found)
        fall_back(tree, part_for(tree, registered.root.raw))
        return _encode_tree(tree.data, registered.base), found
    except EncodeError as error:
        raise error.under("xr") from None

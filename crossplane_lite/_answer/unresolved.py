"""Resources with unresolved values, to bytes or to the reason why they are held back.

The set fields become a plain tree in which the unresolved values are known. What exists falls back to its observed
values there; what doesn't exist is held back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _wire
from .._models.object_meta import check_metadata
from .._models.walker import Found, Tree, tree_of
from .._observed import readiness
from .._observed.observable import Observable, root_of, sources
from .._waits.wait import Wait
from ..errors import EncodeError
from .fallback import fall_back
from .marking import marked_over

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.registered import Registered
    from .._models.resource import Resource

__all__ = ["Outcome", "blocked_by", "outcome_of", "status_bytes"]


class Outcome:
    """What became of a resource.

    Attributes:
        encoded: Its Struct bytes; None where it is held back.
        waits: What it waits for. A resource that exists is emitted all the same.
        fatal: True where its author chose to stop on unresolved values.
    """

    __slots__ = ("encoded", "fatal", "waits")

    def __init__(self, encoded: bytes | None, waits: list[Wait], *, fatal: bool = False) -> None:
        self.encoded = encoded
        self.waits = waits
        self.fatal = fatal


def blocked_by(call: Call, registered: Registered) -> list[Wait]:
    """Return the dependencies of `depends_on` that aren't ready yet. They gate creation only."""
    waits = []
    for other in registered.depends_on:
        observed = call.observed.get(other)
        if observed is None or not readiness.is_ready(observed.resource):
            waits.append(Wait(other))
    return waits


def outcome_of(
    call: Call,
    model: Resource,
    registered: Registered,
    step: str,
    blocked: list[Wait],
    *,
    exists: bool,
    held_elsewhere: bool,
) -> Outcome:
    """Decide on a resource that isn't resolved, or that others hold back.

    Args:
        call: The call.
        model: What is desired of it.
        registered: Its place in the call.
        step: The step's identity, for the annotation; an empty one for none.
        blocked: What it waits for by `depends_on`.
        exists: Whether it is observed, or an earlier function desires it.
        held_elsewhere: Whether another step holds it back.

    Raises:
        EncodeError: A value can't be carried.
    """
    tree = tree_of(model, call)
    base = registered.base
    check_metadata(tree.data, tree.found, None if base is None else _wire.get_path(base, ("metadata",)))
    waits = blocked + _waits(tree, registered)
    if waits:
        if registered.on_unresolved == "fatal" and exists:
            return Outcome(None, waits, fatal=True)
        if not exists or registered.on_unresolved == "hold":
            return Outcome(None, waits)
    if held_elsewhere and not exists:
        return Outcome(None, waits)
    fall_back(tree, _observed_tree(registered, tree))
    encoded = _encode_tree(tree.data, base)
    return Outcome(marked_over(encoded, step), waits)


def _observed_tree(registered: Registered, tree: Tree) -> dict[str, Any] | None:
    if not tree.found or registered.root.raw is None:
        return None
    return _wire.decode_struct(registered.root.raw)


def _encode_tree(data: dict[str, Any], base: bytes | None) -> bytes:
    return _wire.encode_struct(data) if base is None else _wire.encode_over(data, base)


def _waits(tree: Tree, registered: Registered) -> list[Wait]:
    """Return what a tree waits for; a reference to the resource itself is late initialisation, and no wait."""
    return [
        Wait(source)
        for found in tree.found
        for observable in found.waits_for
        for source in sources(observable)
        if not _is_same_resource(source, registered)
    ]


def _is_same_resource(source: Observable[Any], registered: Registered) -> bool:
    """Say whether an Observable belongs to the resource itself."""
    root = root_of(source)
    if root is not None:
        return root.kind == registered.root.kind and root.name == registered.root.name and root.kind != "required"
    path, prefix = source.source_path, registered.root.prefix
    return path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in (".", "[")


def status_bytes(call: Call, model: Resource) -> tuple[bytes, list[Found]]:
    """Return the desired composite's bytes and the unresolved values of its status.

    Unresolved fields keep their observed value or are left out, one by one; the rest is emitted.

    Raises:
        EncodeError: A value can't be carried; the path starts with `xr`.
    """
    registered = model._state
    assert registered is not None
    try:
        tree = tree_of(model, call)
        found = list(tree.found)
        fall_back(tree, _observed_tree(registered, tree))
        return _encode_tree(tree.data, registered.base), found
    except EncodeError as error:
        raise error.under("xr") from None

"""One registered resource to bytes, or to the reason why it is held back.

Resources without unresolved values, which is nearly all of them, are encoded directly from their models. Everything
else takes the slow path: the set fields as a plain tree, the unresolved values in it, and the policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _wire
from .._call.mark import ANNOTATION, joined_steps
from .._models.walker import Found, Tree, tree_of
from .._observed import readiness
from .._observed.observable import Observable, root_of, sources
from .._waits.wait import Wait
from ..errors import EncodeError
from .fallback import fall_back

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.registered import Registered
    from .._models.resource import Resource

__all__ = [
    "Outcome",
    "emit_resource",
    "emit_status",
]


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


def emit_resource(call: Call, name: str, model: Resource, step: str, elsewhere: frozenset[str]) -> bytes | Outcome:
    """Decide on one registered resource.

    Args:
        call: The call.
        name: The resource's name.
        model: What is desired of it.
        step: The step's identity, for the annotation; an empty one for none.
        elsewhere: Names that other steps of the pipeline hold back.

    Returns:
        Its Struct bytes where everything in it is resolved, which nearly always is so; otherwise what became of it.

    Raises:
        EncodeError: A value can't be carried; the path starts with the resource's name.
    """
    registered = model._state
    assert registered is not None
    exists = registered.root.raw is not None or registered.base is not None
    blocked = _blocked_by(call, registered) if registered.depends_on and not exists else []
    if not blocked and (exists or name not in elsewhere):
        encoded = _direct(call, model, registered, step)
        if encoded is not None:
            return encoded
    try:
        return _considered(call, model, registered, step, blocked, exists=exists, held_elsewhere=name in elsewhere)
    except EncodeError as error:
        raise error.under(name) from None


def _direct(call: Call, model: Resource, registered: Registered, step: str) -> bytes | None:
    """Encode a resource in which everything is resolved; None where the slow path has to look."""
    try:
        if registered.base is not None:
            encoded = _wire.encode_over(model, registered.base, strict=True)
            encoded = _annotated_over(encoded, step)
        else:
            encoded = _annotated(model, step)
    except _wire.Bail:
        return None
    return None if call.has_token(encoded) else encoded


def _annotated(model: Resource, step: str) -> bytes:
    """Encode a model with the step's annotation in it."""
    if step and "metadata" not in model.__dict__:
        return _wire.encode_struct(model, strict=True) + _metadata_entry(step)
    return _annotated_over(_wire.encode_struct(model, strict=True), step)


_entries: dict[str, bytes] = {}


def _metadata_entry(step: str) -> bytes:
    """Return the encoded metadata with nothing but the step's annotation."""
    entry = _entries.get(step)
    if entry is None:
        if len(_entries) > 64:  # one per function and input; a caller that varies its input must not fill the memory
            _entries.clear()
        entry = _entries[step] = _wire.encode_struct({"metadata": {"annotations": {ANNOTATION: step}}})
    return entry


def _annotated_over(encoded: bytes, step: str) -> bytes:
    """Put the step's annotation into encoded bytes, beside the steps that share the resource."""
    if not step:
        return encoded
    before = _wire.get_path(encoded, ("metadata", "annotations", ANNOTATION))
    return _wire.encode_over({"metadata": {"annotations": {ANNOTATION: joined_steps(before, step)}}}, encoded)


def _blocked_by(call: Call, registered: Registered) -> list[Wait]:
    """Return the dependencies of `depends_on` that aren't ready yet. They gate creation only."""
    waits = []
    for other in registered.depends_on:
        observed = call.observed.get(other)
        if observed is None or not readiness.is_ready(observed.resource):
            waits.append(Wait(other))
    return waits


def _considered(
    call: Call,
    model: Resource,
    registered: Registered,
    step: str,
    blocked: list[Wait],
    *,
    exists: bool,
    held_elsewhere: bool,
) -> Outcome:
    tree = tree_of(model, call)
    waits = blocked + _waits(tree, registered)
    if waits:
        if registered.on_unresolved == "fatal" and exists:
            return Outcome(None, waits, fatal=True)
        if not exists or registered.on_unresolved == "hold":
            return Outcome(None, waits)
    if held_elsewhere and not exists:
        return Outcome(None, waits)
    fall_back(tree, _observed_tree(registered, tree))
    base = registered.base
    encoded = _encode_tree(tree.data, base)
    return Outcome(_annotated_over(encoded, step), waits)


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


def emit_status(call: Call, model: Resource) -> tuple[bytes | None, list[Found]]:
    """Return the desired composite's bytes and the unresolved values of its status.

    Unresolved fields keep their observed value or are left out, one by one; the rest is emitted. None where compose()
    set nothing.

    Raises:
        EncodeError: A value can't be carried; the path starts with `xr`.
    """
    registered = model._state
    node = model._node
    assert registered is not None
    if "status" not in model.__dict__ and not (node is not None and node.deleted):
        return None, []
    base = registered.base
    try:
        encoded = (
            _wire.encode_struct(model, strict=True) if base is None else _wire.encode_over(model, base, strict=True)
        )
        if not call.has_token(encoded):
            return encoded, []
    except _wire.Bail:
        pass
    try:
        tree = tree_of(model, call)
        found = list(tree.found)
        fall_back(tree, _observed_tree(registered, tree))
        return _encode_tree(tree.data, base), found
    except EncodeError as error:
        raise error.under("xr") from None

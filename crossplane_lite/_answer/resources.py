"""One registered resource, or the composite's status, to bytes.

Where no value is unresolved, which is nearly always so, it is encoded directly from its model. Everything else takes
the slow path of `crossplane_lite._answer.unresolved`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _wire
from ..errors import EncodeError
from .marking import marked, marked_over

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.registered import Registered
    from .._models.resource import Resource
    from .._models.walker import Found
    from .._waits.wait import Wait
    from .unresolved import Outcome

__all__ = ["emit_resource", "emit_status"]


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
    blocked: list[Wait] = []
    if registered.depends_on and not exists:
        from .unresolved import blocked_by

        blocked = blocked_by(call, registered)
    if not blocked and (exists or name not in elsewhere):
        encoded = _direct(call, model, registered, step)
        if encoded is not None:
            return encoded
    from .unresolved import outcome_of

    try:
        return outcome_of(call, model, registered, step, blocked, exists=exists, held_elsewhere=name in elsewhere)
    except EncodeError as error:
        raise error.under(name) from None


def _direct(call: Call, model: Resource, registered: Registered, step: str) -> bytes | None:
    """Encode a resource in which everything is resolved; None where the slow path has to look."""
    try:
        if registered.base is not None:
            encoded = _wire.encode_over(model, registered.base, strict=True)
            encoded = marked_over(encoded, step)
        else:
            encoded = marked(model, step)
    except _wire.Bail:
        return None
    return None if call.has_token(encoded) else encoded


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
    from .unresolved import status_bytes

    return status_bytes(call, model)

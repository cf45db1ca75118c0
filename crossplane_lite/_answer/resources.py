"""Encoding registered resources and the composite's status for the answer.

A resource without unresolved values, which is the usual case, is encoded directly from its model. All others are
encoded by the slower functions of `crossplane_lite._answer.unresolved`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _wire
from .._call.marking import direct
from .._models.object_meta import is_sound
from .._waits.wait import Wait
from ..errors import EncodeError

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.resource import Resource
    from .._models.walker import Found
    from .._rehearsal.look import Look
    from .unresolved import Outcome

__all__ = ["emit_resource", "emit_status", "resolved_resources"]


def resolved_resources(call: Call, step: str, elsewhere: frozenset[str], look: Look | None) -> dict[str, bytes]:
    """Return the registered resources that can be sent as they are: the Struct bytes of each, by its name.

    They have no unresolved values. Left out are resources that may have to be held back, those about which `look` has
    findings, and those that can't be encoded: `emit_resource` decides on them. `elsewhere` has the names of resources
    that other steps hold back. An empty `step` means no annotation.
    """
    found: dict[str, bytes] = {}
    for name, model in call.resources.items():
        registered = model._state
        assert registered is not None
        if registered.root.raw is None and (registered.depends_on or (registered.base is None and name in elsewhere)):
            continue  # it may have to be held back
        if look is not None and look.concerns(name):
            continue
        encoded = direct(model, step) if look is None or name not in look.encoded else look.encoded[name]
        if encoded is not None and is_sound(model, len(encoded)):
            found[name] = encoded
    # One search through the joined bytes takes a fraction of the time of a search through each resource.
    if call.searches and call.has_token(b"".join(found.values())):
        found = {name: encoded for name, encoded in found.items() if not call.has_token(encoded)}
    return found


def emit_resource(
    call: Call, name: str, model: Resource, step: str, elsewhere: frozenset[str], look: Look | None
) -> Outcome:
    """Decide whether a resource that `resolved_resources` left out is sent or held back, and encode it.

    `elsewhere` has the names of resources that other steps hold back. The path of an EncodeError begins with the
    resource's name.
    """
    from .unresolved import Outcome, blocked_by, outcome_of

    registered = model._state
    assert registered is not None
    observed = registered.root.raw is not None
    exists = observed or registered.base is not None
    blocked = blocked_by(call, registered) if registered.depends_on and not observed else []
    if look is not None and name in look.held and not observed:
        return Outcome(None, [*blocked, *(Wait(source) for source in look.sources)], gated=bool(blocked))
    concerned = look is not None and look.concerns(name)
    if not exists and not blocked and not concerned and registered.depends_on and name not in elsewhere:
        encoded = direct(model, step)
        if encoded is not None and is_sound(model, len(encoded)) and not call.has_token(encoded):
            return Outcome(encoded, [])
    try:
        return outcome_of(call, name, model, step, blocked, look, held_elsewhere=name in elsewhere)
    except EncodeError as error:
        raise error.under(name) from None


def emit_status(call: Call, model: Resource, look: Look | None) -> tuple[bytes | None, list[Found]]:
    """Return the desired composite's bytes, and the unresolved values of its status.

    An unresolved field gets its observed value, or is left out if it has none. All other fields are sent. If compose()
    didn't change the status, the bytes are None. The path of an EncodeError begins with `xr`.
    """
    registered = model._state
    node = model._node
    assert registered is not None
    if "status" not in model.__dict__ and not (node is not None and node.deleted):
        return None, []
    base = registered.base
    if look is None or not look.status:
        try:
            encoded = (
                _wire.encode_struct(model, strict=True) if base is None else _wire.encode_over(model, base, strict=True)
            )
            if not call.has_token(encoded):
                return encoded, []
        except _wire.Bail:
            pass
    from .unresolved import status_bytes

    return status_bytes(call, model, look)

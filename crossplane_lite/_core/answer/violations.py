"""What compose() did although Crossplane discards it: forbidden fields, and conditions in the status."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from .. import codec
from ..base.texts import some
from ..models.model import Model
from ..models.walker import leaves, show_path, tree_of
from ..resources.resource import Resource

if TYPE_CHECKING:
    from ..call.call import Call

_ONLY_STATUS: Final = {"status"}
_ONLY_THE_STATUS: Final = (
    "a function must not desire anything but the composite's status (functions specification): "
    "remove the assignment, Crossplane would discard the value"
)
_NO_STATUS: Final = (
    "a function must not desire a composed resource's status (functions specification): "
    "remove the assignment, and read the status from .observed.status"
)


def take_violations(call: Call) -> list[str]:
    """Remove the fields that compose() set although Crossplane's functions specification forbids it.

    These are all fields of the composite except apiVersion, kind and status, and the status of composed resources. A
    field that only a previous function desires stays, without a message. Returns the text of a fatal result for each
    removed field.
    """
    found = []
    composite = call.composite
    if composite is not None and (composite.__dict__.keys() != _ONLY_STATUS or _deleted(composite)):
        found += [_taken(composite, "xr", name, _ONLY_THE_STATUS) for name in _touched(composite) if name != "status"]
    status = None if composite is None else composite.__dict__.get("status")
    if isinstance(status, Model) and "conditions" in status.__dict__:
        _untouch(status, "conditions")
        found.append(
            "xr.status.conditions was set, and Crossplane keeps the composite's conditions itself: "
            "call ctx.conditions.set(type, status, reason) for each"
        )
    for name, model in call.resources.items():
        if "status" in model.__dict__ or "status" in _deleted(model):
            found.append(_taken(model, name, "status", _NO_STATUS))
    return found


def _taken(model: Model, whose: str, field: str, why: str) -> str:
    """Remove a field that must not be set, and return the text of a fatal result."""
    paths = _paths_in(model, field)
    _untouch(model, field)
    return f"{whose}.{paths} was set, and {why}"


def _touched(model: Model) -> list[str]:
    return sorted({*model.__dict__, *_deleted(model)} - {"apiVersion", "kind"})


def _deleted(model: Model) -> Collection[str]:
    node = model._node
    return () if node is None or node.deleted is None else node.deleted


def _paths_in(model: Model, name: str) -> str:
    """Return the paths that compose() set in the field `name`, such as `spec.a, spec.b`, for a message.

    After three paths only the number of the others follows. The text is empty if nothing new was set, as after a `del`.
    """
    value = model.__dict__.get(name)
    base = model._state.base if isinstance(model, Resource) and model._state is not None else None
    before = {} if base is None else {name: codec.get_path(base, (name,))}
    tree = {name: tree_of(value, None).data if isinstance(value, (Model, dict, list)) else None}
    new, known = ({(steps, repr(value)) for steps, value in leaves(one)} for one in (tree, before))
    paths = sorted(show_path(list(steps)) for steps, _ in new - known)
    return some(paths, 3)


def _untouch(model: Model, name: str) -> None:
    model.__dict__.pop(name, None)
    if model._node is not None and model._node.deleted is not None:
        model._node.deleted.discard(name)

"""Converts a model of a kin class to a model of the class that a field has.

Fields of the same name share a class where their schemas are equal. A new version of the schemas may make them differ:
then one field keeps the class, and the other fields get classes with longer names. All these classes are kin. Older
code still uses the old class for all these fields. So a field takes a model of a kin class, as it takes a mapping with
the same content: the model becomes one of the field's class, if all fields that are set in it fit there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .._base.near_name import near_name
from .._base.type_names import articled
from ..errors import UnknownFieldError
from . import types as _types
from .shape import ModelShape

__all__ = ["are_kin", "become"]

# Not through the property `Model.__class__`, which is for attrs. It works because all models have the same slots.
_set_class: Any = object.__dict__["__class__"].__set__


def are_kin(one: type[ModelShape], other: type[ModelShape]) -> bool:
    """Say whether two classes are kin: made for fields of the same name, in the same module."""
    return one._kin != "" and one._kin == other._kin and one.__module__ == other.__module__


def become(
    model: ModelShape,
    type_: _types.Type,
    name: Any,
    refuse: Callable[[_types.Type, Any, Any], object],
    label: Callable[[Any], str],
) -> None:
    """Change the class of a model, and of the models in it, to kin classes that fit into a field.

    If anything in the model doesn't fit, an error is raised and nothing has changed. `model` isn't in a field, list or
    map yet. `refuse` raises the error for a type, a value that doesn't fit and its place, but may let a scalar pass;
    `label` returns the text for a place. Raises UnknownFieldError if the new class lacks a field, and UsageError if a
    field can't hold its value.
    """
    models: list[tuple[ModelShape, type[ModelShape], dict[str, str]]] = []
    containers: list[tuple[Any, _types.Type]] = []
    work: list[tuple[_types.Type, Any, Any]] = [(type_, model, name)]
    while work:
        wanted, value, place = work.pop()
        if wanted.code in (_types.ANY, _types.DYNAMIC):
            continue
        if isinstance(value, ModelShape):
            if wanted.code == _types.OBJECT:
                continue
            if wanted.code != _types.MODEL:
                refuse(wanted, value, place)
            elif not isinstance(value, wanted.cls):
                if not are_kin(type(value), wanted.cls) or _has_views(value):
                    refuse(wanted, value, place)
                fields = _fields(value, wanted.cls, label, place)
                models.append((value, wanted.cls, {attribute: field.name for attribute, field in fields.items()}))
                work += [
                    (field.type, value.__dict__[attribute], (place, field.wire))
                    for attribute, field in fields.items()
                    if attribute in value.__dict__
                ]
        elif isinstance(value, (list, dict)):
            if wanted.code != (_types.LIST if isinstance(value, list) else _types.MAP):
                refuse(wanted, value, place)
            if hasattr(value, "_type"):  # it checks values that are put into it, so it needs the new type
                containers.append((value, wanted))
            pairs: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
            work += [(wanted.item, item, (place, key)) for key, item in pairs]
        elif type(value) in _types.SCALARS and type(value) not in wanted.takes:
            refuse(wanted, value, place)
    for one, cls, names in models:
        kept = {names[attribute]: value for attribute, value in one.__dict__.items()}
        one.__dict__.clear()
        one.__dict__.update(kept)
        if one._node is not None and one._node.deleted is not None:
            one._node.deleted = {names[attribute] for attribute in one._node.deleted}
        _set_class(one, cls)
    for container, its in containers:
        container._type = its


def _fields(
    model: ModelShape, cls: type[ModelShape], label: Callable[[Any], str], place: Any
) -> dict[str, _types.Field]:
    """Return, for each attribute that is set or deleted in a model, the field of `cls` with the same Kubernetes name.

    Raises UnknownFieldError, with the `label` of `place`, if there is no such field.
    """
    node = model._node
    deleted = () if node is None or node.deleted is None else node.deleted
    found = {}
    for attribute in (*model.__dict__, *deleted):
        wire = type(model).__wire_fields__[attribute].wire
        field = cls._by_wire(wire) or cls.__wire_fields__.get(wire)
        if field is None:
            raise UnknownFieldError(
                f"{label(place)} ({articled(cls.__name__)}) has no field {wire!r}, which is set in the "
                f"{type(model).__name__} that is put there{near_name(wire, cls.__wire_fields__)}"
            )
        found[attribute] = field
    return found


def _has_views(model: ModelShape) -> bool:
    """Say whether a nested object was read from a model but isn't set in it.

    Such an object would keep its old class, and the code that read it may still hold it.
    """
    return model._node is not None and bool(model._node.views)

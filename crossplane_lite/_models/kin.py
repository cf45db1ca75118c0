"""Models of kin classes in each other's places.

Fields of one name share a class where their shapes are equal. A new version of a schema may make them differ: then one
place keeps the class's name, and the others have classes of longer names. Code that was written before has the old name
in all of these places. So a model of such a class is taken where one of its kin belongs, as the mapping that it stands
for would be: it becomes one of that class, if all that is set in it fits there.
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

# Past the property of models that is there for attrs. All classes of models have the same slots.
_set_class: Any = object.__dict__["__class__"].__set__


def are_kin(one: type[ModelShape], other: type[ModelShape]) -> bool:
    """Return whether two classes are those of fields of one name, in one module."""
    return one._kin != "" and one._kin == other._kin and one.__module__ == other.__module__


def become(
    model: ModelShape,
    type_: _types.Type,
    name: Any,
    refuse: Callable[[_types.Type, Any, Any], object],
    label: Callable[[Any], str],
) -> None:
    """Make a model, which stands nowhere, one of a kin class, with the models in it; or leave all of it as it is.

    Args:
        model: The model.
        type_: The type of the field that it is put into.
        name: Where that is, for messages: a model, list or map and a step below it.
        refuse: Given a type, a value that doesn't fit and its place: raises an error, unless a scalar is taken anyway.
        label: Gives the text of such a place.

    Raises:
        UnknownFieldError: The class hasn't a field that is set in the model.
        UsageError: A value can't stand in the class's field.
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
            if hasattr(value, "_type"):  # it checks itself what is put in
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
    """Return the fields of a class for those that are set or deleted in a model of another, by attribute."""
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
    """Say whether somebody may hold a part of a model that was read and isn't set: it would stay of the old class."""
    return model._node is not None and bool(model._node.views)

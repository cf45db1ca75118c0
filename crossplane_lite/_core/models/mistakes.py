"""What is said of a field that a model's class lacks, and of a model that is used as a dict."""

from __future__ import annotations

import re
from typing import Any, Final

from ..base.official import instead
from ..base.texts import deeper_place, near_name
from .node import ModelShape, place_of
from .types import MODEL

OF_DICTS: Final = frozenset(dir(dict))
"""The methods of dicts, which code calls that takes a model for one."""


def unknown_field(cls: type[ModelShape], name: str) -> str:
    """Return the message for a field that a class lacks: with a near name, else with the place that
    has the field.
    """
    if name in OF_DICTS and f"{name}_" not in cls.__wire_fields__:
        return f"{cls.__name__} has no {name}(), because it isn't a dict: {_instead(cls)}"
    if "." in name and name.partition(".")[0] in cls.__wire_fields__:
        return (
            f"{cls.__name__} has no field {name!r}, which is a path: set one field after the other,"
            f" as in .{name}"
        )
    return f"{cls.__name__} has no field {name!r}{meant(cls, name)}"


def meant(cls: type[ModelShape], name: str) -> str:
    """Return a hint for a field that a class lacks: a near name, else the place that has the field,
    else nothing.
    """
    own = re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)
    if own != name and hasattr(cls, own):  # of Python, such as connection_details
        return f"; did you mean .{own}?"
    return (
        instead(name) or near_name(name, cls.__wire_fields__) or deeper_place(name, cls, _fields_of)
    )


def not_a_dict(model: Any, key: object) -> str:
    """Return the message for code that asks a model for an item, as in `model["region"]` or
    `for x in model`.
    """
    cls = type(model)
    if not isinstance(key, str):  # Python asks for [0], [1] and so on where it iterates
        return f"{place_of(model)} is a model, not a dict or list: {_instead(cls)}"
    field = cls.__wire_fields__.get(key) or cls._by_wire(key)
    if field is None:
        return unknown_field(cls, key)
    return f"{place_of(model)} is a model, not a dict: write .{field.name}"


def _instead(cls: type[ModelShape]) -> str:
    field = next(iter(cls.__wire_fields__), "name")
    return (
        f"write fields as attributes, such as .{field}, or make a dict with"
        " crossplane_lite.model.to_dict(...)"
    )


def _fields_of(cls: type[ModelShape] | None) -> dict[str, type[ModelShape] | None]:
    """Return the class of each field that is a model, and None for each other field."""
    known = {} if cls is None else cls.__wire_fields__
    return {
        name: field.type.cls if field.type.code == MODEL else None for name, field in known.items()
    }

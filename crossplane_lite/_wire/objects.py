"""The objects that the encoders accept: a mapping from str, or a model.

The encoders read these attributes of them, and no others:

`__wire_keys__`
    Of a model's class: the entry prefixes (see `parts`) by attribute name. An object whose class has this attribute is
    a model.
`__wire_head__`
    Of a model's class: the fields that are the same in every instance, encoded.
`__dict__`
    Of a model: its set values, by attribute name.
`__wire_below__`
    Of a model, and of some mappings: None, or an object that says how the model or mapping is merged into another
    value. It has two attributes: `deleted`, the attributes or keys to remove from that value, or None; and `shows`,
    which is `SET`, `MORE` or `WHOLE`.
`__wire_text__`
    Of any other object: the text that is encoded in its place, or None. Only `encode` reads it, and `tree` doesn't.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .._base.sentinels import Replaced
from .._base.type_names import type_in_words
from ..errors import EncodeError
from .parts import NAMES, Bail, prefix_of

__all__ = [
    "MORE",
    "SET",
    "WHOLE",
    "deleted_keys",
    "fixed_fields",
    "is_struct",
    "member_prefix",
    "merges",
    "set_members",
    "wire_keys",
]

SET: Final = 0
"""The model or mapping shows only the fields that were set in it."""

MORE: Final = 1
"""The model or mapping shows more fields than were set in it: it lies over bytes of its own, or is observed state."""

WHOLE: Final = 2
"""As MORE. All fields that the model or mapping shows belong to its value, not only the fields that were set."""


def wire_keys(obj: Any) -> Mapping[str, bytes] | None:
    """Return the entry prefixes of a model by attribute name; None if `obj` isn't a model."""
    keys: Mapping[str, bytes] | None = getattr(type(obj), "__wire_keys__", None)
    return keys


def fixed_fields(obj: Any) -> bytes:
    """Return the encoded fields that every instance of a model has; empty bytes if `obj` isn't a model."""
    fixed: bytes = getattr(type(obj), "__wire_head__", b"")
    return fixed


def set_members(obj: Any) -> Mapping[Any, Any]:
    """Return the values of a mapping by key, or the set values of a model by attribute name."""
    members: Mapping[Any, Any] = obj if wire_keys(obj) is None else obj.__dict__
    return members


def deleted_keys(obj: Any) -> list[str]:
    """Return the wire keys that `obj` removes when it is merged into a value; an empty list if there are none."""
    keys = wire_keys(obj)
    below = getattr(obj, "__wire_below__", None)
    deleted = None if below is None else below.deleted
    if not deleted:
        return []
    return list(deleted) if keys is None else [NAMES[keys[name]] for name in deleted]


def is_struct(value: Any) -> bool:
    """Return whether a value is encoded as a Struct: whether it is a mapping or a model."""
    kind = type(value)
    return issubclass(kind, dict) or wire_keys(value) is not None or issubclass(kind, Mapping)


def merges(value: Any) -> bool:
    """Return whether a value is merged into a Struct at its path: a mapping or model that isn't `Replaced`."""
    return is_struct(value) and type(value) is not Replaced


def member_prefix(obj: Any, key: Any) -> bytes:
    """Return the entry prefix (see `parts`) of a mapping's key, or of a model's attribute name.

    Raises:
        EncodeError: The key isn't a string, or isn't valid Unicode, or the model has no such attribute.
    """
    keys = wire_keys(obj)
    try:
        return prefix_of(key) if keys is None else keys[key]
    except KeyError:
        problem = f"{type(obj).__name__} has no field {key!r}"
    except Bail:
        problem = f"keys must be strings (got {type_in_words(key)})"
    except UnicodeEncodeError:
        problem = "keys must be valid Unicode text (got one with a lone surrogate)"
    raise EncodeError("", problem)

"""Laying a mapping or a model over the bytes of an existing Struct.

At each level that both sides have, protobuf splits the base and puts it together again, so that what isn't
named is copied as bytes and never decoded. That copies each byte once per level, so the levels are bounded; what lies
deeper is merged in one pass by `_tree`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from crossplane_lite._sentinels import TOMBSTONE
from crossplane_lite._wire import _encode, _tree
from crossplane_lite._wire._parts import NAMES, Bail, varint
from crossplane_lite._wire._read import open_value
from crossplane_lite._wire._scan import STRUCT
from crossplane_lite.errors import EncodeError, WireError
from crossplane_lite.proto._pool import DecodeError, Level

__all__ = ["encode_over"]

_level: Final = Level.FromString


def encode_over(obj: Any, base: bytes, *, strict: bool = False) -> bytes:
    """Lay the set fields of `obj` over an existing Struct.

    Where both sides are structs they are merged, everything else is replaced. Fields that `obj` doesn't name
    are kept byte for byte.

    Args:
        obj: A mapping from str, or an instance of a class with `__wire_keys__`.
        base: The bytes of a Struct.
        strict: Raise Bail instead of EncodeError, on None and on nesting deeper than 60 too.

    Returns:
        The bytes of the merged Struct.

    Raises:
        EncodeError: A value of `obj` can't be carried in a Struct; the error has its path.
        WireError: `base` is not a legal message.
        Bail: As EncodeError and more, when `strict`.
    """
    try:
        return _over(obj, base, 1, strict)
    except (DecodeError, UnicodeDecodeError) as error:
        raise WireError(str(error)) from error


def _over(obj: Any, base: bytes, depth: int, strict: bool) -> bytes:
    if depth > _encode.MAX_DEPTH:
        if strict:
            raise Bail
        return _tree.encode_tree(_tree.Overlay(obj, base, [(0, len(base))]))
    level = _level(base)
    fields = level.fields
    keys = _tree.wire_keys(obj)
    if keys is not None and obj.__wire_head__:
        level.MergeFromString(obj.__wire_head__)
    for key, value in (obj if keys is None else obj.__dict__).items():
        name = key if keys is None else NAMES[keys[key]]
        if value is TOMBSTONE:
            if name in fields:
                del fields[name]
            continue
        kind = type(value)
        if kind is dict or hasattr(kind, "__wire_keys__") or isinstance(value, Mapping):
            old = fields.get(name)
            if old is not None:
                old_kind, payload = open_value(old)
                if old_kind == STRUCT:
                    try:
                        merged = _over(value, payload, depth + 1, strict)
                    except EncodeError as error:
                        raise error.under(_tree.join_path([name])) from None
                    fields[name] = b"\x2a" + varint(len(merged)) + merged
                    continue
        try:
            fields[name] = _encode.encode_value(value, strict=strict)
        except EncodeError as error:
            raise error.under(_tree.join_path([name])) from None
    for name in _tree.deleted_keys(obj):
        if name in fields:
            del fields[name]
    merged = level.SerializeToString()
    return merged

"""Merges a mapping or a model into the bytes of an existing Struct, which is called the base.

protobuf decodes the base, and each Struct in it that is merged, only into keys and undecoded values (`Level`). So
fields that the mapping or model doesn't name are copied as bytes. Each level of nesting copies all bytes below it once
more. Therefore levels deeper than `MAX_DEPTH` are merged by `tree`, in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .._base.sentinels import TOMBSTONE
from .._paths.text import show as join_path
from ..errors import EncodeError, WireError
from ..proto._pool import DecodeError, Level
from .encode import MAX_DEPTH, value_bytes
from .faults import note, unreadable
from .objects import WHOLE, deleted_keys, fixed_fields, member_prefix, merges, wire_keys
from .parts import NAMES, Bail, varint
from .scan import STRUCT
from .tree import Overlay, encode_tree
from .value import open_value

__all__ = ["Leaf", "encode_over"]

_level: Final = Level.FromString
_LEAVES: Final = frozenset({str, bool, int, float, list})  # the usual types of values that replace and don't merge


Leaf = tuple[tuple[str, ...], str, "Callable[[Any], str]"]
"""A text to put into the result, as a tuple: the keys of the Structs that lead to its place, its own key, and a
function that makes the text from the present value there (None if there is none)."""


def encode_over(obj: Any, base: bytes, *, strict: bool = False, leaf: Leaf | None = None) -> bytes:
    """Merge the set fields of `obj` into an existing Struct.

    Two Structs at the same path are merged, unless the one in `obj` is `Replaced`. Any other value of `obj` replaces
    the old one, and `TOMBSTONE` removes it. Fields that `obj` doesn't name are kept byte for byte. The errors are those
    of `encode_struct`; WireError is raised if `base` isn't a valid Struct. The text of `leaf` is put into the result in
    the same pass; Bail is raised if it can't be encoded.
    """
    try:
        return _over(obj, base, 1, strict, leaf)
    except EncodeError as error:
        if strict:
            raise Bail from error
        raise
    except (DecodeError, UnicodeDecodeError) as error:
        raise unreadable(error) from error
    except WireError as error:
        note(error)
        raise


def _over(obj: Any, base: bytes, depth: int, strict: bool, leaf: Leaf | None = None) -> bytes:
    if depth > MAX_DEPTH:
        if strict:
            raise Bail
        assert leaf is None  # a leaf is put in near the top, far above this depth
        return encode_tree(Overlay(obj, base, [(0, len(base))]))
    level = _level(base)
    fields = level.fields
    keys: Mapping[str, bytes] | None = None
    if type(obj) is not dict:
        keys = wire_keys(obj)
        below = getattr(obj, "__wire_below__", None)
        if below is not None:
            if strict and below.shows == WHOLE:
                raise Bail  # the fields of its own source count too, and only the caller can add them
            # Deletions come first, so that a value set after a deletion replaces and doesn't merge.
            if below.deleted:
                for name in deleted_keys(obj):
                    if name in fields:
                        del fields[name]
        fixed = fixed_fields(obj)
        if fixed:
            level.MergeFromString(fixed)
    first = leaf[0][0] if leaf is not None and leaf[0] else None
    members = obj if keys is None else obj.__dict__
    for key, value in members.items():
        if keys is None and type(key) is str and key.isascii():
            name = key
        else:
            name = NAMES[member_prefix(obj, key) if keys is None or key not in keys else keys[key]]
        if value is TOMBSTONE:
            if name in fields:
                del fields[name]
            continue
        try:
            if type(value) in _LEAVES:  # a shortcut: the lines below do the same
                fields[name] = value_bytes(value, depth + 1, strict)
                continue
            payload = _struct_to_merge(value, fields.get(name))
            if payload is None:
                fields[name] = value_bytes(value, depth + 1, strict)
            elif leaf is not None and name == first:  # the leaf goes in now, which saves a second pass
                fields[name] = _as_struct(_over(value, payload, depth + 1, strict, (leaf[0][1:], *leaf[1:])))
                leaf = None
            else:
                fields[name] = _as_struct(_over(value, payload, depth + 1, strict))
        except EncodeError as error:
            raise error.under(join_path([name])) from None
    if leaf is not None:
        _put(fields, *leaf)
    merged: bytes = level.SerializeToString()
    return merged


def _put(fields: Any, way: tuple[str, ...], key: str, made: Callable[[Any], str]) -> None:
    """Put a text under `key` into the Struct that the keys of `way` lead to.

    Missing Structs on the path are made, and values that aren't Structs are replaced. `made` makes the text from the
    present value, or from None. Raises Bail if the text can't be encoded, and WireError for malformed bytes.
    """
    if not way:
        before = fields.get(key)
        try:
            text = made(None if before is None else open_value(before)[1]).encode()
        except UnicodeEncodeError as error:
            raise Bail from error
        fields[key] = b"\x1a" + varint(len(text)) + text
        return
    value = fields.get(way[0])
    kind, payload = (STRUCT, b"") if value is None else open_value(value)
    level = _level(payload if kind == STRUCT else b"")
    _put(level.fields, way[1:], key, made)
    fields[way[0]] = _as_struct(level.SerializeToString())


def _struct_to_merge(value: Any, old: bytes | None) -> bytes | None:
    """Return the bytes of the Struct in `old` that a value is merged into; None if the value replaces `old`."""
    if old is None or not merges(value):
        return None
    kind, payload = open_value(old)
    return payload if kind == STRUCT else None


def _as_struct(payload: bytes) -> bytes:
    """Return the bytes of the Value that contains a Struct with the bytes `payload`."""
    return b"\x2a" + varint(len(payload)) + payload

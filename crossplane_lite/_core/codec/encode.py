"""Encodes dicts and models to the bytes of a Struct, new or merged into an existing one, which is
called the base.

A usual resource is encoded recursively, which is fast, down to `MAX_DEPTH`. Data that the fast
encoder refuses is encoded by `tree`, the slow encoder. It takes any depth, and its errors have the
path of the wrong value.

Of a base, protobuf decodes each Struct that is merged only into keys and undecoded values
(`Level`). So fields that the mapping or model doesn't name are copied as bytes. Each level of
nesting copies all bytes below it once more. Therefore levels deeper than `MAX_DEPTH` are merged by
`tree`, in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from google.protobuf.message import DecodeError

from ...errors import EncodeError, WireError
from ...proto._pool import Level
from ..base.scalars import EXACT as MAX_INT
from ..base.sentinels import NULL, TOMBSTONE
from ..paths.text import show as join_path
from . import parts as _parts
from . import tree
from .decode import note, open_value, unreadable
from .parts import (
    HEADS,
    INTS,
    LIST_HEADS,
    NAMES,
    PREFIXES,
    STRUCT_HEADS,
    TEXT_HEADS,
    Bail,
    prefix_of,
    varint,
)
from .scan import STRUCT

MAX_DEPTH: Final = 60
"""How deep containers may be nested before the recursive way gives up."""

_level: Final = Level.FromString

_TRUE: Final = b"\x02\x20\x01"
_FALSE: Final = b"\x02\x20\x00"
_NULL: Final = b"\x02\x08\x00"

# The same as HEADS and TEXT_HEADS for short lengths, which are the usual ones: a list is twice as
# fast as a dict.
_SHORT_HEADS: Final = [b"\x0a" + bytes((length,)) for length in range(128)]
_SHORT_TEXT_HEADS: Final = [bytes((length + 2, 0x1A, length)) for length in range(126)]

_FAILURES: Final = (Bail, UnicodeEncodeError, RecursionError)


def encode_struct(obj: Any, *, strict: bool = False) -> bytes:
    """Encode a mapping or a model to the bytes of a Struct.

    `obj` may be an instance of a class with `__wire_keys__`. Raises EncodeError with the value's
    path. With `strict` it raises Bail instead, and also for a value that needs the slow encoder,
    such as None or nesting deeper than 60.
    """
    try:
        keys = getattr(type(obj), "__wire_keys__", None)
        if keys is None:
            return struct_bytes(obj, PREFIXES, 1, strict)
        head: bytes = type(obj).__wire_head__
        return head + struct_bytes(obj.__dict__, keys, 1, strict)
    except _FAILURES as failure:
        if strict:
            raise Bail from failure
    return tree.encode_tree(obj)


def pieces_of(obj: Any, way: tuple[str, ...], key: str) -> tuple[bytes, ...]:
    """Encode a model to the bytes of a Struct, cut at a way of keys so that an entry can be put in
    (`joined_pieces`).

    `way` has the keys of the Structs that lead to the place of an entry `key`, which are also the
    names of attributes. The first piece has all other fields of the model, the next those of the
    Struct under the first key, and so on; a missing Struct gives an empty piece. Raises Bail if a
    value needs the slow encoder, is None or can't be encoded, or if the model has the entry
    already.
    """
    cls: Any = type(obj)
    head: bytes = cls.__wire_head__
    items: Mapping[Any, Any] = obj.__dict__
    keys: Mapping[Any, bytes] = cls.__wire_keys__
    pieces = []
    try:
        for depth, name in enumerate(way, 1):
            value = items.get(name)
            others = items
            if name in items:
                others = dict(items)
                del others[name]
            pieces.append(head + struct_bytes(others, keys, depth, True))
            head, keys = b"", PREFIXES
            if value is None:
                items = {}
            elif type(value) is dict:
                items = value
            else:
                cls = type(value)
                inner = getattr(cls, "__wire_keys__", None)
                below = None if inner is None else value.__wire_below__
                if inner is None or (below is not None and below.shows):
                    raise Bail
                items, keys, head = value.__dict__, inner, cls.__wire_head__
        if key in items:
            raise Bail
        pieces.append(head + struct_bytes(items, keys, len(way) + 1, True))
    except (UnicodeEncodeError, RecursionError) as failure:
        raise Bail from failure
    return tuple(pieces)


def cut(raw: bytes, way: tuple[str, ...]) -> tuple[bytes, ...]:
    """Cut the bytes of a Struct at a way of keys, as `pieces_of` does with a model. What is no
    Struct is left out.

    Raises:
        WireError: The bytes aren't a valid Struct.
    """
    pieces = []
    try:
        for name in way:
            level = _level(raw)
            value = level.fields.get(name)
            if value is None:
                pieces.append(raw)
                raw = b""
                continue
            kind, payload = open_value(value)
            del level.fields[name]
            pieces.append(level.SerializeToString())
            raw = payload if kind == STRUCT else b""
    except (DecodeError, UnicodeDecodeError) as error:
        raise unreadable(error) from error
    return (*pieces, raw)


def joined_pieces(pieces: tuple[bytes, ...], way: tuple[str, ...], entry: bytes) -> bytes:
    """Return the bytes of a Struct from its pieces, with an entry at the end of `way`. Empty
    Structs are left out.
    """
    data = pieces[-1] + entry
    for name, others in zip(reversed(way), reversed(pieces[:-1]), strict=True):
        if not data:
            data = others
            continue
        prefix = prefix_of(name)
        front = STRUCT_HEADS[len(data)]
        data = b"".join((others, HEADS[len(prefix) + len(front) + len(data)], prefix, front, data))
    return data


def encode_value(value: Any, depth: int = 1, strict: bool = False) -> bytes:
    """Encode a JSON value or a model to the bytes of a Value. The `depth` of the whole data is 1.

    The errors are those of `encode_struct`, with the path from `value` on.
    """
    kind = type(value)
    data: bytes
    try:
        # The usual types come first. Any other value is encoded as the only element of a list.
        if kind is str:
            data = value.encode()
            return b"\x1a" + varint(len(data)) + data
        if kind is bool:
            return _TRUE[1:] if value else _FALSE[1:]
        if kind is int:
            return INTS[value][1:]
        if kind is list:
            data = _list_bytes(value, depth, strict)
            return b"\x32" + varint(len(data)) + data
        if kind is dict:
            data = struct_bytes(value, PREFIXES, depth, strict)
            return b"\x2a" + varint(len(data)) + data
        element = _list_bytes((value,), depth - 1, strict)
    except _FAILURES as failure:
        if strict:
            raise Bail from failure
        return tree.encode_value_tree(value)
    # Only the Value is returned: not the tag and the length that stand in front of an element.
    start = 2
    while element[start - 1] > 127:
        start += 1
    return element[start:]


def struct_bytes(
    items: Mapping[Any, Any], keys: Mapping[Any, bytes], depth: int, strict: bool
) -> bytes:
    """Encode set values to the bytes of a Struct.

    The keys of `keys` are the attribute names; it is PREFIXES for a mapping. The `depth` of the
    whole data is 1. Raises Bail if a key or value needs the slow encoder or can't be encoded, and
    UnicodeEncodeError for a lone surrogate.
    """
    if depth > MAX_DEPTH:
        raise Bail
    parts: list[bytes] = []
    for key, value in items.items():
        try:
            prefix = keys[key]
        except KeyError:
            if keys is not PREFIXES:
                raise Bail from None
            prefix = prefix_of(key)
        kind = type(value)
        if kind is str:
            data = value.encode()
            size = len(data)
            total = len(prefix) + size + 3
            if total < 128:
                parts += (_SHORT_HEADS[total], prefix, _SHORT_TEXT_HEADS[size], data)
                continue
            head = TEXT_HEADS[size]
        elif kind is dict:
            data = struct_bytes(value, PREFIXES, depth + 1, strict) if value else b""
            head = STRUCT_HEADS[len(data)]
        elif kind is list:
            data = _list_bytes(value, depth + 1, strict)
            head = LIST_HEADS[len(data)]
        elif kind is bool:
            parts += (HEADS[len(prefix) + 3], prefix, _TRUE if value else _FALSE)
            continue
        elif kind is int:
            parts += (HEADS[len(prefix) + 10], prefix, INTS[value])
            continue
        elif value is TOMBSTONE:
            continue
        else:
            # The same as in `_other`; written out here to save two calls for each model inside of a
            # model.
            inner = getattr(kind, "__wire_keys__", None)
            if inner is None:
                head, data = _other(value, kind, depth, strict)
            else:
                below = value.__wire_below__
                if below is not None and below.shows:
                    raise Bail
                data = kind.__wire_head__ + struct_bytes(value.__dict__, inner, depth + 1, strict)
                head = STRUCT_HEADS[len(data)]
        total = len(prefix) + len(head) + len(data)
        parts += (_SHORT_HEADS[total] if total < 128 else HEADS[total], prefix, head, data)
    return b"".join(parts)


def _list_bytes(values: Iterable[Any], depth: int, strict: bool) -> bytes:
    """Encode elements to the bytes of a ListValue. Raises the same errors as `struct_bytes`."""
    if depth > MAX_DEPTH:
        raise Bail
    parts: list[bytes] = []
    for value in values:
        kind = type(value)
        if kind is str:
            data = value.encode()
            size = len(data)
            parts += (b"\x0a", _SHORT_TEXT_HEADS[size] if size < 126 else TEXT_HEADS[size], data)
        elif kind is dict:
            data = struct_bytes(value, PREFIXES, depth + 1, strict)
            parts += (b"\x0a", STRUCT_HEADS[len(data)], data)
        elif kind is bool:
            parts += (b"\x0a", _TRUE if value else _FALSE)
        elif kind is int:
            parts += (b"\x0a", INTS[value])
        else:
            parts += (b"\x0a", *_other(value, kind, depth, strict))
    return b"".join(parts)


def _other(value: Any, kind: type, depth: int, strict: bool) -> tuple[bytes, bytes]:
    """Encode a value of an unusual type; return the bytes before the payload, and the payload.

    Raises:
        Bail: The value needs the slow encoder, or can't be encoded.
        UnicodeEncodeError: A string has a lone surrogate.
    """
    keys = getattr(kind, "__wire_keys__", None)
    if keys is not None:
        below = value.__wire_below__
        if below is not None and below.shows:
            # the model shows more fields than were set in it, and the caller must decide about
            # those
            raise Bail
        data = type(value).__wire_head__ + struct_bytes(value.__dict__, keys, depth + 1, strict)
        return STRUCT_HEADS[len(data)], data
    # Not isinstance(): it reads `__class__` of an Observable, which would count as a use by the
    # author.
    if issubclass(kind, (list, tuple)):
        data = _list_bytes(value, depth + 1, strict)
        return LIST_HEADS[len(data)], data
    if issubclass(kind, dict):
        data = struct_bytes(value, PREFIXES, depth + 1, strict)
        return STRUCT_HEADS[len(data)], data
    if value is NULL or value is None and not strict:
        return _NULL, b""
    if issubclass(kind, str):
        data = str.encode(value)
        return TEXT_HEADS[len(data)], data
    if issubclass(kind, (float, int)):
        # Only NaN and the infinities don't give zero when they are subtracted from themselves.
        if value - value != 0 or (issubclass(kind, int) and not -MAX_INT <= value <= MAX_INT):
            raise Bail
        return b"\x09\x11", _parts.pack(value)
    if issubclass(kind, Mapping):
        data = struct_bytes(value, PREFIXES, depth + 1, strict)
        return STRUCT_HEADS[len(data)], data
    text = getattr(value, "__wire_text__", None)
    if text is not None:
        data = text.encode()
        return TEXT_HEADS[len(data)], data
    raise Bail


# the usual types of values that replace and don't merge
_LEAVES: Final = frozenset({str, bool, int, float, list})


def encode_over(obj: Any, base: bytes, *, strict: bool = False) -> bytes:
    """Merge the set fields of `obj` into an existing Struct.

    Two Structs at the same path are merged, unless the one in `obj` is `Replaced`. Any other value
    of `obj` replaces the old one, and `TOMBSTONE` removes it. Fields that `obj` doesn't name are
    kept byte for byte. The errors are those of `encode_struct`; WireError is raised if `base` isn't
    a valid Struct.
    """
    try:
        return _over(obj, base, 1, strict)
    except EncodeError as error:
        if strict:
            raise Bail from error
        raise
    except (DecodeError, UnicodeDecodeError) as error:
        raise unreadable(error) from error
    except WireError as error:
        note(error)
        raise


def _over(obj: Any, base: bytes, depth: int, strict: bool) -> bytes:
    if depth > MAX_DEPTH:
        if strict:
            raise Bail
        return tree.encode_tree(tree.Overlay(obj, base, [(0, len(base))]))
    level = _level(base)
    fields = level.fields
    keys: Mapping[str, bytes] | None = None
    if type(obj) is not dict:
        keys = _parts.wire_keys(obj)
        below = getattr(obj, "__wire_below__", None)
        if below is not None:
            if strict and below.shows == _parts.WHOLE:
                # the fields of its own source count too, and only the caller can add them
                raise Bail
            # Deletions come first, so that a value set after a deletion replaces and doesn't merge.
            if below.deleted:
                for name in _parts.deleted_keys(obj):
                    if name in fields:
                        del fields[name]
        fixed = _parts.fixed_fields(obj)
        if fixed:
            level.MergeFromString(fixed)
    members = obj if keys is None else obj.__dict__
    for key, value in members.items():
        if keys is None and type(key) is str and key.isascii():
            name = key
        else:
            name = NAMES[
                _parts.member_prefix(obj, key) if keys is None or key not in keys else keys[key]
            ]
        if value is TOMBSTONE:
            if name in fields:
                del fields[name]
            continue
        try:
            if type(value) in _LEAVES:  # a shortcut: the lines below do the same
                fields[name] = encode_value(value, depth + 1, strict)
                continue
            payload = _struct_to_merge(value, fields.get(name))
            if payload is None:
                fields[name] = encode_value(value, depth + 1, strict)
            else:
                fields[name] = _as_struct(_over(value, payload, depth + 1, strict))
        except EncodeError as error:
            raise error.under(join_path([name])) from None
    merged: bytes = level.SerializeToString()
    return merged


def _struct_to_merge(value: Any, old: bytes | None) -> bytes | None:
    """Return the bytes of the Struct in `old` that a value is merged into; None if the value
    replaces `old`.
    """
    if old is None or not _parts.merges(value):
        return None
    kind, payload = open_value(old)
    return payload if kind == STRUCT else None


def _as_struct(payload: bytes) -> bytes:
    """Return the bytes of the Value that contains a Struct with the bytes `payload`."""
    return b"\x2a" + varint(len(payload)) + payload

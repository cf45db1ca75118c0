"""Encodes dicts and models to the bytes of a Struct.

A usual resource is encoded recursively, which is fast, down to `MAX_DEPTH`. Data that the fast encoder refuses is
encoded by `tree`, the slow encoder. It takes any depth, and its errors have the path of the wrong value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from .._base.sentinels import NULL, TOMBSTONE
from . import tree
from .parts import (
    HEADS,
    INTS,
    LIST_HEADS,
    MAX_INT,
    PREFIXES,
    SHORT_HEADS,
    SHORT_TEXT_HEADS,
    STRUCT_HEADS,
    TEXT_HEADS,
    Bail,
    pack,
    prefix_of,
    varint,
)

__all__ = [
    "MAX_DEPTH",
    "encode_list",
    "encode_struct",
    "encode_struct_with",
    "encode_value",
    "model_bytes",
    "struct_bytes",
    "value_bytes",
]

MAX_DEPTH: Final = 60
"""How deep containers may be nested before the recursive way gives up."""

_TRUE: Final = b"\x02\x20\x01"
_FALSE: Final = b"\x02\x20\x00"
_NULL: Final = b"\x02\x08\x00"

_FAILURES: Final = (Bail, UnicodeEncodeError, RecursionError)


def encode_struct(obj: Any, *, strict: bool = False) -> bytes:
    """Encode a mapping or a model to the bytes of a Struct.

    `obj` may be an instance of a class with `__wire_keys__`. Raises EncodeError with the value's path. With `strict` it
    raises Bail instead, and also for a value that needs the slow encoder, such as None or nesting deeper than 60.
    """
    try:
        if type(obj) is dict:
            return struct_bytes(obj, PREFIXES, 1, strict)
        keys = getattr(type(obj), "__wire_keys__", None)
        return struct_bytes(obj, PREFIXES, 1, strict) if keys is None else model_bytes(obj, keys, 1, strict)
    except _FAILURES as failure:
        if strict:
            raise Bail from failure
    return tree.encode_tree(obj)


def encode_struct_with(obj: Any, way: tuple[str, ...], key: str, entry: bytes) -> bytes:
    """Encode a model to the bytes of a Struct, with one more entry in the model or in a Struct inside of it.

    The result is the same as encoding the model and then merging the entry into the bytes, but takes one pass. `way`
    has the keys of the Structs that lead to the entry, which are also the names of the attributes; missing Structs are
    made. Raises Bail if a value needs the slow encoder, is None or can't be encoded, or if the model has the entry
    already.
    """
    try:
        cls = type(obj)
        head: bytes = cls.__wire_head__
        return head + _struct_with(obj.__dict__, cls.__wire_keys__, 1, way, key, entry)
    except (UnicodeEncodeError, RecursionError) as failure:
        raise Bail from failure


def _struct_with(
    items: Mapping[Any, Any], keys: Mapping[Any, bytes], depth: int, way: tuple[str, ...], key: str, entry: bytes
) -> bytes:
    """Encode set values with an entry at the end of `way`. Raises the same errors as `encode_struct_with`."""
    if not way:
        if key in items:
            raise Bail
        return struct_bytes(items, keys, depth, True) + entry
    name = way[0]
    value = items.get(name)
    head = b""
    if value is None:
        inner: Mapping[Any, Any] = {}
        inner_keys: Mapping[Any, bytes] = PREFIXES
        others = items
    else:
        kind = type(value)
        if kind is dict:
            inner, inner_keys = value, PREFIXES
        else:
            inner_keys = getattr(kind, "__wire_keys__", PREFIXES)
            below = None if inner_keys is PREFIXES else value.__wire_below__
            if inner_keys is PREFIXES or (below is not None and below.shows):
                raise Bail
            inner, head = value.__dict__, kind.__wire_head__
        others = dict(items)
        del others[name]
    data = head + _struct_with(inner, inner_keys, depth + 1, way[1:], key, entry)
    prefix = prefix_of(name)
    front = STRUCT_HEADS[len(data)]
    total = len(prefix) + len(front) + len(data)
    return struct_bytes(others, keys, depth, True) + HEADS[total] + prefix + front + data


def encode_list(seq: Iterable[Any]) -> bytes:
    """Encode a list to the bytes of a ListValue.

    Raises:
        EncodeError: A value can't be encoded in a ListValue; the error has the value's path.
    """
    values = seq if isinstance(seq, (list, tuple)) else list(seq)
    try:
        return _list_bytes(values, 1, False)
    except _FAILURES:
        pass
    return tree.encode_tree(values)


def encode_value(x: Any, *, strict: bool = False) -> bytes:
    """Encode a JSON value or a model to the bytes of a Value.

    The errors are those of `encode_struct`, with the path from `x` on.
    """
    return value_bytes(x, 1, strict)


def value_bytes(value: Any, depth: int, strict: bool) -> bytes:
    """Encode a value to the bytes of a Value.

    The `depth` of the whole data is 1. The errors are those of `encode_struct`, with the path from `value` on.
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


def struct_bytes(items: Mapping[Any, Any], keys: Mapping[Any, bytes], depth: int, strict: bool) -> bytes:
    """Encode set values to the bytes of a Struct.

    The keys of `keys` are the attribute names; it is PREFIXES for a mapping. The `depth` of the whole data is 1. Raises
    Bail if a key or value needs the slow encoder or can't be encoded, and UnicodeEncodeError for a lone surrogate.
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
                parts += (SHORT_HEADS[total], prefix, SHORT_TEXT_HEADS[size], data)
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
            # The same as in `_other`; written out here to save two calls for each model inside of a model.
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
        parts += (SHORT_HEADS[total] if total < 128 else HEADS[total], prefix, head, data)
    return b"".join(parts)


def model_bytes(model: Any, keys: Mapping[str, bytes], depth: int, strict: bool) -> bytes:
    """Encode the set fields of a model to the bytes of a Struct. `struct_bytes` describes the arguments and errors."""
    head: bytes = type(model).__wire_head__
    return head + struct_bytes(model.__dict__, keys, depth, strict)


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
            parts += (b"\x0a", SHORT_TEXT_HEADS[size] if size < 126 else TEXT_HEADS[size], data)
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
            raise Bail  # the model shows more fields than were set in it, and the caller must decide about those
        data = model_bytes(value, keys, depth + 1, strict)
        return STRUCT_HEADS[len(data)], data
    # Not isinstance(): it reads `__class__` of an Observable, which would count as a use by the author.
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
    if issubclass(kind, float):
        # Only NaN and the infinities don't give zero when they are subtracted from themselves.
        if value - value != 0.0:
            raise Bail
        return b"\x09\x11", pack(value)
    if issubclass(kind, int):
        if not -MAX_INT <= value <= MAX_INT:
            raise Bail
        return b"\x09\x11", pack(value)
    if issubclass(kind, Mapping):
        data = struct_bytes(value, PREFIXES, depth + 1, strict)
        return STRUCT_HEADS[len(data)], data
    text = getattr(value, "__wire_text__", None)
    if text is not None:
        data = text.encode()
        return TEXT_HEADS[len(data)], data
    raise Bail

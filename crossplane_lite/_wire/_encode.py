"""Encoding dicts and models to the bytes of a Struct.

The usual resource takes a recursive way that is capped in depth. What that refuses takes the iterative way of
`_tree`, which knows every type, any depth, and where it is when something is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from crossplane_lite._sentinels import NULL, TOMBSTONE
from crossplane_lite._wire import _tree
from crossplane_lite._wire._parts import (
    HEADS,
    INTS,
    LIST_HEADS,
    MAX_INT,
    PREFIXES,
    STRING_HEADS,
    STRUCT_HEADS,
    Bail,
    pack,
)

__all__ = ["MAX_DEPTH", "encode_list", "encode_struct", "encode_value", "list_bytes", "struct_bytes"]

MAX_DEPTH: Final = 60

_TRUE: Final = b"\x02\x20\x01"
_FALSE: Final = b"\x02\x20\x00"
_NULL: Final = b"\x02\x08\x00"


def encode_struct(obj: Any, *, strict: bool = False) -> bytes:
    """Encode a mapping or a model to the bytes of a Struct.

    Args:
        obj: A mapping from str, or an instance of a class with `__wire_keys__`.
        strict: Raise Bail instead of EncodeError, on None and on nesting deeper than 60 too.

    Raises:
        EncodeError: A value can't be carried in a Struct; the error has its path.
        Bail: The same and more, when `strict`.
    """
    keys = getattr(type(obj), "__wire_keys__", None)
    try:
        if keys is not None:
            head: bytes = obj.__wire_head__
            return head + struct_bytes(obj.__dict__, keys, 1, strict)
        if isinstance(obj, dict):
            return struct_bytes(obj, PREFIXES, 1, strict)
    except UnicodeEncodeError:
        if strict:
            raise Bail from None
    except (Bail, KeyError):
        if strict:
            raise
    return _tree.encode_tree(obj)


def encode_list(seq: Iterable[Any]) -> bytes:
    """Encode a list to the bytes of a ListValue.

    Raises:
        EncodeError: A value can't be carried in a ListValue; the error has its path.
    """
    values = seq if isinstance(seq, (list, tuple)) else list(seq)
    try:
        return list_bytes(values, 1, False)
    except (Bail, KeyError, UnicodeEncodeError):
        return _tree.encode_tree(values)


def encode_value(x: Any, *, strict: bool = False) -> bytes:
    """Encode anything JSON has to the bytes of a Value.

    Raises:
        EncodeError: The value can't be carried; the error has its path within it.
        Bail: The same and more, when `strict`.
    """
    try:
        return _without_head(list_bytes((x,), 0, strict))
    except UnicodeEncodeError:
        if strict:
            raise Bail from None
    except (Bail, KeyError):
        if strict:
            raise
    return _tree.encode_value_tree(x)


def _without_head(element: bytes) -> bytes:
    """Strip tag and length from the one element of a ListValue."""
    start = 2
    while element[start - 1] > 127:
        start += 1
    return element[start:]


def struct_bytes(items: Mapping[Any, Any], keys: Mapping[Any, bytes], depth: int, strict: bool) -> bytes:
    """Encode set fields to the bytes of a Struct.

    Args:
        items: Key or attribute name to value.
        keys: The same to entry prefix.
        depth: How deep this Struct lies, counted from 1.
        strict: Whether None is refused.

    Raises:
        Bail: Something needs the slow way.
        KeyError: An attribute is not in `keys`.
        UnicodeEncodeError: A lone surrogate.
    """
    if depth > MAX_DEPTH:
        raise Bail
    parts: list[bytes] = []
    for key, value in items.items():
        prefix = keys[key]
        kind = type(value)
        if kind is str:
            data = value.encode()
            size = len(data)
            head = STRING_HEADS[size]
            parts += (HEADS[len(prefix) + len(head) + size], prefix, head, data)
        elif kind is dict:
            data = struct_bytes(value, PREFIXES, depth + 1, strict)
            size = len(data)
            head = STRUCT_HEADS[size]
            parts += (HEADS[len(prefix) + len(head) + size], prefix, head, data)
        elif kind is list:
            data = list_bytes(value, depth + 1, strict)
            size = len(data)
            head = LIST_HEADS[size]
            parts += (HEADS[len(prefix) + len(head) + size], prefix, head, data)
        elif kind is bool:
            parts += (HEADS[len(prefix) + 3], prefix, _TRUE if value else _FALSE)
        elif kind is int:
            parts += (HEADS[len(prefix) + 10], prefix, INTS[value])
        elif value is not TOMBSTONE:
            head, data = _other(value, kind, depth, strict)
            parts += (HEADS[len(prefix) + len(head) + len(data)], prefix, head, data)
    return b"".join(parts)


def list_bytes(values: Iterable[Any], depth: int, strict: bool) -> bytes:
    """Encode elements to the bytes of a ListValue; see `struct_bytes`."""
    if depth > MAX_DEPTH:
        raise Bail
    parts: list[bytes] = []
    for value in values:
        kind = type(value)
        if kind is str:
            data = value.encode()
            parts += (b"\x0a", STRING_HEADS[len(data)], data)
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
    """Encode what is neither of the most usual types; return head and payload."""
    keys = getattr(kind, "__wire_keys__", None)
    if keys is not None:
        node = value._node
        if node is not None and (node.raw is not None or node.mode):
            raise Bail  # it shows more than it has set, and what that means the caller must decide
        data = value.__wire_head__ + struct_bytes(value.__dict__, keys, depth + 1, strict)
        return STRUCT_HEADS[len(data)], data
    if value is None:
        if strict:
            raise Bail
        return _NULL, b""
    if value is NULL:
        return _NULL, b""
    if isinstance(value, str):
        data = str.encode(value)
        return STRING_HEADS[len(data)], data
    if isinstance(value, float):
        # Only NaN and the infinities differ from themselves by something else than zero.
        if value - value != 0.0:
            raise Bail
        return b"\x09\x11", pack(value)
    if isinstance(value, int):
        if not -MAX_INT <= value <= MAX_INT:
            raise Bail
        return b"\x09\x11", pack(value)
    if isinstance(value, (list, tuple)):
        data = list_bytes(value, depth + 1, strict)
        return LIST_HEADS[len(data)], data
    if isinstance(value, Mapping):
        data = struct_bytes(value, PREFIXES, depth + 1, strict)
        return STRUCT_HEADS[len(data)], data
    raise Bail

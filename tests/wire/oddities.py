"""Writers of Structs: as protobuf does it, in odd but legal ways, and damaged.

This shares no code with the codec. The writer takes a `random.Random`, so that one seed stands for one encoding.
"""

from __future__ import annotations

__all__ = [
    "EXAMPLES",
    "JSON_OBJECTS",
    "LEAVES",
    "entry",
    "field",
    "mutated",
    "odd_struct",
    "padded",
    "regular",
    "varint",
]

import os
import random
import struct
from typing import Any

from google.protobuf import struct_pb2
from hypothesis import settings
from hypothesis import strategies as st

_FACTOR = int(os.environ.get("CROSSPLANE_LITE_TEST_FACTOR", "1"))

EXAMPLES = settings(max_examples=250 * _FACTOR, deadline=None, derandomize=_FACTOR == 1)
"""How many examples a property is tried with; the environment variable asks for a longer run with fresh ones."""

_TEXT = st.text(max_size=12) | st.sampled_from(["", "x" * 125, "x" * 126, "é" * 70, "y" * 200, "z" * 17000])
_KEYS = st.text(max_size=6) | st.sampled_from(["", "spec", "k" * 120, "k" * 130])
_INTS = st.integers(-(2**53), 2**53) | st.integers(-3, 1030)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)

LEAVES = st.none() | st.booleans() | _INTS | _FLOATS | _TEXT

JSON_OBJECTS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    _KEYS,
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)


def varint(number: int) -> bytes:
    """Encode a varint in as few bytes as it takes."""
    out = b""
    while number > 127:
        out += bytes((number & 127 | 128,))
        number >>= 7
    return out + bytes((number,))


def padded(number: int, size: int) -> bytes:
    """Encode a varint in `size` bytes."""
    return bytes((number >> 7 * place & 127) | 128 for place in range(size - 1)) + bytes((number >> 7 * (size - 1),))


def field(number: int, data: bytes) -> bytes:
    """Encode a length-delimited field the usual way."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def entry(key: str, value: bytes) -> bytes:
    """Encode a map entry the usual way."""
    return field(1, field(1, key.encode()) + field(2, value))


def regular(obj: dict[str, Any]) -> bytes:
    """Encode as protobuf does."""
    message = struct_pb2.Struct()
    _fill(message, obj)
    return message.SerializeToString()


def _fill(message: Any, obj: dict[str, Any]) -> None:
    for key, item in obj.items():
        _set(message.fields[key], item)


def _set(value: Any, item: Any) -> None:
    if item is None:
        value.null_value = 0
    elif isinstance(item, bool):
        value.bool_value = item
    elif isinstance(item, str):
        value.string_value = item
    elif isinstance(item, dict):
        value.struct_value.SetInParent()
        _fill(value.struct_value, item)
    elif isinstance(item, list):
        value.list_value.SetInParent()
        for element in item:
            _set(value.list_value.values.add(), element)
    else:
        value.number_value = item


def _some_varint(number: int, rnd: random.Random, longest: int = 5) -> bytes:
    shortest = len(varint(number))
    return padded(number, rnd.randint(shortest, longest)) if rnd.random() < 0.15 else varint(number)


def _some_field(number: int, data: bytes, rnd: random.Random) -> bytes:
    return _some_varint(number << 3 | 2, rnd) + _some_varint(len(data), rnd) + data


def _unknown(rnd: random.Random, first: int, depth: int = 0) -> bytes:
    """Encode a field that nobody knows, with a number from `first` on."""
    number = rnd.choice([first, first + 1, 15, 16, 1000, 2**29 - 1])
    kind = rnd.choice([0, 1, 2, 3, 5] if depth < 3 else [0, 1, 2, 5])
    tag = _some_varint(number << 3 | kind, rnd)
    if kind == 0:
        return tag + _some_varint(rnd.choice([0, 1, 2**32, 2**64 - 1]), rnd, 10)
    if kind == 3:
        inside = b"".join(_unknown(rnd, 1, depth + 1) for _ in range(rnd.randint(0, 2)))
        return tag + inside + _some_varint(number << 3 | 4, rnd)
    data = rnd.randbytes({1: 8, 5: 4}.get(kind, rnd.randint(0, 5)))
    return tag + (_some_varint(len(data), rnd) if kind == 2 else b"") + data


def _maybe_unknown(rnd: random.Random, first: int) -> bytes:
    return _unknown(rnd, first) if rnd.random() < 0.1 else b""


def odd_struct(obj: dict[str, Any], rnd: random.Random) -> bytes:
    """Encode a Struct in one of the many legal ways."""
    pairs = list(obj.items())
    rnd.shuffle(pairs)
    out = _maybe_unknown(rnd, 2)
    for key, item in pairs:
        if rnd.random() < 0.1:
            out += _some_field(1, _odd_entry(key, rnd.choice(["old", 1, {"old": True}, [None]]), rnd), rnd)
        out += _some_field(1, _odd_entry(key, item, rnd), rnd) + _maybe_unknown(rnd, 2)
    if rnd.random() < 0.05:
        out += b"\x08\x05"  # `fields` with the wire type of a number: an unknown field
    return out


def _odd_entry(key: str, item: Any, rnd: random.Random) -> bytes:
    key_field = _some_field(1, key.encode(), rnd)
    if key == "" and rnd.random() < 0.5:
        key_field = b""
    elif rnd.random() < 0.05:
        key_field = _some_field(1, b"other", rnd) + key_field
    value_field = _some_field(2, odd_value(item, rnd), rnd)
    if item is None and rnd.random() < 0.3:
        value_field = b""
    return key_field + value_field if rnd.random() < 0.8 else value_field + key_field


def odd_list(items: list[Any], rnd: random.Random) -> bytes:
    """Encode a ListValue in one of the many legal ways."""
    return b"".join(_maybe_unknown(rnd, 2) + _some_field(1, odd_value(item, rnd), rnd) for item in items)


def odd_value(item: Any, rnd: random.Random) -> bytes:
    """Encode a Value in one of the many legal ways."""
    out = _maybe_unknown(rnd, 7)
    if rnd.random() < 0.07:
        out += _member(rnd.choice(["old", 2.5, True, {"old": {}}, ["old"]]), rnd)
        # Members of one kind would merge, so another one stands between them.
        out += b"\x08\x00" if item is not None or rnd.random() < 0.5 else b"\x20\x01\x08\x00"
    if rnd.random() < 0.05:
        out += b"\x18\x07"  # `string_value` with the wire type of a number: an unknown field
    return out + _member(item, rnd) + _maybe_unknown(rnd, 7)


def _member(item: Any, rnd: random.Random) -> bytes:
    if item is None:
        return rnd.choice([b"", b"\x08\x00", b"\x08\x05", b"\x08" + padded(3, 10)])
    if isinstance(item, bool):
        return b"\x20" + _some_varint(rnd.choice([1, 1, 2, 2**63]) if item else 0, rnd, 10)
    if isinstance(item, str):
        return _some_field(3, item.encode(), rnd)
    if isinstance(item, dict):
        return _some_field(5, odd_struct(item, rnd), rnd) if rnd.random() < 0.9 else _split_struct(item, rnd)
    if isinstance(item, list):
        if rnd.random() < 0.9:
            return _some_field(6, odd_list(item, rnd), rnd)
        cut = rnd.randint(0, len(item))
        return _some_field(6, odd_list(item[:cut], rnd), rnd) + _some_field(6, odd_list(item[cut:], rnd), rnd)
    return b"\x11" + struct.pack("<d", item)


def _split_struct(item: dict[str, Any], rnd: random.Random) -> bytes:
    pairs = list(item.items())
    cut = rnd.randint(0, len(pairs))
    first = dict(pairs[:cut]) | {key: "old" for key, _ in pairs[cut:] if rnd.random() < 0.5}
    parts = (odd_struct(first, rnd), _maybe_unknown(rnd, 7), odd_struct(dict(pairs[cut:]), rnd))
    return _some_field(5, parts[0], rnd) + parts[1] + _some_field(5, parts[2], rnd)


def mutated(raw: bytes, rnd: random.Random) -> bytes:
    """Damage some bytes in a few places."""
    data = bytearray(raw)
    for _ in range(rnd.randint(1, 4)):
        place = rnd.randint(0, len(data))
        kind = rnd.random()
        if kind < 0.4 and place < len(data):
            data[place] = rnd.choice(
                [0, 1, 8, 9, 10, 17, 18, 26, 32, 42, 50, 127, 128, 255, data[place] ^ 1, rnd.randrange(256)]
            )
        elif kind < 0.55:
            data[place:place] = rnd.randbytes(rnd.randint(1, 3))
        elif kind < 0.7:
            del data[place : place + rnd.randint(1, 3)]
        elif kind < 0.8:
            del data[place:]
        else:
            other = rnd.randint(0, len(data))
            data[place:place] = data[other : other + rnd.randint(1, 12)]
    return bytes(data)

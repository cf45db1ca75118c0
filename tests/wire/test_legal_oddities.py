"""Each legal encoding that no usual encoder writes, one by one, and each place where we read less than protobuf."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from crossplane_lite import errors
from crossplane_lite._core import codec
from crossplane_lite._core.codec import decode
from tests.wire.oddities import entry, field, padded, regular, varint
from tests.wire.readers import ProtobufRefusal, by_protobuf, typed
from tests.wire.test_properties import level_by_level

TEXT = b"\x1a\x01v"
KEY = b"\x0a\x01k"
VALUE = b"\x12" + bytes((len(TEXT),)) + TEXT
GROUP = b"\x1b\x08\x01\x23\x2d1234\x24\x1c"  # field 3: a number, and in it group 4 with a fixed32

LEGAL = {
    "nothing at all": (b"", {}),
    "an entry without anything": (b"\x0a\x00", {"": None}),
    "an entry without a key": (field(1, VALUE), {"": "v"}),
    "an entry without a value": (field(1, KEY), {"k": None}),
    "the value in front of the key": (field(1, VALUE + KEY), {"k": "v"}),
    "two keys in an entry": (field(1, KEY + b"\x0a\x01j" + VALUE), {"j": "v"}),
    "two entries of one key": (entry("k", b"\x20\x01") + entry("j", TEXT) + entry("k", TEXT), {"k": "v", "j": "v"}),
    "keys in no order": (entry("b", TEXT) + entry("a", TEXT), {"a": "v", "b": "v"}),
    "an empty value": (entry("k", b""), {"k": None}),
    "a null of another number": (entry("k", b"\x08\x05"), {"k": None}),
    "a negative null": (entry("k", b"\x08" + b"\xff" * 9 + b"\x01"), {"k": None}),
    "a true of another number": (entry("k", b"\x20\x02"), {"k": True}),
    "a true of ten bytes": (entry("k", b"\x20" + b"\x80" * 9 + b"\x01"), {"k": True}),
    "a true that overflows": (entry("k", b"\x20" + b"\x80" * 9 + b"\x02"), {"k": False}),
    "a padded false": (entry("k", b"\x20\x80\x00"), {"k": False}),
    "padded tags and lengths": (
        padded(0x0A, 5) + padded(13, 5) + KEY + padded(0x12, 2) + padded(6, 2) + padded(0x1A, 3) + padded(1, 2) + b"v",
        {"k": "v"},
    ),
    "a padded length of a text": (entry("k", b"\x1a\x81\x00v"), {"k": "v"}),
    "unknown fields in a Struct": (
        b"\x10\x05" + GROUP + entry("k", TEXT) + b"\x19" + b"8" * 8 + b"\x22\x01x",
        {"k": "v"},
    ),
    "unknown fields in a Value": (entry("k", b"\x38\x05" + TEXT + b"\x43\x44"), {"k": "v"}),
    "unknown fields in a list": (entry("k", field(6, b"\x10\x01" + field(1, TEXT) + GROUP)), {"k": ["v"]}),
    "a known number of another wire type": (b"\x08\x07" + entry("k", b"\x18\x01" + TEXT + b"\x28\x01"), {"k": "v"}),
    "a Value of unknown fields only": (entry("k", b"\x38\x05"), {"k": None}),
    "two members, the last one counts": (entry("k", TEXT + b"\x20\x01"), {"k": True}),
    "a struct behind a text": (entry("k", TEXT + field(5, entry("a", TEXT))), {"k": {"a": "v"}}),
    "a text behind a struct": (entry("k", field(5, entry("a", TEXT)) + TEXT), {"k": "v"}),
    "two structs merge": (
        entry(
            "k", field(5, entry("a", TEXT) + entry("b", TEXT)) + field(5, entry("b", b"\x20\x01") + entry("c", TEXT))
        ),
        {"k": {"a": "v", "b": True, "c": "v"}},
    ),
    "two structs merge around an unknown field": (
        entry("k", field(5, entry("a", TEXT)) + b"\x38\x05" + field(5, entry("c", TEXT))),
        {"k": {"a": "v", "c": "v"}},
    ),
    "two structs with a null between them": (
        entry("k", field(5, entry("a", TEXT)) + b"\x08\x00" + field(5, entry("c", TEXT))),
        {"k": {"c": "v"}},
    ),
    "what merges doesn't merge deeper": (
        entry("k", field(5, entry("a", field(5, entry("x", TEXT)))) + field(5, entry("a", field(5, entry("y", TEXT))))),
        {"k": {"a": {"y": "v"}}},
    ),
    "two lists are one": (
        entry("k", field(6, field(1, TEXT)) + field(6, field(1, b"") + field(1, TEXT))),
        {"k": ["v", None, "v"]},
    ),
    "an empty struct and an empty list": (entry("s", b"\x2a\x00") + entry("l", b"\x32\x00"), {"s": {}, "l": []}),
    "a number that isn't finite": (entry("k", b"\x11" + struct.pack("<d", float("-inf"))), {"k": float("-inf")}),
}


@pytest.mark.sample(24)
@pytest.mark.parametrize("padding", [0, 200, 20000], ids=["short", "wide", "long"])
@pytest.mark.parametrize(("raw", "expected"), LEGAL.values(), ids=LEGAL.keys())
def test_every_way_of_reading_agrees_with_protobuf(raw: bytes, expected: dict[str, Any], padding: int) -> None:
    """An odd encoding is read the same alone, in a wide Struct, in a long one, in a list and deep down."""
    more = {"padding": "x" * padding} if padding else {}
    raw += regular(more)
    expected = expected | more
    assert typed(by_protobuf(raw)) == typed(expected)
    assert typed(codec.decode_struct(raw)) == typed(expected)
    assert typed(level_by_level(raw)) == typed(expected)
    assert typed(codec.decode_list(field(1, field(5, raw)))) == typed([expected])
    deep, tree = raw, expected
    for _ in range(30):
        deep, tree = entry("d", field(5, deep)), {"d": tree}
    assert typed(codec.decode_struct(deep)) == typed(tree)
    assert typed(codec.get_path(deep, ["d"] * 30)) == typed(expected)


@pytest.mark.parametrize(
    "raw",
    [
        b"\x1b\x00\x05\x01" + b"8" * 8 + b"\x02\x01x\x05" + b"4" * 4 + b"\x1c",
        b"\x1b\x03\x00\x01\x04\x1c" + entry("k", TEXT),
        b"\x1b\x03\x00\x01\x0c\x1c",
        b"\x00\x05",
        b"\x03\x04",
    ],
    ids=["in a group", "a group in a group", "a group that doesn't end", "outside", "a group outside"],
)
@pytest.mark.parametrize("depth", [0, 30])
def test_the_number_0_is_treated_as_protobuf_treats_it(raw: bytes, depth: int) -> None:
    """A field of the number 0 is read in an unknown group where protobuf reads it there, and refused elsewhere."""
    expected: Any = None
    try:
        expected = by_protobuf(raw)
    except ProtobufRefusal:
        pass
    for _ in range(depth):
        raw, expected = entry("d", field(5, raw)), expected if expected is None else {"d": expected}
    if expected is not None:
        assert codec.decode_struct(raw) == expected
        return
    with pytest.raises(errors.WireError):
        codec.decode_struct(raw)


@pytest.mark.parametrize(
    "unknown", [b"\x18\x05", b"\x22\x01x", GROUP, b"\x10\x01"], ids=["varint", "bytes", "group", "wire type"]
)
@pytest.mark.parametrize("depth", [0, 30])
def test_an_entry_with_unknown_fields_is_treated_as_protobuf_treats_it(unknown: bytes, depth: int) -> None:
    """Whether such an entry is set aside, as upb does, or kept, is the same at every depth."""
    raw = field(1, KEY + VALUE + unknown) + entry("other", TEXT)
    expected = by_protobuf(raw)
    for _ in range(depth):
        raw, expected = entry("d", field(5, raw)), {"d": expected}
    assert codec.decode_struct(raw) == expected
    assert level_by_level(raw) == expected


@pytest.mark.parametrize("size", [2, 5, 6, 10, 11])
@pytest.mark.parametrize("depth", [0, 25])
def test_padded_lengths_are_taken_as_protobuf_takes_them(size: int, depth: int) -> None:
    """The releases of protobuf differ in how long a length may be; we follow the one that is installed."""
    raw = b"\x0a" + padded(len(KEY + VALUE), size) + KEY + VALUE
    message, tree = raw, {"k": "v"}
    for _ in range(depth):
        message, tree = entry("d", field(5, message)), {"d": tree}
    try:
        by_protobuf(raw)
    except ProtobufRefusal:
        with pytest.raises(errors.WireError):
            codec.decode_struct(message)
    else:
        assert codec.decode_struct(message) == tree


# Where we are allowed to read less than protobuf does.


def test_a_map_value_in_several_pieces_is_read_as_its_last() -> None:
    """An entry that holds its value twice would be merged by protobuf; we take the last piece."""
    raw = field(1, KEY + field(2, field(5, entry("a", TEXT))) + field(2, field(5, entry("b", TEXT))))
    assert by_protobuf(raw) == {"k": {"a": "v", "b": "v"}}
    assert codec.decode_struct(raw) == {"k": {"b": "v"}}
    assert level_by_level(raw) == {"k": {"b": "v"}}


def test_a_singular_struct_field_in_several_pieces_is_read_as_its_last() -> None:
    """The view takes the last of several occurrences of `input`, where protobuf would merge them."""
    from crossplane_lite.proto import _view
    from crossplane_lite.proto.v1 import run_function_pb2

    raw = field(4, entry("a", TEXT)) + field(4, entry("b", TEXT))
    assert dict(run_function_pb2.RunFunctionRequest.FromString(raw).input) == {"a": "v", "b": "v"}
    assert codec.decode_struct(_view.RunFunctionRequest.FromString(raw).input) == {"b": "v"}


@pytest.mark.parametrize("padding", [0, 200])
@pytest.mark.parametrize(
    "raw",
    [
        entry("k", TEXT + b"\x2a\x01\x0a" + TEXT),
        field(1, KEY + field(2, b"\xff") + VALUE),
    ],
    ids=["member", "value"],
)
def test_data_that_is_replaced_is_not_looked_at(raw: bytes, padding: int) -> None:
    """Malformed data that a later occurrence replaces doesn't matter to us, though it does to protobuf."""
    raw += entry("x", b"\x1a" + padded(padding, 2) + b"x" * padding)
    with pytest.raises(ProtobufRefusal):
        by_protobuf(raw)
    assert codec.decode_struct(raw) == {"k": "v", "x": "x" * padding}


def test_a_replaced_entry_of_a_wide_struct_is_not_looked_at() -> None:
    """In a Struct that protobuf's parser splits, only the last entry of a key is seen at all."""
    raw = entry("k", b"\xff") + entry("k", TEXT) + regular({"x": "x" * 200})
    with pytest.raises(ProtobufRefusal):
        by_protobuf(raw)
    assert codec.decode_struct(raw) == {"k": "v", "x": "x" * 200}


def test_what_is_not_read_is_not_validated() -> None:
    """One field can be read although its neighbour is malformed; reading the neighbour is what fails."""
    raw = entry("bad", b"\x1a\x05v") + entry("good", TEXT)
    assert codec.get_path(raw, ["good"]) == "v"
    with pytest.raises(errors.WireError):
        codec.get_path(raw, ["bad"])


@pytest.mark.sample(2)
@pytest.mark.parametrize("levels", [40, 200, 10_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_there_is_no_limit_to_the_depth(levels: int) -> None:
    """protobuf refuses a Struct of more than 32 levels, we read and write any."""
    raw = deep_struct(levels)
    with pytest.raises(ProtobufRefusal):
        by_protobuf(raw)
    tree = codec.decode_struct(raw)
    assert codec.encode_struct(tree) == raw
    for _ in range(levels - 1):
        assert list(tree) == ["d"]
        tree = tree["d"]
    assert tree == {"leaf": "v"}


def test_groups_may_be_nested_to_any_depth() -> None:
    """Unknown groups in each other are skipped without recursion."""
    raw = b"\x13" * 50_000 + b"\x14" * 50_000 + entry("k", TEXT)
    assert decode._exact(raw, [(0, len(raw))], codec.STRUCT) == {"k": "v"}


def deep_struct(levels: int) -> bytes:
    """Return the bytes of so many Structs in each other."""
    pieces = [regular({"leaf": "v"})]
    size = len(pieces[0])
    for _ in range(levels - 1):
        for number, front in ((5, b""), (2, b"\x0a\x01d"), (1, b"")):
            pieces.append(front + varint(number << 3 | 2) + varint(size))
            size += len(pieces[-1])
    return b"".join(reversed(pieces))

"""Malformed bytes are a WireError, and nothing else, wherever they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import errors
from crossplane_lite._core import codec
from tests.wire.oddities import entry, field, padded, regular
from tests.wire.readers import ProtobufRefusal, by_protobuf
from tests.wire.test_properties import level_by_level

TEXT = b"\x1a\x01v"

ILLEGAL = {
    "a tag without content": b"\x0a",
    "a length past the end": b"\x0a\x05\x0a\x01k",
    "a huge length": b"\x0a\xff\xff\xff\xff\x0f\x0a\x01k",
    "an endless length": b"\x0a" + b"\xff" * 11,
    "a cut length": b"\x0a\x80",
    "field number zero": b"\x00\x00",
    "field number zero, padded": b"\x82\x00\x00",
    "a tag of six bytes": padded(0x0A, 6) + b"\x00",
    "a tag of more than 32 bits": b"\x8a\x80\x80\x80\x10\x00",
    "wire type six": b"\x0e\x00",
    "wire type seven": b"\x0f\x00",
    "a group that doesn't begin": b"\x14",
    "a group that doesn't end": b"\x13",
    "a group that ends as another": b"\x13\x1c",
    "a group cut in a field": b"\x13\x0a\x05x\x14",
    "a cut unknown varint": b"\x10\x80",
    "an endless unknown varint": b"\x10" + b"\xff" * 10 + b"\x01",
    "a cut unknown fixed64": b"\x11\x00",
    "a cut unknown fixed32": b"\x15\x00",
    "a key that isn't UTF-8": field(1, b"\x0a\x01\xff\x12" + bytes((len(TEXT),)) + TEXT),
    "a key cut in a character": field(1, b"\x0a\x01\xc3"),
    "a cut key": field(1, b"\x0a\x02k"),
    "a cut value in an entry": field(1, b"\x0a\x01k\x12\x02\x1a"),
    "text that isn't UTF-8": entry("k", b"\x1a\x01\xff"),
    "text with a surrogate": entry("k", b"\x1a\x03\xed\xa0\x80"),
    "text that is too long": entry("k", b"\x1a\x02v"),
    "a cut text length": entry("k", b"\x1a"),
    "a cut number": entry("k", b"\x11\x00\x00"),
    "a number without bytes": entry("k", b"\x11"),
    "a cut bool": entry("k", b"\x20"),
    "an endless bool": entry("k", b"\x20" + b"\x80" * 10 + b"\x01"),
    "a cut null": entry("k", b"\x08\x80"),
    "a cut struct": entry("k", b"\x2a\x05\x0a"),
    "a malformed struct": entry("k", field(5, b"\x0a")),
    "a malformed list": entry("k", field(6, b"\x0a\x05")),
    "a malformed element": entry("k", field(6, field(1, b"\x1a\x05"))),
    "a malformed second part of a struct": entry("k", field(5, b"") + field(5, b"\x0f")),
    "a byte behind a Value": entry("k", TEXT + b"\x00"),
    "a group in a Value that doesn't end": entry("k", TEXT + b"\x43"),
}

READERS: dict[str, Callable[[bytes], Any]] = {
    "whole": codec.decode_struct,
    "levels": level_by_level,
    "in a list": lambda raw: codec.decode_list(field(1, field(5, raw))),
    "as a value": lambda raw: codec.decode_value(field(5, raw)),
    "in a wide Struct": lambda raw: codec.decode_struct(regular({"x": "x" * 200}) + raw),
    "in a wide list": lambda raw: codec.decode_list(field(1, field(5, raw)) + field(1, field(3, b"x" * 200))),
    "deep down": lambda raw: codec.decode_struct(nested(raw)),
    "at a path": lambda raw: codec.get_path(nested(raw), ["d"] * 25),
}


def nested(raw: bytes) -> bytes:
    """Put a Struct 25 levels deep."""
    for _ in range(25):
        raw = entry("d", field(5, raw))
    return raw


@pytest.mark.sample(40)
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
@pytest.mark.parametrize("raw", ILLEGAL.values(), ids=ILLEGAL.keys())
def test_malformed_bytes_are_a_wire_error(raw: bytes, reader: Callable[[bytes], Any]) -> None:
    """What protobuf refuses is a WireError, in each way of reading and at each place."""
    with pytest.raises(ProtobufRefusal):
        by_protobuf(raw)
    with pytest.raises(errors.WireError):
        reader(raw)


@pytest.mark.parametrize("raw", ILLEGAL.values(), ids=ILLEGAL.keys())
def test_a_malformed_base_is_a_wire_error(raw: bytes) -> None:
    """What is laid over a malformed Struct needs to read it, or leaves it as it is."""
    over = {"k": {"new": True}}
    try:
        merged = codec.encode_over(over, raw)
    except errors.WireError:
        return
    # The Struct itself could be split, and the malformed member was replaced whole.
    assert by_protobuf(merged) == over


def test_every_cut_of_a_resource_is_refused_or_shorter() -> None:
    """However a message is cut off, it is read as protobuf reads it or refused as protobuf refuses it."""
    raw = regular({"a": {"b": [1, "two", None, {"c": True}]}, "d": "x" * 150, "e": {"f": {"g": {}}}})
    for end in range(len(raw)):
        try:
            expected: Any = by_protobuf(raw[:end])
        except ProtobufRefusal:
            with pytest.raises(errors.WireError):
                codec.decode_struct(raw[:end])
        else:
            assert codec.decode_struct(raw[:end]) == expected

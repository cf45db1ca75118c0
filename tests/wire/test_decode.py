"""Lists of all lengths, and lengths that don't fit together, which the short ways of decoding must notice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from crossplane_lite._core import codec
from crossplane_lite.errors import WireError
from tests.support import struct
from tests.wire.oddities import entry, field
from tests.wire.readers import ProtobufRefusal, by_protobuf, typed

ELEMENTS: list[Any] = [1, -2.5, 2**53, True, False, None, "text", "t" * 200, [], {}, [3, "a"], {"b": [None]}]


@pytest.mark.sample(12)
@pytest.mark.parametrize("times", [1, 2, 40, 2000])
@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: repr(element)[:12])
def test_lists_of_one_kind(element: Any, times: int) -> None:
    """A list of any length is decoded with the type of each of its elements."""
    wanted = {"list": [element] * times, "lists": [[element] * times] * 2}
    assert typed(codec.decode_struct(struct(wanted).SerializeToString())) == typed(wanted)


INNER = {
    5: entry("a", b"\x1a\x02bc") + entry("b", b"\x1a\x01c"),
    6: field(1, b"\x1a\x02bc") + field(1, b"\x1a\x01c"),
}


@pytest.mark.parametrize("kind", INNER, ids=["struct", "list"])
def test_lengths_that_do_not_fit(kind: int) -> None:
    """Where what holds an element ends in the middle of it, the bytes are read or refused as protobuf does."""
    inner = INNER[kind]
    # What is left behind such a place is a text, which takes the place of what was there: nobody reads that.
    texts = {at for at, one in enumerate(inner) if one == 0x1A}
    sizes = set(range(len(inner) + 2)) - texts
    assert _refused(entry("a", bytes([kind << 3 | 2, size]) + inner) for size in sizes) > 5


@pytest.mark.parametrize("holder", ["struct", "list"])
@pytest.mark.parametrize("tag", [0x1A, 0x2A, 0x32], ids=["text", "struct", "list"])
def test_lengths_of_elements_that_do_not_fit(tag: int, holder: str) -> None:
    """Where an element is shorter or longer than what holds it says, it is read or refused as protobuf does."""
    element = {0x1A: b"ab", 0x2A: entry("b", b"\x1a\x01c"), 0x32: field(1, b"\x1a\x01c")}[tag]
    sizes = [size for size in range(len(element) + 3) if element[size : size + 1] != b"\x1a"]  # no text is left behind
    values = [bytes([tag, size]) + element for size in sizes]
    if holder == "list":
        values = [b"\x32" + bytes([len(value) + 2]) + field(1, value) for value in values]
    assert _refused(entry("a", value) for value in values) > 2


def _refused(structs: Iterable[bytes]) -> int:
    """Return how many Structs are refused. These must be those that protobuf refuses, and the others read alike."""
    refused = 0
    for data in structs:
        try:
            wanted = by_protobuf(data)
        except ProtobufRefusal:
            refused += 1
            with pytest.raises(WireError):
                codec.decode_struct(data)
        else:
            assert typed(codec.decode_struct(data)) == typed(wanted)
    return refused

"""Lists of all lengths, and lengths that don't fit together, which the short ways of decoding must notice."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._core import codec
from crossplane_lite.errors import WireError
from tests.support import struct
from tests.wire.oddities import entry, field
from tests.wire.readers import ProtobufRefusal, by_protobuf, typed

ELEMENTS: list[Any] = [1, -2.5, 2**53, True, False, None, "text", "t" * 200, [], {}, [3, "a"], {"b": [None]}]


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
    refused = 0
    # What is left behind such a place is a text, which takes the place of what was there: nobody reads that.
    texts = {at for at, one in enumerate(inner) if one == 0x1A}
    for size in set(range(len(inner) + 2)) - texts:
        data = entry("a", bytes([kind << 3 | 2, size]) + inner)
        try:
            wanted = by_protobuf(data)
        except ProtobufRefusal:
            refused += 1
            with pytest.raises(WireError):
                codec.decode_struct(data)
        else:
            assert typed(codec.decode_struct(data)) == typed(wanted)
    assert refused > 5

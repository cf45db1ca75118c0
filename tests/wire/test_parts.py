"""The pieces of encoded Structs, and the caches that hold them."""

from __future__ import annotations

import math
import struct

from crossplane_lite._core import codec
from crossplane_lite._core.codec import parts
from tests.wire.models import Plain
from tests.wire.readers import by_protobuf


def test_prefixes_are_what_stands_in_front_of_a_value() -> None:
    """An entry prefix is the encoded key and the tag of the value."""
    for key in ("", "spec", "ü", "k" * 127, "k" * 128, "k" * 20000):
        prefix = codec.entry_prefix(key)
        value = b"\x1a\x01v"
        body = prefix + bytes((len(value),)) + value
        assert by_protobuf(b"\x0a" + parts.varint(len(body)) + body) == {key: "v"}
        assert parts.NAMES[prefix] == key


def test_caches_stay_small() -> None:
    """However many keys, names and sizes go through, what is kept is bounded."""
    for number in range(5000):
        key = f"key-{number}"
        codec.encode_struct({key: "x" * number, "n": number})
        codec.encode_over(Plain(name=number), b"")
        assert parts.NAMES[codec.entry_prefix(key)] == key
    assert len(parts.PREFIXES) <= 4096
    assert len(parts.NAMES) <= 4096
    for cache in (parts.HEADS, parts.TEXT_HEADS, parts.STRUCT_HEADS, parts.LIST_HEADS, parts.INTS):
        assert len(cache) <= 1100


def test_varints_have_no_byte_too_many() -> None:
    """Lengths of every size are encoded minimally."""
    for number in (0, 127, 128, 16383, 16384, 2**21 - 1, 2**21, 2**28, 2**35 + 5):
        encoded = parts.varint(number)
        assert sum((byte & 127) << 7 * place for place, byte in enumerate(encoded)) == number
        assert len(encoded) == max(1, math.ceil(number.bit_length() / 7))
        assert all(byte > 127 for byte in encoded[:-1]) and encoded[-1] < 128


def test_numbers_are_doubles() -> None:
    """A number is written as the double it is."""
    for number in (0, 1, -1, 1024, 1025, 0.1, 2**53, 5e-324):
        assert codec.encode_value(number) == b"\x11" + struct.pack("<d", number)

"""Malformed bytes are noted where reading ends, and nothing legal is noted."""

from __future__ import annotations

import random

import pytest
from google.protobuf import struct_pb2
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import composition
from crossplane_lite._core import codec
from crossplane_lite.errors import WireError
from crossplane_lite.proto import _view
from tests.wire.oddities import EXAMPLES, JSON_OBJECTS, field, odd_struct

TWICE = field(3, b"x" * 70) + field(3, b"y" * 70)
"""A Value of more than 128 bytes whose member occurs twice, which is legal: the last one counts."""

READERS = {
    "decode_struct": codec.decode_struct,
    "decode_list": codec.decode_list,
    "decode_value": codec.decode_value,
    "split": codec.split,
    "split_list": codec.split_list,
    "get_path": lambda raw: codec.get_path(raw, ("a", "b")),
    "open_value": codec.open_value,
    "encode_over": lambda raw: codec.encode_over({"a": {"b": 1}}, raw),
}


def entry(key: str, value: bytes) -> bytes:
    """Return a field of a Struct."""
    return field(1, field(1, key.encode()) + field(2, value))


@pytest.mark.parametrize("reader", READERS)
def test_what_is_raised_is_noted(reader: str) -> None:
    """Each reader that raises a WireError has noted it, and nothing is noted once nobody watches."""
    faults: list[WireError] = []
    before = codec.watch(faults)
    try:
        with pytest.raises(WireError) as caught:
            READERS[reader](b"\x0a\xff")
    finally:
        codec.unwatch(before)
    assert caught.value in faults
    count = len(faults)
    with pytest.raises(WireError):
        READERS[reader](b"\x0a\xff")
    assert len(faults) == count


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS, st.integers(0, 2**32))
def test_what_is_legal_is_not_noted(data: dict[str, object], seed: int) -> None:
    """Bytes that protobuf reads are read without a note, however oddly they are encoded."""
    raw = odd_struct(data, random.Random(seed))
    struct_pb2.Struct.FromString(raw)
    faults: list[WireError] = []
    before = codec.watch(faults)
    try:
        codec.decode_struct(raw)
    finally:
        codec.unwatch(before)
    assert faults == []


@pytest.mark.parametrize("read", ["input", "spec", "environment"])
def test_a_member_that_occurs_twice_is_answered(read: str) -> None:
    """A request with a legal Value of 130 bytes and more whose oneof occurs twice is answered with its last member."""
    seen: list[object] = []

    @composition.function
    def compose(ctx: composition.Context) -> None:
        if read == "input":
            seen.append((ctx.input or {})["a"])
        elif read == "spec":
            from crossplane_lite import Unstructured

            seen.append(ctx.composite(Unstructured).observed.spec.deep.a)
        else:
            seen.append(ctx.environment["a"])

    deep = entry("a", TWICE) + entry("b", field(3, b"z" * 300))
    request = _view.RunFunctionRequest()
    request.input = deep
    request.context = entry("apiextensions.crossplane.io/environment", field(5, deep))
    spec = field(5, entry("deep", field(5, deep)))
    request.observed.composite.resource = codec.encode_struct({"apiVersion": "a/v1", "kind": "X"}) + entry("spec", spec)
    compose.run(request.SerializeToString())
    assert seen == ["y" * 70]


def test_a_caught_fault_is_no_answer() -> None:
    """A request that is known to be malformed is not answered, also where compose() has caught the error."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        try:
            _ = ctx.input
        except WireError:
            pass

    request = _view.RunFunctionRequest()
    request.input = b"\x0a\xff"
    with pytest.raises(WireError):
        compose.run(request.SerializeToString())

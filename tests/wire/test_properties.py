"""The codec against protobuf itself, on random Structs in random encodings."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import _wire, errors
from crossplane_lite._wire import decode as _decode
from crossplane_lite._wire import scan
from crossplane_lite._wire import tree as _tree
from tests.wire.oddities import EXAMPLES, JSON_OBJECTS, mutated, odd_struct, regular
from tests.wire.readers import ProtobufRefusal, by_protobuf, slowly, typed

SEEDS = st.integers(0, 2**32)


def level_by_level(raw: bytes) -> dict[str, Any]:
    """Decode with what reads a single level."""
    fields = _wire.split(raw)
    return {key: opened(fields[key]) for key in fields}


def opened(value: bytes) -> Any:
    """Decode a Value with what reads a single level."""
    kind, payload = _wire.open_value(value)
    if kind == _wire.STRUCT:
        return level_by_level(payload)
    if kind == _wire.LIST:
        return [opened(element) for element in _wire.split_list(payload)]
    return payload


def paths(tree: Any) -> list[list[str | int]]:
    """Return the paths of all that is in a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [[], *([key, *rest] for key, child in items for rest in paths(child))]


def at(tree: Any, path: list[str | int]) -> Any:
    """Return what is at a path of a tree."""
    for part in path:
        tree = tree[part]
    return tree


def merged(base: Any, over: Any) -> Any:
    """Merge two trees as encode_over promises."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return base | {key: merged(base.get(key), value) for key, value in over.items()}


@EXAMPLES
@given(JSON_OBJECTS)
def test_what_protobuf_writes_is_read_the_same(obj: dict[str, Any]) -> None:
    """Each way of decoding gives what protobuf itself gives."""
    raw = regular(obj)
    expected = typed(by_protobuf(raw))
    assert typed(_wire.decode_struct(raw)) == expected
    assert typed(level_by_level(raw)) == expected
    assert typed(_decode._exact(raw, [(0, len(raw))], scan.STRUCT)) == expected


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS, SEEDS)
def test_odd_encodings_are_read_as_protobuf_reads_them(obj: dict[str, Any], seed: int) -> None:
    """Shuffled, repeated, padded, split and unknown fields make no difference that protobuf doesn't make."""
    raw = odd_struct(obj, random.Random(seed))
    expected = typed(by_protobuf(raw))
    assert typed(_wire.decode_struct(raw)) == expected
    assert typed(level_by_level(raw)) == expected
    assert typed(_decode._exact(raw, [(0, len(raw))], scan.STRUCT)) == expected


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS, SEEDS, st.booleans())
def test_damaged_bytes_are_refused_like_protobuf_does(obj: dict[str, Any], seed: int, odd: bool) -> None:
    """What protobuf refuses is a WireError and the other way round, but for data that is replaced later on."""
    rnd = random.Random(seed)
    raw = mutated(odd_struct(obj, rnd) if odd else regular(obj), rnd)
    expected: Any = None
    try:
        expected = typed(by_protobuf(raw))
    except ProtobufRefusal:
        pass
    for decode in (
        _wire.decode_struct,
        level_by_level,
        lambda data: _decode._exact(data, [(0, len(data))], scan.STRUCT),
    ):
        found: Any = None
        try:
            found = typed(decode(raw))
        except errors.WireError:
            pass
        if found != expected:
            assert found is not None
            lenient, replaced = slowly(raw)
            assert replaced
            assert found == typed(lenient)


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS, SEEDS)
def test_paths_lead_where_they_lead_in_the_whole(obj: dict[str, Any], seed: int) -> None:
    """get_path gives what is at that place of the decoded whole, for every place there is."""
    raw = odd_struct(obj, random.Random(seed))
    whole = by_protobuf(raw)
    for path in paths(whole):
        assert typed(_wire.get_path(raw, path)) == typed(at(whole, path))


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS)
def test_protobuf_reads_what_is_encoded(obj: dict[str, Any]) -> None:
    """Encoding and protobuf's decoding give the same tree, and both encoders write the same bytes."""
    raw = _wire.encode_struct(obj)
    assert by_protobuf(raw) == by_protobuf(regular(obj))
    assert _tree.encode_tree(obj) == raw
    assert all(by_protobuf(_wire.encode_struct({"v": item})) == {"v": item} for item in obj.values())


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS, JSON_OBJECTS, SEEDS, st.booleans())
def test_laying_over_merges(base: dict[str, Any], over: dict[str, Any], seed: int, related: bool) -> None:
    """encode_over gives the merged tree, by levels as well as in one pass."""
    if related:
        # Two random trees rarely overlap, so lay a part of the base over itself.
        rnd = random.Random(seed)
        over = {key: changed(value, rnd) for key, value in base.items() if rnd.random() < 0.7}
    raw = odd_struct(base, random.Random(seed))
    expected = merged(by_protobuf(raw), over)
    assert by_protobuf(_wire.encode_over(over, raw)) == expected
    assert by_protobuf(_tree.encode_tree(_tree.Overlay(over, raw, [(0, len(raw))]))) == expected


def changed(tree: Any, rnd: random.Random) -> Any:
    """Change some leaves of a tree, and leave some keys out."""
    if isinstance(tree, dict) and rnd.random() < 0.9:
        return {key: changed(value, rnd) for key, value in tree.items() if rnd.random() < 0.7}
    return rnd.choice(["new", 7, False, {"new": []}, [{}]]) if rnd.random() < 0.5 else tree

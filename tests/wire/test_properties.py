"""The codec against protobuf itself, on random Structs in random encodings."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import errors
from crossplane_lite._core import codec
from crossplane_lite._core.codec import decode as _decode
from crossplane_lite._core.codec import scan
from crossplane_lite._core.codec import tree as _tree
from tests.wire.oddities import EXAMPLES, JSON_OBJECTS, LEAVES, mutated, odd_struct, regular
from tests.wire.readers import ProtobufRefusal, by_protobuf, slowly, typed

SEEDS = st.integers(0, 2**32)


def level_by_level(raw: bytes) -> dict[str, Any]:
    """Decode with what reads a single level."""
    fields = codec.split(raw)
    return {key: opened(fields[key]) for key in fields}


def opened(value: bytes) -> Any:
    """Decode a Value with what reads a single level."""
    kind, payload = codec.open_value(value)
    if kind == codec.STRUCT:
        return level_by_level(payload)
    if kind == codec.LIST:
        return [opened(element) for element in codec.split_list(payload)]
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


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS)
def test_what_protobuf_writes_is_read_the_same(obj: dict[str, Any]) -> None:
    """Each way of decoding gives what protobuf itself gives."""
    raw = regular(obj)
    expected = typed(by_protobuf(raw))
    assert typed(codec.decode_struct(raw)) == expected
    assert typed(level_by_level(raw)) == expected
    assert typed(_decode._exact(raw, [(0, len(raw))], scan.STRUCT)) == expected


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS, SEEDS)
def test_odd_encodings_are_read_as_protobuf_reads_them(obj: dict[str, Any], seed: int) -> None:
    """Shuffled, repeated, padded, split and unknown fields make no difference that protobuf doesn't make."""
    raw = odd_struct(obj, random.Random(seed))
    expected = typed(by_protobuf(raw))
    assert typed(codec.decode_struct(raw)) == expected
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
        codec.decode_struct,
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
        assert typed(codec.get_path(raw, path)) == typed(at(whole, path))


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS)
def test_protobuf_reads_what_is_encoded(obj: dict[str, Any]) -> None:
    """Encoding and protobuf's decoding give the same tree, and both encoders write the same bytes."""
    raw = codec.encode_struct(obj)
    assert by_protobuf(raw) == by_protobuf(regular(obj))
    assert _tree.encode_tree(obj) == raw
    assert all(by_protobuf(codec.encode_struct({"v": item})) == {"v": item} for item in obj.values())


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
    assert by_protobuf(codec.encode_over(over, raw)) == expected
    assert by_protobuf(_tree.encode_tree(_tree.Overlay(over, raw, [(0, len(raw))]))) == expected


def changed(tree: Any, rnd: random.Random) -> Any:
    """Change some leaves of a tree, and leave some keys out."""
    if isinstance(tree, dict) and rnd.random() < 0.9:
        return {key: changed(value, rnd) for key, value in tree.items() if rnd.random() < 0.7}
    return rnd.choice(["new", 7, False, {"new": []}, [{}]]) if rnd.random() < 0.5 else tree


class Keys(dict[str, bytes]):
    """The encoded keys of a model that takes any attribute."""

    def __missing__(self, name: str) -> bytes:
        return codec.entry_prefix(name)


class Loose:
    """A model that takes any attribute; what is set in it is its dict."""

    __wire_keys__: ClassVar[Any] = Keys()
    __wire_head__: ClassVar[bytes] = regular({"kind": "Loose"})
    __wire_below__ = None

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)


WAY = ("metadata", "annotations")
MARK = "example.org/mark"
_WITH_ANNOTATIONS = st.fixed_dictionaries({"annotations": JSON_OBJECTS}, optional={"name": st.text()})
_METADATA = st.none() | JSON_OBJECTS | _WITH_ANNOTATIONS


def modelled(fields: dict[str, Any], seed: int) -> Any:
    """Return an object as a dict or a model, and so what is on the way to the mark."""
    rnd = random.Random(seed)
    made: Any = dict(fields)
    holder = made
    for key in WAY:
        if isinstance(holder.get(key), dict):
            holder[key] = Loose(holder[key]) if rnd.random() < 0.5 and "" not in holder[key] else dict(holder[key])
            holder = holder[key] if isinstance(holder[key], dict) else holder[key].__dict__
    return Loose(made)


@pytest.mark.slow
@EXAMPLES
@given(JSON_OBJECTS, _METADATA, SEEDS)
def test_an_entry_is_put_in_as_a_second_pass_would(fields: dict[str, Any], metadata: Any, seed: int) -> None:
    """Pieces with an entry give what laying the entry over the encoded model gives, or leaves that to the caller."""
    if metadata is not None:
        fields = {**fields, "metadata": metadata}
    model = modelled(fields, seed)
    mark = {MARK: "step"}
    try:
        expected = by_protobuf(
            codec.encode_over({"metadata": {"annotations": mark}}, codec.encode_struct(model, strict=True))
        )
        found = by_protobuf(codec.joined_pieces(codec.pieces_of(model, WAY, MARK), WAY, codec.encode_struct(mark)))
    except codec.Bail:
        below = fields.get(WAY[0], {})
        unusual = not isinstance(below, dict) or not isinstance(below.get(WAY[1], {}), dict)
        assert unusual or holds_none(fields)  # None is "no opinion" in a model, so somebody has to look
        return
    assert typed(found) == typed(expected)


def holds_none(value: Any) -> bool:
    """Say whether there is a None anywhere in a tree."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(holds_none, items))


@pytest.mark.slow
@EXAMPLES
@given(st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | JSON_OBJECTS, max_leaves=6), st.booleans())
def test_a_value_alone_is_encoded_like_one_in_a_tree(value: Any, strict: bool) -> None:
    """encode_value's short ways write what the encoder of trees writes; a strict one leaves out no None."""
    try:
        found = codec.encode_value(value, strict=strict)
    except codec.Bail:
        assert strict and holds_none(value)
        return
    assert found == _tree.encode_value_tree(value)
    assert not (strict and holds_none(value))

"""Laying objects over the bytes of existing Structs."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import errors
from crossplane_lite._core import codec
from crossplane_lite._core.base.sentinels import NULL, TOMBSTONE, Replaced
from crossplane_lite._core.codec import tree
from tests.wire.models import Below, Bucket, Labels, Plain
from tests.wire.oddities import entry, field, padded, regular
from tests.wire.readers import by_protobuf

BASE: dict[str, Any] = {
    "spec": {"a": 1, "b": {"c": "keep", "d": [1, 2]}, "name": "old"},
    "list": [{"x": 1}],
    "text": "t",
    "child": {"from": "there", "child": {"deep": True}, "more": None},
}


def over(obj: Any, base: bytes) -> dict[str, Any]:
    """Lay over in both ways, which must give the same."""
    merged = by_protobuf(codec.encode_over(obj, base))
    assert by_protobuf(tree.encode_tree(tree.Overlay(obj, base, [(0, len(base))]))) == merged
    return merged


def deep(depth: int, **leaf: Any) -> Any:
    """Put an object so many levels deep."""
    obj: Any = leaf
    for _ in range(depth):
        obj = {"d": obj}
    return obj


@pytest.mark.parametrize(
    ("obj", "changed"),
    [
        ({}, {}),
        ({"spec": {}}, {}),
        ({"spec": {"b": {"e": 5}}}, {"spec": {"a": 1, "b": {"c": "keep", "d": [1, 2], "e": 5}, "name": "old"}}),
        ({"spec": {"b": {"d": [3]}}}, {"spec": {"a": 1, "b": {"c": "keep", "d": [3]}, "name": "old"}}),
        ({"spec": "gone"}, {"spec": "gone"}),
        ({"spec": [{"a": 1}]}, {"spec": [{"a": 1}]}),
        ({"spec": NULL}, {"spec": None}),
        ({"spec": None}, {"spec": None}),
        ({"text": {"now": "a struct"}}, {"text": {"now": "a struct"}}),
        ({"list": {"x": 2}}, {"list": {"x": 2}}),
        ({"list": [{"y": 2}]}, {"list": [{"y": 2}]}),
        ({"new": {"a": {"b": 1}}, "ü": 1}, {"new": {"a": {"b": 1}}, "ü": 1}),
        ({"child": {"more": {"x": 1}}}, {"child": {"from": "there", "child": {"deep": True}, "more": {"x": 1}}}),
        ({"spec": Replaced(z=1)}, {"spec": {"z": 1}}),
        ({"spec": {"b": Replaced()}}, {"spec": {"a": 1, "b": {}, "name": "old"}}),
    ],
)
def test_structs_merge_and_everything_else_replaces(obj: Any, changed: dict[str, Any]) -> None:
    """Two structs are merged member by member, any other pair is replaced, what isn't named stays."""
    assert over(obj, regular(BASE)) == {**BASE, **changed}
    assert by_protobuf(codec.encode_over(obj, b"")) == by_protobuf(codec.encode_struct(obj))


def test_tombstones_remove() -> None:
    """A tombstone removes what is there, and nothing where there is nothing."""
    obj = {"text": TOMBSTONE, "spec": {"b": {"c": TOMBSTONE}, "none": TOMBSTONE}, "none": TOMBSTONE}
    expected = {**BASE, "spec": {"a": 1, "b": {"d": [1, 2]}, "name": "old"}}
    del expected["text"]
    assert over(obj, regular(BASE)) == expected


def test_deleted_keys_of_a_dict_are_removed() -> None:
    """A dict with `deleted` removes these keys from what it lies over."""
    labels = Labels(e=1)
    labels.deleted = {"c", "none"}
    assert over({"spec": {"b": labels}}, regular(BASE))["spec"]["b"] == {"d": [1, 2], "e": 1}
    root = Labels(new=1)
    root.deleted = {"spec", "list", "child"}
    assert over(root, regular(BASE)) == {"text": "t", "new": 1}
    assert by_protobuf(codec.encode_struct(root)) == {"new": 1}


def test_deleted_attributes_of_a_model_are_removed() -> None:
    """A model's node names attributes, which are removed under their wire names."""
    model = Plain(Below({"from_", "long"}), child=Plain(Below(None), name="x"))
    assert over({"child": model}, regular(BASE))["child"] == {"child": {"deep": True, "name": "x"}, "more": None}


def test_what_is_set_after_a_deletion_replaces() -> None:
    """A key that is both deleted and set doesn't merge with what was there."""
    labels = Labels(b={"new": 1})
    labels.deleted = {"b"}
    assert over({"spec": labels}, regular(BASE))["spec"] == {"a": 1, "b": {"new": 1}, "name": "old"}
    model = Plain(Below({"child"}), child=Plain(name="x"))
    assert over({"child": model}, regular(BASE))["child"] == {"from": "there", "child": {"name": "x"}, "more": None}


def test_fixed_fields_of_a_model_replace() -> None:
    """What is the same in every instance is set in the merged Struct as well."""
    base = regular({"kind": "Other", "name": "n", "child": {"kind": "Old", "x": 1}})
    fixed = {"apiVersion": "example.org/v1", "kind": "Bucket"}
    assert over(Bucket(child=Bucket()), base) == {**fixed, "name": "n", "child": {**fixed, "x": 1}}


def test_what_is_not_named_is_kept_byte_for_byte() -> None:
    """A neighbour is never decoded: malformed, oddly encoded or unknown, it comes out as it went in."""
    odd = b"\x1a" + padded(1, 3) + b"v\x38\x05"
    base = entry("odd", odd) + entry("bad", b"\xff\xff") + entry("spec", field(5, entry("odd", odd) + b"\x50\x07"))
    merged = codec.encode_over({"spec": {"new": 1}, "more": True}, base)
    fields = codec.split(merged)
    assert (fields["odd"], fields["bad"]) == (odd, b"\xff\xff")
    kind, spec = codec.open_value(fields["spec"])
    assert kind == codec.STRUCT
    assert codec.split(spec)["odd"] == odd
    assert spec.endswith(b"\x50\x07")
    assert codec.get_path(merged, ["spec", "new"]) == 1


def test_a_base_in_odd_encoding_merges() -> None:
    """A struct member that is split in two is merged before it is merged with."""
    base = entry("s", field(5, entry("a", b"\x20\x01")) + field(5, entry("b", b"\x20\x01")))
    assert over({"s": {"c": 1}}, base) == {"s": {"a": True, "b": True, "c": 1}}


@pytest.mark.parametrize("depth", [58, 59, 60, 61, 62, 130, 2000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_any_depth_of_overlap_merges(depth: int) -> None:
    """Two chains that overlap to any depth merge at their ends, in linear time and without recursion."""
    base = codec.encode_struct(deep(depth, old=1, both={"x": 1}))
    expected = deep(depth, old=1, new=2, both={"x": 1, "y": 2})
    for obj in (deep(depth, new=2, both={"y": 2}), as_model(deep(depth, new=2, both={"y": 2}))):
        merged: Any = codec.decode_struct(codec.encode_over(obj, base))
        wanted = expected
        for _ in range(depth):
            assert list(merged) == list(wanted) == ["d"]
            merged, wanted = merged["d"], wanted["d"]
        assert merged == wanted


class Chain(Plain):
    """A model that can be nested in a chain."""

    __wire_keys__ = {key: codec.entry_prefix(key) for key in ("d", "new", "both")}
    __slots__ = ()


def as_model(obj: dict[str, Any]) -> Any:
    """Return a chain of dicts as a chain of models."""
    chain: list[dict[str, Any]] = []
    while "d" in obj:
        chain.append(obj)
        obj = obj["d"]
    model = Chain(**obj)
    for _ in chain:
        model = Chain(d=model)
    return model


def test_removal_below_the_bounded_levels_works_as_well() -> None:
    """Tombstones, deletions, replacement and fixed fields mean the same where overlap is merged in one pass."""
    labels = Labels(new=1)
    labels.deleted = {"gone"}
    obj = deep(80, gone=TOMBSTONE, labels=labels, one=Replaced(), model=Bucket(Below({"from_"})))
    base = deep(80, gone=1, labels={"gone": 1, "kept": 2}, one={"a": 1}, model={"from": 1, "child": 2}, rest=[None])
    merged: Any = codec.decode_struct(codec.encode_over(obj, codec.encode_struct(base)))
    for _ in range(80):
        merged = merged["d"]
    fixed = {"apiVersion": "example.org/v1", "kind": "Bucket"}
    assert merged == {"labels": {"new": 1, "kept": 2}, "one": {}, "model": {**fixed, "child": 2}, "rest": [None]}


@pytest.mark.parametrize("depth", [0, 3, 70])
def test_errors_have_the_whole_path(depth: int) -> None:
    """What can't be carried is reported with its path from the top, merged or not."""
    front = "d." * depth
    base = codec.encode_struct(deep(depth, spec={"a": {"b": 1}}))
    for leaf, path in (
        ({"spec": {"a": {"b": b""}}}, "spec.a.b"),
        ({"spec": {"a": [0, {"x/y": b""}]}}, 'spec.a[1]["x/y"]'),
        ({"new": {"a": {1}}}, "new.a"),
    ):
        with pytest.raises(errors.EncodeError) as caught:
            codec.encode_over(deep(depth, **leaf), base)
        assert caught.value.path == front + path


@pytest.mark.parametrize("key", [1, None, "\ud800"])
def test_bad_keys_are_refused(key: Any) -> None:
    """A key that can't be one is an EncodeError at its object, and Bail when strict."""
    base = regular(BASE)
    with pytest.raises(errors.EncodeError) as caught:
        codec.encode_over({"spec": {"b": {key: 1}}}, base)
    assert caught.value.path == "spec.b"
    with pytest.raises(codec.Bail):
        codec.encode_over({"spec": {"b": {key: 1}}}, base, strict=True)


def test_strict_writes_the_same() -> None:
    """strict changes what is refused, not what is written."""
    obj = {"spec": {"b": {"c": NULL, "e": [1, "x", {"y": 2.5}]}}, "text": TOMBSTONE, "new": Plain(name="x")}
    assert by_protobuf(codec.encode_over(obj, regular(BASE), strict=True)) == over(obj, regular(BASE))

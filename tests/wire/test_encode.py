"""Encoding: what is taken, what is refused and with which path, and the two ways of doing it."""

from __future__ import annotations

import enum
import math
import sys
from collections import OrderedDict, UserDict
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from crossplane_lite import errors
from crossplane_lite._core import codec
from crossplane_lite._core.base.sentinels import NULL, TOMBSTONE, UNSET
from crossplane_lite._core.codec import tree as _tree
from tests.wire.models import Below, Bucket, Labels, Plain
from tests.wire.readers import by_protobuf, typed


class Color(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Point(NamedTuple):
    x: int
    y: float


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "not this"


class Share(float):
    __slots__ = ()


def both(obj: Any) -> dict[str, Any]:
    """Encode in both ways, which must give the same bytes, and decode with protobuf."""
    raw = codec.encode_struct(obj)
    assert _tree.encode_tree(obj) == raw
    return by_protobuf(raw)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Color.RED, "red"),
        (Text("value"), "value"),
        (Level.HIGH, 3),
        (Share(0.5), 0.5),
        (1.0, 1),
        (-0.0, 0),
        (2**53, 2**53),
        (-(2**53), -(2**53)),
        (1e300, 1e300),
        (None, None),
        (NULL, None),
        (True, True),
        ((1, (2, "x")), [1, [2, "x"]]),
        (Point(1, 2.5), [1, 2.5]),
        (OrderedDict(a=1), {"a": 1}),
        (UserDict({"a": [UserDict(b=1)]}), {"a": [{"b": 1}]}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (Labels(a=1), {"a": 1}),
        ({}, {}),
        ([], []),
        ("", ""),
        ("ü" * 63, "ü" * 63),
        ("x" * 3000, "x" * 3000),
        ({Color.RED: 1, Text("key"): 2}, {"red": 1, "key": 2}),
        ({"k" * 5000: 1, "": 2}, {"k" * 5000: 1, "": 2}),
    ],
)
def test_values_are_encoded_by_what_they_are(value: Any, expected: Any) -> None:
    """Subclasses of JSON's types, tuples and other mappings are encoded by their value, at every place."""
    found = both({"v": value, "l": [value]})
    assert typed(found) == typed({"v": expected, "l": [expected]})
    assert codec.decode_value(codec.encode_value(value)) == expected


def test_every_size_is_encoded_right() -> None:
    """The lengths of texts, keys, structs and lists are right around each size of a varint."""
    for size in (*range(100, 140), *range(16360, 16400), 2**21):
        text = "x" * size
        assert codec.decode_struct(both_raw({"v": text, text: [text], "s": {"v": text}})) == {
            "v": text,
            text: [text],
            "s": {"v": text},
        }


def both_raw(obj: Any) -> bytes:
    """Encode in both ways, which must give the same bytes."""
    raw = codec.encode_struct(obj)
    assert _tree.encode_tree(obj) == raw
    return raw


@pytest.mark.parametrize("obj", [{}, Plain(), UserDict()])
def test_nothing_is_no_bytes(obj: Any) -> None:
    """An empty Struct takes no bytes at all."""
    assert codec.encode_struct(obj) == b""
    assert codec.encode_value([]) == b"\x32\x00"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (2**53 + 1, "2**53"),
        (-(2**53) - 1, "2**53"),
        (10**400, "2**53"),
        (math.nan, "finite"),
        (math.inf, "finite"),
        (-math.inf, "finite"),
        (b"bytes", "got bytes"),
        ({1, 2}, "got a set"),
        (Decimal("1.5"), "got a Decimal"),
        (object(), "got an object"),
        (UNSET, "got an UnsetType"),
        (1j, "got a complex"),
        ("\ud800", "Unicode"),
        (Text("\udfff"), "Unicode"),
    ],
)
def test_what_json_has_not_is_refused_with_its_path(value: Any, problem: str) -> None:
    """The error says where the value stands and what is wrong, without showing the value."""
    obj = {"fine": 1, "spec": {"ports": [0, {"port": 1}, {"port": value, "more": 2}]}}
    with pytest.raises(errors.EncodeError, match=r"^spec\.ports\[2\]\.port: ") as caught:
        codec.encode_struct(obj)
    assert caught.value.path == "spec.ports[2].port"
    assert problem in caught.value.problem
    with pytest.raises(errors.EncodeError) as caught:
        codec.encode_value(value)
    assert caught.value.path == ""
    with pytest.raises(errors.EncodeError) as caught:
        codec.encode_value([[], [value]])
    assert caught.value.path == "[1][0]"


@pytest.mark.parametrize("key", [1, None, b"k", 1.5, ("a", "b"), True])
def test_keys_that_are_not_strings_are_refused(key: Any) -> None:
    """A key of another type is an error at the path of its object."""
    with pytest.raises(errors.EncodeError, match="strings") as caught:
        codec.encode_struct({"a": [{"b": {"ok": 1, key: 2}}]})
    assert caught.value.path == "a[0].b"
    with pytest.raises(errors.EncodeError, match="strings") as caught:
        codec.encode_struct({key: 2})
    assert caught.value.path == ""


def test_a_key_with_a_surrogate_is_refused() -> None:
    """A key must be text that UTF-8 has."""
    with pytest.raises(errors.EncodeError, match="Unicode") as caught:
        codec.encode_struct({"a": {"\ud800": 1}})
    assert caught.value.path == "a"


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        (["a", "b"], "a.b"),
        (["a-b", "_c", "D9"], "a-b._c.D9"),
        (["a.b/c", "d"], '["a.b/c"].d'),
        (["d", "a.b/c"], 'd["a.b/c"]'),
        (["", "ü"], '[""]["ü"]'),
        (["-", "__", "a b", "²"], '-.__["a b"]["²"]'),
        (['say "x"\\'], r'["say \"x\"\\"]'),
    ],
)
def test_unusual_keys_are_quoted_in_paths(keys: list[str], path: str) -> None:
    """A key that isn't letters, digits, _ and - stands in brackets and quotes."""
    obj: Any = b""
    for key in reversed(keys):
        obj = {key: obj}
    with pytest.raises(errors.EncodeError) as caught:
        codec.encode_struct(obj)
    assert caught.value.path == path


def test_the_path_is_right_however_deep() -> None:
    """The path of an error a thousand levels down is complete."""
    obj: Any = {"bad": b""}
    for _ in range(1000):
        obj = {"a": [obj]}
    with pytest.raises(errors.EncodeError) as caught:
        codec.encode_struct(obj)
    assert caught.value.path == "a[0]." * 1000 + "bad"


def test_a_tree_that_contains_itself_is_refused() -> None:
    """A cycle is an error, not an endless loop, also when it lies over existing bytes."""
    obj: dict[str, Any] = {"a": [1]}
    obj["a"].append({"back": obj})
    for encode in (
        lambda: codec.encode_struct(obj),
        lambda: codec.encode_over(obj, b""),
        lambda: codec.encode_over(obj, codec.encode_struct({"a": {"back": {"a": 1}}})),
        lambda: codec.encode_value(obj["a"]),
    ):
        with pytest.raises(errors.EncodeError, match="itself"):
            encode()
    with pytest.raises(codec.Bail):
        codec.encode_struct(obj, strict=True)


def test_a_shared_tree_is_no_cycle() -> None:
    """The same object may stand at many places."""
    shared = {"x": [1]}
    obj: dict[str, Any] = {"a": shared, "b": [shared, shared]}
    for _ in range(70):
        obj = {"in": obj, "again": shared}
    assert codec.decode_struct(codec.encode_struct(obj)) == obj


def test_tombstones_are_left_out() -> None:
    """Without something to lie over, a removed field is no field."""
    assert both({"a": TOMBSTONE, "b": {"c": TOMBSTONE}, "d": 1}) == {"b": {}, "d": 1}
    assert by_protobuf(codec.encode_struct({"a": TOMBSTONE, "d": 1}, strict=True)) == {"d": 1}
    with pytest.raises(errors.EncodeError, match=r"^a\[0\]"):
        codec.encode_struct({"a": [TOMBSTONE]})


# strict


@pytest.mark.parametrize(
    "value",
    [None, b"", {1}, 2**53 + 1, math.nan, {1: 2}, "\ud800", {"\ud800": 1}, object(), UNSET, [None], {"a": None}],
)
def test_strict_bails_out(value: Any) -> None:
    """What the emitter has to look at itself raises Bail at once, None included."""
    for encode in (
        lambda: codec.encode_struct({"a": [value]}, strict=True),
        lambda: codec.encode_struct({"a": value}, strict=True),
        lambda: codec.encode_struct(Plain(name=value), strict=True),
        lambda: codec.encode_value(value, strict=True),
        lambda: codec.encode_over({"a": value}, b"", strict=True),
        lambda: codec.encode_over({"a": {"b": value}}, codec.encode_struct({"a": {}}), strict=True),
    ):
        with pytest.raises(codec.Bail):
            encode()


def test_strict_takes_null_and_writes_the_same() -> None:
    """An explicit null is fine, and strict changes nothing in what is written."""
    obj = {"a": NULL, "b": [NULL, 1.5, Color.RED, (1, "x")], "c": {"d": True}}
    assert codec.encode_struct(obj, strict=True) == codec.encode_struct(obj)
    assert codec.encode_value(obj, strict=True) == codec.encode_value(obj)


def test_strict_bails_out_of_what_is_too_deep() -> None:
    """Sixty containers in each other are taken, one more is not."""
    obj: Any = {"x": 1}
    for _ in range(59):
        obj = {"a": obj}
    assert by_levels(codec.encode_struct(obj, strict=True)) == 60
    assert codec.encode_over(obj, b"", strict=True) == codec.encode_struct(obj)
    with pytest.raises(codec.Bail):
        codec.encode_struct({"a": obj}, strict=True)
    with pytest.raises(codec.Bail):
        codec.encode_over({"a": obj}, b"", strict=True)
    with pytest.raises(codec.Bail):
        codec.encode_over({"a": obj}, codec.encode_struct({"a": obj}), strict=True)
    with pytest.raises(codec.Bail):
        codec.encode_over({"a": {"a": obj}}, codec.encode_struct({"a": {}}), strict=True)


def by_levels(raw: bytes) -> int:
    """Count the levels of a chain."""
    levels = 0
    tree: Any = codec.decode_struct(raw)
    while isinstance(tree, dict):
        levels += 1
        tree = next(iter(tree.values()))
    return levels


# Depth and recursion


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "depth", [61, 1000, *(pytest.param(depth, marks=pytest.mark.slow) for depth in (10_000, 50_000))]
)
@pytest.mark.parametrize("kind", ["dicts", "lists", "models"])
def test_any_depth_is_encoded(kind: str, depth: int) -> None:
    """Nothing recurses where the data decides how deep, and the recursion limit stays as it is."""
    limit = sys.getrecursionlimit()
    obj: Any = {"name": "leaf"}
    for level in range(depth):
        if kind == "models":
            obj = Plain(child=obj)
        else:
            obj = {"child": obj} if kind == "dicts" or level == depth - 1 else [obj]
    raw = codec.encode_struct(obj)
    assert codec.encode_over(obj, b"") == raw
    assert sys.getrecursionlimit() == limit
    tree: Any = codec.decode_struct(raw)
    found = 0
    while tree != {"name": "leaf"}:
        found += 1
        tree = tree["child"] if isinstance(tree, dict) else tree[0]
        if found < depth:
            assert len(tree) == 1
    assert found == depth


def test_a_nearly_full_stack_is_no_reason_to_fail() -> None:
    """Where the caller has used up the recursion limit, the iterative way takes over."""
    obj: Any = {"x": 1}
    for _ in range(50):
        obj = {"a": [obj]}
    raw = codec.encode_struct(obj)

    def at_depth(frames: int) -> tuple[bytes, Any]:
        if frames:
            return at_depth(frames - 1)
        return codec.encode_struct(obj), codec.decode_struct(raw)

    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    assert at_depth(sys.getrecursionlimit() - used - 40) == (raw, obj)


# Models


def test_a_model_is_its_set_fields() -> None:
    """The instance's dict is encoded under the wire names, in models, dicts and lists alike."""
    model = Plain(name="x", from_=3, child=Plain(items=[Plain(name="y"), {"z": Plain()}]), long=None)
    expected = {"name": "x", "from": 3, "child": {"items": [{"name": "y"}, {"z": {}}]}, "n" * 300: None}
    assert both(model) == expected
    assert both({"m": model, "l": [model]}) == {"m": expected, "l": [expected]}
    assert codec.decode_value(codec.encode_value(model)) == expected


def test_fixed_fields_come_along() -> None:
    """What is the same in every instance is in front, nested or not, in both ways of encoding."""
    fixed = {"apiVersion": "example.org/v1", "kind": "Bucket"}
    bucket = Bucket(name="x", child=Bucket(), items=[Bucket(from_=1)])
    assert both(bucket) == {**fixed, "name": "x", "child": fixed, "items": [{**fixed, "from": 1}]}
    assert codec.encode_struct(bucket, strict=True) == codec.encode_struct(bucket)
    assert codec.encode_struct(bucket).startswith(Bucket.__wire_head__)


def test_an_attribute_that_is_no_field_is_refused() -> None:
    """What a model's class does not know has no name on the wire."""
    with pytest.raises(errors.EncodeError, match="Plain has no field 'wrong'") as caught:
        codec.encode_struct({"a": [Plain(wrong=1)]})
    assert caught.value.path == "a[0]"
    with pytest.raises(codec.Bail):
        codec.encode_struct(Plain(wrong=1), strict=True)
    with pytest.raises(errors.EncodeError, match="no field") as caught:
        codec.encode_over({"a": Plain(wrong=1)}, codec.encode_struct({"a": {}}))
    assert caught.value.path == "a"


def test_paths_through_models_have_wire_names() -> None:
    """An error in a model is reported under the name on the wire."""
    with pytest.raises(errors.EncodeError) as caught:
        codec.encode_struct(Plain(child={"m": Plain(from_=[b""])}))
    assert caught.value.path == "child.m.from[0]"
    with pytest.raises(errors.EncodeError) as caught:
        codec.encode_over(Plain(child=Plain(from_=b"")), codec.encode_struct({"child": {"from": {}}}))
    assert caught.value.path == "child.from"


def test_strict_bails_out_of_nested_views() -> None:
    """A nested model that shows more than it has set is the caller's to judge."""
    node = Below(shows=codec.MORE)
    for obj in ({"a": Plain(node)}, Plain(child=Plain(node)), {"a": [Plain(node)]}):
        with pytest.raises(codec.Bail):
            codec.encode_struct(obj, strict=True)
    assert codec.encode_struct({"a": Plain(Below())}, strict=True)


def test_an_entry_that_is_there_already_is_left_to_the_caller() -> None:
    """Nothing is written twice: where the entry's key is set, somebody has to decide what becomes of it."""
    entry = codec.encode_struct({"mark": "step"})
    model = Plain(name="n", child={"mark": "other", "a": "b"})
    with pytest.raises(codec.Bail):
        codec.pieces_of(model, ("child",), "mark")
    del model.child["mark"]
    found = by_protobuf(codec.joined_pieces(codec.pieces_of(model, ("child",), "mark"), ("child",), entry))
    assert found == {"name": "n", "child": {"a": "b", "mark": "step"}}

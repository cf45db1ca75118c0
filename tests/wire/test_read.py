"""Reading single levels and single fields."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._core import codec
from tests.wire.oddities import field, regular
from tests.wire.readers import typed

TREE: dict[str, Any] = {
    "metadata": {"name": "n", "labels": {"a.b/c": "x"}},
    "spec": {"list": [1, "two", {"three": 3.5}, [True, None]], "none": None, "empty": {}, "no": []},
    "text": "t" * 300,
}
RAW = regular(TREE)


def test_split_gives_each_field_undecoded() -> None:
    """A Struct is split into keys and the bytes of their Values, and can be changed in place."""
    fields = codec.split(RAW)
    assert set(fields) == set(TREE)
    assert codec.decode_value(fields["metadata"]) == TREE["metadata"]
    assert fields.get("none") is None
    assert "none" not in fields
    del fields["text"]
    fields["new"] = codec.encode_value(1)
    assert set(fields) == {"metadata", "spec", "new"}
    assert set(codec.split(RAW)) == set(TREE)
    assert not codec.split(b"")


def test_split_list_gives_each_element_undecoded() -> None:
    """A ListValue is split into the bytes of its Values, in order."""
    kind, raw = codec.open_value(codec.split(regular({"l": [1, {"a": 2}, []]}))["l"])
    assert kind == codec.LIST
    assert [codec.decode_value(value) for value in codec.split_list(raw)] == [1, {"a": 2}, []]
    assert len(codec.split_list(b"")) == 0


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        (None, codec.NULL),
        (0, codec.NUMBER),
        (1.5, codec.NUMBER),
        (1e300, codec.NUMBER),
        (-(2**53), codec.NUMBER),
        (2.0**54, codec.NUMBER),
        ("", codec.STRING),
        ("ü", codec.STRING),
        *(("x" * size, codec.STRING) for size in (125, 126, 127, 128, 129, 16383, 16384, 20000, 2**21)),
        (True, codec.BOOL),
        (False, codec.BOOL),
    ],
)
def test_a_scalar_value_opens_as_itself(item: Any, kind: int) -> None:
    """open_value tells the kind, and gives an int where a double is one."""
    value = codec.split(regular({"v": item}))["v"]
    found_kind, found = codec.open_value(value)
    assert found_kind == kind
    assert typed(found) == typed(item)
    assert typed(codec.decode_value(value)) == typed(found)


@pytest.mark.parametrize("size", [0, 1, 40, 130, 5000, 20000, 2**21])
def test_a_container_opens_as_its_bytes(size: int) -> None:
    """open_value gives the bytes of a struct or a list, of whatever length."""
    for item, kind in (({"x": "y" * size} if size else {}, codec.STRUCT), (["y" * size] if size else [], codec.LIST)):
        found_kind, raw = codec.open_value(codec.split(regular({"v": item}))["v"])
        assert found_kind == kind
        assert (codec.decode_struct(raw) if kind == codec.STRUCT else codec.decode_list(raw)) == item


def test_a_value_without_a_member_is_null() -> None:
    """No bytes, or only unknown fields, are a null."""
    assert codec.open_value(b"") == (codec.NULL, None)
    assert codec.open_value(b"\x38\x01") == (codec.NULL, None)


def test_split_members_of_a_struct_come_together() -> None:
    """A struct or list in several parts opens as one."""
    first, second = regular({"a": 1}), regular({"b": [2]})
    assert codec.open_value(field(5, first) + field(5, second)) == (codec.STRUCT, first + second)
    assert codec.open_value(field(6, b"\x0a\x00") + b"\x38\x01" + field(6, b"\x0a\x00")) == (
        codec.LIST,
        b"\x0a\x00" * 2,
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), TREE),
        (("text",), TREE["text"]),
        (("metadata", "labels", "a.b/c"), "x"),
        (("metadata", "labels"), {"a.b/c": "x"}),
        (["spec", "list", 1], "two"),
        (["spec", "list", 2, "three"], 3.5),
        (["spec", "list", -1, 0], True),
        (["spec", "list", -4], 1),
        (["spec", "list"], TREE["spec"]["list"]),
        (["spec", "none"], None),
        (["spec", "empty"], {}),
        (["spec", "no"], []),
    ],
)
def test_a_path_leads_to_its_field(path: Any, expected: Any) -> None:
    """Keys and indexes lead to a field, which is decoded whole."""
    assert typed(codec.get_path(RAW, path, codec.MISSING)) == typed(expected)


@pytest.mark.parametrize(
    "path",
    [
        ["absent"],
        ["spec", "absent", "deeper"],
        ["spec", "list", 4],
        ["spec", "list", -5],
        ["spec", "list", "three"],
        ["spec", 0],
        ["text", "x"],
        ["text", 0],
        ["spec", "none", "x"],
        ["spec", "no", 0],
        ["spec", "empty", "x"],
        [0],
    ],
)
def test_a_path_to_nowhere_gives_the_default(path: Any) -> None:
    """Where a key is absent, an index is past the end or the kind is another, the default is returned."""
    assert codec.get_path(RAW, path, codec.MISSING) is codec.MISSING
    assert codec.get_path(RAW, path) is None


def test_reading_does_not_add_fields() -> None:
    """Asking for what is absent leaves the bytes as they are."""
    fields = codec.split(RAW)
    assert fields.get("absent") is None
    assert len(fields) == len(TREE)

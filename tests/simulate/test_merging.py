"""Merging, following and comparing plain data."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.manifests.yaml import DEEPEST
from crossplane_lite._tools.simulate.merging import ABSENT, at, copied, differences, steps_of

TREES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["a", "b"]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c.d"]), below, max_size=3),
    max_leaves=12,
)


def test_following() -> None:
    """What a path leads to is found."""
    tree = {"a": [{"b": 1}, None], "0": "x"}
    assert at(tree, ["a", 0, "b"]) == 1 and at(tree, []) is tree and at(tree, ["a", 1]) is None
    for steps in (["a", 2], ["a", "0"], [0], ["a", 0, "c"], ["0", 0], ["a", 0, "b", "c"]):
        assert at(tree, steps) is ABSENT


def test_paths() -> None:
    """The steps of a path are keys and indexes; there are none for a text that isn't such a path."""
    assert steps_of(".a[-1]['b.c']") == steps_of("a[-1]['b.c']") == ["a", -1, "b.c"]
    assert steps_of("[0].a") == [0, "a"]
    for path in ("", "a..b", "a[name=b]", f"a[{'1' * 5000}]"):
        assert steps_of(path) == []


def test_nulls() -> None:
    """Keys with a null go, at every depth; elements of lists stay."""
    assert copied({"a": None, "b": [{"c": None, "d": 1}, None]}, nulls=False) == {"b": [{"d": 1}, None]}


def test_differences() -> None:
    """The places that differ are told with both values, sorted; where a tree is on one side only, its top."""
    before = {"a": 1, "b": {"c": [1, 2], "d": {"e": 1}}, "same": [{}], "t": True}
    after = {"a": "1", "b": {"c": [1], "f.g": {"h": 1}}, "same": [{}], "t": 1}
    assert list(differences(before, after)) == [
        ("a", 1, "1"),
        ("b.c[1]", 2, ABSENT),
        ("b.d", {"e": 1}, ABSENT),
        ('b["f.g"]', ABSENT, {"h": 1}),
        ("t", True, 1),
    ]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(one=TREES, other=TREES)
def test_properties(one: Any, other: Any) -> None:
    """A tree differs from another exactly if they aren't the same; copies are."""
    assert copied(one) == one
    assert list(differences(one, copied(one))) == []
    assert bool(list(differences(one, other))) == (repr_of(one) != repr_of(other))


def repr_of(tree: Any) -> str:
    """Return a text that tells 1 from True, whatever the order of keys."""
    if isinstance(tree, dict):
        return f"{{{sorted((key, repr_of(value)) for key, value in tree.items())}}}"
    return f"[{[repr_of(value) for value in tree]}]" if isinstance(tree, list) else repr(tree)


def test_depth() -> None:
    """Trees may have as many levels as documents may."""
    deep: Any = {}
    for _ in range(DEEPEST // 2):
        deep = {"a": [deep]}
    assert list(differences(deep, copied(deep))) == []

"""What differs between two objects."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.diff.fields import ABSENT, Change, changes, leaves
from tests.render.test_owned import OURS, owned

scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2)
trees = st.dictionaries(
    st.sampled_from("abc"),
    st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "x"]), inner, max_size=2),
        max_leaves=6,
    ),
    max_size=3,
)


def spec(**fields: Any) -> dict[str, Any]:
    """Return an object."""
    return {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": fields}


def of(old: dict[str, Any], new: dict[str, Any], fields: Any = None, **options: Any) -> list[tuple[str, Any, Any]]:
    """Return the changes from one spec to another; `fields` are those that Crossplane owns of the old one."""
    known = None if fields is None else owned((OURS, {"f:spec": fields}), ("provider", {"f:spec": {"f:theirs": {}}}))
    return [tuple(one) for one in changes(spec(**old), spec(**new), known, **options)]  # type: ignore[misc]


@given(trees, trees)
def test_nothing_differs_from_itself(one: Any, other: Any) -> None:
    """An object doesn't differ from itself, and two that differ do so as wholes, nulls aside; nothing is changed."""
    given_ = copy.deepcopy((one, other))
    assert changes({"spec": one}, {"spec": one}, whole=True) == []
    found = changes({"spec": one}, {"spec": other}, whole=True)
    assert bool(found) == (_bare(one) != _bare(other))
    assert (one, other) == given_


def _bare(value: Any) -> Any:
    """Return data that are equal when nothing differs: without nulls in objects, keyed lists in no order."""
    if isinstance(value, dict):
        return {key: _bare(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        made = [_bare(inner) for inner in value]
        names = [one.get("name") if isinstance(one, dict) else None for one in value]
        keyed = all(isinstance(name, (str, int)) for name in names) and len(set(names)) == len(names)
        return ("list", sorted(made, key=repr)) if made and keyed else ("list", made)
    return (isinstance(value, bool), value)


def test_values() -> None:
    """Values differ by value and kind: 1 and 1.0 are the same, 1 and true aren't; what is new has no old value."""
    assert of({"a": 1, "b": 1, "c": "x"}, {"a": 1.0, "b": True, "c": "y", "d": {"e": 1}}) == [
        ("spec.b", 1, True),
        ("spec.c", "x", "y"),
        ("spec.d", ABSENT, {"e": 1}),
    ]


def test_what_others_set_is_no_change() -> None:
    """What is observed and not desired stays where Crossplane doesn't own it: late initialisation is no noise.

    What lies in an object of which only Crossplane owns something goes with it.
    """
    old = {"mine": 1, "theirs": 2, "nobodys": 3, "both": {"a": 1, "b": 2}}
    fields = {"f:mine": {}, "f:both": {"f:a": {}}}
    assert of(old, {}, fields) == [("spec.both", {"a": 1, "b": 2}, ABSENT), ("spec.mine", 1, ABSENT)]
    assert of(old, {}) == []
    assert [path for path, _, _ in of(old, {}, whole=True)] == ["spec.both", "spec.mine", "spec.nobodys", "spec.theirs"]


def test_a_field_with_two_owners_stays() -> None:
    """What somebody else owns as well stays when Crossplane gives it up."""
    assert of({"theirs": 2}, {}, {"f:theirs": {}}) == []


def test_lists_by_key() -> None:
    """Elements are compared by the keys that managedFields name; those that nobody here applied stay."""
    fields = {"f:env": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:value": {}}, 'k:{"name":"b"}': {".": {}}}}
    old = {"env": [{"name": "b"}, {"name": "a", "value": "1", "late": True}, {"name": "injected"}]}
    new = {"env": [{"name": "a", "value": "2"}, {"name": "c"}]}
    assert of(old, new, fields) == [
        ("spec.env[name=a].value", "1", "2"),
        ("spec.env[name=b]", {"name": "b"}, ABSENT),
        ("spec.env[name=c]", ABSENT, {"name": "c"}),
    ]


def test_lists_that_are_replaced() -> None:
    """Of a list without keys all is Crossplane's: fields and elements that aren't desired any more go."""
    old = {"rules": [{"name": "a", "late": 1}, {"name": "b"}]}
    assert of(old, {"rules": [{"name": "a"}]}, {"f:rules": {}}) == [
        ("spec.rules[name=a].late", 1, ABSENT),
        ("spec.rules[name=b]", {"name": "b"}, ABSENT),
    ]
    assert of({"l": [1, 2]}, {"l": [1, 3]}, {"f:l": {}}) == [("spec.l[1]", 2, 3)]
    assert of({"l": [1, 2]}, {"l": [1]}, {"f:l": {}}) == [("spec.l", [1, 2], [1])]


def test_sets() -> None:
    """Of a set its values are told, and only Crossplane's go."""
    fields = {"f:l": {'v:"a"': {}, 'v:"b"': {}}}
    assert of({"l": ["a", "b", "theirs"]}, {"l": ["c", "a"]}, fields) == [
        ("spec.l[=b]", "b", ABSENT),
        ("spec.l[=c]", ABSENT, "c"),
    ]


def test_metadata_that_every_resource_gets_is_no_change() -> None:
    """Owner references, Crossplane's labels and the mark of a step aren't what a function's author asks about."""
    old = {"metadata": {"labels": {"a": "b"}}}
    new = {
        "metadata": {
            "labels": {"a": "c", "crossplane.io/composite": "x"},
            "annotations": {"crossplane.io/composition-resource-name": "y", "crossplane-lite/function": "z"},
            "ownerReferences": [{"uid": "u"}],
        },
        "status": {"a": 1},
    }
    assert [one.path for one in changes(old, new)] == ["metadata.labels.a"]
    del new["metadata"]["labels"]["a"]
    assert changes({}, new) == []


def test_leaves() -> None:
    """A new resource is shown field by field, lists whole, without what says which resource it is."""
    resource = {
        "apiVersion": "v1",
        "kind": "Thing",
        "metadata": {"name": "x", "namespace": "n", "labels": {"a/b": "c", "crossplane.io/composite": "y"}},
        "spec": {"a": {"b": 1, "c": {}}, "l": [{"x": 1}]},
    }
    assert leaves(resource) == [
        Change('metadata.labels["a/b"]', ABSENT, "c"),
        Change("spec.a.b", ABSENT, 1),
        Change("spec.a.c", ABSENT, {}),
        Change("spec.l", ABSENT, [{"x": 1}]),
    ]


@pytest.mark.parametrize("depth", [2000])
def test_deep(depth: int) -> None:
    """Depth is the data's own affair."""
    old: Any = 1
    new: Any = 2
    for _ in range(depth):
        old, new = {"a": old}, {"a": new}
    assert [(one.old, one.new) for one in changes({"spec": old}, {"spec": new})] == [(1, 2)]

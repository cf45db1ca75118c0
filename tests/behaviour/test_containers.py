"""Lists and maps of desired state, edited in place (design section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import NULL
from tests.behaviour import samples
from tests.behaviour.models import (
    Bucket,
    InitProvider,
)
from tests.support import call

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)


def test_a_list_element_changed_in_place_counts_as_set() -> None:
    """Changing an inherited list's element emits the list, with what the model doesn't know kept."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.rules[0].age = 2
        bucket.spec.forProvider.versioning[0].enabled = False

    earlier = {
        "rules": [{"name": "a", "age": 1, "unknown": {"k": 1}}, {"name": "b"}],
        "versioning": [{"enabled": True}],
    }
    _, answer = call(compose, desired={"bucket": samples.bucket(earlier)})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {
        "rules": [{"name": "a", "age": 2, "unknown": {"k": 1}}, {"name": "b"}],
        "versioning": [{"enabled": False}],
    }


def test_a_map_of_models_changed_in_place_counts_as_set() -> None:
    """Changing a model inside an inherited map emits the change and keeps the map's other entries."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.byName["x"].age = 2

    earlier = {"byName": {"x": {"name": "x", "age": 1}, "y": {"name": "y"}}}
    _, answer = call(compose, desired={"bucket": samples.bucket(earlier)})
    assert answer.resources["bucket"]["spec"]["forProvider"]["byName"] == {
        "x": {"name": "x", "age": 2},
        "y": {"name": "y"},
    }


def test_a_map_key_can_be_deleted() -> None:
    """`del labels[key]` removes the inherited entry and keeps the others."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        del bucket.spec.forProvider.labels["a"]
        assert "a" not in bucket.spec.forProvider.labels

    _, answer = call(compose, desired={"bucket": samples.bucket({"labels": {"a": "1", "b": "2"}})})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"labels": {"b": "2"}}


def test_popitem_of_an_inherited_map() -> None:
    """`popitem` gives one of the inherited entries, which is gone then, and keeps the others."""
    taken = []

    def compose(ctx: Any) -> None:
        taken.append(ctx.resource("bucket", Bucket()).spec.forProvider.labels.popitem())

    start = {"a": "1", "b": "2"}
    _, answer = call(compose, desired={"bucket": samples.bucket({"labels": start})})
    assert taken[0] in start.items()
    assert dict([*answer.resources["bucket"]["spec"]["forProvider"]["labels"].items(), taken[0]]) == start
    assert len(answer.resources["bucket"]["spec"]["forProvider"]["labels"]) == 1


def test_none_in_a_map_is_no_opinion() -> None:
    """None lets an inherited entry show through again, be it set or deleted before, and leaves out another one."""

    def compose(ctx: Any) -> None:
        labels = ctx.resource("bucket", Bucket()).spec.forProvider.labels
        del labels["a"]
        labels["b"] = "mine"
        labels["c"] = "mine"
        for name in ("a", "b", "c"):
            labels[name] = None
        assert dict(labels) == {"a": "1", "b": "2"}

    _, answer = call(compose, desired={"bucket": samples.bucket({"labels": {"a": "1", "b": "2"}})})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"labels": {"a": "1", "b": "2"}}


def test_parts_of_observed_containers() -> None:
    """A slice of an observed list is a plain list, and no private name is an entry of an observed map."""

    def compose(ctx: Any) -> None:
        there = ctx.resource("bucket", Bucket()).observed.spec.forProvider
        assert there.zones[:2] == ["x", "y"] and type(there.zones[:2]) is list
        assert there.zones[5:] == []
        assert there.labels.a == "1"
        with pytest.raises(AttributeError, match="has no attribute '_private'"):
            _ = there.labels._private

    live = samples.bucket({"zones": ["x", "y", "z"], "labels": {"a": "1", "_private": "2"}})
    _, answer = call(compose, observed={"bucket": live})
    assert not answer.fatal


def test_a_deleted_map_can_be_replaced() -> None:
    """Deleting an inherited map and assigning another one replaces it instead of merging."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        del bucket.spec.forProvider.labels
        bucket.spec.forProvider.labels = {"new": "1"}
        del bucket.spec.initProvider
        bucket.spec.initProvider = InitProvider(location="EU")

    earlier = samples.bucket({"labels": {"old": "1"}})
    earlier["spec"]["initProvider"] = {"project": "p"}
    _, answer = call(compose, desired={"bucket": earlier})
    assert answer.resources["bucket"]["spec"] == {
        "forProvider": {"labels": {"new": "1"}},
        "initProvider": {"location": "EU"},
    }


Edit = Callable[[Any], Any]
LIST_EDITS: dict[str, Edit] = {
    "append": lambda xs: xs.append("new"),
    "insert": lambda xs: xs.insert(1, "new"),
    "extend": lambda xs: xs.extend(["p", "q"]),
    "iadd": lambda xs: xs.__iadd__(["p"]),
    "set": lambda xs: xs.__setitem__(0, "new"),
    "set slice": lambda xs: xs.__setitem__(slice(0, 2), ["r"]),
    "del": lambda xs: xs.__delitem__(0),
    "pop": lambda xs: xs.pop(),
    "remove": lambda xs: xs.remove("a"),
    "clear": lambda xs: xs.clear(),
    "reverse": lambda xs: xs.reverse(),
    "sort": lambda xs: xs.sort(),
}
MAP_EDITS: dict[str, Edit] = {
    "set": lambda m: m.__setitem__("new", "v"),
    "change": lambda m: m.__setitem__("a", "v"),
    "del": lambda m: m.__delitem__("a"),
    "pop": lambda m: m.pop("a"),
    "pop default": lambda m: m.pop("nothing", None),
    "update": lambda m: m.update({"a": "u", "z": "w"}),
    "setdefault": lambda m: (m.setdefault("a", "no"), m.setdefault("n", "yes")),
    "clear": lambda m: m.clear(),
    "ior": lambda m: m.__ior__({"o": "r"}),
}


@pytest.mark.parametrize("name", LIST_EDITS)
def test_inherited_lists_edit_like_lists(name: str) -> None:
    """Each way of editing an inherited list emits what the same edit makes of a plain list."""
    start = ["c", "a", "b"]
    expected = list(start)
    LIST_EDITS[name](expected)

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        LIST_EDITS[name](bucket.spec.forProvider.zones)
        assert list(bucket.spec.forProvider.zones) == expected

    _, answer = call(compose, desired={"bucket": samples.bucket({"zones": start})})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"zones": expected}


@pytest.mark.parametrize("name", MAP_EDITS)
def test_inherited_maps_edit_like_dicts(name: str) -> None:
    """Each way of editing an inherited map emits what the same edit makes of a plain dict."""
    start = {"a": "1", "b": "2"}
    expected = dict(start)
    MAP_EDITS[name](expected)

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        MAP_EDITS[name](bucket.spec.forProvider.labels)
        assert dict(bucket.spec.forProvider.labels) == expected

    _, answer = call(compose, desired={"bucket": samples.bucket({"labels": start})})
    assert answer.resources["bucket"]["spec"]["forProvider"].get("labels", {}) == expected


@SETTINGS
@given(
    start=st.lists(st.text("abc", max_size=2), max_size=4),
    edits=st.lists(st.sampled_from(sorted(LIST_EDITS)), min_size=1, max_size=6),
)
def test_any_sequence_of_list_edits(start: list[str], edits: list[str]) -> None:
    """Any sequence of edits of an inherited list ends where a plain list ends, errors included."""
    expected = list(start)

    def apply_all(xs: Any) -> list[str]:
        raised = []
        for name in edits:
            try:
                LIST_EDITS[name](xs)
            except (IndexError, ValueError) as error:
                raised.append(type(error).__name__)
        return raised

    errors = apply_all(expected)

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        assert apply_all(bucket.spec.forProvider.zones) == errors

    _, answer = call(compose, desired={"bucket": samples.bucket({"zones": start})})
    assert answer.resources["bucket"]["spec"]["forProvider"]["zones"] == expected


def test_nulls_in_lists_and_maps() -> None:
    """A null reads as None in observed state, and as NULL where a previous function desires it."""
    nulls = samples.bucket({"labels": {"a": None}, "zones": ["x", None], "extra": {"a": [None]}})

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        for state, null in ((bucket, NULL), (bucket.observed, None)):
            provider = state.spec.forProvider
            assert [provider.labels["a"], provider.zones[1], provider.extra["a"][0]] == [null] * 3

    call(compose, desired={"bucket": nulls}, observed={"bucket": nulls})

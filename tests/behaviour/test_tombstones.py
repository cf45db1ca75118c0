"""`del` removes what previous functions set, and what is set there afterwards replaces it (design section 3)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.behaviour import samples
from tests.behaviour.helpers import provider_of
from tests.behaviour.models import Bucket, BucketSpec, ForProvider, Rule, VersioningItem, XStorageBucket
from tests.support import call


def over(earlier: dict[str, Any], change: Callable[[Any], Any], cls: Any = Bucket) -> dict[str, Any]:
    """Return forProvider as emitted after `change(bucket)` over a previous function's `earlier`."""

    def compose(ctx: Any) -> None:
        made = cls() if cls is Bucket else cls("storage.gcp.upbound.io/v1beta1", "Bucket")
        change(ctx.resource("bucket", made))

    return provider_of(call(compose, desired={"bucket": samples.bucket(earlier)})[1])


KINDS = pytest.mark.parametrize("cls", [Bucket, Unstructured])
EARLIER = {"project": "p", "labels": {"a": "1", "b": "2"}, "byName": {"r": {"name": "r", "age": 1}, "s": {"age": 2}}}


@KINDS
def test_a_deep_write_after_deleting_replaces(cls: Any) -> None:
    """Writing below a deleted object makes a new one: nothing of the inherited one is in it."""

    def change(bucket: Any) -> None:
        del bucket.spec.forProvider
        bucket.spec.forProvider.location = "x"

    assert over(EARLIER, change, cls) == {"location": "x"}


@KINDS
def test_what_was_deleted_reads_empty(cls: Any) -> None:
    """After `del` an inherited object's fields read None or empty, before and after something is set there."""

    def change(bucket: Any) -> None:
        assert bucket.spec.forProvider.project == "p"
        del bucket.spec.forProvider
        assert not bucket.spec.forProvider.project
        assert not bucket.spec.forProvider.labels
        bucket.spec.forProvider.location = "x"
        assert bucket.spec.forProvider.location == "x"
        assert not bucket.spec.forProvider.project
        assert not bucket.spec.forProvider.labels

    over(EARLIER, change, cls)


@KINDS
def test_assigning_after_deleting_replaces(cls: Any) -> None:
    """What is assigned in the place of a deleted object replaces it and doesn't merge."""

    def change(bucket: Any) -> None:
        del bucket.spec.forProvider
        bucket.spec.forProvider = {"location": "x", "labels": {"n": "1"}}
        assert not bucket.spec.forProvider.project

    assert over(EARLIER, change, cls) == {"location": "x", "labels": {"n": "1"}}


def test_assigning_a_model_after_deleting_replaces() -> None:
    """The same for a model."""

    def change(bucket: Any) -> None:
        del bucket.spec.forProvider
        bucket.spec.forProvider = ForProvider(labels={"n": "1"})
        bucket.spec.forProvider.labels["m"] = "2"

    assert over(EARLIER, change) == {"labels": {"n": "1", "m": "2"}}


@KINDS
def test_a_deleted_map_that_is_written_to(cls: Any) -> None:
    """An entry that is set in a deleted map is the only one."""

    def change(bucket: Any) -> None:
        del bucket.spec.forProvider.labels
        bucket.spec.forProvider.labels["n"] = "1"
        assert [key for key in bucket.spec.forProvider.labels] == ["n"]  # noqa: C416

    assert over(EARLIER, change, cls) == {**EARLIER, "labels": {"n": "1"}}


def test_a_map_that_was_read_before_it_was_deleted() -> None:
    """A map that was read from the source and then deleted is cut off: writing to it sets nothing."""

    def change(bucket: Any) -> None:
        before = bucket.spec.forProvider.labels
        del bucket.spec.forProvider.labels
        before["late"] = "1"
        bucket.spec.forProvider.labels["n"] = "1"

    assert over(EARLIER, change) == {**EARLIER, "labels": {"n": "1"}}


@KINDS
def test_a_deep_write_below_a_deleted_spec(cls: Any) -> None:
    """Deleting the whole spec and writing deep below it leaves that one path."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", cls() if cls is Bucket else cls("storage.gcp.upbound.io/v1beta1", "Bucket"))
        del bucket.spec
        assert not bucket.spec.forProvider.project
        bucket.spec.forProvider.labels["n"] = "1"

    earlier = samples.bucket(EARLIER)
    earlier["spec"]["deletionPolicy"] = "Orphan"
    _, answer = call(compose, desired={"bucket": earlier})
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"labels": {"n": "1"}}}


@pytest.mark.parametrize("new", [{"age": 5}, Rule(age=5)], ids=["mapping", "model"])
def test_an_entry_of_a_map_of_models_is_replaced_after_deleting(new: Any) -> None:
    """An entry of a map of models that is set after `del` replaces the inherited one, the others stay."""

    def change(bucket: Any) -> None:
        rules = bucket.spec.forProvider.byName
        del rules["r"]
        assert "r" not in rules
        rules["r"] = new
        assert rules["r"].age == 5
        assert rules["r"].name is None

    assert over(EARLIER, change)["byName"] == {"r": {"age": 5}, "s": {"age": 2}}


def test_without_deleting_an_entry_of_a_map_of_models_merges() -> None:
    """An entry that is only set merges with the inherited one."""

    def change(bucket: Any) -> None:
        bucket.spec.forProvider = ForProvider(byName={"r": Rule(age=5)})

    assert over(EARLIER, change)["byName"] == {"r": {"name": "r", "age": 5}, "s": {"age": 2}}


def test_an_entry_of_a_free_form_map_is_replaced_after_deleting() -> None:
    """The same in a map of any values."""

    def change(bucket: Any) -> None:
        anything = bucket.spec.forProvider.anything
        del anything["x"]
        anything["x"] = {"new": 1}

    earlier = {"anything": {"x": {"old": 1}, "y": {"kept": True}}}
    assert over(earlier, change) == {"anything": {"x": {"new": 1}, "y": {"kept": True}}}


@pytest.mark.parametrize(
    ("remove", "left"),
    [
        (lambda m: m.pop("a"), {"b": "2"}),
        (lambda m: m.clear(), {}),
        (lambda m: m.__delitem__("b"), {"a": "1"}),
    ],
)
def test_every_way_of_taking_an_entry_out_removes_it(remove: Callable[[Any], Any], left: dict[str, str]) -> None:
    """pop, clear and del of an inherited map remove the entries from what is emitted."""
    assert over({"labels": {"a": "1", "b": "2"}}, lambda b: remove(b.spec.forProvider.labels)).get("labels", {}) == left


def test_deleting_twice_and_setting_again() -> None:
    """A field that is deleted, set and deleted again is gone; set to None it is inherited again."""

    def change(bucket: Any) -> None:
        provider = bucket.spec.forProvider
        del provider.labels
        provider.labels["n"] = "1"
        del provider.labels
        del provider.project
        provider.project = None
        assert provider.project == "p"

    assert over(EARLIER, change) == {key: value for key, value in EARLIER.items() if key != "labels"}


def test_a_deleted_list_that_is_written_to() -> None:
    """An element that is added to a deleted list is the only one."""

    def change(bucket: Any) -> None:
        del bucket.spec.forProvider.versioning
        bucket.spec.forProvider.versioning.append(VersioningItem(enabled=True))

    assert over({"versioning": [{"enabled": False}]}, change) == {"versioning": [{"enabled": True}]}


def test_deleting_before_registering() -> None:
    """`del` on a model that isn't registered yet removes what it is then laid over."""

    def compose(ctx: Any) -> None:
        bucket = Bucket(spec=BucketSpec(forProvider=ForProvider(location="x")))
        del bucket.spec.forProvider.labels
        bucket.spec.forProvider.labels["n"] = "1"
        ctx.resource("bucket", bucket)

    _, answer = call(compose, desired={"bucket": samples.bucket(EARLIER)})
    assert provider_of(answer) == {**EARLIER, "location": "x", "labels": {"n": "1"}}


@pytest.mark.parametrize("cls", [XStorageBucket, Unstructured])
def test_the_composites_status_after_deleting(cls: Any) -> None:
    """Deleting a part of the desired composite's status, or all of it, and writing there replaces it."""

    def part(ctx: Any) -> None:
        status = ctx.composite(cls).status
        del status.info
        status.info.b = "new"

    def whole(ctx: Any) -> None:
        xr = ctx.composite(cls)
        del xr.status
        xr.status.info.b = "new"

    earlier = {
        "apiVersion": "example.org/v1alpha1",
        "kind": "XStorageBucket",
        "status": {"x": "1", "info": {"a": "old", "b": "old"}},
    }
    _, answer = call(part, desired_xr=earlier)
    assert not answer.fatal
    assert answer.composite["status"] == {"x": "1", "info": {"b": "new"}}
    _, answer = call(whole, desired_xr=earlier)
    assert not answer.fatal
    assert answer.composite["status"] == {"info": {"b": "new"}}


def test_deleted_and_unresolved() -> None:
    """What is set to an unresolved value in a deleted object of an existing resource keeps its observed value."""

    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        bucket = ctx.resource("bucket", Bucket())
        del bucket.spec.forProvider
        bucket.spec.forProvider.location = source.observed.status.atProvider.id
        bucket.spec.forProvider.size = 1

    observed = {"bucket": samples.bucket({"location": "seen", "project": "seen"})}
    _, answer = call(compose, desired={"bucket": samples.bucket(EARLIER)}, observed=observed)
    assert provider_of(answer) == {"location": "seen", "size": 1}


def test_a_deep_copy_removes_what_its_original_removes() -> None:
    """A deep copy of a model keeps its tombstones, nested ones too."""

    def compose(ctx: Any) -> None:
        bucket = Bucket(spec=BucketSpec(forProvider=ForProvider(location="x")))
        del bucket.spec.forProvider.labels
        ctx.resource("bucket", copy.deepcopy(bucket))

    _, answer = call(compose, desired={"bucket": samples.bucket(EARLIER)})
    expected = {**EARLIER, "location": "x"}
    del expected["labels"]
    assert provider_of(answer) == expected

"""Merging with previous functions, and registering (design section 3)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition
from crossplane_lite.errors import DuplicateResourceError
from crossplane_lite.model import to_dict
from tests.behaviour import samples
from tests.behaviour.helpers import emitted
from tests.behaviour.models import (
    Bucket,
    BucketSpec,
    ForProvider,
    Rule,
)
from tests.support import build, call, run

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)


# --- merge -------------------------------------------------------------------------------------------------------


def test_merge_is_deep_for_maps_and_models_and_replaces_the_rest() -> None:
    """Maps and nested models merge recursively; lists and scalars replace."""
    provider = ForProvider(
        location="EU",
        labels={"b": "own", "c": "3"},
        zones=["only"],
        extra={"deep": {"b": 2}},
        byName={"x": Rule(age=2)},
    )
    earlier = {
        "location": "US",
        "project": "p",
        "labels": {"a": "1", "b": "2"},
        "zones": ["x", "y"],
        "extra": {"deep": {"a": 1}, "other": True},
        "byName": {"x": {"name": "x"}, "y": {"name": "y"}},
    }
    assert emitted(provider, **earlier) == {
        "location": "EU",
        "project": "p",
        "labels": {"a": "1", "b": "own", "c": "3"},
        "zones": ["only"],
        "extra": {"deep": {"a": 1, "b": 2}, "other": True},
        "byName": {"x": {"name": "x", "age": 2}, "y": {"name": "y"}},
    }


def test_merge_replaces_where_the_kinds_of_value_differ() -> None:
    """A map over a scalar or a list, and the other way round, replaces."""
    assert emitted(ForProvider(extra={"a": 1}), extra=[1, 2]) == {"extra": {"a": 1}}
    assert emitted(ForProvider(extra=5), extra={"a": 1}) == {"extra": 5}
    assert emitted(ForProvider(extra=[5]), extra={"a": 1}) == {"extra": [5]}


def test_fields_that_the_model_does_not_know_are_kept() -> None:
    """Fields that previous functions set and the model doesn't have stay as they are, at every level."""
    earlier = samples.bucket({"location": "US", "surprise": {"a": [1, {"b": None}]}})
    earlier["extraTop"] = ["x"]
    earlier["spec"]["writeConnectionSecretToRef"] = {"name": "n"}

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project="p"))))

    _, answer = call(compose, desired={"bucket": earlier})
    earlier["spec"]["forProvider"]["project"] = "p"
    assert answer.resources["bucket"] == earlier


def test_unknown_fields_are_kept_byte_for_byte() -> None:
    """What isn't understood is passed on as it came: even protobuf fields that no schema knows."""
    req = build(desired={"bucket": samples.bucket({"location": "US", "surprise": "s"}), "other": samples.vpc()})
    odd = b"\x7a\x05weird"
    provider = req.desired.resources["bucket"].resource.fields["spec"].struct_value.fields["forProvider"]
    provider.struct_value.fields["surprise"].MergeFromString(odd)
    req.desired.resources["other"].resource.fields["kind"].MergeFromString(b"\x7a\x05other")

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project="p"))))

    data = compose.run(req.SerializeToString())
    assert odd in data
    assert b"\x7a\x05other" in data


def test_what_is_not_registered_passes_through() -> None:
    """Desired resources that compose() doesn't name are in the answer as they came, with their readiness."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    other = samples.vpc({"region": "r"}, status={"odd": 1})
    _, answer = call(compose, desired={"other": other}, desired_ready={"other": True})
    assert answer.emitted["other"] == other
    assert answer.ready["other"] is True


JSON = st.recursive(
    st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=3), JSON, max_size=4)


def merged(over: Any, base: Any) -> Any:
    """Return the reference's deep merge."""
    if isinstance(over, dict) and isinstance(base, dict):
        keys = [*base, *(key for key in over if key not in base)]
        return {k: merged(over[k], base[k]) if k in over and k in base else over.get(k, base.get(k)) for k in keys}
    return over


@pytest.mark.slow
@SETTINGS
@given(over=OBJECTS, base=OBJECTS)
def test_merge_of_any_json_equals_a_reference(over: dict[str, Any], base: dict[str, Any]) -> None:
    """A free-form field laid over any earlier value merges like a deep merge of plain dicts."""
    assert emitted(ForProvider(extra=over), extra=base)["extra"] == merged(over, base)


@SETTINGS
@given(value=JSON)
def test_any_json_is_emitted_as_it_was_set(value: Any) -> None:
    """Any JSON value in a free-form field, typed or Unstructured, is emitted equal to what was set."""
    assert emitted(ForProvider(extra=value))["extra"] == value

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec.value = value

    assert call(compose)[1].resources["thing"]["spec"]["value"] == value


@SETTINGS
@given(value=OBJECTS)
def test_any_json_survives_a_copy_from_observed_state(value: dict[str, Any]) -> None:
    """A free-form field read from observed state and assigned to desired state is emitted as it was observed."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        copy = ctx.resource("copy", Bucket())
        copy.spec.forProvider.extra = bucket.observed.spec.forProvider.extra

    _, answer = call(compose, observed={"bucket": samples.bucket({"extra": value})})
    assert answer.resources["copy"]["spec"]["forProvider"]["extra"] == value


# --- registering -------------------------------------------------------------------------------------------------


def test_registering_a_name_twice_is_an_error() -> None:
    """One name can be registered once in a call."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())
        with pytest.raises(DuplicateResourceError, match="bucket"):
            ctx.resource("bucket", Bucket())

    call(compose)


def test_a_nested_model_shared_by_two_resources() -> None:
    """A nested model used in two resources doesn't carry what one of them inherits over to the other."""

    def compose(ctx: Any) -> None:
        shared = ForProvider(project="p")
        ctx.resource("one", Bucket(spec=BucketSpec(forProvider=shared)))
        ctx.resource("two", Bucket(spec=BucketSpec(forProvider=shared)))

    _, answer = call(compose, desired={"one": samples.bucket({"location": "US"})})
    assert answer.resources["one"]["spec"]["forProvider"] == {"location": "US", "project": "p"}
    assert answer.resources["two"]["spec"]["forProvider"] == {"project": "p"}


SHARED = ForProvider(location="EU")
SHARED_BUCKET = Bucket(spec=BucketSpec(deletionPolicy="Orphan"))


def test_module_level_models_carry_nothing_from_call_to_call() -> None:
    """Models made once and used in every call don't carry one call's inherited or observed state into the next."""

    @composition.function
    def compose(ctx: Any) -> None:
        one = ctx.resource("one", Bucket(spec=BucketSpec(forProvider=SHARED)))
        two = ctx.resource("two", SHARED_BUCKET)
        one.spec.forProvider.project = one.observed.status.atProvider.id
        two.spec.forProvider.project = two.observed.status.atProvider.id

    seen = {name: samples.bucket(status={"id": name}) for name in ("one", "two")}
    earlier = {"one": samples.bucket({"size": 1}), "two": samples.bucket({"size": 2})}
    answer = run(compose, observed=seen, desired=earlier)
    assert answer.resources["one"]["spec"] == {"forProvider": {"location": "EU", "size": 1, "project": "one"}}
    assert answer.resources["two"]["spec"] == {"deletionPolicy": "Orphan", "forProvider": {"size": 2, "project": "two"}}
    answer = run(compose)
    assert answer.resources["one"]["spec"] == {"forProvider": {"location": "EU"}}
    assert answer.resources["two"]["spec"] == {"deletionPolicy": "Orphan"}
    answer = run(compose, observed=seen, desired={"one": samples.bucket({"size": 3})})
    assert answer.resources["one"]["spec"] == {"forProvider": {"location": "EU", "size": 3, "project": "one"}}
    assert "size" not in answer.resources["two"]["spec"]["forProvider"]
    assert to_dict(SHARED_BUCKET)["spec"]["deletionPolicy"] == "Orphan"


def test_module_level_models_keep_their_own_values() -> None:
    """A shared nested model that is only read stays as it was made."""
    shared = ForProvider(location="EU")

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=shared)))
        assert bucket.spec.forProvider.size == (ctx.input or {}).get("size")

    assert not run(compose, desired={"bucket": samples.bucket({"size": 1})}, input={"size": 1}).fatal
    answer = run(compose)
    assert not answer.fatal, answer.fatal
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"location": "EU"}


def test_changes_after_registering_count() -> None:
    """What is set on the returned resource after registering is emitted."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="US"))))
        bucket.spec.forProvider.location = "EU"
        bucket.spec.deletionPolicy = "Orphan"
        bucket.spec.forProvider = ForProvider(project="p")

    _, answer = call(compose)
    assert answer.resources["bucket"]["spec"] == {"deletionPolicy": "Orphan", "forProvider": {"project": "p"}}

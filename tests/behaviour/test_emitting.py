"""What reaches desired state while something is unresolved (design section 5)."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import UNSET, Unstructured, composition
from tests.behaviour import samples
from tests.behaviour.helpers import provider_of, unresolved
from tests.behaviour.models import (
    Bucket,
    BucketACL,
    BucketSpec,
    ForProvider,
    InitProvider,
    VersioningItem,
    XStorageBucket,
)
from tests.support import call, run, steps_of

# --- hold --------------------------------------------------------------------------------------------------------


def test_resolved_resources_are_emitted() -> None:
    """A resource with nothing unresolved is emitted, observed or not."""

    def compose(ctx: Any) -> None:
        ctx.resource("one", Bucket(spec=BucketSpec(forProvider=ForProvider(location="US"))))
        ctx.resource("two", Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU"))))

    _, answer = call(compose, observed={"two": samples.bucket({"location": "old", "project": "p"})})
    assert answer.resources == {"one": samples.bucket({"location": "US"}), "two": samples.bucket({"location": "EU"})}


def test_an_unresolved_new_resource_is_held_back() -> None:
    """A resource that waits, isn't observed and that nobody else desires isn't in the answer."""

    def compose(ctx: Any) -> None:
        vpc_id = unresolved(ctx)
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="US", project=vpc_id))))

    _, answer = call(compose)
    assert list(answer.resources) == ["vpc"]
    assert not answer.fatal


def test_every_registered_resource_is_marked_as_ours() -> None:
    """Every emitted registered resource has the annotation with the function's name, others don't get it."""

    @composition.function(name="my-step")
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        bucket.metadata.annotations["a"] = "b"
        ctx.resource("earlier", Unstructured("v1", "ConfigMap"))

    earlier = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"annotations": {"c": "d"}}}
    answer = run(compose, desired={"earlier": earlier, "other": earlier})
    assert compose.name == "my-step"
    assert [steps_of(answer.emitted[name]) for name in ("bucket", "earlier")] == ["my-step"] * 2
    assert answer.resources["bucket"]["metadata"]["annotations"] == {"a": "b"}
    assert answer.resources["earlier"]["metadata"]["annotations"] == {"c": "d"}
    assert answer.emitted["other"] == earlier


def test_a_step_has_a_name_by_default() -> None:
    """Without a name, a step is called after its module and function."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    answer = run(compose)
    assert "test_emitting" in compose.name
    assert "compose" in compose.name
    assert steps_of(answer.emitted["bucket"]) == compose.name


# --- keep --------------------------------------------------------------------------------------------------------


def test_an_observed_resource_keeps_its_observed_value() -> None:
    """An existing resource stays; resolved fields are ours, an unresolved one has the value observed there."""

    def compose(ctx: Any) -> None:
        vpc_id = unresolved(ctx)
        provider = ForProvider(location="EU", project=vpc_id, storageClass=f"x-{vpc_id}", labels={"a": vpc_id})
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))

    existing = {"location": "US", "project": "old", "storageClass": "class", "labels": {"a": "1", "b": "2"}, "size": 9}
    _, answer = call(compose, observed={"bucket": samples.bucket(existing)})
    assert provider_of(answer) == {"location": "EU", "project": "old", "storageClass": "class", "labels": {"a": "1"}}


def test_an_unresolved_leaf_without_observed_value_is_left_out() -> None:
    """An existing resource's unresolved leaf that it doesn't have is left out, the rest is emitted."""

    def compose(ctx: Any) -> None:
        vpc_id = unresolved(ctx)
        provider = ForProvider(location="EU", project=vpc_id, labels={"a": f"{vpc_id}", "b": "c"})
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))

    _, answer = call(compose, observed={"bucket": samples.bucket({"location": "US"})})
    assert provider_of(answer) == {"location": "EU", "labels": {"b": "c"}}


def test_a_resource_that_an_earlier_function_desires_stays() -> None:
    """What a previous function desires isn't dropped; our resolved fields are merged into it."""

    def compose(ctx: Any) -> None:
        vpc_id = unresolved(ctx)
        provider = ForProvider(location="EU", storageClass=vpc_id)
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))

    _, answer = call(compose, desired={"bucket": samples.bucket({"project": "p", "location": "US"})})
    assert provider_of(answer) == {"location": "EU", "project": "p"}


def test_earlier_desired_and_observed() -> None:
    """Desired earlier and observed: ours over theirs, and the unresolved leaf as it is observed."""

    def compose(ctx: Any) -> None:
        provider = ForProvider(location="EU", storageClass=unresolved(ctx))
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))

    _, answer = call(
        compose,
        desired={"bucket": samples.bucket({"project": "p"})},
        observed={"bucket": samples.bucket({"storageClass": "seen", "size": 1})},
    )
    assert provider_of(answer) == {"location": "EU", "project": "p", "storageClass": "seen"}


def test_unresolved_metadata_keeps_its_observed_value() -> None:
    """Unresolved labels, annotations and the external name of an existing resource are kept as well."""

    def compose(ctx: Any) -> None:
        vpc_id = unresolved(ctx)
        bucket = ctx.resource("bucket", Bucket())
        bucket.metadata.labels["l"] = vpc_id
        bucket.metadata.labels["new"] = vpc_id
        bucket.external_name = f"x-{vpc_id}"

    existing = samples.bucket(external_name="ext")
    existing["metadata"]["labels"] = {"l": "seen", "other": "x"}
    _, answer = call(compose, observed={"bucket": existing})
    assert answer.resources["bucket"]["metadata"] == {
        "labels": {"l": "seen"},
        "annotations": {samples.EXTERNAL_NAME: "ext"},
    }


def test_a_whole_unresolved_container_keeps_the_observed_one() -> None:
    """An unresolved map or list that was assigned whole has the observed map or list."""

    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.labels = source.observed.status.atProvider.tags
        bucket.spec.forProvider.location = "US"

    seen = samples.bucket({"labels": {"a": "b"}, "zones": ["z"]})
    _, answer = call(compose, observed={"bucket": seen, "source": samples.bucket(status={"id": "i"})})
    assert provider_of(answer) == {"labels": {"a": "b"}, "location": "US"}


def test_free_form_values_keep_their_observed_parts() -> None:
    """Inside free-form and Unstructured values each unresolved leaf has its own observed value."""

    def compose(ctx: Any) -> None:
        vpc_id = unresolved(ctx)
        extra = {"a": vpc_id, "b": 1, "c": {"d": f"{vpc_id}", "e": vpc_id}}
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=extra))))
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec.value = extra
        thing.spec.id = vpc_id

    seen = {"a": "A", "b": 2, "c": {"d": "D"}, "z": 1}
    thing = {"apiVersion": "v1", "kind": "Thing", "spec": {"value": seen, "id": 7}}
    _, answer = call(compose, observed={"bucket": samples.bucket({"extra": seen}), "thing": thing})
    assert provider_of(answer) == {"extra": {"a": "A", "b": 1, "c": {"d": "D"}}}
    assert answer.resources["thing"]["spec"] == {"value": {"a": "A", "b": 1, "c": {"d": "D"}}, "id": 7}


# --- a reference to itself ---------------------------------------------------------------------------------------


def late_initialised(ctx: Any) -> None:
    """A bucket whose location is what the provider chose."""
    bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project="p"))))
    bucket.spec.forProvider.location = bucket.observed.spec.forProvider.location
    bucket.spec.forProvider.labels["where"] = f"in-{bucket.observed.spec.forProvider.location}"


def test_a_reference_to_itself_is_left_out_at_first() -> None:
    """A resource that refers to its own observed state is created without the field; that is no cycle."""
    _, answer = call(late_initialised)
    assert provider_of(answer) == {"project": "p"}


def test_a_reference_to_itself_resolves() -> None:
    """Once the resource is observed, the field has its value."""
    _, answer = call(late_initialised, observed={"bucket": samples.bucket({"location": "US"})})
    assert provider_of(answer) == {"project": "p", "location": "US", "labels": {"where": "in-US"}}


def test_a_reference_to_itself_that_is_not_there_yet() -> None:
    """Observed without the field, the field is still left out and the rest emitted."""
    _, answer = call(late_initialised, observed={"bucket": samples.bucket({"project": "q"})})
    assert provider_of(answer) == {"project": "p"}


def test_a_reference_to_itself_beside_another_dependency() -> None:
    """A resource that refers to itself and waits for another one is held back for the other."""

    def compose(ctx: Any) -> None:
        late_initialised(ctx)
        ctx.resources["bucket"].spec.forProvider.storageClass = unresolved(ctx)

    _, answer = call(compose)
    assert list(answer.resources) == ["vpc"]
    assert not answer.fatal


# --- XR status ---------------------------------------------------------------------------------------------------


def test_xr_status_is_emitted_field_by_field() -> None:
    """Unresolved status fields keep their observed value or are left out; the others are emitted."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        vpc_id = unresolved(ctx)
        xr.status.bucketName = "b"
        xr.status.url = f"https://{vpc_id}"
        xr.status.x = vpc_id
        xr.status.info.a = vpc_id
        xr.status.info.b = "known"

    _, answer = call(compose, xr=samples.xr({}, {"url": "https://old", "y": "not ours", "info": {"a": "seen"}}))
    assert answer.composite["status"] == {
        "bucketName": "b",
        "url": "https://old",
        "info": {"a": "seen", "b": "known"},
    }
    assert not answer.fatal


def test_xr_status_alone_is_emitted_when_it_resolves() -> None:
    """A status field has its value once it is known."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        xr.status.x = f"id-{unresolved(ctx)}"

    assert "x" not in call(compose)[1].composite.get("status", {})
    _, answer = call(compose, observed={"vpc": samples.vpc(status={"vpcId": "v"})})
    assert answer.composite["status"] == {"x": "id-v"}


def test_xr_identity_is_untouched() -> None:
    """The desired composite has no spec and no metadata of ours."""

    def compose(ctx: Any) -> None:
        ctx.composite(XStorageBucket).status.x = "1"

    _, answer = call(compose)
    assert set(answer.composite) <= {"apiVersion", "kind", "status"}


# --- optional parameters -----------------------------------------------------------------------------------------


def test_an_unset_optional_parameter_never_blocks() -> None:
    """Passing an unset parameter of the composite straight on emits the resource without the field."""

    def compose(ctx: Any) -> None:
        parameters = ctx.composite(XStorageBucket).observed.spec.parameters
        provider = ForProvider(
            location=parameters.location,
            labels=parameters.labels,
            zones=parameters.zones,
            size=parameters.size,
            versioning=[VersioningItem(enabled=parameters.versioning)],
        )
        ctx.resource(
            "bucket",
            Bucket(spec=BucketSpec(forProvider=provider, initProvider=InitProvider(location=parameters.nested.a))),
        )
        ctx.resource("acl", BucketACL())

    _, answer = call(compose, xr=samples.xr({"acl": "x"}))
    assert sorted(answer.resources) == ["acl", "bucket"]
    provider = provider_of(answer)
    assert "location" not in provider
    assert "size" not in provider
    assert provider["versioning"] == [{}]
    assert not answer.conditions


@pytest.mark.parametrize("nothing", [None, UNSET])
def test_setting_nothing_makes_no_object_around_it(nothing: Any) -> None:
    """Setting a field to None leaves the object around it unset if nobody has set it; an object that was set stays."""

    def compose(ctx: Any) -> None:
        for name, thing in (("typed", Bucket()), ("free", Unstructured("example.org/v1", "Thing"))):
            ctx.resource(name, thing).spec.forProvider.location = nothing
        there = ctx.resource("there", Unstructured("example.org/v1", "Thing"))
        there.spec.ref = {"name": "a"}
        there.spec.ref.name = nothing
        ctx.composite(XStorageBucket).status.url = nothing

    _, answer = call(compose)
    assert "spec" not in answer.resources["typed"]
    assert "spec" not in answer.resources["free"]
    assert answer.resources["there"]["spec"] == {"ref": {}}
    assert not answer.composite

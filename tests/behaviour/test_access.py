"""What reading a field gives: design section 3's table, its exceptions, and the seed's access patterns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Observable
from tests.behaviour import samples
from tests.behaviour.helpers import path
from tests.behaviour.models import VPC, Bucket, BucketACL, BucketSpec, ForProvider, VersioningItem
from tests.support import call

# --- desired -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("registered", [False, True])
def test_unset_desired_leaf_reads_none(registered: bool) -> None:
    """An unset leaf of desired state reads None, at any depth and whether or not it is registered."""

    def compose(ctx: Any) -> None:
        bucket = Bucket()
        if registered:
            bucket = ctx.resource("bucket", bucket)
        assert bucket.spec.deletionPolicy is None
        assert bucket.spec.forProvider.location is None
        assert bucket.spec.forProvider.size is None
        assert bucket.spec.forProvider.public is None
        assert bucket.metadata.namespace is None

    call(compose)


def test_unset_desired_containers_read_empty() -> None:
    """Unset lists, maps and nested models of desired state read empty and are never None."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        provider = bucket.spec.forProvider
        assert list(provider.versioning) == []
        assert list(provider.zones) == []
        assert dict(provider.labels) == {}
        assert dict(bucket.metadata.labels) == {}
        assert provider is not None
        assert bucket.spec.initProvider is not None
        assert len(provider.labels) == 0
        assert len(provider.zones) == 0

    call(compose)


def test_reading_emits_nothing() -> None:
    """Containers that were read but never written to are not emitted."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(deletionPolicy="Orphan")))
        list(bucket.spec.forProvider.versioning)
        dict(bucket.spec.forProvider.labels)
        dict(bucket.metadata.labels)
        assert bucket.spec.initProvider.location is None

    _, answer = call(compose)
    assert answer.resources["bucket"]["spec"] == {"deletionPolicy": "Orphan"}
    assert "metadata" not in answer.resources["bucket"]


def test_unset_containers_attach_themselves_when_written() -> None:
    """Writing into an unset nested model, list or map of a fresh object sets it in its parent."""

    def compose(ctx: Any) -> None:
        bucket = Bucket()
        bucket.metadata.labels["a"] = "b"
        bucket.spec.forProvider.location = "US"
        bucket.spec.forProvider.versioning.append(VersioningItem(enabled=True))
        bucket.spec.forProvider.zones.extend(["x", "y"])
        bucket = ctx.resource("bucket", bucket)
        bucket.spec.initProvider.labels["c"] = "d"

    _, answer = call(compose)
    assert answer.resources["bucket"] == {
        "apiVersion": "storage.gcp.upbound.io/v1beta1",
        "kind": "Bucket",
        "metadata": {"labels": {"a": "b"}},
        "spec": {
            "forProvider": {"location": "US", "versioning": [{"enabled": True}], "zones": ["x", "y"]},
            "initProvider": {"labels": {"c": "d"}},
        },
    }


def test_a_container_that_was_read_first_attaches_when_written_later() -> None:
    """The object that reading an unset container gave is the one that writing through it sets."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        provider = bucket.spec.forProvider
        labels = provider.labels
        zones = provider.zones
        provider.location = "EU"
        labels["a"] = "b"
        zones.append("z")
        assert bucket.spec.forProvider.location == "EU"
        assert dict(bucket.spec.forProvider.labels) == {"a": "b"}

    _, answer = call(compose)
    expected = {"location": "EU", "labels": {"a": "b"}, "zones": ["z"]}
    assert answer.resources["bucket"]["spec"]["forProvider"] == expected


def test_assigned_empty_containers_are_emitted() -> None:
    """An empty container that was assigned is emitted."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(labels={}, zones=[]))))
        bucket.spec.forProvider.versioning = []

    _, answer = call(compose)
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"labels": {}, "zones": [], "versioning": []}


def test_desired_reads_what_earlier_functions_set() -> None:
    """Unset fields of a registered resource read the previous functions' desired state, own fields their own."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project="p", location="EU"))))
        provider = bucket.spec.forProvider
        assert provider.project == "p"
        assert provider.location == "EU"
        assert provider.storageClass == "STANDARD"
        assert provider.versioning[0].enabled is True
        assert provider.labels["a"] == "b"
        assert list(provider.zones) == ["x"]
        assert bucket.spec.deletionPolicy is None

    earlier = {
        "location": "US",
        "storageClass": "STANDARD",
        "versioning": [{"enabled": True}],
        "labels": {"a": "b"},
        "zones": ["x"],
    }
    call(compose, desired={"bucket": samples.bucket(earlier)})


# --- unobserved --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda b: b.status.atProvider.id, "bucket.status.atProvider.id"),
        (lambda b: b.status.atProvider.selfLink, "bucket.status.atProvider.selfLink"),
        (lambda b: b.spec.forProvider.location, "bucket.spec.forProvider.location"),
        (lambda b: b.spec.deletionPolicy, "bucket.spec.deletionPolicy"),
        (lambda b: b.metadata.name, "bucket.metadata.name"),
        (lambda b: b.metadata.uid, "bucket.metadata.uid"),
        (lambda b: b.external_name, "bucket.external_name"),
        (lambda b: b.status.atProvider.endpoints[0].url, "bucket.status.atProvider.endpoints[0].url"),
        (lambda b: b.status.atProvider.owner.name, "bucket.status.atProvider.owner.name"),
    ],
)
def test_everything_of_an_unobserved_resource_is_observable(read: Callable[[Any], Any], expected: str) -> None:
    """A leaf of a resource that doesn't exist yet reads Observable with the seed's path, metadata included."""

    def compose(ctx: Any) -> str:
        bucket = ctx.resource("bucket", Bucket())
        return path(read(bucket.observed))

    assert call(compose)[0] == expected


@pytest.mark.parametrize(
    "read",
    [
        lambda b: b.metadata.labels["a"],
        lambda b: b.metadata.annotations[samples.EXTERNAL_NAME],
        lambda b: b.status.atProvider.tags["a"],
        lambda b: b.spec.forProvider.labels["a"],
        lambda b: b.status.atProvider.endpoints[3].url,
        lambda b: b.status.atProvider.extra.deep["key"][0].er,
    ],
)
def test_items_of_an_unobserved_resource_are_observable(read: Callable[[Any], Any]) -> None:
    """Map and list items of a resource that doesn't exist yet hold back what is made of them, and never raise."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = read(bucket.observed)

    _, answer = call(compose)
    assert list(answer.resources) == ["bucket"]
    assert not answer.fatal


# --- observed ----------------------------------------------------------------------------------------------------


def test_observed_values_read_as_they_are() -> None:
    """Fields that the observed resource has read their values, in every access pattern of the seed."""
    existing = samples.bucket(
        {"location": "US", "versioning": [{"enabled": False}], "labels": {"a": "b"}, "size": 3, "public": False},
        status={"id": "i", "endpoints": [{"url": "u", "port": 80}], "tags": {"t": "v"}, "count": 0},
        external_name="ext",
    )
    existing["metadata"].update({"name": "n", "uid": "123", "labels": {"l": "m"}})

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU"))))
        assert bucket.spec.forProvider.location == "EU"
        observed = bucket.observed
        assert observed.spec.forProvider.location == "US"
        assert observed.spec.forProvider.versioning[0].enabled is False
        assert observed.spec.forProvider.public is False
        assert observed.spec.forProvider.size == 3
        assert observed.spec.forProvider.labels["a"] == "b"
        assert dict(observed.spec.forProvider.labels) == {"a": "b"}
        assert observed.status.atProvider.id == "i"
        assert observed.status.atProvider.count == 0
        assert observed.status.atProvider.endpoints[0].port == 80
        assert [e.url for e in observed.status.atProvider.endpoints] == ["u"]
        assert len(observed.status.atProvider.endpoints) == 1
        assert observed.status.atProvider.endpoints[-1].url == "u"
        assert "t" in observed.status.atProvider.tags
        assert observed.metadata.name == "n"
        assert observed.metadata.uid == "123"
        assert observed.metadata.labels["l"] == "m"
        assert observed.metadata.annotations[samples.EXTERNAL_NAME] == "ext"
        assert observed.external_name == "ext"
        assert not bucket.external_name

    call(compose, observed={"bucket": existing})


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda b: b.status.atProvider.id, "bucket.status.atProvider.id"),
        (lambda b: b.status.atProvider.owner.id, "bucket.status.atProvider.owner.id"),
        (lambda b: b.spec.forProvider.location, "bucket.spec.forProvider.location"),
        (lambda b: b.spec.initProvider.location, "bucket.spec.initProvider.location"),
        (lambda b: b.external_name, "bucket.external_name"),
        (lambda b: b.status.atProvider.endpoints[0].port, "bucket.status.atProvider.endpoints[0].port"),
        (lambda b: b.status.atProvider.endpoints[5].url, "bucket.status.atProvider.endpoints[5].url"),
    ],
)
def test_unset_fields_of_an_observed_resource_are_observable(read: Callable[[Any], Any], expected: str) -> None:
    """An unset leaf of an existing resource, and an index past the end of a list, reads Observable."""

    def compose(ctx: Any) -> str:
        bucket = ctx.resource("bucket", Bucket())
        return path(read(bucket.observed))

    existing = samples.bucket({"project": "p"}, status={"endpoints": [{"url": "u"}], "owner": {"name": "o"}})
    assert call(compose, observed={"bucket": existing})[0] == expected


@pytest.mark.parametrize(
    "read",
    [
        lambda b: b.status.atProvider.tags["missing"],
        lambda b: b.spec.forProvider.labels["missing"],
        lambda b: b.metadata.annotations[samples.EXTERNAL_NAME],
        lambda b: b.status.atProvider.extra.nothing.here,
    ],
)
def test_missing_keys_of_an_observed_resource_are_observable(read: Callable[[Any], Any]) -> None:
    """A missing key of an observed map reads Observable, the external name's annotation among them."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        acl = ctx.resource("acl", BucketACL())
        value = read(bucket.observed)
        assert isinstance(value, Observable)
        acl.spec.forProvider.bucket = value

    _, answer = call(compose, observed={"bucket": samples.bucket({}, status={"tags": {"t": "v"}})})
    assert list(answer.resources) == ["bucket"]


def test_observed_has_the_type_of_the_resource() -> None:
    """`.observed` returns the same type as the resource, existing or not, and so do its nested models."""

    def compose(ctx: Any) -> None:
        for name in ("there", "absent"):
            bucket = ctx.resource(name, Bucket())
            assert isinstance(bucket, Bucket)
            assert isinstance(bucket.observed, Bucket)
            assert isinstance(bucket.observed.spec.forProvider, ForProvider)

    call(compose, observed={"there": samples.bucket({"location": "US"})})


def test_observed_metadata_reads_none_or_empty_when_unset() -> None:
    """Unset metadata of an existing resource is a fact, None or empty, and no Observable."""
    seen: list[Any] = []

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        metadata = bucket.observed.metadata
        assert metadata.deletionTimestamp is None
        assert metadata.namespace is None
        assert dict(metadata.labels) == {}
        assert metadata.labels.get("missing") is None
        assert list(metadata.finalizers) == []
        assert "missing" not in metadata.labels
        seen.append(metadata.generateName)

    _, answer = call(compose, observed={"bucket": samples.bucket({"location": "US"})})
    assert seen == [None]
    assert not answer.conditions


# --- one resource seen by another --------------------------------------------------------------------------------


def test_vpc_status_never_raises() -> None:
    """`vpc.observed.status.atProvider.vpcId` reads at any depth before and after the VPC exists."""

    def compose(ctx: Any) -> Any:
        vpc = ctx.resource("vpc", VPC())
        value = vpc.observed.status.atProvider.subnets[0].id
        return value.source_path if isinstance(value, Observable) else value

    assert call(compose)[0] == "vpc.status.atProvider.subnets[0].id"
    assert call(compose, observed={"vpc": samples.vpc()})[0] == "vpc.status.atProvider.subnets[0].id"
    found = samples.vpc(status={"subnets": [{"id": "s-1"}]})
    assert call(compose, observed={"vpc": found})[0] == "s-1"

"""Reading the desired status of a composed resource, which there is none of (design section 4)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from crossplane_lite import Unstructured, apply, composition
from crossplane_lite.errors import UsageError
from tests.behaviour import samples
from tests.behaviour.models import VPC, AtProvider, Bucket, BucketStatus, XStorageBucket
from tests.support import call, run

TYPED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "leaf": (lambda b: b.status.atProvider.id, "status.atProvider.id"),
    "list": (lambda b: b.status.atProvider.endpoints, "status.atProvider.endpoints"),
    "map": (lambda b: b.status.atProvider.tags, "status.atProvider.tags"),
    "bool of status": (lambda b: bool(b.status), "status"),
    "bool of an object": (lambda b: bool(b.status.atProvider.owner), "status.atProvider.owner"),
    "equality": (lambda b: b.status.atProvider.owner == b.status.atProvider.owner, "status.atProvider.owner"),
    "text": (lambda b: f"{b.status.atProvider}", "status.atProvider"),
}
OPEN: dict[str, tuple[Callable[[Any], Any], str]] = {
    "text": (lambda b: f"{b.status.a.b}", "status.a.b"),
    "bool": (lambda b: bool(b.status.a), "status.a"),
    "in": (lambda b: "a" in b.status, "status"),
    "iteration": (lambda b: list(b.status.a), "status.a"),
    "len": (lambda b: len(b.status.a), "status.a"),
    "item": (lambda b: str(b["status"]["a"]), "status.a"),
    "apply": (lambda b: apply(str, b.status.a), "status.a"),
    "assigned": (lambda b: setattr(b.spec, "x", b.status.a.b), "status.a.b"),
    "assigned in data": (lambda b: setattr(b.spec, "x", {"deep": [b.status.a.b]}), "status.a.b"),
}
READS = {
    **{f"typed, {name}": (Bucket, *case) for name, case in TYPED.items()},
    **{
        f"without a schema, {name}": (lambda: Unstructured(Bucket.apiVersion, "Bucket"), *case)
        for name, case in OPEN.items()
    },
}


@pytest.mark.parametrize("observed", [None, {"bucket": samples.bucket({}, status={"id": "i"})}], ids=["new", "exists"])
@pytest.mark.parametrize("read", READS)
def test_a_read_of_the_desired_status_names_the_observed_one(read: str, observed: Any) -> None:
    """It is an error with the whole path, before the resource exists and after, and says where the value is."""
    make, use, path = READS[read]

    @composition.function
    def compose(ctx: Any) -> None:
        use(ctx.resource("bucket", make()))

    (text,) = run(compose, observed=observed).fatal
    assert f"bucket.{path} is read from desired state" in text
    assert f"read bucket.observed.{path}" in text


def test_a_read_of_the_desired_status_that_any_value_can_hold() -> None:
    """An object of the desired status inside of a value without a type is found when it is emitted."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Unstructured("v1", "Bucket"))
        ctx.resource("typed", Bucket()).spec.forProvider.extra = {"a": [bucket.status.x]}

    (text,) = run(compose).fatal
    assert "read bucket.observed.status.x" in text


def test_reads_of_other_statuses() -> None:
    """The composite's desired status reads what was set; an instance that isn't registered is plain data."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        assert xr.status.bucketName is None
        xr.status.bucketName = "b"
        assert xr.status.bucketName == "b"
        assert Bucket().status.atProvider.id is None
        loose = Bucket(status=BucketStatus(atProvider=AtProvider(id="i")))
        assert loose.status.atProvider.id == "i"
        bucket = ctx.resource("bucket", Bucket())
        assert bucket.observed.status.atProvider.id.source_path == "bucket.status.atProvider.id"

    call(compose)


def test_copies_of_a_registered_resource() -> None:
    """What copies a registered resource doesn't read its status."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec={"deletionPolicy": "Orphan"}))
        ctx.resource("evolved", attrs.evolve(bucket))
        ctx.resource("copied", copy.copy(bucket))
        ctx.resource("deep", copy.deepcopy(bucket))
        assert repr(bucket)

    _, answer = call(compose)
    assert len({str(sorted(one["spec"].items())) for one in answer.resources.values()}) == 1
    assert len(answer.resources) == 4


def test_the_status_of_an_earlier_functions_resource() -> None:
    """The same holds for what `ctx.desired` has, but for what a previous function has put there."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match=r"read vpc\.observed\.status\.atProvider\.vpcId"):
            str(ctx.desired["vpc"].status.atProvider.vpcId)
        assert ctx.desired["odd"].status.atProvider.vpcId == "v"

    call(compose, desired={"vpc": samples.vpc(), "odd": samples.vpc(status={"vpcId": "v"})})


def test_observed_state_of_an_earlier_functions_resource() -> None:
    """`ctx.desired[name].observed` is observed state: Observables before it exists, values then."""

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.desired["vpc"]
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec.vpcId = vpc.observed.status.atProvider.vpcId
        thing.spec.region = vpc.spec.forProvider.region
        thing.spec.secret = vpc.connection_details["key"]
        thing.ready = vpc.ready

    desired = {"vpc": samples.vpc({"region": "r"})}
    answer = run(compose, desired=desired)
    assert set(answer.resources) == {"vpc"}
    assert "thing waits for vpc.status.atProvider.vpcId" in answer.conditions["DependenciesResolved"][2]
    observed = samples.vpc({"region": "observed"}, status={"vpcId": "v"})
    answer = run(
        compose,
        desired=desired,
        desired_ready={"vpc": True},
        observed={"vpc": observed},
        connection={"vpc": {"key": b"s"}},
    )
    assert answer.resources["thing"]["spec"] == {"vpcId": "v", "region": "r", "secret": "s"}
    assert answer.ready == {"vpc": True, "thing": True}


def test_typed_reads_of_an_earlier_functions_resource() -> None:
    """A resource that is registered over a previous function's reads its own observed state as ever."""

    def compose(ctx: Any) -> Any:
        return ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId

    assert call(compose, desired={"vpc": samples.vpc()}, observed={"vpc": samples.vpc(status={"vpcId": "v"})})[0] == "v"

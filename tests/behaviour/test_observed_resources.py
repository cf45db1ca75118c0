"""`ctx.observed`: what is observed of the composed resources of all steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from crossplane_lite import Observable, Unstructured, composition
from crossplane_lite.errors import CrossplaneLiteError, ReadOnlyError
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket
from tests.support import call, request, run

VPC_THERE = samples.vpc({"region": "r"}, status={"vpcId": "v"})


def test_it_is_a_mapping() -> None:
    """It has the names and resources that the request has, whoever composes them."""

    def compose(ctx: Any) -> None:
        assert isinstance(ctx.observed, Mapping)
        assert ctx.observed is ctx.observed
        assert list(ctx.observed) == ["bucket", "vpc"]
        assert (len(ctx.observed), bool(ctx.observed)) == (2, True)
        assert {name: one.kind for name, one in ctx.observed.items()} == {"bucket": "Bucket", "vpc": "VPC"}
        vpc = ctx.observed["vpc"]
        assert isinstance(vpc, Unstructured)
        assert vpc is ctx.observed["vpc"]
        assert vpc.status.atProvider.vpcId == "v"
        assert (vpc.name, vpc.ready, vpc.external_name) == ("vpc", None, "e")
        assert vpc.connection_details["key"] == "s"
        assert dict(ctx.observed)["vpc"] is vpc
        assert ctx.observed.get("vpc", None) is vpc

    vpc = samples.vpc(status={"vpcId": "v"}, external_name="e")
    call(compose, observed={"vpc": vpc, "bucket": samples.bucket({})}, connection={"vpc": {"key": b"s"}})

    def empty(ctx: Any) -> None:
        assert not ctx.observed
        assert dict(ctx.observed) == {}

    call(empty)


GATES: dict[str, Callable[[Any], bool]] = {
    "in": lambda observed: "vpc" in observed,
    "any": lambda observed: any(name == "vpc" for name in observed),
    "list": lambda observed: "vpc" in list(observed),
    "len": lambda observed: len(observed) > 1,
    "items": lambda observed: any(name == "vpc" and one for name, one in observed.items()),
    "values": lambda observed: any(one.name == "vpc" for one in observed.values()),
    "dict": lambda observed: "vpc" in dict(observed),
}


@pytest.mark.parametrize("earlier", [False, True], ids=["ours", "an earlier function's"])
@pytest.mark.parametrize("gate", GATES)
def test_a_gate_keeps_what_exists(gate: str, earlier: bool) -> None:
    """Where a desired resource is gone for a while, what depends on its being observed isn't deleted."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if not earlier:
            ctx.resource("vpc", VPC())
        if GATES[gate](ctx.observed):
            ctx.resource("bucket", Bucket())

    desired = {"vpc": samples.vpc()} if earlier else {}
    answer = run(compose, observed={"bucket": samples.bucket(ours="step")}, desired=desired)
    assert len(answer.fatal) == 1
    assert "bucket exists and would be deleted: whether it is still wanted depends on vpc" in answer.fatal[0]


@pytest.mark.parametrize("observed", [None, {"vpc": VPC_THERE}], ids=["new", "exists"])
def test_it_is_read_only(observed: Any) -> None:
    """Nothing of it can be set, and none of it registered."""

    def compose(ctx: Any) -> None:
        vpc = ctx.observed["vpc"]
        with pytest.raises(CrossplaneLiteError, match=r"vpc\.spec\.forProvider"):
            vpc.spec.forProvider.region = "x"
        with pytest.raises(ReadOnlyError):
            vpc.external_name = "x"
        with pytest.raises(TypeError):
            ctx.observed["vpc"] = vpc
        with pytest.raises(CrossplaneLiteError, match="vpc is observed state"):
            ctx.resource("copy", vpc)

    call(compose, observed=observed)


def test_another_steps_resource_is_waited_for() -> None:
    """Fields of what isn't observed yet are Observables, its metadata among them, and what is made of them waits."""

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.observed["vpc"]
        if "vpc" not in ctx.input["known"]:
            for value in (vpc.metadata.name, vpc.metadata.uid, vpc.external_name, vpc.status.atProvider.vpcId):
                assert isinstance(value, Observable)
            assert vpc.metadata.uid.source_path == "vpc.metadata.uid"
        ctx.resource("bucket", Bucket()).spec.forProvider.project = vpc.status.atProvider.vpcId

    answer = run(compose, input={"known": []})
    assert not answer.fatal
    assert not answer.resources
    assert "bucket waits for vpc.status.atProvider.vpcId" in answer.conditions["DependenciesResolved"][2]
    answer = run(compose, input={"known": ["vpc"]}, observed={"vpc": VPC_THERE})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"project": "v"}


def test_asking_whether_it_is_there_is_a_guess() -> None:
    """What exists isn't lost because another resource has gone missing."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if "vpc" in ctx.observed:
            ctx.resource("bucket", Bucket())
        if ctx.observed.get("vpc", None) is not None:
            ctx.resource("other", Bucket())

    there = run(compose, observed={"vpc": VPC_THERE})
    assert set(there.resources) == {"bucket", "other"}
    answer = run(compose, observed=there.emitted)
    # Either the answer keeps them, or it stops everything: they are never dropped.
    assert answer.fatal or set(answer.resources) == {"bucket", "other"}
    assert not run(compose).fatal  # there is nothing to lose


def test_its_dependencies_are_seen() -> None:
    """A dependency on another step's resource is seen also where it has its value."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket()).spec.forProvider.project = ctx.observed["vpc"].status.atProvider.vpcId

    for observed in (None, {"vpc": VPC_THERE}):
        assert compose.dependencies(request(observed=observed)) == [("bucket", "vpc", "vpc.status.atProvider.vpcId")]


def test_wrong_names() -> None:
    """A name that can't be one is an error, and not one that nobody has."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        for name in ("", 3, None, vpc.observed.status.atProvider.vpcId, f"x-{vpc.observed.status.atProvider.vpcId}"):
            with pytest.raises(CrossplaneLiteError, match="name"):
                ctx.observed[name]
        assert 3 not in ctx.observed

    call(compose)


@pytest.mark.parametrize("what", ["required", "unstructured", "typed"])
def test_names_and_uids_of_what_does_not_exist_yet(what: str) -> None:
    """`metadata.name` and `metadata.uid` of a missing observed resource are Observables, with or without schema."""

    def compose(ctx: Any) -> None:
        if what == "required":
            metadata = ctx.required_resources.get("x", VPC)[0].metadata
        elif what == "unstructured":
            metadata = ctx.resource("x", Unstructured("v1", "X")).observed.metadata
        else:
            metadata = ctx.resource("x", VPC()).observed.metadata
        assert isinstance(metadata.name, Observable)
        assert isinstance(metadata.uid, Observable)
        assert metadata.uid.source_path.endswith(".metadata.uid")

    call(compose)

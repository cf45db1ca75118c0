"""An empty string in the status of a composed resource is a value that hasn't been reported (design section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Observable, Unstructured, composition, value_or
from tests.behaviour import samples
from tests.behaviour.helpers import path, provider_of
from tests.behaviour.models import VPC, Bucket
from tests.support import call, run

OWNED = {"f:spec": {"f:forProvider": {"f:project": {}}}}
LIVE = samples.bucket({"project": "live"}, ours="step", owned=OWNED)
EMPTY = samples.vpc(status={"vpcId": "", "subnets": [{"id": ""}]}, ready=True)


def _typed(ctx: Any) -> Any:
    return ctx.resource("vpc", VPC())


def _unstructured(ctx: Any) -> Any:
    return ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC"))


READS: dict[str, Callable[[Any], Any]] = {
    "field": lambda vpc: vpc.observed.status.atProvider.vpcId,
    "element": lambda vpc: vpc.observed.status.atProvider.subnets[0].id,
    "text": lambda vpc: f"{vpc.observed.status.atProvider.vpcId}",
    "by hand": lambda vpc: Observable("vpc.status.atProvider.vpcId"),
}


@pytest.mark.parametrize("model", [_typed, _unstructured])
@pytest.mark.parametrize("read", READS)
def test_it_overwrites_no_live_value(read: str, model: Any) -> None:
    """A field that is made from it keeps its value, and a new resource waits for it."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        value = READS[read](model(ctx))
        for name in ("bucket", "new"):
            ctx.resource(name, Bucket()).spec.forProvider.project = value

    answer = run(compose, observed={"bucket": LIVE, "vpc": EMPTY})
    assert provider_of(answer) == {"project": "live"}
    assert sorted(answer.resources) == ["bucket", "vpc"]
    assert "vpc.status.atProvider" in answer.conditions["DependenciesResolved"][2]


@pytest.mark.parametrize(
    "asks",
    [bool, lambda value: value != "", lambda value: (value or "none") != "none", lambda value: len(value) > 0],
)
def test_a_question_about_it_is_a_guess(asks: Callable[[Any], bool]) -> None:
    """What exists because of the value stays while the value is an empty string."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if asks(ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId):
            ctx.resource("bucket", Bucket())

    assert "bucket" in run(compose, observed={"bucket": LIVE, "vpc": EMPTY}).resources


def test_value_or_says_that_it_is_meant() -> None:
    """`value_or` has the default once the resource is ready, and waits until then."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        id_ = ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId
        ctx.resource("bucket", Bucket()).spec.forProvider.project = value_or(id_, "none")

    assert provider_of(run(compose, observed={"vpc": EMPTY})) == {"project": "none"}
    assert "bucket" not in run(compose, observed={"vpc": samples.vpc(status={"vpcId": ""})}).resources


def test_where_it_is_a_value() -> None:
    """In specs, in conditions and in the composite's status an empty string is a string like any other."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured).observed
        vpc = ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC")).observed
        assert xr.status.id == "" == xr.spec.parameters.id
        assert vpc.spec.forProvider.id == "" == vpc.status.conditions[0].message
        assert vpc.condition("Ready").message == ""
        assert path(vpc.status.atProvider.id) == "vpc.status.atProvider.id"

    vpc = samples.vpc({"id": ""}, status={"id": ""}, ready=True)
    vpc["status"]["conditions"][0]["message"] = ""
    call(compose, observed={"vpc": vpc}, xr=samples.xr({"id": ""}, {"id": ""}))

"""`value_or`: saying that a value's absence is meant (design section 4)."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Observable, composition, value_or
from tests.behaviour import samples
from tests.behaviour.helpers import provider_of
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, XStorageBucket
from tests.support import call, run


def used(ctx: Any) -> None:
    """Compose a bucket from an id that may be missing on purpose."""
    vpc = ctx.resource("vpc", VPC())
    location = value_or(vpc.observed.status.atProvider.vpcId, "none")
    ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location=location))))


def test_a_value_that_is_there() -> None:
    """A value that is there is given as it is."""
    _, answer = call(used, observed={"vpc": samples.vpc(status={"vpcId": "v"})})
    assert provider_of(answer) == {"location": "v"}
    assert value_or("x", 1) == "x"
    assert value_or(None, 1) == 1
    assert value_or(0, 1) == 0


@pytest.mark.parametrize("observed", [{}, {"vpc": samples.vpc(ready=False)}], ids=["missing", "not ready"])
def test_while_it_may_still_come(observed: dict[str, Any]) -> None:
    """While its owner isn't ready, what needs the value waits."""
    _, answer = call(used, observed=observed)
    assert list(answer.resources) == ["vpc"]


def test_once_its_owner_is_ready() -> None:
    """Once its owner is ready, the default counts, and nothing waits."""
    _, answer = call(used, observed={"vpc": samples.vpc(ready=True)})
    assert provider_of(answer) == {"location": "none"}
    assert not answer.conditions


def test_what_is_made_with_it_is_no_guess() -> None:
    """A resource that a default leaves out goes."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        if value_or(vpc.observed.status.atProvider.vpcId, ""):
            ctx.resource("bucket", Bucket())

    observed = {"vpc": samples.vpc(ready=True), "bucket": samples.bucket(ours="step")}
    answer = run(compose, observed=observed)
    assert not answer.fatal
    assert list(answer.resources) == ["vpc"]


def test_the_composite_and_required_resources() -> None:
    """The default counts at once for the composite's status and for required resources."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        assert value_or(xr.observed.status.x, "x") == "x"
        ctx.requirements.resources["vpcs"] = composition.ResourceSelector(api_version="v1", kind="X", match_name="n")
        assert value_or(ctx.required_resources["vpcs"][0].status.id, "y") == "y"

    call(compose)


def test_objects() -> None:
    """An object that isn't there counts as missing too."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        owner = value_or(bucket.observed.status.atProvider.owner, None)
        assert owner is None

    call(compose, observed={"bucket": samples.bucket(ready=True)})


def test_outside_of_a_call() -> None:
    """An Observable made by hand stays one outside of a call."""
    made = Observable("a.b")
    assert value_or(made, 1) is made

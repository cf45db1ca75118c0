"""Readiness of the composite while something waits, and depends_on (design sections 5 and 6)."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.behaviour import samples
from tests.behaviour.helpers import unresolved
from tests.behaviour.models import (
    VPC,
    Bucket,
    BucketSpec,
    ForProvider,
    Subnet,
    XStorageBucket,
)
from tests.support import call

# --- readiness of the composite ----------------------------------------------------------------------------------


def holding(ctx: Any) -> None:
    """A bucket that waits for the VPC."""
    ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project=unresolved(ctx)))))


def test_the_composite_is_not_ready_while_something_is_held_back() -> None:
    """Something held back makes the desired composite's readiness false, nothing held back leaves it alone."""
    assert call(holding)[1].composite_ready is False
    assert call(holding, observed={"vpc": samples.vpc(status={"vpcId": "v"})})[1].composite_ready is None


@pytest.mark.parametrize("value", [True, False])
def test_the_users_readiness_wins(value: bool) -> None:
    """Readiness that compose() sets on the composite stays as it was set."""

    def compose(ctx: Any) -> None:
        ctx.composite(XStorageBucket).ready = value
        holding(ctx)

    assert call(compose)[1].composite_ready is value


def test_an_earlier_false_stays() -> None:
    """READY_FALSE of a previous function stays when this one holds nothing back."""
    found = {"vpc": samples.vpc(status={"vpcId": "v"})}
    assert call(holding, observed=found, desired_xr_ready=False)[1].composite_ready is False
    assert call(holding, observed=found, desired_xr_ready=True)[1].composite_ready is True
    assert call(holding, desired_xr_ready=True)[1].composite_ready is False


# --- depends_on --------------------------------------------------------------------------------------------------


def gated(ctx: Any) -> None:
    """A subnet that is created after the VPC is ready, though no field shows it."""
    vpc = ctx.resource("vpc", VPC())
    ctx.resource("subnet", Subnet(), depends_on=[vpc])


@pytest.mark.parametrize("observed", [{}, {"vpc": samples.vpc()}, {"vpc": samples.vpc(ready=False)}])
def test_depends_on_holds_creation_back(observed: dict[str, Any]) -> None:
    """A resource isn't created before what it depends on is observed and ready."""
    _, answer = call(gated, observed=observed)
    assert list(answer.resources) == ["vpc"]
    assert answer.composite_ready is False
    condition = answer.conditions["DependenciesResolved"]
    assert condition[:2] == (False, "WaitingForDependencies")
    assert "subnet" in condition[2]
    assert "vpc" in condition[2]


def test_depends_on_lets_go_when_ready() -> None:
    """It is created once what it depends on is ready."""
    _, answer = call(gated, observed={"vpc": samples.vpc(ready=True)})
    assert sorted(answer.resources) == ["subnet", "vpc"]
    assert answer.composite_ready is None


@pytest.mark.parametrize("dependency", [{}, {"vpc": samples.vpc(ready=False)}])
def test_depends_on_gates_creation_only(dependency: dict[str, Any]) -> None:
    """An existing resource stays when what it depends on degrades or vanishes."""
    _, answer = call(gated, observed={"subnet": samples.subnet(), **dependency})
    assert sorted(answer.resources) == ["subnet", "vpc"]
    assert not answer.fatal


def test_depends_on_uses_the_readiness_rules_of_each_kind() -> None:
    """Ready means the rules per kind on observed state: a ConfigMap that exists is ready."""

    def compose(ctx: Any) -> None:
        config = ctx.resource("config", Unstructured("v1", "ConfigMap"))
        ctx.resource("subnet", Subnet(), depends_on=[config])

    assert list(call(compose)[1].resources) == ["config"]
    _, answer = call(compose, observed={"config": {"apiVersion": "v1", "kind": "ConfigMap"}})
    assert sorted(answer.resources) == ["config", "subnet"]


def test_depends_on_ignores_what_this_function_says_about_readiness() -> None:
    """Setting `.ready` doesn't make a dependency ready; its observed state counts."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        vpc.ready = True
        ctx.resource("subnet", Subnet(), depends_on=[vpc])

    assert list(call(compose, observed={"vpc": samples.vpc(ready=False)})[1].resources) == ["vpc"]


def test_depends_on_several() -> None:
    """All of several dependencies must be ready."""

    def compose(ctx: Any) -> None:
        one = ctx.resource("one", VPC())
        two = ctx.resource("two", VPC())
        ctx.resource("subnet", Subnet(), depends_on=[one, two])

    ready = samples.vpc(ready=True)
    assert "subnet" not in call(compose, observed={"one": ready})[1].resources
    assert "subnet" in call(compose, observed={"one": ready, "two": ready})[1].resources

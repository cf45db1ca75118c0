"""Whose an existing resource is after a guess, and what of it is kept (design section 5, "After a guess")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import composition
from tests.behaviour import samples
from tests.behaviour.growth import calls_during
from tests.behaviour.helpers import provider_of
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, Rule, XStorageBucket
from tests.support import MARKER, run, steps_of

OWNED: dict[str, Any] = {"f:spec": {"f:forProvider": {"f:location": {}, "f:project": {}}}}
SEEN = {"location": "US", "project": "p", "storageClass": "not owned"}


@composition.function(name="step")
def guessing(ctx: Any) -> None:
    """Compose the bucket only if the VPC has an id."""
    vpc = ctx.resource("vpc", VPC())
    if vpc.observed.status.atProvider.vpcId:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project="p"))))


@composition.function(name="step")
def deciding(ctx: Any) -> None:
    """Never compose the bucket, and guess nothing."""
    ctx.resource("vpc", VPC())


EARLIER = {"bucket": samples.bucket({"location": "EU"})}


@pytest.mark.parametrize("ours", ["one,step", "step,one", "step"])
def test_our_fields_of_a_resource_that_an_earlier_step_desires_are_kept(ours: str) -> None:
    """After a guess, our fields of a shared resource that this call doesn't register keep their observed value."""
    observed = {"bucket": samples.bucket(SEEN, ours=ours, owned=OWNED)}
    answer = run(guessing, observed=observed, desired=EARLIER)
    assert provider_of(answer) == {"location": "EU", "project": "p"}


@pytest.mark.parametrize("ours", ["one", "one,steps", "one,mystep", None])
def test_fields_of_other_steps_resources_are_not_kept(ours: str | None) -> None:
    """After a guess, a resource that this step never registered passes through as it came."""
    observed = {"bucket": samples.bucket(SEEN, ours=ours, owned=OWNED)}
    answer = run(guessing, observed=observed, desired=EARLIER)
    assert not answer.fatal
    assert answer.emitted["bucket"] == EARLIER["bucket"]


def test_without_a_guess_our_fields_of_a_shared_resource_are_given_up() -> None:
    """Without a guess, a shared resource that this call doesn't register passes through as it came."""
    observed = {"bucket": samples.bucket(SEEN, ours="one,step", owned=OWNED)}
    answer = run(deciding, observed=observed, desired=EARLIER)
    assert not answer.fatal
    assert answer.emitted["bucket"] == EARLIER["bucket"]


def test_a_shared_resource_that_nobody_desires_any_more() -> None:
    """After a guess, a resource that this step shares with another is kept with this step's mark: each adds its own."""
    answer = run(guessing, observed={"bucket": samples.bucket(SEEN, ours="one,step", owned=OWNED)})
    assert not answer.fatal
    assert provider_of(answer) == {"location": "US", "project": "p"}
    assert answer.emitted["bucket"]["metadata"]["annotations"] == {MARKER: "step"}


def test_every_step_that_registers_a_resource_marks_it() -> None:
    """The annotation has the names of all steps that registered the resource, each once and in one order."""

    def step(name: str) -> Any:
        @composition.function(name=name)
        def compose(ctx: Any) -> None:
            ctx.resource("bucket", Bucket())

        return compose

    first = run(step("one"))
    second = run(step("two"), desired=first.emitted)
    assert steps_of(second.emitted["bucket"]) == "one,two"
    assert run(step("two"), desired=second.emitted).emitted == second.emitted


# --- work --------------------------------------------------------------------------------------------------------


def _owned_list(size: int) -> Callable[[], Any]:
    owned: dict[str, Any] = {f'k:{{"name":"n{at}"}}': {".": {}, "f:name": {}, "f:age": {}} for at in range(size)}
    seen = {"rules": [{"name": f"n{at}", "age": at} for at in range(size)]}
    bucket = samples.bucket(seen, ours="step", owned={"f:spec": {"f:forProvider": {"f:rules": owned}}})

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        if isinstance(vpc.observed.status.atProvider.vpcId, str):
            ctx.resource("bucket", Bucket())

    def work() -> None:
        rules = {rule["name"]: rule for rule in provider_of(run(compose, observed={"bucket": bucket}))["rules"]}
        assert rules == {rule["name"]: rule for rule in seen["rules"]}

    return work


def _keyed_list(size: int) -> Callable[[], Any]:
    seen = {"rules": [{"name": f"n{at}", "action": f"a{at}"} for at in reversed(range(size))]}

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        rules = [Rule(name=f"n{at}", action=vpc.observed.status.atProvider.vpcId) for at in range(size)]
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(rules=rules))))

    def work() -> None:
        provider = provider_of(run(compose, observed={"bucket": samples.bucket(seen)}))
        assert provider["rules"] == list(reversed(seen["rules"]))

    return work


def _waiting(size: int) -> Callable[[], Any]:
    @composition.function
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        vpc = ctx.resource("vpc", VPC())
        value = vpc.observed.status.atProvider.vpcId
        xr.status.names = [value for _ in range(size)]
        for at in range(size):
            ctx.resource(f"b{at}", Bucket()).spec.forProvider.location = xr.observed.status.names[at]

    def work() -> None:
        answer = run(compose)
        assert not answer.fatal
        assert list(answer.resources) == ["vpc"]

    return work


@pytest.mark.sample(1)
@pytest.mark.parametrize("make", [_owned_list, _keyed_list, _waiting])
def test_the_work_grows_with_the_size_and_not_with_its_square(make: Callable[[int], Callable[[], Any]]) -> None:
    """Eight times as much to keep, to match or to wait for takes about eight times as many function calls."""
    assert calls_during(make(320)) < 16 * calls_during(make(40))

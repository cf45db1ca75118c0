"""Requirements come first (design section 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import composition
from tests.behaviour import samples
from tests.behaviour.helpers import ask
from tests.behaviour.models import (
    VPC,
    Bucket,
    XStorageBucket,
)
from tests.support import ALL_CAPABILITIES, run


def _raises(ctx: Any) -> None:
    raise ValueError("boom")


def _guesses(ctx: Any) -> None:
    if ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId:
        ctx.resource("bucket", Bucket())


def _circles(ctx: Any) -> None:
    a = ctx.resource("a", Bucket())
    b = ctx.resource("b", Bucket())
    a.spec.forProvider.location = b.observed.status.atProvider.id
    b.spec.forProvider.location = a.observed.status.atProvider.id


def _indexes(ctx: Any) -> None:
    _ = int(ctx.required_resources.get("vpcs", VPC)[0].observed.status.atProvider.vpcId)


PROBLEMS = [_raises, _guesses, _circles]


def asking(problem: Callable[[Any], None]) -> Any:
    """Return a function that asks for VPCs, registers a resource and then runs into a problem."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ask(ctx)
        ctx.resource("before", Bucket())
        problem(ctx)

    return compose


OBSERVED = {"bucket": samples.bucket(ours="step")}


@pytest.mark.parametrize("problem", [*PROBLEMS, _indexes])
def test_nothing_is_fatal_while_a_requirement_is_unanswered(problem: Callable[[Any], None]) -> None:
    """With an unanswered requirement the requirements and what is registered go back, and no fatal result."""
    # After an exception nothing new is made beside what is kept.
    answer = run(asking(problem), observed={} if problem is _indexes else OBSERVED)
    assert not answer.fatal
    assert "before" in answer.resources
    selector = answer.requirements.resources["vpcs"]
    assert (selector.api_version, selector.kind) == ("ec2.aws.upbound.io/v1beta1", "VPC")
    assert dict(selector.match_labels.labels) == {"env": "prod"}


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("items", [[], [samples.vpc()]])
def test_answered_requirements_leave_problems_fatal(
    problem: Callable[[Any], None], items: list[dict[str, Any]]
) -> None:
    """Once the requirement is answered, with something or with nothing, the same problems are fatal."""
    answer = run(asking(problem), observed=OBSERVED, required={"vpcs": items})
    assert answer.fatal
    assert not answer.resources


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_caller_that_can_not_answer_is_not_waited_for(problem: Callable[[Any], None]) -> None:
    """Where the caller says that it doesn't support required resources, problems are fatal at once."""
    supported = [c for c in ALL_CAPABILITIES if c != "CAPABILITY_REQUIRED_RESOURCES"]
    answer = run(asking(problem), observed=OBSERVED, capabilities=supported)
    assert answer.fatal


def test_an_unanswered_schema_counts_as_well() -> None:
    """A required schema that is unanswered has the same effect as a required resource."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.requirements.schemas["xr"] = composition.SchemaSelector(api_version="example.org/v1", kind="XR")
        raise ValueError("boom")

    answer = run(compose)
    assert not answer.fatal
    assert answer.requirements.schemas["xr"].kind == "XR"
    assert run(compose, schemas={"xr": None}).fatal


def test_a_violation_does_not_get_through_meanwhile() -> None:
    """While a requirement is unanswered, what a function must not desire isn't in the answer all the same."""

    @composition.function
    def compose(ctx: Any) -> None:
        ask(ctx)
        ctx.composite(XStorageBucket).spec.parameters.location = "x"
        ctx.resource("bucket", Bucket()).status.atProvider.id = "x"

    answer = run(compose)
    assert not answer.fatal
    assert "vpcs" in answer.requirements.resources
    assert "spec" not in answer.composite
    assert "status" not in answer.resources.get("bucket", {})


def test_one_of_two_requirements_unanswered() -> None:
    """One unanswered requirement is enough."""

    @composition.function
    def compose(ctx: Any) -> None:
        for key in ("one", "two"):
            ctx.requirements.resources[key] = composition.ResourceSelector(
                api_version="v1", kind="ConfigMap", match_name=key
            )
        raise ValueError("boom")

    assert not run(compose, required={"one": []}).fatal
    assert run(compose, required={"one": [], "two": []}).fatal

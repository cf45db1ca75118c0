"""Conditions and results (design section 5, "Reporting")."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import composition
from tests.behaviour import samples
from tests.behaviour.helpers import ALL_FOUND, CONDITION, VPC_FOUND, network
from tests.behaviour.models import (
    VPC,
    Bucket,
    Subnet,
    SubnetSpec,
)
from tests.support import (
    ALL_CAPABILITIES,
    MARKER,
    READY,
    Response,
    build,
    call,
    run,
    with_conditions,
)

# --- the condition -----------------------------------------------------------------------------------------------


def test_waiting_is_a_condition() -> None:
    """While something waits, the condition is False with a sorted message of who waits for what."""
    status, reason, message = run(network).conditions[CONDITION]
    assert (status, reason) == (False, "WaitingForDependencies")
    assert "subnet waits for vpc.status.atProvider.vpcId" in message
    assert message.index("subnet waits") < message.index("1 more waits for subnet")


def test_the_message_does_not_depend_on_the_order_of_registering() -> None:
    """Registering in another order gives the same message."""

    def message(names: list[str]) -> str:
        def compose(ctx: Any) -> None:
            vpc = ctx.resource("vpc", VPC())
            for name in names:
                ctx.resource(name, Bucket()).spec.forProvider.project = vpc.observed.status.atProvider.vpcId

        return call(compose)[1].conditions[CONDITION][2]

    assert message(["a", "b", "c"]) == message(["c", "a", "b"])


def test_a_ready_dependency_without_the_value_is_pointed_out() -> None:
    """Waiting for a field that a ready resource doesn't have is said in the message."""
    answer = run(network, observed={"vpc": samples.vpc(status={}, ready=True)})
    message = answer.conditions[CONDITION][2]
    assert "subnet waits for vpc.status.atProvider.vpcId (vpc is Ready" in message
    assert "subnet is Ready" not in message
    message = run(network, observed={"vpc": samples.vpc(status={}, ready=False)}).conditions[CONDITION][2]
    assert "vpc is Ready" not in message


def test_resolved_is_a_condition_once_something_waited() -> None:
    """When nothing waits any more and the XR has the condition, it becomes True, and stays."""
    waiting = run(network)
    resolved = run(network, xr=with_conditions(None, waiting), observed=ALL_FOUND)
    assert resolved.conditions[CONDITION][:2] == (True, "AllResolved")
    again = run(network, xr=with_conditions(None, resolved), observed=ALL_FOUND)
    assert again.conditions == resolved.conditions


def test_no_condition_when_nothing_ever_waited() -> None:
    """A function that never holds anything back adds no condition, no result and no context."""
    answer = run(network, observed=ALL_FOUND)
    assert not answer.conditions
    assert not answer.results
    assert not answer.context


def test_a_fatal_answer_has_the_condition() -> None:
    """The condition is in fatal answers too."""

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        ctx.resource("subnet", Subnet()).spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId
        ctx.results.fatal("no good")

    answer = run(compose)
    assert answer.fatal == ["no good"]
    assert answer.conditions[CONDITION][:2] == (False, "WaitingForDependencies")


def test_a_cycle_has_the_condition() -> None:
    """A cycle's fatal answer has the condition."""

    @composition.function
    def compose(ctx: Any) -> None:
        a, b = ctx.resource("a", Bucket()), ctx.resource("b", Bucket())
        a.spec.forProvider.location = b.observed.status.atProvider.id
        b.spec.forProvider.location = a.observed.status.atProvider.id

    answer = run(compose)
    assert answer.fatal
    assert answer.conditions[CONDITION][:2] == (False, "WaitingForDependencies")


def test_an_exception_does_not_claim_that_all_is_resolved() -> None:
    """A call that failed before it registered anything says nothing about what is resolved."""

    @composition.function(name="step")
    def failing(ctx: Any) -> None:
        raise ValueError("boom")

    answer = run(failing, xr=with_conditions(None, run(network)))
    assert answer.fatal
    assert CONDITION not in answer.conditions
    assert CONDITION not in run(failing).conditions


def test_no_condition_where_conditions_are_not_supported() -> None:
    """Where the caller says that it doesn't support conditions none is sent, and no result on every call either."""
    supported = [c for c in ALL_CAPABILITIES if c != "CAPABILITY_CONDITIONS"]
    answer = run(network, capabilities=supported)
    assert CONDITION not in answer.conditions
    assert not answer.results
    assert list(answer.resources) == ["vpc"]
    assert answer.composite_ready is False


def test_the_condition_is_sent_to_a_caller_that_does_not_advertise() -> None:
    """A caller that says nothing about its capabilities gets the condition."""
    assert CONDITION in run(network, capabilities=[]).conditions


# --- the DAG -----------------------------------------------------------------------------------------------------


def normal(answer: Response) -> list[str]:
    """Return the normal results."""
    return [text for severity, text in answer.results if severity == "normal"]


def test_the_graph_is_shown_when_it_changes() -> None:
    """The first answer that holds something back shows the dependencies in one normal result."""
    texts = normal(run(network))
    assert len(texts) == 1
    for name in ("vpc", "subnet", "bucket"):
        assert name in texts[0]


def test_the_graph_is_not_shown_again() -> None:
    """The same message in the XR's condition means no result."""
    once = run(network)
    again = run(network, xr=with_conditions(None, once))
    assert again.conditions == once.conditions
    assert not again.results
    third = run(network, xr=with_conditions(None, again))
    assert not third.results


def test_the_graph_is_shown_when_something_else_is_waited_for() -> None:
    """Another message than the one in the XR's condition is a transition and gives a result."""
    xr = with_conditions(None, run(network))
    changed = run(network, xr=xr, observed=VPC_FOUND)
    assert len(normal(changed)) == 1
    assert not run(network, xr=with_conditions(xr, changed), observed=VPC_FOUND).results


def test_resolved_is_not_reported_on_every_call() -> None:
    """Once everything is resolved and stored, there are no results."""
    xr = with_conditions(None, run(network))
    xr = with_conditions(xr, run(network, xr=xr, observed=ALL_FOUND))
    assert not run(network, xr=xr, observed=ALL_FOUND).results


def test_no_graph_on_the_way_back_from_a_fatal_error() -> None:
    """A condition that Crossplane turned Unknown with reason FatalError doesn't make the result come again."""
    xr = with_conditions(None, run(network))
    (condition,) = [c for c in xr["status"]["conditions"] if c["type"] == CONDITION]
    condition.update({"status": "Unknown", "reason": "FatalError", "message": "A fatal error occurred"})
    answer = run(network, xr=xr)
    assert not answer.results
    assert answer.conditions[CONDITION][:2] == (False, "WaitingForDependencies")


# --- users' own results and conditions ---------------------------------------------------------------------------


def test_results_in_order() -> None:
    """Results go out in order with their severities."""

    def compose(ctx: Any) -> None:
        ctx.results.normal("one")
        ctx.results.warning("two")
        ctx.results.normal("three")

    assert call(compose)[1].results == [("normal", "one"), ("warning", "two"), ("normal", "three")]


def test_conditions_have_three_states() -> None:
    """A condition's status is True, False or None for unknown."""

    def compose(ctx: Any) -> None:
        ctx.conditions.set("Good", True, "Fine", "all is well")
        ctx.conditions.set("Bad", False, "Broken")
        ctx.conditions.set("Odd", None, "NoIdea", "hm")

    assert call(compose)[1].conditions == {
        "Good": (True, "Fine", "all is well"),
        "Bad": (False, "Broken", ""),
        "Odd": (None, "NoIdea", "hm"),
    }


def test_a_condition_set_twice_is_sent_once() -> None:
    """The last of two conditions of one type counts."""

    def compose(ctx: Any) -> None:
        ctx.conditions.set("Good", False, "NotYet")
        ctx.conditions.set("Good", True, "Fine")

    _, answer = call(compose)
    assert len(answer.message.conditions) == 1
    assert answer.conditions["Good"][:2] == (True, "Fine")


# --- the envelope ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", ["", "a-tag", "ümlaut \N{SNOWMAN}", "x" * 1000])
def test_the_tag_is_copied(tag: str) -> None:
    """The answer has the request's tag, fatal or not."""
    assert run(network, tag=tag).message.meta.tag == tag

    @composition.function
    def failing(ctx: Any) -> None:
        raise ValueError

    assert run(failing, tag=tag).message.meta.tag == tag


def test_a_ttl_is_always_set() -> None:
    """Every answer says how long it may be cached."""
    assert run(network).message.meta.HasField("ttl")
    assert run(network).ttl > 0


def _is_ready(xr: Any = None, *, status: str = "True") -> dict[str, Any]:
    """Return a composite with the condition Ready, in addition to the conditions that it has."""
    made = with_conditions(xr, run(network, observed=ALL_FOUND))
    made.setdefault("status", {}).setdefault("conditions", []).append({**READY, "status": status})
    return made


@pytest.mark.parametrize(
    ("xr", "observed", "ttl"),
    [
        pytest.param(None, {}, 10, id="new"),
        pytest.param(None, ALL_FOUND, 10, id="nothing waits, not Ready yet"),
        pytest.param(_is_ready(status="False"), ALL_FOUND, 10, id="not Ready"),
        pytest.param(_is_ready(), VPC_FOUND, 10, id="Ready, and something is held back"),
        pytest.param(_is_ready(), {**ALL_FOUND, "bucket": samples.bucket()}, 60, id="settled"),
        pytest.param(_is_ready(), ALL_FOUND, 10, id="Ready, and something is new"),
    ],
)
def test_the_ttl_follows_the_state(xr: Any, observed: Any, ttl: float) -> None:
    """The TTL is short until the composite is Ready and nothing waits, because only the TTL is sure to bring a call."""
    assert run(network, xr=xr, observed=observed).ttl == ttl


def test_the_ttl_is_short_while_something_is_kept() -> None:
    """A kept resource needs calls as soon as its value is back."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        if vpc.observed.status.atProvider.vpcId:
            ctx.resource("subnet", Subnet()).spec.forProvider.region = "r"

    subnet = samples.subnet({"region": "r"}, ours="step", owned={"f:spec": {"f:forProvider": {"f:region": {}}}})
    observed = {"vpc": samples.vpc(status={}, ours="step"), "subnet": subnet}
    answer = run(compose, xr=_is_ready(), observed=observed)
    assert "subnet" in answer.emitted
    assert answer.ttl == 10


def test_the_marker_does_not_hide_the_users_annotations() -> None:
    """The annotation of ours is added to an inherited resource, not put in place of its annotations."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    _, answer = call(compose, desired={"bucket": samples.bucket(external_name="e")})
    annotations = answer.emitted["bucket"]["metadata"]["annotations"]
    assert annotations[samples.EXTERNAL_NAME] == "e"
    assert MARKER in annotations


def test_an_answer_without_opinion_is_the_request() -> None:
    """A function that does nothing hands on desired state and context as they came."""

    @composition.function
    def compose(ctx: Any) -> None:
        pass

    kwargs: dict[str, Any] = {
        "desired": {"a": samples.bucket({"location": "US"}), "b": {}},
        "desired_ready": {"a": True},
        "desired_xr": {"apiVersion": "x/v1", "kind": "Y", "status": {"z": [1, None]}},
        "desired_xr_ready": True,
        "context": {"k": {"deep": [None, 1.5, "x"]}},
    }
    answer = run(compose, **kwargs)
    req = build(**kwargs)
    assert answer.message.desired == req.desired
    assert answer.message.context == req.context
    assert not answer.results
    assert not answer.conditions


def test_an_unresolved_nested_model_by_assignment_keeps_its_parts() -> None:
    """A nested model made with an unresolved leaf names the leaf in the condition."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        subnet = ctx.resource("subnet", Subnet(spec=SubnetSpec()))
        subnet.spec.forProvider.cidrBlock = vpc.observed.spec.forProvider.region

    _, answer = call(compose)
    assert "subnet waits for vpc.spec.forProvider.region" in answer.conditions[CONDITION][2]

"""What a memory can get wrong where a step has no resources to remember on, or asks for states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.forms import hashed
from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, lose, nothing_changes, step
from tests.safety.values import FULL, LOST, grow, provide
from tests.safety.zones import READY, deletes, shrink, spec, using

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(2)

# --- steps that compose nothing ---------------------------------------------------------------------------------------


def _network(ctx: Any) -> None:
    make(ctx, "vpc", "Net", cidr="10.0.0.0/16")


def _zones(ctx: Any) -> None:
    for zone in ctx.composite(Unstructured).observed.spec.zones or []:
        make(ctx, f"zone-{zone}", zone=zone)


def _feed_context(ctx: Any) -> None:
    status = ctx.observed["vpc"].status
    ctx.context["size"] = "large" if status.id else "small"
    ctx.context["has"] = bool(status.id)


def _use_context(ctx: Any) -> None:
    make(ctx, "s", size=ctx.context["size"], fixed=1)
    if ctx.context["has"]:
        make(ctx, "t", fixed=1)
    _zones(ctx)


def _feed_status(ctx: Any) -> None:
    xr = ctx.composite(Unstructured)
    status = ctx.observed["vpc"].status
    xr.status.networkId = status.id
    xr.status.phase = "Ready" if status.id else "Pending"


def _use_status(ctx: Any) -> None:
    if ctx.composite(Unstructured).observed.status.networkId:
        make(ctx, "t", fixed=1)
    make(ctx, "s", size="large" if ctx.composite(Unstructured).observed.status.networkId else "small", fixed=1)
    _zones(ctx)


FED = {"context": (_network, _feed_context, _use_context), "status": (_network, _feed_status, _use_status)}


@READY
@pytest.mark.parametrize("what", FED)
def test_a_step_that_feeds_another(what: str, ready: bool) -> None:
    """A step without resources has no memory of its own; what a later step makes of its output is protected."""
    cluster = evolved(*FED[what])
    assert spec(cluster, "s")["size"] == "large"
    for _ in range(4):
        done = lose(cluster, ready=ready)
        nothing_changes(done)
        assert done.after.keys() == {"vpc", "s", "t"}
        if what == "status":
            assert done.status == {"networkId": FULL["id"], "phase": "Pending"}
    provide(cluster)
    nothing_changes(step(cluster))


@READY
@pytest.mark.parametrize("what", FED)
def test_births_and_deletions_behind_a_step_that_feeds_another(what: str, ready: bool) -> None:
    """The user deletes although the value never comes, and when it comes a later step's resources follow."""
    cluster = cluster_of(*FED[what], spec={"region": "eu", "zones": ["a", "b", "c"]})
    for _ in range(4):
        done = step(cluster)
        assert not done.fatal, done.fatal
        assert "t" not in cluster.objects
        assert "s" in cluster.objects
        provide(cluster, LOST, ready=ready)
    shrink(cluster)
    deletes(cluster, "zone-b")
    grow(cluster)
    assert spec(cluster, "s")["size"] == "large" and "t" in cluster.objects


@READY
def test_a_step_that_only_sets_connection_details(ready: bool) -> None:
    """The composite's connection details keep what a lost value has given them."""

    def feed(ctx: Any) -> None:
        details = ctx.observed["vpc"].connection_details
        xr = ctx.composite(Unstructured)
        xr.connection_details["password"] = details["password"]
        xr.connection_details["url"] = f"db://{details['password']}"

    cluster = evolved(_network, feed)
    before = dict(cluster.connection)
    assert before == {"password": b"hunter22", "url": b"db://hunter22"}
    for _ in range(3):
        done = lose(cluster, ready=ready)
        nothing_changes(done)
        assert dict(done.final.desired.composite.connection_details) == before


# --- states -----------------------------------------------------------------------------------------------------------

STATES: dict[str, Callable[[Any], Any]] = {
    "condition": lambda vpc: vpc.condition("Ready").status == "True",
    "observed condition": lambda vpc: vpc.observed.condition("Ready").status == "True",
    "ready": lambda vpc: bool(vpc.observed.ready),
}


@pytest.mark.parametrize("state", STATES)
def test_states_are_no_values(state: str) -> None:
    """That a resource wasn't Ready at a birth protects nothing; that it isn't Ready any more doesn't delete."""

    def use(ctx: Any, status: Any) -> None:
        if STATES[state](ctx.resources["vpc"]):
            make(ctx, "s", fixed=1)

    cluster = cluster_of(using(use), spec={"region": "eu", "zones": ["a", "b"]})
    for _ in range(3):
        step(cluster)
        provide(cluster, FULL, ready=False)
    shrink(cluster, "acd")
    deletes(cluster, "zone-b")
    grow(cluster)
    assert "s" in cluster.objects
    for ready in (False, False, True, False, False, False):
        provide(cluster, FULL, ready=ready)
        nothing_changes(step(cluster))
    shrink(cluster, "ad")
    deletes(cluster, "zone-c")
    assert "s" in cluster.objects


# --- two steps that compose -------------------------------------------------------------------------------------------


@READY
def test_a_lost_value_of_one_step_blocks_no_other_step(ready: bool) -> None:
    """While one step can't see through a lost value, the user deletes what another step composes."""

    def other(ctx: Any) -> None:
        bool(ctx.observed["vpc"].status.domain)
        _zones(ctx)

    def first(ctx: Any) -> None:
        hashed(ctx, make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status)

    cluster = evolved(first, other, spec={"region": "eu", "zones": []})
    shrink(cluster, "ab")
    grow(cluster)
    for _ in range(2):
        nothing_changes(lose(cluster, ready=ready))
    shrink(cluster, "a")
    deletes(cluster, "zone-b")

"""What the condition says of what stays, and what stays because of values that aren't kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.plain import make
from tests.safety.stories import evolved, lose, nothing_changes, step
from tests.safety.values import provide
from tests.safety.zones import READY, shrink, spec

NEEDS: dict[str, Callable[[Any], Any]] = {
    "field": lambda vpc: vpc.observed.status.id,
    "text": lambda vpc: f"net/{vpc.observed.status.id}",
    "secret": lambda vpc: vpc.observed.connection_details["password"],
    "text of a secret": lambda vpc: f"db://{vpc.observed.connection_details['password']}",
}


def _needing(need: Callable[[Any], Any], region: list[str]) -> Callable[[Any], Any]:
    def compose(ctx: Any) -> None:
        vpc = make(ctx, "vpc", "Net", cidr="10.0.0.0/16")
        make(ctx, "s", value=need(vpc), region=region[-1])
        for zone in ctx.composite(Unstructured).observed.spec.zones:
            make(ctx, f"zone-{zone}", zone=zone)

    return compose


@READY
@pytest.mark.parametrize("need", NEEDS)
def test_what_exists_does_not_wait(need: str, ready: bool) -> None:
    """A resource that exists keeps what it has; only one that doesn't exist yet waits."""
    region = ["eu"]
    cluster = evolved(_needing(NEEDS[need], region), spec={"zones": []})
    for _ in range(2):
        done = lose(cluster, ready=ready)
        nothing_changes(done)
        assert "s keeps what it has until vpc." in done.waiting
        assert "waits" not in done.waiting
    del cluster.objects["s"]
    done = step(cluster)
    assert "s" not in cluster.objects
    assert "s waits for vpc." in done.waiting


def test_a_secret_that_is_only_set_outlasts_an_edit() -> None:
    """While a secret is missing that is only set to a field, edits count and deletions wait, also after an edit."""
    region = ["eu"]
    cluster = evolved(_needing(NEEDS["secret"], region), spec={"zones": ["a", "b"]})
    nothing_changes(lose(cluster))
    region.append("us")
    for _ in range(2):
        assert not step(cluster).deleted
        assert spec(cluster, "s")["region"] == "us"
    shrink(cluster)
    for _ in range(2):
        assert not step(cluster).deleted
        assert "zone-c" not in cluster.objects
    provide(cluster)
    assert step(cluster).deleted == ["zone-b"]


# --- what previous steps say ------------------------------------------------------------------------------------------

SIZES = {"small": "large", "more than is kept": "large" * 1000}


@READY
@pytest.mark.parametrize("size", SIZES)
def test_what_stays_because_of_a_previous_step_is_told(size: str, ready: bool) -> None:
    """Where a step that remembers nothing tells another one something, this one keeps what it made, and says so."""

    def network(ctx: Any) -> None:
        make(ctx, "vpc", "Net", cidr="10.0.0.0/16")

    def feed(ctx: Any) -> None:
        ctx.context["size"] = SIZES[size] if ctx.observed["vpc"].status.id else "none"

    def use(ctx: Any) -> None:
        make(ctx, "s", length=len(ctx.context["size"]))

    cluster = evolved(network, feed, use)
    before = spec(cluster, "s")
    assert before == {"length": len(SIZES[size])}
    for _ in range(2):
        done = lose(cluster, ready=ready)
        nothing_changes(done)
        assert "a previous step lacks values" in done.waiting
    provide(cluster)
    done = step(cluster)
    nothing_changes(done)
    assert "lacks values" not in done.waiting

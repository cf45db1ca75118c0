"""What the condition says of what stays, and what stays because of values that aren't kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.plain import make
from tests.safety.stories import evolved, lose, nothing_changes, step
from tests.safety.values import provide
from tests.safety.zones import READY, shrink, spec, using

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


def test_the_reason_is_how_things_are() -> None:
    """While Ready counts as it last was, the condition doesn't call the owner Ready."""

    def use(ctx: Any, status: Any) -> None:
        if ctx.resources["vpc"].condition("Ready").status == "True":
            for zone in ctx.composite(Unstructured).observed.spec.zones:
                make(ctx, f"gate-{zone}", fixed=1)

    cluster = evolved(using(use), spec={"zones": ["a"]})
    provide(cluster, ready=False)
    shrink(cluster, "ab")
    done = step(cluster)
    assert "gate-b waits for " in done.waiting and "vpc is Ready" not in done.waiting


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


# --- what compose() says ----------------------------------------------------------------------------------------------


def _composite_ready(ctx: Any, status: Any) -> None:
    ctx.composite(Unstructured).ready = bool(status.id)


def _part_ready(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).ready = bool(status.id)


def _fatal(ctx: Any, status: Any) -> None:
    if not status.id and ctx.composite(Unstructured).observed.spec.strict:
        ctx.results.fatal("no id")


def _warning(ctx: Any, status: Any) -> None:
    if not status.id:
        ctx.results.warning("no id")


def _text(ctx: Any, status: Any) -> None:
    ctx.results.normal(f"the id is {status.id}")


@pytest.mark.parametrize("say", [_composite_ready, _part_ready, _fatal, _warning, _text])
def test_what_compose_says_counts_as_it_last_was(say: Callable[[Any, Any], None]) -> None:
    """Readiness and results that a lost value decides are as they last were, although nothing else hangs on it."""
    cluster = evolved(using(say))
    cluster.xr["spec"]["strict"] = True
    for _ in range(3):
        provide(cluster)
        before = step(cluster)
        done = lose(cluster, ready=True)
        nothing_changes(done)
        assert not done.written
        assert done.final.desired.composite.ready == before.final.desired.composite.ready
        ready = {name: one.ready for name, one in before.final.desired.resources.items()}
        assert {name: one.ready for name, one in done.final.desired.resources.items()} == ready
        own = [text for _, text in done.results if "as it last was" not in text]
        assert own == [text for _, text in before.results if "resolved" not in text]

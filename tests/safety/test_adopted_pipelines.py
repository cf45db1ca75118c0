"""A pipeline of two steps whose resources were composed by another SDK: neither step takes the other's for its own."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.plain import make
from tests.safety.stories import evolved
from tests.safety.values import FULL, LOST


def _first(ctx: Any) -> None:
    composite = ctx.composite(Unstructured)
    composite.status.net = make(ctx, "a", "Net").observed.status.id
    make(ctx, "b", "Net")
    for zone in composite.observed.spec.zones:
        make(ctx, f"zone-{zone}", fixed=1)


def _second(ctx: Any) -> None:
    if ctx.observed["b"].status.arn:
        make(ctx, "r", fixed=1)


def test_values_come_back_to_one_step_after_the_other() -> None:
    """What the second step has made stays, though the first step gets its values back earlier."""
    cluster = evolved(_first, _second, spec={"zones": ["a"]})
    cluster.forget(mark=True)
    for one, other in ((LOST, LOST), (FULL, LOST), (FULL, FULL)):
        cluster.provide("a", one, ready=one is FULL)
        cluster.provide("b", other, ready=other is FULL)
        assert cluster.reconcile().deleted == []
    assert "r" in cluster.objects


@pytest.mark.parametrize("ready", [True, False])
def test_a_value_that_never_comes(ready: bool) -> None:
    """A first step that reads a value which never comes goes on making and deleting its own resources."""

    def asks(ctx: Any) -> None:
        _first(ctx)
        bool(ctx.observed["a"].status.never)

    cluster = evolved(asks, _second, spec={"zones": ["a", "b"]})
    cluster.forget(mark=True)
    for zones in ("ab", "abc", "ac"):
        cluster.xr["spec"]["zones"] = list(zones)
        for name in cluster.objects:
            cluster.provide(name, FULL, ready=ready)
        for _ in range(2):
            cluster.reconcile()
        assert {name for name in cluster.objects if "zone" in name} == {f"zone-{zone}" for zone in zones}
        assert "r" in cluster.objects


def test_a_step_makes_nothing_beside_what_another_one_keeps() -> None:
    """While a previous step keeps resources of any step, a later one makes no other ones in their place."""

    def branch(ctx: Any) -> None:
        make(ctx, "replica" if ctx.observed["b"].status.arn else "primary", fixed=1)

    cluster = evolved(_first, branch, spec={"zones": ["a"]})
    cluster.provide("a", FULL, ready=True)
    cluster.provide("b", FULL, ready=True)
    for _ in range(3):
        cluster.reconcile()
    there = set(cluster.objects)
    assert "replica" in there
    cluster.forget(mark=True)
    for name in "ab":
        cluster.provide(name, LOST, ready=False)
    for _ in range(2):
        cluster.reconcile()
        assert set(cluster.objects) == there

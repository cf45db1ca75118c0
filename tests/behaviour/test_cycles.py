"""Dependency cycles, and what only looks like one (design section 5)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import composition
from tests.behaviour import samples
from tests.behaviour.helpers import provider_of
from tests.behaviour.models import (
    Bucket,
    XStorageBucket,
)
from tests.support import call, run

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def ring(size: int) -> Any:
    """Return a function whose buckets wait for each other in a circle."""

    @composition.function
    def compose(ctx: Any) -> None:
        buckets = [ctx.resource(f"r{i}", Bucket()) for i in range(size)]
        for i, bucket in enumerate(buckets):
            bucket.spec.forProvider.location = buckets[(i + 1) % size].observed.status.atProvider.id

    return compose


@pytest.mark.parametrize("size", [2, 3, 7])
def test_cycles_are_fatal(size: int) -> None:
    """Held-back resources that wait for each other in a circle give one fatal result that prints the cycle."""
    answer = run(ring(size))
    assert len(answer.fatal) == 1
    assert all(f"r{i}" in answer.fatal[0] for i in range(size))
    assert not answer.resources


def test_a_cycle_through_an_existing_resource_is_none() -> None:
    """A resource that exists is kept, not held back, and so doesn't close a cycle."""
    answer = run(ring(2), observed={"r0": samples.bucket({"location": "seen"})})
    assert not answer.fatal
    assert list(answer.resources) == ["r0"]
    assert provider_of(answer, "r0") == {"location": "seen"}


def test_the_cycle_only_names_its_members() -> None:
    """Resources that merely wait for the cycle aren't printed as part of it."""

    @composition.function
    def compose(ctx: Any) -> None:
        first, second, tail = (ctx.resource(name, Bucket()) for name in ("first", "second", "tailing"))
        first.spec.forProvider.location = second.observed.status.atProvider.id
        second.spec.forProvider.location = first.observed.status.atProvider.id
        tail.spec.forProvider.location = first.observed.status.atProvider.id

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert "first" in answer.fatal[0]
    assert "second" in answer.fatal[0]
    assert "tailing" not in answer.fatal[0]


def test_the_composite_makes_no_false_cycle() -> None:
    """`a` waits for xr.status.x, which waits for `b`; xr.status.y waits for `a`: that is no cycle."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        a = ctx.resource("a", Bucket())
        b = ctx.resource("b", Bucket())
        a.spec.forProvider.location = xr.observed.status.x
        xr.status.x = b.observed.status.atProvider.id
        xr.status.y = a.observed.status.atProvider.id

    _, answer = call(compose)
    assert not answer.fatal
    assert list(answer.resources) == ["b"]


def test_a_real_cycle_through_the_composite_is_fatal() -> None:
    """Two resources that wait for each other by way of the composite's status are a cycle."""

    @composition.function
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        a = ctx.resource("first", Bucket())
        b = ctx.resource("second", Bucket())
        a.spec.forProvider.location = xr.observed.status.x
        xr.status.x = b.observed.status.atProvider.id
        b.spec.forProvider.location = xr.observed.status.y
        xr.status.y = a.observed.status.atProvider.id

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert "first" in answer.fatal[0]
    assert "second" in answer.fatal[0]


def test_depends_on_can_be_part_of_a_cycle() -> None:
    """depends_on counts as an edge like any field."""

    @composition.function
    def compose(ctx: Any) -> None:
        a = ctx.resource("first", Bucket())
        b = ctx.resource("second", Bucket(), depends_on=[a])
        a.spec.forProvider.location = b.observed.status.atProvider.id

    answer = run(compose)
    assert len(answer.fatal) == 1


def test_text_can_be_part_of_a_cycle() -> None:
    """A dependency inside a string closes a cycle like one that is a value."""

    @composition.function
    def compose(ctx: Any) -> None:
        a = ctx.resource("first", Bucket())
        b = ctx.resource("second", Bucket())
        a.spec.forProvider.location = f"x-{b.observed.status.atProvider.id}"
        b.spec.forProvider.location = f"x-{a.observed.status.atProvider.id}".upper()

    assert len(run(compose).fatal) == 1


@pytest.mark.slow
def test_a_long_chain_is_no_cycle() -> None:
    """Thousands of resources that wait for each other one by one need no recursion."""

    def compose(ctx: Any) -> None:
        previous = ctx.resource("r0", Bucket())
        for i in range(1, 3000):
            bucket = ctx.resource(f"r{i}", Bucket())
            bucket.spec.forProvider.location = previous.observed.status.atProvider.id
            previous = bucket

    _, answer = call(compose)
    assert not answer.fatal
    assert list(answer.resources) == ["r0"]


def _layers(edges: dict[int, set[int]]) -> list[set[int]] | None:
    """Return the topological layers of a graph (node to what it needs), None if it has a cycle."""
    left = {node: needs - {node} for node, needs in edges.items()}
    layers: list[set[int]] = []
    while left:
        layer = {node for node, needs in left.items() if not needs & set(left)}
        if not layer:
            return None
        layers.append(layer)
        left = {node: needs for node, needs in left.items() if node not in layer}
    return layers


@SETTINGS
@given(
    st.integers(1, 6).flatmap(
        lambda n: st.fixed_dictionaries({i: st.sets(st.integers(0, n - 1), max_size=3) for i in range(n)})
    ),
    st.booleans(),
)
def test_random_graphs_appear_in_topological_waves(edges: dict[int, set[int]], text: bool) -> None:
    """Over repeated calls resources appear layer by layer; a cycle is fatal; self-references don't count."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        buckets = {i: ctx.resource(f"r{i}", Bucket()) for i in edges}
        for i, needs in edges.items():
            for j in sorted(needs):
                value = buckets[j].observed.status.atProvider.id
                buckets[i].spec.forProvider.labels[f"d{j}"] = f"x-{value}" if text else value

    layers = _layers(edges)
    observed: dict[str, Any] = {}
    if layers is None:
        assert len(run(compose).fatal) == 1
        return
    expected: set[str] = set()
    for layer in layers:
        answer = run(compose, observed=observed)
        assert not answer.fatal
        expected |= {f"r{i}" for i in layer}
        assert set(answer.resources) == expected
        assert answer.composite_ready is (False if len(expected) < len(edges) else None)
        observed = {name: {**value, "status": {"atProvider": {"id": name}}} for name, value in answer.emitted.items()}
    answer = run(compose, observed=observed)
    for i, needs in edges.items():
        labels = {f"d{j}": f"x-r{j}" if text else f"r{j}" for j in needs}
        assert provider_of(answer, f"r{i}").get("labels", {}) == labels


def _asks_for_what_it_is_asked_by(ctx: Any, key: str, name: str) -> Any:
    bucket = ctx.resource(name, Bucket())
    ctx.requirements.resources[key] = composition.ResourceSelector(
        api_version="v1", kind="ConfigMap", match_name=bucket.observed.status.atProvider.id
    )
    return bucket


def test_a_requirement_can_be_part_of_a_cycle() -> None:
    """A resource that waits for a requirement whose selector waits for that resource is a cycle."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = _asks_for_what_it_is_asked_by(ctx, "config", "first")
        bucket.spec.forProvider.location = ctx.required_resources.get("config")[0].observed.data.location

    (text,) = run(compose).fatal
    assert "cycle" in text
    assert "first" in text
    assert "required.config" in text


def test_a_cycle_through_several_requirements() -> None:
    """Requirements close a cycle among several resources as well, in labels like in names and in text."""

    @composition.function
    def compose(ctx: Any) -> None:
        first = _asks_for_what_it_is_asked_by(ctx, "one", "first")
        second = ctx.resource("second", Bucket())
        ctx.requirements.resources["two"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_labels={"a": f"x-{second.observed.status.atProvider.id}"}
        )
        first.spec.forProvider.location = ctx.required_resources.get("two")[0].observed.data.location
        second.spec.forProvider.location = ctx.required_resources.get("one")[0].observed.data.location

    (text,) = run(compose).fatal
    assert all(name in text for name in ("first", "second", "required.one", "required.two"))


@pytest.mark.parametrize("observed", [{}, {"first": samples.bucket(status={"id": "i"})}])
def test_a_requirement_in_a_line_is_no_cycle(observed: dict[str, Any]) -> None:
    """A resource that waits for a requirement that waits for another resource is merely held back."""

    @composition.function
    def compose(ctx: Any) -> None:
        _asks_for_what_it_is_asked_by(ctx, "config", "first")
        second = ctx.resource("second", Bucket())
        second.spec.forProvider.location = ctx.required_resources.get("config")[0].observed.data.location

    answer = run(compose, observed=observed)
    assert not answer.fatal
    assert list(answer.resources) == ["first"]
    assert ("config" in answer.requirements.resources) is bool(observed)

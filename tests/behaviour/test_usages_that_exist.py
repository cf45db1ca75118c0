"""Usages that exist: which stay, which go, and that neither guesses nor failures take them (`usages=True`)."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite._core.dependencies.usages import usage_name
from tests.behaviour.models import VPC, Bucket
from tests.behaviour.usages_models import Cluster, edges, existing, function, needing, reconciled, usages
from tests.support import run


def with_usage(**kwargs: Any) -> Cluster:
    """Return a cluster in which `a` needs `b`, and has a Usage that says so."""
    cluster = existing("a", "b", **kwargs)
    assert edges(reconciled(cluster, needing({"a": ["b"], "b": []}))) == {("a", "b")}
    return cluster


# What the code is later, the Usages that are desired then, and what goes, in order.
LATER: dict[str, tuple[dict[str, list[str]], set[tuple[str, str]], list[str]]] = {
    "the edge is gone": ({"a": [], "b": []}, {("a", "b")}, []),
    "the dependent is gone": ({"b": []}, {("a", "b")}, ["a"]),
    "both are gone": ({}, {("a", "b")}, ["a", "b"]),
    "the dependency is gone": ({"a": []}, set(), ["b"]),
    "the edge is on a cycle now": ({"a": ["b"], "b": ["a"]}, set(), []),
    "the edge is on a longer cycle now": ({"a": ["b"], "b": ["c"], "c": ["a"]}, set(), []),
}


@pytest.mark.parametrize("what", LATER)
def test_an_existing_usage(what: str) -> None:
    """A Usage stays while its dependent exists, unless the author wants the dependency alone to go."""
    needs, expected, gone = LATER[what]
    cluster = with_usage()
    assert edges(reconciled(cluster, needing(needs))) == expected
    assert cluster.waves() == gone
    assert edges(cluster.reconcile()) == (set() if gone else expected)
    assert cluster.refused == []


@pytest.mark.parametrize("both", [False, True])
def test_removed_resources(both: bool) -> None:
    """ctx.remove makes no new Usage; one that exists stays until the removed dependent is gone, then it goes too."""

    @function()
    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        a.spec.forProvider.location = b.observed.status.atProvider.id
        ctx.remove("a")
        if both:
            ctx.remove("b")

    assert edges(reconciled(existing("a", "b"), compose)) == set()
    cluster = with_usage()
    assert edges(reconciled(cluster, compose)) == {("a", "b")}
    assert cluster.collect() == ["a"]
    assert edges(cluster.reconcile()) == set()
    assert cluster.waves() == (["b"] if both else [])
    assert cluster.refused == []


def test_a_removed_dependency_is_let_go() -> None:
    """A Usage of what ctx.remove took out goes, because the author wants that to go."""

    @function()
    def compose(ctx: Any) -> None:
        ctx.resource("a", Bucket())
        ctx.remove("b")

    assert edges(reconciled(with_usage(), compose)) == set()


def test_a_usage_does_not_go_with_its_source() -> None:
    """A value that went missing takes no Usage away."""

    @function()
    def compose(ctx: Any) -> None:
        source = ctx.resource("source", VPC())
        b = ctx.resource("b", Bucket())
        a = ctx.resource("a", Bucket())
        b.spec.forProvider.location = source.observed.status.atProvider.vpcId
        a.spec.forProvider.location = b.observed.status.atProvider.id

    cluster = with_usage()
    for name in ("a", "b"):
        cluster.observed[name].pop("status")
    answer = run(compose, **cluster.request)
    assert edges(answer) == {("a", "b")}
    assert {"a", "b"} <= answer.resources.keys()


def test_a_usage_goes_with_an_end_that_is_gone() -> None:
    """A Usage with an end that is gone is let go, and comes back with it. A dependent that isn't shown may still be."""
    cluster = with_usage()
    compose = needing({"a": ["b"], "b": []})
    usage = usage_name(("a", "b"))
    old = cluster.observed["a"]
    for name in "ab":
        observed = {key: value for key, value in cluster.observed.items() if key != name}
        gone = run(compose, xr=cluster.xr, observed=observed, required={usage: []})
        assert edges(gone) == set()
        dying = run(compose, xr=cluster.xr, observed=observed, required={usage: [old]})
        assert edges(dying) == ({("a", "b")} if name == "a" else set())
        assert [*dying.requirements.resources] == ([usage] if name == "a" else [])
    assert edges(cluster.reconcile()) == {("a", "b")}


def test_usages_go_when_they_are_turned_off() -> None:
    """Without usages=True no Usage is desired any more, also after a guess."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        a.spec.forProvider.location = b.observed.status.atProvider.count or "x"

    cluster = with_usage()
    for name in "ab":
        del cluster.observed[name]["status"]["conditions"]  # what is Ready makes no guess
    answer = run(compose, **cluster.request)
    assert not answer.fatal
    assert usages(answer) == {}
    assert sorted(answer.resources) == ["a", "b"]


def test_another_steps_usages_are_left_alone() -> None:
    """A step keeps only its own Usages; one that only looks like a Usage of this package is nobody's."""
    cluster = with_usage()
    compose = needing({"a": [], "b": []}, step="other")
    assert edges(run(compose, **cluster.request)) == set()
    name = usage_name(("a", "b"))
    cluster.observed["usage-else"] = cluster.observed.pop(name)
    assert edges(run(needing({"a": [], "b": []}), **cluster.request)) == set()


def test_a_foreign_resource_with_a_usages_name() -> None:
    """An existing resource of another kind that has a Usage's name isn't made into one."""
    cluster = existing("a", "b", usage_name(("a", "b")))
    assert edges(run(needing({"a": ["b"], "b": []}), **cluster.request)) == set()


# --- guesses, fatal results, requirements ------------------------------------------------------------------------


def test_usages_are_not_lost_after_a_guess() -> None:
    """A Usage that isn't due any more after a guess is no lost resource; a resource is."""

    @function()
    def compose(ctx: Any) -> None:
        a = ctx.resource("a", Bucket())
        if a.observed.status.atProvider.count:
            ctx.resource("b", Bucket())

    cluster = with_usage()
    for name in "ab":
        del cluster.observed[name]["status"]["conditions"]  # what is Ready makes no guess
    assert "b" in run(compose, **cluster.request).resources
    del cluster.observed["b"]
    answer = run(compose, **cluster.request)
    assert not answer.fatal
    assert usages(answer) == {}


def test_a_fatal_answer_has_no_usages() -> None:
    """A fatal answer leaves desired state as it came."""

    @function()
    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        a.spec.forProvider.location = b.observed.status.atProvider.id
        ctx.results.fatal("no")

    answer = run(compose, **existing("a", "b").request)
    assert answer.fatal == ["no"]
    assert not answer.emitted


@pytest.mark.parametrize("raises", [False, True])
def test_usages_stay_while_a_requirement_is_unanswered(raises: bool) -> None:
    """While Crossplane has not answered, whatever is desired by then, no Usage goes."""

    @function()
    def compose(ctx: Any) -> None:
        ctx.requirements.resources["x"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_name="x"
        )
        a = ctx.resource("a", Bucket())
        if raises:
            raise ValueError(a)
        if ctx.required_resources.get("x"):
            ctx.resource("b", Bucket())

    answer = run(compose, **with_usage().request)
    assert not answer.fatal
    assert edges(answer) == {("a", "b")}

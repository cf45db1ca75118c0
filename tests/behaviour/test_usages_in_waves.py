"""What is taken out of a composition goes in waves, and no deletion is tried that is refused (`usages=True`)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.dependencies.usages import usage_name
from tests.behaviour.models import VPC, Bucket, Subnet
from tests.behaviour.usages_models import Cluster, edges, existing, function, needing, reconciled
from tests.support import KNOWN, MARKER, READY, Response, with_conditions

NAMES = [f"r{i}" for i in range(6)]


@function(auto_ready=True)
def network(ctx: Any) -> None:
    """Compose a VPC, and a subnet and two things in it for each zone of the XR."""
    spec = ctx.composite(Unstructured).observed.spec
    vpc = ctx.resource("vpc", VPC())
    vpc.spec.forProvider.region = spec.region
    for zone in spec.zones:
        subnet = ctx.resource(f"subnet-{zone}", Subnet())
        subnet.spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId
        for kind in ("nat", "database"):
            thing = ctx.resource(f"{kind}-{zone}", Bucket())
            thing.spec.forProvider.location = subnet.observed.status.atProvider.id


def of_zone(zone: str) -> set[str]:
    """Return what `network` composes for a zone."""
    return {f"{kind}-{zone}" for kind in ("subnet", "nat", "database")}


def complete(zones: str) -> Cluster:
    """Return a cluster in which all of `network` exists."""
    cluster = Cluster(network)
    cluster.xr["spec"] = {"zones": list(zones), "region": "one"}
    cluster.until_complete({"vpc"}.union(*map(of_zone, zones)))
    cluster.reconcile()
    return cluster


def told(answer: Response) -> str:
    """Return the message of the condition; empty if there is none."""
    return answer.conditions.get("DependenciesResolved", (None, "", ""))[2]


def test_three_zones_are_taken_out() -> None:
    """What is in the zones goes first, then their subnets; nothing is refused, and another edit is applied at once."""
    cluster = complete("abcd")
    cluster.xr["spec"] = {"zones": ["d"], "region": "two"}
    answer = cluster.reconcile()
    assert answer.emitted["vpc"]["spec"]["forProvider"]["region"] == "two"
    assert told(answer) == "step: " + "; ".join(
        f"subnet-{zone} is kept until database-{zone}, nat-{zone} are deleted (Usages)" for zone in "abc"
    )
    gone = cluster.waves()
    assert sorted(gone) == sorted(set().union(*map(of_zone, "abc")))
    assert {name[:-2] for name in gone[:6]} == {"nat", "database"}
    assert cluster.refused == []
    assert cluster.names == {"vpc", *of_zone("d")}
    assert edges(cluster.reconcile()) == {("subnet-d", "vpc"), ("nat-d", "subnet-d"), ("database-d", "subnet-d")}


def test_what_is_told_from_wave_to_wave() -> None:
    """The condition names what has to go first, the composite stays ready, and the next call comes soon."""
    cluster = complete("a")
    cluster.steps = [needing({"other": []}, auto_ready=True)]
    cluster.xr["status"] = {"conditions": [READY]}
    cluster.create("other")
    texts: list[str] = []
    for _ in range(6):
        answer = cluster.reconcile()
        cluster.xr = with_conditions(cluster.xr, answer)
        is_resolved, _, text = answer.conditions["DependenciesResolved"]
        assert is_resolved is not ("is kept" in text)
        assert answer.ttl == (60 if is_resolved else 10)
        assert all(answer.ready.values())
        texts.append(text.removeprefix("step: "))
        cluster.collect()
    both = "vpc is kept until subnet-a is deleted (Usages)"
    assert texts == [
        *[f"subnet-a is kept until database-a, nat-a are deleted (Usages); {both}"] * 2,
        *[both] * 2,
        *["every dependency is resolved"] * 2,
    ]
    assert cluster.names == {"other"}
    assert cluster.refused == []


def test_a_dependent_that_dies_slowly() -> None:
    """While a deletion takes its time, what is kept stays as Crossplane applied it, with marks and notes."""
    cluster = complete("a")
    cluster.xr["spec"]["zones"] = []
    before = cluster.rounds[-1].emitted["subnet-a"]
    assert {MARKER, KNOWN} <= before["metadata"]["annotations"].keys()
    answers = [cluster.reconcile() for _ in range(4)]
    assert all(answer.emitted["subnet-a"] == before for answer in answers)
    assert all(("nat-a", "subnet-a") in edges(answer) for answer in answers)
    assert len({json.dumps(answer.emitted, sort_keys=True) for answer in answers}) == 1  # notes move once
    assert sorted(cluster.waves()) == sorted(of_zone("a"))
    assert cluster.refused == []


def test_a_zone_is_put_back_while_it_goes() -> None:
    """What was kept is composed again as if nothing had happened."""
    cluster = complete("ab")
    before = cluster.reconcile()
    cluster.xr["spec"]["zones"] = ["b"]
    cluster.reconcile()
    cluster.xr["spec"]["zones"] = ["a", "b"]
    assert cluster.reconcile().resources == before.resources
    assert "is kept" not in told(cluster.reconcile())


def test_a_dependent_that_stays() -> None:
    """A dependency that alone isn't wanted any more goes as soon as its Usage has gone."""
    cluster = existing("a", "b")
    reconciled(cluster, needing({"a": ["b"], "b": []}))
    usage = usage_name(("a", "b"))
    answer = reconciled(cluster, needing({"a": []}))
    assert usage not in answer.emitted
    assert "b is kept until a is deleted (Usages)" in told(answer)
    cluster.collect()
    assert cluster.names == {"a", "b"}
    assert cluster.waves() == ["b"]
    assert cluster.refused == []


def test_no_dependent_means_no_wait() -> None:
    """What no Usage protects goes at once, and so does a dependent."""
    cluster = existing("a", "b", "c")
    reconciled(cluster, needing({"a": ["b"], "b": [], "c": []}))
    assert "DependenciesResolved" not in reconciled(cluster, needing({"b": []})).conditions
    assert cluster.collect() == ["a", "c"]


@pytest.mark.parametrize("kept", ["", "a", "b"])
def test_usages_on_a_cycle_keep_nothing(kept: str) -> None:
    """Usages of two steps that are on a cycle end in no deadlock."""
    names = ("a", "b")
    cluster = existing(*names)
    steps = [needing({"a": ["b"], "b": []}, step="step"), needing({"a": [], "b": ["a"]}, step="other")]
    for one, alone in zip(steps, existing_usages(*steps), strict=True):
        reconciled(cluster, one)
        cluster.observed.update(alone)
    reconciled(cluster, *(needing({name: [] for name in kept}, step=step) for step in ("step", "other")))
    assert set(cluster.waves()) == {*names} - {kept}
    assert told(cluster.reconcile()) == ""


def existing_usages(*steps: Any) -> list[dict[str, Any]]:
    """Return the Usages that each of the steps would have made alone, as they exist."""
    found = []
    for one in steps:
        cluster = existing("a", "b")
        reconciled(cluster, one)
        found.append({name: cluster.observed[name] for name in cluster.observed.keys() - cluster.names})
    return found


def test_a_removed_resource_that_others_need() -> None:
    """A resource of an earlier step that a step removes stays as that step desires it until its dependents are gone."""

    @composition.function(name="step", usages=True)
    def first(ctx: Any) -> None:
        names = "ab" if ctx.composite(Unstructured).observed.spec.both else "b"
        made = {name: ctx.resource(name, Bucket()) for name in names}
        made["b"].spec.forProvider.location = "x"
        if "a" in made:
            made["a"].spec.forProvider.location = made["b"].observed.status.atProvider.id

    @composition.function(name="other", usages=True)
    def second(ctx: Any) -> None:
        ctx.remove("b")

    cluster = existing("a", "b")
    cluster.xr["spec"] = {"both": True}
    before = reconciled(cluster, first)
    answer = reconciled(cluster, first, second)
    assert answer.emitted["b"] == before.emitted["b"]
    assert "b is kept until a is deleted (Usages)" in answer.texts
    assert cluster.waves() == []
    cluster.xr["spec"] = {}
    cluster.reconcile()
    assert cluster.waves() == ["a", "b"]
    assert cluster.refused == []


@pytest.mark.parametrize("goes", ["both", "first", "second"])
def test_a_resource_of_two_steps(goes: str) -> None:
    """A resource that both steps register is kept by the last one; while one of them wants it, nobody keeps it."""

    @composition.function(name="first", usages=True)
    def first(ctx: Any) -> None:
        if ctx.composite(Unstructured).observed.spec.first:
            ctx.resource("vpc", VPC()).spec.forProvider.region = "x"

    @composition.function(name="second", usages=True)
    def second(ctx: Any) -> None:
        if ctx.composite(Unstructured).observed.spec.second:
            vpc = ctx.resource("vpc", VPC())
            subnet = ctx.resource("subnet", Subnet())
            subnet.spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId

    cluster = Cluster(first, second)
    cluster.xr["spec"] = {"first": True, "second": True}
    cluster.until_complete(["vpc", "subnet"])
    cluster.reconcile()
    cluster.xr["spec"] = {"first": goes == "second", "second": goes == "first"}
    answer = cluster.reconcile()
    assert ("vpc is kept until subnet is deleted (Usages)" in answer.texts) is (goes == "both")
    if goes == "first":
        assert "spec" not in answer.emitted["vpc"]  # what the first step has set
    assert cluster.waves() == {"both": ["subnet", "vpc"], "first": [], "second": ["subnet"]}[goes]
    assert cluster.refused == []


def test_the_input_says_what_there_is() -> None:
    """What another input of the step leaves out goes in waves as well."""

    @composition.function(name="step", usages=True)
    def compose(ctx: Any) -> None:
        made = {name: ctx.resource(name, Bucket()) for name in ctx.input["names"]}
        for name, other in zip("ab", "bc", strict=True):
            if name in made:
                made[name].spec.forProvider.location = made[other].observed.status.atProvider.id

    cluster = Cluster(compose)
    for names in ("abcd", "d"):
        cluster.inputs = [{"names": list(names)}]
        cluster.until_complete(names)
        cluster.reconcile()
    assert cluster.waves() == ["a", "b", "c"]
    assert cluster.refused == []


def test_usages_are_turned_off_while_something_goes() -> None:
    """Without usages=True the Usages go first, and then, in any order, what they protected."""
    cluster = existing("a", "b", "c")
    reconciled(cluster, needing({"a": ["b"], "b": ["c"], "c": []}))
    answer = reconciled(cluster, needing({"d": []}, usages=False))
    assert edges(answer) == set()
    assert sorted(cluster.waves()) == ["a", "b", "c"]
    assert cluster.refused == []


def test_without_managed_fields_it_is_as_before() -> None:
    """A resource whose desired fields nobody knows isn't kept: Crossplane's refusals keep the order."""
    cluster = existing("a", "b")
    reconciled(cluster, needing({"a": ["b"], "b": []}))
    del cluster.observed["b"]["metadata"]["managedFields"]
    answer = reconciled(cluster, needing({}))
    assert "b" not in answer.emitted
    assert told(answer) == ""
    assert cluster.waves() == ["a", "b"]


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))),
    st.lists(st.sets(st.sampled_from(NAMES)), min_size=1, max_size=4),
)
def test_any_part_of_any_graph(pairs: set[tuple[int, int]], releases: list[set[str]]) -> None:
    """Whatever goes at whatever time, dependents go first, all of it goes, and nothing is refused."""
    needs = {name: {NAMES[j] for i, j in pairs if NAMES[i] == name and j < i} for name in NAMES}
    cluster = existing(*NAMES)
    reconciled(cluster, needing({name: sorted(others) for name, others in needs.items()}))
    left = {*NAMES}
    for taken in releases:
        while any(needs[name] & taken for name in left - taken):  # what needs it goes, too
            taken = taken | {name for name in left if needs[name] & taken}
        left -= taken
        reconciled(cluster, needing({name: sorted(needs[name]) for name in sorted(left)}))
        gone = cluster.waves()
        assert all(gone.index(one) < gone.index(other) for one in gone for other in needs[one] & {*gone})
        assert cluster.names == left
    assert cluster.refused == []

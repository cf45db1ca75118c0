"""The VPC example: thirty resources in waves; then values get lost, the spec changes, and hands edit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .kube import wait
from .world import NOTHING, Composite, Snapshot, World, condition

_LOSSES = [("vpc", "id"), ("nat-a", "publicIp"), ("gateway", "id"), ("vpc", "")]


@pytest.fixture(scope="module")
def vpc(shared_world: World) -> Iterator[Composite]:
    """The example's composite, which was Ready once."""
    function = shared_world.function("examples.vpc.function:compose")
    made = shared_world.example("vpc", function)
    shared_world.rows["ready_after"] = round(made.wait_ready(200), 1)
    shared_world.rows["calls"] = function.calls
    writes = made.writes()
    for writer in ("crossplane", "provider"):
        count = sum(n for (who, _, _), n in writes.items() if who == writer)
        shared_world.rows[f"writes_by_{writer}"] = round(count / len(made.composed()), 1)
    shared_world.rows["conflicts"] = sum(
        n for (who, _, code), n in writes.items() if who == "crossplane" and code >= 400
    )
    shared_world.rows["lost"] = shared_world.rows["recreated"] = shared_world.rows["spec_changes"] = 0
    yield made


@pytest.fixture
def before(shared_world: World, vpc: Composite) -> Snapshot:
    """What there is before a test, when all is well."""
    vpc.wait_ready(150)
    shared_world.react(vpc)
    return vpc.snapshot()


def _same(world: World, vpc: Composite, before: Snapshot) -> None:
    """Check that nothing was lost or changed, and nothing happened in the cloud."""
    change = vpc.since(before)
    world.rows["lost"] += len(change.gone) + len(change.dying)
    world.rows["recreated"] += len(change.again)
    world.rows["spec_changes"] += len(change.changed)
    assert change == NOTHING, vpc.told()
    assert vpc.cloud()[before.events :] == []


def test_waves(shared_world: World, vpc: Composite) -> None:
    """The example becomes Ready; each thing is made once, no write is refused, and nothing waits any more."""
    assert shared_world.rows["ready_after"] < 120
    assert shared_world.rows["conflicts"] == 0
    composed = vpc.composed()
    assert len(composed) == 30
    assert sorted(one["resource"] for one in vpc.cloud() if one["what"] == "created") == sorted(composed)
    assert {one["what"] for one in vpc.cloud()} == {"created"}
    assert wait(lambda: vpc.condition("DependenciesResolved")["status"] == "True", 30), vpc.told()
    status = vpc.get()["status"]
    assert len(status["privateSubnetIds"]) == len(status["outgoingAddresses"]) == 3


def test_it_stays_small(vpc: Composite) -> None:
    """Neither the managed fields and conditions of the composite nor its events grow with the number of calls."""
    one = vpc.get()
    assert len(str(one["metadata"]["managedFields"])) < 6_000
    assert len(str(one["status"]["conditions"])) < 2_000
    assert len(vpc.events()) < 30


@pytest.mark.parametrize(("name", "field"), _LOSSES, ids=[f"{name} {field or 'status'}" for name, field in _LOSSES])
def test_a_value_is_lost(shared_world: World, vpc: Composite, before: Snapshot, name: str, field: str) -> None:
    """Nothing goes or changes when a value that others refer to disappears, nor when it comes back."""
    vpc.lose(name, *([field] if field else []))
    shared_world.react(vpc)
    _same(shared_world, vpc, before)
    # The address stands in the composite's status alone.
    expected = "True" if field == "publicIp" else "False"
    assert wait(lambda: vpc.condition("DependenciesResolved")["status"] == expected, 30), vpc.told()
    vpc.resume(name)
    assert wait(lambda: condition(vpc.composed()[name], "Ready").get("status") == "True", 60)
    shared_world.react(vpc)
    _same(shared_world, vpc, before)


def test_each_status_is_wiped(shared_world: World, vpc: Composite, before: Snapshot) -> None:
    """Nothing goes or changes when all composed resources lose their status, as after a restored backup."""
    names = sorted(before.objects)
    vpc.pause(*names)
    for name in names:
        vpc.lose(name)
    shared_world.react(vpc)
    _same(shared_world, vpc, before)
    vpc.resume(*names)
    shared_world.react(vpc)
    vpc.wait_ready(150)
    _same(shared_world, vpc, before)


def test_the_status_of_the_composite_is_wiped(shared_world: World, vpc: Composite, before: Snapshot) -> None:
    """The composite's status and conditions come back by themselves."""
    kept = vpc.get()["status"]
    vpc.kube.merge(f"{vpc.path}/status", {"status": None})
    shared_world.react(vpc)
    vpc.wait_ready(150)
    _same(shared_world, vpc, before)
    now = vpc.get()["status"]
    assert {key: now[key] for key in now if key != "conditions"} == {
        key: kept[key] for key in kept if key != "conditions"
    }
    assert wait(lambda: vpc.condition("DependenciesResolved")["status"] == "True", 30), vpc.told()


def test_a_hand_edits(shared_world: World, vpc: Composite, before: Snapshot) -> None:
    """What somebody changes by hand is changed back, and what somebody adds stays."""
    edit = {"spec": {"forProvider": {"mapPublicIpOnLaunch": False, "tags": {"Name": "x", "mine": "y"}}}}
    vpc.kube.merge(vpc.place("public-a"), edit)
    shared_world.react(vpc)
    expected = (*NOTHING[:4], {"public-a": [".forProvider.tags.mine"]})
    # The reconcile that was waited for may have read the resource before the edit.
    assert wait(lambda: vpc.since(before) == expected, 60), vpc.since(before)


def test_a_zone_goes_and_comes_back(shared_world: World, vpc: Composite, before: Snapshot) -> None:
    """A smaller spec deletes what isn't wanted any more and nothing else; a larger one makes it again."""
    zone = {name for name in before.objects if name.endswith(("-c", "-c-routes"))}
    vpc.kube.merge(vpc.path, {"spec": {"zones": ["a", "b"]}})
    assert wait(lambda: not zone & vpc.composed().keys(), 120), vpc.told()
    shared_world.react(vpc)
    change = vpc.since(before)
    assert set(change.gone) == zone
    assert change[1:4] == NOTHING[1:4]
    assert set(change.changed) <= {"outgoing"}
    vpc.kube.merge(vpc.path, {"spec": {"zones": ["a", "b", "c"]}})
    assert wait(lambda: zone <= vpc.composed().keys(), 120), vpc.told()
    vpc.wait_ready(150)
    change = vpc.since(before)
    assert (change.gone, change.new, set(change.again)) == ([], [], zone)


def test_a_hand_deletes(shared_world: World, vpc: Composite, before: Snapshot) -> None:
    """What somebody deletes by hand is made again, and the rest stays."""
    name = "private-a-routes"
    vpc.kube.delete(vpc.place(name))
    uid = before.objects[name]["metadata"]["uid"]
    assert wait(lambda: vpc.composed().get(name, before.objects[name])["metadata"]["uid"] != uid, 90)
    vpc.wait_ready(150)
    shared_world.react(vpc)
    change = vpc.since(before)
    assert (change.gone, change.new, change.again, change.dying) == ([], [], [name], [])
    assert set(change.changed) <= {name}


def test_it_is_deleted(shared_world: World, vpc: Composite, before: Snapshot) -> None:
    """Everything goes with the composite, also from the cloud."""
    vpc.delete()
    assert wait(vpc.is_gone, 60)
    names = {one["name"] for one in vpc.cloud() if one["what"] == "created"}
    assert wait(lambda: {one["name"] for one in vpc.cloud() if one["what"] == "deleted"} == names, 120)
    shared_world.rows["delete_refused"] = sum(one["what"] == "delete refused" for one in vpc.cloud())

"""An `if`, a loop, a cut text and a gate over what the provider reports; then values go missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .kube import wait
from .world import NOTHING, Composite, Snapshot, World, condition

_STATUS = {"vpcId": "string", "subnets": "array"}
_SPEC = {"groups": {"web": "for web", "db": "for db"}}
_NAMES = ["gateway", "group-db", "group-web", "subnet", "table", "vpc"]


@pytest.fixture(scope="module")
def guessed(shared_world: World) -> Composite:
    """The composite, which was Ready once."""
    function = shared_world.function("tests.cluster.functions:guess")
    made = shared_world.composite("Guess", _SPEC, function, status=_STATUS)
    shared_world.rows["ready_after"] = round(made.wait_ready(), 1)
    shared_world.rows["calls"] = function.calls
    shared_world.rows["lost"] = shared_world.rows["recreated"] = shared_world.rows["spec_changes"] = 0
    return made


@pytest.fixture
def before(shared_world: World, guessed: Composite) -> Snapshot:
    """What there is before a test, when all is well."""
    guessed.wait_ready()
    shared_world.react(guessed)
    return guessed.snapshot()


def test_all_is_composed(guessed: Composite) -> None:
    """What a missing value has held back is composed when the value comes."""
    assert sorted(guessed.composed()) == _NAMES
    vpc_id = guessed.composed()["vpc"]["status"]["atProvider"]["id"]
    assert guessed.composed()["table"]["spec"]["forProvider"]["tags"]["short"] == vpc_id[-6:]
    assert guessed.get()["status"]["vpcId"] == vpc_id


@pytest.mark.parametrize(
    "lose",
    [
        pytest.param(lambda one: one.lose("vpc", "id"), id="id"),
        pytest.param(lambda one: one.unready("vpc"), id="not Ready"),
        pytest.param(lambda one: one.lose("vpc"), id="status"),
    ],
)
def test_a_value_is_lost(
    shared_world: World, guessed: Composite, before: Snapshot, lose: Callable[[Composite], None]
) -> None:
    """Nothing goes or changes when the value that an `if`, a loop, a text or a gate needs disappears, or comes back."""
    for act in (lose, lambda one: one.resume("vpc")):
        act(guessed)
        shared_world.react(guessed)
        change = guessed.since(before)
        shared_world.rows["lost"] += len(change.gone) + len(change.dying)
        shared_world.rows["recreated"] += len(change.again)
        shared_world.rows["spec_changes"] += len(change.changed)
        assert change == NOTHING, guessed.told()
        assert guessed.cloud()[before.events :] == []
    assert wait(lambda: condition(guessed.composed()["vpc"], "Ready").get("status") == "True", 60)


def test_the_status_of_the_composite_is_wiped(shared_world: World, guessed: Composite, before: Snapshot) -> None:
    """The composite's status comes back by itself."""
    guessed.kube.merge(f"{guessed.path}/status", {"status": None})
    shared_world.react(guessed)
    guessed.wait_ready()
    assert guessed.since(before) == NOTHING
    assert guessed.get()["status"]["vpcId"] == before.objects["vpc"]["status"]["atProvider"]["id"]


def test_the_function_restarts_under_load(shared_world: World, guessed: Composite, before: Snapshot) -> None:
    """Thirty reconciles while the server is replaced three times change nothing."""
    (function,) = shared_world.functions
    for number in range(30):
        guessed.poke()
        if number % 10 == 5:
            function.stop()
            function.start()
        wait(lambda: False, 0.3)
    shared_world.react(guessed)
    guessed.wait_ready()
    assert guessed.since(before) == NOTHING
    assert guessed.cloud()[before.events :] == []


def test_the_object_is_made_anew(shared_world: World, guessed: Composite, before: Snapshot) -> None:
    """What refers to an object that was deleted and made anew follows it, and nothing else goes."""
    place = guessed.place("vpc")
    guessed.kube.delete(place)
    guessed.kube.merge(place, {"metadata": {"finalizers": None}})  # after it, for the provider adds it again before
    uid = before.objects["vpc"]["metadata"]["uid"]
    assert wait(lambda: guessed.composed().get("vpc", before.objects["vpc"])["metadata"]["uid"] != uid, 60)
    guessed.wait_ready()
    shared_world.react(guessed)
    change = guessed.since(before)
    assert (change.gone, change.new, change.again, change.dying) == ([], [], ["vpc"], [])
    now = guessed.composed()
    new_id = now["vpc"]["status"]["atProvider"]["id"]
    assert {one["spec"]["forProvider"]["vpcId"] for name, one in now.items() if name != "vpc"} == {new_id}


def test_the_official_sdk_beside_it(shared_world: World, guessed: Composite) -> None:
    """The same composition with the official SDK deletes all that the lost value decided: the reason for this SDK."""
    if shared_world.transport != "grpcio":
        pytest.skip("the official SDK has one transport")
    pytest.importorskip("crossplane.function", reason="the official SDK is not installed")
    world = World(shared_world.plane, "official-sdk", "grpcio")
    try:
        function = world.function("tests/cluster/official.py")
        one = world.composite("Official", _SPEC, function, status=_STATUS)
        one.wait_ready()
        before = one.snapshot()
        one.lose("vpc", "id")
        world.react(one)
        wait(lambda: len(one.composed()) == 1, 30)
        shared_world.rows["official_lost"] = len(before.objects) - len(one.composed())
        shared_world.rows["official_of"] = len(before.objects)
        assert sorted(before.objects) == _NAMES
        assert sorted(one.composed()) == ["vpc"]
    finally:
        world.close()

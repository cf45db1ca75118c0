"""A missing value protects what was made while it was there; what was made without it follows the code.

The zones of these compositions are things that refer to no other, so that nothing but the rule keeps them.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest

from .kube import wait
from .world import NOTHING, Composite, Function, World, condition

_FUNCTIONS = "tests.cluster.functions"
_ZONES = ["zone-a", "zone-b"]
_once = pytest.mark.parametrize("world", ["h2"], indirect=True)


def _made(world: World, *functions: str, **spec: Any) -> Composite:
    """Return a composite of two zones, which is Ready and at rest."""
    served: list[Function] = [world.function(f"{_FUNCTIONS}:{one}", f"-{one}") for one in functions]
    spec = {"zones": ["a", "b"], **spec}
    one = world.composite("Remembered", spec, *served, status={"vpcId": "string"})
    one.wait_ready()
    world.react(one, quiet=2)
    one.wait_ready()
    return one


def _stays(world: World, one: Composite) -> None:
    """Check that Crossplane writes nothing to a composed resource in further reconciles.

    The provider still may: it reports a resource that was just made again.
    """
    world.react(one, quiet=2)
    changes = one.changes_by_crossplane()
    world.react(one, quiet=1)
    assert one.changes_by_crossplane() == changes


def _shrink(world: World, one: Composite, *kept: str) -> None:
    """Let the user remove zone b, and check that it goes within two reconciles, and nothing else goes or changes."""
    before = one.snapshot()
    one.change(zones=["a"])
    assert wait(lambda: "zone-b" not in one.composed(), 30), one.told()
    assert one.reconciles_until_deleted(before.objects["zone-b"]["metadata"]["name"]) <= 2
    world.react(one, quiet=2)
    assert one.since(before) == (["zone-b"], *NOTHING[1:])


def _follows(one: Composite, name: str, path: str, value: object) -> None:
    """Check that a field of a composed resource's `spec.forProvider` gets a value."""

    def now() -> object:
        found: Any = one.composed().get(name, {}).get("spec", {}).get("forProvider")
        for key in path.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        return found

    assert wait(lambda: now() == value, 30), (now(), one.told())


def _id(one: Composite, name: str = "vpc") -> str:
    found: str = one.composed()[name]["status"]["atProvider"]["id"]
    return found


def _comes_back(world: World, one: Composite, field: str = "id") -> None:
    """Let the provider report all values of the VPC again, and let Crossplane reconcile."""
    one.resume("vpc")
    assert wait(lambda: one.composed()["vpc"].get("status", {}).get("atProvider", {}).get(field), 60)
    world.react(one, quiet=2)


@pytest.mark.parametrize("more", [False, True], ids=["nothing", "something"])
@_once
def test_a_value_that_was_never_there(world: World, more: bool) -> None:
    """However code touches a value that never comes, what exists follows the code, as nothing was made with it."""
    one = _made(world, "touched", asked="neverThere", more=more)
    assert sorted(one.composed()) == ["vpc", *_ZONES]
    _stays(world, one)
    _shrink(world, one)
    one.change(zones=["a", "c"])
    assert wait(lambda: "zone-c" in one.composed(), 30), one.told()
    one.wait_ready()


@_once
def test_a_new_resource_waits_for_a_reference(world: World) -> None:
    """What refers to a lost value keeps it, and what is new waits; when the value comes, all have it."""
    one = _made(world, "referred")
    wanted = {"vpcId": _id(one), "tags": {"net": f"net-{_id(one)}"}}
    order = [entry["resource"] for entry in one.cloud() if entry["what"] == "created"]
    assert order[0] == "vpc"
    before = one.snapshot()
    one.lose("vpc", "id")
    one.change(zones=["a", "b", "c"])
    world.react(one, quiet=2)
    assert one.since(before) == NOTHING
    assert wait(lambda: "zone-c waits for vpc.status.atProvider.id" in one.told(), 30), one.told()
    _comes_back(world, one)
    assert wait(lambda: "zone-c" in one.composed(), 30), one.told()
    one.wait_ready()
    assert one.since(before) == ([], ["zone-c"], *NOTHING[2:])
    made = one.composed()["zone-c"]["spec"]["forProvider"]
    assert {key: made[key] if key == "vpcId" else {"net": made[key]["net"]} for key in wanted} == wanted


@pytest.mark.parametrize("how", ["gone", "empty", "wiped", "not Ready"])
@_once
def test_what_a_lost_value_decides_stays(world: World, how: str) -> None:
    """Resources and fields that a lost value decides stay, also after the user has changed other fields of them."""
    one = _made(world, "decided")
    before = one.snapshot()
    if how == "empty":
        one.report("vpc", id="")
    elif how == "wiped":  # in two calls: the prefix is missing, then the leaf
        one.lose("vpc")
        world.react(one, quiet=1)
        one.report("vpc", arn="there")
    else:
        one.lose("vpc", "id")
    if how == "not Ready":
        one.unready("vpc")
    world.react(one, quiet=2)
    assert one.since(before) == NOTHING, one.told()
    one.change(text="new")
    _follows(one, "named", "description", "new")
    _stays(world, one)  # the lost id still protects the name
    change = one.since(before)
    assert change[:4] == NOTHING[:4], one.told()
    assert "named" in change.changed
    assert change.changed.pop("named") == [".forProvider.description"]
    assert all(paths == [".forProvider.tags.text"] for paths in change.changed.values())
    _comes_back(world, one)
    one.wait_ready()
    for name in _ZONES:
        _follows(one, name, "tags.text", "new")
    assert one.since(before)[:4] == NOTHING[:4]
    _shrink(world, one)


@pytest.mark.parametrize("how", ["field", "status"])
@_once
def test_a_user_edits_in_the_same_moment(world: World, how: str) -> None:
    """One call sees a loss and an edit for the first time: the edit counts, and nothing else goes or changes."""
    one = _made(world, "decided")
    before, status = one.snapshot(), one.get()["status"]["vpcId"]
    with one.at_once():
        one.lose("vpc", *(["id"] if how == "field" else []))
        one.change(zones=["a", "c"], text="new")
    _follows(one, "zone-a", "tags.text", "new")
    assert wait(lambda: "zone-b" not in one.composed(), 30), one.told()
    _stays(world, one)
    edited = {"named": [".forProvider.description"], "zone-a": [".forProvider.tags.text"]}
    assert one.since(before) == (["zone-b"], *NOTHING[1:4], edited), one.told()
    assert wait(lambda: "zone-c waits for vpc.status" in one.told(), 30), one.told()
    assert one.get()["status"]["vpcId"] == status
    _comes_back(world, one)
    assert wait(lambda: "zone-c" in one.composed(), 30), one.told()
    one.wait_ready()
    assert one.since(before) == (["zone-b"], ["zone-c"], [], [], edited)
    _follows(one, "zone-c", "tags.text", "new")
    updated = [entry["resource"] for entry in one.cloud()[before.events :] if entry["what"] == "updated"]
    assert sorted(updated) == sorted(edited)
    _stays(world, one)


@_once
def test_a_user_takes_an_edit_back(world: World) -> None:
    """When an edit comes in the moment of a loss, and goes in that of the value's return, nothing has happened."""
    one = _made(world, "referred")
    before = one.snapshot()
    with one.at_once():
        one.lose("vpc", "id")
        one.change(zones=["a", "b", "c"])
    world.react(one, quiet=1)
    assert wait(lambda: "zone-c waits for vpc.status.atProvider.id" in one.told(), 30), one.told()
    with one.at_once():
        one.resume("vpc")
        assert wait(lambda: "id" in one.composed()["vpc"]["status"]["atProvider"], 60)
        one.change(zones=["a", "b"])
    one.wait_ready()
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    assert one.cloud()[before.events :] == []


@_once
def test_a_lost_value_that_nothing_shows(world: World) -> None:
    """While a value is lost whose effect can't be seen, it counts as it last was, and what the user wants happens."""
    one = _made(world, "hashed")
    before = one.snapshot()
    one.lose("vpc", "id")
    one.change(zones=["a", "c"], text="new")
    _follows(one, "vpc", "tags.text", "new")
    assert wait(lambda: "zone-c" in one.composed() and "zone-b" not in one.composed(), 30), one.told()
    _stays(world, one)
    assert one.since(before) == (["zone-b"], ["zone-c"], [], [], {"vpc": [".forProvider.tags.text"]}), one.told()
    _comes_back(world, one)
    one.wait_ready()
    assert one.since(before) == (["zone-b"], ["zone-c"], [], [], {"vpc": [".forProvider.tags.text"]})


@_once
def test_a_value_lost_for_good(world: World) -> None:
    """When its owner is Ready and all that exists is at rest, a lost value is forgotten, in one write."""
    one = _made(world, "touched", asked="id", more=False)
    before = one.snapshot()
    one.lose("vpc", "id")
    _stays(world, one)
    assert one.since(before) == NOTHING
    _shrink(world, one)


@_once
def test_a_lost_value_whose_owner_is_not_ready(world: World) -> None:
    """While its owner isn't Ready, a lost value counts as it last was, and the user's deletion works."""
    one = _made(world, "touched", asked="id", more=False)
    before = one.snapshot()
    one.unready("vpc")
    one.lose("vpc", "id")
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    _shrink(world, one)
    _comes_back(world, one)
    assert one.since(before) == (["zone-b"], *NOTHING[1:])


def test_another_value_comes_back(world: World) -> None:
    """When another value comes than was lost, all that is made with it follows, and what the user wants happens."""
    one = _made(world, "decided")
    before = one.snapshot()
    one.lose("vpc", "id")
    one.change(zones=["a"])
    world.react(one, quiet=2)
    assert one.since(before).changed == {}
    assert "zone-a" not in one.since(before).gone
    one.report("vpc", id="vpc-other")
    _follows(one, "named", "name", "vpc-other")
    assert wait(lambda: "zone-b" not in one.composed(), 30), one.told()
    assert one.since(before) == (["zone-b"], *NOTHING[1:4], {"named": [".forProvider.name"]})
    assert wait(lambda: one.get()["status"]["vpcId"] == "vpc-other", 30)


@_once
def test_a_value_flaps(world: World) -> None:
    """A value that goes and comes again and again causes no write to what it decides."""
    one = _made(world, "decided")
    before, versions, value = one.snapshot(), one.versions(), _id(one)
    for now in (None, value) * 3:
        one.report("vpc", id=now)
        world.react(one, quiet=0.5)
        assert one.since(before) == NOTHING, one.told()
    assert {**one.versions(), "vpc": ""} == {**versions, "vpc": ""}
    _shrink(world, one)


@_once
def test_nothing_is_remembered_of_a_lost_value(world: World) -> None:
    """Without memory nothing goes while a value is missing; fields follow the code until the value comes."""
    one = _made(world, "decided")
    before = one.snapshot()
    one.lose("vpc", "id")
    forgotten = one.forget()
    one.change(zones=["a"])
    world.react(one, quiet=2)
    change = one.since(before)
    assert change == (*NOTHING[:4], {"named": [".forProvider.name"]}), one.told()
    _comes_back(world, one)
    assert wait(lambda: "zone-b" not in one.composed(), 30), one.told()
    assert one.since(before) == (["zone-b"], *NOTHING[1:])
    assert forgotten  # or this shows nothing


@_once
def test_a_call_at_rest_remembers_again(world: World) -> None:
    """After the memory was removed, a call at rest writes it anew, and the user's deletion works."""
    one = _made(world, "touched", asked="neverThere", more=True)
    forgotten = one.forget()
    _stays(world, one)
    _shrink(world, one)
    assert forgotten  # or this shows nothing


@_once
def test_the_author_says_it(world: World) -> None:
    """What `value_or` and `ctx.remove` say happens although values are lost, and nothing else."""
    one = _made(world, "said")
    before = one.snapshot()
    one.lose("vpc", "id", "ownerId")
    _follows(one, "text", "tags.owner", "none")
    world.react(one, quiet=2)
    assert one.since(before) == (*NOTHING[:4], {"text": [".forProvider.tags.owner"]}), one.told()
    one.change(removed=True)
    assert wait(lambda: "zone-b" not in one.composed(), 30), one.told()
    world.react(one, quiet=2)
    assert one.since(before) == (["zone-b"], *NOTHING[1:4], {"text": [".forProvider.tags.owner"]})


@_once
def test_the_author_allows_removal(world: World) -> None:
    """With `protect=False` resources go with a lost value, and come with it."""
    one = _made(world, "allowed")
    before = one.snapshot()
    one.lose("vpc", "id")
    assert wait(lambda: not one.composed().keys() & set(_ZONES), 30), one.told()
    assert one.since(before) == (_ZONES, *NOTHING[1:])
    _comes_back(world, one)
    assert wait(lambda: one.composed().keys() >= set(_ZONES), 30), one.told()


@_once
def test_what_was_born_with_a_guess_follows(world: World) -> None:
    """A default gives way to the value that comes, which then protects the field; the thing is made once."""
    one = _made(world, "born")
    _follows(one, "named", "name", _id(one))
    assert sorted(entry["resource"] for entry in one.cloud() if entry["what"] == "created") == ["named", "vpc"]
    assert any("name" in entry.get("fields", []) for entry in one.cloud())  # or it has waited for the id
    before = one.snapshot()
    one.lose("vpc", "id")
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    _comes_back(world, one)
    assert one.since(before) == NOTHING, one.told()


@_once
def test_values_that_api_servers_write_in_another_way(world: World) -> None:
    """A quantity that comes back as another text is no change: nothing is written again, and deletion works."""
    one = _made(world, "normal")
    (container,) = one.composed()["deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["requests"] == {"cpu": "1"}  # the function says 1000m
    before = one.snapshot()
    one.lose("vpc", "id", "ownerId")
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    _comes_back(world, one)
    one.lose("vpc", "ownerId")  # which decides nothing
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    _shrink(world, one)


@_once
def test_half_an_answer_is_applied(world: World) -> None:
    """When one object of an answer can't be applied, and a value goes then, nothing goes or changes by that."""
    one = _made(world, "decided")
    before = one.snapshot()
    one.change(broken=True, text="new", zones=["a", "b", "c"])
    assert wait(lambda: "Nothing" in one.told(), 30), one.told()
    one.lose("vpc", "id")
    world.react(one, quiet=2)
    one.change(broken=None)
    world.react(one, quiet=2)
    change = one.since(before)
    assert (change.gone, change.again, change.dying) == ([], [], []), one.told()
    assert ".forProvider.name" not in change.changed.get("named", [])
    _comes_back(world, one)
    assert wait(lambda: "zone-c" in one.composed(), 30), one.told()
    one.wait_ready()
    for name in (*_ZONES, "zone-c"):
        _follows(one, name, "tags.text", "new")
    _follows(one, "named", "description", "new")
    assert one.since(before)[:4] == ([], ["zone-c"], [], [])


@_once
def test_somebody_else_writes_the_status(world: World) -> None:
    """While another writer changes the composite's status all the time, a lost value protects what it decides."""
    one = _made(world, "decided")
    before, over = one.snapshot(), threading.Event()

    def write() -> None:
        while not over.wait(0.05):
            one.kube.merge(f"{one.path}/status", {"status": {"vpcId": "other"}})
            one.kube.merge(f"{one.path}/status", {"status": {"vpcId": None}})

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        count = world.functions[0].calls
        one.lose("vpc", "id")
        assert wait(lambda: world.functions[0].calls > count + 5, 30)
        one.change(text="new")
        _follows(one, "named", "description", "new")
        assert one.since(before)[:4] == NOTHING[:4], one.told()
    finally:
        over.set()
        writer.join()
    assert ".forProvider.name" not in one.since(before).changed["named"]
    _comes_back(world, one)
    one.wait_ready()
    assert wait(lambda: one.get()["status"].get("vpcId") == _id(one), 30), one.told()
    assert one.since(before)[:4] == NOTHING[:4]


@pytest.mark.parametrize("step", ["this", "earlier"])
@_once
def test_a_fatal_result_in_between(world: World, step: str) -> None:
    """A value that goes while this step, or one before it, is Fatal is a lost one when it isn't Fatal any more."""
    one = _made(world, "tells", "decided") if step == "earlier" else _made(world, "decided")
    before = one.snapshot()
    key = "stop" if step == "earlier" else "fatal"
    one.change(**{key: True})
    assert wait(lambda: one.condition("Synced").get("status") == "False", 30), one.told()
    one.lose("vpc", "id")
    world.react(one, quiet=1)
    one.change(**{key: None})
    assert wait(lambda: one.condition("Synced").get("status") == "True", 60), one.told()
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    _comes_back(world, one)
    assert one.since(before) == NOTHING, one.told()
    _shrink(world, one)


@_once
def test_a_hand_deletes_while_a_value_is_lost(world: World) -> None:
    """What somebody deletes by hand while a value is lost isn't made again before the value comes; the rest stays."""
    one = _made(world, "decided")
    before = one.snapshot()
    one.lose("vpc", "id")
    world.react(one, quiet=2)
    with one.at_once():  # Crossplane applies a kept resource that it has seen dying, too
        one.kube.delete(one.place("zone-a"))
        assert wait(lambda: "zone-a" not in one.composed(), 30)
    _stays(world, one)
    assert one.since(before) == (["zone-a"], *NOTHING[1:]), one.told()
    _comes_back(world, one)
    assert wait(lambda: "zone-a" in one.composed(), 30), one.told()
    one.wait_ready()
    assert one.since(before) == (*NOTHING[:2], ["zone-a"], *NOTHING[3:])


@_once
def test_the_owner_gets_another_name(world: World) -> None:
    """What was made with the value of an owner that has another name now waits for that of the new one."""
    one = _made(world, "decided")
    before = one.snapshot()
    one.change(owner="network")
    assert wait(lambda: "network" in one.composed(), 30), one.told()
    assert wait(lambda: "id" in one.composed()["network"].get("status", {}).get("atProvider", {}), 60)
    _follows(one, "named", "name", _id(one, "network"))
    one.wait_ready()
    world.react(one, quiet=2)
    assert wait(lambda: "vpc" not in one.composed(), 30), one.told()
    assert one.since(before) == (["vpc"], ["network"], [], [], {"named": [".forProvider.name"]})
    # The deleted one isn't the composite's any more. A field follows the code, which has no id of the new one at first.
    events = {(entry["what"], entry["resource"]) for entry in one.cloud()[before.events :]}
    assert events == {("created", "network"), ("updated", "named")}


@_once
def test_a_value_in_the_context(world: World) -> None:
    """A step that decides by a value of the step before keeps what it has made while that value is lost."""
    one = _made(world, "tells", "told")
    assert sorted(one.composed()) == ["vpc", *_ZONES]
    before = one.snapshot()
    one.lose("vpc", "id")
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    _comes_back(world, one)
    assert one.since(before) == NOTHING, one.told()
    _shrink(world, one)
    assert wait(lambda: condition(one.get(), "Ready").get("status") == "True", 30), one.told()


@_once
def test_an_exception_of_a_missing_value(world: World) -> None:
    """What an exception handler makes in place of what exists isn't made while the value is lost."""
    one = _made(world, "caught")
    assert wait(lambda: sorted(one.composed()) == ["main", "vpc"], 30), one.told()
    before = one.snapshot()
    one.lose("vpc", "cidrBlock")
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    _comes_back(world, one, "cidrBlock")
    assert one.since(before) == NOTHING, one.told()


@_once
def test_all_connection_details(world: World) -> None:
    """Code that iterates over connection details keeps what it made of them when the Secret is gone."""
    one = _made(world, "details")
    assert wait(lambda: "port" in one.composed()["tagged"]["spec"]["forProvider"]["tags"], 60), one.told()
    world.settle(quiet=2)
    before = one.snapshot()
    one.pause("database")
    secret = f"/api/v1/namespaces/{world.name}/secrets/{one.name}-database"
    one.kube.delete(secret)
    _stays(world, one)
    assert one.since(before) == NOTHING, one.told()
    assert one.kube.find(secret) is None  # or this shows nothing
    one.resume("database")
    world.react(one, quiet=2)
    assert one.since(before) == NOTHING, one.told()


@_once
def test_a_release_asks_for_another_value(world: World) -> None:
    """A release that asks for a value that never comes, and one that doesn't ask any more, leave deletion to users."""
    one = _made(world, "upgraded")
    (function,) = world.functions
    before = one.snapshot()
    for release in ("2", "1"):
        function.stop()
        function.start(RELEASE=release)
        _stays(world, one)
        assert one.since(before) == NOTHING, one.told()
        _shrink(world, one)
        one.change(zones=["a", "b"])
        assert wait(lambda: "zone-b" in one.composed(), 30), one.told()
        one.wait_ready()
        before = one.snapshot()

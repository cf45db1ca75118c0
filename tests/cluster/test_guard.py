"""The guard in front of functions of others: the same losses with it and without it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks import models, pythonic
from tests.runtime.go_programs import built_from

from .kube import wait
from .plane import free_ports
from .world import NOTHING, ROOT, Composite, Function, World, condition

_GO: Final = ROOT / "tests" / "guard" / "go"
_STATUS: Final = {"vpcId": "string"}
_GROUPS: Final = {"web": "for web", "db": "for db"}
_SPEC: Final = {"groups": _GROUPS}
_NAMES: Final = ["gateway", "group-db", "group-web", "subnet", "table", "vpc"]
_MOST_KILOBYTES: Final = 30 << 10
_MOST_NOTES: Final = 2
"""How many writes the notes of a network may cost until it is Ready."""
_NETWORKS: Final = ("official", "go-ifs", "go-template")
_PIPELINES: Final = ("official-twice", "official-and-ours", "pythonic-twice")


def network(language: str) -> tuple[str, tuple[str, ...]]:
    """Return the program of a network in a language, and its flags."""
    if language == "official":
        pytest.importorskip("crossplane.function", reason="the official SDK is not installed")
        return "tests/cluster/official.py", ()
    return str(built_from(_GO, "network-go")), ("--code", language.partition("-")[2])


class Plain:
    """A function that listens on 127.0.0.1 only and in plain text, as beside a guard in a pod.

    Attributes:
        address: Where.
    """

    def __init__(self, world: World, name: str, target: str, *flags: str, **environment: str) -> None:
        (port,) = free_ports(1)
        self.address = f"127.0.0.1:{port}"
        python = environment.pop("PYTHON", sys.executable)
        command: list[str | Path] = [python, ROOT / target, str(port)]
        if Path(target).is_absolute():
            command = [target, *flags, "--insecure", "--address", self.address]
        # The name lets `World.close` end it.
        world.plane.run(f"function-{name}-plain", *command, PYTHONPATH=str(ROOT), **environment)


def guarded(world: World, target: str, *flags: str, suffix: str = "", **environment: str) -> Function:
    """Serve a function behind a guard."""
    plain = Plain(world, f"function-{world.name}{suffix}", target, *flags, **environment)
    return world.function(f"guard:{plain.address}", suffix)


def lost(one: Composite) -> int:
    """Return how many composed resources go when the id of the VPC is lost for some seconds."""
    before = one.composed()
    one.lose("vpc", "id")
    wait(lambda: len(one.composed()) < len(before), 15)
    wait(lambda: len(one.composed()) == 1, 15)
    left = one.composed()
    one.resume("vpc")
    return len(before) - len(left)


def memory(world: World, function: Function) -> int:
    """Return the kilobytes that a guard's process takes."""
    group = int((world.plane.folder / f"function-{function.name}.pid").read_text())
    for path in Path("/proc").glob("[0-9]*/status"):
        text = path.read_text()
        if os.getpgid(int(path.parent.name)) == group and "Name:\tpython" in text:
            return int(text.partition("VmRSS:")[2].split()[0])
    raise AssertionError(f"{function.name} doesn't run")


@pytest.fixture
def twin(world: World) -> Iterator[World]:
    """A second scenario, for the same composition without the guard."""
    made = World(world.plane, f"alone-{world.name.removeprefix('a-network-in-any-language-')}", world.transport)
    yield made
    made.close()


@pytest.mark.parametrize("language", _NETWORKS)
@pytest.mark.parametrize("world", ["h2"], indirect=True)
def test_a_network_in_any_language(world: World, twin: World, language: str) -> None:
    """Losses take nothing along behind the guard, while a user edits and deletes; without it they do."""
    target, flags = network(language)
    kind = language.replace("-", "").capitalize()
    alone_function = twin.function(target, "", *flags)
    alone = twin.composite(f"{kind}Alone", _SPEC, alone_function, status=_STATUS)
    function = guarded(world, target, *flags)
    one = world.composite(kind, _SPEC, function, status=_STATUS)
    for made in (alone, one):
        made.wait_ready()
    for world_, made in ((twin, alone), (world, one)):
        world_.react(made)
    both = (alone_function, function)
    writes = [sum(made.changes_by_crossplane().values()) for made in (alone, one)]
    table = world.rows["guard"] = {
        "calls until all is Ready": [function.calls for function in both],
        "milliseconds of a call": [world.plane.milliseconds(function.name) for function in both],
        "writes until all is Ready": writes,
    }
    assert writes[1] <= writes[0] + _MOST_NOTES
    gone = lost(alone)
    assert gone == 5
    before, versions = one.snapshot(), one.versions()
    assert sorted(before.objects) == _NAMES
    world.react(one)
    assert one.versions() == versions

    one.lose("vpc", "id")
    one.change(groups={"db": None})
    world.react(one)
    assert one.since(before) == (["group-db"], *NOTHING[1:]), one.told()
    type_ = f"LastKnownValues-{function.name}"
    found = one.condition(type_)
    assert found["status"] == "True", one.told()
    assert "vpc.status.atProvider.id" in found["message"]
    one.resume("vpc")
    assert wait(lambda: one.condition(type_).get("status") == "False", 60), one.told()

    one.lose("vpc")
    assert wait(lambda: one.condition(type_).get("status") == "True", 60), one.told()
    one.kube.delete(one.place("table"))
    world.react(one)

    def follows() -> bool:
        # Crossplane makes it again if it desires it in the moment in which it goes; else it waits for the value.
        change = one.since(before)
        return "table" in (*change.gone, *change.again) and not change.dying

    assert wait(follows, 30), f"{one.since(before)} {one.told()}"
    assert set(one.since(before).gone) <= {"group-db", "table"}
    one.resume("vpc")
    assert wait(lambda: "table" in one.composed(), 60), one.told()
    one.wait_ready()

    one.kube.merge(f"{one.path}/status", {"status": None})
    one.lose("vpc", "id")
    world.react(one)
    change = one.since(before)
    assert (change.gone, change.new, change.again, change.dying) == (["group-db"], [], ["table"], []), one.told()
    one.resume("vpc")
    assert wait(lambda: condition(one.composed()["vpc"], "Ready").get("status") == "True", 60)
    assert wait(lambda: one.get()["status"].get("vpcId"), 30), one.told()

    one.change(groups={"web": None, "app": "for app"})
    assert wait(lambda: "group-app" in one.composed() and "group-web" not in one.composed(), 60), one.told()
    one.wait_ready()
    world.react(one)
    versions = one.versions()
    world.react(one)
    assert one.versions() == versions
    table["deleted by a lost id"] = [gone, 0]
    table["kilobytes of the process"] = ["", memory(world, function)]
    assert table["kilobytes of the process"][1] < _MOST_KILOBYTES


_KIND: Final = "Told"
_TOLD: Final = {"zones": ["a", "b"], "blocks": ["10.0.0.0/8", "172.16.0.0/12"]}
_COUNT: Final = 9
_LOSSES: Final = {"id": ("vpc", "id"), "status": ("vpc",), "list": ("blocks", "entry")}


def steps(world: World, sdk: str) -> tuple[list[Function], list[dict[str, Any]]]:
    """Return a guarded step, a later step that hangs on its context, and their inputs."""
    if sdk == "pythonic-twice":
        try:
            python = str(pythonic.python())
        except models.SkipRow as e:
            pytest.skip(str(e))
        head = {"apiVersion": "pythonic.fn.crossplane.io/v1alpha1", "kind": "Composite"}
        inputs = [
            {**head, "composite": f"tests.cluster.pythonic.{name}", "step": name.lower()}
            for name in ("Adopted", "Told")
        ]
        target = "tests/cluster/pythonic.py"
        return [guarded(world, target, suffix=f"-{at}", PYTHON=python) for at in range(2)], inputs
    pytest.importorskip("crossplane.function", reason="the official SDK is not installed")
    first = guarded(world, "tests/cluster/official.py", suffix="-0", COMPOSITION="adopted")
    if sdk == "official-twice":
        return [first, guarded(world, "tests/cluster/official.py", suffix="-1", COMPOSITION="told")], []
    return [first, world.function("tests.cluster.functions:told_by_any", "-1")], []


@pytest.mark.parametrize("sdk", _PIPELINES)
@pytest.mark.parametrize("world", ["h2"], indirect=True)
def test_steps_that_hang_on_each_other(world: World, sdk: str) -> None:
    """Names with hashes, loops over a reported list and a later step's resources stay, in two guarded steps or one."""
    functions, inputs = steps(world, sdk)
    kind = _KIND + sdk.replace("-", "")
    all_ = world.composites(kind, _TOLD, _LOSSES, _COUNT, *functions, inputs=inputs)
    before = {how: one.snapshot() for how, one in all_.items()}
    for how, loss in _LOSSES.items():
        all_[how].lose(*loss)
    world.settle(quiet=4)
    for how, one in all_.items():
        assert one.since(before[how]) == NOTHING, f"{how}: {one.told()}"
        all_[how].resume(_LOSSES[how][0])
    for one in all_.values():
        one.wait_ready()
    world.settle(quiet=2)
    for how, one in all_.items():
        assert one.since(before[how]) == NOTHING, f"{how}: {one.told()}"
        assert one.cloud()[before[how].events :] == []
        one.change(zones=["a"])
        assert wait(lambda one=one: "zone-b" not in one.composed(), 30), one.told()

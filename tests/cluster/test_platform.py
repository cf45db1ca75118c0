"""The platform of 42 resources while values get lost at random: `PLATFORM_MINUTES=20` lets it go on for so long."""

from __future__ import annotations

import os
import random
import time

import pytest

from .kube import wait
from .waves import COUNT
from .world import Composite, World

_MINUTES = float(os.environ.get("PLATFORM_MINUTES", "1"))
_MOST_LOST = 9
_EDITED = ["vpc", *(f"marker-{at}" for at in range(8))]
"""The resources in which the user's text is."""


def _lose(one: Composite, chance: random.Random, names: list[str]) -> None:
    """Let each of these resources lose its id, or its status, or not be Ready."""
    for name in names:
        how = chance.choice(["id", "id", "status", "unready"])
        if how == "unready":
            one.unready(name)
            one.lose(name, "id")
        elif how == "status":
            one.lose(name)
        else:
            one.lose(name, "id")


def _is_whole(one: Composite) -> bool:
    found = one.composed().values()
    return all("id" in body.get("status", {}).get("atProvider", {}) for body in found)


@pytest.mark.seconds(int(_MINUTES * 60) + 1200)
@pytest.mark.parametrize("typed", ["", "1"], ids=["unstructured", "typed"])
@pytest.mark.parametrize("world", ["h2"], indirect=True)
def test_random_losses(world: World, typed: str) -> None:
    """Whatever is lost, and whatever the user edits meanwhile, nothing goes, nothing is made, and rest is rest."""
    function = world.function("tests.cluster.waves:compose", TYPED=typed)
    status = {"vpcId": "string", "subnets": "array"}
    one = world.composite(f"Platform{typed}", {"text": "first"}, function, status=status)
    assert wait(lambda: len(one.composed()) == COUNT, 240), one.told()
    one.wait_ready(240)
    world.settle()
    before, told = one.snapshot(), one.get()["status"]["vpcId"]
    chance = random.Random(42)
    until = time.monotonic() + _MINUTES * 60
    losses = edits = 0
    while time.monotonic() < until:
        names = chance.sample(sorted(before.objects), chance.randint(1, _MOST_LOST))
        edits += 1
        is_edited = chance.random() < 0.3
        with one.at_once():
            _lose(one, chance, names)
            if is_edited:
                one.change(text=f"text {edits}")
        losses += len(names)
        world.settle(quiet=1, seconds=20)
        change = one.since(before)
        assert change[:4] == ([], [], [], []), (names, change, one.told())
        assert change.changed.keys() <= {*_EDITED}, (names, change, one.told())
        assert {path for paths in change.changed.values() for path in paths} <= {".forProvider.tags.text"}, change
        assert one.get()["status"]["vpcId"] == told, (names, one.told())
        one.resume(*names)
        assert wait(lambda: _is_whole(one), 90), (names, one.told())
    one.wait_ready(180)
    world.react(one)
    versions = one.versions()
    world.react(one)
    writes = sum(one.versions()[name] != version for name, version in versions.items())
    world.rows.update(losses=losses, deleted=0, recreated=0, writes_at_rest=writes)
    print(f"{losses} losses in {edits} rounds; writes at rest: {writes}")
    assert writes == 0
    assert [entry for entry in one.cloud()[before.events :] if entry["what"] in ("created", "deleted")] == []

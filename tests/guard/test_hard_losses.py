"""Losses that are hard to see: after others, in parts of lists, and of what nothing showed to matter before."""

from __future__ import annotations

import pytest

from crossplane_lite._core.guard.seen import Options
from tests.guard.test_notes import notes_on
from tests.guard.world import World

SEEN = ("status", "atProvider")


def test_an_owner_that_is_gone_may_wait_for_long() -> None:
    """What hangs on an owner stays while the owner can't be made again, because another value is lost."""
    world = World("two_levels", guarded=True)
    world.live(10)
    world.delete("role")
    world.lose_for(4, "vpc", *SEEN)
    assert world.counts.harm == {}
    assert "app" in world.cluster.objects


@pytest.mark.parametrize("is_noted_twice", [False, True])
def test_a_value_that_was_lost_in_a_write_stays_known(is_noted_twice: bool) -> None:
    """A value that was lost while something was written is protected again."""
    world = World("remembers", guarded=True)
    world.live(8)
    if is_noted_twice:
        world.delete("vpc")
        world.live(6)
    world.delete("subnet-eu-a")
    world.lose_for(1, "", "status", "zone")
    world.live(5)
    world.xr["spec"]["region"] = "us"
    world.live(5)
    world.lose_for(1, "", "status", "zone")
    assert world.counts.harm == {}
    assert "subnet-eu-a" in world.cluster.objects


@pytest.mark.parametrize("field", ["ip", "name"])
@pytest.mark.parametrize("nodes", [1, 3])
@pytest.mark.parametrize("pipeline", ["nested", "loop"])
def test_an_element_of_a_list_that_has_grown_or_shrunk(pipeline: str, nodes: int, field: str) -> None:
    """An element that lacks a field counts as it was, also after the list has got another length."""
    world = World(pipeline, guarded=True)
    world.live(8)
    world.xr["spec"]["nodes"] = nodes
    world.live(10)
    world.lose_for(2, "pool", *SEEN, "nodes", 0, field)
    assert world.counts.harm == {}


def test_elements_are_known_by_their_names() -> None:
    """An element that lacks a field gets the value of the element with its name, wherever it stands."""
    world = World("loop", guarded=True)
    world.live(8)
    world.order = -1
    world.lose_for(3, "pool", *SEEN, "nodes", 0, "ip")
    assert world.counts.harm == {}


@pytest.mark.parametrize("nodes", [4, 16, 30])
def test_a_long_list_counts_as_it_was(nodes: int) -> None:
    """What a loop composes stays when its list is lost, as long as the list fits into the notes."""
    world = World("loop", guarded=True)
    world.xr["spec"]["nodes"] = nodes
    world.live(8)
    world.lose_for(2, "pool", *SEEN, "nodes")
    assert world.counts.harm == {}
    assert len(world.cluster.objects) == nodes + 1


@pytest.mark.parametrize("sizes", [(3, 6, 1), (6, 8, 1), (12, 4), (1, 12, 2), (6, 2)])
def test_a_list_that_has_grown_and_shrunk_counts_as_it_was(sizes: tuple[int, ...]) -> None:
    """What a loop composes stays when its list is lost after much scaling, with at most two kilobytes of notes."""
    world = World("loop", guarded=True)
    for nodes in sizes:
        world.xr["spec"]["nodes"] = nodes
        world.live(6)
        assert max(len(notes_on(world.cluster, name).encode()) for name in world.cluster.objects) <= Options().budget
    world.lose_for(1, "pool", *SEEN, "nodes")
    assert world.counts.harm == {}


def test_a_resource_with_notes_may_be_deleted() -> None:
    """What is known lies on two resources, so that a loss does nothing although somebody deletes one of them."""
    world = World("gated", guarded=True)
    world.live(8)
    world.delete("subnet")
    world.lose_for(3, "vpc", "status", "conditions", "Ready")
    assert world.counts.harm == {}
    world = World("loop", guarded=True)
    for nodes in (4, 1):
        world.xr["spec"]["nodes"] = nodes
        world.live(8)
    world.delete("pool")
    world.live(1)
    assert world.counts.harm == {}


def test_a_default_does_not_take_the_place_of_a_value() -> None:
    """A field of the composite's status for which the function has a default keeps its value during a loss."""
    world = World("counted", guarded=True)
    world.live(8)
    assert world.xr["status"]["first"] != "pending"
    world.lose_for(2, "part-0", *SEEN)
    assert world.counts.harm == {}

"""What the guard protects, for functions as people write them."""

from __future__ import annotations

import math

import pytest

from crossplane_lite._core.guard.seen import Options
from tests.guard.functions import FUNCTIONS
from tests.guard.world import World

PIPELINES = [(name, "") for name in FUNCTIONS] + [("lost_field", "two_levels"), ("loop", "volatile")]
SIGNAL = "db.status.failureMessage"


def alone_and_guarded(name: str, second: str, rounds: int) -> tuple[World, World]:
    """Return a world without the guard and one with it, after a number of reconciles without faults."""
    worlds = World(name, second=second, guarded=False), World(name, second=second, guarded=True)
    for world in worlds:
        world.live(rounds)
    return worlds


def suffers(name: str, second: str, seed: int, rounds: int) -> None:
    """Check that losses do nothing in a number of random reconciles."""
    world = World(name, second=second, guarded=True, seed=seed)
    world.live(6)
    world.suffer(rounds)
    assert world.counts.harm == {}
    assert name == "signal" or world.counts.blocked == []


@pytest.mark.parametrize(("name", "second"), PIPELINES)
@pytest.mark.parametrize("seed", range(2))
def test_a_loss_does_nothing(name: str, second: str, seed: int) -> None:
    """Nothing is deleted, made, changed or blocked because values are lost, while a user edits and deletes."""
    suffers(name, second, seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "second"), PIPELINES)
@pytest.mark.parametrize("seed", range(3))
def test_many_losses_do_nothing(name: str, second: str, seed: int) -> None:
    """The same holds for 300 reconciles at random."""
    suffers(name, second, seed + 100, 300)


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"signal"}))  # a signal comes and goes by itself
def test_the_function_alone_loses(name: str) -> None:
    """Without the guard the same faults delete or change something: so the faults are faults."""
    world = World(name, guarded=False)
    world.live(6)
    world.suffer(80)
    assert world.counts.harm


@pytest.mark.parametrize(("name", "second"), PIPELINES)
def test_rest_costs_no_write(name: str, second: str) -> None:
    """Where a function writes nothing at rest, it writes nothing behind the guard, and has no more calls."""
    alone, guarded = alone_and_guarded(name, second, 8)
    for world in (alone, guarded):
        world.rest(6)
    assert set(guarded.counts.rest) <= set(alone.counts.rest)
    assert name == "signal" or guarded.counts.calls == alone.counts.calls


@pytest.mark.parametrize(("name", "second"), PIPELINES)
def test_notes_cost_few_writes(name: str, second: str) -> None:
    """A life without faults has few more writes than without the guard."""
    alone, guarded = alone_and_guarded(name, second, 40)
    assert guarded.counts.writes <= math.ceil(alone.counts.writes * 1.15) + 6


@pytest.mark.parametrize("seed", range(3))
def test_a_signal_decides(seed: int) -> None:
    """What hangs on a value whose absence is meant goes with it."""
    world = World("signal", guarded=True, seed=seed, options=Options(signals=[SIGNAL]))
    world.live(6)
    world.suffer(60)
    assert world.counts.blocked == []


def test_a_signal_can_be_let_go() -> None:
    """What hangs on a signal stays, until somebody lets the value go."""
    world = World("signal", guarded=True)
    world.live(20)
    assert "repair" in world.cluster.objects
    world.let_go(SIGNAL)
    world.live(2)
    assert "repair" not in world.cluster.objects
    world.xr["metadata"]["annotations"].clear()
    world.live(2)
    assert "repair" not in world.cluster.objects

"""What a memory can get wrong when somebody or something fails: deletions, erased marks, the engine, Fatal answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.forms import ALL, both, hashed, logged
from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, lose, nothing_changes, replaced, step
from tests.safety.values import FULL, LOST, grow, provide
from tests.safety.zones import READY, deletes, shrink, spec, using, with_zones

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(2)

# --- the owner of a value ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("use", ALL)
def test_an_owner_that_is_renamed(use: str) -> None:
    """What hangs on the value of a renamed owner isn't deleted before the new owner is Ready."""

    def of(owner: str) -> Callable[[Any], None]:
        return lambda ctx: ALL[use](ctx, make(ctx, owner, "Net", cidr="10.0.0.0/16").observed.status)

    cluster = replaced(evolved(of("vpc")), of("network"))
    for status, ready in ((None, False), (LOST, False), (FULL, True)):
        done = step(cluster)
        assert not done.fatal and set(done.deleted) <= {"vpc"}
        provide(cluster)
        cluster.provide("network", status, ready=ready)
    done = step(cluster)
    assert not done.fatal and set(done.deleted) <= {"vpc"}
    assert "network" in cluster.objects and "vpc" not in cluster.objects


def test_an_owner_that_is_deleted_and_not_made_again_for_long() -> None:
    """What hangs on its value stays however long the engine can't make it, and when it comes without the value."""
    cluster = evolved(using(both))
    del cluster.objects["vpc"]
    for _ in range(4):
        done = cluster.reconcile(applies={"s", "t"}, stores_status=False)
        nothing_changes(done)
        assert "vpc" in done.desired and "vpc" not in done.after
    nothing_changes(step(cluster))
    for status, ready in ((None, False), (LOST, False), (LOST, True), (FULL, True)):
        provide(cluster, status, ready=ready)
        nothing_changes(step(cluster))


def test_a_resource_that_is_deleted_by_hand_while_its_value_is_lost() -> None:
    """It is made again with the value at the latest, with what the code composes from it."""
    cluster = evolved(using(both))
    for name in ("s", "t"):
        lose(cluster)
        del cluster.objects[name]
        for _ in range(2):
            nothing_changes(lose(cluster))
        grow(cluster)
        assert spec(cluster, "s") == {"x": FULL["id"]}
        assert spec(cluster, "t") == {"x": FULL["id"], "fixed": 1}


# --- memory that is erased --------------------------------------------------------------------------------------------


@READY
@pytest.mark.parametrize("use", ALL)
def test_memory_erased_while_a_value_is_lost(use: str, ready: bool) -> None:
    """Without notes nothing goes until the value is back; then what the user has deleted meanwhile goes."""
    cluster = with_zones(ALL[use])
    lose(cluster, ready=ready)
    cluster.forget()
    shrink(cluster)
    for _ in range(3):
        done = step(cluster)
        assert not done.fatal
        assert done.deleted == []
    grow(cluster)
    assert "zone-b" not in cluster.objects


@READY
@pytest.mark.parametrize("names", [("s",), ("t",), ("vpc",), ("vpc", "s")], ids="-".join)
def test_memory_of_one_resource_erased(names: tuple[str, ...], ready: bool) -> None:
    """Where one resource has lost its memory the others keep theirs, and nothing goes or changes."""
    cluster = evolved(using(both))
    lose(cluster, ready=ready)
    cluster.forget(*names)
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))


# --- the engine fails -------------------------------------------------------------------------------------------------


@READY
@pytest.mark.parametrize("applies", [set(), {"vpc"}, {"s"}, {"t"}, {"s", "t"}, {"vpc", "s", "t"}], ids=sorted)
def test_half_an_answer_is_applied_and_the_value_goes(applies: set[str], ready: bool) -> None:
    """What the engine has applied before it failed, or before a conflict on the status, is protected; the rest waits.

    A value comes, the answer to it is applied in parts and the status isn't written, and the value goes again.
    """
    cluster = cluster_of(using(both))
    for _ in range(2):
        step(cluster)
        provide(cluster, LOST, ready=ready)
    assert spec(cluster, "t")["x"] == "none"
    provide(cluster)
    cluster.reconcile(applies=applies, stores_status=False)
    for _ in range(3):
        assert lose(cluster, ready=ready).deleted == []
    assert ("s" in cluster.objects) == ("s" in applies)
    # A resource whose notes were applied says what the value was, for all of the step.
    assert spec(cluster, "t")["x"] == (FULL["id"] if applies & {"s", "t"} else "none")
    grow(cluster)
    assert spec(cluster, "s")["x"] == spec(cluster, "t")["x"] == FULL["id"]


@pytest.mark.parametrize("applies", [set(), {"vpc"}, {"s"}, {"zone-a", "zone-b"}], ids=sorted)
def test_half_an_answer_at_rest(applies: set[str]) -> None:
    """What is remembered at rest on some resources only neither loses nor blocks anything."""
    cluster = with_zones(logged)
    provide(cluster, LOST, ready=True)
    cluster.reconcile(applies=applies, stores_status=False)
    for _ in range(2):
        nothing_changes(lose(cluster, ready=True))
    shrink(cluster)
    deletes(cluster, "zone-b")


def test_an_edit_of_which_half_is_applied_while_a_value_is_lost() -> None:
    """An edit that reaches some resources only is followed by all of them, and what is lost stays."""

    def use(ctx: Any, status: Any) -> None:
        for name in ("s", "t"):
            make(ctx, name, x=status.id or "none", region=ctx.composite(Unstructured).observed.spec.region)

    cluster = evolved(using(use))
    lose(cluster)
    cluster.xr["spec"]["region"] = "us"
    cluster.reconcile(applies={"s"}, stores_status=False)
    for _ in range(3):
        lose(cluster)
        assert spec(cluster, "s") == spec(cluster, "t") == {"x": FULL["id"], "region": "us"}


# --- a Fatal in between -----------------------------------------------------------------------------------------------


def _fails(ctx: Any) -> bool:
    return bool(ctx.composite(Unstructured).observed.spec.fails)


def _raising(ctx: Any, status: Any) -> None:
    if _fails(ctx):
        raise RuntimeError("an error of its author")
    both(ctx, status)


def _raising_late(ctx: Any, status: Any) -> None:
    both(ctx, status)
    if _fails(ctx):
        raise RuntimeError("an error of its author")


def _saying(ctx: Any, status: Any) -> None:
    both(ctx, status)
    if _fails(ctx):
        ctx.results.fatal("not now")


def _earlier(ctx: Any) -> None:
    if _fails(ctx):
        raise RuntimeError("an error of another author")


FATAL: dict[str, list[Callable[[Any], Any]]] = {
    "raised first": [using(_raising)],
    "raised last": [using(_raising_late)],
    "said": [using(_saying)],
    "earlier step": [_earlier, using(both)],
}


@READY
@pytest.mark.parametrize("how", FATAL)
def test_a_fatal_while_a_value_is_lost(how: str, ready: bool) -> None:
    """After a Fatal answer what hangs on a lost value stays, whether it went before, with it or after it."""
    for when in range(3):
        cluster = evolved(*FATAL[how], spec={"region": "eu", "fails": False})
        for number, fails in enumerate([False, True, True, False, False, False]):
            cluster.xr["spec"]["fails"] = fails
            if number == when:
                provide(cluster, LOST, ready=ready)
            done = cluster.reconcile()
            assert bool(done.fatal) == fails, done.told
            assert done.before == done.after
        provide(cluster)
        nothing_changes(step(cluster))


@pytest.mark.parametrize("how", FATAL)
def test_a_value_that_comes_and_goes_during_a_fatal(how: str) -> None:
    """A value that was there only while every answer was Fatal protects nothing, and is followed when it comes."""
    cluster = cluster_of(*FATAL[how], spec={"region": "eu", "fails": False})
    for _ in range(2):
        cluster.reconcile()
        provide(cluster, LOST, ready=True)
    cluster.xr["spec"]["fails"] = True
    provide(cluster)
    cluster.reconcile()
    cluster.xr["spec"]["fails"] = False
    nothing_changes(lose(cluster, ready=True))
    assert spec(cluster, "t")["x"] == "none"
    grow(cluster)
    assert spec(cluster, "s")["x"] == spec(cluster, "t")["x"] == FULL["id"]


# --- a status that goes in pieces -------------------------------------------------------------------------------------


def _nested(ctx: Any, status: Any) -> None:
    if status.endpoint and status.endpoint.host:
        make(ctx, "s", x=status.endpoint.host)
    make(ctx, "t", x=status.endpoint.host or "none")
    if ctx.resources["vpc"].observed.status:
        make(ctx, "u", fixed=1)


PIECES: list[Any] = [None, LOST, {**LOST, "endpoint": {}}, {**LOST, "endpoint": {"port": 5432}}]


@READY
@pytest.mark.parametrize("order", [*itertools.permutations(range(4))], ids=str)
def test_a_status_that_is_wiped_in_several_calls(order: tuple[int, ...], ready: bool) -> None:
    """Whether a value or something around it is missing, and in which order they go, what hangs on it stays."""
    cluster = evolved(using(_nested))
    for number in order:
        provide(cluster, PIECES[number], ready=ready)
        nothing_changes(step(cluster))
    provide(cluster)
    nothing_changes(step(cluster))


@pytest.mark.parametrize("first", range(4))
def test_a_birth_without_a_part_of_the_status(first: int) -> None:
    """What was made while something around a value was missing follows the code when the value comes."""
    cluster = cluster_of(using(_nested))
    step(cluster)
    provide(cluster, PIECES[first], ready=True)
    step(cluster)
    assert spec(cluster, "t") == {"x": "none"}
    provide(cluster)
    step(cluster)
    assert spec(cluster, "s") == spec(cluster, "t") == {"x": FULL["endpoint"]["host"]}
    for status in PIECES:
        provide(cluster, status, ready=True)
        nothing_changes(step(cluster))


def test_an_empty_string_where_a_value_was_is_lost() -> None:
    """An empty string in a status, where there was a text, takes the place of nothing live."""
    for use in (both, hashed, lambda ctx, status: make(ctx, "s", x=status.id)):
        cluster = evolved(using(use))
        for _ in range(3):
            provide(cluster, {**FULL, "id": ""})
            nothing_changes(step(cluster))
        provide(cluster)
        nothing_changes(step(cluster))

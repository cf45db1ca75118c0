"""What a memory can get wrong when code and values change: releases, values that come and go in any order."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.cluster import Cluster
from tests.safety.forms import ALL, NAMED, SEEN, both, logged
from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, functions_of, lose, nothing_changes, replaced, step
from tests.safety.values import FULL, LOST, grow, provide
from tests.safety.zones import READY, deletes, shrink, spec, using, with_zones

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(2)

# --- releases ---------------------------------------------------------------------------------------------------------


@READY
def test_a_release_that_asks_for_a_new_value(ready: bool) -> None:
    """A value that new code asks for lets nothing go until its owner is Ready; fields follow the code."""

    def new(ctx: Any, status: Any) -> None:
        if status.domain:
            make(ctx, "s", fixed=1)
        make(ctx, "t", x=status.domain or "none")

    def old(ctx: Any, status: Any) -> None:
        make(ctx, "s", fixed=1)
        make(ctx, "t", x="some")

    cluster = evolved(using(old), spec={"region": "eu", "zones": ["a", "b"]})
    cluster = replaced(cluster, using(new))
    provide(cluster, FULL, ready=ready)
    for _ in range(4):
        step(cluster)
        assert spec(cluster, "t") == {"x": "none"}
        assert ("s" in cluster.objects) is not ready
    provide(cluster, {**FULL, "domain": "d"})
    done = step(cluster)
    assert done.deleted == [] and spec(cluster, "t") == {"x": "d"}


def test_a_release_that_asks_no_longer() -> None:
    """When code doesn't ask for a lost value any more, everything follows that code at once."""
    cluster = evolved(using(both))
    lose(cluster)
    done = step(replaced(cluster, using(lambda ctx, status: make(ctx, "t", x="fixed", fixed=1))))
    assert not done.fatal
    assert done.deleted == ["s"]
    assert done.after["t"]["spec", "x"] == "fixed"
    nothing_changes(step(replaced(cluster, using(lambda ctx, status: [make(ctx, "s", x=FULL["id"]), _or_t(ctx)]))))


def _or_t(ctx: Any) -> None:
    make(ctx, "t", x=FULL["id"], fixed=1)


def test_a_release_that_raises_for_a_value_that_was_never_there() -> None:
    """What the code would have composed after the exception isn't left out: it stays."""

    def new(ctx: Any, status: Any) -> None:
        make(ctx, "r", fixed=1)
        ipaddress.ip_network(status.cidr or "")
        make(ctx, "s", fixed=1)

    def old(ctx: Any, status: Any) -> None:
        bool(status.cidr)
        make(ctx, "r", fixed=1)
        make(ctx, "s", fixed=1)

    cluster = cluster_of(using(old))
    for _ in range(3):
        step(cluster)
        provide(cluster, LOST, ready=True)
    cluster = replaced(cluster, using(new))
    for _ in range(3):
        done = step(cluster)
        assert done.deleted == []
        assert done.before == done.after


@READY
@pytest.mark.parametrize("use", NAMED)
def test_the_first_call_with_this_sdk(use: str, ready: bool) -> None:
    """What another SDK has composed isn't deleted while values are missing, and is protected once they are back."""
    cluster = with_zones(ALL[use])
    cluster.forget(mark=True)
    for _ in range(3):
        assert lose(cluster, ready=ready).deleted == []
    grow(cluster)
    for _ in range(2):
        nothing_changes(lose(cluster, ready=ready))


@READY
@pytest.mark.parametrize("use", NAMED)
def test_another_input(use: str, ready: bool) -> None:
    """After an edit of the step's input what hangs on a lost value stays, and what doesn't goes as the user says."""
    cluster = Cluster(*functions_of(using(ALL[use])), inputs=[{"size": 1}], spec={"region": "eu", "zones": []})
    grow(cluster)
    shrink(cluster, "abc")
    grow(cluster)
    cluster.inputs = [{"size": 2}]
    for _ in range(2):
        nothing_changes(lose(cluster, ready=ready))
    if use in SEEN:
        shrink(cluster)
        deletes(cluster, "zone-b")


# --- values that come late, flap, or come back another way ------------------------------------------------------------


@READY
def test_a_value_that_comes_late(ready: bool) -> None:
    """After many reconciles without a value everything follows the code in the one that has it."""
    cluster = cluster_of(using(both))
    for _ in range(12):
        step(cluster)
        provide(cluster, LOST, ready=ready)
    provide(cluster)
    done = step(cluster)
    assert done.after["s"]["spec", "x"] == done.after["t"]["spec", "x"] == FULL["id"]


@READY
@pytest.mark.parametrize("use", ALL)
def test_a_value_that_flaps(use: str, ready: bool) -> None:
    """A value that goes and comes changes nothing, however often."""
    cluster = with_zones(ALL[use])
    for number in range(10):
        provide(cluster, FULL if number % 3 == 2 else LOST, ready=ready)
        nothing_changes(step(cluster))


def test_a_value_that_flaps_between_rests() -> None:
    """A value that came back after a rest without it protects what was made with it, when it goes again."""
    cluster = with_zones(logged)
    for _ in range(3):
        lose(cluster, ready=True)
    cluster = replaced(cluster, using(lambda ctx, status: make(ctx, "s", x=status.id or "none")))
    grow(cluster)
    assert spec(cluster) == {"x": FULL["id"]}
    for _ in range(3):
        nothing_changes(lose(cluster, ready=True))


def _normalising(cluster: Cluster) -> Cluster:
    cluster.normalised = {"1000m": "1", FULL["id"]: "VPC-1234"}
    cluster.defaults = {"Thing": {"spec": {"policy": "Delete", "deep": {"a": 1}}}}
    return cluster


def _measured(ctx: Any, status: Any) -> None:
    for zone in ctx.composite(Unstructured).observed.spec.cells or []:
        make(ctx, f"cell-{zone}", cpu="1000m")
    make(ctx, "s", cpu="1000m", x=status.id or "none")
    if status.id:
        make(ctx, "t", cpu="1000m", x=status.id)
    ctx.log.info(hashlib.sha256(f"{status.arn}".encode()).hexdigest())


@READY
def test_values_that_the_api_server_normalises(ready: bool) -> None:
    """What is written as `1000m` and read as `1` stays like anything else while a value is missing."""
    cluster = _normalising(cluster_of(using(_measured), spec={"region": "eu", "cells": ["a", "b"]}))
    grow(cluster)
    assert spec(cluster, "t") == {"cpu": "1", "x": "VPC-1234", "policy": "Delete", "deep": {"a": 1}}
    for status in (LOST, {**FULL, "arn": ""}, {**LOST, "arn": FULL["arn"]}, LOST, FULL):
        provide(cluster, status, ready=ready)
        nothing_changes(step(cluster))


def test_rest_where_the_api_server_normalises() -> None:
    """That live values differ from desired ones doesn't hide that nothing changes: the user can delete after a rest."""
    cluster = _normalising(cluster_of(using(_measured), spec={"region": "eu", "cells": []}))
    grow(cluster)
    cluster.xr["spec"]["cells"] = ["a", "b"]
    grow(cluster)
    for _ in range(2):
        provide(cluster, {key: value for key, value in FULL.items() if key != "arn"})
        nothing_changes(step(cluster))
    cluster.xr["spec"]["cells"] = ["a"]
    deletes(cluster, "cell-b")


def test_a_value_that_never_comes_where_the_api_server_normalises() -> None:
    """A normalised field is no other content: nothing runs again, nothing is written, and the user can delete."""
    runs: list[int] = []

    def use(ctx: Any, status: Any) -> None:
        runs.append(1)
        for zone in ctx.composite(Unstructured).observed.spec.cells:
            make(ctx, f"cell-{zone}", cpu="1000m", x=status.domain or "none")

    cluster = _normalising(cluster_of(using(use), spec={"region": "eu", "cells": ["a", "b"]}))
    for _ in range(4):
        runs.clear()
        done = cluster.reconcile()
        provide(cluster, LOST)
    assert len(runs) == 1
    assert done.written == []
    cluster.xr["spec"]["cells"] = ["a"]
    deletes(cluster, "cell-b")


@READY
@pytest.mark.parametrize("is_erased", [False, True], ids=["remembered", "erased"])
def test_a_value_that_comes_without_changing_what_was_made_before(is_erased: bool, ready: bool) -> None:
    """A value that has been there since a resource was made is lost when it goes, though the resource is as it was."""

    def use(ctx: Any, status: Any) -> None:
        if status.id or ctx.composite(Unstructured).observed.spec.force:
            make(ctx, "s", fixed=1)

    cluster = cluster_of(using(use), spec={"region": "eu", "force": True})
    for status in (LOST, LOST, FULL, FULL):
        nothing_changes(step(cluster))
        provide(cluster, status, ready=True)
    step(cluster)
    cluster.xr["spec"]["force"] = False
    nothing_changes(step(cluster))
    if is_erased:
        cluster.forget()
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))


# --- several values, several steps ------------------------------------------------------------------------------------


@READY
def test_one_value_comes_while_another_goes(ready: bool) -> None:
    """What hangs on the value that goes stays; what hangs on the one that comes follows as soon as both are there."""

    def use(ctx: Any, status: Any) -> None:
        if status.id:
            make(ctx, "by-id", x=status.id)
        if status.arn:
            make(ctx, "by-arn", x=status.arn)
        make(ctx, "s", id=status.id or "none", arn=status.arn or "none")

    cluster = cluster_of(using(use))
    step(cluster)
    for number in range(8):
        present = ("id", "arn")[number // 2 % 2]
        provide(cluster, {**LOST, present: FULL[present]}, ready=ready)
        done = step(cluster)
        assert not done.fatal and done.deleted == []
        assert number <= 2 or done.before["s"] == done.after["s"]
        if number >= 2:  # both have been there
            assert spec(cluster) == {"id": FULL["id"], "arn": FULL["arn"]}
    provide(cluster)
    assert step(cluster).after.keys() == {"vpc", "by-id", "by-arn", "s"}


@READY
@pytest.mark.parametrize("use", SEEN)
def test_a_value_that_is_first_asked_for_when_it_goes(use: str, ready: bool) -> None:
    """An edit that makes the code ask for a value in the very call in which the value goes deletes nothing."""

    def gated(ctx: Any, status: Any) -> None:
        if ctx.composite(Unstructured).observed.spec.strict:
            SEEN[use](ctx, status)
        else:
            make(ctx, "s", x=FULL["id"], **({"fixed": 1} if use == "or" else {}))

    cluster = evolved(using(gated), spec={"region": "eu", "strict": False})
    cluster.xr["spec"]["strict"] = True
    for _ in range(4):
        nothing_changes(lose(cluster, ready=ready))
    provide(cluster)
    nothing_changes(step(cluster))


KEPT_FIELDS: dict[str, Callable[[Any], Any]] = {
    "or": lambda status: status.id or "none",
    "conditional": lambda status: "yes" if status.id else "no",
    "reference": lambda status: status.id,
    "text": lambda status: f"net/{status.id}",
    "default in a text": lambda status: f"net/{status.id or 'none'}",
}


@READY
@pytest.mark.parametrize("form", KEPT_FIELDS)
def test_an_edit_beside_a_field_that_is_kept(form: str, ready: bool) -> None:
    """A lost value protects its field through every edit of other fields of the same resource, and rests between."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", x=KEPT_FIELDS[form](status), region=ctx.composite(Unstructured).observed.spec.region)

    cluster = evolved(using(use))
    live = spec(cluster)["x"]
    for region in ("eu", "us", "us", "us", "ap", "ap", "eu"):
        cluster.xr["spec"]["region"] = region
        done = lose(cluster, ready=ready)
        assert not done.fatal and done.deleted == []
        assert spec(cluster) == {"x": live, "region": region}


def test_an_edit_beside_two_fields_that_are_kept_one_after_the_other() -> None:
    """Each of two values protects its own field, from when it goes until it comes."""

    def use(ctx: Any, status: Any) -> None:
        region = ctx.composite(Unstructured).observed.spec.region
        make(ctx, "s", x=status.id or "none", y=status.arn or "none", region=region)

    cluster = evolved(using(use))
    for region, gone in (("us", {"id"}), ("ap", {"id", "arn"}), ("eu", {"arn"}), ("us", {"id", "arn"}), ("ap", {"id"})):
        cluster.xr["spec"]["region"] = region
        provide(cluster, {key: value for key, value in FULL.items() if key not in gone})
        assert not step(cluster).fatal
        assert spec(cluster) == {"x": FULL["id"], "y": FULL["arn"], "region": region}


@READY
def test_a_value_that_comes_while_another_stays_lost(ready: bool) -> None:
    """A value that has come protects what is there because of it, also where it came while another one was lost."""

    def use(ctx: Any, status: Any) -> None:
        if status.domain or "forced" in ctx.composite(Unstructured).observed.spec.zones:
            make(ctx, "s", fixed=1)
        make(ctx, "t", x=status.id or "none")

    cluster = evolved(using(use), spec={"region": "eu", "zones": ["a", "forced"]})
    without = {key: value for key, value in FULL.items() if key != "id"}
    provide(cluster, without, ready=ready)
    nothing_changes(step(cluster))
    provide(cluster, {**without, "domain": "d"}, ready=ready)
    nothing_changes(step(cluster))
    shrink(cluster, "a")
    deletes(cluster, "zone-forced")
    provide(cluster, without, ready=ready)
    done = step(cluster)
    assert done.deleted == [] and "s" in done.desired


def test_new_code_asks_for_a_field_of_the_composite_that_never_comes() -> None:
    """Its absence is an answer once all resources are ready, though the composite isn't, because something waits."""

    def before(ctx: Any) -> None:
        make(ctx, "vpc", "VPC")
        make(ctx, "replica", fixed=1)

    def after(ctx: Any) -> None:
        waiting = make(ctx, "vpc", "VPC").observed.status.phase
        make(ctx, "waits", x=waiting)
        never = ctx.composite(Unstructured).observed.status.never
        make(ctx, "replica" if never else "primary", fixed=1)

    cluster = evolved(before)
    provide(cluster, {}, ready=False)
    step(cluster)
    cluster = replaced(cluster, after)
    assert step(cluster).after.keys() == {"vpc", "replica"}
    provide(cluster, {}, ready=True)
    for _ in range(2):
        done = step(cluster)
    assert done.after.keys() == {"vpc", "primary"}, done.told

"""Code styles in the states that a value can be in: what comes of each, and what holds in all of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import pytest

from crossplane_lite import composition
from tests.safety import (
    styles_branches,
    styles_direct,
    styles_loops,
    styles_mangled,
    styles_meant,
    styles_numbers,
    styles_texts,
)
from tests.safety.checks import Placeholders, checked
from tests.safety.cluster import Cluster, Reconcile, content
from tests.safety.ownership import flat
from tests.safety.plain import evaluate, plan_contents
from tests.safety.style import ABSENT, FATAL, HELD, INTERRUPTED, KEPT, OPEN, STYLES, UNCHANGED, Style
from tests.safety.values import EMPTY, FULL, LOST, WRONG, full_world, grow, provide, refer

FILES = (styles_branches, styles_direct, styles_loops, styles_mangled, styles_meant, styles_numbers, styles_texts)
VPC = {"apiVersion": "example.org/v1", "kind": "VPC", "spec": {"cidr": "10.0.0.0/16", "region": "eu"}}


# --- clusters -----------------------------------------------------------------------------------------------------


def fresh(style: Style) -> Cluster:
    """Return a cluster in which nothing is composed yet."""
    functions = [
        composition.function(name="step" if n == 0 else f"step{n}", auto_ready=True)(compose)
        for n, compose in enumerate(style.functions)
    ]
    return Cluster(*functions)


@functools.cache
def _grown(name: str) -> tuple[Cluster, Reconcile]:
    cluster = _with_vpc(STYLES[name])
    return cluster, grow(cluster)


def grown(style: Style) -> tuple[Cluster, Reconcile]:
    """Return a cluster in which all is composed that the style composes in the end, and the last reconcile."""
    cluster, done = _grown(style.name)
    return cluster.copy(), done


def _with_vpc(style: Style) -> Cluster:
    cluster = fresh(style)
    kind = "Net" if "Net" in _kinds(style) else "VPC"
    cluster.seed("vpc", {**VPC, "kind": kind})
    return cluster


def _kinds(style: Style) -> set[str]:
    plan, _ = evaluate(style.functions, full_world())
    return {body["kind"] for body in plan.values()}


@functools.cache
def placeholders_of(name: str) -> Placeholders:
    """Return the placeholders in calls of a style."""
    found = Placeholders(STYLES[name].functions)
    cluster = _with_vpc(STYLES[name])
    refer(cluster, {})
    found.look(cluster)
    provide(cluster, LOST)
    found.look(cluster)
    return found


def step(style: Style, cluster: Cluster) -> Reconcile:
    """Reconcile once, with all that holds always."""
    return checked(cluster, placeholders_of(style.name))


# --- outcomes -----------------------------------------------------------------------------------------------------


def contents(done: Reconcile) -> dict[str, Any]:
    """Return the content of all that is desired."""
    return {name: content(body) for name, body in done.desired.items()}


def filled(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return contents without empty objects: plain Python has one where a function sets what is empty, or none."""
    return {name: {path: value for path, value in fields.items() if value != {}} for name, fields in found.items()}


def check_plan(style: Style, done: Reconcile, status: Mapping[str, Any], *, ready: bool) -> None:
    """The answer is what the same code composes from plain values; where that raises, the result is Fatal."""
    try:
        plan, xr_status = evaluate(style.functions, full_world(status, ready=ready, existing=done.before))
    except Exception as error:
        assert done.fatal, f"plain Python says {error!r}"
        assert done.before == done.after
        return
    assert not done.fatal, done.fatal
    assert filled(contents(done)) == filled(plan_contents(plan))
    if done.status:
        assert {key: done.status.get(key) for key in xr_status} == xr_status


def check_before(style: Style, done: Reconcile, expected: Any) -> None:
    """Before the value exists nothing is Fatal, and each resource is as the style says."""
    assert not done.fatal, done.fatal
    desired = contents(done)
    assert "vpc" in desired
    plan, _ = evaluate(style.functions, full_world())
    if not isinstance(expected, Mapping):
        expected = dict.fromkeys(plan.keys() - {"vpc"}, expected)
    for name, outcome in expected.items():
        if outcome in (HELD, ABSENT, INTERRUPTED):
            assert name not in desired, desired[name]
        if outcome == HELD:
            assert f"{name} waits for " in done.waiting or "more wait" in done.waiting, done.waiting
            assert done.final.desired.composite.ready == 2, "the composite must not be ready"
        if outcome == INTERRUPTED:
            assert "what exists stays" in done.told, done.told
        if isinstance(outcome, Mapping):
            assert name in desired, done.told
            spec = {path: value for path, value in desired[name].items() if path[0] == "spec"}
            assert spec == flat({"spec": outcome})


def check_lost(style: Style, done: Reconcile, last: Reconcile, lost: str) -> None:
    """What exists is as it was, and so is what is desired."""
    if lost == FATAL:
        assert done.fatal
    elif lost != UNCHANGED:
        assert not done.fatal, done.fatal
    assert done.deleted == []
    assert {name: done.after.get(name) for name in done.before} == done.before
    if not done.fatal:
        desired, before = contents(done), contents(last)
        assert {name: desired.get(name) for name in before} == before
        assert desired.keys() - before.keys() <= {"vpc"}, "a resource is composed beside one that is kept"
        assert {key: done.status.get(key) for key in last.status} == last.status


# --- the table ----------------------------------------------------------------------------------------------------


def _before(style: Style, cell: str, ready: bool) -> None:
    cluster = fresh(style)
    refer(cluster, {})
    first = step(style, cluster)
    if style.before != OPEN:
        check_before(style, first, style.before)
    if "vpc" not in cluster.objects:
        cluster = _with_vpc(style)
    provide(cluster, LOST, ready=ready)
    done = step(style, cluster)
    if style.is_answer and ready:
        check_plan(style, done, EMPTY, ready=True)
    elif style.before != OPEN and not (style.is_number and ready):
        check_before(style, done, (ready and style.before_ready) or style.before)


def _after(style: Style, cell: str, ready: bool) -> None:
    cluster = grown(style)[0] if ready else _with_vpc(style)
    if not ready:
        grow(cluster, ready=False)
    done = step(style, cluster)
    check_plan(style, done, FULL, ready=ready)
    assert done.before == done.after


def _lost(style: Style, cell: str, ready: bool, status: Mapping[str, Any] | None) -> None:
    cluster, last = grown(style)
    provide(cluster, status, ready=ready)
    refer(cluster, {})
    lost = UNCHANGED if style.is_number and ready else style.lost
    for _ in range(2):  # the second one has the conditions of the first
        done = step(style, cluster)
        if cell in style.open:
            continue
        if style.is_answer and ready:
            check_plan(style, done, EMPTY, ready=True)
        else:
            check_lost(style, done, last, lost)
    if not (style.is_answer and ready):
        refer(cluster, FULL)
        provide(cluster)
        for _ in range(style.heals):
            healed = step(style, cluster)
        assert contents(healed) == contents(last)
        assert healed.status == last.status


def _gone(style: Style, cell: str, ready: bool) -> None:
    _lost(style, cell, ready, LOST)


def _status_gone(style: Style, cell: str, ready: bool) -> None:
    _lost(style, cell, ready, None)


def _resource_gone(style: Style, cell: str, ready: bool) -> None:
    cluster, last = grown(style)
    provide(cluster, ready=ready)
    del cluster.objects["vpc"]
    done = step(style, cluster)
    if cell in style.open:
        return
    check_lost(style, done, last, style.lost)
    if style.lost == KEPT:
        assert "vpc" in cluster.objects
    if style.lost != FATAL:
        cluster = cluster if "vpc" in cluster.objects else grown(style)[0]
        provide(cluster, None, ready=False)
        check_lost(style, step(style, cluster), last, style.lost)


def _wrong_type(style: Style, cell: str, ready: bool) -> None:
    cluster, last = grown(style)
    provide(cluster, WRONG, ready=ready)
    refer(cluster, WRONG)
    done = step(style, cluster)
    if style.wrong == FATAL:
        assert done.fatal
        assert done.before == done.after
    elif style.wrong != OPEN:
        check_plan(style, done, WRONG, ready=ready)


STATES = {
    "before": _before,
    "after": _after,
    "gone": _gone,
    "status-gone": _status_gone,
    "resource-gone": _resource_gone,
    "wrong-type": _wrong_type,
}


QUICK = {"gone-NotReady": 1, "before-NotReady": 3}
"""The cells that quick runs choose from, about 500, of each style or each third one."""


def _marks(at: int, cell: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if cell in QUICK and at % QUICK[cell] == 0 else (pytest.mark.slow,)


CELLS = [
    pytest.param(name, state, ready, id=f"{name}-{cell}", marks=_marks(at, cell))
    for at, name in enumerate(STYLES)
    for state in STATES
    for ready in (True, False)
    for cell in [f"{state}-{'Ready' if ready else 'NotReady'}"]
]


@pytest.mark.sample(48)
@pytest.mark.parametrize(("name", "state", "ready"), CELLS)
def test_style(name: str, state: str, ready: bool) -> None:
    """Nothing that exists is lost or changed, no placeholder gets out, and each resource is as the style says."""
    STATES[state](STYLES[name], f"{state}-{'Ready' if ready else 'NotReady'}", ready)


def test_there_are_enough_styles() -> None:
    """The table has at least 170 styles, in all of its files."""
    assert len(STYLES) >= 170
    assert all(file.__name__.startswith("tests.safety.styles_") for file in FILES)

"""What comes of missing values, as one table of counts: `python -m tests.safety [--compositions N] [--without-tests]`.

Each style is a composition. All that it composes exists; then a fault takes values away, and two reconciles follow.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from benchmarks import waiting
from crossplane_lite import composition
from tests.safety import test_notes, test_table
from tests.safety.cluster import Cluster
from tests.safety.style import STYLES, Style
from tests.safety.test_random import search
from tests.safety.touches import TOUCHES, grown_zones
from tests.safety.values import FULL, LOST, grow, provide, refer
from tests.safety.zones import shrink

__all__ = ["Found", "bytecodes", "faults", "main", "stuck"]

FAULTS: Final = ("field", "status", "object")
SUITES: Final = {
    "attacks": ("test_attacks.py",),
    "cases of memory": (
        "test_memory.py",
        "test_memory_changes.py",
        "test_memory_faults.py",
        "test_memory_steps.py",
    ),
    "cells of styles": ("test_table.py",),
    "first calls with this SDK": ("test_first_call.py", "test_adopted_pipelines.py"),
}


class Found(NamedTuple):
    """What came of the faults of some compositions.

    Attributes:
        compositions: How many compositions there were.
        faults: How many faults.
        count: How many resources were deleted, recreated, changed and made, and how many statuses changed.
        names: The compositions with at least one of these, by the word.
        runs: How many calls there were while values were gone, by how often compose() ran.
    """

    compositions: int
    faults: int
    count: Counter[str]
    names: dict[str, set[str]]
    runs: Counter[int]


class _Counting:
    """A function that counts how often compose() runs in each of its calls."""

    def __init__(self, name: str, compose: Callable[[Any], Any], calls: Counter[int]) -> None:
        self._runs = 0
        self._calls = calls

        def counted(ctx: Any) -> Any:
            self._runs += 1
            return compose(ctx)

        self._function = composition.function(name=name, auto_ready=True)(counted)

    def run(self, request: bytes) -> bytes:
        self._runs = 0
        answer = self._function.run(request)
        self._calls[self._runs] += 1
        return answer


def _break(cluster: Cluster, fault: str, *, ready: bool) -> None:
    provide(cluster, None if fault == "status" else LOST, ready=ready)
    if fault == "object":
        provide(cluster, FULL, ready=ready)
        del cluster.objects["vpc"]
    refer(cluster, {})


def _differences(before: Cluster, after: Cluster) -> Iterator[str]:
    """Yield a word for each resource of two clusters that differs, and for the composite's status."""
    for name, one in before.objects.items():
        other = after.objects.get(name)
        if other is None:
            yield "deleted"
        elif other.live["metadata"]["uid"] != one.live["metadata"]["uid"]:
            yield "recreated"
        elif test_table.content(other.live) != test_table.content(one.live):
            yield "changed"
    yield from ("made" for name in after.objects.keys() - before.objects.keys() if name != "vpc")
    old, new = ({**one.xr.get("status", {}), "conditions": None} for one in (before, after))
    if old != new:
        yield "status changed"


def _is_meant(style: Style, fault: str, *, ready: bool) -> bool:
    """Say whether the style itself says that the fault changes something, or says nothing."""
    state = {"field": "gone", "status": "status-gone", "object": "resource-gone"}[fault]
    cell = f"{state}-{'Ready' if ready else 'NotReady'}"
    return cell in style.open or (style.is_answer and ready and fault != "object")


def faults(styles: Iterable[Style]) -> Found:
    """Let values go in all ways, and count what comes of it."""
    found = Found(0, 0, Counter(), {}, Counter())
    for style in styles:
        found = found._replace(compositions=found.compositions + 1)
        for fault in FAULTS:
            for ready in (True, False):
                if _is_meant(style, fault, ready=ready):
                    continue
                cluster, _ = test_table.grown(style)
                _break(cluster, fault, ready=ready)
                cluster.functions = tuple(
                    _Counting(f"step{at or ''}", compose, found.runs) for at, compose in enumerate(style.functions)
                )
                before = cluster.copy()
                for _ in range(2):
                    cluster.reconcile()
                for word in _differences(before, cluster):
                    found.count[word] += 1
                    found.names.setdefault(word, set()).add(style.name)
                found = found._replace(faults=found.faults + 1)
    return found


def stuck(*, lost: bool) -> list[str]:
    """Return the ways of touching a value after which a zone that the user takes out stays."""
    found = []
    for name, touch in TOUCHES.items():
        cluster = grown_zones(touch)
        if lost:
            provide(cluster, FULL, ready=True)
            grow(cluster)
            provide(cluster, LOST, ready=True)
            cluster.reconcile()
        shrink(cluster)
        for _ in range(2):
            cluster.reconcile()
        if "zone-b" in cluster.objects:
            found.append(name)
    return found


def bytecodes(call: Callable[[], object]) -> int:
    """Return how many bytecodes a call executes."""
    count = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    return count


class _Outcomes:
    """Counts the tests of a run of pytest."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed += 1


def _tests(files: Iterable[str]) -> _Outcomes:
    outcomes = _Outcomes()
    here = Path(__file__).parent
    options = ["-q", "--no-header", "--no-summary", "-p", "no:terminal", "-m", "slow or not slow"]
    pytest.main([*options, *(str(here / file) for file in files)], plugins=[outcomes])
    return outcomes


def _row(what: str, value: object) -> None:
    print(f"{what:80}{value}", flush=True)


def main(argv: list[str] | None = None) -> int:
    """Print the table.

    Returns:
        1 where something was lost, stuck or not right.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.safety", description="What comes of missing values.")
    parser.add_argument("--compositions", type=int, default=20, help="random compositions; default: %(default)s")
    parser.add_argument("--without-tests", action="store_true", help="leave out the rows that are tests")
    options = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()):  # some styles print
        found = faults(STYLES.values())
        still = {lost: stuck(lost=lost) for lost in (False, True)}
    bad = sum(found.count.values())
    _row("compositions under faults", f"{found.compositions} ({found.faults} faults, two reconciles each)")
    for word in ("deleted", "recreated", "changed", "made", "status changed"):
        where = ", ".join(sorted(found.names.get(word, ())))
        _row(f"  {word} by a loss", f"{found.count[word]} {where}")
    runs = ", ".join(f"{number} in {calls:,}" for number, calls in sorted(found.runs.items()))
    _row("  runs of compose() in calls that lack a value", runs)
    for lost, names in still.items():
        bad += len(names)
        words = "with a loss" if lost else "of a value that never comes"
        _row(f"{len(TOUCHES)} ways of touching a value: deletions stuck {words}", f"{len(names)} {', '.join(names)}")
    _row("writes in the life of a network of 29 resources, 14 reconciles", test_notes._grown()[1])
    function, request = waiting.scene("if", "there", 20)
    function.run(request)
    _row("bytecodes of a resolved call, 20 resources", f"{bytecodes(lambda: function.run(request)):,}")
    reconciles = search(options.compositions)  # raises where something is wrong
    _row("reconciles of random compositions with faults and edits, all as wanted", reconciles)
    for name, files in () if options.without_tests else SUITES.items():
        outcomes = _tests(files)
        bad += len(outcomes.failed)
        total = outcomes.passed + len(outcomes.failed)
        _row(f"{name}: not right", f"{len(outcomes.failed)} of {total} {' '.join(outcomes.failed)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

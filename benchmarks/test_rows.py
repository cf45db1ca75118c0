"""The rows, one group of pytest-benchmark each. Timings never fail a test; different answers of the
sides do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import report
from benchmarks.measuring import Row, Samples
from benchmarks.rows import ROWS

pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed (extra [bench])")

_passed = [0.0]


def _clock() -> float:
    """The timer that pytest-benchmark reads: it shows times that were measured before, the sides in
    turns.
    """
    return _passed[0]


_CASES = [
    pytest.param(
        row,
        side,
        id=f"{row.name}-{side}",
        marks=pytest.mark.benchmark(group=row.name, timer=_clock),
    )
    for row in ROWS
    for side in row.sides
    if row.unit == "s"
]


@pytest.mark.parametrize(("row", "side"), _CASES)
def test_time(row: Row, side: str, benchmark: Any, measured: Callable[[Row], Samples]) -> None:
    """All sides give the same answer, and their times are recorded."""
    samples = measured(row)[side]
    times = iter(samples)
    benchmark.name = side  # the group has the row's name
    if side == "ours":
        beside = [one.as_json() for one in report.comparisons(row, measured(row))]
        benchmark.extra_info.update(beside[0], beside=beside)

    def pass_time() -> None:
        _passed[0] += next(times, 0.0)

    benchmark.pedantic(pass_time, rounds=len(samples))


@pytest.mark.parametrize("row", [row for row in ROWS if row.unit != "s"], ids=lambda row: row.name)
def test_sizes(row: Row, measured: Callable[[Row], Samples]) -> None:
    """All sides give the same answer, and their sizes are in the table at the end."""
    assert set(measured(row)) == set(row.sides)

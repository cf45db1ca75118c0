"""What the rows' tests share: each row is measured once, its sides in turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import models, report
from benchmarks.measuring import Row, Samples
from benchmarks.models import SkipRow

_measured: dict[str, Samples | str] = {}


def pytest_configure(config: pytest.Config) -> None:
    try:
        models.source()
    except FileNotFoundError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the sides of a row the same names, so that `-k` chooses all of them or none."""
    sides: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        callspec = getattr(item, "callspec", None)
        row = callspec.params.get("row") if callspec else None
        if isinstance(row, Row):
            sides[row.name].append(item)
    for row_items in sides.values():
        names = {item.name for item in row_items}
        for item in row_items:
            item.extra_keyword_matches |= names


@pytest.fixture
def measured() -> Callable[[Row], Samples]:
    """Return a function that measures a row, or gives what was measured before."""

    def measure(row: Row) -> Samples:
        if row.name not in _measured:
            try:
                _measured[row.name] = row.sample()
            except SkipRow as reason:
                _measured[row.name] = str(reason)
        samples = _measured[row.name]
        if isinstance(samples, str):
            pytest.skip(samples)
        return samples

    return measure


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_json(output_json: dict[str, Any]) -> None:
    """Add the rows, with those of bytes and of objects, which pytest-benchmark has no place for."""
    output_json["definitions"] = models.source()
    output_json["rows"] = report.as_json(_measured)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _measured:
        terminalreporter.section("beside the official SDK and the floor (medians, then means)")
        for line in report.lines(_measured):
            terminalreporter.write_line(line)
        terminalreporter.write_line(f"CRDs: {models.source()}")

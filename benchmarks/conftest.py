"""What the rows' tests share: each row is measured once, its sides in turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import report
from benchmarks.measuring import Row, Samples
from benchmarks.models import SkipRow

_measured: dict[str, Samples | str] = {}


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


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if _measured:
        terminalreporter.section("beside the official SDK and the floor (medians)")
        for line in report.lines(_measured):
            terminalreporter.write_line(line)

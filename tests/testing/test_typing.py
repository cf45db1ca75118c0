"""Tests of users, as mypy and pyright see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.typing import checkers
from tests.typing.test_checkers import compare

CASE = Path(__file__).parent / "cases" / "users.py"


@pytest.mark.slow
def test_mypy(tmp_path: Path) -> None:
    """mypy --strict reveals the types that the case states, and reports errors where it says so and nowhere else."""
    try:
        reports = checkers.mypy([CASE], tmp_path)
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))
    assert compare(CASE, reports[CASE], 0) == []


@pytest.mark.slow
def test_pyright() -> None:
    """Strict pyright reveals the types that the case states, and reports errors where it says so and nowhere else."""
    try:
        reports = checkers.pyright([CASE])
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))
    assert compare(CASE, reports[CASE], 1) == []

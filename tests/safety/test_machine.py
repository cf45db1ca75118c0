"""Random compositions over many reconciles: nothing is lost, overwritten or made of a placeholder."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.safety.machine import Machine

STEPS = 50
"""Rules in a row, each with a reconcile at least."""

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def search(examples: int) -> int:
    """Run compositions with up to `STEPS` rules each, and return the number of reconciles."""
    before = Machine.reconciles
    options = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=CHECKS,
        phases=[Phase.generate],  # shrinking takes minutes: add Phase.shrink to look into a failure
        report_multiple_bugs=False,
    )
    run_state_machine_as_test(Machine, settings=options)
    return Machine.reconciles - before


@pytest.mark.slow
def test_a_few_compositions() -> None:
    """A few compositions keep all that exists."""
    assert search(5) > 150


@pytest.mark.slow
def test_many_compositions() -> None:
    """In 20,000 reconciles nothing that exists is lost or changed by what is missing."""
    assert search(400) >= 20_000

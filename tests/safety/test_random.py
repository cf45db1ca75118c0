"""Random compositions x faults x reconciles: nothing is lost, overwritten by a guess, or half made."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.safety.machine import Machine
from tests.safety.replicas import outputs

STEPS = 50
"""Rules in a row, each with a reconcile at least."""

MANY = int(os.environ.get("SAFETY_COMPOSITIONS", "60"))
"""How many compositions the slow search makes: a minute of CPU time. With 400 it makes more than 20,000 reconciles."""

KINDS = [
    *(f"lost in {count} steps" for count in (1, 2, 3)),
    *(f"lost beside an edit of {what}" for what in ("flag", "region", "input", "names")),
    "lost of a required object",
    "adopted",
]
"""What a search should try."""

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def search(examples: int) -> int:
    """Run compositions with up to `STEPS` rules each, and return the number of reconciles."""
    before = Machine.reconciles
    options = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=True,  # the seed is the test's own
        database=None,
        suppress_health_check=CHECKS,
        phases=[Phase.generate],  # shrinking takes minutes: add Phase.shrink to look into a failure
        report_multiple_bugs=False,
    )
    run_state_machine_as_test(Machine, settings=options)
    return Machine.reconciles - before


def test_a_few_compositions() -> None:
    """A few compositions keep all that exists, and follow the code where nothing is lost."""
    assert search(2) > 50


@pytest.mark.slow
def test_some_compositions() -> None:
    """Some more of them do, each of which tries other things."""
    assert search(5) > 150


@pytest.mark.slow
def test_many_compositions() -> None:
    """In thousands of reconciles nothing is lost, overwritten or half made; what comes back heals; users can delete."""
    rests, heals, seen = Machine.rests, Machine.heals, Counter(Machine.seen)
    assert search(MANY) >= 45 * MANY
    tried = Machine.seen - seen
    assert all(tried[kind] > MANY / 6 for kind in KINDS), tried
    assert Machine.rests - rests > MANY / 6
    assert Machine.heals - heals > MANY / 6


@pytest.mark.slow  # two processes; the test of orders has one example of the same
def test_two_processes_answer_alike() -> None:
    """Two processes with other hashes of texts answer the same requests with the same bytes."""
    found = outputs("-m", "tests.safety.orders", "3", "7", timeout=120)
    assert found[0] == found[1]
    assert found[0].count("\n") == 30

"""Requests that grow take no more than their share: nothing is quadratic."""

from __future__ import annotations

import pytest

from tests.behaviour.growth import GROWING, times


@pytest.mark.slow
@pytest.mark.parametrize("name", GROWING)
def test_eight_times_as_much_takes_about_eight_times_as_long(name: str) -> None:
    """Eight times the size takes less than 24 times the CPU time; what is quadratic takes 64 times."""
    one = GROWING[name]
    small, large = times(one, (one.size, 8 * one.size))
    assert large < 24 * small + 0.002, (small, large, large / small)

"""Constraints on versions."""

from __future__ import annotations

import pytest

from crossplane_lite._tools.packaging.lint import constraint_problem

RIGHT = [
    *(">=v2.0.0", "^1.14.0", "~1.2", "1.x", "*", "v2", ">= 1.2, < 3", ">=1.2 <3", "1.2 - 2.0", "=1.2.3", "!=1.5"),
    *("=>1", "=<2", "~>2", "1.2.3-rc.1", "1.2.3+build.5", ">=1.0.0-0 || ^2.1", " >1 "),
]
WRONG = ["", " ", "latest", ">=", ">=2.0.0,", "1.2.3.4", "2..1", ">> 1", "1 || ", "v", "1.2-", "≥1", "1٣", "^^1"]


@pytest.mark.parametrize("text", RIGHT)
def test_right(text: str) -> None:
    """What Crossplane takes is taken."""
    assert constraint_problem(text) is None


@pytest.mark.parametrize("text", WRONG)
def test_wrong(text: str) -> None:
    """What it doesn't take is refused, with the text."""
    assert repr(text) in (constraint_problem(text) or "")


def test_limits() -> None:
    """Constraints have a longest length and a greatest number of alternatives."""
    assert constraint_problem("1" * 512) is None
    assert "at most 512 characters (it has 513)" in (constraint_problem("1" * 513) or "")
    assert constraint_problem("||".join(["1"] * 32)) is None
    assert "at most 32 alternatives (it has 33)" in (constraint_problem("||".join(["1"] * 33)) or "")

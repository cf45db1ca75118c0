"""The table of `python -m tests.safety`: what it counts."""

from __future__ import annotations

from typing import Any

from crossplane_lite import value_or
from tests.safety.__main__ import faults, stuck
from tests.safety.plain import make
from tests.safety.style import STYLES, Style


def _with_default(ctx: Any) -> None:
    status = make(ctx, "vpc", "VPC", cidr="10.0.0.0/16").observed.status
    if value_or(status.id, ""):
        make(ctx, "s", fixed=1)


def test_what_goes_is_counted() -> None:
    """A resource that goes with a value, because its author says so, is counted as deleted, and nothing else is."""
    style = Style("with a default", (_with_default,), before={})
    STYLES[style.name] = style
    try:
        found = faults([style])
    finally:
        del STYLES[style.name]
    assert found.count["deleted"] > 0
    assert set(found.names) == {"deleted"}


def test_what_stays_is_not_counted() -> None:
    """A style of the table loses nothing, and takes two runs at the most while its value is gone."""
    found = faults([STYLES[min(STYLES)]])
    assert found.faults > 0
    assert not any(found.count.values())
    assert max(found.runs) <= 3


def test_no_deletion_is_stuck() -> None:
    """Whatever way a value is touched that never comes, what the user takes out goes."""
    assert stuck(lost=False) == []

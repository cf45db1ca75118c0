"""The matrix of canaries: no secret value comes out anywhere, in any form."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._observed.masking import Masker
from tests.behaviour import canaries

# What compose() itself makes secret is known to its call alone, and no part of a request.
_OF_REQUESTS = {"records", "defects"}


@pytest.mark.parametrize(
    "way",
    [
        "PEM in JSON",
        *(pytest.param(name, marks=pytest.mark.slow) for name in canaries.WAYS_IN if name != "PEM in JSON"),
    ],
)
def test_no_canary_is_found(way: str) -> None:
    """Whatever place a secret value is from, none of its forms is in anything that people read."""
    counts = canaries.matrix([way])[way]
    assert {out: count for out, count in counts.items() if count} == {}
    assert set(canaries.WAYS_OUT) - set(counts) <= _OF_REQUESTS


def test_canaries_are_found_without_masking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix would show a leak: without masking, every way out has nearly every form."""

    def unmasked(self: Any, text: str) -> str:
        return text

    monkeypatch.setattr(Masker, "__call__", unmasked)
    counts = canaries.matrix(["credentials"])["credentials"]
    assert set(counts) == set(canaries.WAYS_OUT)
    few = {out: count for out, count in counts.items() if count < len(canaries.FORMS)}
    assert few == {"exception: one without a text": 0}  # Python has nothing to show of it

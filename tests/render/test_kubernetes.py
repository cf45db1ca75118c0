"""Kubernetes' own kinds are checked without --crds: by their definitions, and by the rules of an API server's code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.render.kubernetes_objects import MISTAKES, objects, refused


@pytest.mark.parametrize("count", [60, pytest.param(2 * len(MISTAKES), marks=pytest.mark.slow)])
def test_each_mistake_is_found(count: int, tmp_path: Path) -> None:
    """Each object with a mistake is refused, and each one without is passed."""
    found = list(objects(count))
    wrong = refused([one for _, one in found], tmp_path)
    assert [what for number, (what, _) in enumerate(found) if what and number not in wrong] == []
    assert [one["kind"] for number, (what, one) in enumerate(found) if not what and number in wrong] == []

"""Previews refuse exactly the objects of Kubernetes' own kinds that the API server refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.render.kubernetes_objects import objects, refused

from .kube import ApiError
from .plane import Plane

COUNT = 600


def _is_taken(plane: Plane, one: dict[str, Any]) -> bool:
    path = plane.kube.path(one).rpartition("/")[0]
    try:
        plane.kube.request("POST", f"{path}?dryRun=All&fieldValidation=Strict", one)
    except ApiError:
        return False
    return True


def test_objects(plane: Plane, tmp_path: Path) -> None:
    """Of 600 objects of 40 kinds, half of them broken in one place, both refuse the same ones."""
    found = list(objects(COUNT))
    wrong = refused([one for _, one in found], tmp_path)
    taken = [_is_taken(plane, one) for _, one in found]
    assert sum(taken) == COUNT / 2
    assert [
        (what or one["kind"], is_taken)
        for number, ((what, one), is_taken) in enumerate(zip(found, taken, strict=True))
        if is_taken is (number in wrong)
    ] == []

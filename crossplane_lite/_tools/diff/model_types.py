"""Finds the types of fields in the models that functions use, for kinds whose schema isn't
given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core.models import types
from ..._core.models.node import ModelShape
from ..._core.resources.resource import Resource


def model_type(api_version: str, kind: str, steps: Sequence[str | int]) -> types.Type | None:
    """Return the type of a field in the model of the kind; None if no model has the field.

    Args:
        api_version: The kind's apiVersion.
        kind: The kind. Its model is found only if the class exists, because a function uses it.
        steps: The field's path.
    """
    cls: type[ModelShape] | None = _model_of(api_version, kind)
    found: types.Type | None = None
    for step in steps:
        if isinstance(step, int) or (found is not None and found.code == types.MAP):
            found = None if found is None else found.item
        else:
            field = None if cls is None else cls._by_wire(step)
            found = None if field is None else field.type
        if found is None:
            return None
        cls = found.cls if found.code == types.MODEL else None
    return found


def _model_of(api_version: str, kind: str) -> type[Resource] | None:
    work = [Resource]
    while work:
        cls = work.pop()
        fixed: Any = cls
        if cls._fixed >= {"apiVersion", "kind"} and (fixed.apiVersion, fixed.kind) == (
            api_version,
            kind,
        ):
            return cls
        work += cls.__subclasses__()
    return None

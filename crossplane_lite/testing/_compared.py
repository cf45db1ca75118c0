"""Explains a failed `==` of models, responses and resources in a test: each place that differs,
with its path.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from .._core.base.texts import short_repr
from .._core.models.containers import PlacedList, PlacedMap
from .._core.models.node import ModelShape
from .._core.models.walker import equal, plain_data
from .._tools.simulate.merging import ABSENT, differences
from .responses import Response

_MOST: Final = 40
_LONGEST: Final = 200


def explained(left: object, right: object) -> list[str] | None:
    """Return the lines that explain why two values differ; None if neither is a model, a response
    or a resource.
    """
    if not (_is_ours(left) or _is_ours(right)):
        return None
    lines = []
    names = [type(one).__name__ for one in (left, right)]
    if names[0] != names[1] and isinstance(left, ModelShape) and isinstance(right, ModelShape):
        lines.append(f"a {names[0]} is never equal to a {names[1]}")
    found = list(differences(_plain(left), _plain(right), same=equal))
    lines += [
        f"{path or 'all of it'}: {_shown(one)} != {_shown(other)}"
        for path, one, other in found[:_MOST]
    ]
    if len(found) > _MOST:
        lines.append(f"(and {len(found) - _MOST} more)")
    return [
        f"{len(found)} {'difference' if len(found) == 1 else 'differences'} (left != right)",
        *lines,
    ]


def _is_ours(value: object) -> bool:
    """Say whether a value is a model, a response, a resource, or a list or mapping of these."""
    kind = type(value)
    if issubclass(kind, (ModelShape, PlacedList, PlacedMap, Response)):
        return True
    if isinstance(value, Mapping):
        return {"apiVersion", "kind"} <= value.keys() or any(map(_is_resource, value.values()))
    return kind in (list, tuple) and any(map(_is_resource, value))  # type: ignore[call-overload]


def _is_resource(value: object) -> bool:
    return issubclass(type(value), ModelShape) or (
        isinstance(value, Mapping) and {"apiVersion", "kind"} <= value.keys()
    )


def _plain(value: Any) -> Any:
    if type(value) is Response:
        return {
            field.name: getattr(value, field.name)
            for field in dataclasses.fields(value)
            if field.compare
        }
    return plain_data(value)


def _shown(value: Any) -> str:
    return "(not there)" if value is ABSENT else short_repr(value, _LONGEST)

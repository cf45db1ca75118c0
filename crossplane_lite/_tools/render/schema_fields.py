"""Finds out which fields a kind's schema has.

Each `$ref` in the schemas has been replaced by its content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..._core.base.texts import near_name
from ..._core.paths.schema import Schema
from ..._core.paths.text import show

__all__ = ["missing_field", "name_of", "without_method"]


# Methods of text that are usual names of fields, too.
_FIELDS: Final = frozenset({"count", "find", "format", "index", "replace", "title"})


def without_method(schema: Mapping[str, Any] | None, steps: Sequence[str | int]) -> list[str | int]:
    """Return a path without a last step that is a method of text, such as `upper`, where the value around it is text.

    Code that calls a method of a missing value asks for such a path. With a schema of None, the value may be text,
    unless the step is a usual name of fields.
    """
    if len(steps) < 2 or not isinstance(steps[-1], str) or not hasattr(str, steps[-1]):
        return list(steps)
    if schema is None:
        is_text = steps[-1] not in _FIELDS
    else:
        place = Schema(schema).at(steps[:-1])
        is_text = place is not None and (place.source.get("type") == "string" or place.is_free)
    return list(steps[:-1] if is_text else steps)


def name_of(api_version: str, kind: str) -> str:
    """Return the name of a kind's schema in messages, such as `the schema of example.org/v1 VPC`."""
    return f"the schema of {api_version} {kind}"


def missing_field(schema: Mapping[str, Any], steps: Sequence[str | int], name: str) -> str:
    """Return a message if a schema lacks a field, with a suggestion if the schema has a field with a similar name.

    Kubernetes' API server drops a field that the schema lacks, without an error. So the field never has a value.

    Args:
        schema: The schema.
        steps: The path of the field.
        name: The schema's name in messages, from `name_of`.

    Returns:
        A text such as `the schema of example.org/v1 VPC has no status.idd; did you mean 'id'?`; empty if the schema
        has the field.
    """
    place = Schema(schema)
    for depth, step in enumerate(steps):
        found = place.below(step)
        if found is None:
            near = near_name(step, place.properties) if isinstance(step, str) else ""
            return f"{name} has no {show(steps[: depth + 1])}{near}"
        place = found
    return ""

"""Finds out which fields a kind's schema has.

Schemas are in Kubernetes' dialect of OpenAPI v3.0. Each `$ref` has been replaced by its content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._base.near_name import near_name
from .._paths.text import show

__all__ = ["below", "declares", "has", "is_free", "missing_field", "name_of", "parts_of"]


def below(schema: Mapping[str, Any], step: str | int) -> Mapping[str, Any] | None:
    """Return the schema of the field `step` of an object, or of the element `step` of a list.

    If several parts of `schema` (see `parts_of`) have the field, the first one counts. The result is `{}` if any value
    is allowed, None if the schema has no such field or element.
    """
    for one in parts_of(schema):
        found = _below_one(one, step)
        if found is not None:
            return found
    return {} if is_free(schema) else None


def is_free(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema allows any content.

    This is so if the schema has `x-kubernetes-preserve-unknown-fields`, or if it is for an object (or has no type) and
    has no properties, additionalProperties, items or enum.
    """
    for one in parts_of(schema):
        if one.get("x-kubernetes-preserve-unknown-fields") is True:
            return True
        if any(key in one for key in ("properties", "additionalProperties", "items", "enum")):
            return False
        if one.get("type", "object") != "object" or one.get("x-kubernetes-int-or-string") is True:
            return False
    return True


def has(schema: Mapping[str, Any], steps: Sequence[str | int]) -> bool:
    """Return whether a schema allows a value at a path of keys and indexes."""
    place: Mapping[str, Any] | None = schema
    for step in steps:
        place = None if place is None else below(place, step)
    return place is not None


def declares(schema: Mapping[str, Any], steps: Sequence[str]) -> bool:
    """Return whether a schema describes every field of a path: as a property, or as a key of a map.

    In contrast to `has`, the result is False if a field is in an object whose schema allows any content.
    """
    place: Mapping[str, Any] | None = schema
    for step in steps:
        if place is None or is_free(place):
            return False
        place = below(place, step)
    return place is not None


def parts_of(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and the schemas in its allOf, anyOf and oneOf, and in theirs, and so on; at most 1,000 schemas."""
    work: list[Any] = [schema]
    seen = 0
    while work and seen < 1000:
        one = work.pop(0)
        if not isinstance(one, Mapping):
            continue
        seen += 1
        yield one
        for key in ("allOf", "anyOf", "oneOf"):
            if isinstance(one.get(key), list):
                work += one[key]


def _below_one(schema: Mapping[str, Any], step: str | int) -> Mapping[str, Any] | None:
    if isinstance(step, int):
        items = schema.get("items")
        return items if isinstance(items, Mapping) else {} if schema.get("type") == "array" else None
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and isinstance(properties.get(step), Mapping):
        found: Mapping[str, Any] = properties[step]
        return found
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        return others
    return {} if others is True else None


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
    place = schema
    for depth, step in enumerate(steps):
        found = below(place, step)
        if found is None:
            return f"{name} has no {show(steps[: depth + 1])}{_near(place, step)}"
        place = found
    return ""


def _near(place: Mapping[str, Any], step: str | int) -> str:
    properties = place.get("properties")
    if not isinstance(step, str) or not isinstance(properties, Mapping):
        return ""
    return near_name(step, map(str, properties))

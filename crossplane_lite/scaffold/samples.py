"""Invents values for the required fields of an OpenAPI schema, so that an example is valid in most cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["required_values"]

# How many levels of values are made. No API needs more, and a schema may contain itself.
_DEEPEST: Final = 20


def required_values(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return invented values for the required fields of an object, by the fields' names.

    Types, enums, formats, minimums and lengths are respected, but not patterns or CEL rules. Fields with a default or
    without a schema are left out. Objects more than 20 levels deep are left empty.

    Args:
        schema: The OpenAPI schema of the object.
    """
    return _object(schema, 0)


def _object(schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    wanted = schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(wanted, list) or depth > _DEEPEST:
        return {}
    found = {}
    for name in wanted:
        field = properties.get(name)
        if isinstance(name, str) and isinstance(field, Mapping) and "default" not in field:
            found[name] = _value(name, field, depth + 1)
    return found


def _value(name: str, schema: Mapping[str, Any], depth: int) -> Any:
    allowed = schema.get("enum")
    if isinstance(allowed, list) and allowed:
        return allowed[0]
    kind = schema.get("type")
    if kind == "object":
        # An embedded resource needs apiVersion, kind and metadata.
        whole = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name.lower()}}
        is_whole = schema.get("x-kubernetes-embedded-resource") is True
        return {**(whole if is_whole else {}), **_object(schema, depth)}
    if kind == "array":
        items = schema.get("items")
        many = schema.get("minItems")
        one = _value(name, items, depth + 1) if isinstance(items, Mapping) and depth < _DEEPEST else name
        return [one] * (many if isinstance(many, int) else 0)
    if kind == "boolean":
        return False
    if kind in ("integer", "number"):
        least = schema.get("minimum")
        if isinstance(least, (int, float)):
            return least + 1 if schema.get("exclusiveMinimum") is True else least
        most = schema.get("maximum")
        return min(1, most) if isinstance(most, (int, float)) else 1
    return _text(name, schema)


def _text(name: str, schema: Mapping[str, Any]) -> str:
    text = {
        "date-time": "2030-01-01T00:00:00Z",
        "date": "2030-01-01",
        "ipv4": "192.0.2.1",
        "ipv6": "2001:db8::1",
        "cidr": "192.0.2.0/24",
        "email": "someone@example.org",
        "hostname": "host.example.org",
        "uri": "https://example.org",
        "uuid": "00000000-0000-4000-8000-000000000000",
    }.get(str(schema.get("format")), name.lower())
    shortest, longest = schema.get("minLength"), schema.get("maxLength")
    if isinstance(shortest, int):
        text = text.ljust(shortest, "x")
    return text[:longest] if isinstance(longest, int) else text

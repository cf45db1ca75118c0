"""Schemas in Kubernetes' dialect: which one belongs to which place."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._core.paths.schema import Schema

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
SCHEMA: dict[str, Any] = {
    "properties": {
        "a": TEXT,
        "list": {"items": {"properties": {"a": WHOLE}}},
        "array": {"type": "array"},
        "map": {"properties": {"a": TEXT}, "additionalProperties": WHOLE},
        "any": {"type": "object", "additionalProperties": True},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "closed": {"properties": {"a": TEXT}, "additionalProperties": False},
        "either": {"oneOf": [{"properties": {"a": TEXT}}, {"properties": {"a": WHOLE, "b": WHOLE}}]},
    }
}


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ([], SCHEMA),
        (["a"], TEXT),
        (["list", 0, "a"], WHOLE),
        (["array", 3], {}),
        (["map", "a"], TEXT),
        (["map", "b"], WHOLE),
        (["any", "b"], {}),
        (["any", "b", "c", 0], {}),
        (["open", "b"], {}),
        (["closed", "a"], TEXT),
        (["either", "a"], TEXT),
        (["either", "b"], WHOLE),
        (["b"], None),
        (["a", "b"], None),
        (["list", "a"], None),
        (["map", 0], None),
        (["closed", "b"], None),
        (["either", "c"], None),
    ],
)
def test_the_schema_of_a_place(steps: list[str | int], found: dict[str, Any] | None) -> None:
    """A place has the schema that is listed for it, or else the one for all others; an empty one takes anything."""
    schema = Schema(SCHEMA).at(steps)
    assert (schema if schema is None else schema.source) == found

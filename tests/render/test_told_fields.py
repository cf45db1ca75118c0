"""The fields that a schema has, and those that it lacks."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._core.paths.schema import Schema
from crossplane_lite._tools.render.told import missing_field, name_of

FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
VPC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "open": FREE,
                "cidrs": {"type": "array", "items": {"type": "object", "properties": {"block": {"type": "string"}}}},
            },
        }
    },
}


def below(schema: dict[str, Any], *steps: Any) -> Any:
    """Return the schema at a path; None if there is none."""
    found = Schema(schema).at(steps)
    return None if found is None else found.source


def test_below() -> None:
    """Fields and elements are found through combinations; what a schema doesn't have is none."""
    schema = {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"type": "string"}},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "open": {"type": "object"},
            "any": {"type": "object", "additionalProperties": True},
        },
        "anyOf": [{"properties": {"other": {"type": "boolean"}}}],
    }
    assert below(schema, "missing") is None and below(schema, 0) is None
    assert below(schema, "other") == {"type": "boolean"}
    assert below(schema["properties"]["list"], 7) == {"type": "string"}
    assert below(schema["properties"]["list"], "x") is None
    assert below(schema["properties"]["map"], "x") == {"type": "integer"}
    assert below(schema["properties"]["open"], "x") == {} == below(schema["properties"]["any"], "x")
    assert below({"type": "string"}, "x") is None
    assert below(schema, "list", 3) is not None and below(schema, "list", 3, "x") is None
    assert Schema({}).is_free and Schema(FREE).is_free
    assert not Schema({"type": "string"}).is_free and not Schema(schema).is_free


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], ""),
        (["status", "id"], ""),
        (["status", "open", "anything", 3], ""),
        (["status", "cidrs", 7, "block"], ""),
        (["status", "idd"], "the schema of ex.org/v1 VPC has no status.idd; did you mean 'id'?"),
        (["status", "idd", "below"], "the schema of ex.org/v1 VPC has no status.idd; did you mean 'id'?"),
        (["status", "qqqqqq"], "the schema of ex.org/v1 VPC has no status.qqqqqq"),
        (
            ["status", "cidrs", 7, "blok"],
            "the schema of ex.org/v1 VPC has no status.cidrs[7].blok; did you mean 'block'?",
        ),
        (["status", "cidrs", "block"], "the schema of ex.org/v1 VPC has no status.cidrs.block"),
        (["status", 0], "the schema of ex.org/v1 VPC has no status[0]"),
    ],
)
def test_missing_field(steps: list[str | int], said: str) -> None:
    """The first field of a path that a schema lacks is named, with the name that may be meant."""
    assert missing_field(VPC, steps, name_of("ex.org/v1", "VPC")) == said

"""Values for the fields of a schema."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._core.paths.schema import Schema
from crossplane_lite._tools.simulate.values import Target, text_for, value_for
from crossplane_lite.schemas import errors_in

OWNER = Target("my-vpc", "ec2.aws.upbound.io/v1beta1", "VPC")
FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def value(schema: dict[str, Any], *steps: str | int) -> Any:
    """Return a value for a schema."""
    return value_for(schema, OWNER, steps or ("status", "field")).value


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "my-vpc-field"),
        ({"type": "string", "default": "d"}, "d"),
        ({"type": "string", "enum": ["", "A", "B"]}, "A"),
        ({"enum": [None, 0]}, None),
        ({"type": "string", "format": "date-time"}, "2024-01-01T00:00:00Z"),
        ({"type": "string", "format": "ipv4"}, "192.0.2.1"),
        ({"type": "string", "maxLength": 5}, "my-vp"),
        ({"type": "string", "minLength": 14}, "my-vpc-fieldxx"),
        ({"type": "string", "pattern": "^[a-z-]+$"}, "my-vpc-field"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 10}, 10),
        ({"type": "integer", "minimum": 10, "exclusiveMinimum": True}, 11),
        ({"type": "integer", "minimum": 10, "multipleOf": 4}, 12),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "number", "maximum": 0.5}, 0.5),
        ({"type": "boolean"}, True),
        ({"x-kubernetes-int-or-string": True}, 1),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 1),
        ({"type": "array", "items": {"type": "string"}}, ["my-vpc-field-0"]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        ({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array"}}}, {"a": "my-vpc-field-a"}),
        ({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["b"]}, {"b": 1}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"key": 1}),
        ({"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}]}, {"a": 1}),
        ({}, "my-vpc-field"),
        (FREE, {}),
    ],
)
def test_values(schema: dict[str, Any], expected: Any) -> None:
    """A value has the type, the format, the size and the pattern that its schema asks for."""
    # An enum of null and 0 takes whichever is first where nothing says anything.
    assert value(schema) == expected and type(value(schema)) is type(expected)


def test_what_is_assumed() -> None:
    """Where a schema says nothing of a value, or more than can be followed, the value is assumed."""
    for schema in ({}, FREE, {"type": "string", "pattern": "^[A-Z]$"}, {"type": "array", "items": {}}):
        assert value_for(schema, OWNER, ["status", "x"]).is_assumed
    for schema in ({"type": "string"}, {"type": "array", "items": {"type": "integer"}}, {"enum": ["a"]}):
        assert not value_for(schema, OWNER, ["status", "x"]).is_assumed


def test_texts_are_labels() -> None:
    """A plain text can be part of a name, however long or strange its path is, and each path has its own."""
    paths: list[list[str | int]] = [
        ["status", "x" * 100],
        ["status", "x" * 101],
        ["status", "Ünïcode", 3],
        ["status", "_"],
    ]
    texts = [text_for(Target("", "v1", "K"), path) for path in paths]
    assert len(set(texts)) == len(paths)
    assert all(re.fullmatch("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", text) for text in texts)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.sampled_from(["string", "object", "^a$", "x"]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "enum", "default", "anyOf", "allOf", "pattern", "minimum", "maximum"]
                + [
                    "multipleOf",
                    "minLength",
                    "maxLength",
                    "minItems",
                    "required",
                    "additionalProperties",
                    "format",
                    "a",
                ]
            ),
            below,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True)
@given(schema=st.dictionaries(st.sampled_from(["type", "properties", "items", "enum", "anyOf", "pattern"]), ANYTHING))
def test_broken_schemas(schema: dict[str, Any]) -> None:
    """A schema that isn't one gives some value, and no error."""
    value_for(schema, OWNER, ["status", "a"])
    Schema(schema).below("a")
    Schema(schema).below(1)


@st.composite
def sound(draw: st.DrawFn, depth: int = 0) -> dict[str, Any]:
    """Draw a structural schema of values that are easy to make."""
    kind = draw(st.sampled_from(["string", "integer", "number", "boolean"] + ["array", "object"] * (depth < 3)))
    schema: dict[str, Any] = {"type": kind}
    if kind == "string":
        schema |= draw(
            st.sampled_from([{}, {"enum": ["a", "b"]}, {"minLength": 20}, {"maxLength": 3}, {"format": "date-time"}])
        )
    elif kind in ("integer", "number"):
        low = draw(st.integers(-50, 50))
        schema |= draw(st.sampled_from([{}, {"minimum": low}, {"maximum": low}, {"minimum": low, "multipleOf": 5}]))
    elif kind == "array":
        schema |= {"items": draw(sound(depth + 1)), "minItems": draw(st.integers(0, 3))}
    elif kind == "object":
        names = draw(st.lists(st.sampled_from("abcd"), unique=True))
        if names:
            schema["properties"] = {name: draw(sound(depth + 1)) for name in names}
            schema["required"] = names[: draw(st.integers(0, len(names)))]
        else:
            schema["additionalProperties"] = draw(sound(depth + 1))
    return schema


@settings(max_examples=60, deadline=None, derandomize=True)
@given(schema=sound())
def test_values_are_valid(schema: dict[str, Any]) -> None:
    """What is made for a schema is what an API server takes by it."""
    pytest.importorskip("jsonschema_rs", reason="jsonschema-rs is not installed")
    root = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"x": schema}}}}
    resource = {"apiVersion": "example.org/v1", "kind": "K", "spec": {"x": value(schema, "spec", "x")}}
    assert [str(error) for error in errors_in(resource, root)] == []

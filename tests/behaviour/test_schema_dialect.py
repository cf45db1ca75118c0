"""Kubernetes' dialect of OpenAPI v3: which values fit, and what is said of those that don't."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour.schema_samples import NOT_TEXT, errors

OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
PORTS = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
    "items": {
        "allOf": [
            {
                "type": "object",
                "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}},
            }
        ],
        "default": {},
    },
}
INT_OR_STRING = {"x-kubernetes-int-or-string": True}
# Names that could be taken for something else, in order, with their paths.
NAMES = {
    "": 'x[""]',
    "$ref": 'x["$ref"]',
    "+1": 'x["+1"]',
    "007": 'x["007"]',
    "=": 'x["="]',
    "a.b": 'x["a.b"]',
    "a/b": 'x["a/b"]',
    "~1": 'x["~1"]',
}

DIALECT: list[tuple[Any, Any, list[str]]] = [
    # types
    ({"type": "string"}, "", []),
    ({"type": "string"}, 5, ["x: must be a string (got 5 that is an integer)"]),
    ({"type": "string"}, True, ["x: must be a string (got true)"]),
    ({"type": "integer"}, 5.0, []),
    ({"type": "integer"}, 5.5, ["x: must be an integer (got 5.5 that is a number)"]),
    ({"type": "integer"}, True, ["x: must be an integer (got true)"]),
    ({"type": "number"}, 5, []),
    ({"type": "number"}, "5", ["x: must be a number (got '5' that is a string)"]),
    ({"type": "boolean"}, 0, ["x: must be true or false (got 0 that is an integer)"]),
    ({"type": "object"}, [], ["x: must be an object (got a list)"]),
    ({"type": "array"}, {}, ["x: must be a list (got an object)"]),
    ({}, {"any": [None, {"thing": 5}]}, []),
    # int-or-string, as custom resources and the API server's own kinds have it
    (INT_OR_STRING, 80, []),
    (INT_OR_STRING, "50%", []),
    (INT_OR_STRING, 1.5, ["x: must be an integer or a string (got 1.5 that is a number)"]),
    (INT_OR_STRING, True, ["x: must be an integer or a string (got true)"]),
    ({**INT_OR_STRING, "anyOf": [{"type": "integer"}, {"type": "string"}]}, 80, []),
    (
        {**INT_OR_STRING, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^[0-9]+%$"},
        "x",
        ["x: must match the pattern '^[0-9]+%$' (got 'x')"],
    ),
    ({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}, "x", []),
    ({"format": "int-or-string", "type": "string"}, 5, []),
    ({"oneOf": [{"type": "string"}, {"type": "number"}]}, 0.5, []),
    (
        {"oneOf": [{"type": "string"}, {"type": "number"}]},
        True,
        ["x: must be a string or a number (got true)"],
    ),
    # unknown fields
    (OBJECT, {"a": "x"}, []),
    (OBJECT, {"b": "x"}, ["x.b: isn't a field of the schema"]),
    ({**OBJECT, "x-kubernetes-preserve-unknown-fields": True}, {"b": {"c": [1]}}, []),
    (
        {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"inner": OBJECT},
        },
        {"b": 1, "inner": {"c": 1}},
        ["x.inner.c: isn't a field of the schema"],
    ),
    ({"x-kubernetes-preserve-unknown-fields": True}, [{"a": None}], []),
    (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"a": 1, "b/c": "x"},
        ["x[\"b/c\"]: must be an integer (got 'x' that is a string)"],
    ),
    ({"type": "object", "additionalProperties": True}, {"a": [{}]}, []),
    ({"type": "object", "additionalProperties": False}, {"a": 1}, ["x.a: isn't a field of the schema"]),
    ({"type": "array", "items": OBJECT}, [{"a": "x"}, {"c": 1}], ["x[1].c: isn't a field of the schema"]),
    ({"allOf": [OBJECT], "description": "d", "default": {}}, {"b": 1}, ["x.b: isn't a field of the schema"]),
    (
        {"allOf": [{"allOf": [OBJECT]}], "nullable": True},
        {"a": 5},
        ["x.a: must be a string (got 5 that is an integer)"],
    ),
    # what stands in a junction only adds to what is around it
    (
        {**OBJECT, "allOf": [{"properties": {"a": {"minLength": 2}}}]},
        {"a": "x"},
        ["x.a: must have at least 2 characters (got 'x')"],
    ),
    ({**OBJECT, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, ["x: must have at least one of a, b"]),
    (
        {**OBJECT, "oneOf": [{"required": ["a", "b"]}, {"required": ["c"]}]},
        {},
        ["x: must have exactly one of a with b, c"],
    ),
    ({**OBJECT, "not": {"required": ["a"]}}, {"a": "x"}, ["x: must not have a"]),
    ({**OBJECT, "not": {"properties": {"a": {"enum": ["x"]}}}}, {"a": "x"}, ["x: is excluded by the schema"]),
    (
        {"type": "string", "oneOf": [{"pattern": "^a"}, {"pattern": "b$"}]},
        "ab",
        ["x: must fit exactly one of the 2 forms that the schema allows"],
    ),
    (
        {
            "type": "object",
            "properties": {"a": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            "allOf": [{"properties": {"a": {"properties": {"b": {"minLength": 1}}}}}, {"required": ["a"]}],
        },
        {"a": {"b": "x", "c": 1}},
        [],
    ),
    (
        {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        5,
        ["x: must fit exactly one of the 2 forms that the schema allows"],
    ),
    # required fields and defaults
    ({**OBJECT, "required": ["a"]}, {}, ["x.a: is required"]),
    ({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": ""}}}, {}, []),
    ({**OBJECT, "required": ["b"]}, {"a": "x"}, ["x.b: is required"]),
    # null
    ({**OBJECT, "nullable": True}, None, []),
    ({"type": "string", "nullable": True, "enum": ["a"]}, None, ["x: must be one of 'a' (got null)"]),
    ({"type": "object", "properties": {"a": {"type": "string", "nullable": True}}, "required": ["a"]}, {"a": None}, []),
    (OBJECT, {"a": None}, ["x.a: must be a string (got null); leave it out"]),
    ({**OBJECT, "properties": {"a": {"type": "string", "default": "b"}}}, {"a": None}, []),
    ({"type": "object", "properties": {"a": {}}}, {"a": None}, []),
    ({"type": "object"}, {"a": 1}, ["x.a: isn't a field of the schema"]),
    ({"type": "object", "properties": {"0": {}}, "enum": [{"0": "x"}]}, {"0": "x"}, []),
    (
        {"type": "object", "properties": {"a": {}}, "enum": [{"a": "x"}]},
        {"a": "y"},
        ["x: must be one of {'a': 'x'} (got an object of 1)"],
    ),
    ({**OBJECT, "required": ["a"]}, {"a": None}, ["x.a: must be a string (got null); leave it out"]),
    (
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"a": None},
        ["x.a: must be a string (got null); leave it out"],
    ),
    ({"type": "array", "items": {"type": "string"}}, ["a", None], ["x[1]: must be a string (got null); leave it out"]),
    ({"type": "array", "items": {"type": "string", "nullable": True}}, ["a", None], []),
    # embedded resources
    (
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": "b"}}, "spec": {}},
        [],
    ),
    (
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}},
        {"kind": 5, "metadata": "x", "other": 1},
        [
            "x.apiVersion: is required",
            "x.kind: must be a string (got 5 that is an integer)",
            "x.metadata: must be an object (got 'x' that is a string)",
            "x.other: isn't a field of the schema",
        ],
    ),
    (
        {"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        {"apiVersion": "v1", "kind": "Pod", "spec": {"any": 1}},
        [],
    ),
    # lists
    ({"type": "array", "x-kubernetes-list-type": "set"}, ["a", "b"], []),
    ({"type": "array", "x-kubernetes-list-type": "set"}, ["a", "a"], ["x: must not have an element twice"]),
    ({"type": "array", "x-kubernetes-list-type": "atomic"}, ["a", "a"], []),
    (PORTS, [{"port": 80}, {"port": 80, "protocol": "UDP"}], []),
    (
        PORTS,
        [{"port": 80}, {"port": 81}, {"port": 80, "protocol": "TCP"}],
        ["x[2]: has the same port and protocol as [0]"],
    ),
    (PORTS, [{"protocol": "TCP"}, {"protocol": "TCP"}], []),
    ({"type": "array", "minItems": 2, "maxItems": 3}, [1], ["x: must have at least 2 elements (got a list of 1)"]),
    ({"type": "array", "uniqueItems": True}, [1, {"a": {"b": 1}}, {"a": {"b": 2}}], []),
    ({"type": "array", "uniqueItems": True}, [{"a": {"b": 1}}, {"a": {"b": 1}}], ["x: must not have an element twice"]),
    # numbers
    ({"type": "integer", "format": "int32"}, 2**31 - 1, []),
    ({"type": "integer", "format": "int32"}, 2**31, []),
    ({"type": "integer", "format": "int32", "minimum": 0}, -1, ["x: must be at least 0 (got -1)"]),
    ({"type": "integer", "format": "int64"}, 2**53, []),
    ({"type": "number", "format": "double"}, 1e300, []),
    ({"type": "integer", "minimum": 5, "exclusiveMinimum": True}, 5, ["x: must be more than 5 (got 5)"]),
    ({"type": "integer", "minimum": 5, "exclusiveMinimum": False}, 5, []),
    ({"type": "number", "maximum": 5, "exclusiveMaximum": True}, 5, ["x: must be less than 5 (got 5)"]),
    ({"type": "number", "exclusiveMaximum": 5}, 5, ["x: must be less than 5 (got 5)"]),
    ({"type": "integer", "multipleOf": 5}, 7, ["x: must be a multiple of 5 (got 7)"]),
    # texts
    ({"type": "string", "minLength": 1, "maxLength": 2}, "äöü", ["x: must have at most 2 characters (got 'äöü')"]),
    ({"type": "string", "pattern": "b"}, "abc", []),
    ({"type": "string", "pattern": "^a$"}, "a\n", ["x: must match the pattern '^a$' (got 'a\\n')"]),
    ({"type": "string", "pattern": r"^\pL+\z"}, "aé", []),
    ({"type": "string", "pattern": "^[[:alpha:]]+$"}, "a", []),
    ({"type": "string", "pattern": r"^\d$"}, "٣", ["x: must match the pattern '^\\\\d$' (got '٣')"]),
    (
        {"type": "string", "pattern": r"\Qonly Go\E", "minLength": 2},
        "x",
        ["x: must have at least 2 characters (got 'x')", "x: must match the pattern '\\\\Qonly Go\\\\E' (got 'x')"],
    ),
    # with an engine that tries every way this would not end
    (
        {"type": "string", "pattern": "^(a+)+$"},
        "a" * 50 + "!",
        [f"x: must match the pattern '^(a+)+$' (got '{'a' * 50}!')"],
    ),
    ({"type": "string", "enum": ["a", 5, None, False]}, "b", ["x: must be one of 'a', 5, false (got 'b')"]),
    ({"type": "string", "enum": ["a"]}, 5, ["x: must be a string (got 5 that is an integer)"]),
    ({"type": "string", "format": "date-time"}, "2024-02-29T12:30:00Z", []),
    (
        {"type": "string", "format": "date-time"},
        "2023-02-29T12:30:00Z",
        ["x: must be a time such as 2024-12-31T23:59:59Z (got '2023-02-29T12:30:00Z')"],
    ),
    ({"type": "string", "format": "date"}, "x", ["x: must be a date such as 2024-12-31 (got 'x')"]),
    ({"type": "string", "format": "byte"}, "aGk=\n", ["x: must be base64 (got 'aGk=\\n')"]),
    ({"type": "string", "format": "byte"}, "aGk", ["x: must be base64 (got 'aGk')"]),
    ({"type": "string", "format": "byte"}, "äGk=", ["x: must be base64 (got 'äGk=')"]),
    ({"type": "string", "format": "ipv4"}, "10.0.0.256", ["x: must be an IPv4 address (got '10.0.0.256')"]),
    ({"type": "string", "format": "ipv6"}, "10.0.0.1", ["x: must be an IPv6 address (got '10.0.0.1')"]),
    ({"type": "string", "format": "uuid"}, "123E4567-e89b-12d3-a456-426614174000", []),
    ({"type": "string", "format": "uuid"}, "123e4567e89b12d3a456426614174000", []),
    ({"type": "string", "format": "uuid"}, "123e4567", ["x: must be a UUID (got '123e4567')"]),
    ({"type": "string", "format": "duration"}, "1h30m", []),
    ({"type": "string", "format": "what-is-this"}, "x", []),
    ({"type": "string", "pattern": "^(?=x)a"}, "a", []),  # Kubernetes has no look-around either
    # objects
    ({"type": "object", "minProperties": 1}, {}, ["x: must have at least 1 field (got an object of 0)"]),
    ({**OBJECT, "minProperties": 1}, {"a": None}, ["x.a: must be a string (got null); leave it out"]),
    ({"properties": {"a": {"type": "string", "nullable": True}}, "minProperties": 1}, {"a": None}, []),
    (
        {"type": "object", "additionalProperties": True, "maxProperties": 1},
        {"a": 1, "b": 1},
        ["x: must have at most 1 field (got an object of 2)"],
    ),
    # names that could be taken for something else
    (
        {"type": "object", "properties": dict.fromkeys(NAMES, {"type": "string"}), "required": ["+1"]},
        {name: 5 for name in NAMES if name != "+1"},
        ['x["+1"]: is required' if name == "+1" else f"{path}: {NOT_TEXT}" for name, path in NAMES.items()],
    ),
    (
        {"type": "object", "additionalProperties": {"type": "string"}},
        dict.fromkeys(NAMES, 5),
        [f"{path}: {NOT_TEXT}" for path in NAMES.values()],
    ),
    (
        {"type": "object", "properties": {"007": {"type": "string"}}},
        {"07": 5},
        ["""x["07"]: isn't a field of the schema; did you mean '007'?"""],
    ),
    # what is no schema of Kubernetes, and must not reach the validator
    ({"$ref": "https://example.org/never-fetched"}, 5, []),
    ({"$id": "https://example.org/x", "$schema": "https://example.org/never-fetched", "type": "string"}, "x", []),
    ({"type": ["string", "null"]}, None, []),
    ({"type": "object", "properties": {"a": True, "b": False}}, {"a": 1, "b": 1}, ["x.b: is excluded by the schema"]),
]


@pytest.mark.sample(50)
@pytest.mark.parametrize(("schema", "value", "expected"), DIALECT)
def test_dialect(schema: dict[str, Any], value: Any, expected: list[str]) -> None:
    """A value under a schema of Kubernetes' dialect has exactly these errors."""
    assert errors(schema, value) == expected

"""Defaults are applied as an API server applies those of a structural schema."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.render.definition import apply_defaults
from crossplane_lite._tools.render.rendered import RenderError
from crossplane_lite.errors import InputError

Json = dict[str, Any]


def xrd(spec: Any = None, status: Any = None, *, version: str = "v2", **more: Any) -> Json:
    """Return the definition of XThing with these properties of its spec and its status."""
    parts = {"spec": spec or {}, "status": status or {}}
    schema = {"properties": {name: {"type": "object", "properties": part} for name, part in parts.items()}}
    served = {"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "XThing", "plural": "xthings"}
    return {
        "apiVersion": f"apiextensions.crossplane.io/{version}",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xthings.example.org"},
        "spec": {"group": "example.org", "names": names, "versions": [served], **more},
    }


def xr(spec: Any = ..., **more: Any) -> Json:
    """Return a composite."""
    given = {} if spec is ... else {"spec": spec}
    return {"apiVersion": "example.org/v1", "kind": "XThing", "metadata": {"name": "a"}, **given, **more}


def spec_of(spec: Any, properties: Json) -> Any:
    """Return a composite's spec with the defaults of these properties."""
    definition, composite = xrd(properties), xr(spec)
    before = copy.deepcopy((definition, composite))
    result = apply_defaults(composite, definition, "xrd.yaml")
    assert (definition, composite) == before
    return result["spec"]


TEXT = {"type": "string"}
SIZE = {"type": "string", "default": "small"}
PORT = {"type": "object", "properties": {"n": {"type": "integer"}, "p": {"type": "string", "default": "TCP"}}}


@pytest.mark.parametrize(
    ("properties", "given", "result"),
    [
        # What is missing is set, what is there stays.
        ({"a": SIZE}, {}, {"a": "small"}),
        ({"a": SIZE}, {"a": "big"}, {"a": "big"}),
        ({"a": SIZE}, {"a": ""}, {"a": ""}),
        ({"a": {"type": "boolean", "default": False}}, {}, {"a": False}),
        ({"a": {"type": "integer", "default": 0}}, {}, {"a": 0}),
        ({"a": {"default": None}}, {}, {}),
        ({"b": TEXT}, {"c": 1}, {"c": 1}),
        # Nothing is made for objects that aren't there.
        ({"a": {"type": "object", "properties": {"b": SIZE}}}, {}, {}),
        ({"a": {"type": "object", "properties": {"b": SIZE}}}, {"a": {}}, {"a": {"b": "small"}}),
        # A default has defaults itself.
        ({"a": {"type": "object", "default": {}, "properties": {"b": SIZE}}}, {}, {"a": {"b": "small"}}),
        ({"a": {"type": "object", "default": {"c": 1}, "properties": {"b": SIZE}}}, {}, {"a": {"c": 1, "b": "small"}}),
        ({"a": {"type": "array", "default": [{"n": 1}], "items": PORT}}, {}, {"a": [{"n": 1, "p": "TCP"}]}),
        # In lists and maps.
        (
            {"a": {"type": "array", "items": PORT}},
            {"a": [{"n": 1}, {"n": 2, "p": "UDP"}, 3]},
            {"a": [{"n": 1, "p": "TCP"}, {"n": 2, "p": "UDP"}, 3]},
        ),
        (
            {"a": {"type": "object", "additionalProperties": PORT}},
            {"a": {"x": {}, "y": {"p": "UDP"}}},
            {"a": {"x": {"p": "TCP"}, "y": {"p": "UDP"}}},
        ),
        (
            {"a": {"properties": {"x": {"type": "object"}}, "additionalProperties": PORT}},
            {"a": {"x": {}, "y": {}}},
            {"a": {"x": {}, "y": {"p": "TCP"}}},
        ),
        ({"a": {"additionalProperties": True}}, {"a": {"x": {}}}, {"a": {"x": {}}}),
        ({"a": {"items": {"items": PORT}}}, {"a": [[{}], []]}, {"a": [[{"p": "TCP"}], []]}),
        # A null that isn't allowed gets the default; without one it stays, and an API server refuses it.
        ({"a": SIZE}, {"a": None}, {"a": "small"}),
        ({"a": {**SIZE, "nullable": True}}, {"a": None}, {"a": None}),
        ({"a": TEXT}, {"a": None}, {"a": None}),
        ({"a": {**TEXT, "nullable": True}}, {"a": None}, {"a": None}),
        ({"b": TEXT}, {"c": None}, {"c": None}),
        ({"a": {"additionalProperties": SIZE}}, {"a": {"x": None}}, {"a": {"x": "small"}}),
        ({"a": {"additionalProperties": TEXT}}, {"a": {"x": None}}, {"a": {"x": None}}),
        ({"a": {"items": SIZE}}, {"a": [None, "b"]}, {"a": ["small", "b"]}),
        ({"a": {"items": TEXT}}, {"a": [None]}, {"a": [None]}),
        ({"a": {"items": {**SIZE, "nullable": True}}}, {"a": [None]}, {"a": [None]}),
        # Values of other types than the schema's are for the API server to refuse.
        ({"a": PORT}, {"a": "x"}, {"a": "x"}),
        ({"a": PORT}, {"a": [{}]}, {"a": [{}]}),
    ],
)
def test_rules(properties: Json, given: Json, result: Json) -> None:
    """Fields that are missing from objects that are there get their defaults, in every part of the resource."""
    result = {**result, "crossplane": {"compositionUpdatePolicy": "Automatic"}}
    assert spec_of({**given, "crossplane": {}}, properties) == result


def test_fields_of_crossplane() -> None:
    """Crossplane's own fields have defaults where their object is there, as in its definitions."""
    assert apply_defaults(xr({"crossplane": {}}), xrd(), "x")["spec"]["crossplane"] == {
        "compositionUpdatePolicy": "Automatic"
    }
    assert apply_defaults(xr({}), xrd(), "x")["spec"] == {}
    legacy = xrd(version="v1", defaultCompositionUpdatePolicy="Manual")
    assert apply_defaults(xr({}), legacy, "x")["spec"] == {"compositionUpdatePolicy": "Manual"}
    assert "spec" not in apply_defaults(xr(), legacy, "x")


def test_status_and_metadata() -> None:
    """A status that is there has defaults too; metadata has none."""
    definition = xrd(status={"phase": {"type": "string", "default": "New"}})
    assert apply_defaults(xr({}, status={}), definition, "x")["status"] == {"phase": "New"}
    assert "status" not in apply_defaults(xr({}), definition, "x")
    assert apply_defaults(xr({}), definition, "x")["metadata"] == {"name": "a"}


def test_defaults_are_not_shared_where_they_grow() -> None:
    """Two elements that get one default each get a copy of what defaults are added to."""
    inner = {"type": "object", "default": {}, "properties": {"b": SIZE}}
    spec = spec_of({"a": [{}, {}]}, {"a": {"items": {"properties": {"x": inner}}}})
    assert spec["a"] == [{"x": {"b": "small"}}] * 2
    assert spec["a"][0]["x"] is not spec["a"][1]["x"]


def test_depth() -> None:
    """A resource may have as many levels as a document may."""
    deepest: Json = {"crossplane": {}}
    spec: Any = deepest
    schema: Json = {"type": "object", "properties": {"size": SIZE}}
    for _ in range(190):
        spec, schema = {"a": spec}, {"type": "object", "properties": {"a": schema}}
    inner = apply_defaults(xr(spec), xrd(schema["properties"]), "x")["spec"]
    for _ in range(190):
        inner = inner["a"]
    assert inner == {"crossplane": {}, "size": "small"}


@pytest.mark.parametrize(
    ("composite", "definition", "problem"),
    [
        (xr({}), {}, "xrd.yaml is not a CompositeResourceDefinition of apiextensions.crossplane.io"),
        (xr({}), {"apiVersion": "v1", "kind": "Secret"}, "(it is a Secret of v1)"),
        (xr({}), xrd() | {"kind": "Composition"}, "(it is a Composition of apiextensions.crossplane.io/v2)"),
        (xr({}), xrd(version="v9"), "xrd.yaml: apiVersion must be"),
        (xr({}), xrd() | {"spec": []}, "xrd.yaml: spec must be"),
        (
            xr({}) | {"kind": "XOther"},
            xrd(),
            "xrd.yaml defines the composite XThing of example.org, and the composite is an XOther",
        ),
        (xr({}) | {"apiVersion": "other.org/v1"}, xrd(), "and the composite is an XThing of other.org"),
        (
            xr({}) | {"kind": "Thing"},
            xrd(version="v1", claimNames={"kind": "Thing", "plural": "things"}),
            "Thing is the kind of the claim",
        ),
        (
            xr({}) | {"apiVersion": "example.org/v2"},
            xrd(),
            "xrd.yaml has no version 'v2' of XThing, which is the composite's (the XRD has v1)",
        ),
        (xr({}), xrd({"a": 3}), "xrd.yaml: spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.a: "),
        (xr({"a": []}), xrd({"a": {"items": []}}), ".properties.a.items: "),
        (xr({"a": {}}), xrd({"a": {"properties": 3}}), ".properties.a: 'properties' must be an object"),
        (xr({"a": {}}), xrd({"a": {"additionalProperties": 3}}), ".properties.a: 'additionalProperties' must be"),
    ],
)
def test_what_can_not_be_applied(composite: Json, definition: Json, problem: str) -> None:
    """A definition of something else, or one that can't be read, is refused with its place."""
    with pytest.raises(InputError) as caught:
        apply_defaults(composite, definition, "xrd.yaml")
    assert str(caught.value).startswith("xrd.yaml")
    assert problem in str(caught.value)


def test_what_is_no_api_version() -> None:
    """A composite with an apiVersion of three parts is refused."""
    with pytest.raises(RenderError, match="cannot parse apiVersion"):
        apply_defaults(xr({}) | {"apiVersion": "a/b/c"}, xrd(), "xrd.yaml")


names = st.sampled_from("abc")
values = st.recursive(
    st.one_of(st.none(), st.integers(0, 2), st.just("x")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=8,
)
plain = values.filter(lambda value: value is not None and "None" not in repr(value))
schemas = st.recursive(
    st.fixed_dictionaries({}, optional={"default": plain, "nullable": st.booleans()}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(names, inner, max_size=3),
            "additionalProperties": inner,
            "items": inner,
            "default": plain,
            "nullable": st.booleans(),
        },
    ),
    max_leaves=8,
)


def field(schema: Json | None, key: str) -> Json | None:
    """Return the schema of a field."""
    inner: Json | None = (schema or {}).get("properties", {}).get(key, (schema or {}).get("additionalProperties"))
    return inner


def default(value: Any, schema: Json | None) -> None:
    """Set the defaults, as an API server does."""
    if schema is None:
        return
    if isinstance(value, dict):
        for key, inner in schema.get("properties", {}).items():
            if inner.get("default") is not None and (
                key not in value or (value[key] is None and not inner.get("nullable"))
            ):
                value[key] = copy.deepcopy(inner["default"])
        for key in value:
            of_key = field(schema, key)
            if of_key is not None and key not in schema.get("properties", {}):
                if value[key] is None and not of_key.get("nullable"):
                    value[key] = copy.deepcopy(of_key.get("default"))
            default(value[key], of_key)
    elif isinstance(value, list):
        of_items = schema.get("items")
        for at, item in enumerate(value):
            if item is None and of_items is not None and not of_items.get("nullable"):
                value[at] = copy.deepcopy(of_items.get("default"))
            default(value[at], of_items)


@pytest.mark.slow
@given(st.dictionaries(names, values, max_size=3), st.dictionaries(names, schemas, max_size=3))
@settings(max_examples=300, deadline=None)
def test_any_values(spec: Json, properties: Json) -> None:
    """What comes of any values and schemas is what an API server fills in; other nulls stay, and are refused later."""
    expected = copy.deepcopy(spec)
    schema = {"properties": properties}
    default(expected, schema)
    assert spec_of(spec, properties) == expected


def test_deep_values_are_told() -> None:
    """Whatever stands in the place of a schema, the message is one line with its path."""
    value: Any = []
    for _ in range(5_000):
        value = [value]
    with pytest.raises(InputError) as caught:
        apply_defaults(xr({}), xrd({"a": value}), "xrd.yaml")
    # How deep a list Python can write depends on its version.
    shown = r"must be an? \w+ \(got \[+…\]+ that is a list\)$"
    assert re.search(rf"spec\.properties\.a: a schema {shown}", str(caught.value))
    with pytest.raises(InputError, match=rf"spec.group {shown}"):
        apply_defaults(xr({}), xrd({}, group=value), "xrd.yaml")

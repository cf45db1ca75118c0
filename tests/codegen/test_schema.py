"""Schemas become types: each construct of Kubernetes' dialect in the table and in the stub (design, section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.codegen.schema import read
from crossplane_lite._tools.codegen.shapes import Form, ObjectSchema
from crossplane_lite.errors import InputError, UnknownFieldError
from crossplane_lite.model import from_dict, to_dict
from tests.codegen.generated import (
    META,
    SCALARS,
    THING,
    Classes,
    annotated,
    component,
    crd,
    fields,
    merged,
    obj,
    openapi,
    output,
    stub_classes,
    table,
    thing,
)
from tests.codegen.strategies import object_schemas

Json = dict[str, Any]
REF = "#/components/schemas/"


def types(schema: Any, cls: str = "Thing", **more: Any) -> tuple[str, str]:
    """Return the type of a field of this schema in the table and in the stub."""
    made = output(thing(value=schema, **more))
    found = fields(table(made.modules[f"{THING}.py"])[cls])["value"][1]
    return found, annotated(stub_classes(made.stubs[f"{THING}.pyi"])[cls])["value"]


def model(schema: Any) -> Classes:
    """Return the classes of a kind `Thing` whose field `value` has this schema."""
    return Classes(output(thing(value=schema)).modules[f"{THING}.py"])


def failure(*contents: Any) -> str:
    """Return the one line that says what is wrong with definitions."""
    with pytest.raises(InputError) as caught:
        output(*contents)
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("file 1: ")
    return line


A = obj(a="s")

# What may be said in a schema.
WORDS = [
    *("type", "properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "enum", "required", "default"),
    *("description", "$ref", "nullable", "format", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"),
    *("x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"),
]

TYPES = [
    ({"type": "string"}, "s", "Leaf[str]"),
    ({"type": "integer"}, "i", "Leaf[int]"),
    ({"type": "number"}, "f", "Leaf[float]"),
    ({"type": "boolean"}, "b", "Leaf[bool]"),
    ({}, "x", "Any"),
    ({"type": "object"}, "o", "FreeForm"),
    # Formats say more of the same type.
    ({"type": "string", "format": "date-time"}, "s", "Leaf[str]"),
    ({"type": "string", "format": "byte"}, "s", "Leaf[str]"),
    ({"type": "integer", "format": "int64"}, "i", "Leaf[int]"),
    ({"type": "number", "format": "double"}, "f", "Leaf[float]"),
    ({"type": "string", "format": "int-or-string"}, "q", "Leaf[int | str]"),
    # Any field can be null or unset in a model.
    ({"type": "string", "nullable": True}, "s", "Leaf[str]"),
    ({"type": "object", "nullable": True, **A}, "ThingValue", "Nested[ThingValue, _ObservedThingValue]"),
    ({"type": "string", "default": "a"}, "s", "Leaf[str]"),
    # Lists and maps.
    ({"type": "array", "items": {"type": "string"}}, "[s", "Values[str]"),
    ({"type": "array"}, "[x", "Values[Any]"),
    ({"items": {"type": "integer"}}, "[i", "Values[int]"),
    (
        {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        "[[s",
        "DeepList[list[str | Observable[str]], ListOf[str]]",
    ),
    ({"type": "array", "items": A}, "[ThingValueItem", "Items[ThingValueItem, _ObservedThingValueItem]"),
    (
        {"type": "array", "items": {"type": "array", "items": A}},
        "[[ThingValueItemItem",
        "DeepList[list[ThingValueItemItem], ItemsOf[ThingValueItemItem]]",
    ),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "{s", "Map[str]"),
    ({"additionalProperties": {"type": "boolean"}}, "{b", "Map[bool]"),
    ({"type": "object", "additionalProperties": True}, "{x", "Map[Any]"),
    ({"type": "object", "additionalProperties": {}}, "{x", "Map[Any]"),
    ({"type": "object", "additionalProperties": False}, "o", "FreeForm"),
    ({"type": "object", "additionalProperties": A}, "{ThingValue", "ItemMap[ThingValue, _ObservedThingValue]"),
    (
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}}},
        "{[f",
        "DeepMap[list[float | Observable[float]], ListOf[float]]",
    ),
    (
        {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}},
        "[{i",
        "DeepList[dict[str, int | Observable[int]], MapOf[int]]",
    ),
    # Objects.
    (A, "ThingValue", "Nested[ThingValue, _ObservedThingValue]"),
    ({"properties": {"a": {"type": "string"}}}, "ThingValue", "Nested[ThingValue, _ObservedThingValue]"),
    # Unknown fields.
    ({"x-kubernetes-preserve-unknown-fields": True}, "x", "Any"),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "o", "FreeForm"),
    (
        {"type": "object", "additionalProperties": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        "{o",
        "ItemMap[DynamicModel]",
    ),
    ({**A, "x-kubernetes-preserve-unknown-fields": True}, "ThingValue", "Nested[ThingValue, _ObservedThingValue]"),
    ({"type": "object", "x-kubernetes-embedded-resource": True}, "o", "FreeForm"),
    # Choices, as API servers and controller-gen write them.
    ({"x-kubernetes-int-or-string": True}, "q", "Leaf[int | str]"),
    (
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^a$"},
        "q",
        "Leaf[int | str]",
    ),
    (
        {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {}]},
        "q",
        "Leaf[int | str]",
    ),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, "q", "Leaf[int | str]"),
    ({"oneOf": [{"type": "string"}, {"type": "number"}]}, "f|s", "Leaf[float | str]"),
    ({"anyOf": [{"type": "string"}, {"type": "string", "format": "ipv6"}]}, "s", "Leaf[str]"),
    ({"anyOf": [{"type": "string"}, {"type": "object"}]}, "x", "Any"),
    ({"anyOf": [{"type": ["string", "null"]}, {"type": "null"}]}, "s", "Leaf[str]"),
    (
        {**A, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "ThingValue",
        "Nested[ThingValue, _ObservedThingValue]",
    ),
    ({**A, "anyOf": [{"properties": {"a": {"enum": ["x"]}}}], "not": {"required": ["b"]}}, *["ThingValue"] * 2),
    ({"type": "string", "allOf": [{"maxLength": 3}, {"pattern": "^a"}]}, "s", "Leaf[str]"),
    ({"type": "string", "not": {"enum": ["a"]}}, "s", "Leaf[str]"),
    ({"allOf": [{"type": "string"}]}, "s", "Leaf[str]"),
    # OpenAPI 3.1 lists types.
    ({"type": ["string"]}, "s", "Leaf[str]"),
    ({"type": ["string", "null"]}, "s", "Leaf[str]"),
    ({"type": ["null", "array"], "items": {"type": "string"}}, "[s", "Values[str]"),
    (
        {"type": ["object", "null"], "properties": {"a": {"type": "string"}}},
        "ThingValue",
        "Nested[ThingValue, _ObservedThingValue]",
    ),
    ({"type": ["integer", "string"]}, "q", "Leaf[int | str]"),
    ({"type": ["integer", "string", "null"]}, "q", "Leaf[int | str]"),
    ({"type": ["string", "object"]}, "x", "Any"),
    ({"type": ["null"]}, "x", "Any"),
    ({"type": "null"}, "x", "Any"),
    # Enums.
    ({"type": "string", "enum": ["a", "b"]}, "s", "Leaf[Literal['a', 'b']]"),
    ({"enum": ["a", "b"]}, "s", "Leaf[Literal['a', 'b']]"),
    ({"type": "integer", "enum": [1, 2]}, "i", "Leaf[Literal[1, 2]]"),
    ({"type": "string", "nullable": True, "enum": ["a", None]}, "s", "Leaf[Literal['a']]"),
    ({"type": "string", "enum": ["a", "a"]}, "s", "Leaf[Literal['a']]"),
    ({"type": "string", "enum": ["", "on", "=", "it's", 'a"b', "\\", "\n"]}, "s", None),
    ({"type": "string", "enum": []}, "s", "Leaf[str]"),
    ({"type": "boolean", "enum": [True]}, "b", "Leaf[bool]"),
    ({"type": "number", "enum": [1.5, 2]}, "f", "Leaf[float]"),
    ({"enum": ["a", 1, None]}, "x", "Any"),
    ({"enum": [1, 2]}, "x", "Any"),
    ({"type": "string", "allOf": [{"enum": ["a", "b"]}, {"enum": ["a"]}]}, "s", None),
    ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, "[s", "Values[Literal['a']]"),
    ({"type": "object", "additionalProperties": {"type": "string", "enum": ["a"]}}, "{s", "Map[Literal['a']]"),
]


@pytest.mark.parametrize(("schema", "letter", "declared"), TYPES)
def test_types(schema: Any, letter: str, declared: str | None) -> None:
    """A field has the type that its schema calls for, in the table and in the stub."""
    found, annotation = types(schema)
    assert found == letter
    if declared is not None and declared != letter:
        assert annotation == declared


@pytest.mark.parametrize("word", ["on", "=", "yes", "~", "", "it's", 'a"b', "\\", "\n", "\ud800", "h\u00e9", "\u2028"])
def test_any_text_is_a_value_of_an_enum(word: str) -> None:
    """The words of an enum are the words of the Literal, whatever their characters."""
    annotation = types({"type": "string", "enum": [word, "a"]})[1]
    values = eval(annotation.removeprefix("Leaf[Literal").removesuffix("]"))
    assert values == [word, "a"]


def test_an_enum_names_only_values_of_its_type() -> None:
    """Values that the type doesn't take, booleans beside integers among them, are no members of the Literal."""
    assert types({"type": "integer", "enum": [1, True, "1", None, 2.5]})[1] == "Leaf[Literal[1]]"
    assert types({"type": "string", "enum": [1, True, "1", None, {}, []]})[1] == "Leaf[Literal['1']]"
    assert types({"type": "string", "enum": [1]})[1] == "Leaf[str]"


def test_an_enum_in_all_of_never_refuses_a_legal_value() -> None:
    """Of several enums the Literal has at least what all of them allow."""
    annotation = types({"type": "string", "allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]})[1]
    assert "'b'" in annotation or annotation == "Leaf[str]"


def test_the_members_of_all_of_count_together() -> None:
    """Properties of all members are fields, and what one member says of a property doesn't hide its type."""
    schema = {
        **obj(a="s", b=obj(c="i")),
        "allOf": [
            {
                "properties": {
                    "a": {"maxLength": 3},
                    "b": {"properties": {"c": {"minimum": 1}, "d": {"type": "number"}}},
                }
            },
            {"properties": {"e": {"type": "boolean"}}, "required": ["e"]},
        ],
    }
    made = table(output(thing(value=schema)).modules[f"{THING}.py"])
    assert {k: v for k, (_, v) in fields(made["ThingValue"]).items()} == {"a": "s", "b": "B", "e": "b"}
    assert {k: v for k, (_, v) in fields(made["B"]).items()} == {"c": "i", "d": "f"}


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_alternatives_only_restrict(word: str) -> None:
    """Alternatives that only require fields, or say more of their values, change no type."""
    alternatives = [{"required": ["a"]}, {"required": ["b"], "properties": {"a": {"enum": ["x"]}}}]
    schema = {**obj(a="s", b="i"), word: alternatives}
    assert table(output(thing(value=schema)).modules[f"{THING}.py"])["ThingValue"] == "a:s b:i"
    assert types({"type": "array", "items": {**A, word: alternatives}})[0] == "[ThingValueItem"


# --- unknown fields ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [{"x-kubernetes-preserve-unknown-fields": True}, {"additionalProperties": True}, {"additionalProperties": {}}],
)
def test_objects_that_keep_unknown_fields_are_open(more: Json) -> None:
    """With properties and unknown fields: what is known has its type, and any other attribute can be set and read."""
    classes = model({**obj(known="i", nested=obj(a="s")), **more})
    value = classes["ThingValue"](known=1, other="a")
    value.third = {"b": [1]}
    assert (value.known, value.other) == (1, "a")
    assert not value.missing
    assert to_dict(value) == {"known": 1, "other": "a", "third": {"b": [1]}}
    data = {"known": 1, "nested": {"a": "s"}, "any thing": [{"x": None}], "kept": {"deep": {"er": 1}}}
    assert to_dict(from_dict(classes["ThingValue"], data)) == data
    assert type(from_dict(classes["ThingValue"], data).nested) is classes["Nested"]


def test_objects_that_keep_nothing_are_closed() -> None:
    """Without preserved unknown fields a misspelt one is an error."""
    classes = model(obj(known="i"))
    with pytest.raises(UnknownFieldError):
        classes["ThingValue"](knwon=1)
    with pytest.raises(UnknownFieldError):
        model({**obj(known="i"), "additionalProperties": False})["ThingValue"](knwon=1)


@pytest.mark.parametrize("word", ["y", "yes", "On", "YES"])
def test_words_that_are_true(word: str) -> None:
    """Where a schema needs a boolean, the words of YAML 1.1 mean what they mean to Kubernetes."""
    flags = [f"x-kubernetes-{name}" for name in ("preserve-unknown-fields", "int-or-string", "embedded-resource")]
    for schema in ({}, A, {"type": "object"}, {"type": "object", **A}):
        for key in (*flags, "nullable", "additionalProperties"):
            assert output(thing(value={**schema, key: word})) == output(thing(value={**schema, key: True}))
    assert output(crd({**A, flags[0]: word})) == output(crd({**A, flags[0]: True}))


@pytest.mark.parametrize("word", ["n", "no", "Off", None])
def test_words_that_are_false(word: str | None) -> None:
    """The same for those that mean false; and null says nothing."""
    flags = [f"x-kubernetes-{name}" for name in ("preserve-unknown-fields", "int-or-string", "embedded-resource")]
    for schema in ({}, A, {"type": "object", **A}):
        for key in (*flags, "nullable", "additionalProperties"):
            assert output(thing(value={**schema, key: word})) == output(thing(value={**schema, key: False}))


def test_words_elsewhere_are_text() -> None:
    """A default that is such a word is a boolean in a field of booleans, and the text it is in any other."""
    for kind, shown in (("boolean", "true"), ("string", '"yes"')):
        made = output(thing(value={"type": kind, "default": "yes"}))
        assert f"Default: {shown}." in made.stubs[f"{THING}.pyi"]
    assert types({"type": "string", "enum": ["yes", "no"]})[1] == "Leaf[Literal['yes', 'no']]"


def test_a_kind_can_be_open() -> None:
    """A kind whose top keeps unknown fields takes any, beside its own."""
    schema = {**obj(spec=obj(a="s")), "x-kubernetes-preserve-unknown-fields": True}
    made = output(crd(schema))
    thing_class = Classes(made.modules[f"{THING}.py"])["Thing"]
    one = thing_class(spec={"a": "b"}, data={"k": "v"})
    assert to_dict(one) == {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"a": "b"}, "data": {"k": "v"}}
    assert [base.id for base in stub_classes(made.stubs[f"{THING}.pyi"])["Thing"].bases] == [  # type: ignore[attr-defined]
        "Resource",
        "DynamicModel",
    ]


def test_an_open_class_says_so_in_its_stub() -> None:
    """In the stub the base of an open class takes any attribute."""
    made = output(thing(value={**A, "x-kubernetes-preserve-unknown-fields": True}))
    (base,) = stub_classes(made.stubs[f"{THING}.pyi"])["ThingValue"].bases
    assert base.id == "DynamicModel"  # type: ignore[attr-defined]


# --- embedded resources ------------------------------------------------------------------------------------------


def test_an_embedded_resource_with_properties() -> None:
    """It has apiVersion, kind and metadata as well, metadata with the class that all models share."""
    schema = {**obj(spec=obj(a="s")), "x-kubernetes-embedded-resource": True}
    made = table(output(thing(value=schema)).modules[f"{THING}.py"])
    assert {k: v for k, (_, v) in fields(made["ThingValue"]).items()} == {
        "apiVersion": "s",
        "kind": "s",
        "metadata": "metav1.ObjectMeta",
        "spec": "Spec",
    }
    classes = model(schema)
    value = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "n"}, "spec": {"a": "b"}}
    assert to_dict(from_dict(classes["ThingValue"], value)) == value


def test_an_embedded_resource_keeps_what_its_properties_say() -> None:
    """Properties for apiVersion or kind keep their own type; metadata is Kubernetes' in any case."""
    schema = merged(
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        {"kind": {"type": "string", "enum": ["A"]}, "metadata": {"type": "object"}, "spec": "x"},
    )
    made = output(thing(value=schema))
    assert table(made.modules[f"{THING}.py"])["ThingValue"].startswith("* ")
    declared = annotated(stub_classes(made.stubs[f"{THING}.pyi"])["ThingValue"])
    assert declared["kind"] == "Leaf[Literal['A']]"
    assert declared["metadata"] == "Nested[metav1.ObjectMeta, metav1._ObservedObjectMeta]"


def test_an_embedded_resource_without_properties_takes_any_object() -> None:
    """A manifest of any kind goes through as it is, also as a list's item."""
    classes = model({"type": "array", "items": {"type": "object", "x-kubernetes-embedded-resource": True}})
    value = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "n"}, "data": {"a": [1, None]}}
    assert to_dict(classes["Thing"](value=[value]))["value"] == [value]


# --- what is only said -------------------------------------------------------------------------------------------


def test_required_and_defaults_are_said_and_never_sent() -> None:
    """Nothing has to be given, and a default is not set by us: only what is set is sent."""
    schema = {**obj(a="s", b={"type": "string", "default": "x"}), "required": ["a"], "default": {"a": "y"}}
    made = output(thing(value=schema))
    classes = Classes(made.modules[f"{THING}.py"])
    assert to_dict(classes["ThingValue"]()) == {}
    assert to_dict(classes["Thing"]()) == {"apiVersion": "example.org/v1", "kind": "Thing"}
    assert classes["ThingValue"]().b is None
    stub = made.stubs[f"{THING}.pyi"]
    assert "Required." in stub
    assert '"x"' in stub


@pytest.mark.slow
@settings(max_examples=40)
@given(object_schemas())
def test_defaults_requirements_and_nullability_change_no_type(schema: Json) -> None:
    """With every object required, defaulted and nullable the tables are the same."""

    def said(schema: Any) -> Any:
        below = {name: said(one) for name, one in schema.get("properties", {}).items()}
        more: Json = {"nullable": True, "default": {}, "description": "A thing."}
        if below:
            more |= {"properties": below, "required": sorted(below)}
        for key in ("items", "additionalProperties"):
            if key in schema:
                more[key] = said(schema[key])
        return {**schema, **more}

    assert output(crd(schema)).modules == output(crd(said(schema))).modules


# --- references --------------------------------------------------------------------------------------------------


def a_kind(**components: Any) -> Json:
    """Return an OpenAPI document of a kind `Thing` that has components of its own beside it."""
    schemas = {f"org.example.parts.v1.{name}": schema for name, schema in components.items()}
    value = {"value": {"$ref": f"{REF}org.example.parts.v1.Value"}}
    return openapi(**{"org.example.v1.Thing": component(merged({}, value), "example.org", "v1", "Thing"), **schemas})


def part(name: str) -> Json:
    """Return a reference to a component of `a_kind`."""
    return {"$ref": f"{REF}org.example.parts.v1.{name}"}


PARTS = "org/example/parts/v1.py"


def test_a_component_with_properties_is_a_class_of_its_module() -> None:
    """A `$ref` to it is a reference to the class, however often it is used, and also inside an `allOf`."""
    document = a_kind(
        Value=obj(one=part("Other"), two={"allOf": [part("Other")], "default": {}, "description": "Two."}),
        Other=A,
    )
    made = output(document)
    assert table(made.modules[f"{THING}.py"]) == {
        "Thing": "@example.org/v1 metadata:metav1.ObjectMeta value:partsv1.Value"
    }
    assert table(made.modules[PARTS]) == {"Other": "a:s", "Value": "one:Other two:Other"}
    assert annotated(stub_classes(made.stubs[f"{PARTS}i"])["Value"]) == {
        "one": "Nested[Other, _ObservedOther]",
        "two": "Nested[Other, _ObservedOther]",
    }


@pytest.mark.parametrize(
    ("schema", "letter"),
    [
        ({"type": "string", "format": "date-time"}, "s"),
        ({"oneOf": [{"type": "string"}, {"type": "number"}]}, "f|s"),
        ({"type": "object"}, "o"),
        ({"type": "array", "items": {"type": "string"}}, "[s"),
        ({"type": "object", "additionalProperties": {"$ref": f"{REF}org.example.parts.v1.Other"}}, "{partsv1.Other"),
    ],
)
def test_a_component_without_properties_is_its_type(schema: Json, letter: str) -> None:
    """Quantities, times and other aliases of plain types are no classes."""
    made = output(a_kind(Value=schema, Other=A))
    text = table(made.modules[f"{THING}.py"])["Thing"]
    assert fields(text)["value"][1] == letter


@pytest.mark.parametrize(
    "components",
    [
        {"Value": obj(below={"$ref": f"{REF}org.example.parts.v1.Value"})},
        {"Value": obj(below={"type": "array", "items": {"$ref": f"{REF}org.example.parts.v1.Value"}})},
        {"Value": obj(below={"type": "object", "additionalProperties": {"$ref": f"{REF}org.example.parts.v1.Value"}})},
        {"Value": obj(below={"$ref": f"{REF}org.example.parts.v1.B"}), "B": obj(value=part("Value"))},
    ],
)
def test_objects_that_hold_themselves(components: Json) -> None:
    """A recursive component is one class that refers to itself, and data nested a few levels deep goes through."""
    made = output(a_kind(**components))
    classes = Classes(made.modules[PARTS])
    inner: Any = {}
    for _ in range(4):
        inner = {"below": [inner] if "[" in classes.table["Value"] else inner}
        inner = {"below": {"value": inner["below"]}} if "B" in components else inner
    if "{" in classes.table["Value"]:
        inner = {"below": {"k": {"below": {"k": {}}}}}
    assert to_dict(from_dict(classes["Value"], inner)) == inner


@pytest.mark.parametrize(
    "components",
    [
        {"Value": {"type": "array", "items": {"$ref": f"{REF}org.example.parts.v1.Value"}}},
        {"Value": {"type": "object", "additionalProperties": {"$ref": f"{REF}org.example.parts.v1.Value"}}},
        {"Value": {"$ref": f"{REF}org.example.parts.v1.Value"}},
        {"Value": {"$ref": f"{REF}org.example.parts.v1.B"}, "B": {"$ref": f"{REF}org.example.parts.v1.Value"}},
        {"Value": {"allOf": [{"$ref": f"{REF}org.example.parts.v1.Value"}]}},
        {"Value": {**A, "allOf": [{"$ref": f"{REF}org.example.parts.v1.Value"}]}},
        {"Value": {"allOf": [part("B"), obj(c="s")]}, "B": {"allOf": [part("Value"), obj(d="s")]}},
        {"Value": obj(inner={**obj(b="s"), **part("Value")})},
        {"Value": {"allOf": [part("B"), {"nullable": True}]}, "B": obj(again={"type": "object", **part("Value")})},
        {"Value": {"anyOf": [part("Value"), {"type": "string"}]}},
    ],
)
def test_schemas_that_are_made_of_themselves_end(components: Json) -> None:
    """Aliases in a circle, arrays of themselves and recursion through `allOf` give models that can be made."""
    made = output(a_kind(**components))
    for source in filter(None, made.modules.values()):
        compile(source, "a module", "exec")
    if PARTS in made.modules:
        for cls in Classes(made.modules[PARTS]):
            assert to_dict(cls()) == {}


def test_a_reference_that_says_more_is_laid_into_the_object() -> None:
    """Beside properties of its own, the properties of what an object refers to count as well."""
    made = output(a_kind(Value=obj(both={**obj(own="i"), "allOf": [part("Other")]}), Other=A))
    classes = table(made.modules[PARTS])
    assert classes["Value"] == "both:ValueBoth"
    assert {k: v for k, (_, v) in fields(classes["ValueBoth"]).items()} == {"a": "s", "own": "i"}


# --- lists that are merged by key --------------------------------------------------------------------------------


def test_the_keys_of_list_maps_are_in_the_table() -> None:
    """x-kubernetes-list-map-keys follow the type; other kinds of lists have none."""
    schema = {"type": "array", "items": obj(name="s", port="i"), "x-kubernetes-list-map-keys": ["name", "port"]}
    assert types({**schema, "x-kubernetes-list-type": "map"})[0] == "[ThingValueItem#name,port"
    assert types({**schema, "x-kubernetes-list-type": "set"})[0] == "[ThingValueItem"
    assert types(schema)[0] == "[ThingValueItem"


def test_keys_of_any_characters() -> None:
    """Keys that mean something in a table's language come back as they are."""
    names = ["a,b", "c#d", "e=f", "g h", "%41", "i:j"]
    schema = {
        "type": "array",
        "items": obj(**dict.fromkeys(names, "s")),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": names,
    }
    assert model(schema)["Thing"].__wire_fields__["value"].type.keys == tuple(names)


@pytest.mark.parametrize("outer", ["array", "map"])
def test_keys_of_lists_in_lists_belong_to_no_other_list(outer: str) -> None:
    """The keys of an inner list are never taken for those of the outer one."""
    inner = {
        "type": "array",
        "items": obj(name="s"),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    }
    middle = {"type": "object", "additionalProperties": inner}
    schema = {"type": "array", "items": inner if outer == "array" else middle}
    assert model(schema)["Thing"].__wire_fields__["value"].type.keys == ()
    assert model(middle)["Thing"].__wire_fields__["value"].type.item.keys == ("name",)


# --- what is no schema -------------------------------------------------------------------------------------------

WRONG: list[tuple[Any, str]] = [
    ("a", "value"),
    (3, "value"),
    (None, "value"),
    ({"type": "strnig"}, "value"),
    ({"type": 3}, "value"),
    ({"type": {}}, "value"),
    ({"type": ["strnig"]}, "value"),
    ({"type": [{}]}, "value"),
    ({"type": "object", "properties": []}, "value"),
    ({"type": "object", "properties": "a"}, "value"),
    ({"type": "object", "properties": {"b": 3}}, "value.b"),
    ({"type": "object", "properties": {"": {}}}, "value"),
    ({"type": "object", "properties": {"\ud800": {}}}, "value"),
    ({"type": "object", "properties": {"b": {"type": "strnig"}}}, "value.b"),
    ({"type": "array", "items": []}, "value[]"),
    ({"type": "array", "items": 3}, "value[]"),
    ({"type": "array", "items": {"type": "strnig"}}, "value[]"),
    ({"type": "object", "additionalProperties": 3}, "value"),
    ({"type": "object", "additionalProperties": "maybe"}, "value"),
    ({**A, "additionalProperties": "true"}, "value"),
    ({**A, "x-kubernetes-preserve-unknown-fields": "maybe"}, "value"),
    ({"type": "string", "x-kubernetes-int-or-string": 1}, "value"),
    ({"type": "object", "x-kubernetes-embedded-resource": {}}, "value"),
    ({"type": "object", "additionalProperties": {"type": "strnig"}}, "value{}"),
    ({"type": "string", "enum": "a"}, "value"),
    ({"enum": "a"}, "value"),
    ({**A, "required": "a"}, "value"),
    ({**A, "required": 3}, "value"),
    ({**A, "required": {"a": 1}, "allOf": [{}]}, "value"),
    ({**A, "allOf": [{"required": 3}]}, "value"),
    ({"allOf": 3}, "value"),
    ({"allOf": [3]}, "value"),
    ({"anyOf": 3}, "value"),
    ({"oneOf": {"type": "string"}}, "value"),
    ({"anyOf": [{"type": {}}]}, "value"),
    ({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": "a"}, "value"),
    ({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [3]}, "value"),
    ({"$ref": "#/components/schemas/A"}, "value"),
    ({"$ref": 3}, "value"),
    ({"allOf": [{"$ref": "nowhere"}]}, "value"),
    ({"type": "array", "items": {"$ref": "#/definitions/A"}}, "value[]"),
]


@pytest.mark.parametrize(("schema", "path"), WRONG)
def test_what_is_no_schema_is_named(schema: Any, path: str) -> None:
    """A schema that isn't one is a line with the file, the version and the path of the field."""
    line = failure(crd({"type": "object", "properties": {"value": schema}}))
    assert line.startswith(f"file 1: v1: {path}: ")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["string", "object", "array", "#/a", "a", "map"]),
        lambda below: (
            st.lists(below, max_size=2)
            | st.dictionaries(
                st.sampled_from(WORDS),
                below,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_value_is_a_schema_or_a_clean_error(schema: Any) -> None:
    """Whatever stands in the place of a schema: models are made of it that work, or it is one line."""
    try:
        made = output(crd({"type": "object", "properties": {"value": schema}}))
    except InputError as error:
        assert "\n" not in str(error)
        return
    for cls in Classes(made.modules[f"{THING}.py"]):
        cls()
    stub_classes(made.stubs[f"{THING}.pyi"])


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "array"},
        {"type": ["array", "null"]},
        {"items": {}},
        {"$ref": "#/a"},
        {"properties": 3},
    ],
)
def test_the_schema_of_a_kind_is_an_objects(schema: Json) -> None:
    """A kind that is no object, or whose whole schema is wrong, is a line with the file and the version."""
    assert failure(crd(schema)).startswith("file 1: v1: ")


def test_what_is_no_boolean_is_said() -> None:
    """The line says which word must be a boolean, and what it is instead."""
    key = "x-kubernetes-preserve-unknown-fields"
    said = "must be true or false (got 'maybe' that is a string)"
    assert failure(thing(value={**A, key: "maybe"})) == f"file 1: v1: value: '{key}' {said}"
    assert failure(crd({**A, key: "maybe"})) == f"file 1: v1: '{key}' {said}"
    line = failure(thing(value={**A, "additionalProperties": "maybe"}))
    assert line == "file 1: v1: value: 'additionalProperties' must be a schema, true or false (got a string)"


def test_a_dangling_reference_in_a_document() -> None:
    """A `$ref` to a component that isn't there names it, the file and the place."""
    line = failure(a_kind(Value=obj(a={"type": "array", "items": part("Missing")})))
    assert "org.example.parts.v1.Missing" in line
    assert "components.schemas.org.example.parts.v1.Value: a[]: " in line


@pytest.mark.parametrize("kind", [pytest.param("object", marks=pytest.mark.slow), "array", "map", "allOf"])
def test_schemas_of_any_depth_are_safe(kind: str) -> None:
    """Thousands of levels are models or a clean error, and never the end of the process."""
    around: dict[str, Callable[[Json], Json]] = {
        "object": lambda below: {"type": "object", "properties": {"a": below}},
        "array": lambda below: {"type": "array", "items": below},
        "map": lambda below: {"type": "object", "additionalProperties": below},
        "allOf": lambda below: {"allOf": [below]},
    }
    schema: Json = {"type": "string"}
    for _ in range(5000):
        schema = around[kind](schema)
    try:
        made = output(thing(value=schema))
    except InputError as error:
        assert "file 1" in str(error)
        assert "\n" not in str(error)
        return
    classes = Classes(made.modules[f"{THING}.py"])
    assert to_dict(classes["Thing"](value=None))["kind"] == "Thing"


# --- the reader itself -------------------------------------------------------------------------------------------


def test_objects_are_read_breadth_first() -> None:
    """What `read` returns is the whole first, and then level by level what lies within."""
    schema = obj(b=obj(d=obj(e="s")), c={"type": "array", "items": obj(f=obj(g="s"))})
    nodes = read("a file", schema, "Thing", {})
    assert [node.path for node in nodes] == ["", "b", "c[]", "b.d", "c[].f"]
    assert all(isinstance(node, ObjectSchema) for node in nodes)


def test_equal_objects_have_one_shape() -> None:
    """The same fields of the same types are the same shape, whatever the description; others are others."""
    schema = obj(
        a={**obj(x="s"), "description": "One."},
        b={**obj(x="s"), "description": "Two.", "required": ["x"]},
        c=obj(x="i"),
        d={**obj(x="s"), "x-kubernetes-preserve-unknown-fields": True},
        e=obj(x={"type": "string", "enum": ["a"]}),
    )
    shapes = {node.path: node.shape for node in read("a file", schema, "Thing", {})}
    assert shapes["a"] == shapes["b"]
    assert len({shapes[path] for path in "acde"}) == 4


def test_the_innermost_type_of_lists_and_maps() -> None:
    """A form knows what it holds in the end."""
    leaf = Form("s", "str")
    assert Form("[", item=Form("{", item=leaf)).innermost is leaf
    assert leaf.innermost is leaf


def test_a_kind_has_the_metadata_of_kubernetes() -> None:
    """apiVersion and kind are no fields of their own, and metadata is ObjectMeta whatever the definition says of it."""
    for more in ({}, {"metadata": {"type": "object"}}, {"metadata": obj(name=SCALARS["s"])}):
        schema = obj(apiVersion="s", kind="s", spec="x", **more)
        (node,) = read("a file", schema, "Thing", {}, is_kind=True)
        assert {field.wire for field in node.fields} == {"metadata", "spec"}
        (ref,) = [field.form.ref for field in node.fields if field.wire == "metadata"]
        assert ref is not None
        assert (".".join(ref.module) + ".", ref.name) == (META, "ObjectMeta")

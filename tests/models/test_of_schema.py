"""Models that are made at run time from a required schema."""

from __future__ import annotations

import copy
import gc
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.models import types
from crossplane_lite._core.resources.of_schema import model_of
from crossplane_lite.errors import UnknownFieldError, UsageError
from crossplane_lite.model import Resource, to_dict
from crossplane_lite.schemas import Schema
from tests.codegen.generated import Classes, crd, needs_data, obj, output, package, real_output
from tests.support import run

API = "example.org/v1"
KEY = f"{API}/Thing"
SCHEMA = obj(
    spec={
        **obj(size="i", name="s", port="q", free="o", any="x", cost="f|s"),
        "required": ["size"],
    },
    rules={
        "type": "array",
        "items": obj(name="s", weight="i"),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    },
)
MARKED = {**SCHEMA, "x-kubernetes-group-version-kind": [{"group": "example.org", "version": "v1", "kind": "Thing"}]}


def same(one: types.Type, other: types.Type, seen: set[Any], path: str) -> int:
    """Compare two types, all the way down; return how many were compared."""
    compared = 0
    work = [(one, other, path)]
    while work:
        left, right, path = work.pop()
        compared += 1
        for name in ("code", "takes", "keys", "settles"):
            assert getattr(left, name) == getattr(right, name), (path, name)
        if left.code in (types.LIST, types.MAP):
            work.append((left.item, right.item, path + "[]"))
        elif left.code == types.MODEL and (left.cls, right.cls) not in seen:
            seen.add((left.cls, right.cls))
            work += fields_of(left.cls, right.cls, path)
    return compared


def fields_of(left: Any, right: Any, path: str) -> list[tuple[types.Type, types.Type, str]]:
    """Return the types of the fields of two classes, which have the same."""
    named = [{field.wire: field for field in cls.__wire_fields__.values()} for cls in (left, right)]
    assert named[0].keys() == named[1].keys(), path
    assert left._is_open() == right._is_open(), path
    assert {wire: field.name for wire, field in named[0].items()} == {w: field.name for w, field in named[1].items()}
    return [(field.type, named[1][wire].type, f"{path}.{wire}") for wire, field in named[0].items()]


@needs_data
@pytest.mark.slow
def test_the_classes_are_those_of_generated_models(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of every real definition both ways make the same fields, attributes, types and list keys."""
    from crossplane_lite._tools.codegen.definitions import definitions
    from tests.codegen.generated import real_documents

    generated = package(tmp_path_factory.mktemp("of_schema"), real_output())
    compared = 0
    for kind in definitions(real_documents()).kinds:
        if kind.document is not None:
            continue  # with references, which Crossplane replaces
        one = model_of(kind.api_version, kind.kind, copy.deepcopy(dict(kind.schema)))
        other = getattr(generated.module("/".join(kind.module)), kind.name)
        for left, right, path in fields_of(one, other, kind.kind):
            compared += same(left, right, set(), path)
    assert compared > 2000


def test_the_classes_are_those_of_the_table() -> None:
    """Every shape of the dialect becomes what the generator makes of it."""
    shapes = {
        "text": {"type": "string"},
        "choice": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
        "cost": {"oneOf": [{"type": "string"}, {"type": "number"}]},
        "flagged": {"type": ["boolean", "null"]},
        "enum": {"enum": ["a", "b"]},
        "lists": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "maps": {"type": "object", "additionalProperties": {"type": "string"}},
        "anything": {"type": "object", "additionalProperties": True},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "unknown": {"x-kubernetes-preserve-unknown-fields": True},
        "open": {**obj(a="s"), "x-kubernetes-preserve-unknown-fields": True},
        "embedded": {**obj(spec="o"), "x-kubernetes-embedded-resource": True},
        "whole": {"type": "object", "x-kubernetes-embedded-resource": True},
        "joined": {"allOf": [obj(a="s"), obj(b="i")]},
        "from": {"type": "string"},
        "with-dash": {"type": "string"},
        **SCHEMA["properties"],
    }
    schema = {"type": "object", "properties": shapes}
    source = output(crd(schema)).modules["org/example/thing/v1.py"]
    other = Classes(source)["Thing"]
    one = model_of(API, "Thing", schema)
    assert sum(same(left, right, set(), path) for left, right, path in fields_of(one, other, "Thing")) > 30


def test_types_that_a_schema_does_not_name() -> None:
    """Without a type the other keywords say it; what is no schema, or too deep, takes anything."""
    deep: Any = {"type": "integer"}
    below: Any = "anything"
    for _ in range(200):
        deep, below = {"items": deep}, [below]
    shapes = {"part": {"properties": {"a": {"type": "string"}}}, "names": {"items": {"type": "string"}}}
    shapes |= {
        "ports": {"additionalProperties": {"type": "integer"}},
        "odd": True,
        "deep": deep,
        "either": {"allOf": [3]},
    }
    cls = model_of(API, "Implied", {"type": "object", "properties": shapes})
    fields = {"part": {"a": "b"}, "names": ["c"], "ports": {"d": 4}, "odd": [5], "deep": below, "either": 7}
    assert to_dict(cls(**fields)) == {"apiVersion": API, "kind": "Implied", **fields}
    for wrong in ({"part": {"b": "b"}}, {"names": [3]}, {"ports": {"d": "e"}}, {"deep": ["e"]}):
        with pytest.raises((UsageError, UnknownFieldError)):
            cls(**wrong)


def schema_in(body: Any) -> Any:
    """Return a function that makes a Thing by the model of its schema."""

    @composition.function
    def compose(ctx: Any) -> None:
        body(ctx, ctx.schema(API, "Thing").model)

    return compose


def test_a_model_of_a_required_schema() -> None:
    """Before the schema has come any field can be set; with it fields and types are checked, with path and line."""

    def body(ctx: Any, thing: Any) -> None:
        one = ctx.resource("thing", thing(spec={"name": "a"}))
        one.spec.size = ctx.input["size"] if ctx.input else 3
        one.spec.free.a.b = 1

    emitted = {"apiVersion": API, "kind": "Thing", "spec": {"name": "a", "size": 3, "free": {"a": {"b": 1}}}}
    for answers in ({}, {KEY: SCHEMA}, {KEY: MARKED}, {KEY: {}}):
        answer = run(schema_in(body), schemas=answers)
        assert not answer.fatal
        assert answer.resources["thing"] == emitted
        assert list(answer.requirements.schemas) == [KEY]
    (text,) = run(schema_in(body), schemas={KEY: SCHEMA}, input={"size": "two"}).fatal
    assert "thing.spec.size: must be an integer (got 'two' that is a string) (test_of_schema.py:" in text

    def misspelt(ctx: Any, thing: Any) -> None:
        ctx.resource("thing", thing()).spec.sise = 3

    assert "has no field 'sise'; did you mean 'size'?" in run(schema_in(misspelt), schemas={KEY: SCHEMA}).fatal[0]


def test_lists_are_merged_by_their_keys() -> None:
    """A value that isn't there keeps the live one of the element with the same key, wherever that stands."""

    def body(ctx: Any, thing: Any) -> None:
        other = ctx.resource("other", Unstructured("v1", "ConfigMap"))
        ctx.resource("thing", thing(rules=[{"name": "b", "weight": other.observed.data.weight}, {"name": "a"}]))

    live = {"apiVersion": API, "kind": "Thing", "rules": [{"name": "a"}, {"name": "c"}, {"name": "b", "weight": 7}]}
    answer = run(schema_in(body), schemas={KEY: SCHEMA}, observed={"thing": live})
    assert answer.resources["thing"]["rules"] == [{"name": "b", "weight": 7}, {"name": "a"}]


def test_classes_are_kept() -> None:
    """The same schema gives the same class in every call, whatever the order of its entries. Only some are kept."""
    turned = {**SCHEMA, "properties": dict(reversed(SCHEMA["properties"].items()))}
    assert model_of(API, "Thing", SCHEMA) is model_of(API, "Thing", turned)
    assert model_of(API, "Other", SCHEMA) is not model_of(API, "Thing", SCHEMA)
    before = len(Resource.__subclasses__())
    for number in range(80):
        model_of(API, "Thing", obj(**{f"field{number}": "s"}))
    gc.collect()
    assert len(Resource.__subclasses__()) - before <= 66


def test_a_schema_that_does_not_say_its_kind() -> None:
    """A schema that nobody asked for with a kind, and that doesn't name one, has no model; one that names it has."""
    with pytest.raises(UsageError, match="doesn't say which kind it is for"):
        _ = Schema(SCHEMA, "a key").model
    cls = Schema(MARKED, "a key").model
    assert to_dict(cls(spec={"size": 1})) == {"apiVersion": API, "kind": "Thing", "spec": {"size": 1}}
    with pytest.raises(UnknownFieldError):
        cls(other=1)

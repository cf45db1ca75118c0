"""Schemas and values that are deep, broken or many."""

from __future__ import annotations

import json
import threading
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest

from crossplane_lite import composition, schemas
from crossplane_lite._core import codec
from crossplane_lite._core.schemas import check as _schema_check
from crossplane_lite._core.schemas.check import validator_for
from crossplane_lite.proto import _view
from tests.behaviour.models import Bucket
from tests.behaviour.schema_samples import KEY, NOT_TEXT, bucket_schema, errors
from tests.support import Response, build

# --- deep and broken schemas -------------------------------------------------------------------------------------


def nested(depth: int, *, wrapped: bool = False) -> dict[str, Any]:
    """Return a schema of objects in lists in objects, so many of them in each other."""
    schema: dict[str, Any] = {"type": "string"}
    for at in range(depth):
        inner = {"allOf": [schema], "default": {}} if wrapped else schema
        schema = {"type": "array", "items": inner} if at % 2 else {"type": "object", "properties": {"a": inner}}
    return schema


def value_of(depth: int, leaf: Any) -> Any:
    """Return a value of the same shape."""
    for at in range(depth):
        leaf = [leaf] if at % 2 else {"a": leaf}
    return leaf


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_schema_60_levels_deep(wrapped: bool) -> None:
    """A schema 60 levels deep finds what is wrong at its end and nothing else, on a thread with a small stack too."""
    schema = nested(60, wrapped=wrapped)
    found: list[Any] = []

    def check() -> None:
        found.extend([errors(schema, value_of(60, "x")), errors(schema, value_of(60, 5))])

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=check)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found[0] == []
    assert found[1] == [f"x{'[0].a' * 30}: {NOT_TEXT}"]


def over_the_wire(schema: dict[str, Any]) -> bytes:
    """Return a request with this schema of buckets, however deep it is."""
    req = _view.RunFunctionRequest.FromString(build().SerializeToString())
    req.required_schemas[KEY].openapi_v3 = codec.encode_struct(schema)
    data: bytes = req.SerializeToString()
    return data


def chain(depth: int, *way: Any) -> dict[str, Any]:
    """Return a schema that holds itself so often, each time under these keys and indexes."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        inner: Any = schema
        for step in reversed(way):
            inner = [inner] if step == 0 else {step: inner}
        schema = inner
    return schema


@pytest.mark.slow
@pytest.mark.parametrize(
    "way",
    [("properties", "a"), ("items",), ("additionalProperties",), ("not",), ("allOf", 0), ("anyOf", 0), ("oneOf", 0)],
)
def test_a_schema_10000_levels_deep_is_refused(way: tuple[Any, ...]) -> None:
    """A schema that is deeper than any real one is a clean error, and a Fatal result."""
    schema = chain(10_000, *way)
    with pytest.raises(schemas.SchemaError, match="nested more than 100 levels deep"):
        schemas.errors_in({"kind": "Bucket"}, schema)

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        ctx.schema(bucket.apiVersion, bucket.kind).validate(bucket)

    (text,) = Response(compose.run(over_the_wire(schema))).fatal
    assert "nested more than 100 levels deep" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"b": {"type": "string"}}},
        {"anyOf": [{"type": "object"}, {"type": "array"}]},
        {"allOf": [{"type": "object"}, {"maxProperties": 1}], "uniqueItems": True},
    ],
)
def test_values_nested_deeply(schema: dict[str, Any]) -> None:
    """A value may be nested far deeper than the schema; what the schema says of its top is still checked."""
    deep: Any = "x"
    for _ in range(20_000):
        deep = {"a": deep}
    assert errors(schema, deep) == []
    wrong = errors({"type": "object", "properties": {"a": {"type": "string"}}}, deep)
    assert wrong == ["x.a: must be a string (got an object)"]


@pytest.mark.slow
def test_a_value_that_contains_itself() -> None:
    """A value without an end is an error at its place."""
    value: dict[str, Any] = {"spec": {}}
    value["spec"]["spec"] = value
    (error,) = schemas.errors_in(value, {"type": "object"})
    assert "contains itself" in error.problem


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"x", {1}, 2**60, "\ud800", object()])
def test_values_that_no_resource_can_hold(value: Any) -> None:
    """What can't be emitted is an error at its place, and no crash."""
    (error,) = schemas.errors_in(
        {"kind": "Thing", "spec": {"x": value}}, {"properties": {"spec": {"properties": {"x": {"type": "string"}}}}}
    )
    assert error.path == "spec.x"
    assert "null" not in error.problem
    assert schemas.errors_in({"kind": "Thing", "spec": {5: 1}}, {"properties": {"spec": {"type": "object"}}})


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"properties": []}, "'properties' must be an object"),
        ({"properties": {"a": 5}}, "can't be used: properties.a: a schema must be an object .got 5"),
        ({"items": {"anyOf": [{}, {"type": "text"}]}}, r"can't be used: items.anyOf\[1\]: 'type' must be one of"),
        ({"type": "text"}, "'type' must be one of string"),
        ({"type": 5}, "'type' must be one of string"),
        ({"required": "a"}, "'required' must be a list"),
        ({"required": [5]}, "'required' must be a list of names"),
        ({"items": [{"type": "string"}]}, "must be an object"),
        ({"allOf": ["x"]}, "must be a list of schemas"),
        ({"minLength": -1, "type": "string"}, "can't be used"),
        ({"maxItems": "x"}, "can't be used"),
        ({"properties": {"a": {"minLength": "x"}}}, "can't be used: properties.a.minLength: .* not of type .integer.$"),
        ([1], r"can't be used: a schema must be a mapping \(got a list\)"),
        ("x", r"can't be used: a schema must be a mapping \(got a string\)"),
    ],
)
def test_broken_schemas(schema: dict[str, Any], words: str) -> None:
    """What is no schema is a clean error that says why."""
    with pytest.raises(schemas.SchemaError, match=words) as caught:
        schemas.errors_in({"kind": "Thing"}, schema)
    assert "\n" not in str(caught.value)


WORDS = ["type", "properties", "items", "required", "enum", "format", "nullable", "allOf", "oneOf", "not", "minimum"]
WORDS += ["exclusiveMinimum", "additionalProperties", "default", "pattern", "a", "x-kubernetes-list-type"]
WORDS += ["x-kubernetes-list-map-keys", "x-kubernetes-int-or-string", "x-kubernetes-group-version-kind"]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["string", "object", "array", "map", "set", "a", "("])
)
SCHEMAS = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner), max_leaves=12
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "type", "0", ""]), inner)
)


@pytest.mark.slow
@hypothesis.given(schema=st.dictionaries(st.sampled_from(WORDS), SCHEMAS, min_size=1), value=VALUES)
def test_any_data_for_a_schema(schema: dict[str, Any], value: Any) -> None:
    """Whatever comes as a schema is used, or refused with an error that is meant for that."""
    try:
        found = schemas.errors_in({"a": value}, schema)
    except schemas.SchemaError:
        return
    assert all(error.problem and str(error) for error in found)


# --- validators are kept -----------------------------------------------------------------------------------------


def test_validators_are_kept_by_content() -> None:
    """The same schema has one validator, in whatever order its entries come; another schema has another one."""
    schema = bucket_schema()
    turned = json.loads(json.dumps(schema), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert list(turned) != list(schema)
    assert validator_for(schema) is validator_for(turned)
    turned["properties"]["spec"]["required"] = []
    assert validator_for(schema) is not validator_for(turned)


def test_few_validators_are_kept() -> None:
    """A caller that varies its schemas doesn't fill the memory, and what is used stays."""
    used = validator_for(bucket_schema())
    for at in range(200):
        validator_for({"type": "object", "maxProperties": at})
        assert validator_for(bucket_schema()) is used
    assert len(_schema_check._kept) <= 64


def test_validators_are_shared_by_threads() -> None:
    """Threads that check at the same time get the answers that each would get alone."""
    wrong: list[Any] = []

    def check(at: int) -> None:
        for size in range(50):
            schema = {"type": "object", "properties": {"size": {"type": "integer", "maximum": size}}}
            found = schemas.errors_in({"kind": "K", "size": at}, schema)
            if bool(found) is not (at > size):
                wrong.append((at, size))

    threads = [threading.Thread(target=check, args=(at * 10,)) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong

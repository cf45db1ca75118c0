"""Schemas of kinds through the context, and checking resources against them (required-schemas)."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest

from crossplane_lite import NULL, Observable, Unstructured, composition, request, schemas
from crossplane_lite._core.models.walker import plain_data, with_nulls
from crossplane_lite.errors import CrossplaneLiteError, UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import VPC_API, ask
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, Rule, VersioningItem, XStorageBucket
from tests.behaviour.schema_samples import API, KEY, bucket_schema, errors, paths
from tests.support import build, call

# --- through the context -----------------------------------------------------------------------------------------


def test_a_schema_has_three_states() -> None:
    """Not answered yet, not found and found are told apart, and the requirement is in every answer."""

    def compose(ctx: Any) -> Any:
        schema = ctx.schema(API, "Bucket")
        assert ctx.schema(API, "Bucket") is schema
        assert bool(schema) is schema.found
        return schema.answered, schema.found, dict(schema), repr(schema)

    for answers, expected in (
        ({}, (False, False, {}, f"<schema '{KEY}': not answered yet>")),
        ({KEY: None}, (True, False, {}, f"<schema '{KEY}': not found>")),
        ({KEY: bucket_schema()}, (True, True, bucket_schema(), f"<schema '{KEY}': found>")),
    ):
        value, answer = call(compose, schemas=answers)
        assert value == expected
        selector = answer.requirements.schemas[KEY]
        assert (selector.api_version, selector.kind) == (API, "Bucket")


def test_a_schema_by_key() -> None:
    """A key can be given, a requirement that compose() has already is taken, and the key finds the same object."""

    def compose(ctx: Any) -> None:
        schema = ctx.schema(API, "Bucket", key="bucket")
        assert schema.key == "bucket"
        assert ctx.schema(API, "Bucket") is schema
        assert ctx.required_schemas["bucket"] is schema
        ctx.requirements.schemas["xr"] = composition.SchemaSelector(api_version="example.org/v1", kind="XR")
        assert ctx.schema("example.org/v1", "XR").key == "xr"
        assert ctx.required_schemas.get("xr") is None

    _, answer = call(compose, schemas={"bucket": bucket_schema()})
    assert sorted(answer.requirements.schemas) == ["bucket", "xr"]


def test_a_schema_of_a_kind_that_is_not_known_yet() -> None:
    """A schema whose kind waits for something isn't asked for, isn't answered, and makes no guess."""

    def compose(ctx: Any) -> Any:
        kind = ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId
        assert ctx.schema(API, kind).validate(Bucket()) == []
        assert not ctx.schema(API, "Bucket").answered
        assert not ctx.schema(API, kind).answered
        return dict(ctx._call.guesses)

    guesses, answer = call(compose)
    assert not guesses
    assert list(answer.requirements.schemas) == [KEY]


@pytest.mark.parametrize("answer", [{}, {KEY: None}])
def test_without_a_schema_nothing_is_wrong(answer: dict[str, Any]) -> None:
    """validate() finds nothing while there is no answer, or where the kind wasn't found."""

    def compose(ctx: Any) -> None:
        assert ctx.schema(API, "Bucket").validate({"kind": 5}) == []

    call(compose, schemas=answer)


def test_errors_have_path_problem_and_resource() -> None:
    """An error has the resource's name, the field's path and what is wrong, is an exception, and can be pickled."""

    def compose(ctx: Any) -> Any:
        bucket = ctx.resource("my-bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="MARS"))))
        return ctx.schema(API, "Bucket").validate(bucket)

    (error,), _ = call(compose, schemas={KEY: bucket_schema()})
    assert (error.resource, error.path) == ("my-bucket", "spec.forProvider.location")
    assert error.problem == "must be one of 'US', 'EU' (got 'MARS')"
    assert str(error) == f"my-bucket.spec.forProvider.location: {error.problem}"
    assert isinstance(error, CrossplaneLiteError)
    assert isinstance(error, ValueError)
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.path, copied.problem) == (str(error), error.path, error.problem)


def test_errors_of_a_whole_resource() -> None:
    """Every error is reported, ordered by path, with indexes and quoted keys where they are needed."""

    def compose(ctx: Any) -> Any:
        provider = {
            "labels": {"a/b": 5, "plain": "x"},
            "versioning": [{"enabled": True}, {"enabled": "yes"}],
            "size": 0,
            "rules": [{"name": "a"}, {"action": "x"}],
            "prject": "p",
        }
        bucket = ctx.resource("bucket", Unstructured(API, "Bucket"))
        bucket.spec.forProvider = provider
        return ctx.schema(API, "Bucket").validate(bucket)

    found, _ = call(compose, schemas={KEY: bucket_schema()})
    assert [(error.path, error.problem) for error in found] == [
        ('spec.forProvider.labels["a/b"]', "must be a string (got 5 that is an integer)"),
        ("spec.forProvider.location", "is required"),
        ("spec.forProvider.prject", "isn't a field of the schema; did you mean 'project'?"),
        ("spec.forProvider.rules[1].name", "is required"),
        ("spec.forProvider.size", "must be at least 1 (got 0)"),
        ("spec.forProvider.versioning[1].enabled", "must be true or false (got 'yes' that is a string)"),
    ]


def test_what_is_checked_is_what_is_emitted() -> None:
    """A registered resource is checked with the desired state of previous functions, removals included."""
    earlier = samples.bucket(
        {"location": "US", "size": 0, "project": "p" * 30, "notInTheModel": 1, "zones": ["a", "a"]}
    )

    def compose(ctx: Any) -> Any:
        bucket = ctx.resource("bucket", Bucket())
        del bucket.spec.forProvider.project
        bucket.spec.forProvider.rules = [Rule(name="a"), Rule(name="a")]
        return ctx.schema(API, "Bucket").validate(bucket)

    found, answer = call(compose, schemas={KEY: bucket_schema()}, desired={"bucket": earlier})
    emitted = answer.resources["bucket"]
    assert "project" not in emitted["spec"]["forProvider"]
    assert paths(found) == [
        "spec.forProvider.notInTheModel",
        "spec.forProvider.rules[1]",
        "spec.forProvider.size",
        "spec.forProvider.zones",
    ]
    assert paths(schemas.errors_in(emitted, bucket_schema())) == paths(found)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), JSON, max_size=4)


@hypothesis.given(earlier=OBJECTS, own=OBJECTS, gone=st.sets(st.sampled_from("abcd")), again=OBJECTS)
@hypothesis.settings(max_examples=100)
def test_any_resource_is_checked_as_it_is_emitted(
    earlier: dict[str, Any], own: dict[str, Any], gone: set[str], again: dict[str, Any]
) -> None:
    """Whatever is desired, removed and set again: what is checked is what goes out, but for our annotation."""

    def compose(ctx: Any) -> Any:
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec = with_nulls(own)
        for name in gone:
            delattr(thing.spec, name)
        for name, value in with_nulls(again).items():
            setattr(thing.spec, name, value)
        return plain_data(thing)

    before = {"apiVersion": "v1", "kind": "Thing", "spec": earlier, "metadata": {"labels": {"a": "b"}}}
    checked, answer = call(compose, desired={"thing": before})
    assert checked == answer.resources["thing"]


def test_unresolved_values_are_no_errors() -> None:
    """What has no value yet is taken to be right, in objects, lists, maps, texts and keys, and to be there."""

    def compose(ctx: Any) -> Any:
        observed = ctx.resource("vpc", Unstructured(VPC_API, "VPC")).observed.status.atProvider
        waiting = observed.vpcId
        provider = ForProvider(
            location=waiting,
            project=f"{waiting}-and-a-text-that-is-longer-than-it-may-be",
            size=observed.subnets[0].id,
            labels={"a": waiting, str(waiting): "b"},
            zones=["a", f"x-{waiting}", f"x-{waiting}"],
            rules=[Rule(name=waiting), Rule(name=waiting), Rule(name="a", age=waiting)],
            versioning=[VersioningItem(enabled=waiting)],
        )
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))
        assert ctx.schema(API, "Bucket").validate(bucket) == []
        bucket.spec.forProvider.versioning = observed.subnets
        bucket.spec.forProvider.rules[2].action = NULL
        bucket.spec.deletionPolicy = "x"
        return ctx.schema(API, "Bucket").validate(bucket)

    found, _ = call(compose, schemas={KEY: bucket_schema()})
    assert paths(found) == ["spec.deletionPolicy", "spec.forProvider.rules[2].action"]


def test_a_whole_list_or_object_without_a_value() -> None:
    """Where an unresolved value stands for an object or a list, nothing below it is missing."""
    schema = {"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object", "required": ["a"]}}}
    waiting: Any = Observable("vpc.status.x")
    assert schemas.errors_in({"kind": "Thing", "spec": waiting}, schema) == []
    assert paths(schemas.errors_in({"kind": "Thing", "spec": {}}, schema)) == ["spec.a"]
    assert schemas.errors_in({"kind": "Thing", "spec": {waiting: "x"}}, schema) == []
    schema["properties"]["spec"] = {"type": "object", "anyOf": [{"required": ["a"]}]}
    assert schemas.errors_in({"kind": "Thing", "spec": {waiting: "x"}}, schema) == []


def test_an_unknown_field_without_a_value() -> None:
    """A field that the schema doesn't have is an error, whatever its value will be."""
    waiting: Any = Observable("vpc.status.x")
    found = errors({"type": "object", "properties": {"location": {"type": "string"}}}, {"lcation": waiting})
    assert found == ["x.lcation: isn't a field of the schema; did you mean 'location'?"]


@pytest.mark.parametrize(
    "junction",
    [
        {"oneOf": [{"properties": {"a": {"enum": ["x"]}}}, {"properties": {"a": {"enum": ["y"]}}}]},
        {"anyOf": [{"properties": {"a": {"pattern": "^x"}}}]},
        {"not": {"properties": {"a": {"enum": [None]}}}},
        {"allOf": [{"properties": {"a": {"minLength": 4}}}, {"required": ["a"]}]},
    ],
)
def test_an_unresolved_value_that_a_rule_of_the_whole_object_depends_on(junction: dict[str, Any]) -> None:
    """Nothing is said of an object whose anyOf, oneOf, not or allOf depends on a value that isn't there yet."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, **junction}
    assert errors(schema, {"a": Observable("vpc.status.x"), "b": "c"}) == []


def test_status_is_checked_of_observed_resources_only() -> None:
    """Of desired resources status is neither checked nor missed, of observed ones and plain data it is checked."""
    schema = bucket_schema()
    schema["required"] = ["spec", "status"]
    wrong = samples.bucket({"location": "US"}, status={"count": "x"})

    def compose(ctx: Any) -> Any:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="US"))))
        validate = ctx.schema(API, "Bucket").validate
        assert paths(validate(bucket.observed)) == ["status.atProvider.count"]
        assert paths(validate(wrong)) == ["status.atProvider.count"]
        assert validate(samples.bucket({"location": "US"})) == []
        return validate(bucket)

    assert call(compose, schemas={KEY: schema}, observed={"bucket": wrong}, desired={"bucket": wrong})[0] == []


def test_a_resource_that_is_not_observed_is_not_checked() -> None:
    """The observed side of a resource that doesn't exist yet has no errors."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        assert ctx.schema(API, "Bucket").validate(bucket.observed) == []
        assert ctx.schema(API, "Bucket").validate(bucket)

    call(compose, schemas={KEY: bucket_schema()})


def test_the_composite() -> None:
    """Of the desired composite status alone is checked, and of the observed one everything."""
    schema = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "spec": {"type": "object", "properties": {"parameters": {"type": "object", "required": ["location"]}}},
            "status": {"type": "object", "properties": {"bucketName": {"type": "string"}}},
        },
    }

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        validate = ctx.schema("example.org/v1alpha1", "XStorageBucket").validate
        assert [(error.resource, error.path) for error in validate(xr.observed)] == [("xr", "spec.parameters.location")]
        assert validate(xr) == []
        xr.status.bucketName = ctx.resource("bucket", Bucket()).observed.external_name
        xr.status.url = "x"
        assert [(error.resource, error.path) for error in validate(xr)] == [("xr", "status.url")]

    call(compose, xr=samples.xr({}), schemas={"example.org/v1alpha1/XStorageBucket": schema})


def test_other_resources() -> None:
    """Required resources, unregistered models, previous functions' resources and plain data can be checked too."""
    wrong = samples.bucket({"location": "MARS"})

    def compose(ctx: Any) -> list[str]:
        ask(ctx, "buckets", match_name="x")
        ctx.requirements.resources["buckets"] = composition.ResourceSelector(api_version=API, kind="Bucket")
        return [
            error.resource
            for resource in (
                ctx.required_resources.get("buckets", Bucket)[0],
                Bucket(spec=BucketSpec(forProvider=ForProvider(location="MARS"))),
                ctx.desired["early"],
                wrong,
                {**wrong, "metadata": {"name": "named"}},
            )
            for error in ctx.schema(API, "Bucket").validate(resource)
        ]

    found, _ = call(compose, schemas={KEY: bucket_schema()}, required={"buckets": [wrong]}, desired={"early": wrong})
    assert found == ["required.buckets[0]", "Bucket", "desired.early", "Bucket", "named"]


def test_models_of_the_low_level_helpers() -> None:
    """A model that a helper has made from a raw request is checked, and the schema that a helper gives works."""
    req = build(desired={"bucket": samples.bucket({"location": "MARS"})}, schemas={"s": bucket_schema()})
    bucket = request.get_desired_composed_resource(req, "bucket", Bucket)
    assert bucket is not None
    assert paths(schemas.errors_in(bucket, request.get_required_schema(req, "s"))) == ["spec.forProvider.location"]


@pytest.mark.parametrize("other", [{"kind": "VPC"}, {"apiVersion": "storage.gcp.upbound.io/v1beta2"}])
def test_a_resource_of_another_kind_is_refused(other: dict[str, str]) -> None:
    """Checking a resource against the schema of another kind or version is an error that names both."""
    with pytest.raises(UsageError, match=f"Bucket of {API}.*{next(iter(other.values()))}"):
        schemas.errors_in(samples.bucket({"location": "US"}) | other, bucket_schema())


@pytest.mark.parametrize("what", [None, 5, "text", [1]])
def test_what_is_no_resource_is_refused(what: Any) -> None:
    """Only resources and mappings can be checked, also while there is no schema."""
    for schema in (bucket_schema(), {}, None):
        with pytest.raises(UsageError, match="must be a crossplane-lite resource, such as Unstructured, or a mapping"):
            schemas.errors_in(what, schema)


def test_a_schema_can_be_changed_before_it_is_used() -> None:
    """What compose() takes out of a schema isn't checked."""

    def compose(ctx: Any) -> None:
        schema = ctx.schema(API, "Bucket")
        del schema["required"]
        assert schema.validate(Bucket()) == []

    call(compose, schemas={KEY: bucket_schema()})


def test_schemas_can_be_copied() -> None:
    """A schema keeps its state when it is pickled or copied, used or not."""
    for values in (None, {}, {"type": "object"}):
        schema = schemas.Schema(values, "key")
        schema.validate({"kind": "Thing"})
        for copied in (pickle.loads(pickle.dumps(schema)), copy.deepcopy(schema)):
            assert copied == schema
            assert (copied.key, copied.answered, copied.found) == (schema.key, schema.answered, schema.found)
            assert copied.validate({"kind": "Thing"}) == []

"""Checking everything that is registered, and what people see of it (required-schemas)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import composition, schemas
from crossplane_lite._core.base import extras
from crossplane_lite.errors import MissingExtraError
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider
from tests.behaviour.schema_samples import API, KEY, bucket_schema, vpc_schema
from tests.support import call, run

ROOT = Path(__file__).resolve().parents[2]


def errors(ctx: Any) -> list[schemas.FieldError]:
    """Return the errors of all registered resources."""
    found: list[schemas.FieldError] = []
    for one in ctx.resources.values():
        found += ctx.schema(one.apiVersion, one.kind).validate(one)
    return found


def report(ctx: Any) -> None:
    """Make a Fatal result of each error."""
    for error in errors(ctx):
        ctx.results.fatal(error)


def checking(provider: dict[str, Any]) -> Any:
    """Return a function with two buckets and a VPC that checks them all."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(**provider))))
        ctx.resource("other", Bucket(spec=BucketSpec(forProvider=ForProvider(location="US"))))
        ctx.resource("vpc", VPC())
        report(ctx)

    return compose


VPC_KEY = "ec2.aws.upbound.io/v1beta1/VPC"
BOTH = {KEY: bucket_schema(), VPC_KEY: None}
WRONG = "bucket.spec.forProvider.location: must be one of 'US', 'EU' (got 'MARS')"


def test_the_schemas_of_all_kinds_are_asked_for() -> None:
    """One call asks for each registered kind once, in every call, and says nothing before the answer."""
    for answers in ({}, BOTH):
        answer = run(checking({"location": "US"}), schemas=answers)
        assert {key: (one.api_version, one.kind) for key, one in answer.requirements.schemas.items()} == {
            KEY: (API, "Bucket"),
            VPC_KEY: ("ec2.aws.upbound.io/v1beta1", "VPC"),
        }
        assert not answer.results


def test_the_errors() -> None:
    """The errors of all resources whose schema has come are returned, and nothing else happens with them."""

    def compose(ctx: Any) -> Any:
        ctx.resource("bucket", Bucket())
        ctx.resource("vpc", VPC()).spec.forProvider.cidrBlock = "x"
        return errors(ctx)

    found, answer = call(compose, schemas={KEY: bucket_schema(), VPC_KEY: vpc_schema()})
    assert [str(error) for error in found] == [
        "bucket.spec: is required",
        "vpc.spec.forProvider.cidrBlock: isn't a field of the schema",
        "vpc.spec.forProvider.region: is required",
    ]
    assert not answer.results
    assert sorted(answer.resources) == ["bucket", "vpc"]
    found, _ = call(compose, schemas={VPC_KEY: vpc_schema()})
    assert {error.resource for error in found} == {"vpc"}


def test_fatal_errors() -> None:
    """Each error can be a Fatal result, and nothing is desired; a call without errors goes through."""
    answer = run(checking({"location": "MARS", "size": 0}), schemas=BOTH)
    assert answer.fatal == [WRONG, "bucket.spec.forProvider.size: must be at least 1 (got 0)"]
    assert not answer.resources
    answer = run(checking({"location": "US"}), schemas=BOTH)
    assert not answer.results
    assert sorted(answer.resources) == ["bucket", "other", "vpc"]


def test_errors_are_not_fatal_before_everything_is_answered() -> None:
    """While another schema is to come, requirements come first."""
    answer = run(checking({"location": "MARS"}), schemas={KEY: bucket_schema()})
    assert not answer.fatal
    assert len(answer.requirements.schemas) == 2


def test_errors_one_by_one() -> None:
    """An error can be given to a result as it is."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="MARS"))))
        for error in ctx.schema(API, "Bucket").validate(bucket):
            ctx.results.warning(error)

    assert run(compose, schemas=BOTH).results == [("warning", WRONG)]


def test_secrets_in_errors_are_masked() -> None:
    """Known secret values are masked in errors, also where only a part of the value is shown."""
    secret = "s3cr3t-" * 30

    @composition.function
    def compose(ctx: Any) -> None:
        value = ctx.credentials["cloud"].text("token")
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location=value, project=value))))
        report(ctx)

    answer = run(compose, schemas={KEY: bucket_schema()}, credentials={"cloud": {"token": secret.encode()}})
    assert answer.fatal == [
        "bucket.spec.forProvider.location: must be one of 'US', 'EU' (got '[secret]')",
        "bucket.spec.forProvider.project: must have at most 20 characters (got '[secret]')",
    ]


def test_values_of_secrets_are_not_shown() -> None:
    """Errors in a Secret never show a value."""
    schema = {
        "type": "object",
        "properties": {
            "data": {"type": "object", "additionalProperties": {"type": "string", "format": "byte"}},
            "stringData": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }
    value = {"apiVersion": "v1", "kind": "Secret", "data": {"a": "hunter2!"}, "stringData": {"b": 424242, "c": "x"}}
    found = [str(error) for error in schemas.errors_in(value, schema)]
    assert found == ["Secret.data.a: must be base64", "Secret.stringData.b: must be a string (got an integer)"]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, the first check of a schema that has come says which to install."""

    def missing(module: str, extra: str) -> Any:
        raise MissingExtraError(f"{module} comes with {extra}")

    monkeypatch.setattr(extras, "load", missing)
    of_this_test = {"type": "object", "maxProperties": 777}  # validators of other tests are kept
    (text,) = run(checking({"location": "US"}), schemas={KEY: of_this_test, VPC_KEY: None}).fatal
    assert "jsonschema_rs comes with schemas" in text


def test_a_function_without_schemas_loads_no_validator() -> None:
    """Neither the context nor asking for a schema imports the validator; checking does."""
    program = """
import json, sys
from crossplane_lite import Unstructured, composition
from tests.support import run
asks = []

@composition.function
def compose(ctx):
    bucket = ctx.resource("b", Unstructured("v1", "B"))
    schema = ctx.schema("v1", "B")
    asks.append("jsonschema_rs" in sys.modules)
    schema.validate(bucket)
    asks.append("jsonschema_rs" in sys.modules)

run(compose)
run(compose, schemas={"v1/B": {"type": "object"}})
print(json.dumps(asks))
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(done.stdout) == [False, False, False, True]

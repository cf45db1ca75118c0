"""Checking everything that is registered in one call, and what people see of it (required-schemas)."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, schemas
from crossplane_lite._core.base import extras
from crossplane_lite.errors import MissingExtraError
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider
from tests.behaviour.schema_samples import API, KEY, bucket_schema, vpc_schema
from tests.support import ALL_CAPABILITIES, call, run, with_conditions

ROOT = Path(__file__).resolve().parents[2]


def checking(provider: dict[str, Any], *, typed: bool = True, **report: bool) -> Any:
    """Return a function with two buckets and a VPC that checks them all; without a type anything can be set."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if typed:
            ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(**provider))))
        else:
            ctx.resource("bucket", Unstructured(API, "Bucket", spec={"forProvider": provider}))
        ctx.resource("other", Bucket(spec=BucketSpec(forProvider=ForProvider(location="US"))))
        ctx.resource("vpc", VPC())
        ctx.validate_desired(**report)

    return compose


VPC_KEY = "ec2.aws.upbound.io/v1beta1/VPC"
BOTH = {KEY: bucket_schema(), VPC_KEY: None}
WRONG = "bucket.spec.forProvider.location: must be one of 'US', 'EU' (got 'MARS')"


def test_validate_desired_asks_for_the_schemas_of_all_kinds() -> None:
    """One call asks for each registered kind once, in every call, and says nothing before the answer."""
    for answers in ({}, BOTH):
        answer = run(checking({"location": "US"}, fatal=True), schemas=answers)
        assert {key: (one.api_version, one.kind) for key, one in answer.requirements.schemas.items()} == {
            KEY: (API, "Bucket"),
            VPC_KEY: ("ec2.aws.upbound.io/v1beta1", "VPC"),
        }
        assert not answer.results


def test_validate_desired_returns_the_errors() -> None:
    """The errors of all resources whose schema has come are returned, and nothing else happens with them."""

    def compose(ctx: Any) -> Any:
        ctx.resource("bucket", Bucket())
        ctx.resource("vpc", VPC()).spec.forProvider.cidrBlock = "x"
        return ctx.validate_desired()

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
    """With fatal=True each error is a Fatal result, and nothing is desired; a call without errors goes through."""
    answer = run(checking({"location": "MARS", "size": 0}, fatal=True), schemas=BOTH)
    assert answer.fatal == [WRONG, "bucket.spec.forProvider.size: must be at least 1 (got 0)"]
    assert not answer.resources
    assert answer.message.results[0].reason == "InvalidResource"
    answer = run(checking({"location": "US"}, fatal=True), schemas=BOTH)
    assert not answer.results
    assert sorted(answer.resources) == ["bucket", "other", "vpc"]


def test_errors_are_not_fatal_before_everything_is_answered() -> None:
    """While another schema is to come, requirements come first."""
    answer = run(checking({"location": "MARS"}, fatal=True), schemas={KEY: bucket_schema()})
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


def test_many_errors_are_cut() -> None:
    """Of very many errors the first fifty are results, and one says how many more there are."""
    labels = {f"k{at:03}": at for at in range(100)}
    answer = run(checking({"labels": labels, "location": "US"}, typed=False, fatal=True), schemas=BOTH)
    assert len(answer.fatal) == 51
    assert answer.fatal[0].startswith("bucket.spec.forProvider.labels.k000: ")
    assert answer.fatal[-1] == "and 50 more fields are wrong"


TYPE = "DesiredStateValid-step"


def test_warnings_are_given_when_they_are_news() -> None:
    """With warning=True a condition of the step has the errors, and Warnings are given only when they change."""
    compose = checking({"location": "MARS"}, warning=True)
    assert not run(compose).results
    first = run(compose, schemas=BOTH)
    assert first.results == [("warning", WRONG)]
    assert first.conditions[TYPE] == (False, "InvalidResource", WRONG)
    assert sorted(first.resources) == ["bucket", "other", "vpc"]

    second = run(compose, schemas=BOTH, xr=with_conditions(None, first))
    assert not second.results
    assert second.conditions == first.conditions

    third = run(checking({"location": "PLUTO"}, warning=True), schemas=BOTH, xr=with_conditions(None, first))
    assert third.results == [("warning", WRONG.replace("MARS", "PLUTO"))]

    right = run(checking({"location": "US"}, warning=True), schemas=BOTH, xr=with_conditions(None, first))
    assert not right.results
    assert right.conditions[TYPE] == (True, "Valid", "Every composed resource fits its schema.")
    assert not run(checking({"location": "US"}, warning=True), schemas=BOTH).conditions


def test_masked_warnings_are_no_news_either() -> None:
    """What is masked in the condition is compared as masked, so that it isn't reported in every call."""
    compose = checking({"location": "US", "labels": {"hunter2-and-more": 5}}, typed=False, warning=True)
    credentials = {"cloud": {"token": b"hunter2-and-more"}}
    first = run(compose, schemas=BOTH, credentials=credentials)
    assert "hunter2" not in first.texts
    assert len(first.results) == 1
    second = run(compose, schemas=BOTH, credentials=credentials, xr=with_conditions(None, first))
    assert not second.results


def test_without_conditions_the_log_has_the_warnings(caplog: pytest.LogCaptureFixture) -> None:
    """Where nothing can be remembered in a condition, a Warning in every call would be against the specification."""
    supported = [name for name in ALL_CAPABILITIES if name != "CAPABILITY_CONDITIONS"]
    with caplog.at_level(logging.WARNING, logger="crossplane_lite"):
        answer = run(checking({"location": "MARS"}, warning=True), schemas=BOTH, capabilities=supported)
    assert not answer.results
    assert not answer.conditions
    assert [record.getMessage() for record in caplog.records] == [WRONG]


def test_warnings_in_an_operation() -> None:
    """An Operation, which is run once and has no conditions, gets the Warnings as they are."""
    answer = run(checking({"location": "MARS"}, warning=True), schemas=BOTH, xr={})
    assert answer.results == [("warning", WRONG)]
    assert not answer.conditions


def test_warnings_wait_for_all_schemas() -> None:
    """While a schema is to come, the condition is left as it is, so that it doesn't go back and forth."""
    first = run(checking({"location": "MARS"}, warning=True), schemas=BOTH)
    answer = run(checking({"location": "MARS"}, warning=True), schemas={VPC_KEY: None}, xr=with_conditions(None, first))
    assert TYPE not in answer.conditions
    assert not answer.results


def test_steps_with_one_name_have_conditions_of_their_own() -> None:
    """Two steps of a pipeline never write the same condition in turn."""
    compose = checking({"location": "MARS"}, warning=True)
    types = {type_ for x in ({"a": 1}, {"a": 2}) for type_ in run(compose, schemas=BOTH, input=x).conditions}
    assert len(types) == 2


def test_nothing_registered() -> None:
    """Without a registered resource nothing is asked for."""

    def compose(ctx: Any) -> None:
        assert ctx.validate_desired(fatal=True, warning=True) == []

    assert not call(compose)[1].requirements.schemas


def test_secrets_in_errors_are_masked() -> None:
    """Known secret values are masked in errors, also where only a part of the value is shown."""
    secret = "s3cr3t-" * 30

    @composition.function
    def compose(ctx: Any) -> None:
        value = ctx.credentials["cloud"].text("token")
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location=value, project=value))))
        ctx.validate_desired(fatal=True)

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


def test_the_extra_is_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, the first call says which to install, though no schema has come."""

    def missing(module: str, extra: str) -> Any:
        raise MissingExtraError(f"{module} comes with {extra}")

    monkeypatch.setattr(extras, "load", missing)
    (text,) = run(checking({"location": "US"}), schemas=BOTH).fatal
    assert "jsonschema_rs comes with schemas" in text

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())
        with pytest.raises(MissingExtraError):
            ctx.validate_desired()

    call(compose)


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

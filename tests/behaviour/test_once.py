"""A value that is made once: when its resource is new, and never again."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, apply, composition
from crossplane_lite.errors import UsageError
from tests.behaviour.models import Bucket
from tests.support import DEFAULT_XR, Response, call, fatal, run

UID = DEFAULT_XR["metadata"]["uid"]
OURS = {"apiVersion": DEFAULT_XR["apiVersion"], "kind": DEFAULT_XR["kind"], "name": "my-xr", "uid": UID}
REFERENCE = {"apiVersion": "v1", "kind": "Secret", "name": "my-xr-1"}
KEY = "once password: my-xr-1"


def function() -> composition.Function:
    """Return a function whose Secret has a password that is another one at each birth, and whose bucket has it, too."""
    numbers = itertools.count(1)

    @composition.function(name="once")
    def compose(ctx: composition.Context) -> None:
        secret = ctx.resource("password", Unstructured("v1", "Secret"))
        made = ctx.once(secret.observed.data["password"], lambda: f"made-{next(numbers)}")
        secret.data = {"password": made}
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.location = apply(str.upper, made)

    return compose


def refers_to(*references: dict[str, Any], api: str = "crossplane") -> dict[str, Any]:
    """Return the composite with references, where Crossplane 2 or 1 keeps them."""
    refs = {"resourceRefs": list(references)}
    return {**DEFAULT_XR, "spec": {"crossplane": refs} if api == "crossplane" else refs}


def stored(answer: Response, name: str, **metadata: Any) -> dict[str, Any]:
    """Return what an answer desires as the API server stores it."""
    body = copy.deepcopy(answer.emitted[name])
    annotations = {**body["metadata"].get("annotations", {}), "crossplane.io/composition-resource-name": name}
    body["metadata"] |= {"name": "my-xr-1", "annotations": annotations, "ownerReferences": [OURS], **metadata}
    return body


def born(compose: composition.Function) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the Secret and the bucket as the API server stores them after two reconciles: the second notes."""
    answer = run(compose, xr=refers_to())
    assert answer.resources["password"]["data"] == {"password": "made-1"}
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"location": "MADE-1"}}
    observed = {name: stored(answer, name) for name in ("password", "bucket")}
    answer = run(compose, xr=refers_to(REFERENCE), observed=observed)
    return stored(answer, "password"), stored(answer, "bucket")


def password_in(answer: Response) -> str:
    found: str = answer.resources["password"]["data"]["password"]
    return found


def test_made_at_birth_and_read_afterwards() -> None:
    """The value is made when the Secret is new; from then on it is the Secret's own, and nothing is asked for."""
    compose = function()
    secret, bucket = born(compose)
    answer = run(compose, xr=refers_to(REFERENCE), observed={"password": secret, "bucket": bucket})
    assert password_in(answer) == "made-1"
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"location": "MADE-1"}}
    assert not answer.requirements.resources


@pytest.mark.parametrize("api", ["crossplane", "spec"])
def test_a_secret_that_is_lost_for_a_reconcile(api: str) -> None:
    """A Secret that the composite refers to and that isn't observed is asked for by its name, and keeps its value."""
    compose = function()
    secret, bucket = born(compose)
    given: dict[str, Any] = {"xr": refers_to(REFERENCE, api=api), "observed": {"bucket": bucket}}
    first = run(compose, **given)
    assert not first.fatal
    assert first.requirements.resources[KEY].match_name == "my-xr-1"
    assert first.requirements.resources[KEY].kind == "Secret"
    assert first.resources.get("password", {}).get("data") is None
    second = run(compose, **given, required={KEY: [secret]})
    assert password_in(second) == "made-1"
    assert second.resources["bucket"]["spec"] == {"forProvider": {"location": "MADE-1"}}
    assert [*second.requirements.resources] == [KEY]  # as Crossplane needs it to end its loop


def test_a_secret_that_is_gone_for_good() -> None:
    """If the API server has no such object, another value is made, and what has the old one stays until it is there."""
    compose = function()
    _, bucket = born(compose)
    answer = run(compose, xr=refers_to(REFERENCE), observed={"bucket": bucket}, required={KEY: []})
    assert password_in(answer) == "made-2"
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"location": "MADE-1"}}
    secret = stored(answer, "password")
    answer = run(compose, xr=refers_to(REFERENCE), observed={"bucket": bucket, "password": secret})
    assert password_in(answer) == "made-2"
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"location": "MADE-2"}}


def test_a_secret_whose_data_was_removed() -> None:
    """A Secret that lacks its data gets another value, and what depends on it follows once the value is there."""
    compose = function()
    secret, bucket = born(compose)
    del secret["data"]
    xr = refers_to(REFERENCE)
    answer = run(compose, xr=xr, observed={"password": secret, "bucket": bucket})
    assert password_in(answer) == "made-2"
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"location": "MADE-1"}}
    answer = run(compose, xr=xr, observed={"password": stored(answer, "password"), "bucket": bucket})
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"location": "MADE-2"}}


def test_a_key_that_is_new_in_a_secret() -> None:
    """A Secret that has never had the key gets it."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "my-xr-1"}, "data": {"user": "YQ=="}}
    xr = refers_to(REFERENCE)
    answer = run(function(), xr=xr, observed={"password": secret})
    first = stored(answer, "password")
    answer = run(function(), xr=xr, observed={"password": first})
    assert password_in(answer) == "made-1"


@pytest.mark.parametrize(
    "change",
    [
        {"ownerReferences": [{**OURS, "uid": "another"}]},
        {"ownerReferences": []},
        {"annotations": {"crossplane.io/composition-resource-name": "other"}},
    ],
)
def test_values_of_others_stay_with_them(change: dict[str, Any]) -> None:
    """An object that somebody put into the composite's references gives its value to nobody."""
    compose = function()
    secret, _ = born(compose)
    secret["metadata"] |= change
    answer = run(compose, xr=refers_to(REFERENCE), required={KEY: [secret]})
    assert password_in(answer) == "made-2"


def test_only_objects_of_the_kind_that_are_not_observed_are_asked_for() -> None:
    """References to other kinds, groups and observed objects, and broken ones, ask for nothing."""
    compose = function()
    others = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "my-xr-1"},
        {"apiVersion": "example.org/v1", "kind": "Secret", "name": "my-xr-1"},
        {"apiVersion": "v1", "kind": "Secret", "name": "another"},
        {"apiVersion": "v1", "kind": "Secret"},
        "broken",
    ]
    another = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "another"}}
    bucket = stored(run(compose), "bucket")
    xr = {**DEFAULT_XR, "spec": {"resourceRefs": others}}
    answer = run(compose, xr=xr, observed={"another": another, "bucket": bucket})
    assert not answer.requirements.resources
    assert password_in(answer) == "made-2"


def test_a_crossplane_without_required_resources() -> None:
    """A Crossplane that can't be asked makes the value at once."""
    answer = run(function(), xr=refers_to(REFERENCE), capabilities=["CAPABILITY_CAPABILITIES"])
    assert password_in(answer) == "made-1"


def test_a_value_of_the_composite() -> None:
    """A suffix in the composite's status is made once, and kept when the status goes missing."""
    numbers = itertools.count(1)

    @composition.function(name="suffix")
    def compose(ctx: composition.Context) -> None:
        xr = ctx.composite(Unstructured)
        suffix = ctx.once(xr.observed.status.suffix, lambda: f"s{next(numbers)}")
        xr.status.suffix = suffix
        ctx.resource("bucket", Bucket()).metadata.name = f"app-{suffix}"

    first = run(compose)
    assert first.composite["status"] == {"suffix": "s1"}
    assert first.resources["bucket"]["metadata"] == {"name": "app-s1"}
    bucket = first.emitted["bucket"]
    status = {**DEFAULT_XR, "status": first.composite["status"]}
    second = run(compose, xr=status, observed={"bucket": bucket})
    assert second.resources["bucket"]["metadata"] == {"name": "app-s1"}
    third = run(compose, observed={"bucket": second.emitted["bucket"]})
    assert third.resources["bucket"]["metadata"] == {"name": "app-s1"}


def test_all_runs_of_a_call_have_one_value() -> None:
    """The same value twice in a call is one value, and one run of the maker."""
    numbers = itertools.count(1)

    def compose(ctx: composition.Context) -> None:
        secret = ctx.resource("password", Unstructured("v1", "Secret"))
        ctx.resource("vpc", Bucket()).spec.forProvider.location = secret.observed.data["other"]
        for field in ("a", "b"):
            value = ctx.once(secret.observed.data["password"], lambda: f"made-{next(numbers)}")
            secret.spec[field] = value

    _, answer = call(compose)
    assert answer.resources["password"]["spec"] == {"a": "made-1", "b": "made-1"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda ctx: ctx.once(None, lambda: "x"), "got None"),
        (lambda ctx: ctx.once(ctx.observed["a"].data["b"], lambda: "x"), "'a' isn't known"),
        (lambda ctx: ctx.once(ctx.resource("a", Bucket()).observed.external_name, lambda: None), "must return a value"),
        (lambda ctx: ctx.once(ctx.required_resources["a"][0].data["b"], lambda: "x"), "required.a[0].data"),
    ],
)
def test_mistakes(wrong: Callable[[Any], Any], said: str) -> None:
    """A value that can't be kept is an error that names it."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError) as caught:
            wrong(ctx)
        raise caught.value

    assert said in fatal(compose)

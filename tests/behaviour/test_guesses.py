"""After a guess nothing that exists is lost (design section 5)."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import cattrs
import pytest

from crossplane_lite import Observable, composition
from crossplane_lite._core import codec
from crossplane_lite._core.call.call import Call
from crossplane_lite._core.observed import tracker
from crossplane_lite._core.observed.owned import with_owned_fields
from crossplane_lite.model import to_dict
from tests.behaviour import samples
from tests.behaviour.helpers import provider_of
from tests.behaviour.models import (
    VPC,
    Bucket,
    BucketSpec,
    ForProvider,
    Rule,
    XStorageBucket,
)
from tests.support import MARKER, call, run


@composition.function
def compose_nothing(ctx: Any) -> None:
    """Compose nothing."""


GUESSES: dict[str, Callable[[Any], bool]] = {
    "bool": lambda p: bool(p.vpcId),
    "not": lambda p: not (not p.vpcId),
    "len": lambda p: len(p.subnets) > 0,
    "for": lambda p: any(True for _ in p.subnets),
    "list": lambda p: bool(list(p.subnets)),
    "in": lambda p: "x" in p.vpcId,
    "==": lambda p: p.vpcId == "v",
    "== reversed": lambda p: "v" == p.vpcId,  # noqa: SIM300
    "!=": lambda p: not p.vpcId != "v",  # noqa: SIM202
    "or": lambda p: (p.vpcId or "default") != "default",
}
# Uses of a whole object that isn't there.
WHOLE: dict[str, Callable[[Any], bool]] = {
    "to_dict": lambda p: "vpcId" in to_dict(p),
    "unstructure": lambda p: "vpcId" in cattrs.unstructure(p),
    "pickle": lambda p: "vpcId" in to_dict(pickle.loads(pickle.dumps(p))),
    "copy": lambda p: bool(copy.copy(p).vpcId),
    "deepcopy": lambda p: bool(copy.deepcopy(p).vpcId),
}


def guessing(guess: str, name: str = "step", **options: Any) -> Any:
    """Return a function that composes the bucket only if its guess about the VPC says so."""

    @composition.function(name=name, **options)
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        if {**GUESSES, **WHOLE}[guess](vpc.observed.status.atProvider):
            ctx.resource("bucket", Bucket())

    return compose


@pytest.mark.parametrize("guess", GUESSES)
def test_a_guess_that_would_delete_a_resource_without_owned_fields_is_fatal(guess: str) -> None:
    """An existing resource of ours that a guess leaves out, and that can't be kept, makes the answer fatal."""
    answer = run(guessing(guess), observed={"bucket": samples.bucket(ours="step"), "vpc": samples.vpc()})
    assert len(answer.fatal) == 1
    assert "bucket" in answer.fatal[0]
    assert "vpc.status.atProvider." in answer.fatal[0]
    assert not answer.resources


@pytest.mark.parametrize("observed", [{}, {"vpc": samples.vpc()}])
@pytest.mark.parametrize("guess", WHOLE)
def test_plain_data_of_what_is_missing(guess: str, observed: dict[str, Any]) -> None:
    """Code that makes plain data of an object, or copies it, depends on the object as code that reads a field does."""
    answer = run(guessing(guess), observed={"bucket": samples.bucket(ours="step"), **observed})
    assert len(answer.fatal) == 1
    assert "bucket exists and would be deleted" in answer.fatal[0]
    assert "vpc.status.atProvider" in answer.fatal[0]


@pytest.mark.parametrize("guess", GUESSES)
def test_a_guess_about_a_resource_that_is_gone(guess: str) -> None:
    """The same when the VPC that the guess is about doesn't exist at all."""
    answer = run(guessing(guess), observed={"bucket": samples.bucket(ours="step")})
    assert len(answer.fatal) == 1
    assert "bucket" in answer.fatal[0]


def test_a_guess_does_not_concern_resources_of_other_steps() -> None:
    """Existing resources with another step's annotation don't count."""
    answer = run(guessing("bool"), observed={"bucket": samples.bucket(ours="another-step")})
    assert not answer.fatal
    assert list(answer.resources) == ["vpc"]


@pytest.mark.parametrize("ours", [None, "step", "step-01234567", "former", "former-89abcdef"])
def test_a_guess_keeps_what_another_run_registers(ours: str | None) -> None:
    """A resource that a guess leaves out is kept where its mark is ours, of another input or name, or missing.

    Without a mark it gets none: it may be another step's.
    """
    owned = {"f:spec": {"f:forProvider": {"f:location": {}}}, "f:metadata": {"f:labels": {"f:a": {}}}}
    bucket = samples.bucket({"location": "EU", "project": "theirs"}, ours=ours, owned=owned)
    bucket["metadata"]["labels"] = {"a": "b", "theirs": "c"}
    fn = guessing("bool", formerly=["former"])
    answer = run(fn, observed={"bucket": bucket})
    assert not answer.fatal
    assert provider_of(answer) == {"location": "EU"}
    marks = {} if ours is None else {"annotations": {MARKER: "step"}}
    assert answer.emitted["bucket"]["metadata"] == {"labels": {"a": "b"}, **marks}
    assert answer.ready["bucket"] is None
    _, _, text = answer.conditions["DependenciesResolved"]
    assert text == (
        "step: bucket is kept as it is: whether it is still wanted depends on vpc.status.atProvider.vpcId "
        "(use value_or to decide without it, or ctx.remove to delete the resource)"
    )
    again = run(fn, observed={"bucket": bucket, "vpc": samples.vpc(status={"vpcId": "v"})})
    assert provider_of(again) == {}


def test_each_value_that_keeps_a_resource_is_named_once() -> None:
    """A value that compose() reads many times stands once in the remark about a kept resource, and in fatal results."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        for name in ("bucket", "other", "third"):
            if vpc.observed.status.atProvider.vpcId is True:
                ctx.resource(name, Bucket())

    for owned in (None, {"f:spec": {"f:forProvider": {"f:location": {}}}}):
        answer = run(compose, observed={"bucket": samples.bucket({"location": "EU"}, ours="step", owned=owned)})
        for text in (answer.conditions["DependenciesResolved"][2], *answer.fatal):
            _, _, after = text.partition("depends on ")
            paths = after.partition(" (")[0].partition(", which")[0].split(", ")
            assert paths == ["vpc.status.atProvider.vpcId"]


def test_a_guess_that_loses_nothing_is_fine() -> None:
    """A guess alone does no harm when everything that exists is still desired."""
    answer = run(guessing("bool"), observed={"vpc": samples.vpc(ours="step")})
    assert not answer.fatal
    existing = {"bucket": samples.bucket(ours="step")}
    answer = run(guessing("bool"), observed=existing, desired={"bucket": samples.bucket()})
    assert not answer.fatal


def test_without_a_guess_a_resource_can_be_removed() -> None:
    """Not registering an existing resource any more removes it when nothing was guessed."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource("vpc", VPC())

    answer = run(compose, observed={"bucket": samples.bucket(ours="step")})
    assert not answer.fatal
    assert list(answer.resources) == ["vpc"]


def test_a_value_that_is_known_is_no_guess() -> None:
    """Testing a value that is there, false or empty as it may be, is no guess."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        provider = vpc.observed.status.atProvider
        if provider.isDefault or provider.arn == "b" or list(provider.subnets):
            ctx.resource("bucket", Bucket())

    vpc = samples.vpc(status={"isDefault": False, "arn": "a", "subnets": []})
    answer = run(compose, observed={"bucket": samples.bucket(ours="step"), "vpc": vpc})
    assert not answer.fatal
    assert list(answer.resources) == ["vpc"]


@pytest.mark.parametrize("guess", GUESSES)
def test_what_a_ready_resource_leaves_out(guess: str) -> None:
    """A list that a ready resource leaves out is empty; a string may have moved, so asking for it is a guess."""
    vpc = samples.vpc(status={"arn": "a"}, ready=True)
    answer = run(guessing(guess), observed={"bucket": samples.bucket(ours="step"), "vpc": vpc})
    assert bool(answer.fatal) == (guess not in ("len", "for", "list"))


@pytest.mark.parametrize("guess", [*GUESSES, "isDefault"])
def test_an_object_that_a_ready_resource_leaves_out(guess: str) -> None:
    """Where a ready resource lacks the object around a value, asking for the value is a guess: it may have moved."""
    vpc = samples.vpc(ready=True)
    assert "atProvider" not in vpc["status"]

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        provider = ctx.resource("vpc", VPC()).observed.status.atProvider
        if {**GUESSES, "isDefault": lambda p: bool(p.isDefault)}[guess](provider):
            ctx.resource("bucket", Bucket())

    answer = run(compose, observed={"bucket": samples.bucket(ours="step"), "vpc": vpc})
    assert len(answer.fatal) == 1
    assert "bucket exists and would be deleted" in answer.fatal[0]


def test_a_boolean_that_a_ready_resource_leaves_out() -> None:
    """A boolean or number that a ready resource leaves out is an answer: API servers leave out false and zero."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        if vpc.observed.status.atProvider.isDefault:
            ctx.resource("bucket", Bucket())

    for ready in (True, False):
        vpc = samples.vpc(status={"arn": "a"}, ready=ready)
        answer = run(compose, observed={"bucket": samples.bucket(ours="step"), "vpc": vpc})
        assert bool(answer.fatal) == (not ready)


def test_an_unset_leaf_of_an_unready_resource_is_not_settled() -> None:
    """Ready False is as unsettled as no condition."""
    vpc = samples.vpc(status={"arn": "a"}, ready=False)
    answer = run(guessing("bool"), observed={"bucket": samples.bucket(ours="step"), "vpc": vpc})
    assert answer.fatal


def test_a_guess_about_the_composites_status_counts() -> None:
    """Testing an unset field of the composite's status is a guess as well."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if ctx.composite(XStorageBucket).observed.status.x:
            ctx.resource("bucket", Bucket())

    answer = run(compose, observed={"bucket": samples.bucket(ours="step")})
    assert len(answer.fatal) == 1
    assert "xr.status.x" in answer.fatal[0]


def test_an_unset_parameter_is_no_guess() -> None:
    """Testing an optional parameter of the composite that the user left out is a decision, not a guess."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        if xr.observed.spec.parameters.acl or list(xr.observed.spec.parameters.zones):
            ctx.resource("bucket", Bucket())

    answer = run(compose, observed={"bucket": samples.bucket(ours="step")})
    assert not answer.fatal
    assert not answer.resources


def test_without_protection() -> None:
    """`protect=False` states that removals after a guess are meant."""
    answer = run(guessing("for", protect=False), observed={"bucket": samples.bucket(ours="step")})
    assert not answer.fatal
    assert list(answer.resources) == ["vpc"]


def test_remove_in_a_branch_that_a_guess_decided() -> None:
    """`ctx.remove(name)` counts only where every run calls it: the other branch may register the resource."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        if vpc.observed.status.atProvider.vpcId:
            ctx.resource("bucket", Bucket())
        else:
            ctx.remove("bucket")

    owned = {"f:spec": {"f:forProvider": {"f:location": {}}}}
    answer = run(compose, observed={"bucket": samples.bucket({"location": "EU"}, ours="step", owned=owned)})
    assert sorted(answer.resources) == ["bucket", "vpc"]
    assert provider_of(answer) == {"location": "EU"}


def test_remove_takes_an_earlier_functions_resource_out() -> None:
    """`ctx.remove(name)` removes what a previous function desired."""

    def compose(ctx: Any) -> None:
        ctx.remove("old")

    _, answer = call(compose, desired={"old": samples.bucket(), "kept": samples.bucket()})
    assert list(answer.resources) == ["kept"]


OWNED = {
    "f:spec": {
        "f:forProvider": {
            "f:location": {},
            "f:project": {},
            "f:labels": {"f:a": {}, "f:b": {}},
            "f:zones": {},
            "f:rules": {
                'k:{"name":"mine"}': {".": {}, "f:name": {}, "f:age": {}},
            },
        }
    },
    "f:metadata": {"f:labels": {"f:ours": {}}},
}
SEEN = {
    "location": "US",
    "project": "p",
    "storageClass": "not owned",
    "labels": {"a": "1", "b": "2", "c": "not owned"},
    "zones": ["x"],
    "rules": [{"name": "other", "age": 1}, {"name": "mine", "age": 2, "action": "not owned"}],
}


def conditional_fields(guess: bool) -> Any:
    """Return a function that always composes the bucket, and most of its fields only if the VPC has an id."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU"))))
        bucket.spec.forProvider.labels["a"] = "new"
        if guess and vpc.observed.status.atProvider.vpcId:
            bucket.spec.forProvider.project = "p"
            bucket.spec.forProvider.labels["b"] = "2"

    return compose


@pytest.mark.parametrize(
    ("owned", "seen", "wanted", "expected"),
    [
        # Lists of which we own elements come whole. The element is there and lacks a field of ours.
        (
            {"f:rules": {'k:{"name":"a"}': {".": {}, "f:name": {}, "f:age": {}}}},
            {"rules": [{"name": "x"}, {"name": "a", "age": 1, "action": "theirs"}]},
            {"rules": [Rule(name="a")]},
            {"rules": [{"name": "x"}, {"name": "a", "age": 1, "action": "theirs"}]},
        ),
        # An element of ours is missing, another one is there.
        (
            {"f:rules": {'k:{"name":"a"}': {".": {}, "f:name": {}}, 'k:{"name":"b"}': {".": {}, "f:name": {}}}},
            {"rules": [{"name": "a", "age": 1}, {"name": "b"}]},
            {"rules": [Rule(name="b", age=5)]},
            {"rules": [{"name": "a", "age": 1}, {"name": "b"}]},
        ),
        # A set.
        (
            {"f:zones": {'v:"x"': {}, 'v:"y"': {}}},
            {"zones": ["theirs", "x", "y"]},
            {"zones": ["y"]},
            {"zones": ["theirs", "x", "y"]},
        ),
        # Deep inside a map of models.
        (
            {"f:byName": {"f:m": {"f:age": {}, "f:action": {}}}},
            {"byName": {"m": {"age": 0, "action": "", "name": "theirs"}}},
            {"byName": {"m": Rule(action="new")}},
            {"byName": {"m": {"action": "new", "age": 0}}},
        ),
        # An atomic list that is there is ours as a whole.
        ({"f:zones": {}}, {"zones": ["x", "y"]}, {"zones": ["y"]}, {"zones": ["y"]}),
    ],
    ids=["field of an element", "element", "set", "map", "atomic"],
)
def test_owned_parts_of_lists_and_maps_are_kept(
    owned: dict[str, Any], seen: dict[str, Any], wanted: dict[str, Any], expected: dict[str, Any]
) -> None:
    """What we own inside maps is added with its observed value; lists of which we own a part are whole."""
    existing = samples.bucket(seen, ours="step", owned={"f:spec": {"f:forProvider": owned}})
    desired = to_dict(Bucket(spec=BucketSpec(forProvider=ForProvider(**wanted))))
    completed = with_owned_fields(codec.encode_struct(desired), codec.encode_struct(existing))
    provider = codec.decode_struct(completed)["spec"]["forProvider"]

    def sorted_keys(value: Any) -> Any:
        return dict(sorted(value.items())) if isinstance(value, dict) else value

    def unordered(value: Any) -> Any:
        return sorted(map(json.dumps, map(sorted_keys, value))) if isinstance(value, list) else value

    assert {key: unordered(value) for key, value in provider.items()} == {
        key: unordered(value) for key, value in expected.items()
    }


def test_fields_that_we_own_can_be_dropped_without_a_guess() -> None:
    """Without a guess, fields that compose() leaves out are given up."""
    existing = samples.bucket(SEEN, ours="step", owned=OWNED)
    answer = run(conditional_fields(guess=False), observed={"bucket": existing})
    assert provider_of(answer) == {"location": "EU", "labels": {"a": "new"}}


def test_fields_of_other_managers_are_not_taken_over() -> None:
    """Without fields of our manager nothing is added after a guess."""
    existing = samples.bucket(SEEN, ours="step", owned={"f:spec": {"f:forProvider": {"f:location": {}}}})
    answer = run(conditional_fields(guess=True), observed={"bucket": existing})
    assert provider_of(answer) == {"location": "EU", "labels": {"a": "new"}}


USES = {
    "isinstance": "isinstance(value, str)",
    "isinstance of an ABC": "isinstance(value, Mapping)",
    "__class__": "value.__class__ is str",
    "if": "bool(value)",
    "asdict": "attrs.has(value.__class__)",
    "dump": "repr(copy.copy(value))",
}


@pytest.mark.parametrize("use", USES)
def test_a_use_means_the_same_in_every_module(use: str) -> None:
    """What a use means doesn't depend on the name of the module whose code it is."""
    found = []
    for module in ("function", "logging", "crossplane_lite.extra", "_pytest.fixtures", "pprint", "abc", "attr"):
        scope: dict[str, Any] = {"__name__": module, "Mapping": Mapping, "attrs": attrs, "copy": copy}
        exec(f"def use(value): return {USES[use]}", scope)
        call = Call(b"", compose_nothing)
        before = tracker.enter(call)
        try:
            scope["use"](Observable("vpc.status.id"))
            found.append(sorted(call.guesses))
        finally:
            tracker.leave(call, before)
    assert found == [found[0]] * len(found)


def test_classes_that_are_read_after_compose_count_not() -> None:
    """The SDK looks at values when compose() has ended; that is no use of the author's."""
    call = Call(b"", compose_nothing)
    before = tracker.enter(call)
    try:
        value: Observable[str] = Observable("vpc.status.id")
        compose_nothing.invoke(call)
        isinstance(value, str)
        assert not call.guesses
    finally:
        tracker.leave(call, before)

"""Nothing of one call, no placeholder and no secret gets where it must not be."""

from __future__ import annotations

import ast
import copy
import functools
import gc
import hashlib
import json
import logging
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Observable, composition
from crossplane_lite._core.call.call import Call
from crossplane_lite.errors import UnresolvedError, UsageError, WireError
from crossplane_lite.model import from_dict
from crossplane_lite.table import load
from tests.behaviour import samples
from tests.behaviour.helpers import call, provider_of, selector, unresolved
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, XStorageBucket
from tests.support import run

PLAIN = {"spec": {"forProvider": {"location": "T", "extra": {"tags": ["t"]}}}}
SHARED_EXTRA = {"tags": ["t"], "m": {}}
TEMPLATES: dict[str, Any] = {
    "from_dict": from_dict(Bucket, PLAIN),
    "mapping": Bucket(spec=PLAIN["spec"]),
    "copy": copy.copy(Bucket(spec=PLAIN["spec"])),
    "deepcopy": copy.deepcopy(Bucket(spec=PLAIN["spec"])),
    "pickle": pickle.loads(pickle.dumps(Bucket(spec=PLAIN["spec"]))),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_keep_nothing_of_a_call(name: str) -> None:
    """What a call does to a template that was made outside of it doesn't show in the next call."""

    @composition.function
    def compose(ctx: Any) -> None:
        value = ctx.composite(XStorageBucket).observed.metadata.name
        bucket = ctx.resource("bucket", TEMPLATES[name])
        bucket.spec.forProvider.labels[value] = "v"
        bucket.spec.forProvider.extra["tags"].append(value)

    for value in ("one", "two"):
        xr = samples.xr({}, {})
        xr["metadata"]["name"] = value
        provider = provider_of(run(compose, xr=xr))
        assert provider["labels"] == {value: "v"}
        assert provider["extra"] == {"tags": ["t", value]}


def test_plain_data_of_a_module_is_copied_whole() -> None:
    """A change deep inside a value without a schema doesn't reach the dict that it was made from."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=SHARED_EXTRA))))
        bucket.spec.forProvider.extra["m"]["x"] = 1
        bucket.spec.forProvider.extra["tags"].append("x")

    call(compose)
    assert SHARED_EXTRA == {"tags": ["t"], "m": {}}


class Text(str):
    """A kind of text of some library's own."""


@pytest.mark.parametrize(
    "make",
    [
        lambda o: Text(f"x-{o}"),
        lambda o: f"{[o]}",
        lambda o: f"{o=}",
        lambda o: json.dumps(str([o])),
    ],
    ids=["subclass of str", "repr in a list", "debug text", "json of a repr"],
)
def test_text_of_any_kind_waits(make: Callable[[Any], str]) -> None:
    """Text that holds a placeholder, or the repr of an unresolved value, holds its resource back."""

    def compose(ctx: Any) -> None:
        value = unresolved(ctx)
        ctx.resource("other", Bucket(spec=BucketSpec(forProvider=ForProvider(location=make(value)))))

    assert "other" not in call(compose)[1].resources


def test_text_of_a_view_waits() -> None:
    """The text of a nested object that isn't there yet is a dependency like any other."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        location = f"x-{vpc.observed.status.atProvider}"
        ctx.resource("other", Bucket(spec=BucketSpec(forProvider=ForProvider(location=location))))

    _, answer = call(compose)
    assert list(answer.resources) == ["vpc"]
    assert "vpc.status.atProvider" in answer.conditions["DependenciesResolved"][2]


def test_a_condition_type_shows_the_path() -> None:
    """A condition type that is made from an unresolved value shows its path."""

    def compose(ctx: Any) -> None:
        ctx.conditions.set(f"Ready-{ctx.resource('vpc', VPC()).observed.status.atProvider.vpcId}", True, "Reason")

    assert "Ready-vpc.status.atProvider.vpcId" in call(compose)[1].conditions


def test_an_unresolved_key_keeps_the_observed_entries() -> None:
    """While a map's key is unresolved, what the observed map has stays."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        labels = {f"k-{vpc.observed.status.atProvider.vpcId}": "x", "own": "y"}
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(labels=labels))))

    _, answer = call(compose, observed={"bucket": samples.bucket({"labels": {"k-1": "x"}})})
    assert provider_of(answer)["labels"] == {"k-1": "x", "own": "y"}


SECRET = 'S3cr"et/value\nwith a long second line'


@pytest.mark.parametrize(
    "tell",
    [
        lambda ctx, secret: ctx.results.warning(json.dumps({"p": secret})),
        lambda ctx, secret: ctx.results.warning(repr(secret)),
        lambda ctx, secret: Bucket(spec=secret * 4),
        lambda ctx, secret: Bucket(spec=[secret] * 10),
    ],
    ids=["json", "repr", "refused value", "refused list"],
)
def test_secrets_are_masked_however_they_are_written(tell: Callable[[Any, str], Any]) -> None:
    """A secret in JSON, in a repr or in the text of a refusal is masked, and never cut so that it isn't recognised."""

    @composition.function
    def compose(ctx: Any) -> None:
        tell(ctx, ctx.credentials["db"].text("password"))

    answer = run(compose, credentials={"db": {"password": SECRET.encode()}})
    shown = " ".join(message for _, message in answer.results)
    assert shown
    assert "S3cr" not in shown
    assert "second line" not in shown


def test_tracebacks_in_the_log_are_masked(caplog: pytest.LogCaptureFixture) -> None:
    """`ctx.log.exception` masks the traceback too."""

    @composition.function
    def compose(ctx: Any) -> None:
        try:
            raise ValueError(ctx.credentials["db"].text("password"))
        except ValueError:
            ctx.log.exception("failed")

    with caplog.at_level(logging.DEBUG):
        run(compose, credentials={"db": {"password": b"hunter2-hunter2"}})
    assert "ValueError" in caplog.text
    assert "hunter2-hunter2" not in caplog.text


def test_no_result_on_every_call_when_the_message_is_masked() -> None:
    """A message that is stored masked is recognised in the next call, so that its result isn't sent again."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc-main", VPC())
        region = vpc.observed.status.atProvider.vpcId
        ctx.resource("b", Bucket(spec=BucketSpec(forProvider=ForProvider(location=region))))

    credentials = {"db": {"user": b"main"}}
    first = run(compose, credentials=credentials)
    assert first.results
    _, reason, message = first.conditions["DependenciesResolved"]
    condition = {"type": "DependenciesResolved", "status": "False", "reason": reason, "message": message}
    assert not run(compose, xr=samples.xr({}, {"conditions": [condition]}), credentials=credentials).results


class Unspeakable:
    """A value without a text."""

    def __str__(self) -> str:
        raise ValueError("no text")


def test_a_value_without_a_text() -> None:
    """A result made of a value whose text can't be made is sent, and says so."""
    ((_, message),) = call(lambda ctx: ctx.results.warning(Unspeakable()))[1].results
    assert "Unspeakable" in message


def test_what_can_go_back_while_a_requirement_is_unanswered() -> None:
    """A resource that can't be encoded takes neither the requirements nor the other resources with it."""

    def compose(ctx: Any) -> None:
        ctx.requirements.resources["x"] = selector(match_name="v")
        ctx.resource("a", Bucket(spec=BucketSpec(forProvider=ForProvider(size=2**60))))
        ctx.resource("b", Bucket())

    _, answer = call(compose)
    assert not answer.fatal
    assert "x" in answer.message.requirements.resources
    assert list(answer.resources) == ["b"]


@pytest.mark.parametrize("key", ["token", "surrogate"])
def test_a_requirement_that_is_not_sent_hides_nothing(key: str) -> None:
    """A requirement whose key can't be sent doesn't count as unanswered: an exception is told."""

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        name = f"k-{vpc.observed.status.atProvider.vpcId}" if key == "token" else "x\udc80"
        ctx.requirements.resources[name] = selector(match_name="v")
        raise ValueError("boom")

    answer = run(compose)
    assert "boom" in answer.texts
    assert not answer.message.requirements.resources


def test_a_deep_input() -> None:
    """An input that is nested 500 deep identifies its step like any other."""
    from crossplane_lite._core import codec
    from crossplane_lite.proto import _view

    deep: dict[str, Any] = {}
    for _ in range(499):
        deep = {"a": deep}
    request = _view.RunFunctionRequest(input=codec.encode_struct(deep))

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    answer = _view.RunFunctionResponse.FromString(compose.run(request.SerializeToString()))
    path = ("metadata", "annotations", "crossplane-lite/function")
    assert codec.get_path(answer.desired.resources["bucket"].resource, path).startswith("step-")
    request.input = codec.encode_struct({"a": {"a": deep}})
    with pytest.raises(WireError, match="input"):
        compose.run(request.SerializeToString())


def test_observables_can_not_be_pickled() -> None:
    """Pickling an Observable, as yaml.dump does, is an error that names the path and apply()."""
    with pytest.raises(UnresolvedError, match=r"a\.b has no value yet.*apply"):
        pickle.dumps(Observable("a.b"))


@pytest.mark.parametrize("text", ["a", "a:", "a:s  b:s", "a b:s", ":s"])
def test_a_malformed_table_names_the_field(text: str) -> None:
    """A field of a table that is none is an error that names module, class and field."""
    get, _ = load("some.module", {"Thing": text})
    with pytest.raises(UsageError, match=r"some\.module\.Thing"):
        get("Thing")


def test_an_alias_that_was_not_given() -> None:
    """A table's alias that `load` was not given is an error that names it."""
    get, _ = load("some.module", {"Thing": "meta:other.Meta"})
    with pytest.raises(UsageError, match="'other'"):
        get("Thing")(meta={})


def _calls() -> set[int]:
    return {one.number for one in gc.get_objects() if type(one) is Call}


def test_a_cache_that_is_given_observables() -> None:
    """A cache of the author's keeps no call alive, and knows no value of another run, so no hash gets into a name."""
    asked: list[str] = []

    @functools.cache
    def digest(value: Any) -> str:
        return hashlib.sha256(f"{value}".encode()).hexdigest()[:8]

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource(f"bucket-{digest(unresolved(ctx))}", Bucket())
        _ = digest(ctx.resource("other", Bucket()).external_name)

    def count(frame: Any, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is Observable.__eq__.__code__:
            asked.append("==")

    before = _calls()
    sys.setprofile(count)
    try:
        for _ in range(40):
            answer = run(compose, observed={"other": samples.bucket(external_name="e")})
            assert sorted(answer.resources) == ["other", "vpc"]
            assert "waits for vpc.status.atProvider.vpcId" in answer.conditions["DependenciesResolved"][2]
    finally:
        sys.setprofile(None)
    assert asked == []
    assert digest.cache_info().misses > 80
    assert _calls() <= before  # freed at once, without the garbage collector


@pytest.mark.parametrize("say", ["result", "condition", "error", "error after a guess"])
def test_addresses_of_objects_are_left_out_of_texts(say: str) -> None:
    """A text with an object's repr is the same in each call, so that the composite's status is, too."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        value = unresolved(ctx)
        text = f"no {ast.Name('x')!r} of {compose!r}, {object()}, at 0x40"
        if say == "result":
            ctx.results.warning(text)
        elif say == "condition":
            ctx.conditions.set("Fine", False, "Reason", text)
        elif say == "error" or not value:
            raise ValueError(text)

    texts = run(compose).texts
    assert "of <crossplane_lite.composition.Function object>" in texts or "no <ast.Name object> of " in texts
    assert "0x7" not in texts
    assert "at 0x40" in texts

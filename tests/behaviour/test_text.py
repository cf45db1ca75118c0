"""Text made of unresolved values (design section 4, "Text")."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.behaviour import samples
from tests.behaviour.helpers import PATH, b64
from tests.behaviour.models import Bucket, BucketACL, ForProvider, Rule
from tests.support import call

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)


Text = Callable[[Any], Any]

TEXTS: dict[str, Text] = {
    "value": lambda o: o,
    "f-string": lambda o: f"arn:aws:s3:::{o}",
    "f-string alone": lambda o: f"{o}",
    "f-string !s": lambda o: f"{o!s}",
    "f-string twice": lambda o: f"{o}/{o}",
    "f-string padded": lambda o: f"{o:>80}",
    "f-string shortened": lambda o: f"{o:.20}",
    "str": str,
    "format()": format,
    "str.format": lambda o: f"arn:{o}/x",
    "str.format named": lambda o: "arn:{x}".format(x=o),  # noqa: UP032
    "percent": lambda o: "arn:%s" % o,  # noqa: UP031
    "percent in a tuple": lambda o: "%s/%s" % ("a", o),  # noqa: UP031
    "percent with a mapping": lambda o: "%(x)s" % {"x": o},  # noqa: UP031
    "plus text": lambda o: o + "-suffix",
    "text plus": lambda o: "prefix-" + o,
    "text plus text": lambda o: "prefix-" + o + "-suffix",
    "join": lambda o: ",".join(map(str, ["a", o, "b"])),
    "replace in a template": lambda o: "<X>".replace("<X>", str(o)),
    "json.dumps": lambda o: json.dumps({"a": [f"x{o}"]}),
    "json.dumps twice": lambda o: json.dumps(json.dumps({"a": f"{o}"})),
    "json key": lambda o: json.dumps({f"{o}": 1}),
    "upper": lambda o: f"arn:{o}".upper(),
    "lower": lambda o: f"arn:{o}".lower(),
    "title": lambda o: f"arn:{o}".title(),
    "swapcase": lambda o: f"arn:{o}".swapcase(),
    "casefold": lambda o: f"arn:{o}".casefold(),
    "base64 aligned 0": lambda o: b64(f"{o}"),
    "base64 aligned 1": lambda o: b64(f"a{o}"),
    "base64 aligned 2": lambda o: b64(f"ab{o}"),
    "base64 aligned 0 and more": lambda o: b64(f"abc{o}more"),
    "base64 aligned 1 and more": lambda o: b64(f"abcd{o}more"),
    "base64 aligned 2 and more": lambda o: b64(f"abcde{o}more"),
    "base64 url-safe": lambda o: base64.urlsafe_b64encode(f"?>{o}<?".encode()).decode(),
    "base64 of upper": lambda o: b64(f"x{o}".upper()),
    "base64 of title": lambda o: b64(f"x-{o}".title()),
    "base64 of capitalize": lambda o: b64(f"{o}".capitalize()),
    "base64 of json": lambda o: b64(json.dumps({"password": f"{o}"})),
    "base64 inside text": lambda o: f"#!/bin/sh\necho {b64(f'secret={o}')} | base64 -d\n",
    "first half": lambda o: str(o)[: len(str(o)) // 2],
    "second half": lambda o: str(o)[len(str(o)) // 2 :],
    "middle": lambda o: str(o)[3:-3],
    "cut to 20": lambda o: f"bucket-{o}"[:20],
    "cut in the middle of a text": lambda o: f"bucket-{o}-with-more"[:-14],
}


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", TEXTS)
def test_text_made_of_an_unresolved_value_is_a_dependency(name: str) -> None:
    """A string made of an unresolved value, however it is made, holds the resource back that it is set in."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = TEXTS[name](bucket.observed.status.atProvider.id)

    _, answer = call(compose)
    assert list(answer.resources) == ["bucket"], answer.data
    assert not answer.fatal
    assert answer.conditions["DependenciesResolved"][:2] == (False, "WaitingForDependencies")


@pytest.mark.sample(16)
@pytest.mark.parametrize("name", [n for n in TEXTS if not re.search("half|middle|cut|shortened", n)])
def test_the_condition_names_the_path_behind_a_text(name: str) -> None:
    """The condition says which field a text waits for, not what stands in for it."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = TEXTS[name](bucket.observed.status.atProvider.id)

    _, answer = call(compose)
    assert f"acl waits for {PATH}" in answer.conditions["DependenciesResolved"][2]


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", TEXTS)
def test_text_made_of_a_known_value_is_that_text(name: str) -> None:
    """Once the value is known, the same expressions give plain strings."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = TEXTS[name](bucket.observed.status.atProvider.id)

    _, answer = call(compose, observed={"bucket": samples.bucket(status={"id": "projects/x/id"})})
    assert answer.resources["acl"]["spec"]["forProvider"]["bucket"] == TEXTS[name]("projects/x/id")


@pytest.mark.parametrize(
    "place",
    [
        lambda p, t: p.labels.__setitem__("k", t),
        lambda p, t: p.labels.__setitem__(t, "v"),
        lambda p, t: setattr(p, "labels", {f"x{t}": "v"}),
        lambda p, t: p.zones.append(t),
        lambda p, t: setattr(p, "extra", {"a": [{"b": t}]}),
        lambda p, t: setattr(p, "extra", {"a": [{t: "b"}]}),
        lambda p, t: p.rules.append(Rule(name=t)),
        lambda p, t: p.byName.__setitem__(t, Rule(name="x")),
        lambda p, t: setattr(p, "extra", (1, t)),
    ],
)
@pytest.mark.parametrize("make", [lambda o: f"{o}", lambda o: f"a.b/{o}".upper()])
def test_text_is_found_wherever_it_stands(place: Callable[[Any, Any], None], make: Text) -> None:
    """A token is found in map values, map keys, list items and free-form values alike."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        other = ctx.resource("other", Bucket())
        place(other.spec.forProvider, make(bucket.observed.status.atProvider.id))

    _, answer = call(compose)
    assert list(answer.resources) == ["bucket"]


@pytest.mark.parametrize(
    "place",
    [
        lambda b, o: setattr(b.spec.forProvider, "labels", {"k": o}),
        lambda b, o: setattr(b.spec.forProvider, "labels", {o: "v"}),
        lambda b, o: setattr(b.spec.forProvider, "zones", ["a", o]),
        lambda b, o: setattr(b.spec.forProvider, "extra", {"a": [[{"b": o}]]}),
        lambda b, o: setattr(b.spec, "forProvider", ForProvider(location=o)),
        lambda b, o: b.metadata.labels.__setitem__("k", o),
        lambda b, o: b.metadata.annotations.__setitem__("k", f"{o}"),
        lambda b, o: setattr(b, "external_name", o),
    ],
)
def test_an_observable_is_found_wherever_it_stands(place: Callable[[Any, Any], None]) -> None:
    """An Observable holds its resource back from any field, map, key or list."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        other = ctx.resource("other", Bucket())
        place(other, bucket.observed.status.atProvider.id)

    _, answer = call(compose)
    assert list(answer.resources) == ["bucket"]


def test_wrapped_base64_is_recognised() -> None:
    """A token is found in base64 that is broken into lines, wherever the line ends fall."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        for length in range(80):
            acl = ctx.resource(f"acl-{length}", BucketACL())
            acl.spec.forProvider.bucket = base64.encodebytes(b"-" * length + f"{value} and more".encode()).decode()

    assert list(call(compose)[1].resources) == ["bucket"]


@pytest.mark.parametrize("spec", ["d", "03d", ".2f", ",", "x", ">8", "%Y"])
def test_any_format_makes_a_text(spec: str) -> None:
    """A format that fits the value to come doesn't fail on the value that isn't there yet."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.count
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = f"a-{value:{spec}}"

    assert list(call(compose)[1].resources) == ["bucket"]


def test_a_token_is_a_dns_label() -> None:
    """A token is ASCII letters only, at most 63 long, and the same in every call: replicas sort alike."""

    def compose(ctx: Any) -> str:
        return str(ctx.resource("bucket", Bucket()).observed.status.atProvider.id)

    token, _ = call(compose)
    assert re.fullmatch(r"[a-z]{1,63}", token)
    assert token == call(compose)[0]


def test_text_with_many_values_waits_for_all() -> None:
    """A string made of several unresolved values waits for each of them."""

    def compose(ctx: Any) -> None:
        provider = ctx.resource("bucket", Bucket()).observed.status.atProvider
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = f"{provider.id}/{provider.url}"

    _, answer = call(compose)
    message = answer.conditions["DependenciesResolved"][2]
    assert "bucket.status.atProvider.id" in message
    assert "bucket.status.atProvider.url" in message
    _, answer = call(compose, observed={"bucket": samples.bucket(status={"id": "known"})})
    message = answer.conditions["DependenciesResolved"][2]
    assert "bucket.status.atProvider.id" not in message
    assert "bucket.status.atProvider.url" in message


@SETTINGS
@given(before=st.text(max_size=8), after=st.text(max_size=8), encode=st.booleans())
def test_text_around_a_token_does_not_hide_it(before: str, after: str, encode: bool) -> None:
    """Whatever stands around it, plain or base64-encoded, a token is recognised."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        acl = ctx.resource("acl", BucketACL())
        text = f"{before}{value}{after}"
        acl.spec.forProvider.bucket = b64(text) if encode else text

    _, answer = call(compose)
    assert list(answer.resources) == ["bucket"]


def test_a_token_in_another_resource_of_the_request_is_not_ours() -> None:
    """Text that only looks like what was made in another call is a plain value."""

    def make(ctx: Any) -> str:
        return str(ctx.resource("bucket", Bucket()).observed.status.atProvider.id)

    old, _ = call(make)

    def compose(ctx: Any) -> None:
        str(ctx.resource("bucket", Bucket()).observed.status.atProvider.id)
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = "plain"
        acl.spec.forProvider.predefinedAcl = f"x{0:020d}"

    _, answer = call(compose)
    assert sorted(answer.resources) == ["acl", "bucket"]
    assert old

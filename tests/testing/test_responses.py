"""Reading what a function answered."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import duration_pb2

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite.errors import UsageError, WireError
from crossplane_lite.render import Selector
from tests.support import struct

XR = {"apiVersion": "example.org/v1", "kind": "XNet", "metadata": {"name": "net"}}


class Fixed:
    """Answers every request with the same bytes."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer

    def run(self, data: bytes) -> bytes:
        """Return the answer."""
        return self.answer


def message() -> fnv1.RunFunctionResponse:
    """Return an answer with something in each field."""
    made = fnv1.RunFunctionResponse()
    made.meta.tag = "t"
    made.meta.ttl.CopyFrom(duration_pb2.Duration(seconds=2, nanos=500_000_000))
    for name, ready in (("b", fnv1.READY_TRUE), ("c", fnv1.READY_FALSE), ("a", fnv1.READY_UNSPECIFIED)):
        made.desired.resources[name].resource.CopyFrom(struct({"apiVersion": "v1", "kind": "K", "spec": {"n": 3}}))
        made.desired.resources[name].ready = ready
    made.desired.composite.resource.CopyFrom(struct({"status": {"x": 1.5}}))
    made.desired.composite.ready = fnv1.READY_TRUE
    made.desired.composite.connection_details["password"] = b"hidden"
    made.results.add(severity=fnv1.SEVERITY_WARNING, message="w", reason="R", target=fnv1.TARGET_COMPOSITE_AND_CLAIM)
    made.results.add(severity=fnv1.SEVERITY_FATAL, message="f")
    made.results.add(severity=fnv1.SEVERITY_NORMAL, message="n")
    made.results.add(message="u")
    made.conditions.add(type="Good", status=fnv1.STATUS_CONDITION_TRUE, reason="Fine", message="m")
    made.conditions.add(type="Odd", reason="Fine")
    named = made.requirements.resources["named"]
    named.api_version, named.kind, named.match_name, named.namespace = "v1", "K", "x", "ns"
    labelled = made.requirements.extra_resources["labelled"]
    labelled.api_version, labelled.kind = "v1", "K"
    labelled.match_labels.labels["a"] = "b"
    made.requirements.schemas["k"].api_version = "v1"
    made.requirements.schemas["k"].kind = "K"
    made.context.CopyFrom(struct({"c": [1]}))
    made.output.CopyFrom(struct({"o": True}))
    return made


def test_every_field() -> None:
    """All that an answer has is there as plain values."""
    answer = message().SerializeToString()
    response = testing.run(Fixed(answer), testing.request(XR))
    assert response.data == answer
    assert list(response.desired) == ["a", "b", "c"]
    assert response.desired["a"] == {"apiVersion": "v1", "kind": "K", "spec": {"n": 3}}
    assert response.ready == {"a": None, "b": True, "c": False}
    assert response.composite == {"status": {"x": 1.5}}
    assert response.composite_ready is True
    assert response.connection_details == {"password": b"hidden"}
    assert response.fatal == ["f"]
    assert response.results == [
        testing.Result("Warning", "w", "R", "composite_and_claim"),
        testing.Result("Fatal", "f"),
        testing.Result("Normal", "n"),
        testing.Result("Unspecified", "u"),
    ]
    assert response.conditions == {
        "Good": testing.Condition("True", "Fine", "m"),
        "Odd": testing.Condition("Unknown", "Fine"),
    }
    assert response.required == {
        "labelled": Selector("v1", "K", labels={"a": "b"}),
        "named": Selector("v1", "K", name="x", namespace="ns"),
    }
    assert response.required_schemas == {"k": ("v1", "K")}
    assert (response.context, response.output) == ({"c": [1]}, {"o": True})
    assert (response.ttl, response.tag) == (2.5, "t")


def test_empty() -> None:
    """An answer with nothing in it has empty values, and a repr that says so."""
    response = testing.run(Fixed(b""), testing.request(XR))
    assert (response.desired, response.fatal, response.output, response.ttl) == ({}, [], None, None)
    assert repr(response) == "Response(desired={})"


def test_equality() -> None:
    """Two answers that say the same are equal though their bytes differ; those that don't, aren't."""
    one, other = message(), message()
    other.desired.resources["a"].resource.CopyFrom(struct({"spec": {"n": 3.0}, "kind": "K", "apiVersion": "v1"}))
    same = testing.Response.of(other.SerializeToString())
    assert testing.Response.of(one.SerializeToString()) == same
    other.desired.resources["a"].resource.CopyFrom(struct({"spec": {"n": 4}}))
    assert testing.Response.of(other.SerializeToString()) != same


def test_repr() -> None:
    """The repr has what there is in one line, without the secrets and without the resources' contents."""
    text = repr(testing.Response.of(message().SerializeToString()))
    assert text.startswith("Response(fatal=['f'], desired={a: K, b: K, c: K}, ready={'b': True, 'c': False}, ")
    assert "hidden" not in text and "\n" not in text
    assert "connection_details=['password']" in text


def test_our_functions() -> None:
    """Of our own functions the annotation that marks resources is left out of `desired`, and what waits is named."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        one = ctx.resource("one", Unstructured("example.org/v1", "Thing"))
        two = ctx.resource("two", Unstructured("example.org/v1", "Thing"))
        two.metadata.annotations["mine"] = "x"
        three = ctx.resource("three", Unstructured("example.org/v1", "Thing"))
        three.spec.id = one.observed.status.id

    response = testing.run(compose, testing.request(XR))
    assert response.desired == {
        "one": {"apiVersion": "example.org/v1", "kind": "Thing"},
        "two": {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"annotations": {"mine": "x"}}},
    }
    assert response.emitted["one"]["metadata"]["annotations"]["crossplane-lite/function"].startswith("net;")
    assert response.held_back == ["three"]
    assert response.conditions["DependenciesResolved"].status == "False"
    assert response == testing.run(compose, testing.request(XR))


def test_resources_that_are_not_desired() -> None:
    """The error about a resource that isn't desired says why: a fatal result with its place, a wait, other names."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Unstructured("example.org/v1", "Thing"))
        acl = ctx.resource("acl", Unstructured("example.org/v1", "Thing"))
        acl.spec.id = bucket.observed.status.id
        if ctx.composite(Unstructured).observed.spec.fails:
            raise ValueError("no zone\nfor it")

    broken = testing.run(compose, testing.request({**XR, "spec": {"fails": True}}))
    response = testing.run(compose, testing.request({**XR, "spec": {"fails": False}}))
    for answer, name, hint in (
        (broken, "bucket", r"'bucket'.* fatal result: .*no zone \(test_responses\.py:\d+\)"),
        (response, "acl", "'acl'.* held back"),
        (response, "buckets", "'buckets'.* did you mean 'bucket'"),
        (response, "network", "'network' is desired; desired are: bucket$"),
    ):
        with pytest.raises(KeyError, match=hint):
            answer.desired[name]
    assert response.desired.get("acl") is None
    assert pickle.loads(pickle.dumps(response)) == response
    assert dataclasses.asdict(response)["desired"] == response.desired


def test_exceptions_are_fatal_results() -> None:
    """What compose() raises is in `fatal`, as Crossplane would be told."""

    @composition.function
    def compose(ctx: Any) -> None:
        raise ValueError("no region")

    assert "ValueError: no region" in testing.run(compose, testing.request(XR)).fatal[0]


@pytest.mark.parametrize("held_back", [1, [1], {"a": 1, "b": ["x", 2]}])
def test_a_foreign_context(held_back: Any) -> None:
    """Whatever another function put where our steps say what waits, reading it is no error."""
    made = fnv1.RunFunctionResponse(context=struct({"crossplane-lite/held-back": held_back}))
    response = testing.Response.of(made.SerializeToString())
    assert response.held_back == (["x"] if isinstance(held_back, dict) else [])


def test_errors() -> None:
    """What is no function, no request or no answer is an error that says so."""
    request = testing.request(XR)
    with pytest.raises(UsageError, match=r"is @composition.function missing\?"):
        testing.run(lambda ctx: None, request)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"'request' must be bytes, as testing.request\(\) returns \(got a dict\)"):
        testing.run(Fixed(b""), XR)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the function's answer is not a RunFunctionResponse"):
        testing.run(Fixed(b"\xff"), request)
    with pytest.raises(UsageError, match="not a RunFunctionResponse"):
        testing.run(Fixed("x"), request)  # type: ignore[arg-type]
    resource = b"\x12\x08\x12\x06\x0a\x01a\x12\x01\xff"  # a Resource that isn't one
    with pytest.raises((UsageError, WireError)):
        testing.run(Fixed(resource), request)

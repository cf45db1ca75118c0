"""The decorated function called with messages, as other Python runtimes call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from crossplane.function import response
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1beta1 import run_function_pb2 as fnv1beta1

from crossplane_lite import composition
from crossplane_lite.proto.v1 import run_function_pb2 as ours
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, XStorageBucket
from tests.support import Response, build


@composition.function(name="everything")
def everything(ctx: Any) -> None:
    """Use every part of the answer."""
    xr = ctx.composite(XStorageBucket)
    xr.status.x = "1"
    xr.status.names = ["a", "b"]
    xr.ready = False
    xr.connection_details["user"] = "admin"
    vpc = ctx.resource("vpc", VPC())
    bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(zones=["x"], size=3))))
    bucket.spec.forProvider.labels["a"] = "b"
    bucket.ready = True
    ctx.resource("waits", Bucket()).spec.forProvider.project = f"x-{vpc.observed.status.atProvider.vpcId}"
    ctx.remove("old")
    ctx.requirements.resources["more"] = composition.ResourceSelector(
        api_version="v1", kind="ConfigMap", match_name="n", namespace="ns"
    )
    ctx.results.warning("careful")
    ctx.conditions.set("Custom", True, "Fine", "text")
    ctx.context["new"] = {"a": [1, 2.5]}
    ctx.output["o"] = "p"


@composition.function(name="fails")
def fails(ctx: Any) -> None:
    """Raise."""
    ctx.resource("new", Bucket())
    raise ValueError("boom")


REQUEST: dict[str, Any] = {
    "xr": samples.xr({"location": "US"}),
    "observed": {"bucket": samples.bucket({"zones": ["y"]})},
    "desired": {
        "old": samples.bucket(),
        "other": samples.vpc({"region": "r"}),
        "bucket": samples.bucket({"zones": ["z"]}),
    },
    "desired_ready": {"other": True},
    "context": {"k": [1, None, {"a": "b"}]},
    "input": {"in": "put"},
    "credentials": {"c": {"d": b"secret"}},
}

FUNCTIONS = pytest.mark.parametrize("fn", [everything, fails], ids=["everything", "fails"])


def empty(_: Any) -> fnv1.RunFunctionResponse:
    """Return an empty response."""
    return fnv1.RunFunctionResponse()


def prefilled(req: Any) -> fnv1.RunFunctionResponse:
    """Return a response as the official SDK's `response.to` makes it."""
    return response.to(req)


@FUNCTIONS
@pytest.mark.parametrize("start", [empty, prefilled])
def test_official_messages(fn: Any, start: Callable[[Any], fnv1.RunFunctionResponse]) -> None:
    """Called with the official SDK's messages, the answer is the same as by the bytes path."""
    req = build(**REQUEST)
    before = req.SerializeToString(deterministic=True)
    rsp = start(req)
    fn(req, rsp)
    assert rsp == Response(fn.run(req.SerializeToString())).message
    assert req.SerializeToString(deterministic=True) == before


@FUNCTIONS
def test_official_beta_messages(fn: Any) -> None:
    """The same with v1beta1's messages."""
    data = build(**REQUEST).SerializeToString()
    rsp = fnv1beta1.RunFunctionResponse()
    fn(fnv1beta1.RunFunctionRequest.FromString(data), rsp)
    assert rsp == fnv1beta1.RunFunctionResponse.FromString(fn.run(data))


@FUNCTIONS
def test_our_messages(fn: Any) -> None:
    """The same with the messages that this package exposes."""
    data = build(**REQUEST).SerializeToString()
    rsp = ours.RunFunctionResponse()
    fn(ours.RunFunctionRequest.FromString(data), rsp)
    assert fnv1.RunFunctionResponse.FromString(rsp.SerializeToString()) == Response(fn.run(data)).message


def test_everything_is_in_the_answer() -> None:
    """The function that these tests use does what it says, so that they compare something."""
    answer = Response(everything.run(build(**REQUEST).SerializeToString()))
    assert not answer.fatal
    assert sorted(answer.resources) == ["bucket", "other", "vpc"]
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"zones": ["x"], "size": 3, "labels": {"a": "b"}}
    assert answer.composite["status"] == {"x": "1", "names": ["a", "b"]}
    assert answer.ready == {"bucket": True, "other": True, "vpc": None}
    assert answer.composite_ready is False
    assert answer.composite_connection == {"user": b"admin"}
    assert answer.conditions["Custom"] == (True, "Fine", "text")
    assert ("warning", "careful") in answer.results
    assert answer.context["new"] == {"a": [1, 2.5]}
    assert answer.context["k"] == [1, None, {"a": "b"}]
    assert answer.output == {"o": "p"}
    assert answer.requirements.resources["more"].namespace == "ns"

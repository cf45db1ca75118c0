"""Filling raw responses."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import Observable, Unstructured, request, resource, response
from crossplane_lite.errors import EncodeError, UnresolvedError, UsageError
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from tests.behaviour.models import Bucket, BucketSpec, ForProvider, XStatus, XStorageBucket
from tests.helpers.families import EXAMPLES, FAMILIES, NAMES, OBJECTS, REQUESTS, TEXTS, official, stable

Step = Callable[[Any, Any, Any], None]

TTLS = st.timedeltas(datetime.timedelta(0), datetime.timedelta(days=3))


@st.composite
def _steps(draw: st.DrawFn) -> Step:
    """Return one use of a helper: what takes the SDK's modules response and resource, and a message."""
    kind = draw(st.sampled_from(["result", "condition", "output", "resources", "schema"]))
    name, text, other, value = draw(NAMES), draw(TEXTS), draw(TEXTS), draw(OBJECTS)
    severity = draw(st.sampled_from(["normal", "warning", "fatal"]))
    status = draw(st.sampled_from(["True", "False", "Unknown", "true", ""]))
    words = [draw(st.none() | TEXTS) for _ in range(3)]
    labels = draw(st.none() | st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=2))
    many = draw(st.integers(0, 2))

    def step(of_responses: Any, of_resources: Any, rsp: Any) -> None:
        if kind == "result":
            getattr(of_responses, severity)(rsp, text)
        elif kind == "condition":
            made = of_resources.Condition(text, status, words[0], words[1], datetime.datetime(2024, 1, 1))
            of_responses.set_conditions(rsp, *[made] * many)
        elif kind == "output":
            of_responses.set_output(rsp, value)
        elif kind == "resources":
            match = {"match_name": words[0]} if labels is None else {"match_labels": labels}
            of_responses.require_resources(rsp, name, text, other, **match, namespace=words[1])
        else:
            of_responses.require_schema(rsp, name, text, other)

    return step


@pytest.fixture(params=FAMILIES, ids=lambda family: str(family.name))
def messages(request: pytest.FixtureRequest) -> Any:
    """The messages of every implementation."""
    return request.param.messages


@pytest.mark.slow
@EXAMPLES
@given(data=REQUESTS, ttl=st.none() | TTLS, steps=st.lists(_steps(), max_size=5))
def test_fills_what_the_official_sdk_fills(data: bytes, ttl: datetime.timedelta | None, steps: list[Step]) -> None:
    """Any sequence of helpers, on any request of any implementation, makes the bytes that the official SDK makes."""
    theirs = official("response"), official("resource")
    arguments = () if ttl is None else (ttl,)
    wanted = theirs[0].to(official("proto.v1.run_function_pb2").RunFunctionRequest.FromString(data), *arguments)
    for step in steps:
        step(*theirs, wanted)
    for family in FAMILIES:
        req = family.messages.RunFunctionRequest.FromString(data)
        got = response.to(req, *arguments)
        for step in steps:
            step(response, resource, got)
        assert type(got) is family.messages.RunFunctionResponse
        assert stable(got) == stable(wanted), family.name
        assert stable(req) == data, family.name


def test_to(messages: Any) -> None:
    """A response carries the request's tag, desired state and context, copied, and a minute's TTL."""
    req = messages.RunFunctionRequest()
    req.meta.tag = "t"
    req.desired.resources["a"].resource.update({"kind": "A"})
    req.context.update({"k": 1})
    rsp = response.to(req)
    assert type(rsp) is messages.RunFunctionResponse
    assert (rsp.meta.tag, rsp.meta.ttl.seconds) == ("t", 60)
    rsp.desired.resources["a"].resource.update({"kind": "B"})
    rsp.context.update({"k": 2})
    assert request.get_desired_composed_resource(req, "a") == {"kind": "A"}
    assert request.get_context(req) == {"k": 1}
    assert response.to(req, datetime.timedelta(0)).meta.HasField("ttl")
    assert response.DEFAULT_TTL == datetime.timedelta(minutes=1)


@pytest.mark.parametrize("severity", ["normal", "warning", "fatal"])
def test_results(messages: Any, severity: str) -> None:
    """Results have a severity, and a reason and a target where these are given, by name or by number."""
    add = getattr(response, severity)
    rsp = messages.RunFunctionResponse()
    add(rsp, "plain")
    add(rsp, "all", reason="Because", target="composite_and_claim")
    add(rsp, "number", target=messages.TARGET_COMPOSITE)
    add(rsp, "unspecified", target=messages.TARGET_UNSPECIFIED)
    assert [result.severity for result in rsp.results] == [getattr(messages, f"SEVERITY_{severity.upper()}")] * 4
    plain, everything, number, unspecified = rsp.results
    assert not plain.HasField("reason") and not plain.HasField("target")
    assert (everything.reason, everything.target) == ("Because", messages.TARGET_COMPOSITE_AND_CLAIM)
    assert number.target == messages.TARGET_COMPOSITE
    assert not unspecified.HasField("target")


def test_exceptions_as_results() -> None:
    """An exception can be given as it is: its text is taken, or its type where it has none."""
    rsp = fnv1.RunFunctionResponse()
    response.fatal(rsp, ValueError("no such zone"))
    response.warning(rsp, KeyError())
    assert [result.message for result in rsp.results] == ["no such zone", "KeyError"]


@pytest.mark.parametrize("target", ["claim", 3, -1])
def test_unknown_targets(target: Any) -> None:
    """A target that there isn't is refused, and nothing is added."""
    rsp = fnv1.RunFunctionResponse()
    with pytest.raises(UsageError, match="'target' must be 'composite', 'composite_and_claim' or None"):
        response.normal(rsp, "text", target=target)
    good = resource.Condition("A", "True", "R")
    with pytest.raises(UsageError, match="'target' must be"):
        response.set_conditions(rsp, good, resource.Condition("B", "True", "R", target=target))
    assert stable(rsp) == b""


def test_conditions(messages: Any) -> None:
    """Conditions have status, reason, message and target; booleans say their status too, what is odd is Unknown."""
    rsp = messages.RunFunctionResponse()
    response.set_conditions(
        rsp,
        resource.Condition("A", "True", "Fine", "text", target="composite_and_claim"),
        resource.Condition("B", "False", target=messages.TARGET_COMPOSITE),
        resource.Condition("C", "maybe", message=""),
        resource.Condition("D", True),  # type: ignore[arg-type]
    )
    assert [(one.type, one.status, one.reason) for one in rsp.conditions] == [
        ("A", messages.STATUS_CONDITION_TRUE, "Fine"),
        ("B", messages.STATUS_CONDITION_FALSE, ""),
        ("C", messages.STATUS_CONDITION_UNKNOWN, ""),
        ("D", messages.STATUS_CONDITION_TRUE, ""),
    ]
    first, second, third, _ = rsp.conditions
    assert (first.message, first.target) == ("text", messages.TARGET_COMPOSITE_AND_CLAIM)
    assert second.target == messages.TARGET_COMPOSITE
    assert not third.HasField("message") and not third.HasField("target")


def test_conditions_of_the_official_sdk() -> None:
    """Conditions that the official SDK's class makes can be set too."""
    rsp = fnv1.RunFunctionResponse()
    response.set_conditions(rsp, official("resource").Condition("A", "True", "Fine"))
    assert rsp.conditions[0].status == fnv1.STATUS_CONDITION_TRUE


def test_a_condition_that_was_read_can_be_set() -> None:
    """What get_condition returns goes back in as it is."""
    read = resource.get_condition({"status": {"conditions": [{"type": "A", "status": "False", "reason": "R"}]}}, "A")
    rsp = fnv1.RunFunctionResponse()
    response.set_conditions(rsp, read)
    assert (rsp.conditions[0].status, rsp.conditions[0].reason) == (fnv1.STATUS_CONDITION_FALSE, "R")


@pytest.mark.parametrize("match_labels", [{}, {"a": "b"}])
def test_labels_of_a_selector(messages: Any, match_labels: dict[str, str]) -> None:
    """Labels are in the selector, an empty selection too, which matches everything on any Crossplane."""
    rsp = messages.RunFunctionResponse()
    response.require_resources(rsp, "r", "v1", "K", match_labels=match_labels)
    again = messages.RunFunctionResponse.FromString(rsp.SerializeToString())
    selector = again.requirements.resources["r"]
    assert selector.WhichOneof("match") == "match_labels"
    assert dict(selector.match_labels.labels) == match_labels


def test_selectors(messages: Any) -> None:
    """Without name and labels nothing is matched on; a requirement of the same name is replaced as a whole."""
    rsp = messages.RunFunctionResponse()
    response.require_resources(rsp, "r", "v1", "K", match_name="", namespace="")
    selector = rsp.requirements.resources["r"]
    assert selector.WhichOneof("match") == "match_name" and selector.HasField("namespace")
    response.require_resources(rsp, "r", "v1", "K")
    selector = rsp.requirements.resources["r"]
    assert selector.WhichOneof("match") is None and not selector.HasField("namespace")
    with pytest.raises(ValueError, match="requirement 'other': give 'match_name' or 'match_labels', not both"):
        response.require_resources(rsp, "other", "v1", "K", match_name="n", match_labels={})
    assert list(rsp.requirements.resources) == ["r"]


def test_output(messages: Any) -> None:
    """The output is replaced as a whole, by a mapping, a model or a Struct of any implementation."""
    rsp = messages.RunFunctionResponse()
    response.set_output(rsp, {"a": 1})
    response.set_output(rsp, {"b": {"c": [None]}})
    assert resource.struct_to_dict(rsp.output) == {"b": {"c": [None]}}
    response.set_output(rsp, XStatus(bucketName="n"))
    assert resource.struct_to_dict(rsp.output) == {"bucketName": "n"}
    for family in FAMILIES[:2]:
        response.set_output(rsp, resource.dict_to_struct({"from": family.name}, family.struct))
        assert resource.struct_to_dict(rsp.output) == {"from": family.name}
    response.set_output(rsp, {})
    assert rsp.HasField("output") and not rsp.output.fields


@pytest.mark.parametrize("wrong", [None, "text", ["a"], 5, fnv1.Resource()])
def test_wrong_output(wrong: Any) -> None:
    """What is no object is refused as a TypeError, as the official SDK does."""
    rsp = fnv1.RunFunctionResponse()
    with pytest.raises(TypeError, match="output must be a mapping, a model or a Struct"):
        response.set_output(rsp, wrong)
    assert stable(rsp) == b""


def test_context(messages: Any) -> None:
    """A key is set beside the others, and the context as a whole in their place."""
    req = messages.RunFunctionRequest()
    req.context.update({"kept": 1, "replaced": {"a": 1}})
    rsp = response.to(req)
    response.set_context_key(rsp, "replaced", {"b": [1.5, None]})
    response.set_context_key(rsp, "new", "text")
    assert resource.struct_to_dict(rsp.context) == {"kept": 1, "replaced": {"b": [1.5, None]}, "new": "text"}
    response.set_context_key(rsp, "new", req.context.fields["replaced"])
    assert resource.struct_to_dict(rsp.context)["new"] == {"a": 1}
    response.set_context(rsp, {"only": True})
    assert resource.struct_to_dict(rsp.context) == {"only": True}


def test_desired_resources(messages: Any) -> None:
    """Resources are set by name, whole; others stay, and so do readiness and connection details."""
    rsp = messages.RunFunctionResponse()
    rsp.desired.resources["a"].resource.update({"kind": "A", "spec": {"old": 1}})
    rsp.desired.resources["a"].ready = messages.READY_TRUE
    rsp.desired.resources["b"].resource.update({"kind": "B"})
    rsp.desired.composite.connection_details["k"] = b"v"
    rsp.desired.composite.resource.update({"status": {"old": 1}})
    bucket = Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU")))
    response.set_desired_composed_resources(rsp, {"a": {"kind": "A", "spec": {"new": 1}}, "c": bucket})
    response.set_desired_composite_resource(rsp, XStorageBucket(status=XStatus(bucketName="n")))
    assert request.get_desired_composed_resources(rsp) == {
        "a": {"kind": "A", "spec": {"new": 1}},
        "b": {"kind": "B"},
        "c": {
            "apiVersion": "storage.gcp.upbound.io/v1beta1",
            "kind": "Bucket",
            "spec": {"forProvider": {"location": "EU"}},
        },
    }
    assert resource.get_ready(rsp.desired.resources["a"]) is True
    assert request.get_desired_composite_resource(rsp)["status"] == {"bucketName": "n"}
    assert resource.get_connection_details(rsp.desired.composite) == {"k": b"v"}


def test_desired_resources_that_were_read(messages: Any) -> None:
    """What was read as a model and changed is set with all that previous functions desire of it, deletions apart."""
    req = messages.RunFunctionRequest()
    before = {"location": "EU", "project": "p", "labels": {"a": "1", "b": "2"}, "unknown": {"to": "the model"}}
    req.desired.resources["bucket"].resource.update(
        {"apiVersion": "storage.gcp.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": before}}
    )
    req.desired.composite.resource.update({"status": {"x": "1", "unknown": 2}})
    rsp = response.to(req)
    bucket = request.get_desired_composed_resource(rsp, "bucket", Bucket)
    assert bucket is not None
    bucket.spec.forProvider.labels["a"] = "changed"
    bucket.spec.forProvider.storageClass = "NEARLINE"
    del bucket.spec.forProvider.project
    response.set_desired_composed_resources(rsp, {"bucket": bucket})
    assert request.get_desired_composed_resources(rsp)["bucket"]["spec"]["forProvider"] == {
        "location": "EU",
        "labels": {"a": "changed", "b": "2"},
        "storageClass": "NEARLINE",
        "unknown": {"to": "the model"},
    }
    xr = request.get_desired_composite_resource(rsp, Unstructured)
    xr.status.y = [1]
    response.set_desired_composite_resource(rsp, xr)
    assert request.get_desired_composite_resource(rsp) == {"status": {"x": "1", "unknown": 2, "y": [1]}}


def test_nothing_is_half_done() -> None:
    """A resource with a value that can't be set is refused with its name and path, and none is set."""
    rsp = fnv1.RunFunctionResponse()
    good = Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU")))
    waiting = Bucket(spec=BucketSpec(forProvider=ForProvider(location=Observable("vpc.status.region"))))
    with pytest.raises(UnresolvedError, match=r"^b\.spec\.forProvider\.location is made from vpc\.status\.region,"):
        response.set_desired_composed_resources(rsp, {"a": good, "b": waiting})
    with pytest.raises(EncodeError, match=r"^b\.spec\.ports\[1\]: must be an integer from -2\*\*53 to 2\*\*53"):
        response.set_desired_composed_resources(rsp, {"a": good, "b": {"spec": {"ports": [1, 2**60]}}})
    with pytest.raises(UnresolvedError, match=r"^context\.k\.l is made from a\.b,"):
        response.set_context_key(rsp, "k", {"l": Observable("a.b")})
    with pytest.raises(UnresolvedError, match=r"^xr\.status\.x is made from a\.b,"):
        response.set_desired_composite_resource(rsp, {"status": {"x": Observable("a.b")}})
    assert stable(rsp) == b""

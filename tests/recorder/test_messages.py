"""Requests and answers in protobuf's JSON."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given

from crossplane_lite._tools.recorder.messages import as_json, request_bytes, response_bytes
from crossplane_lite.errors import InputError
from crossplane_lite.proto import _view
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from tests.helpers.families import REQUESTS

RESPONSE: dict[str, Any] = {
    "meta": {"tag": "x", "ttl": "60.500s"},
    "desired": {
        "composite": {"resource": {"status": {"a": [1, None, {"b": 2.5}]}}, "ready": "READY_FALSE"},
        "resources": {"one": {"resource": {}, "connectionDetails": {"p": "AAE="}, "ready": "READY_TRUE"}},
    },
    "results": [{"severity": "SEVERITY_FATAL", "message": "no", "reason": "Why", "target": "TARGET_COMPOSITE"}],
    "conditions": [{"type": "T", "status": "STATUS_CONDITION_TRUE", "reason": "R", "message": ""}],
    "context": {},
    "requirements": {
        "resources": {
            "a": {"apiVersion": "v1", "kind": "Secret", "matchName": "s", "namespace": "n"},
            "b": {"apiVersion": "v1", "kind": "Secret", "matchLabels": {"labels": {"x": "y"}}},
        },
        "schemas": {"c": {"apiVersion": "v1", "kind": "Secret"}},
    },
    "output": {"x": 1},
}


@given(REQUESTS)
def test_requests_are_as_protobuf_writes_them(data: bytes) -> None:
    """A request's JSON is that of protobuf's own writer, and comes back as protobuf's own reader reads it."""
    made = as_json(_view.RunFunctionRequest.FromString(data))
    assert made == json_format.MessageToDict(fnv1.RunFunctionRequest.FromString(data))
    # Not the request itself: JSON of whole numbers has no -0.0.
    read = json_format.ParseDict(made, fnv1.RunFunctionRequest())
    assert fnv1.RunFunctionRequest.FromString(request_bytes(made)) == read


def test_answers_are_as_protobuf_reads_them() -> None:
    """An answer with all fields is read as protobuf's own reader reads it, and written again."""
    made = response_bytes(RESPONSE)
    assert fnv1.RunFunctionResponse.FromString(made) == json_format.ParseDict(RESPONSE, fnv1.RunFunctionResponse())
    assert as_json(_view.RunFunctionResponse.FromString(made)) == {**RESPONSE, "meta": {"tag": "x", "ttl": "60.5s"}}


def test_depth_isnt_limited() -> None:
    """A resource that is deeper than protobuf's messages may be comes through."""
    deep: Any = 1
    for _ in range(300):
        deep = {"a": [deep]}
    request = {"observed": {"composite": {"resource": deep}}}
    assert as_json(_view.RunFunctionRequest.FromString(request_bytes(request))) == request


def test_unknown_fields_and_values_are_taken_as_they_come() -> None:
    """A field that this release doesn't know is left out, and an unknown number of an enum stays."""
    made = request_bytes({"meta": {"tag": "x", "capabilities": [77]}, "brandNew": 1})
    assert as_json(_view.RunFunctionRequest.FromString(made)) == {"meta": {"tag": "x", "capabilities": [77]}}


def test_values_that_were_taken_out() -> None:
    """Crossplane's mark in the place of base64 becomes the value."""
    request = {"observed": {"resources": {"a": {"connectionDetails": {"p": "**REDACTED**"}}}}}
    message = _view.RunFunctionRequest.FromString(request_bytes(request))
    assert message.observed.resources["a"].connection_details["p"] == b"**REDACTED**"


@pytest.mark.parametrize(
    "content",
    [
        {"observed": 1},
        {"observed": {"resources": []}},
        {"observed": {"resources": {"a": 1}}},
        {"observed": {"composite": {"resource": "x"}}},
        {"meta": {"tag": 1}},
        {"meta": {"capabilities": ["NO_SUCH"]}},
        {"meta": {"capabilities": 1}},
        {"observed": {"composite": {"ready": []}}},
        {"credentials": {"a": {"credentialData": {"data": {"b": 1}}}}},
        {"observed": {"composite": {"resource": {"a": 1 << 80}}}},
    ],
)
def test_what_doesnt_fit_is_told(content: dict[str, Any]) -> None:
    """A value of another type than its field is an InputError that names the place."""
    with pytest.raises(InputError, match=r"^request\.\w+"):
        request_bytes(content)


def test_a_wrong_duration_is_told() -> None:
    """A text that is no duration is an InputError."""
    with pytest.raises(InputError, match="1 minute"):
        response_bytes({"meta": {"ttl": "1 minute"}})

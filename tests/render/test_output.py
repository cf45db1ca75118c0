"""What a response is shown as."""

from __future__ import annotations

from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format

from crossplane_lite.proto import _view
from crossplane_lite.render.output import desired_documents, has_fatal, message_lines

XR = {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "photos"}, "spec": {"size": 3}}


def response(**content: Any) -> Any:
    """Return the view of a response given as the official SDK's JSON."""
    message = json_format.ParseDict(content, fnv1.RunFunctionResponse())
    return _view.RunFunctionResponse.FromString(message.SerializeToString())


def test_documents() -> None:
    """First the composite's names and status, then composed resources by name, annotated and in reading order."""
    bucket = {"status": {}, "extra": 1, "spec": {"b": 1}, "kind": "Bucket", "apiVersion": "v1"}
    acl = {"metadata": {"annotations": {"mine": "x"}, "labels": {"a": "b"}}, "kind": "ACL", "apiVersion": "v1"}
    answer = response(
        desired={
            "composite": {"resource": {"status": {"name": "x"}, "spec": {"ignored": True}}},
            "resources": {"z": {"resource": bucket}, "a": {"resource": acl}},
        }
    )
    documents = list(desired_documents(answer, XR))
    assert documents == [
        {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "photos"}, "status": {"name": "x"}},
        {
            "apiVersion": "v1",
            "kind": "ACL",
            "metadata": {
                "annotations": {"mine": "x", "crossplane.io/composition-resource-name": "a"},
                "labels": {"a": "b"},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Bucket",
            "metadata": {"annotations": {"crossplane.io/composition-resource-name": "z"}},
            "spec": {"b": 1},
            "extra": 1,
            "status": {},
        },
    ]


def test_nothing_desired() -> None:
    """A composite without desired status is shown by its names alone, the namespace included."""
    xr = {**XR, "metadata": {"name": "photos", "namespace": "team", "labels": {}}}
    assert list(desired_documents(response(), xr)) == [
        {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "photos", "namespace": "team"}}
    ]


def test_results() -> None:
    """Each result is a line with its severity, and its reason where it has one."""
    answer = response(
        results=[
            {"severity": "SEVERITY_NORMAL", "message": "all is well"},
            {"severity": "SEVERITY_WARNING", "message": "not quite", "reason": "Late"},
            {"severity": "SEVERITY_UNSPECIFIED", "message": "whatever"},
        ]
    )
    assert list(message_lines(answer)) == ["normal: all is well", "warning: not quite (Late)", "result: whatever"]
    assert not has_fatal(answer)
    assert has_fatal(response(results=[{"severity": "SEVERITY_FATAL", "message": "no"}]))


def test_requirements() -> None:
    """Requirements, which nobody answers here, are told, those in the deprecated field included and once."""
    vpc = {"apiVersion": "ec2/v1", "kind": "VPC"}
    named = {**vpc, "matchName": "main", "namespace": "team"}
    labelled = {**vpc, "matchLabels": {"labels": {"b": "2", "a": "1"}}}
    answer = response(
        requirements={
            "resources": {"one": named, "two": labelled},
            "extraResources": {"one": named, "three": {**vpc, "matchLabels": {}}},
            "schemas": {"s": vpc},
        }
    )
    assert list(message_lines(answer)) == [
        "required: one: ec2/v1 VPC named main in namespace team",
        "required: three: ec2/v1 VPC with labels (any)",
        "required: two: ec2/v1 VPC with labels a=1,b=2",
        "required: s: the schema of ec2/v1 VPC",
    ]

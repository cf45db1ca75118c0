"""What is printed of a reconcile: documents and lines."""

from __future__ import annotations

import copy
from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format

from crossplane_lite._core.call.mark import HELD_BACK_KEY
from crossplane_lite._core.dependencies.entry import Need, Waiting
from crossplane_lite._tools.render.functions import Remote
from crossplane_lite._tools.render.output import documents, events, failure_lines, lines
from crossplane_lite._tools.render.pipeline import Step
from crossplane_lite._tools.render.rendered import Rendered, RenderError, Result, StepRun

XR: dict[str, Any] = {
    "apiVersion": "example.org/v1",
    "kind": "XBucket",
    "metadata": {"name": "photos", "namespace": "team", "labels": {"a": "b"}},
    "spec": {"size": 3},
    "status": {"old": {"a": 1, "b": 2}, "ports": [1, 2]},
}
THEN = "2024-01-01T00:00:00Z"


def rendered(**content: Any) -> Rendered:
    """Return what a reconcile came to, empty but for what is given."""
    empty: dict[str, Any] = {"composite": XR, "composed": {}, "ready": {}, "deleted": {}, "results": [], "context": {}}
    return Rendered(**{**empty, "connection_details": {}, "steps": [], **content})


def run(request: dict[str, Any], response: dict[str, Any]) -> StepRun:
    """Return how a step went whose last call had these."""
    messages = [
        json_format.ParseDict(content, kind()).SerializeToString()
        for content, kind in ((request, fnv1.RunFunctionRequest), (response, fnv1.RunFunctionResponse))
    ]
    return StepRun(Step("one", "f"), Remote("nowhere:1"), messages[0], messages[1], 1)


def test_composite_alone() -> None:
    """The composite is shown by its names and its status, and without one by its names."""
    (shown,) = documents(rendered(), XR)
    assert shown == {
        "apiVersion": "example.org/v1",
        "kind": "XBucket",
        "metadata": {"name": "photos", "namespace": "team"},
        "status": XR["status"],
    }
    bare = {key: value for key, value in XR.items() if key != "status"}
    (shown,) = documents(rendered(composite={**bare, "metadata": {"name": "photos", "uid": "u"}}), XR)
    assert shown == {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "photos"}}


def test_marks() -> None:
    """Marks are shown without what they remember, and the reconcile's own resources keep it."""
    metadata = {"name": "a", "annotations": {"crossplane-lite/function": "net;1abcdefgh.12345,other"}}
    found = rendered(composed={"a": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}})
    (_, shown) = documents(found, XR)
    assert shown["metadata"]["annotations"] == {"crossplane-lite/function": "net,other"}
    assert found.composed["a"]["metadata"] == metadata


def test_events() -> None:
    """Crossplane itself says which Composition it selected, where the composite named none, and what isn't ready."""
    told = Result("Normal", "Done", "told", "one")
    found = rendered(results=[told], ready={"a": True, "b": False}, steps=[run({}, {})])
    selected = Result("Normal", "SelectComposition", "Successfully selected composition: c", "")
    unready = Result("Normal", "ComposeResources", 'Composed resource "b" is not yet ready', "")
    assert list(events(found, XR, "c")) == [selected, told, unready]
    new, old = {"crossplane": {"compositionRef": {"name": "c"}}}, {"compositionRef": {"name": "c"}}
    assert list(events(found, {**XR, "spec": new}, "c")) == [told, unready]
    assert list(events(found, {**XR, "spec": old}, "c")) == [selected, told, unready]
    assert list(events(found._replace(legacy=True), {**XR, "spec": old}, "c")) == [told, unready]
    assert list(events(found, XR, None)) == [told, unready]
    assert list(events(rendered(), XR, "c")) == [selected]


def test_events_of_annotations() -> None:
    """A pause and a request to reconcile are events; the latter once for each token."""
    paused = {"crossplane.io/paused": "true"}
    requested = {"crossplane.io/reconcile-requested-at": "now"}

    def found(annotations: dict[str, str], **more: Any) -> list[tuple[str, str, str]]:
        xr = {**XR, "metadata": {**XR["metadata"], "annotations": annotations}, **more}
        return [(one.severity, one.reason, one.message) for one in events(rendered(), xr, None)]

    pause = ("Normal", "ReconciliationPaused", "Reconciliation is paused via the pause annotation")
    request = ("Normal", "ReconcileRequestHandled", "Handling reconcile request")
    assert found({**paused, **requested}) == [pause]
    assert found(requested) == [request]
    assert found(requested, status={"lastHandledReconcileAt": "before"}) == [request]
    assert found(requested, status={"lastHandledReconcileAt": "now"}) == []


def test_an_empty_context_is_no_document() -> None:
    """Nothing is printed for a context that has nothing in it."""
    assert [one["kind"] for one in documents(rendered(), XR, context=True)] == [XR["kind"]]


def test_full_composite() -> None:
    """With all of the composite what came out is merged over what was given, and neither is changed."""
    before = copy.deepcopy(XR)
    after = {**XR, "metadata": {**XR["metadata"], "uid": "u"}, "status": {"old": {"b": 3}, "ports": [9]}}
    (shown,) = documents(rendered(composite=after), XR, full=True)
    assert shown == {**before, "status": {"old": {"a": 1, "b": 3}, "ports": [9]}}
    assert before == XR


def test_order() -> None:
    """After the composite come the composed resources by name, results in their order, and the context."""
    composed = {name: {"apiVersion": "v1", "kind": name.upper()} for name in ("b", "a-1", "a")}
    results = [Result("Warning", "ComposeResources", "first", "one"), Result("Normal", "Done", "second", "two")]
    found = rendered(composed=composed, results=results, context={"k": {"v": 1}})
    shown = list(documents(found, XR, results=results, context=True))
    assert [one["kind"] for one in shown] == ["XBucket", "A", "A-1", "B", "Result", "Result", "Context"]
    assert shown[4:] == [
        {
            "apiVersion": "render.crossplane.io/v1beta1",
            "kind": "Result",
            "severity": "Warning",
            "reason": "ComposeResources",
            "message": "first",
        },
        {
            "apiVersion": "render.crossplane.io/v1beta1",
            "kind": "Result",
            "severity": "Normal",
            "reason": "Done",
            "message": "second",
        },
        {"apiVersion": "render.crossplane.io/v1beta1", "kind": "Context", "fields": {"k": {"v": 1}}},
    ]
    assert [one["kind"] for one in documents(found, XR)] == ["XBucket", "A", "A-1", "B"]


def test_times() -> None:
    """Every condition that is shown has the same transition time, and what isn't one stays as it is."""
    status = {"conditions": [{"type": "Ready", "lastTransitionTime": "2026-11-20T00:00:00Z"}, {"type": "Synced"}, 3]}
    thing = {"apiVersion": "v1", "kind": "Thing", "status": {"conditions": "none"}}
    xr, composed = documents(rendered(composite={**XR, "status": status}, composed={"a": thing}), XR)
    wanted = [{"type": "Ready", "lastTransitionTime": THEN}, {"type": "Synced", "lastTransitionTime": THEN}, 3]
    assert xr["status"]["conditions"] == wanted
    assert composed == thing
    assert "2026" in str(status)


def test_results() -> None:
    """Each result is a line with its severity, and with its reason where the function gave one."""
    results = [Result("Warning", "ComposeResources", "not quite", "one"), Result("Normal", "Done", "well", "two")]
    assert list(lines(rendered(results=results))) == ["warning: not quite", "normal: well (Done)"]
    assert list(lines(rendered(results=results), results=False)) == []


def test_long_results() -> None:
    """A long message of parts has a line for each, and dependencies that these don't say; a short one has one line."""
    waiting = [f"bucket-{at} waits for network.status.atProvider.id (network isn't observed yet)" for at in range(3)]
    edges = [f"network -> bucket-{at} (network.status.atProvider.id)" for at in range(3)]
    edges.append("network -> xr.status.id (network.status.atProvider.id)")
    message = f'Pipeline step "one": {"; ".join(waiting)}. Dependencies: {"; ".join(edges)}'
    results = [
        Result("Normal", "Waiting", message, "one"),
        Result("Warning", "ComposeResources", "a; b. Dependencies: c", ""),
    ]
    assert list(lines(rendered(results=results))) == [
        f'normal: Pipeline step "one": {waiting[0]} (Waiting)',
        f"  {waiting[1]}",
        f"  {waiting[2]}",
        "  Dependencies:",
        "    network -> xr.status.id (network.status.atProvider.id)",
        "warning: a; b. Dependencies: c",
    ]
    assert list(lines(rendered(results=[Result("Normal", "Waiting", "x" * 500, "one")]))) == [
        f"normal: {'x' * 500} (Waiting)"
    ]


def test_deleted() -> None:
    """What would be deleted is told by name, with what it is."""
    deleted = {
        "b": {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "photos-b"}},
        "a": {"apiVersion": "v1", "kind": "Thing"},
    }
    assert list(lines(rendered(deleted=deleted))) == [
        "deleted: a (v1 Thing) is observed and not desired any more",
        "deleted: b (v1 Thing photos-b) is observed and not desired any more",
    ]


def test_requirements_that_nothing_was_found_for() -> None:
    """Requirements that files and cluster have no answer to are told, those in the deprecated field once."""
    vpc = {"apiVersion": "ec2/v1", "kind": "VPC"}
    named = {**vpc, "matchName": "main", "namespace": "team"}
    labelled = {**vpc, "matchLabels": {"labels": {"b": "2", "a": "1"}}}
    request = {
        "requiredResources": {"one": {}, "here": {"items": [{"resource": {"kind": "VPC"}}]}},
        "requiredSchemas": {"s": {}, "known": {"openapiV3": {"type": "object"}}},
    }
    response = {
        "requirements": {
            "resources": {"one": named, "two": labelled, "here": named},
            "extraResources": {"one": named, "three": {**vpc, "matchLabels": {}}},
            "schemas": {"s": vpc, "known": vpc},
        },
    }
    start = "not found: step one requires"
    assert list(lines(rendered(steps=[run(request, response)]))) == [
        f"{start} one: ec2/v1 VPC named 'main' in namespace team",
        f"{start} three: ec2/v1 VPC with labels (any)",
        f"{start} two: ec2/v1 VPC with labels a=1,b=2",
        f"{start} s: the schema of ec2/v1 VPC",
    ]
    error = RenderError("failed", "one")
    error.results = [Result("Normal", "Done", "well", "one")]
    error.steps = [run(request, {"requirements": {"schemas": {"s": vpc}}})]
    assert list(failure_lines(error)) == ["normal: well (Done)", f"{start} s: the schema of ec2/v1 VPC"]


def test_connection_details_that_nobody_gave() -> None:
    """The Secret is named whose details something waits for, if the resource exists and the Secret isn't given."""
    needs = [
        ("url", "database", "database.connection_details"),
        ("user", "database", 'database.connection_details["user"]'),
        ("url", "given", "given.connection_details"),
        ("url", "later", "later.connection_details"),
        ("url", "bare", "bare.connection_details"),
        ("url", "quiet", "quiet.status.id"),
    ]
    waiting = Waiting(["url", "user"], [Need(*need, why="") for need in needs], [])
    spec = {"writeConnectionSecretToRef": {"name": "db", "namespace": "elsewhere"}}
    observed = {
        "database": {"resource": {"metadata": {"namespace": "team"}, "spec": spec}},
        "given": {"resource": {"spec": spec}, "connectionDetails": {"user": "YQ=="}},
        "bare": {"resource": {"spec": {}}},
        "quiet": {"resource": {"spec": spec}},
    }
    context = {HELD_BACK_KEY: {"one": waiting.to_data()}}
    step = run({"observed": {"resources": observed}}, {"context": context})
    assert list(lines(rendered(steps=[step]))) == [
        "not found: Secret team/db with the connection details of database, needed by url, user "
        "(--required-resources takes Secrets, too)"
    ]

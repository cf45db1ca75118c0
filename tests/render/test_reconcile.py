"""One reconcile of a composite resource."""

from __future__ import annotations

import base64
import copy
import hashlib
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite.errors import CrossplaneLiteError, InputError
from crossplane_lite.render import FatalResultError, Remote, Rendered, RenderError, Step, render
from crossplane_lite.runtime.server import Server
from tests.render.scripted import XR, Objects, Scripted, desire, thing
from tests.runtime import functions

Script = Callable[[fnv1.RunFunctionRequest, fnv1.RunFunctionResponse], object]

TIME = "2024-01-01T00:00:00Z"
RESPONSIVE = {"type": "Responsive", "status": "True", "reason": "WatchCircuitClosed", "lastTransitionTime": TIME}
SYNCED = {"type": "Synced", "status": "True", "reason": "ReconcileSuccess", "lastTransitionTime": TIME}
AVAILABLE = {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": TIME}
CREATING = {"type": "Ready", "status": "False", "reason": "Creating", "lastTransitionTime": TIME}
ENDED_EARLY = "A fatal error occurred before the status of this condition could be determined."


def nothing(_req: Any, _rsp: Any) -> None:
    """Adds nothing."""


def once(script: Script | Scripted, xr: Mapping[str, Any] = XR, **options: Any) -> Rendered:
    """Do one reconcile with a step that runs a script."""
    runner = script if isinstance(script, Scripted) else Scripted(script)
    return render(xr, [Step("one", "f")], {"f": runner}, **options)


def failure(script: Script, xr: Mapping[str, Any] = XR, **options: Any) -> RenderError:
    """Return what a reconcile fails with."""
    with pytest.raises(RenderError) as caught:
        once(script, xr, **options)
    return caught.value


def conditions(composite: Mapping[str, Any] | None) -> list[Any]:
    """Return a composite's conditions."""
    assert composite is not None
    found: list[Any] = composite["status"]["conditions"]
    return found


def with_status(**status: Any) -> dict[str, Any]:
    """Return the composite with a status."""
    return {**XR, "status": status}


def references(*names: str) -> dict[str, Any]:
    """Return the composite's spec with references to things of these names."""
    found = [{"apiVersion": "example.org/v1", "kind": "Thing", "name": name} for name in names]
    return {**XR["spec"], "crossplane": {"resourceRefs": found}}


def test_golden() -> None:
    """A whole reconcile: what is applied, deleted, stored and reported, and nothing that was given is changed."""

    def script(req: fnv1.RunFunctionRequest, rsp: fnv1.RunFunctionResponse) -> None:
        desire(rsp, "new", {**thing(), "spec": {"a": 1}, "status": {"gone": True}}, ready=True)
        desire(rsp, "kept", {**thing(name="other"), "spec": {"b": 2}})
        rsp.desired.composite.resource.update(
            {"metadata": {"name": "x"}, "spec": {"size": 9}, "status": {"address": "10.0.0.1"}}
        )
        rsp.desired.composite.connection_details["user"] = b"me"
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_NORMAL, message="made"))
        rsp.context.update({"c": 3})

    observed = [thing("kept"), thing("old")]
    given = copy.deepcopy((XR, observed))
    rendered = once(script, observed=observed, context={"a": 1})
    assert (XR, observed) == given
    owner = {"apiVersion": "example.org/v1", "kind": "XBucket", "name": "photos", "uid": "an-uid"}
    owner |= {"controller": True, "blockOwnerDeletion": True}  # type: ignore[dict-item]
    unready = {**CREATING, "message": "Unready resources: kept"}
    assert rendered.composite == {
        **with_status(address="10.0.0.1", conditions=[RESPONSIVE, SYNCED, unready]),
        "spec": references(rendered.composed["new"]["metadata"]["name"], "photos-kept"),
    }
    assert list(rendered.composed) == ["kept", "new"]
    assert rendered.composed["kept"] == {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "metadata": {
            "annotations": {"crossplane.io/composition-resource-name": "kept"},
            "labels": {"crossplane.io/composite": "photos"},
            "name": "photos-kept",
            "ownerReferences": [owner],
        },
        "spec": {"b": 2},
    }
    assert rendered.composed["new"]["metadata"] == {
        "annotations": {"crossplane.io/composition-resource-name": "new"},
        "generateName": "photos-",
        "labels": {"crossplane.io/composite": "photos"},
        "name": "photos-" + hashlib.sha256(b"an-uidnew").hexdigest()[:12],
        "ownerReferences": [owner],
    }
    assert rendered.ready == {"kept": False, "new": True}
    assert rendered.deleted == {"old": thing("old")}
    assert [tuple(one) for one in rendered.results] == [
        ("Normal", "ComposeResources", 'Pipeline step "one": made', "one")
    ]
    assert rendered.context == {"a": 1, "c": 3}
    assert rendered.connection_details == {"user": b"me"}
    assert [one.calls for one in rendered.steps] == [1]


def test_references_after_a_failure() -> None:
    """Where nothing is composed the composite refers to what it referred to before."""
    xr = {**XR, "spec": references("before")}
    error = failure(lambda _req, rsp: rsp.results.add(severity=fnv1.SEVERITY_FATAL), xr, observed=[thing("a")])
    assert error.composite is not None
    assert error.composite["spec"] == references("before")


def test_nothing_is_shared() -> None:
    """What is returned can be changed without an effect on what was given."""
    xr = copy.deepcopy({**XR, "metadata": {**XR["metadata"], "labels": {"a": "b"}}})
    observed = [thing("old")]
    rendered = once(nothing, xr, observed=observed)
    rendered.composite["metadata"]["labels"]["a"] = "changed"
    rendered.composite["spec"]["size"] = "changed"
    rendered.deleted["old"]["metadata"]["name"] = "changed"
    assert (xr["metadata"]["labels"], xr["spec"], observed) == ({"a": "b"}, {"size": 3}, [thing("old")])


def test_no_steps() -> None:
    """A composition without steps composes nothing, and the composite is ready."""
    rendered = render(XR, [], {})
    assert rendered.composite == {**with_status(conditions=[RESPONSIVE, SYNCED, AVAILABLE]), "spec": references()}
    assert (rendered.composed, rendered.context, rendered.steps) == ({}, {}, [])


@pytest.mark.parametrize(
    ("resources", "composite", "expected"),
    [
        ({}, None, AVAILABLE),
        ({"a": True, "b": True}, None, AVAILABLE),
        ({"a": True, "b": False}, None, {**CREATING, "message": "Unready resources: b"}),
        ({"b": None, "a": False}, None, {**CREATING, "message": "Unready resources: a, b"}),
        (dict.fromkeys("cab"), None, {**CREATING, "message": "Unready resources: a, b, and c"}),
        (dict.fromkeys("edcab"), None, {**CREATING, "message": "Unready resources: a, b, c, and 2 more"}),
        ({"a": False}, True, AVAILABLE),
        ({"a": True}, False, CREATING),
        ({"a": False}, False, CREATING),
        ({}, False, CREATING),
    ],
)
def test_readiness(resources: Mapping[str, bool | None], composite: bool | None, expected: Mapping[str, Any]) -> None:
    """What the functions say of the composite decides; else it is ready when each desired resource is."""

    def script(_req: Any, rsp: Any) -> None:
        for name, ready in resources.items():
            desire(rsp, name, thing(), ready)
        if composite is not None:
            rsp.desired.composite.ready = fnv1.READY_TRUE if composite else fnv1.READY_FALSE

    rendered = once(script)
    assert conditions(rendered.composite)[-1] == expected
    assert rendered.ready == {name: bool(ready) for name, ready in sorted(resources.items())}


def test_held_back_resources_do_not_count() -> None:
    """A resource that is observed and not desired doesn't keep the composite from being ready."""
    rendered = once(nothing, observed=[thing("old")])
    assert conditions(rendered.composite)[-1] == AVAILABLE


OLD = [
    {
        "type": "Ready",
        "status": "False",
        "reason": "Creating",
        "message": "old",
        "lastTransitionTime": "2020-02-02T00:00:00Z",
    },
    {"type": "Mine", "status": "True", "reason": "Before", "lastTransitionTime": "2020-02-02T00:00:00Z"},
    {"type": "Other", "status": "True", "reason": "Before", "lastTransitionTime": "2020-02-02T00:00:00Z"},
]


def custom(type_: str, status: int = fnv1.STATUS_CONDITION_TRUE, **more: Any) -> Script:
    """Return a script that returns a condition."""
    return lambda _req, rsp: rsp.conditions.add(type=type_, status=status, reason="Now", **more)


def test_conditions_are_merged() -> None:
    """Conditions keep their places, new ones come at the end, and all have the same transition time."""
    rendered = once(custom("Mine", fnv1.STATUS_CONDITION_FALSE, message="m"), with_status(conditions=OLD))
    mine = {"type": "Mine", "status": "False", "reason": "Now", "message": "m", "lastTransitionTime": TIME}
    other = {**OLD[2], "lastTransitionTime": TIME}
    assert conditions(rendered.composite) == [AVAILABLE, mine, other, RESPONSIVE, SYNCED]


@pytest.mark.parametrize("type_", ["Ready", "Synced", "Healthy", "UpToDate", "Responsive"])
def test_system_conditions(type_: str) -> None:
    """A function can't set Crossplane's own conditions."""
    rendered = once(custom(type_, fnv1.STATUS_CONDITION_FALSE))
    assert conditions(rendered.composite) == [RESPONSIVE, SYNCED, AVAILABLE]


def test_last_condition_wins() -> None:
    """Of two conditions of a type the later step's counts."""
    runners = {name: Scripted(custom("Mine", status)) for name, status in (("f", 2), ("g", 3))}
    rendered = render(XR, [Step("one", "f"), Step("two", "g")], runners)
    assert [one["status"] for one in conditions(rendered.composite) if one["type"] == "Mine"] == ["False"]


def test_generation() -> None:
    """Crossplane's own conditions have the generation that they are about; those of functions don't."""
    xr = {**XR, "metadata": {**XR["metadata"], "generation": 7}}
    found = {one["type"]: one.get("observedGeneration") for one in conditions(once(custom("Mine"), xr).composite)}
    assert found == {"Responsive": 7, "Mine": None, "Synced": 7, "Ready": 7}


def test_status() -> None:
    """The status is what is desired and what is Crossplane's own: what functions desire no more goes away."""
    own = {"connectionDetails": {"lastPublishedTime": "x"}, "claimConditionTypes": ["A"], "crossplane": {"a": 1}}
    xr = with_status(address="old", gone=1, conditions=OLD[1:2], **own)

    def script(_req: Any, rsp: Any) -> None:
        rsp.desired.composite.resource.update({"status": {"address": "new"}})

    status = once(script, xr).composite["status"]
    assert [one["type"] for one in status.pop("conditions")] == ["Mine", "Responsive", "Synced", "Ready"]
    assert status == {"address": "new", **own}


def test_conditions_in_the_desired_status() -> None:
    """Conditions that a function desires in the composite's status come first; those that it has already win."""

    def script(_req: Any, rsp: Any) -> None:
        mine = {"type": "Mine", "status": "False", "reason": "Desired"}
        new = {"type": "New", "status": "True", "reason": "Desired"}
        rsp.desired.composite.resource.update({"status": {"conditions": [new, mine]}})

    found = {one["type"]: one["reason"] for one in conditions(once(script, with_status(conditions=OLD)).composite)}
    assert list(found)[:2] == ["New", "Mine"]
    assert (found["New"], found["Mine"], found["Other"]) == ("Desired", "Before", "Before")


@pytest.mark.parametrize("status", ["x", 3, [1], None])
def test_desired_status_that_is_none(status: Any) -> None:
    """A desired status that isn't an object fails the reconcile."""
    error = failure(lambda _req, rsp: rsp.desired.composite.resource.update({"status": status}))
    assert "the desired composite's status must be an object" in str(error)


def test_desired_conditions_that_are_none() -> None:
    """Desired conditions that aren't a list of conditions fail the reconcile."""
    error = failure(lambda _req, rsp: rsp.desired.composite.resource.update({"status": {"conditions": [{}]}}))
    assert "the desired composite's status.conditions[0] must be a condition with a type" in str(error)


def test_garbage() -> None:
    """What is observed, not desired and controlled by the composite is deleted; what nobody controls is left."""
    free = thing("free", ownerReferences=[])
    owned = thing("owned", ownerReferences=[{**thing("x")["metadata"]["ownerReferences"][0], "controller": False}])
    rendered = once(lambda _req, rsp: desire(rsp, "kept", thing()), observed=[thing("kept"), thing("old"), free, owned])
    assert list(rendered.deleted) == ["old"]


CONTROLLER = {"kind": "XOther", "name": "them", "uid": "t", "controller": True}


@pytest.mark.parametrize(
    ("metadata", "namespace", "text"),
    [
        (
            {"ownerReferences": [CONTROLLER]},
            None,
            'the observed resource "a" has a controller that isn\'t the composite: XOther them with uid t, and the '
            "composite's uid is an-uid; leave the resource out, or give the composite's metadata.uid as the cluster "
            "has it",
        ),
        (
            {"ownerReferences": [{"kind": "XBucket", "name": "photos", "controller": True}]},
            None,
            'the observed resource "a" has a controller that isn\'t the composite: XBucket photos with uid (none)',
        ),
        (
            {"namespace": "there"},
            "here",
            'the observed resource "a" is in namespace "there", and composed resources must be in the composite\'s '
            'namespace, "here"',
        ),
        ({}, "here", 'the observed resource "a" is in no namespace, and composed resources'),
    ],
    ids=["another controller", "no uid", "another namespace", "no namespace"],
)
def test_observed_resources_of_others(metadata: Any, namespace: str | None, text: str) -> None:
    """An observed resource that Crossplane wouldn't take for the composite's is an error; no function is called."""
    runner = Scripted(nothing)
    xr = XR if namespace is None else {**XR, "metadata": {**XR["metadata"], "namespace": namespace}}
    with pytest.raises(InputError) as caught:
        once(runner, xr, observed=[thing("a", **metadata)])
    assert str(caught.value).startswith(text)
    assert runner.requests == []


def test_observed_without_a_uid_of_the_composite() -> None:
    """Where the composite has no uid, observed resources that it controlled before have the one that it gets."""
    xr = {**XR, "metadata": {"name": "photos"}}
    first = once(lambda _req, rsp: desire(rsp, "a", thing()), xr)
    second = once(nothing, xr, observed=first.composed.values())
    assert list(second.deleted) == ["a"]


def observed_plain(request: fnv1.RunFunctionRequest) -> dict[str, Any]:
    """Return the observed state of a request."""
    found: dict[str, Any] = json_format.MessageToDict(request.observed, preserving_proto_field_name=True)
    return found


def test_observed_state() -> None:
    """Functions are sent the composite with all that it has in a cluster, and observed resources with managedFields."""
    runner = Scripted(nothing)
    xr = {**XR, "metadata": {"name": "photos", "labels": {"a": "b"}}}
    rendered = once(runner, xr, observed=[thing("a", ownerReferences=[])], composition="c")
    state = observed_plain(runner.requests[0])
    refs = references("photos-a")["crossplane"]
    metadata = state["composite"]["resource"].pop("metadata")
    assert len(metadata.pop("uid")) == 36
    (entry,) = state["resources"]["a"]["resource"]["metadata"].pop("managedFields")
    assert entry["manager"].startswith("apiextensions.crossplane.io/composed/")
    assert metadata == {"name": "photos", "labels": {"a": "b", "crossplane.io/composite": "photos"}}
    assert state == {
        "composite": {
            "resource": {
                "apiVersion": XR["apiVersion"],
                "kind": XR["kind"],
                "spec": {**XR["spec"], "crossplane": {"compositionRef": {"name": "c"}, **refs}},
                "status": {"conditions": [RESPONSIVE]},
            }
        },
        "resources": {"a": {"resource": thing("a", ownerReferences=[])}},
    }
    assert rendered.composite["metadata"] == xr["metadata"]


def secret(name: str, namespace: str, text: str) -> dict[str, Any]:
    """Return a Secret."""
    data = {"key": base64.b64encode(text.encode()).decode()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}, "data": data}


def connected(resource: Mapping[str, Any], **reference: str) -> dict[str, Any]:
    """Return a resource that names a connection secret."""
    return {**resource, "spec": {"writeConnectionSecretToRef": reference}}


LEGACY = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "CompositeResourceDefinition",
    "spec": {"group": "example.org", "names": {"kind": "XBucket"}, "claimNames": {"kind": "Bucket"}},
}


def test_composites_of_crossplane_1() -> None:
    """The XRD's scope alone says where references are: the fields of the spec don't."""
    spec = {"writeConnectionSecretToRef": {"name": "s"}, "compositionRef": {"name": "c"}, "resourceRefs": []}
    xr = {**XR, "spec": spec}
    runner = Scripted(lambda _req, rsp: desire(rsp, "a", thing(name="x")))
    (reference,) = references("x")["crossplane"]["resourceRefs"]
    old = once(runner, xr, xrd=LEGACY, composition="now", observed=[thing("a", name="x")])
    assert old.composite["spec"] == {**spec, "resourceRefs": [reference]}
    new = once(runner, xr, composition="now", observed=[thing("a", name="x")])
    assert new.composite["spec"] == {**spec, "crossplane": {"resourceRefs": [reference]}}
    assert (old.legacy, new.legacy) == (True, False)
    seen = [observed_plain(one)["composite"]["resource"]["spec"] for one in runner.requests]
    assert seen[0] == {**spec, "compositionRef": {"name": "now"}, "resourceRefs": [reference]}
    assert seen[1] == {**spec, "crossplane": {"compositionRef": {"name": "now"}, "resourceRefs": [reference]}}


def test_a_claim_is_refused() -> None:
    """A claim is not its composite: the error names the kind of that. An XRD of another kind is refused too."""
    with pytest.raises(InputError, match=r"Bucket is the kind of the claim.*; give the composite of kind XBucket$"):
        once(nothing, {**XR, "kind": "Bucket"}, xrd=LEGACY)
    with pytest.raises(
        InputError, match="defines the composite XBucket of example.org, and the composite is an XOther of example.org"
    ):
        once(nothing, {**XR, "kind": "XOther"}, xrd=LEGACY)


def test_conditions_of_claims() -> None:
    """A composite of Crossplane 1 notes which conditions its claim gets, after a failure too; others note nothing."""

    def script(_req: Any, rsp: Any) -> None:
        for name in ("Mine", "Yours", "Mine"):
            target = fnv1.TARGET_COMPOSITE_AND_CLAIM if name == "Mine" else fnv1.TARGET_COMPOSITE
            rsp.conditions.add(type=name, status=fnv1.STATUS_CONDITION_TRUE, reason="R", target=target)

    xr = with_status(claimConditionTypes=["Before"])
    assert once(script, xr, xrd=LEGACY).composite["status"]["claimConditionTypes"] == ["Before", "Mine"]
    assert "claimConditionTypes" not in once(script).composite["status"]

    def failing(req: Any, rsp: Any) -> None:
        script(req, rsp)
        rsp.results.add(severity=fnv1.SEVERITY_FATAL)

    error = failure(failing, xrd=LEGACY)
    assert error.composite is not None
    assert error.composite["status"]["claimConditionTypes"] == ["Mine"]


def test_large_integers_of_others() -> None:
    """Integers beyond 2^53 in what exists become doubles, as functions are sent them."""
    runner = Scripted(nothing)
    rendered = once(runner, observed=[{**thing("a"), "status": {"n": [2**60 + 1, -(2**55), 5, True]}}])
    (found,) = runner.requests[0].observed.resources.values()
    assert json_format.MessageToDict(found.resource)["status"]["n"] == [2.0**60, -(2.0**55), 5.0, True]
    assert rendered.deleted["a"]["status"]["n"][2:] == [5, True]


def test_the_composite_and_observed_resources_answer_requirements() -> None:
    """What a function asks for is found among its own, as anything that exists is."""

    def script(_req: Any, rsp: Any) -> None:
        own = fnv1.ResourceSelector(api_version="example.org/v1", kind="XBucket", match_name="photos")
        composed = fnv1.ResourceSelector(api_version="example.org/v1", kind="Thing", match_name="photos-a")
        rsp.requirements.resources["own"].CopyFrom(own)
        rsp.requirements.resources["composed"].CopyFrom(composed)

    runner = Scripted(script)
    once(runner, observed=[thing("a")])
    answers = runner.requests[-1].required_resources
    found = {name: [to_plain(item) for item in one.items] for name, one in answers.items()}
    assert found["composed"] == [thing("a")]
    assert found["own"][0]["metadata"]["uid"] == "an-uid"


def to_plain(item: Any) -> Any:
    """Return a resource as plain data."""
    return json_format.MessageToDict(item.resource)


def test_a_reconcile_that_is_asked_for() -> None:
    """The token of the annotation is stored where no pipeline runs to its end, and functions are shown it."""
    metadata = {**XR["metadata"], "annotations": {"crossplane.io/reconcile-requested-at": "now"}}
    runner = Scripted(nothing)
    once(runner, {**XR, "metadata": metadata})
    assert observed_plain(runner.requests[0])["composite"]["resource"]["status"]["lastHandledReconcileAt"] == "now"
    error = failure(lambda _req, rsp: rsp.results.add(severity=fnv1.SEVERITY_FATAL), {**XR, "metadata": metadata})
    assert error.composite is not None
    assert error.composite["status"]["lastHandledReconcileAt"] == "now"
    paused = {**metadata, "annotations": {**metadata["annotations"], "crossplane.io/paused": "true"}}
    assert "lastHandledReconcileAt" not in once(nothing, {**XR, "metadata": paused}).composite["status"]


@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_labels_that_are_no_strings(field: str) -> None:
    """Crossplane drops all labels or annotations with one that is no string, which is noted; null is empty text."""
    rendered = once(lambda _req, rsp: desire(rsp, "a", thing(**{field: {"good": "x", "bad": 3}})))
    assert not {"good", "bad"} & set(rendered.composed["a"]["metadata"][field])
    assert list(rendered.notes) == [
        f'composed resource "a": Crossplane drops all {field} that the functions desire, 2 of them, because '
        f"metadata.{field}.bad is not a string (it is an integer)"
    ]
    rendered = once(lambda _req, rsp: desire(rsp, "a", thing(**{field: {"good": "x", "none": None}})))
    assert rendered.composed["a"]["metadata"][field].items() >= {"good": "x", "none": ""}.items()
    assert list(rendered.notes) == []


def test_connection_details() -> None:
    """Connection details come from the Secrets that resources name: a namespaced resource's is in its namespace."""
    cluster = Objects(
        secret("xr", "ns", "of xr"), secret("a", "ns", "of a"), secret("b", "team", "of b"), secret("b", "ns", "other")
    )
    observed = [
        connected(thing("a"), name="a", namespace="ns"),
        connected(thing("b", namespace="team"), name="b", namespace="ns"),
        connected(thing("c"), name="gone", namespace="ns"),
        connected(thing("d"), namespace="ns"),
        {**thing("e"), "spec": {"writeConnectionSecretToRef": "odd"}},
    ]
    runner = Scripted(nothing)
    xr = connected(XR, name="xr", namespace="ns")
    once(runner, xr, observed=observed, cluster=cluster)
    assert dict(runner.requests[0].observed.composite.connection_details) == {}
    once(runner, xr, observed=observed, cluster=cluster, xrd=LEGACY)
    state = runner.requests[1].observed
    assert dict(state.composite.connection_details) == {"key": b"of xr"}
    assert {name: dict(one.connection_details) for name, one in state.resources.items()} == {
        "a": {"key": b"of a"},
        "b": {"key": b"of b"},
        "c": {},
        "d": {},
        "e": {},
    }


def test_fatal() -> None:
    """After a fatal result the composite says so; conditions until then count, others are unknown, the rest stays."""

    def script(req: Any, rsp: Any) -> None:
        rsp.conditions.add(type="Mine", status=fnv1.STATUS_CONDITION_FALSE, reason="Now")
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_WARNING, message="careful"))
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_FATAL, message="no way"))
        rsp.desired.composite.resource.update({"status": {"address": "new"}})

    error = failure(script, with_status(address="old", conditions=OLD))
    assert isinstance(error, FatalResultError)
    assert str(error) == 'pipeline step "one" returned a fatal result: no way'
    assert error.step == "one"
    assert error.composite is not None
    assert error.composite["status"]["address"] == "old"
    assert error.composite["spec"] == XR["spec"]
    message = 'cannot compose resources: pipeline step "one" returned a fatal result: no way'
    assert conditions(error.composite) == [
        {**OLD[0], "lastTransitionTime": TIME},
        {"type": "Mine", "status": "False", "reason": "Now", "lastTransitionTime": TIME},
        {
            "type": "Other",
            "status": "Unknown",
            "reason": "FatalError",
            "message": ENDED_EARLY,
            "lastTransitionTime": TIME,
        },
        RESPONSIVE,
        {
            "type": "Synced",
            "status": "False",
            "reason": "ReconcileError",
            "message": message,
            "lastTransitionTime": TIME,
        },
    ]
    assert [one.message for one in error.results] == ['Pipeline step "one": careful']
    assert [one.step.name for one in error.steps] == ["one"]


def test_refused_resource() -> None:
    """A composed resource that can't be applied fails the reconcile, with the composition resource name."""

    def script(req: Any, rsp: Any) -> None:
        desire(rsp, "good", thing())
        desire(rsp, "bad", {"kind": "Thing"})
        custom("Mine")(req, rsp)

    error = failure(script)
    assert not isinstance(error, FatalResultError)
    assert (str(error), error.step) == ('composed resource "bad" has no apiVersion', None)
    found = {one["type"]: one for one in conditions(error.composite)}
    assert found["Synced"]["message"] == 'cannot compose resources: composed resource "bad" has no apiVersion'
    assert found["Mine"]["status"] == "True"
    assert "Ready" not in found
    assert len(error.steps) == 1


def test_resource_without_content() -> None:
    """A desired resource that holds nothing at all is refused like one without apiVersion."""
    assert 'composed resource "a" has no apiVersion' in str(failure(lambda _req, rsp: rsp.desired.resources["a"]))


def test_cluster_scoped_in_a_namespace() -> None:
    """A cluster says which kinds a namespaced composite can't compose."""
    xr = {**XR, "metadata": {**XR["metadata"], "namespace": "team"}}
    cluster = Objects(scopes={"Thing": "Cluster"})
    error = failure(lambda _req, rsp: desire(rsp, "a", thing()), xr, cluster=cluster)
    assert "cluster-scoped" in str(error)
    assert once(lambda _req, rsp: desire(rsp, "a", thing()), xr).composed["a"]["metadata"]["namespace"] == "team"


def test_other_namespace() -> None:
    """Crossplane's own warning comes after what functions reported, and the reconcile goes on."""
    xr = {**XR, "metadata": {**XR["metadata"], "namespace": "team"}}

    def script(_req: Any, rsp: fnv1.RunFunctionResponse) -> None:
        rsp.results.add(severity=fnv1.SEVERITY_NORMAL, message="hello")
        desire(rsp, "a", thing(namespace="other"))

    rendered = once(script, xr)
    assert [one.reason for one in rendered.results] == ["ComposeResources", "NamespaceOverridden"]
    assert rendered.composed["a"]["metadata"]["namespace"] == "team"


PAUSED = {"type": "Synced", "status": "False", "reason": "ReconcilePaused", "lastTransitionTime": TIME}
DELETING = {"type": "Ready", "status": "False", "reason": "Deleting", "lastTransitionTime": TIME}
PAUSE = {"annotations": {"crossplane.io/paused": "true"}}
ALONE: dict[str, tuple[Any, Any]] = {
    "paused": (
        PAUSE,
        [{**PAUSED, "message": "Reconciliation (including deletion) is paused via the pause annotation"}],
    ),
    "deleted": ({"deletionTimestamp": "2026-01-01T00:00:00Z"}, [DELETING, SYNCED]),
    "both": ({**PAUSE, "deletionTimestamp": "2026-01-01T00:00:00Z"}, None),
}


@pytest.mark.parametrize("which", ALONE)
def test_left_alone(which: str, caplog: pytest.LogCaptureFixture) -> None:
    """For a composite that is paused or being deleted no function is called, nothing is deleted, its status stays."""
    metadata, expected = ALONE[which]
    runner = Scripted(nothing)
    xr = {**with_status(address="old"), "metadata": {**XR["metadata"], **metadata}}
    rendered = once(runner, xr, observed=[thing("old")])
    assert (runner.requests, rendered.composed, rendered.deleted) == ([], {}, {})
    assert rendered.composite["status"]["address"] == "old"
    assert conditions(rendered.composite) == [RESPONSIVE, *(expected or ALONE["paused"][1])]
    assert "no function is called" in caplog.text


def test_requirements_that_are_never_stable() -> None:
    """Requirements that are never stable fail the reconcile, with step and limit."""

    def script(req: Any, rsp: Any) -> None:
        name = str(len(runner.requests))
        selector = fnv1.ResourceSelector(api_version="v1", kind="Node", match_name=name)
        rsp.requirements.resources["a"].CopyFrom(selector)

    runner = Scripted(script)
    with pytest.raises(RenderError, match='step "one": .* after the maximum number of iterations .5.') as caught:
        once(runner)
    assert conditions(caught.value.composite)[-1]["reason"] == "ReconcileError"
    assert [one.calls for one in caught.value.steps] == [6]


def test_dead_address() -> None:
    """A function that nobody serves fails the reconcile in time, with function, target and status."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{taken.getsockname()[1]}"
        with Remote(target) as remote, pytest.raises(RenderError) as caught:
            render(XR, [Step("one", "f")], {"f": remote}, timeout=20)
    text = str(caught.value)
    assert text.startswith(
        f'cannot run Composition pipeline step "one": function "f": no server answers at {target}; start it with: '
    )
    assert caught.value.step == "one"


def test_mixed_pipeline() -> None:
    """Functions in this process and on servers work on the same desired state."""
    server = Server(functions.many_keys.run)
    target = server.listen("127.0.0.1:0")
    server.start()
    xr = {**XR, "spec": {"location": "EU"}}
    try:
        with Remote(target) as remote:
            steps = [Step("one", "here"), Step("two", "there")]
            rendered = render(xr, steps, {"here": functions.echo, "there": remote})
    finally:
        server.stop(0)
    assert list(rendered.composed) == ["bucket", "many"]


NAMELESS = {key: value for key, value in thing("a").items() if key != "metadata"}
BAD: dict[str, tuple[Any, Sequence[Any], str]] = {
    "composite": ("x", [], "the composite resource must be a mapping (got a string)"),
    "no apiVersion": ({"kind": "X", "metadata": {"name": "x"}}, [], "the composite resource has no apiVersion"),
    "no kind": ({"apiVersion": "v1", "metadata": {"name": "x"}}, [], "the composite resource has no kind"),
    "no name": ({"apiVersion": "v1", "kind": "X"}, [], "the composite resource has no metadata.name"),
    "metadata": ({"apiVersion": "v1", "kind": "X", "metadata": []}, [], "the composite resource has no metadata.name"),
    "number": ({**XR, "spec": {"size": float("nan")}}, [], "the composite resource: spec.size: "),
    "status": ({**XR, "status": []}, [], "the composite's status must be a mapping (got a list)"),
    "conditions": (with_status(conditions={}), [], "the composite's status.conditions must be a list of conditions"),
    "condition": (
        with_status(conditions=[{"type": "A"}, 1]),
        [],
        "the composite's status.conditions[1] must be a condition with a type, which is a non-empty string",
    ),
    "observed": (XR, ["x"], "an observed resource must be a mapping (got a string)"),
    "anonymous": (XR, [thing(name="x")], "observed resource 1: Thing x has no annotation crossplane.io/composition-"),
    "two": (
        XR,
        [thing("a"), thing("a")],
        "observed resource 2 and observed resource 1 have the same annotation crossplane.io/composition-resource-name",
    ),
    "no observed kind": (XR, [{**thing("a"), "kind": ""}], "observed resource 1: kind must be a non-empty string"),
    "observed number": (XR, [{**thing("a"), "x": [float("inf")]}], 'the observed resource "a": x[0]: '),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    """What can't be a composite or an observed resource is an error that says which and why."""
    xr, observed, text = BAD[name]
    with pytest.raises(InputError) as caught:
        once(nothing, xr, observed=observed)
    assert str(caught.value).startswith(text)


def test_bad_context() -> None:
    """A context that can't be sent is an error."""
    with pytest.raises(InputError, match="^the context: a: "):
        once(nothing, context={"a": float("nan")})


def test_deep() -> None:
    """Objects that are nested a thousand levels deep pass."""
    deep: dict[str, Any] = {}
    for _ in range(1000):
        deep = {"a": deep}
    xr = {**XR, "spec": {"location": deep}}
    rendered = render(xr, [Step("one", "f")], {"f": functions.echo})
    found = rendered.composed["bucket"]["spec"]["forProvider"]["location"]
    for _ in range(1000):  # comparing the two would recurse
        (found,) = found.values()
    assert found == {}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = [
    ("apiVersion",),
    ("kind",),
    ("metadata",),
    *(("metadata", key) for key in ("name", "namespace", "generateName", "uid", "labels", "annotations", "generation")),
    ("metadata", "ownerReferences"),
    ("metadata", "labels", "crossplane.io/composite"),
    ("spec",),
    ("spec", "writeConnectionSecretToRef"),
    ("spec", "writeConnectionSecretToRef", "name"),
    ("status",),
    ("status", "conditions"),
]


def put(resource: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """Return a resource with a value at a path."""
    found = copy.deepcopy(dict(resource))
    at = found
    for key in path[:-1]:
        at = at.setdefault(key, {})
    at[path[-1]] = value
    return found


@settings(deadline=None)
@given(st.sampled_from(KEYS), json_values, st.sampled_from(["xr", "observed", "desired"]))
def test_anything_anywhere(path: Sequence[str], value: Any, which: str) -> None:
    """Whatever stands at a key of any resource, a reconcile gives a result or an error of ours."""
    xr = put(XR, path, value) if which == "xr" else XR
    observed = [put(thing("a"), path, value)] if which == "observed" else [thing("a")]

    def script(_req: Any, rsp: Any) -> None:
        try:
            desire(rsp, "a", put(thing(), path, value) if which == "desired" else thing())
        except (ValueError, TypeError):  # no Struct can carry it
            pass

    try:
        once(script, xr, observed=observed, cluster=Objects())
    except CrossplaneLiteError as error:
        assert str(error)

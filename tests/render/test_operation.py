"""One run of an Operation."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition
from crossplane_lite.errors import CrossplaneLiteError, InputError
from crossplane_lite.render import FatalResultError, Rendered, RenderError, Selector, Step, render_operation
from tests.render.scripted import Objects, Scripted, desire, thing

TIME = "2024-01-01T00:00:00Z"
WATCHED = "ops.crossplane.io/watched-resource"
OPERATION: dict[str, Any] = {
    "apiVersion": "ops.crossplane.io/v1alpha1",
    "kind": "Operation",
    "metadata": {"name": "upgrade"},
    "spec": {"mode": "Pipeline"},
}
RUNNING = {"type": "Succeeded", "status": "Unknown", "reason": "PipelineRunning", "lastTransitionTime": TIME}
SUCCEEDED = {"type": "Succeeded", "status": "True", "reason": "PipelineSuccess", "lastTransitionTime": TIME}
VALID = {"type": "ValidPipeline", "status": "True", "reason": "ValidPipeline", "lastTransitionTime": TIME}
SYNCED = {"type": "Synced", "status": "True", "reason": "ReconcileSuccess", "lastTransitionTime": TIME}

Script = Callable[[fnv1.RunFunctionRequest, fnv1.RunFunctionResponse], object]


def nothing(_req: Any, _rsp: Any) -> None:
    """Adds nothing."""


def once(script: Script | Scripted, operation: Mapping[str, Any] = OPERATION, **options: Any) -> Rendered:
    """Run an Operation of one step that runs a script."""
    runner = script if isinstance(script, Scripted) else Scripted(script)
    return render_operation(operation, [Step("one", "f")], {"f": runner}, **options)


def failure(script: Script, operation: Mapping[str, Any] = OPERATION) -> RenderError:
    """Return what a run fails with."""
    with pytest.raises(RenderError) as caught:
        once(script, operation)
    return caught.value


def with_status(**status: Any) -> dict[str, Any]:
    """Return the Operation with a status."""
    return {**OPERATION, "status": status}


def test_golden() -> None:
    """A whole run: what is applied and stored, and nothing that was given is changed."""

    def script(_req: Any, rsp: Any) -> None:
        desire(rsp, "second", {**thing(name="b", namespace="ns"), "spec": {"a": 1}})
        desire(rsp, "first", thing(name="a"))
        desire(rsp, "config", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "ns"}})
        rsp.output.update({"done": 2})
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_NORMAL, message="ok", reason="Ignored"))
        rsp.conditions.add(type="Mine", status=fnv1.STATUS_CONDITION_TRUE, reason="Ignored")
        rsp.context.update({"c": 3})

    before = copy.deepcopy(OPERATION)
    rendered = once(script, context={"a": 1})
    assert before == OPERATION
    assert rendered.composed == {
        "config": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "ns"}},
        "first": thing(name="a"),
        "second": {**thing(name="b", namespace="ns"), "spec": {"a": 1}},
    }
    assert list(rendered.composed) == ["config", "first", "second"]
    assert rendered.composite == with_status(
        appliedResourceRefs=[
            {"apiVersion": "example.org/v1", "kind": "Thing", "name": "a"},
            {"apiVersion": "example.org/v1", "kind": "Thing", "name": "b", "namespace": "ns"},
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "namespace": "ns"},
        ],
        conditions=[SUCCEEDED, VALID, SYNCED],
        pipeline=[{"step": "one", "output": {"done": 2}}],
    )
    assert [tuple(one) for one in rendered.results] == [("Normal", "RunPipelineStep", 'Pipeline step "one": ok', "one")]
    assert rendered.context == {"a": 1, "c": 3}
    assert (rendered.ready, rendered.deleted, rendered.connection_details) == ({}, {}, {})


def test_nothing_to_do() -> None:
    """An Operation that applies nothing and puts out nothing has conditions only."""
    assert once(nothing).composite == with_status(conditions=[SUCCEEDED, VALID, SYNCED])


def test_request() -> None:
    """Functions see no composite and no observed resources, and no watched resource where there is none."""
    runner = Scripted(nothing)
    once(runner)
    (request,) = runner.requests
    assert not request.HasField("observed")
    assert not request.required_resources


def test_watched_resource() -> None:
    """The watched resource is sent to each step from its first call on."""
    runners = {"f": Scripted(nothing), "g": Scripted(nothing)}
    watched = thing(name="w", namespace="ns")
    render_operation(OPERATION, [Step("one", "f"), Step("two", "g")], runners, watched=watched)
    for runner in runners.values():
        (item,) = runner.requests[0].required_resources[WATCHED].items
        assert json_format.MessageToDict(item.resource) == watched


@composition.function
def label(ctx: composition.Context) -> None:
    """Labels the watched resource, and what the composition asks for."""
    assert ctx.in_operation
    metadata = ctx.watched.metadata
    for name, suffix in (("one", ""), ("two", "-2")):
        thing = Unstructured("example.org/v1", "Thing")
        thing.metadata.name = f"{metadata.name}{suffix}"
        thing.metadata.labels = {"seen": "yes"}
        ctx.resource(name, thing)


def test_own_function() -> None:
    """A function of ours runs in an Operation with what it watches."""
    rendered = render_operation(OPERATION, [Step("one", "f")], {"f": label}, watched=thing(name="w"))
    assert {name: one["metadata"]["name"] for name, one in rendered.composed.items()} == {"one": "w", "two": "w-2"}


def test_required_resources() -> None:
    """Steps get what they and the composition ask for."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    runner = Scripted(nothing)
    step = Step("one", "f", resources={"node": Selector("v1", "Node", name="n")})
    render_operation(OPERATION, [step], {"f": runner}, cluster=Objects(node))
    assert len(runner.requests[0].required_resources["node"].items) == 1


def test_generation() -> None:
    """All conditions have the generation that they are about."""
    operation = {**OPERATION, "metadata": {"name": "upgrade", "generation": 4}}
    found = once(nothing, operation).composite["status"]["conditions"]
    assert [one["observedGeneration"] for one in found] == [4, 4, 4]


def test_again() -> None:
    """A later try puts outputs and references in place of those of an earlier one, and keeps the others."""
    first = {"apiVersion": "a/v1", "kind": "A", "name": "a"}
    status = {
        "failures": 2,
        "conditions": [RUNNING, {**SYNCED, "status": "False", "reason": "ReconcileError", "message": "x"}],
        "pipeline": [{"step": "zero", "output": {"z": 0}}, {"step": "one", "output": {"old": 1}}],
        "appliedResourceRefs": [first, {"apiVersion": "example.org/v1", "kind": "Thing", "name": "a"}],
    }

    def script(_req: Any, rsp: Any) -> None:
        desire(rsp, "a", thing(name="a"))
        rsp.output.update({"new": 1})

    after = once(script, with_status(**copy.deepcopy(status))).composite["status"]
    assert after == {
        **status,
        "conditions": [SUCCEEDED, SYNCED, VALID],
        "pipeline": [{"step": "zero", "output": {"z": 0}}, {"step": "one", "output": {"new": 1}}],
    }


def test_fatal() -> None:
    """After a fatal result there is one failure more, and the condition says in which step."""

    def script(_req: Any, rsp: Any) -> None:
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_WARNING, message="careful"))
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_FATAL, message="no way"))

    error = failure(script, with_status(failures=1))
    assert isinstance(error, FatalResultError)
    assert str(error) == 'pipeline step "one" returned a fatal result: no way'
    synced = {"type": "Synced", "status": "False", "reason": "ReconcileError", "message": str(error)}
    assert error.composite == with_status(
        failures=2, conditions=[RUNNING, VALID, {**synced, "lastTransitionTime": TIME}]
    )
    assert [one.message for one in error.results] == ['Pipeline step "one": careful']
    assert len(error.steps) == 1


def test_no_answer() -> None:
    """A function that fails is a failure with its step."""

    class Dead:
        """Gives no answer."""

        def run(self, request: bytes, timeout: float) -> bytes:
            """Fail."""
            raise RenderError("no answer from localhost:1 (UNAVAILABLE)")

    with pytest.raises(RenderError) as caught:
        render_operation(OPERATION, [Step("one", "f")], {"f": Dead()})
    text = 'failed to invoke pipeline step "one": function "f": no answer from localhost:1 (UNAVAILABLE)'
    assert (str(caught.value), caught.value.step) == (text, "one")
    assert caught.value.composite is not None
    assert caught.value.composite["status"]["failures"] == 1
    assert caught.value.composite["status"]["conditions"][-1]["message"] == text


BAD_RESOURCES: dict[str, tuple[dict[str, Any], str]] = {
    "apiVersion": ({"kind": "A"}, "it has no apiVersion"),
    "kind": ({"apiVersion": "v1"}, "it has no kind"),
    "metadata": ({"apiVersion": "v1", "kind": "A", "metadata": 1}, "it has no metadata.name"),
    "generateName": (thing(generateName="a-"), "it has no metadata.name, and an Operation generates none: set it"),
    "name": (thing(name="A"), "metadata.name: 'A' can't be an object's name"),
    "namespace": (thing(name="a", namespace=1), "metadata.namespace: must be a string (got 1 "),
}


@pytest.mark.parametrize("name", BAD_RESOURCES)
def test_refused(name: str) -> None:
    """A resource that can't be applied is a failure that names it."""
    resource, text = BAD_RESOURCES[name]
    error = failure(lambda _req, rsp: desire(rsp, "bad", resource))
    assert str(error).startswith(f'cannot apply desired resource "bad": {text}')
    assert error.composite is not None
    assert error.composite["status"]["failures"] == 1


@pytest.mark.parametrize(("failures", "limit"), [(5, None), (9, None), (1, 1), (0, 0)])
def test_failure_limit(failures: int, limit: int | None) -> None:
    """An Operation that has failed as often as it may isn't run, and has failed for good."""
    operation = with_status(failures=failures)
    if limit is not None:
        operation["spec"] = {"retryLimit": limit}
    runner = Scripted(nothing)
    rendered = once(runner, operation)
    assert runner.requests == []
    message = f"failure limit of {5 if limit is None else limit} reached"
    failed = {"type": "Succeeded", "status": "False", "reason": "PipelineError", "message": message}
    conditions = [SYNCED, {**failed, "lastTransitionTime": TIME}]
    assert rendered.composite["status"] == {"failures": failures, "conditions": conditions}


@pytest.mark.parametrize("status", ["True", "False"])
def test_done(status: str) -> None:
    """An Operation that is done isn't run again."""
    with pytest.raises(InputError, match=f"the Operation is done already: its condition Succeeded is {status}"):
        once(nothing, with_status(conditions=[{"type": "Succeeded", "status": status}]))


BAD: dict[str, tuple[Any, str]] = {
    "list": ([], "the Operation must be a mapping (got a list)"),
    "name": ({"kind": "Operation"}, "the Operation has no metadata.name"),
    "status": ({**OPERATION, "status": "x"}, "the Operation's status must be a mapping (got a string)"),
    "failures": (with_status(failures="x"), "the Operation's status.failures must be a whole number (got a string)"),
    "conditions": (with_status(conditions=[{}]), "the Operation's status.conditions[0] must be a mapping with a"),
    "number": ({**OPERATION, "spec": {"a": 2**60}}, "the Operation: spec.a: "),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    """What can't be an Operation is an error that says why."""
    operation, text = BAD[name]
    with pytest.raises(InputError) as caught:
        once(nothing, operation)
    assert str(caught.value).startswith(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(st.sampled_from(["conditions", "failures", "pipeline", "appliedResourceRefs"]), values, st.booleans())
def test_anything_anywhere(key: str, value: Any, whole: bool) -> None:
    """Whatever stands in the status, a run gives a result or an error of ours."""

    def script(_req: Any, rsp: Any) -> None:
        desire(rsp, "a", thing(name="a"))
        rsp.output.update({"a": 1})

    operation = {**OPERATION, "status": value} if whole else with_status(**{key: value})
    try:
        once(script, operation)
    except CrossplaneLiteError as error:
        assert str(error)

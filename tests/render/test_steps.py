"""A pipeline's steps: what functions are sent, the requirements loop, and what comes of their answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format

from crossplane_lite._tools.render.pipeline import Selector, Step
from crossplane_lite._tools.render.rendered import FatalResultError, RenderError, Result
from crossplane_lite._tools.render.steps import COMPOSITION, OPERATION, Pipeline, Wording
from crossplane_lite.errors import InputError
from crossplane_lite.proto import _view
from tests.render.scripted import Objects, Scripted, desire, thing
from tests.support import ALL_CAPABILITIES

Request = fnv1.RunFunctionRequest
Response = fnv1.RunFunctionResponse


def pipeline(
    functions: Mapping[str, Any],
    steps: Sequence[Step] | None = None,
    *,
    cluster: Objects | None = None,
    context: Mapping[str, Any] | None = None,
    timeout: float = 60,
    wording: Wording = COMPOSITION,
) -> Pipeline:
    """Return a pipeline; without steps it has one for each function, named like it."""
    return Pipeline(
        [Step(name, name) for name in functions] if steps is None else steps,
        functions,
        observed=_view.State(composite=_view.Resource(resource=b"")).SerializeToString(),
        cluster=cluster,
        context=context,
        timeout=timeout,
        wording=wording,
    )


def run(script: Callable[[Request, Response], object], *, step: Step | None = None, **options: Any) -> Scripted:
    """Run one step, and return its runner."""
    runner = Scripted(script)
    pipeline({"f": runner}, [step or Step("one", "f")], **options).run()
    return runner


def plain(message: Any) -> dict[str, Any]:
    """Return a message as plain data."""
    found: dict[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return found


def nothing(_req: Request, _rsp: Response) -> None:
    """Adds nothing."""


def requiring(name: str, selector: fnv1.ResourceSelector) -> Callable[[Request, Response], None]:
    """Return a script that asks for one resource."""
    return lambda _req, rsp: rsp.requirements.resources[name].CopyFrom(selector)


def items(resources: fnv1.Resources) -> list[str]:
    """Return the names of resources."""
    return [plain(one.resource)["metadata"]["name"] for one in resources.items]


def test_request() -> None:
    """The first request has the observed state, empty desired state and context, capabilities, a tag, and no more."""
    (request,) = run(nothing).requests
    found = plain(request)
    assert len(found["meta"].pop("tag")) == 64
    assert found == {
        "meta": {"capabilities": list(ALL_CAPABILITIES)},
        "observed": {"composite": {"resource": {}}},
        "desired": {},
        "context": {},
    }


def test_tag() -> None:
    """The tag is the same for the same request, and another one for another."""
    tags = [run(nothing, context={"a": value}).requests[0].meta.tag for value in (1, 1, 2)]
    assert tags[0] == tags[1] != tags[2]


def test_input() -> None:
    """A step's input is sent."""
    runner = run(nothing, step=Step("one", "f", input={"kind": "Input", "a": [1]}))
    assert plain(runner.requests[0].input) == {"kind": "Input", "a": [1]}


def test_bad_input() -> None:
    """An input that can't be sent is an error that names where it stands."""
    step = Step("one", "f", "composition.yaml, document 1", input={"a": 2**60})
    with pytest.raises(InputError, match="^composition.yaml, document 1: input: a: "):
        run(nothing, step=step)


def test_desired_and_context_go_on() -> None:
    """Each step is sent what the one before desires and its context, and the last ones count."""

    def first(_req: Request, rsp: Response) -> None:
        desire(rsp, "a", thing(name="a"), ready=True)
        rsp.desired.composite.resource.update({"status": {"x": 1}})
        rsp.context.update({"by": "first"})

    def second(_req: Request, rsp: Response) -> None:
        desire(rsp, "b", thing(name="b"))
        rsp.context.update({"and": "second"})

    runners = {"first": Scripted(first), "second": Scripted(second)}
    made = pipeline(runners, context={"from": "file"})
    made.run()
    (request,) = runners["second"].requests
    assert plain(request.context) == {"from": "file", "by": "first"}
    assert plain(request.desired) == {
        "composite": {"resource": {"status": {"x": 1}}},
        "resources": {"a": {"resource": thing(name="a"), "ready": "READY_TRUE"}},
    }
    assert sorted(made.desired.resources) == ["a", "b"]
    assert made.context is not None
    assert [(one.step.name, one.runner, one.calls) for one in made.runs] == [
        ("first", runners["first"], 1),
        ("second", runners["second"], 1),
    ]
    assert Request.FromString(made.runs[1].request) == request
    assert sorted(Response.FromString(made.runs[1].response).desired.resources) == ["a", "b"]


def test_dropped_context() -> None:
    """A context that a function doesn't return is gone."""
    runners = {"first": Scripted(lambda _req, rsp: rsp.ClearField("context")), "second": Scripted(nothing)}
    made = pipeline(runners, context={"a": 1})
    made.run()
    assert not runners["second"].requests[0].HasField("context")
    assert made.context is None


THINGS = [
    thing(name=name, namespace=namespace, labels={"tier": tier})
    for name, namespace, tier in (("b", "two", "x"), ("a", "two", "x"), ("c", "one", "x"), ("d", "one", "y"))
]
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}


@pytest.mark.parametrize(
    ("selector", "asked", "found"),
    [
        (
            {"api_version": "v1", "kind": "Node", "match_name": "n"},
            Selector("v1", "Node", name="n"),
            ["n"],
        ),
        (
            {"api_version": "example.org/v1", "kind": "Thing", "match_name": "a", "namespace": "two"},
            Selector("example.org/v1", "Thing", name="a", namespace="two"),
            ["a"],
        ),
        (
            {"api_version": "example.org/v1", "kind": "Thing", "match_name": "gone", "namespace": "two"},
            Selector("example.org/v1", "Thing", name="gone", namespace="two"),
            [],
        ),
        (
            {"api_version": "example.org/v1", "kind": "Thing", "match_labels": {"labels": {"tier": "x"}}},
            Selector("example.org/v1", "Thing", labels={"tier": "x"}),
            ["c", "a", "b"],
        ),
        (
            {
                "api_version": "example.org/v1",
                "kind": "Thing",
                "match_labels": {"labels": {"tier": "x"}},
                "namespace": "two",
            },
            Selector("example.org/v1", "Thing", labels={"tier": "x"}, namespace="two"),
            ["a", "b"],
        ),
        (
            {"api_version": "example.org/v1", "kind": "Thing"},
            Selector("example.org/v1", "Thing", labels={}),
            ["c", "d", "a", "b"],
        ),
    ],
)
@pytest.mark.parametrize("field", ["resources", "extra_resources"])
def test_required_resources(selector: dict[str, Any], asked: Selector, found: list[str], field: str) -> None:
    """What a function asks for comes with its second call, by namespace and name, in the field that goes with it."""
    cluster = Objects(*THINGS, NODE)
    message = fnv1.ResourceSelector(**selector)
    runner = run(lambda _req, rsp: getattr(rsp.requirements, field)["key"].CopyFrom(message), cluster=cluster)
    first, second = runner.requests
    assert not first.required_resources and not first.extra_resources
    answer = {"resources": second.required_resources, "extra_resources": second.extra_resources}
    assert list(answer.pop(field)) == ["key"]
    assert not any(answer.values())
    resources = second.required_resources if field == "resources" else second.extra_resources
    assert items(resources["key"]) == found
    assert cluster.asked == [asked]


def test_without_a_cluster() -> None:
    """Where there is no cluster, everything is asked for in vain, and told so."""

    def script(_req: Request, rsp: Response) -> None:
        rsp.requirements.resources["a"].CopyFrom(fnv1.ResourceSelector(api_version="v1", kind="Node", match_name="n"))
        rsp.requirements.schemas["b"].CopyFrom(fnv1.SchemaSelector(api_version="v1", kind="Node"))

    _, second = run(script).requests
    assert plain(second)["required_resources"] == {"a": {}}
    assert plain(second)["required_schemas"] == {"b": {}}


def test_required_schemas() -> None:
    """A schema comes with the second call; one that isn't known is there and empty."""
    cluster = Objects(schemas={("v1", "Node"): {"type": "object", "properties": {"a": {}}}})

    def script(_req: Request, rsp: Response) -> None:
        for kind in ("Node", "Gone"):
            rsp.requirements.schemas[kind].CopyFrom(fnv1.SchemaSelector(api_version="v1", kind=kind))

    first, second = run(script, cluster=cluster).requests
    assert not first.required_schemas
    assert plain(second)["required_schemas"] == {
        "Node": {"openapi_v3": {"type": "object", "properties": {"a": {}}}},
        "Gone": {},
    }


def test_requirements_replace_each_other() -> None:
    """What a function asks for no more is taken away, and it is called until it asks for the same twice."""

    def script(req: Request, rsp: Response) -> None:
        seen = plain(req.context).get("seen", [])
        key = "abcc"[len(seen)]
        rsp.requirements.resources[key].CopyFrom(fnv1.ResourceSelector(api_version="v1", kind="Node", match_name=key))
        rsp.context.update({"seen": [*seen, key]})

    runner = Scripted(script)
    made = pipeline({"f": runner})
    made.run()
    assert [sorted(request.required_resources) for request in runner.requests] == [[], ["a"], ["b"], ["c"]]
    assert [plain(request.context)["seen"] for request in runner.requests[1:]] == [["a"], ["a", "b"], ["a", "b", "c"]]
    assert made.runs[0].calls == 4
    assert len({request.meta.tag for request in runner.requests}) == 4


def test_answer_of_the_last_call_counts() -> None:
    """Of the calls of a step only the last one's answer counts: its desired state isn't piled up."""

    def script(req: Request, rsp: Response) -> None:
        desire(rsp, f"r{len(req.required_resources)}", thing())
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_NORMAL, message="called"))
        requiring("a", fnv1.ResourceSelector(api_version="v1", kind="Node", match_name="n"))(req, rsp)

    made = pipeline({"f": Scripted(script)})
    made.run()
    assert list(made.desired.resources) == ["r1"]
    assert len(made.results) == 1


def test_never_stable() -> None:
    """Requirements that change with each call end after six calls, with an error that names what changes."""

    def script(req: Request, rsp: Response) -> None:
        name = str(len(runner.requests))
        for key in ("same", "other"):
            match = name if key == "other" else "n"
            selector = fnv1.ResourceSelector(api_version="v1", kind="Node", match_name=match)
            rsp.requirements.resources[key].CopyFrom(selector)

    runner = Scripted(script)
    made = pipeline({"f": runner}, [Step("one", "f")])
    with pytest.raises(RenderError) as caught:
        made.run()
    assert str(caught.value) == (
        'cannot run Composition pipeline step "one": function "f": requirements didn\'t stabilize after the maximum '
        "number of iterations (5); the last two answers differ in the requirements other: ask for the "
        "same ones in every call"
    )
    assert caught.value.step == "one"
    assert len(runner.requests) == 6
    assert [one.calls for one in made.runs] == [6]


def test_stable_at_the_last_call() -> None:
    """Requirements that are stable with the sixth call are stable."""

    def script(req: Request, rsp: Response) -> None:
        name = str(min(len(runner.requests), 5))
        selector = fnv1.ResourceSelector(api_version="v1", kind="Node", match_name=name)
        rsp.requirements.resources["key"].CopyFrom(selector)

    runner = Scripted(script)
    pipeline({"f": runner}).run()
    assert len(runner.requests) == 6


def test_fatal_ends_the_loop() -> None:
    """A Fatal answer is the last one, whatever it asks for; later steps aren't run, and nothing is fetched."""

    def script(req: Request, rsp: Response) -> None:
        requiring("a", fnv1.ResourceSelector(api_version="v1", kind="Node", match_name="n"))(req, rsp)
        rsp.conditions.add(type="Mine", status=fnv1.STATUS_CONDITION_FALSE, reason="Sad")
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_WARNING, message="careful"))
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_FATAL, message="no way"))
        rsp.results.append(fnv1.Result(severity=fnv1.SEVERITY_NORMAL, message="never seen"))

    cluster = Objects(NODE)
    runners = {"f": Scripted(script), "g": Scripted(nothing)}
    made = pipeline(runners, cluster=cluster)
    with pytest.raises(FatalResultError) as caught:
        made.run()
    assert str(caught.value) == 'pipeline step "f" returned a fatal result: no way'
    assert caught.value.step == "f"
    assert (len(runners["f"].requests), runners["g"].requests, cluster.asked) == (1, [], [])
    assert [result.message for result in made.results] == ['Pipeline step "f": careful']
    assert made.conditions == [({"type": "Mine", "status": "False", "reason": "Sad"}, False)]
    assert [one.step.name for one in made.runs] == ["f"]


def test_bootstrap() -> None:
    """What the composition itself asks for is there from the first call on, beside what the function asks for."""
    step = Step(
        "one",
        "f",
        resources={
            "node": Selector("v1", "Node", name="n"),
            "gone": Selector("v1", "Node", name="gone"),
            "watched": Selector("example.org/v1", "Thing", name="d", namespace="one"),
        },
        schemas={"schema": ("v1", "Node"), "none": ("v1", "Gone")},
    )
    cluster = Objects(*THINGS, NODE, schemas={("v1", "Node"): {"type": "object"}})
    selector = fnv1.ResourceSelector(api_version="example.org/v1", kind="Thing", match_name="a", namespace="two")
    runner = run(requiring("mine", selector), step=step, cluster=cluster)
    first, second = runner.requests
    for request in (first, second):
        assert items(request.required_resources["node"]) == ["n"]
        assert items(request.required_resources["watched"]) == ["d"]
        assert items(request.required_resources["gone"]) == []
        assert plain(request)["required_schemas"] == {"schema": {"openapi_v3": {"type": "object"}}, "none": {}}
    assert sorted(first.required_resources) == ["gone", "node", "watched"]
    assert sorted(second.required_resources) == ["gone", "mine", "node", "watched"]
    assert items(second.required_resources["mine"]) == ["a"]


def secret(**data: str) -> dict[str, Any]:
    """Return a Secret."""
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "ns"}, "data": encoded}


def test_credentials() -> None:
    """A step's credentials are read from their Secrets, and sent with each call to that step alone."""
    step = Step("one", "f", credentials={"cloud": ("ns", "s")})
    selector = fnv1.ResourceSelector(api_version="v1", kind="Node", match_name="n")
    runners = {"f": Scripted(requiring("a", selector)), "g": Scripted(nothing)}
    pipeline(runners, [step, Step("two", "g")], cluster=Objects(secret(user="me"))).run()
    assert [dict(one.credentials["cloud"].credential_data.data) for one in runners["f"].requests] == [
        {"user": b"me"}
    ] * 2
    assert not runners["g"].requests[0].credentials


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        (COMPOSITION, 'cannot get Composition pipeline step "one" credential "cloud" from Secret'),
        (OPERATION, 'cannot get operation pipeline step "one" credential "cloud" from Secret'),
    ],
)
def test_missing_credentials(wording: Wording, text: str) -> None:
    """A Secret that isn't there is an error that names the step, the credential and the Secret."""
    step = Step("one", "f", credentials={"cloud": ("ns", "gone")})
    for cluster in (Objects(secret()), None):
        with pytest.raises(RenderError) as caught:
            run(nothing, step=step, cluster=cluster, wording=wording)
        assert str(caught.value) == text + ': Secret "gone" not found in namespace "ns"'
        assert caught.value.step == "one"


def test_bad_credentials() -> None:
    """A Secret that isn't right is an error that names it."""
    bad = {**secret(), "data": {"a": "%%%"}}
    step = Step("one", "f", credentials={"cloud": ("ns", "s")})
    with pytest.raises(InputError, match="^Secret ns/s: data.a is not base64"):
        run(nothing, step=step, cluster=Objects(bad))


@pytest.mark.parametrize(
    ("result", "severity", "reason", "message"),
    [
        ({"severity": 3}, "Normal", "ComposeResources", 'Pipeline step "a \\"b\\"": hello'),
        ({"severity": 2}, "Warning", "ComposeResources", 'Pipeline step "a \\"b\\"": hello'),
        ({"severity": 3, "reason": "Mine"}, "Normal", "Mine", 'Pipeline step "a \\"b\\"": hello'),
        ({"severity": 3, "reason": "", "target": 2}, "Normal", "ComposeResources", 'Pipeline step "a \\"b\\"": hello'),
        (
            {},
            "Warning",
            "ComposeResources",
            'Pipeline step "a \\"b\\"" returned a result of unknown severity (assuming warning): hello',
        ),
        (
            {"severity": 17, "reason": "Mine"},
            "Warning",
            "Mine",
            'Pipeline step "a \\"b\\"" returned a result of unknown severity (assuming warning): hello',
        ),
    ],
)
def test_results(result: dict[str, Any], severity: str, reason: str, message: str) -> None:
    """Results become events with the step's name; an unknown severity is taken for a warning."""
    runner = Scripted(lambda _req, rsp: rsp.results.append(fnv1.Result(message="hello", **result)))
    name = 'a "b"'
    made = pipeline({"f": runner}, [Step(name, "f")])
    made.run()
    assert made.results == [Result(severity, reason, message, name)]
    made = pipeline({"f": runner}, [Step(name, "f")], wording=OPERATION)
    made.run()
    assert made.results == [Result(severity, "RunPipelineStep", message, name)]


def test_conditions() -> None:
    """Conditions come in their order; an unspecified or unknown status is Unknown, an empty message is left out."""

    def script(_req: Request, rsp: Response) -> None:
        for number in range(5):
            rsp.conditions.add(type=f"C{number}", status=number, reason="R", message="m" if number == 2 else None)

    made = pipeline({"f": Scripted(script)})
    made.run()
    assert [one["status"] for one, _ in made.conditions] == ["Unknown", "Unknown", "True", "False", "Unknown"]
    assert made.conditions[2] == ({"type": "C2", "status": "True", "reason": "R", "message": "m"}, False)
    assert made.conditions[0] == ({"type": "C0", "status": "Unknown", "reason": "R"}, False)


def test_outputs() -> None:
    """What steps put out is kept by their names."""
    runners = {"f": Scripted(lambda _req, rsp: rsp.output.update({"a": 1})), "g": Scripted(nothing)}
    made = pipeline(runners)
    made.run()
    assert list(made.outputs) == ["f"]


def test_unknown_function() -> None:
    """A step whose function nobody runs is an error before any step runs."""
    runner = Scripted(nothing)
    steps = [Step("one", "f"), Step("two", "gone", "composition.yaml, document 1")]
    with pytest.raises(InputError) as caught:
        pipeline({"f": runner, "g": runner}, steps)
    assert str(caught.value) == (
        'composition.yaml, document 1: pipeline step "two" calls function "gone", which isn\'t among the functions '
        "that were given (f, g)"
    )
    assert runner.requests == []


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_no_time(timeout: float) -> None:
    """A timeout that leaves no time is refused."""
    with pytest.raises(InputError, match="^the timeout must be more than 0 seconds"):
        pipeline({"f": Scripted(nothing)}, timeout=timeout)


def test_time_is_shared() -> None:
    """Each call is given what is left of the time of all of them."""
    runners = {"f": Scripted(nothing), "g": Scripted(nothing)}
    pipeline(runners, timeout=30).run()
    (first,), (second,) = runners["f"].timeouts, runners["g"].timeouts
    assert 0 < second < first <= 30


class Broken:
    """A runner that gives what it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def run(self, request: bytes, timeout: float) -> Any:
        """Answer or fail."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"\xff", "the answer is not a RunFunctionResponse"),
        (b"\x12\x05\x0a", "the answer is not a RunFunctionResponse"),
        (None, "the answer is not a RunFunctionResponse"),
        (RenderError("no answer from localhost:1 (UNAVAILABLE)"), "no answer from localhost:1 (UNAVAILABLE)"),
    ],
)
@pytest.mark.parametrize(
    ("wording", "begin"),
    [(COMPOSITION, "cannot run Composition pipeline step"), (OPERATION, "failed to invoke pipeline step")],
)
def test_no_answer(answer: Any, text: str, wording: Wording, begin: str) -> None:
    """A function that gives no answer, or not one, is an error that names step and function."""
    with pytest.raises(RenderError) as caught:
        pipeline({"f": Broken(answer)}, [Step("one", "f")], wording=wording).run()
    assert str(caught.value).startswith(f'{begin} "one": function "f": {text}')
    assert caught.value.step == "one"


@pytest.mark.parametrize("script", [nothing, lambda _req, rsp: rsp.Clear()])
def test_empty_answers(script: Any) -> None:
    """An answer may leave out everything."""
    made = pipeline({"f": Scripted(script), "g": Scripted(script)})
    made.run()
    assert not made.desired.resources
    assert json.dumps(made.conditions) == "[]"

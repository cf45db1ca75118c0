"""What steps that run elsewhere tell of dependencies, and what can't be told."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite._tools.graph.collect import collect
from crossplane_lite._tools.graph.graph import Graph, graph_of
from crossplane_lite._tools.render.functions import Remote
from crossplane_lite._tools.render.rendered import StepRun
from crossplane_lite.proto import _view
from crossplane_lite.render import InProcess, Step, render
from tests.graph.graphs import HERE, XR, Shelf, drawn, existing, shop, states
from tests.runtime.serving import serving
from tests.support import fnv1, request


class Elsewhere:
    """Runs a function like one that runs elsewhere: its answers are all that there is of it."""

    def __init__(self, function: object) -> None:
        self._runner = InProcess(function)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return "Elsewhere()"

    def run(self, data: bytes, timeout: float) -> bytes:
        return self._runner.run(data, timeout)


NOTE = "step 'step-0' runs elsewhere or with another SDK, so its dependencies on values that exist already aren't known"


def ends(graph: Graph) -> set[tuple[str, str]]:
    return {edge[:2] for edge in graph.edges}


@pytest.mark.slow
def test_what_a_server_tells() -> None:
    """A function on a gRPC server tells what it holds back and what waits; a note says that this is all."""
    with serving(f"{HERE}:shop", "--insecure", "--debug") as server, Remote(server.address) as remote:
        graph = drawn(remote)
    assert states(graph) == {
        "database": "to be created",
        "grant": "held back",
        "record": "held back",
        "replica": "held back",
        "user": "held back",
        "xr.status.login": "no value yet",
        "required.settings": "found",
        "required.sizes": "not found",
    }
    assert ends(graph) == {
        ("grant", "xr.status.login"),
        ("record", "replica"),
        ("replica", "required.sizes"),
        ("user", "database"),
        ("xr.status.login", "user"),
    }
    assert all(edge.waiting for edge in graph.edges)
    address = f"Remote({server.address!r})"
    assert graph.notes == [NOTE.replace("Elsewhere()", address)]


def test_cycle_elsewhere() -> None:
    """A cycle in a function that runs elsewhere is drawn from the conditions of its Fatal answer."""
    graph = drawn(Elsewhere(shop), cycle=True)
    assert {node.name for node in graph.nodes if node.in_cycle} >= {"database", "user"}
    assert graph.notes[-1] == NOTE


def test_second_call_elsewhere() -> None:
    """What has its values isn't told, and isn't there."""
    graph = drawn(Elsewhere(shop), [existing("database", host="h", port=1)])
    assert ("user", "database") not in ends(graph)
    assert states(graph)["database"] == "not ready"


def test_any_other_function() -> None:
    """A function that tells nothing about dependencies has nodes and no edges."""

    class Plain:
        def run(self, data: bytes, timeout: float) -> bytes:
            response = fnv1.RunFunctionResponse()
            response.desired.resources["a"].resource.update({"apiVersion": "v1", "kind": "A"})
            return response.SerializeToString()

    graph = drawn(Plain())
    assert states(graph) == {"a": "to be created"}
    assert [node.kind for node in graph.nodes] == ["A"]
    assert graph.edges == []


def test_names_are_told_apart() -> None:
    """What a path leads into is said beside it, as names may hold dots; what isn't known, and oneself, is no end."""
    response = fnv1.RunFunctionResponse()
    for name in ("a", "a.b", "c"):
        response.desired.resources[name].resource.update({"apiVersion": "v1", "kind": "A"})
    waits = [
        {"name": "d", "of": of, "path": path, "why": "x"}
        for of, path in (("a.b", "a.b.status.x"), ("a", "a.b.status.x"), ("c", "c"), ("", "(a text)"), ("d", "d"))
    ]
    response.context.update({"crossplane-lite/held-back": {"step": {"held": ["d"], "waits": waits}}})
    run = StepRun(Step("s", "f"), Elsewhere(shop), request(), response.SerializeToString(), 1)
    assert {edge[:2] for edge in collect([run]).dependencies} == {("d", "a.b"), ("d", "a"), ("d", "c")}


@pytest.mark.parametrize(
    "context",
    [
        {"crossplane-lite/held-back": "x"},
        {"crossplane-lite/held-back": {"step": "x"}},
        {"crossplane-lite/held-back": {"step": [1, None, {"a": 1}, "held"]}},
        {"crossplane-lite/held-back": [["x"]]},
        {"crossplane-lite/held-back": {"step": {"held": "x", "waits": "x", "cutOff": 1}}},
        {"crossplane-lite/held-back": {"step": {"held": ["held", 1], "waits": [1, {"name": 1, "path": "x"}]}}},
        {"crossplane-lite/held-back": {"step": {"waits": [{"name": "a"}, {"path": "a.b"}, {"name": "", "path": ""}]}}},
    ],
)
def test_strange_contexts(context: dict[str, object]) -> None:
    """Whatever a function writes into the context, nothing fails."""

    class Strange:
        def run(self, data: bytes, timeout: float) -> bytes:
            response = fnv1.RunFunctionResponse()
            response.context.update(context)
            return response.SerializeToString()

    assert set(states(drawn(Strange()))) <= {"held"}


@pytest.mark.parametrize("name", ["a", "usage-a"])
@pytest.mark.parametrize(
    "raw", [b"\x0a", b"\x0a\x05", b"\x0a\x0a\x0a\x08metadata"], ids=["no length", "too short", "no value"]
)
def test_malformed_resources(name: str, raw: bytes) -> None:
    """A resource of malformed bytes is one whose kind isn't known, whatever it is called."""
    response = _view.RunFunctionResponse()
    response.desired.resources[name].resource = raw
    run = StepRun(Step("s", "f"), Elsewhere(shop), request(), response.SerializeToString(), 1)
    found = collect([run])
    assert found.desired == {name}
    assert found.kinds == {name: ""}
    assert found.usages == set()


TEXTS = st.sampled_from(["", "a", "a.b", "xr.status.x", "required.r", "a.b.c[0]", "\x00", None, 1])
NEEDS = st.dictionaries(st.sampled_from(["name", "of", "path", "why"]), TEXTS)


@given(st.lists(NEEDS, max_size=6))
def test_strange_needs(waits: list[dict[str, object]]) -> None:
    """Whatever an entry says, there is a graph of it, and every end of an edge has a name."""
    response = fnv1.RunFunctionResponse()
    response.context.update({"crossplane-lite/held-back": {"step": {"waits": waits}}})
    run = StepRun(Step("s", "f"), Elsewhere(shop), request(), response.SerializeToString(), 1)
    for one in collect([run]).dependencies:
        assert one.dependent
        assert one.dependency


class Reworded(Elsewhere):
    """Runs a function that puts everything for people in other words."""

    def run(self, data: bytes, timeout: float) -> bytes:
        response = fnv1.RunFunctionResponse.FromString(super().run(data, timeout))
        for message in (*response.conditions, *response.results):
            message.message = "x waits for y.z (so it is); dependency cycle: x. Dependencies: y -> x (y.z)"
        return response.SerializeToString()


@pytest.mark.parametrize("cycle", [False, True])
def test_the_wording_does_not_matter(cycle: bool) -> None:
    """The graph comes from data: a function elsewhere that words its messages otherwise has the same one."""
    graph = drawn(Reworded(shop), cycle=cycle)
    assert graph == drawn(Elsewhere(shop), cycle=cycle)
    assert graph.edges


def test_every_edge_of_many() -> None:
    """However many lines a message has, all edges of a function that runs elsewhere are there."""

    @composition.function(name="many")
    def compose(ctx: composition.Context) -> None:
        first = ctx.resource("first", Unstructured("example.org/v1", "Thing"))
        for at in range(60):
            ctx.resource(f"r{at}", Unstructured("example.org/v1", "Thing", spec={"id": first.observed.status.id}))

    assert ends(drawn(Elsewhere(compose))) == {(f"r{at}", "first") for at in range(60)}


def test_secrets_elsewhere() -> None:
    """Secret values in the paths that a function elsewhere tells are masked, names of resources are not."""

    @composition.function(name="secret")
    def compose(ctx: composition.Context) -> None:
        grant = ctx.resource("postgres-grant", Unstructured("example.org/v1", "Grant"))
        ctx.resource("user", Unstructured("example.org/v1", "User", spec={"id": grant.observed.status["postgres"].id}))

    data = request(credentials={"db": {"username": b"postgres"}})
    run = StepRun(Step("s", "f"), Elsewhere(compose), data, compose.run(data), 1)
    (found,) = collect([run]).dependencies
    assert found == ("user", "postgres-grant", 'postgres-grant.status["[secret]"].id')
    here = StepRun(Step("s", "f"), InProcess(compose), data, compose.run(data), 1)
    assert collect([here]).dependencies == {found}


def test_two_steps_in_different_places() -> None:
    """Steps of this process and of elsewhere are in one graph."""
    graph = drawn([shop, Elsewhere(shop)])
    assert ("database", "required.settings") in ends(graph)
    assert graph.notes == [NOTE.replace("step-0", "step-1")]


def test_resources_of_a_label_query() -> None:
    """A requirement that several resources answer says so."""
    several = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} for name in "ab"]
    run = StepRun(Step("s", "f"), Elsewhere(shop), request(required={"sizes": several}), b"", 1)
    assert collect([run]).required == {"sizes": "ConfigMap a and 1 more"}


def test_no_steps() -> None:
    """A reconcile that failed before any step gave an answer has an empty graph."""

    class Dead:
        def run(self, data: bytes, timeout: float) -> bytes:
            raise AssertionError("never called")

    rendered = render(XR, [Step("s", "f")], {"f": shop}, cluster=Shelf())
    assert graph_of(rendered._replace(steps=[])).nodes == []


def test_strange_requirements() -> None:
    """The text about a required resource of any kind and name is short."""
    resource = {"apiVersion": "v1", "kind": "K" * 10_000, "metadata": {"name": "n" * 10_000}}
    data = testing.request(XR, required={"sizes": [resource]})
    run = StepRun(Step("s", "f"), Elsewhere(shop), data, b"", 1)
    text = collect([run]).required["sizes"]
    assert re.fullmatch(r"K+…K+ n+…n+", text) and len(text) < 520

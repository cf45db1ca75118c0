"""The graph of a reconcile and of a simulation: nodes with their states, edges, cycles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition
from crossplane_lite._tools.graph.graph import DrawnNode, Edge, Graph, Sort, State, graph_of_simulation
from crossplane_lite._tools.render.rendered import RenderError
from crossplane_lite._tools.simulate.simulation import Simulation
from crossplane_lite.render import Step
from tests.graph.graphs import READY, XR, Shelf, drawn, existing, shop, states, thing
from tests.simulate.simulating import of_steps


def edges(graph: Graph) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the paths of a graph's edges by their ends."""
    return {edge[:2]: edge.paths for edge in graph.edges}


ALL_EDGES = {
    ("backup", "user"): ("user.external_name",),
    ("database", "required.settings"): ("required.settings[0].data.region",),
    ("grant", "xr.status.login"): ("xr.status.login",),
    ("record", "replica"): ("replica",),
    ("record", "required.settings"): ("required.settings[0].data.region",),
    ("replica", "required.sizes"): ("required.sizes[0].data.size",),
    ("user", "database"): ("database.status.host", "database.status.port"),
    ("xr.status.login", "user"): ("user.external_name",),
}


def test_nothing_observed() -> None:
    """At the start what needs nothing is to be created, and the rest is held back."""
    graph = drawn()
    assert graph.title == "App shop"
    assert states(graph) == {
        "backup": "depends on a value",
        "database": "to be created",
        "grant": "held back",
        "record": "held back",
        "replica": "held back",
        "user": "held back",
        "xr.status.login": "no value yet",
        "required.settings": "found",
        "required.sizes": "not found",
    }
    assert edges(graph) == ALL_EDGES
    assert graph.notes == []


def test_kinds() -> None:
    """A node has the kind of its object, also where the resource is held back or not composed yet."""
    assert {node.name: node.kind for node in drawn().nodes} == {
        "backup": "Backup",
        "database": "Instance",
        "grant": "Grant",
        "record": "Record",
        "replica": "Instance",
        "user": "User",
        "xr.status.login": "",
        "required.settings": "ConfigMap settings",
        "required.sizes": "ConfigMap sizes",
    }


def test_states_of_what_exists() -> None:
    """What exists is ready or not; what exists and isn't desired is to be deleted; edges stay when they have values."""
    database = existing("database", host="h", port=1, conditions=READY)
    graph = drawn(observed=[database, existing("user"), existing("old")])
    found = states(graph)
    assert found["database"] == "ready"
    assert found["user"] == "not ready"
    assert found["old"] == "to be deleted"
    assert found["xr.status.login"] == "has a value"
    assert edges(graph) == ALL_EDGES
    assert graph.states() == {
        State.READY: 1,
        State.EXISTS: 1,
        State.HELD: 3,
        State.DELETE: 1,
        State.POSSIBLE: 1,
    }


def test_a_field_that_is_set_behind_a_question() -> None:
    """A field that compose() sets only once a value is there has no value before."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        url = ctx.resource("database", thing("Instance")).observed.status.url
        if not url:
            return
        ctx.composite(Unstructured).status.queueUrl = url

    for observed in ([], [existing("database")]):
        assert states(drawn(compose, observed=observed))["xr.status.queueUrl"] == "no value yet"
    assert states(drawn(compose, observed=[existing("database", url="u")]))["xr.status.queueUrl"] == "has a value"


def test_missing_values() -> None:
    """An edge knows which of its values have none yet."""
    graph = drawn(observed=[existing("database", host="h")])
    missing = {edge[:2]: edge.missing for edge in graph.edges if edge.waiting}
    assert missing == {
        ("grant", "xr.status.login"): ("xr.status.login",),
        ("record", "replica"): ("replica",),
        ("replica", "required.sizes"): ("required.sizes[0].data.size",),
        ("user", "database"): ("database.status.port",),
        ("xr.status.login", "user"): ("user.external_name",),
    }


def test_gate_that_is_open() -> None:
    """What `depends_on` asks for isn't missing once that is ready."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        database = ctx.resource("database", thing("Instance"))
        ctx.resource("user", thing("User"), depends_on=[database])

    assert [edge.waiting for edge in drawn(compose).edges] == [True]
    assert [edge.waiting for edge in drawn(compose, [existing("database")]).edges] == [True]
    assert [edge.waiting for edge in drawn(compose, [existing("database", conditions=READY)]).edges] == [False]
    assert [edge.waiting for edge in drawn(compose, [existing("database"), existing("user")]).edges] == [False]


def test_cycle() -> None:
    """A cycle, for which the reconcile fails, is drawn and marked, and nothing else is."""
    graph = drawn(cycle=True)
    names = ["database", "user", "xr.status.login"]
    assert [node.name for node in graph.nodes if node.in_cycle] == names
    assert [edge[:2] for edge in graph.edges if edge.in_cycle] == [
        ("database", "xr.status.login"),
        ("user", "database"),
        ("xr.status.login", "user"),
    ]
    assert graph.notes == ["dependency cycle: database, user, xr.status.login need each other"]
    assert states(graph)["database"] == "held back"
    assert states(graph)["required.settings"] == "found"


def test_failed_reconcile() -> None:
    """compose() that raises has the graph of what it showed until then."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        shop.call_compose(ctx)
        raise ValueError("no more")

    graph = drawn(compose, [existing("user")])
    assert edges(graph) == ALL_EDGES
    found = states(graph)
    assert (found["database"], found["user"], found["grant"]) == ("to be created", "not ready", "held back")


def test_nothing_at_all() -> None:
    """A function that composes nothing has an empty graph with a title."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        pass

    assert drawn(compose) == Graph("App shop", [], [], [])


def test_dependency_that_nobody_composes() -> None:
    """What is needed and composed by no one is a node that says so."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        ctx.resource("a", thing("A"), depends_on=["missing"])

    assert states(drawn(compose)) == {"a": "held back", "missing": "not composed"}


def test_fields_between_steps() -> None:
    """A field of the composite that one step sets, and another reads above or below it, is one way through."""

    @composition.function(name="first")
    def first(ctx: composition.Context) -> None:
        a, b = (ctx.resource(name, thing("A")) for name in "ab")
        xr = ctx.composite(Unstructured)
        xr.status.whole = a.observed.status.all
        xr.status.parts = {"one": b.observed.status.one}

    @composition.function(name="second")
    def second(ctx: composition.Context) -> None:
        status = ctx.composite(Unstructured).observed.status
        ctx.resource("c", thing("C")).spec.x = status.whole.deep[0].inside
        ctx.resource("d", thing("D")).spec.x = status.parts

    assert edges(drawn([first, second])) == {
        ("c", "xr.status.whole"): ("xr.status.whole.deep[0].inside",),
        ("d", "xr.status.parts.one"): ("xr.status.parts",),
        ("xr.status.parts.one", "b"): ("b.status.one",),
        ("xr.status.whole", "a"): ("a.status.all",),
    }


def test_usages() -> None:
    """Usages say what the edges say: they are not drawn, but mentioned."""

    @composition.function(usages=True)
    def compose(ctx: composition.Context) -> None:
        database = ctx.resource("database", thing("Instance"))
        ctx.resource("user", thing("User")).spec.host = database.observed.status.host

    observed = [existing("database", host="h"), existing("user")]
    graph = drawn(compose, observed)
    assert set(states(graph)) == {"database", "user"}
    assert graph.notes == ["1 Usages, which keep the order of deletion, are not drawn"]


# --- levels ------------------------------------------------------------------------------------------------------


def graph_with(pairs: set[tuple[str, str]]) -> Graph:
    """Return a graph of edges."""
    names = sorted({end for pair in pairs for end in pair})
    nodes = [DrawnNode(name, Sort.RESOURCE, "", State.READY) for name in names]
    return Graph("", nodes, [Edge(*pair, (pair[1],)) for pair in sorted(pairs)], [])


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] > pair[1])))
def test_levels(pairs: set[tuple[int, int]]) -> None:
    """Without cycles the level is the length of the longest way down."""
    longest: dict[int, int] = {}
    for number in range(10):
        longest[number] = max((longest[below] + 1 for above, below in pairs if above == number), default=0)
    levels = graph_with({(str(above), str(below)) for above, below in pairs}).levels
    assert levels == {name: longest[int(name)] for name in levels}


def test_levels_of_a_cycle() -> None:
    """Those on a cycle have one level, and what needs them has the next."""
    graph = graph_with({("a", "b"), ("b", "a"), ("a", "under"), ("over", "b")})
    assert graph.levels == {"a": 1, "b": 1, "over": 2, "under": 0}


@pytest.mark.slow
def test_levels_of_a_long_chain() -> None:
    """However deep a graph is, nothing overflows."""
    graph = graph_with({(f"{at:05}", f"{at - 1:05}") for at in range(1, 5000)})
    assert graph.levels["04999"] == 4999


# --- simulations -------------------------------------------------------------------------------------------------


def simulated(function: Any, **kwargs: Any) -> tuple[Simulation, RenderError | None]:
    """Return a simulation that has run, and what it failed with."""
    simulation = of_steps([Step("s", "f", **kwargs)], {"f": function}, xr=XR, cluster=Shelf())
    try:
        simulation.run()
    except RenderError as error:
        return simulation, error
    return simulation, None


def test_simulation() -> None:
    """The nodes of a simulation have the state at its end and the wave in which they appeared."""

    @composition.function(auto_ready=True)
    def compose(ctx: composition.Context) -> None:
        a, b = (ctx.resource(name, thing("Thing")) for name in "ab")
        b.spec.id = a.observed.status.id
        ctx.resource("c", thing("Thing"), depends_on=[b])

    graph = graph_of_simulation(simulated(compose)[0])
    waves = {node.name: (node.state, node.wave) for node in graph.nodes}
    assert waves == {"a": (State.READY, 1), "b": (State.READY, 2), "c": (State.READY, 3)}
    assert not any(edge.waiting for edge in graph.edges)


def test_simulation_with_what_never_resolves() -> None:
    """What a simulation never resolves has no wave, and is named."""
    graph = graph_of_simulation(simulated(shop)[0])
    replica = next(node for node in graph.nodes if node.name == "replica")
    assert (replica.state, replica.wave) == (State.HELD, None)
    assert any(note.startswith("never resolved: replica waits for required.sizes[0].data.size") for note in graph.notes)


def test_simulation_with_fixtures_that_nobody_has() -> None:
    """Fixtures of no resource are among what people should know."""
    fixtures: dict[str, Any] = {"databse": {"status": {}}, "Instance": {"status": {}}}
    simulation = of_steps([Step("s", "f")], {"f": shop}, xr=XR, cluster=Shelf(), fixtures=fixtures)
    simulation.run()
    notes = [note for note in graph_of_simulation(simulation).notes if "fixture" in note]
    assert notes == ["fixture 'databse': no composed resource has this name or kind; did you mean 'database'?"]


def test_simulation_that_fails() -> None:
    """A simulation that ends in a cycle has the graph of the round that failed."""
    simulation, failure = simulated(shop, input={"apiVersion": "example.org/v1", "kind": "Cycle"})
    assert failure is not None
    graph = graph_of_simulation(simulation, failure)
    assert [node.name for node in graph.nodes if node.in_cycle] == ["database", "user", "xr.status.login"]


@pytest.mark.parametrize("attribute", ["fill", "stroke"])
def test_states_look_different(attribute: str) -> None:
    """No two states look the same."""
    from crossplane_lite._tools.graph.appearance import LOOKS

    assert set(LOOKS) == set(State)
    looks = [(getattr(look, attribute), look.dot, look.style) for look in LOOKS.values()]
    assert len(set(looks)) == len(looks)

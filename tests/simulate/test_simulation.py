"""`Simulation`: waves, and how they end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition
from crossplane_lite._tools.render.rendered import FatalResultError, RenderError
from crossplane_lite._tools.simulate.report import report
from crossplane_lite._tools.simulate.table import lines
from crossplane_lite.errors import InputError, UsageError
from tests.render.scripted import Objects, Scripted, desire
from tests.simulate.simulating import XR, chain, fields, network, schemas, simulated, simulation, thing


def condition(simulation: Any, type_: str) -> tuple[str, str]:
    """Return status and reason of a condition of the composite."""
    found = [one for one in simulation.composite["status"]["conditions"] if one["type"] == type_]
    return found[0]["status"], found[0]["reason"]


def test_a_chain() -> None:
    """Each resource appears in the round after that in which what it waits for appeared."""
    done = simulated(chain)
    assert done.waves == {"vpc": 1, "subnet": 2, "instance": 3}
    assert [one.appeared for one in done.rounds] == [["vpc"], ["subnet"], ["instance"], [], []]
    assert done.rounds[0].waiting == {
        "instance": ["subnet.status.atProvider.id"],
        "subnet": ["vpc.status.atProvider.vpcId"],
    }
    assert done.stable and done.problem is None and done.unresolved == {} and done.cycles == []
    assert condition(done, "Ready") == ("True", "Available")
    assert fields(done, "subnet")["vpc"] == done.observed["vpc"]["status"]["atProvider"]["vpcId"]


def test_a_diamond() -> None:
    """What waits for two appears after the later one, and shows both."""

    def compose(ctx: Any) -> None:
        top = ctx.resource("top", thing())
        left = ctx.resource("left", thing(a=top.observed.external_name))
        right = ctx.resource("right", thing(a=left.observed.status.atProvider.x, b=top.observed.status.atProvider.x))
        ctx.resource("last", thing(a=left.observed.status.atProvider.y, b=right.observed.status.atProvider.y))

    done = simulated(compose)
    assert done.waves == {"top": 1, "left": 2, "right": 3, "last": 4}
    assert done.waited["last"] == ["left.status.atProvider.y", "right.status.atProvider.y"]


def test_through_the_composites_status() -> None:
    """What reads a field of the composite's status appears one round later than that field."""
    done = simulated(network)
    assert done.waves == {"vpc": 1, "peer": 3}
    assert done.composite["status"]["vpc"] == fields(done, "peer")["vpc"]


def test_lists_and_text() -> None:
    """Elements of lists, and values within text, are found as any other value."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing())
        status = vpc.observed.status.atProvider
        ctx.resource("a", thing(zones=[status.zones[0], status.zones[2]], text=f"x-{status.subnets[1].id}-y"))

    done = simulated(compose)
    assert done.waves == {"vpc": 1, "a": 2}
    status = done.observed["vpc"]["status"]["atProvider"]
    assert len(status["zones"]) == 3 and len(status["subnets"]) == 2
    assert fields(done, "a")["zones"] == [status["zones"][0], status["zones"][2]]
    assert fields(done, "a")["text"] == f"x-{status['subnets'][1]['id']}-y"


def test_loops_over_values() -> None:
    """Resources that are made in a loop over an observed list appear once the list is there."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing())
        for zone in vpc.observed.status.atProvider.zones:
            ctx.resource(f"subnet-{zone}", thing(zone=zone))

    done = simulated(compose, fixtures={"vpc": {"status": {"atProvider": {"zones": ["a", "b"]}}}})
    assert done.waves == {"vpc": 1, "subnet-a": 2, "subnet-b": 2}


def test_gates() -> None:
    """What depends on a resource being ready appears in the round after that resource."""

    def compose(ctx: Any) -> None:
        a = ctx.resource("a", Unstructured("apps/v1", "Deployment", spec={"replicas": 3}))
        ctx.resource("b", Unstructured("v1", "ConfigMap"), depends_on=[a])

    done = simulated(compose, xr={**XR, "metadata": {**XR["metadata"], "namespace": "team"}})
    assert done.waves == {"a": 1, "b": 2}
    assert done.waited == {"b": ["a"]}
    assert condition(done, "Ready") == ("True", "Available")


def test_conditions() -> None:
    """A condition that somebody reads is there, with the fields that he reads."""

    def compose(ctx: Any) -> None:
        a = ctx.resource("a", thing())
        text = f"{a.condition('Ready').reason} {a.condition('Special').status} {a.condition('Special').message}"
        ctx.resource("b", thing(text=text))

    assert fields(simulated(compose), "b")["text"] == "Available True simulated"


def test_two_steps() -> None:
    """What one step composes is there for the next one, whoever waits for it."""

    def first(ctx: Any) -> None:
        ctx.resource("vpc", thing("VPC"))
        ctx.resource("name.with.dots", thing())

    def second(ctx: Any) -> None:
        vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
        dotted = ctx.resource("name.with.dots", Unstructured("example.org/v1", "Thing"))
        observed = vpc.observed.status.atProvider
        ctx.resource("subnet", thing(vpc=observed.vpcId, other=dotted.observed.status.x))

    done = simulated(first, second)
    assert done.waves == {"name.with.dots": 1, "vpc": 1, "subnet": 2}
    assert done.origins["name.with.dots.status.x"] == "assumed"


def test_a_function_that_runs_elsewhere() -> None:
    """Of a function that can't be asked, its condition says what it waits for."""
    function = composition.function(name="far", auto_ready=True)(chain)

    class Elsewhere:
        def run(self, request: bytes, timeout: float) -> bytes:
            return function.run(request)

    done = simulated(Elsewhere())
    assert done.waves == {"vpc": 1, "subnet": 2, "instance": 3}
    assert done.dependencies == [] and done.waited["subnet"] == ["vpc.status.atProvider.vpcId"]


def test_more_than_a_condition_tells() -> None:
    """A condition's message names fifty; what the others wait for is known all the same."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing())
        for number in range(60):
            ctx.resource(f"r{number}", thing(x=vpc.observed.status.atProvider[f"x{number}"]))

    done = simulated(compose)
    assert set(done.waves.values()) == {1, 2}
    assert done.waited["r9"] == ['vpc.status.atProvider["x9"]'] and len(done.waited) == 60


def test_composed_resources_that_are_required() -> None:
    """A required resource that is composed itself is found, and gets the fields that are read of it."""

    def compose(ctx: Any) -> None:
        made = ctx.resource("vpc", thing("VPC"))
        made.metadata.labels["net"] = "blue"
        ctx.requirements.resources["all"] = composition.ResourceSelector(
            api_version="example.org/v1", kind="VPC", match_labels={"net": "blue"}
        )
        ids = [vpc.observed.status.vpcId for vpc in ctx.required_resources.get("all", Unstructured)]
        if ids:
            ctx.resource("list", thing(ids=ids))

    other = {"apiVersion": "example.org/v1", "kind": "VPC", "metadata": {"name": "aaa", "labels": {"net": "blue"}}}
    other["status"] = {"vpcId": "given"}
    done = simulated(compose, cluster=Objects(other))
    assert fields(done, "list")["ids"] == ["given", done.observed["vpc"]["status"]["vpcId"]]
    assert done.stable and not done.unresolved


def test_required_resources_that_lack_something() -> None:
    """What waits for a field that a required resource doesn't have is named."""

    def compose(ctx: Any) -> None:
        ctx.requirements.resources["one"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_name="config", namespace="x"
        )
        for config in ctx.required_resources.get("one", Unstructured):
            ctx.resource("a", thing(x=config.observed.data.size))

    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config", "namespace": "x"}, "data": {}}
    done = simulated(compose, cluster=Objects(config))
    assert done.unresolved == {"a": ["required.one[0].data.size (ConfigMap x/config doesn't have it)"]}


def test_a_cycle_in_one_function() -> None:
    """A cycle that the function finds is a fatal result, and the simulation says in which round."""

    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, thing()) for name in "ab")
        a.spec.forProvider.x = b.observed.external_name
        b.spec.forProvider.x = a.observed.external_name

    made = simulation(compose)
    with pytest.raises(FatalResultError, match="dependency cycle: a waits for b waits for a") as caught:
        made.run()
    # Exactly the values that make the circle are named.
    assert "waits for a (a.external_name, b.external_name); take one out" in str(caught.value)
    assert made.problem is not None and made.problem.startswith("round 1: ")
    assert made.rounds == [] and made.unresolved == {}


def test_a_cycle_across_steps() -> None:
    """A cycle that no function can see alone is found, and every resource on it named."""

    def one(ctx: Any) -> None:
        ctx.resource("root", thing())
        ctx.resource("a", thing(x=ctx.composite(Unstructured).observed.status.b))

    def other(ctx: Any) -> None:
        b = ctx.resource("b", thing(x=ctx.resource("a", thing()).observed.status.atProvider.id))
        ctx.composite(Unstructured).status.b = b.observed.status.atProvider.id

    done = simulated(one, other)
    assert done.waves == {"root": 1}
    assert sorted(done.unresolved) == ["a", "b"]
    assert done.cycles == [["a", "b", "xr.status.b"]]


def test_what_no_schema_has() -> None:
    """A field that the kind's schema doesn't have never comes: it is named with what waits for it."""
    known = schemas("VPC", {"atProvider": {"type": "object", "properties": {"vpcID": {"type": "string"}}}})
    done = simulated(chain, schemas=known)
    assert done.stable and done.waves == {"vpc": 1}
    assert done.unresolved == {
        "instance": ["subnet.status.atProvider.id (subnet is held back itself)"],
        "subnet": [
            "vpc.status.atProvider.vpcId (the schema of example.org/v1 VPC has no status.atProvider.vpcId; "
            "did you mean 'vpcID'?)"
        ],
    }
    assert condition(done, "Ready")[0] == "False"


def test_fields_of_the_composite_that_never_come() -> None:
    """A field of the composite's status is named like a resource."""
    done = simulated(network, schemas=schemas("VPC", {"atProvider": {"type": "object", "properties": {"x": {}}}}))
    assert list(done.unresolved) == ["peer", "xr.status.vpc"]
    assert "has no status.atProvider.vpcId" in done.unresolved["xr.status.vpc"][0]


def test_resources_below_a_question_that_never_comes() -> None:
    """A resource that is only made where a value is there, which never is, is named; one with another value isn't."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing("VPC")).observed.status
        if vpc.missing:
            ctx.resource("a", thing(x=vpc.missing))
        ctx.resource("b", thing(x=vpc.missing or vpc.there))

    done = simulated(compose, schemas=schemas("VPC", {"there": {"type": "string"}}))
    assert done.waves == {"vpc": 1, "b": 2}
    assert list(done.unresolved) == ["a"]


def test_oscillation() -> None:
    """A function that takes away what it made, and makes it again, is told from a slow one."""

    def flip(request: Any, response: Any) -> None:
        if "a" not in request.observed.resources:
            desire(response, "a", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "x"}})

    done = simulated(Scripted(flip))
    assert not done.stable and len(done.rounds) == 3
    assert done.problem is not None
    assert done.problem.startswith("the simulation never becomes stable: round 3 has the same result as round 1")
    assert "a (added), a (removed)" in done.problem
    assert list(done.rounds[1].rendered.deleted) == ["a"]


@pytest.mark.parametrize(
    ("content", "said"),
    [(True, "a.data.x"), (False, 'a.metadata.annotations["crossplane-lite/function"]')],
    ids=["with content", "alone"],
)
def test_oscillation_of_memories(content: bool, said: str) -> None:
    """What a mark remembers is named as changing only where nothing else changes."""

    def flip(request: Any, response: Any) -> None:
        before = request.observed.resources["a"].resource if "a" in request.observed.resources else {}
        turn = "2" if before and before["metadata"]["annotations"]["crossplane-lite/function"][4] == "1" else "1"
        metadata = {"namespace": "x", "annotations": {"crossplane-lite/function": f"net;{turn}abcdefgh"}}
        data = {"data": {"x": turn}} if content else {}
        desire(response, "a", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **data})

    done = simulated(Scripted(flip))
    assert done.problem is not None and done.problem.endswith(f"these change: {said}")


def test_what_is_deleted_again() -> None:
    """A resource that is needed for a while only is gone in the end, and has its wave all the same."""

    def script(request: Any, response: Any) -> None:
        kind = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "x"}}
        desire(response, "always", kind)
        if "first" not in request.observed.resources and "always" not in request.observed.resources:
            desire(response, "first", kind)

    done = simulated(Scripted(script))
    assert done.stable and done.waves == {"always": 1, "first": 1} and list(done.observed) == ["always"]
    assert [list(one.rendered.deleted) for one in done.rounds] == [[], ["first"], []]
    found = {one["name"]: one["exists"] for one in report(done, [])["resources"]}
    assert found == {"always": True, "first": False}
    assert "deleted again: first" in list(lines(report(done, [])))


def test_usages() -> None:
    """Usages appear once both of their resources exist, and nothing is unresolved for them."""
    function = composition.function(name="f", auto_ready=True, usages=True)(chain)
    done = simulated(function)
    usages = {done.rounds[-1].rendered.composed[name]["kind"]: wave for name, wave in done.waves.items()}
    assert usages["ClusterUsage"] == 4 and len(done.waves) == 5 and not done.unresolved


def test_slowness() -> None:
    """A function that goes on for ever is given up after so many rounds, with what still changes."""

    def count(request: Any, response: Any) -> None:
        seen = request.observed.composite.resource
        before = seen["status"]["n"] if "status" in seen and "n" in seen["status"] else 0
        response.desired.composite.resource.update({"status": {"n": before + 1}})

    done = simulated(Scripted(count), most_rounds=7)
    assert not done.stable and len(done.rounds) == 7
    assert done.problem is not None and "isn't stable after 7 rounds" in done.problem
    assert "xr.status.n" in done.problem
    assert simulated(Scripted(lambda request, response: None), most_rounds=2).stable


def test_a_fatal_result_later() -> None:
    """The rounds until a fatal result are kept."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing())
        if vpc.observed.status.atProvider.vpcId:
            raise ValueError("no more")
        ctx.resource("a", thing(x=vpc.observed.status.atProvider.vpcId))

    made = simulation(compose)
    with pytest.raises(RenderError, match="no more"):
        made.run()
    assert len(made.rounds) == 1 and made.waves == {"vpc": 1} and not made.stable
    assert made.problem is not None and made.problem.startswith("round 2: ")


def test_a_start_with_resources() -> None:
    """What exists at the start is there in the first round, and keeps what it has; others' are refused."""
    mine = {
        "apiVersion": "example.org/v1",
        "kind": "VPC",
        "metadata": {"name": "old", "annotations": {"crossplane.io/composition-resource-name": "vpc"}},
        "spec": {"forProvider": {"late": 1}},
        "status": {"atProvider": {"vpcId": "vpc-0"}},
    }
    owner = {"apiVersion": "a/v1", "kind": "K", "name": "k", "uid": "other", "controller": True}
    foreign = {
        **mine,
        "metadata": {
            "name": "x",
            "ownerReferences": [owner],
            "annotations": {"crossplane.io/composition-resource-name": "theirs"},
        },
    }
    with pytest.raises(InputError, match='^the observed resource "theirs" has a controller that is'):
        simulated(chain, observed=[mine, foreign])
    done = simulated(chain, observed=[mine])
    assert done.waves == {"subnet": 1, "vpc": 1, "instance": 2}
    assert fields(done, "subnet")["vpc"] == "vpc-0"
    assert done.observed["vpc"]["metadata"]["name"] == "old"
    assert done.observed["vpc"]["spec"]["forProvider"] == {"late": 1, "region": "eu"}
    with pytest.raises(InputError, match="composition-resource-name"):
        simulation(chain, observed=[{"apiVersion": "v1", "kind": "Secret", "metadata": {}}])


def test_connection_details() -> None:
    """Details come through the Secret that a resource names; those of a composite of Crossplane 1 are published."""

    def compose(ctx: Any) -> None:
        db = thing("DB")
        db.spec.writeConnectionSecretToRef = {"name": "db", "namespace": "x"}
        db = ctx.resource("db", db)
        ctx.resource("user", thing(password=db.observed.connection_details["password"]))
        plain = ctx.resource("plain", thing())
        ctx.resource("never", thing(password=plain.observed.connection_details["password"]))
        xr = ctx.composite(Unstructured)
        xr.connection_details["url"] = "there"
        ctx.resource("reader", thing(url=xr.observed.connection_details["url"]))

    xr = {**XR, "spec": {"writeConnectionSecretToRef": {"name": "xr", "namespace": "x"}}}
    xrd = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "spec": {"group": "example.org", "names": {"kind": "XNetwork"}},
    }
    done = simulated(compose, xr=xr, xrd=xrd, fixtures={"db": {"connectionDetails": {"password": "given"}}})
    assert done.waves == {"db": 1, "plain": 1, "reader": 2, "user": 2}
    assert fields(done, "user")["password"] == "given"
    assert fields(done, "reader")["url"] == "there"
    assert list(done.unresolved) == ["never"]
    assert "no spec.writeConnectionSecretToRef" in done.unresolved["never"][0]
    others = simulated(compose, xr=xr)
    assert fields(others, "user")["password"] == "db-password"
    assert list(others.unresolved) == ["never", "reader"]


def test_connection_secrets_of_the_cluster() -> None:
    """A connection Secret that exists already keeps what it holds."""

    def compose(ctx: Any) -> None:
        db = thing("DB")
        db.spec.writeConnectionSecretToRef = {"name": "db", "namespace": "x"}
        db = ctx.resource("db", db)
        ctx.resource("user", thing(a=db.observed.connection_details["a"], b=db.observed.connection_details["b"]))

    metadata = {"name": "db", "namespace": "x"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"a": "Zm91bmQ="}}
    user = fields(simulated(compose, cluster=Objects(secret)), "user")
    assert (user["a"], user["b"]) == ("found", "db-b")


def test_twice_the_same() -> None:
    """Two simulations come to the same, byte by byte, and nothing that is given is changed."""
    before = json.dumps(XR)
    texts = []
    for _ in range(2):
        done = simulated(chain, network)
        texts.append(json.dumps([report(done, []), done.observed, done.composite], sort_keys=True))
    assert texts[0] == texts[1]
    assert json.dumps(XR) == before


def test_running_again() -> None:
    """A simulation that has run doesn't run again."""
    done = simulated(chain)
    assert done.run() is done.rounds and len(done.rounds) == 5


def test_too_few_rounds() -> None:
    """Two rounds are the fewest, because two must come to the same."""
    with pytest.raises(UsageError, match="most_rounds"):
        simulation(chain, most_rounds=1)


VALUES: dict[str, Any] = {
    "field": lambda one: one.observed.status.atProvider.id,
    "text": lambda one: f"a-{one.observed.status.atProvider.other}-b",
    "list": lambda one: [one.observed.status.elements[2].x],
    "name": lambda one: one.observed.external_name,
    "map": lambda one: {"k": one.observed.status.tags["a.b/c"]},
}


@st.composite
def dags(draw: st.DrawFn) -> list[dict[int, str]]:
    """Draw for each node the earlier nodes that it needs, and by what kind of value."""
    kinds = st.sampled_from([*VALUES, "gate", "xr"])
    size = draw(st.integers(1, 9))
    return [{at: draw(kinds) for at in range(node) if draw(st.integers(0, 2)) == 0} for node in range(size)]


def step(dag: list[dict[int, str]], nodes: list[int]) -> Any:
    """Return a function that composes some nodes, in this order; others belong to previous steps."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        placed: dict[int, Any] = {}
        foreign = {at for node in nodes for at in dag[node]} - set(nodes)
        for node in sorted(foreign):
            placed[node] = ctx.resource(f"n{node}", Unstructured("example.org/v1", "Thing"))
        # What is a gate has to be registered before what it is a gate for; the others come in any order.
        gated = [node for node in nodes if "gate" in dag[node].values()]
        for node in [*(one for one in nodes if one not in gated), *sorted(gated)]:
            gates = [placed[at] for at, kind in dag[node].items() if kind == "gate"]
            placed[node] = ctx.resource(f"n{node}", thing(), depends_on=gates)
        for node in nodes:
            needs = {f"x{at}": VALUES[kind](placed[at]) for at, kind in dag[node].items() if kind in VALUES}
            for at, kind in dag[node].items():
                if kind == "xr":
                    xr.status[f"from{at}"] = placed[at].observed.status.atProvider.id
                    needs[f"x{at}"] = xr.observed.status[f"from{at}"]
            placed[node].spec.forProvider.needs = needs

    return compose


@pytest.mark.slow
@settings(max_examples=80, deadline=None, derandomize=True)
@given(dag=dags(), order=st.randoms(use_true_random=False), first=st.integers(0, 9))
def test_waves_are_longest_paths(dag: list[dict[int, str]], order: Any, first: int) -> None:
    """Each resource appears after as many rounds as its longest path is long, and two rounds after the last is the end.

    A way through the composite's status takes a round more. In the two rounds of the end the composite becomes ready,
    and all is the same again. The first nodes may be those of a previous step.
    """
    sequence = list(range(len(dag)))
    order.shuffle(sequence)
    parts = [[node for node in sequence if node < first], [node for node in sequence if node >= first]]
    depth: list[int] = []
    for needs in dag:
        depth.append(1 + max((depth[at] + (kind == "xr") for at, kind in needs.items()), default=0))
    done = simulated(*(step(dag, nodes) for nodes in parts if nodes))
    assert done.waves == {f"n{node}": wave for node, wave in enumerate(depth)}
    assert done.stable and len(done.rounds) == max(depth) + 2 and not done.unresolved
    for node, needs in enumerate(dag):
        expected = {("xr" if kind == "xr" else f"n{at}", kind == "gate") for at, kind in needs.items()}
        paths = done.waited.get(f"n{node}", [])
        assert {(path.partition(".")[0], "." not in path) for path in paths} == expected

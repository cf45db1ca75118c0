"""The order of deletion: which Usages are composed, for what, and when they go (`usages=True`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, apply, composition
from crossplane_lite._core.dependencies.usages import usage_name
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, Rule, Subnet
from tests.behaviour.usages_models import (
    USAGE_BY,
    USAGE_OF,
    Cluster,
    XStorageBucket,
    edges,
    existing,
    function,
    needing,
    reconciled,
    usages,
)
from tests.support import MARKER, build, request, run

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)


# --- every kind of edge ------------------------------------------------------------------------------------------

# Each makes a value that needs one, two or three resources.
VALUES: dict[str, Callable[..., Any]] = {
    "direct": lambda a: a.observed.status.atProvider.id,
    "f-string": lambda a: f"projects/{a.observed.status.atProvider.id}/x",
    "plus": lambda a: "x-" + a.observed.status.atProvider.id,
    "format": lambda a: f"x-{a.observed.status.atProvider.id:>20}",
    "json": lambda a: json.dumps({"Resource": f"arn:{a.observed.external_name}"}),
    "apply": lambda a: apply(str.upper, a.observed.status.atProvider.id),
    "apply of two": lambda a, b: apply("-".join, [a.observed.external_name, f"{b.observed.status.atProvider.id}"]),
    "and": lambda a, b: a.observed.status.atProvider.id and b.observed.status.atProvider.id,
    "or": lambda a, b: a.observed.status.atProvider.id or b.observed.status.atProvider.id,
    "list element": lambda a: ["x", a.observed.status.atProvider.id],
    "map value": lambda a: {"key": a.observed.status.atProvider.id},
    "map key": lambda a: {f"{a.observed.status.atProvider.id}": "value"},
    "map key and value": lambda a, b: {f"{a.observed.status.atProvider.id}": b.observed.status.atProvider.id},
    "comprehension": lambda a: [one.url for one in a.observed.status.atProvider.endpoints],
    "element of an observed list": lambda a: a.observed.status.atProvider.endpoints[0].url,
    "whole observed list": lambda a: a.observed.status.atProvider.endpoints,
    "whole observed map": lambda a: a.observed.status.atProvider.tags,
    "observed map with a default": lambda a: a.observed.status.atProvider.tags.get("team", "none"),
    "whole nested observed model": lambda a: a.observed.status.atProvider.owner,
    "external name": lambda a: a.observed.external_name,
    "connection details": lambda a: a.observed.connection_details["password"],
    "name": lambda a: a.observed.metadata.name,
    "condition": lambda a: a.condition("Ready").reason,
}


def arity(kind: str) -> int:
    """Return how many resources a kind of value needs."""
    return VALUES[kind].__code__.co_argcount


@pytest.mark.sample(16)
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("through", ["resource", "status"])
def test_every_kind_of_edge(kind: str, through: str) -> None:
    """Each resource that a value needs has a Usage from the first complete reconcile on, directly or through the XR."""
    sources = ["a", "b", "c"][: arity(kind)]

    @function()
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        target = ctx.resource("target", Bucket())
        value = VALUES[kind](*(ctx.resource(name, Bucket()) for name in sources))
        if through == "status":
            xr.status.values["deep"] = {"value": value}
            value = xr.observed.status.values["deep"]["value"]
        target.spec.forProvider.anything = {"value": value}

    cluster = Cluster(compose)
    cluster.until_complete(["target", *sources])
    cluster.reconcile()
    cluster.reconcile()
    expected = {("target", name) for name in sources}
    assert [edges(answer) for answer in cluster.rounds[-3:]] == [expected] * 3


@function()
def everything(ctx: Any) -> None:
    """Compose fourteen resources with an edge of every kind between them."""
    xr = ctx.composite(Unstructured)
    vpc = ctx.resource("vpc", VPC())
    key, logs, bucket, policy, acl, table = (
        ctx.resource(name, Bucket()) for name in ("key", "logs", "bucket", "policy", "acl", "table")
    )
    subnets = [ctx.resource(f"subnet-{zone}", Subnet()) for zone in "ab"]
    database = ctx.resource("database", Bucket(), depends_on=[subnets[0], "subnet-b"])
    cache = ctx.resource("cache", Bucket())
    dashboard = ctx.resource("dashboard", Bucket())
    alarm = ctx.resource("alarm", Bucket())
    for subnet in subnets:
        subnet.spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId
    bucket.spec.forProvider.project = f"kms/{key.observed.external_name}"
    bucket.spec.forProvider.rules = [Rule(name="logs", action=logs.observed.external_name)]
    policy.spec.forProvider.extra = json.dumps({"Resource": f"arn:aws:s3:::{bucket.observed.external_name}/*"})
    acl.spec.forProvider.location = bucket.observed.external_name and policy.observed.status.atProvider.id
    table.spec.forProvider.location = logs.observed.status.atProvider.url or key.observed.status.atProvider.id
    cache.spec.forProvider.labels["database"] = database.observed.connection_details["password"]
    cache.spec.forProvider.zones = ["first", subnets[0].observed.status.atProvider.id]
    cache.spec.forProvider.extra = vpc.observed.status.atProvider
    xr.status.endpoint = apply(str.upper, database.observed.status.atProvider.endpoints[0].url)
    dashboard.spec.forProvider.location = xr.observed.status.endpoint
    dashboard.spec.forProvider.anything = {"owner": table.observed.status.atProvider.owner}
    alarm.spec.forProvider.labels = dashboard.observed.status.atProvider.tags
    ctx.resource("alone", Bucket()).spec.forProvider.location = "x"


EVERY_EDGE = {
    ("subnet-a", "vpc"),
    ("subnet-b", "vpc"),
    ("database", "subnet-a"),
    ("database", "subnet-b"),
    ("bucket", "key"),
    ("bucket", "logs"),
    ("policy", "bucket"),
    ("acl", "bucket"),
    ("acl", "policy"),
    ("table", "logs"),
    ("table", "key"),
    ("cache", "database"),
    ("cache", "subnet-a"),
    ("cache", "vpc"),
    ("dashboard", "database"),
    ("dashboard", "table"),
    ("alarm", "dashboard"),
}
EVERY_NAME = {name for edge in EVERY_EDGE for name in edge} | {"alone"}


def test_every_edge_from_the_first_complete_reconcile_on() -> None:
    """Fourteen resources with all kinds of edges have the full set of Usages as soon as all of them are observed."""
    cluster = Cluster(everything)
    assert len(EVERY_NAME) == 14
    assert edges(cluster.until_complete(EVERY_NAME)) == EVERY_EDGE
    for _ in range(3):
        assert edges(cluster.reconcile()) == EVERY_EDGE
    assert len({json.dumps(answer.emitted, sort_keys=True) for answer in cluster.rounds[-3:]}) == 1


@pytest.mark.parametrize("namespace", [None, "team"])
def test_deletion_follows_the_edges(namespace: str | None) -> None:
    """When the composite goes, every dependent goes before what it needs, and everything goes."""
    cluster = Cluster(everything, namespace=namespace)
    cluster.until_complete(EVERY_NAME)
    order = cluster.delete()
    assert sorted(order) == sorted(EVERY_NAME)
    assert all(order.index(dependent) < order.index(dependency) for dependent, dependency in EVERY_EDGE)
    assert not cluster.observed


# How many resources there are, and the kinds and dependencies of each.
Graph = tuple[int, dict[int, list[tuple[str, list[int]]]]]
KINDS = {"depends_on": 1, **{kind: arity(kind) for kind in VALUES}}


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Draw a dependency graph without cycles: each resource needs some of those before it, in some way."""
    size = draw(st.integers(2, 8))
    needs: dict[int, list[tuple[str, list[int]]]] = {}
    for dependent in range(1, size):
        for _ in range(draw(st.integers(0, 2))):
            kind = draw(st.sampled_from([kind for kind in KINDS if KINDS[kind] <= dependent]))
            before = st.integers(0, dependent - 1)
            # Each of them once: `a and (a or b)` never needs `b`.
            sources = draw(st.lists(before, unique=True, min_size=KINDS[kind], max_size=KINDS[kind]))
            needs.setdefault(dependent, []).append((kind, sources))
    return size, needs


@pytest.mark.slow
@SETTINGS
@given(graphs(), st.randoms(use_true_random=False), st.booleans())
def test_random_graphs(graph: Graph, random: Any, through_status: bool) -> None:
    """From the first complete reconcile on the Usages are the graph's edges, and the order of deletion is theirs."""
    size, needs = graph
    order = list(range(size))
    random.shuffle(order)

    @function()
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        made = {}
        for at in order:
            gates = [f"r{i}" for kind, sources in needs.get(at, ()) for i in sources if kind == "depends_on"]
            made[at] = ctx.resource(f"r{at}", Bucket(), depends_on=gates)
        for at in order:
            values = [
                VALUES[kind](*(made[i] for i in sources)) for kind, sources in needs.get(at, ()) if kind != "depends_on"
            ]
            if through_status and values:
                xr.status.values[f"of{at}"] = values
                values = [xr.observed.status.values[f"of{at}"][i] for i in range(len(values))]
            made[at].spec.forProvider.anything = {str(i): value for i, value in enumerate(values)}

    expected = {(f"r{at}", f"r{i}") for at, all_ in needs.items() for _, sources in all_ for i in sources}
    cluster = Cluster(compose)
    assert edges(cluster.until_complete([f"r{i}" for i in range(size)])) == expected
    assert edges(cluster.reconcile()) == edges(cluster.reconcile()) == expected
    gone = cluster.delete()
    assert len(gone) == size
    assert all(gone.index(dependent) < gone.index(dependency) for dependent, dependency in expected)


# --- cycles ------------------------------------------------------------------------------------------------------


@SETTINGS
@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_no_usage_on_a_cycle(pairs: set[tuple[int, int]]) -> None:
    """An edge has a Usage unless its ends are reached from each other, and then everything can be deleted."""
    names = {f"r{i}": sorted({f"r{j}" for at, j in pairs if at == i}) for i in range(6)}
    reached = {name: set(others) for name, others in names.items()}
    for _ in names:
        for others in reached.values():
            others.update(*(reached[other] for other in list(others)))
    cluster = existing(*names)
    expected = {(a, b) for a, others in names.items() for b in others if a not in reached[b]}
    assert edges(reconciled(cluster, needing(names))) == expected
    assert edges(cluster.reconcile()) == expected
    assert len(cluster.delete()) == 6


def test_a_cycle_through_the_status_has_no_usage() -> None:
    """Resources that need each other through the composite's status have no Usages; one that needs them has."""

    @function()
    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        a, b, c = (ctx.resource(name, Bucket()) for name in "abc")
        xr.status.x = a.observed.external_name
        xr.status.y = {"z": b.observed.external_name}
        a.spec.forProvider.location = xr.observed.status.y.z
        b.spec.forProvider.location = xr.observed.status.x
        c.spec.forProvider.location = xr.observed.status.x

    assert edges(reconciled(existing("a", "b", "c"), compose)) == {("c", "a")}


def test_other_fields_of_the_status_make_no_edge() -> None:
    """The composite is passed through field by field."""

    @function()
    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        a, b, c = (ctx.resource(name, Bucket()) for name in "abc")
        xr.status.a = a.observed.external_name
        xr.status.b = b.observed.external_name
        c.spec.forProvider.location = xr.observed.status.a

    assert edges(reconciled(existing("a", "b", "c"), compose)) == {("c", "a")}


def test_the_composites_connection_details_are_passed_through() -> None:
    """A resource that needs a connection detail of the composite needs what the detail is made from."""

    @function()
    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        xr.connection_details["password"] = a.observed.connection_details["password"]
        b.spec.forProvider.location = xr.observed.connection_details["password"]

    answer = reconciled(existing("a", "b"), compose)
    assert edges(answer) == {("b", "a")}


def test_an_edge_against_an_existing_usage_waits_for_it_to_go() -> None:
    """When the code turns an edge round, the old Usage goes first."""
    cluster = existing("a", "b")
    reconciled(cluster, needing({"a": ["b"], "b": []}))
    assert edges(reconciled(cluster, needing({"a": [], "b": ["a"]}))) == set()
    cluster.collect()
    assert edges(cluster.reconcile()) == {("b", "a")}
    assert cluster.delete() == ["b", "a"]


NAMES = [f"r{i}" for i in range(5)]
changes = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), unique=True, max_size=3))


@pytest.mark.slow
@SETTINGS
@given(st.lists(changes, min_size=2, max_size=6))
def test_changes_of_the_code_never_end_in_a_deadlock(codes: list[dict[str, list[str]]]) -> None:
    """Whatever is composed and needs whatever else from one version of the code to the next, all of it can go."""
    cluster = existing(*NAMES)
    for needs in codes:
        needed = {name: [other for other in others if other in needs] for name, others in needs.items()}
        for name in needs.keys() - cluster.observed.keys():
            cluster.create(name)
        reconciled(cluster, needing(needed))
        cluster.collect()
    cluster.delete()
    assert not cluster.observed


def test_edges_of_two_steps_make_no_cycle() -> None:
    """An edge that would close a cycle with a previous step's Usage has none."""
    steps = [needing({"a": ["b"], "b": []}, step="step"), needing({"a": [], "b": ["a"]}, step="other")]
    cluster = existing("a", "b")
    assert [edges(reconciled(cluster, *steps)) for _ in range(3)] == [{("a", "b")}] * 3


# --- what has none -----------------------------------------------------------------------------------------------


def test_required_resources_have_no_usages() -> None:
    """What a resource needs of a required one is nobody's to order, whether it is there or not."""

    @function()
    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        selector = composition.ResourceSelector(
            api_version="v1", kind="Thing", match_name=f"{a.observed.status.atProvider.id}"
        )
        ctx.requirements.resources["thing"] = selector
        thing = ctx.required_resources.get("thing")[0]
        b.spec.forProvider.anything = {"missing": thing.observed.spec.missing, "there": thing.observed.spec.there}

    cluster = existing("a", "b")
    cluster.steps = [compose]
    thing = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"there": "x"}}
    assert edges(cluster.reconcile(required={"thing": [thing]})) == set()


def test_a_reference_to_itself_has_no_usage() -> None:
    """Late initialisation is no dependency, through the composite's status neither."""

    @function()
    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        a, _ = (ctx.resource(name, Bucket()) for name in "ab")
        xr.status.x = a.observed.status.atProvider.id
        a.spec.forProvider.location = a.observed.spec.forProvider.location
        a.spec.forProvider.project = xr.observed.status.x

    assert edges(reconciled(existing("a", "b"), compose)) == set()


def test_what_is_not_observed_or_not_composed_has_no_usage() -> None:
    """Crossplane would only report errors of a Usage without both of its ends."""
    compose = needing({"a": ["b", "c"], "b": [], "c": []})
    cluster = existing("a", "b")
    assert edges(reconciled(cluster, compose)) == {("a", "b")}
    cluster = existing("a", "unrelated")

    @function()
    def to_nowhere(ctx: Any) -> None:
        ctx.resource("a", Bucket(), depends_on=["unrelated", "nowhere"])

    assert edges(reconciled(cluster, to_nowhere)) == set()


def test_without_the_option_there_is_nothing() -> None:
    """A function without usages=True composes no Usage, and compose() runs once."""
    runs = []

    @composition.function
    def compose(ctx: Any) -> None:
        runs.append(ctx)
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        b.spec.forProvider.location = a.observed.status.atProvider.id

    assert usages(reconciled(existing("a", "b"), compose)) == {}
    assert len(runs) == 1


@pytest.mark.parametrize("here", [True, False], ids=["by this step", "by an earlier one"])
@pytest.mark.parametrize("waits", [False, True])
def test_a_name_that_the_author_uses_is_the_authors(here: bool, waits: bool) -> None:
    """A resource of the author with the name of a Usage stays as it is, and stays out where it is held back."""
    name = usage_name(("b", "a"))
    earlier = {} if here else {name: samples.bucket({"location": "mine"})}

    @function()
    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        b.spec.forProvider.location = a.observed.status.atProvider.id
        if here:
            location = b.observed.status.atProvider.count if waits else "mine"
            ctx.resource(name, Bucket()).spec.forProvider.location = location

    answer = run(compose, desired=earlier, **existing("a", "b").request)
    assert usages(answer) == {}
    found = answer.resources.get(name, {}).get("spec")
    assert found == ({"forProvider": {"location": "mine"}} if not (waits and here) else None)


# --- what a Usage is ---------------------------------------------------------------------------------------------


def test_a_usage_as_it_is_composed() -> None:
    """A Usage names both ends, replays the deletion, is marked as this step's, and has no name of its own."""
    cluster = existing("a", "b", namespace="team")
    answer = reconciled(cluster, needing({"a": ["b"], "b": []}))
    ((name, usage),) = usages(answer).items()
    api = {"apiVersion": "storage.gcp.upbound.io/v1beta1", "kind": "Bucket"}
    assert usage == {
        "apiVersion": "protection.crossplane.io/v1beta1",
        "kind": "Usage",
        "metadata": {"namespace": "team", "annotations": {MARKER: "step", USAGE_BY: "a", USAGE_OF: "b"}},
        "spec": {
            "of": {**api, "resourceRef": {"name": "my-xr-b"}},
            "by": {**api, "resourceRef": {"name": "my-xr-a"}},
            "replayDeletion": True,
        },
    }
    assert name == usage_name(("a", "b"))
    assert answer.ready[name] is True


SCOPES: list[tuple[str | None, str | None, str | None, tuple[str, str | None, str | None] | None]] = [
    # namespaces of the composite, the dependency and the dependent; kind, namespace, and the namespace named by `of`
    (None, None, None, ("ClusterUsage", None, None)),
    (None, "one", "one", ("Usage", "one", None)),
    (None, "one", "two", ("Usage", "two", "one")),
    (None, "one", None, ("Usage", "one", None)),
    (None, None, "one", None),
    ("one", "one", "one", ("Usage", "one", None)),
    ("one", None, None, ("Usage", "one", None)),
]


@pytest.mark.parametrize(("composite", "of", "by", "expected"), SCOPES)
def test_scope(composite: str | None, of: str | None, by: str | None, expected: Any) -> None:
    """Kind and namespace follow from the observed ends; a namespaced composite composes what is namespaced."""
    cluster = existing("a", "b")
    if composite is not None:
        cluster.xr["metadata"]["namespace"] = composite
    for name, namespace in (("a", by), ("b", of)):
        if namespace is not None:
            cluster.observed[name]["metadata"]["namespace"] = namespace
    answer = run(needing({"a": ["b"], "b": []}), **cluster.request)
    found = [
        (one["kind"], one["metadata"].get("namespace"), one["spec"]["of"]["resourceRef"].get("namespace"))
        for one in usages(answer).values()
    ]
    assert found == ([] if expected is None else [expected])
    assert all("namespace" not in one["spec"]["by"]["resourceRef"] for one in usages(answer).values())
    if (composite, of) != ("one", None):
        for name, usage in usages(answer).items():
            cluster.check(name, usage)


def test_names_depend_on_the_two_ends_alone() -> None:
    """A Usage's name is the same whatever else is composed, and no other pair of names has it."""
    small = reconciled(existing("a", "b"), needing({"a": ["b"], "b": []}))
    large = reconciled(existing("a", "b", "c"), needing({"a": ["b", "c"], "b": ["c"], "c": []}))
    assert usages(small).keys() < usages(large).keys()
    pairs = [("a-b", "c"), ("a", "b-c"), ("a-b-c", ""), ("b-c", "a"), ("x" * 80, "y"), ("x" * 80, "z"), ("é/ü", "a b")]
    names = [usage_name(pair) for pair in pairs]
    assert len(set(names)) == len(pairs)
    assert all(len(name) <= 63 for name in names)
    assert names == [usage_name(pair) for pair in pairs]


@given(st.text(max_size=70), st.data())
def test_no_two_pairs_share_a_name(text: str, data: st.DataObject) -> None:
    """Pairs of names that run together to the same text have different Usages, also where that is cut off."""
    one, other = (data.draw(st.integers(0, len(text))) for _ in range(2))
    for long in ("", "x" * 70):
        names = [usage_name((long + text[:at], text[at:])) for at in (one, other)]
        assert (names[0] == names[1]) is (one == other)


@pytest.mark.parametrize("names", [("a-b", "c", "a", "b-c"), ("x" * 90, "x" * 91, "x" * 92, "x" * 93)])
def test_names_that_run_together(names: tuple[str, ...]) -> None:
    """Long names, and pairs of names that read the same, each have their Usage."""
    first, second, third, fourth = names
    needs = {first: [second], second: [], third: [fourth], fourth: []}
    assert edges(reconciled(existing(*names), needing(needs))) == {(first, second), (third, fourth)}


@pytest.mark.parametrize("auto_ready", [False, True])
def test_usages_are_ready_and_do_not_hold_the_composite(auto_ready: bool) -> None:
    """Usages are ready from the start, also once they are observed without a status, and don't hold the composite."""
    compose = needing({"a": ["b"], "b": []}, auto_ready=auto_ready)
    cluster = existing("a", "b")
    for answer in (reconciled(cluster, compose), cluster.reconcile()):
        assert [answer.ready[name] for name in usages(answer)] == [True]
        assert answer.ready["a"] is (True if auto_ready else None)
        assert answer.composite_ready is None


def test_no_secret_gets_into_a_usage() -> None:
    """An edge through a connection detail shows nothing of its value."""
    secret = "secret-of-a"

    @function()
    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        b.spec.forProvider.location = a.observed.connection_details["password"]

    answer = reconciled(existing("a", "b"), compose)
    assert edges(answer) == {("b", "a")}
    assert secret in json.dumps(answer.emitted["b"])
    assert secret not in json.dumps(usages(answer))


# --- several steps, other ways to call ---------------------------------------------------------------------------


def test_an_edge_to_a_resource_of_an_earlier_step() -> None:
    """A dependency on what a previous step composes has a Usage, by its name or registered again."""

    @composition.function(name="first")
    def first(ctx: Any) -> None:
        ctx.resource("vpc", VPC())
        ctx.resource("key", Bucket())

    @composition.function(name="second", usages=True)
    def second(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        subnet = ctx.resource("subnet", Subnet(), depends_on=["key"])
        subnet.spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId

    cluster = Cluster(first, second)
    expected = {("subnet", "vpc"), ("subnet", "key")}
    assert edges(cluster.until_complete(["vpc", "key", "subnet"])) == expected
    assert edges(cluster.reconcile()) == expected


def test_two_steps_with_one_edge() -> None:
    """An edge that two steps see has one Usage."""
    steps = [needing({"a": ["b"], "b": []}, step=name) for name in ("first", "second")]
    cluster = existing("a", "b")
    for _ in range(2):
        assert edges(reconciled(cluster, *steps)) == {("a", "b")}


def test_async_functions() -> None:
    """An `async def` compose() has its Usages too."""

    @function()
    async def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        a.spec.forProvider.location = b.observed.status.atProvider.id

    assert edges(reconciled(existing("a", "b"), compose)) == {("a", "b")}


def test_messages_of_the_official_sdk() -> None:
    """Called with another implementation's messages, a function composes the same Usages."""
    from crossplane.function.proto.v1 import run_function_pb2 as fnv1

    cluster = existing("a", "b")
    compose = needing({"a": ["b"], "b": []})
    rsp = fnv1.RunFunctionResponse()
    compose(build(**cluster.request), rsp)
    assert usages(run(compose, **cluster.request)).keys() <= set(rsp.desired.resources)
    assert rsp.desired.resources[usage_name(("a", "b"))].ready == fnv1.READY_TRUE
    assert rsp == fnv1.RunFunctionResponse.FromString(compose.run(request(**cluster.request)))

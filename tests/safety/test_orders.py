"""The order of a map's entries decides nothing."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite._core.models.walker import plain_data
from crossplane_lite.table import load
from tests.safety.cluster import Cluster
from tests.safety.orders import answers, shuffled
from tests.safety.plain import make
from tests.safety.replicas import outputs
from tests.safety.stories import evolved, functions_of
from tests.safety.values import LOST, provide

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(5)


def search(compositions: int, seed: int) -> int:
    """Ask random compositions each request in three orders; return the number of requests."""
    calls = 0
    for told, found in answers(compositions, seed):
        assert len(set(found)) == 1, told
        calls += 1
    return calls


def test_a_few_requests() -> None:
    """A request with its entries in another order has the same answer."""
    assert search(2, 3) == 20


@pytest.mark.slow
def test_many_requests() -> None:
    """In 1,000 calls and more of random compositions a request has one answer, in whatever order its entries come."""
    assert search(100, 1) >= 1000


@pytest.mark.slow
def test_processes_answer_alike() -> None:
    """Two processes, each with orders of its own, answer the same requests alike."""
    found = outputs("-m", "tests.safety.orders", "20", "5", timeout=300)
    assert found[0] == found[1]
    assert found[0].count("\n") >= 200


def test_orders_differ() -> None:
    """The requests that are compared have the same content and other bytes."""
    request = fnv1.RunFunctionRequest()
    for name in "abcdefgh":
        request.observed.resources[name].resource.update({"spec": {key: {key: 1} for key in "abcdefgh"}})
        request.observed.resources[name].connection_details[name] = b"1"
    request.context.update(dict.fromkeys("abcdefgh", 1))
    found = [shuffled(request.SerializeToString(), random.Random(seed)) for seed in (1, 2)]
    assert found[0] != found[1]
    assert [fnv1.RunFunctionRequest.FromString(one) for one in found] == [request, request]


__getattr__, __dir__ = load(
    __name__,
    {
        "XGroups": "@example.org/v1 metadata:meta.ObjectMeta spec:Spec status:Status",
        "Spec": "groups:{x",
        "Status": "found:[s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)

LOOPS: dict[str, Callable[[Any], list[Any]]] = {
    "names": list,
    "numbered": lambda groups: [f"{at}-{name}" for at, name in enumerate(groups)],
    "items": lambda groups: [name for name, _ in groups.items()],
    "values": lambda groups: [json.dumps(plain_data(value)) for value in dict(groups).values()],
    "first": lambda groups: [next(iter(groups))],
    "json": lambda groups: [json.dumps(plain_data(groups))],
    "text": lambda groups: [str(plain_data(groups))],
}
GROUPS = {
    "short": {key: {"b": 1, "a": {"d": 1, "c": [{"f": 1, "e": 2}]}} for key in ("web", "db", "cache")},
    "wide": {f"{key}{at}": {"b": "x" * 150, "a": 1} for key in ("web", "db", "cache") for at in range(10)},
    "deep": {key: functools.reduce(lambda inner, _: {"b": inner, "a": 1}, range(40), 1) for key in ("b", "a")},
}


@pytest.mark.parametrize("model", [Unstructured, __getattr__("XGroups")])
@pytest.mark.parametrize("size", GROUPS)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_sees_sorted_keys(loop: str, size: str, model: type[Any]) -> None:
    """A loop over an observed map gives the same result however the map's entries are ordered: that of sorted keys."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        ctx.composite(model).status.found = LOOPS[loop](ctx.composite(model).observed.spec.groups)

    request = testing.request({"apiVersion": "example.org/v1", "kind": "XGroups", "spec": {"groups": GROUPS[size]}})
    found = [compose.run(shuffled(request, random.Random(seed))) for seed in range(6)]
    assert len(set(found)) == 1
    wanted = json.loads(json.dumps(GROUPS[size], sort_keys=True))
    assert testing.run(compose, request).composite["status"]["found"] == LOOPS[loop](wanted)


def test_other_maps_are_sorted() -> None:
    """The keys of a context, an input, credentials and connection details are sorted, too."""
    keys = [f"key-{number}" for number in range(20)]

    @composition.function
    def compose(ctx: composition.Context) -> None:
        xr = ctx.composite(Unstructured)
        details, own = ctx.observed["vpc"].connection_details, xr.observed.connection_details
        found = (
            [*ctx.context],
            [*ctx.input],
            [*details],
            [*ctx.credentials["login"]],
            [*own],
        )
        xr.status.found = [",".join(one) for one in found]

    answer = testing.run(
        compose,
        testing.request(
            {"apiVersion": "example.org/v1", "kind": "XGroups"},
            observed={"vpc": {"apiVersion": "example.org/v1", "kind": "VPC"}},
            connection_details={"vpc": dict.fromkeys(keys, "x")},
            context=dict.fromkeys(keys, 1),
            input=dict.fromkeys(keys, 1),
            credentials={"login": dict.fromkeys(keys, "x")},
            xr_connection_details=dict.fromkeys(keys, "x"),
        ),
    )
    assert not answer.fatal
    assert [one.split(",") for one in answer.composite["status"]["found"]] == [sorted(keys)] * 5


def test_what_another_answer_does_not_compose() -> None:
    """What one answer to a question composes, and another one doesn't, can be looked at where more questions follow."""

    def compose(ctx: Any) -> None:
        status = make(ctx, "vpc", "VPC", cidr="10.0.0.0/16").observed.status
        if not status.id:
            make(ctx, "init", fixed=1)
        elif status.arn:
            make(ctx, "s", fixed=1)

    cluster = Cluster(*functions_of(compose))
    for _ in range(3):
        done = cluster.reconcile()
        assert not done.fatal
        assert done.desired.keys() == {"vpc", "init"}
        for found in cluster.objects.values():
            found.applied_as = "example.org/v0"  # nothing tells what is owned in today's version


def test_what_does_not_change_does_not_wait() -> None:
    """A resource that must not change, and would not, waits for nothing, in whatever order its fields are observed."""

    def compose(ctx: Any) -> None:
        status = make(ctx, "vpc", "VPC", cidr="10.0.0.0/16").observed.status
        rules = [{"name": f"rule-{number}", "port": number, "from": "any"} for number in range(2)]
        make(ctx, "direct", x=status.id)
        make(ctx, "always", rules=rules, text="x" * 100, other="y" * 100)
        if isinstance(status.id, str):  # nobody sees through it, so nothing may change
            make(ctx, "s", fixed=1)

    cluster = evolved(compose)
    provide(cluster, LOST, ready=False)
    for found in cluster.objects.values():
        found.applied_as = "example.org/v0"  # nothing tells what is owned in today's version
    cluster.objects.pop("s")
    request = cluster.request().SerializeToString()
    chance = random.Random(1)
    for _ in range(10):
        done = cluster.ask(fnv1.RunFunctionRequest.FromString(shuffled(request, chance)))
        assert "always" not in done.waiting
        assert "direct keeps what it has until vpc.status.id" in done.waiting

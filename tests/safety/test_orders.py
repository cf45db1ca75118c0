"""The order of a map's entries decides nothing."""

from __future__ import annotations

import random
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from tests.safety.cluster import Cluster
from tests.safety.orders import answers, shuffled
from tests.safety.plain import make
from tests.safety.replicas import outputs
from tests.safety.stories import evolved, functions_of
from tests.safety.values import LOST, provide


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
    """In 1,000 calls of random compositions there is one answer to each request, in whatever order its entries come."""
    assert search(100, 1) == 1000


@pytest.mark.slow
def test_processes_answer_alike() -> None:
    """Two processes, each with orders of its own, answer the same requests alike."""
    found = outputs("-m", "tests.safety.orders", "20", "5", timeout=300)
    assert found[0] == found[1]
    assert found[0].count("\n") == 200


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
        assert "direct waits for vpc.status.id" in done.waiting

"""The first call with this SDK, or with no notes: nothing goes while a value is missing, whatever names are made of."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from crossplane.function import resource, response
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite import Unstructured
from tests.safety.cluster import Cluster, plain
from tests.safety.plain import World, evaluate, make
from tests.safety.stories import evolved, functions_of, lose, nothing_changes, step
from tests.safety.values import FULL, LOST, grow, provide
from tests.safety.zones import READY, deletes, shrink, spec, using

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(4)


def _sha(text: Any) -> str:
    return hashlib.sha256(f"{text}".encode()).hexdigest()[:6]


NAMES: dict[str, Callable[[Any], list[Any]]] = {
    "hash": lambda s: [_sha(s.id)],
    "hash of a default": lambda s: [_sha(s.id or "")],
    "hash of two": lambda s: [_sha(f"{s.id}/{s.arn}")],
    "uuid": lambda s: [uuid.uuid5(uuid.NAMESPACE_DNS, f"{s.id}").hex[:6]],
    "f-string": lambda s: [f"{s.id}"],
    "part of a text": lambda s: [f"{s.id}"[:4]],
    "upper": lambda s: [f"{s.phase}".lower()],
    "split": lambda s: f"{s.names}".split(","),
    "index": lambda s: list(range(len(s.subnets))),
    "enumerate": lambda s: [at for at, _ in enumerate(s.zones)],
    "element": lambda s: [subnet.zone for subnet in s.subnets],
    "one element": lambda s: [s.subnets[0].zone],
    "key": lambda s: sorted(s.tags),
    "length": lambda s: [len(f"{s.id}")],
    "look-up": lambda s: [{"Available": "a"}.get(s.phase, "b")],
    "truth": lambda s: [f"{bool(s.id)}".lower()],
    "type": lambda s: ["text" if isinstance(s.id, str) else "none"],
}
"""What names of resources are made of."""


def _named(use: str) -> Callable[[Any, Any], Any]:
    def compose(ctx: Any, status: Any) -> None:
        for name in NAMES[use](status):
            make(ctx, f"s-{name}", fixed=1)

    return compose


class _Official:
    """A function of the official SDK, which marks nothing: it composes what plain Python makes of the values."""

    def __init__(self, compose: Callable[[Any], Any]) -> None:
        self._compose = compose

    def run(self, data: bytes) -> bytes:
        request = fnv1.RunFunctionRequest.FromString(data)
        answer = response.to(request)
        seen = request.observed.resources
        status = plain(seen["vpc"].resource).get("status", {}) if "vpc" in seen else FULL
        world = World({"vpc": status, "*": FULL}, spec=plain(request.observed.composite.resource)["spec"])
        for name, body in evaluate([self._compose], world)[0].items():
            resource.update(answer.desired.resources[name], body)
        made: bytes = answer.SerializeToString()
        return made


# --- where there are no notes -----------------------------------------------------------------------------------------


def _after_the_official_sdk(compose: Callable[[Any], Any]) -> Cluster:
    cluster = Cluster(_Official(compose), spec={"region": "eu", "zones": ["a", "b"]})
    grow(cluster)
    assert "crossplane-lite" not in repr(cluster.objects)
    cluster.functions = tuple(functions_of(compose))
    return cluster


def _after_an_edit_of_the_input(compose: Callable[[Any], Any]) -> Cluster:
    cluster = Cluster(*functions_of(compose), inputs=[{"size": 1}], spec={"region": "eu", "zones": ["a", "b"]})
    grow(cluster)
    cluster.forget()
    cluster.inputs = [{"size": 2}]
    return cluster


def _after_a_restored_backup(compose: Callable[[Any], Any]) -> Cluster:
    cluster = evolved(compose, spec={"region": "eu", "zones": ["a", "b"]})
    cluster.forget()
    return cluster


WAYS = {
    "official SDK": _after_the_official_sdk,
    "edit of the input": _after_an_edit_of_the_input,
    "restored backup": _after_a_restored_backup,
}


@READY
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("use", NAMES)
def test_nothing_goes_in_the_first_call(use: str, way: str, ready: bool) -> None:
    """While a value is missing in the first calls, nothing goes, changes or comes; with the value all is as before."""
    cluster = WAYS[way](using(_named(use)))
    existing = {*cluster.objects}
    assert len(existing) >= 4
    for status in (LOST, None, LOST):
        provide(cluster, status, ready=ready)
        done = step(cluster)
        nothing_changes(done)
        assert done.after.keys() == existing
    for _ in range(2):
        provide(cluster)
        nothing_changes(step(cluster))
    for _ in range(2):
        nothing_changes(lose(cluster, ready=ready))
    assert cluster.objects.keys() == existing


@READY
@pytest.mark.parametrize("way", WAYS)
def test_fields_follow_the_code_in_the_first_call(way: str, ready: bool) -> None:
    """A field that needs a missing value keeps its own; all others are as the code says, and as the user says."""

    def use(ctx: Any, status: Any) -> None:
        region = ctx.composite(Unstructured).observed.spec.region
        make(ctx, "s", id=status.id, text=f"net/{status.id}", sum=_sha(status.arn), or_=status.id or "none", at=region)

    cluster = WAYS[way](using(use))
    before = dict(spec(cluster))
    cluster.xr["spec"]["region"] = "us"
    for _ in range(3):
        assert lose(cluster, ready=ready).deleted == []
        assert spec(cluster) == {**before, "or_": "none", "at": "us"}
    grow(cluster)
    assert spec(cluster) == {**before, "at": "us"}


@READY
@pytest.mark.parametrize("way", WAYS)
def test_what_the_user_deletes_goes_with_the_value(way: str, ready: bool) -> None:
    """What the user takes out in the first call stays until the value is there, and goes then."""
    cluster = WAYS[way](using(_named("hash")))
    shrink(cluster, "a")
    for _ in range(2):
        nothing_changes(lose(cluster, ready=ready))
    provide(cluster)
    deletes(cluster, "zone-b")

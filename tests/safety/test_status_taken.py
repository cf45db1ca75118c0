"""Somebody takes a field of the XR's status away while the value that it is made of is lost: it comes back at once."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.safety.cluster import Cluster
from tests.safety.stories import functions_of


def _compose(ctx: composition.Context) -> None:
    xr = ctx.composite(Unstructured)
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
    vpc.spec.region = "eu"
    subnet = ctx.resource("subnet", Unstructured("example.org/v1", "Subnet"))
    subnet.spec.vpcId = vpc.observed.status.id
    if xr.observed.spec.decided and vpc.observed.status.id:
        ctx.resource("decided", Unstructured("example.org/v1", "Thing")).spec.size = 1
    xr.status.vpcId = vpc.observed.status.id
    xr.status.ids = [vpc.observed.status.id]


@pytest.mark.parametrize("is_decided", [True, False], ids=["decided", "reference"])
@pytest.mark.parametrize(
    "taken", [("vpcId",), ("ids",), ("vpcId", "ids"), ()], ids=lambda names: "+".join(names) or "-"
)
@pytest.mark.parametrize("ready", [True, False, None], ids=["Ready", "not Ready", "wiped"])
def test_a_status_field_that_is_taken_away_beside_a_loss(
    is_decided: bool, taken: tuple[str, ...], ready: bool | None
) -> None:
    """The noted value is put back also into the status, as nobody else knows it any more."""
    cluster = Cluster(*functions_of(_compose), spec={"decided": is_decided})
    for _ in range(4):
        cluster.reconcile()
        for name in cluster.objects:
            cluster.provide(name, {"id": f"{name}-1"}, ready=True)
    cluster.reconcile()
    status: dict[str, Any] = cluster.xr["status"]
    wanted = {"vpcId": "vpc-1", "ids": ["vpc-1"]}
    assert {key: status.get(key) for key in wanted} == wanted
    cluster.provide("vpc", None if ready is None else {"state": "there"}, ready=ready)
    for name in taken:
        del status[name]
    for _ in range(2):
        done = cluster.reconcile()
        assert done.deleted == []
        assert {key: cluster.xr["status"].get(key) for key in wanted} == wanted, done.waiting


def _waits(ctx: composition.Context) -> None:
    xr = ctx.composite(Unstructured)
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
    vpc.spec.region = "eu"
    if vpc.observed.status.counter:
        subnet = ctx.resource("subnet", Unstructured("example.org/v1", "Subnet"))
        subnet.spec.vpcId = vpc.observed.status.id
    xr.status.never = vpc.observed.status.never


def test_a_status_field_that_never_comes_costs_no_write() -> None:
    """A field of the XR's status whose value never comes costs no write, whatever else changes all the time."""
    cluster = Cluster(*functions_of(_waits))
    written = []
    for number in range(10):
        written.append(cluster.reconcile().written)
        for name in cluster.objects:
            cluster.provide(name, {"counter": number + 1, "id": "x"}, ready=True)
    assert written[2:] == [[]] * 8

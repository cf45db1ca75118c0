"""A function without protection that raises: what it hasn't come to stays."""

from __future__ import annotations

import pytest

from crossplane_lite import Unstructured, composition
from tests.safety.cluster import Cluster

KIND = "example.org/v1"


@composition.function(name="unprotected", protect=False, auto_ready=True)
def compose(ctx: composition.Context) -> None:
    """Compose a network, a part that takes a number of it, and a bucket that has nothing to do with it."""
    vpc = ctx.resource("vpc", Unstructured(KIND, "VPC"))
    vpc.spec.region = "eu"
    size = int(vpc.observed.status.size)
    ctx.resource("part", Unstructured(KIND, "Part")).spec.size = size
    ctx.resource("bucket", Unstructured(KIND, "Bucket")).spec.region = "eu"


@pytest.mark.parametrize("ready", [True, False])
def test_what_an_exception_leaves_out_stays(ready: bool) -> None:
    """An exception about a value that is missing deletes nothing, and owners of missing values are made."""
    cluster = Cluster(compose)
    cluster.reconcile()
    assert sorted(cluster.objects) == ["vpc"]
    for _ in range(3):
        for name in cluster.objects:
            cluster.provide(name, {"size": "3"}, ready=True)
        cluster.reconcile()
    assert sorted(cluster.objects) == ["bucket", "part", "vpc"]
    cluster.provide("vpc", {}, ready=ready)
    for _ in range(3):
        assert cluster.reconcile().deleted == []

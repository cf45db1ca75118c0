"""A network and zones beside it, which the user chooses: what the tests of the rule are about."""

from __future__ import annotations

__all__ = ["READY", "deletes", "shrink", "spec", "using", "with_zones"]

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.cluster import Cluster
from tests.safety.plain import make
from tests.safety.stories import evolved, step
from tests.safety.values import grow

READY = pytest.mark.parametrize("ready", [True, False], ids=["Ready", "NotReady"])


def using(use: Callable[[Any, Any], Any], kind: str = "Net") -> Callable[[Any], Any]:
    """Return a compose() that uses the status of the network, beside zones and a region that the user chooses."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        status = make(ctx, "vpc", kind, cidr="10.0.0.0/16").observed.status
        for zone in xr.observed.spec.zones or []:
            make(ctx, f"zone-{zone}", zone=zone, region=xr.observed.spec.region)
        use(ctx, status)

    return compose


def shrink(cluster: Cluster, zones: str = "ac") -> None:
    """Let the user leave out zones."""
    cluster.xr["spec"]["zones"] = list(zones)


def deletes(cluster: Cluster, name: str) -> None:
    """Check that a resource is deleted within two reconciles, and that nothing else is deleted or changed."""
    deleted: list[str] = []
    for _ in range(2):
        done = step(cluster)
        assert not done.fatal, done.fatal
        deleted += done.deleted
        others = [other for other in done.before if other != name]
        assert {other: done.after.get(other) for other in others} == {other: done.before[other] for other in others}
    assert deleted == [name], done.told


def with_zones(use: Callable[[Any, Any], Any], **options: Any) -> Cluster:
    """Return a cluster in which all exists, and in which the zones have come when all values were there."""
    cluster = evolved(using(use), spec={"region": "eu", "zones": []}, **options)
    shrink(cluster, "abc")
    grow(cluster)
    return cluster


def spec(cluster: Cluster, name: str = "s") -> Any:
    """Return the live spec of a resource."""
    return cluster.objects[name].live["spec"]

"""The values that styles read, in each state."""

from __future__ import annotations

__all__ = ["EMPTY", "FULL", "LOST", "REF", "WRONG", "full_world", "grow", "provide"]

import copy
from collections.abc import Collection, Mapping
from typing import Any, Final

from tests.safety.cluster import Cluster
from tests.safety.plain import World

FULL: Final[Mapping[str, Any]] = {
    "id": "vpc-1234",
    "arn": "arn:aws:ec2:eu:1:vpc/vpc-1234",
    "cidr": "10.0.0.0/16",
    "count": 3,
    "ratio": 2.5,
    "isDefault": True,
    "subnets": [{"id": "subnet-1", "zone": "a"}, {"id": "subnet-2", "zone": "b"}],
    "zones": ["a", "b"],
    "tags": {"team": "core", "cost": "12"},
    "endpoint": {"host": "db.example.org", "port": 5432},
    "names": "m,n",
    "doc": '{"k": "v"}',
    "port": "5432",
    "phase": "Available",
    "created": "2024-01-02T03:04:05",
    "extra": "more",
}
"""What a provider has written in the end."""

LOST: Final[Mapping[str, Any]] = {"note": "nothing of what there was"}
"""A status without any of it."""

EMPTY: Final[Mapping[str, Any]] = {**dict.fromkeys(FULL), "zones": [], "subnets": [], "tags": {}}
"""The same in plain Python where absence is an answer."""

WRONG: Final[Mapping[str, Any]] = {key: 7 if isinstance(value, str) else "text" for key, value in FULL.items()}
"""Values of other types."""

REF: Final[Mapping[str, Any]] = {
    "apiVersion": "example.org/v1",
    "kind": "Ref",
    "metadata": {"name": "ref", "uid": "ref-uid"},
}
PASSWORD: Final = {"password": b"hunter22"}


def full_world(status: Mapping[str, Any] = FULL, *, ready: bool = True, existing: Collection[str] = ()) -> World:
    """Return the world in which `vpc` has this status, and all others have theirs."""
    return World(
        {"vpc": status, "*": FULL},
        ready=ready,
        existing=frozenset(existing),
        spec={"region": "eu"},
        xr_status={"networkId": "vpc-1234", "phase": "Ready", "nothing": None},
        required={"ref": [{"status": status}]},
    )


def provide(cluster: Cluster, status: Mapping[str, Any] | None = FULL, *, ready: bool = True) -> None:
    """Give `vpc` this status, and all others theirs."""
    for name in cluster.objects:
        is_lost = name == "vpc" and (status is None or "note" in status)
        cluster.provide(
            name,
            status if name == "vpc" else FULL,
            ready=None if name == "vpc" and status is None and not ready else ready,
            external_name=None if is_lost else f"ext-{name}",
            connection=None if is_lost else PASSWORD,
        )
        if is_lost:
            cluster.forget_external_name(name)


def refer(cluster: Cluster, status: Mapping[str, Any]) -> None:
    """Give the required resource this status."""
    cluster.others = [{**REF, "status": dict(status)}]


def grow(cluster: Cluster, *, ready: bool = True) -> Any:
    """Reconcile with all values until nothing changes, and return the last reconcile."""
    refer(cluster, FULL)
    for _ in range(8):
        provide(cluster, ready=ready)
        xr = copy.deepcopy(cluster.xr)
        done = cluster.reconcile()
        assert not done.fatal, done.fatal
        if done.before == done.after and xr == cluster.xr:
            return done
    raise AssertionError(f"it doesn't settle: {done.told}")

"""Clusters for tests that tell a story of several reconciles."""

from __future__ import annotations

__all__ = ["KEPT_TEXT", "cluster_of", "evolved", "functions_of", "lose", "nothing_changes", "replaced", "step"]

from collections.abc import Callable, Mapping
from typing import Any, Final

from crossplane_lite import composition
from tests.safety.checks import Placeholders, checked
from tests.safety.cluster import Cluster, Reconcile
from tests.safety.values import LOST, grow, provide

KEPT_TEXT: Final = (
    "{} is kept as it is: whether it is still wanted depends on {} (use value_or to decide without it, "
    "or ctx.remove to delete the resource)"
)
"""What the condition says of a resource that is kept."""


def functions_of(*bodies: Callable[[Any], Any], **options: Any) -> list[Any]:
    """Make composition functions; the first is called `step`."""
    names = ["step" if number == 0 else f"step{number}" for number in range(len(bodies))]
    return [
        composition.function(**{"name": name, "auto_ready": True, **options})(body)
        for name, body in zip(names, bodies, strict=True)
    ]


def cluster_of(*bodies: Callable[[Any], Any], spec: Mapping[str, Any] | None = None, **options: Any) -> Cluster:
    """Return a cluster whose pipeline has these functions."""
    return Cluster(*functions_of(*bodies, **options), spec=spec)


def replaced(cluster: Cluster, *bodies: Callable[[Any], Any], **options: Any) -> Cluster:
    """Return the same cluster with another release of its functions."""
    after = cluster.copy()
    after.functions = tuple(functions_of(*bodies, **options))
    return after


def evolved(*bodies: Callable[[Any], Any], **options: Any) -> Cluster:
    """Return a cluster in which all has come to exist."""
    cluster = cluster_of(*bodies, **options)
    grow(cluster)
    return cluster


def lose(cluster: Cluster, *, ready: bool = False) -> Reconcile:
    """Take the values of `vpc` away and reconcile."""
    provide(cluster, LOST, ready=ready)
    return step(cluster)


def step(cluster: Cluster) -> Reconcile:
    """Reconcile once, with all that holds always."""
    found = Placeholders([function.__wrapped__ for function in cluster.functions])
    found.look(cluster)
    return checked(cluster, found)


def nothing_changes(done: Reconcile) -> None:
    """Check that a reconcile wasn't Fatal, deleted nothing and changed nothing that exists."""
    assert not done.fatal, done.fatal
    assert done.deleted == []
    assert {name: done.after[name] for name in done.before} == done.before

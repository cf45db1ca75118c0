"""A step hands a required resource on in the context, and later steps compose from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.safety.cluster import Cluster
from tests.safety.plain import make
from tests.safety.stories import cluster_of, step

KEY = "acme.io/env"
ENVIRONMENT = "apiextensions.crossplane.io/environment"
DATA = {"region": "eu-central-1", "zones": ["a", "b"]}
ENV = {
    "apiVersion": "apiextensions.crossplane.io/v1beta1",
    "kind": "EnvironmentConfig",
    "metadata": {"name": "env-prod", "uid": "u"},
    "data": DATA,
}


def _asked(ctx: Any, name: str = "env-prod", key: str = "env") -> Any:
    ctx.requirements.resources[key] = composition.ResourceSelector(
        api_version="apiextensions.crossplane.io/v1beta1", kind="EnvironmentConfig", match_name=name
    )
    return ctx.required_resources.get(key, Unstructured)


def _handed_on(data: Any) -> dict[str, Any]:
    return {"region": data.region, "zones": data.zones}


def _by_loop(ctx: Any) -> None:
    for env in _asked(ctx):
        ctx.context[KEY] = _handed_on(env.data)


def _by_if(ctx: Any) -> None:
    found = _asked(ctx)
    if found:
        ctx.context[KEY] = _handed_on(found[0].data)


def _by_index(ctx: Any) -> None:
    data = _asked(ctx)[0].data
    ctx.context[KEY] = {"region": data.region, "zones": data.zones}


def _by_dict(ctx: Any) -> None:
    for env in _asked(ctx):
        ctx.context[KEY] = dict(env.data)


def _by_two_iterations(ctx: Any) -> None:
    for _ in _asked(ctx):
        for env in _asked(ctx, "env-prod", "again"):
            ctx.context[KEY] = _handed_on(env.data)


def _into_the_environment(ctx: Any) -> None:
    for env in _asked(ctx):
        ctx.context[ENVIRONMENT] = _handed_on(env.data)


def _use(ctx: Any) -> None:
    env = ctx.context.get(KEY) or ctx.context[ENVIRONMENT]
    make(ctx, "group", region=env["region"])
    for zone in env["zones"]:
        make(ctx, f"zone-{zone}", zone=zone)


def _hand_further(ctx: Any) -> None:
    ctx.context["further"] = ctx.context[KEY]["region"]


def _use_further(ctx: Any) -> None:
    make(ctx, "last", region=ctx.context["further"])


FIRST: dict[str, Callable[[Any], None]] = {
    "loop": _by_loop,
    "if": _by_if,
    "index": _by_index,
    "dict": _by_dict,
    "two iterations": _by_two_iterations,
    "environment": _into_the_environment,
}


def _pipeline(*functions: Callable[[Any], None]) -> Cluster:
    cluster = cluster_of(*functions)
    cluster.others = [ENV]
    return cluster


@pytest.mark.parametrize("first", FIRST)
def test_all_is_composed_in_the_first_reconcile(first: str) -> None:
    """What hangs on the context is composed as soon as the requirement is answered, and stays as it is."""
    cluster = _pipeline(FIRST[first], _use)
    for _ in range(3):
        done = step(cluster)
        assert not done.fatal, done.fatal
        assert cluster.objects.keys() == {"group", "zone-a", "zone-b"}
    assert done.written == []


def test_three_steps() -> None:
    """The same holds where a step in the middle hands a part of it on."""
    cluster = _pipeline(_by_loop, _hand_further, _use_further, _use)
    done = step(cluster)
    assert not done.fatal, done.fatal
    assert cluster.objects.keys() == {"group", "zone-a", "zone-b", "last"}


def test_an_environment_that_is_gone_for_a_while_deletes_nothing() -> None:
    """Where the required resource is lost, what was composed from it stays, and follows when it is back."""
    cluster = _pipeline(_by_loop, _use)
    for _ in range(2):
        step(cluster)
    cluster.others = []
    for _ in range(3):
        done = step(cluster)
        assert done.deleted == []
    cluster.others = [{**ENV, "data": {**DATA, "zones": ["a"]}}]
    assert step(cluster).deleted == ["zone-b"]

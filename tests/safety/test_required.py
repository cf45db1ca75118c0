"""Required resources: a noted value is put back only into the object that had it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, value_or
from tests.safety.plain import make
from tests.safety.stories import cluster_of, nothing_changes
from tests.safety.values import provide
from tests.safety.zones import READY, spec

_KIND = {"api_version": "example.org/v1", "kind": "Hub"}


def _hub(name: str, id_: str = "", namespace: str = "") -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "uid": f"uid-{name}", "labels": {"role": "hub"}}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": "example.org/v1", "kind": "Hub", "metadata": metadata, "status": {"id": id_} if id_ else {}}


def _peer(ctx: Any) -> None:
    ctx.requirements.resources["hubs"] = composition.ResourceSelector(**_KIND, match_labels={"role": "hub"})
    for hub in ctx.required_resources["hubs"]:
        name = f"peer-{hub.metadata.namespace or 'none'}-{hub.metadata.name}"
        make(ctx, name, hub=hub.status.id, known="yes" if hub.status.id else "no")


def _at_rest(hubs: Sequence[dict[str, Any]]) -> Any:
    cluster = cluster_of(_peer)
    cluster.others = [*hubs]
    for _ in range(4):
        provide(cluster)
        cluster.reconcile()
    return cluster


ANSWERS: dict[str, list[dict[str, Any]]] = {
    "one goes before it": [_hub("b")],
    "one comes before it": [_hub("0", "id-0"), _hub("a", "id-a"), _hub("b")],
    "another order": [_hub("b"), _hub("a", "id-a")],
    "all of them": [_hub("b"), _hub("a")],
    "the same name in a namespace": [_hub("b", "id-n", "n"), _hub("b")],
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_object_of_an_answer_to_labels_gets_its_own_values(answer: str) -> None:
    """An object that lost a value counts as it last was itself, wherever it is in the answer."""
    cluster = _at_rest([_hub("a", "id-a"), _hub("b", "id-b")])
    assert spec(cluster, "peer-none-b") == {"hub": "id-b", "known": "yes"}
    cluster.others = ANSWERS[answer]
    for _ in range(3):
        done = cluster.reconcile()
        assert not done.fatal, done.fatal
        for hub in ANSWERS[answer]:
            name = hub["metadata"]["name"]
            namespace = hub["metadata"].get("namespace", "none")
            id_ = hub["status"].get("id") or f"id-{name}"
            assert spec(cluster, f"peer-{namespace}-{name}") == {"hub": id_, "known": "yes"}


def test_a_new_object_gets_no_value_of_one_that_went() -> None:
    """An object that has no value yet doesn't take that of the one that was at its place."""
    cluster = _at_rest([_hub("a", "id-a")])
    cluster.others = [_hub("b")]
    for _ in range(2):
        cluster.reconcile()
        assert "id-a" not in str({name: spec(cluster, name) for name in cluster.objects if name != "peer-none-a"})


@pytest.mark.parametrize("left", [[], [_hub("a")]])
def test_a_default_for_a_required_resource_counts_at_once(left: list[dict[str, Any]]) -> None:
    """`value_or` takes the default whether the object has lost the value or is gone."""

    def compose(ctx: Any) -> None:
        ctx.requirements.resources["hub"] = composition.ResourceSelector(**_KIND, match_name="a")
        make(ctx, "s", x=value_or(ctx.required_resources["hub"][0].status.id, "none"))

    cluster = cluster_of(compose)
    cluster.others = [_hub("a", "id-a")]
    for _ in range(4):
        provide(cluster)
        cluster.reconcile()
    assert spec(cluster) == {"x": "id-a"}
    cluster.others = left
    cluster.reconcile()
    assert spec(cluster) == {"x": "none"}


def _by_name(ctx: Any) -> None:
    name = ctx.composite(Unstructured).observed.spec.hub
    ctx.requirements.resources["hub"] = composition.ResourceSelector(**_KIND, match_name=name)
    id_ = ctx.required_resources["hub"][0].status.id
    make(ctx, "peer", known="yes" if id_ else "no", of=name)


@READY
def test_another_name_is_another_object(ready: bool) -> None:
    """Who asks for an object of another name gets no values of the first one; those of the same name stay."""
    cluster = cluster_of(_by_name, spec={"hub": "a"})
    cluster.others = [_hub("a", "id-a"), _hub("b")]
    for _ in range(4):
        provide(cluster, ready=ready)
        cluster.reconcile()
    assert spec(cluster, "peer") == {"known": "yes", "of": "a"}
    for left in ([_hub("a"), _hub("b")], [_hub("b")]):
        lost = cluster.copy()
        lost.others = left
        nothing_changes(lost.reconcile())
    cluster.xr["spec"]["hub"] = "b"
    cluster.reconcile()
    assert spec(cluster, "peer") == {"known": "no", "of": "b"}

"""The states of a model: what the table of `_core.models.node` says of each."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Observable, Unstructured
from crossplane_lite._core.models import node
from crossplane_lite._core.models.node import COPY, FACT, HELD, LAID, LOOSE, OUTSIDE, TEMPLATE, VIEW, WAIT
from crossplane_lite.errors import ReadOnlyError, UsageError
from tests.behaviour.models import Bucket, BucketSpec, ForProvider, InitProvider
from tests.support import call

SHARED = ForProvider(location="EU")
PARENT = BucketSpec(initProvider=InitProvider(project="p"))
OBSERVED = {
    "apiVersion": "storage.gcp.upbound.io/v1beta1",
    "kind": "Bucket",
    "metadata": {"name": "b", "labels": {"a": "b"}},
    "status": {"atProvider": {"owner": {"name": "n"}}},
}
EARLIER = {
    "apiVersion": "storage.gcp.upbound.io/v1beta1",
    "kind": "Bucket",
    "spec": {"forProvider": {"location": "US"}, "initProvider": {"project": "p"}},
}


def state(model: Any) -> int:
    """Return the state of a model; one without a node is loose."""
    return LOOSE if model._node is None else int(model._node.state)


def held() -> Any:
    """Return a model that stands in another one."""
    one = ForProvider(location="EU")
    BucketSpec(forProvider=one)
    return one


def over(ctx: Any) -> Any:
    """Return a bucket over a previous function's, with a part of it set."""
    return ctx.resource("earlier", Bucket(spec={"forProvider": {"project": "q"}}))


def observed(ctx: Any) -> Any:
    """Return an observed bucket."""
    return ctx.resource("bucket", Bucket()).observed


# Makes an instance in a state; whether an assignment copies it.
MAKERS: dict[str, tuple[int, Any, bool]] = {
    "made": (LOOSE, lambda ctx: ForProvider(location="EU"), False),
    "made outside": (OUTSIDE, lambda ctx: SHARED, True),
    "made outside, in another one": (TEMPLATE, lambda ctx: PARENT.initProvider, True),
    "in another one": (HELD, lambda ctx: held(), True),
    "read": (VIEW, lambda ctx: over(ctx).spec.initProvider, True),
    "over an earlier one": (LAID, lambda ctx: over(ctx).spec.forProvider, True),
    "observed, copied": (COPY, lambda ctx: _copy(ctx), True),
    "observed": (WAIT, lambda ctx: observed(ctx).status.atProvider.owner, True),
    "observed metadata": (FACT, lambda ctx: observed(ctx).metadata, True),
}


def _copy(ctx: Any) -> Any:
    target = Bucket()
    target.spec.forProvider.anything = {"owner": observed(ctx).status.atProvider.owner}
    return target.spec.forProvider.anything["owner"]


@pytest.mark.parametrize("maker", MAKERS)
def test_states(maker: str) -> None:
    """An instance has the state of the table, and what becomes of it elsewhere is what the table says."""
    expected, make, copies = MAKERS[maker]
    found: list[Any] = []

    def compose(ctx: Any) -> None:
        instance = make(ctx)
        found.append(state(instance))
        target = Unstructured("v1", "A")
        if expected == FACT:
            with pytest.raises(UsageError, match="can't be copied whole"):
                target.spec.place = instance
            found.append(True)
        else:
            target.spec.place = instance
            found.append(target.spec.place is not instance)
        if expected >= WAIT:
            with pytest.raises(ReadOnlyError):
                instance.name = "x"

    _, answer = call(compose, observed={"bucket": OBSERVED}, desired={"earlier": EARLIER})
    assert answer.fatal == []
    assert found == [expected, copies]


def test_a_view_attaches_itself() -> None:
    """A view that is written to stands in its owner from then on; one in whose place something is set does not."""
    made = Bucket()
    view = made.spec.forProvider
    assert state(view) == VIEW
    assert "spec" not in made.__dict__
    view.location = "EU"
    assert state(view) == HELD
    assert made.spec.forProvider is view

    cut = made.spec.initProvider
    made.spec.initProvider = InitProvider(project="p")
    assert state(cut) == LOOSE
    cut.project = "other"
    assert made.spec.initProvider.project == "p"


def test_registering() -> None:
    """A resource of this call is registered itself, also where it stands in another one; of what was made outside of
    every call a copy is."""
    outside = Unstructured("v1", "A", data={"a": "b"})
    template = Unstructured("v1", "A", data={"a": "b"})
    holder = Unstructured("v1", "B")
    holder.spec.template = template
    assert (state(outside), state(template)) == (OUTSIDE, TEMPLATE)
    found: list[bool] = []

    def compose(ctx: Any) -> None:
        inner = Unstructured("v1", "A", data={"a": "b"})
        Unstructured("v1", "B").spec.template = inner
        for name, one in {"inner": inner, "outside": outside, "template": template}.items():
            found.append(ctx.resource(name, one) is one)

    for _ in range(2):
        assert call(compose)[1].fatal == []
    assert found == [True, False, False] * 2
    assert outside._state is None and template._state is None


def test_writes_after_registering() -> None:
    """What is set in a resource after it was registered is emitted, also where it stands, or stood, in another one."""

    def compose(ctx: Any) -> None:
        for at in range(3):
            one = Unstructured("v1", "A")
            holder = Unstructured("v1", "B")
            if at:
                holder.spec.template = one
            if at == 2:
                del holder.spec.template
            ctx.resource(f"one-{at}", one)
            one.spec.value = at

    _, answer = call(compose)
    assert [answer.resources[f"one-{at}"]["spec"] for at in range(3)] == [{"value": at} for at in range(3)]


def test_unset_fields() -> None:
    """What an unset field reads as goes by the state: None in desired state, an Observable where a value may come."""
    found: dict[str, Any] = {}

    def compose(ctx: Any) -> None:
        found["loose"] = ForProvider().location
        found["laid"] = over(ctx).spec.forProvider.location
        seen = observed(ctx)
        found["wait"] = seen.status.atProvider.owner.id
        found["fact"] = seen.metadata.uid

    assert call(compose, observed={"bucket": OBSERVED}, desired={"earlier": EARLIER})[1].fatal == []
    assert (found["loose"], found["laid"], found["fact"]) == (None, "US", None)
    assert isinstance(found["wait"], Observable)


def test_states_are_in_order() -> None:
    """Observed states come last: one comparison tells them from desired ones."""
    desired = {LOOSE, OUTSIDE, HELD, TEMPLATE, VIEW, LAID, COPY}
    assert max(desired) < min(WAIT, FACT)
    assert len(desired | {WAIT, FACT}) == 9
    assert node.HELD_NODE.state == HELD

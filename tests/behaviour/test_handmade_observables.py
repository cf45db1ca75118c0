"""Observables that were made by hand or kept from an earlier call: the value at their path, where there is one."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Observable, composition
from tests.behaviour import samples
from tests.behaviour.helpers import provider_of
from tests.behaviour.models import VPC, Bucket, BucketACL, BucketACLSpec, BucketSpec, ForProvider
from tests.support import call, run

VALUES = {
    "vpc.external_name": "e",
    "vpc.status.atProvider.vpcId": "v",
    "vpc.status.atProvider.subnets[0].id": "s",
    'vpc.status.atProvider["vpcId"]': "v",
    "vpc.connection_details.key": "secret",
    "a.b.status.atProvider.vpcId": "dotted",
    "xr.status.x": "y",
}
OBSERVED = {
    "vpc": samples.vpc(status={"vpcId": "v", "subnets": [{"id": "s"}], "isDefault": True}, external_name="e"),
    "a.b": samples.vpc(status={"vpcId": "dotted"}),
}


@pytest.mark.parametrize("path", VALUES)
def test_it_resolves_by_its_path(path: str) -> None:
    """As a field and in text it is the value at its path."""

    def compose(ctx: Any) -> None:
        provider = ForProvider(location=Observable(path), project=f"x-{Observable(path)}")
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))
        assert bool(Observable(path))
        assert Observable(path) == VALUES[path]
        assert Observable(path) in {VALUES[path]}
        assert isinstance(Observable(path), str)
        assert len(Observable(path)) == len(VALUES[path])
        assert list(Observable(path)) == list(VALUES[path])
        assert repr([Observable(path)]) == repr([VALUES[path]])
        assert Observable(path) < VALUES[path] + "a"

    _, answer = call(
        compose,
        observed=OBSERVED,
        xr=samples.xr({}, {"x": "y"}),
        connection={"vpc": {"key": b"secret"}},
    )
    assert not answer.fatal, answer.fatal
    assert provider_of(answer) == {"location": VALUES[path], "project": f"x-{VALUES[path]}"}
    assert not answer.conditions


def test_it_names_a_resource() -> None:
    """As a resource's name it is the value at its path, and this is no guess."""

    def compose(ctx: Any) -> None:
        ctx.resource(Observable("xr.status.x"), Bucket())

    _, answer = call(compose, xr=samples.xr({}, {"x": "y"}))
    assert list(answer.resources) == ["y"]
    assert not answer.conditions


def test_it_is_a_key_of_a_map() -> None:
    """As a key it is the value at its path, in a map of the model and in labels."""

    def compose(ctx: Any) -> None:
        key: Any = Observable("xr.status.x")
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(labels={key: "a"}))))
        bucket.metadata.labels = {key: "b"}

    _, answer = call(compose, xr=samples.xr({}, {"x": "y"}))
    assert not answer.fatal, answer.fatal
    assert provider_of(answer) == {"labels": {"y": "a"}}
    assert answer.resources["bucket"]["metadata"]["labels"] == {"y": "b"}


def test_without_a_value_it_waits() -> None:
    """Without a value at its path it waits as any other."""

    def compose(ctx: Any) -> None:
        ctx.resource("vpc", VPC())
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location=Observable("vpc.status.id")))))

    _, answer = call(compose)
    assert list(answer.resources) == ["vpc"]
    assert "bucket waits for vpc.status.id (vpc isn't observed yet)" in answer.conditions["DependenciesResolved"][2]


def test_one_that_was_kept_from_an_earlier_call() -> None:
    """One that a function has kept from an earlier call is the value that is there now."""
    kept: list[Any] = []

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        if not kept:
            kept.append(vpc.observed.status.atProvider.vpcId)
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location=kept[0]))))

    assert list(run(compose).resources) == ["vpc"]
    assert provider_of(run(compose, observed=OBSERVED)) == {"location": "v"}


def test_text_of_the_user_is_no_observable() -> None:
    """A text that looks like an Observable or like a placeholder is a text, and many of them take no time."""
    texts: list[str] = []

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        given = ctx.input["texts"]
        if not texts:
            texts.append(f"{vpc.observed.status.atProvider.vpcId}")
        ctx.resource("acl", BucketACL(spec=BucketACLSpec(forProvider={"bucket": " ".join(given)})))
        waiting = ForProvider(location=f"{vpc.observed.status.atProvider.vpcId}")
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=waiting)))

    run(compose, input={"texts": []})
    forged = [f"Observable('vpc.status.x{at}')" for at in range(3200)] + texts
    answer = run(compose, input={"texts": forged})
    assert sorted(answer.resources) == ["acl", "vpc"]
    assert answer.resources["acl"]["spec"]["forProvider"]["bucket"] == " ".join(forged)


def test_a_number_that_is_there_can_be_added_to() -> None:
    """`+` computes with the value of a handmade Observable from both sides, as `-` does; text makes text."""

    def compose(ctx: Any) -> None:
        value: Any = Observable("xr.spec.count")
        assert (value + 1, 1 + value, value - 1) == (4, 4, 2)
        assert (value + "a", "a" + value) == ("3a", "a3")

    head = {"apiVersion": "example.org/v1alpha1", "kind": "XStorageBucket", "metadata": {"name": "x"}}
    call(compose, xr={**head, "spec": {"count": 3}})


def test_only_a_path_makes_one() -> None:
    """What comes after the path is refused where it is given, not where the Observable is used."""
    cls: Any = Observable
    with pytest.raises(TypeError, match="positional"):
        cls("vpc", "status.atProvider.vpcId")

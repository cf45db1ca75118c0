"""Unstructured resources: the same contract without a generated class (design section 3)."""

from __future__ import annotations

from typing import Any

from crossplane_lite import Unstructured
from tests.behaviour import samples
from tests.behaviour.helpers import path
from tests.support import call


def test_unstructured_sets_any_path() -> None:
    """Any attribute path of an Unstructured can be set, and is emitted with its apiVersion and kind."""

    def compose(ctx: Any) -> None:
        thing = Unstructured("v1", "ConfigMap")
        thing.metadata.labels["app"] = "x"
        thing.data.key = "value"
        thing = ctx.resource("thing", thing)
        thing.spec.deep.er.number = 3
        thing.spec.items = [1, {"a": "b"}]
        assert thing.data.key == "value"
        assert thing.spec.deep.er.number == 3

    _, answer = call(compose)
    assert answer.resources["thing"] == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"labels": {"app": "x"}},
        "data": {"key": "value"},
        "spec": {"deep": {"er": {"number": 3}}, "items": [1, {"a": "b"}]},
    }


def test_unstructured_reading_an_unset_path_sets_nothing() -> None:
    """Reading unset paths of an Unstructured doesn't raise and emits nothing."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("example.org/v1", "Thing"))
        _ = thing.spec.a.b.c
        _ = thing.metadata.labels

    _, answer = call(compose)
    assert answer.resources["thing"] == {"apiVersion": "example.org/v1", "kind": "Thing"}


def test_unstructured_observed_reads_values_and_observables() -> None:
    """An Unstructured's observed state reads values where they are, Observables elsewhere."""

    def compose(ctx: Any) -> None:
        thing = ctx.resource("thing", Unstructured("example.org/v1", "Thing"))
        assert thing.observed.status.ports[0].port == 80
        assert thing.observed.spec.name == "n"
        absent = ctx.resource("absent", Unstructured("example.org/v1", "Thing"))
        user = ctx.resource("user", Unstructured("example.org/v1", "User"))
        user.spec.ref = absent.observed.status.address.ip
        assert path(user.spec.ref) == "absent.status.address.ip"

    existing = {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "spec": {"name": "n"},
        "status": {"ports": [{"port": 80}]},
    }
    _, answer = call(compose, observed={"thing": existing})
    assert sorted(answer.resources) == ["absent", "thing"]


def test_unstructured_as_the_composite() -> None:
    """The composite may be Unstructured: its observed spec reads, its status can be set."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        assert xr.observed.spec.parameters.location == "US"
        xr.status.bucketName = "b"

    _, answer = call(compose, xr=samples.xr({"location": "US"}))
    assert answer.composite["status"] == {"bucketName": "b"}


def test_unstructured_lies_over_earlier_desired_state() -> None:
    """An Unstructured merges with the earlier desired resource of its name like a typed model."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC"))
        assert vpc.spec.forProvider.region == "us-east-1"
        vpc.spec.forProvider.project = "p"

    _, answer = call(compose, desired={"vpc": samples.vpc({"region": "us-east-1"})})
    assert answer.resources["vpc"] == samples.vpc({"region": "us-east-1", "project": "p"})

"""Maps and free-form fields of resources before and after they exist (design sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.behaviour import samples
from tests.behaviour.helpers import path
from tests.behaviour.models import VPC, Bucket, XStorageBucket
from tests.support import call, run


def _typed(ctx: Any) -> Any:
    return ctx.resource("vpc", VPC()).observed


def _unstructured(ctx: Any) -> Any:
    return ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC")).observed


@pytest.mark.parametrize("vpc", [_typed, _unstructured])
@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda m: m.annotations.get("crossplane.io/external-name"), "vpc.external_name"),
        (lambda m: m.annotations["crossplane.io/external-name"], "vpc.external_name"),
        (lambda m: m.annotations.get("other"), 'vpc.metadata.annotations["other"]'),
        (lambda m: m.labels.get("a"), 'vpc.metadata.labels["a"]'),
        (lambda m: m.labels["a"], 'vpc.metadata.labels["a"]'),
    ],
)
def test_get_on_a_map_of_an_unobserved_resource(vpc: Any, read: Callable[[Any], Any], expected: str) -> None:
    """`get` on a map of a resource that doesn't exist yet is the forward reference that item access gives."""

    def compose(ctx: Any) -> None:
        value = read(vpc(ctx).metadata)
        assert path(value) == expected
        ctx.resource("bucket", Bucket()).spec.forProvider.project = value

    _, answer = call(compose)
    assert list(answer.resources) == ["vpc"]
    assert f"bucket waits for {expected}" in answer.conditions["DependenciesResolved"][2]


def test_get_on_a_map_that_lacks_the_key() -> None:
    """`get` of a key that an existing status map lacks is the forward reference that item access gives."""

    def compose(ctx: Any) -> None:
        tags = ctx.resource("bucket", Bucket()).observed.status.atProvider.tags
        assert path(tags.get("later")) == path(tags["later"]) == 'bucket.status.atProvider.tags["later"]'
        assert tags.get("now") == "x"

    call(compose, observed={"bucket": samples.bucket(status={"tags": {"now": "x"}})})


USES: dict[str, Callable[[Any], Any]] = {
    "get with a default": lambda labels: labels.get("a", "default") != "default",
    "get with the default None": lambda labels: labels.get("a", None),
    "items": lambda labels: list(labels.items()),
    "keys": lambda labels: list(labels.keys()),
    "values": lambda labels: list(labels.values()),
    "in": lambda labels: "a" in labels,
    "for": lambda labels: [key for key in labels],  # noqa: C416
    "for items": lambda labels: {key: value for key, value in labels.items()},  # noqa: C416
}
MAPS: dict[str, Callable[[Any], Any]] = {
    "labels": lambda ctx: _typed(ctx).metadata.labels,
    "annotations": lambda ctx: _typed(ctx).metadata.annotations,
    "labels, no schema": lambda ctx: _unstructured(ctx).metadata.labels,
    "typed map": lambda ctx: ctx.resource("vpc", Bucket()).observed.status.atProvider.tags,
}


@pytest.mark.sample(10)
@pytest.mark.parametrize("where", MAPS)
@pytest.mark.parametrize("use", USES)
def test_reading_a_map_of_an_unobserved_resource_is_a_guess(use: str, where: str) -> None:
    """Using a map that doesn't exist yet as an empty one never raises, is empty, and is remembered."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if USES[use](MAPS[where](ctx)):
            ctx.resource("bucket", Bucket())

    assert list(run(compose).resources) == ["vpc"]
    (text,) = run(compose, observed={"bucket": samples.bucket(ours="step")}).fatal
    assert "bucket exists and would be deleted" in text
    assert "vpc." in text
    assert where.partition(",")[0].removeprefix("typed map") in text


def test_the_default_of_get_is_what_get_gives() -> None:
    """`get` with a default gives that default while the map doesn't exist, and the value afterwards."""

    def compose(ctx: Any) -> Any:
        labels = _typed(ctx).metadata.labels
        return labels.get("a", "default"), labels.get("b", "default"), dict(labels.items())

    assert call(compose)[0] == ("default", "default", {})
    vpc = samples.vpc()
    vpc["metadata"] = {"labels": {"a": "1"}}
    assert call(compose, observed={"vpc": vpc})[0] == ("1", "default", {"a": "1"})


def test_maps_of_the_composites_spec_are_facts() -> None:
    """Looking for a key in a map of the composite's spec that the user left out is a decision and no guess."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        labels = ctx.composite(XStorageBucket).observed.spec.parameters.labels
        if labels.get("a", "") or "a" in labels or list(labels.items()):
            ctx.resource("bucket", Bucket())

    answer = run(compose, observed={"bucket": samples.bucket(ours="step")})
    assert not answer.fatal
    assert not answer.resources


# --- free-form fields and maps as attributes ----------------------------------------------------------------------

STATUS = {"extra": {"a": {"b": "deep"}, "items": "own"}, "tags": {"team": "t"}, "endpoints": [{"url": "u"}]}


def test_free_form_fields_and_maps_read_as_attributes_before_the_resource_exists() -> None:
    """A field of a free-form value or map can be read as an attribute while the resource doesn't exist."""

    def compose(ctx: Any) -> None:
        provider = ctx.resource("bucket", Bucket()).observed.status.atProvider
        assert path(provider.extra.a) == "bucket.status.atProvider.extra.a"
        assert path(provider.extra.a.b) == "bucket.status.atProvider.extra.a.b"
        assert path(provider.tags.team) == "bucket.status.atProvider.tags.team"

    call(compose)


def test_free_form_fields_and_maps_read_as_attributes_once_the_resource_exists() -> None:
    """The same code reads the values when they are there, and Observables for what isn't."""

    def compose(ctx: Any) -> Any:
        provider = ctx.resource("bucket", Bucket()).observed.status.atProvider
        assert provider.extra.a.b == "deep"
        assert provider.extra.a["b"] == provider.extra["a"]["b"] == "deep"
        assert provider.tags.team == provider.tags["team"] == "t"
        assert "bucket.status.atProvider.extra" in path(provider.extra.missing)
        assert "bucket.status.atProvider.extra" in path(provider.extra.a.missing.deeper)
        assert "bucket.status.atProvider.tags" in path(provider.tags.missing)

    call(compose, observed={"bucket": samples.bucket(status=STATUS)})


def test_a_composition_over_free_form_attributes_goes_through_every_phase() -> None:
    """Code that reads a free-form field by attributes holds back, then resolves, without a change."""

    @composition.function
    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        target = ctx.resource("bucket", Bucket())
        target.spec.forProvider.project = source.observed.status.atProvider.extra.a.b
        target.spec.forProvider.location = source.observed.status.atProvider.tags.team

    for observed in ({}, {"source": samples.bucket()}, {"source": samples.bucket(status={"extra": {}, "tags": {}})}):
        answer = run(compose, observed=observed)
        assert not answer.fatal, answer.fatal
        assert list(answer.resources) == ["source"]
    answer = run(compose, observed={"source": samples.bucket(status=STATUS)})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"project": "deep", "location": "t"}

"""Copies from observed state, and that observed state is read-only (design section 3)."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite.errors import ReadOnlyError
from tests.behaviour import samples
from tests.behaviour.models import (
    Bucket,
    BucketSpec,
    ForProvider,
    XStorageBucket,
)
from tests.support import call, run

# --- copies ------------------------------------------------------------------------------------------------------


def test_a_nested_observed_model_is_copied_by_value() -> None:
    """Assigning an observed model, list or map copies what is present; later changes touch the copy only."""

    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        target = ctx.resource("target", Bucket())
        target.spec.forProvider = source.observed.spec.forProvider
        target.spec.forProvider.location = "EU"
        target.spec.forProvider.labels["new"] = "label"
        target.spec.initProvider.labels = source.observed.spec.forProvider.labels
        other = ctx.resource("other", Bucket())
        other.spec.forProvider.rules = source.observed.spec.forProvider.rules
        other.spec.forProvider.zones = source.observed.spec.forProvider.zones
        other.spec.forProvider.zones.append("z")
        assert source.observed.spec.forProvider.location == "US"
        assert "new" not in source.observed.spec.forProvider.labels
        assert list(source.observed.spec.forProvider.zones) == ["y"]

    provider = {"location": "US", "labels": {"a": "b"}, "rules": [{"name": "n", "age": 1}], "zones": ["y"]}
    _, answer = call(compose, observed={"source": samples.bucket(provider)})
    assert answer.resources["target"]["spec"] == {
        "forProvider": {**provider, "location": "EU", "labels": {"a": "b", "new": "label"}},
        "initProvider": {"labels": {"a": "b"}},
    }
    assert answer.resources["other"]["spec"]["forProvider"] == {"rules": provider["rules"], "zones": ["y", "z"]}
    assert "spec" not in answer.resources["source"]


@pytest.mark.parametrize("made", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_missing_model_waits(made: Callable[[Any], Any]) -> None:
    """A resource with a copy of an object that isn't observed yet is held back, as with the object itself."""

    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        ctx.resource("target", Bucket()).spec.forProvider = made(source.observed.spec.forProvider)

    _, answer = call(compose)
    assert set(answer.resources) == {"source"}
    assert "source.spec.forProvider" in answer.texts


@pytest.mark.parametrize("observed", [{}, {"source": samples.bucket({"location": "US"})}])
def test_setting_a_key_in_what_is_missing(observed: dict[str, Any]) -> None:
    """A key can't be set in a missing value. Resources that were registered before are emitted all the same."""

    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        target = ctx.resource("target", Bucket())
        target.spec.forProvider.labels = source.observed.spec.forProvider.labels
        target.spec.forProvider.labels["new"] = "label"

    answer = run(composition.function(compose), observed=observed)
    assert set(answer.resources) == {"source"}
    assert not answer.fatal
    assert "source.spec.forProvider.labels has no value yet, so nothing can be set in it" in answer.texts


def test_dataclasses_can_be_taken_apart() -> None:
    """`dataclasses.asdict` makes lists and maps of the class that it finds, and gets plain ones."""

    @dataclasses.dataclass
    class Config:
        zones: Any
        labels: Any

    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket()).observed.spec.forProvider
        made = dataclasses.asdict(Config(source.zones, source.labels))
        assert made == {"zones": ["y"], "labels": {"a": "b"}}
        made["zones"].append("z")
        made["labels"]["c"] = "d"
        assert made["labels"].get("x") is None
        assert "x" not in made["labels"]
        with pytest.raises(KeyError):
            made["labels"]["x"]
        with pytest.raises(IndexError):
            made["zones"][5]
        with pytest.raises(ReadOnlyError):
            source.zones.append("z")
        ctx.resource("target", Bucket(spec={"forProvider": {**made}}))
        assert list(source.zones) == ["y"]

    provider = {"labels": {"a": "b"}, "zones": ["y"]}
    _, answer = call(compose, observed={"source": samples.bucket(provider)})
    assert answer.resources["target"]["spec"]["forProvider"] == {"labels": {"a": "b", "c": "d"}, "zones": ["y", "z"]}


def test_a_copy_can_be_part_of_a_constructor() -> None:
    """Observed models, lists and maps can be given to a constructor."""

    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        observed = source.observed.spec.forProvider
        ctx.resource("target", Bucket(spec=BucketSpec(forProvider=observed)))
        ctx.resource("list", Bucket(spec=BucketSpec(forProvider=ForProvider(rules=observed.rules))))
        ctx.resource("items", Bucket(spec=BucketSpec(forProvider=ForProvider(rules=[observed.rules[0]]))))

    provider = {"location": "US", "rules": [{"name": "n", "age": 1}, {"name": "m"}]}
    _, answer = call(compose, observed={"source": samples.bucket(provider)})
    assert answer.resources["target"]["spec"]["forProvider"] == provider
    assert answer.resources["list"]["spec"]["forProvider"] == {"rules": provider["rules"]}
    assert answer.resources["items"]["spec"]["forProvider"] == {"rules": [{"name": "n", "age": 1}]}


def test_a_part_of_the_composites_spec_can_be_copied() -> None:
    """The composite's observed maps, lists and models can be handed on to a composed resource."""

    def compose(ctx: Any) -> None:
        parameters = ctx.composite(XStorageBucket).observed.spec.parameters
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.labels = parameters.labels
        bucket.spec.forProvider.zones = parameters.zones

    _, answer = call(compose, xr=samples.xr({"labels": {"a": "b"}, "zones": ["z"]}))
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"labels": {"a": "b"}, "zones": ["z"]}


@pytest.mark.parametrize(
    ("copy", "get"),
    [
        (lambda spec, target: setattr(target.spec, "forProvider", spec), lambda spec: spec["forProvider"]),
        (
            lambda spec, target: setattr(target.spec.forProvider, "extra", spec),
            lambda spec: spec["forProvider"]["extra"],
        ),
        (
            lambda spec, target: setattr(target.spec.forProvider, "extra", {"deep": [spec]}),
            lambda spec: spec["forProvider"]["extra"]["deep"][0],
        ),
    ],
    ids=["typed", "free-form", "inside free-form"],
)
def test_a_copy_of_what_the_model_does_not_know_whole(copy: Any, get: Any) -> None:
    """An observed model with a field that its class doesn't have can be copied like any other."""

    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        copy(source.observed.spec.forProvider, ctx.resource("target", Bucket()))

    _, answer = call(compose, observed={"source": samples.bucket({"location": "US", "surprise": {"a": 1}})})
    assert not answer.fatal
    assert get(answer.resources["target"]["spec"])["location"] == "US"


def _whole(ctx: Any, source: Any, target: Any) -> None:
    ctx.resource("copy", source.observed)


def _metadata(ctx: Any, source: Any, target: Any) -> None:
    target.metadata = source.observed.metadata


def _status(ctx: Any, source: Any, target: Any) -> None:
    target.status = source.observed.status


def _metadata_in_constructor(ctx: Any, source: Any, target: Any) -> None:
    ctx.resource("copy", Bucket(metadata=source.observed.metadata))


@pytest.mark.parametrize("copy", [_whole, _metadata, _status, _metadata_in_constructor])
@pytest.mark.parametrize("exists", [True, False])
def test_wholesale_copies_are_refused(copy: Callable[[Any, Any, Any], None], exists: bool) -> None:
    """Whole observed resources, metadata and status can't become desired state; the result is fatal."""

    @composition.function
    def compose(ctx: Any) -> None:
        source = ctx.resource("source", Bucket())
        target = ctx.resource("target", Bucket())
        copy(ctx, source, target)

    existing = samples.bucket({"location": "US"}, status={"id": "i"}, external_name="e")
    existing["metadata"]["uid"] = "u"
    answer = run(compose, observed={"source": existing} if exists else None)
    assert answer.fatal
    assert not answer.resources


def test_the_composites_status_is_not_copied_wholesale() -> None:
    """The composite's whole observed status is refused as its desired status."""

    @composition.function
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        xr.status = xr.observed.status

    answer = run(compose, xr=samples.xr({}, {"url": "u", "conditions": [{"type": "Ready", "status": "True"}]}))
    assert answer.fatal
    assert "status" in answer.fatal[0]


# --- observed state is read-only ---------------------------------------------------------------------------------


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize(
    "write",
    [
        lambda o: setattr(o.spec.forProvider, "location", "x"),
        lambda o: setattr(o, "spec", BucketSpec()),
        lambda o: setattr(o, "external_name", "x"),
        lambda o: setattr(o.status.atProvider, "id", "x"),
        lambda o: delattr(o.spec.forProvider, "location"),
        lambda o: setattr(o.spec.initProvider, "location", "x"),
    ],
)
def test_observed_fields_are_read_only(write: Callable[[Any], None], exists: bool) -> None:
    """Writing to a field of observed state raises ReadOnlyError, whether or not the resource exists."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        with pytest.raises(ReadOnlyError):
            write(bucket.observed)

    existing = samples.bucket({"location": "US"}, status={"id": "i"})
    call(compose, observed={"bucket": existing} if exists else None)


@pytest.mark.parametrize(
    "write",
    [
        lambda p: p.labels.__setitem__("a", "x"),
        lambda p: p.labels.__delitem__("a"),
        lambda p: p.labels.update({"n": "x"}),
        lambda p: p.labels.clear(),
        lambda p: p.zones.append("x"),
        lambda p: p.zones.__setitem__(0, "x"),
        lambda p: p.zones.sort(),
        lambda p: setattr(p.rules[0], "age", 3),
    ],
)
def test_observed_containers_are_read_only(write: Callable[[Any], None]) -> None:
    """Writing to a list or map of observed state raises ReadOnlyError and changes nothing."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        with pytest.raises(ReadOnlyError):
            write(bucket.observed.spec.forProvider)
        assert dict(bucket.observed.spec.forProvider.labels) == {"a": "b"}
        assert list(bucket.observed.spec.forProvider.zones) == ["y", "x"]
        assert bucket.observed.spec.forProvider.rules[0].age == 1

    provider = {"labels": {"a": "b"}, "zones": ["y", "x"], "rules": [{"name": "n", "age": 1}]}
    call(compose, observed={"bucket": samples.bucket(provider)})


def test_the_composites_observed_spec_is_read_only() -> None:
    """The composite's observed spec can't be written, also where it is unset."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        with pytest.raises(ReadOnlyError):
            xr.observed.spec.parameters.location = "x"

    call(compose)

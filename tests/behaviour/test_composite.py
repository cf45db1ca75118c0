"""The composite, and the conveniences that every top-level resource has (design section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Observable, Unstructured
from crossplane_lite.errors import UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import path
from tests.behaviour.models import Bucket, XStorageBucket
from tests.support import READY, call

# --- the composite -----------------------------------------------------------------------------------------------


def test_composite_parameters_read_the_users_input() -> None:
    """The observed composite's spec reads what the user wrote."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        parameters = xr.observed.spec.parameters
        assert parameters.location == "US"
        assert parameters.versioning is True
        assert dict(parameters.labels) == {"a": "b"}
        assert list(parameters.zones) == ["x", "y"]
        assert parameters.nested.a == "1"
        assert xr.observed.metadata.name == "my-xr"

    parameters = {
        "location": "US",
        "versioning": True,
        "labels": {"a": "b"},
        "zones": ["x", "y"],
        "nested": {"a": "1"},
    }
    call(compose, xr=samples.xr(parameters))


@pytest.mark.parametrize("spec", [None, {}, {"nested": {}}])
def test_unset_spec_of_the_composite_reads_none_or_empty(spec: dict[str, Any] | None) -> None:
    """Unset fields of the observed composite's spec and metadata read None or empty, never Observable."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        parameters = xr.observed.spec.parameters
        assert parameters is not None
        assert parameters.location is None
        assert parameters.size is None
        assert parameters.nested.a is None
        assert dict(parameters.labels) == {}
        assert list(parameters.zones) == []
        assert dict(xr.observed.metadata.labels) == {}
        assert xr.observed.metadata.namespace is None

    call(compose, xr=samples.xr(spec))


@pytest.mark.parametrize("status", [None, {}, {"url": "u", "info": {}}])
def test_unset_status_of_the_composite_reads_observable(status: dict[str, Any] | None) -> None:
    """Unset fields of the observed composite's status read Observable with a path that begins with xr."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        assert path(xr.observed.status.x) == "xr.status.x"
        assert path(xr.observed.status.info.a) == "xr.status.info.a"

    call(compose, xr=samples.xr({}, status))


def test_the_composite_is_one_object() -> None:
    """Asked for again the composite is the same object; as another class it is refused."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        assert ctx.composite(XStorageBucket) is xr
        with pytest.raises(
            UsageError, match="asked for as an XStorageBucket before, and now as an Unstructured: use one class"
        ):
            ctx.composite(Unstructured)

    call(compose, xr=samples.xr({}))


def test_status_of_the_composite_reads_values() -> None:
    """Fields that the observed composite's status has read their values."""

    def compose(ctx: Any) -> None:
        assert ctx.composite(XStorageBucket).observed.status.url == "u"

    call(compose, xr=samples.xr({}, {"url": "u"}))


def test_desired_status_of_the_composite_can_be_written_at_once() -> None:
    """`xr.status.x = value` works on a composite that nobody gave a status, and is emitted."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        assert xr.status.bucketName is None
        xr.status.bucketName = "b"
        xr.status.info.a = "deep"
        xr.status.names.append("n")

    _, answer = call(compose)
    assert answer.composite["status"] == {"bucketName": "b", "info": {"a": "deep"}, "names": ["n"]}
    assert "spec" not in answer.composite


def test_desired_status_of_the_composite_builds_on_earlier_functions() -> None:
    """The composite reads previous functions' desired status and is laid over it."""
    earlier = {
        "apiVersion": "example.org/v1alpha1",
        "kind": "XStorageBucket",
        "status": {"url": "u", "info": {"a": "1"}, "unknown": {"k": 1}},
    }

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        assert xr.status.url == "u"
        xr.status.info.b = "2"

    _, answer = call(compose, desired_xr=earlier)
    assert answer.composite["status"] == {"url": "u", "info": {"a": "1", "b": "2"}, "unknown": {"k": 1}}


@pytest.mark.parametrize("model", [XStorageBucket, Unstructured])
@pytest.mark.parametrize(
    ("read", "path"),
    [
        (lambda xr: f"{xr.spec.parameters.location}", "spec.parameters.location"),
        (lambda xr: f"{xr.spec.parameters.versioning}", "spec.parameters.versioning"),
        (lambda xr: bool(xr.spec), "spec"),
        (lambda xr: bool(xr.spec.parameters), "spec.parameters"),
        (lambda xr: setattr(xr.status, "info", xr.spec), "spec"),
        (lambda xr: xr.metadata.name, "metadata.name"),
        (lambda xr: xr.metadata.labels, "metadata.labels"),
        (lambda xr: xr.metadata.uid, "metadata.uid"),
        (lambda xr: xr.external_name, "metadata.annotations"),
    ],
)
def test_the_composite_has_no_desired_spec(model: type[Any], read: Callable[[Any], object], path: str) -> None:
    """A value that is read from the composite's desired spec or metadata is an error that names the observed one."""

    def compose(ctx: Any) -> None:
        read(ctx.composite(model))

    with pytest.raises(UsageError, match=f"^xr.{path} is read .*; to read it write xr.observed.{path}; only the"):
        call(compose)


def test_what_an_earlier_function_desires_of_the_spec_can_be_read() -> None:
    """Crossplane discards a previous function's desired spec, but functions may use it to pass values on."""
    earlier = {
        "apiVersion": "example.org/v1alpha1",
        "kind": "XStorageBucket",
        "spec": {"parameters": {"location": "EU"}},
    }

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        xr.status.bucketName = xr.spec.parameters.location

    _, answer = call(compose, desired_xr=earlier)
    assert not answer.fatal
    assert answer.composite["status"] == {"bucketName": "EU"}


# --- conveniences of top-level resources -------------------------------------------------------------------------


def test_external_name_is_the_annotation() -> None:
    """Setting `.external_name` emits the annotation, and setting the annotation is read by the property."""

    def compose(ctx: Any) -> None:
        one = ctx.resource("one", Bucket())
        one.external_name = "ext"
        assert one.external_name == "ext"
        assert one.metadata.annotations[samples.EXTERNAL_NAME] == "ext"
        two = ctx.resource("two", Bucket())
        two.metadata.annotations[samples.EXTERNAL_NAME] = "other"
        assert two.external_name == "other"

    _, answer = call(compose)
    assert answer.resources["one"]["metadata"] == {"annotations": {samples.EXTERNAL_NAME: "ext"}}
    assert answer.resources["two"]["metadata"] == {"annotations": {samples.EXTERNAL_NAME: "other"}}


def test_external_name_reads_earlier_functions() -> None:
    """`.external_name` reads desired state, what a previous function set among it."""

    def compose(ctx: Any) -> None:
        assert ctx.resource("bucket", Bucket()).external_name == "ext"

    call(compose, desired={"bucket": samples.bucket(external_name="ext")})


def test_name_is_the_composition_resource_name() -> None:
    """`.name` is the name that the resource was registered under."""

    def compose(ctx: Any) -> None:
        assert ctx.resource("a-bucket", Bucket()).name == "a-bucket"

    call(compose)


@pytest.mark.parametrize("value", [None, True, False])
def test_ready_goes_into_the_answer(value: bool | None) -> None:
    """`.ready` takes None, True and False, and the answer carries it."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        assert bucket.ready is None
        bucket.ready = value
        assert bucket.ready is value

    _, answer = call(compose)
    assert answer.ready == {"bucket": value}


def test_ready_of_earlier_functions_stays() -> None:
    """Readiness that a previous function set passes through while this one has no opinion."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    desired = {"bucket": samples.bucket(), "other": samples.bucket()}
    _, answer = call(compose, desired=desired, desired_ready={"bucket": True, "other": False})
    assert answer.ready == {"bucket": True, "other": False}


def test_composite_ready_goes_into_the_answer() -> None:
    """`.ready` of the composite goes into the answer."""

    def compose(ctx: Any) -> None:
        ctx.composite(XStorageBucket).ready = True

    assert call(compose)[1].composite_ready is True


def test_condition_of_an_observed_resource() -> None:
    """`.condition(type)` finds the observed condition of that type."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        assert bucket.observed.condition("Ready").status == "True"
        assert bucket.observed.condition("Ready").reason == READY["reason"]
        assert not bucket.observed.condition("Nonsense")

    call(compose, observed={"bucket": samples.bucket(ready=True)})


def test_connection_details_are_text_and_bytes() -> None:
    """Observed connection details read as text, `.raw` as bytes, and a missing one is an Observable."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        details = bucket.observed.connection_details
        assert details["user"] == "admin"
        assert details.raw["user"] == b"admin"
        assert details.raw["blob"] == b"\xff\x00"
        assert isinstance(details["missing"], Observable)

    call(
        compose,
        observed={"bucket": samples.bucket()},
        connection={"bucket": {"user": b"admin", "blob": b"\xff\x00"}},
    )


def test_connection_details_of_an_unobserved_resource_are_observable() -> None:
    """Connection details of a resource that doesn't exist yet read Observable."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        assert isinstance(bucket.observed.connection_details["user"], Observable)

    call(compose)


def test_connection_details_of_the_composite_are_emitted() -> None:
    """Connection details set on the composite are emitted as bytes, over those of previous functions."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        bucket = ctx.resource("bucket", Bucket())
        xr.connection_details["user"] = bucket.observed.connection_details["user"]
        xr.connection_details["url"] = "https://ümlaut"

    _, answer = call(
        compose,
        observed={"bucket": samples.bucket()},
        connection={"bucket": {"user": b"admin"}},
        desired_xr={"apiVersion": "example.org/v1alpha1", "kind": "XStorageBucket"},
        desired_xr_connection={"kept": b"\xff"},
    )
    assert answer.composite_connection == {
        "user": b"admin",
        "url": "https://ümlaut".encode(),
        "kept": b"\xff",
    }

"""Reading raw requests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest
from hypothesis import given

from crossplane_lite import Unstructured, request, response
from crossplane_lite.errors import InputError, ReadOnlyError, UsageError
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from tests.behaviour.models import VPC, Bucket, ConfigMap, ForProvider, XStorageBucket
from tests.helpers.families import EXAMPLES, FAMILIES, NAMES, REQUESTS, Family, official, stable

ENVIRONMENT = "apiextensions.crossplane.io/environment"
WATCHED = "ops.crossplane.io/watched-resource"

BUCKET = {
    "apiVersion": "storage.gcp.upbound.io/v1beta1",
    "kind": "Bucket",
    "metadata": {"name": "b-x", "annotations": {"crossplane.io/external-name": "photos"}},
    "spec": {"forProvider": {"location": "EU", "newer": {"than": "the model"}}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}
XR = {"apiVersion": "example.org/v1alpha1", "kind": "XStorageBucket", "spec": {"parameters": {"size": 3}}}


def sample(messages: Any = fnv1) -> Any:
    """Return a request that has something for every getter."""
    req = messages.RunFunctionRequest()
    req.meta.capabilities.extend([messages.CAPABILITY_CAPABILITIES, messages.CAPABILITY_CREDENTIALS])
    req.observed.composite.resource.update(XR)
    req.observed.resources["bucket"].resource.update(BUCKET)
    req.observed.resources["bucket"].connection_details["user"] = b"admin"
    req.observed.resources["config"].resource.update(CONFIG)
    req.desired.composite.resource.update({"status": {"x": "1"}})
    req.desired.resources["bucket"].resource.update({**BUCKET, "status": {}})
    req.desired.resources["bucket"].ready = messages.READY_TRUE
    req.desired.resources["config"].resource.update(CONFIG)
    req.input.update({"apiVersion": "in/v1", "kind": "Input", "count": 2, "names": ["a"]})
    req.context.update({ENVIRONMENT: {"region": "eu"}, "n": None, "list": [1, {"a": 2.5}]})
    req.required_resources["configs"].items.add().resource.update(CONFIG)
    req.required_resources["configs"].items.add().resource.update({**CONFIG, "data": {}})
    req.required_resources["none"].SetInParent()
    req.required_resources[WATCHED].items.add().resource.update(BUCKET)
    req.extra_resources["old"].items.add().resource.update(CONFIG)
    req.required_schemas["found"].openapi_v3.update({"type": "object"})
    req.required_schemas["empty"].openapi_v3.SetInParent()
    req.required_schemas["missing"].SetInParent()
    req.credentials["cloud"].credential_data.data["password"] = b"secret"
    req.credentials["binary"].credential_data.data["key"] = b"\xff\x00"
    req.credentials["nothing"].SetInParent()
    return req


@pytest.fixture(params=FAMILIES, ids=lambda family: str(family.name))
def req(request: pytest.FixtureRequest) -> Any:
    """The sample request in the messages of every implementation."""
    return sample(request.param.messages)


# Like the official SDK.

CASES: dict[str, Callable[[Any, Any, str], Any]] = {
    "required resources": lambda sdk, req, name: sdk.get_required_resources(req, name),
    "required resource": lambda sdk, req, name: sdk.get_required_resource(req, name),
    "watched resource": lambda sdk, req, name: sdk.get_watched_resource(req),
    "required schema": lambda sdk, req, name: sdk.get_required_schema(req, name),
    "credentials": lambda sdk, req, name: dataclasses.astuple(sdk.get_credentials(req, name)),
    "advertises": lambda sdk, req, name: sdk.advertises_capabilities(req),
    "has": lambda sdk, req, name: [sdk.has_capability(req, number) for number in range(9)],
}


@pytest.mark.slow
@EXAMPLES
@given(data=REQUESTS, name=NAMES)
def test_reads_what_the_official_sdk_reads(data: bytes, name: str) -> None:
    """On any request, of any implementation, every getter gives what the official SDK's gives, and changes nothing."""
    theirs = official("request")
    wanted_of = official("proto.v1.run_function_pb2").RunFunctionRequest.FromString(data)
    for family in FAMILIES:
        given_to = family.messages.RunFunctionRequest.FromString(data)
        for what, case in CASES.items():
            assert case(request, given_to, name) == case(theirs, wanted_of, name), (family.name, what)
        assert stable(given_to) == data, family.name


def test_required_resources(req: Any) -> None:
    """Answers come as dicts with ints; a requirement without an answer and one with an empty answer give none."""
    assert request.get_required_resources(req, "configs") == [CONFIG, {**CONFIG, "data": {}}]
    assert request.get_required_resources(req, "none") == request.get_required_resources(req, "unasked") == []
    assert "none" in req.required_resources and "unasked" not in req.required_resources
    assert request.get_required_resource(req, "configs") == CONFIG
    assert request.get_required_resource(req, "none") is request.get_required_resource(req, "unasked") is None
    assert request.get_watched_resource(req) == BUCKET
    assert request.get_extra_resources(req, "old") == [CONFIG]
    assert request.get_extra_resources(req, "configs") == []


def test_required_resources_as_models(req: Any) -> None:
    """Answers come as read-only models where a class is given; one of another kind is refused with its place."""
    configs = request.get_required_resources(req, "configs", ConfigMap)
    assert [config.data.get("a") for config in configs] == ["b", None]
    first = request.get_required_resource(req, "configs", ConfigMap)
    assert first is not None and first.data["a"] == "b"
    with pytest.raises(ReadOnlyError, match="required resources are only for reading"):
        first.data["a"] = "c"
    watched = request.get_watched_resource(req, Bucket)
    assert watched is not None and watched.external_name == "photos"
    assert request.get_extra_resources(req, "old", Unstructured)[0].data.a == "b"
    with pytest.raises(UsageError, match=r"^required\.configs\[0\] is a ConfigMap of v1, and the class Bucket is for"):
        request.get_required_resources(req, "configs", Bucket)
    with pytest.raises(UsageError, match="takes the class of a resource"):
        request.get_required_resources(req, "configs", ForProvider)  # type: ignore[type-var]


def test_required_schema(req: Any) -> None:
    """A schema comes as a dict, an empty one as an empty dict, and None where there is none or no answer."""
    assert request.get_required_schema(req, "found") == {"type": "object"}
    assert request.get_required_schema(req, "empty") == {}
    assert request.get_required_schema(req, "missing") is request.get_required_schema(req, "unasked") is None
    assert "missing" in req.required_schemas and "unasked" not in req.required_schemas


def test_credentials(req: Any) -> None:
    """Credentials come as text, and with the type `data` and nothing in them where there are none."""
    assert request.get_credentials(req, "cloud") == request.Credentials("credential_data", {"password": "secret"})
    for missing in ("nothing", "unknown"):
        assert request.get_credentials(req, missing) == request.Credentials("data", {})
    assert request.get_credentials(None, "cloud") == request.Credentials("data", {})


def test_credentials_keep_their_secrets() -> None:
    """A repr of credentials, which may get into a log, doesn't show a value."""
    assert "secret" not in repr(request.get_credentials(sample(), "cloud"))


def test_binary_credentials(req: Any) -> None:
    """Bytes that are no text are refused with the key and without the value, and can be had as bytes."""
    with pytest.raises(UsageError, match="'key' of the credentials 'binary' isn't UTF-8") as caught:
        request.get_credentials(req, "binary")
    assert isinstance(caught.value, ValueError) and "xff" not in str(caught.value)
    assert request.get_credential_data(req, "binary") == {"key": b"\xff\x00"}
    assert request.get_credential_data(req, "cloud") == {"password": b"secret"}
    assert request.get_credential_data(req, "nothing") is request.get_credential_data(None, "cloud") is None


def test_capabilities(req: Any) -> None:
    """Capabilities are known by number and by name; a caller that advertises none is known by that."""
    assert request.advertises_capabilities(req)
    assert request.has_capability(req, fnv1.CAPABILITY_CREDENTIALS)
    assert request.has_capability(req, "CAPABILITY_CREDENTIALS")
    assert not request.has_capability(req, fnv1.CAPABILITY_REQUIRED_SCHEMAS)
    req.meta.ClearField("capabilities")
    assert not request.advertises_capabilities(req)
    assert not request.has_capability(req, fnv1.CAPABILITY_CREDENTIALS)


# What the Go SDK has besides.


@attrs.define
class Input:
    """An input."""

    count: int
    names: list[str]


@attrs.define
class Optional:
    """An input that need not be there."""

    count: int = 1


def test_input(req: Any) -> None:
    """The input comes as a dict or as an attrs class; without an input, a dict is None and a class has its defaults."""
    assert request.get_input(req) == {"apiVersion": "in/v1", "kind": "Input", "count": 2, "names": ["a"]}
    assert request.get_input(req, Input) == Input(count=2, names=["a"])
    req.ClearField("input")
    assert request.get_input(req) is None
    assert request.get_input(req, Optional) == Optional(count=1)


def test_wrong_input(req: Any) -> None:
    """Unknown keys and wrong types are refused in one message with every path, and what is no attrs class is, too."""
    req.input.update({"count": "two", "more": 1})
    with pytest.raises(InputError, match=r"input\.count.*input\.more"):
        request.get_input(req, Input)
    with pytest.raises(UsageError, match="attrs class"):
        request.get_input(req, dict)


def test_context(req: Any) -> None:
    """Values of the context come as plain data, a default only for a key that isn't there."""
    assert request.get_context_key(req, "list") == [1, {"a": 2.5}]
    assert request.get_context_key(req, "n", "default") is None
    assert request.get_context_key(req, "missing") is None
    assert request.get_context_key(req, "missing", 5) == 5
    assert request.get_environment(req) == {"region": "eu"}
    assert request.get_context(req) == {ENVIRONMENT: {"region": "eu"}, "n": None, "list": [1, {"a": 2.5}]}
    req.context.update({ENVIRONMENT: "no object"})
    assert request.get_environment(req) == {}
    req.ClearField("context")
    assert request.get_context(req) == request.get_environment(req) == {}


def test_observed_state_as_dicts(req: Any) -> None:
    """Observed resources come as dicts; one that isn't observed is None, and an Operation's composite is empty."""
    assert request.get_observed_composite_resource(req) == XR
    assert request.get_observed_composed_resource(req, "bucket") == BUCKET
    assert request.get_observed_composed_resource(req, "missing") is None
    assert request.get_observed_composed_resources(req) == {"bucket": BUCKET, "config": CONFIG}
    req.ClearField("observed")
    assert request.get_observed_composite_resource(req) == request.get_observed_composed_resources(req) == {}


def test_observed_state_as_models(req: Any) -> None:
    """Models of observed resources read what the cluster has; what it doesn't have reads None or empty."""
    xr = request.get_observed_composite_resource(req, XStorageBucket)
    assert xr.spec.parameters.size == 3
    assert xr.status.bucketName is None
    bucket = request.get_observed_composed_resource(req, "bucket", Bucket)
    assert bucket is not None
    assert (bucket.spec.forProvider.location, bucket.spec.forProvider.project) == ("EU", None)
    assert (bucket.external_name, bucket.name, bucket.ready) == ("photos", "bucket", True)
    assert bucket.connection_details["user"] == "admin"
    assert bucket.condition("Ready").status == "True"
    assert not bucket.status.atProvider.tags
    assert request.get_observed_composed_resource(req, "missing", Bucket) is None
    with pytest.raises(ReadOnlyError, match=r"bucket\.spec\.forProvider\.location is observed state"):
        bucket.spec.forProvider.location = "US"
    with pytest.raises(UsageError, match="config is a ConfigMap of v1, and the class Bucket is for"):
        request.get_observed_composed_resource(req, "config", Bucket)
    with pytest.raises(UsageError, match="xr is an XStorageBucket of example.org/v1alpha1, and the class VPC is for"):
        request.get_observed_composite_resource(req, VPC)


def test_resources_of_one_kind(req: Any) -> None:
    """With a class the getters of all resources give those of its kind, `Unstructured` being of every kind."""
    assert list(request.get_observed_composed_resources(req, Bucket)) == ["bucket"]
    assert list(request.get_desired_composed_resources(req, ConfigMap)) == ["config"]
    assert request.get_desired_composed_resources(req, VPC) == {}
    kinds = {name: one.kind for name, one in request.get_observed_composed_resources(req, Unstructured).items()}
    assert kinds == {"bucket": "Bucket", "config": "ConfigMap"}
    with pytest.raises(UsageError, match="takes the class of a resource"):
        request.get_observed_composed_resources(req, ForProvider)  # type: ignore[type-var]
    with pytest.raises(UsageError, match="takes the class of a resource"):
        request.get_required_resources(req, "nothing was found for this", ForProvider)  # type: ignore[type-var]


def test_desired_state(req: Any) -> None:
    """Desired resources come from a request and from a response, as dicts or as models that can be changed."""
    for holder in (req, response.to(req)):
        assert request.get_desired_composite_resource(holder) == {"status": {"x": "1"}}
        assert request.get_desired_composed_resource(holder, "config") == CONFIG
        assert request.get_desired_composed_resource(holder, "missing") is None
        assert list(request.get_desired_composed_resources(holder)) == ["bucket", "config"]
        xr = request.get_desired_composite_resource(holder, XStorageBucket)
        assert (xr.status.x, xr.status.y) == ("1", None)
        bucket = request.get_desired_composed_resource(holder, "bucket", Bucket)
        assert bucket is not None and bucket.spec.forProvider.location == "EU"
        bucket.spec.forProvider.project = "p"
        assert bucket.spec.forProvider.project == "p"
        with pytest.raises(UsageError, match="desired.config is a ConfigMap"):
            request.get_desired_composed_resource(holder, "config", Bucket)
    req.ClearField("desired")
    assert request.get_desired_composite_resource(req) == {}
    assert request.get_desired_composite_resource(req, XStorageBucket) == XStorageBucket()


# Reading leaves a request alone.

ARGUMENTS: Mapping[str, tuple[tuple[Any, ...], ...]] = {
    "advertises_capabilities": ((),),
    "get_context": ((),),
    "get_context_key": (("missing",), ("missing", 1)),
    "get_credential_data": (("missing",),),
    "get_credentials": (("missing",),),
    "get_desired_composed_resource": (("missing",), ("missing", Bucket)),
    "get_desired_composed_resources": ((), (Bucket,), (Unstructured,)),
    "get_desired_composite_resource": ((), (XStorageBucket,)),
    "get_environment": ((),),
    "get_extra_resources": (("missing",), ("missing", Bucket)),
    "get_input": ((), (Optional,)),
    "get_observed_composed_resource": (("missing",), ("missing", Bucket)),
    "get_observed_composed_resources": ((), (Bucket,), (Unstructured,)),
    "get_observed_composite_resource": ((), (XStorageBucket,)),
    "get_required_resource": (("missing",), ("missing", Bucket)),
    "get_required_resources": (("missing",), ("missing", Bucket)),
    "get_required_schema": (("missing",),),
    "get_watched_resource": ((), (Bucket,)),
    "has_capability": ((1,), ("CAPABILITY_CONDITIONS",)),
}


def test_the_table_has_every_getter() -> None:
    """No getter is left out of what is tested for leaving requests alone."""
    assert {*ARGUMENTS, "Credentials"} == set(request.__all__)


@pytest.mark.sample(20)
@pytest.mark.parametrize("getter", ARGUMENTS)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: str(family.name))
def test_reading_makes_no_entries(family: Family, getter: str) -> None:
    """No getter makes a map entry or a field present, in an empty request or in one that has other things."""
    full = sample(family.messages)
    full.ClearField("input")
    for req in (family.messages.RunFunctionRequest(), full):
        before = stable(req)
        for arguments in ARGUMENTS[getter]:
            getattr(request, getter)(req, *arguments)
        assert stable(req) == before


def test_models_leave_a_request_alone() -> None:
    """Reading through a model, missing keys too, and changing a model of desired state changes no request."""
    req = sample()
    before = stable(req)
    observed = request.get_observed_composed_resource(req, "bucket", Bucket)
    desired = request.get_desired_composed_resource(req, "bucket", Bucket)
    assert observed is not None and desired is not None
    assert observed.metadata.labels.get("missing") is None
    assert not observed.connection_details["missing"]
    assert not observed.condition("Missing").status
    desired.spec.forProvider.labels["a"] = "b"
    del desired.spec.forProvider.location
    assert stable(req) == before

"""Resources in raw messages."""

from __future__ import annotations

import datetime
import re
from typing import Any

import pytest
from google.protobuf import struct_pb2
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import NULL, Observable, Unstructured, composition, request, resource
from crossplane_lite._core.observed import tracker
from crossplane_lite.errors import EncodeError, UnresolvedError, UsageError
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from tests.behaviour.models import Bucket, BucketSpec, BucketStatus, ForProvider, XStatus, XStorageBucket
from tests.helpers.families import EXAMPLES, FAMILIES, OBJECTS, official, stable

OFFICIAL_V1 = "proto.v1.run_function_pb2"


@pytest.fixture(params=FAMILIES, ids=lambda family: str(family.name))
def messages(request: pytest.FixtureRequest) -> Any:
    """The messages of every implementation."""
    return request.param.messages


def plain(r: Any) -> Any:
    """Return what a Resource message holds."""
    return resource.struct_to_dict(r.resource)


# Setting fields.


@EXAMPLES
@given(st.lists(OBJECTS, min_size=1, max_size=3), st.booleans())
def test_update_does_what_the_official_sdk_does(sources: list[dict[str, Any]], as_structs: bool) -> None:
    """Updating with mappings or Structs, of any implementation, leaves the bytes that the official SDK leaves."""
    wanted = official(OFFICIAL_V1).Resource()
    for source in sources:
        given_as: Any = official("resource").dict_to_struct(source) if as_structs else source
        official("resource").update(wanted, given_as)
    for family in FAMILIES:
        got = family.messages.Resource()
        for at, source in enumerate(sources):
            other = FAMILIES[at % len(FAMILIES)].struct
            resource.update(got, resource.dict_to_struct(source, other) if as_structs else source)
        assert stable(got) == stable(wanted), family.name


@EXAMPLES
@given(st.lists(OBJECTS | st.none(), min_size=1, max_size=3))
def test_update_status_does_what_the_official_sdk_does(statuses: list[Any]) -> None:
    """Setting a status leaves the bytes that the official SDK leaves."""
    wanted, got = official(OFFICIAL_V1).Resource(), fnv1.Resource()
    for r, sdk in ((wanted, official("resource")), (got, resource)):
        sdk.update(r, {"kind": "K", "status": {"old": 1}})
        for status in statuses:
            sdk.update_status(r, status)
    assert stable(got) == stable(wanted)


@pytest.mark.parametrize("status", [5, "x", [1], True])
def test_a_status_is_an_object(status: Any) -> None:
    """A status that isn't an object is refused, and the one that was there stays."""
    r = fnv1.Resource()
    resource.update_status(r, {"a": 1})
    with pytest.raises(UsageError, match=r"^status must be a mapping, a model or a Struct \(got "):
        resource.update_status(r, status)
    assert plain(r) == {"status": {"a": 1}}


def test_a_pydantic_model_without_a_kind() -> None:
    """A resource has apiVersion and kind, so a pydantic model without them is refused."""
    pydantic = pytest.importorskip("pydantic", reason="pydantic comes with the official SDK")

    class Parameters(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        a: int = 1

    with pytest.raises(
        UsageError, match=r"must have apiVersion and kind, but the pydantic model Parameters has no apiVersion and k"
    ):
        resource.update(fnv1.Resource(), Parameters(a=2))


@EXAMPLES
@given(OBJECTS)
def test_structs_and_dicts_like_the_official_sdk(value: dict[str, Any]) -> None:
    """Both ways between Structs and dicts give what the official SDK gives, with ints where it gives whole floats."""
    theirs = official("resource")
    wanted = theirs.dict_to_struct(value)
    assert stable(resource.dict_to_struct(value)) == stable(wanted)
    made = resource.dict_to_struct(value, struct_pb2.Struct)
    assert type(made) is struct_pb2.Struct and made == wanted
    assert resource.struct_to_dict(wanted) == theirs.struct_to_dict(wanted)


def test_numbers_of_structs() -> None:
    """Whole numbers come back as ints, which is what a port or a size is, others as floats."""
    struct = resource.dict_to_struct({"port": 80, "ratio": 0.5, "big": 2**53})
    back = resource.struct_to_dict(struct)
    assert back == {"port": 80, "ratio": 0.5, "big": 2**53}
    assert {key: type(value) for key, value in back.items()} == {"port": int, "ratio": float, "big": int}


def test_other_messages_as_dicts(messages: Any) -> None:
    """struct_to_dict takes lists, values and other messages as the official SDK does; what is no message is refused."""
    listed = messages.Resource().resource
    listed.update({"a": [1, {"b": None}]})
    assert resource.struct_to_dict(listed.fields["a"]) == [1, {"b": None}]
    assert resource.struct_to_dict(listed["a"]) == [1, {"b": None}]
    assert resource.struct_to_dict(messages.RequestMeta(tag="t")) == {"tag": "t"}
    with pytest.raises(TypeError, match="takes a protobuf message"):
        resource.struct_to_dict(None)  # type: ignore[arg-type]


def test_update_is_shallow(messages: Any) -> None:
    """Top-level fields replace each other, as in a dict."""
    r = messages.Resource()
    resource.update(r, {"kind": "K", "spec": {"a": 1, "b": {"c": 2}}})
    resource.update(r, {"spec": {"b": {"d": 3}}})
    assert plain(r) == {"kind": "K", "spec": {"b": {"d": 3}}}


def test_update_with_messages_in_mappings(messages: Any) -> None:
    """Structs, lists and values that were read from any message can stand in a mapping."""
    read = struct_pb2.Struct()
    read.update({"spec": {"list": [1, {"a": None}], "map": {}}})
    r = messages.Resource()
    resource.update(r, {"spec": read["spec"], "list": read["spec"]["list"], "value": read.fields["spec"]})
    spec = {"list": [1, {"a": None}], "map": {}}
    assert plain(r) == {"spec": spec, "list": spec["list"], "value": spec}
    nothing = struct_pb2.Struct()
    nothing.fields["unset"].SetInParent()
    resource.update(r, {"value": nothing})
    assert plain(r)["value"] == {"unset": None}


def test_update_with_a_model(messages: Any) -> None:
    """Of a model what was set is taken, null included, and its apiVersion and kind; None is no opinion."""
    r = messages.Resource()
    bucket = Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU", project=None, storageClass=NULL)))
    bucket.metadata.labels["a"] = "b"
    del bucket.spec.deletionPolicy
    resource.update(r, bucket)
    assert plain(r) == {
        "apiVersion": "storage.gcp.upbound.io/v1beta1",
        "kind": "Bucket",
        "metadata": {"labels": {"a": "b"}},
        "spec": {"forProvider": {"location": "EU", "storageClass": None}},
    }
    resource.update(r, Unstructured("v1", "ConfigMap", data={"a": "b"}))
    assert (plain(r)["kind"], plain(r)["data"]) == ("ConfigMap", {"a": "b"})
    assert "labels" in plain(r)["metadata"]


def test_status_from_a_model(messages: Any) -> None:
    """A status can be a model, in whole or in part."""
    r = messages.Resource()
    resource.update_status(r, XStatus(bucketName="n", names=["a"]))
    assert plain(r) == {"status": {"bucketName": "n", "names": ["a"]}}
    resource.update_status(r, {"bucket": BucketStatus()})
    assert plain(r) == {"status": {"bucket": {}}}


def test_pydantic_models() -> None:
    """Of a pydantic model what was set is taken, under its aliases, with its kind, as the official SDK does."""
    pydantic = pytest.importorskip("pydantic", reason="pydantic comes with the official SDK")

    class Spec(pydantic.BaseModel):  # type: ignore[name-defined, misc]
        zone: str = "default"
        continue_: int = pydantic.Field(0, alias="continue")
        more: Any = None

    class Thing(pydantic.BaseModel):  # type: ignore[name-defined, misc]
        apiVersion: str = "example.org/v1"
        kind: str = "Thing"
        spec: Spec = Spec()
        status: Spec = Spec()

    thing = Thing(spec=Spec(**{"continue": 3}, more=[None, {"a": 1.5}]))
    wanted, got = official(OFFICIAL_V1).Resource(), fnv1.Resource()
    official("resource").update(wanted, thing)
    resource.update(got, thing)
    assert stable(got) == stable(wanted)
    assert plain(got) == {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "spec": {"continue": 3, "more": [None, {"a": 1.5}]},
    }
    official("resource").update_status(wanted, Spec(zone="z"))
    resource.update_status(got, Spec(zone="z"))
    assert stable(got) == stable(wanted)
    assert resource.struct_to_dict(resource.dict_to_struct(Spec(zone="z"))) == {"zone": "z"}
    assert "pydantic" not in vars(resource)


@pytest.mark.parametrize("wrong", [None, "text", ["a"], 5, fnv1.Resource(), Bucket])
def test_wrong_sources(wrong: Any) -> None:
    """What is no object is refused as a TypeError, as the official SDK does."""
    r = fnv1.Resource()
    with pytest.raises(TypeError, match="must be a mapping, a model or a Struct"):
        resource.update(r, wrong)
    assert not r.HasField("resource")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (2**53 + 1, "must be an integer from -2**53 to 2**53"),
        (float("nan"), "must be a finite number"),
        (float("inf"), "must be a finite number"),
        (b"bytes", "must be a JSON value, such as a string, a list or a dict (got bytes; write .decode())"),
        ({1}, "must be a JSON value, such as a string, a list or a dict (got a set; write list(...))"),
        (datetime.datetime(2024, 1, 1), "must be a JSON value"),
        ("\ud800", "must be valid Unicode text"),
        ({1: 2}, "keys must be strings"),
    ],
    ids=str,
)
def test_values_that_a_message_cannot_carry(value: Any, problem: str) -> None:
    """They are refused with their path, and nothing is updated."""
    r = fnv1.Resource()
    resource.update(r, {"kind": "K"})
    before = stable(r)
    with pytest.raises(EncodeError, match=re.escape(problem)) as caught:
        resource.update(r, {"kind": "L", "spec": {"list": [1, value]}})
    assert caught.value.path == "spec.list[1]"
    assert stable(r) == before


def nested(depth: int) -> dict[str, Any]:
    """Return an object with that many objects in each other."""
    made: dict[str, Any] = {"leaf": 1}
    for _ in range(depth):
        made = {"a": made}
    return made


@pytest.mark.parametrize("depth", [10, 33, 34, 150])
def test_deep_objects(messages: Any, depth: int) -> None:
    """Objects nested deeper than protobuf parses can be set, as with the official SDK, and read."""
    r = messages.Resource()
    resource.update(r, nested(depth))
    assert plain(r) == nested(depth)
    assert resource.struct_to_dict(resource.dict_to_struct(nested(depth))) == nested(depth)


@pytest.mark.slow
def test_too_deep_objects() -> None:
    """What no message can hold is refused, and nothing is updated; neither is what contains itself."""
    r = fnv1.Resource()
    with pytest.raises(EncodeError, match="nested too deep for a protobuf message"):
        resource.update(r, nested(5000))
    endless: dict[str, Any] = {"kind": "K"}
    endless["self"] = endless
    with pytest.raises(ValueError, match="contain"):
        resource.update(r, endless)
    assert stable(r) == b""


# Observables and observed state.


@pytest.mark.parametrize(
    "source",
    [
        Bucket(spec=BucketSpec(forProvider=ForProvider(zones=["a", Observable("vpc.status.zone")]))),
        {"spec": {"forProvider": {"zones": ["a", Observable("vpc.status.zone")]}}},
        {"spec": BucketSpec(forProvider=ForProvider(zones=["a", Observable("vpc.status.zone")]))},
        {"spec": {"forProvider": {"zones": ("a", Observable("vpc").status.zone)}, "null": None}},
    ],
    ids=["model", "mapping", "model in a mapping", "tuple"],
)
def test_unresolved_values(source: Any) -> None:
    """A value that doesn't exist yet is refused with its place and what it is made from, and nothing is updated."""
    r = fnv1.Resource()
    wanted = r"^spec\.forProvider\.zones\[1\] is made from vpc\.status\.zone, which has no value yet"
    for helper in (resource.update, resource.update_status):
        with pytest.raises(UnresolvedError, match=wanted if helper is resource.update else r"^status\.spec\.f"):
            helper(r, source)
    with pytest.raises(UnresolvedError, match=wanted):
        resource.dict_to_struct(source)
    assert stable(r) == b""


def test_unresolved_keys() -> None:
    """A key that doesn't exist yet is refused too, and every place is named."""
    with pytest.raises(UnresolvedError) as caught:
        resource.update(fnv1.Resource(), {"data": {Observable("a.b"): 1, "c": Observable("d.e")}})
    assert "data.c is made from d.e; data" in str(caught.value)
    assert "is made from a.b, which has no value yet" in str(caught.value)


def test_unresolved_texts() -> None:
    """Text made from a value that doesn't exist yet is found, in models and mappings, and in parts of a name."""
    messages: list[str] = []

    @composition.function
    def compose(ctx: composition.Context) -> None:
        vpc = ctx.resource("vpc", Unstructured("v1", "VPC"))
        text = f"arn:{vpc.observed.status.id}"
        r = fnv1.Resource()
        for attempt in (
            lambda: resource.update(r, {"spec": {"a": [text]}}),
            lambda: resource.update(r, Bucket(spec=BucketSpec(forProvider=ForProvider(location=text)))),
            lambda: resource.child_name("x", text),
        ):
            with pytest.raises(UnresolvedError) as caught:
                attempt()
            messages.append(str(caught.value))
        resource.update(r, {"spec": {"a": "arn:known"}})
        assert resource.child_name("x") == "x-2d711"

    assert not fnv1.RunFunctionResponse.FromString(compose.run(b"")).results
    assert messages[0].startswith("spec.a[0] is made from vpc.status.id,")
    assert messages[1].startswith("spec.forProvider.location is made from vpc.status.id,")
    assert messages[2].startswith("child_name(): a part is made from vpc.status.id,")


def test_observed_state_is_not_set() -> None:
    """A whole observed resource or status is refused, whatever it comes from; a part of it is copied."""
    req = fnv1.RunFunctionRequest()
    req.observed.resources["b"].resource.update(
        {
            "apiVersion": "storage.gcp.upbound.io/v1beta1",
            "kind": "Bucket",
            "status": {"atProvider": {"id": "1", "newer": 2}},
        }
    )
    bucket = request.get_observed_composed_resource(req, "b", Bucket)
    assert bucket is not None
    r = fnv1.Resource()
    with pytest.raises(
        UsageError, match="b is observed state, and setting it would make this function own every field of it"
    ):
        resource.update(r, bucket)
    with pytest.raises(UsageError, match=r"status: b\.status can't be copied whole"):
        resource.update_status(r, bucket.status)
    assert stable(r) == b""
    resource.update_status(r, {"copy": bucket.status.atProvider})
    assert plain(r) == {"status": {"copy": {"id": "1", "newer": 2}}}


# Names.

PARTS = st.lists(st.text(st.sampled_from("ab-."), max_size=40), max_size=4)


@EXAMPLES
@given(PARTS, st.sampled_from(["-", ".", "", "--", "-.-"]))
def test_names_like_the_official_sdk(parts: list[str], sep: str) -> None:
    """A name is the official SDK's wherever that one fits into 63 characters, and fits always."""
    wanted = official("resource").child_name(*parts, sep=sep)
    got = resource.child_name(*parts, sep=sep)
    assert len(got) <= 63
    assert got == wanted or len(wanted) > 63


def test_names() -> None:
    """Names depend on nothing but their parts, and cut names stay apart."""
    assert resource.child_name("my-xr", "bucket") == "my-xr-bucket-05ecb"
    long = [resource.child_name("x" * 80, str(number)) for number in range(100)]
    assert len(set(long)) == 100 and {len(name) for name in long} == {63}
    with pytest.raises(UnresolvedError, match="a part is made from vpc.status.id, which has no value yet"):
        resource.child_name("x", Observable("vpc.status.id"))  # type: ignore[arg-type]


# Readiness and connection details.


def test_readiness(messages: Any) -> None:
    """Readiness is set and read as True, False and None, and what is no such value is refused."""
    r = messages.Resource()
    assert resource.get_ready(r) is None
    for ready, number in ((True, messages.READY_TRUE), (False, messages.READY_FALSE), (None, 0)):
        resource.set_ready(r, ready)
        assert r.ready == number
        assert resource.get_ready(r) is ready
    assert resource.get_ready(None) is None
    with pytest.raises(UsageError, match="'ready' must be True, False or None"):
        resource.set_ready(r, "True")  # type: ignore[arg-type]


def test_connection_details(messages: Any) -> None:
    """Details are bytes; text is encoded, others stay, and a value that is neither sets nothing."""
    r = messages.Resource()
    assert resource.get_connection_details(r) == resource.get_connection_details(None) == {}
    resource.update_connection_details(r, {"user": "ädmin", "key": b"\xff"})
    resource.update_connection_details(r, {"user": "root"})
    assert resource.get_connection_details(r) == {"user": b"root", "key": b"\xff"}
    with pytest.raises(UsageError, match="connection detail 'port' must be a string or bytes") as caught:
        resource.update_connection_details(r, {"user": "other", "port": 5})  # type: ignore[dict-item]
    assert "5" not in str(caught.value)
    assert resource.get_connection_details(r)["user"] == b"root"


def test_no_call_is_left_behind() -> None:
    """The helpers need no call and enter none."""
    resource.update(fnv1.Resource(), XStorageBucket())
    assert tracker.current() is None

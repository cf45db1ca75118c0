"""The messages at work: view, real messages and the official SDK's, on each other's bytes."""

from __future__ import annotations

import copy
import datetime
import pickle
import subprocess
import sys
from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2

from crossplane_lite.proto import _view
from crossplane_lite.proto.v1 import run_function_pb2 as v1
from crossplane_lite.proto.v1beta1 import run_function_pb2 as v1beta1

OFFICIAL_MODULE = "crossplane.function.proto.v1.run_function_pb2"

UNKNOWN = b"\xa2\x06\x05extra"  # field 100, bytes


def request() -> Any:
    """Return a request that has everything."""
    message = v1.RunFunctionRequest()
    message.meta.tag = "tag"
    message.meta.capabilities.extend([v1.CAPABILITY_CAPABILITIES, v1.CAPABILITY_REQUIRED_SCHEMAS])
    message.observed.composite.resource.update({"kind": "XR", "spec": {"n": 1}})
    message.observed.composite.connection_details["user"] = b"\x00\xff"
    message.desired.resources["a"].resource.update({"list": [1, None, {"x": True}]})
    message.desired.resources["a"].ready = v1.READY_FALSE
    message.input.update({"in": "put"})
    message.context.SetInParent()
    message.extra_resources["old"].items.add().resource.update({"x": 1})
    message.required_resources["none"].SetInParent()
    message.credentials["c"].credential_data.data["password"] = b"secret"
    message.required_schemas["s"].openapi_v3.update({"type": "object"})
    return message


def response() -> Any:
    """Return a response that has everything."""
    message = v1.RunFunctionResponse()
    message.meta.ttl.FromTimedelta(datetime.timedelta(seconds=61, microseconds=5))
    message.results.add(severity=v1.SEVERITY_WARNING, message="m", reason="r", target=v1.TARGET_COMPOSITE)
    message.results.add(severity=v1.SEVERITY_FATAL, reason="")
    message.conditions.add(type="T", status=v1.STATUS_CONDITION_TRUE, reason="R", message="")
    message.output.update({"out": [1.5]})
    selector = message.requirements.resources["by-label"]
    selector.match_labels.labels["a"] = "b"
    selector.namespace = ""
    message.requirements.resources["by-name"].match_name = ""
    message.requirements.extra_resources["old"].kind = "K"
    message.requirements.schemas["s"].api_version = "v1"
    return message


@pytest.mark.parametrize("make", [request, response])
def test_the_view_passes_everything_on(make: Any) -> None:
    """What goes through the view is the same message on the other side, presence and empty Structs included."""
    message = make()
    view = getattr(_view, type(message).__name__).FromString(message.SerializeToString())
    assert type(message).FromString(view.SerializeToString()) == message
    assert getattr(v1beta1, type(message).__name__).FromString(view.SerializeToString()).SerializeToString(
        deterministic=True
    ) == message.SerializeToString(deterministic=True)


def test_the_view_leaves_structs_undecoded() -> None:
    """A Struct field of the view is the bytes of that Struct."""
    message = request()
    view = _view.RunFunctionRequest.FromString(message.SerializeToString())
    assert struct_pb2.Struct.FromString(view.input) == struct_pb2.Struct.FromString(message.input.SerializeToString())
    assert view.desired.resources["a"].ready == _view.READY_FALSE
    assert view.credentials["c"].credential_data.data["password"] == b"secret"
    assert list(view.meta.capabilities) == [_view.CAPABILITY_CAPABILITIES, _view.CAPABILITY_REQUIRED_SCHEMAS]
    assert "none" in view.required_resources
    view.meta.tag = "changed"
    changed = v1.RunFunctionRequest.FromString(view.SerializeToString())
    message.meta.tag = "changed"
    assert changed == message


def test_an_empty_struct_survives_the_view() -> None:
    """There is a difference between an empty Struct and none, and the view keeps it."""
    message = v1.RunFunctionResponse()
    message.context.SetInParent()
    message.desired.composite.resource.SetInParent()
    message.desired.resources["a"].resource.SetInParent()
    view = _view.RunFunctionResponse.FromString(message.SerializeToString())
    assert view.HasField("context") and not view.HasField("output")
    again = v1.RunFunctionResponse.FromString(view.SerializeToString())
    assert again == message
    assert again.HasField("context") and not again.HasField("output")
    assert again.desired.composite.HasField("resource")
    view = _view.RunFunctionResponse()
    view.output = b""
    assert v1.RunFunctionResponse.FromString(view.SerializeToString()).HasField("output")


def test_unknown_fields_survive_the_view() -> None:
    """A field that a later protocol adds, at any place of the envelope, is passed on."""
    composite = b"\x12\x02\x0a\x00" + UNKNOWN
    raw = b"\x12" + bytes((len(composite),)) + composite + UNKNOWN
    view = _view.RunFunctionRequest.FromString(raw)
    view.meta.tag = "t"
    out = view.SerializeToString()
    assert out.count(UNKNOWN) == 2
    assert v1.RunFunctionRequest.FromString(out).SerializeToString().count(UNKNOWN) == 2
    taken = _view.RunFunctionResponse()
    taken.desired.MergeFromString(view.observed.SerializeToString())
    assert taken.SerializeToString().count(UNKNOWN) == 1


def test_unknown_enum_numbers_survive_the_view() -> None:
    """A capability that we don't know is passed on as its number."""
    raw = b"\x0a\x03\x12\x01\x63"
    view = _view.RunFunctionRequest.FromString(raw)
    assert list(view.meta.capabilities) == [99]
    assert view.SerializeToString() == raw


def test_any_depth_goes_through_the_view() -> None:
    """A resource that is nested deeper than protobuf takes is only bytes to the view."""
    raw = b""
    for _ in range(60):
        value = b"\x2a" + varint(len(raw)) + raw
        pair = b"\x0a\x01d\x12" + varint(len(value)) + value
        raw = b"\x0a" + varint(len(pair)) + pair
    view = _view.RunFunctionRequest()
    view.observed.composite.resource = raw
    data = view.SerializeToString()
    with pytest.raises(Exception, match="pars"):
        v1.RunFunctionRequest.FromString(data)
    assert _view.RunFunctionRequest.FromString(data).observed.composite.resource == raw


def varint(number: int) -> bytes:
    """Encode a length."""
    return bytes((number,)) if number < 128 else bytes((number & 127 | 128,)) + varint(number >> 7)


@pytest.mark.parametrize("module", [v1, v1beta1], ids=["v1", "v1beta1"])
def test_real_structs_are_at_home(module: Any) -> None:
    """Struct and Duration have the helpers of protobuf's own, though they are from another pool."""
    message = module.RunFunctionResponse()
    message.context.update({"a": [1, {"b": None}]})
    message.context.get_or_create_struct("c")["d"] = "e"
    message.context.get_or_create_list("l").extend([1, "x"])
    assert message.context["a"][0] == 1
    assert json_format.MessageToDict(message.context) == {"a": [1, {"b": None}], "c": {"d": "e"}, "l": [1, "x"]}
    message.meta.ttl.FromJsonString("90s")
    assert message.meta.ttl.ToTimedelta() == datetime.timedelta(seconds=90)
    parsed = json_format.ParseDict({"context": {"x": 1}, "meta": {"ttl": "5s"}}, module.RunFunctionResponse())
    assert parsed.context["x"] == 1
    assert parsed.meta.ttl.seconds == 5


def test_enums_have_names() -> None:
    """The enums are wrappers with Name and Value, their values are plain numbers of the module."""
    assert v1.Severity.Name(v1.SEVERITY_FATAL) == "SEVERITY_FATAL"
    assert v1.Ready.Value("READY_TRUE") == v1.READY_TRUE == v1.Ready.READY_TRUE == 1
    assert v1beta1.Status.keys()[0] == "STATUS_CONDITION_UNSPECIFIED"


@pytest.mark.parametrize("module", [v1, v1beta1], ids=["v1", "v1beta1"])
def test_messages_can_be_copied_and_pickled(module: Any) -> None:
    """The classes know the module that they are found in."""
    message = module.RunFunctionResponse()
    message.results.add(message="x")
    assert module.RunFunctionResponse.__module__ == module.__name__
    assert pickle.loads(pickle.dumps(message)) == message
    assert copy.deepcopy(message) == message


def test_messages_convert_to_the_official_sdk_through_their_bytes() -> None:
    """As the package's documentation says, in both directions, Structs included."""
    official: Any = pytest.importorskip(
        "crossplane.function.proto.v1.run_function_pb2", reason="needs the official SDK"
    )
    mine = request()
    theirs = official.RunFunctionRequest.FromString(mine.SerializeToString())
    assert v1.RunFunctionRequest.FromString(theirs.SerializeToString()) == mine
    assert json_format.MessageToDict(theirs) == json_format.MessageToDict(mine)
    struct = struct_pb2.Struct()
    struct.update({"x": 1})
    mine.input.MergeFromString(struct.SerializeToString())
    assert struct_pb2.Struct.FromString(mine.input.SerializeToString())["x"] == 1


OFFICIAL = """
from crossplane.function.proto.v1 import run_function_pb2 as official_v1
from crossplane.function.proto.v1beta1 import run_function_pb2 as official_v1beta1
"""
OURS = """
from crossplane_lite.proto.v1 import run_function_pb2 as our_v1
from crossplane_lite.proto.v1beta1 import run_function_pb2 as our_v1beta1
from crossplane_lite.proto import _view
"""
EXCHANGE = """
for ours, theirs in ((our_v1, official_v1), (our_v1beta1, official_v1beta1)):
    message = theirs.RunFunctionRequest()
    message.input.update({"a": 1})
    mine = ours.RunFunctionRequest.FromString(message.SerializeToString())
    assert mine.input["a"] == 1
    assert theirs.RunFunctionRequest.FromString(mine.SerializeToString()) == message
    assert ours.RunFunctionRequest.DESCRIPTOR is not theirs.RunFunctionRequest.DESCRIPTOR
print("fine")
"""


def python(code: str) -> str:
    """Run code in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", ["ours", "official"])
def test_the_official_sdk_can_be_imported_as_well(first: str) -> None:
    """Both SDKs live in one process, whichever is imported first."""
    pytest.importorskip(OFFICIAL_MODULE, reason="needs the official SDK")
    assert python((OURS + OFFICIAL if first == "ours" else OFFICIAL + OURS) + EXCHANGE) == "fine"


def test_the_view_loads_no_more_than_it_needs() -> None:
    """What every function imports loads neither the table nor protobuf's own Struct and descriptors."""
    code = "import sys; import crossplane_lite.proto._view, crossplane_lite._core.codec; print(*sorted(sys.modules))"
    loaded = set(python(code).split())
    for module in (
        "crossplane_lite.proto._build",
        "google.protobuf.struct_pb2",
        "google.protobuf.descriptor_pb2",
        "google.protobuf.json_format",
        "json",
    ):
        assert module not in loaded

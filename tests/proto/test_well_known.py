"""`Struct` and `Duration` of this package's messages, for code that builds messages by hand."""

from __future__ import annotations

import datetime

from google.protobuf import json_format

from crossplane_lite.proto import duration_pb2, struct_pb2
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from crossplane_lite.proto.v1beta1 import run_function_pb2 as fnv1beta1


def test_duration() -> None:
    """A Duration can be given to messages of both versions, and has the usual methods."""
    ttl = duration_pb2.Duration(seconds=60)
    assert ttl.ToTimedelta() == datetime.timedelta(minutes=1)
    for messages in (fnv1, fnv1beta1):
        assert messages.ResponseMeta(ttl=ttl).ttl.seconds == 60
        assert type(messages.ResponseMeta().ttl) is duration_pb2.Duration


def test_struct() -> None:
    """A Struct can be given to messages of both versions, and is used like a dict."""
    struct = struct_pb2.Struct()
    struct.update({"a": [1, {"b": None}], "c": "d"})
    assert struct["c"] == "d"
    for messages in (fnv1, fnv1beta1):
        request = messages.RunFunctionRequest(input=struct)
        assert json_format.MessageToDict(request) == {"input": {"a": [1, {"b": None}], "c": "d"}}
        assert type(request.context) is struct_pb2.Struct


def test_null() -> None:
    """Null can be said by its value, as in code for google.protobuf."""
    value = struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
    assert value.WhichOneof("kind") == "null_value"
    assert struct_pb2.NullValue.Name(struct_pb2.NULL_VALUE) == "NULL_VALUE"
    assert type(value.list_value) is struct_pb2.ListValue

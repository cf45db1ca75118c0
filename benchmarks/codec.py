"""Rows of the codec and of model classes, all in this process."""

from __future__ import annotations

import itertools
from typing import Any

import attr
from google.protobuf import json_format, struct_pb2

from benchmarks import data, models
from benchmarks.measuring import Reach, Row, Samples, per_call
from crossplane_lite._core import codec
from crossplane_lite.table import load

__all__ = ["ROWS"]


def _sample() -> tuple[dict[str, Any], struct_pb2.Struct, bytes]:
    plain = data.observed_bucket(1)
    assert data.nodes(plain) == 185
    message = struct_pb2.Struct()
    message.update(plain)
    return plain, message, message.SerializeToString()


def _to_dict() -> Samples:
    plain, message, raw = _sample()
    assert json_format.MessageToDict(message) == plain == codec.decode_struct(raw)
    return per_call(
        {
            "official": lambda: json_format.MessageToDict(
                message, preserving_proto_field_name=True
            ),
            "ours": lambda: codec.decode_struct(raw),
        }
    )


def _to_bytes() -> Samples:
    plain, _, _ = _sample()

    def update() -> bytes:
        message = struct_pb2.Struct()
        message.update(plain)
        return message.SerializeToString()

    def parse_dict() -> bytes:
        return json_format.ParseDict(plain, struct_pb2.Struct()).SerializeToString()

    def ours() -> bytes:
        return codec.encode_struct(plain)

    for encode in (update, parse_dict, ours):
        assert json_format.MessageToDict(struct_pb2.Struct.FromString(encode())) == plain
    return per_call({"ParseDict": parse_dict, "Struct.update": update, "ours": ours})


def _read_one() -> Samples:
    plain, message, raw = _sample()

    def official() -> Any:
        return json_format.MessageToDict(message, preserving_proto_field_name=True)["status"][
            "atProvider"
        ]["url"]

    def ours() -> Any:
        return codec.get_path(raw, ("status", "atProvider", "url"))

    assert official() == ours() == plain["status"]["atProvider"]["url"]
    return per_call(
        {"official": official, "Struct.__getitem__": lambda: _indexed(message), "ours": ours}
    )


def _indexed(message: struct_pb2.Struct) -> Any:
    return message["status"]["atProvider"]["url"]


def _set_one() -> Samples:
    plain, _, base = _sample()
    bucket = models.lite("bucket")
    model = bucket.Bucket(spec=bucket.BucketSpec(forProvider=bucket.ForProvider(location="US")))

    def official() -> bytes:
        changed = json_format.MessageToDict(
            struct_pb2.Struct.FromString(base), preserving_proto_field_name=True
        )
        changed["spec"]["forProvider"]["location"] = "US"
        message = struct_pb2.Struct()
        message.update(changed)
        return message.SerializeToString()

    def ours() -> bytes:
        return codec.encode_over(model, base, strict=True)

    plain["spec"]["forProvider"] = {**plain["spec"]["forProvider"], "location": "US"}
    for change in (official, ours):
        assert json_format.MessageToDict(struct_pb2.Struct.FromString(change())) == plain
    return per_call({"official": official, "ours": ours})


_FIELDS = [f"field{at}" for at in range(14)]


def _class() -> Samples:
    """The first use of a class: it is made, and an instance of it."""
    text = " ".join(
        f"{name}:{kind}"
        for name, kind in zip(_FIELDS, itertools.cycle(("s", "i", "b", "[s", "{s")))
    )

    def official() -> Any:
        namespace = {
            "__annotations__": dict.fromkeys(_FIELDS, "str | None"),
            **dict.fromkeys(_FIELDS),
        }
        return attr.define(type("ForProvider", (), namespace))

    def ours() -> Any:
        return load("benchmark_models", {"ForProvider": text})[0]("ForProvider")

    for make in (official, ours):
        cls = make()
        assert [field.name for field in attr.fields(cls)] == _FIELDS
        assert cls(field0="x").field0 == "x"
    return per_call({"attrs.define": official, "ours": ours}, rounds=61)


ROWS = (
    Row("Struct to dict, 185 nodes", ("official", "ours"), _to_dict, (Reach("official", 0.42),)),
    Row(
        "dict to Struct bytes, 185 nodes",
        ("ParseDict", "Struct.update", "ours"),
        _to_bytes,
        (Reach("ParseDict", 1 / 5),),
    ),
    Row(
        "read one field three levels down",
        ("official", "Struct.__getitem__", "ours"),
        _read_one,
        (Reach("official", 1 / 35),),
    ),
    Row(
        "set one field over an inherited resource",
        ("official", "ours"),
        _set_one,
        (Reach("official", 1 / 25),),
    ),
    Row(
        "first use of a model class, 14 fields",
        ("attrs.define", "ours"),
        _class,
        (Reach("attrs.define", 0.5),),
    ),
)

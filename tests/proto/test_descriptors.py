"""Our messages are the official SDK's, field by field."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, duration_pb2, struct_pb2

from crossplane_lite import proto
from crossplane_lite.proto import _build, _pool, _serialised, _view
from crossplane_lite.proto.v1 import run_function_pb2 as v1
from crossplane_lite.proto.v1beta1 import run_function_pb2 as v1beta1

VERSIONS = {"v1": v1, "v1beta1": v1beta1}


def official(version: str) -> Any:
    """Return the official SDK's module."""
    return pytest.importorskip(
        f"crossplane.function.proto.{version}.run_function_pb2",
        reason="needs the official SDK, which wants Python 3.11",
    )


def described(file: Any) -> descriptor_pb2.FileDescriptorProto:
    """Return what a file declares, without what says nothing about the wire."""
    found = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(found)
    found.ClearField("options")
    for service in found.service:
        for method in service.method:
            method.ClearField("options")
    # Which files keep the JSON names of fields is up to what compiled them; they follow from the names.
    for message in found.message_type:
        for field in (*message.field, *(field for nested in message.nested_type for field in nested.field)):
            field.ClearField("json_name")
    # The order of declarations means nothing, the order of fields in a message is kept.
    for declarations in (found.message_type, found.enum_type):
        declarations.sort(key=lambda declaration: declaration.name)
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_everything_is_declared_as_the_official_sdk_declares_it(version: str) -> None:
    """Names, numbers, types, labels, presence, oneofs, map entries, enums, deprecation and the service are the same."""
    assert described(VERSIONS[version].DESCRIPTOR) == described(official(version).DESCRIPTOR)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_modules_have_the_same_public_names(version: str) -> None:
    """Every public name of the official module is here, of the same kind and, for numbers, the same value."""
    theirs, ours = official(version), VERSIONS[version]
    for name in dir(theirs):
        if name.startswith("_") or name.startswith("google_dot_"):
            continue
        value = getattr(theirs, name)
        assert type(getattr(ours, name)).__name__ == type(value).__name__, name
        if isinstance(value, int):
            assert getattr(ours, name) == value


def test_both_versions_are_one_protocol() -> None:
    """v1 and v1beta1 differ in their names only."""
    files = []
    for version, module in VERSIONS.items():
        text = str(described(module.DESCRIPTOR))
        files.append(
            text.replace(f".{version}.", ".vX.").replace(f"/{version}/", "/vX/").replace(f'.{version}"', '.vX"')
        )
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(_build.struct_file, struct_pb2), (_build.duration_file, duration_pb2)],
    ids=["struct", "duration"],
)
def test_the_copies_of_google_types_are_faithful(ours: Any, theirs: Any) -> None:
    """The private pool's Struct and Duration are declared as protobuf's own."""
    pool = importlib.import_module("google.protobuf.descriptor_pool").DescriptorPool()
    pool.AddSerializedFile(ours())
    assert described(pool.FindFileByName(theirs.DESCRIPTOR.name)) == described(theirs.DESCRIPTOR)


def serialised_source() -> str:
    """Return the assignments that the modules `_pool` and `_serialised` must have."""
    text = ""
    for name, data in (("LEVEL", _build.level_file()), ("VIEW", _build.view_file())):
        rows = [b""]
        for number in data.replace(_serialised.PREFIX, b"~"):
            longer = rows[-1] + bytes((number,))
            rows[-1:] = [longer] if len(repr(longer)) <= 96 else [rows[-1], longer[-1:]]
        text += f"{name}: Final = (\n" + "".join(f"    {row!r}\n" for row in rows) + ').replace(b"~", PREFIX)\n\n'
    return text


def test_the_kept_descriptors_are_what_the_table_builds() -> None:
    """The view is loaded from bytes that were built beforehand; they are those that the table gives today."""
    assert (_serialised.VIEW, _pool.LEVEL) == (_build.view_file(), _build.level_file()), serialised_source()


@pytest.mark.parametrize("name", _build.MESSAGES)
def test_the_view_has_the_same_wire(name: str) -> None:
    """A message of the view differs from the real one only where a Struct is left as bytes, with presence."""
    view = _pool.message_class(f"crossplane_lite.view.{name}").DESCRIPTOR
    real = getattr(v1, name).DESCRIPTOR
    assert [field.name for field in view.fields] == [field.name for field in real.fields]
    for ours, theirs in zip(view.fields, real.fields, strict=True):
        assert ours.number == theirs.number
        assert ours.has_presence == theirs.has_presence
        if theirs.message_type is not None and theirs.message_type.full_name == "google.protobuf.Struct":
            assert ours.type == ours.TYPE_BYTES
            assert ours.has_presence
        else:
            assert ours.type == theirs.type
            assert (ours.containing_oneof is None) == (theirs.containing_oneof is None)


def test_enum_numbers_are_those_of_the_table() -> None:
    """The view's plain numbers, which are written out, are those of the enums."""
    expected = {}
    for values in _build.ENUMS.values():
        expected.update({name: number for number, name in enumerate(values.split())})
    found = {name: value for name, value in vars(_view).items() if isinstance(value, int)}
    assert found == expected
    assert expected.items() <= vars(v1).items()


def test_the_service_has_its_name() -> None:
    """The names that a server registers are those of the descriptors."""
    for full_name, module in ((proto.V1_SERVICE, v1), (proto.V1BETA1_SERVICE, v1beta1)):
        (service,) = module.DESCRIPTOR.services_by_name.values()
        (method,) = service.methods
        assert (service.full_name, method.name) == (full_name, proto.METHOD)
        assert method.input_type.full_name == module.RunFunctionRequest.DESCRIPTOR.full_name
        assert method.output_type.full_name == module.RunFunctionResponse.DESCRIPTOR.full_name


def test_level_messages_split_a_struct() -> None:
    """The private messages read Struct and ListValue with their values left as bytes."""
    struct = struct_pb2.Struct()
    struct.update({"a": {"b": 1}, "l": [1, {"x": None}], "s": "text"})
    level = _pool.Level.FromString(struct.SerializeToString())
    assert set(level.fields) == {"a", "l", "s"}
    assert dict(level.fields) == {name: struct.fields[name].SerializeToString() for name in ("a", "l", "s")}
    items = _pool.ListLevel.FromString(struct["l"].SerializeToString())
    assert list(items.values) == [item.SerializeToString() for item in struct["l"].values]

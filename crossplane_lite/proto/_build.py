"""The function protocol as a table, descriptors made from it, and the messages for users, with
Structs as messages.

In the table, a message is a string of fields `name=number:type`, separated by spaces. The type is a
scalar, a message or an enum of the same package, or `Struct` or `Duration` of google.protobuf.
Before a type, `[` means a repeated field, and `{` a map with string keys. After a type, `?` means
explicit presence, and `!` means deprecated. A field in a oneof has the name `oneof/name`. An enum
is a string of its values, numbered from 0. The packages v1 and v1beta1 have the same messages and
field numbers, so a message has the same bytes in both packages.

Descriptors are serialised FileDescriptorProtos. Their bytes are written directly: importing
descriptor_pb2 would take longer than importing all of this package. The field numbers in this
module are from google/protobuf/descriptor.proto. Users' messages are made when a `_pb2` module is
imported: `run_function_pb2`, `struct_pb2` or `duration_pb2`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from . import _pool

MESSAGES: Final = {
    "RunFunctionRequest": (
        "meta=1:RequestMeta observed=2:State desired=3:State input=4:Struct? context=5:Struct?"
        " extra_resources=6:{Resources! credentials=7:{Credentials required_resources=8:{Resources"
        " required_schemas=9:{Schema"
    ),
    "Credentials": "source/credential_data=1:CredentialData",
    "CredentialData": "data=1:{bytes",
    "Resources": "items=1:[Resource",
    "RunFunctionResponse": (
        "meta=1:ResponseMeta desired=2:State results=3:[Result context=4:Struct?"
        " requirements=5:Requirements conditions=6:[Condition output=7:Struct?"
    ),
    "RequestMeta": "tag=1:string capabilities=2:[Capability",
    "Requirements": (
        "extra_resources=1:{ResourceSelector! resources=2:{ResourceSelector"
        " schemas=3:{SchemaSelector"
    ),
    "ResourceSelector": (
        "api_version=1:string kind=2:string match/match_name=3:string"
        " match/match_labels=4:MatchLabels namespace=5:string?"
    ),
    "MatchLabels": "labels=1:{string",
    "SchemaSelector": "api_version=1:string kind=2:string",
    "Schema": "openapi_v3=1:Struct?",
    "ResponseMeta": "tag=1:string ttl=2:Duration?",
    "State": "composite=1:Resource resources=2:{Resource",
    "Resource": "resource=1:Struct connection_details=2:{bytes ready=3:Ready",
    "Result": "severity=1:Severity message=2:string reason=3:string? target=4:Target?",
    "Condition": "type=1:string status=2:Status reason=3:string message=4:string? target=5:Target?",
}
"""The messages of `apiextensions.fn.proto.v1`."""

ENUMS: Final = {
    "Capability": (
        "CAPABILITY_UNSPECIFIED CAPABILITY_CAPABILITIES CAPABILITY_REQUIRED_RESOURCES"
        " CAPABILITY_CREDENTIALS CAPABILITY_CONDITIONS CAPABILITY_REQUIRED_SCHEMAS"
    ),
    "Ready": "READY_UNSPECIFIED READY_TRUE READY_FALSE",
    "Severity": "SEVERITY_UNSPECIFIED SEVERITY_FATAL SEVERITY_WARNING SEVERITY_NORMAL",
    "Target": "TARGET_UNSPECIFIED TARGET_COMPOSITE TARGET_COMPOSITE_AND_CLAIM",
    "Status": (
        "STATUS_CONDITION_UNSPECIFIED STATUS_CONDITION_UNKNOWN STATUS_CONDITION_TRUE"
        " STATUS_CONDITION_FALSE"
    ),
}
"""The enums of `apiextensions.fn.proto.v1`."""

STRUCT_MESSAGES: Final = {
    "Struct": "fields=1:{Value",
    "Value": (
        "kind/null_value=1:NullValue kind/number_value=2:double kind/string_value=3:string"
        " kind/bool_value=4:bool kind/struct_value=5:Struct kind/list_value=6:ListValue"
    ),
    "ListValue": "values=1:[Value",
}
"""The messages of google/protobuf/struct.proto, for the copy in the private pool."""

STRUCT_ENUMS: Final = {"NullValue": "NULL_VALUE"}

DURATION_MESSAGES: Final = {"Duration": "seconds=1:int64 nanos=2:int32"}
"""The message of google/protobuf/duration.proto, for the copy in the private pool and for the
view.
"""

LEVEL_MESSAGES: Final = {
    "Level": "fields=1:{bytes",
    "ListLevel": "values=1:[bytes",
}
"""Struct and ListValue with bytes in place of nested messages, so that protobuf parses one level
only.
"""

_VIEW: Final = "crossplane_lite.view"

_SCALARS: Final = {"double": 1, "int64": 3, "int32": 5, "bool": 8, "string": 9, "bytes": 12}
_MESSAGE: Final = 11
_ENUM: Final = 14
_OPTIONAL: Final = 1
_REPEATED: Final = 3
_GOOGLE: Final = {"Struct": ".google.protobuf.Struct", "Duration": ".google.protobuf.Duration"}


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _int(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())


def _entry_name(field: str) -> str:
    """Return the name of the message that protoc makes for the entries of a map: `ResourcesEntry`
    for `resources`.
    """
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"


class _File:
    """Builds the messages of one file.

    Args:
        package: The protobuf package of the file.
        enums: The file's enums, by name. They tell enums from messages in the types of fields.
    """

    def __init__(self, package: str, enums: Mapping[str, str]) -> None:
        self._package = package
        self._enums = enums

    def _type(self, name: str) -> bytes:
        """Return the encoded fields `type` and `type_name` of a FieldDescriptorProto, for a type
        without its marks.
        """
        if name in _SCALARS:
            return _int(5, _SCALARS[name])
        full = f".{self._package}.{name}"
        if name in self._enums:
            return _int(5, _ENUM) + _text(6, full)
        if self._package not in (_VIEW, "google.protobuf"):
            full = _GOOGLE.get(name, full)
        return _int(5, _MESSAGE) + _text(6, full)

    def _field(
        self, name: str, number: int, type_: bytes, label: int = _OPTIONAL, rest: bytes = b""
    ) -> bytes:
        return _text(1, name) + _int(3, number) + _int(4, label) + type_ + rest

    def message(self, name: str, fields: str) -> bytes:
        """Return the serialised DescriptorProto of a message.

        Args:
            name: The message's name.
            fields: The fields, in the notation of `_table`.
        """
        parsed = list(_parse(fields))
        oneofs = list(dict.fromkeys(oneof for _, _, _, oneof in parsed if oneof))
        # protoc makes a oneof for each field with explicit presence, and lists these after the
        # message's own oneofs.
        oneofs += ["_" + field for field, _, type_, _ in parsed if "?" in type_]
        declared, entries = b"", b""
        for field, number, type_, oneof in parsed:
            bare = type_.strip("[{?!")
            rest = b""
            label = _OPTIONAL
            encoded = self._type(bare)
            if type_[0] == "{":
                entry = _entry_name(field)
                pair = self._field("key", 1, self._type("string")), self._field("value", 2, encoded)
                entries += _bytes(
                    3,
                    _text(1, entry)
                    + b"".join(_bytes(2, one) for one in pair)
                    + _bytes(7, _int(7, 1)),
                )
                encoded = _int(5, _MESSAGE) + _text(6, f".{self._package}.{name}.{entry}")
            if type_[0] in "[{":
                label = _REPEATED
            if type_[-1] == "!":
                rest = _bytes(8, _int(3, 1))
            elif type_[-1] == "?":
                rest = _int(9, oneofs.index("_" + field)) + _int(17, 1)
            elif oneof:
                rest = _int(9, oneofs.index(oneof))
            declared += _bytes(2, self._field(field, number, encoded, label, rest))
        return (
            _text(1, name)
            + declared
            + entries
            + b"".join(_bytes(8, _text(1, oneof)) for oneof in oneofs)
        )


def _parse(fields: str) -> Iterator[tuple[str, int, str, str]]:
    """Yield each field's name, number, type with its marks such as `[` or `?`, and oneof (empty if
    it is in none).
    """
    for field in fields.split():
        left, type_ = field.split(":")
        name, number = left.split("=")
        oneof, _, name = name.rpartition("/")
        yield name, int(number), type_, oneof


def _enum(name: str, values: str) -> bytes:
    numbered = (
        _bytes(2, _text(1, value) + _int(2, number)) for number, value in enumerate(values.split())
    )
    return _text(1, name) + b"".join(numbered)


def file_of(
    name: str,
    package: str,
    messages: Mapping[str, str],
    enums: Mapping[str, str],
    dependencies: tuple[str, ...] = (),
    rest: bytes = b"",
) -> bytes:
    """Return a protobuf file as a serialised FileDescriptorProto.

    Args:
        name: The file's name.
        package: The protobuf package.
        messages: The messages, in the notation of this module.
        enums: The enums, in the same notation.
        dependencies: The names of the files that it imports.
        rest: Serialised fields to append, such as those of services.
    """
    made = _File(package, enums)
    return (
        _text(1, name)
        + _text(2, package)
        + b"".join(_text(3, dependency) for dependency in dependencies)
        + b"".join(_bytes(4, made.message(*item)) for item in messages.items())
        + b"".join(_bytes(5, _enum(*item)) for item in enums.items())
        + rest
        + _text(12, "proto3")
    )


def struct_file() -> bytes:
    """Return google/protobuf/struct.proto as a serialised FileDescriptorProto."""
    return file_of("google/protobuf/struct.proto", "google.protobuf", STRUCT_MESSAGES, STRUCT_ENUMS)


def duration_file() -> bytes:
    """Return google/protobuf/duration.proto as a serialised FileDescriptorProto."""
    return file_of("google/protobuf/duration.proto", "google.protobuf", DURATION_MESSAGES, {})


def protocol_name(version: str) -> str:
    """Return the file name in the protocol's FileDescriptorProto for `version`, which is `v1` or
    `v1beta1`.
    """
    return f"crossplane/function/proto/{version}/run_function.proto"


def protocol_file(version: str) -> bytes:
    """Return run_function.proto as a serialised FileDescriptorProto. Its Structs are messages,
    unlike in the view.

    Args:
        version: `v1` or `v1beta1`.
    """
    package = f"apiextensions.fn.proto.{version}"
    method = _text(1, "RunFunction") + _text(2, f".{package}.RunFunctionRequest")
    method += _text(3, f".{package}.RunFunctionResponse")
    return file_of(
        protocol_name(version),
        package,
        MESSAGES,
        ENUMS,
        ("google/protobuf/duration.proto", "google/protobuf/struct.proto"),
        _bytes(6, _text(1, "FunctionRunnerService") + _bytes(2, method)),
    )


def view_file() -> bytes:
    """Return the view as a serialised FileDescriptorProto: the protocol's messages, with bytes in
    place of each Struct.

    These fields of bytes have explicit presence, because an empty Struct would get lost otherwise.
    The view has its own copy of Duration, so that the file depends on no other file.
    """
    messages = {name: fields.replace("Struct?", "bytes?") for name, fields in MESSAGES.items()}
    messages = {name: fields.replace(":Struct", ":bytes?") for name, fields in messages.items()}
    return file_of("crossplane_lite/view.proto", _VIEW, {**messages, **DURATION_MESSAGES}, ENUMS)


def level_file() -> bytes:
    """Return the messages with which protobuf parses one level of a Struct, as a serialised
    FileDescriptorProto.
    """
    return file_of("crossplane_lite/level.proto", _VIEW, LEVEL_MESSAGES, {})


_lock: Final = threading.Lock()
_shared: list[bool] = []


def _add_google_types() -> None:
    """Add our copies of google.protobuf's Struct and Duration to the pool, if they aren't there
    yet.
    """
    with _lock:
        if not _shared:
            _pool.add_file(struct_file())
            _pool.add_file(duration_file())
            _shared.append(True)


def google_message(name: str) -> Any:
    """Return the class of our copy of a google.protobuf message: `Struct`, `Value`, `ListValue` or
    `Duration`.
    """
    _add_google_types()
    return _pool.message_class(f"google.protobuf.{name}")


def null_value() -> Any:
    """Return the wrapper of our copy of google.protobuf's enum `NullValue`, such as generated
    modules have.
    """
    return EnumTypeWrapper(
        google_message("Value").DESCRIPTOR.fields_by_name["null_value"].enum_type
    )


def names(module: str, version: str) -> dict[str, Any]:
    """Return the contents of a module `run_function_pb2` by name: DESCRIPTOR, message classes,
    enums, enum values.

    Call this once for each version, because it adds the version's file to the pool.

    Args:
        module: The module's full name, for `__module__` of the message classes.
        version: `v1` or `v1beta1`.
    """
    _add_google_types()
    _pool.add_file(protocol_file(version))
    file = _pool.file_descriptor(protocol_name(version))
    found: dict[str, Any] = {"DESCRIPTOR": file}
    for name, descriptor in file.message_types_by_name.items():
        found[name] = _pool.message_class(descriptor.full_name)
        found[name].__module__ = module
    for name, enum in file.enum_types_by_name.items():
        found[name] = EnumTypeWrapper(enum)
        found.update((value.name, value.number) for value in enum.values)
    return found

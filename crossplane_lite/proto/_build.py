"""Builds serialised FileDescriptorProtos from the table of the protocol in `_table`.

The bytes are written directly: importing descriptor_pb2 would take longer than importing all of this package. The
field numbers in this module are from google/protobuf/descriptor.proto.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from . import _table

__all__ = [
    "duration_file",
    "level_file",
    "protocol_file",
    "protocol_name",
    "serialised_source",
    "struct_file",
    "view_file",
]

_VIEW: Final = "crossplane_lite.view"

_SCALARS: Final = {"double": 1, "int64": 3, "int32": 5, "bool": 8, "string": 9, "bytes": 12}
_MESSAGE: Final = 11
_ENUM: Final = 14
_OPTIONAL: Final = 1
_REPEATED: Final = 3
_SERIALISED_HEAD: Final = '''"""Serialised descriptors of the messages for one level of a Struct, and of the view.

This file is the output of `_build.serialised_source`; a test compares the two. It is kept because loading the bytes is
faster than building them from the table at every start.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LEVEL", "VIEW"]
'''
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
    """Return the name of the message that protoc makes for the entries of a map: `ResourcesEntry` for `resources`."""
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
        """Return the encoded fields `type` and `type_name` of a FieldDescriptorProto.

        Args:
            name: The type in the notation of `_table`, without a mark such as `[` or `?`.
        """
        if name in _SCALARS:
            return _int(5, _SCALARS[name])
        full = f".{self._package}.{name}"
        if name in self._enums:
            return _int(5, _ENUM) + _text(6, full)
        if self._package not in (_VIEW, "google.protobuf"):
            full = _GOOGLE.get(name, full)
        return _int(5, _MESSAGE) + _text(6, full)

    def _field(self, name: str, number: int, type_: bytes, label: int = _OPTIONAL, rest: bytes = b"") -> bytes:
        return _text(1, name) + _int(3, number) + _int(4, label) + type_ + rest

    def message(self, name: str, fields: str) -> bytes:
        """Return the serialised DescriptorProto of a message.

        Args:
            name: The message's name.
            fields: The fields, in the notation of `_table`.
        """
        parsed = list(_parse(fields))
        oneofs = list(dict.fromkeys(oneof for _, _, _, oneof in parsed if oneof))
        # protoc makes a oneof for each field with explicit presence, and lists these after the message's own oneofs.
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
                entries += _bytes(3, _text(1, entry) + b"".join(_bytes(2, one) for one in pair) + _bytes(7, _int(7, 1)))
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
        return _text(1, name) + declared + entries + b"".join(_bytes(8, _text(1, oneof)) for oneof in oneofs)


def _parse(fields: str) -> Iterator[tuple[str, int, str, str]]:
    """Yield each field's name, number, type with its marks such as `[` or `?`, and oneof (empty if it is in none)."""
    for field in fields.split():
        left, type_ = field.split(":")
        name, number = left.split("=")
        oneof, _, name = name.rpartition("/")
        yield name, int(number), type_, oneof


def _enum(name: str, values: str) -> bytes:
    numbered = (_bytes(2, _text(1, value) + _int(2, number)) for number, value in enumerate(values.split()))
    return _text(1, name) + b"".join(numbered)


def _file(
    name: str,
    package: str,
    messages: Mapping[str, str],
    enums: Mapping[str, str],
    dependencies: tuple[str, ...] = (),
    rest: bytes = b"",
) -> bytes:
    file = _File(package, enums)
    return (
        _text(1, name)
        + _text(2, package)
        + b"".join(_text(3, dependency) for dependency in dependencies)
        + b"".join(_bytes(4, file.message(*item)) for item in messages.items())
        + b"".join(_bytes(5, _enum(*item)) for item in enums.items())
        + rest
        + _text(12, "proto3")
    )


def struct_file() -> bytes:
    """Return google/protobuf/struct.proto as a serialised FileDescriptorProto."""
    return _file("google/protobuf/struct.proto", "google.protobuf", _table.STRUCT_MESSAGES, _table.STRUCT_ENUMS)


def duration_file() -> bytes:
    """Return google/protobuf/duration.proto as a serialised FileDescriptorProto."""
    return _file("google/protobuf/duration.proto", "google.protobuf", _table.DURATION_MESSAGES, {})


def protocol_name(version: str) -> str:
    """Return the file name in the protocol's FileDescriptorProto for `version`, which is `v1` or `v1beta1`."""
    return f"crossplane/function/proto/{version}/run_function.proto"


def protocol_file(version: str) -> bytes:
    """Return run_function.proto as a serialised FileDescriptorProto. Its Structs are messages, unlike in the view.

    Args:
        version: `v1` or `v1beta1`.
    """
    package = f"apiextensions.fn.proto.{version}"
    method = _text(1, "RunFunction") + _text(2, f".{package}.RunFunctionRequest")
    method += _text(3, f".{package}.RunFunctionResponse")
    return _file(
        protocol_name(version),
        package,
        _table.MESSAGES,
        _table.ENUMS,
        ("google/protobuf/duration.proto", "google/protobuf/struct.proto"),
        _bytes(6, _text(1, "FunctionRunnerService") + _bytes(2, method)),
    )


def view_file() -> bytes:
    """Return the view as a serialised FileDescriptorProto: the protocol's messages, with bytes in place of each Struct.

    These fields of bytes have explicit presence, because an empty Struct would get lost otherwise. The view has its own
    copy of Duration, so that the file depends on no other file.
    """
    messages = {name: fields.replace("Struct?", "bytes?") for name, fields in _table.MESSAGES.items()}
    messages = {name: fields.replace(":Struct", ":bytes?") for name, fields in messages.items()}
    return _file("crossplane_lite/view.proto", _VIEW, {**messages, **_table.DURATION_MESSAGES}, _table.ENUMS)


def level_file() -> bytes:
    """Return the messages with which protobuf parses one level of a Struct, as a serialised FileDescriptorProto."""
    return _file("crossplane_lite/level.proto", _VIEW, _table.LEVEL_MESSAGES, {})


def _literal(name: str, data: bytes) -> str:
    rows = (data[start : start + 28] for start in range(0, len(data), 28))
    return f"{name}: Final = (\n" + "".join(f"    {row!r}\n" for row in rows) + ")\n"


def serialised_source() -> str:
    """Return the source code of the module `_serialised`: the bytes of `level_file` and `view_file`."""
    return f"{_SERIALISED_HEAD}\n{_literal('LEVEL', level_file())}\n{_literal('VIEW', view_file())}"

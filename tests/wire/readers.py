"""Readers that the codec is compared with: protobuf itself, and one that is slow and simple.

This shares no code with the codec.
"""

from __future__ import annotations

__all__ = ["ProtobufRefusal", "by_protobuf", "slowly", "typed"]

import math
import struct
from typing import Any

from google.protobuf import struct_pb2
from google.protobuf.message import DecodeError

from tests.wire.oddities import padded


class ProtobufRefusal(Exception):
    """protobuf does not take the bytes."""


def typed(item: Any) -> Any:
    """Return a form in which 1, 1.0 and True are different, and the order of keys is not seen."""
    if isinstance(item, dict):
        return {key: typed(value) for key, value in item.items()}
    if isinstance(item, list):
        return [typed(value) for value in item]
    if isinstance(item, float) and math.isnan(item):
        return "float", "nan"
    return type(item).__name__, item


def plain_number(number: float) -> int | float:
    """Return what the codec promises for a double."""
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number


def by_protobuf(raw: bytes) -> dict[str, Any]:
    """Decode a Struct with protobuf.

    Raises:
        ProtobufRefusal: It is malformed.
    """
    try:
        message = struct_pb2.Struct.FromString(raw)
    except (DecodeError, UnicodeDecodeError) as error:
        raise ProtobufRefusal from error
    return _from_struct(message)


def _from_struct(message: Any) -> dict[str, Any]:
    return {key: _from_value(value) for key, value in message.fields.items()}


def _from_value(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind in (None, "null_value"):
        return None
    payload = getattr(value, kind)
    if kind == "struct_value":
        return _from_struct(payload)
    if kind == "list_value":
        return [_from_value(element) for element in payload.values]
    return plain_number(payload) if kind == "number_value" else payload


class _Fields:
    """The fields of one message, as number, wire type and content."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0

    def varint(self, longest: int = 10) -> int:
        result = 0
        for place in range(longest):
            if self.pos == len(self.data):
                raise ProtobufRefusal
            byte = self.data[self.pos]
            self.pos += 1
            result |= (byte & 127) << 7 * place
            if byte < 128:
                return result & 2**64 - 1
        raise ProtobufRefusal

    def take(self, size: int) -> bytes:
        if size > len(self.data) - self.pos:
            raise ProtobufRefusal
        self.pos += size
        return self.data[self.pos - size : self.pos]

    def next(self, lowest: int = 8) -> tuple[int, Any]:
        tag = self.varint(5)
        if not lowest <= tag < 2**32:
            raise ProtobufRefusal
        kind = tag & 7
        if kind == 0:
            return tag, self.varint()
        if kind == 2:
            return tag, self.take(self.varint(_LENGTH_BYTES))
        if kind == 3:
            while True:
                inner, _ = self.next(_LOWEST_IN_GROUP)
                if inner & 7 == 4:
                    if inner != tag + 1:
                        raise ProtobufRefusal
                    return tag, None
        if kind == 4:
            return tag, None
        if kind not in (1, 5):
            raise ProtobufRefusal
        return tag, self.take(8 if kind == 1 else 4)

    def all(self) -> list[tuple[int, Any]]:
        found = []
        while self.pos < len(self.data):
            found.append(self.next())
            if found[-1][0] & 7 == 4:
                raise ProtobufRefusal
        return found


def _takes(raw: bytes) -> bool:
    try:
        by_protobuf(raw)
    except ProtobufRefusal:
        return False
    return True


# Where the releases of protobuf differ.
_LENGTH_BYTES = 10 if _takes(b"\x0a" + padded(0, 6)) else 5
_LOWEST_IN_GROUP = 0 if _takes(b"\x1b\x00\x05\x1c") else 8
_DROPS_ENTRIES_WITH_UNKNOWN = not by_protobuf(b"\x0a\x02\x18\x00")


def slowly(raw: bytes) -> tuple[dict[str, Any], bool]:
    """Decode a Struct without looking at what is replaced by something that comes later.

    Returns:
        The Struct, and whether anything in it was replaced.

    Raises:
        ProtobufRefusal: What is not replaced is malformed.
    """
    reader = _Slow()
    return reader.struct([raw]), reader.replaced


class _Slow:
    def __init__(self) -> None:
        self.replaced = False

    def struct(self, parts: list[bytes]) -> dict[str, Any]:
        found: dict[str, bytes] = {}
        for part in parts:
            for tag, content in _Fields(part).all():
                if tag != 0x0A:
                    continue
                key, value, drop = "", b"", False
                for inner, data in _Fields(content).all():
                    if inner == 0x0A:
                        key = self.text(data)
                    elif inner == 0x12:
                        self.replaced |= value != b""
                        value = data
                    else:
                        drop = _DROPS_ENTRIES_WITH_UNKNOWN
                self.replaced |= drop or key in found
                if not drop:
                    found[key] = value
        return {key: self.value(value) for key, value in found.items()}

    def value(self, data: bytes) -> Any:
        kind, content = 0, None
        for tag, payload in _Fields(data).all():
            if tag in (0x2A, 0x32):
                self.replaced |= kind not in (0, tag)
                content = [*content, payload] if kind == tag else [payload]
                kind = tag
            elif tag in (0x08, 0x11, 0x1A, 0x20):
                self.replaced |= kind != 0
                kind, content = tag, payload
        if kind == 0x2A:
            return self.struct(content)
        if kind == 0x32:
            return [self.value(item) for part in content for tag, item in _Fields(part).all() if tag == 0x0A]
        if kind == 0x1A:
            return self.text(content)
        if kind == 0x11:
            return plain_number(struct.unpack("<d", content)[0])
        return content != 0 if kind == 0x20 else None

    @staticmethod
    def text(data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise ProtobufRefusal from error

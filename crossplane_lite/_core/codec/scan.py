"""Reads every encoding that protobuf allows, in plain Python, for bytes that the faster readers
refuse.

All functions work on positions in one buffer and without recursion, so that deep data isn't copied
once per level.
"""

from __future__ import annotations

from struct import Struct as Packer
from typing import Any, Final

from google.protobuf.message import DecodeError

from ...errors import WireError
from ...proto._pool import Level
from ..base.scalars import EXACT

NULL: Final = 0
NUMBER: Final = 1
STRING: Final = 2
BOOL: Final = 3
STRUCT: Final = 4
LIST: Final = 5

Span = tuple[int, int]
"""Start and end of some bytes in the buffer."""

UNREADABLE: Final = "a Struct in the message can't be read"
"""The beginning of each WireError's message."""

MAX_INT: Final = float(EXACT)
_unpack: Final = Packer("<d").unpack_from


def _probe(data: bytes) -> int:
    """Return how many entries the installed protobuf finds in the bytes of a Struct; -1 if it
    refuses the bytes.
    """
    try:
        return len(Level.FromString(data).fields)
    except DecodeError:
        return -1


# Releases of protobuf differ in three rare cases. This module does as the installed release does,
# because protobuf reads the upper levels of a resource and this module the lower ones, and both
# must read alike. The cases: upb leaves out a map entry that has unknown fields; from release 7 on
# it refuses a length of more than five bytes; older releases refuse the field number 0 in an
# unknown group.
_LENGTH_BYTES: Final = 5 if _probe(b"\x0a\x80\x80\x80\x80\x80\x00") < 0 else 10
_KEEP_ENTRY_WITH_UNKNOWN: Final = _probe(b"\x0a\x02\x18\x00") > 0
_LOWEST_IN_GROUP: Final = 0 if _probe(b"\x1b\x00\x05\x1c") == 0 else 8


def _truncated() -> WireError:
    return WireError(f"{UNREADABLE}: its bytes end in the middle of a field")


def varint(buf: bytes, pos: int, end: int) -> Span:
    """Read a varint, protobuf's integer of variable length, at `pos`; return its value and the
    position after it.

    Raises:
        WireError: The varint is longer than ten bytes, or goes beyond `end`.
    """
    result = shift = 0
    while shift < 70:
        if pos >= end:
            raise _truncated()
        byte = buf[pos]
        pos += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result & 0xFFFF_FFFF_FFFF_FFFF, pos
        shift += 7
    raise WireError(f"{UNREADABLE}: it has a varint of more than ten bytes")


def size(buf: bytes, pos: int, end: int) -> Span:
    """Read the length that begins at `pos`; return the start and the end of the bytes that have
    this length.

    Raises:
        WireError: The length is encoded in too many bytes, or the bytes after it go beyond `end`.
    """
    length, start = varint(buf, pos, end)
    if start - pos > _LENGTH_BYTES:
        raise WireError(
            f"{UNREADABLE}: it has a length that is encoded in more than {_LENGTH_BYTES} bytes"
        )
    if length > end - start:
        raise _truncated()
    return start, start + length


def tag(buf: bytes, pos: int, end: int, lowest: int = 8) -> Span:
    """Read a field's tag, the integer `number * 8 + wire type`. Return the tag and the position
    after it.

    The default of `lowest` is the tag of field number 1. In an unknown group it may be 0, because
    newer releases of protobuf allow field number 0 there. Raises WireError for a tag that isn't
    allowed or goes beyond `end`.
    """
    number_and_type, start = varint(buf, pos, end)
    if start - pos > 5 or number_and_type > 0xFFFF_FFFF or number_and_type < lowest:
        raise WireError(f"{UNREADABLE}: it has a field with an illegal number")
    return number_and_type, start


def skip(buf: bytes, tag_: int, pos: int, end: int) -> int:
    """Return the position after an unknown field, which may be a group.

    `pos` is the position after the tag. Raises WireError for a malformed field.
    """
    groups: list[int] = []
    while True:
        wire_type = tag_ & 7
        if wire_type == 0:
            _, pos = varint(buf, pos, end)
        elif wire_type == 1:
            pos += 8
        elif wire_type == 2:
            _, pos = size(buf, pos, end)
        elif wire_type == 3:
            groups.append(tag_ + 1)
        elif wire_type == 4:
            if not groups or groups.pop() != tag_:
                raise WireError(f"{UNREADABLE}: a protobuf group ends in it without having begun")
        elif wire_type == 5:
            pos += 4
        else:
            raise WireError(f"{UNREADABLE}: it has a field with the illegal wire type {wire_type}")
        if pos > end:
            raise _truncated()
        if not groups:
            return pos
        tag_, pos = tag(buf, pos, end, _LOWEST_IN_GROUP)


def _text(buf: bytes, start: int, end: int) -> str:
    try:
        return buf[start:end].decode()
    except UnicodeDecodeError as error:
        raise WireError(
            f"{UNREADABLE}: it has a string that isn't valid UTF-8 ({error.reason})"
        ) from None


def number(buf: bytes, pos: int) -> int | float:
    """Return the double at `pos`: as an int if it is a whole number from -2**53 to 2**53, else as a
    float.

    The buffer must have eight bytes from `pos` on.
    """
    result: float = _unpack(buf, pos)[0]
    if result.is_integer() and -MAX_INT <= result <= MAX_INT:
        return int(result)
    return result


def entry(buf: bytes, pos: int, end: int) -> tuple[str, Span] | None:
    """Read the map entry from `pos` to `end`.

    A missing key is an empty string, and a missing value an empty span. Returns None if the
    installed protobuf ignores the entry because it has unknown fields. Raises WireError for
    malformed bytes.
    """
    key, value_, unknown = "", (end, end), False
    while pos < end:
        tag_, pos = tag(buf, pos, end)
        if tag_ == 0x0A:
            start, pos = size(buf, pos, end)
            key = _text(buf, start, pos)
        elif tag_ == 0x12:
            value_ = size(buf, pos, end)
            pos = value_[1]
        else:
            pos = skip(buf, tag_, pos, end)
            unknown = True
    return None if unknown and not _KEEP_ENTRY_WITH_UNKNOWN else (key, value_)


def value(buf: bytes, pos: int, end: int) -> tuple[int, Any]:
    """Return the kind and the payload of the Value from `pos` to `end`.

    The payload of a STRUCT or LIST is a list of spans: several if the encoding repeats it. protobuf
    merges these, which is the same as reading one after the other into the same container. An empty
    Value is NULL and None. Raises WireError for malformed bytes.
    """
    kind: int = NULL
    payload: Any = None
    while pos < end:
        tag_, pos = tag(buf, pos, end)
        if tag_ == 0x1A:
            start, pos = size(buf, pos, end)
            kind, payload = STRING, _text(buf, start, pos)
        elif tag_ in (0x2A, 0x32):
            span = size(buf, pos, end)
            pos = span[1]
            found = STRUCT if tag_ == 0x2A else LIST
            if kind == found:
                payload.append(span)
            else:
                kind, payload = found, [span]
        elif tag_ == 0x11 and pos + 8 <= end:
            kind, payload = NUMBER, number(buf, pos)
            pos += 8
        elif tag_ == 0x20:
            flag, pos = varint(buf, pos, end)
            kind, payload = BOOL, flag != 0
        elif tag_ == 0x08:
            _, pos = varint(buf, pos, end)
            kind, payload = NULL, None
        else:
            pos = skip(buf, tag_, pos, end)
    return kind, payload


def fields(buf: bytes, spans: list[Span]) -> dict[str, Span]:
    """Return the span of each value in a Struct, by key. If a key is repeated, its last value
    counts.

    Raises WireError for malformed bytes.
    """
    found = {}
    for pos, end in spans:
        while pos < end:
            tag_, pos = tag(buf, pos, end)
            if tag_ == 0x0A:
                start, pos = size(buf, pos, end)
                pair = entry(buf, start, pos)
                if pair is not None:
                    found[pair[0]] = pair[1]
            else:
                pos = skip(buf, tag_, pos, end)
    return found

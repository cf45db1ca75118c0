"""Decodes a Struct, ListValue or Value with everything inside of it.

A container is a Struct or a ListValue; its members are fields or elements. There are three ways to read it, chosen by
its size and depth:

- A container of less than 128 bytes is read in place: each length in it takes one byte.
- A larger one is split by protobuf's parser, which is fast per field and slow per container.
- A container deeper than `_LEVELS` is read in one pass with an explicit stack, because splitting copies each byte
  once per level. This way is exact: it also reads the unusual encodings that the other two refuse.

The usual encoding is the one that protobuf writes: fields in order, and no length longer than necessary.

The keys of every dict are sorted. protobuf's maps have no order: Crossplane sends the same map in another order each
time, and protobuf's parser has another one in each process. Code that loops over a map must see the same in each call.
"""

from __future__ import annotations

from struct import Struct as Packer
from struct import error as PackerError
from typing import Any, Final

from .._base.numbers import EXACT
from ..errors import WireError
from ..proto._pool import DecodeError, Level, ListLevel
from . import scan
from .faults import note
from .scan import BOOL, LIST, NUMBER, STRING, STRUCT, Span
from .value import open_value

__all__ = ["decode_list", "decode_struct", "decode_value"]

_LEVELS: Final = 16
_CONSTANTS: Final = {b"\x20\x00": False, b"\x20\x01": True, b"\x08\x00": None}
_MAX_INT: Final = float(EXACT)
_level: Final = Level.FromString
_list_level: Final = ListLevel.FromString
_double: Final = Packer("<xd").unpack_from


class _Irregular(Exception):
    """The bytes don't have the encoding that a fast reader expects. They may still be valid."""


_IRREGULAR: Final = (
    _Irregular,
    IndexError,
    UnicodeDecodeError,
    PackerError,
    DecodeError,
    WireError,
    RecursionError,
)


def decode_struct(raw: bytes) -> dict[str, Any]:
    """Decode the bytes of a Struct.

    Raises:
        WireError: The bytes aren't a valid Struct.
    """
    result: dict[str, Any] = _decode(raw, STRUCT)
    return result


def decode_list(raw: bytes) -> list[Any]:
    """Decode the bytes of a ListValue.

    Raises:
        WireError: The bytes aren't a valid ListValue.
    """
    result: list[Any] = _decode(raw, LIST)
    return result


def decode_value(value: bytes) -> Any:
    """Decode the bytes of a Value. Empty bytes give None.

    Raises:
        WireError: The bytes aren't a valid Value.
    """
    kind, payload = open_value(value)
    return _decode(payload, kind) if kind >= STRUCT else payload


def _decode(raw: bytes, kind: int) -> Any:
    size = len(raw)
    try:
        if size < 128:
            return _short_struct(raw, 0, size) if kind == STRUCT else _short_list(raw, 0, size)
        return _wide_struct(raw, 0) if kind == STRUCT else _wide_list(raw, 0)
    except _IRREGULAR:
        pass
    try:
        return _exact(raw, [(0, size)], kind)
    except WireError as error:
        note(error)
        raise


def _wide_struct(raw: bytes, depth: int) -> dict[str, Any]:
    """Split a Struct with protobuf's parser, and decode its fields.

    From `_LEVELS` containers around it (`depth`) on, `_exact` reads it. Raises one of `_IRREGULAR` if the caller must
    read everything again with `_exact`.
    """
    if depth >= _LEVELS:
        result: dict[str, Any] = _exact(raw, [(0, len(raw))], STRUCT)
        return result
    fields = _level(raw).fields
    out: dict[str, Any] = {}
    for key in sorted(fields):
        value = fields[key]
        if value:
            tag = value[0]
            size = len(value) - 2
            if value[1] == size < 128:
                if tag == 0x1A:
                    out[key] = value[2:].decode()
                    continue
                if tag == 0x2A:
                    out[key] = _short_struct(value, 2, size + 2)
                    continue
                if tag == 0x32:
                    out[key] = _short_list(value, 2, size + 2)
                    continue
            elif size > 127:
                inner = value[3:]
                if value[1] - 128 + (value[2] << 7) != size - 1 or not value[1] > 127 >= value[2]:
                    inner = _payload(value)
                if tag == 0x2A:
                    out[key] = _wide_struct(inner, depth + 1)
                    continue
                if tag == 0x32:
                    out[key] = _wide_list(inner, depth + 1)
                    continue
                if tag == 0x1A:
                    out[key] = inner.decode()
                    continue
            if tag == 0x11 and size == 7:
                number = _double(value)[0]
                out[key] = int(number) if number.is_integer() and -_MAX_INT <= number <= _MAX_INT else number
                continue
            if tag == 0x20 and size == 0 and value[1] < 2:
                out[key] = value[1] == 1
                continue
        out[key] = _exact_value(value)
    return out


def _wide_list(raw: bytes, depth: int) -> list[Any]:
    """Split a ListValue with protobuf's parser, and decode its elements. Raises the same errors as `_wide_struct`."""
    if depth >= _LEVELS:
        result: list[Any] = _exact(raw, [(0, len(raw))], LIST)
        return result
    out: list[Any] = []
    values = (raw[3:],)
    # Lists of one element are frequent, and need no parser.
    if not raw[1] > 127 >= raw[2] or raw[1] - 128 + (raw[2] << 7) != len(raw) - 3 or raw[0] != 0x0A:
        values = _list_level(raw).values
    for value in values:
        if value:
            tag = value[0]
            size = len(value) - 2
            if value[1] == size < 128:
                if tag == 0x1A:
                    out.append(value[2:].decode())
                    continue
                if tag == 0x2A:
                    out.append(_short_struct(value, 2, size + 2))
                    continue
                if tag == 0x32:
                    out.append(_short_list(value, 2, size + 2))
                    continue
            elif size > 127:
                inner = value[3:]
                if value[1] - 128 + (value[2] << 7) != size - 1 or not value[1] > 127 >= value[2]:
                    inner = _payload(value)
                if tag == 0x2A:
                    out.append(_wide_struct(inner, depth + 1))
                    continue
                if tag == 0x32:
                    out.append(_wide_list(inner, depth + 1))
                    continue
                if tag == 0x1A:
                    out.append(inner.decode())
                    continue
            if tag == 0x11 and size == 7:
                number = _double(value)[0]
                out.append(int(number) if number.is_integer() and -_MAX_INT <= number <= _MAX_INT else number)
                continue
            if tag == 0x20 and size == 0 and value[1] < 2:
                out.append(value[1] == 1)
                continue
        out.append(_exact_value(value))
    return out


def _payload(value: bytes) -> bytes:
    """Return the bytes of a Value after its tag and its length, which may take any number of bytes.

    Raises _Irregular if the length doesn't reach to the end of `value`, and WireError if it is malformed.
    """
    start, end = scan.size(value, 1, len(value))
    if end != len(value):
        raise _Irregular
    return value[start:]


def _short_struct(buf: bytes, pos: int, end: int) -> dict[str, Any]:
    """Decode a Struct whose lengths all take one byte.

    A longer length is always noticed: its first byte is 128 or more, which leads beyond the end of the Struct.

    Raises:
        _Irregular: The encoding isn't the usual one. Other exceptions of `_IRREGULAR` mean the same.
    """
    out: dict[str, Any] = {}
    while pos < end:
        stop = pos + 2 + buf[pos + 1]
        mid = pos + 4 + buf[pos + 3]
        size = stop - mid - 4
        if buf[mid] != 0x12 or buf[mid + 1] != size + 2 or not buf[pos] == 0x0A == buf[pos + 2]:
            raise _Irregular
        tag = buf[mid + 2]
        if tag == 0x1A and buf[mid + 3] == size:
            out[buf[pos + 4 : mid].decode()] = buf[mid + 4 : stop].decode()
        elif tag == 0x2A and buf[mid + 3] == size:
            out[buf[pos + 4 : mid].decode()] = _short_struct(buf, mid + 4, stop)
        elif tag == 0x32 and buf[mid + 3] == size:
            out[buf[pos + 4 : mid].decode()] = _short_list(buf, mid + 4, stop)
        elif tag == 0x11 and size == 7:
            number = _double(buf, mid + 2)[0]
            integral = number.is_integer() and -_MAX_INT <= number <= _MAX_INT
            out[buf[pos + 4 : mid].decode()] = int(number) if integral else number
        elif tag == 0x20 and size == 0 and buf[mid + 3] < 2:
            out[buf[pos + 4 : mid].decode()] = buf[mid + 3] == 1
        elif tag == 0x08 and size == 0 and buf[mid + 3] == 0:
            out[buf[pos + 4 : mid].decode()] = None
        else:
            raise _Irregular
        pos = stop
    if pos != end:
        raise _Irregular
    return out if len(out) < 2 else dict(sorted(out.items()))


def _short_list(buf: bytes, pos: int, end: int) -> list[Any]:
    """Decode a ListValue whose lengths all take one byte. Raises the same errors as `_short_struct`."""
    out: list[Any] = []
    while pos < end:
        size = buf[pos + 1] - 2
        stop = pos + 4 + size
        if buf[pos] != 0x0A:
            raise _Irregular
        tag = buf[pos + 2]
        if tag == 0x1A and buf[pos + 3] == size:
            out.append(buf[pos + 4 : stop].decode())
        elif tag == 0x2A and buf[pos + 3] == size:
            out.append(_short_struct(buf, pos + 4, stop))
        elif tag == 0x32 and buf[pos + 3] == size:
            out.append(_short_list(buf, pos + 4, stop))
        elif tag == 0x11 and size == 7:
            number = _double(buf, pos + 2)[0]
            out.append(int(number) if number.is_integer() and -_MAX_INT <= number <= _MAX_INT else number)
        elif tag == 0x20 and size == 0 and buf[pos + 3] < 2:
            out.append(buf[pos + 3] == 1)
        elif tag == 0x08 and size == 0 and buf[pos + 3] == 0:
            out.append(None)
        else:
            raise _Irregular
        pos = stop
    if pos != end:
        raise _Irregular
    return out


def _exact(buf: bytes, spans: list[Span], kind: int) -> Any:
    """Decode a Struct or ListValue in any valid encoding, with an explicit stack.

    There are several spans if the encoding repeats the container. Raises WireError for malformed bytes.
    """
    root: Any = {} if kind == STRUCT else []
    structs = [root] if kind == STRUCT else []
    stack = [(root, kind, pos, end) for pos, end in reversed(spans)]
    while stack:
        container, kind, pos, end = stack.pop()
        while pos < end:
            try:
                key, found, child, pos = _regular_member(buf, pos, end, kind)
            except _IRREGULAR:
                member, pos = _any_member(buf, pos, end, kind)
                if member is None:
                    continue
                key, found, child = member
            parts: Any = ()
            if found >= STRUCT:
                parts = child
                first, last = parts[0]
                child = None
                if last - first < 128 and len(parts) == 1:
                    child = _short(buf, first, last, found)
                if child is None:
                    child = {} if found == STRUCT else []
                    if found == STRUCT:
                        structs.append(child)
                else:
                    parts = ()
            if kind == STRUCT:
                container[key] = child
            else:
                container.append(child)
            if parts:
                stack.append((container, kind, pos, end))
                stack += [(child, found, first, last) for first, last in reversed(parts)]
                break
    for struct in structs:
        entries = sorted(struct.items())
        struct.clear()
        struct.update(entries)
    return root


def _short(buf: bytes, pos: int, end: int, kind: int) -> Any:
    """Decode a Struct or ListValue of less than 128 bytes; return None if its encoding isn't the usual one."""
    try:
        return _short_struct(buf, pos, end) if kind == STRUCT else _short_list(buf, pos, end)
    except _IRREGULAR:
        return None


def _regular_member(buf: bytes, pos: int, end: int, container: int) -> tuple[str, int, Any, int]:
    """Read a member that is encoded the usual way, with lengths of up to three bytes.

    Returns the key (empty in a list), the kind (BOOL for null too), the payload as in `scan.value`, and the position
    after the member. Raises one of `_IRREGULAR` if the encoding isn't the usual one.
    """
    if buf[pos] != 0x0A:
        raise _Irregular
    size = buf[pos + 1]
    pos += 2
    if size > 127:
        size, pos = _length(buf, pos - 1)
    stop = pos + size
    key = ""
    if container == STRUCT:
        size = buf[pos + 1]
        mid = pos + 2 + size
        if buf[pos] != 0x0A or size > 127 or buf[mid] != 0x12:
            raise _Irregular
        key = buf[pos + 2 : mid].decode()
        size = buf[mid + 1]
        pos = mid + 2
        if size > 127:
            size, pos = _length(buf, mid + 1)
        if pos + size != stop:
            raise _Irregular
    if stop > end:
        raise _Irregular
    tag = buf[pos]
    if tag == 0x11 and stop - pos == 9:
        return key, NUMBER, scan.number(buf, pos + 1), stop
    if stop - pos == 2 and buf[pos:stop] in _CONSTANTS:
        return key, BOOL, _CONSTANTS[buf[pos:stop]], stop
    size = buf[pos + 1]
    start = pos + 2
    if size > 127:
        size, start = _length(buf, pos + 1)
    if start + size != stop:
        raise _Irregular
    if tag == 0x1A:
        return key, STRING, buf[start:stop].decode(), stop
    if tag == 0x2A:
        return key, STRUCT, ((start, stop),), stop
    if tag == 0x32:
        return key, LIST, ((start, stop),), stop
    raise _Irregular


def _length(buf: bytes, pos: int) -> Span:
    """Read a length of two or three bytes at `pos`; return the length and the position after it.

    Raises:
        _Irregular: The length takes more bytes.
    """
    second = buf[pos + 1]
    if second < 128:
        return buf[pos] - 128 + (second << 7), pos + 2
    third = buf[pos + 2]
    if third < 128:
        return buf[pos] - 128 + (second - 128 << 7) + (third << 14), pos + 3
    raise _Irregular


def _any_member(buf: bytes, pos: int, end: int, container: int) -> tuple[tuple[str, int, Any] | None, int]:
    """Read a field of a container in any valid encoding. It takes the same arguments as `_regular_member`.

    Returns the member's key, kind and payload, or None if the field isn't a member or protobuf ignores it; and the
    position after the field. Raises WireError for malformed bytes.
    """
    tag, pos = scan.tag(buf, pos, end)
    if tag != 0x0A:
        return None, scan.skip(buf, tag, pos, end)
    start, pos = scan.size(buf, pos, end)
    key, span = "", (start, pos)
    if container == STRUCT:
        pair = scan.entry(buf, start, pos)
        if pair is None:
            return None, pos
        key, span = pair
    return (key, *scan.value(buf, *span)), pos


def _exact_value(value: bytes) -> Any:
    kind, payload = scan.value(value, 0, len(value))
    return _exact(value, payload, kind) if kind >= STRUCT else payload

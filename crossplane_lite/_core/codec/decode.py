"""Reads Structs, ListValues and Values: one level, one path, or everything inside of them.

The usual encoding is the one that protobuf writes: fields in order, and no length longer than
necessary. A container is a Struct or a ListValue; its members are fields or elements. Everything in
it is decoded in one of three ways, chosen by its size and depth:

- A container of less than 128 bytes is read in place: each length in it takes one byte.
- A larger one is split by protobuf's parser, which is fast per field and slow per container.
- A container deeper than `_LEVELS` is read in one pass with an explicit stack, because splitting
  copies each byte once per level. This way is exact: it also reads the unusual encodings that the
  other two refuse.

The keys of every dict are sorted. protobuf's maps have no order: Crossplane sends the same map in
another order each time, and protobuf's parser has another one in each process. Code that loops over
a map must see the same in each call.

compose() may catch an error about malformed bytes. The caller of compose() still learns from a
record (`watch`) that the request must not be answered. An error is recorded when it leaves this
package, not when it is made: inside of the package, fast readers also raise errors for bytes that a
slower reader then finds valid.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from contextvars import ContextVar, Token
from struct import Struct as Packer
from struct import error as PackerError
from typing import Any, Final

from google.protobuf.message import DecodeError

from ...errors import WireError
from ...proto._pool import Level, ListLevel
from . import scan
from .scan import BOOL, LIST, MAX_INT, NUMBER, STRING, STRUCT, UNREADABLE, Span

_LEVELS: Final = 64
_level: Final = Level.FromString
_list_level: Final = ListLevel.FromString
_double: Final = Packer("<xd").unpack_from
_watched: ContextVar[list[WireError] | None] = ContextVar("crossplane_lite_faults", default=None)


def watch(faults: list[WireError]) -> Token[list[WireError] | None]:
    """From now on, append each error that this thread or task meets in malformed bytes to `faults`,
    until `unwatch`.
    """
    return _watched.set(faults)


def unwatch(before: Token[list[WireError] | None]) -> None:
    """End a `watch`. Errors are then appended to the list of the previous `watch` again, if there
    is one.

    Args:
        before: The token that `watch` returned.
    """
    _watched.reset(before)


def note(error: WireError) -> WireError:
    """Append an error that is about to be raised to the list given to `watch`, if there is one;
    return the error.
    """
    faults = _watched.get()
    if faults is not None:
        faults.append(error)
    return error


def unreadable(error: Exception) -> WireError:
    """Return the WireError for an error of protobuf's parser, and append it to the list of `watch`,
    if there is one.
    """
    return note(WireError(f"{UNREADABLE}: {error}"))


def open_value(value: bytes) -> tuple[int, Any]:
    """Return the kind and the payload of a Value.

    The payload of a STRUCT or LIST is its bytes, unchecked; an empty Value is NULL and None. Raises
    WireError for malformed bytes.
    """
    try:
        tag, size = value[0], value[1]
        if size < 128:
            payload = value[2:]
            if size == len(payload):
                if tag == 0x1A:
                    return STRING, payload.decode()
                if tag == 0x2A:
                    return STRUCT, payload
                if tag == 0x32:
                    return LIST, payload
        elif value[2] < 128:
            payload = value[3:]
            if size - 128 + (value[2] << 7) == len(payload):
                if tag == 0x2A:
                    return STRUCT, payload
                if tag == 0x1A:
                    return STRING, payload.decode()
                if tag == 0x32:
                    return LIST, payload
        if tag == 0x11 and len(value) == 9:
            return NUMBER, scan.number(value, 1)
        if tag == 0x20 and len(value) == 2 and size < 2:
            return BOOL, size == 1
    except (IndexError, UnicodeDecodeError):
        pass
    # Here are left: an empty Value, null, a length of more than two bytes, and unusual or illegal
    # encodings.
    try:
        kind, payload = scan.value(value, 0, len(value))
    except WireError as error:
        note(error)
        raise
    if kind >= STRUCT:
        payload = b"".join([value[start:end] for start, end in payload])
    return kind, payload


MISSING: Final[Any] = object()
"""For `get_path(..., default=MISSING)`: tells an absent field from a field that is null, which is
read as None.
"""


def split(raw: bytes) -> MutableMapping[str, bytes]:
    """Split a Struct into its fields, without looking into them.

    The mapping, from keys to the bytes of Values, is protobuf's own. Its `[]` adds a key that it
    lacks, so use `get()` or `in` first. Raises WireError for malformed bytes.
    """
    try:
        fields: MutableMapping[str, bytes] = _level(raw).fields
        return fields
    except (DecodeError, UnicodeDecodeError) as error:
        raise unreadable(error) from error


def split_list(raw: bytes) -> Sequence[bytes]:
    """Split a ListValue into the bytes of its Values.

    Raises:
        WireError: The bytes aren't a valid ListValue.
    """
    try:
        values: Sequence[bytes] = _list_level(raw).values
        return values
    except DecodeError as error:
        raise unreadable(error) from error


def get_path(raw: bytes, path: Sequence[str | int], default: Any = None) -> Any:
    """Return the value at a path, decoded with everything inside of it.

    A negative index counts from the list's end. Raises WireError if the bytes of the value, or of a
    Struct or list on the path, are malformed.
    """
    kind: int = STRUCT
    payload: Any = raw
    try:
        for part in path:
            value = None
            if kind == STRUCT and isinstance(part, str):
                value = _level(payload).fields.get(part)
            elif kind == LIST and isinstance(part, int):
                values = _list_level(payload).values
                value = values[part] if -len(values) <= part < len(values) else None
            if value is None:
                return default
            kind, payload = open_value(value)
    except (DecodeError, UnicodeDecodeError) as error:
        raise unreadable(error) from error
    return _decode(payload, kind) if kind >= STRUCT else payload


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

    From `_LEVELS` containers around it (`depth`) on, `_exact` reads it. Raises one of `_IRREGULAR`
    if the caller must read everything again with `_exact`.
    """
    if depth >= _LEVELS:
        result: dict[str, Any] = _exact(raw, [(0, len(raw))], STRUCT)
        return result
    fields = _level(raw).fields
    out: dict[str, Any] = {}
    for key in sorted(fields):
        value = fields[key]
        if value[:1] == b"\x1a" and value[1] == len(value) - 2 < 128:
            out[key] = value[2:].decode()
        else:
            out[key] = _wide_value(value, depth + 1)
    return out


def _wide_list(raw: bytes, depth: int) -> list[Any]:
    """Split a ListValue with protobuf's parser, and decode its elements. Raises the same errors as
    `_wide_struct`.
    """
    if depth >= _LEVELS:
        result: list[Any] = _exact(raw, [(0, len(raw))], LIST)
        return result
    values = (raw[3:],)
    # Lists of one element are frequent, and need no parser.
    if not raw[1] > 127 >= raw[2] or raw[1] - 128 + (raw[2] << 7) != len(raw) - 3 or raw[0] != 0x0A:
        values = _list_level(raw).values
    return [_wide_value(value, depth + 1) for value in values]


def _wide_value(value: bytes, depth: int) -> Any:
    if value:
        tag = value[0]
        size = len(value) - 2
        if value[1] == size < 128:
            if tag == 0x2A:
                return _short_struct(value, 2, size + 2)
            if tag == 0x32:
                return _short_list(value, 2, size + 2)
            if tag == 0x1A:
                return value[2:].decode()
        elif size > 127:
            inner = value[3:]
            if value[1] - 128 + (value[2] << 7) != size - 1 or not value[1] > 127 >= value[2]:
                start, end = scan.size(value, 1, len(value))
                if end != len(value):
                    raise _Irregular
                inner = value[start:]
            if tag == 0x2A:
                return _wide_struct(inner, depth)
            if tag == 0x32:
                return _wide_list(inner, depth)
            if tag == 0x1A:
                return inner.decode()
        if tag == 0x11 and size == 7:
            number = _double(value)[0]
            return int(number) if number.is_integer() and -MAX_INT <= number <= MAX_INT else number
        if tag == 0x20 and size == 0 and value[1] < 2:
            return value[1] == 1
    kind, payload = scan.value(value, 0, len(value))
    return _exact(value, payload, kind) if kind >= STRUCT else payload


def _short_struct(buf: bytes, pos: int, end: int) -> dict[str, Any]:
    """Decode a Struct whose lengths all take one byte.

    A longer length is always noticed: its first byte is 128 or more, which leads beyond the end of
    the Struct.

    Raises:
        _Irregular: The encoding isn't the usual one. Other exceptions of `_IRREGULAR` mean the
            same.
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
            integral = number.is_integer() and -MAX_INT <= number <= MAX_INT
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
    """Decode a ListValue whose lengths all take one byte. Raises the same errors as
    `_short_struct`.
    """
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
            out.append(
                int(number) if number.is_integer() and -MAX_INT <= number <= MAX_INT else number
            )
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

    There are several spans if the encoding repeats the container. Raises WireError for malformed
    bytes.
    """
    root: Any = {} if kind == STRUCT else []
    structs = [root] if kind == STRUCT else []
    stack = [(root, pos, end) for pos, end in reversed(spans)]
    while stack:
        container, pos, end = stack.pop()
        while pos < end:
            tag, pos = scan.tag(buf, pos, end)
            if tag != 0x0A:
                pos = scan.skip(buf, tag, pos, end)
                continue
            start, pos = scan.size(buf, pos, end)
            entry = scan.entry(buf, start, pos) if type(container) is dict else ("", (start, pos))
            if entry is None:
                continue
            found, child = scan.value(buf, *entry[1])
            parts: Any = ()
            if found >= STRUCT:
                parts, child = child, {} if found == STRUCT else []
                if found == STRUCT:
                    structs.append(child)
            if type(container) is dict:
                container[entry[0]] = child
            else:
                container.append(child)
            if parts:
                stack.append((container, pos, end))
                stack += [(child, *span) for span in reversed(parts)]
                break
    for struct in structs:
        entries = sorted(struct.items())
        struct.clear()
        struct.update(entries)
    return root

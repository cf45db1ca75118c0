"""Encodes data of any depth, with an explicit stack.

The data is written back to front, so that each length is known when it is written. No bytes are
copied once per level: the time is linear in the size, however deep the data is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...errors import EncodeError
from ..base.scalars import EXACT as MAX_INT
from ..base.sentinels import NULL, TOMBSTONE
from ..base.texts import type_in_words
from ..paths.text import show
from . import parts, scan
from .parts import (
    HEADS,
    INTS,
    LIST_HEADS,
    NAMES,
    PREFIXES,
    STRUCT_HEADS,
    TEXT_HEADS,
    Bail,
    member_prefix,
    varint,
)

_TOO_BIG: Final = (
    "must be an integer from -2**53 to 2**53, because Crossplane's protocol doesn't carry others"
    " exactly"
)
_NOT_TEXT: Final = "must be valid Unicode text (got a lone surrogate)"

_FIRST_CYCLE_CHECK: Final = 1000


class _Encoded:
    """A Value that is encoded already: the bytes from `start` to `end` in `buffer`."""

    __slots__ = ("buffer", "end", "start")

    def __init__(self, buffer: bytes, start: int, end: int) -> None:
        self.buffer = buffer
        self.start = start
        self.end = end


class Overlay:
    """A mapping or model, and the encoded Struct that it is merged into.

    Args:
        obj: The mapping or model.
        buffer: The buffer with the bytes of the Struct.
        spans: Where the Struct lies in the buffer; several spans if the encoding repeats it.
    """

    def __init__(self, obj: Any, buffer: bytes, spans: list[scan.Span]) -> None:
        self._obj = obj
        self._buffer = buffer
        self._spans = spans

    def merged(self) -> dict[str, Any]:
        """Return the members of the merged Struct, by key.

        A member that must be merged, too, is an Overlay. A member that only the old Struct has is
        `_Encoded`.

        Raises:
            EncodeError: A key can't be encoded.
            WireError: The bytes of the Struct are malformed.
        """
        obj = self._obj
        found: dict[str, Any] = {}
        for name, (start, end) in scan.fields(self._buffer, self._spans).items():
            found[name] = _Encoded(self._buffer, start, end)
        for name in parts.deleted_keys(obj):
            found.pop(name, None)
        fixed = parts.fixed_fields(obj)
        for name, (start, end) in scan.fields(fixed, [(0, len(fixed))]).items():
            found[name] = _Encoded(fixed, start, end)
        for key, value in (obj if parts.wire_keys(obj) is None else obj.__dict__).items():
            name = NAMES[member_prefix(obj, key)]
            old = found.get(name)
            if type(old) is _Encoded and parts.merges(value):
                kind, spans = scan.value(old.buffer, old.start, old.end)
                if kind == scan.STRUCT:
                    value = Overlay(value, old.buffer, spans)
            found[name] = value
        return found


_Open = tuple[
    Any,
    Iterator[tuple[Any, Any]],
    "Mapping[Any, bytes] | None",
    Mapping[int, bytes],
    bytes,
    bytes,
    int,
]
"""A container whose members are being written, as a tuple of:

- the container
- its members, the last one first: key, attribute name or index, and value
- the entry prefixes of its members, by key or attribute name; None in a list
- the table of the bytes in front of such a payload (`STRUCT_HEADS` or `LIST_HEADS`)
- its fixed fields, encoded
- its entry prefix in the outer container; empty in a list and for the root
- the number of bytes that were written before it

A plain tuple, because making an instance of a class takes as long as encoding a leaf.
"""


def encode_tree(root: Any) -> bytes:
    """Encode a mapping, a model or an Overlay to the bytes of a Struct; a list or tuple to the
    bytes of a ListValue.

    Raises:
        EncodeError: A value can't be encoded; the error has the value's path.
        WireError: The Struct below an Overlay is malformed.
    """
    return b"".join(reversed(_pieces(root)))


def encode_value_tree(value: Any) -> bytes:
    """Encode a JSON value, a model or an Overlay to the bytes of a Value.

    Raises:
        EncodeError: The value, or a value in it, can't be encoded; the error has the path from
            `value` on.
        WireError: The Struct below an Overlay is malformed.
    """
    if not _is_container(value):
        return _leaf(value)
    payload = encode_tree(value)
    return (
        (b"\x32" if isinstance(value, (list, tuple)) else b"\x2a") + varint(len(payload)) + payload
    )


def _pieces(root: Any) -> list[bytes]:
    """Encode a container; return its bytes in pieces, the last piece first. Raises the same errors
    as `encode_tree`.
    """
    out: list[bytes] = []
    size = 0
    outer: list[tuple[_Open, Any]] = []
    next_check = _FIRST_CYCLE_CHECK
    key: Any = None
    current = _open(root, b"", 0)
    try:
        while True:
            obj, members, keys, heads, fixed, lead, mark = current
            for key, value in members:
                kind = type(value)
                if keys is None:
                    prefix = b""
                elif value is TOMBSTONE:
                    continue
                else:
                    try:
                        prefix = keys[key]
                    except KeyError:
                        # A value that can't be a key can't be in a path either.
                        new, key = key, None
                        prefix = member_prefix(obj, new)
                        key = new
                if kind is str:
                    data = value.encode()
                    head = TEXT_HEADS[len(data)]
                elif kind is int:
                    data, head = INTS[value], b""
                elif kind is dict or kind is list or _is_container(value):
                    outer.append((current, key))
                    key = None
                    if kind is dict:
                        current = (
                            value,
                            reversed(value.items()),
                            PREFIXES,
                            STRUCT_HEADS,
                            b"",
                            prefix,
                            size,
                        )
                    else:
                        current = _open(value, prefix, size)
                    if len(outer) == next_check:  # whenever the depth has doubled, for speed
                        next_check *= 2
                        if len({id(container[0]) for container, _ in outer}) < len(outer):
                            raise EncodeError("", "must not contain itself")
                    break
                else:
                    data = _leaf(value)
                    head = varint(len(data))
                total = len(prefix) + len(head) + len(data)
                front = HEADS[total] if prefix else b"\x0a"
                out += (data, head, prefix, front)
                size += total + len(front)
            else:
                size += len(fixed)
                if not outer:
                    out.append(fixed)
                    return out
                head = heads[size - mark]
                size += len(head) + len(lead)
                front = HEADS[size - mark] if lead else b"\x0a"
                out += (fixed, head, lead, front)
                size += len(front)
                current, key = outer.pop()
    except (EncodeError, Bail, UnicodeEncodeError) as error:
        raise _located(error, [*outer, (current, key)]) from None


def _open(obj: Any, prefix: bytes, mark: int) -> _Open:
    if isinstance(obj, (list, tuple)):
        members = zip(range(len(obj) - 1, -1, -1), reversed(obj))  # noqa: B905 - the lengths are the same
        return obj, members, None, LIST_HEADS, b"", prefix, mark
    keys = parts.wire_keys(obj)
    if keys is not None:
        return (
            obj,
            reversed(obj.__dict__.items()),
            keys,
            STRUCT_HEADS,
            parts.fixed_fields(obj),
            prefix,
            mark,
        )
    items = obj.merged() if type(obj) is Overlay else dict(obj.items())
    return obj, reversed(items.items()), PREFIXES, STRUCT_HEADS, b"", prefix, mark


def _is_container(value: Any) -> bool:
    return issubclass(type(value), (Overlay, list, tuple)) or parts.is_struct(value)


def _located(error: Exception, places: list[tuple[_Open, Any]]) -> EncodeError:
    """Convert an error of the encoder to an EncodeError with the path of the wrong value.

    Each of `places`, the containers around the value, the root first, has the key of its member
    that leads to the value. The key is None if the key itself is wrong.
    """
    if not isinstance(error, EncodeError):
        error = EncodeError("", _TOO_BIG if isinstance(error, Bail) else _NOT_TEXT)
    labels = []
    for (obj, _, keys, *_), key in places:
        if key is not None:
            labels.append(key if keys is None else NAMES[member_prefix(obj, key)])
    return error.under(show(labels))


def _leaf(value: Any) -> bytes:
    """Return the bytes of the Value for a value that isn't a container.

    Raises:
        EncodeError: A Struct can't hold the value.
    """
    kind = type(value)
    if issubclass(kind, str):
        try:
            data = str.encode(value)
        except UnicodeEncodeError:
            raise EncodeError("", _NOT_TEXT) from None
        return b"\x1a" + varint(len(data)) + data
    if issubclass(kind, bool):
        return b"\x20\x01" if value else b"\x20\x00"
    if issubclass(kind, int):
        if not -MAX_INT <= value <= MAX_INT:
            raise EncodeError("", _TOO_BIG)
        return b"\x11" + parts.pack(value)
    if issubclass(kind, float):
        if value - value != 0.0:
            raise EncodeError(
                "", f"must be a finite number (got {value}): JSON has no NaN and no infinity"
            )
        return b"\x11" + parts.pack(value)
    if value is None or value is NULL:
        return b"\x08\x00"
    if type(value) is _Encoded:
        return value.buffer[value.start : value.end]
    got = f"got {type_in_words(value)}; {_instead_of(value)}"
    raise EncodeError("", f"must be a JSON value, such as a string, a list or a dict ({got})")


def _instead_of(value: object) -> str:
    """Return the code to write for a value that isn't JSON."""
    kind = type(value)
    if hasattr(kind, "__await__"):
        return "await it"
    if callable(value):
        return "call it"
    if issubclass(kind, (bytes, bytearray)):
        return "write .decode()"
    return "write list(...)" if hasattr(kind, "__iter__") else "write str(...)"

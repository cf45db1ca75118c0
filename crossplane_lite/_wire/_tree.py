"""Encoding of any tree with an explicit stack, back to front, so that each length is known when it is written.

Nothing is copied level by level, so the time is linear in the size, however deep the tree is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from crossplane_lite._sentinels import NULL, TOMBSTONE, Replaced
from crossplane_lite._wire import _scan
from crossplane_lite._wire._parts import HEADS, MAX_INT, NAMES, Bail, pack, prefix_of, varint
from crossplane_lite.errors import EncodeError

__all__ = [
    "Overlay",
    "deleted_keys",
    "encode_tree",
    "encode_value_tree",
    "join_path",
    "member_prefix",
    "merges",
    "wire_keys",
]

_plain: Final = re.compile(r"[A-Za-z0-9_-]+").fullmatch

_Members = Iterator[tuple[Any, bytes, Any]]
"""Label for the path, entry prefix (empty in a list) and value."""


class _Encoded(NamedTuple):
    """A Value that lies encoded in a buffer."""

    buffer: bytes
    start: int
    end: int


class Overlay:
    """A mapping or model over the Struct that lies in the `spans` of a buffer."""

    def __init__(self, obj: Any, buffer: bytes, spans: list[_scan.Span]) -> None:
        self.obj = obj
        self._buffer = buffer
        self._spans = spans

    def members(self) -> _Members:
        """Yield the members of the merged Struct."""
        buffer = self._buffer
        merged: dict[str, Any] = {}
        for name, (start, end) in _scan.fields(buffer, self._spans).items():
            merged[name] = _Encoded(buffer, start, end)
        fixed: bytes = b"" if wire_keys(self.obj) is None else self.obj.__wire_head__
        for name, (start, end) in _scan.fields(fixed, [(0, len(fixed))]).items():
            merged[name] = _Encoded(fixed, start, end)
        for name in deleted_keys(self.obj):
            merged.pop(name, None)
        for name, _, value in _members(self.obj, keep_tombstones=True):
            old = merged.get(name)
            if old is not None and merges(value):
                kind, payload = _scan.value(*old)
                if kind == _scan.STRUCT:
                    value = Overlay(value, buffer, payload)
            merged[name] = value
        return _members(merged)


class _Frame:
    """A container whose members are being written."""

    def __init__(self, obj: Any, prefix: bytes, mark: int) -> None:
        self.obj = obj
        self.prefix = prefix
        self.mark = mark
        self.tag = b"\x32" if isinstance(obj, (list, tuple)) else b"\x2a"
        self.members = obj.members() if type(obj) is Overlay else _members(obj)
        # What is the same in every instance of a model is encoded already.
        self.fixed: bytes = b"" if wire_keys(obj) is None else obj.__wire_head__
        self.label: Any = None


def wire_keys(obj: Any) -> Mapping[str, bytes] | None:
    """Return the attribute names and entry prefixes of a model, None for anything else."""
    keys: Mapping[str, bytes] | None = getattr(type(obj), "__wire_keys__", None)
    return keys


def _is_struct(value: Any) -> bool:
    """Say whether a value becomes a Struct: a mapping or a model."""
    return type(value) is dict or wire_keys(value) is not None or isinstance(value, Mapping)


def merges(value: Any) -> bool:
    """Say whether a value merges into a Struct that it lies over."""
    return _is_struct(value) and type(value) is not Replaced


def deleted_keys(obj: Any) -> list[str]:
    """Return the keys that a mapping or model removes from what it lies over."""
    keys = wire_keys(obj)
    if keys is None:
        return list(getattr(obj, "deleted", None) or ()) if isinstance(obj, dict) else []
    node = getattr(obj, "_node", None)
    deleted = None if node is None else node.deleted
    return [NAMES[keys[name]] for name in deleted] if deleted else []


def encode_tree(root: Any) -> bytes:
    """Encode a mapping, a model or an Overlay to the bytes of a Struct, a list or tuple to those of a ListValue.

    Raises:
        EncodeError: A value can't be carried; the error has its path.
    """
    return b"".join(reversed(_chunks(root)))


def encode_value_tree(value: Any) -> bytes:
    """Encode anything to the bytes of a Value.

    Raises:
        EncodeError: The value can't be carried; the error has its path within it.
    """
    if _is_container(value):
        payload = encode_tree(value)
        return (b"\x32" if isinstance(value, (list, tuple)) else b"\x2a") + varint(len(payload)) + payload
    return _leaf(value)


def join_path(labels: Iterable[str | int]) -> str:
    """Return keys and indexes as a path like `spec.ports[2]["a/b"]`."""
    path = ""
    for label in labels:
        if isinstance(label, int):
            path += f"[{label}]"
        elif _plain(label):
            path += f".{label}" if path else label
        else:
            quoted = label.replace("\\", "\\\\").replace('"', '\\"')
            path += f'["{quoted}"]'
    return path


def _chunks(root: Any) -> list[bytes]:
    """Return the encoded root in pieces, the last one first."""
    out: list[bytes] = []
    size = 0
    stack: list[_Frame] = []
    active: set[int] = set()

    def finish(prefix: bytes, mark: int) -> int:
        """Write what stands in front of a Value that was written since `mark`."""
        if prefix:
            out.append(prefix)
            out.append(HEADS[size + len(prefix) - mark])
            return len(prefix) + len(out[-1])
        out.append(b"\x0a")
        return 1

    try:
        stack.append(_Frame(root, b"", 0))
        active.add(id(root))
        while True:
            frame = stack[-1]
            for label, prefix, value in frame.members:
                frame.label = label
                mark = size
                if _is_container(value):
                    if id(value) in active:
                        raise EncodeError("", "must not contain itself")
                    stack.append(_Frame(value, prefix, mark))
                    active.add(id(value))
                    break
                data = _leaf(value)
                head = varint(len(data))
                out += (data, head)
                size += len(data) + len(head)
                size += finish(prefix, mark)
            else:
                stack.pop()
                active.discard(id(frame.obj))
                out.append(frame.fixed)
                size += len(frame.fixed)
                if not stack:
                    return out
                inner = size - frame.mark
                head = frame.tag + varint(inner)
                head = varint(len(head) + inner) + head
                out.append(head)
                size += len(head)
                size += finish(frame.prefix, frame.mark)
    except EncodeError as error:
        raise error.under(join_path([frame.label for frame in stack if frame.label is not None])) from None


def _is_container(value: Any) -> bool:
    kind = type(value)
    if kind is str or kind is _Encoded:
        return False
    return kind is dict or kind is Overlay or isinstance(value, (list, tuple)) or _is_struct(value)


def _members(obj: Any, *, keep_tombstones: bool = False) -> _Members:
    """Yield the members of a container, the last one first."""
    if isinstance(obj, (list, tuple)):
        for index in range(len(obj) - 1, -1, -1):
            yield index, b"", obj[index]
        return
    keys = wire_keys(obj)
    items = (obj if keys is None else obj.__dict__).items()
    for key, value in reversed(items if isinstance(obj, dict) or keys is not None else list(items)):
        if value is not TOMBSTONE or keep_tombstones:
            prefix = member_prefix(obj, keys, key)
            yield key if type(key) is str and keys is None else NAMES[prefix], prefix, value


def member_prefix(obj: Any, keys: Mapping[str, bytes] | None, key: Any) -> bytes:
    """Return the entry prefix of a key of a mapping, or of an attribute of a model, which has `keys`.

    Raises:
        EncodeError: It can't be a key, or the model has no such field.
    """
    try:
        return prefix_of(key) if keys is None else keys[key]
    except KeyError:
        problem = f"{type(obj).__name__} has no field {key!r}"
    except Bail:
        problem = f"keys must be strings (got one that is a {type(key).__name__})"
    except UnicodeEncodeError:
        problem = "keys must be valid Unicode text (got one with a lone surrogate)"
    raise EncodeError("", problem)


def _leaf(value: Any) -> bytes:
    """Encode a Value that isn't a container."""
    if isinstance(value, str):
        try:
            data = str.encode(value)
        except UnicodeEncodeError:
            raise EncodeError("", "must be valid Unicode text (got a lone surrogate)") from None
        return b"\x1a" + varint(len(data)) + data
    if isinstance(value, bool):
        return b"\x20\x01" if value else b"\x20\x00"
    if isinstance(value, int):
        if not -MAX_INT <= value <= MAX_INT:
            raise EncodeError("", "must be an integer of at most 2**53, which a Struct can carry exactly")
        return b"\x11" + pack(value)
    if isinstance(value, float):
        if value - value != 0.0:
            raise EncodeError("", "must be a finite number, JSON has no NaN and no infinity")
        return b"\x11" + pack(value)
    if value is None or value is NULL:
        return b"\x08\x00"
    if type(value) is _Encoded:
        return value.buffer[value.start : value.end]
    raise EncodeError("", f"must be a JSON value (got one that is a {type(value).__name__})")

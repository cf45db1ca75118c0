"""The pieces that encoded Structs are put together from, made once and kept."""

from __future__ import annotations

from struct import Struct as Packer
from typing import Any, Final

__all__ = [
    "HEADS",
    "INTS",
    "LIST_HEADS",
    "MAX_INT",
    "NAMES",
    "PREFIXES",
    "STRING_HEADS",
    "STRUCT_HEADS",
    "Bail",
    "entry_prefix",
    "pack",
    "varint",
]

MAX_INT: Final = 2**53
pack: Final = Packer("<d").pack


class Bail(Exception):
    """The fast encoder met something that it doesn't take; the caller has a slower way."""


def varint(number: int) -> bytes:
    """Encode a length."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def entry_prefix(key: str) -> bytes:
    """Return what stands in a map entry in front of the length of its value."""
    text = key.encode()
    return b"\x0a" + varint(len(text)) + text + b"\x12"


class _Kept(dict[Any, bytes]):
    """Base of the caches: `cache[x]` always answers, and what is likely to be asked again is kept.

    They stay small whatever the data: lengths and numbers are kept up to a bound, keys until there are too many.
    """


class _Heads(_Kept):
    """Length of a map entry to tag and length."""

    def __missing__(self, length: int) -> bytes:
        head = b"\x0a" + varint(length)
        if length < 4096:
            self[length] = head
        return head


class _ValueHeads(_Kept):
    """Length of a payload to the length of its Value, and the tag and length of the payload in it."""

    def __init__(self, tag: bytes) -> None:
        super().__init__()
        self._tag = tag

    def __missing__(self, length: int) -> bytes:
        inner = self._tag + varint(length)
        head = varint(len(inner) + length) + inner
        if length < 4096:
            self[length] = head
        return head


class _Ints(_Kept):
    """A small int to the length of its Value and the Value."""

    def __missing__(self, number: int) -> bytes:
        if not -MAX_INT <= number <= MAX_INT:
            raise Bail
        encoded = b"\x09\x11" + pack(number)
        if -2 < number < 1025:
            self[number] = encoded
        return encoded


class _Prefixes(_Kept):
    """A key to its entry prefix."""

    def __missing__(self, key: Any) -> bytes:
        if not isinstance(key, str):
            raise Bail
        prefix = entry_prefix(str.__str__(key))
        if len(prefix) < 100:
            if len(self) >= 4096:
                self.clear()
            self[str.__str__(key)] = prefix
        return prefix


class _Names(dict[bytes, str]):
    """An entry prefix to its key."""

    def __missing__(self, prefix: bytes) -> str:
        start = 2
        while prefix[start - 1] > 127:
            start += 1
        key = prefix[start:-1].decode()
        if len(self) >= 4096:
            self.clear()
        self[prefix] = key
        return key


HEADS: Final = _Heads()
STRING_HEADS: Final = _ValueHeads(b"\x1a")
STRUCT_HEADS: Final = _ValueHeads(b"\x2a")
LIST_HEADS: Final = _ValueHeads(b"\x32")
INTS: Final = _Ints()
PREFIXES: Final = _Prefixes()
NAMES: Final = _Names()

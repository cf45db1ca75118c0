"""Short pieces of bytes of which encoded Structs are made. Frequent pieces are made once and kept.

A Struct is a protobuf map, and each member is a map entry. Its entry prefix is the part from the key to the value's
tag, which is the same for all members with that key. Before the prefix come the entry's tag and length; after it, the
value's length and the value.
"""

from __future__ import annotations

from struct import Struct as Packer
from typing import Any, Final

from .._base.numbers import EXACT

__all__ = [
    "HEADS",
    "INTS",
    "LIST_HEADS",
    "MAX_INT",
    "NAMES",
    "PREFIXES",
    "SHORT_HEADS",
    "SHORT_TEXT_HEADS",
    "STRUCT_HEADS",
    "TEXT_HEADS",
    "Bail",
    "entry_prefix",
    "pack",
    "prefix_of",
    "varint",
]

MAX_INT: Final = EXACT
pack: Final = Packer("<d").pack

# The caches stay small whatever the data is. Only small lengths and numbers are kept; of keys, all are dropped when
# there are too many.
_KEPT_LENGTHS: Final = 1024
_KEPT_INTS: Final = range(-1, 1025)
_KEPT_KEYS: Final = 4096
_KEPT_KEY_LENGTH: Final = 100


class Bail(Exception):
    """The fast encoder met a value that it doesn't take. The caller must encode the data in a slower way."""


def varint(number: int) -> bytes:
    """Encode a length as a varint, protobuf's integer of variable length."""
    if number < 1 << 7:
        return bytes((number,))
    if number < 1 << 14:
        return bytes((number & 127 | 128, number >> 7))
    if number < 1 << 21:
        return bytes((number & 127 | 128, number >> 7 & 127 | 128, number >> 14))
    return bytes((number & 127 | 128,)) + varint(number >> 7)


def entry_prefix(key: str) -> bytes:
    """Return the entry prefix for a key: the bytes of the key and the value's tag (see the module's docstring).

    Raises:
        UnicodeEncodeError: The key has a lone surrogate.
    """
    text = key.encode()
    return b"\x0a" + varint(len(text)) + text + b"\x12"


class _Heads(dict[int, bytes]):
    """Maps the length of a map entry to the bytes before the entry: its tag and the length."""

    def __missing__(self, length: int) -> bytes:
        head = b"\x0a" + varint(length)
        if length < _KEPT_LENGTHS:
            self[length] = head
        return head


class _ValueHeads(dict[int, bytes]):
    """Maps a payload's length to the bytes before the payload: the Value's length, and the payload's tag and length."""

    def __init__(self, tag: bytes) -> None:
        super().__init__()
        self._tag = tag

    def __missing__(self, length: int) -> bytes:
        inner = self._tag + varint(length)
        head = varint(len(inner) + length) + inner
        if length < _KEPT_LENGTHS:
            self[length] = head
        return head


class _Ints(dict[int, bytes]):
    """Maps an int to its encoded Value with the Value's length before it. Bail if the int is beyond 2**53 or -2**53."""

    def __missing__(self, number: int) -> bytes:
        if not -MAX_INT <= number <= MAX_INT:
            raise Bail
        encoded = b"\x09\x11" + pack(number)
        if number in _KEPT_INTS:
            self[number] = encoded
        return encoded


class _Names(dict[bytes, str]):
    """Maps an entry prefix to the key in it."""

    def __missing__(self, prefix: bytes) -> str:
        start = 2
        while prefix[start - 1] > 127:
            start += 1
        key = prefix[start:-1].decode()
        if len(prefix) < _KEPT_KEY_LENGTH:
            if len(self) >= _KEPT_KEYS:
                self.clear()
            self[prefix] = key
        return key


HEADS: Final = _Heads()
TEXT_HEADS: Final = _ValueHeads(b"\x1a")
STRUCT_HEADS: Final = _ValueHeads(b"\x2a")
LIST_HEADS: Final = _ValueHeads(b"\x32")
INTS: Final = _Ints()
NAMES: Final = _Names()

SHORT_HEADS: Final = [b"\x0a" + bytes((length,)) for length in range(128)]
SHORT_TEXT_HEADS: Final = [bytes((length + 2, 0x1A, length)) for length in range(126)]
"""The same as HEADS and TEXT_HEADS for short lengths, which are the usual ones: a list is twice as fast as a dict."""

PREFIXES: Final[dict[Any, bytes]] = {}
"""The entry prefixes of keys that were used lately. A plain dict, for speed; `prefix_of` adds missing prefixes."""


def prefix_of(key: Any) -> bytes:
    """Return the entry prefix of a map key. It is kept in PREFIXES, unless it is long.

    Raises:
        Bail: The key is not a str.
        UnicodeEncodeError: The key has a lone surrogate.
    """
    if not isinstance(key, str):
        raise Bail
    # A str enum hashes differently from its value, so only true strings are looked up and kept.
    key = str.__str__(key)
    prefix = PREFIXES.get(key)
    if prefix is None:
        prefix = entry_prefix(key)
        if len(prefix) < _KEPT_KEY_LENGTH:
            if len(PREFIXES) >= _KEPT_KEYS:
                PREFIXES.clear()
            PREFIXES[key] = prefix
    return prefix

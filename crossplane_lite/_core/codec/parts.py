"""What the encoders share: short pieces of encoded Structs, and the objects that can be encoded.

A Struct is a protobuf map, and each member is a map entry. Its entry prefix is the part from the
key to the value's tag, which is the same for all members with that key. Before the prefix come the
entry's tag and length; after it, the value's length and the value. Frequent pieces are made once
and kept.

Mappings from str and models can be encoded. The encoders read these attributes of them, and no
others:

`__wire_keys__`
    Of a model's class: the entry prefixes by attribute name. An object whose class has this
    attribute is a model.
`__wire_head__`
    Of a model's class: the fields that are the same in every instance, encoded.
`__dict__`
    Of a model: its set values, by attribute name.
`__wire_below__`
    Of a model, and of some mappings: None, or an object that says how the model or mapping is
    merged into another value. It has two attributes: `deleted`, the attributes or keys to remove
    from that value, or None; and `shows`, which is `SET`, `MORE` or `WHOLE`.
`__wire_text__`
    Of any other object: the text that is encoded in its place, or None. Only `encode` reads it, and
    `tree` doesn't.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct as Packer
from typing import Any, Final

from ...errors import EncodeError
from ..base.scalars import EXACT as MAX_INT
from ..base.sentinels import Replaced
from ..base.texts import type_in_words

pack: Final = Packer("<d").pack

# The caches stay small whatever the data is. Only small lengths and numbers are kept; of keys, all
# are dropped when there are too many.
_KEPT_LENGTHS: Final = 1024
_KEPT_INTS: Final = range(-1, 1025)
_KEPT_KEYS: Final = 4096
_KEPT_KEY_LENGTH: Final = 100


class Bail(Exception):
    """The fast encoder met a value that it doesn't take. The caller must encode the data in a
    slower way.
    """


def varint(number: int) -> bytes:
    """Encode a length as a varint, protobuf's integer of variable length."""
    if number < 1 << 7:
        return bytes((number,))
    if number < 1 << 14:
        return bytes((number & 127 | 128, number >> 7))
    return bytes((number & 127 | 128,)) + varint(number >> 7)


def entry_prefix(key: str) -> bytes:
    """Return the entry prefix for a key: the bytes of the key and the value's tag (see the module's
    docstring).

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
    """Maps a payload's length to the bytes before the payload: the Value's length, and the
    payload's tag and length.
    """

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
    """Maps an int to its encoded Value with the Value's length before it. Bail if the int is beyond
    2**53 or -2**53.
    """

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

PREFIXES: Final[dict[Any, bytes]] = {}
"""The entry prefixes of keys that were used lately. A plain dict, for speed; `prefix_of` adds
missing prefixes.
"""


def prefix_of(key: Any) -> bytes:
    """Return the entry prefix of a map key. It is kept in PREFIXES, unless it is long.

    Raises:
        Bail: The key is not a str.
        UnicodeEncodeError: The key has a lone surrogate.
    """
    # isinstance() takes an Observable with a known value for a string
    if not issubclass(type(key), str):
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


SET: Final = 0
"""The model or mapping shows only the fields that were set in it."""

MORE: Final = 1
"""The model or mapping shows more fields than were set in it: it lies over bytes of its own, or is
observed state.
"""

WHOLE: Final = 2
"""As MORE. All fields that the model or mapping shows belong to its value, not only the fields that
were set.
"""


def wire_keys(obj: Any) -> Mapping[str, bytes] | None:
    """Return the entry prefixes of a model by attribute name; None if `obj` isn't a model."""
    keys: Mapping[str, bytes] | None = getattr(type(obj), "__wire_keys__", None)
    return keys


def fixed_fields(obj: Any) -> bytes:
    """Return the encoded fields that every instance of a model has; empty bytes if `obj` isn't a
    model.
    """
    fixed: bytes = getattr(type(obj), "__wire_head__", b"")
    return fixed


def deleted_keys(obj: Any) -> list[str]:
    """Return the wire keys that `obj` removes when it is merged into a value; an empty list if
    there are none.
    """
    keys = wire_keys(obj)
    below = getattr(obj, "__wire_below__", None)
    deleted = None if below is None else below.deleted
    if not deleted:
        return []
    return list(deleted) if keys is None else [NAMES[keys[name]] for name in deleted]


def is_struct(value: Any) -> bool:
    """Return whether a value is encoded as a Struct: whether it is a mapping or a model."""
    kind = type(value)
    return issubclass(kind, dict) or wire_keys(value) is not None or issubclass(kind, Mapping)


def merges(value: Any) -> bool:
    """Return whether a value is merged into a Struct at its path: a mapping or model that isn't
    `Replaced`.
    """
    return is_struct(value) and type(value) is not Replaced


def member_prefix(obj: Any, key: Any) -> bytes:
    """Return the entry prefix of a mapping's key, or of a model's attribute name.

    Raises:
        EncodeError: The key isn't a string, or isn't valid Unicode, or the model has no such
            attribute.
    """
    keys = wire_keys(obj)
    try:
        return prefix_of(key) if keys is None else keys[key]
    except KeyError:
        problem = f"{type(obj).__name__} has no field {key!r}"
    except Bail:
        problem = f"keys must be strings (got {type_in_words(key)})"
    except UnicodeEncodeError:
        problem = "keys must be valid Unicode text (got one with a lone surrogate)"
    raise EncodeError("", problem)

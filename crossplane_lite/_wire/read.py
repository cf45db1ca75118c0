"""Reads a Struct one level at a time, each level with protobuf's own parser."""

from __future__ import annotations

import enum
from collections.abc import MutableMapping, Sequence
from typing import Any, Final

from ..proto._pool import DecodeError, Level, ListLevel
from . import decode
from .faults import unreadable
from .scan import LIST, STRUCT
from .value import open_value

__all__ = ["MISSING", "get_path", "split", "split_list"]


class Missing(enum.Enum):
    """The type of `MISSING`: an enum with one member, so that type checkers understand `if x is MISSING`."""

    MISSING = "MISSING"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""For `get_path(..., default=MISSING)`: tells an absent field from a field that is null, which is read as None."""

_level: Final = Level.FromString
_list_level: Final = ListLevel.FromString


def split(raw: bytes) -> MutableMapping[str, bytes]:
    """Split a Struct into its fields, without looking into them.

    The mapping, from keys to the bytes of Values, is protobuf's own. Its `[]` adds a key that it lacks, so use `get()`
    or `in` first. Raises WireError for malformed bytes.
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

    A negative index counts from the list's end. Raises WireError if the bytes of the value, or of a Struct or list on
    the path, are malformed.
    """
    kind: int = STRUCT
    payload: Any = raw
    try:
        for part in path:
            if isinstance(part, str):
                if kind != STRUCT:
                    return default
                value = _level(payload).fields.get(part)
                if value is None:
                    return default
            else:
                if kind != LIST:
                    return default
                values = _list_level(payload).values
                if not -len(values) <= part < len(values):
                    return default
                value = values[part]
            kind, payload = open_value(value)
    except (DecodeError, UnicodeDecodeError) as error:
        raise unreadable(error) from error
    if kind == STRUCT:
        return decode.decode_struct(payload)
    if kind == LIST:
        return decode.decode_list(payload)
    return payload

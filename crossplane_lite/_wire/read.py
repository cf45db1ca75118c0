"""Reading one level at a time, with protobuf's own parser doing the splitting."""

from __future__ import annotations

import enum
from collections.abc import MutableMapping, Sequence
from typing import Any, Final

from ..errors import WireError
from ..proto._pool import DecodeError, Level, ListLevel
from . import decode
from .faults import note
from .scan import LIST, STRUCT
from .value import open_value

__all__ = ["MISSING", "get_path", "split", "split_list"]


class Missing(enum.Enum):
    """Type of `MISSING`. An enum of one member, because type checkers narrow those."""

    MISSING = "MISSING"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""For `get_path(..., default=MISSING)`: says that a field is absent, which None doesn't."""

_level: Final = Level.FromString
_list_level: Final = ListLevel.FromString


def split(raw: bytes) -> MutableMapping[str, bytes]:
    """Split a Struct into its fields, without looking into them.

    Args:
        raw: The bytes of a Struct.

    Returns:
        Key to the bytes of its Value. It is protobuf's own map: `get()` and `in` before `[]`, for reading a
        key that is missing with `[]` adds it.

    Raises:
        WireError: The bytes are not a legal message.
    """
    try:
        fields: MutableMapping[str, bytes] = _level(raw).fields
        return fields
    except (DecodeError, UnicodeDecodeError) as error:
        raise note(WireError(str(error))) from error


def split_list(raw: bytes) -> Sequence[bytes]:
    """Split a ListValue into the bytes of its Values.

    Raises:
        WireError: The bytes are not a legal message.
    """
    try:
        values: Sequence[bytes] = _list_level(raw).values
        return values
    except DecodeError as error:
        raise note(WireError(str(error))) from error


def get_path(raw: bytes, path: Sequence[str | int], default: Any = None) -> Any:
    """Return one field, decoded whole at its place.

    Args:
        raw: The bytes of a Struct.
        path: Keys of structs and indexes of lists.
        default: The result where the path leads nowhere.

    Raises:
        WireError: The bytes on the way are not a legal message.
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
        raise note(WireError(str(error))) from error
    if kind == STRUCT:
        return decode.decode_struct(payload)
    if kind == LIST:
        return decode.decode_list(payload)
    return payload

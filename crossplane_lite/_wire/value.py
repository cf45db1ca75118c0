"""Reads the kind and the payload of one Value: fast for usual encodings, and with `scan` for all others."""

from __future__ import annotations

from typing import Any

from ..errors import WireError
from . import scan
from .faults import note
from .scan import BOOL, LIST, NUMBER, STRING, STRUCT

__all__ = ["open_value"]


def open_value(value: bytes) -> tuple[int, Any]:
    """Return the kind and the payload of a Value.

    The payload of a STRUCT or LIST is its bytes, unchecked; an empty Value is NULL and None. Raises WireError for
    malformed bytes.
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
    # Here are left: an empty Value, null, a length of more than two bytes, and unusual or illegal encodings.
    try:
        kind, payload = scan.value(value, 0, len(value))
    except WireError as error:
        note(error)
        raise
    if kind >= STRUCT:
        payload = b"".join([value[start:end] for start, end in payload])
    return kind, payload

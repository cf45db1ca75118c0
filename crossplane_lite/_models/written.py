"""Converts Python values that Kubernetes writes as strings or numbers: members of enums, times and dates."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from .._base.sentinels import NullType, UnsetType

__all__ = ["as_written"]

_OWN: Final = (NullType, UnsetType)


def as_written(value: Any, fault: Callable[[str], Exception]) -> Any:
    """Return a member of an enum as its value, and a time or date as the string that Kubernetes uses.

    Any other value is returned as it is. A time is converted to UTC. The value must not be an Observable: the checks
    made here would count as uses of it. Raises the error that `fault` makes from a text for a time without a time zone.
    """
    if isinstance(value, Enum):
        return value if isinstance(value, _OWN) else value.value
    datetime = sys.modules.get("datetime")  # a date can only exist once it is imported
    if datetime is None or not isinstance(value, datetime.date):
        return value
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    if value.utcoffset() is None:
        raise fault(
            f"a time must have a time zone (got {value!r}); write datetime.now(timezone.utc), or replace(tzinfo=...)"
        )
    text: str = value.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat()
    return text + "Z"

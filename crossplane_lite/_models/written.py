"""Values of Python's own that Kubernetes writes as text or numbers: members of enums, times and dates."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from .._base.sentinels import NullType, UnsetType

__all__ = ["as_written"]

_OWN: Final = (NullType, UnsetType)


def as_written(value: Any, fault: Callable[[str], Exception]) -> Any:
    """Return a member of an enum as its value, a time or a date as Kubernetes writes it, anything else as it is.

    Args:
        value: No Observable: what it is asked for would count as a use.
        fault: Makes the error of a problem.

    Raises:
        Exception: What `fault` makes, for a time without a time zone.
    """
    if isinstance(value, Enum):
        return value if isinstance(value, _OWN) else value.value
    datetime = sys.modules.get("datetime")  # who has one has imported it
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

"""The value at the path of an Observable, in the call that is going on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _wire
from .._base.sentinels import UNSET
from .._paths import field_path
from ..errors import UsageError

__all__ = ["value_at", "value_in"]

EXTERNAL_NAME = "crossplane.io/external-name"


def value_at(observed: Mapping[str, Any], xr: Any, path: str) -> Any:
    """Return the value at a path such as `bucket.status.atProvider.id` in observed state, or UNSET.

    Args:
        observed: Observed composed resources, by name.
        xr: The top of the observed composite; None without one.
        path: The path. It begins with the name of a composed resource, or with `xr`.
    """
    if path.startswith("xr."):
        return UNSET if xr is None or not xr.raw else value_in(xr.raw, xr.details, path[3:])
    # A name may have dots in it; the longest one that fits is meant.
    for at in range(len(path) - 1, 0, -1):
        if path[at] in ".[" and path[:at] in observed:
            one = observed[path[:at]]
            return value_in(one.resource, one.connection_details, path[at:].removeprefix("."))
    return UNSET


def value_in(raw: bytes, details: Mapping[str, bytes], way: str) -> Any:
    """Return the value at a path in an observed object, or UNSET."""
    if way == "external_name":
        name = _wire.get_path(raw, ("metadata", "annotations", EXTERNAL_NAME))
        return UNSET if name is None else name
    try:
        steps = field_path.parse(way)
    except UsageError:  # such as `apply`'s names of its results
        return UNSET
    if steps and steps[0] == "connection_details":
        given = details.get(str(steps[1])) if len(steps) == 2 else None
        return UNSET if given is None else given.decode(errors="replace")
    value: Any = _wire.decode_struct(raw)
    for step in steps:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return UNSET
    return UNSET if value is None else value

"""Looking up the value at the path of an Observable in observed state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _wire
from .._base.sentinels import UNSET
from .._paths import field_path
from .._paths.text import EXTERNAL_NAME
from ..errors import UsageError

__all__ = ["is_reported", "steps_of", "value_at", "value_in"]


def value_at(observed: Mapping[str, Any], xr: Any, path: str) -> Any:
    """Return the observed value at a path such as `bucket.status.atProvider.id`; UNSET if there is no value.

    Args:
        observed: The observed composed resources by name.
        xr: The `Root` of the observed composite; None if there is no composite.
        path: The path. It begins with `xr.` or with the name of a composed resource. If several names fit, because a
            name may have dots, the longest counts.

    Raises:
        WireError: The bytes are malformed.
    """
    if path.startswith("xr."):
        return UNSET if xr is None or not xr.raw else value_in(xr.raw, xr.details, path[3:])
    # A name may have dots, so the longest name that the path begins with counts.
    for at in range(len(path) - 1, 0, -1):
        if path[at] in ".[" and path[:at] in observed:
            one = observed[path[:at]]
            return value_in(one.resource, one.connection_details, path[at:].removeprefix("."), composed=True)
    return UNSET


def is_reported(way: str) -> bool:
    """Say whether a path in a composed resource leads to its status, but not to a condition.

    An empty string there means that the provider hasn't reported the value: it counts as missing.
    """
    return way.startswith("status.") and not way.startswith("status.conditions")


def value_in(raw: bytes, details: Mapping[str, bytes], way: str, *, composed: bool = False) -> Any:
    """Return the value at a path in an observed object; UNSET if the value is missing or null, or `way` isn't a path.

    Args:
        raw: The object's Struct bytes.
        details: The object's connection details. The path `connection_details` leads to them.
        way: The path without the object's name. An empty path stands for the whole object.
        composed: Whether the object is a composed resource: then `is_reported` says which empty strings are missing.

    Raises:
        WireError: The bytes are malformed.
    """
    try:
        steps = steps_of(way)
    except UsageError:  # not a path: a result of `apply` has such a name
        return UNSET
    if steps[:1] == ("connection_details",):
        texts = {key: value.decode(errors="replace") for key, value in details.items()}
        return texts or UNSET if len(steps) == 1 else texts.get(str(steps[1]), UNSET) if len(steps) == 2 else UNSET
    value = _wire.get_path(raw, steps)
    return UNSET if value is None or (value == "" and composed and is_reported(way)) else value


def steps_of(way: str) -> tuple[str | int, ...]:
    """Return the keys and indexes of a path.

    Args:
        way: The path without the object's name; empty for no steps. `external_name` stands for the path of the
            annotation `crossplane.io/external-name`.

    Raises:
        UsageError: `way` isn't a path of keys and indexes.
    """
    if way == "external_name":
        return ("metadata", "annotations", EXTERNAL_NAME)
    steps: list[str | int] = []
    for step in field_path.parse(way) if way else ():
        if isinstance(step, field_path.Select):
            raise UsageError(f"{way!r} selects an element by its fields; give an index instead")
        steps.append(step)
    return tuple(steps)

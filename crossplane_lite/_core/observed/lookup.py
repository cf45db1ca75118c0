"""Looking up values and conditions in observed state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import UsageError
from .. import codec
from ..base.sentinels import UNSET
from ..paths import field_path
from ..paths.text import EXTERNAL_NAME

__all__ = ["condition_of", "conditions_of", "is_reported", "steps_of", "value_at", "value_in"]


def value_at(observed: Mapping[str, Any], xr: Any, path: str) -> Any:
    """Return the observed value at a path such as `bucket.status.atProvider.id`; UNSET if there is no value.

    `xr` is the `Root` of the observed composite, if there is one. Raises WireError for malformed bytes.
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

    An empty `way` stands for the whole object, and `connection_details` leads to the details. In a composed resource,
    `is_reported` says which empty strings are missing. Raises WireError for malformed bytes.
    """
    try:
        steps = steps_of(way)
    except UsageError:  # not a path: a result of `apply` has such a name
        return UNSET
    if steps[:1] == ("connection_details",):
        texts = {key: value.decode(errors="replace") for key, value in details.items()}
        return texts or UNSET if len(steps) == 1 else texts.get(str(steps[1]), UNSET) if len(steps) == 2 else UNSET
    value = codec.get_path(raw, steps)
    return UNSET if value is None or (value == "" and composed and is_reported(way)) else value


def steps_of(way: str) -> tuple[str | int, ...]:
    """Return the keys and indexes of a path.

    An empty `way` has no steps. `external_name` stands for the path of the annotation `crossplane.io/external-name`.
    Raises UsageError if `way` isn't a path of keys and indexes.
    """
    if way == "external_name":
        return ("metadata", "annotations", EXTERNAL_NAME)
    steps: list[str | int] = []
    for step in field_path.parse(way) if way else ():
        if isinstance(step, field_path.Select):
            raise UsageError(f"{way!r} selects an element by its fields; give an index instead")
        steps.append(step)
    return tuple(steps)


def condition_of(raw: bytes | None, type_: str) -> dict[str, Any] | None:
    """Return the first condition of the type `type_` in an object's status; None if there is no such condition.

    Raises WireError for malformed bytes.
    """
    return conditions_of(raw).get(type_)


def conditions_of(raw: bytes | None) -> dict[str, dict[str, Any]]:
    """Return the conditions in an object's status by their types, the first of each type.

    Raises WireError for malformed bytes.
    """
    conditions = None if raw is None else codec.get_path(raw, ("status", "conditions"))
    found: dict[str, dict[str, Any]] = {}
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and isinstance(type_ := condition.get("type"), str):
            found.setdefault(type_, condition)
    return found

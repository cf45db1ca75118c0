"""Finding the condition of a given type in an observed object."""

from __future__ import annotations

from typing import Any

from .. import _wire

__all__ = ["condition_of", "conditions_of"]


def condition_of(raw: bytes | None, type_: str) -> dict[str, Any] | None:
    """Return the first condition of the type `type_` in an object's status; None if there is no such condition.

    Raises WireError for malformed bytes.
    """
    return conditions_of(raw).get(type_)


def conditions_of(raw: bytes | None) -> dict[str, dict[str, Any]]:
    """Return the conditions in an object's status by their types, the first of each type.

    Raises WireError for malformed bytes.
    """
    conditions = None if raw is None else _wire.get_path(raw, ("status", "conditions"))
    found: dict[str, dict[str, Any]] = {}
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and isinstance(type_ := condition.get("type"), str):
            found.setdefault(type_, condition)
    return found

"""Finding a condition of an observed object."""

from __future__ import annotations

from typing import Any

from .. import _wire

__all__ = ["condition_of"]


def condition_of(raw: bytes | None, type_: str) -> dict[str, Any] | None:
    """Return an object's condition of a type; None if it has none.

    Args:
        raw: The object's Struct bytes; None for an object that doesn't exist.
        type_: The condition's type, such as `Ready`.
    """
    conditions = None if raw is None else _wire.get_path(raw, ("status", "conditions"))
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == type_:
            return condition
    return None

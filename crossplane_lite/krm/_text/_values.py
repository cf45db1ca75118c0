"""JSON values: checks whether a Python value is one, and whether two are equal."""

from __future__ import annotations

from ..._base.type_names import type_in_words
from ...errors import UsageError
from ._nodes import DEEPEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["checked", "same"]


def checked(value: Any, path: str = "", depth: int = 0) -> Any:
    """Return a copy of a value as plain JSON values.

    Args:
        value: The value; tuples become lists.
        path: The value's path in messages; if it is empty, messages say "the value".
        depth: The number of lists and dicts around the value.

    Raises:
        UsageError: The value, or a part of it, isn't a JSON value, or is nested too deep.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise UsageError(f"{path or 'the value'}: {value!r:.60} has half of a character; give the whole one")
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value - value != 0:
            raise UsageError(
                f"{path or 'the value'}: {value} can't be used, because JSON has no such number; give a finite one"
            )
        return float(value)
    if depth > DEEPEST:
        raise UsageError(f"{path[:40]}... is nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        found = {}
        for key, one in value.items():
            if not isinstance(key, str):
                raise UsageError(f"{path or 'the value'}: a key must be a string (got {key!r})")
            found[checked(key, path)] = checked(one, f"{path}.{key}" if path else key, depth + 1)
        return found
    if isinstance(value, (list, tuple)):
        return [checked(one, f"{path}[{at}]", depth + 1) for at, one in enumerate(value)]
    raise UsageError(
        f"{path or 'the value'}: {type_in_words(value)} is not a value of JSON; use strings, numbers, booleans, "
        "None, lists and dicts"
    )


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal. true and 1 aren't equal, but 1 and 1.0 are."""
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and len(one) == len(other)
            and all(key in other and same(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)

"""Checks the types of values in definitions, archives and schemas, with messages that have the
place of the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..._core.base.texts import json_value_in_words, short_repr
from ..._core.paths.schema import boolean
from ...errors import InputError

_TYPES: Final[dict[type[Any], str]] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "an integer",
}


NEEDED: Final = object()
_STEP: Final = re.compile(r"\[(\d+)\]|[^.\[\]]+")


def typed(value: Any, kind: type[Any], error: Callable[[str], InputError]) -> Any:
    """Return a value after checking its type.

    For the `kind` bool, a string such as `yes` is converted (see `boolean`). `error` makes the
    InputError to raise from the end of its message, such as `must be a list (got 5)`.
    """
    if kind is bool:
        value = boolean(value)
    if not isinstance(value, kind):
        raise error(f"must be {_TYPES[kind]} (got {json_value_in_words(value, short_repr(value))})")
    return value


def typed_at(
    where: str, content: Mapping[str, Any], path: str, kind: type[Any], default: Any = NEEDED
) -> Any:
    """Return the value at a path of keys and indexes, such as `spec.versions[0].name`, after
    checking its type.

    A null counts as missing. Raises InputError, with the place `where`, if the value is missing and
    there is no `default`, or if it, or a value around it, has another type (see `typed`).
    """
    value: Any = content
    for step in _STEP.finditer(path):
        if step[1] and isinstance(value, list):
            value = value[int(step[1])]
        elif isinstance(value, Mapping):
            value = value.get(step[0])
        else:
            return typed_at(where, content, path[: step.start()].rstrip("."), dict)
        if value is None and default is not NEEDED:
            return default
        if value is None:
            raise InputError(f"{where}: {path[: step.end()]} is missing")
    return typed(value, kind, lambda problem: InputError(f"{where}: {path} {problem}"))


def check_name(where: str, path: str, name: str) -> None:
    """Refuse a string that can't be a group, version or kind, because it may be written into the
    code of models.

    Raises InputError unless it has letters, digits, `-` and `.` only, and begins and ends with a
    letter or digit.
    """
    if not re.fullmatch("[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?", name):
        raise InputError(
            f"{where}: {path} must be letters, digits, '-' and '.', and begin and end with a letter"
            f" or digit (got {name!r:.60})"
        )


def one_of(choices: Sequence[str]) -> str:
    """Return one or several choices as text for a message, such as `a, b or c`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last

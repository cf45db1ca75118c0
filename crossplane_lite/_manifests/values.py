"""Values of definitions, archives and schemas, and the errors for values of a wrong form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .._base.type_names import json_value_in_words
from .._base.yaml_scalars import booleans_of_1_1
from .._terminal.excerpts import short_repr
from ..errors import InputError

__all__ = ["boolean", "check_name", "one_of", "typed", "typed_at"]

_TYPES: Final[dict[type[Any], str]] = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}

# The booleans that only YAML 1.1 knows: Kubernetes reads them as booleans, and sources give them as written.
_BOOLEANS: Final = booleans_of_1_1()


def boolean(value: Any) -> Any:
    """Return the boolean that a word of YAML 1.1 means; anything else as it is."""
    return _BOOLEANS.get(value, value) if isinstance(value, str) else value


def typed(value: Any, kind: type[Any], error: Callable[[str], InputError]) -> Any:
    """Return a value that must be of a type.

    Args:
        value: The value; where a boolean is expected, also a word of YAML 1.1.
        kind: dict, list, str or bool.
        error: Makes the error from a text, which begins with `must be`; it knows the place.

    Raises:
        InputError: It isn't of that type.
    """
    if kind is bool:
        value = boolean(value)
    if not isinstance(value, kind):
        raise error(f"must be {_TYPES[kind]} (got {json_value_in_words(value, short_repr(value))})")
    return value


def typed_at(where: str, content: Mapping[str, Any], path: str, kind: type[Any]) -> Any:
    """Return the value at a path of keys, which must be of a type.

    Args:
        where: File and place of the content, for messages.
        content: Where the path begins.
        path: Keys with dots between them.
        kind: dict, list, str or bool.

    Raises:
        InputError: It is missing, or isn't of that type.
    """
    value: Any = content
    done: list[str] = []
    for key in path.split("."):
        done.append(key)
        if not isinstance(value, Mapping) or key not in value:
            raise InputError(f"{where}: {'.'.join(done)} is missing")
        value = value[key]
    return typed(value, kind, lambda problem: InputError(f"{where}: {path} {problem}"))


def check_name(where: str, path: str, name: str) -> None:
    """Refuse a string that can't be a group, version or kind, because it may be written into modules.

    Raises:
        InputError: It can't be one.
    """
    if not re.fullmatch("[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?", name):
        raise InputError(f"{where}: {path} must be letters, digits, '-' and '.' (got {name!r:.60})")


def one_of(choices: Sequence[str]) -> str:
    """Return several choices in words: `a, b or c`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last

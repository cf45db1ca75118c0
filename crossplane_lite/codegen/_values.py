"""Values of definitions, archives and schemas, and what is said of those that aren't what they must be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from .._terminal.excerpts import shown
from ..errors import InputError

__all__ = ["boolean", "one_of", "typed"]

_TYPES: Final[dict[type[Any], str]] = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}

# The booleans that only YAML 1.1 knows: Kubernetes reads them as booleans, and sources give them as written.
_BOOLEANS: Final = {
    form: value
    for value, words in ((True, "y yes on"), (False, "n no off"))
    for word in words.split()
    for form in (word, word.capitalize(), word.upper())
}


def boolean(value: Any) -> Any:
    """Return what a word of YAML 1.1 means where a boolean is expected; anything else as it is."""
    return _BOOLEANS.get(value, value) if isinstance(value, str) else value


def typed(value: Any, kind: type[Any], error: Callable[[str], InputError]) -> Any:
    """Return a value that must be of a type.

    Args:
        value: The value; where a boolean is expected, also a word of YAML 1.1.
        kind: dict, list, str or bool.
        error: Makes the error of what is wrong, which begins with `must be`; it knows the place.

    Raises:
        InputError: It isn't of that type.
    """
    if kind is bool:
        value = boolean(value)
    if not isinstance(value, kind):
        raise error(f"must be {_TYPES[kind]} (got {shown(value)} that is a {type(value).__name__})")
    return value


def one_of(choices: Sequence[str]) -> str:
    """Return several choices in words: `a, b or c`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last

"""Makes a text that matches the `pattern` of a schema (a regular expression), if no search is needed to find one."""

from __future__ import annotations

import importlib
import re
import warnings
from typing import Any, Final

_SAMPLES: Final = "a0A-_./: "
_CATEGORIES: Final = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_NOT_WORD": "-"}
_MOST_REPEATS: Final = 64


class _TooHard(Exception):
    """A text for the pattern can't be found without a search."""


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern is found in a text. If Python can't compile the pattern, the result is True."""
    compiled = _compiled(pattern)
    return compiled is None or compiled.search(text) is not None


def matching(pattern: str) -> str | None:
    """Return a short text that matches a pattern; None if Python can't compile the pattern, or no text is found."""
    compiled = _compiled(pattern)
    if compiled is None:
        return None
    try:
        text = _text(_parsed(pattern))
    except (_TooHard, RecursionError, ImportError):
        return None
    return text if compiled.search(text) else None


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a later Python may read the pattern differently
            return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def _parsed(pattern: str) -> Any:
    # Where the parser of regular expressions is in Python 3.11 and later; before that it was a module of its own.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parser: Any = getattr(re, "_parser", None) or importlib.import_module("sre_parse")
        return parser.parse(pattern)


def _text(tokens: Any) -> str:
    """Return a text that a parsed pattern may match. It has the first of each choice, and as few repeats as possible.

    Raises:
        _TooHard: The pattern has parts that need a search, or a part must be repeated more than 64 times.
    """
    made = ""
    for operation, argument in tokens:
        kind = str(operation)
        if kind in ("LITERAL", "NOT_LITERAL", "ANY"):
            made += _one_of([(kind, argument)])
        elif kind == "IN":
            made += _one_of([(str(operation), argument) for operation, argument in argument])
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            fewest, most, repeated = argument
            if fewest > _MOST_REPEATS:
                raise _TooHard
            # A part that may be left out stands once if the text would be empty without it.
            times = fewest or (1 if most and len(tokens) == 1 else 0)
            made += _text(repeated) * times
        elif kind == "SUBPATTERN":
            made += _text(argument[-1])
        elif kind == "BRANCH":
            made += _text(argument[1][0])
        elif kind != "AT":
            raise _TooHard
    return made


def _one_of(choices: list[tuple[str, Any]]) -> str:
    """Return a character that a class such as `[a-z]` matches.

    It is the first choice's first character; of an inverted class, a usual character that isn't among the choices.
    """
    kind, argument = choices[0]
    if kind in ("LITERAL", "RANGE"):
        return chr(argument if kind == "LITERAL" else argument[0])
    if kind == "CATEGORY":
        return _CATEGORIES.get(str(argument), _SAMPLES[0])
    excluded = [argument if kind == "RANGE" else (argument, argument) for kind, argument in choices if argument]
    for sample in _SAMPLES:
        if not any(first <= ord(sample) <= last for first, last in excluded if isinstance(first, int)):
            return sample
    raise _TooHard

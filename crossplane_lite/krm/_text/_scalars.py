"""What an unquoted scalar stands for: YAML as kustomize, kpt and kubectl agree on it.

`true` and `false` are the only booleans; `yes`, `on`, `12:30:45`, timestamps and `=` are strings. `0x1f`, `0b11`,
`0o644` and `0644` are integers, `1_000` and `1e3` are 1000, as is `1000.0`.
"""

from __future__ import annotations

import re

from ...errors import InputError

TYPE_CHECKING = False  # type checkers take it for typing's; importing typing would cost more than this package
if TYPE_CHECKING:
    from typing import Any

__all__ = ["NOT_JSON", "TAG", "check_tag", "resolve", "tagged"]

TAG = "tag:yaml.org,2002:"

NOT_JSON = frozenset(".nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF".split())
"""Words for numbers that JSON doesn't have."""

_WORDS: dict[str, bool | None] = {"": None, "~": None}
for _value, _word in ((None, "null"), (True, "true"), (False, "false")):
    _WORDS.update(dict.fromkeys((_word, _word.capitalize(), _word.upper()), _value))

# Matched without underscores, which may stand anywhere behind the first character.
_INT = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")

# Below, whole numbers are integers however they are written: they are in JSON.
_EXACT = 2**53


def resolve(text: str) -> Any:
    """Return what an unquoted scalar without a tag stands for."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first not in "0123456789+-.":
        return text
    bare = text if first == "." else text.replace("_", "")
    if _INT.fullmatch(bare):
        digits = bare.lstrip("+-")
        if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
            digits = "0o" + digits  # base 8, as C writes it
        try:
            return -int(digits, 0) if first == "-" else int(digits, 0)
        except ValueError:  # thousands of digits
            return text
    if _FLOAT.fullmatch(bare):
        number = float(bare)
        if -_EXACT < number < _EXACT:
            return int(number) if number == int(number) else number
        # Beyond a double's range it is no number for Kubernetes either.
        return text if number in (float("inf"), float("-inf")) else number
    return text


def check_tag(tag: str, text: str | None, where: str) -> None:
    """Refuse a tag that has no meaning in a manifest.

    Args:
        tag: The tag, resolved.
        text: The scalar's text; None for a collection whose tag is known to be wrong.
        where: The place, for messages.

    Raises:
        InputError: The tag is outside of YAML's core, or the text is no value of it.
    """
    short = tag.removeprefix(TAG)
    if text is None or short not in ("!", "str", "timestamp", "null", "bool", "int", "float"):
        raise InputError(f"{where}: the tag {tag} has no meaning in a manifest")
    value = tagged(tag, text)
    fits = {"null": type(None), "bool": bool, "int": int, "float": float}.get(short, str)
    if type(value) is not fits:
        raise InputError(f"{where}: {text!r} is not a value of !!{short}")


def tagged(tag: str, text: str) -> Any:
    """Return what a scalar with a tag stands for."""
    short = tag.removeprefix(TAG)
    if short in ("!", "str", "timestamp"):
        return text
    value = resolve(text)
    return float(value) if short == "float" and type(value) is int else value

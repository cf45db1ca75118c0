"""The values of unquoted scalars: YAML as kustomize, kpt and kubectl agree on it.

`true` and `false` are the only booleans; `yes`, `on`, `12:30:45`, timestamps and `=` are strings. `0x1f`, `0b11`,
`0o644` and `0644` are integers, `1_000` and `1e3` are 1000, as is `1000.0`. Readers of YAML 1.1 have more booleans.
"""

from __future__ import annotations

import re

from ..errors import InputError

TYPE_CHECKING = False  # type checkers take it for typing's; importing typing would cost more than a whole KRM function
if TYPE_CHECKING:
    from typing import Any

__all__ = ["FLOAT", "NOT_JSON", "TAG", "WORDS", "booleans_of_1_1", "check_tag", "forms", "number", "resolve", "tagged"]

TAG = "tag:yaml.org,2002:"

NOT_JSON = {
    form: float(word.removeprefix("+").replace(".", "").lower())
    for word in (".nan", ".NaN", ".inf", ".Inf", "+.inf", "+.Inf", "-.inf", "-.Inf")
    for form in (word, word.upper())
}
"""Words for numbers that JSON doesn't have."""

# Matched without underscores, which may stand anywhere behind the first character.
_INT = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
"""Matches numbers with a fraction, and integers in base 10."""

# No integer of an object has as many digits, and longer ones can't be written.
_MOST_BITS = 10_000


def forms(word: str) -> tuple[str, str, str]:
    """Return a word in lower case, capitalised and in upper case: YAML takes each of these."""
    return word, word.capitalize(), word.upper()


WORDS: dict[str, bool | None] = {"": None, "~": None}
"""The words that all readers of YAML read alike: null, true and false."""

for _value, _word in ((None, "null"), (True, "true"), (False, "false")):
    WORDS.update(dict.fromkeys(forms(_word), _value))


def booleans_of_1_1() -> dict[str, bool]:
    """Return the booleans that only YAML 1.1 knows."""
    spelt = {True: "y yes on", False: "n no off"}
    return {form: value for value, words in spelt.items() for word in words.split() for form in forms(word)}


def resolve(text: str) -> Any:
    """Return the value of an unquoted scalar without a tag; whole numbers are integers, as they are in JSON."""
    if text in WORDS:
        return WORDS[text]
    found = number(text)
    if type(found) is float and found.is_integer():
        from .numbers import EXACT  # few have a fraction

        return int(found) if -EXACT < found < EXACT else found
    return text if found is None else found


def number(text: str) -> int | float | None:
    """Return the number that an unquoted scalar stands for, None for other scalars.

    Integers of thousands of digits, and numbers beyond the range of a double, aren't numbers for Kubernetes either.
    """
    first = text[:1]
    if first not in "0123456789+-." or not first:
        return None
    bare = text if first == "." else text.replace("_", "")
    if _INT.fullmatch(bare):
        digits = bare.lstrip("+-")
        if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
            digits = "0o" + digits  # base 8, as C writes it
        try:
            found = int(digits, 0)
        except ValueError:  # thousands of digits
            return None
        # Those of other bases can be read, and then be written nowhere.
        return None if found.bit_length() > _MOST_BITS else -found if first == "-" else found
    if FLOAT.fullmatch(bare):
        fraction = float(bare)
        return None if fraction in (float("inf"), float("-inf")) else fraction
    return None


def check_tag(tag: str, text: str | None, where: str) -> None:
    """Refuse a tag without a meaning in a manifest.

    Args:
        tag: The tag, resolved.
        text: The scalar's text; None for a collection whose tag is known to be wrong.
        where: The place, for messages.

    Raises:
        InputError: The tag is outside of YAML's core, or the text isn't a value of it.
    """
    short = tag.removeprefix(TAG)
    if text is None or short not in ("!", "str", "timestamp", "null", "bool", "int", "float"):
        raise InputError(f"{where}: the tag {tag} has no meaning in a manifest")
    value = tagged(tag, text)
    fits = {"null": type(None), "bool": bool, "int": int, "float": float}.get(short, str)
    if type(value) is not fits:
        raise InputError(f"{where}: {text!r} is not a value of !!{short}")


def tagged(tag: str, text: str) -> Any:
    """Return the value of a scalar with a tag."""
    short = tag.removeprefix(TAG)
    if short in ("!", "str", "timestamp"):
        return text
    value = resolve(text)
    return float(value) if short == "float" and type(value) is int else value

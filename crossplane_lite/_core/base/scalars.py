"""Numbers that JSON holds exactly, and unquoted YAML scalars by the rules that kustomize, kpt and
kubectl share.

`true` and `false` are the only booleans; `yes`, `on`, `12:30:45`, timestamps and `=` are strings.
`0x1f`, `0b11`, `0o644` and `0644` are integers, and `1_000`, `1e3` and `1000.0` are the integer
1000. Programs that read YAML 1.1 may also read the words of `booleans_of_1_1`, such as `yes`, as
booleans.
"""

from __future__ import annotations

import re

from ...errors import InputError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Final

EXACT: Final = 2**53
"""Doubles, and so a Struct and JSON in general, hold each integer from -EXACT to EXACT exactly."""


TAG = "tag:yaml.org,2002:"
"""The beginning of a tag in full, for which files write `!!`: `!!int` is this text and `int`."""

NOT_JSON = {
    form: float(word.removeprefix("+").replace(".", "").lower())
    for word in (".nan", ".NaN", ".inf", ".Inf", "+.inf", "+.Inf", "-.inf", "-.Inf")
    for form in (word, word.upper())
}
"""The words for infinity and "not a number", which JSON doesn't have, with their floats."""

# Underscores are removed before matching: they may stand anywhere after the first character.
_INT = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
"""Matches decimal numbers, with or without a fraction and an exponent."""

# No object has integers of this size, and Python refuses to write larger ones in base 10.
_MOST_BITS = 10_000


def forms(word: str) -> tuple[str, str, str]:
    """Return the three spellings that YAML allows for a word such as `true`: lower case,
    capitalised and upper case.
    """
    return word, word.capitalize(), word.upper()


WORDS: dict[str, bool | None] = {"": None, "~": None}
"""The values of the words that all readers of YAML read alike: null, true and false, in each
spelling.
"""

for _value, _word in ((None, "null"), (True, "true"), (False, "false")):
    WORDS.update(dict.fromkeys(forms(_word), _value))


def booleans_of_1_1() -> dict[str, bool]:
    """Return the words that are booleans only in YAML 1.1, in each spelling, with their values:
    `yes` is True.
    """
    spelt = {True: "y yes on", False: "n no off"}
    return {
        form: value
        for value, words in spelt.items()
        for word in words.split()
        for form in forms(word)
    }


def resolve(text: str) -> Any:
    """Return the value of an unquoted scalar without a tag: None, a boolean, an integer, a float or
    a string.

    `1.0` and `1e3` are integers, too; from 2**53 on, numbers that are written like these are
    floats. Text without another meaning is a string; so are `.nan`, `.inf` and the other words of
    `NOT_JSON`.
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] not in "0123456789+-.":  # most texts; `number` says the same
        return text
    found = number(text)
    if type(found) is float and found.is_integer():
        return int(found) if -EXACT < found < EXACT else found
    return text if found is None else found


def number(text: str) -> int | float | None:
    """Return the number that an unquoted scalar stands for; None if it isn't a number. `1.0` and
    `1e3` are floats here.

    Integers of more than 10,000 bits, and floats beyond the range of a double, give None:
    Kubernetes doesn't read these as numbers either.
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
        # Python reads integers of any length in base 2, 8 and 16, but couldn't write them in base
        # 10.
        return None if found.bit_length() > _MOST_BITS else -found if first == "-" else found
    if FLOAT.fullmatch(bare):
        fraction = float(bare)
        return None if fraction in (float("inf"), float("-inf")) else fraction
    return None


def check_tag(tag: str, text: str | None, where: str) -> None:
    """Check that a tag can be used in a manifest, and that the tagged text is a value of the tag's
    type.

    Args:
        tag: The tag in full, with `TAG` in place of `!!`.
        text: The scalar's text. For a list or a mapping, None; then every tag is refused.
        where: Where the value is, such as `input.yaml, line 3`. The message begins with it.

    Raises:
        InputError: The tag isn't one of `!`, `!!str`, `!!binary`, `!!timestamp`, `!!null`,
            `!!bool`, `!!int` and `!!float`, or the text isn't a value of the tag's type.
    """
    short = tag.removeprefix(TAG)
    if text is None or short not in (
        "!",
        "str",
        "binary",
        "timestamp",
        "null",
        "bool",
        "int",
        "float",
    ):
        raise InputError(f"{where}: {bad_tag(tag)}")
    try:
        value = tagged(tag, text)
    except ValueError:  # `!!binary` without base64
        value = None
    fits = {"null": type(None), "bool": bool, "int": int, "float": float}.get(short, str)
    if type(value) is not fits:
        raise InputError(
            f"{where}: {text!r} is not a value of !!{short}: change the value, or remove the tag"
        )


def bad_tag(tag: str) -> str:
    """Return a message that refuses a tag. `tag` has `TAG` in place of `!!`; the message shows it
    as files do.
    """
    shown = f"!!{tag.removeprefix(TAG)}" if tag.startswith(TAG) else tag
    return f"the tag {shown} has no meaning in a manifest: remove it, and write a plain value"


def tagged(tag: str, text: str) -> Any:
    """Return the value of a scalar with a tag, such as the string `5` for `!!str 5`, and 1.0 for
    `!!float 1`.

    The value of `!!binary` is the text that the base64 stands for, as in Go. Bytes that aren't
    UTF-8 become U+FFFD.

    Args:
        tag: A tag that `check_tag` accepted for this text, in full, with `TAG` in place of `!!`.
        text: The scalar's text.
    """
    short = tag.removeprefix(TAG)
    if short in ("!", "str", "timestamp"):
        return text
    if short == "binary":
        import base64

        return base64.b64decode("".join(text.split()), validate=True).decode(errors="replace")
    value = resolve(text)
    return float(value) if short == "float" and type(value) is int else value

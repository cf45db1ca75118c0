"""Texts for messages: shortened, as one line, with types in words, and with the name that was
probably meant.

The functions with `json` in their name are for values from files and from other programs. They use
the names of JSON's types, such as `an object`. The others are for values of Python code and use the
class's name, such as `a dict`.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Final

LONGEST_RESULT = 20_000
"""The most characters of a text in a result or a condition."""

LONGEST_LOGGED = 50_000
"""The most characters of a message, of each extra field and of a traceback in a log line."""

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]{6,}\b")

# The longest name that Kubernetes allows, so that no name is cut.
_LONGEST_NAME = 253


def shortened(text: str, longest: int = _LONGEST_NAME) -> str:
    """Return a text, cut to `longest` characters if it has more. Then `…` takes the place of its
    middle.
    """
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"


def without_addresses(text: str) -> str:
    """Return a text without the addresses of objects (`<object at 0x7f…>`), which differ from
    process to process.
    """
    return _ADDRESS.sub("", text) if " at 0x" in text else text


def capped(text: str, longest: int, mask: Callable[[str], str] = str) -> str:
    """Return a text with its secrets masked; of a long text only its beginning and its end.

    A remark between the two has the text's length and how many characters are left out.

    Args:
        text: The text.
        longest: The most characters of the text that are kept. The remark isn't counted.
        mask: A function that masks the secrets in a text. It gets more of the text than is kept, so
            that a secret at the cut is masked, too.
    """
    size = len(text)
    if size > 16 * longest:  # mask both ends only: the middle isn't shown anyway
        head, tail = mask(text[: 8 * longest]), mask(text[-8 * longest :])
        # Masking shortens a text. Half a secret at the cut would be shown if the masked ends became
        # too short.
        text = head + tail if min(len(head), len(tail)) > 2 * longest else mask(text)
    else:
        text = mask(text)
    if len(text) <= longest:
        return text
    last = longest // 4
    left_out = max(size, len(text)) - longest
    return (
        f"{text[: longest - last]} … ({max(size, len(text)):,} characters, of which {left_out:,}"
        f" are left out here) … {text[-last:]}"
    )


def some(texts: Sequence[str], most: int, joint: str = ", ") -> str:
    """Return the first `most` texts, joined by `joint`, and how many follow: `a, b and 3 more`."""
    more = f"{joint.rstrip(' ,')} and {len(texts) - most} more" if len(texts) > most else ""
    return joint.join(texts[:most]) + more


def short_text(value: Any) -> str:
    """Return a string, shortened to 253 characters, without quotes; for any other value,
    `short_repr(value)`.
    """
    return shortened(value) if isinstance(value, str) else short_repr(value)


def short_repr(value: Any, longest: int = 60) -> str:
    """Return the repr of a value, shortened to `longest` characters.

    If repr() fails, for example because a value has thousands of levels, the result is `{…}` for a
    dict, `[…]` for a list or tuple, and `…` for other values.
    """
    try:
        return shortened(repr(value), longest)
    except (RecursionError, ValueError):
        # Python raises ValueError for integers of thousands of digits
        return (
            "{…}" if isinstance(value, dict) else "[…]" if isinstance(value, (list, tuple)) else "…"
        )


# The most characters of a line and of a word in it. Long messages, names and paths fit.
_LONGEST_LINE = 10_000
_LONGEST_WORD = 300


def escaped(text: str) -> str:
    """Return a text with an escape, such as `\\n`, in place of each character that isn't
    printable.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def line(text: str) -> str:
    """Return a message as one line for a terminal, with escapes for characters that aren't
    printable.

    The message is shortened to 10,000 characters before it is escaped. After that, each word is
    shortened to 300.
    """
    shown = escaped(shortened(text, _LONGEST_LINE))
    if len(shown) <= _LONGEST_WORD:
        return shown
    return re.sub(
        rf"\S{{{_LONGEST_WORD + 1},}}", lambda found: shortened(found[0], _LONGEST_WORD), shown
    )


def near_name(name: str, names: Iterable[str]) -> str:
    """Return a hint such as `; did you mean 'spec'?`; an empty string if no known name is similar.

    Args:
        name: The unknown name.
        names: The known names.
    """
    import difflib  # here, because only messages about mistakes need it

    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


# How deep a field is looked for that was given too high: `spec.template.spec.containers` of a
# Deployment.
_DEEPEST = 3


def deeper_place(name: str, top: Any, fields_of: Callable[[Any], Mapping[str, Any]]) -> str:
    """Return a hint such as `; it belongs below spec.template`; empty if no object below has a
    field of the name.

    Args:
        name: The name of a field that was given too high.
        top: What it was given to.
        fields_of: Returns the fields of an object by their names. Those of anything else are empty.
    """
    level = [("", top)]
    for _ in range(_DEEPEST):
        level = [
            (f"{path}.{key}", one)
            for path, holder in level
            for key, one in fields_of(holder).items()
        ]
        for path, one in level:
            if name in fields_of(one):
                return f"; it belongs below {path[1:]}"
    return ""


# The words by which messages also name the type that is expected. All other classes go by their
# names.
_USUAL: Final[dict[type, str]] = {
    str: "a string",
    int: "an integer",
    bool: "a boolean",
    bytes: "bytes",
    type(None): "None",
    type: "a class",
}
# The first class that fits counts, so that true isn't an integer.
_JSON: Final[dict[type, str]] = {
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def articled(name: str, module: str = "") -> str:
    """Return the name of a class or a kind with `a` or `an` before it.

    The first letter decides, but names that begin with `Us` or `Uni` get `a`. An abbreviation at
    the beginning counts as spoken letter by letter (`an XBucket`, `an HTTPRoute`, `a UDPRoute`),
    unless its second letter is a vowel (`a NATGateway`).

    Args:
        name: The name.
        module: The class's module, or the kind's apiVersion, to show after the name; empty to leave
            it out.

    Returns:
        Text such as `an ObjectMeta`, `a User`, `a Rule of models.queue.v1`.
    """
    abbreviation = _abbreviation(name)
    if not abbreviation:
        sounds_open = name.startswith(tuple("AEIOUaeiou")) and not name.startswith(("Us", "Uni"))
    else:
        sounds_open = name[0] in ("AEIO" if abbreviation[1:2] in tuple("AEIOU") else "AEFHILMNORSX")
    return f"{'an' if sounds_open else 'a'} {name}{f' of {module}' if module else ''}"


def _abbreviation(name: str) -> str:
    """Return the capitals and digits that `name` begins with, without the first letter of the next
    word.
    """
    end = next(
        (place for place, letter in enumerate(name) if not (letter.isupper() or letter.isdigit())),
        len(name),
    )
    return name[: end - 1 if name[end : end + 1].islower() and end else end]


def class_in_words(kind: type, *, with_module: bool = False) -> str:
    """Return words for a class: `a string`, `an integer`, or the class's name with its article,
    such as `a Bucket`.

    Args:
        kind: The class.
        with_module: Whether to name the class's module too, to tell apart classes of the same name.
            Common builtin classes, such as `str`, are shown without it.
    """
    return _USUAL.get(kind) or articled(kind.__name__, kind.__module__ if with_module else "")


def type_in_words(value: Any) -> str:
    """Return the class of a value in words: `an integer`, `a dict`, `a Bucket`, `None`."""
    return class_in_words(type(value))


def value_in_words(value: Any, shown: str = "") -> str:
    """Return a value and its class in words: `5 that is an integer`, or just `None`.

    Args:
        value: The value.
        shown: The text that shows the value; empty for its `repr`.
    """
    return "None" if value is None else f"{shown or repr(value)} that is {type_in_words(value)}"


def json_type_in_words(value: Any) -> str:
    """Return the JSON type of a value in words, such as `an object` or `null`; the class's name for
    other values.
    """
    return next(
        (words for kind, words in _JSON.items() if isinstance(value, kind)), ""
    ) or type_in_words(value)


def json_value_in_words(value: Any, shown: str) -> str:
    """Return a JSON value and its type in words: `5 that is an integer`, or just `null`.

    Args:
        value: The value.
        shown: The value as text. None is shown as `null` whatever the text says.
    """
    return "null" if value is None else f"{shown} that is {json_type_in_words(value)}"

"""Types and values in words, for messages: `an integer`, `a list`, `'two' that is a string`.

The functions with `json` in their name are for values from files and from other programs. They use the names of JSON's
types, such as `an object`. The others are for values of Python code and use the class's name, such as `a dict`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

# The words by which messages also name the type that is expected. All other classes go by their names.
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

    The first letter decides, but names that begin with `Us` or `Uni` get `a`. An abbreviation at the beginning counts
    as spoken letter by letter (`an XBucket`, `an HTTPRoute`, `a UDPRoute`), unless its second letter is a vowel
    (`a NATGateway`).

    Args:
        name: The name.
        module: The class's module, or the kind's apiVersion, to show after the name; empty to leave it out.

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
    """Return the capitals and digits that `name` begins with, without the first letter of the next word."""
    end = next((place for place, letter in enumerate(name) if not (letter.isupper() or letter.isdigit())), len(name))
    return name[: end - 1 if name[end : end + 1].islower() and end else end]


def class_in_words(kind: type, *, with_module: bool = False) -> str:
    """Return words for a class: `a string`, `an integer`, or the class's name with its article, such as `a Bucket`.

    Args:
        kind: The class.
        with_module: Whether to name the class's module too, to tell apart classes of the same name. Common builtin
            classes, such as `str`, are shown without it.
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
    """Return the JSON type of a value in words, such as `an object` or `null`; the class's name for other values."""
    return next((words for kind, words in _JSON.items() if isinstance(value, kind)), "") or type_in_words(value)


def json_value_in_words(value: Any, shown: str) -> str:
    """Return a JSON value and its type in words: `5 that is an integer`, or just `null`.

    Args:
        value: The value.
        shown: The value as text. None is shown as `null` whatever the text says.
    """
    return "null" if value is None else f"{shown} that is {json_type_in_words(value)}"

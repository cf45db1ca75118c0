"""The texts about the mistakes that the validator finds, such as "must be a list (got an
object)".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..base.texts import deeper_place, json_type_in_words, near_name
from ..observed.tracker import mask
from .formats import FORMATS
from .translate import PATTERN, name_of

_MOST_SHOWN: Final = 60
_MOST_OPTIONS: Final = 12

_TYPES: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
# The text of each keyword, with {} for the keyword's value in the schema.
_LIMITS: Final = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "pattern": "must match the pattern {!r}",
}
_COUNTS: Final = {
    "minLength": ("at least", "character"),
    "maxLength": ("at most", "character"),
    "minItems": ("at least", "element"),
    "maxItems": ("at most", "element"),
    "minProperties": ("at least", "field"),
    "maxProperties": ("at most", "field"),
}
_JUNCTIONS: Final = {"anyOf": "at least one", "oneOf": "exactly one"}

Place = tuple["str | int", ...]


def describe(
    keyword: str, rules: dict[str, Any], value: Any, *, secret: bool
) -> Iterator[tuple[Place, str]]:
    """Yield the mistakes in a value that breaks a rule of its schema.

    Each has the steps from the value to the mistake, and the text. Each missing field and each
    unknown field is a mistake of its own; any other rule yields one, in the value itself. `secret`
    hides the value.
    """
    limit: Any = rules.get(keyword)
    if keyword == "required":
        for name in limit:
            if name not in value:
                yield (name,), "is required"
    elif keyword == "additionalProperties":
        yield from _unknown_fields(rules, value)
    else:
        yield (), _text(keyword, rules, limit, value, secret=secret)


def _unknown_fields(rules: dict[str, Any], value: Any) -> Iterator[tuple[Place, str]]:
    known = rules.get("properties", {})
    names = {name_of(key): key for key in known}
    for key in value:
        if key not in known:
            name = name_of(key)
            hint = near_name(name, names) or deeper_place(name, rules, _fields_of)
            yield (key,), f"isn't a field of the schema{hint}"


def _text(keyword: str, rules: dict[str, Any], limit: Any, value: Any, *, secret: bool) -> str:
    """Return what is wrong with a value that breaks a rule as a whole."""
    got = _got(value, secret=secret)
    if keyword == "type":
        kinds = " or ".join(_TYPES[one] for one in limit if one != "null")
        hint = "; leave it out" if value is None else ""
        return f"must be {kinds}{_got(value, secret=secret, kind=True)}{hint}"
    if keyword == "enum":
        options = ", ".join(_shown(one) for one in limit[:_MOST_OPTIONS])
        more = f" and {len(limit) - _MOST_OPTIONS} more" if len(limit) > _MOST_OPTIONS else ""
        return f"must be one of {options}{more}{got}"
    if keyword == "format":
        return f"must be {FORMATS[limit][1]}{got}"
    if keyword == "uniqueItems":
        return "must not have an element twice"
    if keyword in _JUNCTIONS:
        return _junction_text(_JUNCTIONS[keyword], limit)
    if keyword in _COUNTS:
        bound, noun = _COUNTS[keyword]
        plural = "" if limit == 1 else "s"
        return f"must have {bound} {limit} {noun}{plural}{got}"
    if keyword in _LIMITS:
        shown = rules.get(PATTERN, limit) if keyword == "pattern" else limit
        return _LIMITS[keyword].format(shown) + got
    fields = " with ".join(map(name_of, _required_only(limit)))
    return f"must not have {fields}" if fields else "is excluded by the schema"


def _junction_text(how_many: str, members: Any) -> str:
    named = [_required_only(member) for member in members]
    if all(named):
        return (
            f"must have {how_many} of"
            f" {', '.join(' with '.join(map(name_of, names)) for names in named)}"
        )
    return f"must fit {how_many} of the {len(members)} forms that the schema allows"


def _required_only(rules: Any) -> list[str]:
    """Return the fields that a schema requires; an empty list if the schema has any other rule or
    isn't a dict.
    """
    return rules["required"] if isinstance(rules, dict) and list(rules) == ["required"] else []


def _got(value: Any, *, secret: bool, kind: bool = False) -> str:
    """Return a remark such as " (got 5)". A value that is `secret` isn't shown; `kind` shows its
    type, too.
    """
    what = json_type_in_words(value)
    if isinstance(value, (dict, list)):
        return f" (got {what}{'' if kind else f' of {len(value)}'})"
    if value is None:
        return " (got null)"
    if secret:
        return f" (got {what})" if kind else ""
    return (
        " (got"
        f" {_shown(value)}{f' that is {what}' if kind and not isinstance(value, bool) else ''})"
    )


def _fields_of(rules: Any) -> dict[str, Any]:
    """Return the rules of an object's fields by their names; empty for what isn't an object."""
    properties = rules.get("properties", {}) if isinstance(rules, dict) else {}
    return {name_of(key): one for key, one in properties.items()}


def _shown(value: Any) -> str:
    """Return a value as text for a message, such as `'a'` or `null`. Secrets are masked; 60
    characters at most.
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    # masked before it is cut: masking doesn't recognise a part of a secret value
    text = mask(repr(value))
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."

"""The values of observed objects that count as read, and which of them come first where not all can
be noted.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

from .. import codec
from ..known.joined import is_missing
from ..known.notes import CONDITION, EXTERNAL, Where, condition_way
from ..observed.lookup import conditions_of, text_at
from ..observed.secret_parts import names_secret
from ..paths.text import EXTERNAL_NAME, show

READY: Final = condition_way("Ready")
_LONGEST: Final = 1536
"""The longest value that is noted, in characters of JSON."""
# Texts in which secrets may be: of several lines, URLs with a user, headers, objects, and pairs
# whose key is secret.
_MAY_HIDE: Final = re.compile(
    r"[\n{]|://[^/\s]*@|^(?:bearer|basic)\s|(?:passw\w*|secret|token|key)[\"']?\s*[=:]",
    re.IGNORECASE,
)
_SHORT: Final = 3  # shorter values stand everywhere

# Crossplane's own fields in a composite's status, and what `conditions_of` reads.
_NOT_READ: Final = frozenset({"conditions", "connectionDetails", "claimConditionTypes"})
_IDENTIFIER: Final = re.compile(
    r"(?:id|arn|name|endpoint|phase|state|url|address|ip|host)s?$", re.IGNORECASE
)
_CHANGING: Final = re.compile(
    r"(?:time|timestamp|generation|count|counter|update|age|revision|version|heartbeat)$", re.I
)

_SEPARATOR: Final = re.compile(r"[,\s]")

Mask = Callable[[str], str]


def values_in(raw: bytes, mask: Mask, *, composed: bool) -> dict[str, Any]:
    """Return the values of an observed object that may be noted, by path."""
    found: dict[str, Any] = {}
    if text_at(raw, "kind") == "Secret":
        return found
    for steps, value in status_leaves(raw):
        if not _is_secret(steps, value, mask):
            found[show(("status", *steps))] = value
    if not composed:
        return found
    if is_true_condition(raw, "Ready"):
        found[READY] = "True"
    name = text_at(raw, "metadata", "annotations", EXTERNAL_NAME)
    if name and not _is_secret((EXTERNAL,), name, mask):
        found[EXTERNAL] = name
    return found


def is_true_condition(raw: bytes, type_: str) -> bool:
    """Say whether an observed object has a condition with the status True."""
    return conditions_of(raw).get(type_, {}).get("status") == "True"


def status_leaves(raw: bytes) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the steps and the value of each scalar and each list in a status, but for those that
    count as missing.
    """
    work: list[tuple[tuple[str, ...], Any]] = [((), codec.get_path(raw, ("status",)))]
    while work:
        steps, value = work.pop()
        if isinstance(value, dict):
            work += [
                ((*steps, key), one) for key, one in value.items() if steps or key not in _NOT_READ
            ]
        elif steps and not is_missing(value):
            yield steps, value


def _is_secret(steps: tuple[str, ...], value: Any, mask: Mask) -> bool:
    """Say whether a value is too long to be noted, or a secret: it is known, or looks so by its
    keys or its form.
    """
    if names_secret(steps):
        return True
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return True
    if len(text) > _LONGEST or "PRIVATE KEY" in text:
        return True
    is_known = not isinstance(value, (int, float)) and mask(text) != text
    return is_known or _looks_secret(steps, value)


def _looks_secret(steps: tuple[str, ...], value: Any) -> bool:
    """Say whether a value, or a part of it, looks like a secret by its keys or its form."""
    work = [(steps, value)]
    while work:
        steps, value = work.pop()
        if isinstance(value, dict):
            name = value.get("name")
            is_named = "value" in value and isinstance(name, str) and names_secret((name,))
            if is_named or value.get("kind") == "Secret":
                return True
            work += [((*steps, key), one) for key, one in value.items()]
        elif isinstance(value, list):
            work += [(steps, one) for one in value]
        elif names_secret(steps) or (isinstance(value, str) and _MAY_HIDE.search(value)):
            return True
    return False


Rank = Callable[[str, str, Any], int]


def ranked(desired: Iterable[Any], first: Collection[Where]) -> Rank:
    """Return a function that says how soon a value is noted: the smaller, the sooner.

    `desired` is everything that is desired: a value that stands in it matters most, and those of
    the places `first`.
    """
    parts = _parts(desired)
    texts = "\n".join(parts)

    @functools.cache
    def stands(text: str) -> bool:
        return len(text) > _SHORT and (text in parts or text in texts)

    def rank(obj: str, way: str, value: Any) -> int:
        if (obj, way) in first or any(map(stands, _parts([value]))):
            return 0
        key = way.rpartition(".")[2]
        if _CHANGING.search(key):
            return 3
        return 1 if way in (READY, EXTERNAL) or _IDENTIFIER.search(key) else 2

    return rank


def _parts(values: Iterable[Any]) -> set[str]:
    """Return the different scalars in some values, as texts."""
    found = set()
    work = list(values)
    while work:
        value = work.pop()
        if isinstance(value, dict):
            work += value.values()
        elif isinstance(value, list):
            work += value
        else:
            found.add(value if isinstance(value, str) else f": {json.dumps(value)}")
    return found


def is_named(patterns: Collection[str], obj: str, way: str) -> bool:
    """Say whether one of some patterns names a value: `*`, or a path such as `vpc.status.id` or one
    above it.

    `xr` stands for the composite, and `*` in the place of a name for any object.
    """
    starts = tuple(f"{pattern}.".replace("[", ".[") for pattern in patterns)
    wholes = [f"{name}.{way}.".replace("[", ".[") for name in ("*", obj or "xr")]
    return any(whole.startswith(starts) for whole in wholes)


def patterns_of(places: Collection[Where], most: int) -> list[str]:
    """Return patterns for `is_named` that name some values: at most so many paths, else the names
    of their objects.

    They have no brackets: a condition is one of all. `*` stands for a name that a list of patterns
    can't have.
    """
    paths, names = set(), set()
    for obj, way in places:
        name = "*" if _SEPARATOR.search(obj) else obj or "xr"
        names.add(name)
        paths.add(f"{name}.{way}".partition("[")[0])
    return sorted(names if len(paths) > most else paths)


def readable(place: Where) -> str:
    """Return a value's path for people."""
    obj, way = place
    condition = CONDITION.fullmatch(way)
    name = obj or "xr"
    return f"{name}'s condition {condition[1]}" if condition else f"{name}.{way}"

"""A value that is there, completed by the noted one: where a part is missing, the noted part
counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..base.sentinels import UNSET

_NAMES: Final = ("name", "id")
"""The fields by which an element of a list is known, the first of which counts that is there."""


def is_missing(value: Any) -> bool:
    """Say whether a value counts as missing: it is absent, null or empty."""
    return value is UNSET or value is None or value == "" or value == [] or value == {}


def joined(there: Any, noted: Any) -> Any:
    """Return a value in which noted parts take the place of missing ones; of a list also noted
    elements.
    """
    if is_missing(there):
        return there if is_missing(noted) else noted
    if isinstance(there, dict) and isinstance(noted, dict):
        found = dict(there)
        for key, was in noted.items():
            found[key] = joined(there.get(key), was)
        return found
    if isinstance(there, list) and isinstance(noted, list):
        return _joined_list(there, noted)
    return there


def _joined_list(there: list[Any], noted: list[Any]) -> list[Any]:
    """Return the noted elements, completed, and behind them those that weren't noted."""
    found = []
    left = dict(enumerate(there))
    for at, was in _pairs(there, noted):
        found.append(joined(left.pop(at, None), was))
    return found + list(left.values())


def lacks(there: Any, noted: Any) -> bool:
    """Say whether a value, or a part of it, is missing and noted. A list that is shorter than noted
    lacks nothing.
    """
    if is_missing(there):
        return not is_missing(noted)
    if isinstance(there, dict) and isinstance(noted, dict):
        return any(lacks(there.get(key), was) for key, was in noted.items())
    if isinstance(there, list) and isinstance(noted, list):
        return any(at >= 0 and lacks(there[at], was) for at, was in _pairs(there, noted))
    return False


def _pairs(there: list[Any], noted: list[Any]) -> Iterator[tuple[int, Any]]:
    """Yield for each noted element the index of the same element in `there`, and the noted element.

    The index is -1 if `there` has no such element. Elements are the same if they have the same
    name. An element that has lost its name is known by its index.
    """
    names = [_name_of(one) for one in there]
    places: dict[Any, int] = {}
    for at, name in enumerate(names):
        places.setdefault(name, at)
    for at, was in enumerate(noted):
        name = _name_of(was)
        if name is not None and name in places:
            yield places[name], was
        elif at < len(there) and None in (name, names[at]):
            yield at, was
        else:
            yield -1, was


def _name_of(element: Any) -> Any:
    """Return what an element of a list is known by: one of its fields, or itself; None for
    nothing.
    """
    if isinstance(element, dict):
        for key in _NAMES:
            name = element.get(key)
            if not (is_missing(name) or isinstance(name, (dict, list))):
                return name
        return None
    return None if isinstance(element, list) or is_missing(element) else element

"""Server-side apply in little: which fields a manager owns, and what applying changes in the live object.

It follows the API server's rules for objects without a schema, maps by key and lists as a whole, save the lists that
`LIST_KEYS` names, which are merged by key. It shares no code with what it tests.
"""

from __future__ import annotations

__all__ = ["MISSING", "Path", "apply", "as_fields", "copied", "fill_in", "flat", "leaves"]

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

Path = tuple[str, ...]
"""Keys; an element of a keyed list is `k:` and the JSON of its keys, as in managedFields."""

LIST_KEYS: Final[Mapping[str, str]] = {"rules": "name"}
"""The lists that are merged by key, by the name of their field, with the key."""

MISSING: Final = object()
"""What `flat` has no value for."""


def copied(value: Any) -> Any:
    """Return a copy of plain data, in a fifth of the time that `copy.deepcopy` takes."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def leaves(value: Mapping[str, Any], at: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the paths that an applied object sets, with the values: scalars, whole lists and empty maps."""
    for key, below in value.items():
        path = (*at, key)
        if isinstance(below, dict) and below:
            yield from leaves(below, path)
        elif isinstance(below, list) and key in LIST_KEYS:
            name = LIST_KEYS[key]
            for element in below:
                identity = "k:" + json.dumps({name: element[name]})
                yield from leaves(element, (*path, identity))
        else:
            yield path, below


def flat(value: Mapping[str, Any]) -> dict[Path, Any]:
    """Return all leaves by path."""
    return dict(leaves(value))


def apply(live: dict[str, Any], desired: Mapping[str, Any], owned: frozenset[Path]) -> frozenset[Path]:
    """Change `live` as applying `desired` does.

    Args:
        live: The object.
        desired: What its manager applies.
        owned: What the manager has applied before, and nobody else owns.

    Returns:
        What the manager owns now.
    """
    wanted = flat(desired)
    for path in sorted(owned - wanted.keys()):
        # Where what is wanted now is a map and was none, or the other way round, setting it replaces the old value.
        is_replaced = any(
            other[: len(path)] == path or (path[: len(other)] == other and value != {})
            for other, value in wanted.items()
        )
        if not is_replaced:
            _remove(live, path)
    for path, value in wanted.items():
        _set(live, path, copied(value))
    return frozenset(wanted)


def fill_in(live: dict[str, Any], defaults: Mapping[str, Any]) -> None:
    """Set the fields that nobody has set, as an API server does; nobody owns them."""
    for path, value in leaves(defaults):
        if _get(live, path) is MISSING:
            _set(live, path, copied(value))


def as_fields(owned: frozenset[Path]) -> dict[str, Any]:
    """Return paths as the fieldsV1 of managedFields."""
    fields: dict[str, Any] = {}
    for path in sorted(owned):
        at = fields
        for step in path:
            is_element = step.startswith("k:{")
            at = at.setdefault(step if is_element else "f:" + step, {".": {}} if is_element else {})
    return fields


def _element(holder: list[Any], step: str, *, make: bool) -> Any:
    identity = json.loads(step[2:])
    for element in holder:
        if isinstance(element, dict) and all(element.get(key) == value for key, value in identity.items()):
            return element
    if not make:
        return MISSING
    holder.append(dict(identity))
    return holder[-1]


def _get(live: Any, path: Path) -> Any:
    for step in path:
        if isinstance(live, list) and step.startswith("k:{"):
            live = _element(live, step, make=False)
        elif isinstance(live, dict):
            live = live.get(step, MISSING)
        else:
            return MISSING
    return live


def _set(live: dict[str, Any], path: Path, value: Any) -> None:
    at: Any = live
    for step, following in zip(path, path[1:], strict=False):
        if isinstance(at, list):
            at = _element(at, step, make=True)
            continue
        kind = list if following.startswith("k:{") else dict
        if not isinstance(at.get(step), kind):
            at[step] = kind()
        at = at[step]
    if value != {} or not isinstance(at.get(path[-1]), dict):  # applying an empty map leaves the keys of others
        at[path[-1]] = value


def _remove(live: dict[str, Any], path: Path) -> None:
    """Remove a field, and the maps around it that hold nothing any more."""
    holder = _get(live, path[:-1]) if len(path) > 1 else live
    if not isinstance(holder, dict) or path[-1] not in holder:
        return
    del holder[path[-1]]
    for end in range(len(path) - 1, 0, -1):
        inner = _get(live, path[:end])
        step = path[end - 1]
        outer = _get(live, path[: end - 1]) if end > 1 else live
        is_bare = isinstance(inner, dict) and step.startswith("k:{") and inner == json.loads(step[2:])
        if inner in ({}, []) or is_bare:
            if isinstance(outer, list):
                outer.remove(inner)
            else:
                del outer[step]
        else:
            break

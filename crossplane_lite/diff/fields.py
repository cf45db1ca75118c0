"""The differences between two objects, field by field. No function recurses, because data may be nested deeply."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from .._base.numbers import EXACT
from .._call.mark import ANNOTATION
from .._manifests.objects import CLAIM_LABELS, COMPOSITE_LABEL, RESOURCE_NAME
from .._paths.text import quoted, show
from ..simulate.merging import ABSENT
from .keys import Keys, KeysAt, no_keys
from .owned import Owned

__all__ = ["ABSENT", "Change", "changes", "leaves"]

# The fields by which the elements of Kubernetes' lists are told apart, in the order in which they are tried.
_USUAL_KEYS: Final = ("name", "key", "uid", "type", "id", "mountPath", "containerPort", "port", "ip")
# Labels and annotations that Crossplane or this package gives every resource.
_OWN: Final = frozenset({COMPOSITE_LABEL, *CLAIM_LABELS, RESOURCE_NAME, ANNOTATION})


class Change(NamedTuple):
    """One field that changes.

    Attributes:
        path: The field's path, in which elements of lists are named by their keys: `spec.ports[name=web].port`.
        old: The value before; `ABSENT` if there was none.
        new: The value afterwards; `ABSENT` if there is none.
    """

    path: str
    old: Any
    new: Any


class _Selection:
    """A step in a path that selects an element by its keys."""

    def __init__(self, keys: Mapping[str, Any]) -> None:
        self._text = ",".join(f"{key}={_bare(value)}" for key, value in keys.items())

    def __str__(self) -> str:
        return self._text


def _bare(value: Any) -> str:
    text = str(value)
    return text if text.replace("-", "").replace("_", "").replace(".", "").isalnum() else quoted(text)


class _Place(NamedTuple):
    """The old and the new value at one place of an object.

    Attributes:
        steps: The path of the place.
        old: The value before.
        new: The desired value.
        owned: The owners of the fields there; None if they aren't known.
        whole: Whether the desired value replaces all of `old`, so that fields and elements that it lacks are removed.
    """

    steps: tuple[Any, ...]
    old: Any
    new: Any
    owned: Owned | None
    whole: bool


def changes(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    owned: Owned | None = None,
    *,
    whole: bool = False,
    keys: KeysAt = no_keys,
) -> list[Change]:
    """Return the changes of an apply, sorted by path, without the metadata that every composed resource gets.

    Args:
        old: The object before: as it exists, or as it was desired.
        new: The object as it is desired.
        owned: The owners of the fields of `old`. A field that `new` lacks is removed only if Crossplane alone owns it.
            None if the owners aren't known: then no field is removed, only elements of lists.
        whole: Whether `new` replaces all of `old`, as one desired state replaces another.
        keys: Returns the keys of the list at a path, by schemas or models.
    """
    found: list[Change] = []
    work = [_Place((), _of_functions(old), _of_functions(new), owned, whole)]
    while work:
        place = work.pop()
        if isinstance(place.old, Mapping) and isinstance(place.new, Mapping):
            work += _in_object(place)
        elif isinstance(place.old, list) and isinstance(place.new, list):
            work += _in_list(place, found, keys)
        elif not _same(place.old, place.new):
            found.append(Change(show(place.steps), place.old, place.new))
    return sorted(found, key=lambda one: one.path)


def leaves(resource: Mapping[str, Any]) -> list[Change]:
    """Return the fields of a new object as changes, without apiVersion, kind, name, generateName and namespace."""
    metadata = resource.get("metadata")
    own = ("generateName", "name", "namespace")
    kept = {key: value for key, value in metadata.items() if key not in own} if isinstance(metadata, Mapping) else {}
    shown = {key: value for key, value in resource.items() if key not in ("apiVersion", "kind", "metadata")}
    return list(_expanded(changes({}, {**shown, "metadata": kept})))


def _of_functions(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of an object that functions desire: without status, and without metadata of Crossplane's own."""
    kept = {key: value for key, value in resource.items() if key != "status"}
    metadata = kept.get("metadata")
    if not isinstance(metadata, Mapping):
        return kept
    kept["metadata"] = rest = {key: value for key, value in metadata.items() if key != "ownerReferences"}
    for field in ("annotations", "labels"):
        values = rest.get(field)
        if isinstance(values, Mapping):
            rest[field] = {key: value for key, value in values.items() if key not in _OWN}
            if not rest[field]:
                del rest[field]
    return {**kept, "metadata": rest} if rest else {key: value for key, value in kept.items() if key != "metadata"}


def _expanded(found: Sequence[Change]) -> Iterator[Change]:
    """Yield changes; in place of a change to an object with fields, one change for each field. Lists stay whole."""
    work = list(reversed(found))
    while work:
        one = work.pop()
        if isinstance(one.new, Mapping) and one.new:
            inner = [
                Change(f"{one.path}{show([key]) if show([key]).startswith('[') else '.' + show([key])}", ABSENT, value)
                for key, value in one.new.items()
            ]
            work += sorted(inner, key=lambda each: each.path, reverse=True)
        else:
            yield one


def _in_object(place: _Place) -> Iterator[_Place]:
    for key in {**place.old, **place.new}:
        old, new = place.old.get(key), place.new.get(key)
        owned = None if place.owned is None else place.owned.field(key)
        steps = (*place.steps, key)
        if new is not None:
            yield _Place(steps, ABSENT if old is None else old, new, owned, place.whole)
        elif old is None:  # null counts as no value
            continue
        elif place.whole:
            yield _Place(steps, old, ABSENT, owned, True)
        elif owned is not None and owned.ours is not None:
            if owned.is_whole:
                if owned.goes:
                    yield _Place(steps, old, ABSENT, owned, False)
            elif isinstance(old, Mapping):
                yield _Place(steps, old, {}, owned, False)  # only the fields that Crossplane owns are removed
            elif isinstance(old, list):
                yield _Place(steps, old, [], owned, False)


def _in_list(place: _Place, found: list[Change], keys: KeysAt) -> Iterator[_Place]:
    known = keys(place.steps)
    if place.owned is not None and not known:
        named = place.owned.list_keys()
        if named is None and place.owned.is_set():
            _note_set(place, found)
            return
        known = dict.fromkeys(named or ())
    is_map = bool(known)
    by = _present(known, place.old, place.new) if is_map else _guessed(place.old, place.new)
    old, new = (_by_key(elements, by, known) for elements in (place.old, place.new))
    if by and old is not None and new is not None:
        # An API server replaces a list without known keys as a whole, so Crossplane owns everything in it.
        whole = place.whole or (not is_map and place.owned is not None)
        for key in {**old, **new}:
            selection = dict(zip(by, key, strict=True))
            steps = (*place.steps, _Selection(selection))
            owned = None if place.owned is None else place.owned.element(selection)
            if key in new:
                yield _Place(steps, old.get(key, ABSENT), new[key], owned, whole)
            elif whole or place.owned is None or (owned is not None and owned.ours is not None):
                yield _Place(steps, old[key], ABSENT, owned, True)
        return
    if len(place.old) == len(place.new):
        whole = place.whole or place.owned is not None
        for at, (before, after) in enumerate(zip(place.old, place.new, strict=True)):
            yield _Place((*place.steps, at), before, after, None, whole)
    elif place.old != place.new:
        found.append(Change(show(place.steps), place.old, place.new))


def _note_set(place: _Place, found: list[Change]) -> None:
    """Add the values that a set gains, and the values of Crossplane that it loses, to `found`."""
    ours = place.owned.ours if place.owned is not None else None
    for value in place.new:
        if value not in place.old:
            found.append(Change(show((*place.steps, _Selection({"": value}))), ABSENT, value))
    for value in place.old:
        if value not in place.new and (place.whole or (ours is not None and f"v:{json.dumps(value)}" in ours)):
            found.append(Change(show((*place.steps, _Selection({"": value}))), value, ABSENT))


def _present(known: Keys, old: Sequence[Any], new: Sequence[Any]) -> tuple[str, ...]:
    """Return the keys of a list that have a default, or that all of its elements have.

    A function may leave out a key that an API server has filled in; the other keys tell the elements apart then.
    """
    elements = [one for one in (*old, *new) if isinstance(one, Mapping)]
    return tuple(key for key in known if known[key] is not None or all(one.get(key) is not None for one in elements))


def _guessed(old: Sequence[Any], new: Sequence[Any]) -> tuple[str, ...]:
    """Return the one field by which the elements of two lists can be told apart; an empty tuple if there is none."""
    for key in _USUAL_KEYS:
        if all(_by_key(elements, (key,)) is not None for elements in (old, new)) and (old or new):
            return (key,)
    return ()


def _by_key(
    elements: Sequence[Any], keys: Sequence[str], defaults: Mapping[str, Any] = {}
) -> dict[tuple[Any, ...], Any] | None:
    """Return the elements of a list by their keys; None if an element lacks a key or two elements have the same."""
    found: dict[tuple[Any, ...], Any] = {}
    for one in elements:
        if not isinstance(one, Mapping):
            return None
        key = tuple(one[name] if one.get(name) is not None else defaults.get(name) for name in keys)
        if not all(isinstance(part, (str, int)) for part in key) or key in found:
            return None
        found[key] = one
    return found


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, bool) is not isinstance(new, bool):
        return False
    if old is ABSENT or new is ABSENT:
        return old is new
    if isinstance(old, (int, float)) and isinstance(new, (int, float)) and abs(old) > EXACT:
        return float(old) == float(new)  # functions get and return numbers as floats
    return bool(old == new)

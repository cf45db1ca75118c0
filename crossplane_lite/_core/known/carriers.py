"""Spreads new notes over the resources of an answer.

A resource that is created or changed gets what the notes on all others lack, so the notes cost no
write of their own, and an object that was applied has the notes about its own content. A value that
only one of the others has counts as lacking, too: somebody may delete that one.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

from .notes import MOST_MISSING, NOT_KEPT, Notes, Values

_MOST_BYTES: Final = 4096
_CHUNK: Final = 2048
_FEW: Final = 8
_OF_A_KIND: Final = 2
COPIES: Final = 2
"""On so many resources each value lies, if there are as many: somebody may delete one by hand."""

Entries = dict[str, dict[str, Any] | None]
"""The new entries of a step, by the name of the resource; None for a resource that has no entry any
more.
"""


def is_too_large(value: Any) -> bool:
    """Say whether a value is too large for notes."""
    if value is None or isinstance(value, (bool, int, float)):
        return False
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return len(text.encode(errors="replace")) > _MOST_BYTES


def _may_read(carrier: str | None, namespace: str | None) -> bool:
    """Say whether who can read a resource in one namespace can read objects in another; both are
    empty for none.
    """
    return carrier == "" or namespace in ("", carrier)


def places(namespace_of: Callable[[str], str | None]) -> Callable[[str, str], bool]:
    """Return a function that says whether values of an object may lie on a resource of a step.

    They may where who can read the resource can read the object: it is in no namespace, or the
    resource is in none or in the same one.
    """
    namespace_of = functools.cache(namespace_of)

    def may_lie(obj: str, name: str) -> bool:
        return _may_read(namespace_of(name), namespace_of(obj))

    return may_lie


def chosen(written: Sequence[str], kind: Callable[[str], Any]) -> list[str]:
    """Return the written resources that carry notes: all of a few, else two of each kind."""
    if len(written) <= _FEW:
        return list(written)
    count: dict[Any, int] = {}
    found = []
    for name in sorted(written):
        key = kind(name)
        count[key] = count.get(key, 0) + 1
        if count[key] <= _OF_A_KIND:
            found.append(name)
    return found


def spread(
    notes: Notes,
    values: Values,
    missing: Collection[str],
    carriers: Collection[str],
    stay: Collection[str],
    may_lie: Callable[[str, str], bool],
) -> Entries:
    """Return the new entries, with which the notes have just these values and keys of missing
    values.

    Args:
        notes: The present notes.
        values: What the notes have to have.
        missing: The keys of what is missing.
        carriers: The resources that get entries, since they are written anyway; none to write one
            of `stay`.
        stay: All resources of the step in the answer.
        may_lie: Says whether values of an object may lie on a resource: nobody may read there what
            they can't read in the object itself.
    """
    targets = sorted(carriers, key=lambda name: (name not in notes.entries, name))
    if not targets:
        targets = sorted(stay, key=lambda name: (name not in notes.entries, name))[:1]
    if not targets:
        return {}
    others = notes.without(targets)
    left = others.without([name for name in others.entries if name not in stay])
    lacking = _lacking(left, values, targets, may_lie)
    # Also what is about to go has to lose a value: it may take its time.
    extra = _extra(others.values, values)
    entry: dict[str, Any] = {"n": notes.number + 1}
    if extra:
        entry["d"] = extra
    if missing:
        entry["m"] = "".join(sorted(missing)[:MOST_MISSING])
    parts: dict[str, Values] = {name: {} for name in targets}
    for names, group in _by_places(lacking, targets, may_lie).items():
        # Dealt out one after the other; of few chunks each resource gets one all the same.
        places = names or targets
        chunks = list(_chunks(group))
        for at, name in enumerate(places):
            for chunk in chunks[at :: len(places)] or [chunks[at % len(chunks)]]:
                parts[name].update(chunk)
    return {name: {**entry, **_data(parts[name])} for name in targets}


def _by_places(
    values: Values, targets: Sequence[str], may_lie: Callable[[str, str], bool]
) -> dict[tuple[str, ...], Values]:
    """Return the values by the resources on which they may lie; those without any as not kept."""
    found: dict[tuple[str, ...], Values] = {}
    for obj, ways in values.items():
        places = tuple(name for name in targets if may_lie(obj, name))
        # Who has no right place for a value still knows that it was there.
        found.setdefault(places, {})[obj] = ways if places else dict.fromkeys(ways, NOT_KEPT)
    return found


def _lacking(
    left: Notes, new: Values, targets: Sequence[str], may_lie: Callable[[str, str], bool]
) -> Values:
    """Return the values that the notes lack, or have only once though they may lie on one of the
    resources.
    """
    found: Values = {}
    for obj, ways in new.items():
        there = left.values.get(obj)
        has_place = any(may_lie(obj, name) for name in targets)
        lacking = {}
        for way, value in ways.items():
            is_there = there is not None and _is_same(there.get(way), value)
            if not is_there or (has_place and left.copies[obj, way] < COPIES):
                lacking[way] = value
        if lacking or there is None:
            found[obj] = lacking
    return found


def _extra(old: Values, new: Values) -> dict[str, list[str]]:
    found = {}
    for obj, ways in old.items():
        extra = ways.keys() - new.get(obj, {}).keys()
        if extra:
            found[obj] = sorted(extra) if obj in new else []
    return found


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    is_number = type(one) in (int, float) and type(other) in (int, float)
    return (type(one) is type(other) or is_number) and bool(one == other)


def _chunks(values: Values) -> Iterator[Values]:
    part: Values = {}
    size = 0
    for obj, ways in values.items():
        length = len(obj) + sum(len(way) + len(str(value)) for way, value in ways.items())
        if size and size + length > _CHUNK:
            yield part
            part, size = {}, 0
        part[obj] = ways
        size += length
    if part:
        yield part


def _data(part: Values) -> dict[str, Any]:
    """Return values as the fields of an entry."""
    kept: Values = {}
    unkept: dict[str, list[str]] = {}
    for obj, ways in part.items():
        values = {way: one for way, one in ways.items() if one is not NOT_KEPT}
        others = sorted(ways.keys() - values.keys())
        if values or not others:  # an object without paths was only found to be there
            kept[obj] = values
        if others:
            unkept[obj] = others
    data: dict[str, Any] = {}
    if kept:
        data["v"] = kept
    if unkept:
        data["x"] = unkept
    return data

"""Puts marks and notes into an answer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from .. import codec
from ..call.mark import marked
from ..known.carriers import COPIES, Entries, chosen, places, spread
from ..known.joined import joined
from ..known.notes import (
    EXTERNAL,
    NOT_KEPT,
    Notes,
    Values,
    Where,
    all_places,
    annotation_for,
    annotation_of,
    entries_in,
)
from ..observed.lookup import text_at
from .answers import Answer
from .seen import Lost, Seen
from .values import READY, Rank, ranked

Deciding = Callable[[Sequence[Where]], Collection[Where]]

_AROUND: Final = 64
"""The bytes of an entry around its values: names of fields, the number, the signature."""


def write(seen: Seen, answer: Answer, lost: Lost, deciding: Deciding | None) -> None:
    """Put the step's marks and notes into an answer.

    Args:
        seen: The request.
        answer: The answer.
        lost: The noted values that are missing. They stay noted, but for those that are let go.
        deciding: Returns those of some values that decide, where not all fit; None to write no new
            notes.
    """
    if not answer.own:
        return
    new = _entries(seen, answer, lost, deciding) if deciding else {}
    entries: Entries = {**seen.notes.entries, **new}
    for name, digest in answer.own.items():
        target = answer.desired[name]
        # The target may be made with this SDK, and have notes of its own.
        notes = annotation_for(seen.step, name, seen.object(name), target.resource, entries)
        target.resource = marked(target.resource, seen.step, digest, notes)


def _entries(seen: Seen, answer: Answer, lost: Lost, deciding: Deciding) -> Entries:
    """Return the new entries; none if nothing has to be noted."""
    notes = seen.notes
    written = [name for name, digest in answer.own.items() if seen.made.get(name) != digest]
    if notes.entries and not (written or lost.let_go or _lacks(seen, answer, lost)):
        return {}
    noted = _noted(seen, answer, lost)
    kind_of = functools.partial(_text_in, seen, answer, "kind")
    carriers = chosen(written, lambda name: (kind_of(name), name in seen.observed))
    losers = set(written).difference(carriers)
    left = [name for name in answer.own if name not in losers]
    needed = COPIES - len(carriers)
    if _are_few(noted, notes.without([*carriers, *_going(notes, answer)]), needed):
        carriers += [name for name in sorted(left) if name not in carriers][:needed]
    namespace_of = functools.partial(_text_in, seen, answer, "metadata", "namespace")
    entries = spread(notes, noted, answer.told, carriers, left, places(namespace_of))
    _limit(seen, answer, entries, noted, deciding)
    entries.update(dict.fromkeys(losers & notes.entries.keys()))
    return entries


def _noted(seen: Seen, answer: Answer, lost: Lost) -> Values:
    """Return the values to note: those that are there, and in the place of lost ones the noted
    ones.
    """
    values = _kept(seen, answer, lost)
    for obj in answer.objects:
        own = values.setdefault(obj, {})
        for way, value in seen.values_of(obj).items():
            own[way] = joined(value, own[way]) if (obj, way) in lost.empty else value
    return {obj: ways for obj, ways in values.items() if ways}


def _kept(seen: Seen, answer: Answer, lost: Lost) -> Values:
    """Return the noted values that stay noted: those of the composite, and of all that is desired
    or waits.
    """
    found: Values = {}
    objects = answer.objects | answer.waiting
    for obj, way, value in all_places(seen.notes.values):
        if obj in objects and value is not NOT_KEPT and (obj, way) not in lost.let_go:
            found.setdefault(obj, {})[way] = value
    return found


def _lacks(seen: Seen, answer: Answer, lost: Lost) -> bool:
    """Say whether notes have to be written although no resource is: what they say would be wrong,
    or gone.
    """
    notes = seen.notes
    # The composite's status is content, too.
    if not notes.missing.issuperset(answer.told):
        return True
    if seen.tells_new(answer) and any(map(seen.values_of, answer.objects - notes.values.keys())):
        return True
    going = _going(notes, answer)
    if not going:
        return False
    left = notes.without(going)
    values = _kept(seen, answer, lost)
    is_other = any(left.at(obj, way) != value for obj, way, value in all_places(values))
    return is_other or _are_few(values, left, COPIES)


def _going(notes: Notes, answer: Answer) -> list[str]:
    """Return the resources with notes that an answer doesn't desire any more."""
    return [name for name in notes.entries if name not in answer.own]


def _are_few(values: Values, notes: Notes, least: int) -> bool:
    """Say whether fewer entries than that have a value of some place."""
    return any(notes.copies[obj, way] < least for obj, way, _ in all_places(values))


def _text_in(seen: Seen, answer: Answer, *path_and_name: str) -> str:
    """Return the text at a path of an object as it is desired or observed, or else of the
    composite.
    """
    *path, obj = path_and_name
    wanted = answer.desired[obj].resource if obj in answer.desired else b""
    texts = (text_at(raw, *path) for raw in (wanted, seen.object(obj), seen.composite))
    return next(filter(None, texts), "")


def _limit(seen: Seen, answer: Answer, entries: Entries, noted: Values, deciding: Deciding) -> None:
    """Leave out of new entries what doesn't fit, and sign them."""
    first: set[Where] = set()
    composite = codec.decode_struct(answer.message.desired.composite.resource)
    rank = ranked([composite, *answer.own, *map(answer.head_of, answer.own)], first)
    rooms = {name: _room(seen, name) for name, entry in entries.items() if entry}
    if any(_size(entries[name]) > room for name, room in rooms.items()):
        # Values that no desired resource contains. They may decide all the same.
        unseen = [(obj, way) for obj, way, value in all_places(noted) if rank(obj, way, value)]
        first.update(deciding([one for one in unseen if one[1] not in (READY, EXTERNAL)]))
    for name, room in rooms.items():
        entry: Any = entries[name]
        _fit(entry, rank, room)
        if seen.options.key is not None:
            entry["k"] = seen.signature(name, entry)


def _room(seen: Seen, name: str) -> int:
    """Return how many bytes of notes a resource may have beside those of other steps."""
    others = entries_in(seen.object(name))
    others.pop(seen.step, None)
    return seen.options.budget - _size(others) + _AROUND


def _size(entry: Any) -> int:
    """Return how many bytes an entry takes."""
    return len(annotation_of(entry).encode()) + _AROUND


def _fit(entry: dict[str, Any], rank: Rank, room: int) -> None:
    """Leave out the values that matter least, until an entry has at most `room` bytes."""
    entry.pop("x", None)
    size = _size(entry)
    values: Values = entry.get("v", {})
    order = [(-rank(obj, way, value), way, obj) for obj, way, value in all_places(values)]
    for _, way, obj in sorted(order):
        if size <= room:
            return
        # a comma for the braces
        size -= len(annotation_of({way: values[obj].pop(way)}).encode()) - 1

"""Puts marks and notes into an answer."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

from .. import codec
from ..call.mark import marked
from ..known.carriers import COPIES, Entries, chosen, may_read, spread
from ..known.joined import joined
from ..known.notes import COMPOSITE, EXTERNAL, NOT_KEPT, Notes, Values, Where, annotation_for, annotation_of, entries_in
from ..observed.lookup import text_at
from .answers import Answer
from .seen import Lost, Seen, noted_places
from .values import READY, Rank, ranked, values_in

Deciding = Callable[[Sequence[Where]], Collection[Where]]

_AROUND: Final = 64
"""The bytes of an entry around its values: names of fields, the number, the signature."""


def write(seen: Seen, answer: Answer, lost: Lost, deciding: Deciding | None) -> None:
    """Put the step's marks and notes into an answer.

    Args:
        seen: The request.
        answer: The answer.
        lost: The noted values that are missing. They stay noted, but for those that are let go.
        deciding: Returns those of some values that decide, where not all fit; None to write no new notes.
    """
    if not answer.own:
        return
    new = _entries(seen, answer, lost, deciding) if deciding else {}
    entries: Entries = {**seen.notes.entries, **new}
    desired = answer.message.desired.resources
    for name, digest in answer.own.items():
        there = seen.observed[name].resource if name in seen.observed else b""
        target = desired[name]
        # The target may be made with this SDK, and have notes of its own.
        notes = annotation_for(seen.step, name, there, target.resource, entries)
        target.resource = marked(target.resource, seen.step, digest, notes)


def _entries(seen: Seen, answer: Answer, lost: Lost, deciding: Deciding) -> Entries:
    """Return the new entries; none if nothing has to be noted."""
    notes = seen.notes
    written = [name for name, digest in answer.own.items() if seen.made.get(name) != digest]
    if notes.entries and not (written or lost.let_go or _lacks(seen, answer, lost)):
        return {}
    values = _kept(seen, answer, lost)
    for obj, raw in _owners(seen, answer).items():
        own = values.setdefault(obj, {})
        for way, value in _values_of(seen, obj, raw).items():
            own[way] = joined(value, own[way]) if (obj, way) in lost.empty else value
    noted = {obj: ways for obj, ways in values.items() if ways}
    carriers = chosen(written, lambda name: (_kind(answer, name), name in seen.observed))
    losers = set(written).difference(carriers)
    left = [name for name in answer.own if name not in losers]
    needed = max(COPIES - len(carriers), 0)
    rest = notes.without([*carriers, *_going(notes, answer)])
    if needed and _are_few(noted, rest, needed):
        carriers += [name for name in sorted(left) if name not in carriers][:needed]
    places = _places(seen, answer)
    entries = spread(notes, noted, answer.told, carriers, left, places)
    rank = ranked(_desired(answer))
    first: Collection[Where] | None = None
    for name, entry in entries.items():
        if entry is None:
            continue
        room = seen.options.budget - _taken(seen, name)
        if first is None and _size(entry) > room:
            first = deciding(_unseen(noted, rank))
        _fit(entry, rank, first or (), room)
        if seen.options.key is not None:
            entry["k"] = seen.signature(name, entry)
    entries.update(dict.fromkeys(losers & notes.entries.keys()))
    return entries


def _owners(seen: Seen, answer: Answer) -> dict[str, bytes]:
    """Return the observed objects whose values count as read: the composite, and all that is desired."""
    found = {COMPOSITE: seen.composite}
    for name in answer.message.desired.resources:
        if name in seen.observed:
            found[name] = seen.observed[name].resource
    return found


def _values_of(seen: Seen, obj: str, raw: bytes) -> dict[str, Any]:
    """Return the values of an observed object that may be noted, by path."""
    return values_in(raw, seen.mask, composed=obj != COMPOSITE)


def _kept(seen: Seen, answer: Answer, lost: Lost) -> Values:
    """Return the noted values that stay noted: those of the composite, and of all that is desired or waits."""
    found: Values = {}
    objects = {COMPOSITE, *answer.message.desired.resources, *answer.waiting}
    for obj, way, value in noted_places(seen.notes.values):
        if obj in objects and value is not NOT_KEPT and (obj, way) not in lost.let_go:
            found.setdefault(obj, {})[way] = value
    return found


def _lacks(seen: Seen, answer: Answer, lost: Lost) -> bool:
    """Say whether notes have to be written although no resource is: what they say would be wrong, or gone."""
    notes = seen.notes
    going = _going(notes, answer)
    if going:
        left = notes.without(going)
        values = _kept(seen, answer, lost)
        is_other = any(left.at(obj, way) != value for obj, way, value in noted_places(values))
        if is_other or _are_few(values, left, COPIES):
            return True
    # The composite's status is content, too.
    if not notes.missing.issuperset(answer.told):
        return True
    return seen.tells_new(answer) and _has_new(seen, answer)


def _has_new(seen: Seen, answer: Answer) -> bool:
    """Say whether an object has values and none was noted."""
    noted = seen.notes.values
    return any(_values_of(seen, obj, raw) for obj, raw in _owners(seen, answer).items() if obj not in noted)


def _going(notes: Notes, answer: Answer) -> list[str]:
    """Return the resources with notes that an answer doesn't desire any more."""
    return [name for name in notes.entries if name not in answer.own]


def _are_few(values: Values, notes: Notes, least: int) -> bool:
    """Say whether fewer entries than that have a value of some place."""
    count: Counter[Where] = Counter()
    for entry in notes.entries.values():
        count.update((obj, way) for obj, way, _ in noted_places(entry.get("v", {})))
    return any(count[obj, way] < least for obj, way, _ in noted_places(values))


def _kind(answer: Answer, name: str) -> str:
    return text_at(answer.message.desired.resources[name].resource, "kind")


def _places(seen: Seen, answer: Answer) -> Callable[[str, str], bool]:
    """Return a function that says whether values of an object may lie on a resource."""
    desired = answer.message.desired.resources
    namespace_of = functools.cache(seen.namespace_of)

    def may_lie(obj: str, name: str) -> bool:
        carrier = text_at(desired[name].resource, "metadata", "namespace") or namespace_of(name)
        return may_read(carrier, namespace_of(obj))

    return may_lie


def _desired(answer: Answer) -> Iterator[Any]:
    """Yield all that is desired, and its names."""
    desired = answer.message.desired
    yield list(answer.own)
    for name in answer.own:
        yield codec.decode_struct(desired.resources[name].resource)
    yield codec.decode_struct(desired.composite.resource)


def _taken(seen: Seen, name: str) -> int:
    """Return how many bytes of notes a resource has from other steps."""
    raw = seen.observed[name].resource if name in seen.observed else b""
    others = {step: one for step, one in entries_in(raw).items() if step != seen.step}
    return len(annotation_of(others).encode())


def _unseen(values: Values, rank: Rank) -> list[Where]:
    """Return the values that no desired resource contains. They may decide all the same."""
    places = []
    for obj, way, value in noted_places(values):
        if rank(way, value) and way not in (READY, EXTERNAL):
            places.append((obj, way))
    return places


def _size(entry: dict[str, Any]) -> int:
    """Return how many bytes an entry takes."""
    return len(annotation_of(entry).encode()) + _AROUND


def _fit(entry: dict[str, Any], rank: Rank, first: Collection[Where], room: int) -> None:
    """Leave out the values that matter least, until an entry has at most `room` bytes."""
    entry.pop("x", None)
    size = _size(entry)
    values: Values = entry.get("v", {})
    order = []
    for obj, way, value in noted_places(values):
        place = 0 if (obj, way) in first else rank(way, value)
        order.append((-place, way, obj, value))
    for _, way, obj, value in sorted(order, key=lambda one: one[:3]):
        if size <= room:
            return
        del values[obj][way]
        size -= len(annotation_of({way: value}).encode()) - len("{}") + len(",")

"""The notes of a step: the values that were read when the content of the step's resources was made.

They lie in the annotation `crossplane-lite/known` of the step's composed resources. It is canonical
JSON, an entry for each step by the step's identity. An entry has

- `n`: a number; of two entries the greater one counts;
- `v`: values by object and path. The object is a resource's name, `""` for the composite,
  `?key[name]` for a required resource (`?key[namespace/name]` in a namespace), and `@` for the
  pipeline's context, whose paths are its keys;
- `x`: paths of values that were there and aren't kept: secrets, values of another namespace, and
  what is too large;
- `d`: paths that entries with a smaller number have, and that don't count any more; of an object
  without paths none counts;
- `m`: the keys of what was asked for and missing (`key_of`), one behind the other.

An entry without `v`, `x` and `m` is left out.
"""

from __future__ import annotations

import enum
import functools
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from ...errors import CrossplaneLiteError
from .. import codec
from ..base.hashes import digest
from ..base.scalars import EXACT
from ..base.sentinels import UNSET
from ..observed.lookup import steps_of, text_at
from . import KNOWN

KNOWN_WAY: Final = ("metadata", "annotations", KNOWN)
COMPOSITE: Final = ""
CONTEXT: Final = "@"
READY: Final = "ready"
"""The path of an object's readiness."""
EXTERNAL: Final = "external_name"
"""The path of an object's external name."""
MOST_MISSING: Final = 200
"""The most keys of missing values in an entry. Those that are left out protect too much, not too
little.
"""
CONDITION: Final = re.compile(r'status\.conditions\["(.+)"\]\.status')
"""The path of a condition's status, with the condition's type."""

_NOTHING: Final = "*"  # stands for all composed resources: none of them was observed
_KEY: Final = 5  # about 10**9 keys
_IN_BYTES: Final = KNOWN.encode()

Where = tuple[str, str]
"""The object that has a value, and the value's path below it."""

Values = dict[str, dict[str, Any]]
"""Values by object and path."""


def all_places(values: Values) -> Iterator[tuple[str, str, Any]]:
    """Yield the object, the path and the value of each of some values."""
    for obj, ways in values.items():
        for way, value in ways.items():
            yield obj, way, value


class _NotKept:
    """Stands for a value that was there and isn't noted."""


NOT_KEPT: Final = _NotKept()


class Said(enum.Enum):
    """What notes say of a missing value."""

    THERE = "it was there, and its value is noted"
    NOT_KEPT = "it was there, and its value isn't kept"
    MISSING = "it was missing"
    NOTHING = "nothing"


def is_required(obj: str) -> bool:
    """Say whether an object of the notes is a required resource."""
    return obj.startswith("?")


def required_object(key: str, name: str) -> str:
    """Return what notes call a required resource; its name is `#` and a number if only its place is
    known.
    """
    return f"?{key}[{name}]"


def key_and_name(obj: str) -> tuple[str, str]:
    """Return the requirement's key and the name of a required resource in notes."""
    key, _, name = obj.removeprefix("?").removesuffix("]").rpartition("[")
    return key, name


def own_name(raw: bytes) -> str:
    """Return the name of an object with its namespace, if it is in one."""
    namespace = text_at(raw, "metadata", "namespace")
    name = text_at(raw, "metadata", "name")
    return f"{namespace}/{name}" if namespace else name


def is_composed(obj: str) -> bool:
    """Say whether an object of the notes is a composed resource."""
    return obj not in (COMPOSITE, CONTEXT) and not is_required(obj)


def condition_way(type_: str) -> str:
    """Return the path of a condition's status."""
    return f'status.conditions["{type_}"].status'


def is_below(way: str, above: str) -> bool:
    """Say whether a path leads to a part of the value at another path."""
    return way.startswith((above + ".", above + "["))


def key_of(obj: str, way: str) -> str:
    """Return the key that stands for a missing value, or for a missing object if `way` is empty."""
    return digest(f"{obj}\0{way}".encode(), _KEY)


def nothing_key() -> str:
    """Return the key that stands for all composed resources."""
    return key_of(_NOTHING, "")


def _keys_around(obj: str, way: str) -> Iterator[str]:
    """Yield the keys of a value and of everything around it."""
    yield key_of(obj, way)
    for at in range(len(way) - 1, 0, -1):
        if way[at] in ".[":
            yield key_of(obj, way[:at])
    yield key_of(obj, "")
    if is_composed(obj):
        yield nothing_key()


class Notes:
    """The notes of a step.

    Args:
        entries: The step's entry on each resource that has one.

    Attributes:
        entries: The same.
        values: The noted values; NOT_KEPT for a value that isn't kept.
        missing: The keys of what was missing.
        number: The greatest number of an entry; 0 without entries.
        copies: How many entries have each value, as it counts.
    """

    def __init__(self, entries: Mapping[str, dict[str, Any]]) -> None:
        self.entries = entries
        self.values: Values = {}
        self.missing: frozenset[str] = frozenset()
        self.number = 0
        self.copies: Counter[Where] = Counter()
        for entry in sorted(entries.values(), key=lambda one: one["n"]):
            self._add(entry)

    @classmethod
    def of(cls, observed: Mapping[str, Any], step: str, same: Collection[str] = ()) -> Notes:
        """Return the notes that observed resources, messages by name, have for a step.

        `same` are functions' names: where the step has none, the notes of a step of one of them
        count, with any input.
        """
        own: dict[str, dict[str, Any]] = {}
        others: dict[str, dict[str, Any]] = {}
        for name in sorted(observed):
            raw = observed[name].resource
            if _IN_BYTES not in raw:
                continue
            for identity, entry in entries_in(raw).items():
                if not _is_entry(entry):
                    continue
                if identity == step:
                    own[name] = entry
                elif identity.rpartition("-")[0] in same or identity in same:
                    others[name] = entry
        return cls(own or others)

    def _add(self, entry: dict[str, Any]) -> None:
        for obj, ways in entry.get("d", {}).items():
            if not ways:
                self.values.pop(obj, None)
            for way in ways:
                self.values.get(obj, {}).pop(way, None)
        for obj, values in entry.get("v", {}).items():
            known = self.values.setdefault(obj, {})
            for way, value in values.items():
                is_other = known.get(way, UNSET) != value
                self.copies[obj, way] = 1 if is_other else self.copies[obj, way] + 1
            known.update(values)
        for obj, ways in entry.get("x", {}).items():
            self.values.setdefault(obj, {}).update(dict.fromkeys(ways, NOT_KEPT))
            self.copies.update((obj, way) for way in ways)
        text = entry.get("m", "")
        keys = frozenset(text[at : at + _KEY] for at in range(0, len(text), _KEY))
        self.missing = keys | self.missing if entry["n"] == self.number else keys
        self.number = entry["n"]

    def without(self, names: Collection[str]) -> Notes:
        """Return the notes that are left without the entries on some resources."""
        if not names:
            return self
        return Notes({name: entry for name, entry in self.entries.items() if name not in names})

    def say(self, obj: str, way: str) -> Said:
        """Say what the notes know of a missing value."""
        value = self.at(obj, way)
        if value is NOT_KEPT:
            return Said.NOT_KEPT
        if value is not UNSET:
            return Said.THERE
        was_missing = bool(self.missing) and not self.missing.isdisjoint(_keys_around(obj, way))
        return Said.MISSING if was_missing else Said.NOTHING

    def at(self, obj: str, way: str) -> Any:
        """Return the noted value at a path; UNSET without one.

        The path may lead to a part of a noted value, or to an object that has noted values in it.
        """
        ways = self.values.get(obj)
        if ways is None:
            return self._at_unnamed(obj) if is_required(obj) else UNSET
        if way in ways:
            return ways[way]
        if not way:
            return ways
        inside = [value for one, value in ways.items() if is_below(one, way)]
        if inside:
            return NOT_KEPT if all(one is NOT_KEPT for one in inside) else inside
        for one, value in ways.items():
            if is_below(way, one):
                return (
                    NOT_KEPT
                    if value is NOT_KEPT
                    else part_of(value, way[len(one) :].removeprefix("."))
                )
        return UNSET

    def _at_unnamed(self, obj: str) -> Any:
        """Return what stands for a whole answer to a requirement, or for an object of which only
        the place is known.
        """
        start, _, place = obj.removesuffix("]").partition("[#")
        noted = [one for one in self.values if one.startswith(start + "[")]
        if obj == start:
            return {} if noted else UNSET
        # Nobody knows which of the noted ones it was.
        return NOT_KEPT if place.isdigit() and int(place) < len(noted) else UNSET


def part_of(value: Any, way: str) -> Any:
    """Return the part of a value at a path; UNSET if it has none."""
    try:
        for step in steps_of(way):
            value = value[step]
    except (CrossplaneLiteError, LookupError, TypeError):
        return UNSET
    return value


def _is_entry(entry: Any) -> bool:
    if (
        not isinstance(entry, dict)
        or type(entry.get("n")) is not int
        or not isinstance(entry.get("m", ""), str)
    ):
        return False
    parts = [entry.get(key, {}) for key in "vxd"]
    if not all(isinstance(part, dict) for part in parts):
        return False
    values, *ways = parts
    for one in values.values():
        if not isinstance(one, dict):
            return False
    for part in ways:
        for one in part.values():
            if not isinstance(one, list) or not all(isinstance(way, str) for way in one):
                return False
    return True


def carries(raw: bytes) -> bool:
    """Say whether an object has notes of any step, by a quick look."""
    return _IN_BYTES in raw


def may_miss(raws: Iterable[bytes], step: str) -> bool:
    """Say by a quick look whether the newest notes of a step in encoded objects have keys of
    missing values.
    """
    start, pattern = _pattern(step)
    newest = -1
    found = False
    for raw in raws:
        if start not in raw:
            continue
        match = pattern.search(raw)
        if match is None:
            return True
        number = int(match[2])
        if number >= newest:
            found = match[1] is not None or (found and number == newest)
            newest = number
    return found


@functools.lru_cache(maxsize=64)
def _pattern(step: str) -> tuple[bytes, re.Pattern[bytes]]:
    """Return the beginning of a step's entry, and a pattern for its keys of missing values and its
    number.
    """
    start = (json.dumps(step, ensure_ascii=False) + ":{").encode()
    return start, re.compile(re.escape(start) + rb'(?:"d":\{[^{}]*\},)?("m":"[^"]*",)?"n":(\d+)')


def entries_in(raw: bytes) -> dict[str, Any]:
    """Return the entries of all steps in an object's annotation; none if it is malformed."""
    if not carries(raw):
        return {}
    text = codec.get_path(raw, KNOWN_WAY) or "{}"
    try:
        found = _decoder.decode(text)
        if "\\u" in text:  # halves of characters can be written with escapes only
            annotation_of(found).encode()
    except (ValueError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _number(text: str) -> float:
    """Return a number as objects have it; raise ValueError for an infinite one."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return int(number) if number.is_integer() and abs(number) <= EXACT else number


_decoder: Final = json.JSONDecoder(parse_float=_number, parse_int=_number, parse_constant=_number)


def annotation_of(entries: Mapping[str, Any]) -> str:
    """Return the annotation's value for entries by step; empty for none."""
    return (
        json.dumps(entries, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        if entries
        else ""
    )


def annotation_for(
    step: str, name: str, raw: bytes, base: bytes | None, entries: Mapping[str, Any]
) -> str:
    """Return the annotation's value for a resource that a step desires; empty for none.

    Args:
        step: The step's identity.
        name: The resource's name.
        raw: The observed resource; empty if there is none.
        base: The resource with the entries of others, which stay: as previous steps desire it; None
            if they don't.
        entries: The step's new entries, by name. Without a new one, the observed one stays.
    """
    if name not in entries and base is None:
        return str(codec.get_path(raw, KNOWN_WAY) or "") if carries(raw) else ""
    found = {} if base is None else entries_in(base)
    found.pop(step, None)
    own = entries[name] if name in entries else entries_in(raw).get(step)
    if own:
        found[step] = own
    return annotation_of(found)

"""A step's report of who waits for what, as data in the pipeline's context.

Each step keeps one entry in the context, under `HELD_BACK_KEY` and its own identity (the function's
name, with a hash of the input if there is one). The next steps read this entry, and so do tests and
tools. Messages for people are made from the same data (`_core.answer.waiting`); no data is read
from messages.

A step holds a resource back if it doesn't create it yet, because the resource needs a value that
doesn't exist yet. A requirement asks Crossplane for other resources.

An entry is a mapping of

- `held`: names;
- `waits`: mappings with `name`, `of`, `path` and `why`;
- `cutOff`: mappings with `name` and `why`;
- `notes`: mappings with `name` and `text`;
- `unsure`: true if the step has answered without its notes (`Call.is_after_unsure_step`).

All but `held` are left out if they are empty. An entry without `held` says only `unsure`, and is no
report. The texts of an entry aren't masked, because they are data for the next steps; but a
condition that a reason quotes is.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from ..observed.lookup import Json
from ..paths.text import OTHER_NAMES


class Need(NamedTuple):
    """A value that doesn't exist yet, and the resource, field or requirement that needs it.

    Attributes:
        name: Who needs the value: a composed resource by its name, a field of the composite by its
            path (`xr.status.x`), or a requirement as `required.<key>`.
        of: The owner of the value, in the same form; empty if the owner isn't known.
        path: The value's path. If it is only a resource's name, that resource has to be ready
            (`depends_on`).
        why: The reason why the value doesn't exist.
    """

    name: str
    of: str
    path: str
    why: str

    @property
    def by_resource(self) -> bool:
        """Whether a composed resource needs the value."""
        return is_resource(self.name)

    @property
    def of_resource(self) -> bool:
        """Whether the value belongs to a composed resource. False if the owner isn't known."""
        return bool(self.of) and is_resource(self.of)


class CutOff(NamedTuple):
    """A requirement that is never answered, because Crossplane doesn't support it.

    Attributes:
        name: The requirement's key.
        why: The reason.
    """

    name: str
    why: str


class Note(NamedTuple):
    """A remark for people about a resource or about the step.

    Attributes:
        name: The resource's name; empty for a remark about the step.
        text: The remark.
    """

    name: str
    text: str


Row = TypeVar("Row", Need, CutOff, Note)


class Waiting(NamedTuple):
    """One step's report: who waits for what.

    Attributes:
        held: The names of the resources that the step holds back. A held resource without a need in
            `needs` is held back by another step.
        needs: The needs of resources, fields and requirements.
        cut_off: The requirements that are never answered.
        notes: Remarks for people besides the needs, such as which existing resources are kept, and
            why.
    """

    held: list[str]
    needs: list[Need]
    cut_off: list[CutOff]
    notes: tuple[Note, ...] = ()

    def to_data(self) -> Json:
        """Return the report as an entry of the context. Empty lists are left out, except `held`."""
        data: Json = {"held": self.held}
        for key, rows in (("waits", self.needs), ("cutOff", self.cut_off), ("notes", self.notes)):
            if rows:
                data[key] = [row._asdict() for row in rows]
        return data


def read(value: Any) -> dict[str, Waiting]:
    """Return the report of each step, by the step's identity.

    `value` is the context's value under `HELD_BACK_KEY`. A step's entry that is a list counts as
    `held`; one without `held` only tells later steps something, and is no report. Malformed parts
    are left out.
    """
    found = {}
    for step, entry in value.items() if isinstance(value, dict) else ():
        data = {"held": entry} if isinstance(entry, list) else entry
        if isinstance(data, dict) and "held" in data:
            found[step] = _read(data)
    return found


def _read(entry: Json) -> Waiting:
    held = [name for name in _list_in(entry, "held") if isinstance(name, str)]
    needs = [need for need in _rows(entry, "waits", Need) if need.name and need.path]
    notes = [note for note in _rows(entry, "notes", Note) if note.text]
    return Waiting(held, needs, _rows(entry, "cutOff", CutOff), tuple(notes))


def _list_in(entry: Json, key: str) -> list[Any]:
    found = entry.get(key)
    return found if isinstance(found, list) else []


def _rows(entry: Json, key: str, kind: type[Row]) -> list[Row]:
    """Return the elements of one of an entry's lists; each text that an element lacks is empty."""
    rows = []
    for one in _list_in(entry, key):
        if isinstance(one, dict):
            texts = [one.get(name) for name in kind._fields]
            rows.append(kind(*(text if isinstance(text, str) else "" for text in texts)))
    return rows


def is_resource(name: str) -> bool:
    """Say whether a name is that of a composed resource, and not of a field or a requirement."""
    return not name.startswith(OTHER_NAMES)

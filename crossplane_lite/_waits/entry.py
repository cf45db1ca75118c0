"""Who waits for what, as data.

Each step of a pipeline keeps one entry in the context, under `HELD_BACK_KEY` and its own identity. The next steps read
this entry, and so do tests and tools. Messages for people are made from the same data
(`crossplane_lite._answer.messages`); no data is read from messages.

An entry is `{"held": [...], "waits": [{"name": ..., "of": ..., "path": ..., "why": ...}], "cutOff": [{"name": ...,
"why": ...}], "notes": [{"name": ..., "text": ...}], "guessed": [...]}`. All lists but `held` are left out if they are
empty. A wait has `"kind": "resource"` if `name` is a resource with a name such as `xr.bucket`, which reads like a field
of the composite, and `"ofKind": "resource"` if `of` is. The texts of an entry aren't masked, because they are data for
the next steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

__all__ = ["RESOURCE", "CutOff", "Need", "Note", "Waiting", "keeping", "read", "reads_as_other", "unmasked_name"]

RESOURCE = "resource"


class Need(NamedTuple):
    """A value that isn't there yet, and the resource, field or requirement that needs it.

    Attributes:
        name: Who needs the value: a composed resource by its name, a field of the composite by its path
            (`xr.status.x`), or a requirement as `required.<key>`.
        of: The owner of the value, in the same form; empty if the owner isn't known.
        path: The value's path. If it is only a resource's name, that resource has to be ready (`depends_on`).
        why: The reason why the value isn't there.
        kind: `resource` if `name` is a composed resource whose name reads like a field or a requirement; else empty.
        of_kind: The same as `kind`, for `of`.
    """

    name: str
    of: str
    path: str
    why: str
    kind: str = ""
    of_kind: str = ""

    @property
    def by_resource(self) -> bool:
        """Whether a composed resource needs the value."""
        return self.kind == RESOURCE or not reads_as_other(self.name)

    @property
    def of_resource(self) -> bool:
        """Whether the value belongs to a composed resource."""
        return bool(self.of) and (self.of_kind == RESOURCE or not reads_as_other(self.of))

    def to_data(self) -> dict[str, str]:
        """Return the element of an entry's `waits` for this need."""
        data = {"name": self.name, "of": self.of, "path": self.path, "why": self.why}
        return {**data, **{key: kind for key, kind in (("kind", self.kind), ("ofKind", self.of_kind)) if kind}}


class CutOff(NamedTuple):
    """A requirement whose values never come, because Crossplane doesn't support it.

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


class Waiting(NamedTuple):
    """One step's report: who waits for what.

    Attributes:
        held: The names of the resources that the step holds back. If a resource has no need, the reason is that another
            step holds it back.
        needs: The needs of resources, fields and requirements.
        cut_off: The requirements whose values never come.
        notes: Other remarks for people, such as which resources are kept and why.
        guessed: The keys of the context whose values the step made while it lacked values that it needed.
    """

    held: list[str]
    needs: list[Need]
    cut_off: list[CutOff]
    notes: tuple[Note, ...] = ()
    guessed: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return the report as an entry of the context."""
        entry: dict[str, Any] = {"held": self.held}
        if self.needs:
            entry["waits"] = [need.to_data() for need in self.needs]
        if self.cut_off:
            entry["cutOff"] = [one._asdict() for one in self.cut_off]
        if self.notes:
            entry["notes"] = [one._asdict() for one in self.notes]
        if self.guessed:
            entry["guessed"] = list(self.guessed)
        return entry

    def masked(self, mask: Callable[[str], str]) -> Waiting:
        """Return a copy of the report for people, with secret values masked.

        Args:
            mask: The function that masks the secret values in a text. It isn't applied to the names of resources.
        """
        needs = [
            Need(
                one.name if one.by_resource else mask(one.name),
                one.of if one.of_resource else mask(one.of),
                _after(one, one.path, mask),
                _after(one, one.why, mask),
                one.kind,
                one.of_kind,
            )
            for one in self.needs
        ]
        return Waiting(
            self.held,
            needs,
            [CutOff(mask(one.name), mask(one.why)) for one in self.cut_off],
            tuple(Note(one.name, mask(one.text)) for one in self.notes),
            self.guessed,
        )


def read(value: Any) -> dict[str, Waiting]:
    """Return the report of each step, by the step's identity. The reports' `guessed` is left empty.

    Args:
        value: The context's value under `HELD_BACK_KEY`. If a step's entry is a list, the list counts as `held`. Parts
            without the form of an entry are left out.
    """
    entries = value.items() if isinstance(value, dict) else ()
    return {step: _read(entry) for step, entry in entries if isinstance(entry, (dict, list))}


def _read(entry: dict[str, Any] | list[Any]) -> Waiting:
    if isinstance(entry, list):
        return Waiting([name for name in entry if isinstance(name, str)], [], [])
    held = entry.get("held")
    needs = [
        Need(*(_text(one, key) for key in ("name", "of", "path", "why", "kind", "ofKind")))
        for one in _mappings(entry.get("waits"))
    ]
    cut_off = [CutOff(_text(one, "name"), _text(one, "why")) for one in _mappings(entry.get("cutOff"))]
    notes = [Note(_text(one, "name"), _text(one, "text")) for one in _mappings(entry.get("notes"))]
    return Waiting(
        [name for name in held if isinstance(name, str)] if isinstance(held, list) else [],
        [need for need in needs if need.name and need.path],
        [one for one in cut_off if one.name],
        tuple(one for one in notes if one.text),
    )


def _mappings(value: Any) -> Iterator[dict[str, Any]]:
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            yield one


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def keeping(name: str, text: str, mask: Callable[[str], str]) -> str:
    """Return `text` with secret values masked. If `text` begins with the resource's `name`, the name isn't masked."""
    return name + mask(text[len(name) :]) if name and text.startswith(name) else mask(text)


def _after(need: Need, text: str, mask: Callable[[str], str]) -> str:
    """Return `text`, the path or reason of `need`, with secrets masked, except in the owner's name at its beginning."""
    return keeping(need.of if need.of_resource else "", text, mask)


def unmasked_name(name: str, mask: Callable[[str], str]) -> str:
    """Return `name`, a resource's name, unchanged; but masked if it reads like a field or a requirement."""
    return mask(name) if reads_as_other(name) else name


def reads_as_other(name: str) -> bool:
    """Say whether a resource's `name` begins like a field of the composite (`xr.`) or a requirement (`required.`)."""
    return name.startswith(("xr.", "required."))

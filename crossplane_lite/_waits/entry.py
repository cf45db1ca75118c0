"""Who waits for what, as data.

Each step of a pipeline keeps one entry in the context, under `HELD_BACK_KEY` and its own identity. The next steps go by
it, and so does everybody who looks at answers. Messages for people are made from the same data
(`crossplane_lite._answer.messages`), and nothing is ever read back from them.

An entry is `{"held": [...], "waits": [{"name": ..., "of": ..., "path": ..., "why": ...}], "cutOff": [{"name": ...,
"why": ...}], "notes": [{"name": ..., "text": ...}], "guessed": [...]}`. A wait has `"kind": "resource"` or `"ofKind":
"resource"` where a resource has a name such as `xr.bucket`. Things without a place in an entry are left out. Its texts
aren't masked: they are data for the next steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

__all__ = ["RESOURCE", "CutOff", "Need", "Note", "Waiting", "keeping", "read", "reads_as_other", "unmasked_name"]

RESOURCE = "resource"


class Need(NamedTuple):
    """One value that something needs and that isn't there yet.

    Attributes:
        name: The one that needs it: a composed resource by its name, a field of the composite by its path
            (`xr.status.x`), or a requirement as `required.<key>`.
        of: The owner of the needed value, in the same form; empty where that isn't known.
        path: Its path. A resource's name alone means that the resource has to be ready (`depends_on`).
        why: Why it isn't there.
        kind: `resource` for a composed resource whose name reads like one of the others; else empty.
        of_kind: The same of the owner.
    """

    name: str
    of: str
    path: str
    why: str
    kind: str = ""
    of_kind: str = ""

    @property
    def by_resource(self) -> bool:
        """Whether a composed resource needs it."""
        return self.kind == RESOURCE or not reads_as_other(self.name)

    @property
    def of_resource(self) -> bool:
        """Whether it belongs to a composed resource."""
        return bool(self.of) and (self.of_kind == RESOURCE or not reads_as_other(self.of))

    def to_data(self) -> dict[str, str]:
        """Return it as it stands in an entry."""
        data = {"name": self.name, "of": self.of, "path": self.path, "why": self.why}
        return {**data, **{key: kind for key, kind in (("kind", self.kind), ("ofKind", self.of_kind)) if kind}}


class CutOff(NamedTuple):
    """A value that never comes, however long anybody waits.

    Attributes:
        name: The key of a requirement.
        why: Why.
    """

    name: str
    why: str


class Note(NamedTuple):
    """A remark for people on a resource, or on the step.

    Attributes:
        name: The resource; empty for the step.
        text: The remark.
    """

    name: str
    text: str


class Waiting(NamedTuple):
    """One step's report of who waits.

    Attributes:
        held: The names of the resources that it holds back. One without a need is held back by another step.
        needs: The needed values.
        cut_off: Values that never come.
        notes: Other remarks for people, such as kept resources and the reason.
        guessed: The keys of the context whose values it made without knowing all that it needed.
    """

    held: list[str]
    needs: list[Need]
    cut_off: list[CutOff]
    notes: tuple[Note, ...] = ()
    guessed: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return the entry of the context."""
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
        """Return it for people.

        Args:
            mask: Masks secret values. The names of resources are left as they are.
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
    """Return each step's report of who waits.

    Args:
        value: The context's value under `HELD_BACK_KEY`. A list of a step counts as the names that it holds back;
            whatever isn't of the shape that is written here counts as nothing.
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
    """Return a text masked, but for the name that it begins with."""
    return name + mask(text[len(name) :]) if name and text.startswith(name) else mask(text)


def _after(need: Need, text: str, mask: Callable[[str], str]) -> str:
    """Return a path or a reason masked, but for the name of the resource that it begins with."""
    return keeping(need.of if need.of_resource else "", text, mask)


def unmasked_name(name: str, mask: Callable[[str], str]) -> str:
    """Return the name of a resource as it is, and anything else masked."""
    return mask(name) if reads_as_other(name) else name


def reads_as_other(name: str) -> bool:
    """Say whether a name reads like a field of the composite or a requirement."""
    return name.startswith(("xr.", "required."))

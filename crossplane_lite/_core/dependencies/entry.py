"""A step's report of who waits for what, as data in the pipeline's context.

Each step keeps one entry in the context, under `HELD_BACK_KEY` and its own identity (the function's name, with a hash
of the input if there is one). The next steps read this entry, and so do tests and tools. Messages for people are made
from the same data (`_core.answer.waiting`); no data is read from messages.

A step holds a resource back if it doesn't create it yet, because the resource needs a value that doesn't exist yet. A
requirement asks Crossplane for other resources.

An entry is `{"held": [...], "waits": [{"name": ..., "of": ..., "path": ..., "why": ...}], "cutOff": [{"name": ...,
"why": ...}], "notes": [{"name": ..., "text": ...}], "unsure": true}`. All lists but `held` are left out if they are
empty. A wait has `"kind": "resource"` if `name` is a resource with a name such as `xr.bucket`, which looks like a field
of the composite, and `"ofKind": "resource"` if `of` is. The texts of an entry aren't masked, because they are data for
the next steps; but a condition that a reason quotes is. `unsure` says that the step has answered without its notes
(`_core.call.call.Call.is_after_unsure_step`); an entry without `held` says nothing else, and is no report.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

RESOURCE = "resource"


class Need(NamedTuple):
    """A value that doesn't exist yet, and the resource, field or requirement that needs it.

    Attributes:
        name: Who needs the value: a composed resource by its name, a field of the composite by its path
            (`xr.status.x`), or a requirement as `required.<key>`.
        of: The owner of the value, in the same form; empty if the owner isn't known.
        path: The value's path. If it is only a resource's name, that resource has to be ready (`depends_on`).
        why: The reason why the value doesn't exist.
        kind: `resource` if `name` is a composed resource whose name begins with `xr.` or `required.`; else empty.
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
        """Whether the value belongs to a composed resource. False if the owner isn't known."""
        return bool(self.of) and (self.of_kind == RESOURCE or not reads_as_other(self.of))

    def to_data(self) -> dict[str, str]:
        """Return this need as an element of `waits` in an entry."""
        data = {"name": self.name, "of": self.of, "path": self.path, "why": self.why}
        return {**data, **{key: kind for key, kind in (("kind", self.kind), ("ofKind", self.of_kind)) if kind}}


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


class Waiting(NamedTuple):
    """One step's report: who waits for what.

    Attributes:
        held: The names of the resources that the step holds back. A held resource without a need in `needs` is held
            back by another step.
        needs: The needs of resources, fields and requirements.
        cut_off: The requirements that are never answered.
        notes: Remarks for people besides the needs, such as which existing resources are kept, and why.
    """

    held: list[str]
    needs: list[Need]
    cut_off: list[CutOff]
    notes: tuple[Note, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return the report as an entry of the context. Empty lists are left out, except `held`."""
        lists: dict[str, list[Any]] = {
            "waits": [need.to_data() for need in self.needs],
            "cutOff": [one._asdict() for one in self.cut_off],
            "notes": [one._asdict() for one in self.notes],
        }
        return {"held": self.held, **{key: found for key, found in lists.items() if found}}

    def masked(self, mask: Callable[[str], str]) -> Waiting:
        """Return a copy of the report for people, with secret values masked.

        Args:
            mask: The function that masks the secret values in a text. It isn't applied to names of resources.
        """
        needs = []
        for one in self.needs:
            owner = one.of if one.of_resource else ""
            name = one.name if one.by_resource else mask(one.name)
            path, why = (keeping(owner, text, mask) for text in (one.path, one.why))
            needs.append(Need(name, owner or mask(one.of), path, why, one.kind, one.of_kind))
        cut_off = [CutOff(*map(mask, one)) for one in self.cut_off]
        notes = tuple(Note(one.name, mask(one.text)) for one in self.notes)
        return Waiting(self.held, needs, cut_off, notes)


def causes_of(waiting: Waiting, behind: Collection[Need]) -> dict[str, str]:
    """Map each waiting resource to the first one that it hangs on, which waits for something that isn't held back.

    Such a resource is mapped to itself. Resources that only wait for a cycle are left out. `behind` has the needs of
    values of resources that are held back.
    """
    direct = {need.name for need in waiting.needs if need not in behind}
    direct.update(set(waiting.held) - {need.name for need in waiting.needs})  # these are held back by another step
    above: dict[str, list[str]] = {}
    for need in behind:
        above.setdefault(need.of, []).append(need.name)
    found = {name: name for name in direct}
    for cause in sorted(direct):
        work = [cause]
        while work:
            for name in above.get(work.pop(), ()):
                if name not in found:
                    found[name] = cause
                    work.append(name)
    return found


def read(value: Any) -> dict[str, Waiting]:
    """Return the report of each step, by the step's identity.

    `value` is the context's value under `HELD_BACK_KEY`. A step's entry that is a list counts as `held`; one without
    `held` only tells later steps something, and is no report. Malformed parts are left out.
    """
    entries = value.items() if isinstance(value, dict) else ()
    return {
        step: _read(entry)
        for step, entry in entries
        if isinstance(entry, list) or (isinstance(entry, dict) and "held" in entry)
    }


def _read(entry: dict[str, Any] | list[Any]) -> Waiting:
    if isinstance(entry, list):
        entry = {"held": entry}
    held = entry.get("held")
    needs = [Need(*row) for row in _rows(entry, "waits", "name", "of", "path", "why", "kind", "ofKind")]
    cut_off = [CutOff(*row) for row in _rows(entry, "cutOff", "name", "why")]
    notes = [Note(*row) for row in _rows(entry, "notes", "name", "text")]
    return Waiting(
        [name for name in held if isinstance(name, str)] if isinstance(held, list) else [],
        [need for need in needs if need.name and need.path],
        [one for one in cut_off if one.name],
        tuple(one for one in notes if one.text),
    )


def _rows(entry: dict[str, Any], key: str, *names: str) -> Iterator[list[str]]:
    """Yield the texts under `names` in each element of one of an entry's lists; empty ones where it has none."""
    elements = entry.get(key)
    for one in elements if isinstance(elements, list) else ():
        if isinstance(one, dict):
            yield [text if isinstance(text := one.get(name), str) else "" for name in names]


def keeping(name: str, text: str, mask: Callable[[str], str]) -> str:
    """Return `text` with secret values masked. `name`, a resource's name, isn't masked where `text` begins with it."""
    return name + mask(text[len(name) :]) if name and text.startswith(name) else mask(text)


def unmasked_name(name: str, mask: Callable[[str], str]) -> str:
    """Return a resource's name as it is. A name that begins with `xr.` or `required.` may be a path, and is masked."""
    return mask(name) if reads_as_other(name) else name


def reads_as_other(name: str) -> bool:
    """Return whether a name begins like a field of the composite (`xr.`) or like a requirement (`required.`)."""
    return name.startswith(("xr.", "required."))

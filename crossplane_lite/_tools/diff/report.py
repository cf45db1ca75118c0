"""Writes differences as text for a terminal, as Markdown for a review, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ..._core.base import texts as _text
from ..._core.base.texts import some
from ..simulate.effects import shown
from ..simulate.merging import ABSENT
from .compare import ACTIONS, Difference, Entry
from .fields import Change

_MOST_KEPT: Final = 8
# For each action, its sign, its colour, and the words for it in a summary.
_SHOWN: Final = {
    "delete": ("-", "31", "to delete"),
    "create": ("+", "32", "to create"),
    "change": ("~", "33", "to change"),
    "held back": (".", "36", "held back"),
    "kept": ("=", "2", "kept"),
}


def as_text(differences: Sequence[Difference], *, colour: bool = False) -> str:
    """Return differences as text for a terminal. A summary follows, unless there is exactly one
    composite.

    Args:
        differences: The differences, one for each composite.
        colour: Whether to colour the lines.
    """
    found: list[str] = []
    for one in differences:
        found += _lines(one, colour)
    if len(differences) != 1:
        found.append(summary(differences))
    return "".join(f"{line}\n" for line in found)


def _lines(one: Difference, colour: bool) -> Iterator[str]:
    yield _painted(_text.line(one.composite), "1", colour)
    if one.error is not None:
        yield _painted(f"! the reconcile fails: {_text.line(one.error)}", "31", colour)
        return
    kept = []
    for entry in one.entries:
        if entry.action == "kept" and not entry.waits and not entry.note:
            kept.append(entry.name)
            continue
        yield _painted(_text.line(_headline(entry)), _SHOWN[entry.action][1], colour)
        yield from (_text.line(f"    {line}") for line in _details(entry))
    if kept:
        yield _painted(_text.line(f"= kept: {some(kept, _MOST_KEPT)}"), _SHOWN["kept"][1], colour)
    if one.status:
        yield "~ the composite's status"
        yield from (_text.line(f"    {_field(change)}") for change in one.status)
    yield from (
        _text.line(f"! {note}")
        for note in (*one.notes, *(f"invalid: {wrong}" for wrong in one.invalid))
    )
    yield _text.line(_counted([one]))


def _headline(entry: Entry) -> str:
    what = f"{_SHOWN[entry.action][0]} {entry.action} {entry.name}"
    about = " ".join(part for part in (entry.kind, entry.place) if part)
    return f"{what} ({about})" if about else what


def _details(entry: Entry) -> Iterator[str]:
    if entry.note:
        yield entry.note
    if entry.waits:
        keeps = "" if entry.action == "held back" else ", and keeps what it has"
        yield f"waits for {', '.join(entry.waits)}{keeps}"
    for change in entry.changes:
        yield _field(change) if entry.action != "create" else f"{change.path}: {_value(change.new)}"


def _field(change: Change) -> str:
    return f"{change.path}: {_value(change.old)} -> {_value(change.new)}"


def _value(value: Any) -> str:
    return shown(value, 200)


def as_markdown(differences: Sequence[Difference]) -> str:
    """Return differences as Markdown, with a summary at the end.

    Each composite has a table of its resources, a block with the changed fields, and a list of
    notes. If its reconcile failed, it has only the error.
    """
    found: list[str] = []
    for one in differences:
        found += [f"### {_escaped(one.composite)}", ""]
        if one.error is not None:
            found += [f"**The reconcile fails:** {_escaped(one.error)}", ""]
            continue
        found += ["| | resource | kind | |", "|---|---|---|---|"]
        found += [_row(entry) for entry in one.entries]
        found.append("")
        fields = list(_field_lines(one))
        if fields:
            found += ["```diff", *fields, "```", ""]
        notes = [f"- {_escaped(note)}" for note in one.notes]
        notes += [f"- **invalid:** {_escaped(wrong)}" for wrong in one.invalid]
        if notes:
            found += [*notes, ""]
    found.append(_escaped(summary(differences)))
    return "".join(f"{line}\n" for line in found)


def _row(entry: Entry) -> str:
    """Return a resource's row of the table."""
    about = [entry.note] if entry.note else []
    if entry.waits:
        about.append(f"waits for {', '.join(entry.waits)}")
    if entry.action == "change":
        about.append(f"{len(entry.changes)} fields")
    action = f"**{entry.action}**" if entry.action == "delete" else entry.action
    cells = (action, _escaped(entry.name), _escaped(entry.kind), _escaped("; ".join(about)))
    return f"| {' | '.join(cells)} |"


def _field_lines(one: Difference) -> Iterator[str]:
    """Yield a line for the old and one for the new value of each changed field."""
    changed = [
        (f"{entry.name}.", entry.changes) for entry in one.entries if entry.action == "change"
    ]
    for start, changes in [*changed, ("", one.status)]:
        for change in changes:
            for sign, value in (("-", change.old), ("+", change.new)):
                if value is not ABSENT:
                    line = _text.line(f"{sign} {start}{change.path}: {_value(value)}")
                    yield line.replace("```", "'''")


def as_json(differences: Sequence[Difference]) -> str:
    """Return differences as a JSON object: `composites` has all data, `summary` has the numbers
    from `totals`.
    """
    made = {
        "composites": [_json_of(one) for one in differences],
        "summary": {key.replace(" b", "B"): number for key, number in totals(differences).items()},
    }
    return json.dumps(made, indent=2, ensure_ascii=True) + "\n"


def _json_of(one: Difference) -> dict[str, Any]:
    if one.error is not None:
        return {"composite": one.composite, "error": one.error}
    return {
        "composite": one.composite,
        "resources": [
            {
                "action": "heldBack" if entry.action == "held back" else entry.action,
                "name": entry.name,
                **({"kind": entry.kind, "object": entry.place} if entry.kind else {}),
                **(
                    {"changes": [_change_of(change) for change in entry.changes]}
                    if entry.changes
                    else {}
                ),
                **({"waitsFor": list(entry.waits)} if entry.waits else {}),
                **({"note": entry.note} if entry.note else {}),
            }
            for entry in one.entries
        ],
        "status": [_change_of(change) for change in one.status],
        "notes": list(one.notes),
        **({"invalid": list(one.invalid)} if one.invalid else {}),
    }


def _change_of(change: Change) -> dict[str, Any]:
    sides = {"old": change.old, "new": change.new}
    return {
        "path": change.path,
        **{key: value for key, value in sides.items() if value is not ABSENT},
    }


def totals(differences: Iterable[Difference]) -> dict[str, int]:
    """Return how many composites there are, and how many resources have each action.

    The keys are `composites`, `failed` (their reconcile failed), `same` (nothing changes), and the
    actions.
    """
    differences = list(differences)
    found = {
        "composites": len(differences),
        "failed": sum(one.error is not None for one in differences),
        "same": sum(one.is_empty for one in differences if one.error is None),
    }
    return {
        **found,
        **{action: sum(one.counts[action] for one in differences) for action in ACTIONS},
    }


def summary(differences: Sequence[Difference]) -> str:
    """Return a line with the number of composites and the number of resources with each action."""
    found = totals(differences)
    parts = [
        f"{found['composites']} composite{'' if found['composites'] == 1 else 's'}",
        f"{found['same']} the same",
    ]
    if found["failed"]:
        parts.append(f"{found['failed']} failed")
    return f"{', '.join(parts)}; {_counted(differences)}"


def _counted(differences: Iterable[Difference]) -> str:
    found = totals(differences)
    return (
        ", ".join(f"{found[action]} {_SHOWN[action][2]}" for action in ACTIONS if found[action])
        or "no resources"
    )


def _escaped(text: str) -> str:
    """Return a text as one line, escaped so that Markdown shows the same characters, even in a
    table.
    """
    escaped = _text.line(text).replace("\\", "\\\\")
    for sign in "|`*_<[":
        escaped = escaped.replace(sign, "\\" + sign)
    return escaped


def _painted(text: str, colour: str, wanted: bool) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if wanted else text

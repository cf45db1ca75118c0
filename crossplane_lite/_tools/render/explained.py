"""The output of `--explain`: text for people, with a table of fields; or JSON with the same content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ..._core.base import texts as _text
from ..._core.base.texts import shortened
from .explain import Explained, Field, Wait

__all__ = ["as_data", "as_json", "as_text"]

_HEADS: Final = ("FIELD", "VALUE", "SET AT", "MADE FROM")
_LONGEST_VALUE: Final = 40


def as_text(explained: Iterable[Explained]) -> str:
    """Return the text for people: for each resource, the missing values that it needs, then a table of its fields."""
    return "\n".join("".join(f"{_text.line(line)}\n" for line in _lines(one)) for one in explained)


def as_json(explained: Iterable[Explained]) -> str:
    """Return the explained resources as JSON: a list with one object for each resource, as `as_data` makes it."""
    return json.dumps([as_data(one) for one in explained], indent=2, ensure_ascii=True) + "\n"


def as_data(one: Explained) -> dict[str, Any]:
    """Return an explained resource as plain data for JSON.

    Some keys are left out if they have no value, such as `kind`.
    """
    return {
        "name": one.name,
        **({"kind": one.kind} if one.kind else {}),
        "heldBack": one.held,
        "step": one.step,
        **({"registeredAt": one.place} if one.place else {}),
        "fields": [_field(each) for each in one.fields],
        **({"dependsOn": one.decides} if one.decides else {}),
        "waitsFor": [_wait(each) for each in one.waits],
        **({"notes": one.notes} if one.notes else {}),
    }


def _field(one: Field) -> dict[str, Any]:
    return {
        "path": one.path,
        **({"waitsFor": list(one.waits)} if one.waits else {}),
        **({} if one.value is None and one.waits else {"value": one.value}),
        **({"setAt": one.place} if one.place else {}),
        "step": one.step,
        "madeFrom": list(one.sources),
        **({"note": one.note} if one.note else {}),
    }


def _wait(one: Wait) -> dict[str, Any]:
    below = {"waitsFor": [_wait(each) for each in one.waits]} if one.waits else {}
    return {"path": one.path, "why": one.why, **below}


def _lines(one: Explained) -> Iterator[str]:
    kind = f" ({one.kind})" if one.kind else ""
    what = "is held back by" if one.held else "comes from"
    place = f", registered at {one.place}" if one.place else ""
    if not one.step:
        yield "xr: no step sets the composite's status"
        return
    yield f"{one.name}{kind} {what} step {one.step}{place}"
    yield from _waiting(one.waits, 1)
    several = len({each.step for each in one.fields}) > 1
    rows = [_row(each, several=several) for each in one.fields]
    if rows:
        widths = [max(len(_HEADS[at]), *(len(row[at]) for row in rows)) for at in range(3)]
        for row in [_HEADS, *rows]:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            yield "  ".join(["", *cells, row[3]]).rstrip()
    if one.decides:
        yield f"  whether there is such a resource depends on {', '.join(one.decides)}"
    yield from (f"  {note}" for note in one.notes)


def _row(one: Field, *, several: bool) -> tuple[str, str, str, str]:
    value = "(not there yet)" if one.value is None and one.waits else shortened(_value(one.value), _LONGEST_VALUE)
    place = " ".join(filter(None, (one.place or "-", f"in step {one.step}" if several else "")))
    waits = f"waits for {', '.join(one.waits)}" if one.waits else ""
    return one.path, value, place, "; ".join(filter(None, (", ".join(one.sources), waits, one.note)))


def _value(value: Any) -> str:
    return _text.escaped(value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False))


def _waiting(waits: Sequence[Wait], depth: int) -> Iterator[str]:
    for one in waits:
        yield f"{'  ' * depth}waits for {one.path} ({one.why})"
        if one.waits:
            turn = one.path if one.path.startswith("xr.") else one.of
            yield f"{'  ' * (depth + 1)}{turn}"
            yield from _waiting(one.waits, depth + 2)

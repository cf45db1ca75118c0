"""The request of a run with last known values: noted values in the place of missing ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple

from ...errors import CrossplaneLiteError
from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE, UNSET
from ..observed.lookup import conditions_of, steps_of, value_in
from .joined import joined
from .notes import COMPOSITE, CONDITION, CONTEXT, NOT_KEPT, READY, Notes, Where, is_composed, is_required

_REQUIRED: Final = re.compile(r"\?(.+)\[([0-9]{1,9})\]", re.DOTALL)

Head = dict[str, Any]
"""What makes up an object that is gone: apiVersion and kind, and the name of one that was asked for by its name."""


class PutBack(NamedTuple):
    """A request with noted values.

    Attributes:
        request: The message of the request.
        ready: The composed resources that were ready.
    """

    request: Any
    ready: frozenset[str]


def put_back(
    data: bytes,
    notes: Notes,
    *,
    skip: Collection[Where] = (),
    lost: Collection[Where] = (),
    stale: Collection[str] = (),
    head_of: Callable[[str], Head | None],
) -> PutBack | None:
    """Return a request in which noted values take the place of missing ones; None if nothing is put back.

    Args:
        data: The bytes of the request.
        notes: The notes of the step.
        skip: The values that stay missing, because the author has a default for them.
        lost: The places whose values count as missing, although something is there, such as lists that have become
            shorter. What is there is completed.
        stale: The context's keys whose values count as missing.
        head_of: Returns what makes up an object that is gone; None if nobody knows which it was.
    """
    request = _view.RunFunctionRequest.FromString(data)
    is_changed = False
    ready = set()
    for obj, ways in notes.values.items():
        values = {way: one for way, one in ways.items() if one is not NOT_KEPT and (obj, way) not in skip}
        if values.pop(READY, None):
            ready.add(obj)
        if obj == CONTEXT:
            wanted = {key: one for key, one in values.items() if key in stale}
            if wanted:
                request.context = _replaced(request.context, wanted)
                is_changed = True
            continue
        message, is_new = _message(request, obj, head_of)
        if message is None:
            continue
        raw = message.resource
        completed = _completed(raw, obj, values, lost)
        if completed is not raw:
            message.resource = completed
        if is_new or completed is not raw:
            is_changed = True
    return PutBack(request, frozenset(ready)) if is_changed or ready else None


def _replaced(context: bytes, values: Mapping[str, Any]) -> bytes:
    cleared = codec.encode_over(dict.fromkeys(values, TOMBSTONE), context)
    return codec.encode_over(dict(values), cleared)


def _message(request: Any, obj: str, head_of: Callable[[str], Head | None]) -> tuple[Any, bool]:
    """Return the message of an object, and whether it was made anew; None for one that can't be put back."""
    if obj == COMPOSITE:
        return request.observed.composite, False
    if is_required(obj):
        return _required(request, obj, head_of)
    if obj in request.observed.resources:
        return request.observed.resources[obj], False
    head = head_of(obj)
    if head is None:
        return None, False
    message = request.observed.resources[obj]
    message.resource = codec.encode_struct(head)
    return message, True


def _required(request: Any, obj: str, head_of: Callable[[str], Head | None]) -> tuple[Any, bool]:
    found = _REQUIRED.fullmatch(obj)
    if found is None or found[1] not in request.required_resources:
        return None, False
    at = int(found[2])
    items = request.required_resources[found[1]].items
    if at < len(items):
        return items[at], False
    head = head_of(obj) if at == len(items) else None
    if head is None:
        return None, False
    message = items.add()
    message.resource = codec.encode_struct(head)
    return message, True


def _completed(raw: bytes, obj: str, values: Mapping[str, Any], lost: Collection[Where]) -> bytes:
    """Return an object with the values that it lacks; the same bytes if it lacks none."""
    nested: dict[str, Any] = {}
    conditions: dict[str, Any] = {}
    for way, value in values.items():
        condition = CONDITION.fullmatch(way)
        if condition is not None:
            conditions[condition[1]] = value
            continue
        there = value_in(raw, {}, way, composed=is_composed(obj))
        if there is UNSET or (obj, way) in lost:
            _set(nested, way, joined(there, value))
    if nested:
        raw = codec.encode_over(nested, raw)
    return _with_conditions(raw, conditions) if conditions else raw


def _set(nested: dict[str, Any], way: str, value: Any) -> None:
    """Set a value in nested dicts; not inside of a list, which is noted as a whole where it matters."""
    try:
        steps = steps_of(way)
    except CrossplaneLiteError:
        return
    if {type(step) for step in steps} != {str}:
        return
    at: Any = nested
    for step in steps[:-1]:
        at = at.setdefault(step, {})
        if not isinstance(at, dict):
            return
    at[steps[-1]] = value


def _with_conditions(raw: bytes, wanted: Mapping[str, Any]) -> bytes:
    """Return an object whose conditions have the wanted statuses, by type."""
    there = conditions_of(raw)
    left = {type_: status for type_, status in wanted.items() if there.get(type_, {}).get("status") != status}
    if not left:
        return raw
    found = codec.get_path(raw, ("status", "conditions"))
    conditions = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    for one in conditions:
        type_ = one.get("type")
        if isinstance(type_, str) and type_ in left:
            one["status"] = left.pop(type_)
    conditions += [{"type": type_, "status": status} for type_, status in sorted(left.items())]
    return codec.encode_over({"status": {"conditions": conditions}}, raw)

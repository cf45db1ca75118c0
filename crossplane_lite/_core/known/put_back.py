"""The request of a run with last known values: noted values in the place of missing ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from ...errors import CrossplaneLiteError
from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE, UNSET
from ..observed.lookup import steps_of, value_in
from .notes import COMPOSITE, CONDITION, CONTEXT, NOT_KEPT, READY, Notes, Where, is_composed, is_required

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
    shorter: Collection[Where] = (),
    stale: Collection[str] = (),
    head_of: Callable[[str], Head | None],
) -> PutBack | None:
    """Return a request in which noted values take the place of missing ones; None if nothing is put back.

    Args:
        data: The bytes of the request.
        notes: The notes of the step.
        skip: The values that stay missing, because the author has a default for them.
        shorter: The lists that count as missing, because they have become shorter.
        stale: The context's keys whose values count as missing.
        head_of: Returns what makes up an object that is gone; None if nobody knows which it was.
    """
    request = _view.RunFunctionRequest.FromString(data)
    before = request.SerializeToString(deterministic=True)
    ready = set()
    for obj, ways in notes.values.items():
        values = {way: one for way, one in ways.items() if one is not NOT_KEPT and (obj, way) not in skip}
        if values.pop(READY, None):
            ready.add(obj)
        if obj == CONTEXT:
            wanted = {key: one for key, one in values.items() if key in stale}
            if wanted:
                request.context = _replaced(request.context, wanted)
            continue
        message = _message(request, obj, head_of)
        if message is None:
            continue
        message.resource = _completed(message.resource, obj, values, shorter)
    changed = request.SerializeToString(deterministic=True) != before
    return PutBack(request, frozenset(ready)) if changed or ready else None


def _replaced(context: bytes, values: Mapping[str, Any]) -> bytes:
    cleared = codec.encode_over(dict.fromkeys(values, TOMBSTONE), context)
    return codec.encode_over(dict(values), cleared)


def _message(request: Any, obj: str, head_of: Callable[[str], Head | None]) -> Any:
    """Return the message of an object, made anew if the object is gone; None if it can't be put back."""
    if obj == COMPOSITE:
        return request.observed.composite
    if not is_required(obj):
        if obj in request.observed.resources:
            return request.observed.resources[obj]
        head = head_of(obj)
        if head is None:
            return None
        message = request.observed.resources[obj]
    else:
        key, _, number = obj[1:].rpartition("[")
        at = int(number.rstrip("]"))
        if key not in request.required_resources:
            return None
        items = request.required_resources[key].items
        if at < len(items):
            return items[at]
        head = head_of(obj) if at == len(items) else None
        if head is None:
            return None
        message = items.add()
    message.resource = codec.encode_struct(head)
    return message


def _completed(raw: bytes, obj: str, values: Mapping[str, Any], shorter: Collection[Where]) -> bytes:
    """Return an object with the values that it lacks."""
    nested: dict[str, Any] = {}
    conditions: dict[str, Any] = {}
    for way, value in values.items():
        condition = CONDITION.fullmatch(way)
        if condition is not None:
            conditions[condition[1]] = value
            continue
        there = value_in(raw, {}, way, composed=is_composed(obj))
        is_shorter = isinstance(there, list) and (obj, way) in shorter
        if there is UNSET or is_shorter:
            _set(nested, way, value)
    if nested:
        raw = codec.encode_over(nested, raw)
    return _with_conditions(raw, conditions) if conditions else raw


def _set(nested: dict[str, Any], way: str, value: Any) -> None:
    """Set a value in nested dicts; not inside of a list, which is noted as a whole where it matters."""
    try:
        steps = steps_of(way)
    except CrossplaneLiteError:
        return
    if not all(type(step) is str for step in steps):
        return
    at: Any = nested
    for step in steps[:-1]:
        at = at.setdefault(step, {})
        if not isinstance(at, dict):
            return
    at[steps[-1]] = value


def _with_conditions(raw: bytes, wanted: Mapping[str, Any]) -> bytes:
    """Return an object whose conditions have the wanted statuses, by type."""
    there = codec.get_path(raw, ("status", "conditions"))
    conditions = [one for one in there if isinstance(one, dict)] if isinstance(there, list) else []
    left = dict(wanted)
    for one in conditions:
        if one.get("type") in left:
            one["status"] = left.pop(one["type"])
    conditions += [{"type": type_, "status": status} for type_, status in sorted(left.items())]
    return codec.encode_over({"status": {"conditions": conditions}}, raw)

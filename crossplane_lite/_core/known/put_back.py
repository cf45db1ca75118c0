"""The request of a run with last known values: noted values in the place of missing ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from ...errors import CrossplaneLiteError
from ...proto import _view
from .. import codec
from ..base.sentinels import TOMBSTONE, UNSET
from ..observed.lookup import conditions_of, steps_of, value_in
from .joined import joined
from .notes import (
    COMPOSITE,
    CONDITION,
    CONTEXT,
    NOT_KEPT,
    READY,
    Notes,
    Where,
    is_below,
    is_composed,
    is_required,
    key_and_name,
    own_name,
    part_of,
)

Head = dict[str, Any]
"""What makes up an object that is gone: apiVersion and kind, and the name of one that was asked for
by its name.
"""


class PutBack(NamedTuple):
    """A request with noted values.

    Attributes:
        request: The message of the request.
        ready: The composed resources that were ready.
        lists: The places of the lists that were put back as a whole, although there is a list.
    """

    request: Any
    ready: frozenset[str]
    lists: Collection[Where]


def put_back(
    data: bytes,
    notes: Notes,
    *,
    skip: Collection[Where] = (),
    lost: Collection[Where] = (),
    stale: Collection[str] = (),
    head_of: Callable[[str], Head | None],
) -> PutBack | None:
    """Return a request in which noted values take the place of missing ones; None if nothing is put
    back.

    Args:
        data: The bytes of the request.
        notes: The notes of the step.
        skip: The values that stay missing, because the author has a default for them.
        lost: The places whose values count as missing in any case. They may be parts of noted
            values.
        stale: The context's keys whose values count as missing.
        head_of: Returns what makes up an object that is gone; None if nobody knows which it was.
    """
    request = _view.RunFunctionRequest.FromString(data)
    is_changed = False
    ready = set()
    lists: set[Where] = set()
    for obj, ways in notes.values.items():
        values = {
            way: one for way, one in ways.items() if one is not NOT_KEPT and (obj, way) not in skip
        }
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
        parts = _Parts(raw, ways)
        for of, way in lost:
            if of == obj and (obj, way) not in skip:
                parts.add(way)
        lists.update((obj, way) for way in parts.whole)
        completed = _completed(raw, obj, values, parts.values)
        if completed is not raw:
            message.resource = completed
        if is_new or completed is not raw:
            is_changed = True
    return PutBack(request, frozenset(ready), lists) if is_changed or ready else None


class _Parts:
    """Lost parts of noted values of an object.

    A part of a map is put back by itself. An element of a list is, too, if it is known which of the
    noted ones it was; else the list is put back as a whole.

    Attributes:
        values: What is put back, whatever is there, by path.
        whole: The paths of the lists that are put back as a whole.
    """

    def __init__(self, raw: bytes, ways: Mapping[str, Any]) -> None:
        self._raw = raw
        self._ways = ways
        self.values: dict[str, Any] = {}
        self.whole: set[str] = set()

    def add(self, way: str) -> None:
        """Add the lost value at a path, if it is noted or a part of a noted one. Conditions and
        states are neither.
        """
        if way == READY or CONDITION.fullmatch(way):
            return
        above = next((one for one in self._ways if one == way or is_below(way, one)), None)
        if above is None or self._ways[above] is NOT_KEPT:
            return
        noted = self._ways[above]
        below = way[len(above) :].removeprefix(".")
        if not below:
            self.values[way] = joined(codec.get_path(self._raw, steps_of(way)), noted)
            return
        if not isinstance(noted, list):
            self.values[way] = part_of(noted, below)
            return
        there = self.values.get(above, codec.get_path(self._raw, steps_of(above)))
        completed = _with_element(there, steps_of(below)[0], noted)
        if completed is None:
            self.whole.update([above] if there else ())
            completed = noted
        self.values[above] = completed


def _with_element(there: Any, at: Any, noted: list[Any]) -> list[Any] | None:
    """Return a list with the noted element in the place of the one that lacks a part of it.

    None if it isn't one of the noted ones that has changed in nothing else.
    """
    if not isinstance(there, list) or at >= len(there):
        return None
    fitting = [one for one in noted if one not in there and _is_part(there[at], one)]
    return [*there[:at], fitting[0], *there[at + 1 :]] if len(fitting) == 1 else None


def _is_part(value: Any, whole: Any) -> bool:
    """Say whether everything in a value is in another one, too."""
    if isinstance(value, dict) and isinstance(whole, dict):
        return all(key in whole and _is_part(one, whole[key]) for key, one in value.items())
    if isinstance(value, list) and isinstance(whole, list):
        return len(value) == len(whole) and all(map(_is_part, value, whole))
    return value is None or value == whole


def _replaced(context: bytes, values: Mapping[str, Any]) -> bytes:
    cleared = codec.encode_over(dict.fromkeys(values, TOMBSTONE), context)
    return codec.encode_over(dict(values), cleared)


def _message(request: Any, obj: str, head_of: Callable[[str], Head | None]) -> tuple[Any, bool]:
    """Return the message of an object, and whether it was made anew; None for one that can't be put
    back.
    """
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
    key, name = key_and_name(obj)
    if key not in request.required_resources:
        return None, False
    items = request.required_resources[key].items
    head = head_of(obj)
    if head is None:  # one of an answer to a query by labels
        found = next((one for one in items if own_name(one.resource) == name), None)
        return found, False
    if items:
        return items[0], False
    message = items.add()
    message.resource = codec.encode_struct(head)
    return message, True


def _completed(raw: bytes, obj: str, values: Mapping[str, Any], lost: Mapping[str, Any]) -> bytes:
    """Return an object to which noted values were added where it has none, and the lost values in
    any case.

    The same bytes are returned if nothing has to be added.
    """
    nested: dict[str, Any] = {}
    conditions: dict[str, Any] = {}
    for way, value in values.items():
        condition = CONDITION.fullmatch(way)
        if condition is not None:
            conditions[condition[1]] = value
            continue
        if value_in(raw, {}, way, composed=is_composed(obj)) is UNSET:
            _set(nested, way, value)
    for way, value in lost.items():
        _set(nested, way, value)
    if nested:
        raw = codec.encode_over(nested, raw)
    return _with_conditions(raw, conditions) if conditions else raw


def _set(nested: dict[str, Any], way: str, value: Any) -> None:
    """Set a value in nested dicts; not inside of a list, which is noted as a whole where it
    matters.
    """
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
    left = {
        type_: status
        for type_, status in wanted.items()
        if there.get(type_, {}).get("status") != status
    }
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

"""Finds, for each element of a new list, the element of the old list that has become it."""

from __future__ import annotations

from ._nodes import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# The fields that tell the elements of Kubernetes' lists apart, in the order in which they decide.
_NAMES = (
    "name",
    "key",
    "containerPort",
    "port",
    "mountPath",
    "devicePath",
    "ip",
    "topologyKey",
    "uid",
    "type",
    "kind",
)


def _frozen(value: Any) -> Any:
    """Return a hashable copy of a JSON value. Two copies are equal exactly if the values are, as in
    `same`.
    """
    if isinstance(value, dict):
        return frozenset((key, _frozen(one)) for key, one in value.items())
    if isinstance(value, list):
        return tuple(_frozen(one) for one in value)
    return (type(value) is bool, value)


def _name(value: Any) -> Any:
    if isinstance(value, dict):
        for key in _NAMES:
            if key in value and not isinstance(value[key], (dict, list)):
                return (key, value[key])
    return None


def paired(old: list[Any], values: list[Any]) -> list[int | None]:
    """Return, for each value of a new list, the index of the value in the old list that becomes it;
    None if none does.

    An equal value is taken first, then one with the same name, port or path. The values left
    between two such pairs are paired by their common fields or elements, and by their positions.
    """
    found: list[int | None] = [None] * len(values)
    head = 0
    while head < min(len(old), len(values)) and same(old[head], values[head]):
        found[head] = head
        head += 1
    tail = 1
    while tail <= min(len(old), len(values)) - head and same(old[-tail], values[-tail]):
        found[-tail] = len(old) - tail
        tail += 1
    left = set(range(head, len(old) - tail + 1))
    for key_of in (_frozen, _name):
        places: dict[Any, list[int]] = {}
        for at in sorted(left, reverse=True):
            places.setdefault(key_of(old[at]), []).append(at)
        places.pop(None, None)
        for index, value in enumerate(values):
            if found[index] is None and places.get(key := key_of(value)):
                found[index] = at = places[key].pop()
                left.remove(at)
    _pair(old, values, found, left)
    return found


def _pair(old: list[Any], values: list[Any], found: list[int | None], left: set[int]) -> None:
    """Pair the remaining old elements with new ones in their order, in each gap between two pairs.

    Args:
        old: The old elements.
        values: The new elements.
        found: For each new element the index of its old one, or None. The new pairs are written
            here.
        left: The indexes of the old elements without a pair.
    """
    start = 0
    while start < len(values):
        end = start
        while end < len(values) and found[end] is None:
            end += 1
        before = found[start - 1] if start else -1
        after = found[end] if end < len(values) else len(old)
        if end > start and before is not None and after is not None:
            gap = [at for at in range(before + 1, after) if at in left]
            is_even = len(gap) == end - start
            for index in range(start, end):
                at = next(
                    (
                        at
                        for at in gap[: 1 if is_even else None]
                        if _alike(old[at], values[index], is_even)
                    ),
                    None,
                )
                found[index] = at
                gap = (
                    gap[1:] if is_even else gap if at is None else [one for one in gap if one > at]
                )
        start = end + 1


def _alike(one: Any, other: Any, is_even: bool) -> bool:
    """Return whether an old element can have become a new one.

    Args:
        one: The old element.
        other: The new element.
        is_even: Whether there are as many old as new elements. Then they need nothing in common.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        names = _name(one), _name(other)
        if None not in names and names[0] != names[1]:
            return False
        return is_even or any(
            key in other and same(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, list) and isinstance(other, list):
        return is_even or any(same(value, another) for value in one for another in other)
    return not isinstance(one, (dict, list)) and not isinstance(other, (dict, list))

"""Finds the old element for each new one when a list gets a new value."""

from __future__ import annotations

from ._values import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._nodes import YamlNode

__all__ = ["matched"]

# The fields that tell the elements of Kubernetes' lists apart, in the order in which they decide.
_NAMES = ("name", "key", "containerPort", "port", "mountPath", "devicePath", "ip", "topologyKey", "uid", "type", "kind")


def _frozen(value: Any) -> Any:
    """Return a hashable copy of a JSON value. Two copies are equal exactly if the values are, as in `same`."""
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


def matched(nodes: list[YamlNode], values: list[Any]) -> list[Any]:
    """Return, for each value of a new list, the node of the old list that becomes it; the value itself if none does.

    A node with the same value is taken first, then a node with the same name, port or path. The nodes and values left
    between two such pairs are paired by their common fields or elements, and by their positions.
    """
    old = [node.value() for node in nodes]
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
    return [value if at is None else nodes[at] for at, value in zip(found, values, strict=True)]


def _shape(value: Any) -> type:
    """Return dict for mappings, list for lists, object for other values. Only values of the same shape are paired."""
    return dict if isinstance(value, dict) else list if isinstance(value, list) else object


def _pair(old: list[Any], values: list[Any], found: list[int | None], left: set[int]) -> None:
    """Pair the remaining old elements with new ones, in each gap between two pairs that were found already.

    Args:
        old: The old elements.
        values: The new elements.
        found: For each new element the index of its old one, or None. The new pairs are written here.
        left: The indexes of the old elements without a pair. Those of the new pairs are removed.
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
            for at, index in _alignment([old[at] for at in gap], values[start:end]):
                found[start + index] = gap[at]
                left.remove(gap[at])
        start = end + 1


# Runs of old and new elements with more possible pairs are paired one by one, and only if they are equally long.
_MOST_PAIRS = 10_000


def _alignment(old: list[Any], new: list[Any]) -> list[tuple[int, int]]:
    """Pair old and new elements so that the pairs have most in common. Return the indexes, both in ascending order.

    If there are more than 10,000 possible pairs, only elements at the same position of equally long lists are paired.
    """
    is_even = len(old) == len(new)
    if len(old) * len(new) > _MOST_PAIRS:
        same_place = [(at, at) for at in range(len(old))] if is_even else []
        return [(at, at) for at, _ in same_place if _likeness(old[at], new[at], is_even=True)]
    # best[i][j]: the most that the elements from i and from j on can have in common.
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[_likeness(one, other, is_even=is_even) for other in new] for one in old]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            pair = alike[i][j] + best[i + 1][j + 1] if alike[i][j] else 0.0
            best[i][j] = max(pair, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likeness(one: Any, other: Any, *, is_even: bool) -> float:
    """Return how much an old element has in common with a new one; 0 if it can't have become the new one.

    Args:
        one: The old element.
        other: The new element.
        is_even: Whether there are as many old as new elements. Then the position is enough, without anything in common.
    """
    if _shape(one) is not _shape(other):
        return 0.0
    if isinstance(one, dict):
        names = _name(one), _name(other)
        if None not in names and names[0] != names[1]:
            return 0.0
        shared = sum(key in other and same(value, other[key]) for key, value in one.items())
        return shared + 0.01 if shared or is_even else 0.0
    if isinstance(one, list):
        shared = sum(any(same(value, another) for another in other) for value in one)
        return shared + 0.01 if shared or is_even else 0.0
    # A scalar has only its place: the first old one becomes the first new one.
    return 1.0 if isinstance(one, str) == isinstance(other, str) else 0.5

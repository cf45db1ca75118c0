"""Which element of a list is which, when a list is replaced as a whole."""

from __future__ import annotations

from ._values import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._nodes import YamlNode

__all__ = ["matched"]

# What tells the elements of Kubernetes' lists apart, in the order in which it decides.
_NAMES = ("name", "key", "containerPort", "port", "mountPath", "devicePath", "ip", "topologyKey", "uid", "type", "kind")


def _frozen(value: Any) -> Any:
    """Return something that can be hashed and is equal for equal values."""
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
    """Return for each value the node that becomes it, or the value where it is new.

    An element is the old one that is equal; else the one of the same name, port or path; else, where as many went as
    came between two that stayed, the one at the same place.
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
    """Return what a value can only be replaced by in parts: a mapping, a list, or one of all the others."""
    return dict if isinstance(value, dict) else list if isinstance(value, list) else object


def _pair(old: list[Any], values: list[Any], found: list[int | None], left: set[int]) -> None:
    """Pair what is left where a run of new values stands in the place of as many old ones."""
    start = 0
    while start < len(values):
        end = start
        while end < len(values) and found[end] is None:
            end += 1
        before = found[start - 1] if start else -1
        after = found[end] if end < len(values) else len(old)
        if end > start and before is not None and after is not None and end - start == after - before - 1:
            gap = [at for at in range(before + 1, after) if at in left]
            if len(gap) == end - start:
                for index, at in zip(range(start, end), gap, strict=True):
                    names = _name(old[at]), _name(values[index])
                    if _shape(old[at]) is _shape(values[index]) and (None in names or names[0] == names[1]):
                        found[index] = at
        start = end + 1

"""Plain data: merging, following paths, and finding differences.

No function recurses, because the data decides how deep it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._paths import field_path
from .._paths.text import show
from ..errors import UsageError

__all__ = ["ABSENT", "at", "copied", "differences", "merged", "without", "without_nulls"]

ABSENT: Any = object()
"""Nothing is there."""


def copied(tree: Any, *, nulls: bool = True) -> Any:
    """Return a copy that shares nothing with the original.

    Args:
        tree: Plain data.
        nulls: Whether keys whose value is null are kept.
    """
    box: list[Any] = [tree]
    work: list[tuple[Any, Any]] = [(box, 0)]
    while work:
        holder, key = work.pop()
        value = holder[key]
        if isinstance(value, Mapping):
            value = {name: below for name, below in value.items() if nulls or below is not None}
            work += [(value, name) for name in value]
        elif isinstance(value, list):
            value = list(value)
            work += [(value, index) for index in range(len(value))]
        holder[key] = value
    return box[0]


def without_nulls(tree: Any) -> Any:
    """Return a copy without the keys whose value is null."""
    return copied(tree, nulls=False)


def merged(below: Any, above: Any) -> Any:
    """Return one tree laid over another: mappings merge, other values replace. The result shares nothing with them."""
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return copied(above)
    result = copied(below)
    work = [(result, above)]
    while work:
        into, over = work.pop()
        for key, value in over.items():
            if isinstance(value, Mapping) and isinstance(into.get(key), dict):
                work.append((into[key], value))
            else:
                into[key] = copied(value)
    return result


def steps_of(path: str) -> list[str | int]:
    """Return the keys and indexes of an Observable's path.

    Raises:
        UsageError: The string isn't a path, or selects elements by their fields, which paths of Observables never do.
    """
    steps: list[str | int] = []
    for step in field_path.parse(path):
        if isinstance(step, field_path.Select):
            raise UsageError(f"{path!r} is not the path of an Observable: it has {field_path.Select.__repr__(step)}")
        steps.append(step)
    return steps


def at(tree: Any, steps: Sequence[str | int]) -> Any:
    """Return the value at a path, or `ABSENT`."""
    value = tree
    for step in steps:
        if isinstance(step, str) and isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return ABSENT
    return value


def without(tree: Mapping[str, Any], steps: Sequence[str | int]) -> dict[str, Any]:
    """Return a copy of a tree without the value at a path. There must be a value."""
    result: dict[str, Any] = copied(tree)
    holder: Any = result
    for step in steps[:-1]:
        holder = holder[step]
    del holder[steps[-1]]
    return result


def differences(before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the paths at which two trees differ, sorted, each with both values. `ABSENT` stands for a missing value.

    Where a subtree is on one side only, the path of its root is told.
    """
    work: list[tuple[list[str | int], Any, Any]] = [([], before, after)]
    while work:
        steps, old, new = work.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            work += [([*steps, key], at(old, [key]), at(new, [key])) for key in sorted({*old, *new}, reverse=True)]
        elif isinstance(old, list) and isinstance(new, list):
            longest = range(max(len(old), len(new)))
            work += [([*steps, key], at(old, [key]), at(new, [key])) for key in reversed(longest)]
        elif isinstance(old, bool) is not isinstance(new, bool) or old != new:
            yield show(steps), old, new

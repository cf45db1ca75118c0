"""Functions for plain data: copy, follow paths, find differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..._core.paths import field_path, trees
from ..._core.paths.text import show
from ..._core.paths.trees import lookup

ABSENT: Any = object()
"""Stands for a value that doesn't exist; None is a value, null."""


def copied(tree: Any, *, nulls: bool = True, text: Callable[[str], str] = str) -> Any:
    """Return a deep copy of plain data.

    Args:
        tree: The data.
        nulls: Whether the copy has the mapping keys whose value is null. Null elements of lists are
            always copied.
        text: A function that returns what the copy has in the place of a string, which isn't a key.
    """
    if isinstance(tree, Mapping):
        kept = ((name, below) for name, below in tree.items() if nulls or below is not None)
        return {name: copied(below, nulls=nulls, text=text) for name, below in kept}
    if isinstance(tree, list):
        return [copied(below, nulls=nulls, text=text) for below in tree]
    return text(tree) if isinstance(tree, str) else tree


def steps_of(path: str) -> list[Any]:
    """Return the keys and indexes of a path, such as `["spec", "ports", 2]` for `.spec.ports[2]`.

    The list is empty if the text isn't a path, or selects an element of a list by its fields, as no
    Observable does.
    """
    try:
        steps = field_path.parse(path.removeprefix("."))
    except ValueError:  # a UsageError, or the error of an index of thousands of digits
        return []
    return [] if any(isinstance(step, trees.Select) for step in steps) else list(steps)


def at(tree: Any, steps: Sequence[str | int]) -> Any:
    """Return the value at a path in plain data; `ABSENT` if there is none. Negative indexes count
    from the end.

    Args:
        tree: The data.
        steps: The path, as `steps_of` returns it.
    """
    return lookup(tree, steps, ABSENT)


def _same(before: Any, after: Any) -> bool:
    return isinstance(before, bool) is isinstance(after, bool) and bool(before == after)


def differences(
    before: Any, after: Any, steps: tuple[Any, ...] = (), same: Callable[[Any, Any], bool] = _same
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each path at which two trees differ, with the old and the new value. A missing value is
    `ABSENT`.

    The paths are sorted, and begin with `steps`. If only one tree has a mapping or list, its path
    is yielded, but not the paths inside of it. `same` compares all other values.
    """
    below: Iterable[tuple[Any, Any, Any]] = ()
    if isinstance(before, dict) and isinstance(after, dict):
        below = [
            (key, before.get(key, ABSENT), after.get(key, ABSENT))
            for key in sorted({*before, *after}, key=str)
        ]
    elif isinstance(before, list) and isinstance(after, list):
        pairs = itertools.zip_longest(before, after, fillvalue=ABSENT)
        below = [(index, *pair) for index, pair in enumerate(pairs)]
    elif not same(before, after):
        yield show(steps), before, after
    for step, one, other in below:
        yield from differences(one, other, (*steps, step), same)

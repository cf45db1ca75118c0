"""Where two runs of compose() want something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._observed.observable import Observable

if TYPE_CHECKING:
    from .._observed.tracker import Tracker

__all__ = ["Difference", "differences"]


class Difference(NamedTuple):
    """A place at which one run wants something else than another.

    Attributes:
        steps: The way to it from the top: keys and indexes.
        added: Whether only the other run has something there.
        is_key: Whether it is the key of a map that differs.
    """

    steps: tuple[str | int, ...]
    added: bool = False
    is_key: bool = False


def differences(
    one: Any, other: Any, call: Tracker, other_call: Tracker, *, partial: bool = False, forms: bool = False
) -> list[Difference]:
    """Compare the values of two runs in the same place.

    Texts are equal where only the form of their placeholders differs, and Observables where their paths are equal.
    Lists of unequal lengths differ as a whole.

    Args:
        one: Plain data with Observables, of the first run.
        other: The same of the other run.
        call: The first run's call.
        other_call: The other run's call.
        partial: Whether the other run came to an early end: it may not have come to fields that it lacks.
        forms: Whether the runs differ in nothing but the form of their placeholders: a key in the place of another is
            the same key, made from a text.
    """
    found: list[Difference] = []
    work: list[tuple[Any, Any, tuple[str | int, ...]]] = [(one, other, ())]
    while work:
        left, right, steps = work.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            ours = {_key(key, call): key for key in left}
            theirs = {_key(key, other_call): key for key in right}
            changed = forms and not ours.keys() <= theirs.keys() and not theirs.keys() <= ours.keys()
            for known, key in ours.items():
                if known in theirs:
                    work.append((left[key], right[theirs[known]], (*steps, key)))
                elif changed or _is_made(key, call):
                    found.append(Difference((*steps, key), is_key=True))
                elif not partial:
                    found += [Difference(way) for way in _leaves(left[key], (*steps, key))]
            for known, key in theirs.items():
                if known not in ours:
                    is_key = changed or _is_made(key, other_call)
                    ways = [(*steps, key)] if is_key else _leaves(right[key], (*steps, key))
                    found += [Difference(way, added=True, is_key=is_key) for way in ways]
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            work.extend((a, b, (*steps, at)) for at, (a, b) in enumerate(zip(left, right, strict=True)))
        elif not _same(left, right, call, other_call):
            found.append(Difference(steps))
    return found


def _leaves(value: Any, steps: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    """Return the ways to the values in an object; lists count as a whole."""
    found = []
    work = [(value, steps)]
    while work:
        item, way = work.pop()
        if isinstance(item, dict) and item:
            work.extend((below, (*way, key)) for key, below in item.items())
        else:
            found.append(way)
    return found


def _key(key: Any, call: Tracker) -> Any:
    """Return a key as it is compared."""
    if type(key) is Observable:
        return ("", key.source_path)
    return call.normal(key) if isinstance(key, str) else key


def _is_made(key: Any, call: Tracker) -> bool:
    return type(key) is Observable or (isinstance(key, str) and call.has_token(key.encode(errors="replace")))


def _same(left: Any, right: Any, call: Tracker, other_call: Tracker) -> bool:
    if type(left) is Observable or type(right) is Observable:
        return type(left) is type(right) and left.source_path == right.source_path
    if isinstance(left, str) and isinstance(right, str):
        return left == right or call.normal(left) == other_call.normal(right)
    return left is right or (type(left) is type(right) and bool(left == right))

"""The places where two runs of compose() desire different values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _wire
from .._observed.observable import Observable

if TYPE_CHECKING:
    from .._observed.tracker import Tracker

__all__ = ["Difference", "differences"]


class Difference(NamedTuple):
    """A place where two runs desire different values.

    Attributes:
        steps: The keys and indexes that lead from the top of the object to the place.
        added: Whether only the other run has a value at the place.
        is_key: Whether the last step is a map's key that differs between the runs, because it is made from a missing
            value.
    """

    steps: tuple[str | int, ...]
    added: bool = False
    is_key: bool = False


def differences(
    one: Any, other: Any, call: Tracker, other_call: Tracker, *, partial: bool = False, forms: bool = False
) -> list[Difference]:
    """Return the places where the data of two runs differ.

    Texts are equal if only the form of their placeholders differs, and Observables if their paths are equal. Lists of
    unequal lengths differ as a whole. `one` and `other` are plain data with Observables, or the bytes of Structs, of
    which only levels that differ are decoded. With `partial` the other run ended early: a field that it lacks is no
    difference. With `forms` the runs differ only in the form of their placeholders (`EARLY` or `LATE`): if each has a
    key that the other lacks, both count as one key that is made from a placeholder.
    """
    found: list[Difference] = []
    work: list[tuple[Any, Any, tuple[str | int, ...]]] = [(one, other, ())]
    while work:
        left, right, steps = work.pop()
        if type(left) is bytes and type(right) is bytes:
            left, right = _split(left, right)
        if isinstance(left, dict) and isinstance(right, dict):
            if Observable not in map(type, left) and left.keys() == right.keys():  # the usual case
                work.extend((value, right[key], (*steps, key)) for key, value in left.items())
                continue
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


def _split(one: bytes, other: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of two Structs that aren't the same in both. Structs in them stay bytes."""
    ours, theirs = _wire.split(one), _wire.split(other)
    left, right = (
        {key: value for key, value in fields.items() if others.get(key) != value}
        for fields, others in ((ours, theirs), (theirs, ours))
    )
    return {key: _opened(value) for key, value in left.items()}, {key: _opened(value) for key, value in right.items()}


def _opened(value: bytes) -> Any:
    kind, payload = _wire.open_value(value)
    return _wire.decode_list(payload) if kind == _wire.LIST else payload


def _leaves(value: Any, steps: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    """Return the steps that lead to each value in `value`. A list and an empty object count as one value.

    Args:
        value: Plain data.
        steps: The steps that lead to `value` itself.
    """
    found = []
    work = [(value, steps)]
    while work:
        item, way = work.pop()
        item = _wire.decode_struct(item) if type(item) is bytes else item
        if isinstance(item, dict) and item:
            work.extend((below, (*way, key)) for key, below in item.items())
        else:
            found.append(way)
    return found


def _key(key: Any, call: Tracker) -> Any:
    """Return a map's `key` with placeholders as numbers, or an Observable's path, so that two runs can be compared."""
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

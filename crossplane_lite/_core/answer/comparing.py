"""Comparing the answers that two runs of compose() would give whose placeholders differ.

Compared are resources, the composite's status and connection details, and messages for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import codec
from ..call.mark import plain_bytes
from ..dependencies.dry_run import Run, tree_or_none
from ..observed.observable import Observable
from .draft import Place

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.mark import Content
    from ..models.walker import Tree
    from ..observed.tracker import Tracker


def differing_places(first: Run, other: Run, name: str, content: Content | None = None) -> list[Place]:
    """Return the places where two runs desire different values in a resource that both register.

    `content` is the resource as the first run has made it; None to encode it here. The list is empty if a value of a
    run can't be encoded: then the answer of the real run reports an error.
    """
    one: Any = first.content(name) if content is None else content
    another: Any = None if one is None else other.content(name)
    if one is not None and one == another:
        return []
    if another is None or _is_laid(first, name) or _is_laid(other, name):
        ours, theirs = first.tree(name), other.tree(name)
        if ours is None or theirs is None:
            return []
        one, another = ours.data, theirs.data
    else:
        one, another = plain_bytes(one), plain_bytes(another)
    return differences(one, another, first.call, other.call, partial=other.error is not None)


def _is_laid(run: Run, name: str) -> bool:
    """Say whether a resource lies over a previous function's: its bytes have more fields than a run has set."""
    state = run.resources[name]._state
    return state is None or state.base is not None


def differing_status(first: Run, other: Run) -> list[Place]:
    """Return the places where two runs desire different values in the composite.

    The arguments mean the same as in `differing_places`. The list is empty if a value can't be encoded.
    """
    ours, theirs = (
        tree_or_none({}, run.call) if run.call.composite is None else composite_tree(run.call) for run in (first, other)
    )
    if ours is None or theirs is None:
        return []
    return differences(ours.data, theirs.data, first.call, other.call, partial=other.error is not None)


def differing_details(first: Run, other: Run) -> set[str]:
    """Return the keys of the composite's connection details that one run lacks, or to which both give other values."""
    ours, theirs = details_of(first.call), details_of(other.call)
    return {key for key in {**ours, **theirs} if _differ(ours.get(key), theirs.get(key), first, other)}


def details_of(call: Call) -> dict[str, Any]:
    """Return the connection details that a run sets in the composite, as texts, in which placeholders may be."""
    registered = None if call.composite is None else call.composite._state
    own = {} if registered is None or registered.details is None else registered.details.changes[0]
    return {key: value.decode("latin-1") if type(value) is bytes else value for key, value in own.items()}


def _differ(one: Any, other: Any, first: Run, run: Run) -> bool:
    """Say whether a value of `first` and one of `run` differ; not if one of them can't be encoded."""
    ours, theirs = tree_or_none(one, first.call), tree_or_none(other, run.call)
    return not (ours is None or theirs is None) and bool(differences(ours.data, theirs.data, first.call, run.call))


def differing_texts(first: Run, other: Run) -> dict[str, str]:
    """Return the messages of results and conditions in `first` that differ in `other`.

    The result maps each message to a text in which a remark replaces the part that differs. The first message of one
    run is compared with the first message of the other, and so on.
    """
    ours, theirs = _messages(first.call), _messages(other.call)
    found = {}
    for one, another in zip(ours, theirs, strict=False):
        if isinstance(one, str) and isinstance(another, str) and first.call.normal(one) != other.call.normal(another):
            found[one] = _common(one, another)
    return found


def _messages(call: Call) -> list[Any]:
    results = [entry.message for entry in call.results.entries]
    return results + [entry.message for entry in call.conditions.entries.values()]


def composite_tree(call: Call) -> Tree | None:
    """Return the fields set in the composite; None if compose() didn't ask for it, or a value can't be encoded."""
    return None if call.composite is None else tree_or_none(call.composite, call)


def _common(one: str, other: str) -> str:
    """Return the text `one`, with a remark in place of the part that differs from the text `other`."""
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return f"{one[:start]}(a part of an unresolved value){one[len(one) - end :]}"


def differences(one: Any, other: Any, call: Tracker, other_call: Tracker, *, partial: bool = False) -> list[Place]:
    """Return the places where the data of two runs differ.

    Texts are equal if only the form of their placeholders differs, and Observables if their paths are equal. Lists of
    unequal lengths differ as a whole. `one` and `other` are plain data with Observables, or the bytes of Structs, of
    which only levels that differ are decoded. With `partial` the other run ended early: a field that it lacks is no
    difference. With `forms` the runs differ only in the form of their placeholders (`EARLY` or `LATE`): if each has a
    key that the other lacks, both count as one key that is made from a placeholder.
    """
    found: list[Place] = []
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
            changed = not ours.keys() <= theirs.keys() and not theirs.keys() <= ours.keys()
            for known, key in ours.items():
                if known in theirs:
                    work.append((left[key], right[theirs[known]], (*steps, key)))
                elif changed or _is_made(key, call):
                    found.append(Place((*steps, key), is_key=True))
                elif not partial:
                    found += [Place(way) for way in _leaves(left[key], (*steps, key))]
            for known, key in theirs.items():
                if known not in ours:
                    is_key = changed or _is_made(key, other_call)
                    ways = [(*steps, key)] if is_key else _leaves(right[key], (*steps, key))
                    found += [Place(way, added=True, is_key=is_key) for way in ways]
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            work.extend((a, b, (*steps, at)) for at, (a, b) in enumerate(zip(left, right, strict=True)))
        elif not _same(left, right, call, other_call):
            found.append(Place(steps))
    return found


def _split(one: bytes, other: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of two Structs that aren't the same in both. Structs in them stay bytes."""
    ours, theirs = codec.split(one), codec.split(other)
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    both = 0
    for key, value in ours.items():  # each look into such a map copies a value, so every value is looked at once
        there = theirs.get(key)
        both += there is not None
        if there != value:
            left[key] = _opened(value)
            if there is not None:
                right[key] = _opened(there)
    if both != len(theirs):
        right.update((key, _opened(theirs[key])) for key in theirs if key not in ours)
    return left, right


def _opened(value: bytes) -> Any:
    kind, payload = codec.open_value(value)
    return codec.decode_list(payload) if kind == codec.LIST else payload


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
        item = codec.decode_struct(item) if type(item) is bytes else item
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

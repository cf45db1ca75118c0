"""Comparing the answers that two runs of compose() would give.

Compared are resources, the composite's status and connection details, the context, and messages for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._base.sentinels import TOMBSTONE
from .._models.walker import tree_of, unresolved_in
from .._observed.observable import Observable
from .differences import Difference, differences
from .run import Run, tree_or_none

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.walker import Tree

__all__ = [
    "comparable_context",
    "comparable_detail",
    "composite_tree",
    "differ",
    "differing_details",
    "differing_places",
    "differing_status",
    "differing_texts",
    "known_part",
]


def differing_places(first: Run, other: Run, name: str, *, forms: bool = False) -> list[Difference]:
    """Return the places where two runs desire different values in a resource that both register.

    The list is empty if a value of a run can't be encoded: then the answer of the real run reports an error. `forms`
    says that the runs differ only in the form of placeholders; see `differences`.
    """
    one: Any = first.encoded(name)
    another: Any = None if one is None else other.encoded(name)
    if one is not None and one == another:
        return []
    if another is None or _is_laid(first, name) or _is_laid(other, name):
        ours, theirs = first.tree(name), other.tree(name)
        if ours is None or theirs is None:
            return []
        one, another = ours.data, theirs.data
    return differences(one, another, first.call, other.call, partial=other.error is not None, forms=forms)


def _is_laid(run: Run, name: str) -> bool:
    """Say whether a resource lies over a previous function's: its bytes have more fields than a run has set."""
    state = run.resources[name]._state
    return state is None or state.base is not None


def differ(first: Run, other: Run) -> bool:
    """Say whether the answers of `first` and `other` would differ in any part. True if one of the runs raised."""
    if first.error is not None or other.error is not None:
        return True
    if other.resources.keys() != first.resources.keys() or other.call.removed != first.call.removed:
        return True
    if any(differing_places(first, other, name) for name in first.resources):
        return True
    return bool(
        differing_status(first, other)
        or comparable_context(other.call) != comparable_context(first.call)
        or differing_details(first, other)
        or differing_details(other, first)
        or (first.call.tokens and differing_texts(first, other))
    )


def differing_status(first: Run, other: Run, *, forms: bool = False) -> list[Difference]:
    """Return the places where two runs desire different values in the composite.

    The arguments mean the same as in `differing_places`. The list is empty if a run hasn't used the composite, or if a
    value can't be encoded.
    """
    ours, theirs = composite_tree(first.call), composite_tree(other.call)
    if ours is None or theirs is None:
        return []
    return differences(ours.data, theirs.data, first.call, other.call, partial=other.error is not None, forms=forms)


def differing_details(first: Run, other: Run) -> set[str]:
    """Return the keys of connection details that `first` sets in the composite, and whose values differ in `other`.

    A value that `other` doesn't set differs, too. The set is empty if one of the runs hasn't used the composite.
    """
    ours, theirs = _details_of(first.call), _details_of(other.call)
    if ours is None or theirs is None:
        return set()
    return {
        key
        for key, value in ours.items()
        if comparable_detail(value, first.call) != comparable_detail(theirs.get(key), other.call)
    }


def _details_of(call: Call) -> dict[str, Any] | None:
    """Return the connection details that a run sets in the composite; None if it hasn't used the composite."""
    composite = call.composite
    if composite is None:
        return None
    assert composite._state is not None
    return {} if composite._state.details is None else composite._state.details.changes[0]


def differing_texts(first: Run, other: Run) -> dict[str, str]:
    """Return the messages of results and conditions in `first` that differ in `other`.

    The result maps each message to a text in which a remark replaces the part that differs. The first message of one
    run is compared with the first message of the other, and so on.
    """
    ours, theirs = (
        [entry.message for entry in call.results.entries]
        + [entry.message for entry in call.conditions.entries.values()]
        for call in (first.call, other.call)
    )
    found = {}
    for one, another in zip(ours, theirs, strict=False):
        if isinstance(one, str) and isinstance(another, str) and first.call.normal(one) != other.call.normal(another):
            found[one] = _common(one, another)
    return found


def composite_tree(call: Call) -> Tree | None:
    """Return the fields set in the composite; None if compose() didn't ask for it, or a value can't be encoded."""
    return None if call.composite is None else tree_or_none(call.composite, call)


def comparable_context(call: Call) -> dict[str, Any]:
    """Return the context's entries that compose() read or set, in a form in which two runs can be compared.

    Placeholders become numbers, and Observables become paths. A value that can't be encoded becomes None.
    """
    if call.context is None:
        return {}
    return {key: _comparable(value, call) for key, value in call.context.values_seen.items()}


def known_part(value: Any, call: Call) -> Any:
    """Return `value`, plain data, without missing values and removed fields; an empty dict if nothing is left.

    A list with a missing value is left out as a whole.
    """
    box: dict[str, Any] = {"": value}
    work: list[tuple[dict[str, Any], str]] = [(box, "")]
    while work:
        holder, key = work.pop()
        item = holder[key]
        if isinstance(item, dict):
            holder[key] = kept = {name: below for name, below in item.items() if not unresolved_in(name, call)}
            work.extend((kept, name) for name in kept)
        elif unresolved_in(item, call) or item is TOMBSTONE:
            del holder[key]
    return box.get("", {})


def _comparable(value: Any, call: Call) -> Any:
    try:
        tree = tree_of(value, call)
    except Exception:
        return None
    box = [tree.data]
    work: list[tuple[Any, Any]] = [(box, 0)]
    while work:
        holder, key = work.pop()
        item = holder[key]
        if isinstance(item, str):
            holder[key] = call.normal(item)
        elif type(item) is Observable:
            holder[key] = ("", item.source_path)
        elif isinstance(item, dict):
            work.extend((item, below) for below in item)
        elif isinstance(item, list):
            work.extend((item, at) for at in range(len(item)))
    return box[0]


def comparable_detail(value: Any, call: Call) -> Any:
    """Return `value`, a connection detail, in a form in which the details of two runs can be compared.

    Placeholders become numbers, and an Observable becomes its path. The numbers are added to the call's `shown`.
    """
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if type(value) is Observable:
        return ("", value.source_path)
    if isinstance(value, str):
        call.tokens_in(value)
        return call.normal(value)
    return value


def _common(one: str, other: str) -> str:
    """Return the text `one`, with a remark in place of the part that differs from the text `other`."""
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return f"{one[:start]}(a part of an unresolved value){one[len(one) - end :]}"

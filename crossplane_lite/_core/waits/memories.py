"""What each resource remembers of missing values from now on: what enters its memory, and what is forgotten."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import codec
from ..call.mark import MOST, NOTHING, Memory, key_of
from ..models.walker import unresolved_in
from ..observed.uses import root_of, sources
from .comparing import composite_tree

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.observable import Observable
    from ..observed.tracker import Values
    from .draft import Draft
    from .stakes import Stakes

__all__ = ["Birth", "at_rest", "earlier_births", "keeps_status", "memories"]


class Birth(NamedTuple):
    """A new resource that is made with a guess, or an existing one that was and still waits for the values.

    Attributes:
        fields: The paths of the fields that the guess decides; empty if it decides whether the resource is made, and
            for an existing resource.
        why: The missing values.
    """

    fields: tuple[str, ...]
    why: Values


def memories(
    call: Call,
    stakes: Stakes,
    drafts: Mapping[str, Draft],
    protected: Collection[str],
    births: Mapping[str, Birth],
    at_rest: bool,
    spared: Collection[str] = (),
) -> dict[str, Memory]:
    """Return what each resource remembers from now on. The resources `spared` learn nothing at rest."""
    keys = {one.source_path: key_of(one.source_path) for one in stakes.missing}
    all_keys = frozenset(keys.values())
    if not call.observed:
        all_keys = frozenset(keys[one.source_path] for one in stakes.missing if not _is_composed(one)) | {NOTHING}
    # Nothing more is expected to come. Before, each value that comes would be a write.
    is_settled = not (stakes.waiting or stakes.born) and all(_is_for_good(call, one) for one in stakes.missing)
    learned: dict[tuple[frozenset[str], bool], frozenset[str]] = {}
    found: dict[str, Memory] = {}
    for name, draft in drafts.items():
        if draft.content is None or not keys:
            continue
        digest = draft.digest
        if name not in call.observed:
            deciding = {keys[one.source_path] for one in births[name].why} if name in births else set()
            found[name] = Memory(digest, all_keys | deciding, frozenset(deciding))
            continue
        memory = stakes.memory(name)
        if memory.is_of(digest):
            learns = at_rest and name not in spared
            missing = learned.get((memory.missing, learns))
            if missing is None:
                known = memory.missing
                lost = stakes.lost(name)
                if len(keys) <= MOST and (at_rest and is_settled or lost and not at_rest):
                    # Values that have come are forgotten: from now on the resource is one that was there with them.
                    known = frozenset(keys[one.source_path] for one in stakes.missing if memory.has(one))
                if len(keys) <= MOST and learns:
                    lost = [one for one in lost if not _is_state(one) and _is_for_good(call, one)]
                    known = known.union(keys[one.source_path] for one in lost)
                missing = learned[memory.missing, learns] = known
            found[name] = Memory(digest, missing, memory.deciding & missing)
        else:
            # A value that still protects something of the resource mustn't enter because something else has changed.
            used = {source.source_path for place in draft.found for one in place.waits_for for source in sources(one)}
            kept = {one.source_path for one in stakes.lost(name) if name in protected or one.source_path in used}
            found[name] = Memory(digest, frozenset(key for path, key in keys.items() if path not in kept))
    return found


def _is_state(value: Observable[Any]) -> bool:
    """Say whether a value is a state, which comes and goes: an object's readiness or one of its conditions."""
    root = root_of(value)
    way = "" if root is None else value.source_path[len(root.prefix) :]
    return way == ".ready" or way.startswith(".status.conditions[")


def _is_composed(value: Observable[Any]) -> bool:
    root = root_of(value)
    return root is not None and root.kind == "resource"


def _is_for_good(call: Call, value: Observable[Any]) -> bool:
    """Say whether the object that a missing value belongs to is ready without it."""
    root = root_of(value)
    if root is None:
        return False
    if root.kind == "required":
        return True  # it was found without the value
    if root.kind == "xr":
        return (call.observed_condition("Ready") or {}).get("status") == "True"
    return root.settled


def at_rest(call: Call, stakes: Stakes) -> bool:
    """Say whether the real run neither drops nor changes anything that exists, nor the composite's status."""
    if not stakes.missing or stakes.dropped or stakes.changed:
        return False
    return keeps_status(call)


def keeps_status(call: Call) -> bool:
    """Say whether the real run changes nothing in the composite's status."""
    tree = composite_tree(call)
    if tree is None or "status" not in tree.data:
        return True
    live = {} if "status" not in call.xr.fields else codec.decode_value(call.xr.fields["status"])
    return _covers(live, tree.data["status"], call)


def _covers(live: Any, desired: Any, call: Call) -> bool:
    """Say whether observed data has all desired values. Missing values, which keep theirs, don't count."""
    if isinstance(desired, dict) and isinstance(live, dict):
        return all(_covers(live.get(key), value, call) for key, value in desired.items())
    return bool(unresolved_in(desired, call)) or live == desired  # an Observable mustn't be compared


def earlier_births(call: Call, stakes: Stakes, drafts: Mapping[str, Draft]) -> dict[str, Birth]:
    """Return the existing resources that were made with a guess about values which may still come."""
    values = {key_of(one.source_path): one for one in stakes.missing}
    found = {}
    for name in drafts:
        if values and name in call.observed and name not in stakes.changed and (keys := stakes.memory(name).deciding):
            why = [values[key] for key in sorted(keys) if key in values]
            why = [one for one in why if not _is_for_good(call, one)]
            if why:
                found[name] = Birth((), why)
    return found

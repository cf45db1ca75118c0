"""What becomes of each resource while values are missing.

**A value that was there and goes missing counts as it last was.** The notes of the step
(`_core.known`) say of each missing value that compose() has read whether it was there when the
content that exists now was made:

- it was there: compose() runs on the request with the noted values, and the answer of that run
  counts as a whole; but not if the real run changes nothing and tells as much;
- it was missing: the code is followed;
- it was there, and isn't kept: what the answer drops or changes stays as it is, and new resources
  wait;
- nothing, and there are notes: nothing goes until the value's owner is ready without it;
- nothing, and there are no notes: nothing goes.

In the third row a value that was only read, or only set to a field, keeps resources from going, not
from changing. An exception of compose() that a missing value may explain is like the third row for
all of the step.

There are three runs at the most: the real one, the one with the noted values, and one with other
placeholders. The last one is made where a text with a placeholder isn't found intact in what
compose() has made: what differs is unresolved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..base.sentinels import UNSET
from ..call.mark import NO_MARK, OTHERS, plain_bytes
from ..dependencies.dry_run import Run
from ..dependencies.usages import used_until
from ..known.carriers import Entries, chosen, spread
from ..known.notes import (
    CONTEXT,
    MOST_MISSING,
    NOT_KEPT,
    READY,
    Notes,
    Said,
    Values,
    Where,
    carries,
    is_below,
    is_required,
    key_and_name,
    key_of,
    may_miss,
)
from ..known.put_back import put_back
from ..models.walker import unresolved_in
from ..observed import tracker
from ..observed.observable import is_settled, root_of, sources
from ..observed.owned import with_live_values
from ..paths.text import prefixes
from .draft import NO_DOUBTS, Draft
from .late import look_at_texts
from .outcome import MOST_NAMED, Outcome
from .parts import unanswered
from .reads import (
    asked_name,
    lost_conditions,
    missing_keys,
    owners_of,
    places,
    places_of,
    values_read,
    where,
)

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.observable import Observable

    Missing = Sequence[Observable]


class Decision:
    """What becomes of the parts of an answer.

    Attributes:
        call: The call whose answer counts: the real one, or one with noted values.
        error: The exception that compose() raised in it; None if it returned.
        violations: The texts of fatal results for fields that compose() must not set.
        drafts: The resources by name, as they are sent or held back.
        changed: The existing resources for which compose() wants another content.
        missing: The missing values.
        lost: The missing values that count as they last were.
        used: The existing resources that stay because Usages protect them, with what has to go
            before each.
        removed: The names that compose() removes.
        kept: The existing resources that stay although compose() doesn't register them, with the
            missing values that may be the reason.
        seals: Whether the composite keeps its status and its connection details, because nobody
            knows what a missing value decides.
        is_unsure: Whether there are such values, so that later steps may be told something wrong.
        unknown: The paths of the missing values of which nobody knows whether they were there.
        status: The fields of the composite that count as unresolved.
        details: The keys of the composite's connection details that depend on the text of a
            placeholder.
        remarks: What else people have to know, as sentences.
        entries: The new notes, by the resource that carries them.
    """

    def __init__(self, call: Call, error: BaseException | None, run: Outcome | None = None) -> None:
        self.call = call
        self.error = error
        self.violations: list[str] = [] if run is None else run.violations
        self.drafts: dict[str, Draft] = {} if run is None else dict(run.drafts)
        self.missing: Missing = () if run is None else run.missing
        self.changed: list[str] = [] if run is None else run.changed
        self.lost: Missing = ()
        self.remarks: list[str] = [] if run is None else run.remarks
        self.used = used_until(call)
        self.removed = call.removed - self.used.keys()
        self.kept: dict[str, Missing] = {}
        self.seals = False
        self.is_unsure = False
        self.unknown: Collection[str] = ()
        self.status = NO_DOUBTS
        self.details: Collection[str] = ()
        self.entries: Entries = {}

    def hold(self, name: str, waits: Missing) -> None:
        """Hold a resource back until these values are there, and those that it waits for anyway."""
        before = self.drafts.get(name)
        held = Draft(None, list(waits))
        if before is not None:
            held.waits[:0] = before.waits
            held.gated = before.gated
        self.drafts[name] = held


def decide(first: Outcome, elsewhere: Collection[str]) -> Decision:
    """Decide what becomes of the parts of an answer, by what the real run makes.

    `elsewhere` has the names of resources that other steps hold back. If the decision's call isn't
    that of the real run, the caller has to enter and to end it. Raises WireError for malformed
    bytes.
    """
    call = first.call
    # What compose() hasn't come to when it raised is never dropped.
    protects = (call.function.protect or first.error is not None) and not call.in_operation
    may_decide = protects and not unanswered(call)
    if may_decide and _may_lack_values(first):
        return _decide_missing(first, elsewhere)
    decision = Decision(call, first.error, first)
    if not may_decide:
        look_at_texts(decision, first, elsewhere)
    elif _may_need_notes(first):
        _note(decision, first, _notes_of(call), ())
    return decision


def _decide_missing(first: Outcome, elsewhere: Collection[str]) -> Decision:
    """Decide by the notes what becomes of an answer where values may be missing."""
    notes = _notes_of(first.call)
    said = _by_said(first, notes)
    final, lost, forgotten = _with_last_known(first, notes, said[Said.THERE], elsewhere)
    decision = Decision(final.call, final.error, final)
    if final is not first:
        decision.lost = _named(lost)
        _wait_for_real_values(decision, first, final)
        said = _by_said(final, notes)
    elif said[Said.NOT_KEPT] and first.is_still and not first.may_drop:
        forgotten += [one for one in said[Said.NOT_KEPT] if _is_gone_for_good(first.call, one)]
    _protect(decision, final, notes, said)
    look_at_texts(decision, final, elsewhere)
    is_first_call = bool(decision.kept) and not notes.number
    if not (is_first_call or decision.seals or final.error is not None or unanswered(final.call)):
        _note(decision, final, notes, () if decision.kept else forgotten)
    return decision


def _notes_of(call: Call) -> Notes:
    return Notes.of(call.existing, call.step, call.function.names)


_BySaid = dict[Said, list["Observable"]]


def _by_said(run: Outcome, notes: Notes) -> _BySaid:
    """Return the missing values of a run by what the notes say of them."""
    found: _BySaid = {said: [] for said in Said}
    for value in run.missing:
        place = where(value)
        if place is not None:
            found[notes.say(*place)].append(value)
    return found


# The run with the noted values.


def _may_lack_values(run: Outcome) -> bool:
    """Say by a quick look whether a run may lack values."""
    call = run.call
    if run.missing or run.error is not None or call.is_after_unsure_step:
        return True
    # A loop over all conditions asks for none that is missing, so it counts whether some are noted.
    return any(
        carries(one.resource) and b"status.conditions[" in one.resource
        for one in call.existing.values()
    )


def _with_last_known(
    first: Outcome, notes: Notes, noted: list[Observable], elsewhere: Collection[str]
) -> tuple[Outcome, Missing, list[Observable]]:
    """Run compose() with the noted values if it has to. `noted` are the missing values that were
    there.

    Returns the run whose answer counts, the lost values with which it was made, and those that are
    forgotten.
    """
    call = first.call
    lost = noted + lost_conditions(call, notes)
    stale = _stale_keys(call, notes)
    if not (lost or stale):
        return first, (), []
    forgotten = [one for one in lost if _is_gone_for_good(call, one)]
    is_still = first.is_still and not first.lacks_status
    if (
        is_still
        and not first.may_drop
        and first.decided_by.isdisjoint(one.source_path for one in lost)
    ):
        return first, (), forgotten
    found = put_back(
        call.data,
        notes,
        skip=_with_defaults(call),
        lost=places_of(lost),
        stale=stale,
        head_of=lambda obj: _head_of(call, notes, obj),
    )
    if found is None:
        return first, (), []
    call.noted_ready = found.ready
    run = Run.real(call, found.request)
    before = tracker.enter(run.call)
    try:
        second = Outcome(run.call, elsewhere, run.error)
        second.remarks = _in_words(lost, found.lists, stale)
        is_same = is_still and first.has_all_of(second)
    finally:
        tracker.go_back(before)
    if not is_same:
        return second, lost, []
    run.end()
    return first, (), forgotten


def _stale_keys(call: Call, notes: Notes) -> set[str]:
    """Return the noted keys of the context that a previous step has set without its notes, or not
    at all.
    """
    if not call.is_after_unsure_step or call.context is None:
        return set()
    noted = notes.values.get(CONTEXT, {})
    return {
        key for key in call.context.asked & noted.keys() if call.context.received(key) != noted[key]
    }


def _in_words(lost: Missing, lists: Collection[Where], stale: Collection[str]) -> list[str]:
    """Return sentences about what counts as it last was besides lost values: lists around them, and
    the context.
    """
    found: set[str] = set()
    for one in lost:
        obj, way = where(one) or ("", "")
        paths = [above for of, above in lists if of == obj and is_below(way, above)]
        root = root_of(one)
        prefix = "" if root is None else root.prefix
        found.update(f"all of {prefix}.{above} counts as it last was" for above in paths)
    found.update(
        f"context {key!r} counts as it last was, because a previous step lacks values"
        for key in stale
    )
    return sorted(found)


def _head_of(call: Call, notes: Notes, obj: str) -> dict[str, Any] | None:
    """Return what makes up an object that is gone; None if nobody knows which it was."""
    if not is_required(obj):
        model: Any = call.resources.get(obj)
        if model is not None:
            return {"apiVersion": model.apiVersion, "kind": model.kind}
        noted = notes.values.get(obj, {})
        head: dict[str, Any] = {key: noted[key] for key in ("apiVersion", "kind") if key in noted}
        return head if len(head) == 2 else None
    key, name = key_and_name(obj)
    selector = None if call.asked is None else call.asked.resources.get(key)
    if selector is None or asked_name(call, key) != name:
        return None  # of an answer to a query by labels nobody knows which object is gone
    metadata = {"name": selector.match_name}
    if selector.namespace is not None:
        metadata["namespace"] = selector.namespace
    return {"apiVersion": selector.api_version, "kind": selector.kind, "metadata": metadata}


def _with_defaults(call: Call) -> set[Where]:
    """Return the places of the missing values whose absence is an answer: the author has a default,
    or the kind.
    """
    values = [one for path, one in call.answered.items() if path not in call.guesses]
    return places_of([*values, *(one for one in call.handed_out if is_settled(one))])


def _is_gone_for_good(call: Call, value: Observable) -> bool:
    """Say whether the object that a missing value belongs to is ready without it. States come and
    go.
    """
    root = root_of(value)
    if root is None:
        return False
    way = root.way_of(value.source_path)
    if way == READY or way.startswith("status.conditions["):
        return False
    if root.kind == "required":
        return True
    if root.kind == "xr":
        return call.is_ready
    return root.settled


def _wait_for_real_values(decision: Decision, first: Outcome, final: Outcome) -> None:
    """Hold back the new resources that the real run doesn't make alike; but for the owners of lost
    values.
    """
    owners = owners_of(decision.lost)
    for name in final.fresh:
        real = first.drafts.get(name, Draft(None))
        is_owner = name in owners and not real.waits
        if is_owner or (real.content is not None and real.digest == final.drafts[name].digest):
            continue
        waits = [one for one in real.waits if not isinstance(one, str)]
        decision.hold(name, waits or decision.lost[:MOST_NAMED])


# What stays.


class _Unknown:
    """The missing values of a run whose last values nobody knows.

    Attributes:
        new: Those of which the notes say nothing, and whose absence is no answer. Others were there
            and aren't kept, or couldn't be put back.
        is_cut: Whether an exception that a missing value may explain ended compose().
        seals: Whether nothing that exists may change.
        may_have_removed: Whether one of the values may have decided that `ctx.remove` was called.
        reasons: The values to name as the reason why something stays.
    """

    def __init__(self, run: Outcome, notes: Notes, said: _BySaid) -> None:
        call = run.call
        unkept, self.new = _unknown_in(run, notes, said) if call.existing else ([], [])
        asked = [one for one in unkept if one.source_path in run.asked]
        self.is_cut = run.error is not None and (call.has_guessed or call.lacks_context)
        noted = notes.values.get(CONTEXT, {})
        context = (
            call.context.asked if call.context is not None and call.is_after_unsure_step else ()
        )
        lacks_noted = any(noted.get(key, NOT_KEPT) is NOT_KEPT for key in context)
        self.seals = self.is_cut or bool(asked) or lacks_noted
        self.may_have_removed = self.seals or any(one.source_path in run.asked for one in self.new)
        found: Missing = [*asked, *unkept, *self.new]
        if self.seals and not found:
            found = run.missing
        self.reasons = _named(found)


def _unknown_in(
    run: Outcome, notes: Notes, said: _BySaid
) -> tuple[list[Observable], list[Observable]]:
    """Return the missing values that were there and aren't known, and those of which the notes say
    nothing.
    """
    unkept = said[Said.NOT_KEPT]
    if said[Said.THERE] and not run.is_still:  # they couldn't be put back
        unkept = sorted(unkept + said[Said.THERE], key=lambda one: one.source_path)
    # What lies around another missing value is asked for only on the way to that one.
    around = _around(one.source_path for one in run.missing)
    new = [one for one in said[Said.NOTHING] if one.source_path not in around]
    if notes.number:
        new = [one for one in new if not _is_answer(run, one)]
    return unkept, new


def _protect(decision: Decision, run: Outcome, notes: Notes, said: _BySaid) -> None:
    """Keep what may hang on missing values whose last values nobody knows."""
    unknown = _Unknown(run, notes, said)
    if not unknown.reasons and not unknown.seals:
        return
    decision.is_unsure = True
    decision.unknown = {one.source_path for one in unknown.new}
    _keep_dropped(decision, run, unknown, unmarked=bool(unknown.new) or not notes.number)
    if unknown.seals:
        _seal(decision, run, unknown)
        if decision.seals and not (unknown.reasons or unknown.is_cut):
            decision.remarks.append(
                "what exists stays as it is, because a previous step lacks values"
            )
    if decision.kept or decision.seals or (not notes.number and _is_kept_before(run)):
        owners = owners_of(run.missing)
        for name in run.fresh:
            if name not in owners:
                decision.hold(name, unknown.reasons[:MOST_NAMED])


def _is_kept_before(run: Outcome) -> bool:
    """Say whether a previous step keeps resources without a mark, which may be this step's."""
    call = run.call
    if not call.is_after_unsure_step:
        return False
    return any(call.whose(name) == NO_MARK for name in call.existing if name not in run.drafts)


def _keep_dropped(decision: Decision, run: Outcome, unknown: _Unknown, *, unmarked: bool) -> None:
    """Keep the resources that the run drops or removes, but one of which only its own values are
    missing.
    """
    is_about = set() if unknown.is_cut else owners_of(unknown.reasons)
    for name in run.dropped(unmarked=unmarked):
        is_meant = name in run.call.removed and not unknown.may_have_removed
        if is_about != {name} and not is_meant:
            decision.kept[name] = unknown.reasons[:MOST_NAMED]
            decision.used.pop(name, None)
    decision.removed -= decision.kept.keys()


def _seal(decision: Decision, run: Outcome, unknown: _Unknown) -> None:
    """Let everything that exists keep its live values, but the owners of missing values."""
    call = run.call
    owners = owners_of(run.missing)
    for name in run.changed:
        draft = decision.drafts[name]
        if draft.content is None or name in owners or call.whose(name) == OTHERS:
            continue
        content = with_live_values(plain_bytes(draft.content), call.existing[name].resource)
        waits = [*draft.waits, *unknown.reasons[:MOST_NAMED]]
        frozen = decision.drafts[name] = Draft(content, waits, draft.found)
        frozen.made = run.was_made(name).to_text()
    tells = run.may_drop or not (run.keeps_status and run.keeps_details)
    decision.seals = unknown.is_cut or tells or bool(decision.kept or run.changed)


def _named(values: Missing) -> list[Observable]:
    """Return values to name to people: each once, and none that lies around another one."""
    paths = {one.source_path: one for one in values}
    around = _around(paths)
    return [one for path, one in paths.items() if path not in around]


def _around(paths: Iterable[str]) -> set[str]:
    """Return the paths of everything that lies around values."""
    return {above for path in paths for above in prefixes(path)[:-1]}


def _is_answer(run: Outcome, value: Observable) -> bool:
    """Say whether the absence of a value that new code asks for is an answer."""
    root = root_of(value)
    if root is None:
        return False
    if root.kind == "xr":
        # The composite may be not Ready only because new resources wait for this value.
        return not _is_coming(run, value) and (run.all_ready or _is_gone_for_good(run.call, value))
    return root.kind == "required" or _is_gone_for_good(run.call, value)


def _is_coming(run: Outcome, value: Observable) -> bool:
    """Say whether the composite gets a value by this answer, or once the values come that it is
    made of.
    """
    found = run.set_at((where(value) or ("", ""))[1])
    if found is UNSET:
        return False
    needed = [source for one in unresolved_in(found, run.call) for source in sources(one)]
    return not needed or not all(_is_gone_for_good(run.call, one) for one in needed)


# Notes.


def _note(
    decision: Decision, run: Outcome, notes: Notes, forgotten: Collection[Observable]
) -> None:
    """Write notes if something is written anyway, or if they would lack what must not get lost."""
    call = run.call
    stay = [name for name, draft in decision.drafts.items() if draft.content is not None]
    if not stay:
        return
    written = [name for name in (*run.fresh, *run.changed) if _is_written(decision, run, name)]
    if forgotten:
        gone = places_of(forgotten)
        values = _joined(notes.values, {}, gone)
        keys = [*notes.missing, *(key_of(*place) for place in gone)]
    else:
        values = values_read(call)
        if decision.lost or decision.is_unsure:
            # While values are lost nothing is forgotten, but for what has an answer without its
            # value.
            values = _joined(notes.values, values, _with_defaults(call))
        # What is kept has notes of its own, about values that this call may not know.
        if not (written or (not decision.kept and _lacks(decision, run, notes, values, stay))):
            return
        keys = list(dict.fromkeys(_keys_to_note(decision, run)))[:MOST_MISSING]
    carriers = chosen(written, lambda name: (call.resources[name].kind, name in call.existing))
    # Of many written resources those that are no carriers lose their notes.
    losers = set(written).difference(carriers)
    left = [name for name in stay if name not in losers]
    decision.entries = spread(notes, values, keys, carriers, left, places(call))
    decision.entries.update(dict.fromkeys(losers & notes.entries.keys()))


def _is_written(decision: Decision, run: Outcome, name: str) -> bool:
    """Say whether the content of a resource is new."""
    draft = decision.drafts[name]
    return draft.content is not None and draft.digest != run.was_made(name).digest


def _may_need_notes(run: Outcome) -> bool:
    """Say by a quick look whether notes may have to be written in a call in which no value is
    missing.
    """
    call = run.call
    if run.fresh or run.changed or _deletes(run):
        return True
    carriers = {name: one.resource for name, one in call.existing.items() if carries(one.resource)}
    if not carriers:
        return bool(call.tied)
    if any(name not in run.drafts for name in carriers) or may_miss(carriers.values(), call.step):
        return True
    return call.composite is not None and not (run.keeps_status and run.keeps_details)


def _keys_to_note(decision: Decision, run: Outcome) -> Iterable[str]:
    """Return the keys of the values that a run lacks; some may come again."""
    if not run.missing:  # it is of no use to know which objects have no values yet
        return ()
    # At rest it doesn't matter any more whether a value was there.
    unknown = () if run.is_still and not _is_kept_before(run) else decision.unknown
    left_out = {*unknown, *_around(unknown)}
    missing = [one for one in run.missing if one.source_path not in left_out]
    without = owners_of(one for one in run.missing if one.source_path in unknown)
    return missing_keys(run.call, missing, without)


def _lacks(
    decision: Decision, run: Outcome, notes: Notes, values: Values, stay: Collection[str]
) -> bool:
    """Say whether notes have to be written although no resource is."""
    if not notes.number:
        is_sure = run.is_still or not run.missing
        return is_sure and (bool(values) or any(_keys_to_note(decision, run)))
    left = notes.without([name for name in notes.entries if name not in stay])
    if left.number < notes.number:
        return True
    if _deletes(run) or not (run.keeps_status and run.keeps_details):
        return left.values != values
    # Values that were missing have come. They may decide what the step tells others.
    if notes.missing and run.is_still and not any(_keys_to_note(decision, run)):
        return True
    return any(ways.keys() - left.values.get(obj, {}).keys() for obj, ways in values.items())


def _deletes(run: Outcome) -> bool:
    """Say whether a run drops a resource that isn't being deleted yet: once it is, nothing changes
    any more.
    """
    existing = run.call.existing
    return any(
        b"deletionTimestamp" not in existing[name].resource for name in run.dropped(unmarked=False)
    )


def _joined(old: Values, new: Values, without: Collection[Where]) -> Values:
    """Return old values without some and what is below these, and new ones."""
    found: Values = {}
    for obj, ways in old.items():
        gone = [way for of, way in without if of == obj]
        left = {}
        for way, value in ways.items():
            if not any(way == one or is_below(way, one) for one in gone):
                left[way] = value
        if left or not ways:
            found[obj] = left
    for obj, ways in new.items():
        found.setdefault(obj, {}).update(ways)
    return found

"""What becomes of each resource while values are missing.

**A value that was there and goes missing counts as it last was.** The notes of the step (`_core.known`) say of each
missing value that compose() has read whether it was there when the content that exists now was made:

===================================  ==================================================================================
the notes say                        then
===================================  ==================================================================================
it was there                         compose() runs on the request with the noted values, and the answer of that run
                                     counts as a whole; but not if the real run changes nothing and tells as much
it was missing                       the code is followed
it was there, and isn't kept         what the answer drops or changes stays as it is, and new resources wait
nothing, and there are notes         nothing goes until the value's owner is ready without it
nothing, and there are no notes      nothing goes
===================================  ==================================================================================

In the third row a value that was only read, or only set to a field, keeps resources from going, not from changing.
An exception of compose() that a missing value may explain is like the third row for all of the step.

There are three runs at the most: the real one, the one with the noted values, and one with other placeholders. The last
one is made where a text with a placeholder isn't found intact in what compose() has made: what differs is unresolved.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..call.mark import OTHERS, plain_bytes
from ..dependencies.dry_run import Run
from ..dependencies.graph import Wait
from ..dependencies.usages import used_until
from ..known.carriers import Entries, chosen, spread
from ..known.notes import (
    COMPOSITE,
    CONDITION,
    CONTEXT,
    READY,
    Notes,
    Said,
    Values,
    Where,
    carries,
    is_below,
    is_required,
    key_of,
    may_miss,
)
from ..known.put_back import put_back
from ..observed import tracker
from ..observed.lookup import condition_of
from ..observed.observable import is_settled, make, root_of
from ..observed.owned import with_live_values
from ..observed.tokens import LATE
from .asking import is_settled as requirements_are_settled
from .comparing import details_of, differing_details, differing_places, differing_status, differing_texts
from .draft import Draft, Unclear, draft_one
from .outcome import Outcome
from .reads import condition_way, has_read_conditions, missing_keys, owners_of, places, values_read, where

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.observable import Observable
    from ..observed.tracker import Values as Missing

_MOST_NAMED: Final = 5


class Decision:
    """What becomes of the parts of an answer.

    Attributes:
        call: The call whose answer counts: the real one, or one with noted values.
        error: The exception that compose() raised in it; None if it returned.
        violations: The texts of fatal results for fields that compose() must not set.
        drafts: The resources by name, as they are sent or held back.
        marks: What the marks of the drafts say that this step has made.
        missing: The missing values.
        lost: The missing values that count as they last were.
        used: The existing resources that stay because Usages protect them, with what has to go before each.
        removed: The names that compose() removes.
        kept: The existing resources that stay although compose() doesn't register them, with the missing values that
            may be the reason.
        seals: Whether the composite keeps its status and its connection details, because nobody knows what a missing
            value decides.
        is_unsure: Whether there are such values, so that later steps may be told something wrong.
        unknown: The paths of the missing values of which nobody knows whether they were there.
        status: The places of the composite that count as unresolved.
        details: The keys of the composite's connection details that depend on the text of a placeholder.
        texts: The messages of results and conditions in which a placeholder was cut or hashed, each with the text to
            send instead.
        entries: The new notes, by the resource that carries them.
    """

    def __init__(self, outcome: Outcome) -> None:
        self.call = outcome.call
        self.error = outcome.error
        self.violations = outcome.violations
        self.drafts: dict[str, Draft] = dict(outcome.drafts)
        self.marks = outcome.marks
        self.missing = outcome.missing
        self.lost: Missing = ()
        self.used = used_until(outcome.call)
        self.removed = outcome.call.removed - self.used.keys()
        self.kept: dict[str, Missing] = {}
        self.seals = False
        self.is_unsure = False
        self.unknown: Collection[str] = ()
        self.status: Unclear = ()
        self.details: Collection[str] = ()
        self.texts: Mapping[str, str] = {}
        self.entries: Entries = {}

    def hold(self, name: str, waits: Missing) -> None:
        """Hold a resource back until these values are there, and those that it waits for anyway."""
        before = self.drafts.get(name)
        held = Draft(None, list(map(Wait, waits)))
        if before is not None:
            held.waits[:0] = before.waits
            held.gated = before.gated
        self.drafts[name] = held


def decide(first: Outcome, elsewhere: Collection[str]) -> Decision:
    """Decide what becomes of the parts of an answer, by what the real run makes.

    `elsewhere` has the names of resources that other steps hold back. If the decision's call isn't that of the real
    run, the caller has to enter and to end it. Raises WireError for malformed bytes.
    """
    call = first.call
    protects = call.function.protect and not call.in_operation
    if not protects or not requirements_are_settled(call):
        decision = Decision(first)
        _look_at_texts(decision, first, elsewhere)
        return decision
    if not (first.missing or first.error or call.is_after_unsure_step or _may_lack_conditions(call)):
        decision = Decision(first)
        _note(decision, first, None, ())
        return decision
    notes = Notes.of(call.existing, call.step, (call.function.name, *call.function.formerly))
    final, lost, forgotten = _with_last_known(first, notes, elsewhere)
    decision = Decision(final)
    decision.lost = _named(lost)
    if final is not first:
        _wait_for_real_values(decision, first, final)
    _protect(decision, final, notes)
    _look_at_texts(decision, final, elsewhere)
    stays = decision.kept or decision.seals or final.error is not None
    if not stays and requirements_are_settled(final.call):
        if final is first and first.is_still and not first.may_drop:
            forgotten += _unkept_for_good(first, notes)
        _note(decision, final, notes, forgotten)
    return decision


def _unkept_for_good(run: Outcome, notes: Notes) -> list[Observable[Any]]:
    """Return the missing values that were there, aren't kept, and whose owners are ready without them."""
    found = []
    for one in run.missing:
        place = where(one)
        if place is not None and notes.say(*place) is Said.NOT_KEPT and _is_gone_for_good(run.call, one):
            found.append(one)
    return found


# The run with the noted values.


def _may_lack_conditions(call: Call) -> bool:
    """Say by a quick look whether conditions are noted: a loop over all of them asks for none that is missing."""
    return any(carries(one.resource) and b"status.conditions[" in one.resource for one in call.existing.values())


class _Lost:
    """The missing values of a run that were there by the notes.

    Attributes:
        values: These values.
        shorter: The noted lists in which an element was asked for that isn't there any more.
        stale: The keys of the context that a previous step has set without its notes, or not at all.
    """

    def __init__(self, run: Outcome, notes: Notes) -> None:
        call = run.call
        self.values: list[Observable[Any]] = []
        self.shorter: set[Where] = set()
        self.stale: set[str] = set()
        for value in run.missing:
            place = where(value)
            if place is None or notes.say(*place) is not Said.THERE:
                continue
            self.values.append(value)
            obj, way = place
            self.shorter.update((obj, list_) for list_ in notes.values.get(obj, ()) if is_below(way, list_))
        self.values += _lost_conditions(call, notes)
        if call.is_after_unsure_step and call.context is not None:
            noted = notes.values.get(CONTEXT, {})
            asked = call.context.asked & noted.keys()
            self.stale = {key for key in asked if call.context.received(key) != noted[key]}

    def __bool__(self) -> bool:
        return bool(self.values or self.stale)


def _lost_conditions(call: Call, notes: Notes) -> list[Observable[Any]]:
    """Return the conditions that were True and aren't, of objects whose list of conditions was read as a whole."""
    found = []
    for obj, ways in notes.values.items():
        types = [match[1] for way in ways if (match := CONDITION.fullmatch(way)) is not None]
        if not types or obj == COMPOSITE or not has_read_conditions(call, obj):
            continue
        root = call.root(obj)
        for type_ in types:
            condition = _condition(root, type_)
            if condition is not None:
                found.append(condition)
    return found


def _condition(root: Any, type_: str) -> Observable[Any] | None:
    found = condition_of(root.raw, type_)
    if found is not None and found.get("status") == "True":
        return None
    return make(f"{root.prefix}.{condition_way(type_)}", root)


def _with_last_known(
    first: Outcome, notes: Notes, elsewhere: Collection[str]
) -> tuple[Outcome, Missing, list[Observable[Any]]]:
    """Run compose() with the noted values if it has to.

    Returns the run whose answer counts, the lost values with which it was made, and those that are forgotten.
    """
    lost = _Lost(first, notes)
    if not lost:
        return first, (), []
    call = first.call
    if first.is_still and not first.may_drop and first.decided_by.isdisjoint(one.source_path for one in lost.values):
        return first, (), _gone_for_good(call, lost)
    found = put_back(
        call.data,
        notes,
        skip=_with_defaults(call),
        shorter=lost.shorter,
        stale=lost.stale,
        head_of=lambda obj: _head_of(call, notes, obj),
    )
    if found is None:
        return first, (), []
    call.noted_ready = found.ready
    run = Run.real(call, found.request)
    before = tracker.enter(run.call)
    try:
        second = Outcome(run.call, elsewhere, run.error)
        is_same = first.is_still and first.has_all_of(second)
    finally:
        tracker.go_back(before)
    if not is_same:
        return second, lost.values, []
    run.end()
    return first, (), _gone_for_good(call, lost)


def _gone_for_good(call: Call, lost: _Lost) -> list[Observable[Any]]:
    return [one for one in lost.values if _is_gone_for_good(call, one)]


def _head_of(call: Call, notes: Notes, obj: str) -> dict[str, Any] | None:
    """Return what makes up an object that is gone; None if nobody knows which it was."""
    if not is_required(obj):
        model: Any = call.resources.get(obj)
        noted = notes.values.get(obj, {})
        if model is not None:
            return {"apiVersion": model.apiVersion, "kind": model.kind}
        return {key: noted[key] for key in ("apiVersion", "kind")} if {"apiVersion", "kind"} <= noted.keys() else None
    selector = None if call.asked is None else call.asked.resources.get(obj[1:].rpartition("[")[0])
    if selector is None or selector.match_name is None:
        return None  # of an answer to a query by labels nobody knows which object is gone
    metadata = {"name": selector.match_name}
    if selector.namespace is not None:
        metadata["namespace"] = selector.namespace
    return {"apiVersion": selector.api_version, "kind": selector.kind, "metadata": metadata}


def _with_defaults(call: Call) -> set[Where]:
    """Return the places of the missing values whose absence is an answer: the author has a default, or the kind."""
    found = set()
    for one in call.handed_out:
        has_default = one.source_path in call.answered and one.source_path not in call.guesses
        place = where(one) if has_default or is_settled(one) else None
        if place is not None:
            found.add(place)
    return found


def _is_gone_for_good(call: Call, value: Observable[Any]) -> bool:
    """Say whether the object that a missing value belongs to is ready without it. States come and go."""
    root = root_of(value)
    if root is None:
        return False
    way = value.source_path[len(root.prefix) :]
    if way == f".{READY}" or way.startswith(".status.conditions["):
        return False
    if root.kind == "required":
        return True
    if root.kind == "xr":
        return (call.observed_condition("Ready") or {}).get("status") == "True"
    return root.settled


def _wait_for_real_values(decision: Decision, first: Outcome, final: Outcome) -> None:
    """Hold back the new resources that the real run doesn't make alike; but for the owners of lost values."""
    owners = owners_of(decision.lost)
    for name in final.fresh:
        real = first.drafts.get(name)
        if name in owners and (real is None or not real.waits):
            continue
        if real is not None and real.content is not None and real.digest == final.drafts[name].digest:
            continue
        waits = [one.source for one in real.waits if not isinstance(one.source, str)] if real is not None else []
        decision.hold(name, waits or decision.lost[:_MOST_NAMED])


# What stays.


class _Unknown:
    """The missing values of a run whose last values nobody knows.

    Attributes:
        unkept: Those that were there and aren't kept, or couldn't be put back.
        asked: Those of them that were used as plain values, or put into texts.
        new: Those of which the notes say nothing, and whose absence is no answer.
        is_cut: Whether an exception that a missing value may explain ended compose().
        is_unsure: Whether a previous step has told something that may be wrong, and this step doesn't know better.
    """

    def __init__(self, run: Outcome, notes: Notes) -> None:
        call = run.call
        self.unkept: list[Observable[Any]] = []
        self.new: list[Observable[Any]] = []
        for one in run.missing if call.existing else ():
            self._add(run, notes, one)
        self.asked = [one for one in self.unkept if one.source_path in run.asked]
        self.is_cut = run.error is not None and (call.has_guessed or call.lacks_context)
        self.is_unsure = call.is_after_unsure_step and _lacks_noted_context(call, notes)

    def _add(self, run: Outcome, notes: Notes, value: Observable[Any]) -> None:
        place = where(value)
        if place is None:
            return
        said = notes.say(*place)
        if said is Said.NOT_KEPT or (said is Said.THERE and not run.is_still):
            self.unkept.append(value)
        elif said is Said.NOTHING and not (notes.number and _is_answer(run, value)):
            self.new.append(value)

    @property
    def seals(self) -> bool:
        """Whether nothing that exists may change."""
        return self.is_cut or self.is_unsure or bool(self.asked)

    def reasons(self, run: Outcome) -> list[Observable[Any]]:
        """Return the values to name as the reason why something stays."""
        found = [*self.asked, *self.unkept, *self.new]
        return _named(found or (list(run.missing) if self.seals else []))

    def has_asked(self, run: Outcome) -> bool:
        """Say whether one of the values may have decided that `ctx.remove` was called."""
        return self.seals or any(one.source_path in run.asked for one in self.new)


def _protect(decision: Decision, run: Outcome, notes: Notes) -> None:
    """Keep what may hang on missing values whose last values nobody knows."""
    unknown = _Unknown(run, notes)
    reasons = unknown.reasons(run)
    if not reasons and not unknown.seals:
        return
    decision.is_unsure = True
    decision.unknown = {one.source_path for one in unknown.new}
    _keep_dropped(decision, run, unknown, unmarked=not notes.number)
    owners = owners_of(run.missing)
    if unknown.seals:
        for name in run.changed:
            if name not in owners and run.call.whose(name) != OTHERS:
                _freeze(decision, run, name, reasons)
        is_told = run.may_drop or not (run.keeps_status and run.keeps_details)
        decision.seals = unknown.is_cut or is_told or bool(decision.kept or run.changed)
    if decision.kept or decision.seals:
        for name in run.fresh:
            if name not in owners:
                decision.hold(name, reasons[:_MOST_NAMED])


def _keep_dropped(decision: Decision, run: Outcome, unknown: _Unknown, *, unmarked: bool) -> None:
    """Keep the resources that the run drops or removes, but one of which only its own values are missing."""
    reasons = unknown.reasons(run)
    has_asked = unknown.has_asked(run)
    is_about = set() if unknown.is_cut else owners_of(reasons)
    for name in run.dropped(unmarked=unmarked):
        is_meant = name in run.call.removed and not has_asked
        if is_about != {name} and not is_meant:
            decision.kept[name] = reasons[:_MOST_NAMED]
            decision.used.pop(name, None)
    decision.removed -= decision.kept.keys()


def _named(values: Missing) -> list[Observable[Any]]:
    """Return values to name to people: each once, and none that lies around another one."""
    paths = {one.source_path: one for one in values}
    around = {path[:at] for path in paths for at, sign in enumerate(path) if sign in ".["}
    return [one for path, one in paths.items() if path not in around]


def _is_answer(run: Outcome, value: Observable[Any]) -> bool:
    """Say whether the absence of a value that new code asks for is an answer."""
    root = root_of(value)
    if root is not None and root.kind == "xr" and run.sets((where(value) or ("", ""))[1]):
        return False  # it comes with this answer
    return (root is not None and root.kind == "required") or _is_gone_for_good(run.call, value)


def _lacks_noted_context(call: Call, notes: Notes) -> bool:
    """Say whether compose() uses context of an unsure step, and doesn't know all of it by its notes."""
    noted = notes.values.get(CONTEXT, {})
    return call.context is not None and any(key not in noted for key in call.context.asked)


def _freeze(decision: Decision, run: Outcome, name: str, reasons: Missing) -> None:
    """Let a resource keep all of its live values."""
    call = run.call
    draft = decision.drafts[name]
    if draft.content is None:
        return
    content = with_live_values(plain_bytes(draft.content), call.existing[name].resource)
    frozen = Draft(content, [*draft.waits, *map(Wait, reasons[:_MOST_NAMED])], draft.found)
    decision.drafts[name] = frozen
    decision.marks[name] = run.was_made(name).to_text() or frozen.digest


# Texts with placeholders.


def _look_at_texts(decision: Decision, run: Outcome, elsewhere: Collection[str]) -> None:
    """Find what a part of a placeholder decides, by a run with other placeholders, where one isn't found intact."""
    call = run.call
    if not call.tokens or not run.unaccounted:
        return
    is_open = any(decision.drafts[name].content is not None for name in (*run.fresh, *run.changed))
    tells = bool(call.results.entries or call.conditions.entries or details_of(call)) or not run.keeps_status
    if not (is_open or tells):
        return
    late = Run.dry(call, call.request, call.data, form=LATE)
    try:
        _compare(decision, run, late, elsewhere)
    finally:
        late.end()


def _compare(decision: Decision, run: Outcome, late: Run, elsewhere: Collection[str]) -> None:
    call = run.call
    real = Run(call, run.error)
    texts = [one for path, one in sorted(run.asked.items()) if path not in call.guesses] or [*run.asked.values()]
    for name in (*run.fresh, *run.changed):
        if decision.drafts[name].content is None:
            continue
        if name not in late.resources:
            if name in run.fresh and run.error is None and late.error is None:  # its name is made from a text
                decision.hold(name, texts[:_MOST_NAMED])
            continue
        draft = decision.drafts[name]
        found = differing_places(real, late, name, None if draft.found else draft.content)
        if found and name in run.fresh and name not in call.desired:
            decision.hold(name, texts)
        elif found:
            decision.drafts[name] = draft_one(call, name, elsewhere, [(found, texts)])
            if decision.drafts[name].content is not None:
                decision.marks[name] = decision.drafts[name].digest
    status = differing_status(real, late)
    if status:
        decision.status = [(status, texts)]
    decision.details = differing_details(real, late)
    decision.texts = differing_texts(real, late)


# Notes.


def _note(decision: Decision, run: Outcome, notes: Notes | None, forgotten: Collection[Observable[Any]]) -> None:
    """Write notes if something is written anyway, or if they would lack what must not get lost."""
    call = run.call
    stay = [name for name in run.marks if decision.drafts[name].content is not None]
    if not stay or not call.step:
        return
    written = [name for name in run.fresh if decision.drafts[name].content is not None]
    for name in run.changed:
        draft = decision.drafts[name]
        if draft.content is not None and draft.digest != run.was_made(name).digest:
            written.append(name)
    if notes is None and not written and not _may_need_notes(run, stay):
        return
    if notes is None:
        notes = Notes.of(call.existing, call.step, (call.function.name, *call.function.formerly))
    values = values_read(call)
    # At rest it doesn't matter any more whether a value was there.
    unknown = () if run.is_still else decision.unknown
    missing = [one for one in run.missing if one.source_path not in unknown]
    without = owners_of(one for one in run.missing if one.source_path in unknown)
    # Where nothing is missing, it is of no use to know which objects have no values yet.
    keys: Collection[str] = missing_keys(call, missing, without) if run.missing else ()
    if forgotten:
        values, keys = _without(notes, forgotten)
    elif decision.lost:
        # While values are lost nothing is forgotten, but for what has an answer without its value.
        values = _joined(notes.values, values, _with_defaults(call))
    if not (written or forgotten or _lacks(run, notes, values, keys, stay)):
        return
    carriers = chosen(written, lambda name: (call.resources[name].kind, name in call.existing))
    decision.entries = spread(notes, values, keys, carriers, stay, places(call))
    for name in notes.entries:
        if name in written and name not in decision.entries:
            decision.entries[name] = None


def _may_need_notes(run: Outcome, stay: Collection[str]) -> bool:
    """Say by a quick look whether notes may have to be written although no resource is."""
    call = run.call
    carriers = [name for name, one in call.existing.items() if carries(one.resource)]
    if not carriers:
        return bool(call.tied)
    if not set(carriers) <= set(stay) or may_miss((call.existing[name].resource for name in carriers), call.step):
        return True
    return call.composite is not None and not (run.keeps_status and run.keeps_details)


def _lacks(run: Outcome, notes: Notes, values: Values, keys: Collection[str], stay: Collection[str]) -> bool:
    """Say whether notes have to be written although no resource is."""
    if not notes.number:
        return bool(values or keys) and run.is_still
    left = notes.without([name for name in notes.entries if name not in stay])
    if left.number < notes.number:
        return True
    if not (run.keeps_status and run.keeps_details):
        return notes.values != values
    # Values that were missing have come. They may decide what the step tells others.
    if notes.missing and not keys and run.is_still:
        return True
    return any(way not in left.values.get(obj, ()) for obj, ways in values.items() for way in ways)


def _without(notes: Notes, forgotten: Collection[Observable[Any]]) -> tuple[Values, set[str]]:
    """Return the noted values and the keys of missing ones, with some values among the missing ones."""
    values = {obj: dict(ways) for obj, ways in notes.values.items()}
    keys = set(notes.missing)
    for one in forgotten:
        obj, way = where(one) or ("", "")
        keys.add(key_of(obj, way))
        for noted in [*values.get(obj, ())]:
            if noted == way or is_below(noted, way):
                del values[obj][noted]
    return {obj: ways for obj, ways in values.items() if ways}, keys


def _joined(old: Values, new: Values, without: Collection[Where]) -> Values:
    found = {obj: {way: value for way, value in ways.items() if (obj, way) not in without} for obj, ways in old.items()}
    for obj, ways in new.items():
        found.setdefault(obj, {}).update(ways)
    return found

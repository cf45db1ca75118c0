"""What becomes of each resource while values are missing.

**A missing value protects what was made while it was there; what was made without it follows the code.** Each resource
remembers in its mark which values were missing when its content last changed (`_core.call.mark.Memory`). A
missing value that isn't among these is lost for the resource. If the real run drops or changes an existing resource
for which a value is lost, compose() runs again on the same request to show why. Nothing runs again

- if no value is lost, nothing new depends on a guess, and each text with a placeholder is where it was made for;
- if the real run alone shows that nobody can see what the lost values decide, and with its live values each changed
  resource is as it was made.

The runs, six at the most, and one more with the status that this call sets if that of the previous call decides what
goes (`_with_new_status`):

=======  ==========================================================================================================
A        The real run. Every question about a missing value is answered with no: empty, unequal, False.
B        Other placeholders, and every question about a lost value is answered with yes: true, equal, numbers 13,
         lengths 3, conditions True. If B gives the composite another status, it runs once more with that status.
A'       As A with other placeholders, if A has put a placeholder into a text.
others   As B with some answers the other way, while no run shows why A drops or changes a resource: questions that
         came up with one answer only, then those about values that were never there, then each one alone.
C        As A in everything, if another run differs from A in more than resources that stay as they were made, and
         that this process has seen C make alike before.
made up  Missing values have made-up texts, if A and B raise the same exception.
=======  ==========================================================================================================

A run that registers a resource with the content that the resource remembers has shown what it was made with: it stays
like that, and nothing of it is compared.

The conclusions are the same for all runs, and for each place in a resource:

- A and C differ: compose() isn't deterministic. The answer is that of A, and says so.
- A and A' differ: a text was cut, hashed or ordered. The place is unresolved, like a direct reference.
- A and B differ: a lost value decides the place, which keeps its observed value. A resource that only B registers is
  kept. A new resource is as in A, and people are told that it is made with a guess.
- While a previous step keeps something because of a value, nothing new is made that only the value's absence makes.
- The effect of a lost value can't be seen through (a hash, a loop, `isinstance`, an exception, a text that is found
  nowhere, too many runs): no existing resource of this step goes or changes, except those that the lost values belong
  to; and while something stays because of that, only these are made.
- At rest nothing that exists would change. Then a lost value of a ready resource counts as never there from now on.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import EncodeError
from .. import codec
from ..call.mark import ANY_KEY, NO_MARK, OTHERS, OUR_NAME, OURS, Memory, digest_of, marked
from ..models.walker import Found, show_path
from ..observed.observable import make, root_of, sources
from ..observed.owned import is_owned, with_live_values
from .comparing import (
    changed_context,
    details_of,
    differing_context,
    differing_details,
    differing_status,
    differing_texts,
    unseen_texts,
)
from .draft import Draft, Unclear, Wait, doubted, draft_as_made, draft_one, status_of, with_live_values_of
from .run import Run, with_status
from .runs import Runs
from .stakes import Birth, Stakes, covers
from .usages import edge_of

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.mark import Content
    from ..observed.tracker import Values
    from .draft import Place

_MOST_NAMED: Final = 5


class Kept(NamedTuple):
    """An existing resource that stays as it is although the real run doesn't register it.

    Attributes:
        ready: The readiness that another run sets for the resource; None to use the rules of its kind.
        fatal: Whether the resource's `on_unresolved` is "fatal".
        why: The lost values that it may depend on.
        content: The content that the resource remembers, if a run has made it again; else None.
    """

    ready: bool | None
    fatal: bool
    why: Values
    content: Content | None = None


class Decision(NamedTuple):
    """What becomes of the parts of an answer.

    Attributes:
        drafts: The resources by name, as they are sent or held back.
        memories: The memories for the marks of the drafts. A draft without one has a new memory of its content only.
        missing: The missing values that were asked for.
        removed: The names that every run removes.
        kept: The existing resources that the real run doesn't register, and that stay.
        unknown: The new resources whose names differ from run to run. They must not be created.
        births: The resources that are made with a guess.
        unstable: The paths of values that are different each time compose() runs, for people.
        named_by: The missing values that names of resources were made from.
        status: The places of the composite that count as unresolved.
        details: The keys of the composite's connection details that depend on the text of a placeholder.
        guessed_details: The keys of the composite's connection details whose values depend on a guess.
        context: The context's keys whose values depend on a guess.
        guessed_status: The fields of the composite's status that lost values decide.
        lost: The paths of the values because of which something may stay.
        texts: The messages of results and conditions in which a placeholder was cut or hashed, each with the text to
            send instead.
        fails: Whether compose() raises the same exception at the same place whatever the missing values are.
        runs: The number of times that compose() has run, the real run included.
    """

    drafts: Mapping[str, Draft]
    memories: Mapping[str, Memory]
    missing: Values
    removed: Collection[str]
    kept: Mapping[str, Kept] = {}
    unknown: Collection[str] = ()
    births: Mapping[str, Birth] = {}
    unstable: Sequence[str] = ()
    named_by: Values = ()
    status: Unclear = ()
    details: Collection[str] = ()
    guessed_details: Collection[str] = ()
    context: Collection[str] = ()
    guessed_status: Sequence[str] = ()
    lost: Collection[str] = ()
    texts: Mapping[str, str] = {}
    fails: bool = False
    runs: int = 1


def decide(
    call: Call, drafts: dict[str, Draft], elsewhere: Collection[str], error: BaseException | None
) -> Decision | None:
    """Decide what becomes of the parts of an answer, after compose() has returned or raised `error`.

    `drafts` are the registered resources as the real run desires them, and `elsewhere` has the names of resources that
    other steps hold back. None if all follows the code. Of the exceptions in further runs only KeyboardInterrupt is
    raised here. Raises WireError for malformed bytes.
    """
    new_status = _new_status(call) if error is None and call.reads_status else {}
    if not (new_status or call.has_guessed or call.handed_out):
        return None
    stakes = Stakes(call, drafts, error, moves=bool(new_status))
    decision = _decide(call, stakes, drafts, elsewhere, error)
    return _with_new_status(call, stakes, decision, new_status) if new_status else decision


def _new_status(call: Call) -> dict[str, Any]:
    """Return the fields that the previous call has set in the composite's status, and that this one changes."""
    composite: Any = call.composite
    try:
        encoded, _ = status_of(call, composite, ())
    except EncodeError:
        return {}  # the answer is Fatal
    new = codec.get_path(encoded or composite._state.base or b"", ("status",))
    live = codec.get_path(call.request.observed.composite.resource, ("status",))
    if not (isinstance(new, dict) and isinstance(live, dict)):
        return {}
    was = {key: live.get(key) for key in new.keys() - {"conditions"}}
    return {key: new[key] for key, value in was.items() if value is not None and not covers(value, new[key], call)}


def _with_new_status(call: Call, stakes: Stakes, decision: Decision, new_status: dict[str, Any]) -> Decision:
    """Keep what compose() makes with the status that this call sets, though it doesn't with that of the previous call.

    A lost value may have decided the previous status. With the next call, all follows the code.
    """
    changed = [name for name in stakes.changed if decision.drafts[name].content is not None]
    changed = [name for name in changed if decision.drafts[name].digest != stakes.memory(name).digest]
    dropped = [name for name in stakes.dropped if not (name in decision.kept or name in decision.removed)]
    if not (changed or dropped) or call.function.allow_removal_when_unresolved:
        return decision
    run = Run.again(call, with_status(call, new_status), call.data)
    try:
        if run.error is not None:
            return decision
        why = [make(f"{call.xr.prefix}.status.{key}", call.xr) for key in sorted(new_status)]
        kept, drafts, memories = dict(decision.kept), dict(decision.drafts), dict(decision.memories)
        for name in run.resources.keys() & {*changed, *dropped}:
            memory = stakes.memory(name)
            content = run.as_made(name, memory.digest)
            if name in dropped:
                state: Any = run.resources[name]._state
                kept[name] = Kept(state.ready, False, why, content)
            elif content is not None:
                drafts[name], memories[name] = draft_as_made(call, name, content, why), memory
        return decision._replace(kept=kept, drafts=drafts, memories=memories, runs=decision.runs + 1)
    finally:
        run.end()


def _decide(
    call: Call, stakes: Stakes, drafts: dict[str, Draft], elsewhere: Collection[str], error: BaseException | None
) -> Decision:
    removes = call.function.allow_removal_when_unresolved
    all_guesses = bool(call.guesses) and (bool(stakes.born) or (not removes and _has_places_without_memory(call)))
    matters = stakes.names or all_guesses or stakes.reaches_others or error is not None
    nothing_to_show = not (matters or _may_change_texts(call, stakes))
    sealed = {} if nothing_to_show else _sealed_by_first(call, stakes, error)
    if sealed is not None:
        sent = {**drafts, **sealed}
        hides = stakes.reaches_others
        return Decision(
            sent,
            stakes.remembered(sent, sealed, {}, stakes.at_rest, _owners_of(stakes.missing) if hides else ()),
            stakes.missing,
            call.removed,
            births=stakes.earlier_births(drafts),
            context=[ANY_KEY] if hides else (),
            guessed_status=sorted(_own_status(call)) if hides and call.composite is not None else (),
            lost=_paths(stakes.lost_for_any(sealed)),
        )
    runs = Runs(call, error, stakes, all_guesses)
    try:
        if runs.fails:
            return Decision(drafts, {}, stakes.missing, call.removed, fails=True, runs=runs.count)
        return _Conclusions(call, stakes, runs, elsewhere).decision(drafts)
    finally:
        runs.end()


def _may_change_texts(call: Call, stakes: Stakes) -> bool:
    """Say whether texts with placeholders may decide something that the answer changes.

    They can't where nothing is new, nothing that exists changes, nobody is told anything, and each text is in a
    resource as it was made.
    """
    if not call.tokens:
        return False
    is_still = not (stakes.fresh or stakes.dropped or stakes.changed) and _tells_nothing(call, stakes)
    return not is_still or bool(stakes.unaccounted)


def _tells_nothing(call: Call, stakes: Stakes) -> bool:
    """Say whether the answer has texts, and changes something, in resources only."""
    if call.results.entries or call.conditions.entries or call.asked or call.told or call.output:
        return False
    return stakes.keeps_status and not _has_places_without_memory(call)


def _sealed_by_first(call: Call, stakes: Stakes, error: BaseException | None) -> dict[str, Draft] | None:
    """Return the changed resources as they were made, if the real run alone shows that nobody can see why they change.

    None if something else is new, dropped or told, or if this isn't so: then further runs decide.
    """
    is_asked = stakes.reaches_others and bool(stakes.guesses)
    is_more = error is not None or stakes.fresh or stakes.dropped or call.removed or is_asked
    if is_more or len(stakes.names) < len(stakes.changed) or not _tells_nothing(call, stakes):
        return None
    opaque = [*stakes.unaccounted, *(source for one in call.opaque.values() for source in sources(one))]
    owners = _owners_of(stakes.lost_for_any(stakes.names))
    drafts = {}
    for name in stakes.changed:
        memory = stakes.memory(name)
        if name in owners or all(map(memory.has, opaque)) or call.whose(name) == OTHERS:
            return None
        draft = with_live_values_of(call, name, stakes.draft(name), stakes.lost(name)[:_MOST_NAMED])
        if draft is None or draft.digest != memory.digest:
            return None
        drafts[name] = draft
    return drafts


def _own_status(call: Call) -> set[str]:
    """Return the fields of the composite's observed status that no previous step desires."""
    ways = (call.xr.raw, call.request.desired.composite.resource)
    live, before = (codec.get_path(one or b"", ("status",)) or () for one in ways)
    return {*live} - {*before, "conditions"}


def _has_places_without_memory(call: Call) -> bool:
    """Say whether guesses may decide the context, or the composite's connection details: these remember nothing."""
    has_details = call.composite is not None and (bool(call.xr.details) or call.composite._state.details is not None)  # type: ignore[union-attr]
    return has_details or (call.context is not None and bool(call.context.values_seen))


class _Conclusions:
    """The conclusions from the runs for one answer."""

    def __init__(self, call: Call, stakes: Stakes, runs: Runs, elsewhere: Collection[str]) -> None:
        self.call = call
        self.stakes = stakes
        self.runs = runs
        self.elsewhere = elsewhere
        self._why: dict[int, Values] = {}
        self._sealed: dict[tuple[frozenset[str], bool, str], bool] = {}
        self.texts: Values = sorted(
            {one.source_path: one for text in call.tokens.values() for one in sources(text)}.values(),
            key=lambda one: one.source_path,
        )
        self.unstable: dict[str, set[Place]] = {}
        self.unchanged = self._unchanged()
        if runs.needs_repeating(self.unchanged):
            names = [name for name in stakes.open if name not in self.unchanged]
            runs.repeat(names, self.unchanged)
            if runs.same is not None:
                self.unstable = {name: set(runs.places(runs.same, name)) for name in names}
        self.same_names = runs.strange_names(runs.same)
        self.late_names = runs.strange_names(runs.late) - self.same_names
        # Of a run that ended early nothing can be seen.
        ended_early = any(run.error is not None for run in runs.others)
        self.blind = runs.too_many or ended_early or bool(self.same_names | self.late_names)
        self.owners = _owners_of(stakes.lost_for_any(stakes.names) or stakes.missing)

    @functools.cached_property
    def opaque(self) -> Values:
        """The missing values whose effect can't be seen through."""
        found = (one for run in (self.runs.first, *self.runs.others) for one in (*run.opaque, *unseen_texts(run)))
        return [source for one in found for source in sources(one)]

    @functools.cached_property
    def hides_what_others_read(self) -> bool:
        """Whether a lost value may decide the status or the context in a way that can't be seen through."""
        if self.is_cut:
            return not (self.call.function.allow_removal_when_unresolved or self.call.in_operation)
        return self.stakes.reaches_others and not all(map(self.stakes.is_remembered, self.opaque))

    @functools.cached_property
    def is_cut(self) -> bool:
        """Whether compose() raised, and no run shows what it would have done then."""
        return self.runs.first.error is not None and all(run.error is not None for run in self.runs.others)

    def is_lost(self, name: str) -> bool:
        """Say whether an existing resource must not follow the code blindly."""
        return self.runs.first.error is not None or bool(self.stakes.lost(name))

    def is_sealed(self, name: str) -> bool:
        """Say whether nobody can see how lost values affect an existing resource."""
        if self.runs.first.error is not None:
            return True
        if not self.stakes.lost(name):
            return False
        memory = self.stakes.memory(name)
        # Code may also have looked into a text that is found, or at a value that was only read. To delete because of
        # that is worse than to change.
        dropped = name not in self.runs.first.resources and name not in self.call.removed
        owner = name if dropped and name in self.owners else ""
        key = memory.missing, dropped, owner
        if key not in self._sealed:
            values = [*self.opaque, *self.texts, *self.stakes.read] if dropped else self.opaque
            # That its own values are lost is no reason to keep an object that nobody wants.
            others = (one for one in values if not owner or _owners_of([one]) != {owner})
            self._sealed[key] = self.blind or any(not memory.has(one) for one in others)
        return self._sealed[key]

    def why(self, name: str) -> Values:
        """Return the values to name as the reason for what happens to a resource."""
        values = self.stakes.lost(name) or self.stakes.missing
        if id(values) not in self._why:
            lost = {one.source_path for one in values}
            asked = [one for one in self.stakes.guesses if one.source_path in lost]
            # A few are enough for people; each resource that waits for each value would make the answer too large.
            named = asked or [one for one in self.texts if one.source_path in lost] or values
            self._why[id(values)] = named[:_MOST_NAMED]
        return self._why[id(values)]

    def decision(self, real: dict[str, Draft]) -> Decision:
        call, runs = self.call, self.runs
        first, error = runs.first, runs.first.error
        removed = runs.removed_by_all(call.removed)
        removes = call.function.allow_removal_when_unresolved
        kept: dict[str, Kept] = {}
        if not removes:
            removed = {name for name in removed if name in self.owners or not self.is_sealed(name)}
            kept = self.kept(removed)
        drafts = dict(real)
        protected: set[str] = set()
        births: dict[str, Birth] = {}
        # A previous step keeps something because of a value that is asked here, too.
        told = [one for one in call.from_others("lost") if type(one) is str]
        stays = bool(kept) or not set(call.guesses).isdisjoint(told)
        for name in first.resources:
            if name in self.unchanged:
                drafts[name] = self.unchanged[name]
                protected.add(name)
                continue
            texts = self.unclear(name)
            places = self.decided(name, texts)
            if name not in call.observed:
                if texts:
                    drafts[name] = self.doubtful(name, texts, [])
                elif name in self.stakes.born and (places or not runs.in_all(name)):
                    fields = [show_path(list(one.steps)) for one in places] if runs.in_all(name) else []
                    births[name] = Birth(tuple(sorted(fields)), self.stakes.guesses[:_MOST_NAMED])
                continue
            if texts or places:
                drafts[name] = self.doubtful(name, texts, places)
                protected.add(name)
            if name in self.stakes.changed and self.is_frozen(name):
                drafts[name], is_other = self.frozen(name, drafts[name])
                stays = stays or is_other
                protected.add(name)
        held: set[str] = set()
        if stays:
            sealed = any(self.is_sealed(name) for name in self.stakes.names)
            # A new resource of one branch must not exist beside the kept resources of the other branch.
            makers = _owners_of(self.stakes.missing)
            held = {n for n in self.stakes.born if not runs.in_all(n) or (sealed and n not in makers)}
        if error is not None:
            # compose() ended before it had set all fields of these. The missing values' own resources must go on.
            held |= ({*self.stakes.born} if self.is_cut else births.keys()) - self.owners
            held |= {name for run in runs.others for name in run.resources} - drafts.keys() - call.observed.keys()
        unknown = {n for n in self.same_names | self.late_names if n in first.resources and n not in call.observed}
        for name in sorted(held - unknown):
            draft = Draft(None, list(map(Wait, self.why(name if name in call.observed else ""))))
            if name in drafts:
                draft.waits, draft.gated = [*drafts[name].waits, *draft.waits], drafts[name].gated
            drafts[name] = draft
        births = {name: birth for name, birth in births.items() if name not in held and name not in unknown}
        complete = [run for run in runs.others if run.error is None]
        details = {key for run in complete for key in differing_details(first, run) if not removes}
        shown = complete if runs.late is None else [*complete, runs.late]
        context = {key for run in shown for key in differing_context(first, run)}
        if self.hides_what_others_read:
            context |= {ANY_KEY, *changed_context(first)}
            details |= details_of(call).keys()
        unsure = set(differing_status(first, runs.same)) if runs.same is not None else set()
        guessed_status = self.guessed_status(complete, unsure)
        rests = not (error or self.blind or details & {*call.xr.details}) and self.stakes.at_rest
        # The owners of such values don't forget that these were there.
        spared = self.owners | _owners_of(self.stakes.missing) if guessed_status or context else ()
        remembered = self.stakes.remembered(drafts, protected, births, rests, spared)
        late = runs.late
        status = [] if late is None else [one for one in differing_status(first, late, forms=True) if one not in unsure]
        return Decision(
            drafts,
            remembered,
            self.stakes.missing,
            removed,
            kept,
            unknown,
            {**births, **self.stakes.earlier_births(drafts)},
            # Without the name, which would make the text new each time.
            [
                *(["the name of a resource"] if self.same_names else []),
                *(
                    f"{name}.{show_path(list(one.steps))}"
                    for name in sorted(self.unstable)
                    for one in sorted(self.unstable[name], key=str)
                ),
            ],
            self.texts if self.late_names else (),
            [(status, self.texts)] if status else (),
            set() if late is None else differing_details(first, late),
            details,
            context,
            guessed_status,
            _paths(self.stakes.lost_for_any([*kept, *protected])),
            {} if late is None else differing_texts(first, late),
            runs=runs.count,
        )

    def guessed_status(self, complete: Sequence[Run], unsure: Collection[Place]) -> list[str]:
        """Return the fields of the composite's status that a lost value decides, for later steps."""
        runs = (self.runs.first, *self.runs.others)
        is_used = self.is_cut or any(run.call.composite is not None for run in runs)
        may_hang = self.stakes.reaches_others or self.hides_what_others_read
        if not (is_used and may_hang and "status" in self.call.xr.fields):
            return []
        found = _own_status(self.call) if self.hides_what_others_read else set()
        for place in {one for run in complete for one in differing_status(self.runs.first, run)}.difference(unsure):
            way = [step for step in place.steps[:2] if type(step) is str]
            there = self.stakes.own_memories if place.added else codec.get_path(self.call.xr.raw or b"", way)
            if len(way) == 2 and there not in (None, []):
                found.add(way[1])
        return sorted(found)

    def _unchanged(self) -> dict[str, Draft]:
        """Return the changed resources that stay as they were made, because of what further runs have shown.

        It doesn't matter whether these runs differ because of a missing value, or because compose() isn't
        deterministic.
        """
        found = {}
        for name in self.stakes.changed:
            content = self.runs.reproduced.get(name)
            if content is not None:
                found[name] = draft_as_made(self.call, name, content, self.why(name))
                continue
            texts = self.unclear(name)
            places = self.decided(name, texts)
            if texts or places:
                draft = self.doubtful(name, texts, places)
                if draft.content is not None and draft.digest == self.stakes.memory(name).digest:
                    found[name] = draft
        return found

    def doubtful(self, name: str, texts: list[Place], places: list[Place]) -> Draft:
        """Return a draft in which places are unresolved: those made from texts, and those that lost values decide."""
        groups: Unclear = [(texts, self.texts), (places, self.why(name) if places else ())]
        ways = [(one, values) for group, values in groups for one in group]
        draft = None
        if all(_is_plain(one) for one, _ in ways):
            found = [Found(list(one.steps), list(values), False) for one, values in ways]
            draft = doubted(self.call, name, self.stakes.draft(name), found)
        return draft_one(self.call, name, self.elsewhere, groups) if draft is None else draft

    def unclear(self, name: str) -> list[Place]:
        """Return the places of a registered resource that depend on the text of a placeholder."""
        if self.runs.late is None:
            return []
        unstable = self.unstable.get(name, ())
        return [one for one in self.runs.places(self.runs.late, name) if one not in unstable]

    def decided(self, name: str, texts: Sequence[Place]) -> list[Place]:
        """Return the places of a registered resource that depend on a guess; for an existing one, on a lost value."""
        observed = self.call.observed.get(name)
        if observed is not None and not (name in self.stakes.changed and self.stakes.lost(name)):
            return []
        known = {one.steps for one in (*texts, *self.unstable.get(name, ()))}
        places = dict.fromkeys(
            one for run in self.runs.others for one in self.runs.places(run, name) if one.steps not in known
        )
        if observed is None:
            return list(places)
        # A key that is made from a missing value counts in any case: nobody knows which live key that was.
        return [one for one in places if not one.added or one.is_key or is_owned(observed.resource, one.steps)]

    def is_frozen(self, name: str) -> bool:
        """Say whether no live value of a registered resource may change."""
        if not self.is_lost(name) or self.call.function.allow_removal_when_unresolved:
            return False
        if any(run.error is None and name not in run.resources for run in self.runs.others):
            return True  # a guess decided whether it is registered at all
        return self.is_sealed(name) and name not in self.owners and self.call.whose(name) != OTHERS

    def frozen(self, name: str, draft: Draft) -> tuple[Draft, bool]:
        """Return a draft with the live values of a resource, and whether these are others than the draft's."""
        observed = self.call.observed[name].resource
        if draft.content is None or self.stakes.memory(name).digest == draft.digest:
            return draft, False
        content = with_live_values(marked(draft.content, self.call.mark, ""), observed)
        if digest_of(content) == draft.digest:
            return draft, False
        return Draft(content, [*draft.waits, *map(Wait, self.why(name))], draft.found), True

    def kept(self, removed: Collection[str]) -> dict[str, Kept]:
        """Return the existing resources that the real run doesn't register, and that stay."""
        call = self.call
        kept: dict[str, Kept] = {}
        registered: dict[str, Any] = {}
        for run in self.runs.all():
            for name, model in run.resources.items():
                registered.setdefault(name, model._state)
        for name in sorted(call.observed):
            if name in self.runs.first.resources or not self.is_lost(name):
                continue
            if name in removed:
                continue
            state = call.whose(name)
            if name in call.desired and name not in call.removed and state != OURS:
                continue  # it belongs to a previous step
            if name in registered and state in (OURS, OUR_NAME, NO_MARK):
                policy = registered[name].on_unresolved
                if policy != "hold":
                    content = self.runs.reproduced.get(name)
                    kept[name] = Kept(registered[name].ready, policy == "fatal", self.why(name), content)
            elif state == OURS and self.is_sealed(name):
                if edge_of(name, call.observed[name].resource) is None:  # Usages come and go by rules of their own
                    kept[name] = Kept(None, False, self.why(name))
        return kept


def _is_plain(place: Place) -> bool:
    """Say whether a place is a field outside of lists."""
    is_field = not place.is_key and int not in map(type, place.steps)
    return is_field and place.steps[:1] not in ((), ("apiVersion",), ("kind",))


def _paths(values: Values) -> list[str]:
    return sorted({one.source_path for one in values})


def _owners_of(values: Values) -> set[str]:
    return {root.name for one in values if (root := root_of(one)) is not None and root.kind == "resource"}

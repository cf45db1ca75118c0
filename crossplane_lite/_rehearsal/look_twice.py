"""The parts of an answer that depend on missing values: runs of compose() with other answers show them.

Plain Python hides dependencies: `if`, loops, `or`, hashes and slices turn an unresolved value into a plain one. So
compose() runs again on the same request, before the answer is made, if it used such a value as a plain one or put its
placeholder into a text. Nothing runs again if everything is resolved. The runs:

======  ===========================================================================================================
A       The real run. Every question is answered with no: empty, unequal, False.
B       Other placeholders, and every question is answered with yes: true, equal, numbers 13, lengths 3, conditions
        True. If B gives the composite another status, it runs once more with that status.
made up The texts of missing values are made up. These two runs are made if B raises the same exception as A, and text
        has a placeholder.
before  The missing values are the ones that existing objects were made from. It runs if the answer would delete or
        change an existing resource and no other run shows why: the reason may be code that looks into a text.
others  Some questions are answered the other way. They run while the answer would delete or change an existing
        resource and no run shows why.
A'      As A with other placeholders. It runs if B or one of the others differs from A, and a text has a placeholder.
        If no question was asked, B serves as A'.
C       As A in everything. It runs if B or one of the others differs from A.
======  ===========================================================================================================

The conclusions:

- A and B raise the same exception at the same place, and so do the runs with made-up texts: no missing value is the
  cause, so the answer is Fatal.
- A and C differ: compose() isn't deterministic. The answer is that of A, and says so.
- A and A' differ: a text was cut, hashed or ordered. The place counts as unresolved, like a direct reference.
- A and another run differ: a guess decided the place. A new resource is as in A; in an existing one the place keeps its
  observed value.
- An existing resource of this step that A doesn't register, but another run does, is kept.
- If the effect of a missing value can't be found out (a hash of an Observable, `isinstance`, a text that is found
  nowhere, an exception, too many runs), all existing resources of this step are kept as they are, except the resources
  that the missing values belong to.

With `allow_removal_when_unresolved`, `before` and the others don't run, and only the first two conclusions are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .._call.mark import NO_MARK, OTHERS, OUR_NAME, OURS
from .._models.walker import show_path, unresolved_in
from .._observed.observable import Observable
from .._observed.tokens import EARLY, LATE
from .._observed.uses import is_settled, root_of
from .both_ways import BothWays
from .comparing import (
    comparable_context,
    comparable_detail,
    composite_tree,
    differ,
    differing_details,
    differing_places,
    differing_status,
    differing_texts,
)
from .differences import Difference
from .look import Kept, Look
from .run import MOST_RUNS, Run, tree_or_none
from .runs import Runs
from .usages import edge_of

if TYPE_CHECKING:
    from .._call.call import Call

__all__ = ["look_twice", "needs_a_look"]


def needs_a_look(call: Call) -> bool:
    """Say whether compose() must run again, because its results may depend on missing values without showing that.

    True if compose() used a missing value as a plain one or put it into a text. Also true if compose() read a missing
    value and didn't register an existing resource of this step: `value is True` or `type(value) is str` may be the
    reason, and an Observable notices neither. With `allow_removal_when_unresolved` this last case doesn't count.

    Raises:
        WireError: The bytes of an observed resource are malformed.
    """
    if call.has_guessed:
        return True
    if not call.handed_out or call.function.allow_removal_when_unresolved:
        return False
    return any(
        name not in call.resources
        and name not in call.desired
        and name not in call.removed
        and call.whose(name) == OURS
        for name in call.observed
    )


def look_twice(call: Call, error: BaseException | None) -> Look:
    """Run compose() again, and find the parts of the answer that depend on missing values.

    This is called after compose() has returned, or raised `error`, and before the answer is made. Of the exceptions in
    these runs only KeyboardInterrupt is raised here. Raises WireError for malformed bytes of a resource.
    """
    runs = Runs(call, error)
    try:
        return _look(runs)
    finally:
        runs.end()


def _look(runs: Runs) -> Look:
    """Make the runs B, `before` and others, compare them with the run A, and return the findings."""
    call = runs.call
    look = runs.look
    look.removed = set(call.removed)
    second = runs.run(runs.answers(True), LATE)
    runs.others.append(second)
    if runs.fail_in_any_case():
        look.fails = True
        return look  # the answer is Fatal, so nothing else matters
    oracle = second.call.oracle
    assert isinstance(oracle, BothWays)
    asked = bool(call.guesses or oracle.branches)
    if runs.look.runs + runs.more < MOST_RUNS and differing_status(runs.first, second):
        runs.others.append(runs.with_status_of(second))
    if not asked:
        runs.more = 1  # nothing was asked, so B differs from A only in its placeholders: it serves as A'
    before = None if call.function.allow_removal_when_unresolved else runs.as_before()
    if before is not None:
        runs.others.append(before)
    if asked and not call.function.allow_removal_when_unresolved:
        runs.flip(oracle)
    # The run `before` doesn't count: it has values in the place of placeholders, so it always differs.
    differs = any(differ(runs.first, run) for run in runs.others if run is not before)
    if differs:
        _take_texts(runs, None if asked else second)
    if (asked and differs) or before is not None:
        if not call.function.allow_removal_when_unresolved:
            _take_decided(runs)
    if not call.function.allow_removal_when_unresolved:
        _take_lost(runs)
    look.encoded = runs.first.bytes
    look.trees = {name: tree for name, tree in runs.first.trees.items() if tree is not None}
    return look


def _take_texts(runs: Runs, late: Run | None = None) -> None:
    """Find the places that depend on the text of a placeholder, and the places that are different in each run.

    For this, compose() runs as C, and as A' if texts have placeholders. The findings are put into `runs.look`. `late`
    is the run A' if it was made already.
    """
    call = runs.call
    look = runs.look
    same = runs.run(None, EARLY)
    runs.again.append(same)
    unstable = {
        name: set(differing_places(runs.first, same, name)) for name in runs.first.resources if name in same.resources
    }
    strange = runs.first.resources.keys() ^ same.resources.keys()
    if same.error is None and runs.first.error is None and strange:
        look.unstable.append("the name of a resource")  # without the name, which would make the text new each time
        _hold_unknown(runs, strange)
    for name, others in sorted(unstable.items()):
        look.unstable += [f"{name}.{show_path(list(one.steps))}" for one in sorted(others, key=str)]
    if not call.tokens:
        return
    if late is None:
        late = runs.run(None, LATE)
        runs.again.append(late)
    for name in runs.first.resources:
        if name in late.resources:
            places = [
                one for one in differing_places(runs.first, late, name, forms=True) if one not in unstable.get(name, ())
            ]
            if places:
                look.unresolved[name] = places
    if late.error is None and runs.first.error is None:
        made = (runs.first.resources.keys() ^ late.resources.keys()) - strange
        _hold_unknown(runs, made)
        look.named_by = look.made_from if made else []
    unsure = set(differing_status(runs.first, same))
    look.status = [one for one in differing_status(runs.first, late, forms=True) if one not in unsure]
    look.details = differing_details(runs.first, late)
    look.texts = differing_texts(runs.first, late)


def _hold_unknown(runs: Runs, names: Iterable[str]) -> None:
    """Find the new resources among `names`, the names that differ between runs: these resources must not be created.

    If there are any names, `_take_lost` keeps all existing resources of this step, because one may have such a name.
    """
    for name in names:
        runs.call.counted.setdefault("(a name)", Observable("(a name)"))
        if name in runs.first.resources and name not in runs.call.observed:
            runs.look.unknown.add(name)


def _take_decided(runs: Runs) -> None:
    """Find the places, and the keys of the context and of connection details, that depend on a guess.

    Also find the existing resources that the real run registers and another run doesn't: these must not change.
    """
    look = runs.look
    for name in runs.first.resources:
        known = {one.steps for one in look.unresolved.get(name, ())}
        guessed: dict[Difference, None] = {}
        for run in runs.others:
            if name in run.resources:
                guessed.update((one, None) for one in differing_places(runs.first, run, name) if one.steps not in known)
            elif run.error is None and name in runs.call.observed:
                look.frozen.add(name)  # a guess decided whether it is registered at all
        if guessed:
            look.decided[name] = list(guessed)
    ours = comparable_context(runs.call)
    for run in runs.others:
        theirs = comparable_context(run.call)
        look.context |= {key for key, value in ours.items() if run.error is None and theirs.get(key) != value}
        if run.error is None:
            look.guessed_details |= differing_details(runs.first, run) | differing_details(run, runs.first)


def _take_lost(runs: Runs) -> None:
    """Find the existing resources that must stay or must not change, and the new resources that must not be created."""
    call, look = runs.call, runs.look
    for run in (*runs.others, *runs.again):
        if run.error is None:
            look.removed &= run.call.removed
    registered: dict[str, Any] = {}
    for run in (*runs.others, *runs.again):
        for name, model in run.resources.items():
            registered.setdefault(name, model)
    sealed = (
        bool(call.opaque)
        or any(run.opaque for run in runs.others)
        or runs.first.error is not None
        or any(run.error is not None for run in runs.others)  # what such a run would have done next isn't known
        or runs.too_many
        or _has_lost_text(runs)
    )
    if not sealed and runs.missing():
        _take_dropped(runs)
    counted = bool(call.counted) or any(run.counted for run in runs.others)
    none_goes = sealed or counted
    owners = {root.name for one in call.guesses.values() if (root := root_of(one)) is not None}
    for name in sorted(call.observed):
        if name in runs.first.resources or name in look.removed:
            continue
        state = runs.state(name)
        if name in call.desired and name not in call.removed and state != OURS:
            continue  # it belongs to a previous step
        registered_as = None if name not in registered else registered[name]._state
        if registered_as is not None and state in (OURS, OUR_NAME, NO_MARK):
            policy = registered_as.on_unresolved
            if policy != "hold":
                look.kept[name] = Kept(registered_as.ready, policy == "fatal")
        elif state == OURS and none_goes and not (sealed and not counted and name in owners):
            if edge_of(name, call.observed[name].resource) is None:  # Usages come and go by rules of their own
                look.kept[name] = Kept()
    if sealed:
        look.frozen |= {
            name
            for name in runs.first.resources
            if name in call.observed and name not in owners and runs.state(name) != OTHERS
        }
    if look.kept:
        # A new resource of one branch must not exist beside the kept resources of the other branch.
        look.held |= {
            name
            for name in runs.first.resources
            if name not in call.observed and any(name not in run.resources for run in runs.others)
        }
    look.held -= look.unknown
    if runs.first.error is not None:
        look.held |= {name for name in registered if name not in runs.first.resources and name not in call.observed}
        # compose() ended before it had set all fields of these. The missing values' own resources must go on.
        look.held |= look.decided.keys() - call.observed.keys() - owners - look.unknown


def _take_dropped(runs: Runs) -> None:
    """Find the missing values that compose() read and that aren't in the answer.

    Code such as `value is True` may have used them. So existing resources must be kept because of them.
    """
    call = runs.call
    trees = [runs.first.tree(name) for name in runs.first.resources] + [composite_tree(call)]
    found = [one for tree in trees if tree is not None for one in tree.found]
    used = {observable.source_path for one in found for observable in one.waits_for} | set(call.guesses)
    texts = {one.source_path for one in call.tokens.values()}
    if _is_explained(runs) and not _is_explained(runs, by_what_exists=True):
        used |= texts
    if call.context is not None:
        used |= {one.source_path for one in unresolved_in(dict(call.context.values_seen), call)} - texts
    if runs.known is not None:
        # Existing objects were made from these values, which can't be read back: their texts may decide more.
        used -= (texts & runs.known.untold) - runs.known.fresh
    for key, selector in call.asked or ():
        used |= {one.source_path for text in (key, *selector.texts()) for one in unresolved_in(text, call)}
    told = {one.source_path for one in runs.look.sources}
    for path, one in {one.source_path: one for one in call.handed_out}.items():  # a loop reads a value many times
        if is_settled(one) or path in call.answered or any(other.startswith(path) for other in used):
            continue
        call.counted.setdefault(path, one)
        if path not in told:
            runs.look.sources.append(one)


def _has_lost_text(runs: Runs) -> bool:
    """Say whether a text with a placeholder can't be found in the answer, and no other finding explains that."""
    call = runs.call
    if not call.tokens:
        return False
    for name in runs.unresolved():
        runs.first.tree(name)  # making the tree notes the placeholders in it as shown
    composite_tree(call)
    for message in (
        *(entry.message for entry in call.results.entries),
        *(entry.message for entry in call.conditions.entries.values()),
    ):
        call.readable(str(message))
    if call.context is not None:
        tree_or_none(dict(call.context.values_seen), call)
    if call.output is not None:
        tree_or_none(call.output, call)
    composite = call.composite
    if composite is not None and composite._state is not None and composite._state.details is not None:
        for value in composite._state.details.changes[0].values():
            comparable_detail(value, call)
    for key, selector in call.asked or ():
        for text in (key, *selector.texts()):
            call.tokens_in(text or "")
    lost = call.tokens.keys() - call.shown
    # If only one text isn't found, and a place depends on the placeholders' form, then the text went there.
    return len(lost) > (1 if _is_explained(runs) else 0)


def _is_explained(runs: Runs, *, by_what_exists: bool = False) -> bool:
    """Say whether the form of placeholders changes any place of the answer: then a text was cut or hashed there.

    Places in new resources don't count if `by_what_exists` is set.
    """
    look = runs.look
    places = any(name in runs.call.observed or not by_what_exists for name in look.unresolved)
    return bool(places or look.status or look.details or look.texts)

"""The parts of an answer that depend on missing values: runs of compose() with other answers show them.

Plain Python hides dependencies: `if`, loops, `or`, hashes and slices turn an unresolved value into a plain one. So
compose() runs again on the same request, before the answer is made, if it used such a value as a plain one or put its
placeholder into a text. Nothing runs again if everything is resolved. The runs:

======  ===========================================================================================================
A       The real run. Every question is answered with no: empty, unequal, False.
B       Other placeholders, and every question is answered with yes: true, equal, numbers 13, lengths 3, conditions
        True. If B gives the composite another status, it runs once more with that status.
before  The missing values are the ones that existing objects were made from. It runs if the answer would delete or
        change an existing resource and no other run shows why: the reason may be code that looks into a text.
others  Some questions are answered the other way. They run while the answer would delete or change an existing
        resource and no run shows why.
A'      As A with other placeholders. It runs if B or one of the others differs from A, and a text has a placeholder.
C       As A in everything. It runs if B or one of the others differs from A.
======  ===========================================================================================================

The conclusions:

- A and C differ: compose() isn't deterministic. The answer is that of A, and says so.
- A and A' differ: a text was cut, hashed or ordered. The place counts as unresolved, like a direct reference.
- A and another run differ: a guess decided the place. A new resource is as in A; in an existing one the place keeps its
  observed value.
- An existing resource of this step that A doesn't register, but another run does, is kept.
- If the effect of a missing value can't be found out (a hash of an Observable, `isinstance`, a text that is found
  nowhere, an exception, too many runs), all existing resources of this step are kept as they are, except the resources
  that the missing values belong to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._call.mark import NO_MARK, OTHERS, OUR_NAME, OURS, whose
from .._call.marking import marked_over
from .._models.fallback import fall_back
from .._models.walker import show_path, unresolved_in
from .._observed.observable import Observable
from .._observed.owned import changes
from .._observed.tokens import EARLY, LATE
from .._observed.tracker import Branch, Question
from .._observed.uses import is_settled, root_of
from ..errors import EncodeError
from ..proto import _view
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
    known_part,
)
from .differences import Difference
from .last_known import Known, last_known, request_with
from .look import Kept, Look
from .observed_values import Actual
from .rehearse import next_answers
from .run import MOST_RUNS, Run, tree_or_none
from .usages import edge_of

if TYPE_CHECKING:
    from .._call.call import Call

__all__ = ["look_twice", "needs_a_look"]

_NUMBER: Final = 13  # small, because a loop may run as often
_LENGTH: Final = 3
# With `usages=True` some of the runs must be left for finding dependencies.
_LEFT_FOR_USAGES: Final = 2


def needs_a_look(call: Call) -> bool:
    """Say whether compose() must run again, because its results may depend on missing values without showing that.

    True if compose() used a missing value as a plain one or put it into a text. Also true if compose() read a missing
    value and didn't register an existing resource of this step: `value is True` or `type(value) is str` may be the
    reason, and neither can be noticed. With `allow_removal_when_unresolved` this last case doesn't count.
    """
    if call.has_guessed:
        return True
    if not call.handed_out or call.function.allow_removal_when_unresolved:
        return False
    function = call.function
    return any(
        name not in call.resources
        and name not in call.desired
        and name not in call.removed
        and whose(call.observed[name].resource, call.step, function.name, function.formerly) == OURS
        for name in call.observed
    )


def look_twice(call: Call, error: BaseException | None) -> Look:
    """Run compose() again, and find the parts of the answer that depend on missing values.

    Args:
        call: The real call, after compose() has returned or raised, and before its answer is made.
        error: The exception that compose() raised; None if it returned.

    Returns:
        The findings.

    Raises:
        WireError: The bytes of a resource are malformed.
    """
    looking = _Looking(call, error)
    try:
        return looking.look()
    finally:
        looking.end()


class _Looking:
    """The runs for one answer, and their findings. The module's docstring has their names (A, B, ...)."""

    def __init__(self, call: Call, error: BaseException | None) -> None:
        self.call = call
        self.first = Run(call, error)
        self.others: list[Run] = []  # runs with other answers
        self.again: list[Run] = []  # runs with the same answers
        self.look_ = Look(call)
        self._budget = MOST_RUNS - (_LEFT_FOR_USAGES if call.function.usages else 0)
        self._actual = Actual(call)
        self._too_many = False
        self._more = 2 if call.tokens else 1  # the runs that come last: C, and A' if there are placeholders in texts
        self._states: dict[str, str] = {}
        self._known: Known | None = None
        self._open: dict[str, None] | None = None

    def end(self) -> None:
        """Free the objects that the runs have made."""
        for run in (*self.others, *self.again):
            run.end()

    def look(self) -> Look:
        call = self.call
        look = self.look_
        look.removed = set(call.removed)
        second = self._run(self._answers(True), LATE)
        self.others.append(second)
        oracle = second.call.oracle
        assert isinstance(oracle, BothWays)
        asked = bool(call.guesses or oracle.branches)
        if differing_status(self.first, second):
            self.others.append(self._with_status_of(second))
        if not asked:
            self._more = 1  # nothing was asked, so B differs from A only in its placeholders: it serves as A'
        before = None if call.function.allow_removal_when_unresolved else self._as_before()
        if before is not None:
            self.others.append(before)
        if asked and not call.function.allow_removal_when_unresolved:
            self._flip(oracle)
        # The run `before` doesn't count: it has values in the place of placeholders, so it always differs.
        differs = any(differ(self.first, run) for run in self.others if run is not before)
        if differs:
            self._take_texts(None if asked else second)
        if (asked and differs) or before is not None:
            if not call.function.allow_removal_when_unresolved:
                self._take_decided()
        if not call.function.allow_removal_when_unresolved:
            self._take_lost()
        look.encoded = self.first.bytes
        look.trees = {name: tree for name, tree in self.first.trees.items() if tree is not None}
        return look

    # The runs.

    def _run(self, oracle: BothWays | None, form: int) -> Run:
        self.look_.runs += 1
        return Run.again(self.call, self.call.request, self.call.data, oracle=oracle, form=form)

    def _with_status_of(self, run: Run) -> Run:
        """Run compose() once more, as if the composite had the status that another run gives it.

        If a guess decides the status, the status is a plain value in the next call. Values that are made from the
        status would change then, and this run shows which values.
        """
        self.look_.runs += 1
        tree = composite_tree(run.call)
        status = {} if tree is None else known_part(tree.data.get("status"), run.call)
        request = _view.RunFunctionRequest.FromString(self.call.data)
        composite = request.observed.composite
        composite.resource = _wire.encode_over({"status": status}, composite.resource)
        return Run.again(self.call, request, self.call.data, oracle=self._answers(True), form=LATE)

    def _as_before(self) -> Run | None:
        """Run compose() once more, as if the missing values were the ones that existing objects were made from.

        Code that looks into a text (`startswith`, a regular expression), `is` and `type` can't be noticed. So this run
        is made if the answer would delete an existing resource, or change one after a text was made, and no other run
        has shown why.

        Returns:
            The run; None if it isn't needed or possible, or ended with an exception.
        """
        call = self.call
        lost = self._loses_any()
        if not lost and not call.tokens:
            return None
        first = self.first
        names = self._unresolved()
        live = {name: call.observed[name].resource for name in names if name in call.observed}
        given = [(first.tree(name), live.get(name)) for name in names]
        known = last_known(call, [*given, (composite_tree(call), call.xr.raw)])
        # `_changes_any` comes last, because it may look at every existing resource.
        if not lost and not ((known.values or known.untold) and self._changes_any()):
            return None
        self._known = known
        request = request_with(call, known, first) if known.values else None
        # To lose a resource is worse than to show an incomplete graph of dependencies: so it may use the last runs.
        left = MOST_RUNS if lost else MOST_RUNS - _LEFT_FOR_USAGES
        if request is not None and self.look_.runs + self._more < left:
            self.look_.runs += 1
            run = Run.again(call, request, request.SerializeToString(), oracle=self._answers(True), form=LATE)
            if run.error is None:
                return run
            run.end()  # the run isn't as the former one was, so it shows nothing about the existing objects
        known.untold |= known.values.keys()
        return None

    def _loses_any(self) -> bool:
        """Say whether an existing resource of this step would be deleted, and no other run registers it either."""
        return any(all(name not in run.resources for run in self.others) for name in self._missing())

    def _changes_any(self) -> bool:
        """Say whether the real run changes an existing resource of this step."""
        names = self._unresolved()  # these come first: they are more likely to change
        for name in (*names, *(self.first.resources.keys() - names)):
            if name in self.call.observed and self._state(name) == OURS:
                encoded = self.first.encoded(name)
                if self._changes(name) if encoded is None else changes(encoded, self.call.observed[name].resource):
                    return True
        return False

    def _answers(self, default: bool) -> BothWays:
        return BothWays(self._actual, default, {}, number=_NUMBER, length=_LENGTH, required=True)

    def _flip(self, second: BothWays) -> None:
        """Run compose() with other answers, until the runs show why the real run would delete or change resources.

        The runs also stop when every question has had both answers, or when the largest number of runs is reached.

        Args:
            second: The oracle of the second run (B).
        """
        first = self._answers(False)
        first.branches = set(self.call.branches)
        first.answers = {question: False for question, _, _ in first.branches}
        ran = [first, second]
        seen: set[Branch] = first.branches | second.branches
        tried: set[tuple[int, frozenset[Question]]] = set()
        while (oracle := next_answers(ran, seen, tried)) is not None and self._at_stake():
            if self.look_.runs + self._more >= self._budget:
                self._too_many = True
                return
            self.others.append(self._run(oracle, LATE))
            seen |= oracle.branches
            ran.append(oracle)

    def _at_stake(self) -> bool:
        """Say whether the real run would delete or change an existing resource, and no other run has shown why."""
        if self._loses_any():
            return True
        for name in self.first.resources:
            if name in self.call.observed and self._state(name) == OURS and self._changes(name):
                return True
        return False

    def _changes(self, name: str) -> bool:
        """Say whether the real run changes the existing resource `name`, and no other run desires it differently."""
        for run in self.others:
            if run.error is None if name not in run.resources else differing_places(self.first, run, name):
                return False
        model = self.first.resources[name]
        tree = tree_or_none(model, self.call)  # a new tree, because fall_back changes it
        if tree is None:
            return False
        raw = self.call.observed[name].resource
        fall_back(tree, _wire.decode_struct(raw))
        base = None if model._state is None else model._state.base
        try:
            encoded = _wire.encode_struct(tree.data) if base is None else _wire.encode_over(tree.data, base)
        except EncodeError:  # the answer reports it
            return False
        return changes(marked_over(encoded, self.call.mark), raw)

    # Findings.

    def _state(self, name: str) -> str:
        """Return the owner of the observed resource called `name`, as `whose` does."""
        if name not in self._states:
            function = self.call.function
            self._states[name] = whose(
                self.call.observed[name].resource, self.call.step, function.name, function.formerly
            )
        return self._states[name]

    def _unresolved(self) -> dict[str, None]:
        """Return the names of the real run's resources that can have an Observable or a placeholder in them.

        All other resources have the same bytes in the second run, although its placeholders differ. The names are the
        keys of the result, in the order of registration; all values are None.
        """
        if self._open is None:
            second = self.others[0]
            self._open = {
                name: None
                for name in self.first.resources
                if (encoded := self.first.encoded(name)) is None
                or name not in second.resources
                or second.encoded(name) != encoded
            }
        return self._open

    def _missing(self) -> list[str]:
        """Return the names of this step's existing resources that the real run would delete without `ctx.remove`."""
        call = self.call
        return [
            name
            for name in sorted(call.observed)
            if name not in self.first.resources
            and name not in self.look_.removed
            and not (name in call.desired and name not in call.removed)
            and self._state(name) == OURS
            and edge_of(name, call.observed[name].resource) is None  # Usages come and go by rules of their own
        ]

    def _take_texts(self, late: Run | None = None) -> None:
        """Find the places that depend on the text of a placeholder, and the places that are different in each run.

        Args:
            late: The run A' if it was made already; None to make it here, if texts have placeholders.
        """
        call = self.call
        look = self.look_
        same = self._run(None, EARLY)
        self.again.append(same)
        unstable = {
            name: set(differing_places(self.first, same, name))
            for name in self.first.resources
            if name in same.resources
        }
        strange = self.first.resources.keys() ^ same.resources.keys()
        if same.error is None and self.first.error is None and strange:
            look.unstable.append("the name of a resource")  # without the name, which would make the text new each time
            self._hold_unknown(strange)
        for name, others in sorted(unstable.items()):
            look.unstable += [f"{name}.{show_path(list(one.steps))}" for one in sorted(others, key=str)]
        if not call.tokens:
            return
        if late is None:
            late = self._run(None, LATE)
            self.again.append(late)
        for name in self.first.resources:
            if name in late.resources:
                places = [
                    one
                    for one in differing_places(self.first, late, name, forms=True)
                    if one not in unstable.get(name, ())
                ]
                if places:
                    look.unresolved[name] = places
        if late.error is None and self.first.error is None:
            made = (self.first.resources.keys() ^ late.resources.keys()) - strange
            self._hold_unknown(made)
            look.named_by = look.made_from if made else []
        unsure = set(differing_status(self.first, same))
        look.status = [one for one in differing_status(self.first, late, forms=True) if one not in unsure]
        look.details = differing_details(self.first, late)
        look.texts = differing_texts(self.first, late)

    def _hold_unknown(self, names: Iterable[str]) -> None:
        """Hold back the new resources among `names`, which differ between runs; and keep all existing resources."""
        for name in names:
            self.call.counted.setdefault("(a name)", Observable("(a name)"))
            if name in self.first.resources and name not in self.call.observed:
                self.look_.unknown.add(name)

    def _take_decided(self) -> None:
        """Find the places, and the keys of the context, that a guess decided."""
        look = self.look_
        for name in self.first.resources:
            known = {one.steps for one in look.unresolved.get(name, ())}
            guessed: dict[Difference, None] = {}
            for run in self.others:
                if name in run.resources:
                    guessed.update(
                        (one, None) for one in differing_places(self.first, run, name) if one.steps not in known
                    )
                elif run.error is None and name in self.call.observed:
                    look.frozen.add(name)  # a guess decided whether it is registered at all
            if guessed:
                look.decided[name] = list(guessed)
        ours = comparable_context(self.call)
        for run in self.others:
            theirs = comparable_context(run.call)
            look.context |= {key for key, value in ours.items() if run.error is None and theirs.get(key) != value}

    def _take_lost(self) -> None:
        """Find the existing resources that must be kept or must not change, and the new resources to hold back."""
        call, look = self.call, self.look_
        for run in (*self.others, *self.again):
            if run.error is None:
                look.removed &= run.call.removed
        registered: dict[str, Any] = {}
        for run in (*self.others, *self.again):
            for name, model in run.resources.items():
                registered.setdefault(name, model)
        sealed = (
            bool(call.opaque)
            or any(run.opaque for run in self.others)
            or self.first.error is not None
            or any(run.error is not None for run in self.others)  # what such a run would have done next isn't known
            or self._too_many
            or self._has_lost_text()
        )
        if not sealed and self._missing():
            self._take_dropped()
        counted = bool(call.counted) or any(run.counted for run in self.others)
        none_goes = sealed or counted
        owners = {root.name for one in call.guesses.values() if (root := root_of(one)) is not None}
        for name in sorted(call.observed):
            if name in self.first.resources or name in look.removed:
                continue
            state = self._state(name)
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
                for name in self.first.resources
                if name in call.observed and name not in owners and self._state(name) != OTHERS
            }
        if look.kept:
            # A new resource of one branch must not exist beside the kept resources of the other branch.
            look.held |= {
                name
                for name in self.first.resources
                if name not in call.observed and any(name not in run.resources for run in self.others)
            }
        look.held -= look.unknown
        if self.first.error is not None:
            look.held |= {name for name in registered if name not in self.first.resources and name not in call.observed}

    def _take_dropped(self) -> None:
        """Find the missing values that compose() read and that aren't in the answer.

        `value is True` may have used them, so existing resources must be kept because of them.
        """
        call = self.call
        trees = [self.first.tree(name) for name in self.first.resources] + [composite_tree(call)]
        found = [one for tree in trees if tree is not None for one in tree.found]
        used = {observable.source_path for one in found for observable in one.waits_for} | set(call.guesses)
        texts = {one.source_path for one in call.tokens.values()}
        if self._is_explained() and not self._explains_what_exists():
            used |= texts
        if call.context is not None:
            used |= {one.source_path for one in unresolved_in(dict(call.context.values_seen), call)} - texts
        if self._known is not None:
            # Existing objects were made from these values, which can't be read back: their texts may decide more.
            used -= (texts & self._known.untold) - self._known.fresh
        for key, selector in call.asked or ():
            used |= {one.source_path for text in (key, *selector.texts()) for one in unresolved_in(text, call)}
        for one in call.handed_out:
            path = one.source_path
            if is_settled(one) or path in call.answered:
                continue
            if not any(other.startswith(path) for other in used):
                call.counted.setdefault(path, one)
                self.look_.sources.append(one)

    def _has_lost_text(self) -> bool:
        """Say whether a text with a placeholder is missing in the answer, and no other finding explains that."""
        call = self.call
        if not call.tokens:
            return False
        for name in self._unresolved():
            self.first.tree(name)  # making the tree notes the placeholders in it as shown
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
        return len(lost) > (1 if self._is_explained() else 0)

    def _explains_what_exists(self) -> bool:
        """Say whether the form of placeholders changes an existing resource, the composite or a message."""
        look = self.look_
        exists = any(name in self.call.observed for name in look.unresolved)
        return bool(exists or look.status or look.details or look.texts)

    def _is_explained(self) -> bool:
        """Say whether the form of placeholders changes a place of the answer: then a text was cut or hashed there."""
        look = self.look_
        return bool(look.unresolved or look.status or look.details or look.texts)

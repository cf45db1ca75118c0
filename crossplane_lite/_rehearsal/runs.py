"""The runs of compose() for one answer: which of them are made, with which answers to questions.

A question comes up where compose() uses a missing value as a plain one, as in `if value`. The module `look_twice` has
the names of the runs (A, B, ...), and what follows from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._call.error_text import named
from .._call.mark import OURS
from .._call.marking import marked_over
from .._models.fallback import fall_back, part_for
from .._observed.owned import changes
from .._observed.tokens import LATE
from .._observed.tracker import Branch, Question
from .._observed.uses import root_of
from ..errors import EncodeError, UnresolvedError
from ..proto import _view
from .both_ways import BothWays
from .comparing import (
    composite_tree,
    differing_places,
    known_part,
)
from .last_known import Known, last_known, request_with
from .look import Look
from .observed_values import Actual
from .rehearse import next_answers
from .run import MOST_RUNS, Run, tree_or_none
from .usages import edge_of

if TYPE_CHECKING:
    from .._call.call import Call

__all__ = ["Runs"]

_NUMBER: Final = 13  # small, because a loop may run as often
_LENGTH: Final = 3
# Made-up texts: one that is a number, and one that has parts and the name of its resource, as many ids have.
_TEXTS: Final = ("13", "{}-13/13")
# With `usages=True` some of the runs must be left for finding dependencies.
_LEFT_FOR_USAGES: Final = 2


class Runs:
    """The runs of compose() for one answer. The methods make more runs, and compare the runs.

    Attributes:
        call: The real call, after compose() has returned or raised.
        first: The real run (A).
        others: The runs with other answers than the real one.
        again: The runs with the same answers (C and A').
        look: The findings. Only its number of runs and the removed names are used here.
        known: The values that existing objects were made from; None while `as_before` hasn't needed them.
        too_many: Whether not all answers could be tried, because the number of runs is limited.
        more: The number of runs to reserve for the end: C, and A' if there are placeholders in texts.
    """

    def __init__(self, call: Call, error: BaseException | None) -> None:
        self.call = call
        self.first = Run(call, error)
        self.others: list[Run] = []
        self.again: list[Run] = []
        self.look = Look(call)
        self._budget = MOST_RUNS - (_LEFT_FOR_USAGES if call.function.usages else 0)
        self._actual = Actual(call)
        self.too_many = False
        self.more = 2 if call.tokens else 1
        self._states: dict[str, str] = {}
        self.known: Known | None = None
        self._open: dict[str, None] | None = None

    def end(self) -> None:
        """Free the objects that the runs have made. The real run isn't ended."""
        for run in (*self.others, *self.again):
            run.end()

    def run(self, oracle: BothWays | None, form: int, request: Any = None, data: bytes | None = None) -> Run:
        """Run compose() once more, and return the run.

        The `oracle` answers the run's questions; None answers as the real run. `form` is that of the placeholders,
        `EARLY` or `LATE`. The default of `request` and `data` (for `ctx.request`) is the real call's.
        """
        self.look.runs += 1
        call = self.call
        given = call.request if request is None else request
        return Run.again(call, given, call.data if data is None else data, oracle=oracle, form=form)

    def fail_in_any_case(self) -> bool:
        """Say whether compose() raises the same exception at the same place, whatever the missing values are.

        For this, compose() runs with made-up texts if text has placeholders. False if the content of a missing map or
        list was used, or a value in a way whose effect no run can show.
        """
        call, error = self.call, self.first.error
        if error is None or isinstance(error, UnresolvedError) or call.opaque or call.counted:
            return False
        home = call.function.file
        other = self.others[0].error
        if other is None or named(other, home) != named(error, home):
            return False
        for text in _TEXTS if call.tokens else ():
            known = Known()
            for one in call.tokens.values():
                root = root_of(one)
                known.note(one, text.format("" if root is None else root.name))
            run = self._run_with(known)
            if run is None:
                return False
            # A placeholder in this run is one of a value that has no place in a request, so that it isn't made up.
            differs = run.error is None or run.call.tokens or named(run.error, home) != named(error, home)
            run.end()
            if differs:
                return False
        return True

    def _run_with(self, known: Known) -> Run | None:
        """Run compose() with known values in its request; None if the request has no place for any of them."""
        request = request_with(self.call, known, self.first)
        return None if request is None else self.run(self.answers(True), LATE, request, request.SerializeToString())

    def with_status_of(self, run: Run) -> Run:
        """Run compose() once more, as if the composite had the status that `run` gives it, and return the new run.

        If a guess decides the status, the status is a plain value in the next call. Values that are made from the
        status would change then, and this run shows which values.
        """
        tree = composite_tree(run.call)
        status = {} if tree is None else known_part(tree.data.get("status"), run.call)
        request = _view.RunFunctionRequest.FromString(self.call.data)
        composite = request.observed.composite
        composite.resource = _wire.encode_over({"status": status}, composite.resource)
        return self.run(self.answers(True), LATE, request)

    def as_before(self) -> Run | None:
        """Run compose() once more, as if the missing values were the ones that existing objects were made from.

        Code that looks into a text (`startswith`, a regular expression), `is` and `type` can't be noticed. So this run
        is made if the answer would delete an existing resource, or change one after a text was made, and no other run
        has shown why. Returns None if the run isn't needed or possible, or ended with an exception.
        """
        call = self.call
        lost = self._loses_any()
        if not lost and not call.tokens:
            return None
        first = self.first
        names = self.unresolved()
        live = {name: call.observed[name].resource for name in names if name in call.observed}
        given = [(first.tree(name), live.get(name)) for name in names]
        known = last_known(call, [*given, (composite_tree(call), call.xr.raw)])
        # `_changes_any` comes last, because it may look at every existing resource.
        if not lost and not ((known.values or known.untold) and self._changes_any()):
            return None
        self.known = known
        # To lose a resource is worse than to show an incomplete graph of dependencies: so it may use the last runs.
        left = MOST_RUNS if lost else MOST_RUNS - _LEFT_FOR_USAGES
        run = self._run_with(known) if known.values and self.look.runs + self.more < left else None
        if run is not None:
            if run.error is None:
                return run
            run.end()  # the run isn't as the former one was, so it shows nothing about the existing objects
        known.untold |= known.values.keys()
        return None

    def _loses_any(self) -> bool:
        """Say whether an existing resource of this step would be deleted, and no other run registers it either."""
        return any(all(name not in run.resources for run in self.others) for name in self.missing())

    def _changes_any(self) -> bool:
        """Say whether the real run changes an existing resource of this step.

        A resource with an unresolved value doesn't count if another run desires it differently (see `_changes`).
        """
        names = self.unresolved()  # these come first: they are more likely to change
        for name in (*names, *(self.first.resources.keys() - names)):
            if name in self.call.observed and self.state(name) == OURS:
                encoded = self.first.encoded(name)
                if self._changes(name) if encoded is None else changes(encoded, self.call.observed[name].resource):
                    return True
        return False

    def answers(self, default: bool) -> BothWays:
        """Return an oracle that gives the answer `default` to every question."""
        return BothWays(self._actual, default, {}, number=_NUMBER, length=_LENGTH, required=True)

    def flip(self, second: BothWays) -> None:
        """Run compose() with other answers, until the runs show why the real run would delete or change resources.

        The runs also stop when every question has had both answers, or when the largest number of runs is reached.

        Args:
            second: The oracle of the second run (B).
        """
        first = self.answers(False)
        first.branches = set(self.call.branches)
        first.answers = {question: False for question, _, _ in first.branches}
        ran = [first, second]
        seen: set[Branch] = first.branches | second.branches
        tried: set[tuple[int, frozenset[Question]]] = set()
        while (oracle := next_answers(ran, seen, tried)) is not None and self._at_stake():
            if self.look.runs + self.more >= self._budget:
                self.too_many = True
                return
            self.others.append(self.run(oracle, LATE))
            seen |= oracle.branches
            ran.append(oracle)

    def _at_stake(self) -> bool:
        """Say whether the real run would delete or change an existing resource, and no other run has shown why."""
        if self._loses_any():
            return True
        for name in self.first.resources:
            if name in self.call.observed and self.state(name) == OURS and self._changes(name):
                return True
        return False

    def _changes(self, name: str) -> bool:
        """Say whether the real run changes the existing resource `name`, and no other run desires it differently.

        False if a value of the resource can't be encoded.
        """
        for run in self.others:
            if run.error is None if name not in run.resources else differing_places(self.first, run, name):
                return False
        model = self.first.resources[name]
        tree = tree_or_none(model, self.call)  # a new tree, because fall_back changes it
        if tree is None:
            return False
        raw = self.call.observed[name].resource
        fall_back(tree, part_for(tree, raw))
        base = None if model._state is None else model._state.base
        try:
            encoded = _wire.encode_struct(tree.data) if base is None else _wire.encode_over(tree.data, base)
        except EncodeError:  # the answer reports it
            return False
        return changes(marked_over(encoded, self.call.mark), raw)

    def state(self, name: str) -> str:
        """Return whose the observed resource called `name` is: `OURS`, `OUR_NAME`, `OTHERS` or `NO_MARK`."""
        if name not in self._states:
            self._states[name] = self.call.whose(name)
        return self._states[name]

    def unresolved(self) -> dict[str, None]:
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

    def missing(self) -> list[str]:
        """Return the names of this step's existing resources that the real run would delete without `ctx.remove`."""
        call = self.call
        return [
            name
            for name in sorted(call.observed)
            if name not in self.first.resources
            and name not in self.look.removed
            and not (name in call.desired and name not in call.removed)
            and self.state(name) == OURS
            and edge_of(name, call.observed[name].resource) is None  # Usages come and go by rules of their own
        ]

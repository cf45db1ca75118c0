"""The runs of compose() for one answer: which of them are made, with which answers to questions.

A question comes up where compose() uses a missing value as a plain one, as in `if value`. The module `decide` has the
names of the runs (A, B, ...), and what follows from them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from ...errors import UnresolvedError
from .. import codec
from ..call.mark import plain_bytes
from ..call.texts import named
from ..observed.tokens import EARLY, LATE
from .both_ways import Actual, BothWays, next_answers
from .comparing import (
    composite_tree,
    differences,
    differing_context,
    differing_details,
    differing_places,
    differing_status,
    differing_texts,
    known_part,
)
from .run import MOST_RUNS, Run, with_status

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.mark import Content
    from ..observed.observable import Observable
    from ..observed.tracker import Branch, Question
    from ..resources.resource import Resource
    from .draft import Place
    from .stakes import Stakes

_NUMBER: Final = 13  # small, because a loop may run as often
_LENGTH: Final = 3
# Made-up texts: one that is a number, and one that has parts and the name of its resource, as many ids have.
_TEXTS: Final = ("13", "{}-13/13")
_NOT_COMPARED: Final = ("apiVersion", "kind", "metadata")
_MOST_REPEATED: Final = 1 << 15

# Python's hashes of contents that two runs of one call have made alike: C has nothing to show about these again.
_repeated: set[int] = set()
# With `usages=True` some of the runs must be left for finding dependencies.
_LEFT_FOR_USAGES: Final = 2


class Runs:
    """The runs of compose() for one answer, made when this object is.

    Attributes:
        first: The real run (A), after compose() has returned or raised.
        others: The runs with other answers than the real one: B, and those after it.
        late: The run with other placeholders and the same answers (A'); None if no text has a placeholder.
        same: The real run once more (C); None before `repeat`.
        count: The number of times that compose() has run.
        too_many: Whether not all answers could be tried, because the number of runs is limited.
        reproduced: The contents of the resources at stake that a run registers with the content that they remember.
        fails: Whether compose() raises the same exception at the same place, whatever the missing values are.

    Args:
        all_guesses: Whether the effect of all guesses is needed, and not only of those that are lost for a resource.
    """

    def __init__(self, call: Call, error: BaseException | None, stakes: Stakes, all_guesses: bool) -> None:
        self._call = call
        self._stakes = stakes
        self._actual = Actual(call)
        self._most = MOST_RUNS - (_LEFT_FOR_USAGES if call.function.usages else 0)
        self._memories = [*{stakes.memory(name).missing: stakes.memory(name) for name in stakes.names}.values()]
        self._all = all_guesses or error is not None
        self.first = Run(call, error, stakes.made)
        self.others: list[Run] = []
        self.late: Run | None = None
        self.same: Run | None = None
        self.count = 1
        self.too_many = False
        self.fails = False
        self.reproduced: dict[str, Content] = {}
        self._changed: dict[str, list[tuple[str | int, ...]]] = {}
        self._places: dict[tuple[int, str], list[Place]] = {}
        self._make()

    def all(self) -> list[Run]:
        """Return all runs but the real one."""
        return [*self.others, *(run for run in (self.late, self.same) if run is not None)]

    def end(self) -> None:
        """Free the objects that the runs have made. The real run isn't ended."""
        for run in self.all():
            run.end()

    def _make(self) -> None:
        call, first = self._call, self.first
        lost = {one.source_path for one in self._stakes.lost_for_any(self._stakes.names)}
        oracle = self._yes(self._all)
        asked = self._all or self._stakes.reaches_others or not lost.isdisjoint(call.guesses)
        if asked and (call.guesses or first.error is not None):
            second = self._run(oracle, LATE)
            self.others.append(second)
            self.fails = self._fails(second)
            if self.fails:
                return
            before = first
            # A status may decide another field of the status in the next call, and so on.
            while differing_status(before, self.others[-1]) and self.count + 2 < self._most:
                before = self.others[-1]
                self.others.append(self._with_status_of(before))
        if call.tokens:
            # If nothing was asked, B differs from A only in its placeholders.
            serves = bool(self.others) and not oracle.branches
            self.late = self.others.pop(0) if serves else self._run(None, LATE)
        if self.others and lost:
            self._flip(oracle)

    def repeat(self, names: Collection[str], unchanged: Collection[str]) -> None:
        """Make C, the real run once more, if this process hasn't seen yet that compose() makes `names` again.

        It counts in any case, so that the answer is the same in each process.
        """
        if not self.needs_repeating({*unchanged, *(name for name in names if self._is_known(name))}):
            self.count += 1
            return
        self.same = self._run(None, EARLY)
        if len(_repeated) > _MOST_REPEATED:
            _repeated.clear()
        for name in names:
            content = self.first.content(name)
            if content is not None and name in self.same.resources and self.same.content(name) == content:
                _repeated.add(hash(content))

    def _run(self, oracle: BothWays | None, form: int, *, request: Any = None, made_up: str = "") -> Run:
        self.count += 1
        call = self._call
        given = call.request if request is None else request
        return Run.again(call, given, call.data, oracle=oracle, form=form, made_up=made_up)

    def _yes(self, all_guesses: bool) -> BothWays:
        """Return an oracle that says yes to all questions, or to those about values that are lost for a resource."""

        memories, stakes = self._memories, self._stakes  # not `self`, which would make a circle

        def about(value: Observable[Any]) -> bool:
            is_lost = any(not memory.has(value) for memory in memories)
            return all_guesses or is_lost or (stakes.reaches_others and not stakes.is_remembered(value))

        return BothWays(self._actual, True, {}, number=_NUMBER, length=_LENGTH, about=about)

    def _fails(self, second: Run) -> bool:
        """Say whether compose() raises the same exception at the same place, whatever the missing values are.

        For this, compose() runs with made-up texts if text has placeholders. False if a value was used in a way whose
        effect no run can show.
        """
        error, home = self.first.error, self._call.function.file
        if error is None or second.error is None or isinstance(error, UnresolvedError) or self._call.opaque:
            return False
        text = named(error, home)
        if named(second.error, home) != text:
            return False
        for made_up in _TEXTS if self._call.tokens else ():
            run = self._run(self._yes(self._all), LATE, made_up=made_up)
            same = run.error is not None and named(run.error, home) == text
            run.end()
            if not same:
                return False
        return True

    def _with_status_of(self, run: Run) -> Run:
        """Run compose() once more, as if the composite had the status that `run` gives it.

        If a guess decides the status, the status is a plain value in the next call. Values that are made from it would
        change then, and this run shows which.
        """
        tree = composite_tree(run.call)
        status = {} if tree is None else known_part(tree.data.get("status"), run.call)
        return self._run(self._yes(self._all), LATE, request=with_status(self._call, status))

    def _flip(self, second: BothWays) -> None:
        """Run compose() with other answers, until the runs show why the real run drops or changes resources.

        The runs also stop when the largest number of runs is reached, and when no others promise more: every question
        has had both answers, values that weren't there before are missing in a run in which all lost values are there,
        and of the lost values each one was missing alone.
        """
        asked = {path for (path, _), _, _ in second.branches}
        first = second.otherwise(())
        first.branches = {one for one in self._call.branches if one[0][0] in asked}
        first.given = {question: False for question, _, _ in first.branches}
        ran = [first, second]
        seen: set[Branch] = first.branches | second.branches
        tried: set[tuple[int, frozenset[Question]]] = set()
        self._reproduce(self.others)
        further = self._further(second)
        while not self._is_explained():
            oracle = next_answers(ran, seen, tried)
            is_needed = oracle is not None
            oracle = oracle or next(further, None)
            if oracle is None:
                return
            if self.count + 1 >= self._most:  # one is left for C
                self.too_many = is_needed
                return
            self.others.append(self._run(oracle, LATE))
            self._reproduce(self.others[-1:])
            seen |= oracle.branches
            ran.append(oracle)

    def _further(self, second: BothWays) -> Iterator[BothWays]:
        guesses = [
            value for path, value in sorted(self._call.guesses.items()) if any(path == q for q, _ in second.given)
        ]
        if self._all and any(memory.has(value) for memory in self._memories for value in guesses):
            yield self._yes(False)
        # A comparison rather has another result than a question whether a value is there.
        questions = sorted(second.given, key=lambda one: (one[1] is None, one[0], str(one[1])))
        yield from (second.otherwise([one]) for one in (questions if len(questions) > 1 else ()))

    def _reproduce(self, runs: Iterable[Run]) -> None:
        """Note which resources at stake a run registers with the content that they remember.

        Such a run shows what the resource was made with, and that compose() makes it again from the same answers.
        """
        for run in runs:
            for name in self._stakes.names:
                models = [one.resources[name] for one in (run, self.first) if name in one.resources]
                if name in self.reproduced or name not in run.resources or not all(map(_is_kept, models)):
                    continue
                content = run.as_made(name, self._stakes.memory(name).digest)
                if content is not None:
                    self.reproduced[name] = content

    def _is_explained(self) -> bool:
        """Say whether other runs register each dropped resource at stake, and differ in each changed place."""
        for name in self._stakes.names:
            if name in self.reproduced:
                continue
            if not any(self.differs(name, run) for run in self.others):
                return False
            if name in self.first.resources and all(name in run.resources for run in self.others):
                shown = {place.steps for run in self.others for place in self.places(run, name)}
                if not all(any(one[: len(way)] == way for way in shown) for one in self._changed_places(name)):
                    return False
        return True

    def _changed_places(self, name: str) -> list[tuple[str | int, ...]]:
        """Return the places at which the real run changes the observed values of a resource."""
        if name not in self._changed:
            content, call = self._stakes.draft(name).content, self._call
            wanted = {} if content is None else codec.split(plain_bytes(content))
            live = codec.split(call.observed[name].resource)
            found = self._changed[name] = []
            for key in wanted:
                if key in live and wanted[key] != live[key] and key not in _NOT_COMPARED:
                    (kind, one), (other_kind, other) = codec.open_value(wanted[key]), codec.open_value(live[key])
                    if kind == other_kind == codec.STRUCT:
                        places = differences(one, other, call, call)
                        found += [(key, *place.steps) for place in places if not place.added]
                    else:
                        found.append((key,))
        return self._changed[name]

    def places(self, run: Run, name: str) -> list[Place]:
        """Return the places of a registered resource at which a run desires other values than the real run.

        The list is empty if the run doesn't register the resource, and for a new resource that waits in any case.
        """
        key = id(run), name
        if key not in self._places:
            matters = name in run.resources and name not in self._stakes.waiting
            self._places[key] = differing_places(self.first, run, name, forms=run is self.late) if matters else []
        return self._places[key]

    def needs_repeating(self, unchanged: Collection[str]) -> bool:
        """Say whether only C can tell why a run would give another answer than the real one.

        `unchanged` are the resources that stay as they were made, whatever the reason.
        """
        return any(self._differs(run, unchanged) for run in self.all())

    def _differs(self, run: Run, unchanged: Collection[str]) -> bool:
        first = self.first
        if first.error is not None or run.error is not None:
            return True
        names = run.resources.keys() ^ first.resources.keys()
        if not names <= self.reproduced.keys() or run.call.removed != first.call.removed:
            return True
        return bool(
            any(self.places(run, name) for name in self._stakes.open if name not in unchanged)
            or differing_status(first, run)
            or differing_context(first, run)
            or differing_details(first, run)
            or (first.call.tokens and differing_texts(first, run))
        )

    def _is_known(self, name: str) -> bool:
        """Say whether a previous call has shown that compose() makes a content again."""
        content = self.first.content(name)
        return content is not None and hash(content) in _repeated

    def differs(self, name: str, run: Run) -> bool:
        """Say whether a run registers a resource otherwise than the real run does."""
        if name not in self.first.resources or name not in run.resources:
            return (name in run.resources) != (name in self.first.resources) and (
                run.error is None or name in run.resources
            )
        return bool(self.places(run, name))

    def strange_names(self, run: Run | None) -> set[str]:
        """Return the names that only one of the real run and another one registers; none if one of them raised."""
        if run is None or run.error is not None or self.first.error is not None:
            return set()
        return self.first.resources.keys() ^ run.resources.keys()

    def in_all(self, name: str) -> bool:
        """Say whether all runs with other answers register a resource."""
        return all(name in run.resources for run in self.others)

    def removed_by_all(self, removed: Iterable[str]) -> Collection[str]:
        """Return the names in `removed` that all complete runs remove."""
        return {name for name in removed if all(name in run.call.removed for run in self.all() if run.error is None)}


def _is_kept(model: Resource) -> bool:
    return model._state is not None and model._state.on_unresolved == "keep"

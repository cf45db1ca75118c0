"""The answers to questions about missing values in a rehearsal: yes in one run, no in another.

A rehearsal is another run of compose(), whose results are thrown away. A question comes up where compose() uses an
unresolved value as a plain one, as in `if value` or `value == "a"`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..base.sentinels import UNSET
from ..models.walker import apply
from ..observed.lookup import steps_of, value_in
from ..observed.observable import Observable, Oracle, is_settled, root_of, sources
from ..observed.root import Computed, Root
from ..observed.tracker import Branch, Question, Tracker, place

if TYPE_CHECKING:
    from ..call.call import Call

N = TypeVar("N", int, float)

# A loop that goes on while the answer is yes would never end where the answer is always yes.
_MOST_QUESTIONS: Final = 2000


class _Enough(BaseException):
    """Ends a run with too many questions. It is a BaseException, because compose() may catch every Exception."""


class BothWays(Oracle):
    """Answers the questions of one run, some of them the other way than a real call does.

    A real call answers every question with no. The run is ended if it asks more than 2,000 questions.

    Args:
        actual: The observed state of the real call.
        default: The answer to questions that `fixed` doesn't have.
        fixed: The answers by question.
        number: The number that replaces a value if the real call observes no number.
        length: The length of a value if the real call observes no length, or an empty value.
        about: Says of a value whether its questions are answered; a real call's answers count for all others. None
            for all values but those of required resources, whose answer is no.

    Attributes:
        actual: The observed state of the real call.
        branches: The questions that came up, each with the place in the author's code and the answer.
        default: The answer to questions that `fixed` doesn't have.
        given: The questions that came up, with their answers.
    """

    __slots__ = ("_about", "_count", "_fixed", "_length", "_number", "actual", "branches", "default", "given")

    def __init__(
        self,
        actual: Actual,
        default: bool,
        fixed: dict[Question, bool],
        *,
        number: int = 1,
        length: int = 1,
        about: Callable[[Observable[Any]], bool] | None = None,
    ) -> None:
        self._number = number
        self._length = length
        self._about = about
        self.actual = actual
        self.default = default
        self.given: dict[Question, bool] = {}
        self.branches: set[Branch] = set()
        self._fixed = fixed
        self._count = 0

    def answers(self, observable: Observable[Any]) -> bool:
        return self._about is None or any(self._about(source) for source in sources(observable))

    def __call__(self, observable: Observable[Any], compared: object) -> bool:
        root = root_of(observable)
        if root is not None and root.kind == "required" and self._about is None:
            return False  # this run has the same required resources as the real one, with the same missing values
        if root is not None and root.raw is not None and is_settled(observable):
            return False
        self._count_one()
        question = (observable.source_path, compared if isinstance(compared, (str, int, float)) else None)
        answer = self.given.setdefault(question, self._fixed.get(question, self.default))
        self.branches.add((question, place(), answer))
        return answer

    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that the real call observes for `observable`; None if there is none."""
        try:
            return self.actual.value(observable)
        except LookupError:
            return None

    def length(self, observable: Observable[Any]) -> int:
        """Return the length of the real call's value for `observable`.

        If the value is missing, empty or without a length, return this object's `length`.
        """
        value = self.value(observable)
        return len(value) if value and isinstance(value, Sized) else self._length

    def number(self, observable: Observable[Any], kind: type[N]) -> N:
        """Return the real call's value for `observable` as a `kind`; this object's `number` if that isn't possible."""
        self._count_one()
        try:
            return kind(self.value(observable))
        except (TypeError, ValueError, OverflowError):
            return kind(self._number)

    def text(self, text: str, call: Tracker) -> str:
        """Return `text` with each placeholder of `call` replaced by its value in the real call, or by its path."""
        return self.actual.text(text, call)

    def applied(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return an Observable for the result of `function(*values)`, as `crossplane_lite.apply` does."""
        return apply(function, *values)

    def _count_one(self) -> None:
        self._count += 1
        if self._count > _MOST_QUESTIONS:
            raise _Enough

    def open(self, seen: AbstractSet[Branch]) -> frozenset[Question]:
        """Return the questions of this run that no run has answered the other way at the same place in the code.

        Args:
            seen: The questions of all runs, each with its place and the answer.
        """
        return frozenset(one for one, place, answer in self.branches if (one, place, not answer) not in seen)

    def otherwise(self, questions: Iterable[Question]) -> BothWays:
        """Return an oracle that answers `questions` the other way, and all other questions as this oracle did."""
        turned = {one: not self.given[one] for one in questions}
        return BothWays(
            self.actual,
            self.default,
            {**self.given, **turned},
            number=self._number,
            length=self._length,
            about=self._about,
        )


def next_answers(
    ran: list[BothWays], seen: AbstractSet[Branch], tried: set[tuple[int, frozenset[Question]]]
) -> BothWays | None:
    """Return the oracle of the next run; None if every question has had both answers, or can't get them.

    `ran` are the oracles up to now, and `seen` the questions they answered. The new attempt, the number of a run and
    the questions to answer the other way, is added to `tried`.
    """
    for at, earlier in enumerate(ran):
        questions = earlier.open(seen)
        if questions and (at, questions) not in tried:
            tried.add((at, questions))
            return earlier.otherwise(questions)
    return None


class Actual:
    """Looks up values in the observed state of the real call.

    Args:
        call: The real call.
    """

    __slots__ = ("_composite", "_observed")

    def __init__(self, call: Call) -> None:
        self._composite = call.xr
        self._observed = call.observed

    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that the real call has for an Observable of a rehearsal, as plain data.

        Raises:
            LookupError: The real call has no such value, or the value can't be looked up or computed.
        """
        root = root_of(observable)
        try:
            assert root is not None
            way = observable.source_path[len(root.prefix) :].removeprefix(".")
            value = self._below(root, way) if isinstance(root, Computed) else self._in_state(root, way)
        except Exception as error:  # for a computed value the author's function runs, which may raise anything
            raise LookupError(observable.source_path) from error
        if value is UNSET:
            raise LookupError(observable.source_path)
        return value

    def text(self, text: str, call: Tracker) -> str:
        """Return `text` with each placeholder replaced by its value.

        A placeholder without a value is replaced by its path. Then secret values in the text are masked, too. `call` is
        the rehearsal in which the text was made.
        """
        for observable in call.tokens_in(text):
            try:
                text = text.replace(call.token(observable), str(self.value(observable)))
            except LookupError:
                continue
        return call.show(text) if call.tokens_in(text) else text

    def _in_state(self, root: Root, way: str) -> Any:
        if root.kind == "xr":
            return value_in(self._composite.raw or b"", self._composite.details, way)
        observed = self._observed_of(root)
        if observed is None:
            return UNSET
        return value_in(observed.resource, observed.connection_details, way, composed=True)

    def _observed_of(self, root: Root) -> Any | None:
        """Return the request's message with the resource that `root` stands for.

        None if the resource isn't observed, or if `root` doesn't stand for a composed resource.
        """
        return self._observed.get(root.name) if root.kind == "resource" else None

    def _below(self, root: Computed, way: str) -> Any:
        value = self._compute(root)
        for step in steps_of(way):
            value = value[step]
        return value

    def _compute(self, root: Computed) -> Any:
        if root.result is UNSET:
            root.result = root.function(*(self._replaced(value, root.call) for value in root.values))
        return root.result

    def _replaced(self, value: Any, call: Tracker) -> Any:
        """Return `value`, an argument of a computation, with values in place of Observables and placeholders.

        Raises:
            LookupError: An Observable has no value in the real call.
        """
        if type(value) is Observable:
            return self.value(value)
        if isinstance(value, str):
            return self.text(value, call)
        if isinstance(value, Mapping):
            return {self._replaced(key, call): self._replaced(item, call) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._replaced(item, call) for item in value)
        return value

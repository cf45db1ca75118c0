"""The answers to questions about missing values in a rehearsal: yes in one run, no in another.

A rehearsal is another run of compose(), whose results are thrown away. A question comes up where compose() uses an
unresolved value as a plain one, as in `if value` or `value == "a"`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .._models.apply import apply
from .._observed.tracker import Branch, Question, place
from .._observed.uses import Oracle, is_settled, root_of
from .observed_values import Actual

if TYPE_CHECKING:
    from .._observed.observable import Observable
    from .._observed.tracker import Tracker

__all__ = ["BothWays"]

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
        required: Whether `default` and `fixed` also answer questions about required resources. Otherwise their answer
            is no.

    Attributes:
        actual: The observed state of the real call.
        answers: The questions that came up, with their answers.
        branches: The questions that came up, each with the place in the author's code and the answer.
        default: The answer to questions that `fixed` doesn't have.
    """

    __slots__ = ("_count", "_fixed", "_length", "_number", "_required", "actual", "answers", "branches", "default")

    def __init__(
        self,
        actual: Actual,
        default: bool,
        fixed: dict[Question, bool],
        *,
        number: int = 1,
        length: int = 1,
        required: bool = False,
    ) -> None:
        self._number = number
        self._length = length
        self._required = required
        self.actual = actual
        self.default = default
        self.answers: dict[Question, bool] = {}
        self.branches: set[Branch] = set()
        self._fixed = fixed
        self._count = 0

    def __call__(self, observable: Observable[Any], compared: object) -> bool:
        root = root_of(observable)
        if root is not None and root.kind == "required" and not self._required:
            return False  # this run has the same required resources as the real one, with the same missing values
        if root is not None and root.raw is not None and is_settled(observable):
            return False
        self._count_one()
        question = (observable.source_path, compared if isinstance(compared, (str, int, float)) else None)
        answer = self.answers.setdefault(question, self._fixed.get(question, self.default))
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
        turned = {one: not self.answers[one] for one in questions}
        return BothWays(
            self.actual,
            self.default,
            {**self.answers, **turned},
            number=self._number,
            length=self._length,
            required=self._required,
        )

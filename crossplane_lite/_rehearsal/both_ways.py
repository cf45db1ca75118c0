"""Answers to the questions of a rehearsal: unresolved values that are used as plain ones, one way or the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sized
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .._models.apply import apply
from .._observed.observable import root_of
from .._observed.oracle import Oracle
from .observed_values import Actual

if TYPE_CHECKING:
    from .._observed.observable import Observable
    from .._observed.tracker import Tracker

__all__ = ["BothWays", "Branch", "Question"]

N = TypeVar("N", int, float)

# A loop over what a value leads to would never end where the answer is always yes.
_MOST_QUESTIONS: Final = 2000


# The path of a value that is used as a plain one, and what it is compared with.
Question = tuple[str, object]
# A question, the place in the code where it came up, and an answer.
Branch = tuple[Question, tuple[int, int], bool]

_PACKAGE: Final = __name__.partition(".")[0]


class _Enough(BaseException):
    """Ends a run, also where compose() catches every Exception."""


class BothWays(Oracle):
    """Answers the questions of one run, some of them the other way than a real call does.

    Attributes:
        actual: What is observed in the real call.
        answers: The questions that came up, and the answers.
        branches: The same with the places.
        default: The answer where none is laid down.
    """

    __slots__ = ("_count", "_fixed", "actual", "answers", "branches", "default")

    def __init__(self, actual: Actual, default: bool, fixed: dict[Question, bool]) -> None:
        self.actual = actual
        self.default = default
        self.answers: dict[Question, bool] = {}
        self.branches: set[Branch] = set()
        self._fixed = fixed
        self._count = 0

    def __call__(self, observable: Observable[Any], compared: object) -> bool:
        root = root_of(observable)
        if root is not None and root.kind == "required":
            return False  # required resources are here as in the real run, and so is what they lack
        self._count_one()
        question = (observable.source_path, compared if isinstance(compared, (str, int, float)) else None)
        answer = self.answers.setdefault(question, self._fixed.get(question, self.default))
        self.branches.add((question, _place(), answer))
        return answer

    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that is observed in the real call, None where there is none."""
        try:
            return self.actual.value(observable)
        except LookupError:
            return None

    def length(self, observable: Observable[Any]) -> int:
        """Return the length that is observed in the real call, 1 where there is none."""
        value = self.value(observable)
        return len(value) if value and isinstance(value, Sized) else 1

    def number(self, observable: Observable[Any], kind: type[N]) -> N:
        """Return the number that is observed in the real call, 1 where there is none."""
        self._count_one()
        try:
            return kind(self.value(observable))
        except (TypeError, ValueError, OverflowError):
            return kind(1)

    def text(self, text: str, call: Tracker) -> str:
        """Return a text of this run with the values of the real call in the place of placeholders."""
        return self.actual.text(text, call)

    def applied(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return what stands for the result of a function of unresolved values, as `crossplane_lite.apply` does."""
        return apply(function, *values)

    def _count_one(self) -> None:
        self._count += 1
        if self._count > _MOST_QUESTIONS:
            raise _Enough

    def open(self, seen: AbstractSet[Branch]) -> frozenset[Question]:
        """Return the questions that had this answer alone at some place."""
        return frozenset(one for one, place, answer in self.branches if (one, place, not answer) not in seen)

    def otherwise(self, questions: Iterable[Question]) -> BothWays:
        """Return one that answers some questions the other way, and everything else as this one did."""
        turned = {one: not self.answers[one] for one in questions}
        return BothWays(self.actual, self.default, {**self.answers, **turned})


def _place() -> tuple[int, int]:
    """Return the place in the author's code that asks."""
    frame = sys._getframe(2)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return id(frame.f_code), frame.f_lasti

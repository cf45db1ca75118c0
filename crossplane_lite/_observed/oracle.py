"""Who answers for unresolved values in a run that only looks for dependencies.

A real call takes every unresolved value for empty. A rehearsal asks this instead; `crossplane_lite._rehearsal` has the
one that answers.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .observable import Observable
    from .tracker import Tracker

__all__ = ["Oracle"]

N = TypeVar("N", int, float)


class Oracle(abc.ABC):
    """Answers the questions of one run."""

    __slots__ = ()

    @abc.abstractmethod
    def __call__(self, observable: Observable[Any], compared: object) -> bool:
        """Answer a question: whether a value is true, or in a comparison, equal."""

    @abc.abstractmethod
    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that is observed in the real call, or None."""

    @abc.abstractmethod
    def length(self, observable: Observable[Any]) -> int:
        """Return the length that is observed in the real call, or 1."""

    @abc.abstractmethod
    def number(self, observable: Observable[Any], kind: type[N]) -> N:
        """Return the number that is observed in the real call, or 1."""

    @abc.abstractmethod
    def text(self, text: str, call: Tracker) -> str:
        """Return a text of this run with the values of the real call in the place of placeholders."""

    @abc.abstractmethod
    def applied(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return the Observable for the result of a function of unresolved values, as `crossplane_lite.apply` does."""

"""Counts of resources and runs in a call, for the server's metrics. Without metrics nothing is counted."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

__all__ = ["Tally", "counting", "current"]


class Tally:
    """The counts of one call.

    Attributes:
        emitted: The number of registered resources that are in the answer.
        held: The number of resources that are left out of the answer, because a value that they need is missing.
        kept: The number of existing resources that stay although this call doesn't register them.
        rehearsals: The number of times that compose() ran besides the real run.
    """

    __slots__ = ("emitted", "held", "kept", "rehearsals")

    def __init__(self, emitted: int = 0, held: int = 0, kept: int = 0, rehearsals: int = 0) -> None:
        self.emitted = emitted
        self.held = held
        self.kept = kept
        self.rehearsals = rehearsals

    def add(self, other: Tally) -> None:
        """Add the counts of `other` to these."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """All four counts, in the order emitted, held, kept and rehearsals."""
        return self.emitted, self.held, self.kept, self.rehearsals


counting: Final[ContextVar[Tally | None]] = ContextVar("crossplane_lite_tally", default=None)
"""The tally of this thread's call; None if nothing is counted."""

current: Final = counting.get

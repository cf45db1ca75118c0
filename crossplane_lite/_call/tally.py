"""What calls count for whoever watches the server. Nobody counts where nobody watches."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

__all__ = ["Tally", "counting", "current"]


class Tally:
    """The counts of one call.

    Attributes:
        emitted: Resources that the step registered and that are in its answer.
        held: Resources that are held back.
        kept: Existing resources that stay though this call doesn't register them.
        rehearsals: How often compose() ran beside the real run.
    """

    __slots__ = ("emitted", "held", "kept", "rehearsals")

    def __init__(self, emitted: int = 0, held: int = 0, kept: int = 0, rehearsals: int = 0) -> None:
        self.emitted = emitted
        self.held = held
        self.kept = kept
        self.rehearsals = rehearsals

    def add(self, other: Tally) -> None:
        """Add another one's counts."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """All four, in the order of the arguments."""
        return self.emitted, self.held, self.kept, self.rehearsals


counting: Final[ContextVar[Tally | None]] = ContextVar("crossplane_lite_tally", default=None)
"""The tally of the call that this thread is in, None where nobody watches."""

current: Final = counting.get

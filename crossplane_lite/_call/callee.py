"""The function that a call is of, as a step of a pipeline."""

from __future__ import annotations

import abc
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .call import Call

__all__ = ["Callee"]

_DEFAULT_TTL_SECONDS: Final = 60


class Callee(abc.ABC):
    """A composition function's settings, the same in all calls; see `crossplane_lite.composition.Function`.

    Attributes:
        name: The step's name, by which it knows its own resources.
        file: The file that compose() is in.
        auto_ready: Whether readiness comes from observed state.
        formerly: Names that the function had.
        allow_removal_when_unresolved: Whether existing resources may be lost after a guess.
        usages: Whether Usages keep the order of deletion.
        ttl_seconds: How long Crossplane may use an answer for an identical request, when compose() doesn't say.
    """

    def __init__(
        self,
        name: str,
        file: str,
        *,
        formerly: Collection[str] = (),
        auto_ready: bool,
        allow_removal_when_unresolved: bool,
        usages: bool,
    ) -> None:
        self.name = name
        self.formerly = tuple(formerly)
        self.file = file
        self.auto_ready = auto_ready
        self.allow_removal_when_unresolved = allow_removal_when_unresolved
        self.usages = usages
        self.ttl_seconds = _DEFAULT_TTL_SECONDS

    @abc.abstractmethod
    def invoke(self, call: Call) -> None:
        """Run compose() in a call, to its end."""

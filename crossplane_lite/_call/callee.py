"""The interface of the function that a call runs: its settings, and running compose()."""

from __future__ import annotations

import abc
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .call import Call

__all__ = ["Callee"]

_DEFAULT_TTL_SECONDS: Final = 60


class Callee(abc.ABC):
    """A composition function with its settings. `crossplane_lite.composition.Function` implements it.

    Attributes:
        name: The function's name. The marks of its resources begin with it.
        file: The path of the file that has compose().
        auto_ready: Whether the readiness of resources is found out from their observed state.
        formerly: The names that the function had before. Resources that are marked with one of them still belong to it.
        allow_removal_when_unresolved: Whether existing resources may be deleted because a value is missing.
        usages: Whether the function also composes Usages, so that resources are deleted in the right order.
        ttl_seconds: How long Crossplane may use an answer for identical requests, in seconds, if compose() doesn't set
            it.
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
        """Run compose() for `call`, and wait until it ends. An exception of compose() is raised here."""

"""The interface of the function that a call runs: its settings, and running compose()."""

from __future__ import annotations

import abc
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ...errors import UsageError

if TYPE_CHECKING:
    from datetime import timedelta

    from .call import Call

__all__ = ["Callee", "checked_ttl"]


class Callee(abc.ABC):
    """A composition function with its settings. `crossplane_lite.composition.Function` implements it.

    Attributes:
        name: The function's name. The marks of its resources begin with it.
        file: The path of the file that has compose().
        auto_ready: Whether the readiness of resources is found out from their observed state.
        formerly: The names that the function had before. Resources that are marked with one of them still belong to it.
        allow_removal_when_unresolved: Whether existing resources may be deleted because a value is missing.
        usages: Whether the function also composes Usages, so that resources are deleted in the right order.
        ttl: How long Crossplane may use an answer for identical requests, if compose() doesn't set it. If None, it
            follows from the composite's state.
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
        ttl: timedelta | None = None,
    ) -> None:
        self.name = name
        self.formerly = tuple(formerly)
        self.file = file
        self.auto_ready = auto_ready
        self.allow_removal_when_unresolved = allow_removal_when_unresolved
        self.usages = usages
        self.ttl = ttl

    @abc.abstractmethod
    def invoke(self, call: Call) -> None:
        """Run compose() for `call`, and wait until it ends. An exception of compose() is raised here."""


def checked_ttl(value: Any) -> timedelta:
    """Return `value` if it is a timedelta that isn't negative, and at most the 10,000 years of protobuf's Duration.

    Raises:
        UsageError: It is something else.
    """
    from datetime import timedelta

    if not isinstance(value, timedelta) or not timedelta(0) <= value <= timedelta(days=3652500):
        raise UsageError(f"'ttl' must be a timedelta from 0 to 10,000 years (got {value!r})")
    return value

"""The states of a field without a value: UNSET, NULL and the tombstone."""

from __future__ import annotations

import enum
from typing import Any, Final, Literal

__all__ = ["NULL", "TOMBSTONE", "UNSET", "NullType", "Replaced", "UnsetType"]


def _refuse(self: enum.Enum, name: str, value: object) -> None:
    # While its class is made, an enum sets names of this form on its members.
    if name[:1] != "_":
        raise AttributeError(f"{self.name} is a marker, nothing can be set on it")
    object.__setattr__(self, name, value)


class UnsetType(enum.Enum):
    """Type of `UNSET`. An enum of one member, because type checkers narrow those."""

    UNSET = "UNSET"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"

    __setattr__ = _refuse


class NullType(enum.Enum):
    """Type of `NULL`."""

    NULL = "NULL"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "NULL"

    __setattr__ = _refuse


class _Tombstone(enum.Enum):
    TOMBSTONE = "TOMBSTONE"

    def __repr__(self) -> str:
        return "TOMBSTONE"


UNSET: Final = UnsetType.UNSET
"""The field was not set: no opinion, the same as None when it is assigned."""

NULL: Final = NullType.NULL
"""An explicit JSON null. `None` can't say that, because it means "no opinion"."""


class Replaced(dict[str, Any]):
    """In a tree that is laid over existing bytes: an object that replaces the one there instead of merging into it."""


TOMBSTONE: Final = _Tombstone.TOMBSTONE
"""In a tree that is laid over existing bytes: remove the field there."""

"""Markers for fields without a value (UNSET, NULL and TOMBSTONE) and for objects that are
replaced.
"""

from __future__ import annotations

import enum
from typing import Any, Final, Literal


class _Marker(enum.Enum):
    """An enum with one member, so that type checkers understand `if value is UNSET`. The member is
    false.
    """

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return self.name

    def __setattr__(self, name: str, value: object) -> None:
        # The enum machinery sets names with an underscore on the members while it makes the class.
        if name[:1] != "_":
            problem = f"a field with {self.name} holds no object; set it to an object first"
            raise AttributeError(f"can't set {name!r} on {self.name}: {problem}")
        object.__setattr__(self, name, value)


class UnsetType(_Marker):
    """The type of `UNSET`."""

    UNSET = "UNSET"


class NullType(_Marker):
    """The type of `NULL`."""

    NULL = "NULL"


class _Tombstone(_Marker):
    TOMBSTONE = "TOMBSTONE"


UNSET: Final = UnsetType.UNSET
"""The value of a field that was not set. Assigning UNSET, or None, means that the function doesn't
set the field.
"""

NULL: Final = NullType.NULL
"""An explicit JSON null. Assign NULL to write a null; assigning `None` means that the function sets
no value.
"""


class Replaced(dict[str, Any]):
    """A dict that is encoded over an existing Struct and replaces the object at its path. A plain
    dict is merged.
    """


TOMBSTONE: Final = _Tombstone.TOMBSTONE
"""In data that is encoded over an existing Struct: the value of a key whose field is removed from
the Struct.
"""

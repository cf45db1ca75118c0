"""Numbers as JSON has them: doubles, which hold integers up to a limit."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__all__ = ["EXACT", "Whole"]

EXACT: Final = 2**53
"""Doubles, and so a Struct and JSON in general, hold each integer from -EXACT to EXACT exactly."""


class Whole(float):
    """A whole number that reads as a float, because the schema of its field says `number`. Its text has no `.0`.

    Many providers have ports and sizes of the type `number`. The text of a port in a URL must be `5432`.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return str(int(self))

    def __format__(self, spec: str) -> str:
        # With a precision, or a sign for floats such as `f`, the author wants the digits behind the point.
        if "." in spec or spec[-1:] in _OF_FLOATS:
            return float.__format__(self, spec)
        return format(int(self), spec)


_OF_FLOATS: Final = ("e", "E", "f", "F", "g", "G", "n", "%")

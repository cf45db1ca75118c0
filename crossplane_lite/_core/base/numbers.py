"""The limit up to which a number in JSON, a double, holds every integer exactly."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

EXACT: Final = 2**53
"""Doubles, and so a Struct and JSON in general, hold each integer from -EXACT to EXACT exactly."""

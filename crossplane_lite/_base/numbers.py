"""Which integers JSON carries."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__all__ = ["EXACT"]

EXACT: Final = 2**53
"""All integers from its negative to it are doubles, and are told apart: a Struct, and JSON at large, carry these."""

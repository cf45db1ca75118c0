"""Texts and values as messages show them: of a sane length, whatever stands in a file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["short_repr", "short_text", "shortened"]

# No name of Kubernetes is longer, so none is cut.
_LONGEST_NAME = 253


def shortened(text: str, longest: int = _LONGEST_NAME) -> str:
    """Return a text of at most `longest` characters, with the middle left out: both ends tell names apart."""
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"


def short_text(value: Any) -> str:
    """Return a text, such as a kind, as it is, and anything else as Python writes it; both shortened."""
    return shortened(value) if isinstance(value, str) else short_repr(value)


def short_repr(value: Any, longest: int = 60) -> str:
    """Return any value as Python writes it, of at most `longest` characters.

    A value that Python can't write, such as one that is nested thousands of levels deep, is just said to be one.
    """
    try:
        return shortened(repr(value), longest)
    except (RecursionError, ValueError):  # the latter is for a number of thousands of digits
        return "{…}" if isinstance(value, dict) else "[…]" if isinstance(value, (list, tuple)) else "…"

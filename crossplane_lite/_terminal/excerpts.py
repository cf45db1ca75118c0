"""Texts and values as messages show them: of a sane length, whatever stands in a file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["LONGEST_LOGGED", "LONGEST_RESULT", "capped", "short_repr", "short_text", "shortened"]

LONGEST_RESULT = 20_000
"""How many letters of a text go into a result or a condition."""

LONGEST_LOGGED = 50_000
"""How many letters of a message, of an extra field and of a traceback go into a log line."""

# No name of Kubernetes is longer, so none is cut.
_LONGEST_NAME = 253


def shortened(text: str, longest: int = _LONGEST_NAME) -> str:
    """Return a text of at most `longest` characters, with the middle left out: both ends tell names apart."""
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"


def capped(text: str, longest: int, mask: Callable[[str], str] = str) -> str:
    """Return a text without secrets; of a long one its beginning, its end and its length.

    Args:
        text: The text.
        longest: How many letters are left.
        mask: Masks secrets. It runs before the text is cut, so that it sees whole ones.
    """
    size = len(text)
    if size > 16 * longest:  # the middle isn't shown anyway
        head, tail = mask(text[: 8 * longest]), mask(text[-8 * longest :])
        # A mask is shorter than a secret, and the places where the text was parted must not come into view.
        text = head + tail if min(len(head), len(tail)) > 2 * longest else mask(text)
    else:
        text = mask(text)
    if len(text) <= longest:
        return text
    last = longest // 4
    left_out = max(size, len(text)) - longest
    return (
        f"{text[: longest - last]} … ({max(size, len(text)):,} characters, of which {left_out:,} are left out here) … "
        f"{text[-last:]}"
    )


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

"""Shortens texts and values for messages and logs."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = [
    "LONGEST_LOGGED",
    "LONGEST_RESULT",
    "capped",
    "short_repr",
    "short_text",
    "shortened",
    "some",
    "without_addresses",
]

LONGEST_RESULT = 20_000
"""The most characters of a text in a result or a condition."""

LONGEST_LOGGED = 50_000
"""The most characters of a message, of each extra field and of a traceback in a log line."""

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]{6,}\b")

# The longest name that Kubernetes allows, so that no name is cut.
_LONGEST_NAME = 253


def shortened(text: str, longest: int = _LONGEST_NAME) -> str:
    """Return a text, cut to `longest` characters if it has more. Then `…` takes the place of its middle."""
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"


def without_addresses(text: str) -> str:
    """Return a text without the addresses of objects (`<object at 0x7f…>`), which differ from process to process."""
    return _ADDRESS.sub("", text) if " at 0x" in text else text


def capped(text: str, longest: int, mask: Callable[[str], str] = str) -> str:
    """Return a text with its secrets masked; of a long text only its beginning and its end.

    A remark between the two has the text's length and how many characters are left out.

    Args:
        text: The text.
        longest: The most characters of the text that are kept. The remark isn't counted.
        mask: A function that masks the secrets in a text. It gets more of the text than is kept, so that a secret at
            the cut is masked, too.
    """
    size = len(text)
    if size > 16 * longest:  # mask both ends only: the middle isn't shown anyway
        head, tail = mask(text[: 8 * longest]), mask(text[-8 * longest :])
        # Masking shortens a text. Half a secret at the cut would be shown if the masked ends became too short.
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


def some(texts: Sequence[str], most: int, joint: str = ", ") -> str:
    """Return the first `most` texts, joined by `joint`, and how many follow: `a, b and 3 more`."""
    more = f"{joint.rstrip(' ,')} and {len(texts) - most} more" if len(texts) > most else ""
    return joint.join(texts[:most]) + more


def short_text(value: Any) -> str:
    """Return a string, shortened to 253 characters, without quotes; for any other value, `short_repr(value)`."""
    return shortened(value) if isinstance(value, str) else short_repr(value)


def short_repr(value: Any, longest: int = 60) -> str:
    """Return the repr of a value, shortened to `longest` characters.

    If repr() fails, for example because a value has thousands of levels, the result is `{…}` for a dict, `[…]` for a
    list or tuple, and `…` for other values.
    """
    try:
        return shortened(repr(value), longest)
    except (RecursionError, ValueError):  # Python raises ValueError for integers of thousands of digits
        return "{…}" if isinstance(value, dict) else "[…]" if isinstance(value, (list, tuple)) else "…"

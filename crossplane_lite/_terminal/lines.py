"""Texts from elsewhere as they are shown on a terminal: on one line, of a sane length, without control characters."""

from __future__ import annotations

from .excerpts import shortened

__all__ = ["escaped", "line"]

# A line holds a long message, a word the longest name or path that anybody uses.
_LONGEST_LINE = 10_000
_LONGEST_WORD = 300


def escaped(text: str) -> str:
    """Return a text on one line, with escapes in the place of characters that can't be seen."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def line(text: str) -> str:
    """Return a message as one line for a terminal, with long values in it shortened.

    A value has no space in it: the words around it stay whole.
    """
    shown = escaped(shortened(text, _LONGEST_LINE))
    if len(shown) <= _LONGEST_WORD:
        return shown
    import re  # hardly ever needed

    return re.sub(rf"\S{{{_LONGEST_WORD + 1},}}", lambda found: shortened(found[0], _LONGEST_WORD), shown)

"""Makes any text safe for a terminal: one line without control characters, shortened if it is very long."""

from __future__ import annotations

from .excerpts import shortened

__all__ = ["escaped", "line"]

# The most characters of a line and of a word in it. Long messages, names and paths fit.
_LONGEST_LINE = 10_000
_LONGEST_WORD = 300


def escaped(text: str) -> str:
    """Return a text with an escape, such as `\\n`, in place of each character that isn't printable."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def line(text: str) -> str:
    """Return a message as one line for a terminal, with escapes for characters that aren't printable.

    The message is shortened to 10,000 characters before it is escaped. After that, each word is shortened to 300.
    """
    shown = escaped(shortened(text, _LONGEST_LINE))
    if len(shown) <= _LONGEST_WORD:
        return shown
    import re  # hardly ever needed

    return re.sub(rf"\S{{{_LONGEST_WORD + 1},}}", lambda found: shortened(found[0], _LONGEST_WORD), shown)

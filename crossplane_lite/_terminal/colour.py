"""Colours, where a terminal shows them and nobody has asked for none (https://no-color.org)."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["painted"]

_CODES = {"red": "31", "green": "32", "yellow": "33"}


def painted(text: str, colour: str, stream: TextIO | None = None) -> str:
    """Return a text in a colour, or as it is where the stream isn't a terminal.

    Args:
        text: The text.
        colour: `red`, `green` or `yellow`.
        stream: Where it will be written; stderr by default.
    """
    stream = sys.stderr if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or stream is None or not stream.isatty():
        return text
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m"

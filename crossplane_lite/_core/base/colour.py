"""Colours text for terminals. The environment variable NO_COLOR turns the colours off (https://no-color.org)."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["painted"]

_CODES = {"red": "31", "green": "32", "yellow": "33"}


def painted(text: str, colour: str, stream: TextIO | None = None) -> str:
    """Return a text between the escape codes that turn a colour on and off.

    The text is returned unchanged if `stream` isn't a terminal or is closed, NO_COLOR isn't empty, or TERM is `dumb`.

    Args:
        text: The text.
        colour: `red`, `green` or `yellow`.
        stream: The stream that the text will be written to; None for sys.stderr.
    """
    stream = sys.stderr if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or stream is None or not stream.isatty():
        return text
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m"

"""The start of render, simulate and graph: they keep stdout for themselves, and write logs for people.

The reader of the logs is the author of a function, at a terminal. So log lines can't harm the terminal, and tracebacks
show the author's frames alone.
"""

from __future__ import annotations

import logging
import os
import re
from typing import Final

from .._observed.prints import make_all_readable
from .._observed.tracker import mask
from .._terminal import lines as _text
from .._terminal import stdio
from ..runtime import log

__all__ = ["begin"]

# Where the frames are that say nothing about the author's code: this package, and the runner of an `async def`
# compose().
_NOT_OF_THE_AUTHOR: Final = (
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), ""),
    os.path.join(os.path.dirname(os.__file__), "asyncio", ""),
)
# A frame is one line that says where, and more that show the code.
_FRAME: Final = re.compile(
    r'^  File "([^"\n]*)", line [0-9]+, in .*\n(?:    .*\n)*(?:  \[Previous line .*\n)?', re.MULTILINE
)
_RAISED: Final = re.compile(r"compose\(\) raised: Traceback ")


def begin() -> None:
    """Take stdout for the command's output, and send all logging to stderr, for people."""
    stdio.take()
    log.configure(text=True)
    log.set_masker(mask)
    make_all_readable()
    for handler in logging.getLogger().handlers:
        handler.setFormatter(_Formatter())


class _Formatter(log.TextFormatter):
    """Text for people, without parts that don't fit their terminal."""

    def line(self, text: str) -> str:
        return _text.line(text)

    def whole(self, record: logging.LogRecord) -> str:
        return _without_its_end(_of_the_author(super().whole(record))).rstrip()


def _without_its_end(text: str) -> str:
    """Return the log line of an exception in compose() without the exception itself: the fatal result has it."""
    if not _RAISED.search(text):
        return text
    end = max((found.end() for found in _FRAME.finditer(text)), default=0)
    last = text[end:].strip()
    return text[:end] if end and "\n" not in last else text


def _of_the_author(text: str) -> str:
    """Return a text without the frames of a traceback that aren't of the author's code; with all where none is."""
    frames = [found[1].startswith(_NOT_OF_THE_AUTHOR) for found in _FRAME.finditer(text)]
    if all(frames):
        return text
    return _FRAME.sub(lambda found: "" if found[1].startswith(_NOT_OF_THE_AUTHOR) else found[0], text)

"""Sets up stdout and logging for commands that run functions, such as `render`, `simulate` and
`graph`.

stdout is reserved for the command's output. The author of a function reads the logs at a terminal,
so control characters in log lines are escaped, and tracebacks show only frames of the author's
code.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, Final

from ..._core.base import stdio
from ..._core.base import texts as _text
from ..._core.base.folder import PACKAGE
from ..._core.observed.tracker import current, mask
from ...runtime import log

# The folder of Python's own code, such as asyncio, which runs an `async def` compose(), and json.
_PYTHON: Final = os.path.join(os.path.dirname(os.__file__), "")
_INSTALLED: Final = tuple(
    os.path.join(_PYTHON, name, "") for name in ("site-packages", "dist-packages")
)
# A frame in a traceback is one line with the place, and further lines that show the code.
_FRAME: Final = re.compile(
    r'^  File "([^"\n]*)", line [0-9]+, in .*\n(?:    .*\n)*(?:  \[Previous line .*\n)?',
    re.MULTILINE,
)
_RAISED: Final = re.compile(r"compose\(\) raised: Traceback ")


def begin() -> None:
    """Reserve stdout for the command's output, and send all logs to stderr, as text with secret
    values masked.
    """
    stdio.take()
    log.configure(text=True)
    log.set_masker(mask)
    if sys.stderr is not None and not isinstance(sys.stderr, _Readable):
        stream: Any = _Readable(sys.stderr)
        sys.stdout = sys.stderr = stream
    for handler in logging.getLogger().handlers:
        handler.setFormatter(_Formatter())


class _Readable:
    """A text stream of the command, which shows prints for people: values masked, placeholders as
    paths.

    Prints of further runs of compose() are dropped.

    Args:
        stream: The stream that gets the texts.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        call = current()
        if call is None or not call.rehearsed:
            self._stream.write(mask(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


class _Formatter(log.TextFormatter):
    """Formats log records for a terminal: escapes control characters, and shortens tracebacks of
    compose().
    """

    def line(self, text: str) -> str:
        return _text.line(text)

    def whole(self, record: logging.LogRecord) -> str:
        return _without_its_end(_of_the_author(super().whole(record))).rstrip()


def _without_its_end(text: str) -> str:
    """Return the log text of an exception in compose() without its last line, the exception's type
    and message.

    The fatal result has these already. Other texts, and exceptions whose message has several lines,
    are returned unchanged.
    """
    if not _RAISED.search(text):
        return text
    end = max((found.end() for found in _FRAME.finditer(text)), default=0)
    last = text[end:].strip()
    return text[:end] if end and "\n" not in last else text


def _of_the_author(text: str) -> str:
    """Remove the frames of crossplane_lite and Python from a traceback's text, unless there are no
    other frames.
    """
    if not any(_is_the_authors(found[1]) for found in _FRAME.finditer(text)):
        return text
    return _FRAME.sub(lambda found: found[0] if _is_the_authors(found[1]) else "", text)


def _is_the_authors(file: str) -> bool:
    return not file.startswith(PACKAGE) and (
        not file.startswith(_PYTHON) or file.startswith(_INSTALLED)
    )

"""Texts of a call for people: its log lines, and an exception as the text of a Fatal result.

Secret values are masked in log lines, and a placeholder for a missing value is shown as the value's
path.
"""

from __future__ import annotations

import logging
import os
import re
import traceback
from typing import Any, Final

from ...errors import CrossplaneLiteError, UnresolvedError
from ..base.folder import PACKAGE
from ..base.texts import LONGEST_LOGGED, some, without_addresses
from ..observed.tracker import Tracker

# Where installed packages are; a virtual environment may lie below the author's file.
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
# The names that Python and attrs give to code without a file. The place in such code doesn't help
# authors.
_MADE: Final = ("<frozen ", "<attrs generated ")
# What Python says where another class than Observable doesn't fit, or arguments are too many or too
# few.
_OTHER_CAUSE: Final = re.compile(
    r"'(?!Observable)\w+' object|of type '(?!Observable)\w+'|'NoneType'|not \"(?!Observable)\w+\""
    r"|(component:|mapping, not) (?!Observable)\w+|unsupported operand|(positional|keyword)(-only)?"
    r" argument"
)
# What Python says where the advice of `lookups` has the remedy, whatever values are missing.
_TOLD: Final = ("is not JSON serializable", "Invalid format specifier")


def describe(error: BaseException, call: Tracker, home: str) -> str:
    """Return the text for people about an exception in compose(): its type, text, file and line.

    An error of this package that was raised without any of the author's code has no file and line.

    Where a missing value is behind an exception of Python's, the text also has the paths of the
    values that don't exist yet, and what to write: those of the failing expression if they are
    known, else ten at most of all, and the number of the others. One is behind it if the failing
    expression uses it, if the exception's own text shows it, or if code in C takes no Observable,
    which is a TypeError. No other exception blames them: it may have nothing to do with them, as
    one that names another class (`'NoneType' object is not iterable`). `home` is the path of the
    file that has compose(), by which the line is found.
    """
    text = named(error, home)
    is_told = any(one in text for one in _TOLD)
    if not call.handed_out or isinstance(error, CrossplaneLiteError) or is_told:
        return text
    shown = call.tokens_in(text)
    is_of_types = isinstance(error, TypeError)
    if is_of_types and not shown and _OTHER_CAUSE.search(text):
        return text
    function, paths = _behind(error)
    if shown or is_of_types:
        paths = paths or [one.source_path for one in shown or call.handed_out]
    else:
        used = _used(error, home)
        if used != paths:  # the call with missing arguments is another one, around the expression
            function = "function"
        paths = used
    if not paths:
        return text
    remedy = (
        f"use crossplane_lite.apply({function}, value) to compute with a value that may not be"
        " known yet"
    )
    if isinstance(error, AssertionError) and not shown:
        remedy = "leave out the assert: a field that needs a missing value waits by itself"
    return f"{text}. Without a value in this call: {some(list(dict.fromkeys(paths)), 10)}; {remedy}"


def _behind(error: BaseException) -> tuple[str, list[str]]:
    """Return the function that was called with missing values, and their paths; none if there was
    no such call.
    """
    from .lookups import missing_arguments

    return missing_arguments(error) or ("function", [])


def _used(error: BaseException, home: str) -> list[str]:
    """Return the paths of the missing values that the failing expression uses."""
    from .lookups import missing_operands

    frame = authors_frame(error, home)
    return [] if frame is None else missing_operands(error, frame.filename)


def named(error: BaseException, home: str) -> str:
    """Return the type, text, file and line of an exception in compose(), as `describe` does,
    without missing values.
    """
    try:
        text = ": ".join(
            part for part in (type(error).__name__, without_addresses(str(error))) if part
        )
    except Exception:  # an exception whose own text can't be made
        text = type(error).__name__
    frame = authors_frame(error, home)
    if frame is not None and (
        isinstance(error, UnresolvedError) or not isinstance(error, CrossplaneLiteError)
    ):
        from .lookups import advice

        text += advice(error, frame.filename)
    # Lines of this package only help with its own bugs, and its own errors aren't any.
    if frame is not None and not (
        isinstance(error, CrossplaneLiteError) and _below(frame.filename, PACKAGE)
    ):
        text += f" ({os.path.basename(frame.filename)}:{frame.lineno})"
    return text


def authors_frame(error: BaseException, home: str) -> traceback.FrameSummary | None:
    """Return the last frame of an exception's traceback that is in the author's code.

    The author's code is all code in the folder of the file `home` or below it, except installed
    packages. If no frame is in the author's code, the last frame outside of this package is
    returned. If there is no such frame either, the last frame is returned; None if the traceback is
    empty.
    """
    frames = traceback.extract_tb(error.__traceback__)
    folder = os.path.dirname(os.path.abspath(home))
    others = [
        frame
        for frame in frames
        if not frame.filename.startswith(_MADE) and _below(frame.filename, PACKAGE) is None
    ]
    near = [
        frame
        for frame in others
        if not _INSTALLED.intersection(_below(frame.filename, folder) or _INSTALLED)
    ]
    for found in (near, others, frames):
        if found:
            return found[-1]
    return None


def _below(filename: str, folder: str) -> list[str] | None:
    """Return the parts of the path from `folder` to the file `filename`; None if the file isn't
    below the folder.
    """
    path = os.path.abspath(filename)
    top = folder.rstrip(os.sep) + os.sep
    return path[len(top) :].split(os.sep) if path.startswith(top) else None


class _CallLogger(logging.LoggerAdapter):  # type: ignore[type-arg]  # generic only for checkers before Python 3.11
    """A logger that shows each message for people: secret values masked, placeholders as paths, and
    long messages cut.

    Each message is formatted before handlers get it, so that its arguments and tracebacks are
    masked too.
    """

    def __init__(self, logger: logging.Logger, call: Tracker) -> None:
        super().__init__(logger, {})
        self._call = call

    def log(self, level: int, msg: object, *args: Any, **kwargs: Any) -> None:
        if self.isEnabledFor(level):
            text = str(msg) % args if args else str(msg)
            if kwargs.pop("exc_info", None):
                # masked with the message, whatever formats the record
                text += "\n" + traceback.format_exc().rstrip()
            # This function is one frame more than the adapter has: so the record names the author's
            # line.
            kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
            self.logger.log(level, "%s", self._call.show_capped(text, LONGEST_LOGGED), **kwargs)


def log_for(name: str, call: Tracker) -> logging.LoggerAdapter:  # type: ignore[type-arg]  # as above
    """Return the logger `crossplane_lite.function.<name>` for `call`, with secret values masked in
    its lines.
    """
    return _CallLogger(logging.getLogger(f"crossplane_lite.function.{name}"), call)

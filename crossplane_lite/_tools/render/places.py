"""Finds lines in the code of a function's author: the line that is running, and the lines of a call's arguments."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Final

from ..._core.base.folder import PACKAGE

__all__ = ["Places"]

_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class Places:
    """Finds lines in the code of a function's author, such as `function.py:31`.

    Args:
        file: The function's file. All files in its folder and below are the author's, except installed packages.
    """

    def __init__(self, file: str) -> None:
        self._home = os.path.dirname(os.path.abspath(file)) + os.sep

    def current(self) -> str:
        """Return the author's line that is running.

        If no code of the author is running, return the line of other code outside of crossplane_lite; an empty string
        if there is none.
        """
        frame = self._frame()
        return "" if frame is None else self._shown(frame.f_code.co_filename, frame.f_lineno)

    def of_arguments(self, call: str, keywords: Iterable[str]) -> dict[str, str]:
        """Return the line of each keyword argument of the call that the author's code is running now.

        Args:
            call: The name of the called class or function.
            keywords: The keywords.

        Returns:
            The lines by keyword. A keyword that isn't in the call's source text, such as one from `**values`, has the
            line of the call. All lines are empty strings if only code of crossplane_lite is running.
        """
        frame = self._frame()
        if frame is None:
            return dict.fromkeys(keywords, "")
        file, line = frame.f_code.co_filename, frame.f_lineno
        lines = _calls_of(file)
        return {keyword: self._shown(file, lines.get((line, call, keyword), line)) for keyword in keywords}

    def _frame(self) -> FrameType | None:
        """Return the innermost frame in the author's files, else outside of crossplane_lite; None if there is none."""
        frame: FrameType | None = sys._getframe(1)
        first: FrameType | None = None
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith(PACKAGE):
                first = first or frame
                if os.path.abspath(file).startswith(self._home) and not any(part in file for part in _INSTALLED):
                    return frame
            frame = frame.f_back
        return first

    def _shown(self, file: str, line: int) -> str:
        path = os.path.abspath(file)
        return f"{path.removeprefix(self._home) if path.startswith(self._home) else os.path.basename(file)}:{line}"


@functools.cache
def _calls_of(file: str) -> dict[tuple[int, str, str], int]:
    """Return the line of each keyword argument in a Python file; empty if the file can't be read or parsed.

    A key of the dict is the line of the call, the called name, and the keyword.
    """
    found: dict[tuple[int, str, str], int] = {}
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return found
    for one in ast.walk(tree):
        if isinstance(one, ast.Call):
            called = one.func.attr if isinstance(one.func, ast.Attribute) else getattr(one.func, "id", "")
            for keyword in one.keywords:
                if keyword.arg is not None:
                    found[(one.lineno, called, keyword.arg)] = keyword.value.lineno
    return found

"""Help of commands: texts as wide as the terminal, with the line breaks that they have."""

from __future__ import annotations

import argparse
import re
import textwrap

__all__ = ["HelpFormatter"]


class HelpFormatter(argparse.HelpFormatter):
    """Wraps each line of a description and an epilog by itself, below the last column that the line has.

    argparse alone either makes one paragraph of all lines, or lets long ones run on.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(_wrapped(line, width, indent) for line in text.splitlines())


def _wrapped(line: str, width: int, indent: str) -> str:
    if len(line) <= width or (line.startswith(" ") and "crossplane-lite " in line):  # an example's command
        return indent + line
    columns = re.match(r"(?: +\S+  +| *)", line)
    assert columns is not None  # it matches the empty text, too
    return textwrap.fill(
        line, width, initial_indent=indent, subsequent_indent=indent + " " * columns.end(), break_long_words=False
    )

"""Formats the text of `--help`: lines are wrapped to the terminal's width, and line breaks in the
source are kept.
"""

from __future__ import annotations

import argparse
import re
import textwrap


class HelpFormatter(argparse.HelpFormatter):
    """An argparse formatter that wraps each line of a description or epilog separately.

    If an indented line is a word, two or more spaces and a text, the wrapped lines are indented as
    far as the text. An indented line with a `crossplane-lite` command isn't wrapped. (argparse's
    own formatters either make one paragraph of all lines, or don't wrap at all.)
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(_wrapped(line, width, indent) for line in text.splitlines())


def parser(prog: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """Return a parser for a command `crossplane-lite PROG`, whose flags can't be abbreviated."""
    return argparse.ArgumentParser(
        prog=f"crossplane-lite {prog}",
        description=description,
        epilog=epilog,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )


def _wrapped(line: str, width: int, indent: str) -> str:
    # keep example commands whole
    if len(line) <= width or (line.startswith(" ") and "crossplane-lite " in line):
        return indent + line
    columns = re.match(r"(?: +\S+  +| *)", line)
    assert columns is not None  # the pattern matches an empty string, too
    return textwrap.fill(
        line,
        width,
        initial_indent=indent,
        subsequent_indent=indent + " " * columns.end(),
        break_long_words=False,
    )

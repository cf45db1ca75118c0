"""Counts lines of code, without docstrings, comments and blanks: `python -m tests.lines` prints them and the budget."""

from __future__ import annotations

import configparser
import functools
import io
import tokenize
from collections import Counter
from pathlib import Path

from tests.import_graph import ROOT, module_name, outline, room_of

__all__ = ["BUDGET", "budget", "lines_of_code", "lines_of_rooms", "lines_of_tokens", "plain_lines"]

# The lines that each room may have. Who needs more says in the commit why this room has to have more.
BUDGET = Path(__file__).parent / "lines.cfg"

_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def lines_of_code(source: str) -> int:
    """Return how many lines of a module have code on them."""
    docstrings = outline(source).docstrings
    # Reading tokens takes most of the time, and there is need of it only where a string besides
    # docstrings goes over lines, which may look like comments or be blank.
    long = sum(first < last for first, last in docstrings)
    begun = sum(line.count('"""') % 2 for line in source.split("\n"))
    is_plain = begun == 2 * long and "'''" not in source
    code = plain_lines(source) if is_plain else lines_of_tokens(source)
    for first, last in docstrings:
        code.difference_update(range(first, last + 1))
    return len(code)


def plain_lines(source: str) -> set[int]:
    """Return the numbers of the lines that are neither blank nor comments."""
    lines = enumerate(source.split("\n"), 1)
    return {number for number, line in lines if line.strip() and line.lstrip()[0] != "#"}


def lines_of_tokens(source: str) -> set[int]:
    """Return the numbers of the lines on which tokens of code stand, or parts of them."""
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            code.update(range(token.start[0], token.end[0] + 1))
    return code


@functools.cache
def lines_of_rooms() -> dict[str, int]:
    """Return the lines of code of each room; the doors at the package's top are one room, `doors`."""
    found: Counter[str] = Counter()
    for path in ROOT.rglob("*.py"):
        door = path.parent == ROOT
        room = "doors" if door else room_of(module_name(path))
        found[room] += lines_of_code(path.read_text(encoding="utf-8"))
    return dict(found)


def budget() -> dict[str, int]:
    """Return the lines that each room may have."""
    file = configparser.ConfigParser()
    file.read(BUDGET, encoding="utf-8")
    return {room: int(lines) for room, lines in file["lines of code"].items()}


if __name__ == "__main__":
    allowed = budget()
    for room, lines in sorted(lines_of_rooms().items()):
        print(f"{room:<20}{lines:>7}{allowed.get(room, 0):>7}")
    print(f"{'all':<20}{sum(lines_of_rooms().values()):>7}{sum(allowed.values()):>7}")

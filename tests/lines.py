"""Counts lines of code, without docstrings, comments and blanks: `python -m tests.lines` prints them and the budget."""

from __future__ import annotations

import ast
import configparser
import io
import tokenize
from collections import Counter
from pathlib import Path

from tests.import_graph import ROOT, room_of

__all__ = ["BUDGET", "lines_of_code", "lines_of_rooms"]

# The lines that each room may have. Who needs more says in the commit why this room has to have more.
BUDGET = Path(__file__).parent / "lines.cfg"

_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lines_of_code(source: str) -> int:
    """Return how many lines of a module have code on them."""
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            code.difference_update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return len(code)


def lines_of_rooms() -> dict[str, int]:
    """Return the lines of code of each room; the doors at the package's top are one room, `doors`."""
    found: Counter[str] = Counter()
    for path in ROOT.rglob("*.py"):
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
        door = path.parent == ROOT
        found["doors" if door else room_of(name)] += lines_of_code(path.read_text(encoding="utf-8"))
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

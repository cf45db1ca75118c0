"""Measures how plain the code is: `python -m tests.plain` prints the nodes of each room and their budget."""

from __future__ import annotations

import ast
import configparser
import functools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.import_graph import ROOT, module_name, room_of

__all__ = ["BUDGET", "Function", "budget", "complexity", "functions", "nodes", "nodes_of_rooms"]

# The nodes that each room may have. Whoever needs more says in the commit why this room has to have more.
BUDGET = Path(__file__).parent / "plain.cfg"

_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension, ast.match_case)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DOCUMENTED = (ast.Module, ast.ClassDef, *_FUNCTIONS)


class Function(NamedTuple):
    """A function of the package.

    Attributes:
        place: Its module and name, such as `_core/call/call.py release`.
        complexity: Its cyclomatic complexity.
    """

    place: str
    complexity: int


def nodes(source: str) -> int:
    """Return the number of nodes of a module's syntax tree, without docstrings and the contexts of names."""
    tree = ast.parse(source)
    found = sum(not isinstance(node, (ast.expr_context, ast.Module)) for node in ast.walk(tree))
    # A docstring is an expression with a constant.
    documented = [one for one in ast.walk(tree) if isinstance(one, _DOCUMENTED)]
    return found - 2 * sum(ast.get_docstring(one, clean=False) is not None for one in documented)


def complexity(function: ast.AST) -> int:
    """Return the cyclomatic complexity of a function, without the functions inside of it."""
    found = 1
    work = list(ast.iter_child_nodes(function))
    while work:
        node = work.pop()
        if isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            continue
        found += isinstance(node, _BRANCHES)
        if isinstance(node, ast.BoolOp):
            found += len(node.values) - 1
        if isinstance(node, ast.comprehension):
            found += len(node.ifs)
        work.extend(ast.iter_child_nodes(node))
    return found


def _sources() -> Iterator[tuple[Path, str]]:
    for path in sorted(ROOT.rglob("*.py")):
        yield path, path.read_text(encoding="utf-8")


@functools.cache
def nodes_of_rooms() -> dict[str, int]:
    """Return the nodes of each room; the doors at the package's top are one room, `doors`."""
    found: Counter[str] = Counter()
    for path, source in _sources():
        room = "doors" if path.parent == ROOT else room_of(module_name(path))
        found[room] += nodes(source)
    return dict(found)


@functools.cache
def functions() -> tuple[Function, ...]:
    """Return all functions of the package."""
    found = []
    for path, source in _sources():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, _FUNCTIONS):
                found.append(Function(f"{path.relative_to(ROOT)} {node.name}", complexity(node)))
    return tuple(found)


def budget() -> dict[str, int]:
    """Return the nodes that each room may have."""
    file = configparser.ConfigParser()
    file.read(BUDGET, encoding="utf-8")
    return {room: int(number) for room, number in file["nodes"].items()}


if __name__ == "__main__":
    allowed = budget()
    for room, number in sorted(nodes_of_rooms().items()):
        print(f"{room:<20}{number:>8}{allowed.get(room, 0):>8}")
    print(f"{'all':<20}{sum(nodes_of_rooms().values()):>8}{sum(allowed.values()):>8}")

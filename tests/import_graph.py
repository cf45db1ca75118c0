"""The imports of the package as a graph.

Those inside of functions and those for type checkers are among them. A worker that runs tests
parses each file once, for all tests of imports and of lines.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import crossplane_lite

__all__ = [
    "ROOT",
    "Import",
    "Outline",
    "circles",
    "import_graph",
    "imports_in",
    "module_name",
    "outline",
    "room_of",
    "uncollected",
]

ROOT = Path(crossplane_lite.__file__).parent
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Import(NamedTuple):
    """An import statement.

    Attributes:
        node: The statement.
        at_load: Whether it isn't inside of a function.
        for_checkers: Whether it is below `if TYPE_CHECKING`.
    """

    node: ast.Import | ast.ImportFrom
    at_load: bool
    for_checkers: bool


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector from syntax trees: it would walk them again and again.

    No node refers to the one above it, so trees go without it as well.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Outline(NamedTuple):
    """What tests ask of a file's syntax tree.

    Attributes:
        imports: Its import statements, wherever they stand.
        docstrings: The first and the last line of each docstring.
    """

    imports: list[Import]
    docstrings: list[tuple[int, int]]


@functools.cache  # several tests go through all files of the package
def outline(source: str) -> Outline:
    """Return the outline of a file's source."""
    found = Outline([], [])
    with uncollected():
        _outline_below(ast.parse(source), found, at_load=True, for_checkers=False)
    return found


def _outline_below(node: ast.AST, found: Outline, *, at_load: bool, for_checkers: bool) -> None:
    if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
        found.docstrings.append((node.body[0].lineno, node.body[0].end_lineno or 0))
    at_load = at_load and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    is_guard = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    # Statements stand in statements only; expressions, which are ten times as many, hold none.
    for part in ("body", "handlers", "cases", "orelse", "finalbody"):
        below = getattr(node, part, None)
        guarded = for_checkers or (is_guard and part == "body")
        for child in below if isinstance(below, list) else ():
            if isinstance(child, ast.Import | ast.ImportFrom):
                found.imports.append(Import(child, at_load, guarded))
            else:
                _outline_below(child, found, at_load=at_load, for_checkers=guarded)


def imports_in(path: Path) -> list[Import]:
    """Return the import statements of a file."""
    return outline(path.read_text(encoding="utf-8")).imports


@functools.cache
def import_graph() -> Mapping[str, set[str]]:
    """Return for each module of the package the modules of it that it imports, wherever the import stands."""
    files = {module_name(path): path for path in ROOT.rglob("*.py")}
    return {name: _imported(name, path, files.keys()) for name, path in files.items()}


def module_name(path: Path) -> str:
    """Return the dotted name of a source file of the package."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: Path, known: Iterable[str]) -> set[str]:
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node, _, _ in imports_in(path):
        wanted: list[str] = []
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *(node.module or "").split(".")]).rstrip(".")
            wanted = [one if (one := f"{source}.{alias.name}") in known else source for alias in node.names]
        found.update(one for one in wanted if one in known and one != name)
    return found


def room_of(module: str) -> str:
    """Return the path of the room that a module is in, such as `_core/models`; empty for the package itself."""
    parts = module.split(".")[1:]
    return "/".join(parts[: 2 if parts[:1] in (["_core"], ["_tools"]) else 1])


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of nodes that can all be reached from each other, of two nodes and more."""
    # Iterative, after Tarjan: a node's lowest is the earliest node on the stack that it leads back to.
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start in sorted(graph):
        work = [(start, iter(sorted(graph[start])))] if start not in index else []
        while work:
            node, below = work[-1]
            if node not in index:
                index[node] = lowest[node] = len(index)
                stack.append(node)
            following = next((one for one in below if one not in index or one in stack), None)
            if following is None:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == index[node]:
                    group = stack[stack.index(node) :]
                    del stack[stack.index(node) :]
                    if len(group) > 1:
                        found.append(sorted(group))
            elif following in index:
                lowest[node] = min(lowest[node], index[following])
            else:
                work.append((following, iter(sorted(graph[following]))))
    return found

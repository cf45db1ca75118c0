"""The imports of the package as a graph, with those inside of functions and those for type checkers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

import crossplane_lite

__all__ = ["ROOT", "circles", "import_graph", "room_of"]

ROOT = Path(crossplane_lite.__file__).parent


def import_graph() -> dict[str, set[str]]:
    """Return for each module of the package the modules of it that it imports, wherever the import stands."""
    files = {_module(path): path for path in ROOT.rglob("*.py")}
    return {name: _imported(name, path, files.keys()) for name, path in files.items()}


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: Path, known: Iterable[str]) -> set[str]:
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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

"""The dependency graph of one call: who waits for whom, and cycles in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._walk import Found, show_path
from .observable import Observable, root_of, sources

if TYPE_CHECKING:
    from ._emit import Wait

__all__ = ["Graph"]

# A composed resource by its name, or a field of the composite by its path.
Vertex = tuple[str, str]


class Graph:
    """Edges from what waits to what it waits for.

    The composite is passed through field by field: `a` that waits for `xr.status.x`, which waits for `b`, makes no
    edge from other fields of the composite.

    Attributes:
        edges: For each waiting vertex what it waits for, with the path that is shown.
    """

    def __init__(self, waiting: dict[str, list[Wait]], status: list[Found]) -> None:
        """Make the graph of resources and what they wait for, and of the unresolved fields of the composite's status."""
        self.edges: dict[Vertex, list[tuple[Vertex, str]]] = {}
        self._status: list[str] = []
        for name, waits in waiting.items():
            for wait in waits:
                self._add(("resource", name), wait.source, wait.path)
        for one in status:
            path = "xr." + show_path(one.steps)
            self._status.append(path)
            for observable in one.waits_for:
                for source in sources(observable):
                    self._add(("xr", path), source, source.source_path)

    def _add(self, waiting: Vertex, source: Observable[Any] | str, path: str) -> None:
        vertex = ("resource", source) if isinstance(source, str) else self.vertex_of(source)
        if vertex is not None:
            self.edges.setdefault(waiting, []).append((vertex, path))

    def vertex_of(self, source: Observable[Any]) -> Vertex | None:
        """Return what an Observable belongs to; None for required resources and for what can't be told."""
        root = root_of(source)
        path = source.source_path
        if root is not None:
            if root.kind == "required":
                return None
            return ("xr", path) if root.kind == "xr" else ("resource", root.name)
        head = path.partition(".")[0].partition("[")[0]
        if head == "xr":
            return ("xr", path)
        return ("resource", head) if head and head != "required" and head[0] != "(" else None

    def cycle(self, held: set[str]) -> list[str] | None:
        """Return the names along a cycle among held-back resources, the first one again at the end, or None."""
        # Iterative depth-first search in a fixed order, so that the same graph gives the same cycle.
        done: set[Vertex] = set()
        for start in sorted(self.edges):
            if start[0] != "resource" or start[1] not in held or start in done:
                continue
            way: list[Vertex] = []
            on_way: set[Vertex] = set()
            stack: list[tuple[Vertex, bool]] = [(start, False)]
            while stack:
                vertex, leaving = stack.pop()
                if leaving:
                    way.pop()
                    on_way.discard(vertex)
                    done.add(vertex)
                    continue
                if vertex in on_way:
                    names = [one[1] for one in way[way.index(vertex) :]]
                    return [*names, vertex[1]]
                if vertex in done:
                    continue
                way.append(vertex)
                on_way.add(vertex)
                stack.append((vertex, True))
                stack.extend((below, False) for below in sorted(self._below(vertex, held), reverse=True))
        return None

    def _below(self, vertex: Vertex, held: set[str]) -> set[Vertex]:
        below: set[Vertex] = set()
        for target, _ in self.edges.get(vertex, ()):
            if target[0] == "resource":
                if target[1] in held and target != vertex:
                    below.add(target)
            else:
                below.update(
                    ("xr", path) for path in self._status if _overlap(path, target[1]) and ("xr", path) != vertex
                )
        return below

    def lines(self) -> list[str]:
        """Return the edges as text, `what is needed -> what needs it`, sorted."""
        shown = set()
        for waiting, targets in self.edges.items():
            for target, path in targets:
                source = target[1] if target[0] == "resource" else "xr"
                shown.add(f"{source} -> {waiting[1]}" + (f" ({path})" if path != source else ""))
        return sorted(shown)


def _overlap(one: str, other: str) -> bool:
    """Say whether one path is the other, or leads to it."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and long[len(short) : len(short) + 1] in ("", ".", "[")

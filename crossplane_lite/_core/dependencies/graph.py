"""The dependency graph of one call: which resource waits for which, and cycles in it.

A vertex is a composed resource, a field of the composite, or a requirement (a request to Crossplane
for other resources). An edge leads from a vertex that needs a missing value to the vertex that the
value belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ..models.walker import Found, show_path
from ..observed.observable import Observable, root_of, sources
from ..paths.text import prefixes

# ("resource", a name), ("xr", the path of a field of the composite), or ("required", the key of a
# requirement).
Vertex = tuple[str, str]
UNKNOWN: Final = ("", "")

# The names of two composed resources: the dependent and its dependency.
Edge = tuple[str, str]

# A map's key in brackets that a path can also have after a dot. Reading and setting may write the
# same key differently.
_PLAIN_KEY: Final = re.compile(r'\["([A-Za-z0-9_-]+)"\]')


Source = Observable | str
"""A value that is waited for, or the name of a resource that must be ready before
(`depends_on`).
"""


class Graph:
    """The dependencies of a call, as edges from waiting vertices to the vertices that they wait
    for.

    Each field of the composite is a vertex of its own. If `a` waits for `xr.status.x`, which waits
    for `b`, then `a` waits for `b`, but not for values that other fields of the composite wait for.

    Attributes:
        edges: The vertices that each waiting vertex waits for, each with the path of the awaited
            value for people.
    """

    def __init__(self) -> None:
        self.edges: dict[Vertex, list[tuple[Vertex, str]]] = {}
        # The waiting fields of the composite, by their own path and by each path above it.
        self._status: dict[str, set[str]] = {}

    def add(
        self,
        waiting: Mapping[str, Sequence[Source]],
        composite: dict[str, list[Observable]],
        unsent: Mapping[str, list[Observable]] | None = None,
    ) -> None:
        """Add an edge from each waiting resource, field and requirement to the owner of the value
        that it waits for.

        `waiting` is by the resource's name, `composite` by the field's path, such as `xr.status.x`,
        and `unsent` by the requirement's key.
        """
        for path in composite:
            field = self.field_of(path)
            for prefix in prefixes(field):
                self._status.setdefault(prefix, set()).add(field)
        for name, sources_of in waiting.items():
            self._add_all(("resource", name), sources_of)
        for key, values in (unsent or {}).items():
            self._add_all(("required", key), values)
        for path, values in composite.items():
            self._add_all(("xr", self.field_of(path)), values)

    def _add_all(self, dependent: Vertex, found: Iterable[Source]) -> None:
        for one in found:
            if isinstance(one, str):
                self._add(dependent, ("resource", one), one)
                continue
            for value in sources(one):
                self._add(dependent, self._owner_of(value), value.source_path)

    def field_of(self, path: str) -> str:
        """Return the name that a field of the composite has in this graph."""
        # With `.key` in place of `["key"]`, so that both spellings are equal. Unusual keys keep
        # brackets.
        return _PLAIN_KEY.sub(r".\1", path)

    def _add(self, dependent: Vertex, vertex: Vertex, path: str) -> None:
        self.edges.setdefault(dependent, []).append((vertex, path))

    def _owner_of(self, value: Observable) -> Vertex:
        """Return the vertex that a value belongs to; `UNKNOWN` for one without an owner, as for a
        part of a string.
        """
        root, path = root_of(value), value.source_path
        if root is not None:
            kind, name = root.kind, root.name
        else:
            name = path.partition(".")[0].partition("[")[0]
            kind = "xr" if name == "xr" else "resource"
            if name in ("", "required") or name[0] == "(":
                return UNKNOWN
        if kind == "xr":
            return "xr", self.field_of(path)
        return "required" if kind == "required" else "resource", name

    def cycle(self, held: set[str]) -> list[str] | None:
        """Return the names along a cycle; None if there is no cycle.

        The first name is also the last. The cycle may lead through fields of the composite and
        requirements. A resource or field that waits directly for itself isn't a cycle. The same
        graph always gives the same cycle. Only resources in `held`, which the step doesn't create
        yet, count.
        """
        from graphlib import CycleError, TopologicalSorter

        below: dict[Vertex, list[Vertex]] = {}
        for vertex in sorted(self.edges):
            targets = {
                target
                for target in self._below(vertex)
                if target in self.edges and target != vertex
            }
            below[vertex] = sorted(
                target for target in targets if target[0] != "resource" or target[1] in held
            )
        try:
            TopologicalSorter(below).prepare()
        except CycleError as error:
            # each vertex is before those that wait for it, and the last is the first
            _, *way = reversed(error.args[1])
            first = way.index(min(way))
            return [shown_vertex(vertex) for vertex in (*way[first:], *way[: first + 1])]
        return None

    def _below(self, vertex: Vertex) -> Iterator[Vertex]:
        """Yield the resources, requirements and fields of the composite that a vertex waits for
        directly.
        """
        for target, _ in self.edges.get(vertex, ()):
            if target[0] == "xr":
                yield from self._fields_at(target[1])
            else:
                yield target

    def _fields_at(self, path: str) -> set[Vertex]:
        """Return the waiting fields of the composite at `path`, below it, or above it."""
        paths = set(self._status.get(path, ()))
        paths.update(prefix for prefix in prefixes(path) if prefix in self._status.get(prefix, ()))
        return {("xr", field) for field in paths}

    def set_at(self, vertex: Vertex) -> set[Vertex]:
        """Return the composite's waiting fields at, below or above `vertex`'s path; only `vertex`
        if there are none.
        """
        return (self._fields_at(vertex[1]) if vertex[0] == "xr" else set()) or {vertex}

    def dependencies(self) -> set[Edge]:
        """Return the edges between composed resources, also those that lead through fields of the
        composite.

        Edges from a resource to itself are included. Required resources aren't, and edges don't
        lead through them.
        """
        found: set[Edge] = set()
        for waiting in self.edges:
            if waiting[0] != "resource":
                continue
            work = [waiting]
            seen: set[Vertex] = set()
            while work:
                for target in self._below(work.pop()):
                    if target[0] == "resource":
                        found.add((waiting[1], target[1]))
                    elif target[0] == "xr" and target not in seen:
                        seen.add(target)
                        work.append(target)
        return found


def fields_of(found: Iterable[Found], top: str = "") -> dict[str, list[Observable]]:
    """Return the values that fields wait for, by the field's path behind `top`, such as
    `xr.status.x`.
    """
    fields: dict[str, list[Observable]] = {}
    for one in found:  # an entry of a map can wait twice: for its key and for its value
        fields.setdefault(top + show_path(one.steps), []).extend(one.waits_for)
    return fields


def shown_vertex(vertex: Vertex) -> str:
    """Return a vertex as people see it: a resource's name, a path such as `xr.status.x`, or
    `required.` and a key.
    """
    return f"required.{vertex[1]}" if vertex[0] == "required" else vertex[1]


def components(edges: Iterable[Edge]) -> dict[str, str]:
    """Map each name in `edges` to its strongly connected component, which is given as one of the
    component's names.

    Two names are in the same component if each can be reached from the other. Then they are on a
    cycle.
    """
    below: dict[str, set[str]] = {}
    above: dict[str, set[str]] = {}
    for dependent, dependency in edges:
        for start, end, ways in ((dependent, dependency, below), (dependency, dependent, above)):
            ways.setdefault(start, set()).add(end)
            ways.setdefault(end, set())
    # Kosaraju's algorithm: the names in the order in which searches leave them, and in the opposite
    # order what can be reached from each against the direction of the edges.
    order: list[str] = []
    seen: set[str] = set()
    for start in below:
        order += _reached(start, below, seen)
    found: dict[str, str] = {}
    seen = set()
    for start in reversed(order):
        found.update(dict.fromkeys(_reached(start, above, seen), start))
    return found


def _reached(start: str, ways: Mapping[str, Iterable[str]], seen: set[str]) -> list[str]:
    """Return what can be reached from a name and wasn't seen before, in the order in which the
    search leaves it.
    """
    left = []
    stack = [(start, False)]
    while stack:
        name, leaving = stack.pop()
        if leaving:
            left.append(name)
        elif name not in seen:
            seen.add(name)
            stack.append((name, True))
            stack += [(other, False) for other in ways[name]]
    return left

"""Writes a graph as plain text, for terminals and diffs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..._core.base.texts import escaped, shortened
from ..render.output import aligned
from .graph import DrawnNode, Edge, Graph, Sort

_WIDEST: Final = 80


def text(graph: Graph) -> str:
    """Return a graph as lines: first a summary, then each node with its kind and state, and its
    dependencies below it.

    Nodes are sorted by wave, if the graph is of a simulation; nodes without a wave come last. Nodes
    of the same wave are sorted by the length of their longest chain of dependencies
    (`Graph.levels`), then by name.
    """
    levels = graph.levels
    needs: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        needs.setdefault(edge.dependent, []).append(edge)
    lines = [_summary(graph)]
    wave: int | None = None
    nodes = sorted(
        graph.nodes,
        key=lambda node: (node.wave is None, node.wave or 0, levels[node.name], node.name),
    )
    for node, line in zip(nodes, aligned([*map(_cells, nodes)]), strict=True):
        if node.wave != wave:
            wave = node.wave
            lines += ["", f"wave {wave}" if wave is not None else "no wave"]
        lines.append(line)
        lines += (f"    {need}" for edge in needs.get(node.name, ()) for need in _needs(edge))
    return "\n".join([*lines, ""])


def _summary(graph: Graph) -> str:
    counted = ", ".join(f"{count} {state.value}" for state, count in graph.states().items())
    return ": ".join(
        part for part in (escaped(graph.title), counted or "no composed resources") if part
    )


def _cells(node: DrawnNode) -> tuple[str, str, str]:
    about = escaped(node.kind) if node.sort is Sort.RESOURCE or node.kind else node.sort.value
    return (
        shortened(escaped(node.name), _WIDEST),
        shortened(about, _WIDEST),
        node.state.value + (" (in a cycle)" if node.in_cycle else ""),
    )


def _needs(edge: Edge) -> Iterator[str]:
    for path in edge.paths:
        missing = path in edge.missing
        if edge.is_gate(path):
            yield f"needs {escaped(path)} to be ready" + (", which it isn't yet" if missing else "")
            continue
        shown = escaped(path)
        if not path.startswith(edge.dependency):  # a field that is read above the one that is set
            shown += f" ({escaped(edge.dependency)})"
        yield f"needs {shown}" + (", which has no value yet" if missing else "")

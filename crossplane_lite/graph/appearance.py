"""The looks and labels of nodes and edges, in whatever format they are drawn.

Each state has a colour, a shape and its name on the node, so that nobody needs the colour to recognise it. The colours
are tints of the palette of Okabe and Ito, which colour-blind people can tell apart. Nodes have dark text on a light
background of their own; everything outside of nodes is a grey that can be read on white and on black.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from .._terminal.excerpts import shortened
from .._terminal.lines import escaped
from .graph import DrawnNode, Edge, Graph, Sort, State

__all__ = [
    "CYCLE",
    "LINE",
    "LOOKS",
    "TEXT",
    "Look",
    "edge_label",
    "edge_tooltip",
    "escaped",
    "legend_entries",
    "node_lines",
    "node_tooltip",
    "shortened",
]

LINE: Final = "#767f8a"
TEXT: Final = "#1b1f24"
CYCLE: Final = "#dc4310"

_LONGEST_NAME: Final = 40
_LONGEST_PATH: Final = 30
_MOST_PATHS: Final = 2
# Nearly every value that others need of a managed resource is below one of these paths.
_USUAL: Final = ("status.atProvider.", "status.")


class Look(NamedTuple):
    """How nodes in one state look.

    Attributes:
        fill: The colour of the background.
        stroke: The colour of the border.
        dot: The shape of the node in DOT.
        style: The style of the node in DOT.
        mermaid: The brackets around the node's label in Mermaid, which give its shape.
    """

    fill: str
    stroke: str
    dot: str
    style: str
    mermaid: tuple[str, str]


_BOX: Final = ("[", "]")
_ROUND: Final = ("(", ")")

LOOKS: Final = {
    State.READY: Look("#bfe8d8", "#00795a", "box", "filled,rounded", _ROUND),
    State.EXISTS: Look("#cfe5f7", "#0b66a8", "box", "filled", _BOX),
    State.CREATE: Look("#fdf2bd", "#8a7300", "box", "filled,dashed", ("[/", "/]")),
    State.HELD: Look("#fcd7a6", "#b35900", "octagon", "filled", ("{{", "}}")),
    State.DELETE: Look("#f3c9df", "#9c2c6c", "box", "filled,diagonals", ("[[", "]]")),
    State.POSSIBLE: Look("#f6f8fa", "#767f8a", "box", "filled,dotted", (">", "]")),
    State.UNKNOWN: Look("#f8d3c8", "#b3300a", "box", "filled,dotted", ("[\\", "\\]")),
    State.SET: Look("#eceff2", "#57606a", "note", "filled", ("([", "])")),
    State.UNSET: Look("#ffffff", "#57606a", "note", "filled,dashed", ("([", "])")),
    State.FOUND: Look("#e2dcf7", "#5c47a5", "cylinder", "filled", ("[(", ")]")),
    State.MISSING: Look("#ffffff", "#b3300a", "cylinder", "filled,dashed", ("[(", ")]")),
}


def node_lines(node: DrawnNode) -> list[str]:
    """Return the lines on a node: its name, its kind and its state."""
    lines = [shortened(escaped(node.name), _LONGEST_NAME)]
    if node.kind:
        lines.append(shortened(escaped(node.kind), _LONGEST_NAME))
    return [*lines, node.state.value + (", in a cycle" if node.in_cycle else "")]


def node_tooltip(node: DrawnNode) -> str:
    """Return all that is known about a node, on one line."""
    about = [escaped(node.name), escaped(node.kind), node.sort.value, node.state.value]
    if node.wave is not None:
        about.append(f"wave {node.wave}")
    if node.in_cycle:
        about.append("in a cycle")
    return " · ".join(part for part in about if part)


def edge_label(edge: Edge) -> str:
    """Return the label of an edge: the ends of its first two paths, and how many more there are.

    The label is empty if the paths say no more than the dependency's name.
    """
    labels = list(dict.fromkeys(label for path in edge.paths if (label := _path_label(edge, path))))
    more = len(labels) - _MOST_PATHS
    text = ", ".join(labels[:_MOST_PATHS]) + (f" and {more} more" if more > 0 else "")
    if not edge.in_cycle:
        return text
    return f"cycle: {text}" if text else "cycle"


def _path_label(edge: Edge, path: str) -> str:
    if edge.is_gate(path):
        return "is ready"
    if edge.dependency.startswith(path):
        return ""  # the dependency is a part of the value
    label = path.removeprefix(edge.dependency)
    if label.startswith("[0]"):
        label = label[3:]
    label = label.removeprefix(".")
    for usual in _USUAL:
        label = label.removeprefix(usual)
    label = escaped(label)
    return label if len(label) <= _LONGEST_PATH else "…" + label[1 - _LONGEST_PATH :]


def edge_tooltip(edge: Edge) -> str:
    """Return all that is known about an edge, on one line."""
    dependent, dependency = escaped(edge.dependent), escaped(edge.dependency)
    needs = [f"that {dependency} is ready" if edge.is_gate(path) else escaped(path) for path in edge.paths]
    about = [f"{dependent} needs {', '.join(needs)}"]
    if edge.waiting:
        about.append(
            "not there yet" if edge.missing == edge.paths else f"not there yet: {', '.join(map(escaped, edge.missing))}"
        )
    if edge.in_cycle:
        about.append("in a cycle")
    return " · ".join(about)


def legend_entries(graph: Graph) -> Iterator[tuple[State, str]]:
    """Yield each state that a node of a graph has, and its description for people."""
    sorts = {node.state: node.sort for node in graph.nodes}
    for state in State:
        if state in sorts:
            sort = sorts[state]
            yield state, state.value if sort is Sort.RESOURCE else f"{sort.value}: {state.value}"

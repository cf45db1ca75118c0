"""Colours, shapes and labels of nodes and edges, for all formats.

A node shows its state by colour, shape and text, so that the colour isn't needed to recognise it.
The colours are tints of the palette of Okabe and Ito, which colour-blind people can tell apart.
Nodes have dark text on a light background. Text and lines outside of nodes are grey, or orange-red
in a cycle: both can be read on white and on black.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..._core.base.texts import escaped, shortened, some
from .graph import DrawnNode, Edge, Graph, Sort, State

LINE: Final = "#767f8a"
TEXT: Final = "#1b1f24"
CYCLE: Final = "#dc4310"

_LONGEST_NAME: Final = 40
_LONGEST_PATH: Final = 30
_LONGEST_SHORT_LABEL: Final = 12
# Nearly every value that others need of a managed resource is below one of these paths.
_USUAL: Final = ("status.atProvider.", "status.")


class Look(NamedTuple):
    """The appearance of nodes in one state.

    Attributes:
        fill: The colour of the background.
        stroke: The colour of the border.
        dot: The node's `shape` in DOT.
        style: The node's `style` in DOT.
        mermaid: The opening and the closing bracket around the node's label in Mermaid; they give
            the node its shape.
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
    """Return the lines of a node's text: its name, its kind if it is known, and its state.

    The name and the kind are shortened to 40 characters.
    """
    lines = [shortened(escaped(node.name), _LONGEST_NAME)]
    if node.kind:
        lines.append(shortened(escaped(node.kind), _LONGEST_NAME))
    return [*lines, node.state.value + (", in a cycle" if node.in_cycle else "")]


def node_tooltip(node: DrawnNode) -> str:
    """Return a node's tooltip: its name, kind, sort, state and wave, and whether it is in a cycle,
    on one line.
    """
    about = [escaped(node.name), escaped(node.kind), node.sort.value, node.state.value]
    if node.wave is not None:
        about.append(f"wave {node.wave}")
    if node.in_cycle:
        about.append("in a cycle")
    return " · ".join(part for part in about if part)


def edge_label(edge: Edge) -> str:
    """Return the label of an edge: its first two paths, and how many more there are.

    A path is shown without the dependency's name and without `status.atProvider.`; a long path is
    shown without its beginning. The label is `is ready` for a dependency that must be ready. It is
    empty if the path has nothing beside the dependency's name. On a cycle, the label begins with
    `cycle`.
    """
    text = some([_without_beginning(label) for label in _path_labels(edge)], 2)
    if not edge.in_cycle:
        return text
    return f"cycle: {text}" if text else "cycle"


def short_edge_label(edge: Edge) -> str:
    """Return the label of an edge whose tooltip has the rest: a path, and how many more there are.

    The path is the first of `edge_label`. The middle of a long one is left out, so that the label
    has 12 characters.
    """
    labels = _path_labels(edge)
    if not labels:
        return ""
    more = f" +{len(labels) - 1}" if len(labels) > 1 else ""
    return shortened(labels[0], _LONGEST_SHORT_LABEL - len(more)) + more


def _path_labels(edge: Edge) -> list[str]:
    """Return the different labels of an edge's paths, in the order of the paths."""
    labels = (_path_label(edge, path) for path in edge.paths)
    return [label for label in dict.fromkeys(labels) if label]


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
    return escaped(label)


def _without_beginning(label: str) -> str:
    return label if len(label) <= _LONGEST_PATH else "…" + label[1 - _LONGEST_PATH :]


def edge_tooltip(edge: Edge) -> str:
    """Return a line for an edge's tooltip: which values the dependent needs, and which of them are
    missing.
    """
    dependent, dependency = escaped(edge.dependent), escaped(edge.dependency)
    needs = [
        f"that {dependency} is ready" if edge.is_gate(path) else escaped(path)
        for path in edge.paths
    ]
    about = [f"{dependent} needs {', '.join(needs)}"]
    if edge.waiting:
        about.append(
            "not there yet"
            if edge.missing == edge.paths
            else f"not there yet: {', '.join(map(escaped, edge.missing))}"
        )
    if edge.in_cycle:
        about.append("in a cycle")
    return " · ".join(about)


def legend_entries(graph: Graph) -> Iterator[tuple[State, str]]:
    """Yield each state that occurs in a graph, and the state's text for the legend."""
    sorts = {node.state: node.sort for node in graph.nodes}
    for state in State:
        if state in sorts:
            sort = sorts[state]
            yield state, state.value if sort is Sort.RESOURCE else f"{sort.value}: {state.value}"

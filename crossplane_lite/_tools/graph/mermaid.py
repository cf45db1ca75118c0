"""Writes a graph as a Mermaid flowchart. GitHub, GitLab and others draw such flowcharts in
Markdown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ..._core.base.texts import escaped
from . import appearance
from .appearance import CYCLE, LINE, LOOKS, TEXT
from .graph import DrawnNode, Edge, Graph

# Characters that may have a meaning for Mermaid, or for HTML and Markdown in its labels: all
# characters except the letters, digits and signs that stand in most names and paths.
_SPECIAL: Final = re.compile(r"[!-'*+:-@\[-`{-~]|[-./](?= |$)|^[-./0-9]", re.ASCII)


def mermaid(graph: Graph) -> str:
    """Return a graph as the text of a Mermaid diagram.

    An arrow goes from a resource to a resource that needs it. The resources of each wave of a
    simulation form a subgraph. Labels are shortened. A node's full text is in its tooltip. An
    edge's full text is in a comment above the edge, because edges have no tooltips.
    """
    ids = {node.name: f"n{at}" for at, node in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    if graph.title:
        lines[:0] = ["---", f"title: {json.dumps(escaped(graph.title), ensure_ascii=False)}", "---"]
    lines += _nodes(graph, ids)
    for edge in graph.edges:
        lines += _edge(edge, ids)
    lines += _edge_styles(graph)
    lines += _legend(graph)
    for state in {node.state: None for node in graph.nodes}:
        look = LOOKS[state]
        dashed = (
            ",stroke-dasharray:5 3" if {"dashed", "dotted"} & set(look.style.split(",")) else ""
        )
        lines.append(
            f"  classDef {_CLASSES[state]}"
            f" fill:{look.fill},stroke:{look.stroke},color:{TEXT}{dashed}"
        )
    if any(node.in_cycle for node in graph.nodes):
        lines.append(f"  classDef cycle stroke:{CYCLE},stroke-width:3px")
    return "\n".join([*lines, ""])


_CLASSES: Final = {state: str(state.name).lower() for state in LOOKS}


def _nodes(graph: Graph, ids: Mapping[str, str]) -> Iterator[str]:
    for wave, nodes in graph.waves:
        shown = (line for node in nodes for line in _node(node, ids[node.name]))
        if wave is None:
            yield from shown
            continue
        yield f'  subgraph wave{wave}["wave {wave}"]'
        yield from shown
        yield "  end"
        yield _plain_ground(f"wave{wave}")


def _node(node: DrawnNode, id_: str) -> Iterator[str]:
    shown = appearance.node_lines(node)
    label = "<br/>".join(_escaped(line) for line in shown)
    opening, closing = LOOKS[node.state].mermaid
    yield f'  {id_}{opening}"{label}"{closing}:::{_CLASSES[node.state]}'
    if node.in_cycle:
        yield f"  class {id_} cycle"
    if "…" in "".join(shown):
        # A tooltip comes with a callback only; this one doesn't exist, so that a click does
        # nothing.
        yield f'  click {id_} nothing "{_escaped(appearance.node_tooltip(node))}"'


def _edge(edge: Edge, ids: Mapping[str, str]) -> Iterator[str]:
    label = appearance.edge_label(edge)
    arrow = "==>" if edge.in_cycle else "-.->" if edge.waiting else "-->"
    text = f'|"{_escaped(label)}"|' if label else ""
    if "…" in label or label.endswith(" more"):
        yield f"  %% {_escaped(appearance.edge_tooltip(edge))}"
    yield f"  {ids[edge.dependency]} {arrow}{text} {ids[edge.dependent]}"


def _edge_styles(graph: Graph) -> Iterator[str]:
    cyclic = ",".join(str(at) for at, edge in enumerate(graph.edges) if edge.in_cycle)
    if graph.edges:
        yield f"  linkStyle default stroke:{LINE}"
    if cyclic:
        yield f"  linkStyle {cyclic} stroke:{CYCLE},stroke-width:3px"


def _legend(graph: Graph) -> Iterator[str]:
    title = "legend: what is needed --> what needs it"
    if any(edge.waiting for edge in graph.edges):
        title += ", dotted while there is no value"
    if any(edge.in_cycle for edge in graph.edges):
        title += ", thick in a cycle"
    yield f'  subgraph legend["{_escaped(title)}"]'
    for at, (state, text) in enumerate(appearance.legend_entries(graph)):
        opening, closing = LOOKS[state].mermaid
        yield f'    legend{at}{opening}"{_escaped(text)}"{closing}:::{_CLASSES[state]}'
    yield "  end"
    yield _plain_ground("legend")


def _plain_ground(subgraph: str) -> str:
    return f"  style {subgraph} fill:none,stroke:{LINE},stroke-dasharray:2 4"


def _escaped(text: str) -> str:
    """Return a text for a quoted label, with codes such as `#34;` for the characters that have a
    meaning in Mermaid.
    """
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", text)

"""Graphs in Mermaid: what is written there is read back by a small grammar of what Mermaid accepts."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.graph.appearance import LOOKS, edge_label, edge_tooltip, node_lines, node_tooltip
from crossplane_lite._tools.graph.graph import DrawnNode, Edge, Graph, Sort, State
from crossplane_lite._tools.graph.mermaid import mermaid
from tests.graph.graphs import drawn, existing, nasty

# Nothing in a label that means something to Mermaid but codes, and our own line breaks.
TEXT = r"(?:[A-Za-z0-9 (),./\-]|[^\x00-\x7f]|#[0-9]+;|<br/>)*"
SHAPES = "|".join(
    f'(?:{re.escape(opening)}"{TEXT}"{re.escape(closing)})' for opening, closing in {x.mermaid for x in LOOKS.values()}
)
LINES = {
    "node": rf"(?P<id>\w+)(?P<shape>{SHAPES}):::[a-z]+",
    "edge": rf'(?P<start>n\d+) (?P<arrow>-->|-\.->|==>)(?:\|"(?P<label>{TEXT})"\|)? (?P<end>n\d+)',
    "subgraph": rf'subgraph \w+\["{TEXT}"\]',
    "end": "end",
    "class": r"class n\d+ cycle",
    "click": rf'click (?P<clicked>n\d+) nothing "(?P<tip>{TEXT})"',
    "comment": rf"%% (?P<comment>{TEXT})",
    "style": r"style \w+ [a-z#0-9:, -]+",
    "linkStyle": r"linkStyle (?:default|\d+(?:,\d+)*) [a-z#0-9:, -]+",
    "classDef": r"classDef \w+ [a-z#0-9:, -]+",
}


def decoded(text: str) -> str:
    """Return what Mermaid shows for a label."""
    return html.unescape(re.sub(r"#(\d+);", r"&#\1;", text))


def read(text: str) -> dict[str, list[Any]]:
    """Return the lines of a diagram by what they are."""
    lines = text.splitlines()
    if lines[0] == "---":
        assert lines[1].startswith('title: "')
        assert lines[2] == "---"
        del lines[:3]
    assert lines[0] == "flowchart LR"
    found: dict[str, list[Any]] = {kind: [] for kind in LINES}
    depth = 0
    for line in lines[1:]:
        kinds = [(kind, match) for kind, rule in LINES.items() if (match := re.fullmatch(rule, line.strip(" ")))]
        assert len(kinds) == 1, line
        kind, match = kinds[0]
        depth += {"subgraph": 1, "end": -1}.get(kind, 0)
        found[kind].append(match)
    assert depth == 0
    return found


def check(graph: Graph) -> None:
    """Check that every node and edge of a graph is in its diagram, with its texts."""
    found = read(mermaid(graph))
    shown = {}
    for match in found["node"]:
        label = re.search(r'"(.*)"', match["shape"])
        assert label is not None
        shown[match["id"]] = [decoded(line) for line in label[1].split("<br/>")]
    for at, node in enumerate(graph.nodes):
        assert shown[f"n{at}"] == node_lines(node)
    ids = {node.name: f"n{at}" for at, node in enumerate(graph.nodes)}
    edges = [(match["end"], match["start"], decoded(match["label"] or "")) for match in found["edge"]]
    assert edges == [(ids[edge.dependent], ids[edge.dependency], edge_label(edge)) for edge in graph.edges]


def test_shop() -> None:
    """A usual graph has its nodes, edges and states."""
    check(drawn())
    check(drawn(observed=[existing("database", host="h")]))
    check(drawn(cycle=True))


def test_nasty_names() -> None:
    """Names that mean something to Mermaid, HTML or Markdown are texts like any other."""
    check(nasty())


@given(st.lists(st.text(min_size=1), unique=True, min_size=2, max_size=5))
def test_any_names(names: list[str]) -> None:
    """Whatever nodes are called, the diagram is one."""
    nodes = [DrawnNode(name, Sort.RESOURCE, name, State.READY) for name in names]
    check(Graph(names[0], nodes, [Edge(names[1], names[0], (f"{names[0]}.{names[1]}",))], []))


def test_what_is_shortened() -> None:
    """What a label has no room for is complete in the node's tooltip, and in a comment before the edge."""
    names = ["a" * 300, "b"]
    edge = Edge("b", names[0], tuple(f"{names[0]}.status.{letter * 50}" for letter in "xyz"))
    graph = Graph("", [DrawnNode(name, Sort.RESOURCE, "", State.READY) for name in names], [edge], [])
    found = read(mermaid(graph))
    assert [decoded(match["tip"]) for match in found["click"]] == [node_tooltip(graph.nodes[0])]
    assert [decoded(match["comment"]) for match in found["comment"]] == [edge_tooltip(edge)]


@pytest.mark.parametrize(
    ("edge", "arrow"),
    [
        (Edge("b", "a", ("a.x",)), "-->"),
        (Edge("b", "a", ("a.x",), ("a.x",)), "-.->"),
        (Edge("b", "a", ("a.x",), ("a.x",), True), "==>"),
    ],
)
def test_arrows(edge: Edge, arrow: str) -> None:
    """Lines tell what waits and what is on a cycle, and the legend says so."""
    nodes = [DrawnNode(name, Sort.RESOURCE, "", State.READY) for name in "ab"]
    text = mermaid(Graph("", nodes, [edge], []))
    assert [match["arrow"] for match in read(text)["edge"]] == [arrow]
    legend = next(line for line in text.splitlines() if "subgraph legend" in line)
    assert ("dotted" in legend, "thick" in legend) == (edge.waiting, edge.in_cycle)


def test_waves() -> None:
    """The waves of a simulation are subgraphs in their order, with their nodes in them."""
    text = mermaid(drawn(waves={"database": 1, "user": 2, "grant": 10}))
    waves = re.findall(r'subgraph wave\d+\["(wave \d+)"\]\n *(.*)', text)
    assert [wave for wave, _ in waves] == ["wave 1", "wave 2", "wave 10"]
    assert ["database" in waves[0][1], "user" in waves[1][1], "grant" in waves[2][1]] == [True] * 3


def test_empty() -> None:
    """A graph without nodes is a diagram."""
    check(Graph("", [], [], []))

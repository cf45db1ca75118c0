"""Graphs in DOT: read back by Graphviz and compared with the graph."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.graph.appearance import LOOKS, edge_tooltip, node_lines, node_tooltip, short_edge_label
from crossplane_lite._tools.graph.dot import dot
from crossplane_lite._tools.graph.graph import DrawnNode, Edge, Graph, Sort, State
from tests.graph.graphs import drawn, existing, nasty, needs_dot

pytestmark = needs_dot


def parsed(text: str) -> dict[str, Any]:
    """Return a DOT file as Graphviz reads it, without a layout."""
    done = subprocess.run(["dot", "-Tdot_json"], input=text.encode(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def label_lines(label: str) -> list[str]:
    """Return the lines of an HTML-like label as texts."""
    element = ET.fromstring(f"<x>{label}</x>")
    lines = [""]
    for part in element.iter():
        if part.tag == "br":
            lines.append("")
        elif part.text:
            lines[-1] += part.text
        if part.tail:
            lines[-1] += part.tail
    return lines


def sign(text: str) -> str:
    """Return a text with the sign that stands for a backslash."""
    return text.replace("\\", "⧵")


def quoted(text: str) -> str:
    """Return a text as an attribute has it, in which an entity would be one."""
    return sign(text).replace("&", "&amp;")


def check(graph: Graph) -> None:
    """Check that every node and edge of a graph is in its DOT file, with its texts."""
    read = parsed(dot(graph))
    objects = {one["name"]: one for one in read["objects"] if "nodes" not in one}
    for at, node in enumerate(graph.nodes):
        shown = objects.pop(f"n{at}")
        assert label_lines(shown["label"]) == [sign(line) for line in node_lines(node)]
        assert shown["tooltip"] == quoted(node_tooltip(node))
        assert shown["shape"] == LOOKS[node.state].dot
        assert shown["fillcolor"] == LOOKS[node.state].fill
    assert set(objects) == {"legend"}
    names = {one["_gvid"]: one["name"] for one in read["objects"]}
    ids = {node.name: f"n{at}" for at, node in enumerate(graph.nodes)}
    edges = {
        (names[one["head"]], names[one["tail"]]): one for one in read.get("edges", ()) if one.get("style") != "invis"
    }
    assert set(edges) == {(ids[edge.dependent], ids[edge.dependency]) for edge in graph.edges}
    for edge in graph.edges:
        shown = edges[ids[edge.dependent], ids[edge.dependency]]
        assert shown["tooltip"] == quoted(edge_tooltip(edge))
        label = short_edge_label(edge)
        assert label_lines(shown.get("headlabel", "")) == [sign(label)]


def test_shop() -> None:
    """A usual graph is read back as it is."""
    check(drawn())
    check(drawn(observed=[existing("database", host="h"), existing("old")]))
    check(drawn(cycle=True))


def test_nasty_names() -> None:
    """Names that mean something to Graphviz are texts like any other."""
    check(nasty())


@pytest.mark.slow
@settings(max_examples=25)
@example(["]", "[", "]]>"])
@given(st.lists(st.text(min_size=1), unique=True, min_size=2, max_size=4))
def test_any_names(names: list[str]) -> None:
    """Whatever nodes are called, Graphviz reads it back."""
    nodes = [DrawnNode(name, Sort.RESOURCE, name, State.READY) for name in names]
    check(Graph(names[0], nodes, [Edge(names[1], names[0], (f"{names[0]}.{names[1]}",))], []))


def test_waves() -> None:
    """The waves of a simulation are clusters, each one column."""
    read = parsed(dot(drawn(waves={"database": 1, "user": 2, "replica": 2})))
    names = {one["_gvid"]: one["name"] for one in read["objects"]}
    clusters = {
        one["name"]: (one["label"], len(one["nodes"])) for one in read["objects"] if one["name"].startswith("cluster")
    }
    assert clusters == {"cluster_wave_1": ("wave 1", 1), "cluster_wave_2": ("wave 2", 2)}
    assert [one["style"] for one in read["edges"] if names[one["head"]] == "n4" and one.get("style") == "invis"]


def test_wave_with_an_edge_in_it() -> None:
    """Nodes of one wave that need each other stand side by side."""
    text = dot(drawn(waves={"database": 1, "user": 1}))
    assert "    rank=same;" not in text
    check(drawn(waves={"database": 1, "user": 1}))


def test_attributes() -> None:
    """The graph's attributes can be others."""
    assert parsed(dot(drawn(), bgcolor="black", dpi="300"))["bgcolor"] == "black"


def test_empty() -> None:
    """A graph without nodes is one with a legend."""
    check(Graph("", [], [], []))

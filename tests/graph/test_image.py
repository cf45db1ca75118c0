"""Graphs as pictures, by Graphviz."""

from __future__ import annotations

import os
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from crossplane_lite._tools.graph import dot as module
from crossplane_lite._tools.graph.appearance import edge_tooltip, node_lines, node_tooltip
from crossplane_lite._tools.graph.dot import image
from crossplane_lite._tools.graph.graph import DrawnNode, Edge, Graph, Sort, State
from crossplane_lite._tools.programs import process
from crossplane_lite.errors import MissingExtraError, UsageError
from tests.graph.graphs import drawn, existing, nasty, needs_pictures, spaced

SVG = "{http://www.w3.org/2000/svg}"
TITLE = "{http://www.w3.org/1999/xlink}title"


def check(graph: Graph) -> None:
    """Check that a graph's SVG has each node and each edge, with their texts."""
    root = ET.fromstring(image(graph, "svg"))
    groups = {
        (group.get("class"), group.findtext(f"{SVG}title")): group
        for group in root.iter(f"{SVG}g")
        if group.get("class") in ("node", "edge")
    }
    assert ("node", "legend") in groups
    ids = {node.name: f"n{at}" for at, node in enumerate(graph.nodes)}

    def tooltip(group: ET.Element) -> str:
        return spaced(next(one.get(TITLE, "") for one in group.iter(f"{SVG}a")))

    def sign(text: str) -> str:
        return spaced(text).replace("\\", "⧵")

    for node in graph.nodes:
        group = groups["node", ids[node.name]]
        lines = [spaced("".join(one.itertext())) for one in group.iter(f"{SVG}text")]
        assert [line for line in lines if line.strip()] == [sign(line) for line in node_lines(node) if line.strip()]
        assert tooltip(group) == sign(node_tooltip(node))
    for edge in graph.edges:
        group = groups["edge", f"{ids[edge.dependency]}->{ids[edge.dependent]}"]
        assert tooltip(group) == sign(edge_tooltip(edge))


@needs_pictures
def test_svg() -> None:
    """An SVG is well-formed XML with every node and edge."""
    check(drawn())
    check(drawn(cycle=True))
    check(drawn(observed=[existing("database"), existing("old")], waves={"database": 1, "replica": 2}))


@needs_pictures
def test_svg_of_nasty_names() -> None:
    """An SVG is well-formed whatever nodes are called."""
    check(nasty())


@needs_pictures
def test_png() -> None:
    """A PNG is one, sharp enough for today's screens."""
    data = image(drawn(), "png")
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(data[16:20], "big") > 1000


def eleven() -> Graph:
    """Return the graph of a simulation of eleven resources in five waves, with long paths, and fields of each wave."""
    waves = {"vpc": 1, "address": 1, "key": 1, "subnet-a": 2, "subnet-b": 2, "gateway": 2, "group": 3, "nat": 3}
    waves |= {"database": 4, "alarm": 5, "connection": 5}
    needs = [
        ("subnet-a", "vpc", ["status.atProvider.id"]),
        ("subnet-b", "vpc", ["status.atProvider.id"]),
        ("gateway", "vpc", ["status.atProvider.id"]),
        ("group", "subnet-a", ["status.atProvider.availabilityZone", "status.atProvider.id"]),
        ("group", "subnet-b", ["status.atProvider.availabilityZone", "status.atProvider.id"]),
        ("nat", "address", ["status.atProvider.allocationId"]),
        ("nat", "subnet-a", ["status.atProvider.id"]),
        ("database", "group", ["metadata.annotations.subnet-group-arn"]),
        ("database", "key", ["status.atProvider.arn", "status.atProvider.keyId"]),
        ("connection", "database", ['connection_details["host"]', 'connection_details["password"]']),
        ("alarm", "database", ["status.atProvider.engineVersionActual", "status.atProvider.resourceId"]),
        ("xr.status.vpcId", "vpc", ["status.atProvider.id"]),
        ("xr.status.address", "address", ["status.atProvider.publicIp"]),
        ("xr.status.version", "database", ["status.atProvider.engineVersionActual"]),
        ("alarm", "xr.status.address", []),
    ]
    nodes = [DrawnNode(name, Sort.RESOURCE, "InternetGateway", State.READY, wave) for name, wave in waves.items()]
    fields = sorted({dependent for dependent, _, _ in needs} - waves.keys())
    nodes += [DrawnNode(name, Sort.FIELD, "", State.SET) for name in fields]
    edges = [
        Edge(dependent, of, tuple(f"{of}.{path}" for path in paths) or (of,)) for dependent, of, paths in sorted(needs)
    ]
    return Graph("Database orders", nodes, edges, [])


def places(graph: Graph) -> tuple[float, dict[str, float]]:
    """Return the width of a graph's SVG in pixels, and the middle of each node, from the left, by the node's name."""
    root = ET.fromstring(image(graph, "svg"))
    middles = {}
    for group in root.iter(f"{SVG}g"):
        title = group.findtext(f"{SVG}title") or ""
        if group.get("class") == "node" and title != "legend":
            line = next(group.iter(f"{SVG}text"))
            middles[graph.nodes[int(title[1:])].name] = float(line.get("x", ""))
    return float(root.get("width", "").removesuffix("pt")) * 4 / 3, middles


@needs_pictures
def test_labels_take_no_room() -> None:
    """Labels of arrows push no waves apart: eleven resources in five waves fit on a screen, as without any label."""
    graph = eleven()
    width, middles = places(graph)
    assert width < 1600
    check(graph)
    bare = [edge._replace(paths=(edge.dependency,)) for edge in graph.edges]
    assert places(graph._replace(edges=bare)) == (pytest.approx(width, abs=40), pytest.approx(middles, abs=40))


@needs_pictures
def test_fields_have_a_column() -> None:
    """In a simulation's graph, fields of the composite are one column at the right of all waves, even those in use."""
    graph = eleven()
    _, middles = places(graph)
    fields = [middles[node.name] for node in graph.nodes if node.sort is Sort.FIELD]
    others = [middles[node.name] for node in graph.nodes if node.sort is not Sort.FIELD]
    assert max(fields) - min(fields) < 60
    assert min(fields) > max(others)
    by_wave = {wave: {middles[node.name] for node in nodes} for wave, nodes in graph.waves if wave}
    for wave in range(1, 5):
        assert max(by_wave[wave]) < min(by_wave[wave + 1])


@needs_pictures
def test_many_nodes() -> None:
    """A graph with many nodes is drawn."""
    names = [f"r{at}" for at in range(150)]
    nodes = [DrawnNode(name, Sort.RESOURCE, "Thing", State.READY, at // 10 + 1) for at, name in enumerate(names)]
    edges = [Edge(names[at], names[at - 10], (f"{names[at - 10]}.status.id",)) for at in range(10, 150)]
    check(Graph("many", nodes, edges, []))


def test_without_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the program dot one line says what to install."""
    pytest.importorskip("graphviz", reason="the package graphviz is not installed")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="apt install graphviz") as caught:
        image(drawn(), "svg")
    assert "\n" not in str(caught.value)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package graphviz one line names the extra."""
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(MissingExtraError, match=r"crossplane-lite\[cli\]"):
        image(drawn(), "png")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
def test_program_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What dot complains about is said in one line."""
    pytest.importorskip("graphviz", reason="the package graphviz is not installed")
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho 'no layout today' >&2\necho more >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    more = "(--format dot and mermaid need no program)"
    with pytest.raises(UsageError, match=f"^the program dot of Graphviz failed: no layout today {re.escape(more)}$"):
        image(drawn(), "svg")
    for script, problem in (
        ("exit 3", f"the program dot of Graphviz failed: its exit status is 3 {more}"),
        ("kill -SEGV $$", f"the program dot of Graphviz failed: it was ended by the signal SIGSEGV {more}"),
        ("exit 0", f"the program dot of Graphviz drew nothing {more}"),
        ("echo 'no plugin' >&2", f"the program dot of Graphviz drew nothing: no plugin {more}"),
        ("yes", "dot printed more than 1 MiB; try --format dot or mermaid"),
        ("sleep 600", f"dot took longer than 1 s for {len(drawn().nodes)} nodes; try --format dot or mermaid"),
    ):
        monkeypatch.setattr(module, "_TIMEOUT", 1.0 if "sleep" in script else 60.0)
        monkeypatch.setattr(process, "_LARGEST", 1 << 20)
        program.write_text(f"#!/bin/sh\n{script}\n")
        with pytest.raises(UsageError) as caught:
            image(drawn(), "svg")
        assert str(caught.value) == problem


@needs_pictures
def test_other_fonts() -> None:
    """Each line of a node's text has a length that fits into the node, whatever font shows it."""
    root = ET.fromstring(image(drawn(), "svg"))
    nodes = [one for one in root.iter(f"{SVG}g") if one.get("class") == "node" and one[0].text != "legend"]
    assert len(nodes) == len(drawn().nodes)
    for node in nodes:
        outline = next(one for one in node.iter() if one.tag in (f"{SVG}path", f"{SVG}polygon"))
        across = [float(x) for x in re.findall(r"(-?[\d.]+),", outline.get("d", "") + outline.get("points", ""))]
        lines = list(node.iter(f"{SVG}text"))
        assert len(lines) >= 2
        for line in lines:
            half = float(line.get("textLength", "inf")) / 2
            assert half > 0
            assert line.get("text-anchor") == "middle"
            assert min(across) < float(line.get("x", "")) - half
            assert float(line.get("x", "")) + half < max(across)

"""What is written on nodes and edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.graph.appearance import (
    LOOKS,
    TEXT,
    edge_label,
    edge_tooltip,
    escaped,
    node_lines,
    node_tooltip,
    short_edge_label,
    shortened,
)
from crossplane_lite._tools.graph.graph import DrawnNode, Edge, Sort, State


@given(st.text())
def test_plain(text: str) -> None:
    """A text on a node is one line of what can be seen, and can be encoded."""
    shown = escaped(text)
    assert shown.isprintable()
    shown.encode()
    if text.isprintable():
        assert shown == text


@given(st.text(), st.integers(3, 20))
def test_shortened(text: str, longest: int) -> None:
    """A shortened text fits, and begins and ends like the whole one."""
    shown = shortened(text, longest)
    assert len(shown) <= longest
    if shown != text:
        head, _, tail = shown.partition("…")
        assert text.startswith(head)
        assert not tail or text.endswith(shown[-1])


def test_node() -> None:
    """A node says its name, its kind and its state; the tooltip has everything."""
    node = DrawnNode("vpc", Sort.RESOURCE, "VPC", State.HELD, 2, True)
    assert node_lines(node) == ["vpc", "VPC", "held back, in a cycle"]
    assert node_tooltip(node) == "vpc · VPC · composed resource · held back · wave 2 · in a cycle"


def test_long_names() -> None:
    """A long name is shortened on the node and complete in the tooltip."""
    node = DrawnNode("x" * 500, Sort.RESOURCE, "K" * 500, State.READY)
    assert [len(line) for line in node_lines(node)] == [40, 40, 5]
    assert "x" * 500 in node_tooltip(node)


@pytest.mark.parametrize(
    ("edge", "label"),
    [
        (Edge("a", "vpc", ("vpc.status.atProvider.vpcId",)), "vpcId"),
        (Edge("a", "vpc", ("vpc.external_name",)), "external_name"),
        (Edge("a", "vpc", ("vpc",)), "is ready"),
        (Edge("a", "xr.status.x", ("xr.status.x",)), ""),
        (Edge("a", "xr.status.x", ("xr.status.x.y",)), "y"),
        (Edge("a", "xr.status.x.y", ("xr.status.x",)), ""),
        (Edge("a", "xr.status.x", ("xr.status.x",), (), True), "cycle"),
        (Edge("a", "vpc", ("vpc.status.b",), (), True), "cycle: b"),
        (Edge("a", "required.config", ("required.config[0].data.x",)), "data.x"),
        (Edge("a", "required.config", ("required.config[1].data.x",)), "[1].data.x"),
        (Edge("a", "b", ("b", "b.status.x")), "is ready, x"),
        (Edge("a", "b", ("b.status.x", "b.status.y", "b.status.z", "b.status.zz")), "x, y and 2 more"),
        (Edge("a", "b", ("b.status." + "x" * 40,)), "…" + "x" * 29),
    ],
)
def test_label(edge: Edge, label: str) -> None:
    """An edge is labelled with what is taken, without what nearly every path has."""
    assert edge_label(edge) == label


@pytest.mark.parametrize(
    ("paths", "label"),
    [
        (("b.status.atProvider.id",), "id"),
        (("b",), "is ready"),
        (("b.status.x", "b.status.y", "b.status.z"), "x +2"),
        (("b.status.availabilityZone",), "availa…yZone"),
        (('b.connection_details["host"]', "b.status.x"), 'conn…st"] +1'),
    ],
)
def test_short_label(paths: tuple[str, ...], label: str) -> None:
    """Where a tooltip has the rest, a label has at most 12 characters: one path, and how many more there are."""
    edge = Edge("a", "b", paths)
    assert len(short_edge_label(edge)) <= 12
    assert short_edge_label(edge) == label


def test_tooltip() -> None:
    """The tooltip of an edge has the whole paths, and which of them have no value yet."""
    paths = ("b", "b.status.x" + "y" * 99)
    assert edge_tooltip(Edge("a", "b", paths)) == f"a needs that b is ready, {paths[1]}"
    assert edge_tooltip(Edge("a", "b", paths, paths, True)).endswith(" · not there yet · in a cycle")
    assert edge_tooltip(Edge("a", "b", paths, paths[1:])).endswith(f" · not there yet: {paths[1]}")


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, as WCAG defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("state", State)
def test_text_on_nodes_is_readable(state: State) -> None:
    """The text on a node has a contrast of 7 at least, its border one of 3 to the ground."""
    look = LOOKS[state]
    assert contrast(TEXT, look.fill) >= 7
    assert contrast(look.stroke, look.fill) >= 3


@pytest.mark.parametrize("ground", ["#ffffff", "#0d1117", "#1e1e1e"])
def test_lines_are_readable_on_light_and_dark(ground: str) -> None:
    """Lines and the text along them can be read on white and on what is called dark."""
    from crossplane_lite._tools.graph.appearance import CYCLE, LINE

    assert contrast(LINE, ground) >= 3.9
    assert contrast(CYCLE, ground) >= 3.5

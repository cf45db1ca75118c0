"""Writes a graph in DOT, the language of Graphviz, and draws it as a picture with Graphviz' program
`dot`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ..._core.base import extras
from ..._core.base.texts import escaped
from ...errors import UsageError
from ..programs import process
from . import appearance
from .appearance import CYCLE, LINE, LOOKS, TEXT
from .graph import DrawnNode, Edge, Graph, Sort, State

# Graphviz looks for escapes (`\N` is the node's name) in labels and tooltips, and in some of them
# twice. So no way of writing a backslash is shown as one backslash everywhere. This sign looks like
# a backslash.
_BACKSLASH: Final = "⧵"
_FONT: Final = "Helvetica,Arial,sans-serif"
# Pixels for each inch of the layout, sharp on today's screens.
_DPI: Final = "144"
# In points: the length of an arrow's head, the width of a label's usual character, and how far a
# label's middle is from its line.
_ARROW: Final = 13
_CHARACTER: Final = 5
_ABOVE: Final = 7
# A graph that takes longer is too large to be looked at.
_TIMEOUT: Final = 120.0
_LABELS: Final = ("label", "headlabel")
_OF_NODES: Final = {"fontname": _FONT, "fontsize": "12", "fontcolor": TEXT, "margin": "0.14,0.07"}
_OF_EDGES: Final = {"fontname": _FONT, "fontsize": "9", "fontcolor": LINE, "color": LINE}
_WAY_OUT: Final = "(--format dot and mermaid need no program)"
# In an SVG: a node, the coordinates of its outline, and the start of a line of its text.
_NODE: Final = re.compile(r'<title>n\d+</title>\n<g id="a_node.*?</a>', re.DOTALL)
_OUTLINE: Final = re.compile(r' (?:points|d)="([^"]+)"')
# Graphviz has the attribute xml:space from version 10 on.
_LINE: Final = re.compile(r'<text (?:xml:space="preserve" )?text-anchor="start" x="(-?[\d.]+)"')


def dot(graph: Graph, **attributes: str) -> str:
    """Return a graph as the text of a DOT file.

    An arrow goes from a resource to a resource that needs it. So resources without dependencies are
    at the left. The resources of each wave of a simulation form a cluster, and fields of the
    composite a column at the right of them. A legend is added.

    Args:
        graph: The graph.
        attributes: Graph attributes of DOT, such as `rankdir`, that replace the usual ones or are
            added to them.
    """
    ids = {node.name: f"n{at}" for at, node in enumerate(graph.nodes)}
    title = escaped(graph.title)
    return "\n".join(
        [
            f"digraph {_quoted(title or 'dependencies')} {{",
            f"  graph {_attributes({**_graph_attributes(graph), **attributes})}",
            f"  node {_attributes(_OF_NODES)}",
            f"  edge {_attributes(_OF_EDGES)}",
            *_nodes(graph, ids),
            *_column(graph, ids),
            *_edges(graph, ids),
            *_legend(graph),
            "}",
            "",
        ]
    )


def _graph_attributes(graph: Graph) -> dict[str, str]:
    attributes = {
        "bgcolor": "transparent",
        "rankdir": "LR",
        "nodesep": "0.18",
        "ranksep": "0.9",
        "pad": "0.2",
    }
    attributes |= {"fontname": _FONT, "fontsize": "14", "fontcolor": LINE}
    # a cluster stands where its members do, so that waves follow each other
    attributes["newrank"] = "true"
    if graph.title:
        attributes |= {
            "label": _label_text(escaped(graph.title)),
            "labelloc": "t",
            "tooltip": escaped(graph.title),
        }
    return attributes


def _nodes(graph: Graph, ids: Mapping[str, str]) -> Iterator[str]:
    before: str | None = None
    for wave, nodes in graph.waves:
        shown = [f"  {ids[node.name]} {_attributes(_node(node))}" for node in nodes]
        if wave is None:
            yield from shown
            continue
        cluster = {
            "label": f"wave {wave}",
            "tooltip": f"wave {wave}",
            "labeljust": "l",
            "fontsize": "10",
        }
        yield f"  subgraph cluster_wave_{wave} {{"
        yield f"    graph {_attributes({**cluster, 'color': LINE, 'style': 'rounded,dotted'})}"
        members = {node.name for node in nodes}
        # One column, unless its nodes need each other and have to stand side by side.
        if not any(
            edge.dependent in members and edge.dependency in members for edge in graph.edges
        ):
            yield "    rank=same;"
        yield from (f"  {line}" for line in shown)
        yield "  }"
        first = ids[nodes[0].name]
        if before is not None:
            yield f"  {before} -> {first} {_attributes({'style': 'invis'})}"
        before = first


def _column(graph: Graph, ids: Mapping[str, str]) -> Iterator[str]:
    """Yield what puts the fields of the composite into a column at the right of the waves."""
    fields = [ids[node.name] for node in graph.nodes if node.sort is Sort.FIELD]
    if not fields or not _has_waves(graph):
        return
    yield f"  {{ rank=same; {'; '.join(fields)}; }}"
    # Arrows that nobody sees lead there from what is furthest to the right. No weight: they may be
    # long.
    _, last_wave = graph.waves[-1]
    resources = [node for node in graph.nodes if node.sort is Sort.RESOURCE]
    never_created = [node for node in resources if node.wave is None]
    unseen = _attributes({"style": "invis", "weight": "0"})
    for node in (last_wave[0], *never_created):
        yield f"  {ids[node.name]} -> {fields[0]} {unseen}"


def _has_waves(graph: Graph) -> bool:
    return any(node.wave is not None for node in graph.nodes)


def _edges(graph: Graph, ids: Mapping[str, str]) -> Iterator[str]:
    fields = {node.name for node in graph.nodes if node.sort is Sort.FIELD}
    has_waves = _has_waves(graph)
    for edge in graph.edges:
        attributes = _edge(edge)
        if has_waves and edge.dependency in fields:
            # it leads back from the column, and must not move a wave
            attributes["constraint"] = "false"
        yield f"  {ids[edge.dependency]} -> {ids[edge.dependent]} {_attributes(attributes)}"


def _node(node: DrawnNode) -> dict[str, str]:
    lines = [_escaped(line) for line in appearance.node_lines(node)]
    lines[0] = f"<b>{lines[0]}</b>"
    if node.kind:
        lines[1] = f'<font point-size="10">{lines[1]}</font>'
    lines[-1] = f'<font point-size="9"><i>{lines[-1]}</i></font>'
    attributes = _look(node.state)
    if node.in_cycle:
        attributes |= {"color": CYCLE, "penwidth": "2.5"}
    return {
        "label": f"<{'<br/>'.join(lines)}>",
        **attributes,
        "tooltip": appearance.node_tooltip(node),
    }


def _look(state: State) -> dict[str, str]:
    look = LOOKS[state]
    attributes = {
        "shape": look.dot,
        "style": look.style,
        "fillcolor": look.fill,
        "color": look.stroke,
    }
    if look.dot == "octagon":
        attributes["margin"] = "0,0"  # its corners leave room enough
    return attributes


def _edge(edge: Edge) -> dict[str, str]:
    tooltip = appearance.edge_tooltip(edge)
    attributes = {"tooltip": tooltip}
    label = appearance.short_edge_label(edge)
    if label:
        attributes |= {
            "headlabel": _label_text(label),
            "headtooltip": tooltip,
            **_beside_the_arrow(label),
        }
    if edge.waiting:
        attributes["style"] = "dashed"
    if edge.in_cycle:
        attributes |= {"color": CYCLE, "fontcolor": CYCLE, "penwidth": "2.5", "style": "bold"}
    return attributes


def _beside_the_arrow(label: str) -> dict[str, str]:
    """Return the place of an edge's label: just above its line, and ending where its arrow begins.

    Such a label has no part in the layout, so that a long one doesn't push waves apart.
    """
    along = _ARROW + len(label) * _CHARACTER / 2
    angle = math.degrees(math.atan2(_ABOVE, along))
    return {"labeldistance": f"{math.hypot(along, _ABOVE) / 10:.2f}", "labelangle": f"-{angle:.0f}"}


def _legend(graph: Graph) -> Iterator[str]:
    """Yield a node with the graph's legend: a table of its colours and lines, and their
    meanings.
    """
    rows = [
        f'<td bgcolor="{look.fill}" border="1" color="{look.stroke}" width="26"></td><td'
        f' align="left">{text}</td>'
        for look, text in ((LOOKS[state], text) for state, text in appearance.legend_entries(graph))
    ]
    lines = [("──▸", LINE, "what is needed ▸ what needs it")]
    if any(edge.waiting for edge in graph.edges):
        lines.append(("╌╌▸", LINE, "no value yet"))
    if any(edge.in_cycle for edge in graph.edges):
        lines.append(("━━▸", CYCLE, "in a cycle"))
    rows += [
        f'<td><font color="{color}">{sign}</font></td><td align="left">{text}</td>'
        for sign, color, text in lines
    ]
    table = "".join(f"<tr>{row}</tr>" for row in rows)
    attributes = {
        "shape": "none",
        "margin": "0",
        "fontsize": "10",
        "fontcolor": LINE,
        "tooltip": "legend",
    }
    label = f'<<table border="0" cellborder="0" cellspacing="4" cellpadding="1">{table}</table>>'
    yield f"  legend {_attributes({**attributes, 'label': label})}"


def _attributes(attributes: Mapping[str, str]) -> str:
    """Return an attribute list of DOT. All values are quoted, except a label in angle brackets: it
    is HTML for DOT.
    """
    shown = []
    for key, value in attributes.items():
        is_html = key in _LABELS and value.startswith("<") and value.endswith(">")
        shown.append(f"{key}={value if is_html else _quoted(value)}")
    return f"[{', '.join(shown)}];"


def _label_text(text: str) -> str:
    """Return a text as an HTML-like label of DOT. In such a label, Graphviz doesn't interpret
    backslash escapes.
    """
    return f"<{_escaped(text)}>"


def _escaped(text: str) -> str:
    """Return a text with entities, such as `&lt;`, for the characters with a meaning in an
    HTML-like label of DOT.

    A similar character takes the place of each backslash.
    """
    text = text.replace("\\", _BACKSLASH)
    # A text that is nothing but a bracket is a syntax error for Graphviz.
    for sign, entity in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
        ("]", "&#93;"),
    ):
        text = text.replace(sign, entity)
    return text


def _quoted(text: str) -> str:
    """Return a text as a quoted string of DOT. Entities in the text, such as `&lt;`, are shown as
    they are written.

    A similar character takes the place of each backslash.
    """
    text = text.replace("\\", _BACKSLASH).replace("&", "&amp;").replace('"', '\\"')
    return f'"{text}"'


def image(graph: Graph, format: str) -> bytes:
    """Return the bytes of a picture of a graph.

    Args:
        graph: The graph.
        format: `svg` or `png`.

    Raises:
        MissingExtraError: The extra `cli`, which has the Python package graphviz, isn't installed.
        UsageError: The program `dot` isn't installed, can't be run, fails, draws nothing, prints
            too much, or takes longer than two minutes.
    """
    command = extras.load("graphviz", "cli").backend.dot_command.command("dot", format)
    source = dot(graph) if format == "svg" else dot(graph, bgcolor="white", dpi=_DPI)
    try:
        done = process.run(command, timeout=_TIMEOUT, given=source.encode())
    except FileNotFoundError:
        raise UsageError(
            f"{format} needs the program dot of Graphviz, which is not on the PATH: apt install"
            f" graphviz {_WAY_OUT}"
        ) from None
    except OSError as error:
        raise UsageError(
            f"the program dot of Graphviz can't be run: {error.strerror or error} {_WAY_OUT}"
        ) from None
    except process.TooLongError:
        raise UsageError(
            f"dot took longer than {_TIMEOUT:g} s for {len(graph.nodes)} nodes; try --format dot or"
            " mermaid"
        ) from None
    except process.TooMuchError as error:
        raise UsageError(f"dot printed more than {error}; try --format dot or mermaid") from None
    said = done.told.decode(errors="replace").strip().splitlines()
    if done.status != 0:
        raise UsageError(
            f"the program dot of Graphviz failed: {said[0] if said else done.ending} {_WAY_OUT}"
        )
    if not done.output:
        raise UsageError(
            f"the program dot of Graphviz drew nothing{f': {said[0]}' if said else ''} {_WAY_OUT}"
        )
    return _NODE.sub(_fitted, done.output.decode()).encode() if format == "svg" else done.output


def _fitted(node: re.Match[str]) -> str:
    """Return a node of an SVG whose lines of text keep their lengths, so that they fit in any font.

    The machine that shows the picture may have wider fonts than the one that measured the text.
    Lines are centred, so half of a line's length is between its start and the node's middle.
    """
    outline = _OUTLINE.search(node[0])
    across = [float(x) for x in re.findall(r"(-?[\d.]+),", outline[1])] if outline else [0]
    middle = (min(across) + max(across)) / 2

    def line(found: re.Match[str]) -> str:
        length = 2 * (middle - float(found[1]))
        return (
            f'<text text-anchor="middle" x="{middle:g}" textLength="{length:g}"'
            ' lengthAdjust="spacingAndGlyphs"'
        )

    return _LINE.sub(line, node[0])

"""A graph as a picture, drawn by Graphviz."""

from __future__ import annotations

from typing import Final

from .. import _extras
from ..errors import UsageError
from .dot import dot
from .graph import Graph

__all__ = ["FORMATS", "image"]

FORMATS: Final = ("svg", "png")

# Pixels for each inch of the layout: what is sharp on today's screens.
_DPI: Final = "144"


def image(graph: Graph, format: str) -> bytes:
    """Return a graph as a picture.

    Args:
        graph: The graph.
        format: One of `FORMATS`.

    Raises:
        MissingExtraError: The Python package graphviz isn't installed.
        UsageError: The program `dot` isn't installed, or fails.
    """
    graphviz = _extras.load("graphviz", "graph")
    source = dot(graph) if format == "svg" else dot(graph, bgcolor="white", dpi=_DPI)
    try:
        drawn: bytes = graphviz.pipe("dot", format, source.encode(), quiet=True)
    except graphviz.ExecutableNotFound:
        raise UsageError(
            f"{format} takes the program dot of Graphviz, which is not on the PATH: apt install graphviz "
            "(--format dot and mermaid need no program)"
        ) from None
    except graphviz.CalledProcessError as error:
        said = (error.stderr or b"").decode(errors="replace").strip().splitlines()
        raise UsageError(f"dot failed: {said[0] if said else f'exit status {error.returncode}'}") from None
    return drawn

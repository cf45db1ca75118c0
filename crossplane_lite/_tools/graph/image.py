"""Draws a graph as a picture with the program `dot` of Graphviz."""

from __future__ import annotations

from typing import Final

from ..._core.base import extras
from ...errors import UsageError
from ..programs import process
from .dot import dot
from .graph import Graph

__all__ = ["FORMATS", "image"]

FORMATS: Final = ("svg", "png")

# Pixels for each inch of the layout, sharp on today's screens.
_DPI: Final = "144"
# A graph that takes longer is too large to be looked at.
_TIMEOUT: Final = 120.0
_WAY_OUT: Final = "(--format dot and mermaid need no program)"


def image(graph: Graph, format: str) -> bytes:
    """Return the bytes of a picture of a graph.

    Args:
        graph: The graph.
        format: `svg` or `png`.

    Raises:
        MissingExtraError: The extra `graph`, which has the Python package graphviz, isn't installed.
        UsageError: The program `dot` isn't installed, can't be run, fails, draws nothing, prints too much, or takes
            longer than two minutes.
    """
    command = extras.load("graphviz", "graph").backend.dot_command.command("dot", format)
    source = dot(graph) if format == "svg" else dot(graph, bgcolor="white", dpi=_DPI)
    try:
        done = process.run(command, timeout=_TIMEOUT, given=source.encode())
    except FileNotFoundError:
        raise UsageError(
            f"{format} needs the program dot of Graphviz, which is not on the PATH: apt install graphviz {_WAY_OUT}"
        ) from None
    except OSError as error:
        raise UsageError(f"the program dot of Graphviz can't be run: {error.strerror or error} {_WAY_OUT}") from None
    except process.TooLongError:
        raise UsageError(
            f"dot took longer than {_TIMEOUT:g} s for {len(graph.nodes)} nodes; try --format dot or mermaid"
        ) from None
    except process.TooMuchError as error:
        raise UsageError(f"dot printed more than {error}; try --format dot or mermaid") from None
    said = done.told.decode(errors="replace").strip().splitlines()
    if done.status != 0:
        raise UsageError(f"the program dot of Graphviz failed: {said[0] if said else done.ending} {_WAY_OUT}")
    if not done.output:
        raise UsageError(f"the program dot of Graphviz drew nothing{f': {said[0]}' if said else ''} {_WAY_OUT}")
    return done.output

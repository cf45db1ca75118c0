"""`crossplane-lite graph`: writes the dependency graph of a Composition as a diagram's source, a
picture or text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..._core.base import stdio
from ...errors import InputError, UsageError
from ..render import arguments, terminal
from ..render.rendered import RenderError
from ..render.told import HEADING, in_vain, lines, summary

if TYPE_CHECKING:
    from ..render.rendered import Result
    from .graph import Graph

_FORMATS: Final = ("mermaid", "dot", "svg", "png", "text")
_SUFFIXES: Final = {
    **{".mmd": "mermaid", ".mermaid": "mermaid", ".dot": "dot", ".gv": "dot"},
    **{".svg": "svg", ".png": "png", ".txt": "text"},
}

_MOST_EDGES: Final = 500

_EPILOG: Final = (
    "Exit status: 0; 1 when the reconcile failed, fatal results included, or a simulation doesn't"
    " become stable, or something waits for a value that never comes, as --simulate or --crds"
    " shows: the graph of what is known is drawn all the same; 2 when the command line or a file"
    " can't be used."
)


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite graph` with the arguments that follow it, and write the graph.

    Returns:
        The exit status. It is 1 if the reconcile fails, the simulation doesn't become stable, or a
        resource waits for a value that never comes; else 0. The graph is written in both cases.

    Raises:
        InputError: A file or a function can't be used, or the output can't be written.
        UsageError: The program `dot` is needed for the format and doesn't work, or a PNG would go
            to a terminal.
        MissingExtraError: An extra that the command needs isn't installed.
        SystemExit: An argument is wrong or missing, or --help was given.
    """
    parser = make_parser()
    given = arguments.parse(parser, argv)
    observed: Path | None = given.observed_resources
    if observed is not None and observed.suffix.lower() in _SUFFIXES:
        parser.error(
            f"-o is short for --observed-resources; to write {observed} give --output {observed}"
        )
    if given.fixtures is not None and not given.simulate:
        parser.error("--fixtures is only for simulations: give --simulate too")
    format = given.format or _format_of(given.output)
    # This is checked before anything is read, so that no work is lost.
    if given.output is None and format == "png" and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("png is not for a terminal: give --output FILE, or redirect stdout")
    terminal.begin()
    graph, warnings, problem = _simulated(given) if given.simulate else _rendered(given)
    if format == "mermaid" and len(graph.edges) > _MOST_EDGES:
        stdio.say(
            f"crossplane-lite graph: this graph has {len(graph.edges)} arrows, and Mermaid draws at"
            f" most {_MOST_EDGES}: set maxEdges in Mermaid's configuration, or give --format dot"
        )
    stdio.say(*(f"crossplane-lite graph: {line}" for line in graph.notes), *warnings)
    if problem:
        stdio.say(f"crossplane-lite graph: {problem}")
    _write(drawn(graph, format), given.output)
    return 1 if problem else 0


def drawn(graph: Graph, format: str) -> bytes:
    """Return a graph in a format: the bytes of a file.

    Args:
        graph: The graph.
        format: `mermaid`, `dot`, `svg`, `png` or `text`. The pictures (svg and png) need the extra
            `cli` and the program `dot` of Graphviz.

    Raises:
        MissingExtraError: The extra `cli` isn't installed.
        UsageError: The program `dot` isn't installed, fails, prints too much, or takes longer than
            two minutes.
    """
    if format == "mermaid":
        from .mermaid import mermaid

        return mermaid(graph).encode()
    if format == "dot":
        from .dot import dot

        return dot(graph).encode()
    if format == "text":
        from .text import text

        return text(graph).encode()
    from .dot import image

    return image(graph, format)


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite graph`."""
    parser = arguments.Parser(
        prog="crossplane-lite graph",
        usage="crossplane-lite graph [options] XR [COMPOSITION] [FUNCTIONS]",
        description=(
            "Draw how composed resources, fields of the composite and required resources depend on"
            " each other, and their states. The labels of arrows are the values that a resource"
            " needs; in a picture they are short, and an SVG has the whole paths in titles."
        ),
        epilog=_EPILOG,
    )
    arguments.add_inputs(parser)
    group = parser.add_argument_group("drawing")
    group.add_argument(
        "--simulate", action="store_true", help="reconcile until stable, and draw the waves"
    )
    group.add_argument(
        "--fixtures",
        metavar="PATH",
        type=Path,
        help=(
            "with --simulate: file or directory of the fields that resources have once they exist,"
            " as for simulate"
        ),
    )
    group.add_argument(
        "--format",
        choices=_FORMATS,
        help="the format; by default that of FILE's name, and mermaid on stdout",
    )
    group.add_argument(
        "--output", metavar="FILE", type=Path, help="file to write the graph to; stdout by default"
    )
    return parser


def _format_of(output: Path | None) -> str:
    if output is None:
        return "mermaid"
    if output.suffix.lower() not in _SUFFIXES:
        raise InputError(
            f"{output}: the name doesn't say the format; give --format, or a name that ends in one"
            f" of {', '.join(_SUFFIXES)}"
        )
    return _SUFFIXES[output.suffix.lower()]


def _rendered(given: argparse.Namespace) -> tuple[Graph, list[str], str | None]:
    """Run one reconcile, and return its graph.

    The other results are the functions' warnings, and a message about a problem: the reconcile
    fails, or (with --crds) a resource waits for a value that never comes. Raises InputError if a
    file or a function can't be used.
    """
    from .graph import graph_of

    inputs = arguments.read_inputs(given)
    try:
        rendered = inputs.render()
    except RenderError as error:
        return graph_of(error), _warnings(error.results), str(error)
    graph, warnings = graph_of(rendered), _warnings(rendered.results)
    unresolved = {} if inputs.checks is None else in_vain(rendered.steps, inputs.checks)
    if not unresolved:
        return graph, warnings, None
    notes = [*graph.notes, *(f"{HEADING} {line}" for line in lines(unresolved))]
    return graph._replace(notes=notes), warnings, summary(unresolved)


def _simulated(given: argparse.Namespace) -> tuple[Graph, list[str], str | None]:
    """Run a simulation, and return the graph of its last round.

    The other results are the functions' warnings, only those of the last round if it failed, and a
    message if the simulation failed, didn't become stable, or a resource waits for a value that
    never comes. Raises InputError if a file or a function can't be used.
    """
    from ..simulate.simulation import Simulation
    from .graph import graph_of_simulation

    simulation = Simulation(arguments.read_inputs(given), given.fixtures)
    try:
        simulation.run()
    except RenderError as error:
        return (
            graph_of_simulation(simulation, error),
            _warnings(error.results),
            simulation.problem or str(error),
        )
    problem = simulation.problem
    if problem is None and simulation.unresolved:
        problem = summary(simulation.unresolved)
    results = [result for one in simulation.rounds for result in one.rendered.results]
    return graph_of_simulation(simulation), _warnings(results), problem


def _warnings(results: Iterable[Result]) -> list[str]:
    from ..render.output import warning_lines

    return list(warning_lines(results))


def _write(data: bytes, output: Path | None) -> None:
    if output is not None:
        try:
            output.write_bytes(data)
        except OSError as error:
            raise InputError(f"{output}: can't be written: {error.strerror or error}") from None
        return
    stdio.write(data)

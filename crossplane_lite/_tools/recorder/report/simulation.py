"""`crossplane-lite simulate`, which writes the page for `--html`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...simulate.command import command as simulate

# the command line asks each command's module for it
from ...simulate.command import make_parser as make_parser

if TYPE_CHECKING:
    from ...render.rendered import RenderError
    from ...simulate.report import Loss
    from ...simulate.simulation import Simulation


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite simulate` with the arguments that follow it; see
    `simulate.command.command`.
    """
    return simulate(argv, _write)


def _write(
    file: Path, simulation: Simulation, failure: RenderError | None, losses: Sequence[Loss]
) -> None:
    from .facts import facts
    from .moments import simulated
    from .page import write

    moments = list(simulated(simulation, failure, losses))
    write(facts(" ".join(moments[0].subject), moments), file)

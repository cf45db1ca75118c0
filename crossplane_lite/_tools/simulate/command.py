"""The command `crossplane-lite simulate`: reconciles until nothing changes, and shows when each
resource appears.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..._core.base import stdio
from ...errors import InputError
from ..manifests import yaml
from ..manifests.objects import some_names
from ..render import arguments, output, terminal
from ..render.rendered import RenderError
from ..render.told import summary
from . import table
from .effects import effects_of
from .report import Loss, looks_ready, report
from .simulation import Simulation

if TYPE_CHECKING:
    from ..render.arguments import Inputs
    from ..render.explain import Explained

_NAME: Final = "crossplane-lite simulate"

Page = Callable[[Path, Simulation, RenderError | None, Sequence[Loss]], None]
"""Writes the page of a simulation that has run, of the failure of its last round, and of the losses
after it.
"""


def command(argv: Sequence[str], page: Page) -> int:
    """Run `crossplane-lite simulate`.

    Args:
        argv: The arguments after `simulate`.
        page: Writes the page for --html. The room `recorder` has it, which builds on this one.

    Returns:
        The exit status. It is 1 if a reconcile failed, the simulation didn't become stable, a
        resource or field waits forever, --crds finds mistakes, or a resource would be deleted after
        a loss (--drop or --degrade). Else it is 0.

    Raises:
        SystemExit: The arguments are wrong (status 2), or --help was given (status 0).
        InputError: A file, a function or a name can't be used; or the result is nested too deeply
            for --format json.
        RenderError: The composite's apiVersion can't be parsed.
        UsageError: A path of --degrade isn't a field path.
        MissingExtraError: A package that is needed isn't installed.
    """
    parser = make_parser()
    given = arguments.parse(parser, argv)
    if given.explain and given.format in ("yaml", "observed"):
        parser.error(f"--explain needs --format table or --format json (got {given.format})")
    terminal.begin()
    inputs = arguments.read_inputs(given)
    simulation = Simulation(inputs, given.fixtures, given.max_rounds)
    problems: list[str] = []
    losses: list[Loss] = []
    failure: RenderError | None = None
    try:
        simulation.run()
    except RenderError as error:
        failure = error
        stdio.say(
            *output.failure_lines(error, inputs.schemas),
            *(f"hint: {line}" for line in simulation.made_up(error)),
        )
    if simulation.problem is not None:
        problems.append(simulation.problem)
    problems += [*_never(simulation), *simulation.cut_off]
    if simulation.stable:
        losses = [*_losses(simulation, given.drop, given.degrade)]
        problems += _lost(losses)
    elif given.drop or given.degrade:
        problems.append("there is no steady state, so nothing was dropped or degraded")
    invalid: list[str] = []
    check = inputs.check(*(one.rendered for one in simulation.rounds))
    if check is not None:
        invalid = check.errors
        stdio.say(*check.lines)
    found = report(simulation, losses)
    explained = _explained(simulation, inputs, given.explain)
    stdio.say(*(f"warning: {note}" for note in inputs.notes), *_notes(simulation))
    _show(given.format, simulation, found, inputs, explained)
    if given.html is not None:
        page(given.html, simulation, failure, losses)
    stdio.say(*(f"{_NAME}: {problem}" for problem in problems))
    return 1 if problems or invalid else 0


def make_parser() -> argparse.ArgumentParser:
    """Return the argument parser of `crossplane-lite simulate`."""
    parser = arguments.Parser(
        prog=_NAME,
        usage=f"{_NAME} [options] XR [COMPOSITION] [FUNCTIONS]",
        description=(
            "Reconcile a composite resource until nothing changes any more. After each reconcile"
            " the composed resources exist, with a status from fixtures or made up by the schemas"
            " of their kinds, so that resources that wait for them are composed next. Prints when"
            " each resource appears, and the values that it waits for until then."
        ),
        epilog=(
            "Exit status: 0; 1 when a reconcile fails (dependency cycles and other fatal results"
            " among it), nothing is stable in the end, something never resolves, --crds finds"
            " mistakes in a resource, or something would be deleted after --drop or --degrade; 2"
            " when the command line or a file can't be used."
        ),
    )
    arguments.add_inputs(parser)
    group = parser.add_argument_group("simulation")
    group.add_argument(
        "--fixtures",
        metavar="PATH",
        type=Path,
        help=(
            "file or directory of YAML with the fields that resources have once they exist (status,"
            " metadata.annotations, connectionDetails), by composition resource name,"
            " apiVersion/kind or kind; null for a value that never comes. Whole resources can be"
            " given too"
        ),
    )
    group.add_argument(
        "--max-rounds",
        metavar="N",
        type=_rounds,
        default=50,
        help="give up after so many reconciles (50)",
    )
    group.add_argument(
        "--drop",
        metavar="NAME",
        action="append",
        default=[],
        help=(
            "in the end, take this resource away and show what the next reconcile does; can be"
            " given several times"
        ),
    )
    group.add_argument(
        "--degrade",
        metavar="NAME.PATH",
        action="append",
        default=[],
        help=(
            "the same with a field of a resource, such as vpc.status.atProvider.vpcId; can be given"
            " several times"
        ),
    )
    arguments.add_explain(group)
    group.add_argument(
        "--format",
        choices=("table", "json", "yaml", "observed"),
        default="table",
        help=(
            "the output: the table of waves; the same and more as JSON; the final documents, as"
            " render prints them; the composed resources as they exist in the end, which"
            " --observed-resources takes (table)"
        ),
    )
    group.add_argument(
        "--html",
        metavar="FILE",
        type=Path,
        help=(
            "write a page, too, that shows the simulation reconcile by reconcile; see"
            " crossplane-lite report"
        ),
    )
    return parser


def _rounds(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text[:9]) < 2:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number of 2 or more")
    return int(text[:9])


def _never(simulation: Simulation) -> Iterator[str]:
    unresolved = simulation.unresolved if simulation.stable else {}
    for cycle in simulation.cycles if simulation.stable else ():
        yield f"dependency cycle: {' and '.join(cycle)} wait for each other"
    if unresolved:
        yield summary(unresolved)
    elif simulation.stable:
        yield from _unready(simulation)


def _unready(simulation: Simulation) -> Iterator[str]:
    """Yield why the composite never gets ready, where the rules of its resources' kinds can't tell
    readiness.
    """
    last = simulation.rounds[-1].rendered
    conditions = last.composite["status"]["conditions"]
    if any((one["type"], one["status"]) == ("Ready", "True") for one in conditions):
        return
    unready = [
        name
        for name, is_ready in last.ready.items()
        if not is_ready and not looks_ready(simulation.observed.get(name))
    ]
    if unready:
        kinds = (
            "are never ready: their kinds have"
            if len(unready) > 1
            else "is never ready: its kind has"
        )
        yield (
            f"the composite never gets ready: {some_names(unready)} {kinds} no condition Ready and"
            " no rule of readiness; set .ready in compose()"
        )


def _losses(
    simulation: Simulation, dropped: Sequence[str], degraded: Sequence[str]
) -> Iterator[Loss]:
    """Remove each resource of --drop and each field of --degrade from the steady state, one at a
    time.

    Yields:
        The effects of each loss in the next reconcile, or the error if that reconcile failed.

    Raises:
        InputError: A resource or field doesn't exist, or can't be removed.
        UsageError: A path isn't a field path.
    """
    tries: list[tuple[str, str, Any]] = [
        ("drop", name, lambda name=name: simulation.drop(name)) for name in dropped
    ]
    for path in degraded:
        name, rest = simulation.split(path)
        tries.append(("degrade", path, lambda name=name, rest=rest: simulation.degrade(name, rest)))
    steady = simulation.rounds[-1].rendered
    for action, target, attempt in tries:
        try:
            after = attempt()
            yield Loss(action, target, effects_of(steady, after), None, after.rendered)
        except RenderError as error:
            yield Loss(action, target, None, str(error), error)


def _lost(losses: Sequence[Loss]) -> Iterator[str]:
    for loss in losses:
        if loss.error is not None:
            yield f"after --{loss.action} {loss.target} the reconcile fails: {loss.error}"
        elif loss.effects is not None and loss.effects.deleted:
            yield (
                f"after --{loss.action} {loss.target} these would be deleted:"
                f" {', '.join(loss.effects.deleted)}"
            )


def _notes(simulation: Simulation) -> Iterator[str]:
    """Yield remarks for the user: warnings of all reconciles, remarks on the last reconcile, and
    unused fixtures.
    """
    yield from output.warning_lines(
        one for each in simulation.rounds for one in each.rendered.results
    )
    if simulation.rounds:
        yield from output.lines(simulation.rounds[-1].rendered, results=False)
    yield from (f"{_NAME}: {note}" for note in simulation.notes_on_fixtures())


def _explained(simulation: Simulation, inputs: Inputs, names: Sequence[str]) -> list[Explained]:
    """Return, for each named resource, where its fields come from in the last complete reconcile.

    The list is empty if no reconcile was complete.

    Raises:
        InputError: No function composes or holds back a resource of one of the names.
    """
    if not names or not simulation.rounds:
        return []
    from ..render.explain import explain

    steps = simulation.rounds[-1].rendered.steps
    return explain(steps, names, timeout=inputs.timeout, schema=inputs.schema)


def _show(
    form: str,
    simulation: Simulation,
    found: dict[str, Any],
    inputs: Inputs,
    explained: Sequence[Explained],
) -> None:
    if explained:
        from ..render.explain import as_data, as_text

        found = {**found, "explained": [as_data(one) for one in explained]}
    if form == "table":
        text = "".join(
            f"{line}\n"
            for line in table.lines({k: v for k, v in found.items() if k != "explained"})
        )
        text += f"\n{as_text(explained)}" if explained else ""
    elif form == "json":
        import json

        try:
            text = json.dumps(found, indent=2, sort_keys=True) + "\n"
        except RecursionError:
            raise InputError(
                "the result is nested too deeply to be written as JSON; use --format table"
            ) from None
    elif form == "yaml" and simulation.rounds and simulation.problem is None:
        documents = output.documents(simulation.rounds[-1].rendered, inputs.composite.content)
        text = yaml.dump(documents, sort_keys=True)
    elif form == "observed" and simulation.rounds and simulation.problem is None:
        text = yaml.dump([dict(one) for one in simulation.observed.values()], sort_keys=True)
    else:  # there are no final documents
        text = ""
    stdio.write(text.encode())

"""`crossplane-lite report`: writes a page that shows a recording."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...._core.base import stdio
from ...._core.base.terminal import StatusLine
from ....errors import InputError
from ...render import arguments, terminal
from ..recording import Recording

if TYPE_CHECKING:
    from .moments import Moment

_NAME = "crossplane-lite report"


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite report` with the arguments that follow it, and write the page.

    Returns:
        The exit status, 0.

    Raises:
        InputError: The recording or a function can't be read, or the page can't be written.
        SystemExit: An argument is wrong or missing, or --help was given.
    """
    from ...render import functions
    from ...render.pipeline import Step
    from .facts import facts
    from .moments import recorded
    from .page import write

    given = make_parser().parse_intermixed_args(argv)
    terminal.begin()
    if not given.output.absolute().parent.is_dir():  # it would be told after a minute
        raise InputError(f"can't write {given.output}: there is no folder {given.output.parent}")
    recording = Recording(given.recording)
    called = dict.fromkeys(
        (call.event.step or call.event.function, call.event.function) for call in recording.calls
    )
    steps = [Step(*one) for one in called]
    targets = functions.assign(given.function, steps)
    here = functions.runners([step for step in steps if step.function in targets], targets, {})
    with StatusLine() as status:
        moments = _told(recorded(recording, here), len(recording.reconciles()), status)
        shown = facts(given.recording.absolute().name, moments, recording.notes)
    write(shown, given.output)
    stdio.say(*(f"{_NAME}: {note}" for note in recording.notes))
    stdio.say(f"{_NAME}: wrote {given.output}; open it in a browser")
    return 0


def _told(moments: Iterable[Moment], count: int, status: StatusLine) -> Iterator[Moment]:
    """Yield reconciles, and show how far that is: 2,000 of them take a minute, and more where
    functions run again.
    """
    for number, one in enumerate(moments, 1):
        status.show(f"{number}/{count} {' '.join(one.subject)}")
        yield one


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite report`."""
    parser = arguments.Parser(
        prog=_NAME,
        usage=f"{_NAME} [options] RECORDING",
        description=(
            "Write one HTML file that shows a recording, reconcile by reconcile: what each step"
            " changed in desired state, the resources and what they depend on, conditions, results,"
            " and what waits. The file needs no network and no other file. Secret values in it are"
            " masked, and others aren't."
        ),
        epilog="Exit status: 0; 2 when the command line or a file can't be used.",
    )
    parser.add_argument(
        "recording", metavar="RECORDING", type=Path, help="file or folder of a recording"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path("report.html"),
        help="file to write (report.html)",
    )
    arguments.add_function(
        parser,
        "show the lines that set fields, and all dependencies, of this function in this process:"
        " its recorded requests run through it again. NAME is that of the function in the"
        " recording, and can be left out where the recording has one. Can be given several times",
    )
    return parser

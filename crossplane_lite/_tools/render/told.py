"""Reads the reports on resources that wait for missing values. Functions of this package put them into the context."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..._core import codec
from ..._core.call.mark import HELD_BACK_KEY
from ..._core.observed.secrets import masker_for
from ..._core.waits.entry import Waiting, read
from ...errors import WireError
from ...proto import _view

if TYPE_CHECKING:
    from .rendered import StepRun

__all__ = ["told", "waiting"]


def told(runs: Iterable[StepRun]) -> Iterator[Waiting]:
    """Yield a report for each step of a reconcile, in order: which resources and fields wait for which values.

    If the step's function made no report, an empty report is yielded. Secret values of the step's request are masked.
    """
    before: dict[str, Waiting] = {}
    for run in runs:
        context = _view.RunFunctionResponse.FromString(run.response).context
        try:
            now = read(codec.get_path(context, (HELD_BACK_KEY,)))
        except WireError:  # a function that runs elsewhere may give a malformed context
            now = {}
        # Functions pass on the reports of previous steps; only new or changed reports are this step's.
        new = [waiting for step, waiting in now.items() if before.get(step) != waiting]
        before.update(now)
        yield _joined(new).masked(masker_for(_view.RunFunctionRequest.FromString(run.request))) if new else _joined(new)


def waiting(runs: Iterable[StepRun]) -> tuple[dict[str, dict[str, str]], set[str]]:
    """Return what composed resources wait for, by name, and the names of those that are held back.

    The waits are in a dict from the paths of the missing values to the reasons why they are missing.
    """
    waits: dict[str, dict[str, str]] = {}
    held: set[str] = set()
    for says in told(runs):
        held.update(says.held)
        for need in says.needs:
            if need.by_resource:
                waits.setdefault(need.name, {})[need.path] = need.why
    return waits, held


def _joined(several: list[Waiting]) -> Waiting:
    return Waiting(
        [name for one in several for name in one.held],
        [need for one in several for need in one.needs],
        [cut_off for one in several for cut_off in one.cut_off],
        tuple(note for one in several for note in one.notes),
        births=tuple(born for one in several for born in one.births),
    )

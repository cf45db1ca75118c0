"""`crossplane-lite what-if`: takes observed values away, one at a time, and shows which existing resources would go."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.base import stdio
from ..._core.base.terminal import StatusLine
from ..._core.base.texts import line as _line
from ..._core.base.texts import some
from ..._core.paths.text import show
from ..._core.paths.trees import leaves
from ...errors import InputError
from ...proto import _view
from ..diff.command import CHANGES, DELETIONS
from ..diff.compare import against_version
from ..manifests.objects import encode
from ..render import terminal
from ..render.functions import InProcess
from ..render.rendered import RenderError
from .asking import Known, Question, ask, notes, questions, quiet
from .messages import decoded
from .receiving import Choice
from .recording import SUFFIX, Subject
from .replay import LEFT_OUT, add_choice, answering, chosen, names_of, nothing_fits

if TYPE_CHECKING:
    from ..render.arguments import Inputs
    from ..render.pipeline import Runner
    from ..render.rendered import Rendered, StepRun

_NAME: Final = "crossplane-lite what-if"
CALLS: Final = 2000
"""How many calls a function gets for one composite, unless something else is said."""
_MOST: Final = 8

Take = Callable[[Any], None]


class Loss(NamedTuple):
    """What happens when one observed value is missing.

    Attributes:
        what: The value, such as `vpc.status.atProvider.id missing`.
        deleted: The names of the existing resources that Crossplane deletes.
        changed: The existing resources that change, each with the paths of the fields that do.
        error: Why the call fails, so that Crossplane changes nothing; empty if it doesn't.
    """

    what: str
    deleted: tuple[str, ...] = ()
    changed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    error: str = ""

    def text(self, existing: int) -> str:
        """Return what happens, for people. `existing` is the number of resources that exist."""
        parts = []
        if self.deleted:
            parts.append(f"{len(self.deleted)} of {existing} resources deleted ({some(self.deleted, _MOST)})")
        parts += [f"{name} changed ({some(paths, 3)})" for name, paths in self.changed[:_MOST]]
        if len(self.changed) > _MOST:
            parts.append(f"{len(self.changed) - _MOST} more changed")
        return "; ".join(parts) or f"the call fails, and nothing happens: {self.error}"


class Report(NamedTuple):
    """What one composite would lose.

    Attributes:
        question: The question from which values were taken.
        existing: How many composed resources exist.
        tried: How many values were taken away.
        left_out: How many more there are, beyond the limit of calls.
        losses: The values whose absence deletes or changes something, or fails; the worst first.
        unstable: The paths of what differs between two answers to the same question, which no loss counts.
    """

    question: Question
    existing: int
    tried: int
    left_out: int
    losses: list[Loss]
    unstable: tuple[str, ...] = ()

    @property
    def deletes(self) -> list[Loss]:
        """The losses by which resources go."""
        return [one for one in self.losses if one.deleted]


def losses(request: Any) -> Iterator[tuple[str, Take]]:
    """Yield what can be missing in a request: its name, and a function that takes it out of a copy.

    The large things come first: resources, statuses, conditions, required resources, and then each leaf of a status.

    Args:
        request: A RunFunctionRequest of `proto._view`.
    """
    observed = {name: decoded(one) for name, one in sorted(request.observed.resources.items())}
    for name in observed:
        yield f"{name} missing", _without_resource(name)
    objects = {**observed, "": decoded(request.observed.composite)}
    statuses = {name: one["status"] for name, one in objects.items() if isinstance(one.get("status"), dict)}
    for name in statuses:
        yield f"{_path(name, ('status',))} missing", _without(name, ("status",))
    for name, status in statuses.items():
        for at, condition in enumerate(_conditions(status)):
            if condition.get("status") not in (None, "False"):
                where = ("status", "conditions", at)
                title = f"{_path(name, ('status', 'conditions'))}[type={condition.get('type')}]"
                yield f"{title} False", _with_false(name, where)
                yield f"{title} missing", _without(name, where)
    for field in ("required_resources", "extra_resources"):
        for key in sorted(getattr(request, field)):
            if getattr(request, field)[key].items:
                yield f"required.{key} missing", _without_required(field, key)
    for name, status in statuses.items():
        below = {key: value for key, value in status.items() if key != "conditions"}
        for steps in reversed([steps for steps, _ in leaves(below) if steps]):
            yield f"{_path(name, ('status', *steps))} missing", _without(name, ("status", *steps))


def what_if(question: Question, answer: Callable[[], Runner], *, calls: int = CALLS, jobs: int = 4) -> Report:
    """Take the observed values of a question away, one at a time, and return what each absence does.

    Args:
        question: The question. A request of a composite that exists, with its composed resources, is best.
        answer: Returns a runner of the function, for one call.
        calls: The most calls. Values beyond that aren't tried.
        jobs: How many calls run at the same time.

    Raises:
        InputError: The function has no answer to the question itself, or the request isn't one that Crossplane sends.
    """
    whole = ask(question, answer())
    again = ask(question, answer())
    if isinstance(whole, RenderError):
        raise InputError(f"{question.subject.title}: without any loss, the call fails already: {whole}")
    unstable = set() if isinstance(again, RenderError) else _places(_difference(question, whole, again))
    every = list(losses(question.request))
    tried = every[: max(0, calls - 2)]

    def lose(one: tuple[str, Take]) -> Loss:
        request = _view.RunFunctionRequest()
        request.CopyFrom(question.request)
        one[1](request)
        without = question._replace(request=request)
        return _loss(without, one[0], whole, ask(without, answer()), unstable)

    with ThreadPoolExecutor(jobs) as threads:
        found = list(threads.map(lose, tried))
    told = sorted(
        (one for one in found if one.deleted or one.changed or one.error),
        key=lambda one: (-len(one.deleted), -len(one.changed), not one.error),
    )
    existing = len(question.request.observed.resources)
    return Report(question, existing, len(tried), len(every) - len(tried), told, tuple(sorted(unstable)))


def _loss(question: Question, what: str, whole: Rendered, now: Rendered | RenderError, unstable: set[str]) -> Loss:
    if isinstance(now, RenderError):
        return Loss(what, error=str(now))
    exist = question.request.observed.resources
    deleted = [name for name in whole.composed if name in now.deleted and f"{name}: " not in unstable]
    changed = []
    for entry in _difference(question, whole, now):
        paths = tuple(path for path in (one.path for one in entry.changes) if f"{entry.name}: {path}" not in unstable)
        if entry.action == "change" and entry.name in exist and paths:
            changed.append((entry.name, paths))
    return Loss(what, tuple(sorted(deleted)), tuple(changed))


def _difference(question: Question, old: Rendered, new: Rendered) -> Sequence[Any]:
    return against_version(question.composite, question.observed, old, new).entries


def _places(entries: Sequence[Any]) -> set[str]:
    """Return the places that differ: `NAME: PATH`, and `NAME: ` for a resource that only one answer has."""
    found = {f"{one.name}: " for one in entries if one.action in ("create", "delete")}
    return found | {f"{one.name}: {change.path}" for one in entries if one.action == "change" for change in one.changes}


# -- what can be missing


def _path(name: str, steps: tuple[Any, ...]) -> str:
    return f"{name or 'xr'}.{show(steps)}"


def _conditions(status: Mapping[str, Any]) -> list[Any]:
    found = status.get("conditions")
    return [one if isinstance(one, dict) else {} for one in found] if isinstance(found, list) else []


def _without_resource(name: str) -> Take:
    return lambda request: request.observed.resources.pop(name) and None


def _without_required(field: str, key: str) -> Take:
    return lambda request: getattr(request, field)[key].ClearField("items")


def _without(name: str, steps: tuple[Any, ...]) -> Take:
    def take(holder: Any, last: Any) -> None:
        del holder[last]

    return _edited(name, steps, take)


def _with_false(name: str, steps: tuple[Any, ...]) -> Take:
    def take(holder: Any, last: Any) -> None:
        holder[last] = {**holder[last], "status": "False"}

    return _edited(name, steps, take)


def _edited(name: str, steps: tuple[Any, ...], edit: Callable[[Any, Any], None]) -> Take:
    def take(request: Any) -> None:
        message = request.observed.resources[name] if name else request.observed.composite
        whole = holder = decoded(message)
        for step in steps[:-1]:
            holder = holder[step]
        edit(holder, steps[-1])
        message.resource = encode(whole, name)

    return take


# -- the command


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite what-if` with the arguments that follow it.

    Returns:
        The exit status: 0 if nothing that exists would go or change, 3 if something would go, 2 if a request couldn't
        be asked, 1 if something would change.

    Raises:
        InputError: An input, the project file or the function can't be used.
        SystemExit: An argument is wrong or missing, or --help was given.
    """
    parser = make_parser()
    given = parser.parse_intermixed_args(argv)
    if not _is_recording(given.composite):
        from ..render import arguments

        arguments.complete(parser, given)
    terminal.begin()
    if given.calls < 3 or given.jobs < 1:
        raise InputError("--calls must be at least 3, and --jobs at least 1")
    with contextlib.ExitStack() as stack, StatusLine() as status, quiet():
        asked, told = _asked(given, stack)
        reports: list[Report] = []
        failed: list[InputError] = []
        for number, (question, runner) in enumerate(asked, 1):
            status.show(f"{number}/{len(asked)} {question.subject.title}")
            try:
                reports.append(what_if(question, partial(fresh, runner), calls=given.calls, jobs=given.jobs))
            except InputError as e:  # the others can be asked
                failed.append(InputError(f"a request of {question.subject.title} is left out: {e}"))
    if not reports:
        raise failed[0]
    shown = _as_json if given.format == "json" else _as_text
    stdio.write(shown(reports, chain(map(str, failed), told())).encode(errors="surrogateescape"))
    if any(report.deletes for report in reports):
        return DELETIONS
    if failed:
        return LEFT_OUT
    return CHANGES if any(one.changed for report in reports for one in report.losses) else 0


def fresh(runner: Runner) -> Runner:
    """Return a runner for one call: one in this process keeps what it saw of its last call."""
    return InProcess(runner.function, runner.source) if isinstance(runner, InProcess) else runner


def _asked(
    given: argparse.Namespace, stack: contextlib.ExitStack
) -> tuple[list[tuple[Question, Runner]], Callable[[], Iterator[str]]]:
    """Return the questions with the runners that answer them, and what gives the notes on them afterwards."""
    if _is_recording(given.composite):
        if given.composition is not None or len(given.function) > 1:
            raise InputError("with a recording, give one --function or --against, and no COMPOSITION")
        given.function = given.function[0] if given.function else None
        recording, what = chosen(str(given.composite))
        runner = answering(given, stack)
        found = list(questions(recording, what, Choice(given.xr or (), names_of(given, recording, what)), last=True))
        if not found:
            raise nothing_fits(recording)
        return [(one, runner) for one in found], lambda: notes(found, recording, runner)
    if given.against is not None:
        raise InputError("--against needs a recording; for files, FUNCTIONS says where a server runs")
    from ..render import arguments

    inputs = arguments.read_inputs(given)
    called = inputs.render().steps
    runs = [run for run in called if given.name in (None, run.step.function)]
    if not called:
        raise InputError("no function is called: the composite is paused, or is being deleted")
    if not runs:
        names = some([run.step.function for run in called], _MOST)
        raise InputError(f"no step calls a function {given.name!r}; the steps call {names}")
    pairs = [(_of_files(inputs, run), run.runner) for run in runs]
    return pairs, lambda: (note for one, runner in pairs for note in notes([one], None, runner))


def _is_recording(given: Path | None) -> bool:
    text = "" if given is None else str(given)
    path = Path(text.partition("#")[0])
    return "#" in text or path.suffix == SUFFIX or (path.is_dir() and any(path.glob(f"*{SUFFIX}")))


def _of_files(inputs: Inputs, run: StepRun) -> Question:
    composite = inputs.composite.content
    metadata = composite["metadata"]
    subject = Subject(composite["apiVersion"], composite["kind"], metadata.get("namespace", ""), metadata["name"])
    request = _view.RunFunctionRequest.FromString(run.request)
    return Question(subject, run.step.name, run.step.function, request, Known(inputs.cluster))


def _as_text(reports: list[Report], told: Iterator[str]) -> str:
    lines = []
    for report in reports:
        question = report.question
        lines.append(
            f"{question.subject.title}, {question.function}: {report.existing} resources exist; without each of "
            f"{report.tried} observed values, {len(report.deletes)} times something is deleted, "
            f"{sum(bool(one.changed) and not one.deleted for one in report.losses)} times only changed"
        )
        lines += [f"  {one.what}: {one.text(report.existing)}" for one in report.losses]
        if report.left_out:
            lines.append(f"  {report.left_out} more values weren't tried: --calls {report.tried + report.left_out + 2}")
        if report.unstable:
            lines.append(
                f"  two answers to the same request differ, so these don't count: {some(report.unstable, _MOST)}"
            )
    lines += [f"note: {note}" for note in told]
    return "".join(f"{_line(line)}\n" for line in lines)


def _as_json(reports: list[Report], told: Iterator[str]) -> str:
    made = {
        "composites": [
            {
                "composite": report.question.subject.title,
                "time": report.question.time,
                "step": report.question.step,
                "function": report.question.function,
                "existing": report.existing,
                "tried": report.tried,
                "leftOut": report.left_out,
                "unstable": list(report.unstable),
                "losses": [
                    {
                        "missing": one.what,
                        "deleted": list(one.deleted),
                        "changed": {name: list(paths) for name, paths in one.changed},
                        **({"error": one.error} if one.error else {}),
                    }
                    for one in report.losses
                ],
            }
            for report in reports
        ],
        "notes": list(told),
    }
    return json.dumps(made, indent=2) + "\n"


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite what-if`."""
    from ..render import arguments

    made = arguments.Parser(
        prog=_NAME,
        usage=f"{_NAME} [options] RECORDING[#XR[@TIME]] | XR [COMPOSITION] [FUNCTIONS]",
        description="Take every observed value away, one at a time: each resource, each status, each condition (False, "
        "and missing), each required resource and each leaf of a status. Ask the function each time, and show which "
        "existing resources would be deleted or changed. The input is a recording, of which the last reconcile of each "
        "composite is taken, or files as for render.",
        epilog="Exit status: 0 when nothing that exists would go or change; 1 when something would change; 2 when the "
        "command line, a file or a request can't be used; 3 when something would be deleted.",
    )
    arguments.add_inputs(made)
    group = made.add_argument_group("losses and output")
    group.add_argument("--against", metavar="ADDRESS", help="the server (host:port) that answers, in any language")
    add_choice(group)
    group.add_argument(
        "--calls", metavar="N", type=int, default=CALLS, help=f"the most calls for each composite and step ({CALLS})"
    )
    group.add_argument("--jobs", metavar="N", type=int, default=4, help="how many calls run at the same time (4)")
    return made

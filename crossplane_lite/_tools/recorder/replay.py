"""`crossplane-lite replay`: answers recorded requests with another version of a function, and
compares the answers.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.base import stdio
from ..._core.base.terminal import StatusLine
from ..._core.base.texts import line as _line
from ..._core.base.texts import some
from ...errors import InputError
from ..diff import report
from ..diff.command import CHANGES, DELETIONS, FAILURES
from ..diff.compare import Difference, against_version, failed
from ..render import arguments, terminal
from ..render.rendered import NoAnswerError, Rendered, RenderError
from ..render.told import told
from .asking import Question, ask, notes, questions, quiet, recorded_answer
from .losses import fits, of_existing, without
from .receiving import Choice, add_xr
from .recording import Recording

if TYPE_CHECKING:
    from ..render.pipeline import Runner

_NAME: Final = "crossplane-lite replay"
_MOST: Final = 8

LEFT_OUT: Final = 2
"""The exit status if a request of the recording couldn't be asked."""


class Outcome(NamedTuple):
    """How one answer differs from another to the same question.

    Attributes:
        question: The question.
        difference: The differences.
        waits: The resources that wait for values with the new answer, and don't with the old one.
    """

    question: Question
    difference: Difference
    waits: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether Crossplane would do the same with both answers."""
        return self.difference.error is None and self.difference.is_empty and not self.waits

    @property
    def status(self) -> int:
        """The exit status that this outcome makes."""
        if self.difference.error is not None:
            return FAILURES
        return DELETIONS if self.difference.counts["delete"] else 0 if self.is_equal else CHANGES

    @property
    def damage(self) -> tuple[int, ...]:
        """How bad it is, for a comparison with others: first the exit status, then what exists and
        goes.
        """
        gone = [one for one in self.difference.entries if one.action == "delete"]
        exist = self.question.request.observed.resources
        return self.status, sum(one.name in exist for one in gone), len(gone), len(str(self.form))

    @property
    def form(self) -> tuple[Any, ...]:
        """What the outcome has in common with those of other composites: names and paths, but no
        values.
        """
        found = self.difference
        entries = [
            (one.action, one.name, [change.path for change in one.changes]) for one in found.entries
        ]
        kept = [one for one in entries if one[0] not in ("kept", "held back")]
        return found.error, str(kept), str([change.path for change in found.status]), self.waits


def compared(
    question: Question, old: Rendered | RenderError, new: Rendered | RenderError
) -> Outcome:
    """Return how a new answer to a question differs from an old one."""
    if isinstance(new, RenderError):
        is_same = isinstance(old, RenderError) and str(old) == str(new)
        return Outcome(
            question, Difference("", [], []) if is_same else failed(question.composite, str(new))
        )
    before = None if isinstance(old, RenderError) else old
    found = against_version(question.composite, question.observed, before, new)
    if question.is_of_operation:
        found = _without_deletions(found)
    if isinstance(old, RenderError):
        found = found._replace(notes=[f"before, the call failed: {old}", *found.notes])
        return Outcome(question, found)
    waiting = [
        {need.name for says in told(one.steps) for need in says.needs} | _held(one)
        for one in (old, new)
    ]
    return Outcome(question, found, tuple(sorted(waiting[1] - waiting[0])))


def _outcomes(question: Question, new: Runner, old: Runner | None) -> list[Outcome]:
    """Return how the new answer to a question differs; nothing if there is no answer to compare it
    with.
    """
    if old is not None:
        before = ask(question, old)
        if isinstance(before, NoAnswerError):
            raise InputError(f"the other version can't be called: {before}")
        return [compared(question, before, ask(question, new))]
    if question.answer is None and not question.error:
        return []
    return [compared(question, recorded_answer(question), ask(question, new))]


def losses(
    question: Question, runner: Runner, dropped: Collection[str], degraded: Collection[str]
) -> list[Outcome]:
    """Return what happens to the resources that exist when a value is missing, for each value.

    Args:
        question: A question about resources that exist.
        runner: Calls the function.
        dropped: The resources that go, one at a time, as `losses.without` takes them.
        degraded: The fields that go.

    Raises:
        InputError: The function has no answer to the question itself.
    """
    whole = ask(question, runner)
    if isinstance(whole, RenderError):
        raise InputError(f"without any loss, the call fails already: {whole}")
    found = []
    for one in without(question, dropped, degraded):
        difference = compared(one, whole, ask(one, runner)).difference
        found.append(Outcome(one, of_existing(difference, one)))
    return found


def _unused(given: argparse.Namespace, outcomes: Sequence[Outcome]) -> list[str]:
    """Return the flags of values that no request has."""
    flags = [f"--drop {one}" for one in given.drop]
    flags += [f"--degrade {one}" for one in given.degrade]
    lost = {one.question.lost for one in outcomes}
    return [flag for flag in flags if not any(fits(flag, one) for one in lost)]


def _without_deletions(found: Difference) -> Difference:
    """Return a difference of an Operation, which deletes nothing: what isn't desired any more isn't
    applied.
    """
    lost = [one.name for one in found.entries if one.action == "delete"]
    told = (
        [f"no longer applied (an Operation deletes nothing): {some(lost, _MOST)}"] if lost else []
    )
    entries = [one for one in found.entries if one.action != "delete"]
    return found._replace(entries=entries, notes=[*found.notes, *told])


def _held(rendered: Rendered) -> set[str]:
    return {name for says in told(rendered.steps) for name in says.held}


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite replay` with the arguments that follow it.

    Returns:
        The exit status: 0 if all answers are equal, 4 if a call newly fails, 3 if something is
        deleted, 2 if a request couldn't be asked, 1 for any other difference.

    Raises:
        InputError: The recording, the function or the other version can't be used.
        SystemExit: An argument is wrong or missing, or --help was given.
    """
    given = make_parser().parse_intermixed_args(argv)
    terminal.begin()
    recording, what = chosen(given.recording)
    loses = bool(given.drop or given.degrade)
    with contextlib.ExitStack() as stack, StatusLine() as status, quiet():
        new, old = _versions(given, stack)
        outcomes: list[Outcome] = []
        failed: list[str] = []
        choice = Choice(given.xr or (), _names_of(given, recording, what))
        last = given.last or loses
        asked = list(questions(recording, what, choice, last=last, operations=not loses))
        if not asked:
            raise nothing_fits(recording)
        for number, question in enumerate(asked, 1):
            status.show(f"{number}/{len(asked)} {question.subject.title}")
            if given.pdb:
                status.clear()
                first = next(without(question, given.drop, given.degrade), question)
                _debug(first, new, given.function)
                return 0
            try:
                if loses:
                    outcomes += losses(question, new, given.drop, given.degrade)
                else:
                    outcomes += _outcomes(question, new, old)
            except InputError as e:  # the others can be asked
                failed.append(f"a request of {question.subject.title} is left out: {e}")
    if not outcomes and (failed or not loses):
        why = failed or [
            "their answers aren't recorded; with --function and --against, those of the two are"
            " compared"
        ]
        raise InputError(
            f"{given.recording}: none of {len(asked)} requests can be compared: {why[0]}"
        )
    unused = _unused(given, outcomes)
    if unused:
        raise InputError(
            f"{given.recording}: there is no request with a value for {some(unused, _MOST)}"
        )
    recording.notes += failed
    shown = _as_json if given.format == "json" else _as_text
    stdio.write(shown(outcomes, recording, given).encode(errors="surrogateescape"))
    return max(LEFT_OUT if failed else 0, *(one.status for one in outcomes))


def chosen(text: str) -> tuple[Recording, str]:
    """Return the recording and the text behind `#` of `RECORDING#XR@time`."""
    path, _, what = text.partition("#")
    return Recording(path), what


def nothing_fits(recording: Recording) -> InputError:
    """Return the error that no request of a recording was chosen. It says what there is to choose
    from.
    """
    functions = sorted({call.event.function for call in recording.calls})
    titles = sorted({call.subject.title for call in recording.calls})
    has = f"calls of {some(functions, _MOST)} for {some(titles, _MOST)}" if titles else "no calls"
    has_operations = any(title.startswith("Operation ") for title in titles)
    more = " (only replay asks Operations, without --drop and --degrade)" if has_operations else ""
    notes = "".join(f"; {note}" for note in recording.notes[:_MOST])
    return InputError(
        f"{recording.path}: no recorded request fits what was asked for; there are"
        f" {has}{more}{notes}"
    )


def _names_of(given: argparse.Namespace, recording: Recording, what: str) -> list[str]:
    """Return the names of the functions whose calls are asked again.

    Raises:
        InputError: There are calls of several functions, and the command line names none.
    """
    named = given.name or (given.function[0] if given.function else None)
    calls = recording.find(what).calls if what else recording.calls
    choice = Choice(given.xr or ())
    names = sorted(
        {call.event.function for call in calls if choice.takes(call.subject, call.event.function)}
    )
    if named is None and len(names) > 1:
        raise InputError(
            f"these are calls of several functions: give --name, one of {', '.join(names)}"
        )
    return [named] if named else names


def _answering(given: argparse.Namespace, stack: contextlib.ExitStack) -> Runner:
    """Return the runner of `--function`, or else of the server that `--against` names.

    Raises:
        InputError: Neither is given, the function can't be loaded, or the certificates can't be
            used.
    """
    from ..render.functions import dialling, in_process

    if given.function is not None:
        return in_process(given.function[1], f"--function {given.function[1]}")
    if given.against is None:
        raise InputError(
            "say who answers: --function module:function, or --against ADDRESS for any language"
        )
    return stack.enter_context(dialling(given)(given.against))


def _versions(
    given: argparse.Namespace, stack: contextlib.ExitStack
) -> tuple[Runner, Runner | None]:
    new = given.answering = _answering(given, stack)
    if given.function is None or given.against is None:
        return new, None
    if given.drop or given.degrade:
        raise InputError("with --drop and --degrade, give one of --function and --against")
    from ..diff.versions import other_version
    from ..render.functions import dialling

    others = stack.enter_context(other_version(given.against, {"it": new}, dialling(given)))
    return new, others["it"]


def _debug(question: Question, runner: Runner, function: tuple[str | None, str] | None) -> None:
    """Ask a function in this process, and stop in the debugger at the first line of its
    compose().
    """
    if function is None:
        raise InputError(
            "--pdb needs --function module:function: other processes can't be debugged from here"
        )
    import inspect
    import pdb

    from ...runtime.load import load_runner

    found: Any = load_runner(function[1])
    code = inspect.unwrap(getattr(found, "RunFunction", found)).__code__
    lines = sorted({line for *_, line in code.co_lines() if line})
    debugger = pdb.Pdb(stdin=sys.stdin, stdout=sys.__stderr__)
    debugger.rcLines += [f"tbreak {code.co_filename}:{lines[min(1, len(lines) - 1)]}", "continue"]
    debugger.runcall(runner.run, question.request.SerializeToString(), 1e9)


def _as_text(outcomes: list[Outcome], recording: Recording, given: argparse.Namespace) -> str:
    by_subject = _by_subject(outcomes)
    functions = some(sorted({one.question.function for one in outcomes}), _MOST)
    equal = f"{sum(worst.is_equal for worst in by_subject)} of {len(by_subject)}"
    of = f"({len(outcomes)} {'request' if len(outcomes) == 1 else 'requests'} of {functions})"
    if given.drop or given.degrade:
        lines = [f"{equal} losses change nothing that exists {of}"]
    elif any(one.question.is_of_operation for one in outcomes):
        lines = [f"{equal} composites and Operations are equal {of}"]
    else:
        lines = [f"{equal} composites are equal {of}"]
    groups: dict[tuple[Any, ...], list[Outcome]] = {}
    for worst in by_subject:
        if not worst.is_equal:
            groups.setdefault(worst.form, []).append(worst)
    for group in sorted(groups.values(), key=lambda group: (-group[0].status, -len(group))):
        titles = [one.question.title for one in group]
        first = group[0]
        lines += ["", f"{len(group)}: {some(titles, _MOST)}"]
        lines += report.as_text([first.difference]).splitlines()
        if first.waits:
            lines.append(f"! newly waiting: {some(first.waits, _MOST)}")
        lines.append(f"  {_again(first.question, given)}")
    lines += [
        f"note: {note}"
        for note in notes([one.question for one in outcomes], recording, given.answering)
    ]
    return "".join(f"{_line(line)}\n" for line in lines)


def _by_subject(outcomes: list[Outcome]) -> list[Outcome]:
    """Return the worst outcome of each composite and lost value: of several that are as bad, the
    first one.
    """
    found: dict[tuple[str, ...], Outcome] = {}
    for one in outcomes:
        key = (*one.question.subject.identity, one.question.lost)
        known = found.setdefault(key, one)
        if one.damage > known.damage:
            found[key] = one
    return list(found.values())


def _again(question: Question, given: argparse.Namespace) -> str:
    """Return the command line that asks one question again; in a debugger, if the function runs in
    this process.
    """
    path = given.recording.partition("#")[0]
    subject = question.subject
    parts = ["crossplane-lite", "replay", f"{path}#{subject.kind}/{subject.place}@{question.time}"]
    if given.function is not None:
        name, target = given.function
        parts += ["--function", f"{name}={target}" if name else target, "--pdb"]
    else:
        parts += ["--against", given.against]
        parts += (
            [f"--tls-certs-dir={given.tls_certs_dir}"] if given.tls_certs_dir is not None else []
        )
        parts += (
            [f"--tls-server-name={given.tls_server_name}"]
            if given.tls_server_name is not None
            else []
        )
    parts += ["--name", given.name] if given.name else []
    return (
        shlex.join([*parts, *question.lost.split(" ", 1)]) if question.lost else shlex.join(parts)
    )


def _as_json(outcomes: list[Outcome], recording: Recording, given: argparse.Namespace) -> str:
    by_subject = _by_subject(outcomes)
    differing = [one for one in outcomes if not one.is_equal]
    details = json.loads(report.as_json([one.difference for one in differing]))["composites"]
    made = {
        "losses" if given.drop or given.degrade else "composites": len(by_subject),
        "equal": sum(one.is_equal for one in by_subject),
        "requests": len(outcomes),
        "differences": [
            {
                "time": one.question.time,
                "step": one.question.step,
                "function": one.question.function,
                "newlyWaiting": list(one.waits),
                **({"loss": one.question.lost} if one.question.lost else {}),
                **detail,
            }
            for one, detail in zip(differing, details, strict=True)
        ],
        "notes": list(notes([one.question for one in outcomes], recording, given.answering)),
    }
    return json.dumps(made, indent=2) + "\n"


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite replay`."""
    made = arguments.Parser(
        prog=_NAME,
        usage=f"{_NAME} [options] RECORDING[#XR[@TIME]]",
        description=(
            "Ask a version of a function all requests of a recording, and show where Crossplane"
            " would do something else than it did: what is deleted, created, changed field by"
            " field, newly fails or newly waits. With --function and --against, the answers of"
            " these two are compared instead; with --drop and --degrade, the function's own answers"
            " with and without a value."
        ),
        epilog=(
            "Exit status: 0 when all answers are equal; 1 when some differ; 2 when the command"
            " line, a file or a request can't be used; 3 when something is deleted; 4 when a call"
            " newly fails."
        ),
    )
    made.add_argument(
        "recording",
        metavar="RECORDING",
        help=(
            "a file or folder that `record` has written; #XR@TIME chooses the last reconcile of a"
            " composite until then, such as rec#team/example@2026-11-24T18:30"
        ),
    )
    arguments.add_function(
        made,
        "the function that answers, in this process; NAME is its name in the recording",
        several=False,
    )
    arguments.add_tls(made)
    made.add_argument(
        "--against",
        metavar="ADDRESS|VERSION",
        help=(
            "the server (host:port) that answers, in any language; with --function, the other"
            " version to compare with instead of the recording: a server, a folder with its source,"
            " a revision of git, or a virtual environment"
        ),
    )
    made.add_argument(
        "--name",
        metavar="NAME",
        help="the name of the function in the recording, if that has calls of several",
    )
    add_xr(made)
    made.add_argument(
        "--format", choices=("text", "json"), default="text", help="the format (text)"
    )
    made.add_argument(
        "--drop",
        metavar="NAME",
        action="append",
        default=[],
        help=(
            "take this composed resource away, or required.NAME, and show what happens to the"
            " resources that exist; the answer is compared with the one to the whole request, the"
            " last one of each composite. * stands for any characters: each one is taken away once"
        ),
    )
    made.add_argument(
        "--degrade",
        metavar="NAME.PATH",
        action="append",
        default=[],
        help=(
            "the same with a field of a resource, or of the composite, such as"
            " vpc.status.atProvider.vpcId or xr.status.vpcId; * is each status, each condition and"
            " each value in a status"
        ),
    )
    made.add_argument(
        "--last", action="store_true", help="ask only what was asked last for each composite"
    )
    made.add_argument(
        "--pdb",
        action="store_true",
        help="open the first chosen request in a debugger, in compose()",
    )
    return made

"""The reconciles of a recording or of a simulation in one form: as `render` gives a reconcile."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ....proto import _view
from ...manifests.objects import metadata_of, quoted, text_of
from ...render.composed import Owner, composed_resource
from ...render.pipeline import Runner, Step
from ...render.rendered import FatalResultError, NoAnswerError, Rendered, RenderError, StepRun
from ..messages import decoded, request_bytes, response_bytes

if TYPE_CHECKING:
    from ...simulate.report import Loss
    from ...simulate.simulation import Simulation
    from ..recording import Call, Reconcile, Recording

Outcome = Rendered | RenderError


class Moment(NamedTuple):
    """A reconcile.

    Attributes:
        subject: The kind, and the namespace and name, of the composite or the Operation.
        time: When it was, such as `2026-11-24T18:30:09.123456Z`, or `round 3` of a simulation, or
            `round 3 without vpc.status.id` after a loss. Such texts sort by time. With the subject
            it is the reconcile's place in links.
        key: Equal for reconciles in which everything was asked and answered alike.
        outcome: Reads the reconcile: its result, or its failure.
        is_loss: Whether it tries a loss, which no other reconcile follows.
    """

    subject: tuple[str, str]
    time: str
    key: Hashable
    outcome: Callable[[], Outcome]
    is_loss: bool = False


class Elsewhere:
    """The runner of a step whose function isn't in this process. It can't be called: its answers
    are recorded.
    """

    def __repr__(self) -> str:
        return "its answers are recorded"

    def run(self, request: bytes, timeout: float) -> bytes:
        """Raise NoAnswerError."""
        raise NoAnswerError("a recorded function can't be called")


def recorded(recording: Recording, runners: Mapping[str, Runner]) -> Iterator[Moment]:
    """Yield the reconciles of a recording, subject by subject, each by time.

    Args:
        recording: The recording.
        runners: The runners of functions that are in this process too, by the function's name.
    """
    for reconciles in recording.subjects().values():
        for one in reconciles:
            key = tuple(
                (call.event.step, *map(_hash, (call.asked, call.answered)), call.error)
                for call in one.calls
            )
            subject = one.subject
            place = (subject.kind, subject.place)
            yield Moment(place, one.time, key, functools.partial(_outcome, one, runners))


def _hash(content: Any) -> str:
    return content.hash if content else ""


def _outcome(reconcile: Reconcile, runners: Mapping[str, Runner]) -> Outcome:
    """Return a recorded reconcile as far as it is known: a failure if an answer isn't there, or is
    Fatal.
    """
    last: dict[int, Call] = {call.event.number: call for call in reconcile.calls}
    runs: list[StepRun] = []
    error: RenderError | None = None
    composite: dict[str, Any] = {}
    for _, call in sorted(last.items()):
        event = call.event
        step = Step(event.step or event.function, event.function)
        if call.asked is None:
            error = error or NoAnswerError(
                f"pipeline step {quoted(step.name)}: its request isn't in the recording", step.name
            )
            continue
        request = request_bytes(call.request)
        composite = composite or decoded(
            _view.RunFunctionRequest.FromString(request).observed.composite
        )
        if call.answered is None:
            why = call.error or "its answer isn't in the recording"
            error = error or NoAnswerError(f"pipeline step {quoted(step.name)}: {why}", step.name)
            continue
        runner = runners.get(event.function) or Elsewhere()
        run = StepRun(step, runner, request, response_bytes(call.response), event.iteration + 1)
        runs.append(run)
        error = error or _fatal(run)
    if error is not None:
        error.composite, error.steps = composite, runs
        return error
    rendered = desired_of(
        runs, _view.RunFunctionResponse.FromString(runs[-1].response).desired, composite
    )
    try:
        return rendered._replace(composed=_applied(rendered, runs[-1])) if composite else rendered
    except RenderError as refused:
        refused.composite, refused.steps = composite, runs
        return refused


def _applied(rendered: Rendered, last: StepRun) -> dict[str, dict[str, Any]]:
    """Return the composed resources as Crossplane applies them. Raises RenderError if it refuses
    one.
    """
    observed = _view.RunFunctionRequest.FromString(last.request).observed.resources
    owner = Owner.of(rendered.composite)
    return {
        name: composed_resource(
            name, one, owner, decoded(observed[name]) if name in observed else None
        )
        for name, one in rendered.composed.items()
    }


def _fatal(run: StepRun) -> FatalResultError | None:
    for result in _view.RunFunctionResponse.FromString(run.response).results:
        if result.severity == _view.SEVERITY_FATAL:
            what = (
                f"pipeline step {quoted(run.step.name)} returned a fatal result: {result.message}"
            )
            return FatalResultError(what, run.step.name)
    return None


def desired_of(runs: list[StepRun], desired: Any, composite: dict[str, Any]) -> Rendered:
    """Return a desired state, as functions have it, in the form of a reconcile's result.

    Args:
        runs: The steps that lead to the desired state.
        desired: The desired state, a State message of `proto._view`.
        composite: The composite after it.
    """
    observed = (
        _view.RunFunctionRequest.FromString(runs[-1].request).observed.resources if runs else {}
    )
    composed = {name: decoded(desired.resources[name]) for name in sorted(desired.resources)}
    ready = {name: desired.resources[name].ready == _view.READY_TRUE for name in composed}
    deleted = {name: decoded(observed[name]) for name in observed if name not in composed}
    return Rendered(composite, composed, ready, deleted, [], {}, {}, runs)


def simulated(
    simulation: Simulation, failure: RenderError | None, losses: Iterable[Loss] = ()
) -> Iterator[Moment]:
    """Yield the rounds of a simulation, and the reconciles after losses.

    Args:
        simulation: A simulation that has run.
        failure: The failure of its last round; None if none failed.
        losses: The losses from its steady state, each of which was tried alone.
    """
    metadata = metadata_of(simulation.composite)
    place = "/".join(
        filter(None, (text_of(metadata.get("namespace")), text_of(metadata.get("name"))))
    )
    subject = text_of(simulation.composite.get("kind")), place
    outcomes: list[Outcome] = [one.rendered for one in simulation.rounds]
    if failure is not None:
        outcomes.append(failure)
    digits = len(str(len(outcomes)))
    for number, one in enumerate(outcomes, 1):
        yield Moment(subject, f"round {number:0{digits}}", number, lambda one=one: one)  # type: ignore[misc]
    for loss in losses:
        time = f"round {len(outcomes)} without {loss.target}"
        yield Moment(subject, time, time, lambda loss=loss: loss.outcome, is_loss=True)  # type: ignore[misc]

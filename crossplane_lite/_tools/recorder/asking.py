"""Asks functions recorded questions again: a request as it was, and what they require beyond it,
from the recording.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from ..._core import codec
from ..._core.base.texts import some
from ..._core.call.mark import ANNOTATION, is_step_of, steps_in
from ...errors import InputError
from ...proto import _view
from ..manifests.objects import RESOURCE_NAME, metadata_of
from ..render.cluster import Files
from ..render.operation import render_operation
from ..render.pipeline import Runner, Selector, Step
from ..render.reconcile import render
from ..render.rendered import Rendered, RenderError
from ..render.steps import copy_required
from .messages import decoded, request_bytes, response_bytes
from .receiving import Choice
from .recording import OPERATION, REDACTED, Call, Recording, Subject

_MOST: Final = 8
TIMEOUT: Final = 60.0
"""How many seconds a function may take for one question."""


class Question(NamedTuple):
    """A request of one step of a reconcile, which a function can be asked again.

    Attributes:
        subject: The composite or the Operation.
        step: The name of the step; that of the function where it isn't known.
        function: The function's name.
        request: The message of the first request, a RunFunctionRequest of `proto._view`.
        known: What is known of required resources.
        time: When it was asked; empty if it wasn't recorded.
        answer: The bytes of the last answer; None if there is none.
        error: Why there is no answer.
        hidden: The places in the request whose values were taken out.
        lost: The flag that took a value out of the request, such as `--drop vpc`; empty if it is as
            it was.
    """

    subject: Subject
    step: str
    function: str
    request: Any
    known: Known
    time: str = ""
    answer: bytes | None = None
    error: str = ""
    hidden: Sequence[str] = ()
    lost: str = ""

    @property
    def title(self) -> str:
        """The composite's or the Operation's title, and the flag that took a value away."""
        return f"{self.subject.title} {self.lost}".rstrip()

    @property
    def is_of_operation(self) -> bool:
        """Whether it was asked for an Operation."""
        return self.subject[:2] == OPERATION

    @property
    def composite(self) -> dict[str, Any]:
        """The composite as the request has it, or the Operation, of which a request has nothing."""
        if not self.is_of_operation:
            return decoded(self.request.observed.composite)
        api_version, kind = OPERATION
        return {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": self.subject.name or "unnamed"},
        }

    @property
    def observed(self) -> list[dict[str, Any]]:
        """The observed resources of the request, each with its name in the annotation."""
        return [named(name, one) for name, one in sorted(self.request.observed.resources.items())]


def question_of(calls: list[Call]) -> Question:
    """Return the question of a step's calls in one reconcile. The first call must have a request.

    Raises:
        InputError: The recording is damaged there.
    """
    first, last = calls[0], calls[-1]
    known = Known()
    for call in calls:
        known.learn(_view.RunFunctionRequest.FromString(request_bytes(call.request)), call.response)
    request = first.request
    return Question(
        first.subject,
        first.event.step or first.event.function,
        first.event.function,
        _view.RunFunctionRequest.FromString(request_bytes(request)),
        known,
        time=first.event.time,
        answer=response_bytes(last.response) if last.answered else None,
        error=last.error,
        hidden=sorted(set(_hidden(request))),
    )


class Known:
    """The required resources that a recording has, as a cluster.

    Attributes:
        objects: The resources that were sent.
        unknown: The selectors that the recording has no answer for.
    """

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self._selectors: set[str] = set()
        self._schemas: dict[tuple[str, str], Mapping[str, Any]] = {}
        self.unknown: set[str] = set()

    def learn(self, request: Any, response: Mapping[str, Any]) -> None:
        """Add the required resources and schemas of a request, and the requirements of its answer
        that it fulfils.
        """
        for resources in (*request.required_resources.values(), *request.extra_resources.values()):
            self.objects += [codec.decode_struct(one.resource) for one in resources.items]
        asked = _view.RunFunctionResponse.FromString(response_bytes(response)).requirements
        # What the request doesn't have was sent with a later one, or, for an Operation, isn't in
        # the recording.
        for selectors, sent in (
            (asked.resources, request.required_resources),
            (asked.extra_resources, request.extra_resources),
        ):
            self._selectors.update(
                str(Selector.of(selectors[name])) for name in selectors if name in sent
            )
        for name, selector in asked.schemas.items():
            if request.required_schemas[name].openapi_v3:
                schema = codec.decode_struct(request.required_schemas[name].openapi_v3)
                self._schemas[selector.api_version, selector.kind] = schema

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return the resources that a selector matches."""
        if str(selector) not in self._selectors:
            self.unknown.add(str(selector))
        return Files(self.objects).resources(selector)

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return the schema of a kind; None if it isn't in the recording."""
        return self._schemas.get((api_version, kind))


def questions(
    recording: Recording, what: str, choice: Choice, *, last: bool = False, operations: bool = False
) -> Iterator[Question]:
    """Yield the questions of a recording, by composite and time. A request that came before isn't
    asked again.

    Args:
        recording: The recording.
        what: The text behind `#`, for `Recording.find`; empty for all.
        choice: Chooses composites and functions.
        last: Whether only the last reconcile of each composite counts.
        operations: Whether those of Operations count, too.

    A request that can't be read is left out, and noted in the recording.

    Raises:
        InputError: There is no such reconcile.
    """
    subjects = [[recording.find(what)]] if what else list(recording.subjects().values())
    for reconciles in subjects:
        if reconciles[0].subject[:2] == OPERATION and not operations:
            continue
        asked = set()
        for one in reconciles[-1:] if last else reconciles:
            steps: dict[tuple[int, str], list[Call]] = {}
            for call in one.calls:
                if call.asked and choice.takes(call.subject, call.event.function):
                    steps.setdefault((call.event.number, call.event.function), []).append(call)
            for calls in steps.values():
                key = (calls[0].event.function, *(call.asked and call.asked.hash for call in calls))
                if key not in asked:
                    asked.add(key)
                    try:
                        yield question_of(calls)
                    except InputError as e:  # the others can be asked
                        recording.notes.append(f"a request is left out: {e}")


def ask(question: Question, runner: Runner, timeout: float = TIMEOUT) -> Rendered | RenderError:
    """Ask a function, and return what Crossplane would do with the answer, or why it would do
    nothing.

    Args:
        question: The question.
        runner: Calls the function.
        timeout: The time limit, in seconds.

    Raises:
        InputError: The request isn't one that Crossplane sends, such as one without a composite.
    """
    steps = [Step(question.step, question.function)]
    runners = {question.function: _Exactly(question.request, runner)}
    run = (
        render_operation
        if question.is_of_operation
        else partial(render, observed=question.observed)
    )
    try:
        return run(question.composite, steps, runners, cluster=question.known, timeout=timeout)
    except RenderError as error:
        return error


def recorded_answer(question: Question) -> Rendered | RenderError:
    """Return what Crossplane has done with the recorded answer, as `ask` does."""
    return (
        RenderError(question.error)
        if question.answer is None
        else ask(question, _Recorded(question.answer))
    )


class _Recorded:
    """A runner that gives a recorded answer."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    def run(self, request: bytes, timeout: float) -> bytes:
        return self._answer


class _Exactly:
    """A runner that sends a recorded request in the place of the one that render has made.

    A further call, for what the function requires, has the recorded request with the resources and
    schemas that render has found, and with the context of the answer.
    """

    def __init__(self, request: Any, runner: Runner) -> None:
        self._request, self._runner = request, runner
        self._calls = 0

    @property
    def seen(self) -> Any:
        return getattr(self._runner, "seen", None)

    def run(self, request: bytes, timeout: float) -> bytes:
        message = _view.RunFunctionRequest()
        message.CopyFrom(self._request)
        if self._calls:
            made = _view.RunFunctionRequest.FromString(request)
            copy_required(made, message)
            message.ClearField("context")
            if made.HasField("context"):
                message.context = made.context
        self._calls += 1
        return self._runner.run(message.SerializeToString(), timeout)


def named(name: str, resource: Any) -> dict[str, Any]:
    """Return a resource of a request with its name in the annotation
    `crossplane.io/composition-resource-name`.
    """
    content = decoded(resource)
    metadata = dict(metadata_of(content))
    annotations = metadata.get("annotations")
    metadata["annotations"] = {
        **(annotations if isinstance(annotations, dict) else {}),
        RESOURCE_NAME: name,
    }
    return {**content, "metadata": metadata}


def _hidden(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of each map in a request that has a value that was taken out."""
    work: list[tuple[tuple[str, ...], Any]] = [((), request)]
    while work:
        path, one = work.pop()
        if isinstance(one, Mapping):
            if REDACTED in one.values():
                yield ".".join(path)
            work += [((*path, key), value) for key, value in one.items()]
        elif isinstance(one, list):
            work += [((*path, str(at)), value) for at, value in enumerate(one)]


def notes(asked: Sequence[Question], recording: Recording, runner: Runner) -> Iterator[str]:
    """Yield what a reader should know of the questions that a function was asked: what can't be
    told from them.
    """
    yield from recording.notes
    open_ = sum(not call.answered and not call.error for call in recording.calls)
    if open_:
        yield f"the answers of {open_} calls aren't in the recording"
    operations = sum(call.subject[:2] == OPERATION for call in recording.calls)
    if operations and not any(one.is_of_operation for one in asked):
        yield f"{operations} calls of Operations are left out"
    hidden = [one for one in asked if one.hidden]
    if hidden:
        places = some(sorted({place for one in hidden for place in one.hidden}), _MOST)
        yield (
            f"{len(hidden)} of {len(asked)} requests have values that were taken out before they"
            f" were recorded ({places}): what depends on them isn't known"
        )
    unknown = sorted({what for one in asked for what in one.known.unknown})
    if unknown:
        yield (
            "required, and not in the recording, so that it counts as missing:"
            f" {some(unknown, _MOST)}"
        )
    function = getattr(runner, "function", None)
    if function is not None:
        marks = {step for one in asked for resource in one.observed for step in _steps_of(resource)}
        if marks and not any(is_step_of(step, name) for step in marks for name in function.names):
            yield (
                f"the recorded resources were composed by {some(sorted(marks), _MOST)}, and the"
                f" name of this function is {function.name}, so it takes them for those of others:"
                " give it the name that it has in the cluster, with"
                " @composition.function(name=...)"
            )


def _steps_of(resource: Mapping[str, Any]) -> list[str]:
    annotations = metadata_of(resource).get("annotations")
    return steps_in(annotations.get(ANNOTATION)) if isinstance(annotations, dict) else []


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide what compose() logs about hundreds of requests; a difference names the line that has
    failed.
    """
    logger = logging.getLogger("crossplane_lite.function")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)

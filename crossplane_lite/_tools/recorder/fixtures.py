"""For tests: the requests of a recording, and the assertion that no missing value costs an existing resource."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._core import codec
from ...proto import _view
from ..diff import report
from ..manifests.objects import metadata_of, text_of
from ..render.functions import runners_of
from ..render.pipeline import Runner
from .asking import Known, Question, ask, questions, recorded_answer
from .receiving import Choice
from .recording import Subject
from .replay import chosen, compared, nothing_fits
from .what_if import CALLS, Report, fresh
from .what_if import what_if as _what_if

if TYPE_CHECKING:
    from ...composition import Function


class RecordedRequest:
    """A request of a recording. As text, it is its composite and its time, so that `ids=str` names a test.

    Attributes:
        request: The bytes of the RunFunctionRequest, for `testing.run`. It is the first one of the reconcile and step.
        composite: The composite's kind, namespace and name, such as `XNetwork team/example`.
        time: When it was recorded, such as `2026-11-24T18:30:09.123456Z`.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        self.request: bytes = question.request.SerializeToString()
        self.composite = question.subject.title
        self.time = question.time

    def __str__(self) -> str:
        return f"{self.composite}@{self.time}"

    def check(self, function: Function | Runner | Any) -> None:
        """Assert that Crossplane would do the same with a function's answer as it did with the recorded one.

        Resources that the function requires come from the recording.

        Args:
            function: A composition function, an object with a method RunFunction, or a runner such as
                `render.Remote("localhost:9443")`.

        Raises:
            AssertionError: Something is deleted, created or changed, newly fails or newly waits. The message says what.
        """
        __tracebackhide__ = True
        runner = runners_of({"it": function})["it"]
        outcome = compared(self._question, recorded_answer(self._question), ask(self._question, runner))
        if not outcome.is_equal:
            waits = [f"newly waiting: {', '.join(outcome.waits)}"] if outcome.waits else []
            raise AssertionError("\n".join([str(self), report.as_text([outcome.difference]), *waits]))


def recorded(
    path: Path | str, *, function: str = "", xrs: Collection[str] = (), last: bool = False
) -> list[RecordedRequest]:
    """Return the requests of a recording, for `pytest.mark.parametrize(..., ids=str)`.

    Requests that came before, those without an answer, and those of Operations are left out.

    Args:
        path: A file or folder that `crossplane-lite record` has written, and perhaps `#XR@TIME`, such as
            `recording#team/example`.
        function: The function's name in the recording; empty for all functions.
        xrs: Patterns of composites, such as `team/*`; empty for all.
        last: Whether only the last reconcile of each composite counts.

    Raises:
        InputError: The recording can't be used, or no request in it fits.
    """
    recording, what = chosen(str(path))
    choice = Choice(list(xrs), [function] if function else [])
    found = questions(recording, what, choice, last=last)
    made = [RecordedRequest(one) for one in found if one.answer is not None or one.error]
    if not made:  # pytest would leave the test out
        raise nothing_fits(recording)
    return made


def what_if(function: Function | Runner | Any, request: bytes, *, calls: int = CALLS, changes: bool = False) -> Report:
    """Assert that no existing resource goes when an observed value is missing. Each value is taken away once.

    A function that composes something only as long as it sees a value loses resources in production: when a provider
    is restored from a backup, when a status is written anew, when a field moves.

    Args:
        function: A composition function, an object with a method RunFunction, or a runner such as
            `render.Remote("localhost:9443")`.
        request: A request with observed resources, such as `testing.request("xr.yaml", observed="observed.yaml")`
            returns, or `RecordedRequest.request`.
        calls: The most calls of the function.
        changes: Whether no existing resource may change either.

    Returns:
        The report, with what changes without each value.

    Raises:
        AssertionError: Some resource would be deleted (or changed). The message has a line for each missing value.
        InputError: The function fails already when nothing is missing.
    """
    __tracebackhide__ = True
    message = _view.RunFunctionRequest.FromString(request)
    composite = codec.decode_struct(message.observed.composite.resource)
    metadata = metadata_of(composite)
    names = (composite.get("apiVersion"), composite.get("kind"), metadata.get("namespace"), metadata.get("name"))
    runner = runners_of({"it": function})["it"]
    question = Question(Subject(*map(text_of, names)), "step", "it", message, Known())
    found = _what_if(question, lambda: fresh(runner), calls=calls)
    wrong = [one for one in found.losses if one.deleted or (changes and one.changed)]
    if wrong:
        raise AssertionError("\n".join(f"{one.what}: {one.text(found.existing)}" for one in wrong))
    return found

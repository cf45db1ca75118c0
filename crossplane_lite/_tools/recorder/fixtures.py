"""For tests: the requests of a recording."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..diff import report
from ..render.functions import runners_of
from ..render.pipeline import Runner
from .asking import Question, ask, questions, recorded_answer
from .receiving import Choice
from .replay import Outcome, chosen, compared, losses, nothing_fits

if TYPE_CHECKING:
    from ...composition import Function


class RecordedRequest:
    """A request of a recording. As text, it is its composite and its time, so that `ids=str` names
    a test.

    Attributes:
        request: The bytes of the RunFunctionRequest, for `testing.run`. It is the first one of the
            reconcile and step.
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

    def check(
        self,
        function: Function | Runner | Any,
        *,
        drop: Collection[str] = (),
        degrade: Collection[str] = (),
    ) -> None:
        """Assert that Crossplane would do the same with a function's answer as it did with the
        recorded one.

        Resources that the function requires come from the recording. With `drop` and `degrade`, the
        function's own answers with and without a value are compared instead: no resource that
        exists may go or change.

        Args:
            function: A composition function, an object with a method RunFunction, or a runner such
                as `render.Remote("localhost:9443")`.
            drop: The names of composed resources that are taken away, one at a time, and
                `required.NAME` for a requirement. `*` stands for any characters; what the request
                doesn't have is left out.
            degrade: The same for fields, such as `vpc.status.atProvider.id` and `xr.status.id`. `*`
                is each status, each condition and each value in a status.

        Raises:
            AssertionError: Something is deleted, created or changed, newly fails or newly waits.
                The message says what.
            InputError: With `drop` or `degrade`: the function fails already when nothing is
                missing.
        """
        __tracebackhide__ = True
        runner = runners_of({"it": function})["it"]
        if drop or degrade:
            outcomes = losses(self._question, runner, drop, degrade)
        else:
            before = recorded_answer(self._question)
            outcomes = [compared(self._question, before, ask(self._question, runner))]
        wrong = [text for one in outcomes if not one.is_equal for text in self._told(one)]
        if wrong:
            raise AssertionError("\n".join(wrong))

    def _told(self, outcome: Outcome) -> Iterator[str]:
        yield f"{self} {outcome.question.lost}".rstrip()
        yield report.as_text([outcome.difference])
        if outcome.waits:
            yield f"newly waiting: {', '.join(outcome.waits)}"


def recorded(
    path: Path | str, *, function: str = "", xrs: Collection[str] = (), last: bool = False
) -> list[RecordedRequest]:
    """Return the requests of a recording, for `pytest.mark.parametrize(..., ids=str)`.

    Requests that came before, those without an answer, and those of Operations are left out.

    Args:
        path: A file or folder that `crossplane-lite record` has written, and perhaps `#XR@TIME`,
            such as `recording#team/example`.
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

"""Answers calls in front of a target, a function that knows nothing of last known values.

The target is asked with the request as it is. If its answer changes nothing, it counts. If it
drops, changes or makes something while noted values are missing, the target is asked again with
these values put back, and that answer counts as a whole. What is new in it and isn't in the first
one waits for the real values.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf.message import DecodeError

from ...proto import _view
from .. import codec
from ..base.kept import Kept
from ..base.texts import some
from ..known.put_back import put_back
from ..observed.lookup import is_ready, text_at
from ..observed.owned import as_owned
from ..paths import trees
from . import telling
from .answers import Answer
from .probing import Ask, Probe, nothing
from .seen import Lost, Options, Seen
from .writing import write

FOREVER: Final = float("inf")
_NOTHING_LOST: Final = Lost([], set(), set())
_MOST_COMPOSITES: Final = 4096
_MOST_NAMES: Final = 5
_ERASED: Final = 3
"""After so many calls in a row without notes, although each answer had some, somebody erases
them.
"""


class Guard:
    """Protects what a function has composed from values that go missing.

    Args:
        ask: Asks the function.
        options: What the guard is told.
    """

    def __init__(self, ask: Ask, options: Options) -> None:
        self._ask = ask
        self.options = options
        # By the composite's uid: how many answers in a row had notes that the next request didn't
        # have.
        self._unseen: Kept[list[int]] = Kept(_MOST_COMPOSITES)

    def run(self, data: bytes, until: float = FOREVER) -> bytes:
        """Answer a call.

        Args:
            data: The bytes of the request.
            until: The deadline, a time by `time.monotonic`.

        Returns:
            The bytes of the answer.

        Raises:
            Exception: The target failed, and no last known value helps: what `ask` raised.
        """
        try:
            seen = Seen(data, self.options, until)
        except DecodeError:
            seen = None
        if seen is None or not seen.composite:
            # it is malformed, or an Operation's: there is nothing to protect
            return self._ask(data, until, nothing)
        first: Answer | None = None
        failure: Exception | None = None
        answer = b""
        try:
            answer = self._ask(data, until, seen.read)
            first = Answer(answer, seen.request)
        except DecodeError:
            return answer  # Crossplane says what is wrong with it
        except Exception as problem:
            failure = problem
        made = self._protected(seen, Answer.of_usable(first, seen.request))
        if made is not None:
            return made
        if failure is not None:
            raise failure
        return answer

    def _protected(self, seen: Seen, real: Answer) -> bytes | None:
        """Return the answer's bytes; None if the target's answer is passed on, or its failure."""
        if not real.is_settled:
            return None
        if seen.is_taken():
            text = (
                "a previous step has this name, too: give each guard of a pipeline a name of its"
                " own (--name)"
            )
            return _refused(seen, real, text)
        if seen.is_first:
            return self._first_call(seen, real)
        losses = _losses(seen, real)
        is_still = not losses and _is_still(seen, real)
        lost = _NOTHING_LOST
        if not is_still or seen.may_let_go:
            lost = seen.lost(real.desired)
        if is_still or not lost.places:
            return self._finish(seen, real, lost)
        second, lost = self._second(seen, real, lost)
        if second is None:
            return self._without_second(seen, real, lost, losses)
        if not second.is_settled:
            return second.data
        if real.is_same_as(second):
            return self._finish(seen, real, lost)
        _wait_for_real_values(seen, real, second)
        _take_readiness(seen, real, second)
        _complete_status(seen, real, second)
        write(seen, second, lost, lambda _: lost.places)
        telling.tell(seen, second.message, lost.places, losses)
        return _bytes(second)

    def _second(self, seen: Seen, real: Answer, lost: Lost) -> tuple[Answer | None, Lost]:
        """Ask again with the noted values put back. Return the answer, and what was lost; None if
        the target failed.

        `real` is the answer to the request as it is.
        """
        answer = self._asked_again(seen, real, lost)
        if answer is None:
            return None, lost
        # An object that is gone, and that only the second answer desires.
        gone = seen.notes.values.keys() - seen.observed.keys() - real.desired.keys()
        more = gone.intersection(answer.desired)
        if not more:
            return answer, lost
        lost = seen.lost({*real.desired, *more})
        return self._asked_again(seen, answer, lost), lost

    def _asked_again(self, seen: Seen, answer: Answer, lost: Lost) -> Answer | None:
        found = put_back(
            seen.data,
            seen.notes,
            skip=lost.let_go,
            lost=lost.empty,
            head_of=answer.head_of,
        )
        if found is None:
            return None if answer.has_failed else answer
        try:
            second = Answer(
                self._ask(found.request.SerializeToString(), seen.until, nothing), seen.request
            )
        except Exception:
            return None
        return None if second.is_fatal else second

    def _without_second(self, seen: Seen, real: Answer, lost: Lost, losses: str) -> bytes | None:
        """Answer a call in which the target failed when it was asked again."""
        if not losses:
            return self._finish(seen, real, lost)
        text = (
            f"{telling.of_values(seen, lost.places, losses)}. The function failed when it was asked"
            " with these values"
        )
        return _refused(seen, real, text)

    def _first_call(self, seen: Seen, real: Answer) -> bytes | None:
        """Answer a call without notes: nothing that exists goes until all that exists is ready."""
        if real.has_failed:
            return None
        desired = real.desired
        dropped = [name for name in (*seen.made, *seen.unmarked()) if name not in desired]
        # A step that composes nothing has nothing to keep: the resources without a mark are those
        # of other steps.
        composes = bool(real.own or seen.made)
        if not (dropped and composes and seen.unready()) or seen.lets_all_go:
            return self._finish(seen, real, _NOTHING_LOST)
        for name in dropped:
            observed = seen.observed[name].resource
            owned = as_owned(observed)
            if owned is None:
                text = (
                    f"{name} would be deleted, and can't be kept: its managedFields don't show who"
                    " set its fields"
                )
                return _refused(seen, real, text)
            desired[name].resource = _in_its_namespace(seen, name, owned)
            desired[name].ready = Answer.READY if is_ready(observed) else Answer.NOT_READY
        write(seen, real, _NOTHING_LOST, None)
        telling.tell_first_call(seen, real.message, dropped)
        return _bytes(real)

    def _finish(self, seen: Seen, answer: Answer, lost: Lost) -> bytes | None:
        """Return the bytes of an answer of the target that counts, with marks and notes; None if it
        failed.
        """
        if answer.has_failed:
            return None
        if not (answer.own or seen.condition):
            return answer.data
        if self._erased(seen, answer):
            text = (
                "notes are gone that were written: a later step of the pipeline replaces the"
                " annotations of resources"
            )
            telling.report(seen, answer.message, _view.SEVERITY_WARNING, text)
        write(seen, answer, lost, Probe(self._ask, seen, answer).deciding)
        telling.tell(seen, answer.message, (), "")
        return _bytes(answer)

    def _erased(self, seen: Seen, answer: Answer) -> bool:
        """Say, once, whether somebody erases the notes of a composite's resources."""
        count = self._unseen.get(text_at(seen.composite, "metadata", "uid"), lambda: [0])
        if not seen.is_first or not any(name in seen.observed for name in answer.own):
            count[0] = 0
            return False
        count[0] += 1
        return count[0] == _ERASED + 1


def _bytes(answer: Answer) -> bytes:
    made: bytes = answer.message.SerializeToString()
    return made


def _refused(seen: Seen, answer: Answer, text: str) -> bytes:
    """Return an answer with a fatal result, so that Crossplane does nothing."""
    telling.report(seen, answer.message, _view.SEVERITY_FATAL, text)
    return _bytes(answer)


def _losses(seen: Seen, real: Answer) -> str:
    """Return which existing resources of this step an answer drops and changes; empty text for
    none.
    """
    if real.has_failed:
        return ""
    made = sorted(seen.made.items())
    found = {
        "deleted": [name for name, _ in made if name not in real.desired],
        "changed": [name for name, digest in made if real.own.get(name, digest) != digest],
    }
    return " and ".join(
        f"{some(names, _MOST_NAMES)} would be {how}" for how, names in found.items() if names
    )


def _is_still(seen: Seen, real: Answer) -> bool:
    """Say whether an answer makes nothing, and tells the same in the composite's status."""
    if real.has_failed or any(name not in seen.observed for name in real.own):
        return False
    return not seen.tells_new(real) and seen.notes.missing <= real.told


def _wait_for_real_values(seen: Seen, real: Answer, second: Answer) -> None:
    """Take the new resources out of the second answer that the first one doesn't make alike."""
    for name, digest in list(second.own.items()):
        is_new = name not in seen.observed and name not in seen.request.desired.resources
        if is_new and real.own.get(name) != digest:
            second.waiting.add(name)
            del second.own[name]
            del second.desired[name]


def _take_readiness(seen: Seen, real: Answer, second: Answer) -> None:
    """Let the second answer say who is ready by the real state."""
    for name, one in second.desired.items():
        if name in real.desired:
            one.ready = real.desired[name].ready
        elif one.ready == Answer.READY and not seen.is_ready(name):
            one.ready = Answer.NOT_READY
    if not real.has_failed:
        second.message.desired.composite.ready = real.message.desired.composite.ready


def _complete_status(seen: Seen, real: Answer, second: Answer) -> None:
    """Give fields of the composite's status that only the second answer has the values that they
    have now.

    These are newer than those that were made of notes.
    """
    newer: dict[str, Any] = {}
    for steps in second.status.keys() - real.status.keys():
        if steps in seen.status:
            trees.put(newer, ("status", *steps), seen.status[steps])
    if newer:
        composite = second.message.desired.composite
        composite.resource = codec.encode_over(newer, composite.resource)


def _in_its_namespace(seen: Seen, name: str, owned: bytes) -> bytes:
    """Return a kept resource with its namespace, if the composite is in none that Crossplane would
    set.
    """
    namespace = text_at(seen.observed[name].resource, "metadata", "namespace")
    if not namespace or text_at(seen.composite, "metadata", "namespace"):
        return owned
    return codec.encode_over({"metadata": {"namespace": namespace}}, owned)

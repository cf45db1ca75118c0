"""The composite's condition of this package, DependenciesResolved, which says who waits for what."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from ...proto import _view
from .parts import Masked, joined

if TYPE_CHECKING:
    from ..call.call import Call

CONDITION: Final = "DependenciesResolved"
_WAITING: Final = "WaitingForDependencies"
_FAILED: Final = "ComposeFailed"
_RESOLVED: Final = "AllResolved"

_OF_ONE_ATTEMPT: Final = re.compile(
    r"since [0-9TZ:-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?i:(?:request|host) ?id): [^\s,]+"
)


class Report:
    """The condition DependenciesResolved of an answer.

    Attributes:
        type: The condition's type.
        resolved: The condition's status: True, False, or None for Unknown.
        reason: The condition's reason.
        text: The condition's message without the function's name.
        message: The condition's message: the function's name, a colon and the text. The next call looks for the
            name, to know whether the condition is this function's.
        changed: Whether a result repeats the text, too, because it is new: the observed condition has another message
            or is missing, and the previous reconcile didn't fail.
    """

    __slots__ = ("_before", "_start", "changed", "message", "reason", "resolved", "text", "type")

    def __init__(self, type_: str, reason: str, start: str, text: str, observed: dict[str, Any] | None) -> None:
        self.type = Masked(type_)
        self.resolved: bool | None = reason == _RESOLVED
        self.reason = reason
        self.text = text
        self._start = start
        self._before = before = {} if observed is None else observed
        told = str(before.get("message", ""))
        # A message that says the same about another attempt would only be written again.
        message = start + text
        is_same = _says_same(told, message)
        self.message = Masked(told if is_same else message)
        # After a failed reconcile the condition has another text, also if nothing else changed: that isn't news.
        self.changed = not is_same and before.get("reason") not in ("FatalError", _FAILED)

    def fail(self) -> None:
        """Change the report because compose() raised: `changed` becomes False, and the status can't be True.

        A status that isn't True stays. If it is True, the condition gets its observed reason and message again if these
        say that something waits or isn't supported, with the status False. Otherwise the status becomes Unknown.
        """
        self.changed = False
        if not self.resolved:
            return
        if self._before.get("reason") == _WAITING:
            # The condition stays as the last complete call sent it.
            self.resolved, self.reason, self.message = False, _WAITING, Masked(self._before.get("message", ""))
        else:
            self.resolved, self.reason, self.message = None, _FAILED, Masked(f"{self._start}compose() failed")


def _says_same(told: str, text: str) -> bool:
    """Compare two messages without times and ids of single attempts, which a provider reports anew with each."""
    # The search takes long, and usually there is nothing to search for.
    return told == text or _OF_ONE_ATTEMPT.sub("", told) == _OF_ONE_ATTEMPT.sub("", text)


def condition_type(name: str, step: str, others: Collection[str]) -> str:
    """Return the type of a step's condition. Every step of a pipeline has a type of its own.

    It is `DependenciesResolved` if no other step has a report in the context. Otherwise the function's name follows, as
    in `DependenciesResolved-network`. If another step may have that type, the step's identity follows instead.
    Characters that a type can't have are replaced by hyphens. `others` are the identities of the other steps that have
    a report in the context.
    """
    if not others:
        return CONDITION
    # The same function may be in the pipeline more than once. If its first step has the type without a name, the type
    # with the function's name is still free for its second step.
    same = sum(other.rpartition("-")[0] == name or other == name for other in others)
    suffix = step if same and len(others) > 1 else name
    return f"{CONDITION}-" + re.sub("[^A-Za-z0-9_.-]+", "-", suffix).strip("-")


def report_for(call: Call, lines: list[Masked], type_: str) -> Report | None:
    """Return the condition DependenciesResolved of a call.

    The result is None if there are no lines, and the composite doesn't have this function's condition. It is also None
    if the caller doesn't support conditions; then the lines are logged.
    """
    observed = call.observed_condition(type_)
    if not lines and (observed is None or not _is_own(call, observed)):
        return None
    text = joined(lines) if lines else "every dependency is resolved"
    if not call.supports(_view.CAPABILITY_CONDITIONS):
        if lines:
            call.uses(_view.CAPABILITY_CONDITIONS)
            call.log.info("%s", text)
        return None
    reason = _WAITING if lines else _RESOLVED
    return Report(type_, reason, f"{call.function.name}: ", text, observed)


def _is_own(call: Call, condition: dict[str, Any]) -> bool:
    """Return whether `condition` is one that this function set, and not another step of the pipeline.

    Its message begins with the function's name or a former name. After a fatal result, Crossplane has replaced the
    message, so nobody knows who set the condition: it counts as this function's.
    """
    message = str(condition.get("message", ""))
    starts = tuple(f"{name}: " for name in call.function.names)
    return message.startswith(starts) or condition.get("reason") == "FatalError"

"""The condition DependenciesResolved of the composite."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from ..proto import _view
from .parts import Masked

if TYPE_CHECKING:
    from .._call.call import Call

__all__ = ["CONDITION", "Report", "condition_type", "report_for"]

CONDITION: Final = "DependenciesResolved"
_WAITING: Final = "WaitingForDependencies"
_UNSUPPORTED: Final = "Unsupported"
_FAILED: Final = "ComposeFailed"
_RESOLVED: Final = "AllResolved"


class Report:
    """The condition of a call, and whether the graph is shown.

    Attributes:
        type: The condition's type.
        resolved: Its status; None for Unknown.
        reason: Its reason.
        text: The message.
        message: The same after the function's name, which says whose condition it is. That is all that is ever read
            of a message.
        changed: Whether the observed composite has another message, so that a result says the news.
    """

    __slots__ = ("_before", "_start", "changed", "message", "reason", "resolved", "text", "type")

    def __init__(self, type_: str, reason: str, start: str, text: str, observed: dict[str, Any] | None) -> None:
        self.type = Masked(type_)
        self.resolved: bool | None = reason == _RESOLVED
        self.reason = reason
        self.text = text
        self._start = start
        self.message = Masked(start + text)
        self._before = before = {} if observed is None else observed
        # After a failed reconcile Crossplane has put its own text there; that nothing else changed would be no news.
        self.changed = before.get("reason") not in ("FatalError", _FAILED) and before.get("message") != self.message

    def fail(self) -> None:
        """compose() did not get to its end: nobody knows whether everything is resolved, and nothing is news."""
        self.changed = False
        if not self.resolved:
            return
        reason = self._before.get("reason")
        if reason in (_WAITING, _UNSUPPORTED):
            # As it was sent.
            self.resolved, self.reason, self.message = False, str(reason), Masked(self._before.get("message", ""))
        else:
            self.resolved, self.reason, self.message = None, _FAILED, Masked(f"{self._start}compose() failed")


def condition_type(name: str, step: str, others: Collection[str]) -> str:
    """Return the condition type of a step, another one for each step of a pipeline.

    Args:
        name: The function's name.
        step: The step's identity: the name and a hash of its input.
        others: The identities of the steps that have an entry in the context.
    """
    if not others:
        return CONDITION
    # The same function may stand in the pipeline more than once. The second time its name is still free, if the first
    # time used the plain type.
    same = sum(other.rpartition("-")[0] == name or other == name for other in others)
    suffix = step if same and len(others) > 1 else name
    return f"{CONDITION}-" + re.sub("[^A-Za-z0-9_.-]+", "-", suffix).strip("-")


def report_for(call: Call, waiting: list[Masked], cut_off: list[Masked], type_: str) -> Report | None:
    """Return the report of a call; None for a function that has never held anything back, or whose caller knows no
    conditions: then the log names the waiting resources.

    Args:
        call: The call.
        waiting: The waits.
        cut_off: Values that won't ever come.
        type_: The condition's type.
    """
    lines = waiting + cut_off
    observed = call.observed_condition(type_)
    if not lines and (observed is None or not _is_own(call, observed)):
        return None
    text = "every dependency is resolved"
    if lines:
        from .messages import joined

        text = joined(lines)
    if not call.supports(_view.CAPABILITY_CONDITIONS):
        if lines:
            call.uses(_view.CAPABILITY_CONDITIONS)
            call.log.info("%s", text)
        return None
    return Report(type_, _WAITING if waiting else _UNSUPPORTED if cut_off else _RESOLVED, _start(call), text, observed)


def _is_own(call: Call, condition: dict[str, Any]) -> bool:
    """Say whether this function wrote a condition, and not another step of the pipeline.

    It begins its messages with its name. Of a condition that Crossplane put its own text into nobody knows.
    """
    message = str(condition.get("message", ""))
    names = (call.function.name, *call.function.formerly)
    return message.startswith(tuple(f"{name}: " for name in names)) or condition.get("reason") == "FatalError"


def _start(call: Call) -> str:
    return f"{call.function.name}: "

"""The composite's condition DependenciesResolved, which says who waits for what."""

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
    """The condition of a call, and whether a result repeats its text because it is news.

    Attributes:
        type: The condition's type.
        resolved: The condition's status: True, False, or None for Unknown.
        reason: The condition's reason.
        text: The condition's message without the function's name.
        message: The condition's message: the function's name, a colon and the text. The next call looks only for the
            name in it, to know whose condition it is.
        changed: Whether the text is news: the observed condition has another message or is missing, and the previous
            reconcile didn't fail.
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
        # After a failed reconcile the condition has another text, also if nothing else changed: that isn't news.
        self.changed = before.get("reason") not in ("FatalError", _FAILED) and before.get("message") != self.message

    def fail(self) -> None:
        """Change the report for a compose() that raised: it is no news, and can't say that everything is resolved.

        If the condition would say so, but was observed to wait, it stays as it was observed. If it wasn't observed to
        wait, its status becomes Unknown.
        """
        self.changed = False
        if not self.resolved:
            return
        reason = self._before.get("reason")
        if reason in (_WAITING, _UNSUPPORTED):
            # The condition stays as the last complete call sent it.
            self.resolved, self.reason, self.message = False, str(reason), Masked(self._before.get("message", ""))
        else:
            self.resolved, self.reason, self.message = None, _FAILED, Masked(f"{self._start}compose() failed")


def condition_type(name: str, step: str, others: Collection[str]) -> str:
    """Return the type of a step's condition. Steps of one pipeline get different types.

    The type is `DependenciesResolved` if no other step has an entry. Otherwise it ends with the function's name or, if
    that may be taken, with the step's identity.

    Args:
        name: The function's name.
        step: The step's identity: the function's name and a hash of the step's input.
        others: The identities of the other steps that have an entry in the context.
    """
    if not others:
        return CONDITION
    # The same function may be in the pipeline more than once. If its first step used the plain type, the type with the
    # function's name is still free for its second step.
    same = sum(other.rpartition("-")[0] == name or other == name for other in others)
    suffix = step if same and len(others) > 1 else name
    return f"{CONDITION}-" + re.sub("[^A-Za-z0-9_.-]+", "-", suffix).strip("-")


def report_for(call: Call, waiting: list[Masked], cut_off: list[Masked], type_: str) -> Report | None:
    """Return the report of a call.

    Args:
        call: The call.
        waiting: The lines about resources that wait.
        cut_off: The lines about values that never come.
        type_: The condition's type.

    Returns:
        The report. None if there are no lines and the composite doesn't have this function's condition. Also None if
        the caller doesn't support conditions; then the lines are logged.
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
    """Say whether `condition` belongs to this function, and not to another step of the pipeline.

    The message of a function's condition begins with the function's name, or a former name. After a fatal result,
    Crossplane has replaced the message, and the owner can't be known: the condition counts as this function's.
    """
    message = str(condition.get("message", ""))
    names = (call.function.name, *call.function.formerly)
    return message.startswith(tuple(f"{name}: " for name in names)) or condition.get("reason") == "FatalError"


def _start(call: Call) -> str:
    return f"{call.function.name}: "

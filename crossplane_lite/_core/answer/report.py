"""The composite's condition of this package, DependenciesResolved, which says who waits for
what.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final, NamedTuple

from ...proto import _view
from ..call import results
from .parts import joined

if TYPE_CHECKING:
    from ..call.call import Call

CONDITION: Final = "DependenciesResolved"
WAITING: Final = "WaitingForDependencies"
_FATAL: Final = "FatalError"  # Crossplane's own, after a fatal result
_RESOLVED: Final = "AllResolved"

# What a provider reports anew with each attempt: times and ids. Messages that differ in these only
# say the same.
_OF_ONE_ATTEMPT: Final = re.compile(
    r"since [0-9TZ:-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?i:(?:request|host) ?id):"
    r" [^\s,]+"
)


class Report(NamedTuple):
    """The condition DependenciesResolved of an answer.

    Attributes:
        condition: The condition. Its message is the function's name, a colon and the text. The next
            call looks for the name, to know whether the condition is this function's.
        text: The message without the function's name.
        resolved: Whether nothing waits.
        changed: Whether a result repeats the text, too, because it is new: the observed condition
            has another message or is missing, and the previous reconcile didn't fail.
    """

    condition: results.ConditionEntry
    text: str
    resolved: bool
    changed: bool


def condition_type(name: str, step: str, others: Collection[str]) -> str:
    """Return the type of a step's condition. Every step of a pipeline has a type of its own.

    It is `DependenciesResolved` if no other step has a report in the context. Otherwise the
    function's name follows, as in `DependenciesResolved-network`. If another step may have that
    type, the step's identity follows instead. Characters that a type can't have are replaced by
    hyphens. `others` are the identities of the other steps that have a report in the context.
    """
    if not others:
        return CONDITION
    # The same function may be in the pipeline more than once. If its first step has the type
    # without a name, the type with the function's name is still free for its second step.
    same = sum(other.rpartition("-")[0] == name or other == name for other in others)
    suffix = step if same and len(others) > 1 else name
    return f"{CONDITION}-" + re.sub("[^A-Za-z0-9_.-]+", "-", suffix).strip("-")


def report_for(call: Call, lines: list[str], type_: str) -> Report | None:
    """Return the condition DependenciesResolved of a call.

    The result is None if there are no lines, and the composite doesn't have this function's
    condition. It is also None if the caller doesn't support conditions; then the lines are logged.
    """
    observed = call.observed_condition(type_)
    before = {} if observed is None else observed
    told = str(before.get("message", ""))
    # After a fatal result Crossplane has replaced the message, so nobody knows whose the condition
    # is.
    is_own = (
        told.startswith(tuple(f"{name}: " for name in call.function.names))
        or before.get("reason") == _FATAL
    )
    if not (lines or is_own):
        return None
    text = joined(lines) if lines else "every dependency is resolved"
    if not call.supports(_view.CAPABILITY_CONDITIONS):
        if lines:
            call.uses(_view.CAPABILITY_CONDITIONS)
            call.log.info("%s", text)
        return None
    message = f"{call.function.name}: {text}"
    # The search takes long, and usually there is nothing to search for.
    is_same = told == message or _OF_ONE_ATTEMPT.sub("", told) == _OF_ONE_ATTEMPT.sub("", message)
    # After a failed reconcile the condition has another text, also if nothing else changed: that
    # isn't news.
    changed = not is_same and before.get("reason") != _FATAL
    # A message that says the same about another attempt would only be written again.
    shown = told if is_same else message
    reason = WAITING if lines else _RESOLVED
    condition = results.ConditionEntry(type_, results.STATUS[not lines], reason, shown, 0)
    return Report(condition, text, not lines, changed)

"""Says what a guard does: a condition of the composite, and a result when that begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...proto import _view
from ..base.texts import short_repr, some
from ..known.notes import Where
from .seen import CONDITION, LET_GO, Seen
from .values import patterns_of, readable

_MOST: Final = 5
_MISSING: Final = "ValuesMissing"
_THERE: Final = "AllThere"
_UNKNOWN: Final = "FirstCall"


def tell(seen: Seen, message: Any, places: Sequence[Where], losses: str) -> None:
    """Say in a condition which values count as they last were; or that all are there, after they
    weren't.

    Args:
        seen: The request.
        message: The answer.
        places: The missing values; none if all are there.
        losses: What the answer would do without their last values.
    """
    if places:
        _put(seen, message, _MISSING, of_values(seen, places, losses))
    elif seen.condition:
        _put(seen, message, _THERE, "no missing value decides anything")


def tell_first_call(seen: Seen, message: Any, names: Sequence[str]) -> None:
    """Say in a condition which resources stay because nothing is known of their values yet."""
    text = (
        f"the step doesn't desire {some(names, _MOST)}, and nothing goes until these are ready:"
        f" {some(seen.unready(), _MOST)}. The guard has no notes yet, so a value may be missing"
        f" ({_way_out(['*'])})"
    )
    _put(seen, message, _UNKNOWN, text)


def of_values(seen: Seen, places: Sequence[Where], losses: str) -> str:
    """Return which values are missing, what an answer would do without them, and the way out."""
    values = [
        f"{readable(place)} ({seen.mask(short_repr(seen.notes.at(*place)))})"
        for place in sorted(places)
    ]
    verb = (
        "are missing and count as they last were"
        if values[1:]
        else "is missing and counts as it last was"
    )
    text = f"{some(values, _MOST)} {verb}"
    if losses:
        text += f"; without that, {losses}"
    return f"{text} ({_way_out(patterns_of(places, _MOST))})"


def _way_out(patterns: Sequence[str]) -> str:
    return (
        f'if that is meant, let it go with the annotation {LET_GO}: "{", ".join(patterns)}" of the'
        " composite"
    )


def _put(seen: Seen, message: Any, reason: str, text: str) -> None:
    """Set the condition, and add a result with the same text if the reason is new."""
    is_resolved = reason == _THERE
    status = _view.STATUS_CONDITION_FALSE if is_resolved else _view.STATUS_CONDITION_TRUE
    condition = message.conditions.add(type=seen.condition_type, status=status, reason=reason)
    condition.message = f"{seen.options.name}: {text}"
    if seen.condition.get("reason") != reason:
        report(
            seen, message, _view.SEVERITY_NORMAL if is_resolved else _view.SEVERITY_WARNING, text
        )


def report(seen: Seen, message: Any, severity: int, text: str) -> None:
    """Add a result to an answer."""
    text = f"{seen.options.name}: {text}"
    message.results.add(severity=severity, message=text, reason=CONDITION)

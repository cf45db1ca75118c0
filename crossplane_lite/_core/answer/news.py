"""Results with `on_change`, which are sent once: a condition of the composite remembers the texts that were sent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ...proto import _view
from ..base.hashes import sha256
from ..call import results

if TYPE_CHECKING:
    from ..call.call import Call

__all__ = ["REPORTED", "tell_news"]

REPORTED: Final = "ResultsReported"
_REASON: Final = "Reported"
_DIGITS: Final = 16


def tell_news(call: Call) -> results.ConditionEntry | None:
    """Remove each result with `on_change` that was sent before, and return a condition that remembers the present ones.

    A result counts as sent if the observed condition has the hash of its severity and text, or if compose() gave the
    same result twice. Hashes are used because a text may hold secret values. The condition's message begins with the
    function's name, like the messages of all conditions of this package. Returns None if there are no such results and
    no such condition, or if the caller doesn't support conditions: then every result stays.
    """
    entries = call.results.entries
    chosen = [entry for entry in entries if entry.on_change]
    type_ = f"{REPORTED}-" + re.sub("[^A-Za-z0-9_.-]+", "-", call.step).strip("-")
    observed = call.observed_condition(type_)
    start = f"{call.function.name}: "
    if (not chosen and observed is None) or not call.supports(_view.CAPABILITY_CONDITIONS):
        return None
    message = "" if observed is None else str(observed.get("message", ""))
    sent = set(message.removeprefix(start).split()) if message.startswith(start) else set()
    known: dict[str, None] = {}
    for entry in chosen:
        text = call.readable(str(entry.message))
        digest = sha256(f"{entry.severity} {text}".encode()).hexdigest()[:_DIGITS]
        if digest in sent or digest in known:
            entries.remove(entry)
        known[digest] = None
    return results.ConditionEntry(type_, results.STATUS[True], _REASON, start + " ".join(sorted(known)), 0)

"""A run of compose() with other placeholders, which shows the fields and resources that depend on
their letters.

The run is made where a string with a placeholder isn't found whole in the resources, because
compose() has cut, hashed or sorted it. A field that differs in that run counts as unresolved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from ...errors import EncodeError
from .. import codec
from ..call.mark import plain_bytes
from ..dependencies.dry_run import Run, details_of
from ..observed import tracker
from ..observed.observable import sources
from ..observed.tokens import LATE
from .draft import LEVELS, Way, draft_all, draft_one, status_of
from .outcome import MOST_NAMED

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.observable import Observable
    from .decide import Decision
    from .outcome import Outcome


def look_at_texts(decision: Decision, run: Outcome, elsewhere: Collection[str]) -> None:
    """Hold back the resources and fields that depend on the letters of a placeholder."""
    call = run.call
    if not call.tokens or not run.unaccounted:
        return
    opens = any(decision.drafts[name].content is not None for name in (*run.fresh, *run.changed))
    tells = bool(details_of(call)) or not run.keeps_status
    if not (opens or tells):
        return
    late = Run.dry(call, call.request, call.data, form=LATE)
    before = tracker.enter(late.call)
    try:
        # All texts for each resource would be too much work, and too long a message, for a hundred
        # of them.
        found = {one.source_path: one for value in run.unaccounted for one in sources(value)}
        texts = [found[path] for path in sorted(found)][:MOST_NAMED]
        _compare_resources(decision, run, late, texts, elsewhere)
        _compare_composite(decision, call, late.call, texts)
    finally:
        tracker.go_back(before)
        late.end()


def _compare_resources(
    decision: Decision,
    run: Outcome,
    late: Run,
    texts: Sequence[Observable],
    elsewhere: Collection[str],
) -> None:
    call = run.call
    others = draft_all(late.call, elsewhere)
    for name in (*run.fresh, *run.changed):
        draft, other = decision.drafts[name], others.get(name)
        if draft.content is None or draft is not run.drafts[name]:
            continue
        is_fresh = name not in call.existing
        if other is None:
            # Its name is made from a string with a placeholder.
            if is_fresh and run.error is None and late.error is None:
                decision.hold(name, texts)
        elif is_fresh and name not in call.desired:
            # If the other one waits, only a part of these placeholders was found in it.
            differs = bool(other.waits) if other.content is None else draft.digest != other.digest
            if differs:
                decision.hold(name, texts)
        elif other.content is not None:
            ways = list(_differing(plain_bytes(draft.content), plain_bytes(other.content)))
            if ways:
                decision.drafts[name] = draft_one(call, name, elsewhere, (ways, texts))


def _compare_composite(
    decision: Decision, call: Call, late: Call, texts: Sequence[Observable]
) -> None:
    """Compare the composite's status and connection details."""
    composite, another = call.composite, late.composite
    if composite is not None and another is not None:
        try:
            ours, _ = status_of(call, composite)
            theirs, _ = status_of(late, another)
        except EncodeError:  # the answer reports it
            return
        decision.status = list(_differing(ours or b"", theirs or b"")), texts
    details, others = details_of(call), details_of(late)
    decision.details = {
        key for key in {**details, **others} if repr(details.get(key)) != repr(others.get(key))
    }


def _differing(one: bytes, other: bytes, way: Way = ()) -> Iterator[Way]:
    """Yield the ways to the fields at which two Structs differ, also to those that only one of them
    has.
    """
    ours, theirs = codec.split(one), codec.split(other)
    for key in sorted({*ours, *theirs}):
        mine, its = ours.get(key), theirs.get(key)
        if mine == its:
            continue
        (kind, left), (other_kind, right) = (
            codec.open_value(value or b"") for value in (mine, its)
        )
        if kind == other_kind == codec.STRUCT and len(way) < LEVELS:
            yield from _differing(left, right, (*way, key))
        else:
            yield (*way, key)

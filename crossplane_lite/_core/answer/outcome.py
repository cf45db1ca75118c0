"""What a run of compose() makes of the request: what it creates, changes and drops, and which values it lacks."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..base.sentinels import UNSET
from ..call.mark import NO_MARK, OUR_NAME, OURS, Made, made_in
from ..dependencies.dry_run import details_of, tree_or_none
from ..dependencies.usages import edge_of
from ..models.walker import unresolved_in
from ..observed.lookup import is_ready, steps_of
from ..observed.observable import is_settled, sources
from ..paths.text import prefixes
from . import asking
from .draft import draft_all
from .parts import live_status
from .violations import take_violations

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.observable import Observable

MOST_NAMED: Final = 5
"""The most missing values that are named as the reason why a resource waits or stays."""

# What a mark has behind a digest: a sign, or keys of an earlier version. A control character ends the mark.
_REST: Final = re.compile(rb"[!-+\--~]*")


class Outcome:
    """What a run makes of the request, once compose() has ended and the run's call is the current one.

    Args:
        call: The call of the run.
        elsewhere: The names of resources that other steps hold back.
        error: The exception that compose() raised; None if it returned.

    Raises:
        WireError: Bytes of the request are malformed.

    Attributes:
        call: The call of the run.
        drafts: The registered resources by name, as they are sent or held back.
        error: The exception that compose() raised; None if it returned.
        violations: The texts of fatal results for fields that compose() must not set.
        fresh: The resources that are created.
        changed: The existing resources that get another content.
        remarks: What counts as it last was in this run besides lost values, as sentences for people.
    """

    def __init__(self, call: Call, elsewhere: Collection[str], error: BaseException | None) -> None:
        self.call = call
        self.error = error
        self.violations = take_violations(call)
        self.drafts = drafts = draft_all(call, elsewhere)
        self.fresh: list[str] = []
        self.changed: list[str] = []
        self.remarks: list[str] = []
        start = f"{call.step};"
        existing = call.existing
        for name, draft in drafts.items():
            if draft.content is None:
                continue
            digest = draft.digest
            if name not in existing:
                self.fresh.append(name)
                draft.made = Made(digest, guessed=bool(call.guesses)).to_text()
                continue
            raw = existing[name].resource
            mark = (start + digest).encode()
            at = raw.find(mark)
            if at < 0:
                self.changed.append(name)
            else:
                rest: Any = _REST.match(raw, at + len(mark))
                draft.made = digest + rest[0].decode()

    @functools.cached_property
    def missing(self) -> Sequence[Observable[Any]]:
        """The missing values that compose() has read, whatever it did with them, sorted by path."""
        call = self.call
        if not (call.handed_out or call.guesses or call.tokens):
            return ()
        read = {one.source_path: one for value in self._values_set() for one in sources(value)}
        # One that was made by hand has no owner, and one that was read has.
        # What lies around a value with a default was read on the way to it.
        on_the_way = {above for path in call.answered for above in prefixes(path)[:-1]}
        handed = [one for one in call.handed_out if one.__cl_deps__ is None and one.source_path not in on_the_way]
        read.update((one.source_path, one) for one in handed)
        found = {path: one for path, one in read.items() if path not in call.answered and not is_settled(one)}
        found.update(self.asked)
        return [one for _, one in sorted(found.items())]

    def _values_set(self) -> Iterator[Observable[Any]]:
        """Yield the missing values that are set in the resources, each as often as it is set."""
        for draft in self.drafts.values():
            for place in draft.found:
                yield from place.waits_for

    @functools.cached_property
    def asked(self) -> dict[str, Observable[Any]]:
        """The missing values that compose() used as plain ones or put into a string, by path."""
        found = {one.source_path: one for value in self.call.tokens.values() for one in sources(value)}
        found.update(self.call.guesses)
        return found

    def dropped(self, *, unmarked: bool) -> list[str]:
        """Return the existing resources of this step that the run doesn't desire; `unmarked` takes those without mark.

        Usages come and go by rules of their own.
        """
        call = self.call
        found = []
        for name in sorted(call.existing):
            if name in self.drafts or name in call.other_kind:
                continue
            whose = call.whose(name)
            if name in call.desired:  # a previous step's, which may stay when this step leaves it alone
                is_own = whose == OURS or name in call.removed
            else:
                is_own = whose in (OURS, OUR_NAME) or (unmarked and whose == NO_MARK)
            if is_own and edge_of(name, call.existing[name].resource) is None:
                found.append(name)
        return found

    @functools.cached_property
    def status(self) -> dict[str, Any]:
        """The fields that the run sets in the composite's status."""
        composite = self.call.composite
        tree = None if composite is None else tree_or_none(composite, self.call)
        found = None if tree is None else tree.data.get("status")
        return found if isinstance(found, dict) else {}

    @functools.cached_property
    def _live_status(self) -> dict[str, Any]:
        return live_status(self.call)

    @functools.cached_property
    def keeps_status(self) -> bool:
        """Whether the run sets nothing in the composite's status to another value."""
        # An Observable mustn't be compared. Missing values keep theirs.
        return all(self._waits(wanted) or there == wanted for there, wanted in _leaves(self._live_status, self.status))

    @functools.cached_property
    def lacks_status(self) -> bool:
        """Whether the run sets a field of the composite's status to a missing value, and there is no value to keep."""
        return any(there is None and self._waits(wanted) for there, wanted in _leaves(self._live_status, self.status))

    @functools.cached_property
    def may_drop(self) -> bool:
        """Whether the composite has a status field or a connection detail that the run doesn't set."""
        details = self.call.request.observed.composite.connection_details
        return not self._sets_all(self._live_status, details)

    def set_at(self, way: str) -> Any:
        """Return what the run sets in a field of the composite, with missing values in it; UNSET for nothing."""
        at: Any = {"status": self.status}
        for step in steps_of(way):
            if not isinstance(at, dict):
                return at
            at = at.get(step, UNSET)
        return at

    def has_all_of(self, other: Outcome) -> bool:
        """Say whether the run tells all that another run tells: status, details, context, readiness and results."""
        said, others = self._said, other._said
        if any(said.get(key) != others.get(key) for key in (*said, "xr", "")):
            return False
        return self._sets_all(other.status, details_of(other.call)) and not other.tells_by_context

    def _sets_all(self, status: dict[str, Any], details: Collection[str]) -> bool:
        """Say whether the run sets all of these fields and details, whatever their values are."""
        if not details_of(self.call).keys() >= set(details):
            return False
        for own, wanted in _leaves(self.status, status):
            lacks_fields = isinstance(wanted, dict) and not isinstance(own, dict)
            if own is None or (lacks_fields and not self._waits(own)):
                return False
        return True

    def _waits(self, value: Any) -> bool:
        return bool(unresolved_in(value, self.call))

    @property
    def _said(self) -> dict[str, Any]:
        """What compose() has said of readiness, by the resource's name (`xr`), and its results under an empty name."""
        found: dict[str, Any] = {name: model._state.ready for name, model in self.call.tops().items()}
        found[""] = [(one.severity, str(one.message)) for one in self.call.results.entries]
        return found

    @functools.cached_property
    def all_ready(self) -> bool:
        """Whether all existing composed resources are ready."""
        return all(is_ready(one.resource) for one in self.call.existing.values())

    @functools.cached_property
    def keeps_details(self) -> bool:
        """Whether the run changes nothing in the composite's connection details."""
        live = self.call.request.observed.composite.connection_details
        for key, value in details_of(self.call).items():
            if self._waits([key, value]):
                continue
            if key not in live or live[key] != str(value).encode("latin-1", errors="replace"):
                return False
        return True

    @functools.cached_property
    def tells_by_context(self) -> bool:
        """Whether the run sets or deletes a key of the context, or changes its value."""
        given = self.call.context
        if given is None:
            return False
        for key, value in given.values_seen.items():
            if self._waits({key: value}) or given.received(key) != value:
                return True
        return bool(given.deleted)

    @functools.cached_property
    def is_still(self) -> bool:
        """Whether the run changes nothing: no resource, status, detail, condition, context or requirement."""
        call = self.call
        if self.error is not None or self.changed or self.fresh or self.dropped(unmarked=False) or call.removed:
            return False
        if call.conditions.entries or self.tells_by_context or asking.waits(call):
            return False
        return self.keeps_status and self.keeps_details

    @functools.cached_property
    def unaccounted(self) -> list[Observable[Any]]:
        """The missing values that were put into more texts than are found intact in the resources."""
        call = self.call
        found = [one for draft in self.drafts.values() for one in draft.found if one.in_text]
        texts = Counter(id(value) for one in found for value in one.waits_for)
        return [one for number, one in call.tokens.items() if call.made[number] > texts[id(one)]]

    @property
    def decided_by(self) -> set[str]:
        """The paths of the missing values that may have decided something."""
        found = {source.source_path for one in self.unaccounted for source in sources(one)}
        return found.union(self.call.guesses)

    def was_made(self, name: str) -> Made:
        """Return what this step has made of an existing resource before."""
        return made_in(self.call.mark_of(name), self.call.step)


def _leaves(data: Any, wanted: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what data has in the place of each wanted value, and that value; None for nothing.

    It goes down as long as both are objects.
    """
    if not (isinstance(data, dict) and isinstance(wanted, dict)):
        yield data, wanted
        return
    for key, value in wanted.items():
        yield from _leaves(data.get(key), value)

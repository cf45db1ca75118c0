"""What a run of compose() makes of the request: what it creates, changes and drops, and which
values it lacks.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .. import codec
from ..base.api_version import group_of
from ..base.sentinels import UNSET
from ..base.texts import some
from ..call.mark import NO_MARK, OUR_NAME, OURS, Made, made_in, plain_bytes
from ..dependencies.dry_run import details_of, tree_or_none
from ..dependencies.usages import edge_of
from ..models.model import Model
from ..models.walker import leaves, show_path, tree_of, unresolved_in
from ..observed.lookup import Json, is_ready, steps_of
from ..observed.observable import is_settled, sources
from ..paths.text import prefixes
from ..resources.checking import line_of, one_object_text
from ..resources.resource import Resource
from .draft import Draft, draft_all
from .parts import live_status, waits_to_ask

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.observable import Observable

MOST_NAMED: Final = 5
"""The most missing values that are named as the reason why a resource waits or stays."""

# What a mark has behind a digest: a sign, or keys of an earlier version. A control character ends
# the mark.
_REST: Final = re.compile(rb"[!-+\--~]*")


_ONLY_STATUS: Final = {"status"}
_ONLY_THE_STATUS: Final = (
    "a function must not desire anything but the composite's status (functions specification): "
    "remove the assignment, Crossplane would discard the value"
)
_NO_STATUS: Final = (
    "a function must not desire a composed resource's status (functions specification): "
    "remove the assignment, and read the status from .observed.status"
)


class Outcome:
    """What a run makes of the request, once compose() has ended and the run's call is the current
    one.

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
        remarks: What counts as it last was in this run besides lost values, as sentences for
            people.
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
    def missing(self) -> Sequence[Observable]:
        """The missing values that compose() has read, whatever it did with them, sorted by path."""
        call = self.call
        if not (call.handed_out or call.guesses or call.tokens):
            return ()
        read = [one for value in self._values_set() for one in sources(value)]
        # What lies around a value with a default was read on the way to it.
        on_the_way = {above for path in call.answered for above in prefixes(path)[:-1]}
        # One that was made by hand has no owner, and one that was read has.
        read += [
            one
            for one in call.handed_out
            if one.__cl_deps__ is None and one.source_path not in on_the_way
        ]
        found = {
            one.source_path: one
            for one in read
            if one.source_path not in call.answered and not is_settled(one)
        }
        found.update(self.asked)
        return [found[path] for path in sorted(found)]

    def _values_set(self) -> Iterator[Observable]:
        """Yield the missing values that are set in the resources, each as often as it is set."""
        for draft in self.drafts.values():
            for place in draft.found:
                yield from place.waits_for

    @functools.cached_property
    def asked(self) -> dict[str, Observable]:
        """The missing values that compose() used as plain ones or put into a string, by path."""
        found = {
            one.source_path: one for value in self.call.tokens.values() for one in sources(value)
        }
        found.update(self.call.guesses)
        return found

    def dropped(self, *, unmarked: bool) -> list[str]:
        """Return the existing resources of this step that the run doesn't desire; `unmarked` takes
        those without mark.

        Usages come and go by rules of their own.
        """
        call = self.call
        found = []
        for name in sorted(call.existing):
            if name in self.drafts or name in call.other_kind:
                continue
            whose = call.whose(name)
            # a previous step's, which may stay when this step leaves it alone
            if name in call.desired:
                is_own = whose == OURS or name in call.removed
            else:
                is_own = whose in (OURS, OUR_NAME) or (unmarked and whose == NO_MARK)
            if is_own and edge_of(name, call.existing[name].resource) is None:
                found.append(name)
        return found

    @functools.cached_property
    def status(self) -> Json:
        """The fields that the run sets in the composite's status."""
        composite = self.call.composite
        tree = None if composite is None else tree_or_none(composite, self.call)
        found = None if tree is None else tree.data.get("status")
        return found if isinstance(found, dict) else {}

    @functools.cached_property
    def _live_status(self) -> Json:
        return live_status(self.call)

    @functools.cached_property
    def keeps_status(self) -> bool:
        """Whether the run sets nothing in the composite's status to another value."""
        # An Observable mustn't be compared. Missing values keep theirs.
        return all(
            self._waits(wanted) or there == wanted
            for there, wanted in _leaves(self._live_status, self.status)
        )

    @functools.cached_property
    def lacks_status(self) -> bool:
        """Whether the run sets a field of the composite's status to a missing value, and there is
        no value to keep.
        """
        return any(
            there is None and self._waits(wanted)
            for there, wanted in _leaves(self._live_status, self.status)
        )

    @functools.cached_property
    def may_drop(self) -> bool:
        """Whether the composite has a status field or a connection detail that the run doesn't
        set.
        """
        details = self.call.request.observed.composite.connection_details
        return not self._sets_all(self._live_status, details)

    def set_at(self, way: str) -> Any:
        """Return what the run sets in a field of the composite, with missing values in it; UNSET
        for nothing.
        """
        at: Any = {"status": self.status}
        for step in steps_of(way):
            if not isinstance(at, dict):
                return at
            at = at.get(step, UNSET)
        return at

    def has_all_of(self, other: Outcome) -> bool:
        """Say whether the run tells all that another run tells: status, details, context, readiness
        and results.
        """
        said, others = self._said, other._said
        if any(said.get(key) != others.get(key) for key in (*said, "xr", "")):
            return False
        return self._sets_all(other.status, details_of(other.call)) and not other.tells_by_context

    def _sets_all(self, status: Json, details: Collection[str]) -> bool:
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
    def _said(self) -> Json:
        """What compose() has said of readiness, by the resource's name (`xr`), and its results
        under an empty name.
        """
        found: Json = {name: model._state.ready for name, model in self.call.tops().items()}
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
        """Whether the run changes nothing: no resource, status, detail, condition, context or
        requirement.
        """
        call = self.call
        if (
            self.error is not None
            or self.changed
            or self.fresh
            or self.dropped(unmarked=False)
            or call.removed
        ):
            return False
        if call.conditions.entries or self.tells_by_context or waits_to_ask(call):
            return False
        return self.keeps_status and self.keeps_details

    @functools.cached_property
    def unaccounted(self) -> list[Observable]:
        """The missing values that were put into more texts than are found intact in the
        resources.
        """
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


# What compose() did although Crossplane discards it: forbidden fields, and conditions in the
# status.


def take_violations(call: Call) -> list[str]:
    """Remove the fields that compose() set although Crossplane's functions specification forbids
    it.

    These are all fields of the composite except apiVersion, kind and status, and the status of
    composed resources. A field that only a previous function desires stays, without a message.
    Returns the text of a fatal result for each removed field.
    """
    found = []
    composite = call.composite
    if composite is not None and (composite.__dict__.keys() != _ONLY_STATUS or _deleted(composite)):
        touched = {*composite.__dict__, *_deleted(composite)} - {"apiVersion", "kind", "status"}
        found += [_taken(composite, "xr", name, _ONLY_THE_STATUS) for name in sorted(touched)]
    status = None if composite is None else composite.__dict__.get("status")
    if isinstance(status, Model) and "conditions" in status.__dict__:
        _untouch(status, "conditions")
        found.append(
            "xr.status.conditions was set, and Crossplane keeps the composite's conditions itself: "
            "call ctx.conditions.set(type, status, reason) for each"
        )
    for name, model in call.resources.items():
        if "status" in model.__dict__ or "status" in _deleted(model):
            found.append(_taken(model, name, "status", _NO_STATUS))
    return found


def _taken(model: Model, whose: str, field: str, why: str) -> str:
    """Remove a field that must not be set, and return the text of a fatal result.

    The text names the paths that compose() set in it, such as `spec.a, spec.b`: three at the most,
    and none if nothing new was set, as after a `del`.
    """
    value = model.__dict__.get(field)
    base = model._state.base if isinstance(model, Resource) and model._state is not None else None
    before = {} if base is None else {field: codec.get_path(base, (field,))}
    tree = {field: tree_of(value, None).data if isinstance(value, (Model, dict, list)) else None}
    new, known = ({(steps, repr(value)) for steps, value in leaves(one)} for one in (tree, before))
    paths = sorted(show_path(list(steps)) for steps, _ in new - known)
    _untouch(model, field)
    return f"{whose}.{some(paths, 3)} was set, and {why}"


def _deleted(model: Model) -> Collection[str]:
    node = model._node
    return () if node is None or node.deleted is None else node.deleted


def _untouch(model: Model, name: str) -> None:
    model.__dict__.pop(name, None)
    if model._node is not None and model._node.deleted is not None:
        model._node.deleted.discard(name)


def doubles(
    models: Mapping[str, Resource],
    drafts: Mapping[str, Draft],
    call: Call,
) -> Iterator[str]:
    """Yield a message for each object that is desired under two names.

    Only names that compose() sets count: Crossplane makes the others out of the composition
    resource names.

    Args:
        models: The registered resources, by name.
        drafts: Their drafts, by name. One without content is held back.
        call: The call.
    """
    by_name: dict[str, list[str]] = {}
    for name, model in models.items():
        metadata = model.__dict__.get("metadata")
        set_name = None if metadata is None else metadata.__dict__.get("name")
        if type(set_name) is str:
            by_name.setdefault(set_name, []).append(name)
    for names in by_name.values():
        found: dict[tuple[str, ...], str] = {}
        for name in names if len(names) > 1 else ():
            content = drafts[name].content if name in drafts else None
            if content is None:
                continue
            object_ = _object_of(plain_bytes(content), name, call)
            first = found.setdefault(object_, name)
            if first is not name:
                yield one_object_text(first, name, object_) + line_of(models[name])


def _object_of(content: bytes, name: str, call: Call) -> tuple[str, ...]:
    """Return group, kind, namespace and name of the object that Crossplane applies."""
    existing = call.existing.get(name)
    # Crossplane keeps the name of what exists
    place = content if existing is None else existing.resource
    return (
        group_of(codec.get_path(content, ("apiVersion",), "")),
        codec.get_path(content, ("kind",), ""),
        call.namespace or codec.get_path(place, ("metadata", "namespace"), ""),
        codec.get_path(place, ("metadata", "name"), ""),
    )

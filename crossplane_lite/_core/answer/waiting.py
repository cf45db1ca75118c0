"""The resources, status fields and requirements of a call that wait for values or resources, each
with the reason.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...proto import _view
from ..base.texts import LONGEST_RESULT, escaped, near_name, shortened, some
from ..dependencies.entry import CutOff, Need, Note, Waiting
from ..dependencies.graph import UNKNOWN, Graph, Source, fields_of, shown_vertex
from ..observed.lookup import conditions_of, time_in
from .parts import joined

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.requirements import ResourceSelector
    from ..dependencies.graph import Vertex
    from ..models.walker import Found
    from ..observed.observable import Observable

_LONGEST_QUOTE: Final = 200

# The conditions that say why a resource has no values, the first one first, and what their status
# False means.
_FAILED: Final = {
    "Synced": "isn't Synced",
    "Ready": "isn't Ready",
    "LastAsyncOperation": "has a failed LastAsyncOperation",
}

# A longer reason is told once.
_LONG: Final = 100
_AGAIN: Final = "for the same reason"


class WhoWaits:
    """Who waits in a call: resources, fields of the composite's status and requirements, each with
    the reasons.

    It is only made for a call in which something waits or must be reported.

    Attributes:
        graph: The dependencies of this call, each from the one that waits to the resource that it
            waits for.
        data: Who waits, as the context shows it to later steps. None if no resource waits, all
            requirements are supported, and there are no remarks.
    """

    __slots__ = ("_call", "_held", "data", "graph")

    def __init__(
        self,
        call: Call,
        waiting: dict[str, list[Source]],
        status: list[Found],
        unsent: dict[str, list[Observable]],
        cut_off: Iterable[tuple[str, str]],
        notes: list[Note],
        held: set[str],
    ) -> None:
        """Find out who waits.

        Args:
            call: The call.
            waiting: Maps each waiting resource's name to the values and resources that it waits
                for.
            status: The unresolved fields of the composite's status.
            unsent: Maps the key of each requirement that isn't sent to the values that it waits
                for.
            cut_off: The keys of requirements that Crossplane doesn't support, each with the reason.
            notes: Remarks for people, such as which existing resources are kept, and why.
            held: The names of the resources that are held back.
        """
        self._call = call
        self._held = held
        self.graph = Graph()
        self.graph.add(waiting, fields_of(status, "xr."), unsent)
        self.data: Waiting | None = None
        gone = [CutOff(*one) for one in cut_off]
        if waiting or gone or notes:
            self.data = Waiting(
                sorted(held), sorted(self._needs()), sorted(gone), tuple(sorted(notes))
            )

    def _needs(self) -> set[Need]:
        readable = functools.cache(self._call.readable)
        # Many wait for one value, whose reason is found out once.
        reason_of = functools.cache(
            lambda owner, path: readable(why(self._call, owner, path, self._held))
        )
        found = set()
        for dependent, targets in self.graph.edges.items():
            name = readable(shown_vertex(dependent))
            for owner, path in targets:
                reason = reason_of(owner, path)
                for target in self.graph.set_at(owner):
                    # A field that waits for itself keeps its value.
                    if target != dependent or dependent[0] == "resource":
                        found.add(
                            Need(name, readable(shown_vertex(target)), readable(path), reason)
                        )
        return found

    def fatals(self) -> list[str]:
        """Return the text of a fatal result if resources wait in a cycle."""
        cycle = self.graph.cycle(self._held) if self._held else None
        if cycle is None:
            return []
        steps = set(zip(cycle, cycle[1:], strict=False))
        needs = () if self.data is None else self.data.needs
        paths = {need.path for need in needs if (need.name, need.of) in steps}
        through = f" ({', '.join(sorted(paths))})" if paths else ""
        remedy = "take one out, or set its field only where the value is there"
        return [f"dependency cycle: {' waits for '.join(cycle)}{through}; {remedy}"]

    def lines(self) -> list[str]:
        """Return lines for people: which resource waits for which value, and why; sorted by the
        resource's name.

        Resources that wait only for what is held back are counted behind these. Fields and
        requirements get no lines, but for requirements that Crossplane doesn't support.
        """
        says = self.data
        if says is None:
            return []
        needs = [need for need in says.needs if need.by_resource]
        waiting = {need.name for need in needs}
        others = set(says.held) - waiting - {note.name for note in says.notes}
        direct = [need for need in needs if need.of not in self._held]
        if not (direct or others):  # they wait for each other
            direct = needs
        remarks = [*says.notes, *(Note(name, "is held back by another step") for name in others)]
        found = [(one.name, f"{one.name} {one.text}".lstrip()) for one in remarks]
        found += _waits_of(direct, self._call.existing)
        lines = [text for _, text in sorted(found, key=lambda line: line[0])]
        lines += _more(waiting, {need.name for need in direct})
        return lines + [f"{one.name} isn't available ({one.why})" for one in says.cut_off]

    def with_graph(self, text: str) -> str:
        """Return `text` followed by the dependencies on missing values, such as
        `vpc -> subnet (vpc.status.id)`.

        After 50 dependencies only the number of the others follows. Without dependencies, the text
        is unchanged.
        """
        found = set()
        for need in () if self.data is None else self.data.needs:
            if need.of:
                source = "xr" if need.of.startswith("xr.") else need.of
                found.add(
                    f"{source} -> {need.name}" + (f" ({need.path})" if need.path != source else "")
                )
        return f"{text}. Dependencies: {joined(sorted(found))}" if found else text


def _waits_of(needs: Iterable[Need], existing: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each resource that waits and a line about it; a long reason is told
    once.
    """
    known: set[str] = set()
    for name, path, reason in sorted({(need.name, need.path, need.why) for need in needs}):
        waits = (
            f"keeps what it has until {path} is there" if name in existing else f"waits for {path}"
        )
        yield name, f"{name} {waits} ({_AGAIN if reason in known else reason})"
        if len(reason) > _LONG:
            known.add(reason)


def _more(waiting: set[str], direct: set[str]) -> list[str]:
    """Return how many resources wait for those that wait directly, as a line; none if there are no
    more.
    """
    count = len(waiting - direct)
    if not count:
        return []
    verb = "wait" if count > 1 else "waits"
    return [
        f"{count} more {verb} for {'these' if len(direct) > 1 else min(direct, default='these')}"
    ]


# Why a value is missing.


def why(call: Call, owner: Vertex, path: str, held: Collection[str]) -> str:
    """Return why a value is missing, or why a resource isn't ready.

    Args:
        call: The call.
        owner: The owner of the value.
        path: The value's path; only the name of a resource that isn't ready.
        held: The names of the resources that are held back.
    """
    if owner == UNKNOWN:
        return "the text was cut, or kept from an earlier call; use apply() to compute with it"
    kind, name = owner
    if kind == "required":
        return _why_required(call, name)
    if kind == "xr":
        return "the composite doesn't have it"
    if name in held:
        return f"{name} is held back itself"
    observed = call.existing.get(name)  # not `call.observed`, which may have noted values
    if observed is None:
        is_known = name in call.resources or name in call.desired
        return f"{name} isn't observed yet" if is_known else f"{name} isn't composed"
    conditions = conditions_of(observed.resource)
    cause = _cause(call, conditions)
    if cause:
        return f"{name} {cause}"
    if path == name:
        return f"{name} isn't ready"
    if conditions.get("Ready", {}).get("status") == "True":
        return f"{name} is Ready and doesn't have it"
    return f"{name} is observed, isn't Ready and doesn't have it"


def _cause(call: Call, conditions: Mapping[str, dict[str, Any]]) -> str:
    """Return the message of the first condition that is False and has one, and since when; empty
    without one.
    """
    for type_, words in _FAILED.items():
        condition = conditions.get(type_, {})
        message = condition.get("message")
        if condition.get("status") != "False" or not isinstance(message, str):
            continue
        # Masked before it is cut: half a secret would be found no more.
        text = " ".join(call.show_capped(message, LONGEST_RESULT).split())
        if text:
            since = time_in(condition.get("lastTransitionTime"))
            start = f"{words} since {since}" if since else words
            return f"{start}: {shortened(escaped(text), _LONGEST_QUOTE)}"
    return ""


def _why_required(call: Call, key: str) -> str:
    if not call.supports(_view.CAPABILITY_REQUIRED_RESOURCES):
        return "this Crossplane doesn't support required resources"
    selector = call.requirements.resources.get(key)
    what = "the required resource" if selector is None else named(selector)
    answer = call.required_resources.answer(key)
    if answer is not None:
        return f"{what} doesn't have it" if answer else f"{what} doesn't exist"
    if selector is None:
        return (
            "this call of compose() doesn't ask for"
            f" it{near_name(key, call.requirements.resources)}"
        )
    waits = selector.waits_in(call)
    if waits:
        return f"it isn't asked for yet: its selector waits for {waits[0].source_path}"
    return f"Crossplane hasn't sent {what} yet"


def named(selector: ResourceSelector) -> str:
    """Return what a function asks for, such as `ConfigMap acme/env` or
    `Zone with labels a=b in namespace acme`.
    """
    if selector.match_name is not None:
        name = (
            selector.match_name
            if selector.namespace is None
            else f"{selector.namespace}/{selector.match_name}"
        )
        return f"{selector.kind} {name}"
    labels = sorted(f"{key}={value}" for key, value in (selector.match_labels or {}).items())
    what = f"{selector.kind} with labels {some(labels, 5)}" if labels else f"any {selector.kind}"
    return what if selector.namespace is None else f"{what} in namespace {selector.namespace}"

"""The resources, status fields and requirements of a call that wait for values or resources, each with the reason."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...proto import _view
from ..base.sentinels import UNSET
from ..base.texts import near_name, some
from ..dependencies.entry import RESOURCE, CutOff, Need, Note, Waiting, reads_as_other, unmasked_name
from ..dependencies.graph import Graph, Wait, fields_of, needs, shown_vertex
from ..models.walker import unresolved_in
from ..observed.lookup import condition_of, is_ready, value_at
from ..observed.observable import Observable, root_of
from .parts import Masked

if TYPE_CHECKING:
    from ..call.call import Call
    from ..dependencies.graph import Vertex
    from ..models.walker import Found


class WhoWaits:
    """Who waits in a call: resources, fields of the composite's status and requirements, each with the reasons.

    It is only made for a call in which something waits or must be reported.

    Attributes:
        graph: The dependencies of this call, each from the one that waits to the resource that it waits for.
        data: Who waits, as the context shows it to later steps. None if no resource waits, all requirements are
            supported, and there are no remarks.
        shown: The same as `data` for people, with secret values masked; None if `data` is None.
    """

    __slots__ = ("_call", "_held", "data", "graph", "shown")

    def __init__(
        self,
        call: Call,
        waiting: dict[str, list[Wait]],
        status: list[Found],
        unsent: dict[str, list[Observable[Any]]],
        cut_off: Iterable[tuple[str, str]],
        notes: list[Note],
        held: set[str],
    ) -> None:
        """Find out who waits.

        Args:
            call: The call.
            waiting: Maps each waiting resource's name to the values and resources that it waits for.
            status: The unresolved fields of the composite's status.
            unsent: Maps the key of each requirement that isn't sent to the values that it waits for.
            cut_off: The keys of requirements that Crossplane doesn't support, each with the reason.
            notes: Remarks for people, such as which existing resources are kept, and why.
            held: The names of the resources that are held back.
        """
        self._call = call
        self._held = held
        fields = fields_of(status)
        self.graph = Graph()
        self.graph.add(waiting, fields, unsent)
        self.data: Waiting | None = None
        self.shown: Waiting | None = None
        gone = [CutOff(*one) for one in cut_off]
        if waiting or gone or notes:
            needed = sorted(self._needs(waiting, fields, unsent))
            self.data = Waiting(sorted(held), needed, sorted(gone), tuple(sorted(notes)))
            self.shown = self.data.masked(functools.cache(call.masked))

    def _needs(
        self,
        waiting: dict[str, list[Wait]],
        fields: dict[str, list[Observable[Any]]],
        unsent: dict[str, list[Observable[Any]]],
    ) -> set[Need]:
        found = set()
        readable = self._call.readable
        named = functools.cache(self._named)
        # Many wait for one value: its owners, its path and the reason are found out once.
        known: dict[object, tuple[Iterable[Vertex | None], str, str]] = {}
        for dependent, source, path in needs(waiting, fields, unsent):
            key = (root_of(source), path) if isinstance(source, Observable) else source
            if key not in known:
                vertex = self.graph.vertex_of(source)
                targets: Iterable[Vertex | None] = [None] if vertex is None else self.graph.set_at(vertex)
                known[key] = targets, readable(path), readable(_why(self._call, source, self._held))
            owners, shown, why = known[key]
            for target in owners:
                if target != dependent or dependent[0] == "resource":  # a field that waits for itself keeps its value
                    name, kind = named(dependent)
                    of, of_kind = ("", "") if target is None else named(target)
                    found.add(Need(name, of, shown, why, kind, of_kind))
        return found

    def _named(self, vertex: Vertex) -> tuple[str, str]:
        """Return the name of the graph's `vertex` for people, and its kind for a `Need`.

        The kind is RESOURCE for a resource whose name looks like a field's path, such as `xr.bucket`; else empty.
        """
        name = self._call.readable(shown_vertex(vertex))
        return name, RESOURCE if vertex[0] == RESOURCE and reads_as_other(name) else ""

    def fatals(self) -> list[str]:
        """Return the text of a fatal result if resources wait in a cycle."""
        cycle = self.graph.cycle(self._held) if self._held else None
        return [] if cycle is None else [_cycle_text(cycle, self._call.masked, self.shown)]

    def lines(self, names: Collection[str] | None = None) -> list[Masked]:
        """Return lines for people: which resource waits for which value, and why. Fields and requirements get no lines.

        If `names` is None, all waiting resources and the notes of `shown` get lines.
        """
        return [] if self.shown is None else _lines(self.shown, names)

    def cut_off_lines(self) -> list[Masked]:
        """Return a line for people about each requirement that Crossplane doesn't support."""
        return [] if self.shown is None else _cut_off_lines(self.shown)

    def with_graph(self, text: str, whole: Graph | None) -> Masked:
        """Return `text` with the dependencies between resources at its end.

        If `data` is None, nothing is added. Only dependencies whose values exist are taken from `whole`: this object
        knows the others.
        """
        if self.shown is None:
            return Masked(text)
        return _graph_text(text, self.shown, [] if whole is None else self._resolved(whole))

    def _resolved(self, whole: Graph) -> list[tuple[str, str, str]]:
        """Return the dependencies in `whole` that are between two resources and whose values exist.

        Each is the name of the resource that uses the value, the name of the resource that has it, and the value's
        path.
        """
        call = self._call
        found = set()
        for dependent, targets in whole.edges.items():
            for target, path in targets:
                if dependent[0] == "resource" == target[0] and dependent != target and self._is_there(target[1], path):
                    found.add((dependent[1], target[1], call.show(path)))
        return sorted(found)

    def _is_there(self, name: str, path: str) -> bool:
        if path != name:
            return value_at(self._call.observed, self._call.xr, path) is not UNSET
        observed = self._call.observed.get(name)  # depends_on
        return observed is not None and is_ready(observed.resource)


def _why(call: Call, source: Observable[Any] | str, held: Collection[str]) -> str:
    if isinstance(source, str):
        name = source
    else:
        root = root_of(source)
        if root is not None and root.kind == "required":
            return _why_required(call, root.name)
        path = source.source_path
        if root is None and path.startswith("("):
            return "the text was cut, or kept from an earlier call; use apply() to compute with it"
        if (root is not None and root.kind == "xr") or (root is None and path.startswith("xr.")):
            return "the composite doesn't have it"
        name = root.name if root is not None else path.partition(".")[0].partition("[")[0]
    if name in held:
        return f"{name} is held back itself"
    observed = call.observed.get(name)
    if observed is None:
        known = name in call.resources or name in call.desired
        return f"{name} isn't observed yet" if known else f"{name} isn't composed"
    if isinstance(source, str):
        return f"{name} isn't ready"
    ready = condition_of(observed.resource, "Ready") or {}
    return (
        f"{name} is Ready and doesn't have it"
        if ready.get("status") == "True"
        else f"{name} is observed, isn't Ready and doesn't have it"
    )


def _why_required(call: Call, key: str) -> str:
    if not call.supports(_view.CAPABILITY_REQUIRED_RESOURCES):
        return "this Crossplane doesn't support required resources"
    answer = call.required_resources.answer(key)
    if answer is None:
        selector = call.requirements.resources.get(key)
        if selector is None:
            return f"this call of compose() doesn't ask for it{near_name(key, call.requirements.resources)}"
        waits = unresolved_in([text for text in selector.texts() if text is not None], call)
        if waits:
            return f"it isn't asked for yet: its selector waits for {waits[0].source_path}"
        return "Crossplane hasn't answered yet"
    return "the required resource doesn't have it" if answer else "no such resource exists"


def joined(lines: Iterable[str]) -> str:
    """Return `lines` as one text, sorted and joined by '; '. After 50 lines only the number of the others follows."""
    return some(sorted(lines), 50, "; ")


def _lines(shown: Waiting, names: Collection[str] | None = None) -> list[Masked]:
    """Return a sorted list of lines that say which resource waits for which value, and why the value is missing.

    A resource that waits only because another step holds it back has a line that says so. Waiting fields and
    requirements have no lines. `names` are the resources that get lines; None stands for all waiting resources and all
    notes.
    """
    needs = [need for need in shown.needs if need.by_resource and (names is None or need.name in names)]
    found = {f"{need.name} waits for {need.path} ({need.why})" for need in needs}
    if names is None:
        found.update(f"{one.name} {one.text}".lstrip() for one in shown.notes)

    told = {need.name for need in needs} | {one.name for one in shown.notes}
    others = set(shown.held if names is None else names) - told
    found.update(f"{name} is held back by another step" for name in others)
    return [Masked(line) for line in sorted(found)]


def _cut_off_lines(shown: Waiting) -> list[Masked]:
    """Return a line for each requirement that Crossplane doesn't support, such as `zones isn't available (...)`.

    Args:
        shown: Who waits, with secrets masked.
    """
    return [Masked(f"{one.name} isn't available ({one.why})") for one in shown.cut_off]


def _graph_text(text: str, shown: Waiting, resolved: Iterable[tuple[str, str, str]]) -> Masked:
    """Return `text` followed by the dependencies, such as `vpc -> subnet (vpc.status.id, resolved)`.

    After 50 dependencies only the number of the others follows. Without dependencies, the text is unchanged. Each item
    of `resolved` is the name of the resource that uses the value, the name of the resource that has it, and the value's
    path.
    """
    found = {
        f"{dependency} -> {dependent} ({path if path != dependency else 'ready'}, resolved)"
        for dependent, dependency, path in resolved
    }
    for need in shown.needs:
        if need.of:
            source = "xr" if need.of.startswith("xr.") and not need.of_resource else need.of
            found.add(f"{source} -> {need.name}" + (f" ({need.path})" if need.path != source else ""))
    return Masked(f"{text}. Dependencies: {joined(found)}" if found else text)


def _cycle_text(cycle: Sequence[str], mask: Callable[[str], str], shown: Waiting | None) -> Masked:
    """Return the text of the fatal result for resources that wait for each other in a cycle.

    `cycle` has the first name again at its end. Without `shown`, the text names no paths.
    """
    names = [unmasked_name(name, mask) for name in cycle]
    steps = set(zip(names, names[1:], strict=False))
    paths = {need.path for need in (shown.needs if shown is not None else ()) if (need.name, need.of) in steps}
    through = f" ({', '.join(sorted(paths))})" if paths else ""
    return Masked(f"dependency cycle: {' waits for '.join(names)}{through}")

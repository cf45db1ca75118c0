"""The resources, status fields and requirements of a call that wait for values or resources, each with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from .._base.near_name import near_name
from .._base.sentinels import UNSET
from .._models.walker import unresolved_in
from .._observed.conditions import condition_of
from .._observed.lookup import value_at
from .._observed.observable import Observable
from .._observed.readiness import is_ready
from .._observed.uses import root_of
from .._waits.entry import RESOURCE, CutOff, Need, Note, Waiting, reads_as_other
from .._waits.graph import Graph, fields_of, needs, shown_vertex
from ..proto import _view
from . import messages
from .parts import Masked

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.walker import Found
    from .._waits.graph import Vertex
    from .._waits.wait import Wait

__all__ = ["WhoWaits"]


class WhoWaits:
    """Who waits in a call: resources, fields of the composite's status and requirements, each with the reasons.

    It is only made for a call in which something waits or must be reported.

    Attributes:
        graph: The dependencies of this call, each from the one that waits to the resource that it waits for.
        data: Who waits, as the context shows it to later steps. None if no resource waits, all requirements are
            supported, and there are no remarks and no guessed keys.
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
        guessed: Collection[str],
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
            guessed: The keys of the context whose values are unresolved or depend on a guess.
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
        if waiting or gone or notes or guessed:
            needed = sorted(self._needs(waiting, fields, unsent))
            self.data = Waiting(sorted(held), needed, sorted(gone), tuple(sorted(notes)), tuple(sorted(guessed)))
            self.shown = self.data.masked(call.masked)

    def _needs(
        self,
        waiting: dict[str, list[Wait]],
        fields: dict[str, list[Observable[Any]]],
        unsent: dict[str, list[Observable[Any]]],
    ) -> set[Need]:
        found = set()
        text = self._call.readable
        for dependent, source, path in needs(waiting, fields, unsent):
            vertex = self.graph.vertex_of(source)
            why = text(_why(self._call, source, self._held))
            for target in [None] if vertex is None else self.graph.set_at(vertex):
                if target != dependent or dependent[0] == "resource":  # a field that waits for itself keeps its value
                    name, kind = self._named(dependent)
                    of, of_kind = ("", "") if target is None else self._named(target)
                    found.add(Need(name, of, text(path), why, kind, of_kind))
        return found

    def _named(self, vertex: Vertex) -> tuple[str, str]:
        """Return the name of the graph's `vertex` for people, and its kind for a `Need`.

        The kind is RESOURCE for a resource whose name looks like a field's path, such as `xr.bucket`; else empty.
        """
        name = self._call.readable(shown_vertex(vertex))
        return name, RESOURCE if vertex[0] == RESOURCE and reads_as_other(name) else ""

    def fatals(self, stopped: Iterable[str]) -> list[str]:
        """Return the texts of fatal results: one for each stopped resource, and one if resources wait in a cycle.

        Args:
            stopped: The names of the resources with unresolved values whose `on_unresolved` is "fatal".
        """
        found: list[str] = [] if self.shown is None else [messages.stopped_text(name, self.shown) for name in stopped]
        cycle = self.graph.cycle(self._held) if self._held else None
        if cycle is not None:
            found.append(messages.cycle_text(cycle, self._call.masked, self.shown))
        return found

    def lines(self, names: Collection[str] | None = None) -> list[Masked]:
        """Return lines for people: which resource waits for which value, and why. Fields and requirements get no lines.

        If `names` is None, all waiting resources and the notes of `shown` get lines.
        """
        return [] if self.shown is None else messages.lines(self.shown, names)

    def cut_off_lines(self) -> list[Masked]:
        """Return a line for people about each requirement that Crossplane doesn't support."""
        return [] if self.shown is None else messages.cut_off_lines(self.shown)

    def with_graph(self, text: str, whole: Graph) -> Masked:
        """Return `text` with the dependencies between resources at its end.

        If `data` is None, nothing is added. Only dependencies whose values exist are taken from `whole`: this object
        knows the others.
        """
        if self.shown is None:
            return Masked(text)
        return messages.graph_text(text, self.shown, self._resolved(whole))

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
        if root is not None and root.kind == "context":
            return "a previous step made it from values that don't exist yet"
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

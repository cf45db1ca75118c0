"""The resources, status fields and requirements of a call that wait for values or resources, each with the reason."""

from __future__ import annotations

import functools
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from ..dependencies.entry import CutOff, Need, Note, Waiting
from ..dependencies.graph import Graph, Source, fields_of, shown_vertex
from .parts import joined
from .reasons import why

if TYPE_CHECKING:
    from ..call.call import Call
    from ..models.walker import Found
    from ..observed.observable import Observable

# A longer reason is told once.
_LONG: Final = 100
_AGAIN: Final = "for the same reason"


class WhoWaits:
    """Who waits in a call: resources, fields of the composite's status and requirements, each with the reasons.

    It is only made for a call in which something waits or must be reported.

    Attributes:
        graph: The dependencies of this call, each from the one that waits to the resource that it waits for.
        data: Who waits, as the context shows it to later steps. None if no resource waits, all requirements are
            supported, and there are no remarks.
    """

    __slots__ = ("_call", "_held", "data", "graph")

    def __init__(
        self,
        call: Call,
        waiting: dict[str, list[Source]],
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
        self.graph = Graph()
        self.graph.add(waiting, fields_of(status, "xr."), unsent)
        self.data: Waiting | None = None
        gone = [CutOff(*one) for one in cut_off]
        if waiting or gone or notes:
            self.data = Waiting(sorted(held), sorted(self._needs()), sorted(gone), tuple(sorted(notes)))

    def _needs(self) -> set[Need]:
        readable = functools.cache(self._call.readable)
        # Many wait for one value, whose reason is found out once.
        reason_of = functools.cache(lambda owner, path: readable(why(self._call, owner, path, self._held)))
        found = set()
        for dependent, targets in self.graph.edges.items():
            name = readable(shown_vertex(dependent))
            for owner, path in targets:
                reason = reason_of(owner, path)
                for target in self.graph.set_at(owner):
                    # A field that waits for itself keeps its value.
                    if target != dependent or dependent[0] == "resource":
                        found.add(Need(name, readable(shown_vertex(target)), readable(path), reason))
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
        return [f"dependency cycle: {' waits for '.join(cycle)}{through}"]

    def lines(self) -> list[str]:
        """Return lines for people: which resource waits for which value, and why; sorted by the resource's name.

        Resources that wait only for what is held back are counted behind these. Fields and requirements get no lines,
        but for requirements that Crossplane doesn't support.
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
        """Return `text` followed by the dependencies on missing values, such as `vpc -> subnet (vpc.status.id)`.

        After 50 dependencies only the number of the others follows. Without dependencies, the text is unchanged.
        """
        found = set()
        for need in () if self.data is None else self.data.needs:
            if need.of:
                source = "xr" if need.of.startswith("xr.") else need.of
                found.add(f"{source} -> {need.name}" + (f" ({need.path})" if need.path != source else ""))
        return f"{text}. Dependencies: {joined(sorted(found))}" if found else text


def _waits_of(needs: Iterable[Need], existing: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each resource that waits and a line about it; a long reason is told once."""
    known: set[str] = set()
    for name, path, reason in sorted({(need.name, need.path, need.why) for need in needs}):
        waits = f"keeps what it has until {path} is there" if name in existing else f"waits for {path}"
        yield name, f"{name} {waits} ({_AGAIN if reason in known else reason})"
        if len(reason) > _LONG:
            known.add(reason)


def _more(waiting: set[str], direct: set[str]) -> list[str]:
    """Return how many resources wait for those that wait directly, as a line; none if there are no more."""
    count = len(waiting - direct)
    if not count:
        return []
    verb = "wait" if count > 1 else "waits"
    return [f"{count} more {verb} for {'these' if len(direct) > 1 else min(direct, default='these')}"]

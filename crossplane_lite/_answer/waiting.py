"""Who waits in a call, and why what they wait for isn't there yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from .._models.walker import unresolved_in
from .._observed.conditions import condition_of
from .._observed.observable import Observable, root_of
from .._waits.entry import CutOff, Need, Waiting
from .._waits.graph import shown_vertex
from ..proto import _view

if TYPE_CHECKING:
    from .._call.call import Call
    from .._waits.graph import Graph, Vertex

__all__ = ["waiting_of"]


def waiting_of(
    call: Call,
    graph: Graph,
    needs: Iterable[tuple[Vertex, Observable[Any] | str, str]],
    held: Collection[str],
    cut_off: Iterable[CutOff],
) -> Waiting:
    """Return who waits in a call.

    Args:
        call: The call.
        graph: Its graph.
        needs: What needs something, what it needs, and the path of that (`crossplane_lite._graph.needs`).
        held: The names of the resources that are held back.
        cut_off: What can't be had.
    """
    found = set()
    text = call.readable
    for dependent, source, path in needs:
        vertex = graph.vertex_of(source)
        why = text(_why(call, source, held))
        for target in [None] if vertex is None else graph.set_at(vertex):
            if target != dependent or dependent[0] == "resource":  # a field that keeps what it has depends on nobody
                of = "" if target is None else text(shown_vertex(target))
                found.add(Need(text(shown_vertex(dependent)), of, text(path), why))
    return Waiting(sorted(held), sorted(found), sorted(cut_off))


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
            return "nothing asks for it in this call"
        waits = unresolved_in([text for text in selector.texts() if text is not None], call)
        if waits:
            return f"it isn't asked for yet: its selector waits for {waits[0].source_path}"
        return "Crossplane hasn't answered yet"
    return "the required resource doesn't have it" if answer else "no such resource exists"

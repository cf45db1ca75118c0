"""Who waits for what, as data.

Each step of a pipeline keeps one entry in the context, under `HELD_BACK_KEY` and its own identity. The next steps go by
it, and so does everybody who looks at answers. Messages for people are made from the same data here, and nothing is
ever read back from them.

An entry is `{"held": [...], "waits": [{"name": ..., "of": ..., "path": ..., "why": ...}], "cutOff": [{"name": ...,
"why": ...}]}`. What has no place in it is left out. Its texts aren't masked: they are data for the next steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ._conditions import condition_of
from ._graph import shown_vertex
from ._report import HELD_BACK_KEY, joined
from ._walk import unresolved_in
from ._write import Masked
from .observable import Observable, root_of
from .proto import _view

if TYPE_CHECKING:
    from ._graph import Graph, Vertex
    from .context import Context

__all__ = [
    "HELD_BACK_KEY",
    "CutOff",
    "Need",
    "Waiting",
    "cut_off_lines",
    "cycle_text",
    "graph_text",
    "keeping",
    "lines",
    "read",
    "stopped_text",
    "waiting_of",
]


class Need(NamedTuple):
    """One value that something needs and that isn't there yet.

    Attributes:
        name: What needs it: a composed resource by its name, a field of the composite by its path (`xr.status.x`), or
            a requirement as `required.<key>`.
        of: What it belongs to, in the same form; empty where that isn't known.
        path: Its path. A resource's name alone means that the resource has to be ready (`depends_on`).
        why: Why it isn't there.
    """

    name: str
    of: str
    path: str
    why: str

    @property
    def by_resource(self) -> bool:
        """Whether a composed resource needs it."""
        return _is_resource(self.name)


class CutOff(NamedTuple):
    """What can't be had, however long anybody waits.

    Attributes:
        name: The key of a requirement.
        why: Why.
    """

    name: str
    why: str


class Waiting(NamedTuple):
    """What one step says of who waits.

    Attributes:
        held: The names of the resources that it holds back. One without a need is held back by another step.
        needs: What is needed.
        cut_off: What can't be had.
    """

    held: list[str]
    needs: list[Need]
    cut_off: list[CutOff]

    def to_data(self) -> dict[str, Any]:
        """Return the entry of the context."""
        entry: dict[str, Any] = {"held": self.held}
        if self.needs:
            entry["waits"] = [need._asdict() for need in self.needs]
        if self.cut_off:
            entry["cutOff"] = [one._asdict() for one in self.cut_off]
        return entry

    def masked(self, mask: Callable[[str], str]) -> Waiting:
        """Return it for people.

        Args:
            mask: Masks secret values. The names of resources are left as they are.
        """
        needs = [
            Need(_named(one.name, mask), _named(one.of, mask), _after(one, one.path, mask), _after(one, one.why, mask))
            for one in self.needs
        ]
        return Waiting(self.held, needs, [CutOff(mask(one.name), mask(one.why)) for one in self.cut_off])


def waiting_of(
    ctx: Context,
    graph: Graph,
    needs: Iterable[tuple[Vertex, Observable[Any] | str, str]],
    held: Collection[str],
    cut_off: Iterable[CutOff],
) -> Waiting:
    """Return who waits in a call.

    Args:
        ctx: The call.
        graph: Its graph.
        needs: What needs something, what it needs, and the path of that (`crossplane_lite._graph.needs`).
        held: The names of the resources that are held back.
        cut_off: What can't be had.
    """
    found = set()
    text = ctx._call.readable
    for dependent, source, path in needs:
        vertex = graph.vertex_of(source)
        why = text(_why(ctx, source, held))
        for target in [None] if vertex is None else graph.set_at(vertex):
            if target != dependent or dependent[0] == "resource":  # a field that keeps what it has depends on nobody
                of = "" if target is None else text(shown_vertex(target))
                found.add(Need(text(shown_vertex(dependent)), of, text(path), why))
    return Waiting(sorted(held), sorted(found), sorted(cut_off))


# -- the context


def read(value: Any) -> dict[str, Waiting]:
    """Return what each step says of who waits.

    Args:
        value: What the context has under `HELD_BACK_KEY`. A list of a step counts as the names that it holds back;
            whatever isn't of the shape that is written here counts as nothing.
    """
    entries = value.items() if isinstance(value, dict) else ()
    return {step: _read(entry) for step, entry in entries if isinstance(entry, (dict, list))}


def _read(entry: dict[str, Any] | list[Any]) -> Waiting:
    if isinstance(entry, list):
        return Waiting([name for name in entry if isinstance(name, str)], [], [])
    held = entry.get("held")
    needs = [
        Need(_text(one, "name"), _text(one, "of"), _text(one, "path"), _text(one, "why"))
        for one in _mappings(entry.get("waits"))
    ]
    cut_off = [CutOff(_text(one, "name"), _text(one, "why")) for one in _mappings(entry.get("cutOff"))]
    return Waiting(
        [name for name in held if isinstance(name, str)] if isinstance(held, list) else [],
        [need for need in needs if need.name and need.path],
        [one for one in cut_off if one.name],
    )


def _mappings(value: Any) -> Iterator[dict[str, Any]]:
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            yield one


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


# -- messages; what they are made from is masked before


def lines(shown: Waiting, names: Collection[str] | None = None) -> list[Masked]:
    """Return one line for each resource and what it waits for, with why that is not there yet.

    Args:
        shown: Who waits, for people.
        names: The resources that count; all of them when not given.
    """
    needs = [need for need in shown.needs if need.by_resource and (names is None or need.name in names)]
    found = {f"{need.name} waits for {need.path} ({need.why})" for need in needs}
    others = set(shown.held if names is None else names) - {need.name for need in needs}
    found.update(f"{name} is held back by another step" for name in others)
    return [Masked(line) for line in sorted(found)]


def cut_off_lines(shown: Waiting) -> list[Masked]:
    """Return one line for each thing that can't be had."""
    return [Masked(f"{one.name} can't be had ({one.why})") for one in shown.cut_off]


def graph_text(text: str, shown: Waiting) -> Masked:
    """Return the text of the result that shows the graph: a text, and after it what needs what."""
    found = set()
    for need in shown.needs:
        if need.of:
            source = "xr" if need.of.startswith("xr.") else need.of
            found.add(f"{source} -> {need.name}" + (f" ({need.path})" if need.path != source else ""))
    return Masked(f"{text}. Dependencies: {joined(found)}" if found else text)


def cycle_text(cycle: Iterable[str], mask: Callable[[str], str]) -> Masked:
    """Return the text of the fatal result for a cycle."""
    return Masked("dependency cycle: " + " waits for ".join(_named(name, mask) for name in cycle))


def stopped_text(name: str, shown: Waiting) -> Masked:
    """Return the text of the fatal result for a resource whose author chose to stop on unresolved values."""
    paths = ", ".join(sorted({need.path for need in shown.needs if need.name == name}))
    return Masked(f"{name} needs {paths}, which has no value yet, and its on_unresolved is 'fatal'")


def keeping(name: str, text: str, mask: Callable[[str], str]) -> str:
    """Return a text masked, but for the name that it begins with."""
    return name + mask(text[len(name) :]) if name and text.startswith(name) else mask(text)


def _after(need: Need, text: str, mask: Callable[[str], str]) -> str:
    """Return a path or a reason masked, but for the name of the resource that it begins with."""
    return keeping(need.of if _is_resource(need.of) else "", text, mask)


def _named(name: str, mask: Callable[[str], str]) -> str:
    return name if _is_resource(name) else mask(name)


def _is_resource(name: str) -> bool:
    return not name.startswith(("xr.", "required."))


# -- reasons


def _why(ctx: Context, source: Observable[Any] | str, held: Collection[str]) -> str:
    if isinstance(source, str):
        name = source
    else:
        root = root_of(source)
        if root is not None and root.kind == "required":
            return _why_required(ctx, root.name)
        path = source.source_path
        if root is None and path.startswith("("):
            return "the text was cut, or kept from an earlier call; use apply() to compute with it"
        if (root is not None and root.kind == "xr") or (root is None and path.startswith("xr.")):
            return "the composite doesn't have it"
        name = root.name if root is not None else path.partition(".")[0].partition("[")[0]
    if name in held:
        return f"{name} is held back itself"
    observed = ctx._observed.get(name)
    if observed is None:
        known = name in ctx.resources or name in ctx._desired
        return f"{name} isn't observed yet" if known else f"{name} isn't composed"
    if isinstance(source, str):
        return f"{name} isn't ready"
    ready = condition_of(observed.resource, "Ready") or {}
    return (
        f"{name} is Ready and doesn't have it"
        if ready.get("status") == "True"
        else f"{name} is observed, isn't Ready and doesn't have it"
    )


def _why_required(ctx: Context, key: str) -> str:
    if not ctx._supports(_view.CAPABILITY_REQUIRED_RESOURCES):
        return "this Crossplane doesn't support required resources"
    answer = ctx.required_resources.answer(key)
    if answer is None:
        selector = ctx.requirements.resources.get(key)
        if selector is None:
            return "nothing asks for it in this call"
        waits = unresolved_in([text for text in selector.texts() if text is not None], ctx._call)
        if waits:
            return f"it isn't asked for yet: its selector waits for {waits[0].source_path}"
        return "Crossplane hasn't answered yet"
    return "the required resource doesn't have it" if answer else "no such resource exists"

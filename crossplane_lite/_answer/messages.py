"""Texts for people that say who waits for what. Secrets are masked already in the data that they are made from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from .._terminal.excerpts import some
from .._waits.entry import unmasked_name
from .parts import Masked

if TYPE_CHECKING:
    from .._waits.entry import Waiting

__all__ = ["cut_off_lines", "cycle_text", "graph_text", "joined", "lines", "stopped_text"]


def joined(lines: Iterable[str]) -> str:
    """Return `lines` as one text, sorted and joined by '; '. After 50 lines only the number of the others follows."""
    return some(sorted(lines), 50, "; ")


def lines(shown: Waiting, names: Collection[str] | None = None) -> list[Masked]:
    """Return a sorted list of lines that say which resource waits for which value, and why the value is missing.

    A resource that waits only because another step holds it back has a line that says so. Waiting fields and
    requirements have no lines. `names` are the resources that get lines; None stands for all waiting resources and all
    notes.
    """
    needs = [need for need in shown.needs if need.by_resource and (names is None or need.name in names)]
    found = {f"{need.name} waits for {need.path} ({need.why})" for need in needs}
    if names is None:
        found.update(f"{one.name} {one.text}".lstrip() for one in shown.notes)
    others = set(shown.held if names is None else names) - {need.name for need in needs}
    found.update(f"{name} is held back by another step" for name in others)
    return [Masked(line) for line in sorted(found)]


def cut_off_lines(shown: Waiting) -> list[Masked]:
    """Return a line for each requirement that Crossplane doesn't support, such as `zones isn't available (...)`.

    Args:
        shown: Who waits, with secrets masked.
    """
    return [Masked(f"{one.name} isn't available ({one.why})") for one in shown.cut_off]


def graph_text(text: str, shown: Waiting, resolved: Iterable[tuple[str, str, str]]) -> Masked:
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


def cycle_text(cycle: Sequence[str], mask: Callable[[str], str], shown: Waiting | None) -> Masked:
    """Return the text of the fatal result for resources that wait for each other in a cycle.

    `cycle` has the first name again at its end. Without `shown`, the text names no paths.
    """
    names = [unmasked_name(name, mask) for name in cycle]
    steps = set(zip(names, names[1:], strict=False))
    paths = {need.path for need in (shown.needs if shown is not None else ()) if (need.name, need.of) in steps}
    through = f" ({', '.join(sorted(paths))})" if paths else ""
    return Masked(f"dependency cycle: {' waits for '.join(names)}{through}")


def stopped_text(name: str, shown: Waiting) -> Masked:
    """Return the text of the fatal result for a resource whose `on_unresolved` is "fatal"."""
    paths = ", ".join(sorted({need.path for need in shown.needs if need.name == name}))
    return Masked(
        f"{name} needs {paths}, which has no value yet, and its on_unresolved is 'fatal'; 'keep' and 'hold' would wait"
    )

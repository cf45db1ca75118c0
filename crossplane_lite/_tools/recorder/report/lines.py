"""The lines of code that set fields, for steps whose function is in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...._core.paths.text import show
from ....composition import Function
from ....proto import _view
from ...render.recording import COMPOSITE, Registered, record

if TYPE_CHECKING:
    from ...render.rendered import StepRun

__all__ = ["COMPOSITE", "lines_of"]


def lines_of(run: StepRun) -> Callable[[str, str], str]:
    """Return a function from a resource's name and a field's path to the line that set it, such as `function.py:31`.

    compose() runs once more for this. The line is empty if it isn't known, which it never is for functions elsewhere.
    """
    function = getattr(run.runner, "function", None)
    if not isinstance(function, Function):
        return lambda name, path: ""
    names = [COMPOSITE, *_view.RunFunctionResponse.FromString(run.response).desired.resources]
    found = {name: _by_path(one) for name, one in record(function, run.request, names).resources.items()}

    def line(name: str, path: str) -> str:
        lines = found.get(name, {})
        while path not in lines and path:
            # What is below a path that isn't known was set with it. A list has one change, by keys of its elements.
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return lines.get(path, "")

    return line


def _by_path(one: Registered) -> dict[str, str]:
    """Return the lines by path: those of fields, of all that is around them, and that of the resource for the rest."""
    lines = {"": one.made or one.registered}
    for steps, place in sorted(one.places.items(), key=lambda item: _sortable(item[0])):
        for end in range(len(steps), 0, -1):
            lines.setdefault(show(steps[:end]), place)
    return lines


def _sortable(steps: tuple[Any, ...]) -> list[str]:
    return [str(step) for step in steps]

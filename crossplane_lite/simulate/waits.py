"""Who waits for what in a reconcile, as far as its functions say so.

Functions of ours that run in this process are asked (`Function.dependencies`). All of ours, wherever they run, say it
in the conditions `DependenciesResolved`, and whom they hold back in the context. Other functions don't say.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .._report import CONDITION, CUT_OFF, HELD_BACK_KEY
from ..proto import _view
from ..render.functions import InProcess
from ..render.pipeline import Selector

if TYPE_CHECKING:
    from ..composition import Dependency
    from ..render.rendered import Rendered, StepRun

__all__ = ["Waits", "owner_of", "waits_of"]

_LINE: Final = re.compile(r"(.+?) waits for (.+?) \((.*)\)", re.DOTALL)
_START: Final = re.compile(r".+? waits for .+? \(", re.DOTALL)
_BY_OTHERS: Final = " is held back by another step"


class Waits(NamedTuple):
    """Who waits for what.

    Attributes:
        waiting: For each resource that waits the paths of what it waits for, and why each has no value yet.
        dependencies: What functions in this process need at any time, whether it is there or not.
        selectors: What the functions ask for, by the requirement's key.
    """

    waiting: dict[str, dict[str, str]]
    dependencies: list[Dependency]
    selectors: dict[str, Selector]

    def paths(self) -> Iterator[str]:
        """Yield every path that somebody needs."""
        for dependency in self.dependencies:
            yield dependency.path
        for paths in self.waiting.values():
            yield from paths


def waits_of(rendered: Rendered) -> Waits:
    """Return who waits for what in a reconcile."""
    waiting: dict[str, dict[str, str]] = {}
    dependencies: set[Dependency] = set()
    selectors: dict[str, Selector] = {}
    for step in rendered.steps:
        response = _view.RunFunctionResponse.FromString(step.response)
        for condition in response.conditions:
            if condition.type == CONDITION or condition.type.startswith(f"{CONDITION}-"):
                for name, path, why in _lines(condition.message):
                    waiting.setdefault(name, {}).update({path: why} if path else {})
        selectors.update(_selectors(response.requirements))
        dependencies.update(_dependencies(step))
    for names in _held_back(rendered.context):
        for name in names:
            waiting.setdefault(name, {})
    return Waits(waiting, sorted(dependencies), selectors)


def owner_of(path: str, names: Collection[str]) -> tuple[str, str] | None:
    """Return the name that a path begins with and what follows it, None where it begins with none of these.

    Names may hold dots, so the longest one counts.
    """
    ends = [at for at, sign in enumerate(path) if at and sign in ".["] + [len(path)]
    for end in reversed(ends):
        if path[:end] in names:
            return path[:end], path[end:]
    return None


def _dependencies(step: StepRun) -> Iterable[Dependency]:
    return step.runner.function.dependencies(step.request) if isinstance(step.runner, InProcess) else ()


def _lines(message: str) -> Iterator[tuple[str, str, str]]:
    """Yield resource, path and reason of each line of a condition's message; no path where another step holds it."""
    parts: list[str] = []
    for part in message.split("; "):
        if not parts or _START.match(part) or part.endswith((_BY_OTHERS, CUT_OFF)) or part.startswith("and "):
            parts.append(part)
        else:  # the reason has a semicolon
            parts[-1] += f"; {part}"
    for part in parts:
        found = _LINE.fullmatch(part)
        if found is not None:
            yield found[1], found[2], found[3]
        elif part.endswith(_BY_OTHERS):
            yield part.removesuffix(_BY_OTHERS), "", ""


def _held_back(context: dict[str, Any]) -> Iterator[list[str]]:
    steps = context.get(HELD_BACK_KEY)
    for names in steps.values() if isinstance(steps, dict) else ():
        if isinstance(names, list):
            yield [name for name in names if isinstance(name, str)]


def _selectors(requirements: Any) -> Iterator[tuple[str, Selector]]:
    for asked in (requirements.extra_resources, requirements.resources):
        for key in asked:
            yield key, Selector.of(asked[key])

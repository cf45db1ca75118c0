"""Who waits for what in a reconcile, as far as its functions say so.

Functions of ours that run in this process are asked (`Function.dependencies`). All of ours, wherever they run, say it
in the conditions `DependenciesResolved`, and whom they hold back in the context. Other functions don't say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..proto import _view
from ..render import told
from ..render.functions import InProcess
from ..render.pipeline import Selector

if TYPE_CHECKING:
    from ..composition import Dependency
    from ..render.rendered import Rendered

__all__ = ["Waits", "owner_of", "waits_of"]


class Waits(NamedTuple):
    """Who waits for what.

    Attributes:
        waiting: For each resource that waits the paths of what it waits for, and why each has no value yet.
        dependencies: What functions in this process need at any time, whether it is there or not.
        selectors: What the functions ask for, by the requirement's key.
        possible: Names of the resources that functions in this process register only where some value is another one.
    """

    waiting: dict[str, dict[str, str]]
    dependencies: list[Dependency]
    selectors: dict[str, Selector]
    possible: set[str]

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
    possible: set[str] = set()
    for step in rendered.steps:
        response = _view.RunFunctionResponse.FromString(step.response)
        for name, path, why in told.waits(response):
            waiting.setdefault(name, {}).update({path: why} if path else {})
        selectors.update(_selectors(response.requirements))
        if isinstance(step.runner, InProcess):
            shown = step.runner.function._show(step.request)
            dependencies.update(shown.dependencies)
            possible.update(shown.possible)
    for name in told.held_back(rendered.context.get(told.HELD_BACK_KEY)):
        waiting.setdefault(name, {})
    return Waits(waiting, sorted(dependencies), selectors, possible)


def owner_of(path: str, names: Collection[str]) -> tuple[str, str] | None:
    """Return the name that a path begins with and what follows it, None where it begins with none of these.

    Names may hold dots, so the longest one counts.
    """
    ends = [at for at, sign in enumerate(path) if at and sign in ".["] + [len(path)]
    for end in reversed(ends):
        if path[:end] in names:
            return path[:end], path[end:]
    return None


def _selectors(requirements: Any) -> Iterator[tuple[str, Selector]]:
    for asked in (requirements.extra_resources, requirements.resources):
        for key in asked:
            yield key, Selector.of(asked[key])

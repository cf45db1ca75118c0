"""The waits in one reconcile: the missing values that resources, and fields of the composite, need.

A function made with this package reports in the pipeline's context which values its resources wait
for. If it runs in this process, all its dependencies are found, too, also those of the composite's
fields (see `Function.dependencies`). The waits of other functions aren't known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.dependencies.dependencies import show
from ..._core.dependencies.entry import Note
from ..._core.dependencies.graph import components
from ...proto import _view
from ..render.functions import InProcess
from ..render.pipeline import Selector
from ..render.told import told, waiting
from .merging import ABSENT, at, steps_of

if TYPE_CHECKING:
    from ...composition import Dependency
    from ..render.rendered import Rendered

_XR: Final = "xr."


class Waits(NamedTuple):
    """The waits and dependencies in a reconcile.

    Attributes:
        waiting: The waiting resources by name. Each has the paths of the missing values with the
            reasons why they are missing, or an empty dict if the resource's function names no
            values.
        dependencies: All dependencies of the functions that run in this process, also those whose
            values exist.
        selectors: The selectors of the resources that functions require, by the requirement's key.
        possible: The names of the resources that functions in this process would register if a
            value were different.
        held: The names of the resources that functions leave out of their answers, because values
            are missing.
        cut_off: The keys of the requirements that no caller can answer.
        kinds: The apiVersion and kind of each resource that functions in this process register, by
            name.
        notes: The remarks of the functions' reports, such as which existing resources are kept, and
            why.
    """

    waiting: dict[str, dict[str, str]]
    dependencies: list[Dependency]
    selectors: dict[str, Selector]
    possible: set[str]
    held: AbstractSet[str] = frozenset()
    cut_off: AbstractSet[str] = frozenset()
    kinds: Mapping[str, tuple[str, str]] = {}
    notes: Collection[Note] = ()

    @property
    def remarks(self) -> list[str]:
        """The remarks as lines for people."""
        return [f"{one.name} {one.text}".lstrip() for one in self.notes]

    def paths(self) -> Iterator[str]:
        """Yield the path of every value that a resource or a field of the composite needs, also if
        the value exists.

        A path may be yielded twice.
        """
        for dependency in self.dependencies:
            yield dependency.path
        for paths in self.waiting.values():
            yield from paths


def waits_of(rendered: Rendered) -> Waits:
    """Return the waits and dependencies in a reconcile. Functions in this process run a few times
    more for this.
    """
    waits, held = waiting(rendered.steps)
    dependencies: set[Dependency] = set()
    selectors: dict[str, Selector] = {}
    possible: set[str] = set()
    cut_off: set[str] = set()
    kinds: dict[str, tuple[str, str]] = {}
    notes: dict[Note, None] = {}
    for step, says in zip(rendered.steps, told(rendered.steps), strict=True):
        cut_off.update(one.name for one in says.cut_off)
        notes.update(dict.fromkeys(says.notes))
        selectors.update(
            _selectors(_view.RunFunctionResponse.FromString(step.response).requirements)
        )
        if isinstance(step.runner, InProcess):
            shown = show(step.runner.function, step.request)
            dependencies.update(shown.dependencies)
            possible.update(shown.possible)
            kinds.update(shown.registered)
    waits |= {name: {} for name in held if name not in waits}
    return Waits(waits, sorted(dependencies), selectors, possible, held, cut_off, kinds, [*notes])


def owner_of(path: str, names: Collection[str]) -> tuple[str, str] | None:
    """Return the name that a path begins with, and the rest of the path; None if it begins with
    none of `names`.

    For example, the result is `("vpc", ".status.id")` for the path `vpc.status.id`. A name may
    contain dots. If several names fit, the longest counts.
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


def unresolved_in(
    waits: Waits,
    never: Mapping[str, str],
    observed: Mapping[str, Any],
    composite: Mapping[str, Any],
) -> dict[str, list[str]]:
    """Return the resources, and the fields of the composite, that still wait at the end.

    Args:
        waits: The waits of the last round.
        never: The reasons why fields never get a value, by the field's path.
        observed: The existing composed resources, by name.
        composite: The composite resource.

    Returns:
        A list for each resource or field, by name. It has the paths of the awaited values with the
        reasons, or only `another step of the pipeline` if the function names no value.
    """
    found = {
        name: {path: never.get(path, why) for path, why in paths.items()}
        for name, paths in waits.waiting.items()
    }
    for dependent, _, path in waits.dependencies:
        # A value that is read only under a condition (`if`, `or`) may not be needed after all. If
        # it isn't, the resource exists without it.
        if path in never and not _is_there(dependent, observed, composite):
            found.setdefault(dependent, {})[path] = never[path]
    return {
        name: [f"{path} ({why})" for path, why in sorted(paths.items())]
        or ["another step of the pipeline"]
        for name, paths in sorted(found.items())
    }


def cycles_in(waits: Waits, composite: Mapping[str, Any]) -> list[list[str]]:
    """Return the groups of resources and fields of the composite that wait for each other, each as
    sorted names.

    A group without a waiting resource, which has only fields, is left out.
    """
    names = {
        *waits.waiting,
        *(one.dependent for one in waits.dependencies if one.dependent.startswith(_XR)),
    }
    edges = []
    for name, paths in waits.waiting.items():
        edges += [
            (name, found[0]) for path in paths if (found := owner_of(path, names)) is not None
        ]
    edges += [
        (one.dependent, one.dependency)
        for one in waits.dependencies
        if one.dependent.startswith(_XR)
    ]
    edges = [(one, other) for one, other in edges if not _is_there(other, {}, composite)]
    groups: dict[str, set[str]] = {}
    for name, group in components(edges).items():
        groups.setdefault(group, set()).add(name)
    found_cycles = [sorted(group) for group in groups.values()]
    return sorted(
        group
        for group in found_cycles
        if len(group) > 1 and any(name in waits.waiting for name in group)
    )


def _is_there(vertex: str, observed: Mapping[str, Any], composite: Mapping[str, Any]) -> bool:
    if not vertex.startswith(_XR):
        return vertex in observed
    steps = steps_of(vertex.removeprefix(_XR))
    return bool(steps) and at(composite, steps) is not ABSENT

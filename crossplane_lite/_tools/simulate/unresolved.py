"""Finds the resources and fields that still wait for values when a simulation ends, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..._core.waits.graph import components
from ...errors import UsageError
from .merging import ABSENT, at, steps_of
from .waits import owner_of

if TYPE_CHECKING:
    from .waits import Waits

__all__ = ["cycles_in", "unresolved_in"]

_XR = "xr."


def unresolved_in(
    waits: Waits, never: Mapping[str, str], observed: Mapping[str, Any], composite: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the resources, and the fields of the composite, that still wait at the end.

    Args:
        waits: The waits of the last round.
        never: The reasons why fields never get a value, by the field's path.
        observed: The existing composed resources, by name.
        composite: The composite resource.

    Returns:
        A list for each resource or field, by name. It has the paths of the awaited values with the reasons, or only
        `another step of the pipeline` if the function names no value.
    """
    found = {name: {path: never.get(path, why) for path, why in paths.items()} for name, paths in waits.waiting.items()}
    for dependent, _, path in waits.dependencies:
        # A value that is read only under a condition (`if`, `or`) may not be needed after all. If it isn't, the
        # resource exists without it.
        if path in never and not _is_there(dependent, observed, composite):
            found.setdefault(dependent, {})[path] = never[path]
    return {
        name: [f"{path} ({why})" for path, why in sorted(paths.items())] or ["another step of the pipeline"]
        for name, paths in sorted(found.items())
    }


def cycles_in(waits: Waits, composite: Mapping[str, Any]) -> list[list[str]]:
    """Return the groups of resources and fields of the composite that wait for each other, each as sorted names.

    A group without a waiting resource, which has only fields, is left out.
    """
    names = {*waits.waiting, *(one.dependent for one in waits.dependencies if one.dependent.startswith(_XR))}
    edges = []
    for name, paths in waits.waiting.items():
        edges += [(name, found[0]) for path in paths if (found := owner_of(path, names)) is not None]
    edges += [(one.dependent, one.dependency) for one in waits.dependencies if one.dependent.startswith(_XR)]
    edges = [(one, other) for one, other in edges if not _is_there(other, {}, composite)]
    groups: dict[str, set[str]] = {}
    for name, group in components(edges).items():
        groups.setdefault(group, set()).add(name)
    found_cycles = [sorted(group) for group in groups.values()]
    return sorted(group for group in found_cycles if len(group) > 1 and any(name in waits.waiting for name in group))


def _is_there(vertex: str, observed: Mapping[str, Any], composite: Mapping[str, Any]) -> bool:
    if not vertex.startswith(_XR):
        return vertex in observed
    try:
        return at(composite, steps_of(vertex.removeprefix(_XR))) is not ABSENT
    except UsageError:
        return False

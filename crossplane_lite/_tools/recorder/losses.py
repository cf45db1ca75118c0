"""What can be missing in a request: `replay` asks for an answer without an observed resource or
field.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from ..._core.paths import field_path, trees
from ..._core.paths.text import show
from ...proto import _view
from ..diff.compare import Difference
from ..manifests.objects import encode
from ..simulate.merging import at
from ..simulate.waits import owner_of
from .asking import Question
from .messages import decoded

_XR: Final = "xr"
_REQUIRED: Final = "required."


def without(
    question: Question, dropped: Collection[str], degraded: Collection[str]
) -> Iterator[Question]:
    """Yield a question once for each value that is named, without that value.

    Args:
        question: The question.
        dropped: The names of resources, and `required.NAME` for the resources of a requirement.
        degraded: The paths of fields, such as `vpc.status.atProvider.id` and `xr.status.id`.
            In both, `*` stands for any characters. What the request doesn't have is left out.

    Raises:
        UsageError: The path of a field can't be read.
    """
    request = question.request
    for name in _droppable(request):
        if any(fits(one, name) for one in dropped):
            yield question._replace(request=_dropped(request, name), lost=f"--drop {name}")
    for path, name, steps in _degradable(_objects(request), degraded):
        left = _degraded(request, name, steps)
        yield question._replace(request=left, lost=f"--degrade {path}")


def fits(pattern: str, text: str) -> bool:
    """Return whether a text is a pattern, in which `*` stands for any characters."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None


def of_existing(found: Difference, question: Question) -> Difference:
    """Return the part of a difference that is about resources that exist: deletions and changes."""
    exist = question.request.observed.resources
    entries = [
        one for one in found.entries if one.action in ("delete", "change") and one.name in exist
    ]
    return found._replace(entries=entries, status=[])


def _droppable(request: Any) -> Iterator[str]:
    yield from sorted(request.observed.resources)
    for required in (request.required_resources, request.extra_resources):
        for name in sorted(required):
            if required[name].items:
                yield f"{_REQUIRED}{name}"


def _dropped(request: Any, name: str) -> Any:
    changed = _copy(request)
    if name in changed.observed.resources:
        del changed.observed.resources[name]
        return changed
    key = name.removeprefix(_REQUIRED)
    for required in (changed.required_resources, changed.extra_resources):
        if key in required:
            required[key].ClearField("items")
    return changed


def _objects(request: Any) -> dict[str, Any]:
    """Return the contents of the composite and of the composed resources by their names."""
    observed = request.observed.resources
    found = {_XR: decoded(request.observed.composite)}
    found.update((name, decoded(observed[name])) for name in sorted(observed))
    return found


def _degradable(
    objects: Mapping[str, Any], degraded: Collection[str]
) -> Iterator[tuple[str, str, Sequence[Any]]]:
    """Yield the path, the resource and the steps of each field that was asked for."""
    for path in dict.fromkeys(degraded):
        if "*" in path:
            continue
        name, rest = owner_of(path, objects) or ("", "")
        way = (
            trees.resolved(objects[name], field_path.parse(rest.removeprefix(".")))
            if rest
            else None
        )
        if way is not None:
            yield path, name, way
    patterns = [one for one in degraded if "*" in one]
    for name, content in objects.items() if patterns else ():
        for steps in _values(content):
            path = f"{name}.{show(steps)}"
            if path not in degraded and any(fits(one, path) for one in patterns):
                yield path, name, steps


def _values(content: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """Yield the steps of a resource's status, of each condition, and of each other value in the
    status.
    """
    status = content.get("status")
    if not isinstance(status, dict):
        return
    yield ("status",)
    conditions = status.get("conditions")
    if isinstance(conditions, list):
        for index in range(len(conditions)):
            yield "status", "conditions", index
    others = {key: value for key, value in status.items() if key != "conditions"}
    for steps, _ in trees.leaves(others):
        if steps:
            yield "status", *steps


def _degraded(request: Any, name: str, steps: Sequence[Any]) -> Any:
    changed = _copy(request)
    observed = changed.observed
    message = observed.composite if name == _XR else observed.resources[name]
    left = decoded(message)
    del at(left, steps[:-1])[steps[-1]]
    message.resource = encode(left, name)
    return changed


def _copy(request: Any) -> Any:
    changed = _view.RunFunctionRequest()
    changed.CopyFrom(request)
    return changed

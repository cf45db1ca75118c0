"""Values that never come: the fields that something waits for, and that the schema of their kind lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._paths import field_path
from ..errors import UsageError, WireError
from ..proto import _view
from .api_versions import api_versions_checked
from .schema_fields import missing_field, name_of
from .told import told

if TYPE_CHECKING:
    from .._manifests.kind_schemas import Schemas
    from .rendered import StepRun

__all__ = ["HEADING", "in_vain", "lines", "summary"]

HEADING: Final = "never resolved:"


def in_vain(steps: Iterable[StepRun], schemas: Schemas) -> dict[str, list[str]]:
    """Return the waits of a reconcile that never end, because the schema of the awaited resource lacks the field.

    Args:
        steps: The runs of the steps of the pipeline.
        schemas: The schemas of kinds. A resource whose kind has none isn't looked at.

    Returns:
        The waiting resources and fields of the composite (`xr.status.x`), sorted; each with the paths that it waits
        for, and the reason behind each path.

    Raises:
        InputError: A file of schemas can't be read, or is wrong.
    """
    runs = list(steps)
    found: dict[str, dict[str, str]] = {}
    for run, says in zip(runs, told(runs), strict=True):
        for need in says.needs:
            if not need.of_resource or not need.path.startswith(need.of):
                continue
            reason = _reason(run, need.of, need.path.removeprefix(need.of), schemas)
            if reason:
                found.setdefault(need.name, {})[need.path] = reason
    return {name: [f"{path} ({why})" for path, why in sorted(paths.items())] for name, paths in sorted(found.items())}


def lines(unresolved: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield a line for each wait.

    Args:
        unresolved: The waiting ones with what they wait for, as `in_vain` returns them.
    """
    for name, paths in unresolved.items():
        yield from (f"{name} waits for {path}" for path in paths)


def summary(unresolved: Iterable[str]) -> str:
    """Return one sentence that names those who wait for values that never come.

    Args:
        unresolved: Their names.
    """
    return f"these wait for values that never come: {', '.join(unresolved)}"


def _reason(run: StepRun, name: str, rest: str, schemas: Schemas) -> str:
    """Return why a field of a resource never has a value; empty where it may get one."""
    try:
        parsed = field_path.parse(rest.removeprefix("."))
    except (UsageError, ValueError):  # the latter is for an index of thousands of digits
        return ""
    steps = [step for step in parsed if not isinstance(step, field_path.Select)]
    if len(steps) < len(parsed) or not steps or steps[0] not in ("spec", "status"):
        return ""
    if steps[:2] == ["status", "conditions"] and len(steps) > 2 and isinstance(steps[2], str):
        del steps[2:]  # the type of a condition, which no schema has as a field
    api_version, kind = (_text(run, name, key) for key in ("apiVersion", "kind"))
    if not api_version or not kind:  # it is held back itself
        return ""
    with api_versions_checked():
        schema = schemas.find(api_version, kind)
    return "" if schema is None else missing_field(schema, steps, name_of(api_version, kind))


def _text(run: StepRun, name: str, key: str) -> str:
    """Return a field of a resource as a step of a pipeline desires it, or else as it exists; empty without both."""
    desired: Any = _view.RunFunctionResponse.FromString(run.response).desired.resources
    observed: Any = _view.RunFunctionRequest.FromString(run.request).observed.resources
    for resources in (desired, observed):
        if name in resources:
            try:
                value = _wire.get_path(resources[name].resource, (key,), "")
            except WireError:  # nobody has checked the answers of functions that run elsewhere
                continue
            if isinstance(value, str) and value:
                return value
    return ""

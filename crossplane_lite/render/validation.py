"""Checks the desired state of a pipeline against the schemas of the kinds. `crossplane_lite.schemas` has the rules.

Checked is the last function's response, before Crossplane adds metadata: every composed resource, and the composite's
status. Crossplane ignores the other desired fields of the composite.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _wire
from .._base.api_version import split
from .._base.near_name import near_name
from .._observed.observable import Observable
from .._paths.text import show
from .._terminal.excerpts import short_text
from .._validation.schema import SchemaError, errors_in
from ..proto import _view
from .api_versions import api_versions_checked

if TYPE_CHECKING:
    from .._manifests.kind_schemas import Schemas
    from .rendered import Rendered, StepRun

__all__ = ["Checked", "check", "status_errors"]


class Checked(NamedTuple):
    """The result of a check.

    Attributes:
        errors: A message for each mistake in the composed resources, sorted by name.
        unchecked: A message for each kind that has no schema; it names the resources that weren't checked.
    """

    errors: list[str]
    unchecked: list[str]


def check(rendered: Rendered, schemas: Schemas) -> Checked:
    """Check the composed resources in the last function's response.

    Each message has the composition resource name, the path, the mistake, and the file of the schema. A status of a
    composed resource is a mistake, too, because Crossplane discards it. So is a version that the kind's definitions
    don't have or don't serve, because the API server refuses it. Of the composite, only a missing schema or version is
    told: the reconcile has checked the status (`status_errors`).

    Args:
        rendered: The result of the reconcile.
        schemas: The schemas of kinds.

    Raises:
        InputError: A file of schemas can't be read, or is malformed.
        RenderError: A desired resource's apiVersion can't be parsed.
        MissingExtraError: The extra `schemas` isn't installed.
    """
    errors: list[str] = []
    unknown: dict[tuple[str, str], list[str]] = {}
    for name, resource in _desired(rendered):
        status = resource.pop("status", None) if name else None
        if status:
            errors.append(f"{name}.status: is set, but Crossplane discards the desired status of composed resources")
        api_version, kind = resource.get("apiVersion"), resource.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind, str):
            errors.append(f"{name}: has no apiVersion or no kind")
            continue
        with api_versions_checked():
            schema = schemas.find(api_version, kind)
        if schema is None:
            versions = _versions(schemas, api_version, kind)
            if versions:
                errors.append(f"{name or 'xr'}.apiVersion: {versions}")
            else:
                unknown.setdefault((api_version, kind), []).append(name or "the composite")
        elif name:
            errors += _errors(name, resource, schema, f" in {schemas.where(api_version, kind)}")
    return Checked(
        errors,
        [
            f"not checked: {', '.join(names)} (there is no schema of {short_text(api_version)} {short_text(kind)}"
            f"{near_name(kind, schemas.kinds_of(split(api_version)[0]))})"
            for (api_version, kind), names in sorted(unknown.items())
        ],
    )


def status_errors(
    composite: Mapping[str, Any],
    runs: Sequence[StepRun],
    schema: Mapping[str, Any],
    where: str = "",
    *,
    partial: bool = False,
) -> list[str]:
    """Check the composite's status in the last function's response, and return a message for each mistake.

    Of an unresolved field only the name is checked.

    Args:
        composite: The composite, with its apiVersion and kind.
        runs: The runs of the pipeline's steps; at least one.
        schema: The schema of the composite's kind.
        where: The schema's place for messages, such as ` in xrd.yaml`.
        partial: Whether fields may be missing, because other functions set them.

    Raises:
        MissingExtraError: The extra `schemas` isn't installed.
    """
    desired = _view.RunFunctionResponse.FromString(runs[-1].response).desired
    status = _wire.get_path(desired.composite.resource, ("status",))
    data = {key: composite[key] for key in ("apiVersion", "kind")} | ({"status": status} if status else {})
    for steps in (steps for run in runs for steps in run.unresolved if steps[0] == "status"):
        _put_unresolved(data, steps)
    return [*_errors("", data, schema, where, partial=partial)] if "status" in data else []


def _put_unresolved(data: dict[str, Any], steps: Sequence[str | int]) -> None:
    """Put an Observable at a path if there is no value. A list on the path is unresolved as a whole."""
    keys = list(itertools.takewhile(lambda step: isinstance(step, str), steps))
    holder: Any = data
    for key in keys[:-1]:
        holder = holder.setdefault(key, {})
        if not isinstance(holder, dict):
            return
    holder.setdefault(keys[-1], Observable(show(keys)))


def _errors(
    name: str, resource: Mapping[str, Any], schema: Mapping[str, Any], where: str, *, partial: bool = False
) -> Iterator[str]:
    """Yield a message for each mistake in a resource.

    An empty `name` stands for the composite, of which only the status is checked, because functions set only that. With
    `partial`, fields may be missing.
    """
    where = f"(schema of {short_text(resource['apiVersion'])} {short_text(resource['kind'])}{where})"
    try:
        found = errors_in(resource, schema, partial=partial)
    except SchemaError as error:
        yield f"{name or 'xr'}: isn't checked: {error} {where}"
        return
    for one in found:
        if name or one.path.startswith("status"):
            at = (name or "xr") + (f".{one.path}" if one.path and one.path[0] != "[" else one.path)
            yield f"{at}: {one.problem} {where}"


def _versions(schemas: Schemas, api_version: str, kind: str) -> str:
    """Return a message with the versions that a kind's definitions have; an empty string if no definition has the kind.

    Args:
        schemas: The schemas of kinds.
        api_version: The apiVersion for which there is no schema.
        kind: The kind.
    """
    group, version = split(api_version)
    found = schemas.versions(group, kind)
    if not found:
        return ""
    is_known = any(version in versions for versions in found.values())
    those = []
    for where, versions in found.items():
        served = [one for one, is_served in versions.items() if is_served]
        those.append(f"{where} has {' and '.join(served) or 'no served version'} of {kind} of {group}")
    problem = "isn't served" if is_known else "isn't a version of the kind"
    return f"{short_text(version)} {problem} ({'; '.join(those)})"


def _desired(rendered: Rendered) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the composite with only its desired status under the name `""`, then the composed resources, by name.

    The composite isn't yielded if the status is empty. Nothing is yielded if no step was run.
    """
    if not rendered.steps:
        return
    desired = _view.RunFunctionResponse.FromString(rendered.steps[-1].response).desired
    status = _wire.get_path(desired.composite.resource, ("status",))
    if status:
        yield "", {**{key: rendered.composite.get(key) for key in ("apiVersion", "kind")}, "status": status}
    for name in sorted(desired.resources):
        yield name, _wire.decode_struct(desired.resources[name].resource)

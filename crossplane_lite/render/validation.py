"""Checking a pipeline's desired state against the schemas of the kinds.

The last function's answer is checked, before Crossplane adds its metadata: every composed resource, and the
composite's status, which is the only part of the desired composite that counts. `crossplane_lite.schemas` has the
rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _wire
from .._terminal.excerpts import short_text
from .._validation.schema import SchemaError, errors_in
from ..proto import _view
from .api_versions import api_versions_checked

if TYPE_CHECKING:
    from .._manifests.kind_schemas import Schemas
    from .rendered import Rendered

__all__ = ["Checked", "check", "problems"]


class Checked(NamedTuple):
    """The result of a check.

    Attributes:
        errors: The mistakes, by resource: the composite first, then the composed resources by their names.
        unchecked: The kinds without a schema, each with its resources.
    """

    errors: list[str]
    unchecked: list[str]


def problems(rendered: Rendered, schemas: Schemas) -> list[str]:
    """Return a message for each mistake, then one for each kind that could not be checked.

    Raises:
        InputError: A file of schemas can't be read, or is wrong.
        MissingExtraError: The extra `schemas` isn't installed.
    """
    checked = check(rendered, schemas)
    return [*checked.errors, *checked.unchecked]


def check(rendered: Rendered, schemas: Schemas) -> Checked:
    """Check the desired state of a pipeline's last function. Raises as `problems` does.

    Each message names the composition resource name, the path, and the file of the schema.
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
            unknown.setdefault((api_version, kind), []).append(name or "the composite")
            continue
        where = f"(schema of {short_text(api_version)} {short_text(kind)} in {schemas.where(api_version, kind)})"
        try:
            found = errors_in(resource, schema)
        except SchemaError as error:
            errors.append(f"{name or 'xr'}: isn't checked: {error} {where}")
            continue
        for one in found:
            if name:
                at = name + (f".{one.path}" if one.path and one.path[0] != "[" else one.path)
            elif one.path.startswith("status"):  # the rest of the composite isn't the functions' to give
                at = f"xr.{one.path}"
            else:
                continue
            errors.append(f"{at}: {one.problem} {where}")
    return Checked(
        errors,
        [
            f"not checked: {', '.join(names)} (there is no schema of {short_text(api_version)} {short_text(kind)})"
            for (api_version, kind), names in sorted(unknown.items())
        ],
    )


def _desired(rendered: Rendered) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield desired objects by name: the composite's status under the empty one, then the composed resources."""
    if not rendered.steps:
        return
    desired = _view.RunFunctionResponse.FromString(rendered.steps[-1].response).desired
    status = _wire.get_path(desired.composite.resource, ("status",))
    if status:
        yield "", {**{key: rendered.composite.get(key) for key in ("apiVersion", "kind")}, "status": status}
    for name in sorted(desired.resources):
        yield name, _wire.decode_struct(desired.resources[name].resource)

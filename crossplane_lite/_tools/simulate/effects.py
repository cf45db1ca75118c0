"""The effects of a loss on a composition: the resources that are changed, created again or deleted.

A loss is the removal of a resource or of a field from the steady state, in which nothing changes
any more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._core.call.mark import without_digests
from .merging import ABSENT, differences

if TYPE_CHECKING:
    from ..render.rendered import Rendered
    from .simulation import Round

Objects = Mapping[str, dict[str, Any]]


class Effects(NamedTuple):
    """The effects that the loss of a resource or a field has in the next reconcile.

    Attributes:
        created: The names of the resources that are created again.
        changed: The fields that are applied with other values, by the resource's name: texts such
            as `spec.size: 1 -> 2`. For a Secret, each text is only the path.
            `metadata.generateName` isn't among them.
        deleted: The names of the resources that Crossplane deletes.
        status: The fields of the composite's status that change, as texts of the same form.
            Conditions aren't among them.
        kept: The resources that are still applied although values for them are missing, by name,
            with the paths of the missing values.
        held: The resources that functions leave out of their answers because values are missing, by
            name, with the paths of the missing values.
        remarks: The remarks of the functions' reports, such as which values are missing and count
            as they last were.
        ready: Whether the composite is ready after the loss.
    """

    created: list[str]
    changed: dict[str, list[str]]
    deleted: list[str]
    status: list[str]
    kept: dict[str, list[str]]
    held: dict[str, list[str]]
    remarks: list[str]
    ready: bool


def effects_of(steady: Rendered, after: Round) -> Effects:
    """Return the effects of a loss.

    Args:
        steady: The result of the last reconcile before the loss.
        after: The reconcile after the loss, from `Simulation.drop` or `Simulation.degrade`.
    """
    rendered = after.rendered
    return Effects(
        created=list(after.appeared),
        changed=changes_of(steady.composed, rendered.composed),
        deleted=sorted(rendered.deleted),
        status=_changes(_status(steady.composite), _status(rendered.composite), is_secret=False),
        kept={name: paths for name, paths in after.waiting.items() if name in rendered.composed},
        held={
            name: paths for name, paths in after.waiting.items() if name not in rendered.composed
        },
        remarks=list(after.remarks),
        ready=is_ready(rendered.composite),
    )


def changes_of(before: Objects, after: Objects, *, added: bool = True) -> dict[str, list[str]]:
    """Return the fields of resources that differ between two reconciles, as `Effects.changed` has
    them.

    Without `added`, fields that only come later aren't among them.
    """
    found = {}
    for name, resource in after.items():
        old, new = (without_digests(one) for one in (before.get(name, {}), resource))
        texts = _changes(old, new, is_secret=resource.get("kind") == "Secret", added=added)
        if texts:
            found[name] = texts
    return found


def is_ready(composite: Mapping[str, Any]) -> bool:
    """Return whether a composite has the condition Ready with status True."""
    conditions = composite.get("status", {}).get("conditions", [])
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)


def _status(composite: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in composite.get("status", {}).items() if key != "conditions"}


def _changes(before: Any, after: Any, *, is_secret: bool, added: bool = True) -> list[str]:
    return [
        path if is_secret else f"{path}: {shown(old)} -> {shown(new)}"
        for path, old, new in differences(before, after)
        # A name is generated only for a new resource, and `created` has those.
        if path and path != "metadata.generateName" and (added or old is not ABSENT)
    ]


def shown(value: Any, longest: int = 60) -> str:
    """Return a value as JSON for people, cut to `longest` characters. `ABSENT` is shown as
    `(nothing)`.
    """
    if value is ABSENT:
        return "(nothing)"
    try:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return "(something deep)"
    return text if len(text) <= longest else f"{text[: longest - 3]}..."

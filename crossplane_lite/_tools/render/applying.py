"""Makes the object that there is after Crossplane's server-side apply to an object that exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..._core.paths.schema import Schema
from ..._core.paths.trees import identity
from ..manifests.objects import merged
from .owned import Owned, owned_fields

_DEEPEST: Final = 100


def after_apply(
    old: Mapping[str, Any], new: Mapping[str, Any], schema: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an object as an API server has it after an apply: fields go that only Crossplane had
    set.

    Without managedFields, nobody knows who has set a field. Then all fields stay, and lists are
    replaced.

    Args:
        old: The object as it exists.
        new: The desired object.
        schema: The schema of the kind, which has the keys of lists.
    """
    owned = owned_fields(old)
    made: dict[str, Any] = (
        merged(old, new) if owned is None else _applied(old, new, owned, Schema(schema), 0)
    )
    return made


def _applied(old: Any, new: Any, owned: Owned, schema: Schema, depth: int) -> Any:
    if depth > _DEEPEST or schema.source.get("x-kubernetes-map-type") == "atomic":
        return new
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        fields = {}
        for key in {**old, **new}:
            inner = schema.below(key) or Schema({})
            found = _member(old, new, key, owned.field(key), inner, depth)
            fields.update(found)
        return fields
    if isinstance(old, list) and isinstance(new, list):
        return _list(old, new, owned, schema, depth)
    return new


def _member(
    old: Mapping[Any, Any],
    new: Mapping[Any, Any],
    key: Any,
    owned: Owned,
    schema: Schema,
    depth: int,
) -> dict[Any, Any]:
    """Return a field, or an element of a list by its keys, after the apply; an empty dict if it
    goes.
    """
    if key not in old:
        return {key: new[key]}
    if key in new:
        return {key: _applied(old[key], new[key], owned, schema, depth + 1)}
    if owned.goes:
        return {}
    is_open = owned.is_parts and isinstance(old[key], (Mapping, list))
    return {
        key: _applied(old[key], type(old[key])(), owned, schema, depth + 1) if is_open else old[key]
    }


def _list(
    old: Sequence[Any], new: Sequence[Any], owned: Owned, schema: Schema, depth: int
) -> list[Any]:
    keys = schema.list_keys or owned.list_keys() or ()
    if keys:
        below = schema.below(0) or Schema({})
        fields = {key: below.field(key) for key in keys}
        defaults = {key: field.default for key, field in fields.items() if field is not None}
        before, after = (
            {identity({**defaults, **one}, keys): one for one in elements if isinstance(one, dict)}
            for elements in (old, new)
        )
        found: dict[Any, Any] = {}
        for values in {**before, **after}:
            element = owned.element(dict(zip(keys, values or (), strict=False)))
            found.update(_member(before, after, values, element, below, depth))
        return list(found.values())
    if schema.list_type == "set" or owned.is_set():
        kept = [one for one in old if one in new or not owned.value(one).goes]
        return [*kept, *(one for one in new if one not in kept)]
    return list(new)

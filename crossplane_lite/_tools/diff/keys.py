"""Finds the keys of lists: the fields that identify an element, such as `name`. API servers merge lists by them.

A kind's schema has the keys of a list in `x-kubernetes-list-map-keys`. If it has none, they come from the kind's model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..._core.paths.schema import Schema
from ..simulate.model_types import model_type

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas

__all__ = ["Keys", "KeysAt", "keys_of", "no_keys"]

Keys = Mapping[str, Any]
"""The fields that identify the elements of a list, each with its default value; None if it has none."""

KeysAt = Callable[[tuple[Any, ...]], Keys]
"""A function from the path of a list to the keys of its elements; an empty mapping if they aren't known."""


def no_keys(_steps: tuple[Any, ...]) -> Keys:
    """Return an empty mapping. Serves as a `KeysAt` if no keys are known."""
    return {}


def keys_of(schemas: Schemas | None, api_version: str, kind: str) -> KeysAt:
    """Return a function from the path of a list, in objects of the given kind, to the list's keys.

    The keys come from the kind's schema. If the schema has none for a list, they come from the kind's model class, if
    a function in this process has used one.

    Args:
        schemas: The schemas of kinds; None if there are none.
        api_version: The kind's apiVersion.
        kind: The kind.
    """
    schema = None if schemas is None else schemas.find(api_version, kind)

    def keys_at(steps: tuple[Any, ...]) -> Keys:
        # An element in a path is an index or a selection; both lead to the type of the items.
        way = [step if isinstance(step, str) else 0 for step in steps]
        found = {} if schema is None else _in_schema(schema, way)
        if found:
            return found
        type_ = model_type(api_version, kind, way)
        return {} if type_ is None else dict.fromkeys(type_.keys)

    return keys_at


def _in_schema(schema: Mapping[str, Any], steps: list[str | int]) -> Keys:
    place = Schema(schema).at(steps)
    items = None if place is None else place.below(0)
    if place is None or items is None:
        return {}
    fields = {key: items.below(key) for key in place.list_keys}
    return {key: None if field is None else field.default for key, field in fields.items()}

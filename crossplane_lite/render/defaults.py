"""Applies the defaults of a CompositeResourceDefinition (XRD) to a composite, as an API server does.

If a field is missing from an object, the field gets its default. Then fields that are missing from this default get
their own defaults. A missing object without a default stays missing. A null field counts as missing, unless its schema
is `nullable`: it gets its default, or is removed if it has none. Crossplane's own fields have defaults too, such as
`spec.crossplane.compositionUpdatePolicy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._base.type_names import json_value_in_words
from .._paths.text import show
from .._terminal.excerpts import short_repr, short_text
from ..errors import InputError
from .definition import schema_of

__all__ = ["apply_defaults"]


def apply_defaults(composite: Mapping[str, Any], xrd: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a composite with the defaults of its XRD.

    Args:
        composite: The composite, which isn't changed. The result may share parts with it and with the XRD.
        xrd: The CompositeResourceDefinition that defines its kind.
        where: File and place of the XRD, for messages.

    Raises:
        InputError: `xrd` isn't a CompositeResourceDefinition, or defines another kind, or lacks the composite's
            version, or has a malformed schema. The message names the place.
        RenderError: The composite's apiVersion can't be parsed.
    """
    schema, path = schema_of(composite, xrd, where)
    above: Any = None
    for step in path:
        above = above, step
    result: dict[str, Any] = dict(composite)
    # Objects and lists that have been copied already, each with its schema.
    work: list[tuple[Any, _Schema]] = [(result, _Schema(where, above, schema))]
    while work:
        value, rules = work.pop()
        members = _defaulted_items(value, rules) if isinstance(value, list) else _defaulted_fields(value, rules)
        for key, inner in members:
            if isinstance(value[key], (dict, list)):
                value[key] = value[key].copy()
                work.append((value[key], inner))
    return result


def _defaulted_fields(value: dict[str, Any], schema: _Schema) -> list[tuple[str, _Schema]]:
    """Set the defaults of an object's fields, in the object itself. Remove null fields that have no default.

    A null field whose schema is `nullable` stays.

    Returns:
        The name and the schema of each field that the object has then, without fields that have no schema.

    Raises:
        InputError: The schema is malformed.
    """
    properties = schema.properties()
    for name, rules in properties.items():
        if rules.default is not None and (name not in value or rules.refuses(value[name])):
            value[name] = rules.default
    others = schema.part("additionalProperties")
    known = [(name, found) for name in value if (found := properties.get(name) or others) is not None]
    for name, rules in known:
        if rules.refuses(value[name]):
            if rules.default is None:
                del value[name]
            else:
                value[name] = rules.default
    return [(name, rules) for name, rules in known if name in value]


def _defaulted_items(value: list[Any], rules: _Schema) -> list[tuple[int, _Schema]]:
    """Replace each null element of a list by the default of the elements' schema, in the list itself.

    Null stays if the schema has no default, or is `nullable`.

    Returns:
        The index of each element, with the elements' schema; an empty list if there is no such schema.

    Raises:
        InputError: The schema is malformed.
    """
    inner = rules.part("items")
    if inner is None:
        return []
    for at, item in enumerate(value):
        if inner.refuses(item):  # without a default, null stays, and the API server would refuse it
            value[at] = inner.default
    return [(at, inner) for at in range(len(value))]


class _Schema(NamedTuple):
    """A schema in an XRD, with its path for messages.

    Attributes:
        where: The XRD's file and its position there.
        path: The path of the schema, as a pair: the path of its parent (such a pair, too), and the last step. The path
            of the XRD itself is None.
        value: The schema as plain data.
    """

    where: str
    path: tuple[Any, str | int] | None
    value: Mapping[str, Any]

    @property
    def default(self) -> Any:
        return self.value.get("default")

    def refuses(self, value: Any) -> bool:
        """Return whether `value` is null although the schema doesn't allow null. Then it counts as missing."""
        return value is None and self.value.get("nullable") is not True

    def properties(self) -> dict[str, _Schema]:
        properties = self.value.get("properties")
        if properties is None:
            return {}
        at = self.path, "properties"
        return {name: self._of(inner, (at, name)) for name, inner in self._mapping(properties, at).items()}

    def part(self, key: str) -> _Schema | None:
        """Return the schema under the key `items` or `additionalProperties`; None if the key is missing.

        For `additionalProperties`, also return None if the value is a bool.

        Raises:
            InputError: The value isn't an object.
        """
        inner = self.value.get(key)
        if inner is None or (isinstance(inner, bool) and key == "additionalProperties"):
            return None
        return self._of(inner, (self.path, key))

    def _of(self, value: Any, path: tuple[Any, str | int]) -> _Schema:
        return _Schema(self.where, path, self._mapping(value, path))

    def _mapping(self, value: Any, path: tuple[Any, str | int]) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            steps: list[str | int] = []
            above: Any = path
            while above is not None:
                above, step = above
                steps.append(step)
            raise InputError(
                f"{self.where}: {short_text(show(reversed(steps)))} must be an object "
                f"(got {json_value_in_words(value, short_repr(value))})"
            )
        return value

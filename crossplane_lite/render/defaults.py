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
    result: dict[str, Any] = _defaulted(dict(composite), _Schema(where, path, schema))
    return result


def _defaulted(value: Any, schema: _Schema) -> Any:
    """Return a value with the defaults of its schema.

    Raises:
        InputError: The schema is malformed.
    """
    if isinstance(value, list):
        inner = schema.part("items")
        if inner is None:
            return value
        # Without a default, a null element stays, and the API server would refuse it.
        return [_defaulted(inner.default if one is None and not inner.is_nullable else one, inner) for one in value]
    if not isinstance(value, dict):
        return value
    properties = schema.properties()
    others = schema.part("additionalProperties")
    result = {}
    for name in {**value, **properties}:
        rules = properties.get(name) or others
        found = value.get(name)
        if rules is not None and (name not in value or not rules.is_nullable):
            found = rules.default if found is None else found
        if found is not None:
            result[name] = found if rules is None else _defaulted(found, rules)
        elif name in value and (rules is None or rules.is_nullable):
            result[name] = None
    return result


class _Schema(NamedTuple):
    """A schema in an XRD.

    Attributes:
        where: The XRD's file and its position there.
        path: The keys and indexes that lead to the schema, for messages.
        value: The schema as plain data.
    """

    where: str
    path: tuple[str | int, ...]
    value: Mapping[str, Any]

    @property
    def is_nullable(self) -> bool:
        return self.value.get("nullable") is True

    @property
    def default(self) -> Any:
        return self.value.get("default")

    def properties(self) -> dict[str, _Schema]:
        properties = self.value.get("properties")
        if properties is None:
            return {}
        path = (*self.path, "properties")
        return {name: self._of(inner, (*path, name)) for name, inner in self._mapping(properties, path).items()}

    def part(self, key: str) -> _Schema | None:
        """Return the schema under the key `items` or `additionalProperties`; None if the key is missing.

        For `additionalProperties`, also return None if the value is a bool.

        Raises:
            InputError: The value isn't an object.
        """
        inner = self.value.get(key)
        if inner is None or (isinstance(inner, bool) and key == "additionalProperties"):
            return None
        return self._of(inner, (*self.path, key))

    def _of(self, value: Any, path: tuple[str | int, ...]) -> _Schema:
        return _Schema(self.where, path, self._mapping(value, path))

    def _mapping(self, value: Any, path: tuple[str | int, ...]) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise InputError(
                f"{self.where}: {short_text(show(path))} must be an object "
                f"(got {json_value_in_words(value, short_repr(value))})"
            )
        return value

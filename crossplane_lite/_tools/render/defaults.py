"""Applies the defaults of a CompositeResourceDefinition (XRD) to a composite, as an API server does.

If a field is missing from an object, the field gets its default. Then fields that are missing from this default get
their own defaults. A missing object without a default stays missing. A null field counts as missing, unless its schema
is `nullable`: it gets its default, or is removed if it has none. Crossplane's own fields have defaults too, such as
`spec.crossplane.compositionUpdatePolicy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._core.base.excerpts import short_text
from ..._core.paths.schema import Schema, Steps
from ..._core.paths.text import show
from ...errors import InputError
from .definition import schema_of

__all__ = ["apply_defaults", "defaulted"]


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
    source, path = schema_of(composite, xrd, where)
    result: dict[str, Any] = defaulted(dict(composite), source, where, path)
    return result


def defaulted(value: Any, schema: Mapping[str, Any], where: str = "the schema", path: Steps = ()) -> Any:
    """Return an object with the defaults of its kind's schema; `where` and `path` are its place for messages.

    Raises:
        InputError: The schema is malformed.
    """

    def wrong(steps: Steps, problem: str) -> InputError:
        return InputError(f"{where}: {short_text(show(steps))}: {problem}")

    return _defaulted(value, Schema(schema, wrong, path))


def _defaulted(value: Any, schema: Schema) -> Any:
    """Return a value with the defaults of its schema.

    Raises:
        InputError: The schema is malformed.
    """
    if isinstance(value, list):
        inner = schema.items
        if inner is None:
            return value
        # Without a default, a null element stays, and the API server would refuse it.
        return [_defaulted(inner.default if one is None and not inner.is_nullable else one, inner) for one in value]
    if not isinstance(value, dict):
        return value
    properties = schema.properties
    others = schema.others if isinstance(schema.others, Schema) else None
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

"""Makes model classes while the program runs, for kinds without a generated class, from the schema of an API server.

The classes are like those that `crossplane-lite generate` makes from the same schema (the rules are in
`crossplane_lite.codegen.schema`). Only the names of nested classes differ: each class is named after its path, such as
`BucketSpecRule`, and fields with equal schemas don't share a class.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

from . import types
from .attributes import attributes, class_name
from .resource import Resource
from .table import make_class, object_class
from .unstructured import METADATA
from .walker import canonical

__all__ = ["model_of"]

_LETTERS: Final = {"string": "s", "integer": "i", "number": "f", "boolean": "b"}
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_PRESERVED: Final = "x-kubernetes-preserve-unknown-fields"
_DEEPEST: Final = 100  # lists and maps around a schema, without an object between them
_MOST_KEPT: Final = 64

_kept: OrderedDict[tuple[str, str, str], type[Resource]] = OrderedDict()
_lock: Final = threading.Lock()


def model_of(api_version: str, kind: str, schema: Mapping[str, Any]) -> type[Resource]:
    """Return the class for a kind. The same apiVersion, kind and schema usually give the same class again.

    The 64 classes that were used last are kept for this. An empty schema makes a class that takes any field; another
    has no references.
    """
    key = (api_version, kind, canonical(schema))
    with _lock:
        found = _kept.get(key)
        if found is None:
            found = _kept[key] = _made(api_version, kind, schema)
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        return found


def _made(api_version: str, kind: str, schema: Mapping[str, Any]) -> type[Resource]:
    maker = _Maker(f"{__name__}.{api_version}")
    merged = _merged(schema)
    properties = {
        name: below for name, below in _properties(merged).items() if name not in ("apiVersion", "kind", "metadata")
    }
    fields = maker.fields({"metadata": {}, **properties}, class_name(kind), of_resource=True)
    is_open = not schema or merged.get(_PRESERVED) is True
    cls: Any = make_class(maker.module, class_name(kind), fields, api_version, kind, is_open=is_open)
    made: type[Resource] = cls
    return made


class _Maker:
    """Makes the classes of one schema. A nested class is made when it is first used."""

    def __init__(self, module: str) -> None:
        self.module = module

    def fields(self, properties: Mapping[str, Any], above: str, *, of_resource: bool = False) -> list[types.Field]:
        """Return the fields of an object.

        The names of nested classes begin with `above`. In a resource, `metadata` has its own type, and more attributes
        get an underscore at the end.
        """
        names = attributes(properties, of_resource=of_resource)
        return [
            types.Field(
                names[wire],
                wire,
                METADATA if of_resource and wire == "metadata" else self.type_of(below, above + class_name(wire)),
            )
            for wire, below in properties.items()
        ]

    def type_of(self, schema: Any, name: str, depth: int = 0) -> types.Type:
        """Return the type for a schema. `ANY_TYPE` if the schema gives no single type, or is nested too deep.

        Args:
            schema: The schema.
            name: The name of the class that is made if the schema describes an object with fields.
            depth: How many lists and maps are around this schema, without an object with fields between them.
        """
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return types.ANY_TYPE
        schema = _merged(schema)
        if schema.get(_INT_OR_STRING) is True or schema.get("format") == "int-or-string":
            return types.parse_type("q")
        kind = _kind_of(schema)
        if kind == "array":
            keys = schema.get("x-kubernetes-list-map-keys") if schema.get("x-kubernetes-list-type") == "map" else None
            item = self.type_of(schema.get("items", {}), name + "Item", depth + 1)
            return types.Type(types.LIST, item=item, keys=tuple(map(str, keys or ())))
        if kind == "object":
            return self._object(schema, name, depth)
        letters = _LETTERS.get(kind) or _choice(schema)
        return types.parse_type(letters) if letters else types.ANY_TYPE

    def _object(self, schema: Mapping[str, Any], name: str, depth: int) -> types.Type:
        properties = _properties(schema)
        embedded = schema.get(_EMBEDDED) is True
        if properties.keys() - ({"apiVersion", "kind", "metadata"} if embedded else set()):
            return types.Type(types.MODEL, ref=name, resolve=lambda _: self._class(schema, name))
        below = schema.get("additionalProperties")
        if embedded or not below:
            # An empty schema allows any value.
            if embedded or not isinstance(below, Mapping):
                return types.Type(types.OBJECT, resolve=lambda _: object_class())
        return types.Type(types.MAP, item=self.type_of({} if below is True else below, name, depth + 1))

    def _class(self, schema: Mapping[str, Any], name: str) -> Any:
        properties = _properties(schema)
        embedded = schema.get(_EMBEDDED) is True
        if embedded:
            properties = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, **properties}
            properties.pop("metadata", None)
        fields = self.fields(properties, name)
        if embedded:
            fields.append(types.Field("metadata", "metadata", METADATA))
        more = schema.get("additionalProperties")
        is_open = schema.get(_PRESERVED) is True or (more is not None and more is not False)
        return make_class(self.module, name, fields, is_open=is_open)


def _properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    return {str(name): below for name, below in properties.items()} if isinstance(properties, Mapping) else {}


def _merged(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with the members of its allOf merged into it. The schema's own keywords override the members'."""
    if "allOf" not in schema:
        return schema
    whole: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    work: list[Any] = [schema]
    while work:
        part = work.pop(0)
        if isinstance(part, Mapping):
            properties = {**_properties(part), **properties}
            whole = {**part, **whole}
            members = part.get("allOf")
            work[:0] = members if isinstance(members, list) else []
    whole.pop("allOf")
    return {**whole, "properties": properties} if properties else whole


def _named_types(schema: Mapping[str, Any]) -> list[str]:
    named = schema.get("type")
    kinds = named if isinstance(named, list) else [named]
    return [kind for kind in kinds if isinstance(kind, str) and kind != "null"]


def _kind_of(schema: Mapping[str, Any]) -> str:
    """Return the type that a schema names, or the one that its keywords imply. Empty if neither gives a single type."""
    named = _named_types(schema)
    if named:
        return named[0] if len(named) == 1 else ""
    if "properties" in schema or isinstance(schema.get("additionalProperties"), Mapping):
        return "object"
    if "items" in schema:
        return "array"
    values = schema.get("enum")
    return "string" if isinstance(values, list) and values and all(isinstance(one, str) for one in values) else ""


def _choice(schema: Mapping[str, Any]) -> str:
    """Return the type text, such as `b|s`, of a schema that allows only scalars. Empty for any other schema.

    `b|s` means a boolean or a string (see `crossplane_lite.table`).
    """
    kinds = set(_named_types(schema))
    for key in ("anyOf", "oneOf"):
        for member in schema.get(key) or ():
            one = _merged(member) if isinstance(member, Mapping) else {}
            kinds.update(_named_types(one) if "type" in one else [""])
    if not kinds or not kinds <= _LETTERS.keys():
        return ""
    letters = "|".join(sorted(_LETTERS[kind] for kind in kinds))
    return "q" if letters == "i|s" else letters

"""Makes model classes while the program runs, for kinds without a generated class, from the schema of an API server.

The classes are like those that `crossplane-lite generate` makes from the same schema (`paths.schema` has the rules).
Only the names of nested classes differ: each class is named after its path, such as `BucketSpecRule`, and fields with
equal schemas don't share a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..base.kept import Kept
from ..paths.schema import HEAD, Schema
from . import types
from .attributes import attributes, class_name
from .resource import Resource
from .table import make_class, object_class
from .unstructured import METADATA
from .walker import canonical

_DEEPEST: Final = 100  # lists and maps around a schema, without an object between them

_kept: Final[Kept[type[Resource]]] = Kept(64)


def model_of(api_version: str, kind: str, schema: Mapping[str, Any]) -> type[Resource]:
    """Return the class for a kind. The same apiVersion, kind and schema usually give the same class again.

    The 64 classes that were used last are kept for this. An empty schema makes a class that takes any field; another
    has no references.
    """
    key = (api_version, kind, canonical(schema))
    return _kept.get(key, lambda: _made(api_version, kind, schema))


def _made(api_version: str, kind: str, source: Mapping[str, Any]) -> type[Resource]:
    maker = _Maker(f"{__name__}.{api_version}")
    schema = Schema(source).merged()
    name = class_name(kind)
    fields = maker.fields(schema, name, is_whole=True)
    is_open = not source or schema.is_preserved
    spec = schema.field("spec")
    is_managed = spec is not None and types.MANAGED <= spec.merged().properties.keys()
    cls: Any = make_class(maker.module, name, fields, api_version, kind, is_open=is_open, is_managed=is_managed)
    made: type[Resource] = cls
    return made


class _Maker:
    """Makes the classes of one schema. A nested class is made when it is first used."""

    def __init__(self, module: str) -> None:
        self.module = module

    def fields(self, schema: Schema, above: str, *, is_whole: bool = False) -> list[types.Field]:
        """Return the fields of an object, but apiVersion and kind of a whole resource (`is_whole`).

        The names of nested classes begin with `above`.
        """
        properties = {str(name): below for name, below in schema.properties.items()}
        if is_whole or schema.is_embedded:
            properties = {**{name: Schema({"type": "string"}) for name in HEAD}, **properties}
        if is_whole:
            del properties["apiVersion"], properties["kind"]
        names = attributes(properties, of_resource=is_whole)
        return [
            types.Field(
                names[wire],
                wire,
                METADATA
                if wire == "metadata" and (is_whole or schema.is_embedded)
                else self.type_of(below, above + class_name(wire)),
            )
            for wire, below in properties.items()
        ]

    def type_of(self, schema: Schema, name: str, depth: int = 0) -> types.Type:
        """Return the type for a schema. `ANY_TYPE` if the schema gives no single type, or is nested too deep.

        `name` is that of the class that is made if the schema describes an object with fields. `depth` is the number of
        lists and maps around the schema, without an object with fields between them.
        """
        if depth > _DEEPEST:
            return types.ANY_TYPE
        schema = schema.merged()
        code = schema.code()
        if code == "[":
            item = self.type_of(schema.items or Schema({}), name + "Item", depth + 1)
            return types.Type(types.LIST, item=item, keys=schema.list_keys)
        if code == "N":
            return types.Type(types.MODEL, ref=name, resolve=lambda _: self._class(schema, name))
        if code == "{":
            others = schema.others
            below = others if isinstance(others, Schema) else Schema({})
            return types.Type(types.MAP, item=self.type_of(below, name, depth + 1))
        return types.Type(types.OBJECT, resolve=lambda _: object_class()) if code == "o" else types.parse_type(code)

    def _class(self, schema: Schema, name: str) -> Any:
        return make_class(self.module, name, self.fields(schema, name), is_open=schema.is_open)

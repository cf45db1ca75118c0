"""Makes model classes from the schema of an API server while the program runs, and the names in all
such classes.

The classes are for kinds without a generated class. They are like those that
`crossplane-lite generate` makes from the same schema (`paths.schema` has the rules). Only the names
of nested classes differ: each class is named after its path, such as `BucketSpecRule`, and fields
with equal schemas don't share a class.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..base.kept import Kept
from ..models import types
from ..models.model import Model
from ..models.walker import canonical
from ..paths.schema import HEAD, Schema
from .resource import Resource
from .table import make_class, object_class
from .unstructured import METADATA

_DEEPEST: Final = 100  # lists and maps around a schema, without an object between them

# In a stub's class `self` would be the constructor's own argument.
_OF_MODELS: Final = frozenset({*dir(Model), "self"})
_OF_RESOURCES: Final = _OF_MODELS | {*dir(Resource), "apiVersion", "kind"}

_kept: Final[Kept[type[Resource]]] = Kept(64)


def model_of(api_version: str, kind: str, schema: Mapping[str, Any]) -> type[Resource]:
    """Return the class for a kind. The same apiVersion, kind and schema usually give the same class
    again.

    The 64 classes that were used last are kept for this. An empty schema makes a class that takes
    any field; another has no references.
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
    cls: Any = make_class(
        maker.module, name, fields, api_version, kind, is_open=is_open, is_managed=is_managed
    )
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
        """Return the type for a schema. `ANY_TYPE` if the schema gives no single type, or is nested
        too deep.

        `name` is that of the class that is made if the schema describes an object with fields.
        `depth` is the number of lists and maps around the schema, without an object with fields
        between them.
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
        return (
            types.Type(types.OBJECT, resolve=lambda _: object_class())
            if code == "o"
            else types.parse_type(code)
        )

    def _class(self, schema: Schema, name: str) -> Any:
        return make_class(self.module, name, self.fields(schema, name), is_open=schema.is_open)


def identifier(text: str) -> str:
    """Return `text` as a Python identifier.

    Each character that isn't allowed becomes `_`. A name that would be empty or begin with a digit
    gets `_` in front. Letters that aren't ASCII are normalized (NFKC), as Python normalizes names.
    """
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)  # as Python reads names
    if text.isidentifier():  # nearly all are
        return text
    name = "".join(character if ("a" + character).isidentifier() else "_" for character in text)
    return name if name.isidentifier() else "_" + name


def class_name(text: str) -> str:
    """Return the name of the class for a kind or a field, such as `FooBar` for `foo_bar` or
    `foo-bar`.

    A Python keyword gets `_` at its end. An empty text, or only underscores, gives `Field`.
    """
    if text.isidentifier() and "_" not in text and text.isascii():  # nearly all are
        name = text[0].upper() + text[1:]
    else:
        parts = identifier(text).split("_")
        name = "".join(part[:1].upper() + part[1:] for part in parts)
        name = identifier(name or "Field")  # again: joining and capitals can change the normal form
    return name + "_" if keyword.iskeyword(name) else name


def attributes(wires: Iterable[str], *, of_resource: bool) -> dict[str, str]:
    """Return a dict from the name of each field in Kubernetes to its attribute, which is the same
    name if possible.

    A keyword, and a name that models or resources use themselves, gets an underscore at its end.
    Two or more underscores at the beginning become one. If a changed name is already an attribute,
    it gets more underscores. A name that needn't change always stays.

    Args:
        wires: The names of an object's fields in Kubernetes.
        of_resource: Whether the object is a resource. Resources use more names themselves than
            other models.
    """
    own = _OF_RESOURCES if of_resource else _OF_MODELS
    wires = list(wires)
    names = {wire: _attribute(wire, own) for wire in wires}
    taken = {wire for wire, name in names.items() if wire == name}
    for wire in wires:
        if names[wire] != wire:
            while names[wire] in taken:
                # names like `__` are Python's own
                names[wire] += "_" if names[wire] != "_" else "0"
            taken.add(names[wire])
    return names


def _attribute(wire: str, own: frozenset[str]) -> str:
    name = identifier(wire)
    if name.startswith("__"):  # Python changes such names inside of classes
        name = "_" + name.lstrip("_")
    return name + "_" if keyword.iskeyword(name) or name in own else name

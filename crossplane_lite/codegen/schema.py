"""Turns the schemas of Kubernetes objects into the fields and types of model classes.

A schema is walked breadth first, so that outer objects are named before inner objects (see `naming`). These are the
rules for Kubernetes' dialect of OpenAPI v3 (structural schemas, "x-kubernetes-*" extensions):

- An object with properties becomes a class. Without properties, an object with `additionalProperties` becomes a map,
  and any other object becomes a model without a schema.
- `x-kubernetes-preserve-unknown-fields`, or `additionalProperties` beside properties, make a class open: it takes any
  other field, too.
- `x-kubernetes-int-or-string` is an integer or a string. Scalar types in `anyOf` or `oneOf` are a union of these types.
- `x-kubernetes-embedded-resource` adds apiVersion, kind and metadata to the object's properties.
- The properties of all members of `allOf` count. Other conditions (`not`, CEL rules, other members of `anyOf` and
  `oneOf`) only restrict values, and are ignored.
- The words of YAML 1.1, such as `yes`, are booleans where a boolean is expected, as Kubernetes reads them.
- `required`, `default`, `nullable` and formats other than `int-or-string` don't change a type: only fields that are set
  are ever sent, and any field may stay unset or be set to null. The description of a field says whether it is required,
  and its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from .._base.type_names import json_type_in_words
from .._manifests.values import boolean, typed
from .._terminal.excerpts import short_repr
from ..errors import InputError
from .names import class_name
from .shapes import ANY, META, OBJECT, ClassRef, Field, Form, ObjectSchema, text_of

__all__ = ["Refs", "Shapes", "read"]

Shapes = dict[Any, int]
"""A number for each shape. All schemas of a run share this dict, so equal shapes get equal numbers."""

Refs = Callable[[str], "tuple[Mapping[str, Any], ClassRef | None] | None"]
"""Gets a `$ref`, and returns its schema with the class that is made from the schema, as `OpenAPI.resolve` does."""

_SCALARS: Final = {"string": ("s", "str"), "integer": ("i", "int"), "number": ("f", "float"), "boolean": ("b", "bool")}
_PYTHON: Final = {"str": str, "int": int, "bool": bool}
_MOST_LISTS: Final = 64  # how many lists and maps may be nested without an object in between
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_PRESERVED: Final = "x-kubernetes-preserve-unknown-fields"
_FLAGS: Final = (_INT_OR_STRING, _EMBEDDED, _PRESERVED, "nullable")
_OF_OBJECTS: Final = frozenset(("apiVersion", "kind", "metadata"))
# Keys that don't change the type of a $ref, or of an allOf with one member, that they stand beside.
_ANNOTATIONS: Final = frozenset(
    ("$ref", "allOf", "default", "deprecated", "description", "example", "nullable", "readOnly", "title", "writeOnly")
)


def read(
    where: str,
    schema: Mapping[str, Any],
    name: str,
    shapes: Shapes,
    refs: Refs | None = None,
    *,
    is_kind: bool = False,
    path: str = "",
) -> list[ObjectSchema]:
    """Return the objects in the schema of a kind or component, with their fields and shapes but without class names.

    Args:
        where: The file and the document with the definition, for messages.
        schema: The schema of the kind or component.
        name: The class name of the kind or component.
        shapes: The numbers of the shapes that were found so far. New shapes are added.
        refs: Looks up a `$ref` (see `Refs`); None if the schema can have no `$ref`.
        is_kind: Whether this is the schema of a kind: its apiVersion and kind are left out, and its metadata becomes
            Kubernetes' ObjectMeta.
        path: The path of the schema in its document, for messages.

    Returns:
        The kind or component itself, and all objects in it, breadth first.

    Raises:
        InputError: The schema is wrong, or nested too deep. The message names `where` and the path in the schema.
    """
    reader = _Reader(where, name, refs or (lambda _ref: None), path)
    try:
        root = ObjectSchema("", None, "", name, reader.merged(schema, ""))
        kind = reader.type_of(root.schema, "")
        if is_kind and kind not in ("object", ""):
            raise reader.error("", f"the schema of a kind must have the type object (got {kind!r})")
        reader.nodes.append(root)
        for node in reader.nodes:  # `fill` adds the objects within to this list
            reader.fill(node, is_kind and node is root)
        for node in reversed(reader.nodes):  # inner objects first: the shape of an object depends on theirs
            key = (node.is_open, *((field.wire, field.form.signature()) for field in node.fields))
            node.shape = shapes.setdefault(key, len(shapes))
    except RecursionError:
        raise InputError(
            f"{where}: {name}: this schema has lists or references nested too deeply: leave the kind out, and name "
            "others with --only"
        ) from None
    return reader.nodes


class _Reader:
    def __init__(self, where: str, name: str, refs: Refs, path: str) -> None:
        self._where = where
        self._name = name
        self._refs = refs
        self._path = path
        self._expanding: list[str] = []  # the $refs whose schemas are being read, to notice one within itself
        self.nodes: list[ObjectSchema] = []

    def error(self, path: str, problem: str) -> InputError:
        place = ": ".join(part for part in (self._path or self._name, path) if part)
        return InputError(f"{self._where}: {place}: {problem}")

    def fill(self, node: ObjectSchema, is_kind: bool) -> None:
        """Set `fields` and `is_open` of an object from its schema, and add the objects in these fields to `nodes`.

        Raises:
            InputError: The object's schema is wrong.
        """
        schema = node.schema
        properties = dict(self._get(schema, "properties", dict, node.path))
        required = self._get(schema, "required", list, node.path)
        flags = self._flags(schema, node.path)
        node.is_open = self._additional(schema, node.path) is not False or _PRESERVED in flags
        if is_kind:
            for name in ("apiVersion", "kind"):
                properties.pop(name, None)
            if "metadata" not in properties:
                properties = {"metadata": {"type": "object"}, **properties}
        elif _EMBEDDED in flags:
            for name in ("apiVersion", "kind"):
                properties.setdefault(name, {"type": "string"})
            properties.setdefault("metadata", {"type": "object"})
        # Sorted, as in the documents that API servers publish: they make the same models as the definitions themselves.
        for wire, below in sorted(properties.items(), key=lambda item: str(item[0])):
            if not isinstance(wire, str) or not wire or wire.encode(errors="replace").decode() != wire:
                raise self.error(
                    node.path, f"a property's name must be a non-empty string of valid Unicode (got {wire!r})"
                )
            path = f"{node.path}.{wire}".lstrip(".")
            if below is True:
                below = {}
            if not isinstance(below, Mapping):
                raise self.error(path, f"a schema must be an object (got {json_type_in_words(below)})")
            hint = class_name((self._name if node.parent is None else "") + class_name(wire))
            is_meta = wire == "metadata" and (is_kind or _EMBEDDED in flags)
            if is_meta:
                form = Form("R", ref=self._class_of(below, path) or ClassRef(META, "ObjectMeta"))
            else:
                form = self.form(below, path, node, wire, hint)
            note = self._note(wire in required, below, form)
            node.fields.append(Field(wire, form, text_of(below.get("description")), note))
        node.schema = {}

    def _note(self, required: bool, schema: Mapping[str, Any], form: Form) -> str:
        default = schema.get("default")
        default = boolean(default) if form.code == "b" else default
        notes = ["Required."] if required else []
        if isinstance(default, (str, int, float)) or default:  # API servers add empty objects, which mean nothing
            notes.append(f"Default: {_shown(default)}.")
        return " ".join(notes)

    def form(self, schema: Mapping[str, Any], path: str, parent: ObjectSchema, wire: str, hint: str) -> Form:
        """Return the type of a field. If the type contains an object, the object is added to `nodes`, and read later.

        `hint` is that of an object in the field. Raises InputError if the schema is wrong, or has too many lists and
        maps within each other.
        """
        if path.endswith(("[]", "{}")) and len(path) - len(path.rstrip("[]{}")) > 2 * _MOST_LISTS:
            raise self.error(path.rstrip("[]{}"), f"lists and maps must be nested at most {_MOST_LISTS} levels deep")
        ref = self._class_of(schema, path)
        if ref is not None:
            return Form("R", ref=ref)
        depth = len(self._expanding)
        schema = self.merged(schema, path)
        try:
            if not parent.refs.isdisjoint(self._expanding):
                # The schema contains itself, so reading it would never end.
                return OBJECT if self.type_of(schema, path) == "object" else ANY
            return self._plain_form(schema, path, parent, wire, hint)
        finally:
            del self._expanding[depth:]

    def _plain_form(self, schema: Mapping[str, Any], path: str, parent: ObjectSchema, wire: str, hint: str) -> Form:
        flags = self._flags(schema, path)
        if _INT_OR_STRING in flags or schema.get("format") == "int-or-string":
            return Form("q", "int | str")
        kind = self.type_of(schema, path)
        if kind == "array":
            items = schema.get("items", {})
            if not isinstance(items, Mapping):
                raise self.error(path, f"'items' must be a schema (got {json_type_in_words(items)})")
            item = self.form(items, f"{path}[]", parent, wire, f"{hint}Item")
            return Form("[", item=item, keys=self._list_keys(schema, path))
        if kind == "object":
            properties = self._get(schema, "properties", dict, path)
            added = _OF_OBJECTS if _EMBEDDED in flags else frozenset()  # every embedded resource has these fields
            if properties.keys() - added:
                node = ObjectSchema(path, parent, wire, hint, schema)
                node.refs |= frozenset(self._expanding)
                self.nodes.append(node)
                return Form("N", node=node)
            below = self._additional(schema, path)
            if below is False or _EMBEDDED in flags:
                return OBJECT
            item = ANY if below is True else self.form(below, f"{path}{{}}", parent, wire, hint)
            return Form("{", item=item)
        if kind in _SCALARS:
            code, python = _SCALARS[kind]
            return Form(code, self._literal(schema, python, path))
        return self._choice(schema, path)

    def type_of(self, schema: Mapping[str, Any], path: str) -> str:
        """Return the one type of a schema, such as `object`; empty if the schema allows several types or any type.

        Without a `type`, other keys can imply it: properties mean `object`, for example, and items mean `array`.

        Raises:
            InputError: A type in the schema isn't known, or its `enum` isn't a list.
        """
        named = self._named_types(schema, path)
        if len(named) == 1:
            return named[0]
        values = self._get(schema, "enum", list, path)
        if not named:
            if "properties" in schema or isinstance(schema.get("additionalProperties"), Mapping):
                return "object"
            if "items" in schema:
                return "array"
            return "string" if values and all(isinstance(value, str) for value in values) else ""
        return ""

    def _named_types(self, schema: Mapping[str, Any], path: str) -> list[str]:
        """Return the types in a schema's `type`, without `null`. OpenAPI 3.1 allows a list of several types there.

        Raises:
            InputError: A type isn't known.
        """
        named = schema.get("type")
        kinds = named if isinstance(named, list) else [] if named is None else [named]
        for kind in kinds:
            if kind not in (*_SCALARS, "array", "object", "null"):
                known = ", ".join((*_SCALARS, "array", "object"))
                raise self.error(path, f"'type' must be one of {known} (got {kind!r})")
        return [kind for kind in kinds if kind != "null"]

    def _choice(self, schema: Mapping[str, Any], path: str) -> Form:
        """Return the type for a schema without exactly one type: a union of scalars such as `int | str`, else `ANY`.

        Raises:
            InputError: A part of the schema is wrong.
        """
        kinds = {*self._named_types(schema, path)}
        for key in ("anyOf", "oneOf"):
            for member in self._members(schema, key, path):
                one = self.merged(member, path)
                kinds.update(self._named_types(one, path) if "type" in one else [""])
        if kinds and kinds <= _SCALARS.keys():
            python = sorted(_SCALARS[kind][1] for kind in kinds)
            letters = "|".join(sorted(_SCALARS[kind][0] for kind in kinds))
            return Form("q" if letters == "i|s" else letters, " | ".join(python))
        return ANY

    def _literal(self, schema: Mapping[str, Any], python: str, path: str) -> str:
        values = self._get(schema, "enum", list, path)
        kind = _PYTHON.get(python)
        if kind is None or kind is bool:
            return python
        fitting = dict.fromkeys(repr(value) for value in values if type(value) is kind)
        return f"Literal[{', '.join(fitting)}]" if fitting else python

    def _list_keys(self, schema: Mapping[str, Any], path: str) -> tuple[str, ...]:
        keys = schema.get("x-kubernetes-list-map-keys") or ()
        if schema.get("x-kubernetes-list-type") != "map":
            return ()
        if keys == ():
            raise self.error(
                path, "'x-kubernetes-list-type' is map, so 'x-kubernetes-list-map-keys' must name at least one key"
            )
        if not isinstance(keys, list) or not all(isinstance(key, str) and key for key in keys):
            raise self.error(
                path,
                f"'x-kubernetes-list-map-keys' must be a list of non-empty strings (got {short_repr(keys)})",
            )
        return tuple(keys)

    def _flags(self, schema: Mapping[str, Any], path: str) -> set[str]:
        """Return the keys of `_FLAGS` that are true in a schema; InputError if one of them isn't a boolean."""
        return {key for key in _FLAGS if key in schema and self._get(schema, key, bool, path)}

    def _additional(self, schema: Mapping[str, Any], path: str) -> Mapping[str, Any] | bool:
        """Return a schema's `additionalProperties`: the schema for all properties that it doesn't list.

        Returns True if these properties can be anything, and False if the key is false, null or missing. Raises
        InputError for any other value.
        """
        below = boolean(schema.get("additionalProperties"))
        if below is not None and not isinstance(below, (Mapping, bool)):
            raise self.error(
                path, f"'additionalProperties' must be a schema, true or false (got {json_type_in_words(below)})"
            )
        return False if below is None else below

    def _get(self, schema: Mapping[str, Any], key: str, kind: type[Any], path: str) -> Any:
        """Return the value of a key in a schema. If the key is missing or null, return `kind()`, such as an empty dict.

        Raises:
            InputError: The value isn't of type `kind`.
        """
        value = schema.get(key)
        return kind() if value is None else typed(value, kind, lambda problem: self.error(path, f"{key!r} {problem}"))

    def _members(self, schema: Mapping[str, Any], key: str, path: str) -> list[Mapping[str, Any]]:
        members = schema.get(key) or []
        if not isinstance(members, list) or not all(isinstance(member, Mapping) for member in members):
            raise self.error(path, f"{key!r} must be a list of schemas (got {short_repr(members)})")
        return members

    def _found(self, schema: Mapping[str, Any], path: str) -> tuple[Mapping[str, Any], ClassRef | None]:
        ref = schema["$ref"]
        found = self._refs(ref) if isinstance(ref, str) else None
        if found is None:
            raise self.error(
                path,
                f"'$ref' must name a schema of the same OpenAPI document (got {ref!r}); "
                "a CustomResourceDefinition can't have a '$ref'",
            )
        return found

    def _class_of(self, schema: Mapping[str, Any], path: str) -> ClassRef | None:
        """Return the class of the component to which a schema refers, directly or by an `allOf` with one member.

        Return None if the schema has no `$ref`, if the component becomes no class, or if other keys of the schema may
        change the type.

        Raises:
            InputError: The `$ref` names no schema of the document, or `allOf` isn't a list of schemas.
        """
        while True:
            own = [key for key in schema if key not in _ANNOTATIONS and not key.startswith("x-")]
            if own:
                return None
            members = self._members(schema, "allOf", path)
            if "$ref" in schema and not members:
                return self._found(schema, path)[1]
            if "$ref" in schema or len(members) != 1:
                return None
            schema = members[0]

    def merged(self, schema: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        """Return a schema with the schemas of its `$ref` and its `allOf` merged into it.

        If several of the schemas have a key, the value nearest to `schema` counts. But the lists `required` are joined,
        and several definitions of a property are joined in an `allOf`. The `$ref`s that were followed are added to
        `_expanding`. Raises InputError if a `$ref` names no schema of the document, or a part of a schema has the wrong
        type.
        """
        if "$ref" not in schema and "allOf" not in schema:
            return schema
        whole: dict[str, Any] = {}
        properties: dict[str, Any] = {}
        required: list[Any] = []
        for part in self._parts(schema, path):
            for name, below in self._get(part, "properties", dict, path).items():
                known = properties.get(name)
                if isinstance(known, Mapping) and isinstance(below, Mapping):  # both count; the nearer one wins
                    below = {**known, "allOf": [*self._members(known, "allOf", path), below]}
                properties[name] = below
            required += self._get(part, "required", list, path)
            whole = {**part, **whole}  # the nearer schema wins
        whole.pop("$ref", None)
        whole.pop("allOf", None)
        if properties:
            whole["properties"] = properties
        if required:
            whole["required"] = required
        return whole

    def _parts(self, schema: Mapping[str, Any], path: str) -> Iterable[Mapping[str, Any]]:
        yield schema
        if "$ref" in schema:
            ref = schema["$ref"]
            found, _ = self._found(schema, path)
            if ref in self._expanding:  # the schema is its own part, without an object in between: it adds nothing
                return
            self._expanding.append(ref)
            yield from self._parts(found, path)
        for member in self._members(schema, "allOf", path):
            yield from self._parts(member, path)


def _shown(value: Any) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."

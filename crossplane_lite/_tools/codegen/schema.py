"""Turns the schemas of Kubernetes objects into the fields and types of model classes.

A schema is walked breadth first, so that outer objects are named before inner objects (see
`naming`). `paths.schema` has the rules for the dialect. `default`, `nullable` and formats other
than `int-or-string` don't change a type: only fields that are set are ever sent, and any field may
stay unset or be set to null.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..._core.paths.schema import HEAD, Schema, Steps, boolean, place_of
from ..._core.resources.of_schema import class_name
from ...errors import InputError
from .shapes import ANY, META, OBJECT, ClassRef, Field, Form, ObjectSchema

Shapes = dict[Any, int]
"""A number for each shape. All schemas of a run share this dict, so equal shapes get equal
numbers.
"""

Refs = Callable[[str], "tuple[Mapping[str, Any], ClassRef | None] | None"]
"""Gets a `$ref`, and returns its schema with the class that is made from the schema, as
`OpenAPI.resolve` does.
"""

_PYTHON: Final = {"s": "str", "i": "int", "f": "float", "b": "bool"}
_CHOICES: Final = {"s": str, "i": int}
_OF_KUBERNETES: Final = "components.schemas.io.k8s.api"
_MOST_LISTS: Final = 64  # how many lists and maps may be nested without an object in between
# Keys that don't change the type of a $ref, or of an allOf with one member, that they stand beside.
_ANNOTATIONS: Final = frozenset(
    (
        "$ref",
        "allOf",
        "default",
        "deprecated",
        "description",
        "example",
        "nullable",
        "readOnly",
        "title",
        "writeOnly",
    )
)


def read(
    where: str,
    schema: Mapping[str, Any],
    name: str,
    shapes: Shapes,
    refs: Refs | None = None,
    *,
    is_kind: bool = False,
    is_composite: bool = False,
    path: str = "",
) -> list[ObjectSchema]:
    """Return the objects in the schema of a kind or component, with their fields and shapes but
    without class names.

    Args:
        where: The file and the document with the definition, for messages.
        schema: The schema of the kind or component.
        name: The class name of the kind or component.
        shapes: The numbers of the shapes that were found so far. New shapes are added.
        refs: Looks up a `$ref` (see `Refs`); None if the schema can have no `$ref`.
        is_kind: Whether this is the schema of a kind: its apiVersion and kind are left out, and its
            metadata becomes Kubernetes' ObjectMeta.
        is_composite: Whether this is the schema of a composite, which has its required fields when
            it is read.
        path: The path of the schema in its document, for messages.

    Returns:
        The kind or component itself, and all objects in it, breadth first.

    Raises:
        InputError: The schema is wrong, or nested too deep. The message names `where` and the path
            in the schema.
    """

    def wrong(steps: Steps, problem: str) -> InputError:
        return InputError(
            ": ".join(part for part in (where, path or name, place_of(steps), problem) if part)
        )

    reader = _Reader(
        name, refs or (lambda _ref: None), is_of_kubernetes=path.startswith(_OF_KUBERNETES)
    )
    try:
        root = ObjectSchema("", None, "", name, reader.merged(Schema(schema, wrong)))
        kind = root.schema.kind
        if is_kind and kind not in ("object", ""):
            raise root.schema.error(
                f"the schema of a kind must have the type object (got {kind!r})"
            )
        root.is_given = is_composite
        reader.nodes.append(root)
        for node in reader.nodes:  # `fill` adds the objects within to this list
            reader.fill(node, is_kind and node is root)
        # inner objects first: the shape of an object depends on theirs
        for node in reversed(reader.nodes):
            key = (node.is_open, *((field.wire, field.form.signature()) for field in node.fields))
            node.shape = shapes.setdefault(key, len(shapes))
    except RecursionError:
        raise InputError(
            f"{where}: {name}: this schema has lists or references nested too deeply: leave the"
            " kind out, and name others with --only"
        ) from None
    return reader.nodes


class _Reader:
    def __init__(self, name: str, refs: Refs, *, is_of_kubernetes: bool) -> None:
        self._name = name
        self._is_of_kubernetes = is_of_kubernetes
        self._refs = refs
        # the $refs whose schemas are being read, to notice one within itself
        self._expanding: list[str] = []
        self.nodes: list[ObjectSchema] = []

    def fill(self, node: ObjectSchema, is_kind: bool) -> None:
        """Set `fields` and `is_open` of an object from its schema, and add the objects in these
        fields to `nodes`.

        Raises:
            InputError: The object's schema is wrong.
        """
        schema = node.schema
        properties, is_embedded = schema.properties, schema.is_embedded
        own = required = frozenset(schema.required)
        if node.parent is not None and node.wire == "forProvider":
            required = required.union(node.parent.parameters)
        node.parameters = schema.parameters
        node.is_open = schema.is_open
        if is_kind or is_embedded:
            added = {
                name: Schema({"type": "object" if name == "metadata" else "string"})
                for name in HEAD
            }
            properties = {**added, **properties}
        if is_kind:
            del properties["apiVersion"], properties["kind"]
        # Sorted, as in the documents that API servers publish: they make the same models as the
        # definitions themselves.
        for wire, below in sorted(properties.items(), key=lambda item: str(item[0])):
            if (
                not isinstance(wire, str)
                or not wire
                or wire.encode(errors="replace").decode() != wire
            ):
                raise schema.error(
                    f"a property's name must be a non-empty string of valid Unicode (got {wire!r})"
                )
            hint = class_name((self._name if node.parent is None else "") + class_name(wire))
            if wire == "metadata" and (is_kind or is_embedded):
                form = Form("R", ref=self._class_of(below) or ClassRef(META, "ObjectMeta"))
            else:
                form = self.form(below, node, wire, hint)
            note = _note(wire in required, below, form)
            must = wire in own and not self._has_default(below)
            field = Field(wire, form, below.description, note, required=must, limit=below.limit)
            field.is_given = (
                node.is_given and wire != "status" and (wire in own or below.default is not None)
            )
            if form.innermost.node is not None:  # an element of a list is there whenever it is read
                form.innermost.node.is_given = field.is_given or (
                    node.is_given and form.code in "[{"
                )
            node.fields.append(field)
        node.schema = Schema({})

    def _has_default(self, schema: Schema) -> bool:
        """Return whether an API server sets the field. In Kubernetes' own kinds empty defaults mean
        nothing.
        """
        return schema.default is not None and (bool(schema.default) or not self._is_of_kubernetes)

    def form(
        self, schema: Schema, parent: ObjectSchema, wire: str, hint: str, depth: int = 0
    ) -> Form:
        """Return the type of a field. If the type contains an object, the object is added to
        `nodes`, and read later.

        `hint` is that of an object in the field, and `depth` the number of lists and maps around.
        Raises InputError if the schema is wrong, or has too many lists and maps within each other.
        """
        if depth > _MOST_LISTS:
            raise schema.error(
                f"lists and maps must be nested at most {_MOST_LISTS} levels deep", above=depth
            )
        ref = self._class_of(schema)
        if ref is not None:
            return Form("R", ref=ref)
        followed = len(self._expanding)
        schema = self.merged(schema)
        try:
            if not parent.refs.isdisjoint(self._expanding):
                # The schema contains itself, so reading it would never end.
                return OBJECT if schema.kind == "object" else ANY
            code = schema.code(self._follow)
            if code == "[":
                item = self.form(schema.items or Schema({}), parent, wire, f"{hint}Item", depth + 1)
                return Form("[", item=item, keys=schema.list_keys)
            if code == "N":
                node = ObjectSchema(schema.place, parent, wire, hint, schema)
                node.refs |= frozenset(self._expanding)
                self.nodes.append(node)
                return Form("N", node=node)
            if code == "{":
                others = schema.others
                below = others if isinstance(others, Schema) else Schema({})
                return Form("{", item=self.form(below, parent, wire, hint, depth + 1))
            return (
                OBJECT if code == "o" else ANY if code == "x" else Form(code, _python(schema, code))
            )
        finally:
            del self._expanding[followed:]

    def merged(self, schema: Schema) -> Schema:
        """Return a schema with the schemas of its `$ref` and its `allOf` merged into it (see
        `Schema.merged`).

        The `$ref`s that were followed are added to `_expanding`.
        """
        return schema.merged(self._follow)

    def _follow(self, schema: Schema) -> Mapping[str, Any] | None:
        found, _ = self._found(schema)
        ref = schema.source["$ref"]
        # the schema is its own part, without an object in between: it adds nothing
        if ref in self._expanding:
            return None
        self._expanding.append(ref)
        return found

    def _found(self, schema: Schema) -> tuple[Mapping[str, Any], ClassRef | None]:
        ref = schema.source["$ref"]
        found = self._refs(ref) if isinstance(ref, str) else None
        if found is None:
            raise schema.error(
                f"'$ref' must name a schema of the same OpenAPI document (got {ref!r}); "
                "a CustomResourceDefinition can't have a '$ref'"
            )
        return found

    def _class_of(self, schema: Schema) -> ClassRef | None:
        """Return the class of the component to which a schema refers, directly or by an `allOf`
        with one member.

        Return None if the schema has no `$ref`, if the component becomes no class, or if other keys
        of the schema may change the type.
        """
        while not any(
            key not in _ANNOTATIONS and not key.startswith("x-") for key in schema.source
        ):
            members = schema.members("allOf")
            if "$ref" in schema.source and not members:
                return self._found(schema)[1]
            if "$ref" in schema.source or len(members) != 1:
                return None
            schema = members[0]
        return None


def _note(required: bool, schema: Schema, form: Form) -> str:
    default = boolean(schema.default) if form.code == "b" else schema.default
    notes = ["Required."] if required else []
    # API servers add empty objects, which mean nothing
    if isinstance(default, (str, int, float)) or default:
        notes.append(f"Default: {_shown(default)}.")
    return " ".join(notes)


def _python(schema: Schema, code: str) -> str:
    """Return a scalar type, or a union of them, as it is written in Python, such as `int | str` or
    `Literal['a']`.
    """
    kind = _CHOICES.get(code)
    fitting = dict.fromkeys(repr(value) for value in schema.enum if type(value) is kind)
    if fitting:
        return f"Literal[{', '.join(fitting)}]"
    return " | ".join(
        sorted(_PYTHON[letter] for letter in (code.split("|") if code != "q" else "is"))
    )


def _shown(value: Any) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."

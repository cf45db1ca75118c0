"""The types of fields, and the objects that become classes: the result of reading a schema (see
`schema`).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ..._core.paths.schema import Schema


class ClassRef(NamedTuple):
    """The module and the name of a class. A `$ref` to a component with properties is a reference to
    a class.
    """

    module: tuple[str, ...]
    name: str


META: Final = ("io", "k8s", "apimachinery", "pkg", "apis", "meta", "v1")
CROSSPLANE: Final = ("io", "crossplane", "common", "v1")


class Form:
    """The type of a field.

    Attributes:
        code: `[` for a list, `{` for a map, `N` for an object that becomes a class, `R` for a
            reference to a class. Other types have their letter in a table: s, i, f or b for a
            scalar, q for `int | str`, o for an object without a schema, x for anything; or a union
            of scalars such as `b|s`.
        python: The type as it is written in Python, such as `str` or `Literal['a', 'b']`. Empty for
            lists, maps, `N` and `R`.
        item: The type of the items of a list or map; for other types, this `Form` itself.
        keys: The list's `x-kubernetes-list-map-keys`, by which Kubernetes merges it; empty if there
            are none.
        node: The object if `code` is `N`; else None.
        ref: The class if `code` is `R`; else None.
    """

    __slots__ = ("code", "item", "keys", "node", "python", "ref")

    def __init__(
        self,
        code: str,
        python: str = "",
        *,
        item: Form | None = None,
        keys: tuple[str, ...] = (),
        node: ObjectSchema | None = None,
        ref: ClassRef | None = None,
    ) -> None:
        self.code = code
        self.python = python
        self.item: Form = item if item is not None else self
        self.keys = keys
        self.node = node
        self.ref = ref

    @property
    def innermost(self) -> Form:
        """The type of the items in the innermost list or map; this `Form` itself if it isn't a list
        or map.
        """
        form = self
        while form.item is not form:
            form = form.item
        return form

    def in_table(self) -> tuple[str, str]:
        """Return the type in two parts, as a table has it: the lists and maps, such as `[{`, and
        the type in them.

        The second part is a class name for `R`, and the code for other types.
        """
        around, form = "", self
        while form.item is not form:
            around += form.code
            form = form.item
        return around, form.code if form.ref is None else form.ref.name

    def signature(self) -> tuple[Any, ...]:
        """Return a tuple that is equal for equal types. The `shape` of an object in the type must
        be set before.
        """
        below = () if self.item is self else self.item.signature()
        shape = self.node.shape if self.node is not None else self.ref
        return (self.code, self.python, self.keys, shape, *below)


ANY: Final = Form("x", "Any")
OBJECT: Final = Form("o", "DynamicModel")


class Field:
    """One field of an object.

    Attributes:
        wire: The field's name in Kubernetes.
        form: The field's type.
        doc: The description; empty if there is none.
        note: A text such as `Required. Default: 5.`; empty if the field is optional and has no
            default.
        required: Whether the field must be set: it is required, and has no default.
        is_given: Whether each composite has the field, so that reading it gives a value.
        limit: What its values may be (see `Schema.limit`).
    """

    __slots__ = ("doc", "form", "is_given", "limit", "note", "required", "wire")

    def __init__(
        self,
        wire: str,
        form: Form,
        doc: str = "",
        note: str = "",
        *,
        required: bool = False,
        limit: str = "",
    ) -> None:
        self.wire = wire
        self.form = form
        self.doc = doc
        self.note = note
        self.required = required
        self.is_given = False
        self.limit = limit


class ObjectSchema:
    """An object with properties in a schema, which becomes a class.

    Attributes:
        path: The object's path in the kind, for messages, such as `spec.rules[]`; empty for the
            kind or component itself.
        parent: The object around this object; None for the kind or component itself.
        wire: The name in Kubernetes of the parent's field with this object; empty without a parent.
        hint: The class name for this object, unless an object of another shape has that name.
        schema: The object's schema; empty after its fields were read.
        doc: The description; empty if there is none.
        fields: The fields, sorted by their names in Kubernetes.
        is_open: Whether the object takes fields that its schema doesn't list.
        shape: A number that is equal for objects with the same fields and types; -1 until it is
            known.
        name: The class name; empty until it was chosen.
        parameters: The fields of `forProvider` that upjet's rules require (see
            `Schema.parameters`).
        is_given: Whether each composite has the object; set only for those in a composite's `spec`.
        refs: The `$ref`s that were followed to this object's schema and the schemas around it, to
            notice a schema that contains itself.
    """

    __slots__ = (
        *(
            "doc",
            "fields",
            "hint",
            "is_given",
            "is_open",
            "name",
            "parameters",
            "parent",
            "path",
            "refs",
            "schema",
            "shape",
        ),
        "wire",
    )

    def __init__(
        self, path: str, parent: ObjectSchema | None, wire: str, hint: str, schema: Schema
    ) -> None:
        self.path = path
        self.parent = parent
        self.wire = wire
        self.hint = hint
        self.schema = schema
        self.doc = schema.description
        self.fields: list[Field] = []
        self.is_open = self.is_given = False
        self.parameters: list[str] = []
        self.shape = -1
        self.name = ""
        self.refs: frozenset[str] = parent.refs if parent is not None else frozenset()

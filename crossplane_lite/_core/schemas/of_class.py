"""Makes the OpenAPI schema of an attrs class, for definitions of inputs and for the help of KRM
functions.
"""

from __future__ import annotations

import enum
import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...errors import UsageError
from ..models.model import Model, to_dict
from .structure import problems_in, structured
from .types import NOTHING, Field, Shape, choices, described, fields_of, is_class, shape_of

_TYPES: Final[dict[type[Any], str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
}
_ANYTHING: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"


def class_schema(cls: type[Any]) -> dict[str, Any]:
    """Return the structural schema of a class that `types.check_class` accepts.

    The descriptions are those of the docstrings: of the class, and of its attributes in the section
    `Attributes:`. That of an attribute may also be `help` in the metadata of its field in attrs.

    Raises:
        UsageError: A default can't be in an input.
    """
    return _class_schema(cls, cls.__name__, ())


def _schema(type_: Any, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    """Return the structural schema of a type.

    A class that is among those `around` the type, the outermost first, is recursive. Raises
    UsageError for a default that can't be in an input.
    """
    shape = shape_of(type_)
    assert shape is not None  # `check_class` refuses other types
    kind = shape.kind
    if kind == "class":
        return _class_schema(shape.type, path, around)
    if kind == "scalar":
        return {"type": _TYPES[shape.args[0]]}
    if kind == "choice":
        return _choice(choices(shape))
    if kind == "union":
        return _union(shape, path, around)
    if kind == "list":
        return {"type": "array", "items": _schema(shape.args[0], f"{path}[]", around)}
    if kind == "tuple":
        items = [_schema(arg, f"{path}[{at}]", around) for at, arg in enumerate(shape.args)]
        same = items[0] if items and all(item == items[0] for item in items) else {_ANYTHING: True}
        return {"type": "array", "items": same, "minItems": len(items), "maxItems": len(items)}
    if kind == "map":
        value = _schema(shape.args[1], f"{path}[]", around)
        return {
            "type": "object",
            **(value if value == {_ANYTHING: True} else {"additionalProperties": value}),
        }
    return {"type": "object", _ANYTHING: True} if kind == "model" else {_ANYTHING: True}


def _choice(values: list[Any]) -> dict[str, Any]:
    types = {_TYPES[type(value)] for value in values if type(value) in _TYPES}
    if types == {"integer", "number"}:
        types = {"number"}
    made: dict[str, Any] = {_ANYTHING: True}
    if len(types) == 1:
        made = {"type": types.pop()}
    elif types == {"integer", "string"}:
        made = _int_or_string()
    if None in values:
        made["nullable"] = True
    return {**made, "enum": values}


def _int_or_string() -> dict[str, Any]:
    return {"anyOf": [{"type": "integer"}, {"type": "string"}], _INT_OR_STRING: True}


def _union(shape: Shape, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    members = [arg for arg in shape.args if arg is not type(None)]
    shapes = [found for arg in members if (found := shape_of(arg)) is not None]
    scalars = {found.args[0] for found in shapes if found.kind == "scalar"}
    kinds = {found.kind for found in shapes}
    if len(members) == 1:
        made = _schema(members[0], path, around)
    elif kinds == {"choice"}:
        made = _choice([value for found in shapes for value in choices(found)])
    elif kinds == {"scalar"} and scalars == {int, str}:
        made = _int_or_string()
    elif kinds == {"scalar"} and scalars == {int, float}:
        made = {"type": "number"}
    else:
        words = described(shape.type)
        made = {"description": f"{words[0].upper()}{words[1:]}.", _ANYTHING: True}
        if kinds <= {"class", "model", "map"}:
            made["type"] = "object"
    if len(members) < len(shape.args) and made.get("nullable") is not True:
        made["nullable"] = True
        if "enum" in made:
            made["enum"] = [*made["enum"], None]
    return made


def _class_schema(cls: type[Any], path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    text, about = _documented(cls)
    made: dict[str, Any] = {"description": text} if text else {}
    made["type"] = "object"
    if cls in around:
        return {**made, _ANYTHING: True}  # a schema can't refer to itself
    made["properties"] = {}
    required = []
    for field in fields_of(cls):
        below = f"{path}.{field.key}"
        schema = _schema(field.type, below, (*around, cls))
        if field.name in about:
            # Only the description that was made for a union names its members, so it is kept.
            is_union = getattr(shape_of(field.type), "kind", "") == "union"
            also = schema.get("description") if schema.get(_ANYTHING) and is_union else None
            schema["description"] = f"{about[field.name]} {also}" if also else about[field.name]
        if field.default is NOTHING:
            required.append(field.key)
        else:
            default = _default(field, below)
            if default is not None:
                schema["default"] = default
        made["properties"][field.key] = _ordered(schema)
    if required:
        made["required"] = required
    return made


def _ordered(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its keys in a fixed order: description, type, default, nullable, enum,
    then all others.
    """
    order = ("description", "type", "default", "nullable", "enum")
    return dict(
        sorted(
            schema.items(),
            key=lambda item: order.index(item[0]) if item[0] in order else len(order),
        )
    )


def _default(field: Field, path: str) -> Any:
    """Return the default of a field as a JSON value; None if the default is None, which isn't
    written to the schema.

    Raises:
        UsageError: The default doesn't fit the field's type, or its factory fails.
    """
    try:
        value = _json_value(field.default() if field.made else field.default)
        if value is not None:
            structured(value, field.type)
    except Exception as error:
        raise UsageError(
            f"the default of {path} can't be in an input: {problems_in(error, path)}"
        ) from None
    return value


def _json_value(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Model):
        return to_dict(value)
    if is_class(type(value)):
        return {
            field.key: _json_value(getattr(value, field.name)) for field in fields_of(type(value))
        }
    if isinstance(value, Mapping):
        return {_json_value(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((_json_value(item) for item in value), key=repr)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [_json_value(item) for item in value]
    return value


# The descriptions.


def _documented(cls: type[Any]) -> tuple[str, dict[str, str]]:
    """Return the description of a class, and the descriptions of its attributes by name.

    The description is the text of the class's own docstring before the first section; empty if
    there is none. Attributes can also be described in the docstrings of base classes, and in attrs
    under `help` in their fields' metadata.
    """
    about: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        about |= _attributes(inspect.cleandoc(vars(base).get("__doc__") or ""))
    for field in getattr(cls, "__attrs_attrs__", ()):
        if field.metadata.get("help"):
            about[field.name] = str(field.metadata["help"])
    doc = vars(cls).get("__doc__") or ""
    # dataclasses write such a docstring if the class has none
    if doc.startswith(f"{cls.__name__}("):
        doc = ""
    text = re.split(_SECTION, inspect.cleandoc(doc), maxsplit=1)[0]
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "\n\n".join(part for part in paragraphs if part), about


_SECTION: Final = re.compile(
    r"^(?:Attributes|Args|Arguments|Raises|Returns|Example|Examples|Note|Notes|Todo):\s*$", re.M
)
_ENTRY: Final = re.compile(r"(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)", re.S)


def _attributes(doc: str) -> dict[str, str]:
    """Return the entries of a docstring's section `Attributes:` (Google style), by name; empty if
    it has no section.
    """
    _, found, rest = doc.partition("Attributes:\n")
    if not found:
        return {}
    section = re.split(r"^\S", rest, maxsplit=1, flags=re.M)[0]
    about = {}
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(section).strip("\n")):
        match = _ENTRY.match(entry)
        if match:
            about[match[1]] = " ".join(match[2].split())
    return about

"""`crossplane-lite generate-input`: the CustomResourceDefinition of a function's input, from its attrs class.

A function's package contains this definition for people and editors. Crossplane doesn't use it, and passes every input
to the function unchecked. The fields of an input are at its top level, beside apiVersion, kind and metadata; there is
no spec and no status.

The schema accepts every input that `ctx.input_as()` accepts. It also accepts some inputs that `ctx.input_as()` refuses,
because a structural schema can't express these checks: the members of most unions, the content of recursive classes and
of models, and the validators of classes.
"""

from __future__ import annotations

import argparse
import enum
import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from .._base.api_version import split
from .._base.extras import load
from .._base.type_names import type_in_words
from .._input.structure import problems_in, structured
from .._input.types import NOTHING, Field, Shape, check_class, choices, described, fields_of, is_class, shape_of
from .._models.model import Model, to_dict
from ..errors import InputError, UsageError
from ..runtime import load as imports

__all__ = ["command", "input_crd", "make_parser"]

_TYPES: Final[dict[type[Any], str]] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_ANYTHING: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
# The fields that every object has; a class may declare them as well.
_HEAD: Final = {
    "apiVersion": {"description": "The group and version of this input.", "type": "string"},
    "kind": {"description": "The kind of this input.", "type": "string"},
    "metadata": {"type": "object"},
}
# Names of packages that say nothing about the function.
_NAMELESS: Final = frozenset({"", "app", "fn", "function", "input", "inputs", "main", "src", "tests"})


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite generate-input` with the arguments that follow it.

    The definition is printed on stdout, or written to the file of `--output`.

    Returns:
        Always 0.

    Raises:
        InputError: The class isn't given as `module:Class`, the module can't be imported or has no such class, or the
            file can't be written.
        MissingExtraError: PyYAML isn't installed.
        UsageError: The class isn't an attrs class; a field's type or default can't be in an input; or the API version,
            the kind or the plural isn't valid, or can't be made from the class.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    arguments = make_parser().parse_args(argv)
    load("yaml", "codegen")
    from .._manifests import yaml

    cls = _load_class(arguments.cls)
    text = yaml.dump([input_crd(cls, api_version=arguments.api_version, kind=arguments.kind, plural=arguments.plural)])
    if arguments.output is None:
        print(text, end="")
        return 0
    try:
        arguments.output.write_text(text, encoding="utf-8")
    except OSError as e:
        raise InputError(f"can't write {arguments.output}: {e.strerror}") from e
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments of `crossplane-lite generate-input`."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite generate-input",
        description="Print the CustomResourceDefinition of a function's input, for the function's package. It is made "
        "from the attrs class that the function gives to ctx.input_as().",
        allow_abbrev=False,
    )
    parser.add_argument(
        "cls", metavar="module:Class", help="the attrs class; its module can be in the current folder or installed"
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the file to write (stdout)")
    parser.add_argument(
        "--api-version",
        metavar="GROUP/VERSION",
        help="the input's API version (the default of the class's apiVersion, or NAME.fn.crossplane.io/v1beta1, where "
        "NAME is the module's top-level package without 'function-')",
    )
    parser.add_argument("--kind", help="the input's kind (the default of the class's kind, or the class's name)")
    parser.add_argument("--plural", help="the kind's plural in lower case (made from the kind)")
    return parser


def _load_class(name: str) -> type[Any]:
    module_name, colon, attribute = name.partition(":")
    if not colon or not attribute or not all(part.isidentifier() for part in module_name.split(".")):
        raise InputError(f"give the input's class as module:Class, for example function.input:Input (got {name!r})")
    module = imports._import(module_name)
    try:
        cls = getattr(module, attribute)
    except AttributeError:
        raise InputError(f"module {module_name} has no class {attribute!r}: check the name behind the colon") from None
    if not isinstance(cls, type):
        raise InputError(f"{name} must be a class (got {type_in_words(cls)}): give the attrs class of the input")
    return cls


def input_crd(
    cls: type[Any], *, api_version: str | None = None, kind: str | None = None, plural: str | None = None
) -> dict[str, Any]:
    """Return the CustomResourceDefinition of an input.

    Args:
        cls: The attrs class of the input. Descriptions are taken from its docstring; the section `Attributes:` has the
            descriptions of fields.
        api_version: The group and version. None means the default of the class's field apiVersion. If there is none:
            `NAME.fn.crossplane.io/v1beta1`, where NAME is the class's top-level package without `function-`.
        kind: The kind. None means the default of the class's field kind. If there is none: the class's name.
        plural: The kind's plural in lower case. None means that it is made from the kind.

    Raises:
        UsageError: The class isn't an attrs class; a field's type or default can't be in an input; or the API version,
            the kind or the plural isn't valid, or can't be made from the class.
    """
    import attr

    if not attr.has(cls):
        raise UsageError(
            f"the input's class {getattr(cls, '__qualname__', cls)} must be an attrs class: "
            "decorate it with @attrs.define"
        )
    check_class(cls)
    kind = kind or _own(cls, "kind") or cls.__name__
    if not re.fullmatch("[A-Z][A-Za-z0-9]{0,62}", kind):
        raise UsageError(
            "the input's kind must be at most 63 letters and digits, the first an upper-case letter (got "
            f"{kind!r}): give another one with --kind"
        )
    group, version = _group_version(api_version or _own(cls, "apiVersion") or _default_api_version(cls))
    plural = plural or _plural(kind.lower())
    if not re.fullmatch("[a-z][a-z0-9]{0,62}", plural):
        raise UsageError(
            "the plural of the input's kind must be at most 63 lower-case letters and digits, the first a letter (got "
            f"{plural!r}): give another one with --plural"
        )
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {
                "categories": ["crossplane"],
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
            },
            "scope": "Namespaced",
            "versions": [
                {"name": version, "schema": {"openAPIV3Schema": _root_schema(cls)}, "served": True, "storage": True}
            ],
        },
    }


def _own(cls: type[Any], key: str) -> str | None:
    """Return the default of a class's field `key`; without such a field, the value of the class variable `key`.

    Return None if there is neither, or if the value isn't a string or is empty.
    """
    found = next((field.default for field in fields_of(cls) if field.key == key), getattr(cls, key, None))
    return found if isinstance(found, str) and found else None


def _default_api_version(cls: type[Any]) -> str:
    name = re.sub("[^a-z0-9]+", "-", cls.__module__.partition(".")[0].lower()).strip("-").removeprefix("function-")
    if name in _NAMELESS:
        raise UsageError(
            f"the package's name {name!r} doesn't name the function, so the input needs an API version of its own: "
            "give --api-version, such as naming.fn.crossplane.io/v1beta1, or a default to the class's field apiVersion"
        )
    return f"{name}.fn.crossplane.io/v1beta1"


def _group_version(api_version: str) -> tuple[str, str]:
    label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
    if not re.fullmatch(rf"{label}(\.{label})+/v[0-9]+((alpha|beta)[0-9]+)?", api_version) or len(api_version) > 200:
        raise UsageError(
            "the input's API version must be a group with a dot in it and a version, at most 200 characters, such as "
            f"naming.fn.crossplane.io/v1beta1 (got {api_version!r}): give another one with --api-version"
        )
    return split(api_version)


def _plural(kind: str) -> str:
    if kind.endswith(("ss", "x", "z", "ch", "sh")):
        return f"{kind}es"
    if kind.endswith("s"):
        return kind  # as in Resources
    return f"{kind[:-1]}ies" if kind.endswith("y") and kind[-2:-1] not in "aeiou" else f"{kind}s"


# The schema.


def _root_schema(cls: type[Any]) -> dict[str, Any]:
    made = _class_schema(cls, cls.__name__, ())
    properties = {key: value for key, value in made["properties"].items() if key not in _HEAD}
    made["properties"] = {**_HEAD, **properties}
    if required := [key for key in made.pop("required", ()) if key not in _HEAD]:
        made["required"] = required
    return made


def _schema(type_: Any, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    """Return the structural schema of a type.

    A class that is among those `around` the type, the outermost first, is recursive. Raises UsageError for a default
    that can't be in an input.
    """
    shape = shape_of(type_)
    assert shape is not None  # `check_class` refuses other types
    if shape.kind == "class":
        return _class_schema(shape.type, path, around)
    return _OF_KIND[shape.kind](shape, path, around)


def _scalar(shape: Shape, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    return {"type": _TYPES[shape.args[0]]}


def _choice(shape: Shape, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    values = choices(shape)
    types = {_TYPES[base] for value in values if value is not None for base in _TYPES if type(value) is base}
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


def _is_union(type_: Any) -> bool:
    shape = shape_of(type_)
    return shape is not None and shape.kind == "union"


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
        made = _choice(
            Shape("choice", shape.type, tuple(choice for found in shapes for choice in found.args)), path, ()
        )
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


def _list(shape: Shape, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    return {"type": "array", "items": _schema(shape.args[0], f"{path}[]", around)}


def _tuple(shape: Shape, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    items = [_schema(arg, f"{path}[{at}]", around) for at, arg in enumerate(shape.args)]
    same = items[0] if items and all(item == items[0] for item in items) else {_ANYTHING: True}
    return {"type": "array", "items": same, "minItems": len(items), "maxItems": len(items)}


def _map(shape: Shape, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    value = _schema(shape.args[1], f"{path}[]", around)
    return {"type": "object", **(value if value == {_ANYTHING: True} else {"additionalProperties": value})}


def _object(shape: Shape, path: str, around: tuple[type[Any], ...]) -> dict[str, Any]:
    return {"type": "object", _ANYTHING: True}


_OF_KIND: Final = {
    "any": lambda shape, path, around: {_ANYTHING: True},
    "scalar": _scalar,
    "choice": _choice,
    "union": _union,
    "list": _list,
    "tuple": _tuple,
    "map": _map,
    "model": _object,
}


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
            also = schema.get("description") if schema.get(_ANYTHING) and _is_union(field.type) else None
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
    """Return a schema with its keys in a fixed order: description, type, default, nullable, enum, then all others."""
    order = ("description", "type", "default", "nullable", "enum")
    return dict(sorted(schema.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def _default(field: Field, path: str) -> Any:
    """Return the default of a field as a JSON value; None if the default is None, which isn't written to the schema.

    Raises:
        UsageError: The default doesn't fit the field's type, or its factory fails.
    """
    try:
        value = _json_value(field.default() if field.made else field.default)
        if value is not None:
            structured(value, field.type)
    except Exception as error:
        raise UsageError(f"the default of {path} can't be in an input: {problems_in(error, path)}") from None
    return value


def _json_value(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Model):
        return to_dict(value)
    if is_class(type(value)):
        return {field.key: _json_value(getattr(value, field.name)) for field in fields_of(type(value))}
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

    The description is the text of the class's own docstring before the first section; empty if there is none.
    Attributes can also be described in the docstrings of base classes.
    """
    about: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        about |= _attributes(inspect.cleandoc(vars(base).get("__doc__") or ""))
    doc = vars(cls).get("__doc__") or ""
    if doc.startswith(f"{cls.__name__}("):  # dataclasses write such a docstring if the class has none
        doc = ""
    text = re.split(_SECTION, inspect.cleandoc(doc), maxsplit=1)[0]
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "\n\n".join(part for part in paragraphs if part), about


_SECTION: Final = re.compile(
    r"^(?:Attributes|Args|Arguments|Raises|Returns|Example|Examples|Note|Notes|Todo):\s*$", re.M
)
_ENTRY: Final = re.compile(r"(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)", re.S)


def _attributes(doc: str) -> dict[str, str]:
    """Return the entries of a docstring's section `Attributes:` (Google style), by name; empty if it has no section."""
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

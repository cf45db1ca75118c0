"""What Python's tools show of model classes: types of fields, signatures, and the text of `help()`.

No function needs this module to run. All of it is made when a tool or a person reads it.
"""

from __future__ import annotations

import os
import sys
from types import UnionType
from typing import TYPE_CHECKING, Any, Final

from . import types

if TYPE_CHECKING:
    import ast
    import inspect

    from .shape import ModelShape
    from .types import Type

__all__ = ["help_text", "python_type", "signature"]

_SCALARS: Final[tuple[type, ...]] = (bool, int, float, str)
_FOOTER: Final = (
    "crossplane_lite.model.to_dict(model) gives the set fields as plain data, and from_dict(cls, data) a model of it."
)


def python_type(type_: Type, *, choices: bool = True) -> Any:
    """Return the Python type of a field's values. It doesn't include Observables, None, UNSET and NULL.

    Args:
        type_: The field's type.
        choices: Whether a field that allows several types of scalars gives a union such as `int | str`. If False, such
            a field gives Any.
    """
    code = type_.code
    if code == types.MODEL:
        return type_.cls
    if code == types.LIST:
        return list[python_type(type_.item, choices=choices)]  # type: ignore[misc]  # made while the program runs
    if code == types.MAP:
        return dict[str, python_type(type_.item, choices=choices)]  # type: ignore[misc]
    if code == types.OBJECT:
        return dict[str, Any]
    found: Any = Any
    for one in _SCALARS if type_.words else ():
        if one in type_.takes and not (one is int and float in type_.takes):
            found = one if found is Any else found | one
    return found if choices or isinstance(found, type) else Any


def signature(cls: Any) -> inspect.Signature:
    """Return the signature of a class's constructor: a keyword argument for each field.

    For a class that takes any attribute, the signature ends in `**fields`.
    """
    import inspect

    from .._base.sentinels import UNSET

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(
            name,
            keyword,
            default=getattr(cls, name) if name in cls._fixed else UNSET,
            annotation=python_type(field.type),
        )
        for name, field in cls.__wire_fields__.items()
    ]
    if cls._is_open():
        parameters.append(inspect.Parameter("fields", inspect.Parameter.VAR_KEYWORD, annotation=Any))
    return inspect.Signature(parameters, return_annotation=None)


def help_text(cls: type[ModelShape]) -> str:
    """Return a class's docstring: its description, and the name, type and description of each field.

    The descriptions come from the module's stub (`.pyi`), which is beside the module or on `sys.path`. Without a
    readable stub, the text has only names and types.
    """
    of_class, of_fields = _descriptions(cls)
    lines = [of_class or cls.__name__, "", "Fields:"]
    for name, field in cls.__wire_fields__.items():
        lines.append(f"    {name}: {_shown(python_type(field.type))}")
        lines += [f"        {line}".rstrip() for line in of_fields.get(name, "").splitlines()]
    return "\n".join([*lines, "", _FOOTER])


def _shown(type_: Any) -> str:
    if type_ is Any:
        return "Any"
    if isinstance(type_, type) and not hasattr(type_, "__args__"):
        return type_.__name__
    parts = [_shown(part) for part in type_.__args__]
    if isinstance(type_, UnionType):  # since Python 3.14 unions have an `__origin__`, too
        return " | ".join(parts)
    return f"{type_.__origin__.__name__}[{', '.join(parts)}]"


def _descriptions(cls: type[ModelShape]) -> tuple[str, dict[str, str]]:
    """Return the description of a class, and a dict from each attribute to the description of its field.

    Both are empty if the module has no stub, or the stub isn't valid Python or lacks the class.
    """
    import ast

    source = _stub_of(cls.__module__)
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return "", {}
    body: list[ast.stmt] = next(
        (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls.__name__), []
    )
    fields: dict[str, str] = {}
    above = ""
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            above = node.target.id
        elif above:
            fields[above] = _text(node)
            above = ""
    return (_text(body[0]) if body else ""), fields


def _text(node: ast.stmt) -> str:
    import ast
    import inspect

    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return inspect.cleandoc(node.value.value)
    return ""


def _stub_of(module: str) -> str:
    """Return the text of a module's stub. Empty if no stub is found or none can be read."""
    file = getattr(sys.modules.get(module), "__file__", None)
    places = [os.path.splitext(file)[0]] if file else []
    places += [os.path.join(folder, *module.split(".")) for folder in sys.path]
    for place in places:
        try:
            with open(place + ".pyi", encoding="utf-8") as stub:
                return stub.read()
        except (OSError, UnicodeDecodeError):
            continue
    return ""

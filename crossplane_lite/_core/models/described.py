"""What tools and people ask of model classes: kinds, types of fields, signatures, and the text of
`help()`.

No function needs this module to run. All of it is made when a tool or a person reads it.
"""

from __future__ import annotations

import os
import sys
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..base.api_version import split
from . import types

if TYPE_CHECKING:
    import inspect
    from typing import Literal

    from .node import ModelShape
    from .types import Type

_SCALARS: Final[tuple[type, ...]] = (bool, int, float, str)
_FOOTER: Final = (
    "crossplane_lite.model.to_dict(model) gives the set fields as plain data, and from_dict(cls,"
    " data) a model of it."
)


def python_type(type_: Type, *, choices: bool = True) -> Any:
    """Return the Python type of a field's values. It doesn't include Observables, None, UNSET and
    NULL.

    Args:
        type_: The field's type.
        choices: Whether a field that allows several types of scalars gives a union such as
            `int | str`. If False, such a field gives Any.
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

    from ..base.sentinels import UNSET

    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(cls, name) if name in cls._fixed else UNSET,
            annotation=python_type(field.type),
        )
        for name, field in cls.__wire_fields__.items()
    ]
    if cls._is_open():
        parameters.append(
            inspect.Parameter("fields", inspect.Parameter.VAR_KEYWORD, annotation=Any)
        )
    return inspect.Signature(parameters, return_annotation=None)


def help_text(cls: type[ModelShape]) -> str:
    """Return a class's docstring: its description, and the name, type and description of each
    field.

    The descriptions come from the module's stub (`.pyi`), which is beside the module or on
    `sys.path`. Without a readable stub, the text has only names and types.
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
    """Return the description of a class, and a dict from each attribute to the description of its
    field.

    Both are empty if the module has no stub, or the stub isn't valid Python or lacks the class.
    """
    import ast
    import inspect
    from itertools import pairwise

    try:
        tree = ast.parse(_stub_of(cls.__module__))
    except SyntaxError:
        return "", {}
    found = next(
        (
            node
            for node in tree.body
            if isinstance(node, ast.ClassDef) and node.name == cls.__name__
        ),
        None,
    )
    if found is None:
        return "", {}
    fields = {}
    for field, after in pairwise(found.body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
        ):
            text = after.value.value if isinstance(after.value, ast.Constant) else ""
            fields[field.target.id] = inspect.cleandoc(text) if isinstance(text, str) else ""
    return ast.get_docstring(found) or "", fields


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


class KindInfo(NamedTuple):
    """The group, version, kind and scope of a class of resources.

    Attributes:
        group: The API group; empty for the core group.
        version: The version, such as `v1beta1`.
        kind: The kind.
        scope: `Namespaced` or `Cluster`; None if the class was made without a scope.
    """

    group: str
    version: str
    kind: str
    scope: Literal["Cluster", "Namespaced"] | None


def kind_info(cls: Any) -> KindInfo:
    """Return the group, version, kind and scope of `cls`, a class of resources.

    Raises:
        AttributeError: The class is for all kinds, as `Unstructured` is, or is a base class without
            a kind.
    """
    if not cls._fixed:
        raise AttributeError(
            f"{cls.__name__} has no kind_info, because it is for more than one kind"
        )
    group, version = split(cls.apiVersion)
    return KindInfo(group, version, cls.kind, cls._scope or None)

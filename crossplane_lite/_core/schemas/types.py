"""Describes the types of an input class's fields, both for making instances and for generating
schemas.
"""

from __future__ import annotations

import collections.abc as abc
import enum
import keyword
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from ...errors import UsageError

NOTHING: Final = object()
"""The mark for a field without a default."""

_SEQUENCES: Final[dict[Any, Callable[[Iterable[Any]], Any]]] = {
    **dict.fromkeys((list, abc.Sequence, abc.MutableSequence), list),
    **dict.fromkeys((set, abc.Set, abc.MutableSet), set),
    frozenset: frozenset,
    tuple: tuple,
}
_MAPPINGS: Final = (dict, abc.Mapping, abc.MutableMapping)
_SCALARS: Final = {str: "a string", int: "an integer", float: "a number", bool: "a boolean"}
_UNIONS: Final = (typing.Union, types.UnionType)


class Shape(NamedTuple):
    """The description of a type: its kind, and the types or values inside of it.

    Attributes:
        kind: `any`, `scalar`, `choice` (an enum, a Literal or None), `union`, `list` (also a set,
            or a tuple of any length), `tuple` (of a fixed length), `map`, `class` (an attrs class
            or a dataclass) or `model` (a model class of this package).
        type: The described type, without `Annotated`, `NewType` and type aliases around it.
        args: For a scalar, the base type (str, int, float or bool). For a choice, the allowed
            values or enum members. For a list, tuple or union, the types of its elements or
            members. For a map, the types of keys and values.
        make: For a list, the function that makes the list, set or tuple from its elements.
    """

    kind: str
    type: Any
    args: tuple[Any, ...] = ()
    make: Callable[[Iterable[Any]], Any] = list


class Field(NamedTuple):
    """A field of an attrs class or a dataclass.

    Attributes:
        name: The name of the attribute.
        key: The field's key in the input: the alias in attrs, or the name. If this is a keyword of
            Python with an underscore after it, such as `from_`, the underscore is dropped.
        type: The field's type.
        default: The default; a function without arguments that makes it if `made` is true;
            `NOTHING` if there is no default; None if a function computes the default from the
            instance.
        made: Whether `default` is a function that makes the default of each instance.
        argument: The name of the argument of `__init__`.
    """

    name: str
    key: str
    type: Any
    default: Any
    made: bool
    argument: str


def is_class(type_: Any) -> bool:
    """Return whether a type is an attrs class or a dataclass."""
    return isinstance(type_, type) and (
        hasattr(type_, "__attrs_attrs__") or hasattr(type_, "__dataclass_fields__")
    )


def shape_of(type_: Any) -> Shape | None:
    """Return the description of a type; None if an input can't have values of that type, such as
    bytes.
    """
    type_ = _bare(type_)
    if type_ is Any or type_ is None or type_ is type(None):
        return Shape("any", Any) if type_ is Any else Shape("choice", type(None), (None,))
    origin = typing.get_origin(type_)
    args = typing.get_args(type_)
    if origin is typing.Literal:
        return Shape("choice", type_, args)
    if origin in _UNIONS:
        return Shape("union", type_, args)
    origin = origin or type_
    if origin is tuple and args and args[-1:] != (...,):
        return Shape("tuple", type_, () if args == ((),) else args)
    if origin in _SEQUENCES:
        return Shape("list", type_, (*args, Any)[:1], _SEQUENCES[origin])
    if origin in _MAPPINGS:
        return Shape("map", type_, args or (str, Any))
    if not isinstance(type_, type):
        return None
    if issubclass(type_, enum.Enum):
        return Shape("choice", type_, tuple(type_))
    if is_class(type_):
        return Shape("model" if _is_model(type_) else "class", type_)
    base = next((base for base in (bool, int, float, str) if issubclass(type_, base)), None)
    return None if base is None else Shape("scalar", type_, (base,))


def _is_model(type_: type[Any]) -> bool:
    # Without an import, which takes long: where a model class exists, its module is imported
    # already.
    module = sys.modules.get("crossplane_lite._core.models.model")
    return module is not None and issubclass(type_, module.Model)


def _bare(type_: Any) -> Any:
    """Remove `Annotated`, `NewType` and type aliases around a type, and return the type inside of
    them.
    """
    while True:
        if typing.get_origin(type_) is typing.Annotated:
            type_ = typing.get_args(type_)[0]
        elif hasattr(type_, "__supertype__"):
            type_ = type_.__supertype__
        elif type(type_).__name__ == "TypeAliasType":
            # of Python from 3.12 on, or of typing_extensions
            type_ = type_.__value__
        else:
            return type_


def choices(shape: Shape) -> list[Any]:
    """Return the JSON values that a shape of the kind `choice` allows. For an enum, these are its
    members' values.
    """
    return [choice.value if isinstance(choice, enum.Enum) else choice for choice in shape.args]


def fields_of(cls: type[Any]) -> list[Field]:
    """Return the fields of an attrs class or a dataclass that are arguments of its `__init__`.

    Raises:
        UsageError: An annotation of the class has a name that isn't defined.
    """
    import attr

    try:
        if attr.has(cls):
            attr.resolve_types(cls)
            return [_attrs_field(field) for field in attr.fields(cls) if field.init]
        hints = typing.get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise UsageError(
            f"the types of {cls.__name__} can't be looked up: {error}; define the types that the"
            " annotations name at the top of the module"
        ) from None
    import dataclasses

    names = {field.name for field in dataclasses.fields(cls)}
    return [
        _dataclass_field(field, hints[name])
        for name, field in cls.__dataclass_fields__.items()
        # The others are class variables. An InitVar is an argument, whose type is refused.
        if field.init and (name in names or isinstance(hints[name], dataclasses.InitVar))
    ]


def _attrs_field(field: Any) -> Field:
    import attr

    default, made = field.default, False
    if default is attr.NOTHING:
        default = NOTHING
    elif isinstance(default, attr.Factory):  # type: ignore[arg-type]  # a class that is annotated as a function
        # A factory that takes the instance can't make a value without one.
        default, made = (None, False) if default.takes_self else (default.factory, True)
    type_ = Any if field.type is None else field.type
    return Field(field.name, _key(field.alias), type_, default, made, field.alias)


def _dataclass_field(field: Any, hint: Any) -> Field:
    import dataclasses

    made = field.default_factory is not dataclasses.MISSING
    default = field.default_factory if made else field.default
    default = NOTHING if default is dataclasses.MISSING else default
    return Field(field.name, _key(field.name), hint, default, made, field.name)


def _key(name: str) -> str:
    return name[:-1] if name[-1:] == "_" and keyword.iskeyword(name[:-1]) else name


def check_class(cls: type[Any]) -> None:
    """Check that an input can have values for all fields of a class, and of the classes that its
    fields have.

    The fields of model classes aren't checked.

    Raises:
        UsageError: A field has a type that isn't possible in an input (the message has the path of
            each such field), or an annotation has a name that isn't defined.
    """
    wrong: list[str] = []
    seen: set[type[Any]] = set()
    work: list[tuple[Any, str]] = [(cls, cls.__name__)]
    while work:
        type_, path = work.pop()
        shape = shape_of(type_)
        if shape is None or (shape.kind == "map" and not _is_text(shape.args[0])):
            wrong.append(f"{path} has the type {_name(type_)}")
        elif shape.kind == "choice" and not all(
            isinstance(one, (*_SCALARS, type(None))) for one in choices(shape)
        ):
            wrong.append(
                f"{path} has the type {_name(type_)}, with values that aren't strings, numbers or"
                " booleans"
            )
        elif shape.kind == "class" and shape.type not in seen:
            seen.add(shape.type)
            work += [(field.type, f"{path}.{field.key}") for field in fields_of(shape.type)]
        elif shape.kind in ("list", "map"):
            work.append((shape.args[-1], f"{path}[]"))
        elif shape.kind in ("tuple", "union"):
            work += [
                (arg, f"{path}[{at}]" if shape.kind == "tuple" else path)
                for at, arg in enumerate(shape.args)
            ]
    if wrong:
        raise UsageError(
            f"{cls.__name__} can't be a class for input: {'; '.join(sorted(wrong))}. Fields may be"
            " str, int, float, bool, Any, enums and Literals of these, lists, tuples, sets, dicts"
            " with str keys, attrs classes and unions"
        )


def _is_text(type_: Any) -> bool:
    """Return whether the keys of a dict may have this type: Any, a str, or only strings of an enum
    or a Literal.
    """
    shape = shape_of(type_)
    if shape is None:
        return False
    if shape.kind == "choice":
        return all(isinstance(value, str) for value in choices(shape))
    return shape.kind == "any" or (shape.kind == "scalar" and shape.args == (str,))


def _name(type_: Any) -> str:
    if not isinstance(type_, type) or typing.get_args(type_):
        return repr(type_)
    return (
        type_.__name__
        if type_.__module__ == "builtins"
        else f"{type_.__module__}.{type_.__qualname__}"
    )


def described(type_: Any) -> str:
    """Return words for the values that a type allows, such as "a string or a list"."""
    words = list(dict.fromkeys(_words(type_)))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _words(type_: Any) -> Iterator[str]:
    import json

    shape = shape_of(type_)
    kind = "any" if shape is None else shape.kind
    if shape is None or kind == "any":
        yield "anything"
    elif kind == "scalar":
        yield _SCALARS[shape.args[0]]
    elif kind == "choice":
        yield from (json.dumps(value, ensure_ascii=False) for value in choices(shape))
    elif kind == "union":
        for arg in shape.args:
            yield from _words(arg)
    else:
        yield {"list": "a list", "tuple": f"a list of {len(shape.args)}"}.get(kind, "a mapping")

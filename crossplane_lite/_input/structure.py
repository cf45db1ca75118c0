"""Makes instances of attrs classes from plain data, with cattrs."""

from __future__ import annotations

import enum
import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from .._observed.tracker import mask
from .._terminal.excerpts import some
from ..errors import InputError, UsageError
from .types import Shape, check_class, choices, described, fields_of, shape_of

__all__ = ["problems_in", "structure", "structured"]

T = TypeVar("T")

# Fields that every Kubernetes object has. Few input classes have them.
_OBJECT_KEYS = ("apiVersion", "kind", "metadata")


def structure(data: Mapping[str, Any], cls: type[T], what: str = "input") -> T:
    """Return `data` as an instance of an attrs class.

    Each value must have the JSON type of its field: 5 isn't a string, "5" isn't a number, true isn't 1, and "abc" isn't
    a list. Only integers are converted, to floats. A field's key in `data` is its `alias` in attrs, which is its name
    without leading underscores unless the class gives another one. An underscore after a keyword of Python is dropped:
    the key of `from_` is `from`.

    Args:
        data: Plain data. apiVersion, kind and metadata are ignored if the class doesn't have them.
        cls: An attrs class.
        what: The name of the data in messages.

    Raises:
        InputError: Keys are unknown or missing, values have a wrong type, or a converter or validator of the class
            refuses them. The message has the first 100 mistakes with their paths.
        UsageError: `cls` isn't an attrs class, or the type of a field isn't defined or isn't possible in JSON.
    """
    import attr

    if not attr.has(cls):
        raise UsageError(f"the class of {what} must be an attrs class, made with @attrs.define (got {cls!r})")
    keys = _known_keys(cls)
    kept = {key: value for key, value in data.items() if key in keys or key not in _OBJECT_KEYS}
    try:
        made: T = structured(kept, cls)
        return made
    except Exception as error:
        raise InputError(f"the function's {what} is wrong: {problems_in(error, what)}") from None


def structured(value: Any, type_: Any) -> Any:
    """Convert plain data to a type that an input's field may have, such as `list[int]` or an attrs class.

    Raises:
        Exception: The data doesn't fit the type. The error may be of any class; `problems_in` turns it into text.
    """
    return _converter().structure(value, type_)


@functools.cache
def _known_keys(cls: type[Any]) -> frozenset[str]:
    """Return the keys of a class's fields, after checking the fields' types.

    Raises:
        UsageError: A field's type isn't defined, or isn't possible in an input.
    """
    check_class(cls)
    return frozenset(field.key for field in fields_of(cls))


class _Misfit(ValueError):
    """A value doesn't fit the type of its field. The message lacks the field's path, which is put before it later."""


@functools.cache
def _converter() -> Any:
    """Return the cattrs converter of this module, which refuses values of wrong types.

    Without the hooks that are set here, cattrs turns 5 into "5", and "abc" into a list.
    """
    import cattrs

    from .. import cattrs_hooks

    converter = cattrs.Converter(forbid_extra_keys=True)
    converter.register_structure_hook_factory(
        lambda type_: shape_of(type_) is not None, functools.partial(_hook_for, converter)
    )
    cattrs_hooks.register(converter)
    # For these classes and their subclasses cattrs has hooks of its own, which it uses before it asks factories.
    for base in (str, int, float, bool, enum.Enum):
        converter.register_structure_hook(base, functools.partial(_value, converter))
    return converter


def _hook_for(converter: Any, type_: Any) -> Callable[[Any, Any], Any]:
    shape = shape_of(type_)
    assert shape is not None
    if shape.kind == "class":
        return _class_hook(converter, shape.type)
    return lambda value, _: _OF_KIND[shape.kind](converter, value, shape)


def _value(converter: Any, value: Any, type_: Any) -> Any:
    """Return a JSON value as an instance of `type_`, a scalar class or an enum.

    Raises:
        _Misfit: The value doesn't fit.
    """
    if type(value) is type_:
        return value
    shape = _shape_of_class(type_)
    assert shape is not None
    return _OF_KIND[shape.kind](converter, value, shape)


_shape_of_class = functools.cache(shape_of)


def _class_hook(converter: Any, cls: type[Any]) -> Callable[[Any, Any], Any]:
    from cattrs.gen import make_dict_structure_fn, override

    renamed: Any = {field.name: override(rename=field.key) for field in fields_of(cls) if field.key != field.name}
    make = make_dict_structure_fn(cls, converter, _cattrs_forbid_extra_keys=True, **renamed)

    def hook(value: Any, _: Any) -> Any:
        if not isinstance(value, dict):
            raise _misfit(value, cls)
        return make(value, cls)

    return hook


def _misfit(value: Any, type_: Any) -> _Misfit:
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        shown = type(value).__name__
    # First masked, then cut: masking doesn't recognise a part of a secret value.
    return _Misfit(f"must be {described(type_)} (got {mask(shown)[:80]})")


def _is(value: Any, base: type[Any]) -> bool:
    """Return whether a JSON value is of a scalar type. Booleans aren't integers; integers also count as floats."""
    if isinstance(value, bool):
        return base is bool
    return isinstance(value, (int, float) if issubclass(base, float) else base)


def _any(_: Any, value: Any, __: Shape) -> Any:
    return value


def _scalar(_: Any, value: Any, shape: Shape) -> Any:
    (base,) = shape.args
    if not _is(value, base):
        raise _misfit(value, base)
    return value if type(value) is shape.type else shape.type(value)


def _choice(_: Any, value: Any, shape: Shape) -> Any:
    for choice, plain in zip(shape.args, choices(shape), strict=True):
        if _is(value, type(plain)) and plain == value:
            return choice
    raise _misfit(value, shape.type)


def _union(converter: Any, value: Any, shape: Shape) -> Any:
    members = [(arg, found) for arg in shape.args if (found := shape_of(arg)) is not None]
    for _, member in members:
        # A member of exactly the value's type comes before one that converts the value, such as float for 1.
        if member.kind == "scalar" and type(value) is member.type:
            return value
    errors = []
    for arg, member in members:
        if _could_be(value, member):
            try:
                return converter.structure(value, arg)
            except RecursionError:
                raise
            except Exception as error:
                errors.append(error)
    # The error is the one of the member that fits best: with the fewest missing and unknown keys.
    raise min(errors, key=_distance) if errors else _misfit(value, shape.type)


def _could_be(value: Any, shape: Shape) -> bool:
    """Return whether a value has the JSON type of `shape`, a member of a union. A union tries only such members."""
    if shape.kind in ("map", "class"):
        return isinstance(value, dict)
    if shape.kind in ("list", "tuple"):
        return isinstance(value, list)
    if shape.kind == "scalar":
        return _is(value, shape.args[0])
    return shape.kind != "choice" or any(_is(value, type(choice)) for choice in choices(shape))


def _list(converter: Any, value: Any, shape: Shape) -> Any:
    if not isinstance(value, list):
        raise _misfit(value, list)
    (item,) = shape.args
    return shape.make(_items(converter, [(at, one, item) for at, one in enumerate(value)], shape))


def _tuple(converter: Any, value: Any, shape: Shape) -> Any:
    if not isinstance(value, list) or len(value) != len(shape.args):
        raise _misfit(value, shape.type)
    return tuple(_items(converter, [(at, *pair) for at, pair in enumerate(zip(value, shape.args, strict=True))], shape))


def _map(converter: Any, value: Any, shape: Shape) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise _misfit(value, dict)
    key, item = shape.args
    keys = _items(converter, [(at, at, key) for at in value], shape)
    return dict(zip(keys, _items(converter, [(at, one, item) for at, one in value.items()], shape), strict=True))


_OF_KIND: dict[str, Callable[[Any, Any, Shape], Any]] = {
    "any": _any,
    "scalar": _scalar,
    "choice": _choice,
    "union": _union,
    "list": _list,
    "tuple": _tuple,
    "map": _map,
}


def _items(converter: Any, items: Iterable[tuple[Any, Any, Any]], shape: Shape) -> list[Any]:
    """Return the converted elements of a list or tuple, or the converted keys or values of a map.

    Args:
        converter: The cattrs converter.
        items: For each value, its index or key, the value itself, and the type to convert it to.
        shape: The description of the list, tuple or map.

    Raises:
        IterableValidationError: Values don't fit. It has all their errors, each with the value's index or key.
        RecursionError: The data is nested too deep.
    """
    from cattrs.errors import IterableValidationError, IterableValidationNote

    made, errors = [], []
    for at, value, type_ in items:
        try:
            made.append(converter.structure(value, type_))
        except RecursionError:
            raise
        except Exception as error:
            # As add_note() does, which Python 3.10 doesn't have. cattrs reads the notes from this attribute.
            notes = [*getattr(error, "__notes__", []), IterableValidationNote(f"item {at!r}", at, type_)]
            vars(error)["__notes__"] = notes
            errors.append(error)
    if errors:
        raise IterableValidationError("items", errors, shape.type)
    return made


def problems_in(error: BaseException, path: str) -> str:
    """Return a string with the mistakes in an input, each with its path, sorted and separated by `; `.

    After 100 mistakes, the text gives only the number of the others. If the data is nested too deep, it says only that.

    Args:
        error: The error that `structured` raised.
        path: The path of the data that was given to `structured`, such as `input`.
    """
    try:
        problems = sorted(problem.text for problem in _problems(error, path))
    except RecursionError:
        return f"{path} is nested too deep"
    return some(problems, 100, "; ")


class _Problem(NamedTuple):
    """A mistake in an input.

    Attributes:
        text: The path of the value, and its mistake.
        path: The path of the value.
        about_key: Whether a key is missing or unknown.
    """

    text: str
    path: str
    about_key: bool = False


def _problems(error: BaseException, path: str) -> Iterator[_Problem]:
    from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError, IterableValidationError

    if isinstance(error, ClassValidationError):
        keys = {field.name: field.key for field in fields_of(error.cl)}
        inside, about = error.group_exceptions()
        for problem, note in inside:
            if isinstance(problem, KeyError):
                yield _Problem(f"{path}.{keys[note.name]} is required", f"{path}.{keys[note.name]}", True)
            else:
                # If the stack is full, the error's note may name a field of another class.
                yield from _problems(problem, f"{path}.{keys.get(note.name, note.name)}")
        for problem in about:
            name = _validated(problem)
            yield from _problems(problem, f"{path}.{keys[name]}" if name in keys else path)
    elif isinstance(error, IterableValidationError):
        items, about = error.group_exceptions()
        for problem, item in items:
            yield from _problems(problem, f"{path}[{item.index!r}]")
        for problem in about:
            yield from _problems(problem, path)
    elif isinstance(error, ForbiddenExtraKeysError):
        from .._base.near_name import near_name

        known = dict.fromkeys(field.key for field in fields_of(error.cl))
        for key in error.extra_fields:
            yield _Problem(f"{path}.{key} is not a field{near_name(key, known)}", f"{path}.{key}", True)
    elif isinstance(error, RecursionError):
        raise error
    elif isinstance(error, _Misfit):
        yield _Problem(f"{path} {error}", path)
    else:  # from a converter or a validator of the author's class
        text = str(error.args[0] if _validated(error) else error)
        yield _Problem(f"{path}: {text or type(error).__name__}", path)


def _validated(error: BaseException) -> str | None:
    """Return the name of the field that an error of an attrs validator is about; None if the error names no field."""
    import attr

    if not error.args or not isinstance(error.args[0], str):
        return None
    for arg in error.args[1:]:
        if isinstance(arg, attr.Attribute):
            return arg.name
    quoted = re.match(r"'(\w+)' ", error.args[0])
    return quoted[1] if quoted else None


def _distance(error: Exception) -> tuple[int, int]:
    problems = list(_problems(error, ""))
    return sum(problem.about_key for problem in problems), len(problems)

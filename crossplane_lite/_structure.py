"""Plain data into attrs classes, through cattrs."""

from __future__ import annotations

import collections.abc as abc
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, get_args, get_origin

from .errors import InputError, UsageError

__all__ = ["structure"]

T = TypeVar("T")

# What every Kubernetes object has, and few input classes do.
_OBJECT_KEYS = ("apiVersion", "kind", "metadata")
_SEQUENCES: dict[Any, Callable[[Iterable[Any]], Any]] = {
    **dict.fromkeys((list, abc.Sequence, abc.MutableSequence), list),
    **dict.fromkeys((set, abc.Set, abc.MutableSet), set),
    frozenset: frozenset,
}
_MAPPINGS = (dict, abc.Mapping, abc.MutableMapping)


def structure(data: Mapping[str, Any], cls: type[T], what: str = "input") -> T:
    """Return `data` as an instance of an attrs class.

    Args:
        data: Plain data. apiVersion, kind and metadata are left out where the class doesn't have them.
        cls: An attrs class.
        what: What the data is, for messages.

    Raises:
        InputError: Keys are unknown or values of the wrong type; the message has every one, with its path.
        UsageError: `cls` isn't an attrs class.
    """
    import attr
    import cattrs

    if not attr.has(cls):
        raise UsageError(f"{what} can be structured into an attrs class (got {cls!r})")
    names = {field.name for field in attr.fields(cls)}
    kept = {key: value for key, value in data.items() if key in names or key not in _OBJECT_KEYS}
    try:
        made: T = _converter().structure(kept, cls)
        return made
    except Exception as error:
        problems = "; ".join(sorted(cattrs.transform_error(error, path=what, format_exception=_describe)))
        raise InputError(f"{what} isn't a {cls.__name__}: {problems}") from None


@functools.cache
def _converter() -> Any:
    """Return a converter that refuses what it would have to guess: cattrs alone makes 5 a text and "abc" a list."""
    import cattrs
    from cattrs.strategies import configure_union_passthrough

    converter = cattrs.Converter(forbid_extra_keys=True)
    configure_union_passthrough(str | int | float | bool | None, converter)
    for type_, accepted in ((str, str), (bool, bool), (int, int), (float, (int, float))):
        converter.register_structure_hook(type_, functools.partial(_scalar, type_, accepted))
    converter.register_structure_hook_func(_is_sequence, functools.partial(_sequence, converter))
    converter.register_structure_hook_func(_is_mapping, functools.partial(_mapping, converter))
    return converter


def _scalar(base: type[Any], accepted: Any, value: Any, type_: type[Any]) -> Any:
    if not isinstance(value, accepted) or (isinstance(value, bool) and base is not bool):
        raise ValueError(f"must be {base.__name__} (got {value!r:.80})")
    # cattrs asks for subclasses too, string enums among them.
    return value if type(value) is type_ else type_(value)


def _is_sequence(type_: Any) -> bool:
    return (get_origin(type_) or type_) in _SEQUENCES


def _is_mapping(type_: Any) -> bool:
    return (get_origin(type_) or type_) in _MAPPINGS


def _sequence(converter: Any, value: Any, type_: Any) -> Any:
    if not isinstance(value, list):
        raise ValueError(f"must be a list (got {value!r:.80})")
    item = (*get_args(type_), Any)[0]
    return _SEQUENCES[get_origin(type_) or type_](_items(converter, enumerate(value), item, type_))


def _mapping(converter: Any, value: Any, type_: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a mapping (got {value!r:.80})")
    item = (*get_args(type_), Any, Any)[1]
    return dict(zip(value, _items(converter, value.items(), item, type_), strict=True))


def _items(converter: Any, items: Iterable[tuple[Any, Any]], item: Any, type_: Any) -> list[Any]:
    """Structure every item, and raise all of their errors together, each with its place."""
    from cattrs.errors import IterableValidationError, IterableValidationNote

    made, errors = [], []
    for at, value in items:
        try:
            made.append(converter.structure(value, item))
        except Exception as error:
            # What add_note() does, which Python 3.10 does not have; cattrs reads it from here.
            notes = [*getattr(error, "__notes__", []), IterableValidationNote(f"item {at!r}", at, item)]
            vars(error)["__notes__"] = notes
            errors.append(error)
    if errors:
        raise IterableValidationError("items", errors, type_)
    return made


def _describe(error: BaseException, type_: type | None) -> str:
    from cattrs.v import format_exception

    return str(error) if type(error) is ValueError else format_exception(error, type_)

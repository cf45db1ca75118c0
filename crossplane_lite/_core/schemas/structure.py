"""Makes instances of attrs classes from plain data, and finds the mistakes in the data."""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from ...errors import InputError, UsageError
from ..base.texts import near_name, some
from .types import NOTHING, Shape, check_class, choices, described, fields_of, shape_of

T = TypeVar("T")

# Fields that every Kubernetes object has. Few input classes have them.
_OBJECT_KEYS = ("apiVersion", "kind", "metadata")

_TRACKER = "crossplane_lite._core.observed.tracker"


class Problem(NamedTuple):
    """A mistake in an input.

    Attributes:
        path: The path of the value.
        message: The mistake, as it follows the path.
        about_key: Whether a key is missing or unknown.
    """

    path: str
    message: str
    about_key: bool = False

    @property
    def text(self) -> str:
        """The path of the value, and its mistake."""
        return self.path + self.message


class _Misfits(ValueError):
    """Data doesn't fit. The argument is the list of problems, whose paths begin at the data."""


def structure(data: Mapping[str, Any], cls: type[T], what: str = "input") -> T:
    """Return `data` as an instance of an attrs class.

    Each value must have the JSON type of its field: 5 isn't a string, "5" isn't a number, true
    isn't 1, and "abc" isn't a list. Only integers are converted, to floats. A field's key in `data`
    is its `alias` in attrs, which is its name without leading underscores unless the class gives
    another one. An underscore after a keyword of Python is dropped: the key of `from_` is `from`.

    Args:
        data: Plain data. apiVersion, kind and metadata are ignored if the class doesn't have them.
        cls: An attrs class.
        what: The name of the data in messages.

    Raises:
        InputError: Keys are unknown or missing, values have a wrong type, or a converter or
            validator of the class refuses them. The message has the first 100 mistakes with their
            paths.
        UsageError: `cls` isn't an attrs class, or the type of a field isn't defined or isn't
            possible in JSON.
    """
    import attr

    if not attr.has(cls):
        raise UsageError(
            f"the class of {what} must be an attrs class, made with @attrs.define (got {cls!r})"
        )
    keys = _known_keys(cls)
    kept = {key: value for key, value in data.items() if key in keys or key not in _OBJECT_KEYS}
    try:
        made: T = structured(kept, cls)
        return made
    except Exception as error:
        raise InputError(f"the function's {what} is wrong: {problems_in(error, what)}") from None


def structured(value: Any, type_: Any) -> Any:
    """Convert plain data to a type that an input's field may have, such as `list[int]` or an attrs
    class.

    Raises:
        Exception: The data doesn't fit the type. The error may be of any class; `problems_in` turns
            it into text.
    """
    problems: list[Problem] = []
    made = _made(value, type_, "", problems)
    if problems:
        raise _Misfits(problems)
    return made


@functools.cache
def _known_keys(cls: type[Any]) -> frozenset[str]:
    """Return the keys of a class's fields, after checking the fields' types."""
    check_class(cls)
    return frozenset(field.key for field in fields_of(cls))


def _made(value: Any, type_: Any, path: str, problems: list[Problem]) -> Any:
    """Return a JSON value as a value of a type. Mistakes are added to `problems`; nobody may use
    the result then.
    """
    shape = shape_of(type_)
    assert shape is not None
    if not _could_be(value, shape):
        problems.append(
            _misfit(value, shape.args[0] if shape.kind == "scalar" else shape.type, path)
        )
        return None
    try:
        return _of_shape(value, shape, path, problems)
    except RecursionError:
        raise
    except Exception as error:  # from a converter or a validator of the author's class
        name = _validated(error)
        keys = (
            {field.name: f".{field.key}" for field in fields_of(shape.type)}
            if shape.kind == "class"
            else {}
        )
        text = str(error.args[0] if name else error)
        problems.append(
            Problem(path + keys.get(name or "", ""), f": {text or type(error).__name__}")
        )


def _of_shape(value: Any, shape: Shape, path: str, problems: list[Problem]) -> Any:
    if shape.kind == "class":
        return _instance(value, shape.type, path, problems)
    if shape.kind == "model":
        from ..models.model import from_dict

        return from_dict(shape.type, value)
    if shape.kind == "choice":
        return next(
            one
            for one, plain in zip(shape.args, choices(shape), strict=True)
            if _equals(value, plain)
        )
    if shape.kind == "union":
        return _union(value, shape, path, problems)
    if shape.kind == "scalar":
        return value if type(value) is shape.type else shape.type(value)
    before = len(problems)
    made: Any = value
    if shape.kind == "map":
        key, item = shape.args
        below = [(at, one, f"{path}[{at!r}]") for at, one in value.items()]
        made = {
            _made(at, key, where, problems): _made(one, item, where, problems)
            for at, one, where in below
        }
    elif shape.kind in ("list", "tuple"):
        types = shape.args if shape.kind == "tuple" else shape.args * len(value)
        items = [_made(one, types[at], f"{path}[{at}]", problems) for at, one in enumerate(value)]
        if len(problems) == before:
            made = tuple(items) if shape.kind == "tuple" else shape.make(items)
    return made


def _instance(value: dict[str, Any], cls: type[Any], path: str, problems: list[Problem]) -> Any:
    before = len(problems)
    fields = fields_of(cls)
    given = {}
    for field in fields:
        if field.key in value:
            given[field.argument] = _made(
                value[field.key], field.type, f"{path}.{field.key}", problems
            )
        elif field.default is NOTHING:
            problems.append(Problem(f"{path}.{field.key}", " is required", True))
    known = dict.fromkeys(field.key for field in fields)
    problems += [
        Problem(f"{path}.{key}", f" is not a field{near_name(key, known)}", True)
        for key in value
        if key not in known
    ]
    return cls(**given) if len(problems) == before else None


def _union(value: Any, shape: Shape, path: str, problems: list[Problem]) -> Any:
    tried: list[list[Problem]] = []
    # 1 is an int before it is a float
    for arg in sorted(shape.args, key=lambda arg: arg is not type(value)):
        member = shape_of(arg)
        if member is not None and _could_be(value, member):
            found: list[Problem] = []
            made = _made(value, arg, path, found)
            if not found:
                return made
            tried.append(found)
    # The mistakes are those of the member that fits best: with the fewest missing and unknown keys.
    best: list[Problem] = min(
        tried, key=lambda one: (sum(problem.about_key for problem in one), len(one))
    )
    problems += best
    return None


def _is(value: Any, base: type[Any]) -> bool:
    """Return whether a JSON value is of a scalar type. Booleans aren't integers; integers also
    count as floats.
    """
    if isinstance(value, bool):
        return base is bool
    return isinstance(value, (int, float) if issubclass(base, float) else base)


def _equals(value: Any, plain: Any) -> bool:
    return _is(value, type(plain)) and bool(plain == value)


def _could_be(value: Any, shape: Shape) -> bool:
    """Return whether a value has the JSON type of a shape."""
    if shape.kind == "scalar":
        return _is(value, shape.args[0])
    if shape.kind == "choice":
        return any(_equals(value, plain) for plain in choices(shape))
    if shape.kind == "union":
        return any(
            member is not None and _could_be(value, member) for member in map(shape_of, shape.args)
        )
    if shape.kind == "tuple":
        return isinstance(value, list) and len(value) == len(shape.args)
    return isinstance(value, {"any": object, "list": list}.get(shape.kind, dict))


def _misfit(value: Any, type_: Any, path: str) -> Problem:
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        shown = type(value).__name__
    # First masked, then cut: masking doesn't recognise a part of a secret value. While the module
    # that knows secret values isn't loaded, there are no secret values. It isn't imported here,
    # because that takes long.
    tracker = sys.modules.get(_TRACKER)
    shown = shown if tracker is None else tracker.mask(shown)
    return Problem(path, f" must be {described(type_)} (got {shown[:80]})")


def _validated(error: Exception) -> str | None:
    """Return the name of the field that an error of an attrs validator is about; None if the error
    names no field.
    """
    import attr

    if not error.args or not isinstance(error.args[0], str):
        return None
    for arg in error.args[1:]:
        if isinstance(arg, attr.Attribute):
            return arg.name
    quoted = re.match(r"'(\w+)' ", error.args[0])
    return quoted[1] if quoted else None


def problems_of(error: BaseException, path: str) -> list[Problem]:
    """Return the mistakes in an input, each with its path.

    Args:
        error: The error that `structured` raised.
        path: The path of the data that was given to `structured`, such as `input`.
    """
    if isinstance(error, RecursionError):
        return [Problem(path, " is nested too deep")]
    found = error.args[0] if isinstance(error, _Misfits) else [Problem("", f": {error}")]
    return [problem._replace(path=path + problem.path) for problem in found]


def problems_in(error: BaseException, path: str) -> str:
    """Return a string with the mistakes in an input, each with its path, sorted and separated by
    `; `.

    After 100 mistakes, the text gives only the number of the others. If the data is nested too
    deep, it says only that. The arguments are those of `problems_of`.
    """
    return some(sorted(problem.text for problem in problems_of(error, path)), 100, "; ")

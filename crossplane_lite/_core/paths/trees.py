"""Plain data of any origin: looking up, putting, walking, comparing and copying values, and
elements' identity.

Plain data is dicts, lists and scalars. A step leads from a dict or list to a value in it: a key, an
index, or a selection of an element by its fields. Data that is nested more than 500 levels deep is
refused with the path, unless a function says that it takes deeper data. This module imports only
modules that every KRM function has loaded already.
"""

from __future__ import annotations

from ...errors import UsageError
from ..base.texts import json_type_in_words
from .text import Digits, quoted, show

# type checkers treat it as typing.TYPE_CHECKING; importing typing would take too long
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    Step: TypeAlias = "str | int | Select"
    Way: TypeAlias = "tuple[Any, ...]"

DEEPEST = 500
"""How deep plain data may be nested. No object comes near it; a list or dict that contains itself
goes beyond it.
"""

LONGEST_INDEX = 18
"""The largest number of digits of an index. No list is so long, and Python doesn't convert
thousands of digits.
"""


class Select:
    """A step that picks an element of a list by its fields, such as `[name=web]`.

    Attributes:
        fields: The wanted values by field. A value without quotes matches the same string and the
            value that YAML reads: `[port=80]` selects an element with 80 or "80". A value in quotes
            matches only the string.
    """

    __slots__ = ("_known", "fields")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = dict(fields)
        # With the types, so that values with and without quotes aren't equal.
        self._known = frozenset((key, type(one), one) for key, one in fields.items())

    def __eq__(self, other: object) -> bool:
        return type(other) is Select and self._known == other._known

    def __hash__(self) -> int:
        return hash(self._known)

    def __repr__(self) -> str:
        return f"[{self}]"

    def __str__(self) -> str:
        return ",".join(
            f"{key}={one if type(one) is Bare else quoted(str(one))}"
            for key, one in self.fields.items()
        )

    def matches(self, element: object) -> bool:
        """Return whether this step selects `element`, an element of a list. It is never selected if
        it isn't a dict.
        """
        from ..base.scalars import resolve  # few paths select

        if not isinstance(element, dict):
            return False
        for key, wanted in self.fields.items():
            found = element.get(key, self)
            # A string matches the value as it is written, so version=1.10 matches "1.10". Otherwise
            # YAML's value counts, and 1 doesn't match true.
            if isinstance(found, str):
                if found != str(wanted):
                    return False
            elif (
                type(wanted) is not Bare
                or found != resolve(wanted)
                or isinstance(found, bool) != (wanted in _BOOLS)
            ):
                return False
        return True

    def made(self) -> dict[str, Any]:
        """Return the fields of a new element that this step selects: `{"port": 80}` for
        `[port=80]`.
        """
        from ..base.scalars import resolve

        return {
            key: resolve(str(one)) if type(one) is Bare else one for key, one in self.fields.items()
        }


class Bare(str):
    """A value without quotes in a selection, such as `web` in `[name=web]`."""

    __slots__ = ()


_BOOLS = ("true", "false", "True", "False", "TRUE", "FALSE")


def is_direct(step: Step) -> bool:
    """Return whether a step is a key or an index from the start. Other steps, such as `[-1]`,
    depend on the data.
    """
    return type(step) is str or (type(step) is int and step >= 0)


def find(holder: object, step: Step) -> str | int | None:
    """Return the key or index that a step leads to in a dict or list.

    Returns:
        The key, or the index counted from the start (also for `[-1]`). None if the step leads to
        nothing, or `holder` is neither a dict nor a list.

    Raises:
        UsageError: The step selects several elements of a list.
    """
    if isinstance(holder, dict):
        return str(step) if isinstance(step, str) and step in holder else None
    if not isinstance(holder, list):
        return None
    if isinstance(step, Select):
        return the_one([at for at, element in enumerate(holder) if step.matches(element)], step)
    at = _index(step)
    if at is None or not -len(holder) <= at < len(holder):
        return None
    return at if at >= 0 else at + len(holder)


def the_one(found: Sequence[int], step: Step) -> int | None:
    """Return the index of the only element that a step selects; None if it selects none.

    Raises:
        UsageError: The step selects several elements.
    """
    if len(found) > 1:
        raise UsageError(
            f"{show([step])} means {len(found)} elements, those at {', '.join(map(str, found))}:"
            " add a field that only one of them has, or give the index"
        )
    return found[0] if found else None


def _index(step: Step) -> int | None:
    if type(step) is Digits:
        return int(step[: LONGEST_INDEX + 1])  # so many digits are past the end of any list
    return step if isinstance(step, int) else None


def resolved(data: Any, steps: Iterable[Step]) -> list[str | int] | None:
    """Return the keys and indexes that a path leads through in plain data; None if it leads to
    nothing.

    Indexes are counted from the start, also for steps such as `[-1]` and `[name=web]`.

    Raises:
        UsageError: A step selects several elements of a list.
    """
    found: list[str | int] = []
    for step in steps:
        key = find(data, step)
        if key is None:
            return None
        found.append(key)
        data = data[key]
    return found


def lookup(data: Any, steps: Iterable[Step], default: Any = None) -> Any:
    """Return the value at a path in plain data (not a copy), or `default` if the path leads to
    nothing.

    Raises:
        UsageError: A step selects several elements of a list.
    """
    for step in steps:
        key = find(data, step)
        if key is None:
            return default
        data = data[key]
    return data


def put(data: Any, steps: Sequence[Step], value: Any, whole: str = "this") -> None:
    """Put a value at a path in plain data. Missing dicts and lists on the path are made.

    Digits between dots are an index in a list that exists, and a key everywhere else, such as in
    `data.8080` of a ConfigMap.

    Args:
        data: The data, which is changed.
        steps: The path.
        value: The value.
        whole: The data's name in messages.

    Raises:
        UsageError: The path is empty, or the value can't be put there; see `plan`.
    """
    known: list[Step] = []
    for step in steps:
        at = lookup(data, known)
        known.append(str(step) if type(step) is Digits and not isinstance(at, list) else step)
    holder, key, made = plan(data, known, value, whole)
    if key == len(holder) and isinstance(holder, list):
        holder.append(made)
    else:
        holder[key] = made


def plan(
    data: object,
    steps: Sequence[Step],
    value: Any,
    whole: str = "this",
    find: Callable[[object, Step], str | int | None] = find,
) -> tuple[Any, str | int, Any]:
    """Return the change that puts a value at a path: a dict or list, the key to set in it, and the
    key's new value.

    The new value includes the dicts and lists that are missing on the path. A null on the path
    counts as missing, as in Kubernetes; `data` itself must be a dict or a list. An index that is
    the list's length means to append. Negative indexes only replace elements. Unlike in `put`,
    digits between dots are an index where a list or dict must be made.

    Args:
        data: The data, which isn't changed.
        steps: The path.
        value: The value.
        whole: The data's name in messages.
        find: Finds a step's key or index, as the function `find` does; `krm` has a faster one for
            long lists.

    Raises:
        UsageError: The path is empty, leads through a scalar, has a key for a list or an index for
            a mapping, leads past a list's end, or selects several elements; or a selection doesn't
            select the new element.
    """
    holder: Any = data
    for at, step in enumerate(steps):
        if not isinstance(holder, (dict, list)):
            place, kind = show(steps[:at]) or whole, json_type_in_words(holder)
            raise _unset(steps, f"{place} is neither an object nor a list (it is {kind})")
        key = find(holder, step)
        below = None if key is None else holder[key]  # type: ignore[index]  # a dict's key or a list's index
        if below is not None and at + 1 < len(steps):
            holder = below
            continue
        for later in range(len(steps) - 1, at, -1):
            is_key = not isinstance(steps[later], Select) and _index(steps[later]) is None
            made: Any = {} if is_key else []
            first, value = _new(made, steps, later, value, whole)
            value = {first: value} if is_key else [value]
        return (
            (holder, *_new(holder, steps, at, value, whole))
            if key is None
            else (holder, key, value)
        )
    raise UsageError(f"the path into {whole} is empty; give at least one step, such as spec")


def _unset(steps: Sequence[Step], problem: str) -> UsageError:
    return UsageError(f"{show(steps)!r} can't be set: {problem}")


def _new(
    holder: Any, steps: Sequence[Step], at: int, value: Any, whole: str
) -> tuple[str | int, Any]:
    """Return the key and the value with which a dict or list gets a new member, for step number
    `at` of a path.
    """
    step, place = steps[at], show(steps[:at]) or whole
    if isinstance(holder, dict):
        if not isinstance(step, str):
            raise _unset(steps, f"{place} isn't a list, so it has no {show([step])}")
        return str(step), value
    if isinstance(step, Select):
        if not isinstance(value, dict) or not step.matches({**step.made(), **value}):
            raise _unset(
                steps, f"the new element must be an object, and its fields must fit {show([step])}"
            )
        return len(holder), {**step.made(), **value}
    index = _index(step)
    if index is None:
        raise _unset(steps, f"{place} is a list; say which element: [0], or [name=...]")
    has = f"{place} has {len(holder)} element{'' if len(holder) == 1 else 's'}"
    if index < 0:
        raise _unset(steps, f"{has}, so there is no element [{index}]")
    if index > len(holder):
        raise _unset(steps, f"{has}, and only the next can be added: [{len(holder)}]")
    return index, value


# Whole data. The way to a value is a pair of the way to its holder and a step; the top's is empty.


def steps_of(way: Way) -> list[Any]:
    """Return the steps of a way, from the top of the data."""
    steps = []
    while way:
        way, step = way
        steps.append(step)
    return steps[::-1]


def _check(depth: int, way: Way) -> None:
    if depth > DEEPEST:
        raise UsageError(
            f"{show(steps_of(way)[:8])}... contains itself, or has more than {DEEPEST} levels"
        )


def leaves(
    value: Any, way: Way = (), depth: int = 0
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield each scalar, empty object and empty list in plain data, the last one first, after its
    path's steps.
    """
    _check(depth, way)
    if value and isinstance(value, (dict, list)):
        for step, child in reversed(
            list(value.items() if isinstance(value, dict) else enumerate(value))
        ):
            yield from leaves(child, (way, step), depth + 1)
    else:
        yield tuple(steps_of(way)), value


def canonical(value: Any, way: Way = (), depth: int = 0) -> str:
    """Return a text of plain data. Equal data gives the same text, whatever the order of its
    keys.
    """
    _check(depth, way)
    if not isinstance(value, (dict, list)):
        return f"{value!r},"
    text = "{" if isinstance(value, dict) else "["
    for step in sorted(value) if isinstance(value, dict) else range(len(value)):
        if isinstance(value, dict):
            text += f"{step!r}:"
        text += canonical(value[step], (way, step), depth + 1)
    return text + ("}" if isinstance(value, dict) else "]")


def equal(
    one: Any, other: Any, same: Callable[[Any, Any], bool], way: Way = (), depth: int = 0
) -> bool:
    """Return whether two values of plain data are equal; `same` compares what is neither two dicts
    nor two lists.
    """
    _check(depth, way)
    if isinstance(one, dict) and isinstance(other, dict):
        steps: Any = one
        if one.keys() != other.keys():
            return False
    elif isinstance(one, list) and isinstance(other, list):
        steps = range(len(one))
        if len(one) != len(other):
            return False
    else:
        return same(one, other)
    for step in steps:
        if not equal(one[step], other[step], same, (way, step), depth + 1):
            return False
    return True


def copied(
    value: Any, changed: Callable[[Any], Any], too_deep: Callable[[], Exception], deepest: int
) -> Any:
    """Return a copy of plain data, in which the result of `changed` takes the place of each value,
    holders too.

    It takes data of any depth up to `deepest`, because models do.
    """
    box: list[Any] = [value]
    work: list[tuple[Any, Any, int]] = [(box, 0, 0)]
    while work:
        holder, key, depth = work.pop()
        if depth > deepest:
            raise too_deep()
        item = changed(holder[key])
        if type(item) is dict:
            item = dict(item)
            work.extend((item, step, depth + 1) for step in item)
        elif type(item) is list or type(item) is tuple:
            item = list(item)
            work.extend((item, step, depth + 1) for step in range(len(item)))
        holder[key] = item
    return box[0]


def identity(element: object, keys: Iterable[str]) -> tuple[Any, ...] | None:
    """Return an element's values of its list's merge keys; None if it isn't an object or one of
    them isn't a scalar.
    """
    if not isinstance(element, dict):
        return None
    values = tuple(element.get(key) for key in keys)
    return values if all(isinstance(value, (str, int, float)) for value in values) else None

"""Field paths as the functions specification writes them, such as `spec.template.spec.containers[3].resources`.

A path is a sequence of steps: keys, indexes, and selections of an element by its fields. KRM functions, the helpers for
resources, the paths of Observables and simulations all use this grammar. The module imports only modules that every KRM
function has loaded already.

=====================================  ================================================================================
`spec.replicas`                        Keys, with dots between them.
`[3]`                                  An index; `[-1]` is the last element, `[-2]` the last but one.
`[name=web]`                           The element of a list that has this field. Several fields are given as in
                                       `[containerPort=80,protocol=TCP]`. A value without quotes stands for the string
                                       and for the value that YAML reads: `80` for "80" and for 80.
`["a.b/c"]`, `['a.b/c']`, `[a.b/c]`    A key that may have dots. In quotes it may have any character or only digits; a
                                       character after a backslash stands for itself.
`ports.0`                              Digits between dots: an index in a list, a key in a mapping, as in the functions
                                       specification's example.
=====================================  ================================================================================
"""

from __future__ import annotations

import functools
import re

from .._base.type_names import json_type_in_words, value_in_words
from ..errors import UsageError
from .text import Digits, quoted, show

TYPE_CHECKING = False  # type checkers treat it as typing.TYPE_CHECKING; importing typing would take too long
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    Step: TypeAlias = "str | int | Select"

__all__ = ["Digits", "Select", "Step", "find", "is_direct", "lookup", "parse", "plan", "put", "resolved"]

# These patterns are compiled when they are first used, because most paths don't need any of them.
_QUOTED = r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*"""
_CONDITION = r"""\s*([^\s=\[\]"',]+)="""
_VALUE = r"""[^\[\]"',]*"""
_KEY = "[^.\\[\\]]+"

# The largest number of digits of an index. No list is so long, and Python doesn't convert thousands of digits.
_LONGEST_INDEX = 18


class Select:
    """A step that picks an element of a list by its fields, such as `[name=web]`.

    Attributes:
        fields: The wanted values by field. A value without quotes matches the same string and the value that YAML
            reads: `[port=80]` selects an element with 80 or "80". A value in quotes matches only the string.
    """

    __slots__ = ("fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = dict(fields)

    def __eq__(self, other: object) -> bool:
        return type(other) is Select and self._known() == other._known()

    def __hash__(self) -> int:
        return hash(frozenset(self._known().items()))

    def __repr__(self) -> str:
        return f"[{self}]"

    def __str__(self) -> str:
        return ",".join(f"{key}={one if type(one) is _Bare else quoted(str(one))}" for key, one in self.fields.items())

    def _known(self) -> dict[str, tuple[type, Any]]:
        """Return the fields with the type of each value, so that values with and without quotes aren't equal."""
        return {key: (type(one), one) for key, one in self.fields.items()}

    def matches(self, element: object) -> bool:
        """Return whether this step selects `element`, an element of a list. It is never selected if it isn't a dict."""
        from .._base.yaml_scalars import resolve  # few paths select

        if not isinstance(element, dict):
            return False
        for key, wanted in self.fields.items():
            found = element.get(key, self)
            # A string matches the value as it is written, so version=1.10 matches "1.10". Otherwise YAML's value
            # counts, and 1 doesn't match true.
            if isinstance(found, str):
                if found != str(wanted):
                    return False
            elif type(wanted) is not _Bare or found != resolve(wanted) or isinstance(found, bool) != (wanted in _BOOLS):
                return False
        return True

    def made(self) -> dict[str, Any]:
        """Return the fields of a new element that this step selects: `{"port": 80}` for `[port=80]`."""
        from .._base.yaml_scalars import resolve

        return {key: resolve(str(one)) if type(one) is _Bare else one for key, one in self.fields.items()}


class _Bare(str):
    """A value without quotes in a selection, such as `web` in `[name=web]`."""

    __slots__ = ()


_BOOLS = ("true", "false", "True", "False", "TRUE", "FALSE")


def parse(path: str, *, whole_labels: bool = False) -> tuple[Step, ...]:
    """Split a field path into its steps: keys, indexes and selections, as the module's docstring describes them.

    Args:
        path: The path.
        whole_labels: Refuse a path with dots in the name of a label or an annotation, such as
            `metadata.labels.example.org/a`. Each dot begins a new step, so the path would lead to nothing.

    Raises:
        UsageError: `path` isn't a field path, or `whole_labels` refuses it.
    """
    if not isinstance(path, str):
        raise UsageError(f"a field path must be a string (got {value_in_words(path)})")
    steps = _parsed(path)
    if whole_labels and len(steps) > 3:
        _check_labels(path, steps)
    return steps


def _check_labels(path: str, steps: tuple[Step, ...]) -> None:
    for at, step in enumerate(steps[1:-2], 1):
        if step in ("labels", "annotations") and steps[at - 1] == "metadata":
            whole = ".".join(map(str, steps[at + 1 :]))
            raise UsageError(
                f"{path!r} has dots in the name of {'a label' if step == 'labels' else 'an annotation'}; "
                f"write it as {show([*steps[: at + 1], whole])}"
            )


@functools.lru_cache(maxsize=1024)
def _parsed(path: str) -> tuple[Step, ...]:
    if "[" not in path and "]" not in path and all(parts := path.split(".")):
        return tuple(map(_key, parts))
    steps: list[Step] = []
    at = 0
    while at < len(path) or not steps:
        if path[at : at + 1] == "[":
            step, at = _bracketed(path, at + 1)
        else:
            if steps:
                if path[at] != ".":
                    raise _malformed(path)
                at += 1
            found = _match(_KEY, path, at)
            if found is None:
                raise _malformed(path)
            step, at = _key(found[0]), found.end()
        steps.append(step)
    return tuple(steps)


def _key(text: str) -> str:
    return Digits(text) if text.isdecimal() and text.isascii() else text


def _match(pattern: str, path: str, at: int) -> re.Match[str] | None:
    return re.compile(pattern, re.DOTALL).match(path, at)


def _bracketed(path: str, at: int) -> tuple[Step, int]:
    """Read the step in brackets whose text begins at `at`, after the opening bracket.

    Returns:
        The step, and the position after the closing bracket.

    Raises:
        UsageError: The text isn't a step, or has no closing bracket.
    """
    quoted = _match(_QUOTED, path, at)
    if quoted is not None:
        if path[quoted.end() : quoted.end() + 1] != "]":
            raise _malformed(path)
        return _unquoted(quoted), quoted.end() + 1
    if _match(_CONDITION, path, at):
        return _selection(path, at)
    end = path.find("]", at)
    inner = path[at : max(end, 0)]
    if not inner or inner[0] in "\"'*" or "[" in inner or "=" in inner:
        raise _malformed(path)
    digits = inner.removeprefix("-")
    if not digits.isdecimal() or not digits.isascii():
        return inner, end + 1
    if len(digits) > _LONGEST_INDEX:
        raise _malformed(path)
    return int(inner), end + 1


def _unquoted(found: re.Match[str]) -> str:
    """Return the text inside the quotes of `found`, a match of `_QUOTED`, without the backslashes of escapes."""
    return re.sub(r"\\(.)", r"\1", found[1] if found[1] is not None else found[2], flags=re.DOTALL)


def _selection(path: str, at: int) -> tuple[Select, int]:
    fields: dict[str, Any] = {}
    while True:
        key = _match(_CONDITION, path, at)
        if key is None:
            raise _malformed(path)
        at = key.end()
        value = _match(_QUOTED, path, at)
        if value is not None:
            fields[key[1]] = _unquoted(value)
        else:
            value = _match(_VALUE, path, at)
            assert value is not None  # it matches nothing too
            fields[key[1]] = _Bare(value[0].strip())
        at = value.end()
        if path[at : at + 1] == "]":
            return Select(fields), at + 1
        if path[at : at + 1] != ",":
            raise _malformed(path)
        at += 1


def _malformed(path: str) -> UsageError:
    return UsageError(
        f"{path!r} isn't a field path; write it as spec.ports[2].port or spec.containers[name=web].image; "
        'put keys with dots into brackets and quotes: metadata.annotations["example.org/a"]; there are no wildcards'
    )


# Paths in plain data


def is_direct(step: Step) -> bool:
    """Return whether a step is a key or an index from the start. Other steps, such as `[-1]`, depend on the data."""
    return type(step) is str or (type(step) is int and step >= 0)


def find(holder: object, step: Step) -> str | int | None:
    """Return the key or index that a step leads to in a dict or list.

    Returns:
        The key, or the index counted from the start (also for `[-1]`). None if the step leads to nothing, or `holder`
        is neither a dict nor a list.

    Raises:
        UsageError: The step selects several elements of a list.
    """
    if isinstance(holder, dict):
        return str(step) if isinstance(step, str) and step in holder else None
    if not isinstance(holder, list):
        return None
    if isinstance(step, Select):
        found = [at for at, element in enumerate(holder) if step.matches(element)]
        if len(found) > 1:
            raise UsageError(
                f"{show([step])} means {len(found)} elements, those at {', '.join(map(str, found))}: add a field that "
                "only one of them has, or give the index"
            )
        return found[0] if found else None
    at = _index(step)
    if at is None or not -len(holder) <= at < len(holder):
        return None
    return at if at >= 0 else at + len(holder)


def _index(step: Step) -> int | None:
    if type(step) is Digits:
        return int(step[: _LONGEST_INDEX + 1])  # so many digits are past the end of any list
    return step if isinstance(step, int) else None


def resolved(data: Any, steps: Iterable[Step]) -> list[str | int] | None:
    """Return the keys and indexes that a path leads through in plain data; None if it leads to nothing.

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
    """Return the value at a path in plain data (not a copy), or `default` if the path leads to nothing.

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

    Digits between dots are an index in a list that exists, and a key everywhere else, such as in `data.8080` of a
    ConfigMap.

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


def plan(data: object, steps: Sequence[Step], value: Any, whole: str = "this") -> tuple[Any, str | int, Any]:
    """Return the change that puts a value at a path: a dict or list, the key to set in it, and the key's new value.

    The new value includes the dicts and lists that are missing on the path. A null on the path counts as missing, as in
    Kubernetes; `data` itself must be a dict or a list. An index that is the list's length means to append. Negative
    indexes only replace elements. Unlike in `put`, digits between dots are an index where a list or dict must be made.

    Args:
        data: The data, which isn't changed.
        steps: The path.
        value: The value.
        whole: The data's name in messages.

    Raises:
        UsageError: The path is empty, leads through a scalar, has a key for a list or an index for a mapping, leads
            past a list's end, or selects several elements; or a selection doesn't select the new element.
    """
    way = _Way(steps, whole)
    holder: Any = data
    for at, step in enumerate(steps):
        if not isinstance(holder, (dict, list)):
            raise way.error(f"{way.place(at)} is neither an object nor a list (it is {json_type_in_words(holder)})")
        key = find(holder, step)
        if key is None:
            return holder, *way.added(holder, at, way.built(at + 1, value))
        if at + 1 == len(steps):
            return holder, key, value
        below = lookup(holder, [step])
        if below is None:
            return holder, key, way.built(at + 1, value)
        holder = below
    raise UsageError(f"the path into {whole} is empty; give at least one step, such as spec")


class _Way:
    """A path at which a value is put. It makes the missing dicts and lists, and the errors.

    Args:
        steps: The path.
        whole: The data's name in messages.
    """

    def __init__(self, steps: Sequence[Step], whole: str) -> None:
        self._steps = steps
        self._whole = whole

    def place(self, at: int) -> str:
        """Return the path of the dict or list in which step number `at` is looked up; the data's name for step 0."""
        return show(self._steps[:at]) or self._whole

    def error(self, problem: str) -> UsageError:
        return UsageError(f"{show(self._steps)!r} can't be set: {problem}")

    def added(self, holder: Any, at: int, value: Any) -> tuple[str | int, Any]:
        """Return the key and the value with which a dict or a list gets a new member.

        Args:
            holder: The dict or list.
            at: The position in the path of the step that leads to the new member.
            value: The new member. If the step is a selection, the fields that it selects by are added.

        Raises:
            UsageError: The step doesn't fit the dict or list, or doesn't select the value.
        """
        step = self._steps[at]
        if isinstance(holder, dict):
            if not isinstance(step, str):
                raise self.error(f"{self.place(at)} isn't a list, so it has no {show([step])}")
            return str(step), value
        if isinstance(step, Select):
            return len(holder), self._chosen(step, value)
        index = _index(step)
        if index is None:
            raise self.error(f"{self.place(at)} is a list; say which element: [0], or [name=...]")
        self._check_index(index, len(holder), at)
        return index, value

    def built(self, start: int, value: Any) -> Any:
        """Return a value inside of new dicts and lists, one for each step from number `start` to the end of the path.

        Raises:
            UsageError: An index isn't 0, or a selection doesn't select its element.
        """
        for at in range(len(self._steps) - 1, start - 1, -1):
            step = self._steps[at]
            index = _index(step)
            if isinstance(step, Select):
                value = [self._chosen(step, value)]
            elif index is None:
                value = {str(step): value}
            else:
                self._check_index(index, 0, at)
                value = [value]
        return value

    def _check_index(self, index: int, length: int, at: int) -> None:
        """Raise UsageError unless `index` is `length`, which appends an element to a list of this length."""
        has = f"{self.place(at)} has {length} element{'' if length == 1 else 's'}"
        if index < 0:
            raise self.error(f"{has}, so there is no element [{index}]")
        if index > length:
            raise self.error(f"{has}, and only the next can be added: [{length}]")

    def _chosen(self, step: Select, value: Any) -> dict[str, Any]:
        """Return a new element of a list: the object `value` with the fields by which `step` selects it.

        Raises:
            UsageError: The value isn't an object, or has another value in one of these fields.
        """
        if not isinstance(value, dict) or not step.matches({**step.made(), **value}):
            raise self.error(f"the new element must be an object, and its fields must fit {show([step])}")
        return {**step.made(), **value}

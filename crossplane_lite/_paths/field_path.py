"""Field paths as the functions specification writes them, such as `spec.template.spec.containers[3].resources`.

The one grammar for everything that takes a path: KRM functions, the helpers for resources, Observables' paths and
simulations. It loads nothing that a KRM function hasn't loaded anyway.

=====================================  ================================================================================
`spec.replicas`                        Keys, with dots between them.
`[3]`                                  An index; `[-1]` is the last element, `[-2]` the one before it.
`[name=web]`                           The element of a list that has these fields, as in
                                       `[containerPort=80,protocol=TCP]`. Without quotes a value means the text and
                                       the value that YAML reads.
`["a.b/c"]`, `['a.b/c']`, `[a.b/c]`    A key that may hold dots; in quotes also one of digits, and any other character:
                                       a backslash takes the one after it as it is.
`ports.0`                              Digits between dots: an index in a list, a key in a mapping, as in the functions
                                       specification's example.
=====================================  ================================================================================
"""

from __future__ import annotations

import functools
import re

from .._base.type_names import value_in_words
from ..errors import UsageError
from .text import Digits, quoted, show

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    Step: TypeAlias = "str | int | Select"

__all__ = ["Digits", "Select", "Step", "find", "is_direct", "lookup", "parse", "plan", "put", "resolved"]

# Compiled when they are first used; most paths need none of them.
_QUOTED = r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*"""
_CONDITION = r"""\s*([^\s=\[\]"',]+)="""
_VALUE = r"""[^\[\]"',]*"""
_KEY = "[^.\\[\\]]+"

# Digits of an index. No list is longer, and Python refuses to read thousands of them.
_LONGEST_INDEX = 18


class Select:
    """A step that picks an element of a list by its fields, such as `[name=web]`.

    Attributes:
        fields: Each field, and its wanted value. A value without quotes means the text, and also the value that YAML
            reads it as: `[containerPort=80]` picks 80 and "80"; a new element gets the former.
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
        """Return the fields, with quoted values told apart."""
        return {key: (type(one), one) for key, one in self.fields.items()}

    def matches(self, element: object) -> bool:
        """Say whether this step selects an element of a list."""
        from .._base.yaml_scalars import resolve  # few paths select

        if not isinstance(element, dict):
            return False
        for key, wanted in self.fields.items():
            found = element.get(key, self)
            # 80 is 80 and not true, but the label version=1.10 may be a text.
            if isinstance(found, str):
                if found != str(wanted):
                    return False
            elif type(wanted) is not _Bare or found != resolve(wanted) or isinstance(found, bool) != (wanted in _BOOLS):
                return False
        return True

    def made(self) -> dict[str, Any]:
        """Return the fields that a new element gets."""
        from .._base.yaml_scalars import resolve

        return {key: resolve(str(one)) if type(one) is _Bare else one for key, one in self.fields.items()}


class _Bare(str):
    """A value that stands without quotes in a selection."""

    __slots__ = ()


_BOOLS = ("true", "false", "True", "False", "TRUE", "FALSE")


def parse(path: str, *, whole_labels: bool = False) -> tuple[Step, ...]:
    """Return the steps of a field path: keys, indexes and selections, as described above.

    Args:
        path: The path.
        whole_labels: Refuse a path in which the name of a label or an annotation falls apart at its dots. Labels and
            annotations are texts, so that it would lead nowhere.

    Raises:
        UsageError: It isn't a field path.
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
    """Return the step whose bracket is open before `at`, and where the path goes on."""
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
    """Return the text in quotes; a backslash takes the character after it as it is."""
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
        f"{path!r} isn't a field path; write it as spec.ports[2].port or spec.containers[name=web].image, "
        'keys with dots in brackets and quotes: metadata.annotations["example.org/a"], without wildcards'
    )


# Paths in plain data


def is_direct(step: Step) -> bool:
    """Say whether a step is one key or one index from the start, whatever it leads into."""
    return type(step) is str or (type(step) is int and step >= 0)


def find(holder: object, step: Step) -> str | int | None:
    """Return the key or index that a step leads to in a dict or list, None where it leads nowhere.

    Returns:
        An index is counted from the start, also for `[-1]`.

    Raises:
        UsageError: Several elements of a list are meant.
    """
    if isinstance(holder, dict):
        return str(step) if isinstance(step, str) and step in holder else None
    if not isinstance(holder, list):
        return None
    if isinstance(step, Select):
        found = [at for at, element in enumerate(holder) if step.matches(element)]
        if len(found) > 1:
            raise UsageError(f"{show([step])} means {len(found)} elements, those at {', '.join(map(str, found))}")
        return found[0] if found else None
    at = _index(step)
    if at is None or not -len(holder) <= at < len(holder):
        return None
    return at if at >= 0 else at + len(holder)


def _index(step: Step) -> int | None:
    if type(step) is Digits:
        return int(step[: _LONGEST_INDEX + 1])  # which is beyond any list
    return step if isinstance(step, int) else None


def resolved(data: Any, steps: Iterable[Step]) -> list[str | int] | None:
    """Return the keys and indexes from the start that a path leads through, None where it leads nowhere.

    Raises:
        UsageError: Several elements of a list are meant.
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
    """Return the value at a path in plain data, not a copy; or `default`.

    Raises:
        UsageError: Several elements of a list are meant.
    """
    for step in steps:
        key = find(data, step)
        if key is None:
            return default
        data = data[key]
    return data


def put(data: Any, steps: Sequence[Step], value: Any, whole: str = "this") -> None:
    """Put a value at a path in plain data. Missing steps on the way are made, a list by its next index.

    Digits between dots are an index where a list is, and a key everywhere else: `data.8080` of a ConfigMap.

    Args:
        data: The data.
        steps: The path.
        value: The value.
        whole: The data's name in messages.

    Raises:
        UsageError: As of `plan`.
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
    """Return the change that puts a value at a path: the dict or list, the key, and the value.

    Missing steps on the way are part of the value that is returned; the index past a list's end means to append. A
    null on the way counts as missing, as for Kubernetes. `[-1]` replaces the last element, and adds none.

    Args:
        data: The data, which stays as it is.
        steps: The path.
        value: The value.
        whole: The data's name in messages.

    Raises:
        UsageError: The path leads through a text or number, takes a list for a mapping, or leads past a list's end.
    """
    way = _Way(steps, whole)
    holder: Any = data
    for at, step in enumerate(steps):
        if not isinstance(holder, (dict, list)):
            raise way.error(f"{way.place(at)} is neither an object nor a list")
        key = find(holder, step)
        if key is None:
            return holder, *way.added(holder, at, way.built(at + 1, value))
        if at + 1 == len(steps):
            return holder, key, value
        below = lookup(holder, [step])
        if below is None:
            return holder, key, way.built(at + 1, value)
        holder = below
    raise UsageError("a path needs at least one step")


class _Way:
    """A path at which a value is put, and the errors where that can't be done.

    Args:
        steps: The path.
        whole: The name in messages of the data that it leads into.
    """

    def __init__(self, steps: Sequence[Step], whole: str) -> None:
        self._steps = steps
        self._whole = whole

    def place(self, at: int) -> str:
        """Return the text before a step."""
        return show(self._steps[:at]) or self._whole

    def error(self, problem: str) -> UsageError:
        return UsageError(f"{show(self._steps)!r} can't be set: {problem}")

    def added(self, holder: Any, at: int, value: Any) -> tuple[str | int, Any]:
        """Return the key and the value of an addition to a dict or a list."""
        step = self._steps[at]
        if isinstance(holder, dict):
            if not isinstance(step, str):
                raise self.error(f"{self.place(at)} isn't a list")
            return str(step), value
        if isinstance(step, Select):
            return len(holder), self._chosen(step, value)
        index = _index(step)
        if index is None:
            raise self.error(f"{self.place(at)} is a list; say which element: [0], or [name=...]")
        self._check_index(index, len(holder), at)
        return index, value

    def built(self, start: int, value: Any) -> Any:
        """Return a value in the containers that it needs from a step on, where nothing is yet."""
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
        """Refuse an index that is not the next one of a list that it isn't in."""
        if index < 0:
            raise self.error(f"{self.place(at)} has {length} elements, so there is no element [{index}]")
        if index > length:
            raise self.error(f"{self.place(at)} has {length} elements, and only the next can be added")

    def _chosen(self, step: Select, value: Any) -> dict[str, Any]:
        """Return a new element of a list, with the fields by which the step selects it."""
        if not isinstance(value, dict) or not step.matches({**step.made(), **value}):
            raise self.error(f"the new element must be an object with {show([step])}")
        return {**step.made(), **value}

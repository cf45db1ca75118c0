"""Field paths as the functions specification writes them, such as `spec.template.spec.containers[3].resources`.

The package's `_fieldpath` reads nearly the same, but loads protobuf, which would take longer than a whole KRM function.
"""

from __future__ import annotations

import functools
import re

from ..errors import UsageError
from ..krm._text._scalars import resolve

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    Step: TypeAlias = "str | int | Select"

__all__ = ["Digits", "Select", "build", "find", "lookup", "parse", "plan", "show"]

# Compiled when they are first used; most paths need none of them.
_QUOTED = r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*"""
_CONDITION = r"""\s*([^\s=\[\]"',]+)="""
_VALUE = r"""[^\[\]"',]*"""
_KEY = "[^.\\[\\]]+"
_LETTERS = "[A-Za-z0-9_-]*[A-Za-z_-][A-Za-z0-9_-]*"


class Digits(str):
    """A step like the `0` of `spec.ports.0.port`: an index in a list, a key in a mapping."""

    __slots__ = ()


class Select:
    """A step that picks an element of a list by its fields, such as `[name=web]`.

    Attributes:
        fields: Each field, and what it must be. What stands without quotes there means the text, and also what YAML
            reads it as: `[containerPort=80]` picks 80 and "80"; a new element gets the former.
    """

    __slots__ = ("fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = dict(fields)

    def __repr__(self) -> str:
        return show([self])

    def matches(self, element: object) -> bool:
        """Say whether an element of a list is one that is meant."""
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
        return {key: resolve(str(one)) if type(one) is _Bare else one for key, one in self.fields.items()}


class _Bare(str):
    """A value that stands without quotes in a selection."""

    __slots__ = ()


_BOOLS = ("true", "false", "True", "False", "TRUE", "FALSE")


def parse(path: str) -> tuple[Step, ...]:
    """Return the steps of a field path.

    Keys are joined by dots. In brackets stands an index (`[3]`), a selection of a list's element by its fields
    (`[name=web]`, `[containerPort=80,protocol=TCP]`), or a key, which may hold dots there (`["a.b/c"]`, `[a.b/c]`).
    Digits between dots are an index in a list and a key in a mapping (`spec.ports.0.port`, as the functions
    specification's example has it).

    Raises:
        UsageError: It is no field path.
    """
    if not isinstance(path, str):
        raise UsageError(f"a field path must be a string (got {path!r} that is a {type(path).__name__})")
    return _checked(path)


@functools.lru_cache(maxsize=1024)
def _checked(path: str) -> tuple[Step, ...]:
    """Return the steps of a path, unless a label or an annotation falls apart in it, whose values hold nothing."""
    steps = _parsed(path)
    for at, step in enumerate(steps[1:-2], 1):
        if step in ("labels", "annotations") and steps[at - 1] == "metadata":
            whole = ".".join(map(str, steps[at + 1 :]))
            raise UsageError(
                f"{path!r} has dots in the name of {'a label' if step == 'labels' else 'an annotation'}; "
                f"write it as {show([*steps[: at + 1], whole])}"
            )
    return steps


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
    if not inner or inner[0] in "\"'*" or "[" in inner or "=" in inner or re.fullmatch(r"-[0-9]+", inner):
        raise _malformed(path)
    return int(inner) if inner.isdecimal() and inner.isascii() else inner, end + 1


def _unquoted(found: re.Match[str]) -> str:
    """Return what stands in quotes; a backslash takes the character after it as it is."""
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
        f"{path!r} is no field path; write it as spec.containers[0].image or spec.containers[name=web].image, "
        'keys with dots in brackets and quotes: metadata.annotations["example.org/a"], without wildcards'
    )


def show(steps: Iterable[Step]) -> str:
    """Return steps as a path, such as `spec.ports[2]["a/b"]`."""
    path = ""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        elif isinstance(step, Select):
            fields = [f"{key}={one if type(one) is _Bare else _quoted(one)}" for key, one in step.fields.items()]
            path += f"[{','.join(fields)}]"
        elif re.fullmatch(_LETTERS, step) or type(step) is Digits:
            path += f".{step}" if path else step
        else:
            path += f"[{_quoted(step)}]"
    return path


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# Paths in plain data


def find(holder: object, step: Step) -> str | int | None:
    """Return the key or index that a step leads to in a dict or list, None where it leads nowhere.

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
    return at if at is not None and at < len(holder) else None


def _index(step: Step) -> int | None:
    if type(step) is Digits:
        return int(step)
    return step if isinstance(step, int) else None


def lookup(data: Any, steps: Sequence[Step], default: Any = None) -> Any:
    """Return the value at a path in plain data, not a copy; `default` where there is none."""
    for step in steps:
        key = find(data, step)
        if key is None:
            return default
        data = data[key]
    return data


def plan(data: object, steps: Sequence[Step], value: Any) -> tuple[Any, str | int, Any]:
    """Return what has to be put where, so that a value stands at a path: the dict or list, the key, and the value.

    What is missing on the way is part of the value that is returned; the index past a list's end means to append. A
    null on the way counts as missing, as for Kubernetes.

    Raises:
        UsageError: The path leads through a text or number, takes a list for a mapping, or leads past a list's end.
    """
    holder: Any = data
    for at, step in enumerate(steps):
        if not isinstance(holder, (dict, list)):
            raise _no_way(steps, at, f"{show(steps[:at]) or 'this'} is neither an object nor a list")
        key = find(holder, step)
        rest = steps[at + 1 :]
        if key is None:
            return holder, *_added(holder, steps, at, build(rest, value, steps))
        if not rest:
            return holder, key, value
        below = lookup(holder, [step])
        if below is None:
            return holder, key, build(rest, value, steps)
        holder = below
    raise UsageError("a path needs at least one step")


def _added(holder: Any, steps: Sequence[Step], at: int, value: Any) -> tuple[str | int, Any]:
    """Return the key and the value of something that a dict or list gets new."""
    step = steps[at]
    where = show(steps[:at]) or "this"
    if isinstance(holder, dict):
        if not isinstance(step, str):
            raise _no_way(steps, at, f"{where} is no list")
        return str(step), value
    if isinstance(step, Select):
        return len(holder), _chosen(step, value, steps)
    index = _index(step)
    if index is None:
        raise _no_way(steps, at, f"{where} is a list; say which element: [0], or [name=...]")
    if index > len(holder):
        raise _no_way(steps, at, f"{where} has {len(holder)} elements, and only the next can be added")
    return index, value


def build(rest: Sequence[Step], value: Any, steps: Sequence[Step]) -> Any:
    """Return a value with what has to stand around it, where nothing is yet.

    Args:
        rest: The steps from there to the value.
        value: The value.
        steps: The whole path, for messages.

    Raises:
        UsageError: A step is an index that isn't 0.
    """
    for at in range(len(rest) - 1, -1, -1):
        step = rest[at]
        index = _index(step)
        if isinstance(step, Select):
            value = [_chosen(step, value, steps)]
        elif index is None:
            value = {str(step): value}
        elif index:
            whole = len(steps) - len(rest) + at
            raise _no_way(steps, whole, f"{show(steps[:whole])} has 0 elements, and only the next can be added")
        else:
            value = [value]
    return value


def _chosen(step: Select, value: Any, steps: Sequence[Step]) -> dict[str, Any]:
    """Return a new element of a list that has the fields it is picked by."""
    if not isinstance(value, dict) or not step.matches({**step.made(), **value}):
        raise UsageError(f"{show(steps)!r} can't be set: the new element must be an object with {show([step])}")
    return {**step.made(), **value}


def _no_way(steps: Sequence[Step], at: int, problem: str) -> UsageError:
    return UsageError(f"{show(steps)!r} can't be set: {problem}")

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

from ...errors import UsageError
from ..base.texts import value_in_words
from .text import Digits, show
from .trees import LONGEST_INDEX, Bare, Select, find, is_direct, lookup, plan, put, resolved, the_one

TYPE_CHECKING = False  # type checkers treat it as typing.TYPE_CHECKING; importing typing would take too long
if TYPE_CHECKING:
    from typing import Any

    from .trees import Step as Step

__all__ = ["Digits", "Select", "Step", "find", "is_direct", "lookup", "parse", "plan", "put", "resolved", "the_one"]

# These patterns are compiled when they are first used, because most paths don't need any of them.
_QUOTED = r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*"""
_CONDITION = r"""\s*([^\s=\[\]"',]+)="""
_VALUE = r"""[^\[\]"',]*"""
_KEY = "[^.\\[\\]]+"


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
    if len(digits) > LONGEST_INDEX:
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
            fields[key[1]] = Bare(value[0].strip())
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

"""Field paths such as `spec.ports[2].port` and `metadata.annotations[crossplane.io/external-name]`."""

from __future__ import annotations

from typing import Any, Final

from .._wire.tree import join_path
from ..errors import UsageError

__all__ = ["parse", "put"]

# Digits. No list is longer, and Python refuses to read thousands of them.
_LONGEST_INDEX: Final = 18


def parse(path: str) -> list[str | int]:
    """Return the keys and indexes of a field path.

    Keys are joined by dots. What stands in brackets is an index where it is a number, and otherwise a key, which may
    hold dots then; in quotes it is a key in any case.

    Raises:
        UsageError: It is no field path.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        if path[at] == "[":
            step, at = _bracketed(path, at)
            steps.append(step)
            continue
        if steps and path[at] != ".":
            raise _malformed(path)
        start = at + 1 if steps else at
        at = min(end for end in (path.find(".", start), path.find("[", start), len(path)) if end >= 0)
        if at == start or "]" in path[start:at]:
            raise _malformed(path)
        steps.append(path[start:at])
    if not steps:
        raise _malformed(path)
    return steps


def _bracketed(path: str, at: int) -> tuple[str | int, int]:
    """Return what stands in the brackets that open at `at`, and where the path goes on."""
    quote = path[at + 1 : at + 2]
    if quote and quote in "'\"":
        return _quoted(path, at + 2, quote)
    end = path.find("]", at)
    inner = path[at + 1 : max(end, 0)]
    if not inner or inner == "*" or "[" in inner:
        raise _malformed(path)
    if not inner.isdecimal():
        return inner, end + 1
    if len(inner) > _LONGEST_INDEX:
        raise _malformed(path)
    return int(inner), end + 1


def _quoted(path: str, at: int, quote: str) -> tuple[str, int]:
    """Return the key whose quoted text starts at `at`; a backslash takes the character after it as it is."""
    key = ""
    while at < len(path) and path[at] != quote:
        at += path[at] == "\\"
        key += path[at : at + 1]
        at += 1
    if path[at : at + 2] != quote + "]":
        raise _malformed(path)
    return key, at + 2


def _malformed(path: str) -> UsageError:
    return UsageError(
        f"{path!r} is no field path; write it as spec.ports[2].port, keys with dots in brackets: "
        "metadata.annotations[example.org/a], without wildcards"
    )


def put(data: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at a field path in plain data. What is missing on the way is made, a list by its next index.

    Raises:
        UsageError: It is no field path, or leads through a value that is no object or list, or past a list's end.
    """
    steps = parse(path)
    holder: Any = data
    for at, step in enumerate(steps):
        _check(holder, step, path, join_path(steps[:at]) or "the resource")
        present = step in holder if isinstance(step, str) else step < len(holder)
        child = holder[step] if present else None
        if at + 1 == len(steps):
            child = value
        elif child is None:
            child = {} if isinstance(steps[at + 1], str) else []
        if present or isinstance(step, str):
            holder[step] = child
        else:
            holder.append(child)
        holder = child


def _check(holder: object, step: str | int, path: str, where: str) -> None:
    """Refuse a step that can't be taken in what stands at `where`."""
    wanted = dict if isinstance(step, str) else list
    if not isinstance(holder, wanted):
        raise UsageError(f"{path!r} can't be set: {where} is {'no object' if wanted is dict else 'no list'}")
    if isinstance(holder, list) and isinstance(step, int) and step > len(holder):
        raise UsageError(f"{path!r} can't be set: {where} has {len(holder)} elements, and only the next can be added")

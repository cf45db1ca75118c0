"""The values that were there before: what was made from them still has them.

A field of an existing resource, or of the composite's status, into which compose() puts a missing value has the value
that was there when it was set last. With these in the request, a run of compose() does what it did then. So it shows
what Python code does with a text, or with what `is` and `type` say of a value, which no Observable notices.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._observed.observable import EXTERNAL_NAME, Observable, root_of
from .._paths import field_path
from ..errors import CrossplaneLiteError
from ..proto import _view

if TYPE_CHECKING:
    from .._call.call import Call
    from .._models.walker import Tree
    from .._observed.root import Root

__all__ = ["last_known", "request_with"]

_TOKEN = re.compile("\0([0-9]+)\0")


def last_known(call: Call, trees: Iterable[tuple[Tree | None, bytes | None]]) -> dict[str, tuple[Observable[Any], Any]]:
    """Return the missing values that can be told from what exists, by path.

    Args:
        call: The call.
        trees: What is desired, with the bytes of what is observed in its place.
    """
    found: dict[str, tuple[Observable[Any], Any]] = {}
    for tree, raw in trees:
        if tree is None or raw is None or not tree.found:
            continue
        live = _wire.decode_struct(raw)
        for one in tree.found:
            if one.is_key:
                continue
            wanted, there = (_at(top, one.steps) for top in (tree.data, live))
            if there is None:
                continue
            if type(wanted) is Observable:
                _note(found, wanted, there)
            elif isinstance(wanted, str) and isinstance(there, str):
                for number, text in _parts(call.normal(wanted), there):
                    if number in call.tokens:
                        _note(found, call.tokens[number], text)
    return found


def _note(found: dict[str, tuple[Observable[Any], Any]], observable: Observable[Any], value: Any) -> None:
    # What apply() has made is no value of the request.
    if observable.__cl_deps__ is None and root_of(observable) is not None:
        found.setdefault(observable.source_path, (observable, value))


def _at(top: Any, steps: Iterable[Any]) -> Any:
    for step in steps:
        try:
            top = top[step]
        except (LookupError, TypeError):
            return None
    return top


def _parts(wanted: str, there: str) -> Iterable[tuple[int, str]]:
    """Return what stands in an existing text in the place of each placeholder."""
    pattern, end = "", 0
    seen: set[str] = set()
    for token in _TOKEN.finditer(wanted):
        number = token[1]
        pattern += re.escape(wanted[end : token.start()])
        pattern += f"(?P=n{number})" if number in seen else f"(?P<n{number}>.+?)"
        seen.add(number)
        end = token.end()
    matched = re.fullmatch(pattern + re.escape(wanted[end:]), there, re.DOTALL) if seen else None
    return () if matched is None else [(int(name[1:]), text) for name, text in matched.groupdict().items()]


def request_with(call: Call, known: dict[str, tuple[Observable[Any], Any]], trees: dict[str, Tree]) -> Any | None:
    """Return the request of a call with values in it that are missing; None where none of them has a place.

    Args:
        call: The call.
        known: The values, as `last_known` returns them.
        trees: What is desired of resources, by name: what doesn't exist any more is there again.
    """
    request = _view.RunFunctionRequest.FromString(call.data)
    tops: dict[tuple[str, str], tuple[Any, dict[str, Any]]] = {}
    changed = False
    for path, (observable, value) in sorted(known.items()):
        root = root_of(observable)
        assert root is not None
        key = (root.kind, root.prefix)
        if key not in tops:
            holder = _holder(request, root, trees)
            if holder is None:
                continue
            tops[key] = holder, _wire.decode_struct(holder.resource)
        holder, top = tops[key]
        way = path[len(root.prefix) :].removeprefix(".")
        try:
            steps = ("metadata", "annotations", EXTERNAL_NAME) if way == "external_name" else field_path.parse(way)
        except CrossplaneLiteError:
            continue
        if steps[:1] == ("connection_details",) and len(steps) == 2:
            holder.connection_details[str(steps[1])] = str(value).encode()
            changed = True
        elif _put(top, steps, value):
            changed = True
    for holder, top in tops.values():
        holder.resource = _wire.encode_struct(top)
    return request if changed else None


def _holder(request: Any, root: Root, trees: dict[str, Tree]) -> Any | None:
    """Return the message in which an observed object stands."""
    if root.kind == "xr":
        return request.observed.composite
    if root.kind == "required":
        number = root.prefix.removeprefix(f"required.{root.name}[").removesuffix("]")
        items = request.required_resources[root.name].items if root.name in request.required_resources else ()
        return items[int(number)] if number.isdigit() and int(number) < len(items) else None
    if root.kind != "resource" or root.refers:
        return None
    if root.name not in request.observed.resources:
        tree = trees.get(root.name)
        if tree is None:
            return None
        made = {key: tree.data.get(key) for key in ("apiVersion", "kind")}
        request.observed.resources[root.name].resource = _wire.encode_struct({**made, "metadata": {"name": root.name}})
    return request.observed.resources[root.name]


def _put(top: Any, steps: tuple[Any, ...], value: Any) -> bool:
    """Put a value at the end of a way, where nothing is yet."""
    for at, step in enumerate(steps):
        is_last = at == len(steps) - 1
        below: Any = value if is_last else [] if isinstance(steps[at + 1], int) else {}
        if isinstance(top, dict) and isinstance(step, str):
            if is_last or top.get(step) is None:
                top[step] = below
            top = top[step]
        elif isinstance(top, list) and isinstance(step, int) and 0 <= step <= len(top):
            if step == len(top):
                top.append(below)
            elif is_last:
                top[step] = below
            top = top[step]
        else:
            return False
    return True

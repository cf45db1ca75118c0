"""Paths for messages, such as `bucket.spec.forProvider`: where a model, list or map is in desired state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._observed.tracker import current
from .._paths.text import show as show_path
from .node import HELD_NODE
from .shape import ModelShape

__all__ = ["place_of"]


def place_of(holder: Any) -> str:
    """Return the path of a model, list or map, such as `bucket.spec.forProvider`.

    The path begins with the name of the registered resource that contains the object. If no resource contains it, the
    path begins with the name of a class, or with `a list` or `a map`.
    """
    call = current()
    for name, top in {} if call is None else call.tops().items():
        way = _way(top, holder)
        if way is not None:
            return f"{name}.{show_path(way)}".removesuffix(".")
    # An object that was read from another object, and not written to yet, knows its owner.
    steps: list[str] = []
    node = holder._node
    while node is not None and node is not HELD_NODE and isinstance(node.owner, (ModelShape, list, dict)):
        steps.append(node.step)
        holder = node.owner
        node = holder._node
    if isinstance(holder, ModelShape):
        first = type(holder).__name__
    else:
        first = "".join(holder._type.place) or ("a list" if isinstance(holder, list) else "a map")
    return first + "".join(reversed(steps))


def _way(top: Any, wanted: Any) -> list[Any] | None:
    """Return the steps from a resource to one of the models, lists and maps in it; None if the resource lacks it.

    The steps are keys, indexes and names of fields in Kubernetes. The object is found by identity.
    """
    work: list[tuple[Any, tuple[Any, ...]]] = [(top, ())]
    seen = set()
    while work:
        one, steps = work.pop()
        if one is wanted:
            return list(steps)
        if id(one) not in seen:
            seen.add(id(one))
            work.extend((child, (*steps, step)) for step, child in _below(one))
    return None


def _below(holder: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(holder, ModelShape):
        known = type(holder).__wire_fields__
        views = {} if holder._node is None else holder._node.views or {}
        for name, child in {**views, **holder.__dict__}.items():
            if isinstance(child, (ModelShape, dict, list)):
                yield known[name].wire, child
    else:
        for key, child in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(child, (ModelShape, dict, list)):
                yield key, child

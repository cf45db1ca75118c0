"""Edits at paths, for the tests of the text: items and documents get new values, as resources write theirs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from crossplane_lite.krm._text import YamlNode
from crossplane_lite.krm._text._nodes import MAPPING, SEQUENCE, nodes_of, wanted

__all__ = ["arrange", "delete", "insert", "move", "put", "value_of"]


def value_of(root: YamlNode) -> Any:
    """Return a document's value with its edits."""
    return wanted(root)


def _content(node: YamlNode) -> Any:
    """Return the value that a node must have, to change it."""
    if node not in node.doc.wanted:
        content = node.value()
        node.assign(content, nodes_of(node, content))
    return node.doc.wanted[node][0]


def _fields(root: YamlNode) -> dict[Any, Any]:
    """Return a document's fields, to change them. Of a list of items, each item has a value of its own."""
    items = root.content.get("items")
    if items is None or items.kind != SEQUENCE or None in root.content or root.doc.aliases:
        fields: dict[Any, Any] = _content(root)
        return fields
    if root not in root.doc.wanted:
        made = [*items.content]
        root.assign({**root.content, "items": made}, {id(made): None})
    fields = root.doc.wanted[root][0]
    return fields


def _holder(root: YamlNode, path: Any, last: Any = None) -> Any:
    """Return the object or list at a path, to change it; with the step `last` into it, missing ones are made."""
    holder: Any = _fields(root)
    for at, step in enumerate(path):
        if isinstance(holder, list):
            if step == len(holder):
                holder.append(None)
            found = holder[step]
        else:
            found = holder.get(step)
        if isinstance(found, YamlNode):
            found = _content(found) if found.kind in (MAPPING, SEQUENCE) else found.value()
        elif found is None and last is not None:
            found = holder[step] = [] if isinstance([*path, last][at + 1], int) else {}
        holder = found
    return holder


def put(root: YamlNode, path: Any, value: Any) -> None:
    """Set the value at a path; objects and lists on the way are made."""
    if not path:
        root.assign(copy.deepcopy(value))
        return
    steps = [*path]
    holder = _holder(root, steps[:-1], steps[-1])
    if not isinstance(holder, (dict, list)):  # a value of another kind stands there
        put(root, steps[:-1], {steps[-1]: value} if isinstance(steps[-1], str) else [value])
    elif isinstance(holder, list) and steps[-1] == len(holder):
        holder.append(copy.deepcopy(value))
    else:
        holder[steps[-1]] = copy.deepcopy(value)


def delete(root: YamlNode, path: Any) -> None:
    """Remove the value at a path."""
    del _holder(root, path[:-1])[path[-1]]


def insert(root: YamlNode, path: Any, index: int, value: Any) -> None:
    """Insert a value into the list at a path."""
    _holder(root, path).insert(index, value)


def move(root: YamlNode, path: Any, index: int, to: int) -> None:
    """Move an element of the list at a path."""
    elements = _holder(root, path)
    elements.insert(to, elements.pop(index))


def arrange(root: YamlNode, path: Any, change: Callable[[list[Any]], list[Any]]) -> None:
    """Change which elements the list at a path has; `change` gets its elements, which may be nodes of items."""
    elements = _holder(root, path)
    elements[:] = change([*elements])

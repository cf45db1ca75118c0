"""Edits the nodes of a stream. The text follows when the stream is dumped.

A new value is a value that was set and isn't in the text yet: a node of the kind FRESH.
"""

from __future__ import annotations

from ...errors import UsageError
from ._nodes import ALIAS, FRESH, MAPPING, SCALAR, SEQUENCE, YamlNode, copied, merged, own_child
from ._values import checked, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["arrange", "assign", "delete", "insert", "move", "put"]

# Values that depend on an edited one


def mark(node: YamlNode | None) -> None:
    """Mark a node and all nodes around it as changed: at least a part of their text must be written again."""
    while node is not None:
        node.changed = True
        node = node.parent


def touch(node: YamlNode) -> None:
    """Mark a node, and all nodes around it, as changed.

    Before that, each alias of one of these nodes is replaced by a copy of that node's value.
    """
    aliases = node.doc.aliases
    at: YamlNode | None = node if aliases else None
    while at is not None:
        for alias in aliases.pop(at, ()):
            detach(alias)
        at = at.parent
    mark(node)


def release(node: YamlNode) -> None:
    """Before a node is removed, replace the aliases of it, and of values in it, by copies. Aliases in the node stay."""
    for anchored in list(node.doc.aliases):
        if _holds(node, anchored):
            for alias in node.doc.aliases.pop(anchored):
                if not _holds(node, alias):
                    detach(alias)


def _holds(node: YamlNode, inner: YamlNode | None) -> bool:
    while inner is not None and inner is not node:
        inner = inner.parent
    return inner is node


def detach(alias: YamlNode) -> None:
    """Replace an alias by a copy of its value. A node that isn't an alias stays as it is.

    If a merge key uses the alias, the merge key is replaced by fields of the mapping itself.
    """
    if alias.kind != ALIAS:
        return
    holder = alias.parent
    assert holder is not None  # a document is a mapping
    above = holder.parent
    if holder.kind == MAPPING and holder.content.get(None) is alias:
        spell_out(holder)
    elif above is not None and above.kind == MAPPING and above.content.get(None) is holder:
        spell_out(above)
    else:
        value = alias.value()
        alias.source, alias.kind, alias.content = alias.content, FRESH, value
        mark(alias)


def spell_out(mapping: YamlNode) -> None:
    """Replace the merge key of a mapping by fields of the mapping itself."""
    values = mapping.value()
    mark(mapping)
    release(mapping.content[None])
    if None not in mapping.content:
        return  # the merged value had an alias of itself, which is written out now
    _own(mapping)
    del mapping.content[None]
    for key, value in values.items():
        if key not in mapping.content:
            mapping.content[key] = _fresh(mapping, value)


# The tree


def _fresh(parent: YamlNode, value: Any) -> YamlNode:
    node = YamlNode(parent.doc, parent, FRESH, value, -1, -1, "")
    node.changed = True
    return node


def _own(node: YamlNode) -> None:
    """Before the content of a node is changed, keep the content that the node has in the text as `source`."""
    if node.source is None:
        node.source = node.content
        node.content = node.content.copy()


def assign(node: YamlNode, value: Any) -> None:
    """Give a node a new value. Only the differences from the old value become edits.

    Raises:
        UsageError: The node is a document, and the value isn't a mapping.
    """
    if same(node.value(), value):
        return
    if node.kind == MAPPING and isinstance(value, dict):
        for key in [key for key in node.value() if key not in value]:
            _remove(node, key)
        for key, one in value.items():
            _put_field(node, key, one)
    elif node.kind == SEQUENCE and isinstance(value, list):
        from ._match import matched

        elements = matched(node.content, value)
        _arrange(node, elements)
        for child, one in zip(node.content, value, strict=True):
            assign(child, one)
    else:
        _replace(node, value)


def _replace(node: YamlNode, value: Any) -> None:
    if node.parent is None:
        raise UsageError(f"{node.doc.label}: the new value of a document must be a mapping")
    touch(node)
    if node.kind != FRESH:
        release(node)
        if node.source is None:
            node.source = node.content
        node.kind = FRESH
    elif node.was == SCALAR:
        # If the new value is the one in the text, the text stays as it is.
        node.kind, node.content = SCALAR, node.source
        if same(node.value(), value):
            node.source = None
            return
        node.kind = FRESH
    node.content = value


def _put_field(mapping: YamlNode, key: str, value: Any) -> None:
    child = mapping.content.get(key)
    if child is not None:
        assign(child, value)
        return
    below = mapping.child(key)
    if below is None or not same(below.value(), value):
        _add(mapping, key, value)


def _add(mapping: YamlNode, key: str, value: Any) -> YamlNode:
    touch(mapping)
    _own(mapping)
    child: YamlNode | None = mapping.source.get(key)
    if child is None:
        child = mapping.content[key] = _fresh(mapping, value)
        return child
    # It was deleted before: it gets its old place.
    content = {**mapping.content, key: child}
    first = [one for one in mapping.source if one in content]
    mapping.content = {one: content[one] for one in [*first, *content]}
    assign(child, value)
    return child


def _remove(node: YamlNode, step: str | int) -> None:
    """Remove a field or an element that exists. A merge key that also gives the field is spelled out first."""
    if node.kind == MAPPING and None in node.content and any(one.child(step) for one in merged(node.content[None])):
        touch(node)
        spell_out(node)
    touch(node)
    _own(node)
    release(node.content[step])
    del node.content[step]


def _within(node: YamlNode, step: str | int) -> YamlNode | None:
    """Return the node of a field or an element, for edits; None if there is none.

    If it is an alias, or comes from a merge key, it is replaced by a copy first.
    """
    child = own_child(node, step)
    if child is None:
        below = node.child(step)
        return None if below is None else _add(node, str(step), below.value())
    if child.kind == ALIAS:
        touch(child)
        detach(child)
    return child


def _is_absent(node: YamlNode) -> bool:
    return node.kind == SCALAR and node.value() is None


def put(node: YamlNode, steps: Sequence[str | int], value: Any) -> None:
    """Put a value at a path. Raises the same errors as `YamlNode.set`."""
    value = checked(value)
    for step in steps:
        checked(step, "a key")
    if node.has(steps) and same(node.get(steps), value):
        return
    at = 0
    node = _editable(node)
    while at < len(steps) and node.kind in (MAPPING, SEQUENCE):
        step = steps[at]
        child = _within(node, step) if at + 1 < len(steps) else own_child(node, step)
        if child is None:
            for later in reversed(steps[at + 1 :]):
                value = _holder(later, steps, value)
            if node.kind == MAPPING and isinstance(step, str):
                _add(node, step, value)
            elif node.kind == SEQUENCE and step == len(node.content):
                _insert(node, step, value)
            else:
                raise _no_way(steps, at, node.kind == SEQUENCE)
            return
        node = child
        at += 1
    if at == len(steps):
        assign(node, value)
    elif node.kind == FRESH:
        touch(node)
        node.content = _put_plain(node.content, steps, at, value)
    elif _is_absent(node):
        for later in reversed(steps[at:]):
            value = _holder(later, steps, value)
        _replace(node, value)
    else:
        raise _no_way(steps, at, False)


def _editable(node: YamlNode) -> YamlNode:
    if node.kind == ALIAS:
        touch(node)
        detach(node)
    return node


def _holder(step: str | int, steps: Sequence[str | int], value: Any) -> Any:
    if isinstance(step, str):
        return {step: value}
    if step != 0:
        raise _no_way(steps, list(steps).index(step), True)
    return [value]


def _put_plain(holder: Any, steps: Sequence[str | int], at: int, value: Any) -> Any:
    """Put a value at a path into plain data, and return the data. Missing dicts and lists on the path are made.

    Args:
        holder: The data at the first `at` steps of the path, which is changed; None if it is missing.
        steps: The path.
        at: How many steps lead to `holder`.
        value: The value.

    Raises:
        UsageError: The path leads through a string or number, or past a list's end.
    """
    if at == len(steps):
        return value
    step = steps[at]
    if holder is None:
        holder = {} if isinstance(step, str) else []
    if isinstance(holder, dict) and isinstance(step, str):
        holder[step] = _put_plain(holder.get(step), steps, at + 1, value)
    elif isinstance(holder, list) and not isinstance(step, str) and 0 <= step <= len(holder):
        if step == len(holder):
            holder.append(None)
        holder[step] = _put_plain(holder[step], steps, at + 1, value)
    else:
        raise _no_way(steps, at, isinstance(holder, list))
    return holder


def _no_way(steps: Sequence[str | int], at: int, is_list: bool) -> UsageError:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps[: at + 1]).lstrip(".")
    problem = (
        "the list has no such index" if is_list and isinstance(steps[at], int) else "the value there has no such field"
    )
    return UsageError(f"{path}: {problem}")


def delete(node: YamlNode, steps: Sequence[str | int]) -> bool:
    """Remove the value at a path. Return whether there was one.

    Raises:
        UsageError: The path is empty.
    """
    if not steps:
        raise UsageError("a path to delete needs at least one step")
    if not node.has(steps):
        return False
    node = _editable(node)
    for at, step in enumerate(steps):
        if node.kind == FRESH:
            touch(node)
            holder = node.content
            for one in steps[at:-1]:
                holder = holder[one]
            del holder[steps[-1]]
            return True
        if at + 1 == len(steps):
            break
        child = _within(node, step)
        assert child is not None  # there is a value
        node = child
    _remove(node, steps[-1])
    return True


# Lists


def _list_at(node: YamlNode, steps: Sequence[str | int]) -> YamlNode:
    """Return the node of the list at a path, for edits. A missing or null list is made first.

    Raises:
        UsageError: The value isn't a list, or the path leads through a string or number.
    """
    if node.is_null(steps):
        put(node, steps, [])
    node = _editable(node)
    for at, step in enumerate(steps):
        if node.kind == FRESH:
            return _inside(node, steps, at)
        child = _within(node, step)
        if child is None:
            raise _no_way(steps, at, False)
        node = child
    if node.kind != SEQUENCE and not (node.kind == FRESH and isinstance(node.content, list)):
        raise _not_a_list(steps, node.value())
    return node


def _inside(node: YamlNode, steps: Sequence[str | int], at: int) -> YamlNode:
    """Return a node for a list inside of a new value. Edits of this node change the list itself.

    Args:
        node: The node of the new value.
        steps: The path of the list.
        at: How many steps lead to `node`.

    Raises:
        UsageError: The value at the path isn't a list.
    """
    value = node.content
    for step in steps[at:]:
        value = value[step]
    if not isinstance(value, list):
        raise _not_a_list(steps, value)
    touch(node)
    return _fresh(node, value)


def _not_a_list(steps: Sequence[str | int], value: Any) -> UsageError:
    from ..._base.type_names import json_type_in_words

    return UsageError(f"{'.'.join(map(str, steps)) or 'the value'} must be a list (got {json_type_in_words(value)})")


def insert(node: YamlNode, steps: Sequence[str | int], index: int, value: Any) -> None:
    """Insert a value into the list at a path. Raises the same errors as `YamlNode.insert`."""
    value = checked(value)
    holder = _list_at(node, steps)
    if not 0 <= index <= len(holder.content):
        raise _no_way([*steps, index], len(steps), True)
    _insert(holder, index, value)


def _insert(node: YamlNode, index: int, value: Any) -> None:
    touch(node)
    if node.kind == FRESH:
        node.content.insert(index, value)
        return
    _own(node)
    node.content.insert(index, _fresh(node, copied(value)))
    if node.doc.aliases:
        _release_order(node)


def move(node: YamlNode, steps: Sequence[str | int], index: int, to: int) -> None:
    """Move an element of the list at a path. Raises the same errors as `YamlNode.move`."""
    holder = _list_at(node, steps)
    for one in (index, to):
        if not 0 <= one < len(holder.content):
            raise _no_way([*steps, one], len(steps), True)
    elements = list(holder.content)
    elements.insert(to, elements.pop(index))
    _arrange(holder, elements)


def arrange(node: YamlNode, elements: Sequence[Any], steps: Sequence[str | int]) -> None:
    """Set the elements of the list at a path, as `YamlNode.arrange` does. A repeated or foreign node is copied."""
    node = _list_at(node, steps)
    seen: set[int] = set()
    new = []
    for one in elements:
        if isinstance(one, YamlNode) and (one.parent is not node or id(one) in seen):
            one = one.value()
        seen.add(id(one))
        new.append(one if isinstance(one, YamlNode) else checked(one))
    _arrange(node, new)


def _arrange(node: YamlNode, elements: list[Any]) -> None:
    if node.kind == FRESH:
        touch(node)
        node.content[:] = [one.value() if isinstance(one, YamlNode) else one for one in elements]
        return
    if len(elements) == len(node.content) and all(a is b for a, b in zip(elements, node.content, strict=True)):
        return
    touch(node)
    _own(node)
    kept = {id(one) for one in elements if isinstance(one, YamlNode)}
    for child in node.content:
        if id(child) not in kept:
            release(child)
    node.content = [one if isinstance(one, YamlNode) else _fresh(node, copied(one)) for one in elements]
    if node.doc.aliases:
        _release_order(node)


def _release_order(node: YamlNode) -> None:
    """After elements were added or moved, replace aliases by copies if they might get other values in the text.

    An alias has the value of the last anchor of its name before it. Now another anchor, or none, may come before it.
    """
    aliases = node.doc.aliases
    for anchored in list(aliases):
        home = _element_of(node, anchored)
        unique = anchored.anchor not in node.doc.repeated
        if any((home is not None or not unique) and _element_of(node, one) is not home for one in aliases[anchored]):
            for alias in aliases.pop(anchored):
                detach(alias)


def _element_of(node: YamlNode, inner: YamlNode | None) -> YamlNode | None:
    while inner is not None and inner.parent is not node:
        inner = inner.parent
    return inner

"""Reads the lists of a ResourceList from the nodes of its text, and writes changed content back into nodes.

A node (`YamlNode`) is a value in the text. A resource's content is plain data that is changed in place. When the
resource is written, only the differences between content and text are set in the text. An element of a list is
recognised by the identity of its Python object. So it keeps its comments if it was changed or moved, or if another
element was removed.
"""

from __future__ import annotations

from .._base.type_names import json_type_in_words
from ..errors import InputError
from ._text._nodes import MAPPING, own_child
from ._text._values import same

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from ._text import YamlNode

    Lists: TypeAlias = "dict[int, tuple[list[Any], list[Any]]]"

__all__ = ["arrange", "elements", "lists_in", "write_back"]


def elements(root: YamlNode, key: str) -> list[YamlNode] | None:
    """Return the node of each element of a list in the ResourceList.

    Args:
        root: The node of the ResourceList.
        key: The list's key, such as `items`.

    Returns:
        The nodes. None if the key is missing; an empty list if its value is null.

    Raises:
        InputError: The value isn't a list of objects; or the list isn't written out there, but is an alias (`*name`) or
            comes from a merge key (`<<`).
    """
    if not root.has([key]):
        return None
    node = own_child(root, key)
    value = root.get([key])
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{_at(root, node)}: {key} must be a list (got {json_type_in_words(value)})")
    found = [] if node is None else node.children()
    if not value:
        return []
    if node is None or len(found) != len(value):
        raise InputError(
            f"{_at(root, node)}: {key} must be written out: replace the alias or merge key by the list itself"
        )
    for at, (child, one) in enumerate(zip(found, value, strict=True)):
        if not isinstance(one, dict):
            raise InputError(
                f"{root.doc.label}, line {child.line}: {key}[{at}] must be an object (got {json_type_in_words(one)})"
            )
    return found


def arrange(root: YamlNode, key: str, found: list[Any]) -> list[YamlNode | None]:
    """Replace the elements of a list in the ResourceList.

    Args:
        root: The node of the ResourceList.
        key: The list's key, such as `items`.
        found: The new elements in their order: nodes that the list has already, and dicts for new elements.

    Returns:
        The node of each element. All are None if the list was null, missing or an alias, because it gets its new value
        as a whole then.
    """
    node = own_child(root, key)
    if node is None or not isinstance(node.value(), list) or (not node.children() and node.value()):
        root.set([key], [one if isinstance(one, dict) else one.value() for one in found])
    else:
        node.arrange(found)
        if len(node.children()) == len(found):
            return [*node.children()]
    return [None] * len(found)


def _at(root: YamlNode, node: YamlNode | None) -> str:
    return root.doc.label if node is None or not node.line else root.doc.at_line(node.line)


def lists_in(value: Any) -> Lists:
    """Return all lists in plain data whose elements include objects or lists.

    The result maps the `id()` of each list to a tuple of the list and a copy of it. The list is in the tuple so that no
    other object can get its `id()`.
    """
    found: Lists = {}
    work = [value]
    while work:
        one = work.pop()
        before = len(work)
        for child in one.values() if one.__class__ is dict else one:
            if child.__class__ is dict or child.__class__ is list:
                work.append(child)
        if one.__class__ is list and len(work) > before:
            found[id(one)] = (one, one[:])
    return found


def write_back(node: YamlNode, content: Any, lists: Lists) -> None:
    """Set the value of a node to `content`. Only the differences from the old value are edited in the text.

    Args:
        node: The node.
        content: The new value. It is the plain data that was read from the node, with its changes.
        lists: The result of `lists_in` for this data when it was read.
    """
    _write_back(node, content, lists, node.value())


def _write_back(node: YamlNode, content: Any, lists: Lists, before: Any) -> None:
    if isinstance(before, dict) and isinstance(content, dict):
        for key in before:
            if key not in content:
                node.delete([key])
        for key, one in content.items():
            if key in before:
                was = before[key]
                if was is one or (one.__class__ is str and was == one):
                    continue
                child = own_child(node, key)
                if one.__class__ is dict and was.__class__ is dict and child is not None and child.kind == MAPPING:
                    _write_back(child, one, lists, was)
                elif same(was, one):
                    continue
                elif child is not None:
                    _write_back(child, one, lists, was)
                else:
                    node.set([key], one)
            else:
                child = own_child(node, key)
                if child is None:
                    node.set([key], one)
                else:
                    write_back(child, one, lists)
    elif same(before, content):
        return
    elif isinstance(before, list) and id(content) in lists and _arrange(node, content, lists[id(content)][1]):
        for child, one in zip(node.children(), content, strict=True):
            write_back(child, one, lists)
    else:
        node.set([], content)


def _arrange(node: YamlNode, content: list[Any], before: list[Any]) -> bool:
    """Move, add and remove elements in a list's node, so that the node has an element for each one of `content`.

    An element is recognised by the identity of its Python object, else by its content. The values of the elements
    aren't changed yet.

    Args:
        node: The list's node.
        content: The list as it is now.
        before: A copy of the list as it was read from the node.

    Returns:
        Whether that was possible. It isn't if the list in the text is an alias, or has another number of elements than
        `before`.
    """
    children = node.children()
    if len(children) != len(before):
        return False
    if len(content) == len(before) and all(one is other for one, other in zip(content, before, strict=True)):
        return True
    from ._text._match import matched

    of = {id(one): child for one, child in zip(before, children, strict=True) if isinstance(one, (dict, list))}
    known = [of.pop(id(one), None) for one in content]
    taken = {id(child) for child in known if child is not None}
    free = [child for child in children if id(child) not in taken]
    others = iter(matched(free, [one for one, child in zip(content, known, strict=True) if child is None]))
    node.arrange([next(others) if child is None else child for child in known])
    return len(node.children()) == len(content)

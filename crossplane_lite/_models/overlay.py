"""Puts models and maps of desired state over the bytes of the same fields in previous functions' desired state.

The fields that aren't set in a model are then read from these bytes, which are called its source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from . import types
from .adopt import shell_of
from .containers import ModelList, ModelMap
from .node import COPY, HELD_NODE, LAID, LOOSE, Node
from .reader import present
from .shape import ModelShape
from .types import SCALARS

if TYPE_CHECKING:
    from .._observed.root import Root

__all__ = ["lay", "over_source"]

_MERGING: Final = (ModelShape, dict)


def over_source(node: Node, wire: str, type_: types.Type, value: Any) -> Any:
    """Return a value that is being set, laid over the value that a previous function set for this field (see `lay`).

    `value` itself is returned if previous functions set no value, or if one of the two values isn't an object or map.
    """
    inherited = node.fields.get(wire)
    if inherited is None or node.root is None or not isinstance(value, (ModelShape, dict)):
        return value
    kind, payload = _wire.open_value(inherited)
    return lay(type_, value, payload, node.root) if kind == _wire.STRUCT else value


def lay(type_: types.Type, value: Any, raw: bytes, root: Root) -> Any:
    """Put a model or map, and the objects in it, over the bytes that a previous function set for the same fields.

    Fields and keys that aren't set in it are read from these bytes. Returns the model itself, or a copy of its set
    fields if it already lies over other bytes in a call that hasn't ended. For a map, a new map is returned.
    """
    top: list[Any] = [value]
    work: list[tuple[Any, Any, types.Type, Any, bytes]] = [(top, 0, type_, value, raw)]
    while work:
        holder, key, type_, value, source = work.pop()
        laid: Any
        known: Mapping[str, types.Field] | None = None
        children: dict[str, Any]
        if isinstance(value, ModelShape):
            if value._node is not None and value._node.state == COPY:
                continue  # it has a source of its own, which the codec lays over the other one
            laid = _laid(value, source, root)
            known = laid.__wire_fields__
            child_holder = children = laid.__dict__
        else:
            laid = _map_over(type_, value, source, root)
            child_holder, children = laid, value
        (dict if isinstance(holder, dict) else list).__setitem__(holder, key, laid)
        node: Node = laid._node
        for name, child in children.items():
            if type(child) in SCALARS or not issubclass(type(child), _MERGING):
                continue
            if node.deleted is not None and name in node.deleted:
                continue  # set in the place of a deleted value: it replaces, and doesn't merge
            wire, child_type = (name, laid._type.item) if known is None else (known[name].wire, known[name].type)
            inherited = node.fields.get(wire)
            if inherited is not None:
                kind, payload = _wire.open_value(inherited)
                if kind == _wire.STRUCT:
                    work.append((child_holder, name, child_type, child, payload))
    return top[0]


def _laid(model: ModelShape, source: bytes, root: Root) -> ModelShape:
    node = model._node
    if node is None or node is HELD_NODE:  # nearly always so
        model._set_node(model, Node(LAID, source, root))
        return model
    if node.raw is not None and not (node.root is not None and node.root.call.closed):
        model = shell_of(model)
        model._set_node(model, Node(LAID, source, root))
        return model
    laid = Node(LAID, source, root)
    laid.deleted = node.deleted
    laid.views = node.views
    model._set_node(model, laid)
    _lay_views(model, laid)
    return model


def _lay_views(model: ModelShape, node: Node) -> None:
    """Give nested objects their parts of a model's new source. They were read before the model had the source.

    compose() may still hold these objects.
    """
    work = [(model, node)]
    while work:
        holder, above = work.pop()
        for name, view in (above.views or {}).items():
            field = holder.__wire_fields__[name]
            inherited = above.fields.get(field.wire)
            if inherited is None or name in (above.deleted or ()):
                continue
            kind, payload = _wire.open_value(inherited)
            if isinstance(view, ModelShape) and kind == _wire.STRUCT and view._node is not None:
                view._node.root = above.root
                view._node.lay_over(payload)
                work.append((view, view._node))
            elif isinstance(view, ModelList) and kind == _wire.LIST and view._node is not None:
                made = present(field.type, kind, payload, LOOSE, above, field.step)
                list.extend(view, made)
                _take_over(view, made, list(made))
            elif isinstance(view, ModelMap) and kind == _wire.STRUCT and view._node is not None:
                made = present(field.type, kind, payload, LOOSE, above, field.step)
                dict.update(view, made)
                _take_over(view, made, list(made.values()))


def _take_over(view: ModelList | ModelMap, made: ModelList | ModelMap, elements: list[Any]) -> None:
    """Make `view` the owner of the elements of `made`.

    `view` was read when it was empty, and has the elements already. `made` lies over the bytes of a previous function.
    """
    assert view._node is not None and made._node is not None
    view._node.root = made._node.root
    view._node.lay_over(made._node.raw or b"")
    for element in elements:
        place = getattr(element, "_node", None)
        if place is not None:
            place.attach_to(view, None)


def _map_over(type_: types.Type, own: dict[str, Any], source: bytes, root: Root) -> ModelMap:
    """Return a new map with the entries of `own`, and with those of a previous function for other keys.

    Keys that were deleted from `own` are left out.
    """
    up = Node(LOOSE, None, root)
    of = type_ if type_.code == types.MAP else types.ANY_TYPE
    merged: ModelMap = present(of, _wire.STRUCT, source, LOOSE, up, "", own)
    if isinstance(own, ModelMap):
        if merged._node is not None:
            merged._node.deleted = own.deleted
        for key in own.deleted or ():
            dict.pop(merged, key, None)
    for key, value in own.items():
        dict.__setitem__(merged, key, value)
    return merged

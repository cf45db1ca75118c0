"""Values on their way into desired state: what is taken as it is, converted, copied, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._base.sentinels import NULL, TOMBSTONE, UNSET
from .._observed.observable import Observable
from .._observed.tracker import current
from ..errors import DEEPEST, UnknownFieldError, UsageError
from . import types as _types
from .containers import ModelList, ModelMap, ObservedList, ObservedMap
from .model import Model, Resource, near_name, new_node, shell_of
from .node import DESIRED, TAKEN, WAIT, Node, present, refuse_whole

if TYPE_CHECKING:
    from typing import TypeAlias

    from .._observed.root import Root

    # What messages call a value. Of a list's item it is the list's name and the index, put together where one is said.
    _Name: TypeAlias = str | tuple["_Name", int]

__all__ = ["adopt", "fill", "lay", "over_source", "own_copy"]

_COPIED = frozenset({dict, list, tuple})


def adopt(type_: _types.Type, value: Any, name: str) -> Any:
    """Return `value` as it is kept in a field, list or map of this type; None and UNSET mean no opinion and give None.

    Raises:
        UsageError: The value can't stand there: the text says what can.
        UnknownFieldError: A mapping for a model has a key that the model does not have.
    """
    work = _Work()
    kept = _adopt_one(type_, value, name, work)
    work.finish()
    return kept


class _Work:
    """Values that still have to be adopted. It stands for a recursion: the data decides how deep it is nested."""

    __slots__ = ("_depth", "_items")

    def __init__(self) -> None:
        self._items: list[tuple[Any, Any, _types.Type, Any, _Name, int]] = []
        self._depth = 0

    def add(self, holder: Any, key: Any, type_: _types.Type, value: Any, name: _Name) -> None:
        """Leave a value for later: where it goes and under which key, its type, itself, and its name."""
        self._items.append((holder, key, type_, value, name, self._depth + 1))

    def finish(self) -> None:
        """Adopt what was left, and what that leaves."""
        while self._items:
            holder, key, type_, value, name, self._depth = self._items.pop()
            if self._depth > DEEPEST:
                raise _too_deep(name)
            kept = _adopt_one(type_, value, name, self)
            if kept is None and isinstance(holder, dict):
                dict.pop(holder, key)
            else:
                (dict if isinstance(holder, dict) else list).__setitem__(holder, key, kept)


def _adopt_one(type_: _types.Type, value: Any, name: _Name, work: _Work) -> Any:
    code = type_.code
    kind = type(value)
    if kind in _types.SCALARS:
        if code < _types.MODEL or code == _types.DYNAMIC:
            return value
        raise _unfit(type_, value, name)
    if kind is Observable or value is NULL:
        return value
    if value is None or value is UNSET:
        return None
    if isinstance(value, Model):
        return _adopt_model(type_, value, name)
    if isinstance(value, Mapping):
        return _adopt_mapping(type_, value, name, work)
    if isinstance(value, (list, tuple)):
        return _adopt_list(type_, value, name, work)
    if code >= _types.MODEL and code != _types.DYNAMIC:
        raise _unfit(type_, value, name)
    return value  # what JSON can't carry is refused with its whole path when the resource is encoded


def _adopt_list(type_: _types.Type, value: list[Any] | tuple[Any, ...], name: _Name, work: _Work) -> Any:
    code = type_.code
    if code == _types.MODEL or code == _types.MAP:
        raise _unfit(type_, value, name)
    observed = isinstance(value, ObservedList)
    if isinstance(value, (ObservedList, ModelList)) and _is_absent(value):
        return None
    if observed:
        refuse_whole(value._node, _label, name)  # type: ignore[union-attr]  # `observed` says which of the two it is
    elif code == _types.ANY:
        return _deep(value, name)
    values = [NULL if element is None else element for element in value] if observed else list(value)
    if code == _types.LIST and type_.item.code >= _types.MODEL:
        values = ModelList(values, None, type_)
        made = type_.item.made
        if all(type(element) is made and element._node is None for element in values):
            for element in values:
                _take(element)
            return values
    item = type_.item if code == _types.LIST else type_
    for at, element in enumerate(values):
        work.add(values, at, item, element, (name, at))
    return values


def _adopt_model(type_: _types.Type, value: Model, name: _Name) -> Any:
    code = type_.code
    node = value._node
    if node is not None and node.mode != DESIRED:
        refuse_whole(node, _label, name)
    if node is not None and value._absent:
        # Reading what isn't there gives an empty view: a dependency where it can still come, no opinion where it can't.
        return node.observable() if node.mode == WAIT else None
    if code == _types.MODEL and not isinstance(value, type_.cls):
        if node is None or node.mode == DESIRED:
            raise _unfit(type_, value, name)
        value = _copied(value, type_.cls)  # the same shape in another class: observed values go by their wire names
    elif code in (_types.LIST, _types.MAP, _types.LEAF, _types.FLOAT):
        raise _unfit(type_, value, name)
    elif node is not None and node.whole:
        value = _copied(value, type(value))
    elif node is not None and node.mode == DESIRED and node.up is None and node.raw is not None:
        value = own_copy(value)  # laid over what another resource inherits, which must not come along
    elif node is not None and (node.mode != DESIRED or node.raw is not None or node.owner is not None):
        value = _copied(value, type(value))
    elif node is not None and (node.taken or (node.outside and current() is not None)):
        # It stands in another place, whose changes must not show here; or was made outside of every call, and must not
        # be changed by one.
        value = own_copy(value)
    _take(value)
    return value


def _take(model: Model) -> None:
    if model._node is None:
        type(model)._set_node(model, TAKEN)
    else:
        model._node.taken = True


def own_copy(model: Model) -> Model:
    """Return a copy of what was set in a model, without what it inherits."""
    from .walker import tree_of, with_nulls

    cls = type(model)
    return fill(cls.__new__(cls), with_nulls(tree_of(model, None).data))


def _copied(value: Model, cls: type[Model]) -> Model:
    """Return the present fields of a model that belongs elsewhere, as one that belongs nowhere yet."""
    node = value._node
    if cls is type(value) and node is not None and node.raw is not None:
        # Over the same bytes, so that fields that the class doesn't know come along.
        made = shell_of(value)
        place = Node(DESIRED, node.raw)
        place.whole = True
        place.deleted = None if node.deleted is None else set(node.deleted)
        cls._set_node(made, place)
        return made
    from .walker import plain

    return fill(cls.__new__(cls), plain(value))


def _deep(value: Any, name: _Name) -> Any:
    """Copy plain lists and mappings, so that nothing that outlives the call is shared; scalars stay as they are."""
    box: list[Any] = [None]
    work: list[tuple[Any, Any, Any, int]] = [(value, box, 0, 0)]
    while work:
        item, holder, key, depth = work.pop()
        if depth > DEEPEST:
            raise _too_deep(name)
        kind = type(item)
        copy: Any = item
        if kind is dict:
            copy = dict(item)
            work.extend((child, copy, at, depth + 1) for at, child in item.items() if type(child) in _COPIED)
        elif kind is list or kind is tuple:
            copy = list(item)
            work.extend((child, copy, at, depth + 1) for at, child in enumerate(item) if type(child) in _COPIED)
        holder[key] = copy
    return box[0]


def _adopt_mapping(type_: _types.Type, value: Mapping[Any, Any], name: _Name, work: _Work) -> Any:
    code = type_.code
    if code == _types.LIST:
        raise _unfit(type_, value, name)
    observed = isinstance(value, ObservedMap)
    if isinstance(value, (ObservedMap, ModelMap)) and _is_absent(value):
        return None
    if observed:
        refuse_whole(value._node, _label, name)  # type: ignore[attr-defined]  # `observed` says that it has one
    elif code == _types.ANY:
        return _deep(value, name)
    if observed:
        value = {key: NULL if element is None else element for key, element in value.items()}
    if code == _types.MODEL or code == _types.DYNAMIC:
        cls = type_.cls
        made = _filled(cls.__new__(cls), value, work)
        _take(made)
        return made
    item = type_.item if code == _types.MAP else type_
    kept = dict(value)
    if code == _types.MAP and item.code >= _types.MODEL:
        kept = ModelMap(kept, None, type_)
    for key, element in kept.items():
        work.add(kept, key, item, element, str(key))
    return kept


def _is_absent(container: ObservedList | ObservedMap | ModelList | ModelMap) -> bool:
    """True for what reading an unset list or map gave, and nobody wrote to: passing it on is no opinion."""
    node = container._node
    if node is None:
        return False
    return (
        node.raw is None
        and node.up is not None
        and not len(container)
        and (node.mode != DESIRED or node.owner is not None)
    )


def fill(model: Model, values: Mapping[Any, Any]) -> Model:
    """Set the fields of a new model from a mapping; keys may be wire names or attributes.

    Raises:
        UnknownFieldError: A key is neither.
        UsageError: A value can't stand where it stands.
    """
    work = _Work()
    _filled(model, values, work)
    work.finish()
    return model


def _filled(model: Model, values: Mapping[Any, Any], work: _Work) -> Model:
    cls = type(model)
    cls._set_node(model, new_node())
    if isinstance(model, Resource):
        Resource._set_state(model, None)
    target = model.__dict__
    for key, value in values.items():
        if type(key) is Observable:
            key = str(key)  # found again as the text that it is
        field = cls.__wire_fields__.get(key)
        if field is None or field.wire != key:  # the attribute of one field may be the wire name of another
            field = cls._by_wire(key) or field
        if field is None:
            raise UnknownFieldError(f"{cls.__name__} has no field {key!r}{near_name(str(key), cls.__wire_fields__)}")
        if field.name in cls._fixed:
            cls._check_fixed(field.name, value)
        elif value is TOMBSTONE:  # a copy removes what its original removes
            delattr(model, field.name)
        else:
            target[field.name] = None  # keeps the order; replaced, or taken out again, when the work is done
            work.add(target, field.name, field.type, value, field.name)
    return model


def _label(name: _Name) -> str:
    steps = []
    while not isinstance(name, str):
        name, at = name
        steps.append(f"[{at}]")
    return name + "".join(reversed(steps))


def _too_deep(name: _Name) -> UsageError:
    while not isinstance(name, str):  # with thousands of indexes nobody could read it
        name = name[0]
    return UsageError(f"{name!r} contains itself, or is nested more than {DEEPEST:,} deep")


def _unfit(type_: _types.Type, value: Any, name: _Name) -> UsageError:
    kind = type(value)
    is_namesake = type_.code == _types.MODEL and type_.name == kind.__name__  # such as that of another version
    try:
        shown = repr(value)
    except RecursionError:
        shown = ""
    # Nothing is cut: half a secret would not be recognised any more.
    what = f"{shown} that is " if shown and len(shown) <= 60 else ""
    what += _types.articled(kind.__name__, kind.__module__ if is_namesake else "")
    hint = "; use list(...)" if type_.code == _types.LIST and isinstance(value, Iterable) else ""
    wanted = type_.describe(with_module=is_namesake)
    return UsageError(f"{_label(name)!r} must be {wanted} (got {what}){hint}")


def over_source(node: Node, wire: str, type_: _types.Type, value: Any) -> Any:
    """Lay a value that is set now over what an earlier function set there, as registering the whole would."""
    inherited = node.fields.get(wire)
    if inherited is None or node.root is None or not isinstance(value, (Model, dict)):
        return value
    kind, payload = _wire.open_value(inherited)
    return lay(type_, value, payload, node.root) if kind == _wire.STRUCT else value


def lay(type_: _types.Type, value: Any, raw: bytes, root: Root) -> Any:
    """Put a model or map, and what is in it, over the bytes that an earlier function set in its place.

    What it doesn't set reads from there.

    Returns:
        The value, or a copy of what was set in it where it lies over other bytes already in a call that is going on.
    """
    top: list[Any] = [value]
    work: list[tuple[Any, Any, _types.Type, Any, bytes]] = [(top, 0, type_, value, raw)]
    while work:
        holder, key, type_, value, source = work.pop()
        laid: Any
        if isinstance(value, Model):
            if value._node is not None and value._node.whole:
                continue  # it has a source of its own; laid over the other when it is encoded
            laid = _laid(value, source, root)
            types = laid.__wire_fields__
            children = [(laid.__dict__, name, types[name].type, types[name].wire) for name in laid.__dict__]
        else:
            laid = _map_over(type_, value, source, root)
            children = [(laid, name, laid._type.item, name) for name in value]
        (dict if isinstance(holder, dict) else list).__setitem__(holder, key, laid)
        deleted = laid._node.deleted or ()
        for child_holder, child_key, child_type, wire in children:
            if child_key in deleted:  # set in the place of what was deleted: it replaces, and doesn't merge
                continue
            child = child_holder[child_key]
            inherited = laid._node.fields.get(wire)
            if inherited is not None and isinstance(child, (Model, dict)):
                kind, payload = _wire.open_value(inherited)
                if kind == _wire.STRUCT:
                    work.append((child_holder, child_key, child_type, child, payload))
    return top[0]


def _laid(model: Model, source: bytes, root: Root) -> Model:
    node = model._node
    if node is not None and node.raw is not None and not (node.root is not None and node.root.call.closed):
        model = shell_of(model)
        node = None
    laid = Node(DESIRED, source, root)
    type(model)._set_node(model, laid)
    if node is not None:
        laid.deleted = node.deleted
        laid.views = node.views
        _lay_views(model, laid)
    return model


def _lay_views(model: Model, node: Node) -> None:
    """Put what was read from a model before it lay over anything over the source too: somebody may hold it."""
    work = [(model, node)]
    while work:
        holder, above = work.pop()
        for name, view in (above.views or {}).items():
            field = holder.__wire_fields__[name]
            inherited = above.fields.get(field.wire)
            if inherited is None or name in (above.deleted or ()):
                continue
            kind, payload = _wire.open_value(inherited)
            if isinstance(view, Model) and kind == _wire.STRUCT and view._node is not None:
                view._node.root = above.root
                view._node.lay_over(payload)
                work.append((view, view._node))
            elif isinstance(view, ModelList) and kind == _wire.LIST and view._node is not None:
                made = present(field.type, kind, payload, DESIRED, above, field.step)
                list.extend(view, made)
                _take_over(view, made, list(made))
            elif isinstance(view, ModelMap) and kind == _wire.STRUCT and view._node is not None:
                made = present(field.type, kind, payload, DESIRED, above, field.step)
                dict.update(view, made)
                _take_over(view, made, list(made.values()))


def _take_over(view: ModelList | ModelMap, made: ModelList | ModelMap, elements: list[Any]) -> None:
    """Make a container that was read empty the owner of elements that were made for another one."""
    assert view._node is not None and made._node is not None
    view._node.root = made._node.root
    view._node.lay_over(made._node.raw or b"")
    for element in elements:
        place = getattr(element, "_node", None)
        if place is not None:
            place.owner = view


def _map_over(type_: _types.Type, own: dict[str, Any], source: bytes, root: Root) -> ModelMap:
    """Return a map that shows an earlier function's entries under the own ones."""
    up = Node(DESIRED, None, root)
    merged: ModelMap = present(
        type_ if type_.code == _types.MAP else _types.ANY_TYPE, _wire.STRUCT, source, DESIRED, up, ""
    )
    if isinstance(own, ModelMap):
        if merged._node is not None:
            merged._node.deleted = own.deleted
        for key in own.deleted or ():
            dict.pop(merged, key, None)
    for key, value in own.items():
        dict.__setitem__(merged, key, value)
    return merged

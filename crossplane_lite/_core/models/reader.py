"""Reads fields that aren't set in a model from its source, one level at a time, and puts models
over a source.

The source is the encoded object that the model stands for; the model's node has it. A field that
the source has reads as a scalar, or as a model, list or map with a part of the source. A field that
the source lacks reads as the node's state says (see `_core.models.node`): as an Observable,
something empty, or None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from .. import codec
from ..base.sentinels import NULL
from ..observed.observable import Observable
from ..observed.tracker import observed_calls, observer
from ..paths.text import quoted
from . import containers, types
from .containers import ModelList, ModelMap
from .node import COPY, HELD_NODE, LAID, LOOSE, VIEW, WAIT, ModelShape, Node

if TYPE_CHECKING:
    from ..observed.root import Root

# As module globals: reading a field looks them up more often than anything else.
_open_value: Final = codec.open_value
_STRUCT: Final = codec.STRUCT
_LIST: Final = codec.LIST
_NULL: Final = codec.NULL
_MODEL: Final = types.MODEL
_DYNAMIC: Final = types.DYNAMIC
_OBJECT: Final = types.OBJECT

_MERGING: Final = (ModelShape, dict)

_Part = tuple[Any, Any, types.Type, int, Any, Node, str]
"""An object or list of a source that must be made: its holder, its key there, its type, the kind
and payload of `codec`, the node of the object or list around it, and its step in the path."""


class Reading:
    """Descriptor for a field of a class. Python calls it if the instance's dict has no value for
    the field.

    Python finds it sooner than `Model._read_field`, which it calls only after a search that fails.

    Raises:
        AttributeError: The field is read from the class, not from an instance.
    """

    __slots__ = ("_field",)

    def __init__(self, field: types.Field) -> None:
        self._field = field

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            raise AttributeError(
                f"type object {owner.__name__!r} has no attribute {self._field.name!r}"
            )
        field = self._field
        node = instance._node
        if node is None or node is HELD_NODE:
            if field.type.code < _MODEL:
                return None
            node = instance._own_node()
        elif node.views is not None:
            view = node.views.get(field.name)
            if view is not None:
                return view
        value = read(node, instance, field)
        if observed_calls:
            observer().read(node, field, value)
        return value


class ContainerReading(Reading):
    """Descriptor for a field that holds a list or a map.

    It has `__set__`, so Python calls it for values that were set, too. A list or map of scalars is
    set as a plain list or dict, which is the cheapest. When it is first read, it becomes a
    `ModelList` or `ModelMap`, which checks values that are put into it later.
    """

    __slots__ = ()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return Reading.__get__(self, instance, owner)
        field = self._field
        values = instance.__dict__
        value = values.get(field.name)
        if value is None:
            return Reading.__get__(self, instance, owner)
        if type(value) is list:
            value = values[field.name] = ModelList(value, None, field.type)
        elif type(value) is dict:
            value = values[field.name] = ModelMap(value, None, field.type)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        setattr(instance, self._field.name, value)

    def __delete__(self, instance: Any) -> None:
        delattr(instance, self._field.name)


def read(node: Node, holder: ModelShape, field: types.Field) -> Any:
    """Return the value of a field that isn't set, read from the source of its model.

    Models, lists and maps are made once: reading the field again gives the same object. A field
    that the source lacks, or that was deleted, reads as `absent` says. An observed null reads in
    the same way, and so does an empty string in the status of a composed resource. A null of a
    previous function reads as None. Raises UsageError if the field is in the status of a desired
    composed resource and has no value there, and WireError for malformed bytes.
    """
    name = field.name
    type_ = field.type
    state = node.state
    if node.states is not None:
        state = node.states.get(name, state)
    elif state < WAIT:
        state = LOOSE  # until the value is attached to the model
    fields = node.split
    if fields is None:  # the same as `node.fields`
        fields = node.split = {} if node.raw is None else codec.split(node.raw)
    value = fields.get(field.wire)
    if value is not None and (node.deleted is None or name not in node.deleted):
        kind, payload = _open_value(value)
        code = type_.code
        if kind == _STRUCT and (
            code == _MODEL or code == _DYNAMIC or (code == _OBJECT and state < WAIT)
        ):
            # The usual step down a path; the same as `_keep(..., _view(...))`.
            child = Node(state, payload, node.root, node.path + field.step)
            cls = type_.made or type_.cls
            made = cls.__new__(cls)
            cls._set_node(made, child)
            if state == LOOSE:
                child.state, child.owner, child.key = VIEW, holder, name
                if node.views is None:
                    node.tie()
            if node.views is None:
                node.views = {}
            node.views[name] = made
            return made
        if kind == _STRUCT or kind == _LIST:
            return _keep(node, holder, name, present(type_, kind, payload, state, node, field.step))
        if kind != _NULL and (payload != "" or not node.reports(field.step)):
            if state == WAIT:  # what compose() has read is noted (`_core.known`)
                if node.views is None:
                    node.views = {}
                node.views[name] = payload
            return payload
        # an explicit null of a previous function: an opinion, which is null
        if state == LOOSE and kind == _NULL:
            return None
    if state == WAIT and node.views is None:
        node.views = {}  # a field of it was asked for
    made = absent(type_, state, node, field.step)
    if node.place is not None:
        made = node.place.absent(made, node, field)
    return made if made is None or type(made) is Observable else _keep(node, holder, name, made)


def _keep(node: Node, holder: ModelShape, name: str, made: Any) -> Any:
    """Keep a model, list or map that was read, and return it.

    Reading the field again gives the same object. If it belongs to desired state, it counts as set
    when it is first written to. `holder` is the model of `node`.
    """
    made_node: Node = made._node
    if made_node.state == LOOSE:  # the same as `attach_to`
        made_node.state, made_node.owner, made_node.key = VIEW, holder, name
        if node.views is None:
            node.tie()
    if node.views is None:
        node.views = {}
    node.views[name] = made
    return made


def absent(type_: types.Type, state: int, up: Node, step: str) -> Any:
    """Return the value that a field reads as if the source lacks it.

    Models of known fields read as an empty model. Any other type reads as an Observable in the
    state WAIT (the value may still come); in other states as an empty model, list or map, or as
    None for a scalar.
    """
    code = type_.code
    if (
        code == types.MODEL
        or (code == types.DYNAMIC and state != WAIT)
        or (code == types.OBJECT and state < WAIT)
    ):
        return _view(type_, Node(state, None, up.root, up.path + step))
    if state == WAIT:
        # Where the object around it is missing too, the provider may have moved it, or not have
        # reported yet.
        return up.observable(step, type_, settles=type_.settles and up.raw is not None)
    if code == types.LIST:
        return _list(type_, [], Node(state, None, up.root, up.path + step))
    if code == types.MAP or code == types.OBJECT:
        of = type_ if code == types.MAP else types.ANY_TYPE
        return _map(of, {}, Node(state, None, up.root, up.path + step))
    return None


def present(type_: types.Type, kind: int, payload: Any, state: int, up: Node, step: str) -> Any:
    """Return an object or list of the source as a model, list or map, which reads from its part of
    the source.

    Lists and maps inside of a list or map are decoded at once. For a model inside of it, each field
    is decoded when it is read. The `kind` is `STRUCT` or `LIST` of `codec`, and `up` is the node of
    the object or list around it. Raises WireError for malformed bytes.
    """
    box: list[Any] = [None]
    work: list[_Part] = [(box, 0, type_, kind, payload, up, step)]
    while work:
        holder, key, of, kind, payload, parent, step = work.pop()
        node = Node(state, payload, parent.root, parent.path + step)
        made: Any
        if kind == codec.STRUCT:
            if of.code == _MODEL or of.code == _DYNAMIC or (of.code == _OBJECT and state < WAIT):
                made = _view(of, node)
            else:
                of = of if of.code == types.MAP else types.ANY_TYPE
                made = _map(of, dict.fromkeys(sorted(node.fields)), node)
                _elements(made, node.fields.items(), of.item, node, work)
        else:
            of = of if of.code == types.LIST or of.code == types.DYNAMIC else types.ANY_TYPE
            values = codec.split_list(payload)
            made = _list(of, [None] * len(values), node)
            _elements(made, enumerate(values), of.item, node, work)
        (dict if isinstance(holder, dict) else list).__setitem__(holder, key, made)
        if state == LOOSE and isinstance(holder, (ModelList, ModelMap)):
            node.attach_to(holder, key)
            node.tie()
    return box[0]


def _elements(
    holder: Any, entries: Iterable[tuple[Any, bytes]], of: types.Type, node: Node, work: list[_Part]
) -> None:
    """Put the scalar items of a list or map into it, and append its objects and lists to `work`."""
    put = (dict if isinstance(holder, dict) else list).__setitem__
    for key, value in entries:
        kind, payload = _open_value(value)
        if kind == _STRUCT or kind == _LIST:
            step = f"[{quoted(key)}]" if isinstance(holder, dict) else f"[{key}]"
            work.append((holder, key, of, kind, payload, node, step))
        elif kind == _NULL:
            # In desired state None would mean no opinion, but this is a previous function's
            # opinion.
            put(holder, key, NULL if node.state < WAIT else None)
        else:
            put(holder, key, payload)


def inherit(holder: ModelMap, node: Node, key: str, value: bytes) -> None:
    """Put an item into a map of desired state as a previous function set it. `node` is the map's,
    `value` encoded.
    """
    work: list[_Part] = []
    _elements(holder, [(key, value)], holder._type.item, node, work)
    for _, _, of, kind, payload, _, step in work:
        made = present(of, kind, payload, LOOSE, node, step)
        made._node.attach_to(holder, key)
        dict.__setitem__(holder, key, made)


def _view(type_: types.Type, node: Node) -> Any:
    cls = type_.made or type_.cls
    made = cls.__new__(cls)
    cls._set_node(made, node)
    return made


def _list(type_: types.Type, values: list[Any], node: Node) -> Any:
    cls = ModelList if node.state < WAIT else containers.ObservedList
    return cls(values, node, type_)


def _map(type_: types.Type, values: dict[str, Any], node: Node) -> Any:
    cls = ModelMap if node.state < WAIT else containers.ObservedMap
    return cls(values, node, type_)


def over_source(node: Node, wire: str, type_: types.Type, value: Any) -> Any:
    """Return a value that is being set, laid over the value that a previous function set for this
    field (see `lay`).

    `value` itself is returned if previous functions set no value, or if one of the two values isn't
    an object or map.
    """
    inherited = node.fields.get(wire)
    if inherited is None or node.root is None or not issubclass(type(value), _MERGING):
        return value
    kind, payload = codec.open_value(inherited)
    return lay(type_, value, payload, node.root) if kind == codec.STRUCT else value


def lay(type_: types.Type, value: Any, raw: bytes, root: Root) -> Any:
    """Put a model or map, and the objects in it, over the bytes that a previous function set for
    the same fields.

    Fields and keys that aren't set in it are read from these bytes. Returns the model itself, or a
    copy of its set fields if it already lies over other bytes in a call that hasn't ended. For a
    map, a new map is returned.
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
            if type(child) in types.SCALARS or not issubclass(type(child), _MERGING):
                continue
            if node.deleted is not None and name in node.deleted:
                continue  # set in the place of a deleted value: it replaces, and doesn't merge
            wire, child_type = (
                (name, laid._type.item) if known is None else (known[name].wire, known[name].type)
            )
            inherited = node.fields.get(wire)
            if inherited is not None:
                kind, payload = codec.open_value(inherited)
                if kind == codec.STRUCT:
                    work.append((child_holder, name, child_type, child, payload))
    return top[0]


def _laid(model: ModelShape, source: bytes, root: Root) -> ModelShape:
    node = model._node
    if node is None or node is HELD_NODE:  # nearly always so
        model._set_node(model, Node(LAID, source, root))
    elif node.raw is not None and not (node.root is not None and node.root.call.closed):
        model = model._shell()
        model._set_node(model, Node(LAID, source, root))
    else:
        laid = Node(LAID, source, root, node.path)
        laid.deleted = node.deleted
        laid.views = node.views
        model._set_node(model, laid)
        _lay_views(model, laid)
    return model


def _lay_views(model: ModelShape, node: Node) -> None:
    """Give nested objects their parts of a model's new source. They were read before the model had
    the source.

    compose() may still hold these objects.
    """
    work: list[tuple[Any, Any]] = [(model, node)]
    while work:
        holder, above = work.pop()
        for name, view in (above.views or {}).items():
            field = holder.__wire_fields__[name]
            inherited = above.fields.get(field.wire)
            if inherited is None or name in (above.deleted or ()):
                continue
            kind, payload = codec.open_value(inherited)
            if kind != (codec.LIST if isinstance(view, list) else codec.STRUCT):
                continue
            view._node.root = above.root
            view._node.lay_over(payload)
            if isinstance(view, ModelShape):
                work.append((view, view._node))
                continue
            # A list or map was empty when it was read.
            made = present(field.type, kind, payload, LOOSE, above, field.step)
            if isinstance(view, list):
                list.extend(view, made)
            else:
                dict.update(view, made)
            for one in made if isinstance(view, list) else made.values():
                if getattr(one, "_node", None) is not None:
                    one._node.attach_to(view, None)


def _map_over(type_: types.Type, own: dict[str, Any], source: bytes, root: Root) -> ModelMap:
    """Return a new map with the entries of `own`, and with those of a previous function for other
    keys.

    Keys that were deleted from `own` are left out.
    """
    up = Node(LOOSE, None, root)
    of = type_ if type_.code == types.MAP else types.ANY_TYPE
    merged: ModelMap = present(of, codec.STRUCT, source, LOOSE, up, "")
    if isinstance(own, ModelMap):
        if merged._node is not None:
            merged._node.deleted = own.deleted
        for key in own.deleted or ():
            dict.pop(merged, key, None)
    for key, value in own.items():
        dict.__setitem__(merged, key, value)
    return merged

"""What a model knows of its place: its source of wire bytes, its path, and the parent it attaches itself to.

There is one class of models and three kinds of instance. The kind is the mode of its node:

- `DESIRED`: an unset leaf reads None; nested models, lists and maps read empty and attach themselves when first
written.
- `WAIT`: observed state that may still come; what is absent reads as an Observable.
- `FACT`: observed state that no waiting changes (the composite's spec and metadata, the metadata of observed
  resources); what is absent reads None or empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._base.sentinels import NULL
from .._observed import observable
from ..errors import ReadOnlyError, UsageError
from . import containers, types

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from .._observed.root import Root
    from .model import Model

    Owner: TypeAlias = Model | containers.ModelList | containers.ModelMap

__all__ = ["DESIRED", "FACT", "TAKEN", "WAIT", "Node", "element", "read", "refuse_whole"]

DESIRED: Final = 0
WAIT: Final = 1
FACT: Final = 2

# As module globals: reading a field looks them up more often than anything else.
_STRUCT: Final = _wire.STRUCT
_LIST: Final = _wire.LIST
_NULL: Final = _wire.NULL
_NUMBER: Final = _wire.NUMBER
_MODEL: Final = types.MODEL
_DYNAMIC: Final = types.DYNAMIC

# The paths in an observed object that can't be copied whole.
_WHOLE: Final = ("", ".metadata", ".status")
_LONGEST_WHOLE: Final = len(".metadata")


class Node:
    """The place of one model, list or map.

    Attributes:
        mode: DESIRED, WAIT or FACT.
        raw: The Struct (or ListValue) bytes that it lies over, None where there are none.
        root: The observed object it belongs to; None in desired state.
        up: The node of what holds it; None at the top and for what compose() made itself.
        step: The last part of its path: `.spec`, `[0]` or `["a/b"]`.
        owner: In desired state what it attaches itself to when first written, with `key`; None when it needs no
            attaching.
        views: Children that were read but not set, by attribute.
        deleted: Attributes (or keys) that were deleted: they read None and remove what earlier functions desired.
            What is set there afterwards replaces what was there, and doesn't merge into it.
        outside: True for a model that was made outside of every call, at a module's top say: calls take copies of it.
        taken: True for a model that stands somewhere already: whoever else takes it gets a copy, as of lists and maps.
        whole: True for a copy of observed or inherited fields: all that the source has is meant, not only what was set.
        modes: At the top of an observed object the mode of each field that differs from `mode`.
    """

    __slots__ = (
        "_fields",
        "deleted",
        "key",
        "mode",
        "modes",
        "outside",
        "owner",
        "raw",
        "root",
        "step",
        "taken",
        "up",
        "views",
        "whole",
    )

    def __init__(
        self,
        mode: int,
        raw: bytes | None = None,
        root: Root | None = None,
        up: Node | None = None,
        step: str = "",
        fields: Any = None,
    ) -> None:
        self.mode = mode
        self.raw = raw
        self.root = root
        self.up: Node | None = up
        self.step = step
        self.owner: Owner | None = None
        self.key: Any = None
        self.views: dict[str, Any] | None = None
        self.deleted: set[str] | None = None
        self.modes: dict[str, int] | None = None
        self.outside: bool = up is not None and up.outside
        self.taken = False
        self.whole = False
        self._fields: Any = fields

    @property
    def path(self) -> str:
        """The path from the root, as Observables show it."""
        steps = []
        node: Node | None = self
        while node is not None:
            steps.append(node.step)
            node = node.up
        return "".join(reversed(steps))

    @property
    def fields(self) -> Any:
        """The source split by one level, kept: wire name to value bytes."""
        if self._fields is None:
            self._fields = {} if self.raw is None else _wire.split(self.raw)
        return self._fields

    def lay_over(self, raw: bytes) -> None:
        """Put the node over other bytes."""
        self.raw = raw
        self._fields = None

    def touch(self, holder: Any) -> None:
        """Attach `holder`, whose node this is, to what it was read from, and that to its own parent in turn."""
        node: Node | None = self
        while node is not None:
            owner = node.owner
            if owner is None:
                return
            node.owner = None
            owner_node: Node | None = owner._node
            # The elements of a list or map are in it already; only it has to count as set.
            if not isinstance(owner, (containers.ModelList, containers.ModelMap)):
                owner.__dict__[node.key] = holder
                node.taken = True
                if owner_node is not None and owner_node.views is not None:
                    owner_node.views.pop(node.key, None)
            holder = owner
            node = owner_node

    def forget(self, name: str) -> None:
        """Cut off the child that was read under `name`, because another value was set there."""
        if self.views is not None:
            view = self.views.pop(name, None)
            if view is not None:
                view._node.owner = None

    def read_only(self, step: str = "") -> ReadOnlyError:
        """Return the error that says that this place, or the one a step below, can't be written to."""
        if self.root is not None and self.root.kind == "required":
            return ReadOnlyError(f"{self.path}{step} can't be set: required resources are only for reading")
        return ReadOnlyError(
            f"{self.path}{step} is observed state and can't be set; "
            "set the field of the resource itself, without .observed"
        )

    def observable(self, step: str = "") -> observable.Observable[Any]:
        """Return the forward reference to this place, or to one a step below."""
        return observable.make(self.path + step, self.root)


def read(node: Node, holder: Model, field: types.Field) -> Any:
    """Read a field that isn't set, from the source of its model."""
    name = field.name
    type_ = field.type
    mode = node.mode
    if node.modes is not None:
        mode = node.modes.get(name, mode)
    fields = node._fields
    value = (node.fields if fields is None else fields).get(field.wire)
    if value is not None and (node.deleted is None or name not in node.deleted):
        kind, payload = _wire.open_value(value)
        if kind == _STRUCT and (type_.code == _MODEL or type_.code == _DYNAMIC):
            # The usual step down a path; the same as `_keep(..., _view(...))`.
            child = Node(mode, payload, node.root, node, field.step)
            cls = type_.made or type_.cls
            made = cls.__new__(cls)
            cls._set_node(made, child)
            if mode == DESIRED:
                child.owner = holder
                child.key = name
            if node.views is None:
                node.views = {name: made}
            else:
                node.views[name] = made
            return made
        if kind == _STRUCT or kind == _LIST:
            return _keep(node, holder, name, present(type_, kind, payload, mode, node, field.step))
        if kind != _NULL:
            return float(payload) if kind == _NUMBER and type_.code == types.FLOAT else payload
        if mode == DESIRED:  # an explicit null of an earlier function: it has an opinion, and it is null
            return None
    made = absent(type_, mode, node, field.step)
    return made if made is None or type(made) is observable.Observable else _keep(node, holder, name, made)


def _keep(node: Node, holder: Model, name: str, made: Any) -> Any:
    """Keep what was read, so that reading again gives the same object, which attaches itself when written."""
    made_node: Node = made._node
    if made_node.mode == DESIRED:
        made_node.owner = holder
        made_node.key = name
    if node.views is None:
        node.views = {name: made}
    else:
        node.views[name] = made
    return made


def absent(type_: types.Type, mode: int, up: Node, step: str) -> Any:
    """Return what a field reads as that the source does not have."""
    code = type_.code
    if code == types.MODEL or (code == types.DYNAMIC and mode != WAIT):
        return _view(type_, Node(mode, None, up.root, up, step))
    if mode == WAIT:
        return up.observable(step)
    if code == types.LIST:
        return _list(type_, [], Node(mode, None, up.root, up, step))
    if code == types.MAP:
        return _map(type_, {}, Node(mode, None, up.root, up, step))
    return None


def present(type_: types.Type, kind: int, payload: Any, mode: int, up: Node, step: str) -> Any:
    """Return an object or a list of the source as a model, list or map over its bytes.

    What is nested in a list or map is split too, level by level; models in it are not, they read when they are read.
    """
    box: list[Any] = [None]
    work: list[tuple[Any, Any, types.Type, int, Any, Node, str]] = [(box, 0, type_, kind, payload, up, step)]
    while work:
        holder, key, of, kind, payload, parent, step = work.pop()
        node = Node(mode, payload, parent.root, parent, step)
        made: Any
        if kind == _wire.STRUCT:
            if of.code == types.MODEL or of.code == types.DYNAMIC:
                made = _view(of, node)
            else:
                of = of if of.code == types.MAP else types.ANY_TYPE
                entries = [(name, value, f'["{name}"]') for name, value in node.fields.items()]
                made = _map(of, dict.fromkeys(name for name, _, _ in entries), node)
                _elements(made, entries, of.item, node, work)
        else:
            of = of if of.code == types.LIST or of.code == types.DYNAMIC else types.ANY_TYPE
            values = _wire.split_list(payload)
            made = _list(of, [None] * len(values), node)
            _elements(made, [(at, value, f"[{at}]") for at, value in enumerate(values)], of.item, node, work)
        (dict if isinstance(holder, dict) else list).__setitem__(holder, key, made)
        if mode == DESIRED and isinstance(holder, (containers.ModelList, containers.ModelMap)):
            node.owner = holder
    return box[0]


def _elements(holder: Any, entries: list[tuple[Any, bytes, str]], of: types.Type, node: Node, work: list[Any]) -> None:
    """Put the scalar elements of a list or map in place, and leave the others as work."""
    put = (dict if isinstance(holder, dict) else list).__setitem__
    for key, value, step in entries:
        kind, payload = _wire.open_value(value)
        if kind == _wire.STRUCT or kind == _wire.LIST:
            work.append((holder, key, of, kind, payload, node, step))
        elif kind == _wire.NULL:
            # In desired state None would mean no opinion, but this is an earlier function's opinion.
            put(holder, key, NULL if node.mode == DESIRED else None)
        else:
            put(holder, key, float(payload) if kind == _wire.NUMBER and of.code == types.FLOAT else payload)


def refuse_whole(node: Node, show: Callable[[Any], str], place: Any) -> None:
    """Refuse to copy a whole observed resource, or its whole metadata or status ("SSA Safety" in the seed).

    Args:
        node: The node of what would be copied.
        show: Returns what messages call a place.
        place: The place where it would go.
    """
    root = node.root
    if root is None:
        return
    # No further up than such a path is long: the way from thousands of levels down is long, and many ask.
    left = len(root.prefix) + _LONGEST_WHOLE
    above: Node | None = node
    while above is not None:
        left -= len(above.step)
        if left < 0:
            return
        above = above.up
    if node.path[len(root.prefix) :] in _WHOLE:
        raise UsageError(
            f"{show(place)}: {node.path} can't be copied whole into desired state, because that would own every field "
            "of it; set the fields you care about one by one"
        )


def element(holder: containers.ModelMap, key: str, value: bytes) -> Any:
    """Return one inherited element of a map, again."""
    node = holder._node
    assert node is not None
    box: dict[str, Any] = {}
    work: list[Any] = []
    _elements(box, [(key, value, f'["{key}"]')], holder._type.item, node, work)
    if work:
        _, _, of, kind, payload, _, step = work[0]
        box[key] = present(of, kind, payload, node.mode, node, step)
        box[key]._node.owner = holder
    return box[key]


def _view(type_: types.Type, node: Node) -> Any:
    cls = type_.made or type_.cls
    made = cls.__new__(cls)
    cls._set_node(made, node)
    return made


def _list(type_: types.Type, values: list[Any], node: Node) -> Any:
    cls = containers.ModelList if node.mode == DESIRED else containers.ObservedList
    return cls(values, node, type_)


def _map(type_: types.Type, values: dict[str, Any], node: Node) -> Any:
    cls = containers.ModelMap if node.mode == DESIRED else containers.ObservedMap
    return cls(values, node, type_)


# The node of a model that stands in another one and was never read from. One for all, because most models are so.
TAKEN: Final = Node(DESIRED)
TAKEN.taken = True

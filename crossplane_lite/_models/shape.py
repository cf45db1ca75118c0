"""The base class of `Model`: the part of a model that the reader, the setter, the walker and the codec need."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex

from .._base.sentinels import UNSET
from .._observed.tracker import current
from ..errors import UsageError
from .node import HELD, HELD_NODE, LOOSE, OUTSIDE, VIEW, WAIT, Node
from .pickling import not_by_yaml
from .types import ANY_TYPE, Field, Type

__all__ = ["DesiredMap", "ModelShape", "PlacedMap", "new_node"]


class ModelShape:
    """The fields of a model class, the set fields of an instance (its dict), and the instance's node.

    The node says what the instance is read from (its source), its path and its state (see
    `crossplane_lite._models.node`). The names that begin with `__wire_` are for the codec (see
    `crossplane_lite._wire.objects`).
    """

    __slots__ = ("__dict__", "__weakref__", "_node")

    __wire_fields__: ClassVar[dict[str, Field]] = {}
    __wire_keys__: ClassVar[dict[str, bytes]] = {}
    __wire_head__: ClassVar[bytes] = b""
    # The fields of a resource class that are always the same, and their values as they are encoded.
    _fixed: ClassVar[frozenset[str]] = frozenset()
    _head_fields: ClassVar[dict[str, bytes]] = {}

    # The name that classes of kin share (see `kin`); empty if no other class is taken in place of this one.
    _kin: ClassVar[str] = ""

    _node: Node | None
    __wire_below__: ClassVar[Any]  # the same slot, by the name that the codec knows

    # Sets `_node` without calling `__setattr__`. Assigned below, when the class exists.
    _set_node: ClassVar[Any]

    @property
    def _absent(self) -> bool:
        """True for a model without a value. It was read from a field without a value, and nothing in it was set."""
        node = self._node
        if node is None or node.raw is not None or self.__dict__:
            return False
        return node.state == VIEW or node.up is not None or node.state >= WAIT

    def _own_node(self) -> Node:
        """Give a model a node of its own, and return the node. Before, it had no node, or the shared `HELD_NODE`."""
        node = Node(HELD if self._node is HELD_NODE else LOOSE)
        self._set_node(self, node)
        return node

    def _take_in(self, key: str, child: Any) -> None:
        """Put `child` in as a set value under `key`. It was read from this model, and is now written to."""
        self.__dict__[key] = child
        node = self._node
        if node is not None and node.views is not None:
            node.views.pop(key, None)

    def _stand_nowhere(self) -> None:
        """Give a new instance the node of a model that isn't in a field, list or map yet (see `new_node`)."""
        self._set_node(self, new_node())

    if TYPE_CHECKING:

        def _taken_whole(self) -> None: ...  # of Model

    @classmethod
    def _is_open(cls) -> bool:
        """Return whether the class takes any attribute, not only its fields."""
        return False

    @classmethod
    def _by_wire(cls, wire: object) -> Field | None:
        return next((field for field in cls.__wire_fields__.values() if field.wire == wire), None)

    @classmethod
    def _check_fixed(cls, name: str, value: object) -> None:
        fixed = getattr(cls, name)
        if value is not None and value is not UNSET and value != fixed:
            raise UsageError(f"{cls.__name__}.{name} is always {fixed!r} (got {value!r})")


ModelShape._set_node = staticmethod(ModelShape.__dict__["_node"].__set__)
ModelShape.__wire_below__ = ModelShape.__dict__["_node"]


class PlacedMap(dict[str, Any]):
    """A map with its node and the type of its field. The node is None if the map wasn't read from encoded bytes."""

    __slots__ = ("_node", "_type")

    def __init__(
        self,
        values: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
        node: Node | None = None,
        type_: Type = ANY_TYPE,
    ) -> None:
        dict.__init__(self, values)
        self._node = node
        self._type = type_

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        not_by_yaml(sys._getframe(1))
        return dict, (dict(self),)


class DesiredMap(PlacedMap):
    """A map of desired state, with the part that the walker and the codec need: its deleted keys.

    The rest is in the subclass `crossplane_lite._models.containers.ModelMap`.
    """

    __slots__ = ()

    __wire_below__: ClassVar[Any]

    @property
    def deleted(self) -> set[str] | None:
        """The deleted keys, which are also removed from previous functions' desired state; None if there are none."""
        return None if self._node is None else self._node.deleted


DesiredMap.__wire_below__ = PlacedMap.__dict__["_node"]


def new_node() -> Node | None:
    """Return the node for a new model: None inside of a call; outside of a call, a node in the state OUTSIDE."""
    if current() is not None:
        return None
    return Node(OUTSIDE)

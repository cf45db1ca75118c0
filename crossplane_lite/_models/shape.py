"""The part of a model that the reader, the setter, the walker and the codec know, below the class that people use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from .._base.sentinels import UNSET
from .._observed.tracker import current
from ..errors import UsageError
from .node import HELD, HELD_NODE, LOOSE, OUTSIDE, VIEW, WAIT, Node
from .types import Field

__all__ = ["DesiredMap", "ModelShape", "near_name", "new_node"]


class ModelShape:
    """The fields of a model's class, and the set fields of one instance: its dict, and the place where it stands.

    The names that begin with `__wire_` are for the codec (see `crossplane_lite._wire.objects`).
    """

    __slots__ = ("__dict__", "__weakref__", "_node")

    __wire_fields__: ClassVar[dict[str, Field]] = {}
    __wire_keys__: ClassVar[dict[str, bytes]] = {}
    __wire_head__: ClassVar[bytes] = b""
    # The fields of a resource class that are always the same, and their values as they are encoded.
    _fixed: ClassVar[frozenset[str]] = frozenset()
    _head_fields: ClassVar[dict[str, bytes]] = {}

    # What the classes of fields of one name have in common; nothing where no other class can stand in its place.
    _kin: ClassVar[str] = ""

    _node: Node | None
    __wire_below__: ClassVar[Any]  # the same slot, by the name that the codec knows

    # The set of a slot's descriptor, past `__setattr__`; written where the class is complete.
    _set_node: ClassVar[Any]

    @property
    def _absent(self) -> bool:
        """True for a view of something that isn't there: the result of reading an unset nested field."""
        node = self._node
        if node is None or node.raw is not None or self.__dict__:
            return False
        return node.state == VIEW or node.up is not None or node.state >= WAIT

    def _own_node(self) -> Node:
        """Give a model a node of its own, for its own memory."""
        node = Node(HELD if self._node is HELD_NODE else LOOSE)
        self._set_node(self, node)
        return node

    def _take_in(self, key: str, child: Any) -> None:
        """Let a child that was read, and is written to now, count as set."""
        self.__dict__[key] = child
        node = self._node
        if node is not None and node.views is not None:
            node.views.pop(key, None)

    def _stand_nowhere(self) -> None:
        """Make a new instance one that belongs to no call and stands nowhere."""
        self._set_node(self, new_node())

    @classmethod
    def _is_open(cls) -> bool:
        """True for a class that takes any attribute."""
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


class DesiredMap(dict[str, Any]):
    """A map of desired state, as the walker and the codec know it: with the keys that it removes from the map below.

    The rest is `crossplane_lite._models.containers.ModelMap`.
    """

    __slots__ = ("_node",)

    _node: Node | None
    __wire_below__: ClassVar[Any]

    @property
    def deleted(self) -> set[str] | None:
        """The keys that are removed from the desired state of previous functions."""
        return None if self._node is None else self._node.deleted


DesiredMap.__wire_below__ = DesiredMap.__dict__["_node"]


def new_node() -> Node | None:
    """Return the node of a model that is made now: none in a call, and outside of every call one that says so."""
    if current() is not None:
        return None
    return Node(OUTSIDE)


def near_name(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the name nearest to a misspelt one, or nothing."""
    import difflib

    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""

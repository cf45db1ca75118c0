"""Fields of desired resources that only the cluster has: a composed resource's names and status, a composite's spec.

No function sets the name of most composed resources. Crossplane makes up `metadata.name`, and the provider chooses the
external name. So if no function has set one of these names, reading it gives a reference to the observed name. A
composed resource has no desired status, and the composite has no desired metadata and spec: Crossplane discards them.
Reading a field of them raises UsageError, because the author means the observed one.

Below, the root of a resource is the observed object that belongs to it. The node of a model says where its values are
read from, and which part of the resource it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._observed.root import Reference
from .._paths.text import EXTERNAL_NAME
from ..errors import UsageError
from .node import FACT, HELD_NODE, WAIT
from .shape import ModelShape

if TYPE_CHECKING:
    from .._observed.observable import Observable
    from .._observed.root import Root
    from .node import Node
    from .types import Field

__all__ = ["PLACED", "PLACES", "external_name_of", "is_desired", "put_in_place"]


class _Metadata:
    """The rules for a desired composed resource's metadata: a name that no function set reads as the observed name."""

    __slots__ = ("_root",)

    def __init__(self, root: Root) -> None:
        self._root = root

    def absent(self, made: Any, node: Node, field: Field) -> Any:
        if field.name != "name" or made is not None or (node.deleted is not None and "name" in node.deleted):
            return made
        return Reference.of(self._root).to(".metadata.name", "metadata", "name")

    def used(self, node: Node) -> None:
        pass


class _Discarded:
    """The rules for a part of a desired resource that Crossplane discards: using a value of it raises UsageError.

    Reading an object in it gives an empty object with the same rules, because code may set a field there. Fields that
    are set in it are reported when the call ends. Values that a previous function desires there can be read.
    """

    __slots__ = ("_root",)

    def __init__(self, root: Root) -> None:
        self._root = root

    def absent(self, made: Any, node: Node, field: Field) -> Any:
        if not isinstance(made, ModelShape) or made._node is None:
            raise self._error(node, field.step)
        made._node.place = self
        made._node.shows = _wire.MORE  # so that the codec doesn't take it for an empty object
        return made

    def used(self, node: Node) -> None:
        raise self._error(node)

    def _error(self, node: Node, last: str = "") -> UsageError:
        steps = [last]
        above: Node | None = node
        while above is not None and above.place is self:
            steps.append(above.step)
            above = above.up
        path = "".join(reversed(steps))
        name = self._root.name or "xr"
        if self._root.kind == "xr":
            lacks = "the composite has only a status, because a function can set nothing else"
        else:
            lacks = "a composed resource has no status"
        return UsageError(f"{name}{path} is read from desired state, in which {lacks}; read {name}.observed{path}")


PLACES: Final[dict[str, dict[str, Any]]] = {
    "resource": {"metadata": _Metadata, "status": _Discarded},
    "xr": {"metadata": _Discarded, "spec": _Discarded},
}
"""The rules for missing values in fields of desired resources: by the kind of the root, a class for each field."""

PLACED: Final = frozenset(field for places in PLACES.values() for field in places)
"""The names of all fields with such rules."""


def is_desired(node: Node | None, root: Root) -> bool:
    """Say whether a resource of a call is desired: registered now, desired by previous functions, or the composite.

    A new resource has no node, and counts as desired.
    """
    if root.kind not in PLACES or node is None:
        return root.kind in PLACES
    # A resource from `ctx.desired` is read-only like observed state, but has a root of its own.
    return node.state < WAIT or (node.state == FACT and node.root is not root)


def put_in_place(name: str, value: Any, root: Root) -> None:
    """Give a field of a desired resource the rules of `PLACES` for the missing fields in it.

    Does nothing if `value` isn't a model, or if it has such rules already.
    """
    if not isinstance(value, ModelShape):
        return
    node: Any = value._node
    if node is None or node is HELD_NODE:
        node = value._own_node()
    if node.place is None:
        node.place = PLACES[root.kind][name](root)
        if node.raw is None and isinstance(node.place, _Discarded):
            node.shows = _wire.MORE


def external_name_of(annotations: Any, root: Root) -> str | Observable[str] | None:
    """Return the external name of a desired composed resource.

    If no function has set the name, this is a reference to the observed name. If the annotation was deleted, it is
    None.
    """
    name: str | None = dict.get(annotations, EXTERNAL_NAME)
    if name is not None or EXTERNAL_NAME in (getattr(annotations, "deleted", None) or ()):
        return name
    return Reference.of(root).to(".external_name", "metadata", "annotations", EXTERNAL_NAME)

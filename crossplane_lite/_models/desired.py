"""The fields of a desired composed resource that only the cluster has: its names and its status.

No function sets the name of most composed resources. Crossplane makes up `metadata.name`, and the provider chooses the
external name. So if no function has set one of these names, reading it gives a reference to the observed name. A
composed resource has no desired status: reading a field of it raises UsageError.

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

__all__ = ["PLACES", "external_name_of", "is_desired", "put_in_place"]


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


class _Status:
    """The rules for the status of a desired composed resource: using a value of it raises UsageError.

    Reading an object in it gives an empty object with the same rules, because code may set a field there. Fields that
    are set in it are reported when the call ends.
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
        name = self._root.name
        return UsageError(
            f"{name}{path} is read from desired state, in which a composed resource has no status; "
            f"read {name}.observed{path}"
        )


PLACES: Final = {"metadata": _Metadata, "status": _Status}
"""The rules for missing values in fields of a desired composed resource: a class for each field."""


def is_desired(node: Node | None, root: Root) -> bool:
    """Say whether a resource of a call is a desired composed resource, registered now or desired by previous functions.

    Args:
        node: The resource's node; None for a new resource, which counts as desired.
        root: The root of its observed state. Its kind says whether the resource is composed.
    """
    if root.kind != "resource" or node is None:
        return root.kind == "resource"
    # A resource from `ctx.desired` is read-only like observed state, but has a root of its own.
    return node.state < WAIT or (node.state == FACT and node.root is not root)


def put_in_place(name: str, value: Any, root: Root) -> None:
    """Give the metadata or status of a desired composed resource the rules of `PLACES` for its missing fields.

    Does nothing if `value` isn't a model, or if it has such rules already.

    Args:
        name: The field's name, a key of `PLACES`.
        value: The field's value.
        root: The root of the resource's observed state.
    """
    if not isinstance(value, ModelShape):
        return
    node: Any = value._node
    if node is None or node is HELD_NODE:
        node = value._own_node()
    if node.place is None:
        node.place = PLACES[name](root)
        if name == "status" and node.raw is None:
            node.shows = _wire.MORE


def external_name_of(annotations: Any, root: Root) -> str | Observable[str] | None:
    """Return the external name of a desired composed resource.

    If no function has set the name, this is a reference to the observed name. If the annotation was deleted, it is
    None.

    Args:
        annotations: The resource's desired annotations.
        root: The root of the resource's observed state.
    """
    name: str | None = dict.get(annotations, EXTERNAL_NAME)
    if name is not None or EXTERNAL_NAME in (getattr(annotations, "deleted", None) or ()):
        return name
    return Reference.of(root).to(".external_name", "metadata", "annotations", EXTERNAL_NAME)

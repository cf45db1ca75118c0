"""The state of a resource in a call, and what reading it gives where only the cluster has a value.

A resource's observed side is the model that its `.observed` returns. Its root is the observed
object that belongs to it. The node of a model says where its values are read from, and which part
of the resource it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ...errors import UsageError
from .. import codec
from ..models.node import FACT, WAIT, ModelShape, Node
from ..observed.root import Reference

if TYPE_CHECKING:
    from ..models.rules import Origin
    from ..models.types import Field
    from ..observed.root import Root
    from .connection_details import ConnectionDetails

R = TypeVar("R", bound=ModelShape)

READY = {True: 1, False: 2}
_FROM_READY = {1: True, 2: False}
_XR_STATES = {"status": WAIT}
_OBSERVED_STATES = {"metadata": FACT}


PLACED: Final = {"resource": ("metadata", "status"), "xr": ("metadata", "spec")}
"""The fields of desired resources that have a `Place`, by the kind of the root."""


class Place:
    """The rules for a part of a desired resource in which a missing field isn't just empty.

    No function sets the name of most composed resources: Crossplane makes it up. So reading
    `metadata.name` gives a reference to the observed name, if no function has set one. A composed
    resource has no desired status, and the composite has no desired metadata and spec: Crossplane
    discards them. Reading a field of them raises UsageError, because the author means the observed
    one. Reading an object in them gives an empty object with the same rules, because code may set a
    field there; fields that are set are reported when the call ends. Values that a previous
    function desires there can be read.

    Attributes:
        discards: Whether Crossplane discards this part of the resource.
    """

    __slots__ = ("_root", "discards")

    def __init__(self, root: Root, name: str) -> None:
        self._root = root
        self.discards = name != "metadata" or root.kind == "xr"

    def absent(self, made: Any, node: Node, field: Field) -> Any:
        """Return what a missing field reads as; `made` is what it reads as elsewhere, and `node`
        that of its object.
        """
        if self.discards:
            if not isinstance(made, ModelShape) or made._node is None:
                raise self._error(node, field.step)
            made._node.place = self
            made._node.shows = codec.MORE  # so that the codec doesn't take it for an empty object
        elif (
            made is None
            and field.name == "name"
            and (node.deleted is None or "name" not in node.deleted)
        ):
            return Reference.of(self._root).to(".metadata.name", "metadata", "name")
        return made

    def used(self, node: Node) -> None:
        """Raise UsageError if a missing object, whose node is given, must not be used as a
        value.
        """
        if self.discards:
            raise self._error(node)

    def _error(self, node: Node, last: str = "") -> UsageError:
        path = node.path.removeprefix("" if node.root is None else node.root.prefix) + last
        name = self._root.name or "xr"
        if self._root.kind == "xr":
            lacks = "the composite has only a status, because a function can set nothing else"
            remedy = (
                f"to read it write {name}.observed{path}; only the composite's author can set it"
            )
        else:
            lacks = "a composed resource has no status"
            remedy = f"read {name}.observed{path}"
        return UsageError(f"{name}{path} is read from desired state, in which {lacks}; {remedy}")


def is_desired(node: Node | None, root: Root) -> bool:
    """Say whether a resource of a call is desired: registered now, desired by previous functions,
    or the composite.

    A new resource has no node, and counts as desired.
    """
    if root.kind not in PLACED or node is None:
        return root.kind in PLACED
    # A resource from `ctx.desired` is read-only like observed state, but has a root of its own.
    return node.state < WAIT or (node.state == FACT and node.root is not root)


class Registered:
    """The state of one resource in a call.

    Attributes:
        root: The observed object of the resource, whether it exists or not.
        observed: The observed side; None until it is first read. It is the same object until the
            call ends.
        observed_details: The observed connection details; None until they are first read.
        base: The Struct bytes of the resource as previous functions desire it; None if they don't
            desire it.
        ready: The readiness that compose() set; None if it set none.
        incoming_ready: The readiness that previous functions set, as the protocol's number; 0 if
            they set none.
        origin: The author's line that registered the resource; None if its kind has no rules (see
            `rules`).
        depends_on: Names of the resources that must be ready before this one is created.
        desired_details: For the composite, the connection details that previous functions desire,
            else None.
        details: For the composite, the desired connection details; None until they are first read,
            and for other resources.
    """

    __slots__ = (
        *(
            "base",
            "depends_on",
            "desired_details",
            "details",
            "incoming_ready",
            "observed",
            "observed_details",
        ),
        *("origin", "ready", "root"),
    )

    def __init__(self, root: Root, base: bytes | None = None, incoming_ready: int = 0) -> None:
        self.root = root
        self.base = base
        self.ready: bool | None = None
        self.incoming_ready = incoming_ready
        self.origin: Origin | None = None
        self.depends_on: tuple[str, ...] = ()
        self.desired_details: Mapping[str, bytes] | None = None
        self.details: ConnectionDetails | None = None
        self.observed: Any = None
        self.observed_details: ConnectionDetails | None = None

    def take_observed(self, made: ModelShape) -> None:
        """Keep `made` as the observed side. `made` refers back to this object, so the call runs
        `untie` at its end.
        """
        self.observed = made
        self.root.call.tied.append(self)

    def untie(self) -> None:
        """Forget the observed side. It is made again if it is read again."""
        self.observed = None

    @property
    def said_ready(self) -> bool | None:
        """The readiness that compose() set, else the one that previous functions set, else None."""
        return self.ready if self.ready is not None else _FROM_READY.get(self.incoming_ready)


def observed_view(cls: type[R], registered: Registered) -> R:
    """Make, keep and return the observed side of a resource, as an instance of `cls`.

    Raises:
        WireError: The bytes of the observed resource are malformed.
    """
    root = registered.root
    node = Node(WAIT, root.raw, root, root.prefix, root.fields)
    if root.kind == "xr":
        # The composite exists, and no waiting changes its author's spec and metadata.
        node.state = FACT
        node.states = _XR_STATES
    elif root.raw is not None:
        node.states = _OBSERVED_STATES
    of: Any = cls
    made: R = of.__new__(of)
    of._set_node(made, node)
    of._set_state(made, registered)
    registered.take_observed(made)
    return made

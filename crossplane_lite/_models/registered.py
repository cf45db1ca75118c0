"""The state of a resource in a call: the observed resource, its readiness and its connection details.

A resource's observed side is the model that its `.observed` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .._observed.observable import make
from .._observed.uses import guess
from .desired import is_desired
from .node import FACT, WAIT, Node

if TYPE_CHECKING:
    from .._observed.root import Root
    from .connection_details import ConnectionDetails
    from .shape import ModelShape

R = TypeVar("R", bound="ModelShape")

__all__ = ["READY", "Registered", "observed_view"]

READY = {True: 1, False: 2}
_FROM_READY = {1: True, 2: False}
_XR_STATES = {"status": WAIT}
_OBSERVED_STATES = {"metadata": FACT}


class Registered:
    """The state of one resource in a call.

    Attributes:
        root: The observed object of the resource, whether it exists or not.
        observed: The observed side; None until it is first read.
        base: The Struct bytes of the resource as previous functions desire it; None if they don't desire it.
        ready: The readiness that compose() set; None if it set none.
        incoming_ready: The readiness that previous functions set, as the protocol's number; 0 if they set none.
        on_unresolved: What to do if values are unresolved: `keep`, `hold` or `fatal`, as for `ctx.resource`.
        depends_on: Names of the resources that must be ready before this one is created.
        desired_details: For the composite, the connection details that previous functions desire, else None.
        details: For the composite, the desired connection details; None until they are first read, and for other
            resources.
    """

    __slots__ = (
        "_observed_details",
        "base",
        "depends_on",
        "desired_details",
        "details",
        "incoming_ready",
        "observed",
        "on_unresolved",
        "ready",
        "root",
    )

    def __init__(self, root: Root, base: bytes | None = None, incoming_ready: int = 0) -> None:
        self.root = root
        self.base = base
        self.ready: bool | None = None
        self.incoming_ready = incoming_ready
        self.on_unresolved = "keep"
        self.depends_on: tuple[str, ...] = ()
        self.desired_details: Mapping[str, bytes] | None = None
        self.details: ConnectionDetails | None = None
        self.observed: Any = None
        self._observed_details: ConnectionDetails | None = None

    def observed_view(self, model: R) -> R:
        """Return the observed side of `model`. Until the call ends, this is the same object each time."""
        if self.observed is None:
            self.observed = observed_view(type(model), self)
        observed: R = self.observed
        return observed

    def take_observed(self, made: ModelShape) -> None:
        """Keep `made` as the observed side. `made` refers back to this object, so the call runs `untie` at its end."""
        self.observed = made
        self.root.call.tied.append(self)

    def untie(self) -> None:
        """Forget the observed side. It is made again if it is read again."""
        self.observed = None

    def ready_of(self, model: ModelShape) -> bool | None:
        """Return the readiness that compose() set for `model`, else the one that previous functions set, else None.

        For the observed side: True if the resource is ready by the rules of its kind, else None. Reading it while it
        isn't ready counts as a guess (see `Observable`).
        """
        node = model._node
        if node is not None and node.state >= WAIT and not is_desired(node, self.root):
            if self.root.settled:
                return True
            # An `if` on readiness must not delete resources that exist: another run shows which ones depend on it.
            return True if guess(make(f"{self.root.prefix}.ready", self.root)) else None
        return self.ready if self.ready is not None else _FROM_READY.get(self.incoming_ready)

    def details_of(self, model: ModelShape) -> ConnectionDetails:
        """Return the connection details of `model`.

        For the desired composite these are the desired details, which can be set. For all others they are the observed
        ones.
        """
        from .connection_details import ConnectionDetails

        observed = model._node is not None and model._node.state >= WAIT
        if self.desired_details is None or observed:
            if self._observed_details is None:
                self._observed_details = ConnectionDetails(self.root, self.root.details, writable=False)
            return self._observed_details
        if self.details is None:
            self.details = ConnectionDetails(self.root, self.desired_details, writable=True)
        return self.details


def observed_view(cls: type[R], registered: Registered) -> R:
    """Make, keep and return the observed side of a resource, as an instance of `cls`.

    Raises:
        WireError: The bytes of the observed resource are malformed.
    """
    root = registered.root
    node = Node(WAIT, root.raw, root, None, root.prefix, root.fields)
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

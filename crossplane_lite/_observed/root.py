"""The tops of the objects that a call reads: the composite, composed and required resources, as they are observed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._base.sentinels import UNSET
from .observable import make, refer
from .readiness import is_ready

if TYPE_CHECKING:
    from .observable import Observable
    from .tracker import Tracker

__all__ = ["Computed", "Reference", "Root"]


class Root:
    """The top of one observed object: the composite, a composed resource or a required one.

    Attributes:
        call: The call it is read in.
        kind: `xr`, `resource` or `required`; `computed` for `Computed`.
        name: The composition resource name; the requirement's key; empty for the composite.
        prefix: The beginning of paths.
        raw: The object's Struct bytes, None while it isn't observed.

    Args:
        message: The protocol's message of it, which has its connection details; None while it isn't observed.
    """

    # Whether its values were read from desired state: see `Reference`.
    refers = False

    __slots__ = ("_fields", "_message", "_ready", "call", "kind", "name", "prefix", "raw")

    def __init__(
        self,
        call: Tracker,
        kind: str,
        name: str,
        prefix: str,
        raw: bytes | None,
        message: Any = None,
    ) -> None:
        self.call = call
        self.kind = kind
        self.name = name
        self.prefix = prefix
        self.raw = raw
        self._message = message
        self._ready: bool | None = None
        self._fields: Any = None

    @property
    def details(self) -> Mapping[str, bytes]:
        """The object's observed connection details."""
        details: Mapping[str, bytes] = {} if self._message is None else self._message.connection_details
        return details

    def alone(self, call: Tracker) -> Root:
        """Return the same object for another call."""
        return Root(call, self.kind, self.name, self.prefix, self.raw, self._message)

    @property
    def fields(self) -> Any:
        """The object split by one level, kept: wire name to value bytes."""
        if self._fields is None:
            self._fields = {} if self.raw is None else _wire.split(self.raw)
        return self._fields

    @property
    def settled(self) -> bool:
        """True where the observed object is ready by the rule of its kind. The composite's status never settles."""
        if self._ready is None:
            self._ready = self.raw is not None and self.kind != "xr" and is_ready(self.raw)
        return self._ready


class Reference(Root):
    """The same observed object, as desired state refers to it: the top of the Observables that reading an unset name
    of a desired resource gives.

    Nobody has set the name, and every question to such an Observable is answered so, whether the cluster has a name
    by now or not: it is empty and equal to nothing, and asking it isn't a guess. So the code takes the same way in
    every call: `if not bucket.external_name: bucket.external_name = name` sets it in each. Where it becomes text, or is
    emitted, it is the value.
    """

    __slots__ = ()

    refers = True

    @classmethod
    def of(cls, root: Root) -> Reference:
        """Return the object of a root as desired state refers to it."""
        return cls(root.call, root.kind, root.name, root.prefix, root.raw, root._message)

    def to(self, step: str, *way: str) -> Observable[str]:
        """Return a reference.

        Args:
            step: The path below the object, as Observables show it.
            *way: The keys that lead to the value.
        """
        path = self.prefix + step
        value = None if self.raw is None else _wire.get_path(self.raw, way)
        return refer(path, self, value) if isinstance(value, str) else make(path, self)


class Computed(Root):
    """A value that a run for dependencies computes from unresolved values: the top of its own Observables.

    Attributes:
        function: The function that computes it.
        values: Its arguments.
        result: The result for the values of the real call; UNSET until it is asked for.
    """

    __slots__ = ("function", "result", "values")

    def __init__(self, call: Tracker, path: str, function: Callable[..., Any], values: tuple[Any, ...]) -> None:
        super().__init__(call, "computed", "", path, None)
        self.function = function
        self.values = values
        self.result: Any = UNSET

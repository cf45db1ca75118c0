"""The observed objects that a call reads: the composite, composed resources and required resources.

A `Root` stands for one of them. Each Observable and each model of observed state refers to its
root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .. import codec
from ..base.sentinels import UNSET
from .lookup import is_ready
from .observable import make, refer
from .tracker import ended

if TYPE_CHECKING:
    from .observable import Observable
    from .tracker import Tracker


class Root:
    """One observed object that a call reads: the composite, a composed resource or a required one.

    Attributes:
        call: The call that reads the object.
        kind: `xr`, `resource`, `required` or `context` (a value of a previous step); `computed` for
            `Computed`.
        name: The composition resource name, the requirement's key or the context's key; empty for
            the composite.
        prefix: The beginning of the paths of the object's values, such as `xr` or the resource's
            name.
        raw: The object's Struct bytes; None while the object isn't observed.
        ready: Whether the object is ready by the rules of its kind; None if nobody has asked.

    Args:
        message: The message of the request that holds the object and its connection details; None
            if there is none.
    """

    # Whether the values are read through desired state: see `Reference`.
    refers = False

    __slots__ = ("_fields", "_message", "call", "kind", "name", "prefix", "raw", "ready")

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
        self._message: Any = message
        self.ready: bool | None = None
        self._fields: Any = None

    @property
    def details(self) -> Mapping[str, bytes]:
        """The object's observed connection details; empty while the object isn't observed."""
        return {} if self._message is None else self._message.connection_details

    def way_of(self, path: str) -> str:
        """Return the path of a value of the object, without the beginning that stands for the
        object.
        """
        return path[len(self.prefix) :].removeprefix(".")

    def untie(self) -> None:
        """Forget the call, which ends: Observables that were kept must not keep it alive."""
        self.call = ended()
        self._message = None

    @property
    def fields(self) -> Any:
        """The bytes of the object's top-level fields, by the fields' names; empty while the object
        isn't observed.

        The object's bytes are split when this is first read.

        Raises:
            WireError: The object's bytes are malformed.
        """
        if self._fields is None:
            self._fields = {} if self.raw is None else codec.split(self.raw)
        return self._fields

    @property
    def settled(self) -> bool:
        """Whether the object is observed, and ready by the rules of its kind. Always False for the
        composite.

        Raises:
            WireError: The object's bytes are malformed.
        """
        if self.ready is None:
            self.ready = self.raw is not None and self.kind != "xr" and is_ready(self.raw)
        return self.ready


class Reference(Root):
    """An observed object to which desired state refers.

    If a desired resource doesn't set `bucket.external_name`, reading this field gives an Observable
    of this object. The one question to that Observable is whether the name is set, and the answer
    is no, even if the cluster has a name, and isn't a guess. So the code takes the same path in
    every call: `if not bucket.external_name: bucket.external_name = name` sets the name in every
    call. In texts and in the answer, the Observable is replaced by the cluster's name. Every other
    use of it, such as `==` and `len`, raises UnresolvedError.
    """

    __slots__ = ()

    refers = True

    @classmethod
    def of(cls, root: Root) -> Reference:
        """Return the reference to the object of `root`."""
        made = cls(root.call, root.kind, root.name, root.prefix, root.raw)
        root.call.tied.append(made)
        return made

    def to(self, step: str, *way: str) -> Observable[str]:
        """Return an Observable that refers to a value of the object, whether the value exists yet
        or not.

        A value that isn't a string counts as missing.
        """
        path = self.prefix + step
        value = None if self.raw is None else codec.get_path(self.raw, way)
        return refer(path, self, value) if isinstance(value, str) else make(path, self)


class Computed(Root):
    """A value that a rehearsal computes from unresolved values. Observables for its parts have this
    object as root.

    Attributes:
        function: The function that computes the value.
        values: The function's arguments.
        result: The value for the real call's arguments; UNSET until it is computed.
    """

    __slots__ = ("function", "result", "values")

    def __init__(
        self, call: Tracker, path: str, function: Callable[..., Any], values: tuple[Any, ...]
    ) -> None:
        super().__init__(call, "computed", "", path, None)
        self.function = function
        self.values = values
        self.result: Any = UNSET

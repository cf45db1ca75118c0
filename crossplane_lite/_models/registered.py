"""What a resource knows once it belongs to a call: its observed side, readiness and connection details."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _wire
from .._observed.conditions import condition_of
from .._observed.observable import Observable, make
from ..errors import ReadOnlyError, UsageError
from . import node as _node

if TYPE_CHECKING:
    from .._observed.root import Root
    from .._observed.tracker import Tracker
    from .model import Resource

R = TypeVar("R", bound="Resource")

__all__ = ["ConnectionDetails", "Registered", "detail_of", "observed_view"]

READY = {True: 1, False: 2}
_FROM_READY = {1: True, 2: False}
_XR_MODES = {"status": _node.WAIT}
_OBSERVED_MODES = {"metadata": _node.FACT}


class Registered:
    """The place of a resource in a call.

    Attributes:
        root: The observed object, present or not.
        base: The Struct bytes that earlier functions desire, None where they don't.
        ready: What compose() said of its readiness.
        incoming_ready: What earlier functions said, as the protocol's number.
        on_unresolved: `keep`, `hold` or `fatal`.
        depends_on: Names of the resources that must be ready before this one is created.
        desired_details: For the composite the connection details that earlier functions desire.
        details: For the composite the desired connection details, once they have been asked for.
    """

    __slots__ = (
        "_observed",
        "_observed_details",
        "base",
        "depends_on",
        "desired_details",
        "details",
        "incoming_ready",
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
        self._observed: Any = None
        self._observed_details: ConnectionDetails | None = None

    def observed_view(self, model: R) -> R:
        """Return the observed side of `model`, always the same object."""
        if self._observed is None:
            self._observed = observed_view(type(model), self)
        observed: R = self._observed
        return observed

    def release(self) -> None:
        """Forget the observed side; it is made again when it is asked for again."""
        observed = self._observed
        if observed is not None:
            self._observed = None
            observed._node.views = None

    def ready_of(self, model: Resource) -> bool | None:
        """Return what was said of the readiness of `model`: for its observed side its Ready condition."""
        if model._node is not None and model._node.mode != _node.DESIRED:
            return True if self.root.settled else None
        return self.ready if self.ready is not None else _FROM_READY.get(self.incoming_ready)

    def details_of(self, model: Resource) -> ConnectionDetails:
        """Return the connection details of `model`; only the desired composite's can be set."""
        observed = model._node is not None and model._node.mode != _node.DESIRED
        if self.desired_details is None or observed:
            if self._observed_details is None:
                self._observed_details = ConnectionDetails(self.root, self.root.details, writable=False)
            return self._observed_details
        if self.details is None:
            self.details = ConnectionDetails(self.root, self.desired_details, writable=True)
        return self.details

    @staticmethod
    def condition(observed: Resource, type_: str) -> Any:
        """Return the condition of this type as a model over observed state."""
        from ..models.io.k8s.apimachinery.pkg.apis.meta.v1 import Condition

        top = observed._node
        assert top is not None
        up = _node.Node(_node.WAIT, None, top.root, top, ".status.conditions")
        found = condition_of(top.root.raw if top.root is not None else None, type_)
        raw = None if found is None else _wire.encode_struct(found)
        node = _node.Node(_node.WAIT, raw, top.root, up, f'["{type_}"]')
        made = Condition.__new__(Condition)
        Condition._set_node(made, node)
        return made


def observed_view(cls: type[R], registered: Registered) -> R:
    """Make the observed side of a resource."""
    root = registered.root
    node = _node.Node(_node.WAIT, root.raw, root, None, root.prefix, root.fields)
    if root.kind == "xr":
        # The composite exists, and no waiting changes what its author wrote into spec and metadata.
        node.mode = _node.FACT
        node.modes = _XR_MODES
    elif root.raw is not None:
        node.modes = _OBSERVED_MODES
    made = cls.__new__(cls)
    cls._set_node(made, node)
    cls._set_state(made, registered)
    registered._observed = made  # its own observed side
    return made


class ConnectionDetails(MutableMapping[str, Any]):
    """Connection details by key, as text.

    Observed details that are not there yet read as Observables. Those of the desired composite can be set, to text,
    bytes, a whole number or an Observable. While an Observable has no value, and for None, a detail that exists keeps
    its value: what earlier functions desire, or else what is observed.

    Attributes:
        raw: The details as bytes. Its keys are those that are there; of an observed resource, others read as
            Observables.
    """

    def __init__(self, root: Root, source: Mapping[str, bytes], *, writable: bool) -> None:
        self._root = root
        self._source = source
        self._own: dict[str, Any] = {}
        self._deleted: set[str] = set()
        self._unset: set[str] = set()  # set to None
        self._writable = writable

    @property
    def raw(self) -> dict[str, bytes]:
        shown: dict[str, bytes] = {} if self._writable else _Raw(self)
        shown.update((key, value) for key, value in self._source.items() if key not in self._deleted)
        for key, value in self._own.items():
            if type(value) is not Observable:
                shown[key] = value.encode() if isinstance(value, str) else value
        return shown

    def __getitem__(self, key: str) -> str | Observable[str]:
        if key in self._own:
            value = self._own[key]
        elif key in self._source and key not in self._deleted:
            value = self._source[key]
        elif self._writable:
            raise KeyError(key)
        else:
            return self.waiting(key)
        if isinstance(value, bytes):
            try:
                return value.decode()
            except UnicodeDecodeError:
                where = f'{self._root.prefix}.connection_details["{key}"]'
                raise UsageError(f"{where} isn't UTF-8 text; use .connection_details.raw for bytes") from None
        shown: str | Observable[str] = value
        return shown

    def get(self, key: str, default: Any = None) -> str | Observable[str] | Any:
        """Return the detail, or `default`; without one an observed detail that isn't there reads as an Observable."""
        return self[key] if key in self or (default is None and not self._writable) else default

    def __setitem__(self, key: str, value: str | bytes | Observable[str] | None) -> None:
        self._check_writable()
        if value is None:
            self._own.pop(key, None)
            if key not in self._deleted:
                self._unset.add(key)
            return
        self._own[key] = detail_of(key, value, self._root.call)

    def __delitem__(self, key: str) -> None:
        self._check_writable()
        if key not in self:
            raise KeyError(key)
        self._own.pop(key, None)
        self._unset.discard(key)
        self._deleted.add(key)

    def __contains__(self, key: object) -> bool:
        return key in self._own or (key in self._source and key not in self._deleted)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*(key for key in self._source if key not in self._deleted), *self._own]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return f"<connection details: {', '.join(self) or 'none'}>"  # never the values, they are secret

    def waiting(self, key: str | None = None) -> Observable[Any]:
        """Return what stands for a detail that isn't there yet, or for all of them."""
        path = f"{self._root.prefix}.connection_details"
        return make(path if key is None else f'{path}["{key}"]', self._root)

    @property
    def writable(self) -> bool:
        """Whether these are the desired composite's."""
        return self._writable

    @property
    def changes(self) -> tuple[dict[str, Any], set[str]]:
        """What compose() set, and the keys that it deleted."""
        seen = self._root.details
        kept = {key: seen[key] for key in self._unset if key in seen and key not in self}
        return {**kept, **self._own}, self._deleted

    def _check_writable(self) -> None:
        if not self._writable:
            raise ReadOnlyError(
                f"{self._root.prefix}.connection_details can't be set; "
                "those of the composite that ctx.composite() gives can"
            )


class _Raw(dict[str, bytes]):
    """Observed connection details as bytes; what isn't there yet reads as an Observable."""

    def __init__(self, details: ConnectionDetails) -> None:
        super().__init__()
        self._details = details

    def __missing__(self, key: str) -> Any:
        return self._details.waiting(key)


def detail_of(key: str, value: Any, call: Tracker) -> str | bytes | Observable[Any]:
    """Return a connection detail as text, bytes or an Observable, and have it masked in what people read.

    Args:
        key: Its key, for the message.
        value: Its value; a whole number, a port say, is taken as text, also where its schema calls it a `number` and
            it reads as a float.
        call: The call that it is set in.

    Raises:
        UsageError: It is something else.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, (str, bytes, Observable)):
        raise UsageError(
            f"connection detail {key!r} must be text, bytes or a whole number "
            f"(got a {type(value).__name__}); make it a text first"
        )
    if not isinstance(value, Observable):
        call.hide(value.encode(errors="replace") if isinstance(value, str) else value)
    detail: str | bytes | Observable[Any] = value
    return detail

"""The base of all models: attrs classes that know which of their fields were set.

A set field lives in the instance's dict; anything else reads from the instance's source, if it has one (see
`crossplane_lite._models.node`). `Model` is the base of nested objects, `Resource` that of composites and composed
resources.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from .. import _wire
from .._base.sentinels import UNSET
from .._observed import tracker
from .._observed.observable import EXTERNAL_NAME, Observable, guess, make
from ..errors import UnknownFieldError, UsageError
from . import node as _places
from . import types

if TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform

    from ..models.io.k8s.apimachinery.pkg.apis.meta.v1 import Condition
    from .registered import ConnectionDetails, Registered
else:

    def dataclass_transform(**_: Any) -> Any:  # for checkers alone; typing has the real one from 3.11 on
        return lambda cls: cls


M = TypeVar("M", bound="Model")

__all__ = ["Model", "Resource", "from_dict", "near_name", "new_node", "shell_of", "to_dict"]

_TAKEN: Final = _places.TAKEN
_read: Final = _places.read
_in_call: Final = tracker._current.get  # looked up once: it runs for every model that is made


@dataclass_transform(kw_only_default=True)
class Model:
    """Base of nested objects.

    Constructors are keyword-only. None and UNSET mean "no opinion", `NULL` is an explicit null, and `del model.field`
    removes what an earlier function set. Equality, repr and `to_dict` look at the fields that are present.

    Raises:
        UnknownFieldError: A field that the class does not have is read or set; the text suggests the near name.
        ReadOnlyError: Observed state is written to.
        UsageError: A field is given what it can't hold.
    """

    __slots__ = ("__dict__", "__weakref__", "_node")

    __wire_fields__: ClassVar[dict[str, types.Field]] = {}
    __wire_keys__: ClassVar[dict[str, bytes]] = {}
    __wire_head__: ClassVar[bytes] = b""
    __attrs_attrs__: ClassVar[Any]
    # The fields of a resource class that are always the same, and their values as they are encoded.
    _fixed: ClassVar[frozenset[str]] = frozenset()
    _head_fields: ClassVar[dict[str, bytes]] = {}

    _node: _places.Node | None

    def __init__(self, /, **fields: Any) -> None:
        _set_node(self, None if _in_call() is not None else new_node())
        known = self.__wire_fields__
        target = self.__dict__
        for name, value in fields.items():
            field = known.get(name)
            if field is None:
                raise self._unknown(name)
            kind = type(value)
            # What is nearly always given comes first; `_adopt` would decide the same.
            if kind in field.takes or kind is Observable:
                target[name] = value
            elif kind is field.type.made and value._node is None:
                _set_node(value, _TAKEN)
                target[name] = value
            elif kind is field.copied:
                target[name] = value.copy()
            elif value is None or value is UNSET:
                continue
            elif name in self._fixed:
                self._check_fixed(name, value)
            else:
                kept = _adopt(field.type, value, name)
                if kept is not None:
                    target[name] = kept

    def _read_field(self, name: str) -> Any:
        field = self.__wire_fields__.get(name)
        if field is None:
            if name in ("_node", "_state"):  # a subclass whose constructor doesn't call ours has not set its slots
                return None
            raise self._unknown(name)
        node = self._node
        if node is None or node is _TAKEN:
            if field.type.code < types.MODEL:
                return None
            node = self._own_node()
        elif node.views is not None:
            view = node.views.get(name)
            if view is not None:
                return view
        return _read(node, self, field)

    def _set_field(self, name: str, value: Any) -> None:
        field = self.__wire_fields__.get(name)
        if field is None:
            raise self._unknown(name)
        node = self._node
        if node is not None and node.mode != _places.DESIRED:
            raise node.read_only(f".{name}")
        if name in self._fixed:
            self._check_fixed(name, value)
            return
        if value is not None and self.__dict__.get(name) is value:
            return  # `model.items += [...]` assigns what was read and has attached itself
        kept = value if type(value) in field.takes else _adopt(field.type, value, name)
        if kept is None:
            self.__dict__.pop(name, None)
        elif node is not None and node.deleted is not None and name in node.deleted:
            self.__dict__[name] = kept  # in the place of what was deleted: it replaces and doesn't merge
        elif node is not None and node.raw is not None and isinstance(kept, (Model, dict)):
            self.__dict__[name] = _over_source(node, field.wire, field.type, kept)
        else:
            self.__dict__[name] = kept
        if node is not None:
            node.forget(name)
            if kept is None and node.deleted is not None:
                node.deleted.discard(name)
            node.touch(self)

    def _delete_field(self, name: str) -> None:
        if self.__wire_fields__.get(name) is None:
            raise self._unknown(name)
        node = self._node
        if node is None or node is _TAKEN:
            node = self._own_node()
        if node.mode != _places.DESIRED:
            raise node.read_only(f".{name}")
        if name in self._fixed:
            raise UsageError(f"{type(self).__name__}.{name} is fixed and can't be deleted")
        self.__dict__.pop(name, None)
        node.forget(name)
        if node.deleted is None:
            node.deleted = set()
        node.deleted.add(name)
        node.touch(self)

    if not TYPE_CHECKING:  # to checkers a model has the fields of its class and no others
        __getattr__ = _read_field
        __setattr__ = _set_field
        __delattr__ = _delete_field

    def __bool__(self) -> bool:
        if not self._absent:
            return True
        node = self._node
        return node is not None and node.mode == _places.WAIT and guess(node.observable())

    def _own_node(self) -> _places.Node:
        """Give a model a node of its own, for what it has to remember."""
        node = _places.Node(_places.DESIRED)
        node.taken = self._node is _TAKEN
        _set_node(self, node)
        return node

    @property
    def _absent(self) -> bool:
        """True for a view of something that isn't there: what reading an unset nested field gives."""
        node = self._node
        if node is None or node.raw is not None or self.__dict__:
            return False
        return node.owner is not None or node.up is not None or node.mode != _places.DESIRED

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        for one in (self, other):  # comparing with what isn't there yet is a guess, as for an Observable
            bool(one)
        from .walker import equal, plain

        return equal(plain(self), plain(other))

    __hash__ = None  # type: ignore[assignment]  # mutable, and compared by value

    def __repr__(self) -> str:
        from .walker import represent

        return represent(self)

    def __str__(self) -> str:
        node = self._node
        if node is not None and node.mode == _places.WAIT and self._absent:
            return str(node.observable())  # text made from what isn't there yet waits for it
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __copy__(self) -> Model:
        return shell_of(self) if self._node is None or self._node.mode == _places.DESIRED else self.__deepcopy__({})

    def __deepcopy__(self, memo: object) -> Model:
        if self._node is None or (self._node.mode == _places.DESIRED and self._node.raw is None):
            from .adopt import own_copy

            return own_copy(self)  # with its tombstones
        copy: Model = from_dict(type(self), to_dict(self))
        return copy

    def __reduce__(self) -> Any:
        return from_dict, (type(self), to_dict(self))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.__wire_fields__})

    # The set of a slot's descriptor, past `__setattr__`; written where the class is complete.
    _set_node: ClassVar[Any]

    @classmethod
    def _by_wire(cls, wire: object) -> types.Field | None:
        return next((field for field in cls.__wire_fields__.values() if field.wire == wire), None)

    @classmethod
    def _check_fixed(cls, name: str, value: object) -> None:
        fixed = getattr(cls, name)
        if value is not None and value is not UNSET and value != fixed:
            raise UsageError(f"{cls.__name__}.{name} is always {fixed!r} (got {value!r})")

    @classmethod
    def _unknown(cls, name: str) -> Exception:
        if name[:1] == "_":  # what libraries probe for; no need to look for a near name
            return AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
        return UnknownFieldError(f"{cls.__name__} has no field {name!r}{near_name(name, cls.__wire_fields__)}")


_set_node = Model.__dict__["_node"].__set__
Model._set_node = staticmethod(_set_node)


def _over_source(node: _places.Node, wire: str, type_: types.Type, value: Any) -> Any:
    from .adopt import over_source

    return over_source(node, wire, type_, value)


def _adopt(type_: types.Type, value: Any, name: str) -> Any:
    global _adopt
    from .adopt import adopt as _adopt

    return _adopt(type_, value, name)


def new_node() -> _places.Node | None:
    """Return the node of a model that is made now: none in a call, and outside of every call one that says so."""
    if _in_call() is not None:
        return None
    node = _places.Node(_places.DESIRED)
    node.outside = True
    return node


class Resource(Model):
    """Base of composites and composed resources: a model with a name in the composition and an observed side.

    Attributes:
        observed: The same model over observed state ("Resource Access Model" in the seed). Nothing of it can be set.
        external_name: The annotation crossplane.io/external-name, of desired state here and of observed state on
            `.observed`.
        ready: Whether the resource is ready: True, False, or None to leave it to others.
        connection_details: Connection details as text; `.raw` gives bytes. Those of the composite can be set.
        name: The composition resource name; for the composite and required resources their own name.
    """

    __slots__ = ("_state",)

    # A slot. ClassVar, because checkers take any other annotation here for a field.
    _state: ClassVar[Registered | None]

    if TYPE_CHECKING:  # each class says more exactly what its own are; only Any lets it
        apiVersion: Any = ...
        kind: Any = ...
        metadata: Any = ...

    def __init__(self, /, **fields: Any) -> None:
        _set_state(self, None)
        Model.__init__(self, **fields)

    def _set_field(self, name: str, value: Any) -> None:
        if name in _PROPERTIES:
            object.__setattr__(self, name, value)
        else:
            Model._set_field(self, name, value)

    if not TYPE_CHECKING:
        __setattr__ = _set_field

    _set_state: ClassVar[Any]

    def _registered(self) -> Registered:
        if self._state is None:
            raise UsageError(
                f"this {type(self).__name__} belongs to no call yet; "
                "register it first, with ctx.resource(name, instance)"
            )
        return self._state

    @property
    def observed(self) -> Self:
        return self._registered().observed_view(self)

    @property
    def name(self) -> str:
        root = self._registered().root
        if root.kind == "resource":
            return root.name
        # The composite and required resources have no name in the composition; their own name is what is meant.
        name: str = _wire.get_path(root.raw or b"", ("metadata", "name"), "")
        return name

    @property
    def external_name(self) -> str | Observable[str] | None:
        node = self._node
        if node is not None and node.mode == _places.WAIT and node.raw is None:
            return make(f"{node.path}.external_name", node.root)
        annotations: Any = self.metadata.annotations
        if isinstance(annotations, Observable):
            return annotations
        desired = node is None or node.mode == _places.DESIRED
        name: str | Observable[str] | None = annotations.get(EXTERNAL_NAME) if desired else annotations[EXTERNAL_NAME]
        return name

    @external_name.setter
    def external_name(self, value: str | Observable[str] | None) -> None:
        if self._node is not None and self._node.mode != _places.DESIRED:
            raise self._node.read_only(".external_name")
        self.metadata.annotations[EXTERNAL_NAME] = value

    @property
    def ready(self) -> bool | None:
        return self._registered().ready_of(self)

    @ready.setter
    def ready(self, value: bool | None) -> None:
        if value is not None and not isinstance(value, bool):
            raise UsageError(f"'ready' must be True, False or None (got {value!r} that is a {type(value).__name__})")
        node = self._node
        if node is not None and node.mode != _places.DESIRED:
            raise node.read_only(".ready")
        self._registered().ready = value

    @property
    def connection_details(self) -> ConnectionDetails:
        return self._registered().details_of(self)

    def condition(self, type: str) -> Condition:
        """Return the observed condition of this type.

        Args:
            type: The condition's type, such as `Ready`.

        Returns:
            A Condition with `status`, `reason`, `message` and so on; where the resource does not have it, one whose
            fields read as Observables.
        """
        found: Condition = self._registered().condition(self.observed, type)
        return found


_set_state = Resource.__dict__["_state"].__set__
Resource._set_state = staticmethod(_set_state)
_PROPERTIES: Final = frozenset({"observed", "external_name", "ready", "connection_details", "name"})


def near_name(name: str, names: Mapping[str, object]) -> str:
    """Return `; did you mean 'x'?` for the name nearest to a misspelt one, or nothing."""
    import difflib

    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def shell_of(model: Model) -> Model:
    """Return a new model with the same set fields, belonging nowhere."""
    cls = type(model)
    made = cls.__new__(cls)
    _set_node(made, new_node())
    if isinstance(made, Resource):
        _set_state(made, None)
    made.__dict__.update(model.__dict__)
    return made


def to_dict(model: Model) -> dict[str, Any]:
    """Return what is set in a model, or present in its source, as plain data under the wire names.

    Observables stay Observables; an explicit null is None.
    """
    from .walker import plain

    result: dict[str, Any] = plain(model)
    return result


def from_dict(cls: type[M], values: Mapping[str, Any]) -> M:
    """Return a model made from plain data under the wire names; None is an explicit null.

    Raises:
        UnknownFieldError: A key is not a field of the class.
        UsageError: A value can't stand where it stands.
    """
    from .adopt import fill
    from .walker import with_nulls

    made: Any = cls
    made = fill(made.__new__(made), with_nulls(values))
    model: M = made
    return model

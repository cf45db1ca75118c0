"""The base of composites and composed resources: models that also give the resource's observed state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from .. import _wire
from .._base.sentinels import NULL, UNSET
from .._base.type_names import value_in_words
from .._observed.conditions import condition_of
from .._observed.observable import Observable, make
from .._observed.uses import guess
from .._paths.text import EXTERNAL_NAME
from ..errors import UsageError
from .desired import PLACED, PLACES, external_name_of, is_desired, put_in_place
from .model import CONSTRUCTORS, Model
from .node import WAIT, Node
from .reader import Reading, read
from .setter import delete_field, set_field

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..models.io.k8s.apimachinery.pkg.apis.meta.v1 import Condition
    from .connection_details import ConnectionDetails
    from .kind_info import KindInfo
    from .registered import Registered
    from .types import Field

__all__ = ["Resource", "reading_of"]


class _KindInfo:
    """Descriptor for `kind_info`: returns the group, version, kind and scope of a class.

    It works for an instance, too. A class for all kinds, such as `Unstructured`, raises AttributeError.
    """

    def __get__(self, instance: object, owner: Any = None) -> KindInfo:
        from .kind_info import kind_info

        return kind_info(type(instance) if owner is None else owner)


class Resource(Model):
    """Base of composites, composed resources and required resources.

    `external_name` and `kind_info` can always be used. The other attributes need a resource that belongs to a call,
    such as one that was registered with `ctx.resource`.

    Attributes:
        observed: The resource as it is in the cluster, as an instance of the same class. It is read-only.
        external_name: The annotation crossplane.io/external-name: the desired one here, the observed one on
            `.observed`. If no function sets it for a composed resource, it reads as a reference to the observed one. So
            does `metadata.name`.
        ready: Whether the resource is ready: True, False, or None to leave the decision to others.
        connection_details: The connection details as strings; `.raw` gives bytes. Only the composite's can be set.
        name: The composition resource name. For the composite and required resources, their `metadata.name`.
        kind_info: The group, version, kind and scope of the class.

    Raises:
        UsageError: The resource doesn't belong to a call yet, or an attribute is set to a value of a wrong type.
        ReadOnlyError: An attribute of observed state is set.
    """

    __slots__ = ("_state",)

    # A slot. ClassVar, because checkers take any other annotation here for a field.
    _state: ClassVar[Registered | None]
    _scope: ClassVar[str] = ""

    kind_info: ClassVar[KindInfo] = _KindInfo()  # type: ignore[assignment]  # what it reads as

    if TYPE_CHECKING:  # each class has more exact types of its own; only Any lets it
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
            set_field(self, name, value)

    if not TYPE_CHECKING:
        __setattr__ = _set_field

    _set_state: ClassVar[Any]

    def _read_field(self, name: str) -> Any:
        made = Model._read_field(self, name)
        if name in PLACED:
            self._put_in_place(name, made)
        return made

    def _put_in_place(self, name: str, value: Any) -> None:
        """Apply the rules of `desired.PLACES` to a field of a desired resource.

        Does nothing for other resources, and for a discarded field that was set: that is reported when the call ends.
        """
        state = self._state
        if state is None or not is_desired(self._node, state.root) or name not in PLACES[state.root.kind]:
            return
        if name not in self.__dict__ or (name == "metadata" and state.root.kind == "resource"):
            put_in_place(name, value, state.root)

    def _registered(self) -> Registered:
        if self._state is None:
            raise UsageError(
                f"this {type(self).__name__} isn't registered yet; register it first, with ctx.resource(name, instance)"
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
        # The composite and required resources have no name in the composition, but a name of their own.
        name: str = _wire.get_path(root.raw or b"", ("metadata", "name"), "")
        return name

    @property
    def external_name(self) -> str | Observable[str] | None:
        node = self._node
        if node is not None and node.state == WAIT and node.raw is None:
            return make(f"{node.path}.external_name", node.root)
        annotations: Any = self.metadata.annotations
        if isinstance(annotations, Observable):
            return annotations
        state = self._state
        if state is not None and state.root.kind == "resource" and is_desired(node, state.root):
            return external_name_of(annotations, state.root)
        desired = node is None or node.state < WAIT
        name: str | Observable[str] | None = annotations.get(EXTERNAL_NAME) if desired else annotations[EXTERNAL_NAME]
        return name

    @external_name.setter
    def external_name(self, value: str | Observable[str] | None) -> None:
        if self._node is not None and self._node.state >= WAIT:
            raise self._node.read_only(".external_name")
        given: Any = value
        if not (given is None or given is UNSET or given is NULL or isinstance(given, (str, Observable))):
            hint = "; write str(...)" if isinstance(given, (int, float)) and not isinstance(given, bool) else ""
            raise UsageError(
                f"'external_name' must be a string, an Observable or None (got {value_in_words(given)}){hint}"
            )
        self.metadata.annotations[EXTERNAL_NAME] = value

    @property
    def ready(self) -> bool | None:
        return self._registered().ready_of(self)

    @ready.setter
    def ready(self, value: bool | None) -> None:
        if value is not None and not isinstance(value, bool):
            raise UsageError(f"'ready' must be True, False or None (got {value_in_words(value)})")
        node = self._node
        if node is not None and node.state >= WAIT:
            raise node.read_only(".ready")
        self._registered().ready = value

    @property
    def connection_details(self) -> ConnectionDetails:
        return self._registered().details_of(self)

    def condition(self, type: str) -> Condition:
        """Return the observed condition of this type.

        If a composed resource has the condition with another status than `True`, the call of this method counts as a
        guess (see `Observable`): compose() may run again with the status `True`, to find what depends on it.

        Args:
            type: The condition's type, such as `Ready`.

        Returns:
            The condition, with `status`, `reason`, `message` and so on. If the resource doesn't have the condition yet,
            these read as Observables.

        Raises:
            UsageError: The resource doesn't belong to a call yet.
        """
        from ..models.io.k8s.apimachinery.pkg.apis.meta.v1 import Condition

        top = self.observed._node
        assert top is not None
        up = Node(WAIT, None, top.root, top, ".status.conditions")
        root = top.root
        found = condition_of(root.raw if root is not None else None, type)
        if found is not None and found.get("status") != "True" and root is not None and root.kind == "resource":
            # An `if` on a condition must not delete resources that exist: another run shows which ones depend on it.
            if guess(make(f'{root.prefix}.status.conditions["{type}"].status', root)):
                found = {**found, "status": "True"}
        raw = None if found is None else _wire.encode_struct(found)
        made = Condition.__new__(Condition)
        Condition._set_node(made, Node(WAIT, raw, top.root, up, f'["{type}"]'))
        return made

    def _stand_nowhere(self) -> None:
        Model._stand_nowhere(self)
        _set_state(self, None)


class PlacedReading(Reading):
    """Descriptor for the field `spec` or `status` of a class of resources, with the rules of `desired.PLACES`."""

    __slots__ = ()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is not None:
            node = instance._node
            if node is not None and node.state == WAIT:  # the usual case, as `Reading` does it
                view = None if node.views is None else node.views.get(self._field.name)
                return read(node, instance, self._field) if view is None else view
        value = Reading.__get__(self, instance, owner)
        instance._put_in_place(self._field.name, value)
        return value


class MetadataReading(Reading):
    """Descriptor for the field `metadata` of a class of resources. Its value follows the rules of `desired.PLACES`.

    It has `__set__`, so Python calls it for metadata that was set, too.
    """

    __slots__ = ()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return Reading.__get__(self, instance, owner)
        node = instance._node
        if node is not None and node.state == WAIT:
            view = None if node.views is None else node.views.get("metadata")
            return read(node, instance, self._field) if view is None else view
        value = instance.__dict__.get("metadata")
        if value is None:
            value = Reading.__get__(self, instance, owner)
        instance._put_in_place("metadata", value)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance._set_field("metadata", value)

    def __delete__(self, instance: Any) -> None:
        delete_field(instance, "metadata")


def reading_of(field: Field) -> Reading:
    """Return the descriptor for a field of a class of resources that isn't a list or map."""
    return _READINGS.get(field.name, Reading)(field)


CONSTRUCTORS.append(Resource.__init__)
_set_state = Resource.__dict__["_state"].__set__
Resource._set_state = staticmethod(_set_state)
_READINGS: Final = {"metadata": MetadataReading, "spec": PlacedReading, "status": PlacedReading}
_PROPERTIES: Final = frozenset({"observed", "external_name", "ready", "connection_details", "name"})

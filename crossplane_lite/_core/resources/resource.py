"""The base of composites and composed resources: models that also give the resource's observed
state.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ...errors import UsageError
from .. import codec
from ..base.api_version import group_of
from ..base.sentinels import NULL, UNSET
from ..base.texts import articled, value_in_words
from ..models.model import CONSTRUCTORS, Described, Model, delete_field, set_field
from ..models.node import HELD_NODE, WAIT, ModelShape, Node
from ..models.reader import Reading
from ..observed.lookup import conditions_of
from ..observed.observable import Observable, guess, make
from ..observed.root import Reference
from ..paths.text import EXTERNAL_NAME
from .registered import PLACED, Place, is_desired, observed_view

if TYPE_CHECKING:
    from typing_extensions import Self

    from ...models.io.k8s.apimachinery.pkg.apis.meta.v1 import Condition
    from ..models.described import KindInfo
    from ..models.fields import Writable
    from ..models.types import Field
    from .connection_details import ConnectionDetails
    from .registered import Registered


class Resource(Model):
    """Base of composites, composed resources and required resources.

    `external_name` and `kind_info` can always be used. The other attributes need a resource that
    belongs to a call, such as one that was registered with `ctx.resource`.

    Attributes:
        observed: The resource as it is in the cluster, as an instance of the same class. It is
            read-only.
        external_name: The annotation crossplane.io/external-name: the desired one here, the
            observed one on `.observed`. If no function sets it for a composed resource, it reads as
            a reference to the observed one. So does `metadata.name`.
        ready: Whether the resource is ready: True, False, or None to leave the decision to others.
            On `.observed`: True if it is ready by the rules of its kind, else None; reading it then
            counts as a guess (see `Observable`).
        connection_details: The connection details as strings; `.raw` gives bytes. Only the
            composite's can be set.
        name: The composition resource name. For the composite and required resources, their
            `metadata.name`.
        kind_info: The group, version, kind and scope of the class.

    Raises:
        UsageError: The resource doesn't belong to a call yet, or an attribute is set to a value of
            a wrong type.
        ReadOnlyError: An attribute of observed state is set.
    """

    __slots__ = ("_state",)

    # A slot. ClassVar, because checkers take any other annotation here for a field.
    _state: ClassVar[Registered | None]
    _scope: ClassVar[str] = ""

    kind_info: ClassVar[KindInfo] = Described("kind_info")  # type: ignore[assignment]  # what it reads as

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
        self._put_in_place(name, made)
        return made

    def _put_in_place(self, name: str, value: Any) -> None:
        """Give a field of a desired resource its `Place`, unless it has one or isn't in `PLACED`.

        A discarded field that was set gets none: that is reported when the call ends.
        """
        root = None if self._state is None else self._state.root
        if root is None or not is_desired(self._node, root) or name not in PLACED[root.kind]:
            return
        if (name in self.__dict__ and (name != "metadata" or root.kind == "xr")) or not isinstance(
            value, ModelShape
        ):
            return
        node = value._node
        if node is None or node is HELD_NODE:
            node = value._own_node()
        if node.place is None:
            node.place = Place(root, name)
            if node.raw is None and node.place.discards:
                node.shows = codec.MORE

    def _registered(self) -> Registered:
        if self._state is None:
            raise UsageError(
                f"this {type(self).__name__} isn't registered yet; register it first, with"
                " ctx.resource(name, instance)"
            )
        return self._state

    @property
    def observed(self) -> Self:
        state = self._registered()
        view: Self = observed_view(type(self), state) if state.observed is None else state.observed
        return view

    @property
    def name(self) -> str:
        root = self._registered().root
        if root.kind == "resource":
            return root.name
        # The composite and required resources have no name in the composition, but a name of their
        # own.
        name: str = codec.get_path(root.raw or b"", ("metadata", "name"), "")
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
            name: str | Observable[str] | None = dict.get(annotations, EXTERNAL_NAME)
            if name is None and EXTERNAL_NAME not in (getattr(annotations, "deleted", None) or ()):
                return Reference.of(state.root).to(
                    ".external_name", "metadata", "annotations", EXTERNAL_NAME
                )
            return name
        desired = node is None or node.state < WAIT
        name = annotations.get(EXTERNAL_NAME) if desired else annotations[EXTERNAL_NAME]
        return name

    @external_name.setter
    def external_name(self: Writable, value: str | Observable[str] | None) -> None:
        own: Any = self
        if own._node is not None and own._node.state >= WAIT:
            raise own._node.read_only(".external_name")
        given: Any = value
        if not (
            given is None or given is UNSET or given is NULL or isinstance(given, (str, Observable))
        ):
            hint = (
                "; write str(...)"
                if isinstance(given, (int, float)) and not isinstance(given, bool)
                else ""
            )
            raise UsageError(
                "'external_name' must be a string, an Observable or None (got"
                f" {value_in_words(given)}){hint}"
            )
        own.metadata.annotations[EXTERNAL_NAME] = value

    @property
    def ready(self) -> bool | None:
        state, node = self._registered(), self._node
        root = state.root
        if node is not None and node.state >= WAIT and not is_desired(node, root):
            # An `if` on readiness must not delete resources that exist: another run shows which
            # ones depend on it.
            return True if root.settled or guess(make(f"{root.prefix}.ready", root)) else None
        ready = state.said_ready
        if ready is None and state.base is None and root.kind == "resource":
            text = (
                "ready is None, because no function has set it; observed.ready says whether the"
                " resource is ready"
            )
            warnings.warn(text, stacklevel=2)  # the author's line is told, once
        return ready

    @ready.setter
    def ready(self: Writable, value: bool | None) -> None:
        own: Any = self
        if value is not None and type(value) is not bool:
            raise UsageError(f"'ready' must be True, False or None (got {value_in_words(value)})")
        node = own._node
        if node is not None and node.state >= WAIT:
            raise node.read_only(".ready")
        own._registered().ready = value

    @property
    def connection_details(self) -> ConnectionDetails:
        from .connection_details import ConnectionDetails

        state, node = self._registered(), self._node
        if state.desired_details is None or (node is not None and node.state >= WAIT):
            if state.observed_details is None:
                if state.observed is None:
                    observed_view(type(self), state)  # what is read of it may be noted
                state.observed_details = ConnectionDetails(
                    state.root, state.root.details, writable=False
                )
            return state.observed_details
        if state.details is None:
            state.details = ConnectionDetails(state.root, state.desired_details, writable=True)
        return state.details

    def condition(self, type: str) -> Condition:
        """Return the observed condition of this type.

        If a composed resource has the condition with another status than `True`, the call of this
        method counts as a guess (see `Observable`).

        Args:
            type: The condition's type, such as `Ready`.

        Returns:
            The condition, with `status`, `reason`, `message` and so on. If the resource doesn't
            have the condition yet, these read as Observables.

        Raises:
            UsageError: The resource doesn't belong to a call yet.
        """
        from ...models.io.k8s.apimachinery.pkg.apis.meta.v1 import Condition

        top = self.observed._node
        assert top is not None
        root = top.root
        found = conditions_of(root.raw if root is not None else None).get(type)
        if (
            found is not None
            and found.get("status") != "True"
            and root is not None
            and root.kind == "resource"
        ):
            # An `if` on a condition must not delete resources that exist.
            if guess(make(f'{root.prefix}.status.conditions["{type}"].status', root)):
                found = {**found, "status": "True"}
        elif found is not None and root is not None and root.kind == "resource":
            root.call.true_conditions.setdefault(root.name, set()).add(type)
        raw = None if found is None else codec.encode_struct(found)
        made = Condition.__new__(Condition)
        Condition._set_node(made, Node(WAIT, raw, root, f'{top.path}.status.conditions["{type}"]'))
        return made

    def _stand_nowhere(self) -> None:
        Model._stand_nowhere(self)
        _set_state(self, None)


if TYPE_CHECKING:
    from ..models.fields import ManagedResource as ManagedResource
else:

    class ManagedResource(Resource):
        """Base of the managed resources of providers: kinds whose spec has `forProvider` and
        `providerConfigRef`.
        """

        __slots__ = ()

        def __class_getitem__(cls, _spec):
            return cls  # checkers know the class of the spec


class PlacedReading(Reading):
    """Descriptor for the field `metadata`, `spec` or `status` of a class of resources, which may
    have a `Place`.
    """

    __slots__ = ()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is not None:
            node = instance._node
            if node is not None and node.state == WAIT:  # the usual case, as `Reading` does it
                view = None if node.views is None else node.views.get(self._field.name)
                return Reading.__get__(self, instance, owner) if view is None else view
        value = Reading.__get__(self, instance, owner)
        instance._put_in_place(self._field.name, value)
        return value


class MetadataReading(PlacedReading):
    """A PlacedReading that also has `__set__`, so Python calls it for metadata that was set,
    too.
    """

    __slots__ = ()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        value = None if instance is None else instance.__dict__.get("metadata")
        if value is None:
            return PlacedReading.__get__(self, instance, owner)
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
_ANOTHER_NAME: Final = "give the new resource another name"
_PROPERTIES: Final = frozenset({"observed", "external_name", "ready", "connection_details", "name"})


def check_class(model: object, what: str) -> None:
    """Raise UsageError unless an argument of the function `what` is a class of resources."""
    if not (isinstance(model, type) and issubclass(model, Resource)):
        raise UsageError(
            f"{what} takes the class of a resource: a generated model, or Unstructured for any kind"
            f" (got {model!r:.80})"
        )


def check_kind(model: type[Resource], fields: Mapping[str, bytes], where: str) -> None:
    """Check that an object has the group and kind of a model class. Its version may differ.

    A class for all kinds, such as `Unstructured`, accepts every object. Raises UsageError.
    """
    found = other_kind(model, fields) if model._fixed else ""
    if found:
        raise UsageError(
            f"{where} is {found}, and the class {model.__name__} is for {model.kind} of"
            f" {model.apiVersion}: use the class of its kind"
        )


def check_same_kind(
    instance: Resource, fields: Mapping[str, bytes], where: str, cure: str = ""
) -> None:
    """Check that an object has the group and kind of an instance, which may be one of
    `Unstructured`.

    Its version may be another one. Raises UsageError, whose text ends with `cure`, or else with the
    usual one.
    """
    found = other_kind(instance, fields)
    if found:
        new = articled(str(instance.kind), str(instance.apiVersion))
        raise UsageError(f"{where} is {found}, and the new one is {new}: {cure or _ANOTHER_NAME}")


def other_kind(wanted: Any, fields: Mapping[str, bytes]) -> str:
    """Return an object's kind and apiVersion in words, such as `a Bucket of v1`; empty if they fit
    a class or model.
    """
    head = wanted._head_fields
    if (
        head
        and fields.get("apiVersion") == head["apiVersion"]
        and fields.get("kind") == head["kind"]
    ):
        return ""  # encoded in the same way, as they usually are
    values = [fields.get(key) for key in ("apiVersion", "kind")]
    version, kind = ["" if value is None else str(codec.open_value(value)[1]) for value in values]
    if kind == wanted.kind and group_of(version) == group_of(str(wanted.apiVersion)):
        return ""
    return articled(kind or "(no kind)", version or "(no apiVersion)")

"""Context: what compose() gets. One call's state, and everything that a function can ask and say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import _wire
from ._call.lazy_map import LazyMap
from ._call.required import RequiredResources, RequiredSchemas
from ._call.results import Conditions, Results
from ._models.kinds import check_class, check_kind, check_same_kind
from ._models.node import FACT, HELD, OUTSIDE, WAIT, Node
from ._models.registered import Registered
from ._models.resource import Resource
from ._models.types import ANY_TYPE
from ._observed.observable import Observable
from ._observed.root import Root
from ._observed.tracker import Tracker, current
from .errors import DuplicateResourceError, UnresolvedError, UsageError
from .proto import _view

if TYPE_CHECKING:
    from datetime import timedelta

    from ._call.capabilities import Capabilities, Credential
    from ._call.requirements import Requirements
    from ._models.unstructured import Unstructured
    from ._validation.schema import FieldError, Schema
    from .composition import Function

__all__ = ["Context"]

R = TypeVar("R", bound=Resource)
T = TypeVar("T")

ENVIRONMENT = "apiextensions.crossplane.io/environment"
WATCHED = "ops.crossplane.io/watched-resource"
_POLICIES = ("keep", "hold", "fatal")


class Context:
    """One call of a composition function ("Context Object" in the seed).

    Attributes:
        results: Results of this call.
        conditions: Conditions of the composite.
        requirements: What Crossplane is asked for. To be asked for in every call.
        required_resources: Crossplane's answers, resources by key.
        required_schemas: Crossplane's answers, schemas by key.
        context: The pipeline's context: JSON values by key, handed from function to function.
        output: What an Operation's function reports, JSON values by key.
        resources: The composed resources registered in this call, by name.
    """

    __slots__ = (
        "_auto_ready",
        "_call",
        "_composite",
        "_conditions",
        "_data",
        "_desired",
        "_function",
        "_lazy",
        "_observed",
        "_removed",
        "_request",
        "_resources",
        "_results",
        "_ttl",
        "_xr_root",
        "finished",
    )

    def __init__(self, request: Any, data: bytes, call: Tracker, function: Function) -> None:
        self._request = request
        self._data = data
        self._call = call
        self._function = function
        self._observed = request.observed.resources
        self._desired = request.desired.resources
        self._composite: Resource | None = None
        self._removed: set[str] = set()
        self._auto_ready: bool = function.auto_ready
        self._ttl: timedelta | None = None
        self._results = Results()
        self._conditions = Conditions()
        observed = request.observed.composite
        self._xr_root = Root(call, "xr", "", "xr", observed.resource, observed.connection_details)
        self._resources: dict[str, Resource] = {}
        self._lazy: dict[str, Any] = {}

    @property
    def results(self) -> Results:
        return self._results

    @property
    def conditions(self) -> Conditions:
        return self._conditions

    @property
    def resources(self) -> dict[str, Resource]:
        return self._resources

    def composite(self, model: type[R]) -> R:
        """Return the composite resource.

        Args:
            model: Its class, or `Unstructured`.

        Returns:
            The desired composite, whose status can be set; `.observed` is the composite as its author wrote it.

        Raises:
            UsageError: The composite is of another kind, was asked for as another class before, or there is none
                because an Operation runs the function.
        """
        if self.in_operation:
            raise UsageError(
                "there is no composite: an Operation runs this function; ctx.watched and ctx.required_resources have "
                "what it works on, ctx.resource() what it applies, and ctx.in_operation tells the two uses apart"
            )
        if self._composite is not None:
            if type(self._composite) is not model:
                raise UsageError(
                    f"the composite was asked for as {type(self._composite).__name__} before, "
                    f"and now as {model.__name__}"
                )
            return self._composite
        check_class(model, "ctx.composite()")
        desired = self._request.desired.composite
        root = self._xr_root
        check_kind(model, root.fields, "the composite")
        registered = Registered(root, desired.resource if desired.HasField("resource") else None, desired.ready)
        registered.desired_details = desired.connection_details
        if model._fixed:
            made = model()
        else:
            made = model(*(str(_wire.get_path(root.raw or b"", (key,), "")) or "?" for key in ("apiVersion", "kind")))
        Resource._set_state(made, registered)
        if registered.base is not None:
            from ._models.overlay import lay

            lay(ANY_TYPE, made, registered.base, root)
        self._composite = made
        return made

    def resource(
        self,
        name: str,
        instance: R,
        *,
        depends_on: Collection[Resource | str] = (),
        on_unresolved: Literal["keep", "hold", "fatal"] = "keep",
    ) -> R:
        """Register a composed resource.

        Args:
            name: Its composition resource name, unique in the composition and stable.
            instance: What is desired. It is put over what earlier functions desire under that name (deep merge).
            depends_on: Resources (or names of them) that must be observed and ready before this one is created.
            on_unresolved: What to do while a value is unresolved and the resource exists: `keep` it with its observed
                value there (the default), `hold` it back, or stop with a `fatal` result.

        Returns:
            The instance, which belongs to this call now: `.observed` and the other properties work.

        Raises:
            DuplicateResourceError: The name was registered in this call before.
            UnresolvedError: The name is made from an unresolved value.
            UsageError: The instance is observed state or no resource, or another kind is observed or desired under
                this name.
        """
        if not isinstance(instance, Resource):
            raise UsageError(
                f"ctx.resource({name!r}): the instance must be a resource (got a {type(instance).__name__})"
            )
        name = self._check_name(name)
        if name in self.resources:
            raise DuplicateResourceError(f"the composed resource {name!r} is registered already in this call")
        if on_unresolved not in _POLICIES:
            raise UsageError(f"'on_unresolved' must be one of {', '.join(_POLICIES)} (got {on_unresolved!r})")
        instance = _own_copy(name, instance)
        observed = self._observed.get(name)
        earlier = None if name in self._removed else self._desired.get(name)
        if observed is None:
            root = Root(self._call, "resource", name, name, None)
        else:
            root = Root(self._call, "resource", name, name, observed.resource, observed.connection_details)
            check_same_kind(instance, root.fields, f"the observed resource {name!r}")
        registered = Registered(root)
        if earlier is not None:
            registered.incoming_ready = earlier.ready
            if earlier.HasField("resource"):
                from ._models.overlay import lay

                check_same_kind(
                    instance, _wire.split(earlier.resource), f"the resource {name!r} that an earlier function desires"
                )
                registered.base = earlier.resource
                instance = lay(ANY_TYPE, instance, earlier.resource, root)
        registered.on_unresolved = on_unresolved
        if depends_on:
            registered.depends_on = _dependency_names(name, depends_on)
        Resource._set_state(instance, registered)
        self.resources[name] = instance
        return instance

    def connection_secret(
        self,
        details: Mapping[str, str | bytes | int | Observable[Any] | None],
        *,
        name: str = "connection-secret",
        namespace: str | Observable[str] | None = None,
    ) -> Unstructured:
        """Compose a Secret with the composite's connection details, as Crossplane 2 wants it done.

        Its type is connection.crossplane.io/v1alpha1. Where the composite has spec.writeConnectionSecretToRef, that
        says its name and namespace; otherwise Crossplane makes up a stable name. It is held back until every detail
        has a value; once it exists, details that go missing keep the value that it has. It counts as ready.

        Args:
            details: Values by key, as text, bytes, whole numbers or Observables, and not in base64. None leaves a key
                as it is. `other.observed.connection_details` as a whole can be given too.
            name: Its composition resource name.
            namespace: Where a composite that is in no namespace itself, and whose author doesn't say, has it. The
                Secret of a composite in a namespace is in that one.

        Returns:
            The Secret, registered. Legacy composites have `ctx.composite(...).connection_details` instead.

        Raises:
            UsageError: `details` can't be in a Secret, no namespace is known, or an Operation runs the function.
        """
        from ._call.connection_secret import connection_secret

        return connection_secret(self, details, name, namespace)

    def remove(self, name: str) -> None:
        """State that a composed resource is not desired: drop what earlier functions desire under this name, and what
        was registered.

        Crossplane deletes the resource when no later function desires it. After a guess this is what says that the
        loss is meant.
        """
        name = self._check_name(name)
        self._removed.add(name)
        self.resources.pop(name, None)

    def _check_name(self, name: object) -> str:
        """Return a resource's name; in a run that only looks for dependencies, the one that the real call has."""
        if self._call.oracle is not None and isinstance(name, (str, Observable)):
            return self._call.oracle.text(str(name), self._call)
        if type(name) is Observable or not isinstance(name, str):
            shown = repr(name)
            if type(name) is Observable:
                raise UnresolvedError(f"{shown} can't be a resource's name: it has no value yet")
            raise UsageError(f"a resource's name must be a text (got {shown} that is a {type(name).__name__})")
        if not name:
            raise UsageError("a resource's name must not be empty")
        waiting = self._call.tokens_in(name)
        if waiting:
            paths = ", ".join(observable.source_path for observable in waiting)
            raise UnresolvedError(
                f"a resource's name is made from {paths}, which has no value yet; a name must be known in every call"
            )
        return name

    def auto_ready(self) -> None:
        """Set the readiness of desired resources from their observed state, by kind, where nobody else sets it."""
        self._auto_ready = True

    @property
    def requirements(self) -> Requirements:
        from ._call.requirements import Requirements

        return self._once("requirements", Requirements)

    @property
    def asked(self) -> Requirements | None:
        """The requirements of this call, None where compose() has none."""
        requirements: Requirements | None = self._lazy.get("requirements")
        return requirements or None

    @property
    def required_resources(self) -> RequiredResources:
        return self._once("required_resources", self._make_required)

    def _make_required(self) -> RequiredResources:
        return RequiredResources(self._request, self._call, self.requirements, deprecated=not self._advertises)

    @property
    def required_schemas(self) -> RequiredSchemas:
        return self._once("required_schemas", lambda: RequiredSchemas(self._request))

    def schema(self, api_version: str, kind: str, *, key: str | None = None) -> Schema:
        """Ask for the OpenAPI schema of a kind, and return what Crossplane has answered.

        Like every requirement it has to be asked for in every call, which each of these calls of `schema` does.

        Args:
            api_version: The kind's apiVersion.
            kind: The kind.
            key: The requirement's key. Without one a requirement for this kind that compose() has already is taken,
                or apiVersion and kind are the key.

        Returns:
            The schema, which says whether Crossplane has answered and whether it has found the kind, and has
            `validate(resource)`.

        Raises:
            UsageError: `api_version` or `kind` is empty.
        """
        from ._call.requirements import SchemaSelector

        selector = SchemaSelector(api_version=api_version, kind=kind)
        if key is None:
            key = self.requirements.key_of(selector)
        self.requirements.schemas[key] = selector
        return self.required_schemas.answer(key)

    def validate_desired(self, *, fatal: bool = False, warning: bool = False) -> list[FieldError]:
        """Check the composed resources that are registered by now against the schemas of their kinds.

        One call does it all: it asks for the schemas of all of these kinds, in every call, and checks the resources
        whose schema has come. It says nothing of the others: schemas come with the next call at the earliest, and
        never from a Crossplane before v2.2 or for a kind that the cluster doesn't have. Call it at the end of
        compose(), and in the last function of a pipeline where several add to one resource: what is set later is
        missing here. `crossplane_lite.schemas` says what is checked. It needs the extra `schemas`.

        Every schema that is asked for is in every request, with 15 to 500 KB; where there are many kinds, the server
        needs a higher `--max-recv-message-size`.

        Args:
            fatal: Make each error a Fatal result, so that nothing is applied.
            warning: Make each error a Warning, when the errors differ from those of the last time. A condition of
                the composite, `DesiredStateValid-` and the step's name, has them as long as they last.

        Returns:
            The errors, resource by resource.

        Raises:
            SchemaError: A schema can't be used.
            MissingExtraError: The extra `schemas` isn't installed.
        """
        if self._call.oracle is not None:
            return []  # nobody would hear of them

        from ._call.desired_check import validate_desired

        return validate_desired(self, fatal=fatal, warning=warning)

    @property
    def desired(self) -> Mapping[str, Any]:
        """What earlier functions desire, by name, to read; `Unstructured`."""
        return self._once("desired", self._make_desired)

    def _make_desired(self) -> dict[str, Any]:
        from ._models.unstructured import Unstructured

        shown: dict[str, Any] = {}
        for name in sorted(self._desired):
            earlier = self._desired[name]
            root = Root(self._call, "resource", name, f"desired.{name}", earlier.resource, earlier.connection_details)
            made = Unstructured.__new__(Unstructured)
            Unstructured._set_node(made, Node(FACT, earlier.resource, root, None, root.prefix))
            registered = Registered(root, None, earlier.ready)
            registered._observed = made
            Unstructured._set_state(made, registered)
            shown[name] = made
        return shown

    @property
    def credentials(self) -> Mapping[str, Credential]:
        """The function's credentials, by name; each maps keys to bytes and has `text(key)`."""
        from ._call.capabilities import Credentials

        given = self._request.credentials
        if not given:
            self._uses(_view.CAPABILITY_CREDENTIALS)
        return self._once("credentials", lambda: Credentials(given))

    @property
    def input(self) -> dict[str, Any] | None:
        """The function's input from the Composition, None where there is none."""
        request = self._request
        return self._once("input", lambda: _wire.decode_struct(request.input) if request.HasField("input") else None)

    def input_as(self, cls: type[T]) -> T:
        """Return the input as an attrs class.

        Args:
            cls: The class. apiVersion, kind and metadata are left out where it doesn't have them.

        Raises:
            InputError: Keys are unknown or values of the wrong type; the message has every one, with its path.
        """
        from ._input.structure import structure

        return structure(self.input or {}, cls)

    @property
    def context(self) -> LazyMap:
        return self._once("context", lambda: LazyMap(self._request.context))

    @property
    def environment(self) -> Mapping[str, Any]:
        """The environment that EnvironmentConfigs give, from the context."""
        environment = self.context.get(ENVIRONMENT)
        return environment if isinstance(environment, dict) else {}

    @property
    def output(self) -> dict[str, Any]:
        empty: Callable[[], dict[str, Any]] = dict
        return self._once("output", empty)

    @property
    def in_operation(self) -> bool:
        """Whether an Operation runs the function: then there is neither a composite nor any observed state."""
        return not self._xr_root.raw

    @property
    def watched(self) -> Any:
        """The resource that a WatchOperation watches, as `Unstructured`; None where there is none."""
        from ._models.unstructured import Unstructured

        return self.watched_as(Unstructured)

    def watched_as(self, model: type[R]) -> R | None:
        """Return the resource that a WatchOperation watches.

        Args:
            model: Its class.

        Returns:
            The resource, to read; None where nothing is watched or it is gone by now.

        Raises:
            UsageError: It is of another kind.
        """
        answer = self.required_resources.answer(WATCHED)
        return self.required_resources.get(WATCHED, model)[0] if answer else None

    @property
    def capabilities(self) -> Capabilities:
        """What the caller says it supports (function-capabilities)."""
        from ._call.capabilities import Capabilities

        return self._once("capabilities", lambda: Capabilities(self._request.meta.capabilities))

    # Many calls need these, and making `Capabilities` takes longer than both.

    @property
    def _advertises(self) -> bool:
        """Whether the caller says what it supports."""
        return _view.CAPABILITY_CAPABILITIES in self._request.meta.capabilities

    def _supports(self, capability: int) -> bool:
        """Say whether the caller supports something, or may, because it doesn't say what it supports.

        Schemas came with the capabilities themselves: a caller that advertises neither doesn't have them.
        """
        if capability in self._request.meta.capabilities:
            return True
        return not self._advertises and capability != _view.CAPABILITY_REQUIRED_SCHEMAS

    def _uses(self, capability: int) -> None:
        """Log, once in a call, that compose() uses something that the caller is known not to support."""
        if not self._supports(capability):
            from ._call.capabilities import report_use

            self._once(f"use of {capability}", lambda: report_use(capability, self.log))

    @property
    def ttl(self) -> timedelta:
        """How long Crossplane may use this answer for an identical request; a minute when it isn't set."""
        from datetime import timedelta

        return timedelta(minutes=1) if self._ttl is None else self._ttl

    @ttl.setter
    def ttl(self, value: timedelta) -> None:
        from datetime import timedelta

        if not isinstance(value, timedelta) or value < timedelta(0):
            raise UsageError(f"'ttl' must be a timedelta that isn't negative (got {value!r})")
        self._ttl = value

    @property
    def log(self) -> Any:
        """A logger that masks secret values of the request and shows unresolved values as their paths."""
        from ._call.log import log_for

        return self._once("log", lambda: log_for(self._function.name, self._call))

    @property
    def request(self) -> Any:
        """The request as the protocol's v1 message, made on demand.

        Raises:
            UsageError: It can't be made, because protobuf refuses its depth.
        """
        from ._call.capabilities import raw_request

        return self._once("request", lambda: raw_request(self._data))

    def release(self) -> None:
        """Cut the references that go round in circles, so that a call's objects are freed when it ends.

        Left to the garbage collector they would cost as much as everything else. What compose() has kept goes on
        working.
        """
        models = list(self.resources.values())
        if self._composite is not None:
            models.append(self._composite)
        for model in models:
            if model._state is not None:
                model._state.release()
            if model._node is not None:
                model._node.views = None

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """Make a part of the context when it is first asked for, and keep it."""
        if name not in self._lazy:
            self._lazy[name] = make()
        made: T = self._lazy[name]
        return made


def _own_copy(name: str, instance: R) -> R:
    """Return the instance, or a copy of it where it belongs to a call already."""
    node = instance._node
    if node is not None and node.state >= WAIT:
        raise UsageError(
            f"ctx.resource({name!r}): {node.path} is observed state; registering it would own every field of it, "
            f"so make a new {type(instance).__name__} with the fields you care about"
        )
    # In a thread that the author has started, without the call's context, everything looks as if made outside.
    if instance._state is None and (
        node is None or (node.state != HELD and (node.state != OUTSIDE or current() is None))
    ):
        return instance
    from ._models.adopt import own_copy

    made: Any = own_copy(instance)
    copy: R = made
    return copy


def _dependency_names(name: str, others: object) -> tuple[str, ...]:
    if not isinstance(others, (list, tuple, set, frozenset)):
        raise UsageError(f"ctx.resource({name!r}): depends_on takes a list (got a {type(others).__name__})")
    return tuple(_dependency_name(name, other) for other in others)


def _dependency_name(name: str, other: object) -> str:
    found: str | None = None
    if isinstance(other, str):
        found = other
    elif isinstance(other, Resource) and other._state is not None and other._state.root.kind == "resource":
        found = other._state.root.name
    if found is None:
        raise UsageError(
            f"ctx.resource({name!r}): depends_on takes registered resources or their names "
            f"(got a {type(other).__name__})"
        )
    if found == name:
        raise UsageError(f"ctx.resource({name!r}): depends_on names the resource itself")
    return found

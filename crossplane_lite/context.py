"""Context: the argument of compose(), and everything that a function can ask and say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import _wire
from ._call.registering import composite_of, earlier_of, register, remove
from ._models.resource import Resource
from .errors import UsageError
from .proto import _view

if TYPE_CHECKING:
    from datetime import timedelta

    from ._call.call import Call
    from ._call.capabilities import Capabilities, Credential
    from ._call.lazy_map import LazyMap
    from ._call.observed import ObservedResources
    from ._call.required import RequiredResources, RequiredSchemas
    from ._call.requirements import Requirements
    from ._call.results import Conditions, Results
    from ._models.unstructured import Unstructured
    from ._observed.observable import Observable
    from ._validation.schema import FieldError, Schema

__all__ = ["Context"]

R = TypeVar("R", bound=Resource)
T = TypeVar("T")

ENVIRONMENT = "apiextensions.crossplane.io/environment"
WATCHED = "ops.crossplane.io/watched-resource"


class Context:
    """One call of a composition function, as its author sees it.

    Attributes:
        results: Results of this call.
        conditions: Conditions of the composite.
        requirements: Resources and schemas that Crossplane is asked for, in every call anew.
        required_resources: Crossplane's answers, resources by key.
        required_schemas: Crossplane's answers, schemas by key.
        context: The pipeline's context: JSON values by key, handed from function to function.
        output: The output of an Operation's function, JSON values by key.
        resources: The composed resources registered in this call, by name.
    """

    __slots__ = ("_call", "_composite", "_conditions", "_kept", "_resources", "_results")

    def __init__(self, call: Call) -> None:
        self._call = call
        # The call forgets all of these at its end. Whoever has kept the context still has them.
        self._resources = call.resources
        self._results = call.results
        self._conditions = call.conditions
        self._composite: Any = None
        self._kept: dict[str, Any] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Refuse a name that the context doesn't have, with the near one."""
            from ._base.near_name import near_name

            names = {one: None for one in dir(type(self)) if not one.startswith("_")}
            raise AttributeError(f"ctx has no attribute {name!r}{near_name(name, names)}", name=name, obj=self)

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
            UsageError: The composite is of another kind, was asked for as another class before, or is missing
                because an Operation runs the function.
        """
        if type(self._composite) is not model:
            self._composite = composite_of(self._call, model)
        composite: R = self._composite
        return composite

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
            instance: The desired resource. It is put over the one that previous functions desire under that name (deep
                merge).
            depends_on: Resources (or names of them) that must be observed and ready before this one is created.
            on_unresolved: What to do while a value is unresolved and the resource exists: `keep` it with its observed
                value there (the default), `hold` it back, or stop with a `fatal` result.

        Returns:
            The instance, which belongs to this call now. Its `.observed` and the other properties work.

        Raises:
            DuplicateResourceError: The name was registered in this call before.
            UnresolvedError: The name is made from an unresolved value.
            UsageError: The instance is observed state or no resource, or another kind is observed or desired under
                this name.
        """
        return register(self._call, name, instance, depends_on, on_unresolved)

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
            namespace: The Secret's namespace, for a composite that is in none itself and whose author doesn't name
                one. The Secret of a composite in a namespace is in that one.

        Returns:
            The Secret, registered. Legacy composites have `ctx.composite(...).connection_details` instead.

        Raises:
            UsageError: `details` can't be in a Secret, no namespace is known, or an Operation runs the function.
        """
        from ._call.connection_secret import connection_secret

        return connection_secret(self._call, details, name, namespace)

    def remove(self, name: str) -> None:
        """State that a composed resource is not desired: drop the one that previous functions desire, or that was
        registered, under this name.

        Crossplane deletes the resource when no later function desires it. After a guess this says that the
        loss is meant.
        """
        remove(self._call, name)

    def auto_ready(self) -> None:
        """Set the readiness of desired resources from their observed state, by kind, where nobody else sets it."""
        self._call.auto_ready = True

    @property
    def requirements(self) -> Requirements:
        return self._keep("requirements", lambda: self._call.requirements)

    @property
    def required_resources(self) -> RequiredResources:
        return self._keep("required_resources", lambda: self._call.required_resources)

    @property
    def required_schemas(self) -> RequiredSchemas:
        return self._keep("required_schemas", lambda: self._call.required_schemas)

    def schema(self, api_version: str, kind: str, *, key: str | None = None) -> Schema:
        """Ask for the OpenAPI schema of a kind, and return Crossplane's answer.

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
        from ._call.schemas import schema_of

        return schema_of(self._call, api_version, kind, key)

    def validate_desired(self, *, fatal: bool = False, warning: bool = False) -> list[FieldError]:
        """Check the composed resources that are registered by now against the schemas of their kinds.

        One call does it all: it asks for the schemas of all of these kinds, in every call, and checks the resources
        whose schema has come. It says nothing of the others: schemas come with the next call at the earliest, and
        never from a Crossplane before v2.2 or for a kind that the cluster doesn't have. Call it at the end of
        compose(), and in the last function of a pipeline where several add to one resource: fields that are set later
        are missing here. `crossplane_lite.schemas` lists the checks. It needs the extra `schemas`.

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

        from ._call.schemas import validate_desired

        return validate_desired(self._call, fatal=fatal, warning=warning)

    @property
    def desired(self) -> Mapping[str, Any]:
        """The resources that previous functions desire, by name, to read. Each is `Unstructured`, with `.observed`."""
        return self._keep("desired", lambda: earlier_of(self._call))

    @property
    def observed(self) -> ObservedResources:
        """Observed composed resources, by name, to read; those of other steps too.

        A name that isn't observed yet gives a resource all of whose fields read as Observables. Asking with `in`
        whether one is there is a guess where it isn't, as `if` is for a value.
        """
        from ._call.observed import ObservedResources

        return self._keep("observed", lambda: ObservedResources(self._call))

    @property
    def credentials(self) -> Mapping[str, Credential]:
        """The function's credentials, by name; each maps keys to bytes and has `text(key)`."""
        from ._call.capabilities import Credentials

        given = self._call.request.credentials
        if not given:
            self._call.uses(_view.CAPABILITY_CREDENTIALS)
        return self._keep("credentials", lambda: Credentials(given))

    @property
    def input(self) -> dict[str, Any] | None:
        """The function's input from the Composition, None without one."""
        request = self._call.request
        return self._keep("input", lambda: _wire.decode_struct(request.input) if request.HasField("input") else None)

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
        return self._keep("context", self._call.open_context)

    @property
    def environment(self) -> Mapping[str, Any]:
        """The environment that EnvironmentConfigs give, from the context."""
        environment = self.context.get(ENVIRONMENT)
        return environment if isinstance(environment, dict) else {}

    @property
    def output(self) -> dict[str, Any]:
        return self._keep("output", self._call.open_output)

    @property
    def in_operation(self) -> bool:
        """Whether an Operation runs the function. Then there is neither a composite nor any observed state."""
        return self._call.in_operation

    @property
    def watched(self) -> Any:
        """The resource that a WatchOperation watches, as `Unstructured`; None without one."""
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
        """The capabilities that the caller advertises."""
        from ._call.capabilities import Capabilities

        return self._keep("capabilities", lambda: Capabilities(self._call.request.meta.capabilities))

    @property
    def ttl(self) -> timedelta:
        """How long Crossplane may use this answer for an identical request; a minute when it isn't set."""
        from datetime import timedelta

        ttl = self._call.ttl
        return timedelta(minutes=1) if ttl is None else ttl

    @ttl.setter
    def ttl(self, value: timedelta) -> None:
        from datetime import timedelta

        if not isinstance(value, timedelta) or value < timedelta(0):
            raise UsageError(f"'ttl' must be a timedelta that isn't negative (got {value!r})")
        self._call.ttl = value

    @property
    def log(self) -> Any:
        """A logger that masks secret values of the request and shows unresolved values as their paths."""
        return self._call.log

    @property
    def request(self) -> Any:
        """The request as the protocol's v1 message, made on demand.

        Raises:
            UsageError: It can't be made, because protobuf refuses its depth.
        """
        from ._call.capabilities import raw_request

        return self._keep("request", lambda: raw_request(self._call.data))

    def _keep(self, name: str, make: Callable[[], T]) -> T:
        """Make a part of the context when it is first asked for, and keep it."""
        if name not in self._kept:
            self._kept[name] = make()
        made: T = self._kept[name]
        return made

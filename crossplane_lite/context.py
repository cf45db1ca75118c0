"""Context, the argument of compose(): all that a function can read, request and return."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._core import codec
from ._core.call.call import OnlyRead, checked_ttl
from ._core.call.registering import composite_of, earlier_of, register, remove
from ._core.resources.resource import Resource
from .proto import _view

if TYPE_CHECKING:
    from datetime import timedelta

    from ._core.call.call import Call
    from ._core.call.capabilities import Capabilities, Credential
    from ._core.call.given import LazyMap, ObservedResources, RequiredResources, RequiredSchemas
    from ._core.call.requirements import Requirements
    from ._core.call.results import Conditions, Results
    from ._core.observed.observable import Observable
    from ._core.resources.unstructured import Unstructured
    from ._core.schemas.schema import Schema

__all__ = ["Context"]

R = TypeVar("R", bound=Resource)
T = TypeVar("T")

ENVIRONMENT = "apiextensions.crossplane.io/environment"
WATCHED = "ops.crossplane.io/watched-resource"


class Context:
    """One call of a composition function, as its author sees it.

    Attributes:
        results: The results of this call, which Crossplane shows as events of the composite.
        conditions: The conditions that this call sets on the composite, by type.
        requirements: The resources and schemas that this call asks Crossplane for. Every call has
            to ask again.
        required_resources: Crossplane's answers to required resources, by the key of the
            requirement.
        required_schemas: Crossplane's answers to required schemas, by the key of the requirement.
        context: The pipeline's context: JSON values by key, which each function passes to the next
            one.
        output: The output of an Operation's function: JSON values by key.
        resources: The composed resources that this call has registered, by the names that compose()
            has given them.
    """

    __slots__ = ("_call", "_composite", "_conditions", "_kept", "_resources", "_results")

    def __init__(self, call: Call) -> None:
        self._call = call
        # The call drops these objects at its end. Code that has kept the context can still read
        # them here.
        self._resources = call.resources
        self._results = call.results
        self._conditions = call.conditions
        self._composite: Any = None
        self._kept: dict[str, Any] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError: the context has no attribute `name`. The message proposes the
            nearest name.
            """
            from ._core.base.official import instead
            from ._core.base.texts import near_name

            names = {one: None for one in dir(type(self)) if not one.startswith("_")}
            hint = instead(name, "Context") or near_name(name, names)
            raise AttributeError(f"ctx has no attribute {name!r}{hint}", name=name, obj=self)

    @property
    def results(self) -> Results:
        return self._results

    @property
    def conditions(self) -> Conditions:
        return self._conditions

    @property
    def resources(self) -> dict[str, Resource]:
        former = self._call.former
        if not former:
            return self._resources
        return OnlyRead({former.get(name, name): one for name, one in self._resources.items()})

    def composite(self, model: type[R]) -> R:
        """Return the composite resource.

        Args:
            model: The class of the composite's model, or `Unstructured`.

        Returns:
            The desired composite, which is the same object each time. Its status can be set. Its
            `.observed` is the composite as it is in the cluster.

        Raises:
            UsageError: The composite is of another kind than `model`, or `model` isn't a class of
                resources; or this call has asked for the composite with another class before; or
                there is no composite, because an Operation runs the function.
        """
        if type(self._composite) is not model:
            self._composite = composite_of(self._call, model)
            if self._call.observer is not None:
                self._call.observer.composite(self._composite)
        composite: R = self._composite
        return composite

    def resource(
        self,
        name: str,
        instance: R,
        *,
        depends_on: Collection[Resource | str] = (),
        formerly: Sequence[str] = (),
    ) -> R:
        """Register a composed resource.

        Args:
            name: The composition resource name. It must be unique in the composition, and the same
                in every call.
            instance: The desired resource. If a previous function desires a resource of this name,
                the instance is merged into it, level by level. If both set a field, the instance's
                value counts.
            depends_on: Registered resources, or their names. The new resource is created once all
                of them are observed and ready.
            formerly: The names that the resource had before. If it exists under one of them, or a
                previous function desires it under one, and neither is so for `name`, then it is
                composed under that former name, so that Crossplane doesn't delete it. The first
                such name counts. The code uses `name` everywhere; messages, paths and the cluster
                show the former name.

        Returns:
            The registered resource, whose `.observed` and other attributes work. It is `instance`
            itself, or a copy if `instance` was made outside of the call or is registered already.
            So use the result.

        Raises:
            DuplicateResourceError: This call has registered a resource of this name before, or two
                resources have a name in common, present or former.
            UnresolvedError: The name is made from an unresolved value.
            UsageError: The instance is observed state, isn't a resource, or is cluster-scoped
                although the composite is in a namespace; or a resource of another kind is observed
                or desired under this name; or another argument is wrong.
        """
        return register(self._call, name, instance, depends_on, formerly)

    def connection_secret(
        self,
        details: Mapping[str, str | bytes | int | Observable[Any] | None],
        *,
        name: str = "connection-secret",
        namespace: str | Observable[str] | None = None,
    ) -> Unstructured:
        """Compose a Secret that holds the composite's connection details, as a composite of
        Crossplane 2 needs it.

        The Secret's type is connection.crossplane.io/v1alpha1. `spec.writeConnectionSecretToRef` of
        the composite gives the Secret's name and namespace. Without that field, Crossplane makes up
        a name that doesn't change. The Secret is created once every detail has a value. Once the
        Secret exists, a detail that goes missing keeps its last value. The Secret counts as ready,
        unless a previous function has set its readiness.

        Args:
            details: The values by key: strings, bytes, whole numbers or Observables, not encoded in
                base64. A key whose value is None keeps its value in the Secret.
                `bucket.observed.connection_details` is allowed, too.
            name: The Secret's composition resource name.
            namespace: The Secret's namespace, if `spec.writeConnectionSecretToRef` gives none. A
                cluster-scoped composite needs one of the two. The Secret of a namespaced composite
                is always in the composite's namespace.

        Returns:
            The Secret, which is registered already. For a composite of Crossplane 1, set
            `ctx.composite(...).connection_details` instead of calling this method.

        Raises:
            DuplicateResourceError: This call has registered a resource under `name` before.
            UnresolvedError: `name` is made from an unresolved value.
            UsageError: `details` isn't a mapping, or has a key or a value that can't be in a
                Secret; or no namespace is known; or a resource of another kind is observed or
                desired under `name`; or an Operation runs the function.
        """
        from ._core.call.secrets import connection_secret

        return connection_secret(self._call, details, name, namespace)

    def once(self, value: T | Observable[T] | None, make: Callable[[], T]) -> T:
        """Return a value that is made once, such as a password, and read from what exists from then
        on.

        Set the result to the field that `value` is read from:
        `secret.data = {"password": ctx.once(secret.observed.data["password"], make)}`.

        Args:
            value: The value as it exists, read from `.observed` of a registered resource or of the
                composite.
            make: Makes the value. It is called if the object doesn't exist, or exists without the
                value.

        Returns:
            The value. If the composite refers to an object of the resource's kind that isn't
            observed, Crossplane is asked for that object by its name before another value is made.
            Until it has answered, this is an Observable.

        Raises:
            UsageError: `value` is of another object, its resource isn't registered, or `make`
                returns no value.
        """
        from ._core.call.once import once

        made: T = once(self._call, value, make)
        return made

    def remove(self, name: str) -> None:
        """Remove a composed resource from desired state, whether a previous function or this call
        has put it there.

        Crossplane deletes the resource unless a later function desires it. While a value is missing
        whose last value isn't known, and that compose() has asked for, as in an `if`, the resource
        stays: this value may decide whether this method is called.

        Args:
            name: The composition resource name. A name that no function desires is ignored. If this
                call has registered the resource, it is the present name, else the name under which
                the resource exists.

        Raises:
            UnresolvedError: The name is made from an unresolved value.
            UsageError: The name is empty, or isn't a string.
        """
        remove(self._call, name)

    def auto_ready(self) -> None:
        """Set the readiness of each desired resource from its observed state, by the rules of its
        kind.

        This happens at the end of the call. Readiness that compose() or a previous function sets
        stays as it is.
        """
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

        Every call of the function has to ask again, as for every requirement.

        Args:
            api_version: The kind's apiVersion.
            kind: The kind.
            key: The requirement's key. By default this is the key under which this call has asked
                for the schema before, else `apiVersion/kind`.

        Returns:
            The schema. `answered` says whether Crossplane has answered, `found` says whether it
            knows the kind, and `validate(resource)` checks a resource.

        Raises:
            UsageError: `api_version` or `kind` is empty, or an argument isn't a string.
        """
        from ._core.call.schemas import schema_of

        return schema_of(self._call, api_version, kind, key)

    @property
    def desired(self) -> Mapping[str, Any]:
        """The resources that previous functions desire, by name, as read-only `Unstructured` with
        `.observed`.
        """
        return self._keep("desired", lambda: earlier_of(self._call))

    @property
    def observed(self) -> ObservedResources:
        """The observed composed resources, by name, whichever step composes them. They are
        read-only.

        A resource that this call has registered is also found by its present name if it exists
        under a former one. A name that isn't observed yet gives a resource whose fields all read as
        Observables. `name in ctx.observed` asks for a missing value while the resource isn't
        observed, as `if` does: a resource that was there and is gone counts as it last was.
        """
        from ._core.call.given import ObservedResources

        return self._keep("observed", lambda: ObservedResources(self._call))

    @property
    def credentials(self) -> Mapping[str, Credential]:
        """The function's credentials, by name. Each credential maps keys to bytes; `text(key)`
        returns a string.

        Raises:
            MissingCredentialError: A name or a key is read that the request doesn't have.
        """
        from ._core.call.capabilities import Credentials

        given = self._call.request.credentials
        if not given:
            self._call.uses(_view.CAPABILITY_CREDENTIALS)
        return self._keep("credentials", lambda: Credentials(given))

    @property
    def input(self) -> dict[str, Any] | None:
        """The function's input from the Composition, as a dict; None if the step has no input."""
        request = self._call.request
        return self._keep(
            "input",
            lambda: codec.decode_struct(request.input) if request.HasField("input") else None,
        )

    def input_as(self, cls: type[T]) -> T:
        """Return the function's input as an instance of an attrs class. A step without input counts
        as an empty input.

        Args:
            cls: The class. If it has no fields apiVersion, kind and metadata, these are left out.

        Raises:
            InputError: Keys of the input are unknown or missing, or values have a wrong type. The
                message names up to 100 mistakes, each with its path.
            UsageError: `cls` isn't an attrs class, or has a field whose type has no values in JSON.
        """
        from ._core.schemas.structure import structure

        return structure(self.input or {}, cls)

    @property
    def context(self) -> LazyMap:
        return self._keep("context", self._call.open_context)

    @property
    def environment(self) -> Mapping[str, Any]:
        """The environment that EnvironmentConfigs put into the pipeline's context; empty if there
        is none.
        """
        environment = self.context.get(ENVIRONMENT)
        return environment if isinstance(environment, dict) else {}

    @property
    def output(self) -> dict[str, Any]:
        return self._keep("output", lambda: self._call.output)

    @property
    def in_operation(self) -> bool:
        """Whether an Operation runs the function. Then there are no composite and no observed
        composed resources.
        """
        return self._call.in_operation

    @property
    def watched(self) -> Any:
        """The resource that a WatchOperation watches, as `Unstructured`.

        None if no WatchOperation runs the function, or the resource has been deleted.
        """
        from ._core.resources.unstructured import Unstructured

        answer = self.required_resources.answer(WATCHED)
        return self.required_resources.get(WATCHED, Unstructured)[0] if answer else None

    @property
    def capabilities(self) -> Capabilities:
        """The names of the capabilities that the caller, usually Crossplane, lists in the
        request.
        """
        from ._core.call.capabilities import Capabilities

        return self._keep(
            "capabilities", lambda: Capabilities(self._call.request.meta.capabilities)
        )

    @property
    def ttl(self) -> timedelta | None:
        """How long Crossplane may reuse this answer for an identical request, and after which time
        it calls again.

        By default None, unless `@composition.function(ttl=...)` gives it. Then it follows from the
        state: 10 seconds until the composite is Ready and nothing waits, and one minute from then
        on. Of all steps of a pipeline, the shortest counts. 0 means for ever: then only changes
        bring calls.

        Raises:
            UsageError: It is set to a value that isn't a timedelta, or to one below 0 or above
                10,000 years.
        """
        call = self._call
        return call.function.ttl if call.ttl is None else call.ttl

    @ttl.setter
    def ttl(self, value: timedelta) -> None:
        self._call.ttl = checked_ttl(value)

    @property
    def log(self) -> Any:
        """A logger that masks the request's secret values and shows each unresolved value as its
        path.
        """
        return self._call.log

    @property
    def request(self) -> Any:
        """The request as a message of the protocol's v1. It is made when it is first read.

        Raises:
            UsageError: The request is nested deeper than protobuf can parse.
        """
        from ._core.call.capabilities import raw_request

        if self._call.observer is not None:
            self._call.observer.took_request()
        return self._keep("request", lambda: raw_request(self._call.data))

    def _keep(self, name: str, make: Callable[[], T]) -> T:
        """Return the object kept under `name`. The first time, `make` makes the object."""
        if name not in self._kept:
            self._kept[name] = make()
        made: T = self._kept[name]
        return made

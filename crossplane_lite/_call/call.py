"""The state of one call, from the request to the answer."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._observed.conditions import conditions_of
from .._observed.root import Root
from .._observed.tracker import Tracker
from ..errors import WireError
from ..proto import _view
from .mark import HELD_BACK_KEY, whose
from .results import Conditions, Results

if TYPE_CHECKING:
    from datetime import timedelta

    from .._models.resource import Resource
    from .._observed.masking import Masker
    from .callee import Callee
    from .lazy_map import LazyMap
    from .own_secrets import OwnSecrets
    from .required import RequiredResources, RequiredSchemas
    from .requirements import Requirements

__all__ = ["Call"]


class _GivenNames:
    """The names that are never masked as secret values: the function's name and the names of the registered resources.

    The masker holds this object instead of the call, so that the call can be freed.

    Args:
        own: The function's name.
        resources: The registered resources by name. The mapping grows while compose() runs.
    """

    __slots__ = ("_names", "_own")

    def __init__(self, own: str, resources: Mapping[str, Any]) -> None:
        self._own = own
        self._names: Collection[str] = resources

    def has(self, word: str) -> bool:
        """Say whether `word` is the function's name or the name of a registered resource."""
        return word in self._names or word == self._own

    def end(self) -> None:
        """Keep only the names of the resources, because a resource refers to its call and keeps it from being freed."""
        self._names = frozenset(self._names)


class Call(Tracker):
    """One call of a function: the request, the results of compose() up to now, and its uses of unresolved values.

    A call has no other state. `crossplane_lite.context.Context` shows it to authors, and the answer is made from it.
    A rehearsal (another run of compose(), whose results are thrown away) is a call of its own.

    Args:
        data: The bytes of a RunFunctionRequest.
        function: The function that is called.
        request: The message of `data`, if it was parsed already; None to parse `data` here.

    Raises:
        WireError: `data` isn't a RunFunctionRequest.

    Attributes:
        function: The function.
        request: The message of the request. Its Structs are bytes.
        desired: The resources that previous functions desire, by name, as messages of the request.
        existing: The observed resources by name, also in a rehearsal whose own request lacks some of them.
        composite: The desired composite; None until compose() asks for it.
        resources: The composed resources that compose() has registered, by name. A resource that still has a former
            name is under that name.
        former: The former names that compose() has given, each with the present name.
        present: The present names of resources that still have a former name, each with that name.
        removed: The names that compose() has removed.
        results: The results of compose().
        conditions: The conditions that compose() has set.
        context: The pipeline's context; None until compose() asks for it.
        output: An Operation's output; None until compose() asks for it.
        auto_ready: Whether the readiness of resources is found out from their observed state.
        ttl: How long Crossplane may reuse the answer; None if compose() doesn't set it.
    """

    __slots__ = (
        "_given",
        "_log",
        "_namespace",
        "_observed_conditions",
        "_own",
        "_reported",
        "_required_resources",
        "_required_schemas",
        "_requirements",
        "_secret",
        "_step",
        "auto_ready",
        "composite",
        "conditions",
        "context",
        "desired",
        "existing",
        "former",
        "function",
        "output",
        "present",
        "removed",
        "request",
        "resources",
        "results",
        "ttl",
    )

    def __init__(self, data: bytes, function: Callee, request: Any = None) -> None:
        Tracker.__init__(self, data)
        if request is None:
            try:
                request = _view.RunFunctionRequest.FromString(data)
            except Exception as error:  # protobuf's DecodeError, or the errors of its other backends
                raise WireError(f"the request is not a RunFunctionRequest: {error}") from None
        self.function = function
        self.request: Any = request
        if "yaml" in sys.modules:
            from .._models import yaml_dumps

            yaml_dumps.teach()
        self.observed = self.existing = request.observed.resources
        self.desired: Mapping[str, Any] = request.desired.resources
        composite = request.observed.composite
        self.xr: Root = Root(self, "xr", "", "xr", composite.resource, composite)
        self.composite: Resource | None = None
        self.resources: dict[str, Resource] = {}
        self.former: dict[str, str] = {}
        self.present: dict[str, str] = {}
        self.removed: set[str] = set()
        self.results = Results()
        self.conditions = Conditions()
        self.context: LazyMap | None = None
        self.output: dict[str, Any] | None = None
        self.auto_ready = function.auto_ready
        self.ttl: timedelta | None = None
        self._requirements: Requirements | None = None
        self._required_resources: RequiredResources | None = None
        self._required_schemas: RequiredSchemas | None = None
        self._secret = request  # whose secret values are masked
        self._own: OwnSecrets | None = None  # Secrets among the resources
        self._given: _GivenNames | None = None
        self._observed_conditions: dict[str, dict[str, Any]] | None = None
        self._step: str | None = None
        self._log: Any = None
        self._namespace: str | None = None
        self._reported: set[int] = set()

    def tops(self) -> dict[str, Any]:
        return self.resources if self.composite is None else {**self.resources, "xr": self.composite}

    def masker(self) -> Masker:
        """Return the masker of all secret values that are known now.

        These are the values in the request, values that `hide` added, and values in Secrets that compose() registered.
        """
        if self._masked is None:
            from .._observed.secrets import masker_for

            self._given = _GivenNames(self.function.name, self.resources)
            self._masked = masker_for(self._secret, self._given.has)
        made = Tracker.masker(self)
        if self.resources:
            if self._own is None:
                from .own_secrets import OwnSecrets

                self._own = OwnSecrets()
            made.add(list(self._own.values(self.resources)))
        return made

    @property
    def step(self) -> str:
        """The identity of this step of the pipeline.

        It is the function's name. If the step has an input, "-" and eight hex digits of the input's hash follow.
        """
        if self._step is None:
            self._step = self.function.name
            if self.request.HasField("input"):
                import hashlib

                from .._models.walker import canonical

                # Not the bytes: the order of their entries may differ from call to call.
                text = canonical(_wire.decode_struct(self.request.input))
                self._step += f"-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        return self._step

    @property
    def mark(self) -> str:
        """The value of the mark, the annotation on each resource that this step registers.

        It is the step's identity; empty if the resources get no mark, because an Operation runs the function.
        """
        # An Operation may apply resources that other functions compose, and must not replace their marks. Crossplane
        # sends a desired state in every call, even an empty one; without one, the call isn't from Crossplane.
        return "" if self.in_operation and self.request.HasField("desired") else self.step

    def root(self, name: str) -> Root:
        """Return the observed resource called `name`, whether it exists or not."""
        observed = self.observed.get(name)
        return Root(self, "resource", name, name, None if observed is None else observed.resource, observed)

    def whose(self, name: str) -> str:
        """Return whose the observed resource called `name` is, as `crossplane_lite._call.mark.whose` does.

        Raises:
            WireError: The resource's bytes are malformed.
        """
        function = self.function
        return whose(self.observed[name].resource, self.step, function.name, function.formerly)

    @property
    def namespace(self) -> str:
        """The namespace of the composite; empty if it has none.

        Raises:
            WireError: The composite's bytes are malformed.
        """
        if self._namespace is None:
            raw = self.xr.raw or b""
            # A quick look first: nearly all composites without a namespace don't have this word anywhere.
            found = _wire.get_path(raw, ("metadata", "namespace"), "") if b"namespace" in raw else ""
            self._namespace = found if isinstance(found, str) else ""
        return self._namespace

    @property
    def in_operation(self) -> bool:
        """Whether an Operation runs the function. Then the request has no composite and no observed state."""
        return not self.xr.raw

    @property
    def log(self) -> Any:
        """The logger of this call. It masks secret values, and shows unresolved values as their paths."""
        if self._log is None:
            from .log import log_for

            self._log = log_for(self.function.name, self)
        return self._log

    def open_context(self) -> LazyMap:
        """Return the pipeline's context as a mapping that compose() can read and change; the same object each time.

        Raises:
            WireError: The context's bytes are malformed.
        """
        if self.context is None:
            from .lazy_map import LazyMap

            self.context = LazyMap(self.request.context, self, self._guessed_keys())
        return self.context

    def _guessed_keys(self) -> set[str]:
        """Return the keys of the context whose values may still be wrong.

        Other steps set these values while they lacked values that they needed themselves.
        """
        entries = _wire.get_path(self.request.context, (HELD_BACK_KEY,))
        found: set[str] = set()
        for step, entry in entries.items() if isinstance(entries, dict) else ():
            guessed = entry.get("guessed") if isinstance(entry, dict) and step != self.step else None
            found.update(key for key in guessed or () if isinstance(key, str))
        return found

    def open_output(self) -> dict[str, Any]:
        """Return an Operation's output as a dict that compose() can change; the same dict each time."""
        if self.output is None:
            self.output = {}
        return self.output

    # Requests to Crossplane, and its answers.

    @property
    def requirements(self) -> Requirements:
        """The resources and schemas that compose() asks Crossplane for in this call."""
        if self._requirements is None:
            from .requirements import Requirements

            self._requirements = Requirements()
        return self._requirements

    @property
    def asked(self) -> Requirements | None:
        """The same as `requirements`, but None if compose() hasn't asked for anything."""
        return self._requirements or None

    @property
    def required_resources(self) -> RequiredResources:
        """The resources that Crossplane has sent because this function asked for them, by the requirement's key."""
        if self._required_resources is None:
            from .required import RequiredResources

            self._required_resources = RequiredResources(
                self.request, self, self.requirements, deprecated=not self.advertises
            )
        return self._required_resources

    @property
    def required_schemas(self) -> RequiredSchemas:
        """The schemas that Crossplane has sent because this function asked for them, by the requirement's key."""
        if self._required_schemas is None:
            from .required import RequiredSchemas

            self._required_schemas = RequiredSchemas(self.request)
        return self._required_schemas

    def stand_in_for(self, real: Call) -> None:
        """Make this call a rehearsal of `real`: take over a part of the real call's state.

        The part is:

        - the secrets, because the rehearsal's request may lack some;
        - the schemas, because they are large and need to be decoded only once;
        - the markers of placeholders (`crossplane_lite._observed.tokens`), if both calls have the same request;
        - the resources that exist, so that a resource has its former name in both calls or in none.
        """
        self._secret = real.request
        self.existing = real.existing
        if self.data is real.data:
            self._sequence = real._sequence
        self._required_schemas = real.required_schemas

    # The caller's capabilities. Many calls need these two answers, and making a `Capabilities` takes longer than both.

    @property
    def advertises(self) -> bool:
        """Whether the request lists the capabilities that the caller supports."""
        return _view.CAPABILITY_CAPABILITIES in self.request.meta.capabilities

    def supports(self, capability: int) -> bool:
        """Say whether the caller supports a capability, or may support it because it doesn't list its capabilities.

        A caller without a list doesn't support required schemas: the protocol got them in the same version as the list.
        """
        if capability in self.request.meta.capabilities:
            return True
        return not self.advertises and capability != _view.CAPABILITY_REQUIRED_SCHEMAS

    def uses(self, capability: int) -> None:
        """Log a warning if the caller doesn't support a capability that compose() uses, once for each capability.

        Args:
            capability: The capability's number in the protocol.
        """
        if capability not in self._reported and not self.supports(capability):
            from .capabilities import report_use

            self._reported.add(capability)
            report_use(capability, self.log)

    def observed_condition(self, type_: str) -> dict[str, Any] | None:
        """Return the observed composite's condition of the type `type_`; None if the composite lacks it.

        Raises:
            WireError: The composite's bytes are malformed.
        """
        if self._observed_conditions is None:
            # A new composite has no status; its fields were split before.
            self._observed_conditions = conditions_of(self.xr.raw) if "status" in self.xr.fields else {}
        return self._observed_conditions.get(type_)

    def release(self) -> None:
        """Cut the circular references between the call's objects, so that they are freed when the call ends.

        Otherwise the garbage collector would free them, which takes as long as the rest of the call. Values that
        compose() has stored elsewhere, such as in a global variable, can still be used.
        """
        for place in self.tied:
            place.untie()
        self.tied.clear()
        # All of these refer to their call, or may hold Observables, which refer to it.
        if self._given is not None:
            self._given.end()
        self.resources = {}
        self._own = None
        self.composite = self._log = self._required_resources = self._requirements = self.context = self.output = None
        if self.results.entries:
            self.results = Results()
        if self.conditions.entries:
            self.conditions = Conditions()
        self.xr = self.xr.alone(Tracker())

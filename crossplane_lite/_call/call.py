"""The state of one call, from the request to the answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._observed.conditions import condition_of
from .._observed.root import Root
from .._observed.tracker import Tracker
from ..errors import WireError
from ..proto import _view
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
    """The names that compose() and its author have given, which are not masked. What masks has it, and not the call.

    Args:
        own: The function's name.
        resources: What compose() has registered, by name; it grows.
    """

    __slots__ = ("_names", "_own")

    def __init__(self, own: str, resources: Mapping[str, Any]) -> None:
        self._own = own
        self._names: Collection[str] = resources

    def has(self, word: str) -> bool:
        """Say whether a word is one of them."""
        return word in self._names or word == self._own

    def end(self) -> None:
        """Keep the names alone: the resources know their call."""
        self._names = frozenset(self._names)


class Call(Tracker):
    """One call of a function: the request, the results of compose() by now, and its uses of unresolved values.

    It is the only state of a call. `crossplane_lite.context.Context` shows authors their side of it, the answer is made
    from it, and rehearsals are calls of their own.

    Args:
        data: The bytes of a RunFunctionRequest.
        function: The function that is called.
        request: The same as `data`, where it is split already.

    Raises:
        WireError: The bytes are malformed.

    Attributes:
        function: The function.
        request: The request, split as far as its envelope goes.
        desired: Resources that previous functions desire, by name.
        composite: The desired composite, once compose() has asked for it.
        resources: The composed resources that compose() has registered, by name.
        removed: The names that compose() has removed.
        results: Results of compose().
        conditions: Conditions that compose() has set.
        context: The pipeline's context, once compose() has asked for it.
        output: An Operation's output, once compose() has asked for it.
        auto_ready: Whether readiness comes from observed state.
        ttl: How long the answer may be used, None where compose() doesn't say.
    """

    __slots__ = (
        "_given",
        "_log",
        "_namespace",
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
        "function",
        "output",
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
                raise WireError(f"not a RunFunctionRequest: {error}") from None
        self.function = function
        self.request: Any = request
        self.observed = request.observed.resources
        self.desired: Mapping[str, Any] = request.desired.resources
        composite = request.observed.composite
        self.xr: Root = Root(self, "xr", "", "xr", composite.resource, composite)
        self.composite: Resource | None = None
        self.resources: dict[str, Resource] = {}
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
        self._step: str | None = None
        self._log: Any = None
        self._namespace: str | None = None
        self._reported: set[int] = set()

    def tops(self) -> dict[str, Any]:
        return self.resources if self.composite is None else {**self.resources, "xr": self.composite}

    def masker(self) -> Masker:
        """Return the masker of the secret values that are known by now, those of Secrets in `resources` among them."""
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
        """The identity of this step in a pipeline: the function's name and, where it has an input, a hash of it."""
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
        """The mark of the resources that this step registers; empty for none."""
        # Resources that an Operation applies may be composed by others, whose mark it must not take away. Crossplane
        # sends desired state in every call, be it empty.
        return "" if self.in_operation and self.request.HasField("desired") else self.step

    @property
    def namespace(self) -> str:
        """The namespace of the composite; empty where it has none."""
        if self._namespace is None:
            raw = self.xr.raw or b""
            # Nearly all composites that have none don't have the word, which is found out in no time.
            found = _wire.get_path(raw, ("metadata", "namespace"), "") if b"namespace" in raw else ""
            self._namespace = found if isinstance(found, str) else ""
        return self._namespace

    @property
    def in_operation(self) -> bool:
        """Whether an Operation runs the function: then there is neither a composite nor any observed state."""
        return not self.xr.raw

    @property
    def log(self) -> Any:
        """A logger that masks secret values of the request and shows unresolved values as their paths."""
        if self._log is None:
            from .log import log_for

            self._log = log_for(self.function.name, self)
        return self._log

    def open_context(self) -> LazyMap:
        """Return the pipeline's context, to read and to change."""
        if self.context is None:
            from .lazy_map import LazyMap

            self.context = LazyMap(self.request.context, self, self._guessed_keys())
        return self.context

    def _guessed_keys(self) -> set[str]:
        """Return the keys of the context whose values other steps made without knowing all that they needed."""
        from .mark import HELD_BACK_KEY

        entries = _wire.get_path(self.request.context, (HELD_BACK_KEY,))
        found: set[str] = set()
        for step, entry in entries.items() if isinstance(entries, dict) else ():
            guessed = entry.get("guessed") if isinstance(entry, dict) and step != self.step else None
            found.update(key for key in guessed or () if isinstance(key, str))
        return found

    def open_output(self) -> dict[str, Any]:
        """Return an Operation's output, to change."""
        if self.output is None:
            self.output = {}
        return self.output

    # Requests to Crossplane, and its answers.

    @property
    def requirements(self) -> Requirements:
        """The requests of compose()."""
        if self._requirements is None:
            from .requirements import Requirements

            self._requirements = Requirements()
        return self._requirements

    @property
    def asked(self) -> Requirements | None:
        """The requests of compose(), None without any."""
        return self._requirements or None

    @property
    def required_resources(self) -> RequiredResources:
        """The answers to required resources."""
        if self._required_resources is None:
            from .required import RequiredResources

            self._required_resources = RequiredResources(
                self.request, self, self.requirements, deprecated=not self.advertises
            )
        return self._required_resources

    @property
    def required_schemas(self) -> RequiredSchemas:
        """The answers to required schemas."""
        if self._required_schemas is None:
            from .required import RequiredSchemas

            self._required_schemas = RequiredSchemas(self.request)
        return self._required_schemas

    def stand_in_for(self, real: Call) -> None:
        """Take over the common state of the real call and its rehearsal.

        That is its secrets, of which the rehearsal's request has fewer, its schemas, which are large (decoded once
        is enough), and the markers of its placeholders, where the request is the same.
        """
        self._secret = real.request
        if self.data is real.data:
            self._sequence = real._sequence
        self._required_schemas = real.required_schemas

    # The caller's capabilities. Many calls need these, and making `Capabilities` takes longer than both.

    @property
    def advertises(self) -> bool:
        """Whether the caller lists its capabilities."""
        return _view.CAPABILITY_CAPABILITIES in self.request.meta.capabilities

    def supports(self, capability: int) -> bool:
        """Say whether the caller supports something, or may, because it doesn't list its capabilities.

        Schemas came with the capabilities themselves: a caller that advertises neither doesn't have them.
        """
        if capability in self.request.meta.capabilities:
            return True
        return not self.advertises and capability != _view.CAPABILITY_REQUIRED_SCHEMAS

    def uses(self, capability: int) -> None:
        """Log, once in a call, that compose() uses something that the caller is known not to support."""
        if capability not in self._reported and not self.supports(capability):
            from .capabilities import report_use

            self._reported.add(capability)
            report_use(capability, self.log)

    def observed_condition(self, type_: str) -> dict[str, Any] | None:
        """Return the condition that the observed composite has."""
        # Most calls end here, at a composite that has been split already and lacks a status.
        return condition_of(self.xr.raw, type_) if "status" in self.xr.fields else None

    def release(self) -> None:
        """Cut the references that go round in circles, so that a call's objects are freed when it ends.

        Left to the garbage collector they would cost as much as everything else. Values that compose() has kept go on
        working.
        """
        for place in self.tied:
            place.untie()
        self.tied.clear()
        # All of these know their call, or may hold Observables, which do.
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

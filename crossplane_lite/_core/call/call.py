"""The state of one call, from the request to the answer, and the interface of the function that is
called.
"""

from __future__ import annotations

import abc
import functools
import sys
from collections.abc import Collection, Mapping
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ...errors import UsageError, WireError
from ...proto import _view
from .. import codec
from ..observed.lookup import conditions_of
from ..observed.root import Root
from ..observed.tracker import Tracker, ended
from ..observed.writers import teach_yaml
from .mark import HELD_BACK_KEY, LACKING, MARK_WAY, UNSURE, whose
from .results import Conditions, Results

if TYPE_CHECKING:
    from datetime import timedelta

    from ..observed.secrets import Masker
    from ..resources.resource import Resource
    from .given import LazyMap, RequiredResources, RequiredSchemas
    from .requirements import Requirements
    from .secrets import OwnSecrets


class Callee(abc.ABC):
    """A composition function with its settings. `crossplane_lite.composition.Function` implements
    it.

    Attributes:
        name: The function's name. The marks of its resources begin with it.
        file: The path of the file that has compose().
        auto_ready: Whether the readiness of resources is found out from their observed state.
        formerly: The names that the function had before. Resources that are marked with one of them
            still belong to it.
        names: The present name and the former ones.
        protect: Whether what was made with a value stays when the value goes missing.
        usages: Whether the function also composes Usages, so that resources are deleted in the
            right order.
        ttl: How long Crossplane may use an answer for identical requests, if compose() doesn't set
            it. If None, it follows from the composite's state.
    """

    def __init__(
        self,
        name: str,
        file: str,
        *,
        formerly: Collection[str] = (),
        auto_ready: bool,
        protect: bool,
        usages: bool,
        ttl: timedelta | None = None,
    ) -> None:
        self.name = name
        self.formerly = tuple(formerly)
        self.names = (name, *self.formerly)
        self.file = file
        self.auto_ready = auto_ready
        self.protect = protect
        self.usages = usages
        self.ttl = ttl

    @abc.abstractmethod
    def invoke(self, call: Call) -> None:
        """Run compose() for `call`, and wait until it ends. An exception of compose() is raised
        here.
        """


def checked_ttl(value: Any) -> timedelta:
    """Return `value` if it is a timedelta that isn't negative, and at most the 10,000 years of
    protobuf's Duration.

    Raises:
        UsageError: It is something else.
    """
    from datetime import timedelta

    if not isinstance(value, timedelta) or not timedelta(0) <= value <= timedelta(days=3652500):
        raise UsageError(f"'ttl' must be a timedelta from 0 to 10,000 years (got {value!r})")
    return value


class OnlyRead(dict[str, Any]):
    """Resources by name, as the context shows them. Authors register resources with
    `ctx.resource()`.
    """

    def put(self, name: str, resource: Any) -> None:
        """Add a resource, or replace the one of this name."""
        dict.__setitem__(self, name, resource)

    if not TYPE_CHECKING:

        def __setitem__(self, name: object, _: object) -> None:
            raise UsageError(
                f"ctx.resources and ctx.desired are only for reading; write ctx.resource({name!r},"
                " ...)"
            )


class Call(Tracker):
    """One call of a function: the request, the results of compose() up to now, and its uses of
    unresolved values.

    A call has no other state. `crossplane_lite.context.Context` shows it to authors, and the answer
    is made from it. A rehearsal (another run of compose(), whose results are thrown away) is a call
    of its own.

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
        existing: The observed resources by name, also in a rehearsal whose own request lacks some
            of them.
        composite: The desired composite; None until compose() asks for it.
        resources: The composed resources that compose() has registered, by name. A resource that
            still has a former name is under that name.
        former: The former names that compose() has given, each with the present name.
        present: The present names of resources that still have a former name, each with that name.
        removed: The names that compose() has removed.
        other_kind: The names of existing resources that were made with a guess, and for which
            compose() now wants another kind. They stay as they are.
        results: The results of compose().
        conditions: The conditions that compose() has set.
        context: The pipeline's context; None until compose() asks for it.
        output: An Operation's output, which compose() can change.
        answered_for: In a rehearsal, what the real call asks for under each key of its
            requirements.
        made_once: The values that `Context.once` has made, by their paths.
        auto_ready: Whether the readiness of resources is found out from their observed state.
        own_secrets: The Secrets that compose() has registered; None until it registers one.
        ttl: How long Crossplane may reuse the answer; None if compose() doesn't set it.
    """

    composite: Resource | None = None
    context: LazyMap | None = None
    ttl: timedelta | None = None
    own_secrets: OwnSecrets | None = None
    _observed_conditions: dict[str, dict[str, Any]] | None = None

    def __init__(self, data: bytes, function: Callee, request: Any = None) -> None:
        Tracker.__init__(self, data)
        if request is None:
            try:
                request = _view.RunFunctionRequest.FromString(data)
            except Exception as error:
                # protobuf's DecodeError, or the errors of its other backends
                raise WireError(f"the request is not a RunFunctionRequest: {error}") from None
        self.function = function
        self.request: Any = request
        self.secret_request = request
        if "yaml" in sys.modules:
            teach_yaml()  # for Dumpers that ask for no class
        self.observed = self.existing = request.observed.resources
        self.desired: Mapping[str, Any] = request.desired.resources
        composite = request.observed.composite
        self.resources = OnlyRead()
        self.former: dict[str, str] = {}
        self.present: dict[str, str] = {}
        self.removed: set[str] = set()
        self.other_kind: set[str] = set()
        self.results = Results()
        self.conditions = Conditions()
        self.output: dict[str, Any] = {}
        self.auto_ready = function.auto_ready
        self.xr: Root = Root(self, "xr", "", "xr", composite.resource, composite)
        self._marks: dict[str, Any] = {}
        self._reported: set[int] = set()
        self.answered_for: dict[str, list[Any]] = {}
        self.made_once: dict[str, Any] = {}

    def tops(self) -> dict[str, Any]:
        return (
            self.resources if self.composite is None else {**self.resources, "xr": self.composite}
        )

    def has_name(self, word: str) -> bool:
        """Say whether `word` is a registered resource's name, the function's, or that of a
        condition of this step.
        """
        name = self.function.name
        return word in self.resources or word == name or f"-{name}" in word

    def masker(self) -> Masker:
        """Return the masker of all secret values that are known now.

        These are the values in the request, values that `hide` added, and values in Secrets that
        compose() registered.
        """
        own = self.own_secrets
        if own is not None and own.thread == get_ident():
            own.look(self)
        return Tracker.masker(self)

    @functools.cached_property
    def step(self) -> str:
        """The identity of this step of the pipeline.

        It is the function's name. If the step has an input, "-" and eight hex digits of the input's
        hash follow.
        """
        if not self.request.HasField("input"):
            return self.function.name
        from ..base.hashes import sha256
        from ..models.walker import canonical

        # Not the bytes: the order of their entries may differ from call to call.
        try:
            text = canonical(codec.decode_struct(self.request.input))
        except UsageError as error:
            raise WireError(f"the function's input is malformed: it {error}") from None
        return f"{self.function.name}-{sha256(text.encode()).hexdigest()[:8]}"

    @property
    def mark(self) -> str:
        """The value of the mark, the annotation on each resource that this step registers.

        It is the step's identity; empty if the resources get no mark, because an Operation runs the
        function.
        """
        # An Operation may apply resources that other functions compose, and must not replace their
        # marks. Crossplane sends a desired state in every call, even an empty one; without one, the
        # call isn't from Crossplane.
        return "" if self.in_operation and self.request.HasField("desired") else self.step

    def root(self, name: str) -> Root:
        """Return the observed resource called `name`, whether it exists or not."""
        observed = self.observed.get(name)
        found = Root(
            self, "resource", name, name, None if observed is None else observed.resource, observed
        )
        if name in self.noted_ready:
            found.ready = True  # as it was when its values were noted
        return found

    def mark_of(self, name: str) -> Any:
        """Return the mark of the observed resource called `name`; None if it isn't observed, or has
        no mark.

        Raises:
            WireError: The resource's bytes are malformed.
        """
        if name not in self._marks:
            observed = self.observed.get(name)
            self._marks[name] = (
                None if observed is None else codec.get_path(observed.resource, MARK_WAY)
            )
        return self._marks[name]

    def whose(self, name: str) -> str:
        """Return whose the observed resource called `name` is, as `_core.call.mark.whose` does.

        Raises:
            WireError: The resource's bytes are malformed.
        """
        return whose(self.mark_of(name), self.step, self.function.name, self.function.formerly)

    @functools.cached_property
    def namespace(self) -> str:
        """The namespace of the composite; empty if it has none.

        Raises:
            WireError: The composite's bytes are malformed.
        """
        raw = self.xr.raw or b""
        # A quick look first: nearly all composites without a namespace don't have this word
        # anywhere.
        found = codec.get_path(raw, ("metadata", "namespace"), "") if b"namespace" in raw else ""
        return found if isinstance(found, str) else ""

    @property
    def in_operation(self) -> bool:
        """Whether an Operation runs the function. Then the request has no composite and no observed
        state.
        """
        return not self.xr.raw

    @functools.cached_property
    def log(self) -> Any:
        """The logger of this call. It masks secret values, and shows unresolved values as their
        paths.
        """
        from .texts import log_for

        return log_for(self.function.name, self)

    def open_context(self) -> LazyMap:
        """Return the pipeline's context as a mapping that compose() can read and change; the same
        object each time.

        Raises:
            WireError: The context's bytes are malformed.
        """
        if self.context is None:
            from .given import LazyMap

            self.context = LazyMap(self.request.context)
        return self.context

    @functools.cached_property
    def is_after_unsure_step(self) -> bool:
        """Whether a previous step has answered without its notes, so that what it tells may be
        wrong.
        """
        return self._is_told(UNSURE)

    @property
    def lacks_context(self) -> bool:
        """Whether compose() has asked for a key of the context that a previous step may set
        later.
        """
        return self.context is not None and self.context.lacks and self._is_told(LACKING)

    @functools.cached_property
    def told(self) -> dict[str, Any]:
        """What each step says to later ones in the request's context, by the step's identity.

        Raises:
            WireError: The context's bytes are malformed.
        """
        entries = (
            codec.get_path(self.request.context, (HELD_BACK_KEY,))
            if self.request.HasField("context")
            else None
        )
        return entries if isinstance(entries, dict) else {}

    def _is_told(self, what: str) -> bool:
        for step, entry in self.told.items():
            if step != self.step and isinstance(entry, dict) and entry.get(what):
                return True
        return False

    # Requests to Crossplane, and its answers.

    @functools.cached_property
    def requirements(self) -> Requirements:
        """The resources and schemas that compose() asks Crossplane for in this call."""
        from .requirements import Requirements

        return Requirements()

    @property
    def asked(self) -> Requirements | None:
        """The same as `requirements`, but None if compose() hasn't asked for anything."""
        return self.__dict__.get("requirements") or None

    @functools.cached_property
    def required_resources(self) -> RequiredResources:
        """The resources that Crossplane has sent because this function asked for them, by the
        requirement's key.
        """
        from .given import RequiredResources

        return RequiredResources(self)

    @functools.cached_property
    def required_schemas(self) -> RequiredSchemas:
        """The schemas that Crossplane has sent because this function asked for them, by the
        requirement's key.
        """
        from .given import RequiredSchemas

        return RequiredSchemas(self.request)

    def stand_in_for(self, real: Call) -> None:
        """Make this call another run of `real`: take over a part of the real call's state.

        The part is:

        - the secrets, because the run's request may lack some;
        - the schemas, because they are large and need to be decoded only once;
        - the markers of placeholders (`_core.observed.tokens`): the request is searched once, and
          what the run's request has more comes from notes, which have no placeholders;
        - the resources that exist, so that a resource has its former name in both calls or in none.
        """
        self.secret_request = real.request
        self.existing = real.existing
        self.noted_ready = real.noted_ready
        self.first = real
        if real.asked is not None:
            from .requirements import form_of

            self.answered_for = {
                key: form_of(selector, real) for key, selector in real.asked.resources.items()
            }
        self.required_schemas = real.required_schemas

    # The caller's capabilities. Many calls need these two answers, and making a `Capabilities`
    # takes longer than both.

    @property
    def advertises(self) -> bool:
        """Whether the request lists the capabilities that the caller supports."""
        return _view.CAPABILITY_CAPABILITIES in self.request.meta.capabilities

    def supports(self, capability: int) -> bool:
        """Say whether the caller supports a capability, or may support it because it doesn't list
        its capabilities.

        A caller without a list doesn't support required schemas: the protocol got them in the same
        version as the list.
        """
        if capability in self.request.meta.capabilities:
            return True
        return not self.advertises and capability != _view.CAPABILITY_REQUIRED_SCHEMAS

    def uses(self, capability: int) -> None:
        """Log a warning if the caller doesn't support a capability that compose() uses, once for
        each capability.

        Args:
            capability: The capability's number in the protocol.
        """
        if capability not in self._reported and not self.supports(capability):
            from .capabilities import WITHOUT

            self._reported.add(capability)
            what, meaning = WITHOUT[capability]
            self.log.warning(
                "this Crossplane doesn't support %s, which compose() uses: %s", what, meaning
            )

    def observed_condition(self, type_: str) -> dict[str, Any] | None:
        """Return the observed composite's condition of the type `type_`; None if the composite
        lacks it.

        Raises:
            WireError: The composite's bytes are malformed.
        """
        if self._observed_conditions is None:
            # A new composite has no status; its fields were split before.
            self._observed_conditions = (
                conditions_of(self.xr.raw) if "status" in self.xr.fields else {}
            )
        return self._observed_conditions.get(type_)

    @property
    def is_ready(self) -> bool:
        """Whether the composite is Ready, by Crossplane's verdict on the last answer."""
        return (self.observed_condition("Ready") or {}).get("status") == "True"

    def release(self) -> None:
        """Cut the circular references between the call's objects, so that they are freed when the
        call ends.

        Otherwise the garbage collector would free them, which takes as long as the rest of the
        call. Values that compose() has stored elsewhere, such as in a global variable, can still be
        used.
        """
        for place in self.tied:
            place.untie()
        self.tied.clear()
        # All of these refer to their call, or may hold Observables, which refer to it.
        self.resources = OnlyRead()
        self.output = {}
        self.composite = self.context = self.own_secrets = None
        for name in self.__dict__.keys() & {"log", "required_resources", "requirements"}:
            del self.__dict__[name]
        if self.results.entries:
            self.results = Results()
        if self.conditions.entries:
            self.conditions = Conditions()
        self.xr.call = ended()

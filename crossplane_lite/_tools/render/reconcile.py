"""Runs one reconcile of a composite resource, as Crossplane 2.4 does."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..._core import codec
from ..._core.base.api_version import group_of
from ..._core.base.names import DNS_LABEL_FORM, is_dns_label
from ..._core.base.texts import json_type_in_words, near_name, type_in_words
from ..._core.paths.trees import lookup
from ..._core.resources.checking import one_object_text
from ...composition import Function
from ...errors import InputError, MissingExtraError
from ...proto import _view
from ..manifests.objects import (
    COMPOSITE_LABEL,
    TRANSITION_TIME,
    applied,
    controller_of,
    metadata_of,
    observed_bytes,
    quoted,
    scope_of,
    secret_data,
    secret_place,
    some_names,
    text_of,
    with_condition,
)
from .cluster import World, identity
from .composed import Owner, by_name, composed_resource
from .definition import (
    PAUSED,
    REQUESTED,
    check_defines,
    is_legacy,
    is_of_cluster,
    references_of,
    schema_of,
    with_composition,
    with_references,
)
from .pipeline import Cluster, Runner, Selector, Step
from .rendered import InvalidStatusError, Rendered, RenderError, StepRun
from .steps import Pipeline, decoded, mark
from .told import told

if TYPE_CHECKING:
    from .rendered import StepRun

_log = logging.getLogger(__name__)

# The types of Crossplane's own conditions. A function's condition of such a type is ignored.
_SYSTEM: Final = frozenset({"Healthy", "Ready", "Responsive", "Synced", "UpToDate"})
# A reason, as the schema of Kubernetes' own type of conditions has it. XRDs let others pass.
_REASON: Final = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
# The fields that Crossplane itself writes into the status of a composite, beside the conditions.
_OWN_STATUS: Final = (
    "claimConditionTypes",
    "connectionDetails",
    "crossplane",
    "lastHandledReconcileAt",
)
_PAUSED: Final = "Reconciliation (including deletion) is paused via the pause annotation"


def render(
    composite: Mapping[str, Any],
    pipeline: Sequence[Step],
    functions: Mapping[str, Runner | Function],
    *,
    cluster: Cluster | None = None,
    observed: Iterable[Mapping[str, Any]] = (),
    context: Mapping[str, Any] | None = None,
    timeout: float = 60.0,
    xrd: Mapping[str, Any] | None = None,
    composition: str | None = None,
) -> Rendered:
    """Run one reconcile of a composite resource.

    The arguments aren't changed, and the result shares no object with them.

    Args:
        composite: The composite resource. If it has no uid, it gets one that is made from its kind
            and name.
        pipeline: The steps of the Composition.
        functions: By the function's name, a composition function or an object with the method
            `RunFunction`, which is called in this process, or a runner (an object that calls the
            function).
        cluster: The source of required resources, schemas, and the Secrets of credentials and
            connection details. If it has a method `scope(api_version, kind)`, this method says
            which kinds are cluster-scoped. None for a cluster without other objects.
        observed: The composed resources that exist, each with the annotation
            `crossplane.io/composition-resource-name`. If a resource has a controller, it must be
            the composite. If the composite is namespaced, the resources must be in its namespace.
        context: The pipeline's context before the first step; None for an empty context.
        timeout: The time limit of all steps together, in seconds. Functions in this process have
            none.
        xrd: The composite's CompositeResourceDefinition. If its scope is LegacyCluster, the
            composite is treated as in Crossplane 1, with references in its spec, connection details
            and perhaps a claim. The status that the functions desire is checked against the XRD;
            without an XRD, against the cluster's schema of the kind if the cluster has one. None if
            it isn't known.
        composition: The name of the Composition, which functions see in the composite; None for no
            name.

    Returns:
        The objects that Crossplane would apply, delete, store and report. If the composite is
        paused or being deleted, no function is called, and only the composite's status changes.

    Raises:
        FatalResultError: A function returned a fatal result.
        InvalidStatusError: The desired status of the composite doesn't fit the schema of the
            composite's kind.
        RenderError: The reconcile fails for another reason. The error's `composite` has the
            conditions that Crossplane stores.
        InputError: An argument can't be used.
        UsageError: A function is neither a runner nor a composition function.
    """
    return _Reconcile(composite, cluster, observed, xrd, composition).run(
        pipeline, functions, context, timeout
    )


class _Reconcile:
    def __init__(
        self,
        composite: Mapping[str, Any],
        cluster: Cluster | None,
        observed: Iterable[Mapping[str, Any]],
        xrd: Mapping[str, Any] | None,
        composition: str | None,
    ) -> None:
        _check_composite(composite)
        if xrd is not None:
            check_defines(composite, xrd, "the XRD")
        self._xrd = xrd
        self._legacy = is_legacy(xrd)
        self._composition = composition
        # Encoded and decoded again, so that it shares nothing with objects that the caller may
        # change later.
        self._composite = codec.decode_struct(observed_bytes(composite, "the composite resource"))
        self._conditions = _conditions_of(self._composite)
        self._status: dict[str, Any] = {}
        self._owner = Owner.of(self._composite)
        self._observed = self._existing(observed)
        self._notes: list[str] = []
        self._seen = self._seen_composite()
        self._cluster = World(cluster, objects=[self._seen, *self._observed.values()])

    def _existing(self, observed: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
        """Return the observed resources by composition resource name.

        Raises:
            InputError: A resource has no apiVersion, kind or composition resource name, has a
                controller that isn't the composite, or is outside of the composite's namespace; or
                two resources have the same name.
        """
        found: dict[str, Mapping[str, Any]] = {}
        owner = self._owner
        for name, resource in by_name(observed).items():
            controller = controller_of(resource)
            if controller is not None and controller.get("uid") != owner.uid:
                raise InputError(
                    f"the observed resource {quoted(name)} has a controller that isn't the"
                    f" composite: {text_of(controller.get('kind')) or 'an object'}"
                    f" {text_of(controller.get('name'))} with uid"
                    f" {text_of(controller.get('uid')) or '(none)'}, and the composite's uid is"
                    f" {owner.uid}; leave the resource out, or give the composite's metadata.uid as"
                    " the cluster has it"
                )
            namespace = text_of(metadata_of(resource).get("namespace"))
            if owner.namespace and namespace != owner.namespace:
                where = f"in namespace {quoted(namespace)}" if namespace else "in no namespace"
                raise InputError(
                    f"the observed resource {quoted(name)} is {where}, and composed resources must"
                    f" be in the composite's namespace, {quoted(owner.namespace)}"
                )
            found[name] = resource
        return found

    def run(
        self,
        steps: Sequence[Step],
        functions: Mapping[str, Runner | Function],
        context: Mapping[str, Any] | None,
        timeout: float,
    ) -> Rendered:
        pipeline = Pipeline(
            steps,
            functions,
            observed=self._state(),
            cluster=self._cluster,
            context=context,
            timeout=timeout,
        )
        if self._is_left_alone():
            return Rendered(
                self._with_old_status(), {}, {}, {}, [], {}, {}, [], legacy=self._legacy
            )
        try:
            pipeline.run()
            rendered = self._finished(pipeline)
            wrong = self._errors_in_status(pipeline.runs)
            if wrong:
                stored = {**self._composite, "spec": rendered.composite["spec"]}
                raise InvalidStatusError.of(wrong, rendered._replace(composite=stored))
        except RenderError as error:
            # After an invalid status, Crossplane can't store its conditions either.
            is_invalid = isinstance(error, InvalidStatusError)
            error.composite = stored if is_invalid else self._failed(pipeline, error)
            error.steps = pipeline.runs
            error.results = pipeline.results
            raise
        return rendered

    def _is_left_alone(self) -> bool:
        """Return whether the composite is paused or being deleted, so that no function is called.

        If so, set the conditions that say it, and log a warning.
        """
        metadata = metadata_of(self._composite)
        if self._is_paused():
            self._mark("Synced", "False", "ReconcilePaused", _PAUSED)
            _log.warning(
                "no function is called: the composite has the annotation crossplane.io/paused: true"
            )
            return True
        if metadata.get("deletionTimestamp"):
            self._mark("Ready", "False", "Deleting")
            self._mark("Synced", "True", "ReconcileSuccess")
            _log.warning(
                "no function is called: the composite is being deleted, it has a"
                " metadata.deletionTimestamp"
            )
            return True
        return False

    def _is_paused(self) -> bool:
        return bool(lookup(self._composite, PAUSED) == "true")

    # -- requests

    def _state(self) -> bytes:
        """Return the bytes of the State message `observed` of requests: the composite and the
        observed resources.
        """
        state = _view.State()
        # Only composites of Crossplane 1 have connection details.
        details = self._details(self._seen) if self._legacy else {}
        _fill(state.composite, self._seen, details, "the composite resource")
        for name, resource in self._observed.items():
            what = f"the observed resource {quoted(name)}"
            _fill(state.resources[name], applied(resource), self._details(resource), what)
        data: bytes = state.SerializeToString()
        return data

    def _seen_composite(self) -> dict[str, Any]:
        """Return the composite as functions see it. Add the condition Responsive to the composite's
        conditions.

        The result has the fields that Crossplane and the API server set: a uid, the label
        `crossplane.io/composite`, references to the Composition and the observed resources, and the
        condition Responsive.
        """
        metadata = self._composite["metadata"]
        labels = {**_dict_in(metadata, "labels"), COMPOSITE_LABEL: self._owner.prefix}
        seen = {
            **self._composite,
            "metadata": {**metadata, "labels": labels, "uid": self._owner.uid},
        }
        if self._composition is not None:
            seen["spec"] = with_composition(seen.get("spec"), self._composition, self._legacy)
        if self._observed:
            references = references_of(self._observed.values(), self._owner.namespace)
            seen["spec"] = with_references(seen.get("spec"), references, self._legacy)
        self._mark("Responsive", "True", "WatchCircuitClosed")
        token = text_of(lookup(self._composite, REQUESTED))
        if token and not self._is_paused():
            self._status["lastHandledReconcileAt"] = token
        seen["status"] = self._with_old_status()["status"]
        return seen

    def _spec(self, composed: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return the composite's spec with references to the composed resources in `composed`."""
        references = references_of(composed.values(), self._owner.namespace)
        return with_references(self._composite.get("spec"), references, self._legacy)

    def _details(self, resource: Mapping[str, Any]) -> dict[str, bytes]:
        """Return the content of the connection Secret that a resource refers to; empty if there is
        no such Secret.

        Raises:
            RenderError: The Secret can't be read.
        """
        reference = secret_place(resource)
        if reference is None:
            return {}
        namespace, name = reference
        found = self._cluster.resources(
            Selector("v1", "Secret", name=name, namespace=namespace or None)
        )
        return secret_data(found[0], f"Secret {namespace}/{name}") if found else {}

    # -- the outcome

    def _finished(self, pipeline: Pipeline) -> Rendered:
        desired = pipeline.desired
        from .advice import misplaced

        composed: dict[str, dict[str, Any]] = {}
        ready: dict[str, bool] = {}
        owner = self._owner._replace(scope=self._scope())
        for name in sorted(desired.resources):
            message = desired.resources[name]
            resource = decoded(message.resource, f"the desired resource {quoted(name)}")
            before = self._observed.get(name)
            composed[name] = composed_resource(
                name, resource, owner, before, self._cluster, pipeline.results, self._notes
            )
            ready[name] = message.ready == _view.READY_TRUE
            if not is_dns_label(name):
                self._notes.append(
                    f"the composition resource name {quoted(name)} isn't a DNS label, which other"
                    f" tools may need: {DNS_LABEL_FORM}"
                )
        _check_doubles(composed)
        status = self._desired_status(desired.composite)
        context = {} if pipeline.context is None else decoded(pipeline.context, "the context")
        self._take_conditions(pipeline)
        self._mark("Synced", "True", "ReconcileSuccess")
        self._mark("Ready", *_readiness(desired.composite.ready, ready))
        self._notes += self._looks_wrong(pipeline)
        self._notes += misplaced(pipeline.runs, composed, self._cluster)
        self._notes += self._unknown_names(pipeline, composed)
        return Rendered(
            composite={**self._with_status(status), "spec": self._spec(composed)},
            composed=composed,
            ready=ready,
            deleted=self._deleted(composed),
            results=pipeline.results,
            context=context,
            connection_details=dict(desired.composite.connection_details),
            steps=pipeline.runs,
            notes=self._notes,
            legacy=self._legacy,
        )

    def _desired_status(self, message: Any) -> dict[str, Any]:
        """Return the status that the functions desire, without its conditions. Add these to the
        composite's conditions.

        If the composite already has a condition of the same type, the desired condition is ignored.

        Raises:
            RenderError: The status isn't an object, or its conditions are malformed.
        """
        raw = message.resource
        status = decoded(raw, "the desired composite resource").get("status", {})
        if not isinstance(status, dict):
            raise RenderError(
                "the desired composite's status must be an object (got"
                f" {json_type_in_words(status)})"
            )
        conditions = status.pop("conditions", None)
        found = (
            [] if conditions is None else _checked_conditions(conditions, RenderError, "desired ")
        )
        # The composite's present conditions come last, and replace desired conditions of the same
        # type.
        for condition in self._conditions:
            with_condition(found, condition)
        self._conditions = found
        return status

    def _scope(self) -> str:
        """Return the scope of the composite's kind; empty if it isn't known, or the composite has a
        namespace.
        """
        if self._owner.namespace:
            return ""
        if self._xrd is not None:
            return "Cluster" if is_of_cluster(self._xrd) else "Namespaced"
        return scope_of(self._owner.api_version, self._owner.kind, self._cluster)

    def _schema(self) -> Mapping[str, Any] | None:
        """Return the schema of the composite's kind: that of the XRD, else the cluster's; None if
        there is none.
        """
        if self._xrd is None:
            return self._cluster.schema(self._owner.api_version, self._owner.kind)
        return schema_of(self._composite, self._xrd, "the XRD")[0]

    def _errors_in_status(self, runs: Sequence[StepRun]) -> list[str]:
        """Return a message for each mistake in the status that the functions desire, if its schema
        is known.
        """
        is_set = (
            runs
            and b"status"
            in _view.RunFunctionResponse.FromString(runs[-1].response).desired.composite.resource
        )
        waits = any(run.seen is not None and run.seen.unresolved for run in runs)
        schema = self._schema() if is_set or waits else None
        if schema is None:
            return []
        from .validation import status_errors

        try:
            return status_errors(
                self._composite, runs, schema, "" if self._xrd is None else " in the XRD"
            )
        except MissingExtraError as error:
            self._notes.append(f"the composite's status isn't checked against its schema: {error}")
            return []

    def _looks_wrong(self, pipeline: Pipeline) -> Iterator[str]:
        """Yield a note for each likely mistake in the functions' code and in their desired
        state.
        """
        # Steps with the same composite give the same notes.
        yield from dict.fromkeys(
            note for run in pipeline.runs if run.seen is not None for note in run.seen.notes
        )
        is_unset = any(run.seen is not None and run.seen.unset for run in pipeline.runs)
        if is_unset or any(run.step.credentials for run in pipeline.runs):
            from .advice import none_texts, shown_secrets, unknown_reads

            yield from none_texts(pipeline.runs)
            yield from shown_secrets(pipeline.runs)
            yield from unknown_reads(pipeline.runs, (self._schema() if is_unset else None) or {})

    def _deleted(self, composed: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the observed resources that the composite controls and that aren't in `composed`,
        by name.
        """
        return {
            name: codec.decode_struct(observed_bytes(self._observed[name], name))
            for name in sorted(self._observed)
            if name not in composed and controller_of(self._observed[name]) is not None
        }

    def _unknown_names(self, pipeline: Pipeline, composed: Mapping[str, Any]) -> Iterator[str]:
        """Yield a note for each observed resource whose name no function composes, but a similar
        one.

        Crossplane doesn't delete it, because the composite doesn't control it. A function may keep
        it as it is.
        """
        says = [*told(pipeline.runs)]
        held = {name for one in says for name in one.held}
        made = composed.keys() - {note.name for one in says for note in one.notes}
        for name in sorted(self._observed.keys() - made - held):
            if controller_of(self._observed[name]) is None:
                near = near_name(name, held | (made - self._observed.keys()))
                if near:
                    yield f"no function composes the observed resource {quoted(name)}{near}"

    def _take_conditions(self, pipeline: Pipeline) -> set[str]:
        """Store the conditions that the functions returned, and return their types.

        Conditions of Crossplane's own types, such as Ready, are ignored. For a composite of
        Crossplane 1, also store the types of the conditions for the claim.
        """
        seen = set()
        known = lookup(self._composite, ("status", "claimConditionTypes"))
        of_claim: list[Any] = list(known) if isinstance(known, list) else []
        for condition, is_for_claim in pipeline.conditions:
            if condition["type"] in _SYSTEM:
                self._notes.append(
                    f"the condition {condition['type']} of a function is ignored, because"
                    " Crossplane sets it itself: choose another type; readiness is said with"
                    " .ready of the composite and of resources"
                )
                continue
            if not _REASON.fullmatch(condition["reason"] or "None"):
                self._notes.append(
                    f"the condition {condition['type']} of a function has a reason that isn't one"
                    " CamelCase word, as Kubernetes' own conditions need it: sentences belong into"
                    " the message"
                )
            seen.add(condition["type"])
            with_condition(self._conditions, condition)
            if self._legacy and is_for_claim:
                if condition["type"] not in of_claim:
                    of_claim.append(condition["type"])
                self._status["claimConditionTypes"] = of_claim
        return seen

    def _mark(self, type_: str, status: str, reason: str, message: str = "") -> None:
        """Store a condition that Crossplane itself sets. It replaces an older condition of its
        type.
        """
        mark(self._conditions, self._composite, type_, status, reason, message)

    def _failed(self, pipeline: Pipeline, error: RenderError) -> dict[str, Any]:
        """Return the composite as Crossplane stores it after a failed reconcile.

        Its condition Synced is False. Conditions of functions that weren't set in this reconcile
        become Unknown.
        """
        message = f"cannot compose resources: {error}"
        self._mark("Synced", "False", "ReconcileError", message)
        seen = self._take_conditions(pipeline)
        for condition in list(self._conditions):
            if condition["type"] not in _SYSTEM and condition["type"] not in seen:
                lost = (
                    "A fatal error occurred before the status of this condition could be"
                    " determined."
                )
                self._mark(condition["type"], "Unknown", "FatalError", lost)
        return self._with_old_status()

    def _with_old_status(self) -> dict[str, Any]:
        return self._with_status({**_dict_in(self._composite, "status"), **self._status})

    def _with_status(self, status: dict[str, Any]) -> dict[str, Any]:
        before = _dict_in(self._composite, "status")
        own = {key: before[key] for key in _OWN_STATUS if key in before}
        if "claimConditionTypes" in self._status:
            own["claimConditionTypes"] = self._status["claimConditionTypes"]
        conditions = [
            {**condition, "lastTransitionTime": TRANSITION_TIME} for condition in self._conditions
        ]
        return {**self._composite, "status": {**own, **status, "conditions": conditions}}


def _dict_in(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def _fill(
    message: Any, resource: Mapping[str, Any], details: Mapping[str, bytes], what: str
) -> None:
    message.resource = observed_bytes(resource, what)
    if details:
        message.connection_details.update(details)


def _check_composite(composite: Mapping[str, Any]) -> None:
    if not isinstance(composite, Mapping):
        raise InputError(
            f"the composite resource must be a mapping (got {type_in_words(composite)})"
        )
    for value, what in (
        (composite.get("apiVersion"), "apiVersion"),
        (composite.get("kind"), "kind"),
        (metadata_of(composite).get("name"), "metadata.name"),
    ):
        if not text_of(value):
            raise InputError(f"the composite resource has no {what}")


def _conditions_of(composite: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the conditions of a composite; an empty list if it has none.

    Raises:
        InputError: The status isn't an object, or the conditions are malformed.
    """
    status = composite.get("status")
    if status is not None and not isinstance(status, dict):
        raise InputError(f"the composite's status must be a mapping (got {type_in_words(status)})")
    conditions = (status or {}).get("conditions")
    return [] if conditions is None else _checked_conditions(conditions, InputError)


def _checked_conditions(
    conditions: Any, error: type[Exception], which: str = ""
) -> list[dict[str, Any]]:
    """Return conditions after checking that they are a list, and that each has a type.

    Args:
        conditions: The conditions.
        error: The class of the error that is raised for others.
        which: The composite's description in messages, such as `desired `.
    """
    place = f"the {which}composite's status.conditions"
    if not isinstance(conditions, list):
        raise error(
            f"{place} must be a list of conditions, each with a type (got"
            f" {json_type_in_words(conditions)})"
        )
    for number, one in enumerate(conditions):
        if not isinstance(one, dict) or not text_of(one.get("type")):
            raise error(
                f"{place}[{number}] must be a condition with a type, which is a non-empty string"
            )
    return conditions


def _check_doubles(composed: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that no object is composed under two names.

    Raises:
        RenderError: An object is: Crossplane would apply one over the other, in turns.
    """
    found: dict[tuple[str, ...], str] = {}
    for name, resource in composed.items():
        api_version, *rest = identity(resource)
        object_ = (group_of(api_version), *rest)
        first = found.setdefault(object_, name)
        if first is not name:
            raise RenderError(one_object_text(first, name, object_))


def _readiness(composite: int, ready: Mapping[str, bool]) -> tuple[str, str, str]:
    """Return status, reason and message of the composite's condition Ready.

    If the functions have set the composite's readiness, it decides. If not, all composed resources
    must be ready. `composite` is a value of the enum Ready, and `ready` says of each composed
    resource whether it is ready.
    """
    unready = [name for name, is_ready in ready.items() if not is_ready]
    if composite == _view.READY_TRUE or (composite != _view.READY_FALSE and not unready):
        return "True", "Available", ""
    is_set = composite == _view.READY_FALSE
    return "False", "Creating", "" if is_set else f"Unready resources: {some_names(unready)}"

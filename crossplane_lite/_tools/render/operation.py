"""One run of an Operation, as Crossplane 2.4 does it.

The functions of an Operation see no composite and no observed resources. The resources that they
desire are applied unchanged, without a generated name, labels or an owner. Nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..._core import codec
from ..._core.base.texts import json_type_in_words, type_in_words
from ..._core.paths.trees import lookup
from ..._core.resources.object_meta import metadata_problem
from ...composition import Function
from ...errors import InputError
from ..manifests.objects import encode, metadata_of, quoted, text_of
from .cluster import World
from .pipeline import Cluster, Runner, Selector, Step
from .rendered import Rendered, RenderError
from .steps import OPERATION, Pipeline, decoded, mark

WATCHED_RESOURCE: Final = "ops.crossplane.io/watched-resource"
"""The requirement name under which each step is sent the resource that a WatchOperation watches."""

_MOST_FAILURES: Final = 5


def render_operation(
    operation: Mapping[str, Any],
    pipeline: Sequence[Step],
    functions: Mapping[str, Runner | Function],
    *,
    cluster: Cluster | None = None,
    watched: Mapping[str, Any] | None = None,
    context: Mapping[str, Any] | None = None,
    timeout: float = 60.0,
) -> Rendered:
    """Run an Operation once.

    The arguments aren't changed, and the result shares no object with them.

    Args:
        operation: The Operation, with the status of previous runs if it has been run already.
        pipeline: The Operation's steps.
        functions: The runner of each function, by the function's name. A composition function runs
            in this process.
        cluster: The cluster: required resources, schemas and the Secrets of credentials.
        watched: The resource whose change made a WatchOperation create this Operation. Each step
            gets it as the required resource `ops.crossplane.io/watched-resource`.
        context: The pipeline's context before the first step.
        timeout: The time limit of all steps together, in seconds. Functions in this process have
            none.

    Returns:
        The objects that Crossplane applies, stores and reports. `composite` is the Operation with
        its new status: the conditions Succeeded, ValidPipeline and Synced, the outputs of the
        steps, and references to applied resources. `composed` has the applied resources, by the
        names that the functions gave them. `deleted` and `ready` are empty. An Operation that has
        failed as often as its `spec.retryLimit` allows (by default 5 times) isn't run: its status
        says so, and `composed` is empty, too.

    Raises:
        FatalResultError: A function returned a fatal result.
        RenderError: The run fails for another reason. The error's `composite` is the Operation with
            the status that Crossplane stores: one more failure, and its reason.
        InputError: An argument can't be used, or the Operation is done already.
        UsageError: A function is neither a runner nor a composition function.
    """
    run = _Run(operation)
    if run.is_exhausted():
        return run.exhausted()
    if watched is not None:
        cluster = World(cluster, objects=[watched])
        pipeline = requiring(pipeline, watched)
    steps = Pipeline(
        pipeline,
        functions,
        observed=None,
        cluster=cluster,
        context=context,
        timeout=timeout,
        wording=OPERATION,
    )
    try:
        steps.run()
        return run.finished(steps)
    except RenderError as error:
        error.composite = run.failed(error)
        error.steps = steps.runs
        error.results = steps.results
        raise


def requiring(pipeline: Sequence[Step], watched: Mapping[str, Any]) -> list[Step]:
    """Return the steps of a pipeline, each of which also requires the watched resource."""
    api_version, kind = (text_of(watched.get(key)) for key in ("apiVersion", "kind"))
    name, namespace = (text_of(metadata_of(watched).get(key)) for key in ("name", "namespace"))
    selector = Selector(api_version, kind, name, namespace=namespace or None)
    return [
        step._replace(resources={**step.resources, WATCHED_RESOURCE: selector}) for step in pipeline
    ]


class _Run:
    def __init__(self, operation: Mapping[str, Any]) -> None:
        if not isinstance(operation, Mapping):
            raise InputError(f"the Operation must be a mapping (got {type_in_words(operation)})")
        self._operation = codec.decode_struct(encode(operation, "the Operation"))
        if not text_of(metadata_of(operation).get("name")):
            raise InputError("the Operation has no metadata.name")
        status = self._operation.get("status", {})
        if not isinstance(status, dict):
            raise InputError(
                f"the Operation's status must be a mapping (got {type_in_words(status)})"
            )
        self._status = status
        self._conditions = _list_of(status, "conditions", "type")
        self._outputs = _list_of(status, "pipeline", "step")
        self._references = _list_of(status, "appliedResourceRefs", "kind")
        for condition in self._conditions:
            if condition["type"] == "Succeeded" and condition.get("status") in ("True", "False"):
                raise InputError(
                    "the Operation is done already: its condition Succeeded is"
                    f" {condition['status']}; remove its status to run it again"
                )
        failures = status.get("failures", 0)
        if not isinstance(failures, int):
            raise InputError(
                "the Operation's status.failures must be a whole number (got"
                f" {type_in_words(failures)})"
            )
        self._failures = failures
        limit = lookup(self._operation, ("spec", "retryLimit"))
        self._limit = limit if isinstance(limit, int) else _MOST_FAILURES

    def is_exhausted(self) -> bool:
        """Say whether the Operation has failed as often as its `spec.retryLimit` allows (by default
        5 times).
        """
        return self._failures >= self._limit

    def exhausted(self) -> Rendered:
        """Return the result of an Operation that isn't tried again: a failed Operation, and no
        resources.
        """
        self._mark("Synced", "True", "ReconcileSuccess")
        self._mark("Succeeded", "False", "PipelineError", f"failure limit of {self._limit} reached")
        return Rendered(self._with_status(), {}, {}, {}, [], {}, {}, [])

    def finished(self, pipeline: Pipeline) -> Rendered:
        """Return the result of a run whose steps all gave answers.

        Raises:
            RenderError: An answer is malformed, or a resource can't be applied.
        """
        self._started()
        outputs = {
            name: decoded(raw, f"the output of pipeline step {quoted(name)}")
            for name, raw in pipeline.outputs.items()
        }
        self._store_outputs(outputs)
        applied = {
            name: _applied(name, decoded(message.resource, f"the desired resource {quoted(name)}"))
            for name, message in sorted(pipeline.desired.resources.items())
        }
        context = {} if pipeline.context is None else decoded(pipeline.context, "the context")
        self._store_references(applied)
        self._mark("Synced", "True", "ReconcileSuccess")
        self._mark("Succeeded", "True", "PipelineSuccess")
        return Rendered(
            self._with_status(), applied, {}, {}, pipeline.results, context, {}, pipeline.runs
        )

    def failed(self, error: RenderError) -> dict[str, Any]:
        """Return the Operation as Crossplane stores it when a run fails: with one more failure, and
        the error.
        """
        self._started()
        self._status = {**self._status, "failures": self._failures + 1}
        self._mark("Synced", "False", "ReconcileError", str(error))
        return self._with_status()

    def _started(self) -> None:
        self._mark("Succeeded", "Unknown", "PipelineRunning")
        self._mark("ValidPipeline", "True", "ValidPipeline")

    def _mark(self, type_: str, status: str, reason: str, message: str = "") -> None:
        mark(self._conditions, self._operation, type_, status, reason, message)

    def _store_outputs(self, outputs: Mapping[str, dict[str, Any]]) -> None:
        """Put the steps' outputs into the status. An output replaces the same step's output of a
        previous run.
        """
        stored = {one["step"]: one for one in self._outputs}
        for step, output in outputs.items():
            stored.setdefault(step, {"step": step})["output"] = output
        if stored:
            self._status = {**self._status, "pipeline": list(stored.values())}

    def _store_references(self, applied: Mapping[str, Mapping[str, Any]]) -> None:
        """Add references to the applied resources to the status, and sort them. References of
        previous runs stay.
        """
        references = self._references
        for resource in applied.values():
            metadata = metadata_of(resource)
            reference = {
                "apiVersion": resource["apiVersion"],
                "kind": resource["kind"],
                "name": metadata["name"],
            }
            if metadata.get("namespace"):
                reference["namespace"] = metadata["namespace"]
            if reference not in references:
                references.append(reference)
        if references:
            references.sort(key=_order)
            self._status = {**self._status, "appliedResourceRefs": references}

    def _with_status(self) -> dict[str, Any]:
        return {**self._operation, "status": {**self._status, "conditions": self._conditions}}


def _order(reference: Mapping[str, Any]) -> str:
    return "".join(
        text_of(reference.get(key)) for key in ("apiVersion", "kind", "namespace", "name")
    )


def _list_of(status: Mapping[str, Any], field: str, key: str) -> list[dict[str, Any]]:
    """Return a copy of the list that is in one field of an Operation's status; an empty list if the
    field is missing.

    Each element must have a string under `key`, such as `type`; InputError is raised otherwise.
    """
    found = status.get(field, [])
    if not isinstance(found, list):
        raise InputError(
            f"the Operation's status.{field} must be a list of mappings (got"
            f" {json_type_in_words(found)})"
        )
    for at, one in enumerate(found):
        if not isinstance(one, dict) or not text_of(one.get(key)):
            raise InputError(
                f"the Operation's status.{field}[{at}] must be a mapping with a non-empty string in"
                f" {key!r}: correct it, or remove the status"
            )
    return list(found)


def _applied(name: str, resource: dict[str, Any]) -> dict[str, Any]:
    """Return a desired resource unchanged, as it is applied.

    Raises:
        RenderError: An API server would refuse the resource.
    """
    what = f"desired resource {quoted(name)}"
    for key in ("apiVersion", "kind"):
        if not text_of(resource.get(key)):
            raise RenderError(f"cannot apply {what}: it has no {key}")
    metadata = metadata_of(resource)
    found = text_of(metadata.get("name"))
    if not found:
        raise RenderError(
            f"cannot apply {what}: it has no metadata.name, and an Operation generates none: set it"
        )
    problem = metadata_problem(metadata, resource["apiVersion"], resource["kind"])
    if problem:
        raise RenderError(f"cannot apply {what}: {problem}")
    return resource

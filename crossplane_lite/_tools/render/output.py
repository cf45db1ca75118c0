"""Makes the output of a reconcile: documents as `crossplane composition render` prints them, and
messages for users.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..._core.answer.report import WAITING
from ..._core.base.api_version import group_of
from ..._core.call.mark import without_digests
from ..._core.paths.trees import lookup
from ..manifests.objects import (
    TRANSITION_TIME,
    merged,
    metadata_of,
    quoted,
    secret_place,
    some_names,
    text_of,
)
from .definition import PAUSED, REFERENCES, REQUESTED, composition_of, steering
from .pipeline import OPERATIONS_GROUP, Selector
from .rendered import Rendered, RenderError, Result, StepRun
from .steps import decoded

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas

# A longer line is split at each `; ` of its message. `_DEPENDENCIES` begins the message's list of
# dependencies.
_WIDTH: Final = 120
_DEPENDENCIES: Final = ". Dependencies: "

_API_VERSION: Final = "render.crossplane.io/v1beta1"
# Crossplane's reasons for results without a reason.
_DEFAULT_REASONS: Final = ("ComposeResources", "RunPipelineStep")


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for each row of a table, with the cells of a column below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return ["  ".join([*map(str.ljust, row, widths), row[-1]]).rstrip() for row in rows]


def documents(
    rendered: Rendered,
    composite: Mapping[str, Any],
    *,
    full: bool = False,
    results: Iterable[Result] = (),
    context: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield the documents of a reconcile: the composite, the composed resources sorted by name,
    results and context.

    For an Operation, the Operation comes first, and then the applied resources, sorted by the names
    that the functions gave them. All conditions get the same transition time.

    Args:
        rendered: The result of the reconcile.
        composite: The composite resource as it was before the reconcile.
        full: Whether the composite has all its fields, with the result merged over them. Otherwise
            it has only the fields that `shortened` keeps.
        results: The results to add, each as a document of kind `Result`.
        context: Whether the pipeline's context after the last step is added, as a document of kind
            `Context`. An empty context is left out.
    """
    xr = shortened(rendered.composite, legacy=rendered.legacy)
    yield _timeless(merged(composite, xr) if full else xr)
    for name in sorted(rendered.composed):
        yield _timeless(without_digests(rendered.composed[name]))
    yield from result_documents(results)
    if context and rendered.context:
        yield context_document(rendered.context)


def shortened(resource: Mapping[str, Any], *, legacy: bool = False) -> dict[str, Any]:
    """Return a composite with only its apiVersion, kind, name, namespace, references to composed
    resources, and status.

    An Operation also keeps its labels and annotations, which come from its template.

    Args:
        resource: The composite or Operation.
        legacy: Whether it is a composite of Crossplane 1.
    """
    short: dict[str, Any] = {key: resource[key] for key in ("apiVersion", "kind")}
    metadata = resource["metadata"]
    is_operation = (
        resource["kind"] == "Operation"
        and group_of(text_of(resource["apiVersion"])) == OPERATIONS_GROUP
    )
    kept = ("name", "namespace", *(("labels", "annotations") if is_operation else ()))
    short["metadata"] = {key: metadata[key] for key in kept if key in metadata}
    steers = steering(resource, legacy)
    if REFERENCES in steers:
        references = {REFERENCES: steers[REFERENCES]}
        short["spec"] = references if legacy else {"crossplane": references}
    if resource.get("status"):
        short["status"] = resource["status"]
    return short


def events(
    rendered: Rendered, composite: Mapping[str, Any], composition: str | None
) -> Iterator[Result]:
    """Yield the events of the composite: the functions' results, and the events that Crossplane
    itself emits.

    A paused composite has only an event about the pause. A composite that is being deleted has no
    results of functions.

    Args:
        rendered: The result of the reconcile.
        composite: The composite resource as it was before the reconcile.
        composition: The name of the Composition; None if no Composition was given.
    """
    if lookup(composite, PAUSED) == "true":
        yield Result(
            "Normal",
            "ReconciliationPaused",
            "Reconciliation is paused via the pause annotation",
            "",
        )
        return
    token = text_of(lookup(composite, REQUESTED))
    if token and token != lookup(composite, ("status", "lastHandledReconcileAt")):
        yield Result("Normal", "ReconcileRequestHandled", "Handling reconcile request", "")
    if metadata_of(composite).get("deletionTimestamp"):
        return
    if composition is not None and composition_of(composite, rendered.legacy) != composition:
        yield Result(
            "Normal", "SelectComposition", f"Successfully selected composition: {composition}", ""
        )
    yield from rendered.results
    for name, ready in rendered.ready.items():
        if not ready:
            yield Result(
                "Normal",
                "ComposeResources",
                f"Composed resource {quoted(name)} is not yet ready",
                "",
            )


def result_documents(results: Iterable[Result]) -> Iterator[dict[str, Any]]:
    """Yield a document of kind `Result` for each result, as `crossplane composition render` prints
    it.
    """
    for result in results:
        yield {
            "apiVersion": _API_VERSION,
            "kind": "Result",
            "severity": result.severity,
            "reason": result.reason,
            "message": result.message,
        }


def context_document(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of kind `Context` with a pipeline's context, as
    `crossplane composition render` prints it.
    """
    return {"apiVersion": _API_VERSION, "kind": "Context", "fields": context}


def lines(rendered: Rendered, *, results: bool = True, waits: bool = True) -> Iterator[str]:
    """Yield messages for the user about a reconcile, one line each.

    These are results, warnings, required resources and Secrets that weren't found, and deleted
    resources.

    Args:
        rendered: The result of the reconcile.
        results: Whether to include the functions' results.
        waits: Whether to include the results that say what waits.
    """
    if results:
        yield from result_lines(one for one in rendered.results if waits or one.reason != WAITING)
    yield from (f"warning: {note}" for note in rendered.notes)
    yield from _unanswered(rendered.steps)
    yield from _without_details(rendered.steps)
    yield from _under_another_name(rendered)
    for name, resource in sorted(rendered.deleted.items()):
        metadata = resource.get("metadata") or {}
        named = f" {metadata['name']}" if metadata.get("name") else ""
        yield (
            f"deleted: {name} ({resource.get('apiVersion')} {resource.get('kind')}{named}) is"
            " observed and not desired any more"
        )


def failure_lines(error: RenderError, schemas: Schemas | None = None) -> Iterator[str]:
    """Yield messages for the user about a failed reconcile: results, requirements that weren't
    found, and hints.

    The error's own message isn't included. `schemas` are the schemas of kinds; None for none.
    """
    yield from result_lines(error.results)
    yield from _unanswered(error.steps)
    if error.steps:
        from .advice import hints

        yield from (f"hint: {hint}" for hint in hints(error.steps[-1], schemas))


def result_lines(results: Iterable[Result]) -> Iterator[str]:
    """Yield a line for each result: severity, message, and the reason unless it is Crossplane's
    default.

    If a line would be longer than 120 characters, the message is split at each `; ` into several
    lines. If the message has a list of dependencies at its end, those that the other parts don't
    say follow below the line `Dependencies:`.
    """
    for result in results:
        reason = "" if result.reason in _DEFAULT_REASONS else f" ({result.reason})"
        start = f"{result.severity.lower()}: "
        if len(start) + len(result.message) + len(reason) <= _WIDTH:
            yield f"{start}{result.message}{reason}"
            continue
        said, heading, dependencies = result.message.partition(_DEPENDENCIES)
        first, *rest = said.split("; ")
        yield f"{start}{first}{reason}"
        yield from (f"  {part}" for part in rest)
        others = (
            [part for part in dependencies.split("; ") if not _is_said(part, first, *rest)]
            if heading
            else []
        )
        if others:
            yield "  Dependencies:"
            yield from (f"    {part}" for part in others)


def _is_said(dependency: str, *waits: str) -> bool:
    """Return whether a part such as `b waits for a.status.id (...)` says a dependency like
    `a -> b (a.status.id)`.
    """
    edge, _, paths = dependency.removesuffix(")").partition(" (")
    dependent = edge.rpartition(" -> ")[2]
    said = [
        wait
        for wait in waits
        if wait.startswith(f"{dependent} waits for ") or f": {dependent} waits for " in wait
    ]
    return any(all(path in wait for path in paths.split(", ")) for wait in said)


def warning_lines(results: Iterable[Result]) -> Iterator[str]:
    """Return the lines (see `result_lines`) of the results that are warnings. Equal warnings appear
    once.
    """
    return result_lines(dict.fromkeys(result for result in results if result.severity == "Warning"))


def _unanswered(steps: Sequence[StepRun]) -> Iterator[str]:
    """Yield a line for each resource or schema that a function requires and that wasn't found."""
    from ...proto import _view

    for step in steps:
        request = _view.RunFunctionRequest.FromString(step.request)
        requirements = _view.RunFunctionResponse.FromString(step.response).requirements
        start = f"not found: step {step.step.name} requires"
        asked = {
            key: one
            for found in (requirements.extra_resources, requirements.resources)
            for key, one in found.items()
        }
        for key, one in sorted(asked.items()):
            found = [
                resources[key].items
                for resources in (request.required_resources, request.extra_resources)
                if key in resources
            ]
            if not any(found):
                yield f"{start} {key}: {Selector.of(one)}"
        for key, one in sorted(requirements.schemas.items()):
            if key not in request.required_schemas or not request.required_schemas[key].HasField(
                "openapi_v3"
            ):
                yield f"{start} {key}: the schema of {one.api_version} {one.kind}"


def _without_details(steps: Sequence[StepRun]) -> Iterator[str]:
    """Yield a line for each missing connection Secret of an observed resource, if something waits
    for its content.
    """
    from ...proto import _view
    from .told import told

    for step, says in zip(steps, told(steps), strict=True):
        waiting: dict[str, set[str]] = {}
        for need in says.needs:
            if need.path.startswith(f"{need.of}.connection_details"):
                waiting.setdefault(need.of, set()).add(need.name)
        observed = (
            _view.RunFunctionRequest.FromString(step.request).observed.resources if waiting else {}
        )
        for name in sorted(waiting.keys() & observed.keys()):
            one = observed[name]
            resource = (
                {}
                if one.connection_details
                else decoded(one.resource, f"the observed resource {quoted(name)}")
            )
            reference = secret_place(resource)
            if reference is not None:
                yield (
                    f"not found: Secret {'/'.join(filter(None, reference))} with the connection"
                    f" details of {name}, needed by {some_names(waiting[name])}"
                    " (--required-resources takes Secrets, too)"
                )


def _under_another_name(rendered: Rendered) -> Iterator[str]:
    """Yield a line for each observed resource that no step composes, where a new one is of the same
    kind.
    """
    from ...proto import _view

    if not rendered.steps:
        return
    observed = _view.RunFunctionRequest.FromString(rendered.steps[-1].request).observed.resources
    new: dict[tuple[Any, Any], str] = {}
    for name, resource in rendered.composed.items():
        if name not in observed:
            new.setdefault((resource.get("apiVersion"), resource.get("kind")), name)
    for name in sorted(observed.keys() - rendered.composed.keys() - rendered.deleted.keys()):
        resource = decoded(observed[name].resource, f"the observed resource {quoted(name)}")
        other = new.get((resource.get("apiVersion"), resource.get("kind")))
        if other is not None:
            yield (
                f"warning: {name} is observed, and no step composes it; the new resource {other} is"
                " of the same kind"
            )


def _timeless(resource: dict[str, Any]) -> dict[str, Any]:
    """Return an object with the same fixed transition time in all conditions, so that two runs have
    equal output.
    """
    conditions = lookup(resource, ("status", "conditions"))
    if not isinstance(conditions, list):
        return resource
    same = [
        (
            {**condition, "lastTransitionTime": TRANSITION_TIME}
            if isinstance(condition, Mapping)
            else condition
        )
        for condition in conditions
    ]
    return {**resource, "status": {**resource["status"], "conditions": same}}

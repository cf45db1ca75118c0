"""What a function answered, for people: the desired state as documents, results as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .. import _wire
from ..proto import _view
from .request import RESOURCE_NAME

__all__ = ["desired_documents", "has_fatal", "message_lines"]

_SEVERITIES: Final = {
    _view.SEVERITY_FATAL: "fatal",
    _view.SEVERITY_WARNING: "warning",
    _view.SEVERITY_NORMAL: "normal",
}


def desired_documents(response: Any, composite: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the composite with its desired status, then the composed resources by their name.

    Args:
        response: The view's RunFunctionResponse.
        composite: The composite resource that the request was made of.
    """
    metadata = composite["metadata"]
    xr: dict[str, Any] = {key: composite[key] for key in ("apiVersion", "kind")}
    xr["metadata"] = {key: metadata[key] for key in ("name", "namespace") if key in metadata}
    status = _wire.get_path(response.desired.composite.resource, ("status",))
    if status:
        xr["status"] = status
    yield xr
    resources = response.desired.resources
    for name in sorted(resources):
        yield _named(name, _wire.decode_struct(resources[name].resource))


def has_fatal(response: Any) -> bool:
    """Say whether the function ended the pipeline."""
    return any(result.severity == _view.SEVERITY_FATAL for result in response.results)


def message_lines(response: Any) -> Iterator[str]:
    """Yield a line for each result, and one for each requirement, which only a cluster can answer."""
    for result in response.results:
        reason = f" ({result.reason})" if result.reason else ""
        yield f"{_SEVERITIES.get(result.severity, 'result')}: {result.message}{reason}"
    requirements = response.requirements
    for key in sorted({*requirements.resources, *requirements.extra_resources}):
        selector = requirements.resources[key] if key in requirements.resources else requirements.extra_resources[key]
        yield f"required: {key}: {selector.api_version} {selector.kind}{_match(selector)}"
    for key in sorted(requirements.schemas):
        selector = requirements.schemas[key]
        yield f"required: {key}: the schema of {selector.api_version} {selector.kind}"


def _match(selector: Any) -> str:
    namespace = f" in namespace {selector.namespace}" if selector.namespace else ""
    if selector.match_name:
        return f" named {selector.match_name}{namespace}"
    labels = ",".join(f"{key}={value}" for key, value in sorted(selector.match_labels.labels.items()))
    return f" with labels {labels or '(any)'}{namespace}"


def _named(name: str, resource: dict[str, Any]) -> dict[str, Any]:
    """Return the resource with the annotation that Crossplane would give it."""
    metadata = resource.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, dict) else {}
    annotations = metadata.get("annotations")
    metadata["annotations"] = {**(annotations if isinstance(annotations, dict) else {}), RESOURCE_NAME: name}
    return {**resource, "metadata": metadata}

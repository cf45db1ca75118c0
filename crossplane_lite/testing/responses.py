"""A function's answer as plain values, for readable assertions in tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from .. import _wire
from .._base.type_names import type_in_words
from .._call.mark import ANNOTATION
from .._terminal.excerpts import short_repr
from .._waits import HELD_BACK_KEY
from .._waits.entry import read
from ..errors import UsageError
from ..proto import _view
from ..render.pipeline import Selector

if TYPE_CHECKING:
    from ._sources import Source

__all__ = ["Answers", "Condition", "Response", "Result", "run"]

_SEVERITIES: Final = {
    _view.SEVERITY_FATAL: "Fatal",
    _view.SEVERITY_WARNING: "Warning",
    _view.SEVERITY_NORMAL: "Normal",
}
_STATUSES: Final = {_view.STATUS_CONDITION_TRUE: "True", _view.STATUS_CONDITION_FALSE: "False"}
_READY: Final[dict[int, bool]] = {_view.READY_TRUE: True, _view.READY_FALSE: False}
_TARGETS: Final = {_view.TARGET_COMPOSITE_AND_CLAIM: "composite_and_claim"}


class Answers(Protocol):
    """An object that answers requests, such as the result of `@composition.function`."""

    def run(self, data: bytes, /) -> bytes:
        """Return the bytes of the RunFunctionResponse that answers the bytes of a RunFunctionRequest."""
        ...  # pragma: no cover


class Result(NamedTuple):
    """One result of a function, which Crossplane shows as an event.

    Attributes:
        severity: `Fatal`, `Warning` or `Normal`; `Unspecified` where the function gives none of them.
        message: The message for people.
        reason: The reason, as a CamelCase word; None where the function gives no reason.
        target: The object that gets the event: `composite` or `composite_and_claim`.
    """

    severity: str
    message: str
    reason: str | None = None
    target: str = "composite"


class Condition(NamedTuple):
    """One condition that a function sets on the composite.

    Attributes:
        status: `True`, `False` or `Unknown`: a string, as in Kubernetes.
        reason: The reason, as a CamelCase word.
        message: The message for people; empty where the function gives no message.
        target: The object that gets the condition: `composite` or `composite_and_claim`.
    """

    status: str
    reason: str
    message: str = ""
    target: str = "composite"


@dataclasses.dataclass(frozen=True, repr=False)
class Response:
    """A RunFunctionResponse as plain values. Responses are equal if all attributes but `data` and `emitted` are equal.

    Attributes:
        fatal: The messages of the fatal results.
        desired: The desired composed resources by name, sorted. They lack the annotation by which a function of
            crossplane-lite recognises its own resources.
        ready: Whether each desired resource is ready: True, False, or None where no function says so.
        composite: The desired composite. A function of crossplane-lite desires only its status.
        composite_ready: Whether the composite is ready: True, False, or None where no function says so.
        connection_details: The composite's connection details.
        results: All results, in order.
        conditions: The conditions by type.
        required: The selectors of the resources that the function requires, by requirement name.
        required_schemas: The apiVersion and the kind of each schema that the function requires, by requirement name.
        context: The pipeline's context.
        output: The output of an Operation's function; None where there is none.
        ttl: How many seconds Crossplane may reuse the answer; None where the function doesn't say.
        tag: The tag of the request, which the answer repeats.
        emitted: The desired composed resources exactly as they were sent.
        data: The bytes of the message.
    """

    fatal: list[str]
    desired: dict[str, dict[str, Any]]
    ready: dict[str, bool | None]
    composite: dict[str, Any]
    composite_ready: bool | None
    connection_details: dict[str, bytes]
    results: list[Result]
    conditions: dict[str, Condition]
    required: dict[str, Selector]
    required_schemas: dict[str, tuple[str, str]]
    context: dict[str, Any]
    output: dict[str, Any] | None
    ttl: float | None
    tag: str
    emitted: dict[str, dict[str, Any]] = dataclasses.field(compare=False)
    data: bytes = dataclasses.field(compare=False)

    @classmethod
    def of(cls, data: bytes) -> Response:
        """Return the content of a RunFunctionResponse that is given as bytes.

        Raises:
            UsageError: The bytes aren't a RunFunctionResponse.
            WireError: The bytes of a resource, or of another part of the message, are malformed.
        """
        try:
            message = _view.RunFunctionResponse.FromString(data)
        except Exception as error:  # protobuf's DecodeError, or the errors of its other backends
            raise UsageError(f"the function's answer is not a RunFunctionResponse: {error}") from None
        desired, wanted = message.desired, message.requirements
        emitted = {name: _wire.decode_struct(desired.resources[name].resource) for name in sorted(desired.resources)}
        results = [_result(result) for result in message.results]
        asked = {**_selectors(wanted.extra_resources), **_selectors(wanted.resources)}
        return cls(
            fatal=[result.message for result in results if result.severity == "Fatal"],
            desired={name: _without_marker(resource) for name, resource in emitted.items()},
            ready={name: _READY.get(desired.resources[name].ready) for name in emitted},
            composite=_wire.decode_struct(desired.composite.resource),
            composite_ready=_READY.get(desired.composite.ready),
            connection_details=dict(sorted(desired.composite.connection_details.items())),
            results=results,
            conditions={condition.type: _condition(condition) for condition in message.conditions},
            required=dict(sorted(asked.items())),
            required_schemas={key: (one.api_version, one.kind) for key, one in sorted(wanted.schemas.items())},
            context=_wire.decode_struct(message.context),
            output=_wire.decode_struct(message.output) if message.HasField("output") else None,
            ttl=_seconds(message.meta),
            tag=message.meta.tag,
            emitted=emitted,
            data=bytes(data),
        )

    @property
    def held_back(self) -> list[str]:
        """The names of the resources that this step and previous steps hold back, sorted."""
        steps = read(self.context.get(HELD_BACK_KEY))
        return sorted({name for waiting in steps.values() for name in waiting.held})

    def __repr__(self) -> str:
        parts = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "desired":
                shown = ", ".join(f"{name}: {resource.get('kind')}" for name, resource in value.items())
                parts.append(f"desired={{{shown}}}")
            elif field.name == "ready":
                said = {name: one for name, one in value.items() if one is not None}
                parts += [f"ready={said!r}"] if said else []
            elif field.name == "connection_details" and value:
                parts.append(f"connection_details={sorted(value)}")  # their values are secret
            elif field.compare and value not in (None, "", [], {}):
                parts.append(f"{field.name}={value!r}")
        return f"Response({', '.join(parts)})"


def run(function: Answers, request: bytes, *, xrd: Source | None = None) -> Response:
    """Call a function once, as Crossplane does.

    Args:
        function: The result of `@composition.function`.
        request: The bytes of a request, such as `request()` builds.
        xrd: The composite's CompositeResourceDefinition. The observed composite is checked against the XRD, and gets
            the XRD's defaults. A path is relative to the current directory.

    Returns:
        The answer. After an exception in compose(), its `fatal` has the exception's message.

    Raises:
        UsageError: `function` has no method `run`, `request` isn't bytes, or the answer isn't a RunFunctionResponse.
        WireError: The request is malformed.
        InputError: The XRD can't be used, or an API server would refuse the composite.
        RenderError: The composite's apiVersion can't be parsed. Only with `xrd`.
    """
    if not callable(getattr(function, "run", None)):
        raise UsageError(
            f"'function' must be a composition function (got {short_repr(function)}); is @composition.function missing?"
        )
    if not isinstance(request, bytes):
        raise UsageError(f"'request' must be bytes, as testing.request() returns (got {type_in_words(request)})")
    return Response.of(function.run(request if xrd is None else _admitted(request, xrd)))


def _admitted(request: bytes, xrd: Source) -> bytes:
    """Return the request with its composite checked against an XRD and completed with the XRD's defaults.

    Raises:
        InputError: The XRD can't be used, or an API server would refuse the composite.
        RenderError: The composite's apiVersion can't be parsed.
    """
    import warnings
    from pathlib import Path

    from .._manifests.yaml import Document
    from ..render.definition import admitted
    from ._sources import one

    message = _view.RunFunctionRequest.FromString(request)
    composite = _wire.decode_struct(message.observed.composite.resource)
    found, notes = admitted(Document("the request's composite", composite), one(xrd, Path(), "xrd"))
    for note in notes:
        warnings.warn(note, stacklevel=3)
    message.observed.composite.resource = _wire.encode_struct(found.content)
    changed: bytes = message.SerializeToString()
    return changed


def _result(result: Any) -> Result:
    severity = _SEVERITIES.get(result.severity, "Unspecified")
    reason = result.reason if result.HasField("reason") else None
    return Result(severity, result.message, reason, _TARGETS.get(result.target, "composite"))


def _condition(condition: Any) -> Condition:
    status = _STATUSES.get(condition.status, "Unknown")
    return Condition(status, condition.reason, condition.message, _TARGETS.get(condition.target, "composite"))


def _selectors(selectors: Mapping[str, Any]) -> dict[str, Selector]:
    return {key: Selector.of(selector) for key, selector in selectors.items()}


def _seconds(meta: Any) -> float | None:
    return meta.ttl.seconds + meta.ttl.nanos / 1e9 if meta.HasField("ttl") else None


def _without_marker(resource: dict[str, Any]) -> dict[str, Any]:
    """Return a resource without crossplane-lite's mark, and without annotations or metadata that had only the mark."""
    metadata = resource.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(annotations, dict) or ANNOTATION not in annotations:
        return resource
    rest = {key: value for key, value in annotations.items() if key != ANNOTATION}
    metadata = {key: value for key, value in metadata.items() if key != "annotations"}
    if rest:
        metadata["annotations"] = rest
    resource = {key: value for key, value in resource.items() if key != "metadata"}
    return {**resource, "metadata": metadata} if metadata else resource

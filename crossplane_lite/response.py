"""Helpers for filling responses that are protobuf messages.

The names are those of the official SDKs: `crossplane.function.response` of Python and `response` of
function-sdk-go. The helpers work with responses of `crossplane_lite.proto` and of the official
Python SDK, v1 and v1beta1. The messages that they make have the implementation and version of the
given request or response.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, overload

from ._core.call.results import FATAL, NORMAL, STATUS, WARNING, _target
from ._core.compat.messages import encoded, encoded_resource, merge, replace, sibling
from .errors import UsageError

if TYPE_CHECKING:
    from ._core.compat.protocols import Request, Response, Source, Target
    from .proto.v1 import run_function_pb2 as fnv1
    from .proto.v1beta1 import run_function_pb2 as fnv1beta1
    from .resource import Condition

__all__ = [
    "DEFAULT_TTL",
    "fatal",
    "normal",
    "require_resources",
    "require_schema",
    "set_conditions",
    "set_context",
    "set_context_key",
    "set_desired_composed_resources",
    "set_desired_composite_resource",
    "set_output",
    "to",
    "warning",
]

DEFAULT_TTL = datetime.timedelta(minutes=1)
"""How long Crossplane may reuse a response for identical requests, by default."""

_STATUS: Final[dict[Any, int]] = {
    "True": STATUS[True],
    "False": STATUS[False],
    True: STATUS[True],
    False: STATUS[False],
}


@overload
def to(req: fnv1.RunFunctionRequest, ttl: datetime.timedelta = ...) -> fnv1.RunFunctionResponse: ...
@overload
def to(
    req: fnv1beta1.RunFunctionRequest, ttl: datetime.timedelta = ...
) -> fnv1beta1.RunFunctionResponse: ...
@overload
def to(req: Request, ttl: datetime.timedelta = ...) -> Any: ...
def to(req: Any, ttl: datetime.timedelta = DEFAULT_TTL) -> Any:
    """Return a new response to a request, with the request's tag, desired state and context.

    Args:
        req: The request.
        ttl: How long Crossplane may reuse the response for identical requests.

    Returns:
        A RunFunctionResponse of the request's implementation and version.
    """
    rsp = sibling(req, "RunFunctionResponse")(desired=req.desired, context=req.context)
    rsp.meta.tag = req.meta.tag
    rsp.meta.ttl.FromTimedelta(ttl)
    return rsp


def normal(
    rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None
) -> None:
    """Add a Normal result, which reports that something has happened.

    The functions specification wants Normal and Warning results only when something changes, not in
    every call.

    Args:
        rsp: The response to add the result to.
        message: A text for people, or an exception. If an exception has no text, its class name is
            used.
        reason: A CamelCase word that says why.
        target: The object that gets the event: `composite` (Crossplane's default),
            `composite_and_claim`, or one of the protocol's TARGET_ numbers.

    Raises:
        UsageError: `target` is another value. Nothing is added.
    """
    _add_result(rsp, NORMAL, message, reason, target)


def warning(
    rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None
) -> None:
    """Add a Warning result, which reports a problem but doesn't stop the pipeline.

    The arguments and errors are those of `normal`.
    """
    _add_result(rsp, WARNING, message, reason, target)


def fatal(
    rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None
) -> None:
    """Add a Fatal result, which stops the whole pipeline.

    Crossplane then applies and deletes nothing, and fetches nothing for requirements. The arguments
    and errors are those of `normal`.
    """
    _add_result(rsp, FATAL, message, reason, target)


def _add_result(
    rsp: Response, severity: int, message: str | BaseException, reason: str | None, target: Target
) -> None:
    if isinstance(message, BaseException):
        message = str(message) or type(message).__name__
    result = sibling(rsp, "Result")(severity=severity, message=message, reason=reason)
    _set_target(result, target)
    rsp.results.append(result)


def _set_target(message: Any, target: Any) -> None:
    number = target if target in (0, 1, 2) else _target(target)
    if number:
        message.target = number


def set_conditions(rsp: Response, *conditions: Condition) -> None:
    """Add conditions of the composite to a response.

    Crossplane ignores conditions of the types Ready, Synced, Healthy, UpToDate and Responsive from
    functions. Crossplane sets the transition time itself.

    Args:
        rsp: The response to add the conditions to.
        *conditions: Instances of `resource.Condition`. A status other than `True` and `False` is
            sent as Unknown. An empty message is left out.

    Raises:
        UsageError: A condition's target is neither `composite`, nor `composite_and_claim`, nor one
            of the protocol's TARGET_ numbers. No condition is added.
    """
    made = [_condition(rsp, condition) for condition in conditions]
    rsp.conditions.extend(made)


def _condition(rsp: Response, condition: Any) -> Any:
    made = sibling(rsp, "Condition")(
        type=condition.typ,
        status=_STATUS.get(condition.status, STATUS[None]),
        reason=condition.reason,
        message=condition.message or None,
    )
    _set_target(made, getattr(condition, "target", None))  # the official SDK's conditions have none
    return made


def set_output(rsp: Response, output: Source) -> None:
    """Set the output of an Operation's function. Crossplane puts it into the Operation's status.

    Args:
        rsp: The response. An output that it has already is replaced.
        output: A mapping, a Struct of any implementation, a model of crossplane-lite or a pydantic
            model.

    Raises:
        UsageError: `output` has another type, or is observed state.
        UnresolvedError: A value in `output` doesn't exist yet; the message has its path.
        EncodeError: A value can't be put into a message; the error has its path.
    """
    replace(rsp.output, encoded(output, "output"))


def require_resources(
    rsp: Response,
    name: str,
    api_version: str,
    kind: str,
    *,
    match_name: str | None = None,
    match_labels: Mapping[str, str] | None = None,
    namespace: str | None = None,
) -> None:
    """Ask Crossplane for resources. Crossplane calls the function again, with its answer in the
    request.

    Ask in every call, because Crossplane forgets the requirement after it.
    `request.get_required_resources` reads the answer. Without `match_name` and `match_labels`, the
    requirement is for all resources of the kind. Crossplane understands such a requirement from
    v2.2.1 on; older versions need an empty `match_labels`.

    Args:
        rsp: The response to add the requirement to. A requirement of the same name is replaced.
        name: The requirement's name.
        api_version: The apiVersion of the resources.
        kind: The kind of the resources.
        match_name: The name of the only resource that is required.
        match_labels: Labels that each resource must have.
        namespace: The namespace of the resources. Use None for cluster-scoped kinds, and together
            with `match_labels` also for all namespaces.

    Raises:
        UsageError: Both `match_name` and `match_labels` are given.
    """
    if match_name is not None and match_labels is not None:
        raise UsageError(f"requirement {name!r}: give 'match_name' or 'match_labels', not both")
    selector = sibling(rsp, "ResourceSelector")(
        api_version=api_version, kind=kind, match_name=match_name, namespace=namespace
    )
    if match_labels is not None:
        # empty labels match everything, so they must be sent, too
        selector.match_labels.SetInParent()
        selector.match_labels.labels.update(match_labels)
    rsp.requirements.resources[name].CopyFrom(selector)


def require_schema(rsp: Response, name: str, api_version: str, kind: str) -> None:
    """Ask Crossplane for the OpenAPI schema of a kind.

    Crossplane calls the function again, with its answer in the request. Ask in every call, because
    Crossplane forgets the requirement after it. `request.get_required_schema` reads the answer.

    Args:
        rsp: The response to add the requirement to. A requirement of the same name is replaced.
        name: The requirement's name.
        api_version: The kind's apiVersion.
        kind: The kind.
    """
    selector = sibling(rsp, "SchemaSelector")(api_version=api_version, kind=kind)
    rsp.requirements.schemas[name].CopyFrom(selector)


def set_context(rsp: Response, context: Source) -> None:
    """Replace the whole context of the pipeline, including the values of previous functions.

    Args:
        rsp: The response.
        context: A mapping, or another type that `set_output` takes.

    Raises:
        UsageError: `context` has another type, or is observed state.
        UnresolvedError: A value in `context` doesn't exist yet; the message has its path.
        EncodeError: A value can't be put into a message; the error has its path.
    """
    replace(rsp.context, encoded(context, "context"))


def set_context_key(rsp: Response, key: str, value: Any) -> None:
    """Set one value of the pipeline's context, for the functions of later steps.

    Args:
        rsp: The response.
        key: The value's key, such as `apiextensions.crossplane.io/environment`.
        value: Plain data, a Struct, ListValue or Value message of any implementation, or a model of
            crossplane-lite.

    Raises:
        UsageError: `value` is a whole observed resource, or holds one.
        UnresolvedError: The value, or a value in it, doesn't exist yet; the message has its path.
        EncodeError: The value can't be put into a message; the error has its path.
    """
    merge(rsp.context, encoded({key: value}, "context"))


def set_desired_composite_resource(rsp: Response, xr: Source) -> None:
    """Set the desired composite, in place of the composite that previous functions desire.

    To keep fields that previous functions have set, change the composite that
    `request.get_desired_composite_resource` returns, and pass it. The composite's readiness and
    connection details stay: `resource.set_ready` and `resource.update_connection_details` set them.

    Args:
        rsp: The response.
        xr: The composite, of a type that `resource.update` takes. Crossplane uses only its status.

    Raises:
        UsageError: `xr` has another type, or is observed state.
        UnresolvedError: A value in `xr` doesn't exist yet; the message has its path.
        EncodeError: A value can't be put into a message; the error has its path.
    """
    replace(rsp.desired.composite.resource, encoded_resource(xr, "xr"))


def set_desired_composed_resources(rsp: Response, resources: Mapping[str, Source]) -> None:
    """Set desired composed resources by name. Desired resources of other names stay.

    A resource replaces the one that previous functions desire under its name. To keep fields that
    they have set, change the resources that `request.get_desired_composed_resources` returns, and
    pass them. The readiness of the resources stays: `resource.set_ready` sets it. If an error is
    raised, nothing is set, unless a resource is nested too deep.

    Args:
        rsp: The response.
        resources: Resources by composition resource name, each of a type that `resource.update`
            takes.

    Raises:
        UsageError: A resource has another type, or is observed state.
        UnresolvedError: A value in a resource doesn't exist yet; the message has its path, which
            starts with the name.
        EncodeError: A value can't be put into a message. The error has the value's path, unless a
            resource is nested too deep.
    """
    made = {name: encoded_resource(source, name) for name, source in resources.items()}
    for name, data in made.items():
        replace(rsp.desired.resources[name].resource, data)

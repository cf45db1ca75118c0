"""Helpers for filling raw responses, in parity with `crossplane.function.response` and function-sdk-go's `response`.

They work with the responses of any implementation: those of `crossplane_lite.proto` and those of the official SDK, v1
and v1beta1. Whatever they make belongs to the implementation of the message that they are given.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, overload

from ._call.results import FATAL, NORMAL, STATUS, WARNING, _target
from ._compat.messages import encoded, encoded_resource, merge, replace, sibling
from .errors import UsageError

if TYPE_CHECKING:
    from ._compat.messages import Request, Response, Source, Target
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
"""How long Crossplane may use a response for an identical request, where nothing else is said."""

_STATUS: Final[dict[Any, int]] = {
    "True": STATUS[True],
    "False": STATUS[False],
    True: STATUS[True],
    False: STATUS[False],
}


@overload
def to(req: fnv1.RunFunctionRequest, ttl: datetime.timedelta = ...) -> fnv1.RunFunctionResponse: ...
@overload
def to(req: fnv1beta1.RunFunctionRequest, ttl: datetime.timedelta = ...) -> fnv1beta1.RunFunctionResponse: ...
@overload
def to(req: Request, ttl: datetime.timedelta = ...) -> Any: ...
def to(req: Any, ttl: datetime.timedelta = DEFAULT_TTL) -> Any:
    """Return a response to a request: its tag, desired state and context, ready to be changed.

    Args:
        req: The request.
        ttl: How long Crossplane may use the response for an identical request.

    Returns:
        A RunFunctionResponse of the request's implementation and version.
    """
    rsp = sibling(req, "RunFunctionResponse")(desired=req.desired, context=req.context)
    rsp.meta.tag = req.meta.tag
    rsp.meta.ttl.FromTimedelta(ttl)
    return rsp


def normal(rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None) -> None:
    """Add a result that says that something has happened.

    The functions specification wants Normal and Warning results on transitions only, not on every call.

    Args:
        rsp: The response to add it to.
        message: A text for people, or an exception, whose text is taken.
        reason: A CamelCase word.
        target: Whose event it becomes: `composite` or `composite_and_claim`, or one of the protocol's TARGET_ numbers.
            Crossplane takes the composite where nothing is said.

    Raises:
        UsageError: `target` is none of these. Nothing is added.
    """
    _add_result(rsp, NORMAL, message, reason, target)


def warning(rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None) -> None:
    """Add a result that reports a problem and doesn't stop the pipeline; arguments and errors are those of `normal`."""
    _add_result(rsp, WARNING, message, reason, target)


def fatal(rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None) -> None:
    """Add a result that stops the whole pipeline: nothing is applied or deleted, and no requirement is fetched.

    The arguments and errors are those of `normal`.
    """
    _add_result(rsp, FATAL, message, reason, target)


def _add_result(rsp: Response, severity: int, message: str | BaseException, reason: str | None, target: Target) -> None:
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
    """Set conditions of the composite.

    Crossplane ignores the types Ready, Synced, Healthy, UpToDate and Responsive from functions, and says itself when a
    status has changed.

    Args:
        rsp: The response to add them to.
        *conditions: The conditions, each a `resource.Condition`. A status other than `True` and `False` counts as
            Unknown, an empty message as none.

    Raises:
        UsageError: A condition's target doesn't exist. No condition is added.
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
    """Set the output of an Operation's function; it ends up in the Operation's status.

    Args:
        rsp: The response to set it in; an output that it has is replaced.
        output: A mapping, a Struct of any implementation, a model of ours or a pydantic model.

    Raises:
        UsageError: `output` is none of these.
        UnresolvedError: A value in it doesn't exist yet; the message has its path.
        EncodeError: A value can't be carried in a message; the error has its path.
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
    """Ask Crossplane for resources. It calls again with them under `req.required_resources[name]`.

    Ask for them in every call. With neither `match_name` nor `match_labels` all resources of the kind are meant,
    which Crossplane understands from v2.2.1 on; older ones understand an empty `match_labels`.

    Args:
        rsp: The response to add the requirement to; one of the same name is replaced.
        name: The requirement's name.
        api_version: The resources' apiVersion.
        kind: Their kind.
        match_name: The name of the one that is meant.
        match_labels: Labels that all of them have.
        namespace: Their namespace; None for cluster-scoped kinds, or all namespaces with `match_labels`.

    Raises:
        UsageError: Both `match_name` and `match_labels` are given.
    """
    if match_name is not None and match_labels is not None:
        raise UsageError(f"requirement {name!r}: give 'match_name' or 'match_labels', not both")
    selector = sibling(rsp, "ResourceSelector")(
        api_version=api_version, kind=kind, match_name=match_name, namespace=namespace
    )
    if match_labels is not None:
        selector.match_labels.SetInParent()  # without a label they match everything, and must not get lost
        selector.match_labels.labels.update(match_labels)
    rsp.requirements.resources[name].CopyFrom(selector)


def require_schema(rsp: Response, name: str, api_version: str, kind: str) -> None:
    """Ask Crossplane for the OpenAPI schema of a kind. It calls again with it under `req.required_schemas[name]`.

    Ask for it in every call. `request.get_required_schema` reads it.

    Args:
        rsp: The response to add the requirement to; one of the same name is replaced.
        name: The requirement's name.
        api_version: The kind's apiVersion.
        kind: The kind.
    """
    selector = sibling(rsp, "SchemaSelector")(api_version=api_version, kind=kind)
    rsp.requirements.schemas[name].CopyFrom(selector)


def set_context(rsp: Response, context: Source) -> None:
    """Set the pipeline's context as a whole; entries of previous functions are gone.

    Args:
        rsp: The response to set it in.
        context: A mapping, or another form that `set_output` takes.

    Raises:
        UsageError: `context` is of no such form.
        UnresolvedError: A value in it doesn't exist yet; the message has its path.
        EncodeError: A value can't be carried in a message; the error has its path.
    """
    replace(rsp.context, encoded(context, "context"))


def set_context_key(rsp: Response, key: str, value: Any) -> None:
    """Set one value of the pipeline's context, for the functions that come after this one.

    Args:
        rsp: The response to set it in.
        key: Its key, such as `apiextensions.crossplane.io/environment`.
        value: Plain data, a Struct or other Value message of any implementation, or a model of ours.

    Raises:
        UnresolvedError: The value doesn't exist yet, or something in it; the message has its path.
        EncodeError: The value can't be carried in a message; the error has its path.
    """
    merge(rsp.context, encoded({key: value}, "context"))


def set_desired_composite_resource(rsp: Response, xr: Source) -> None:
    """Set the desired composite. The desired state of previous functions is replaced, unless `xr` was made from it.

    Its readiness and connection details stay; `resource.set_ready` and `resource.update_connection_details` set those.

    Args:
        rsp: The response to set it in.
        xr: The composite, in one of the forms that `resource.update` takes. Crossplane takes nothing but its status.

    Raises:
        UsageError: `xr` is of no such form, or observed state.
        UnresolvedError: A value in it doesn't exist yet; the message has its path.
        EncodeError: A value can't be carried in a message; the error has its path.
    """
    replace(rsp.desired.composite.resource, encoded_resource(xr, "xr"))


def set_desired_composed_resources(rsp: Response, resources: Mapping[str, Source]) -> None:
    """Set desired composed resources by name. Other resources stay as previous functions desire them.

    Desired state of previous functions under the same names is replaced, unless the resources were made from it.
    Readiness stays; `resource.set_ready` sets it.

    Args:
        rsp: The response to set them in.
        resources: Resources by composition resource name, each in one of the forms that `resource.update` takes.

    Raises:
        UsageError: One is of no such form, or observed state.
        UnresolvedError: A value in one doesn't exist yet; the message has its path, which starts with the name.
        EncodeError: A value can't be carried in a message; the error has its path.

    Nothing is set when any of them is raised.
    """
    made = {name: encoded_resource(source, name) for name, source in resources.items()}
    for name, data in made.items():
        replace(rsp.desired.resources[name].resource, data)

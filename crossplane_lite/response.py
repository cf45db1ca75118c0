"""Helpers for filling raw responses, in parity with `crossplane.function.response` and function-sdk-go's `response`.

They work with the responses of any implementation: those of `crossplane_lite.proto` and those of the official SDK, v1
and v1beta1. The messages that they make are of the same implementation as the message that they are given.
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
    """Return a response to a request. It has the request's tag, desired state and context, and is ready to be changed.

    Args:
        req: The request.
        ttl: How long Crossplane may reuse the response for an identical request.

    Returns:
        A RunFunctionResponse of the request's implementation and version.
    """
    rsp = sibling(req, "RunFunctionResponse")(desired=req.desired, context=req.context)
    rsp.meta.tag = req.meta.tag
    rsp.meta.ttl.FromTimedelta(ttl)
    return rsp


def normal(rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None) -> None:
    """Add a result of severity Normal: something has happened.

    By the functions specification, Normal and Warning results are for changes, not for every call.

    Args:
        rsp: The response to add it to.
        message: A sentence for people; or an exception, whose text is taken.
        reason: A CamelCase word.
        target: The object that gets the event: `composite` (Crossplane's default) or `composite_and_claim`, or a
            TARGET_ number of the protocol.

    Raises:
        UsageError: `target` is none of these. Nothing is added.
    """
    _add_result(rsp, NORMAL, message, reason, target)


def warning(rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None) -> None:
    """Add a result of severity Warning: a problem that doesn't stop the pipeline.

    Arguments and errors are as for `normal`.
    """
    _add_result(rsp, WARNING, message, reason, target)


def fatal(rsp: Response, message: str | BaseException, *, reason: str | None = None, target: Target = None) -> None:
    """Add a result of severity Fatal. It stops the pipeline: Crossplane applies, deletes and fetches nothing.

    Arguments and errors are as for `normal`.
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

    Crossplane ignores the types Ready, Synced, Healthy, UpToDate and Responsive from functions. It notes by itself when
    a status has changed.

    Args:
        rsp: The response to add them to.
        *conditions: The conditions, as `resource.Condition`. A status other than `True` and `False` counts as Unknown.
            An empty message counts as none.

    Raises:
        UsageError: A condition's target is none of the known ones. No condition is added.
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
    """Set the output of a function that an Operation runs. Crossplane puts it into the Operation's status.

    Args:
        rsp: The response to set the output in. An output that is there already is replaced.
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
    """Ask Crossplane for resources. It calls the function again, with the answer in `req.required_resources[name]`.

    Every call has to ask again. Without `match_name` and `match_labels`, all resources of the kind are meant.
    Crossplane understands that from v2.2.1 on; give older ones an empty `match_labels`.

    Args:
        rsp: The response to add the requirement to. A requirement of the same name is replaced.
        name: The requirement's name.
        api_version: The resources' apiVersion.
        kind: Their kind.
        match_name: The name of the one resource that is meant.
        match_labels: Labels that each of them must have.
        namespace: Their namespace. None is for cluster-scoped kinds; with `match_labels` it means all namespaces.

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
    """Ask Crossplane for the OpenAPI schema of a kind. It calls again, with the answer in `req.required_schemas[name]`.

    Every call has to ask again. `request.get_required_schema` reads the answer.

    Args:
        rsp: The response to add the requirement to. A requirement of the same name is replaced.
        name: The requirement's name.
        api_version: The kind's apiVersion.
        kind: The kind.
    """
    selector = sibling(rsp, "SchemaSelector")(api_version=api_version, kind=kind)
    rsp.requirements.schemas[name].CopyFrom(selector)


def set_context(rsp: Response, context: Source) -> None:
    """Set the pipeline's context as a whole. Entries of previous functions are lost.

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
    """Set the desired composite. It replaces the one that previous functions desire, unless `xr` was made from that.

    Readiness and connection details stay. `resource.set_ready` and `resource.update_connection_details` set them.

    Args:
        rsp: The response to set it in.
        xr: The composite, in one of the forms that `resource.update` takes. Crossplane uses nothing but its status.

    Raises:
        UsageError: `xr` is of no such form, or observed state.
        UnresolvedError: A value in it doesn't exist yet; the message has its path.
        EncodeError: A value can't be carried in a message; the error has its path.
    """
    replace(rsp.desired.composite.resource, encoded_resource(xr, "xr"))


def set_desired_composed_resources(rsp: Response, resources: Mapping[str, Source]) -> None:
    """Set desired composed resources by name. Resources of other names stay as previous functions desire them.

    A resource replaces the one that previous functions desire under its name, unless it was made from that. Readiness
    stays; `resource.set_ready` sets it.

    Args:
        rsp: The response to set them in.
        resources: Resources by composition resource name, each in one of the forms that `resource.update` takes.

    Raises:
        UsageError: A resource is of no such form, or is observed state.
        UnresolvedError: A value doesn't exist yet. The message has its path, which starts with the resource's name.
        EncodeError: A value can't be carried in a message; the error has its path.

    After an error nothing has been set.
    """
    made = {name: encoded_resource(source, name) for name, source in resources.items()}
    for name, data in made.items():
        replace(rsp.desired.resources[name].resource, data)

"""Helpers for reading requests that are protobuf messages.

The names are those of the official SDKs: `crossplane.function.request` of Python and `request` of
function-sdk-go. The helpers work with requests of `crossplane_lite.proto` and of the official
Python SDK, v1 and v1beta1. They never change the request: looking up a missing name adds no entry
to its maps.

Resources are returned as dicts, or as instances of a model class if one is given. Models of
observed and required resources are read-only: a field that the cluster doesn't have reads as None
or as an empty object. Models of desired resources can be changed and passed to
`response.set_desired_composed_resources` or `resource.update`, which keep fields that the model
doesn't know.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._core import codec
from ._core.call.capabilities import Capabilities
from ._core.compat.raw_models import answers, desired, names_of, observed, struct_data
from ._core.resources.resource import Resource
from .context import ENVIRONMENT, WATCHED
from .errors import UsageError

if TYPE_CHECKING:
    from ._core.compat.protocols import DesiredHolder, Request

__all__ = [
    "Credentials",
    "advertises_capabilities",
    "get_context",
    "get_context_key",
    "get_credential_data",
    "get_credentials",
    "get_desired_composed_resource",
    "get_desired_composed_resources",
    "get_desired_composite_resource",
    "get_environment",
    "get_extra_resources",
    "get_input",
    "get_observed_composed_resource",
    "get_observed_composed_resources",
    "get_observed_composite_resource",
    "get_required_resource",
    "get_required_resources",
    "get_required_schema",
    "get_watched_resource",
    "has_capability",
]

R = TypeVar("R", bound=Resource)
T = TypeVar("T")


# Required resources and schemas.


@overload
def get_required_resources(req: Request, name: str, model: None = None) -> list[dict[str, Any]]: ...
@overload
def get_required_resources(req: Request, name: str, model: type[R]) -> list[R]: ...
def get_required_resources(req: Request, name: str, model: type[Any] | None = None) -> list[Any]:
    """Return the resources with which Crossplane has answered a requirement.

    Args:
        req: The request.
        name: The requirement's name.
        model: The model class of the resources. By default they are returned as dicts.

    Returns:
        The resources. The list is empty if Crossplane hasn't answered yet, and if nothing matches.
        The two cases differ in `name in req.required_resources`.

    Raises:
        UsageError: A resource isn't of the model's kind, or `model` isn't a class of resources.
    """
    return answers(req.required_resources, name, model, "required")


@overload
def get_required_resource(req: Request, name: str, model: None = None) -> dict[str, Any] | None: ...
@overload
def get_required_resource(req: Request, name: str, model: type[R]) -> R | None: ...
def get_required_resource(req: Request, name: str, model: type[Any] | None = None) -> Any:
    """Return the first resource with which Crossplane has answered a requirement; None if there is
    no such resource.

    The arguments and errors are those of `get_required_resources`.
    """
    found = answers(req.required_resources, name, model, "required")
    return found[0] if found else None


@overload
def get_watched_resource(req: Request, model: None = None) -> dict[str, Any] | None: ...
@overload
def get_watched_resource(req: Request, model: type[R]) -> R | None: ...
def get_watched_resource(req: Request, model: type[Any] | None = None) -> Any:
    """Return the changed resource for which a WatchOperation runs the function.

    Args:
        req: The request.
        model: The model class of the resource. By default it is returned as a dict.

    Returns:
        The resource; None if it has been deleted, or if no WatchOperation runs the function.

    Raises:
        UsageError: The resource isn't of the model's kind, or `model` isn't a class of resources.
    """
    found = answers(req.required_resources, WATCHED, model, "required")
    return found[0] if found else None


@overload
def get_extra_resources(req: Request, name: str, model: None = None) -> list[dict[str, Any]]: ...
@overload
def get_extra_resources(req: Request, name: str, model: type[R]) -> list[R]: ...
def get_extra_resources(req: Request, name: str, model: type[Any] | None = None) -> list[Any]:
    """Return the resources that answer a requirement in `extra_resources`, the deprecated field of
    Crossplane v1.

    The arguments and errors are those of `get_required_resources`.
    """
    return answers(req.extra_resources, name, model, "extra")


def get_required_schema(req: Request, name: str) -> dict[str, Any] | None:
    """Return the OpenAPI v3 schema with which Crossplane has answered a requirement.

    Args:
        req: The request.
        name: The requirement's name.

    Returns:
        The schema. None if Crossplane hasn't answered yet, and if it doesn't know the kind. The two
        cases differ in `name in req.required_schemas`.
    """
    if name not in req.required_schemas:
        return None
    schema = req.required_schemas[name]
    return struct_data(schema.openapi_v3) if schema.HasField("openapi_v3") else None


# Credentials and capabilities.


@dataclasses.dataclass
class Credentials:
    """Credentials of a function, as `get_credentials` returns them.

    Attributes:
        type: `credential_data`, or `data` if the request doesn't have the credentials.
        data: The values as strings, by key. The repr doesn't show these secrets.
    """

    type: str
    data: dict[str, str] = dataclasses.field(repr=False)


def get_credentials(req: Request | None, name: str) -> Credentials:
    """Return credentials with their values as strings.

    Args:
        req: The request; None counts as a request without credentials.
        name: The name of the credentials in the Composition.

    Returns:
        The credentials. If the request doesn't have them, their type is `data`, and they have no
        values.

    Raises:
        UsageError: A value isn't UTF-8 text. `get_credential_data` returns it as bytes.
    """
    found = get_credential_data(req, name)
    if found is None:
        return Credentials(type="data", data={})
    data = {}
    for key, value in found.items():
        try:
            data[key] = value.decode()
        except UnicodeDecodeError:
            raise UsageError(
                f"{key!r} of the credentials {name!r} isn't UTF-8; get_credential_data() gives it"
                " as bytes"
            ) from None
    return Credentials(type="credential_data", data=data)


def get_credential_data(req: Request | None, name: str) -> dict[str, bytes] | None:
    """Return the values of credentials as bytes.

    Args:
        req: The request; None counts as a request without credentials.
        name: The name of the credentials in the Composition.

    Returns:
        The values by key; None if the request doesn't have the credentials.
    """
    if req is None or name not in req.credentials:
        return None
    credentials = req.credentials[name]
    return (
        dict(credentials.credential_data.data) if credentials.HasField("credential_data") else None
    )


def advertises_capabilities(req: Request) -> bool:
    """Say whether the caller lists its capabilities in the request, as Crossplane does from v2.2
    on.

    Without this list, `has_capability` is False even for capabilities that the caller has.
    """
    return Capabilities(req.meta.capabilities).advertised


def has_capability(req: Request, cap: int | str) -> bool:
    """Say whether the caller lists a capability in the request. False if the caller lists none at
    all.

    Args:
        req: The request.
        cap: The capability: one of the protocol's CAPABILITY_ numbers, or a name with or without
            `CAPABILITY_`.

    Raises:
        UsageError: `cap` isn't the name of a capability.
    """
    return cap in Capabilities(req.meta.capabilities)


# Input and context.


@overload
def get_input(req: Request, cls: None = None) -> dict[str, Any] | None: ...
@overload
def get_input(req: Request, cls: type[T]) -> T: ...
def get_input(req: Request, cls: type[Any] | None = None) -> Any:
    """Return the function's input from the Composition.

    Args:
        req: The request.
        cls: An attrs class for the input. If it has no fields for apiVersion, kind and metadata,
            these are left out.

    Returns:
        With `cls`, an instance of this class; a request without input counts as an empty input.
        Without `cls`, a dict, or None if the request has no input.

    Raises:
        InputError: Keys are unknown or missing, or values have a wrong type. The message lists up
            to 100 mistakes, with their paths.
        UsageError: `cls` isn't an attrs class, or has a field whose type has no values in JSON.
    """
    data = struct_data(req.input) if req.HasField("input") else None
    if cls is None:
        return data
    from ._core.schemas.structure import structure

    return structure(data or {}, cls)


def get_context(req: Request) -> dict[str, Any]:
    """Return the pipeline's context: the values of previous functions and of Crossplane, by key. It
    may be empty.
    """
    return struct_data(req.context)


def get_context_key(req: Request, key: str, default: Any = None) -> Any:
    """Return a value of the pipeline's context, or `default` if the context doesn't have the key.

    Args:
        req: The request.
        key: The value's key, such as `apiextensions.crossplane.io/environment`.
        default: The value to return in place of a missing one.
    """
    value = req.context.fields.get(key)
    return default if value is None else codec.decode_value(value.SerializeToString())


def get_environment(req: Request) -> dict[str, Any]:
    """Return the environment that EnvironmentConfigs put into the pipeline's context; empty if
    there is none.
    """
    found = get_context_key(req, ENVIRONMENT)
    return found if isinstance(found, dict) else {}


# Observed and desired state.


@overload
def get_observed_composite_resource(req: Request, model: None = None) -> dict[str, Any]: ...
@overload
def get_observed_composite_resource(req: Request, model: type[R]) -> R: ...
def get_observed_composite_resource(req: Request, model: type[Any] | None = None) -> Any:
    """Return the composite as it is in the cluster.

    Args:
        req: The request.
        model: The model class of the composite. By default it is returned as a dict.

    Returns:
        The composite. It has no fields if an Operation runs the function.

    Raises:
        UsageError: The composite isn't of the model's kind, or `model` isn't a class of resources.
    """
    return observed(req.observed.composite, model, "xr", "")


@overload
def get_observed_composed_resource(
    req: Request, name: str, model: None = None
) -> dict[str, Any] | None: ...
@overload
def get_observed_composed_resource(req: Request, name: str, model: type[R]) -> R | None: ...
def get_observed_composed_resource(req: Request, name: str, model: type[Any] | None = None) -> Any:
    """Return a composed resource as it is in the cluster.

    Args:
        req: The request.
        name: The composition resource name.
        model: The model class of the resource. By default it is returned as a dict.

    Returns:
        The resource; None if it isn't observed.

    Raises:
        UsageError: The resource isn't of the model's kind, or `model` isn't a class of resources.
    """
    found = req.observed.resources.get(name)
    return None if found is None else observed(found, model, "resource", name)


@overload
def get_observed_composed_resources(
    req: Request, model: None = None
) -> dict[str, dict[str, Any]]: ...
@overload
def get_observed_composed_resources(req: Request, model: type[R]) -> dict[str, R]: ...
def get_observed_composed_resources(req: Request, model: type[Any] | None = None) -> dict[str, Any]:
    """Return the composed resources that are in the cluster, by composition resource name.

    Args:
        req: The request.
        model: A model class. Only resources of its kind are returned, as its instances; for
            `Unstructured`, all resources. By default all are returned as dicts.

    Raises:
        UsageError: `model` isn't a class of resources.
    """
    found = req.observed.resources
    return {name: observed(found[name], model, "resource", name) for name in names_of(found, model)}


@overload
def get_desired_composite_resource(req: DesiredHolder, model: None = None) -> dict[str, Any]: ...
@overload
def get_desired_composite_resource(req: DesiredHolder, model: type[R]) -> R: ...
def get_desired_composite_resource(req: DesiredHolder, model: type[Any] | None = None) -> Any:
    """Return the desired composite. Usually it has only fields of the status.

    Args:
        req: The request, for the desired state of previous functions; or the response, for the
            state with the changes made so far.
        model: The model class of the composite. By default it is returned as a dict.

    Returns:
        The composite. It has no fields if nothing of it is desired.

    Raises:
        UsageError: The composite isn't of the model's kind, or `model` isn't a class of resources.
    """
    return desired(req.desired.composite, model, "xr", "")


@overload
def get_desired_composed_resource(
    req: DesiredHolder, name: str, model: None = None
) -> dict[str, Any] | None: ...
@overload
def get_desired_composed_resource(req: DesiredHolder, name: str, model: type[R]) -> R | None: ...
def get_desired_composed_resource(
    req: DesiredHolder, name: str, model: type[Any] | None = None
) -> Any:
    """Return a desired composed resource.

    Args:
        req: The request, for the desired state of previous functions; or the response, for the
            state with the changes made so far.
        name: The composition resource name.
        model: The model class of the resource. By default it is returned as a dict.

    Returns:
        The resource; None if no resource is desired under this name.

    Raises:
        UsageError: The resource isn't of the model's kind, or `model` isn't a class of resources.
    """
    found = req.desired.resources.get(name)
    return None if found is None else desired(found, model, "resource", name)


@overload
def get_desired_composed_resources(
    req: DesiredHolder, model: None = None
) -> dict[str, dict[str, Any]]: ...
@overload
def get_desired_composed_resources(req: DesiredHolder, model: type[R]) -> dict[str, R]: ...
def get_desired_composed_resources(
    req: DesiredHolder, model: type[Any] | None = None
) -> dict[str, Any]:
    """Return the desired composed resources, by composition resource name.

    Args:
        req: The request, for the desired state of previous functions; or the response, for the
            state with the changes made so far.
        model: A model class. Only resources of its kind are returned, as its instances; for
            `Unstructured`, all resources. By default all are returned as dicts.

    Raises:
        UsageError: `model` isn't a class of resources.
    """
    found = req.desired.resources
    return {name: desired(found[name], model, "resource", name) for name in names_of(found, model)}

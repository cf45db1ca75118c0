"""Returns the resources in requests as dicts or as models, for `request`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import codec
from ..models.model import from_dict
from ..models.node import FACT, Node
from ..models.types import ANY_TYPE
from ..observed.root import Root
from ..observed.tracker import Tracker, current
from ..resources.registered import Registered
from ..resources.resource import check_class, check_kind, other_kind
from .messages import struct_of

if TYPE_CHECKING:
    from .protocols import ResourceMessage

_TAKER = "a getter of crossplane_lite.request"


def struct_data(struct: Any) -> dict[str, Any]:
    """Return the content of a Struct message, of any implementation, as a dict."""
    return codec.decode_struct(struct.SerializeToString())


def answers(given: Any, name: str, model: type[Any] | None, kind: str) -> list[Any]:
    """Return the resources that Crossplane found for a requirement; an empty list if there are
    none.

    Args:
        given: A map of the request: `required_resources` or `extra_resources`.
        name: The requirement's name, which is the key in the map.
        model: The model class to return the resources as; None for dicts.
        kind: The beginning of paths in error messages: `required` or `extra`.

    Raises:
        UsageError: `model` isn't a class of resources, or a resource has another group or kind than
            `model`.
    """
    if name not in given:
        if model is not None:
            check_class(model, _TAKER)
        return []
    return [
        observed(item, model, "required", name, f"{kind}.{name}[{at}]")
        for at, item in enumerate(given[name].items)
    ]


def names_of(resources: Any, model: type[Any] | None) -> list[str]:
    """Return the sorted names of the resources that have the group and kind of a model class, in
    any version.

    Args:
        resources: The map of a message, from name to Resource.
        model: The model class. None, or a class for all kinds such as `Unstructured`, selects all
            resources.

    Raises:
        UsageError: `model` isn't a class of resources.
    """
    names = sorted(resources)
    if model is None:
        return names
    check_class(model, _TAKER)
    if not model._fixed:
        return names
    return [
        name
        for name in names
        if not other_kind(model, codec.split(struct_of(resources[name], _TAKER)))
    ]


def observed(
    message: ResourceMessage, model: type[Any] | None, kind: str, name: str, prefix: str = ""
) -> Any:
    """Return an observed or required resource as a dict or as a read-only model.

    Args:
        message: The resource.
        model: The model class to return the resource as; None for a dict.
        kind: The role of the resource: `xr`, `resource` or `required`.
        name: The composition resource name, or the requirement's name; empty for the composite.
        prefix: The beginning of paths in messages; by default `name`, or `kind` if `name` is empty.

    Raises:
        UsageError: `model` isn't a class of resources, or the resource has another group or kind
            than `model`.
    """
    if model is None:
        return struct_data(message.resource)
    root = _root(message, model, kind, name, prefix or name or kind)
    cls: Any = model
    made = cls.__new__(cls)
    model._set_node(made, Node(FACT, root.raw, root, root.prefix))
    registered = Registered(root, None, message.ready)
    registered.take_observed(made)  # `.observed` of the resource is the resource itself
    model._set_state(made, registered)
    return made


def desired(message: ResourceMessage, model: type[Any] | None, kind: str, name: str) -> Any:
    """Return a desired resource as a dict, or as a model that has the resource's fields and can be
    changed.

    Changes of the model don't change `message`. See `observed` for arguments and errors.
    """
    if model is None:
        return struct_data(message.resource)
    from ..models.reader import lay

    root = _root(message, model, kind, name, f"desired.{name or kind}")
    return lay(ANY_TYPE, from_dict(model, {}), root.raw or b"", root)


def _root(message: ResourceMessage, model: type[Any], kind: str, name: str, prefix: str) -> Root:
    """Return the `Root` through which models read a resource. Arguments and errors are those of
    `observed`.
    """
    check_class(model, _TAKER)
    root = Root(current() or Tracker(), kind, name, prefix, struct_of(message, _TAKER), message)
    if "kind" in root.fields:  # a desired composite may have no kind
        check_kind(model, root.fields, prefix)
    return root

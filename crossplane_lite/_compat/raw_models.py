"""Resources of raw messages as plain data or as models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _wire
from .._base.api_version import group_of
from .._models.kinds import check_class, check_kind
from .._models.model import from_dict
from .._models.node import FACT, Node
from .._models.registered import Registered
from .._models.types import ANY_TYPE
from .._observed.root import Root
from .._observed.tracker import Tracker, current
from .messages import struct_of

if TYPE_CHECKING:
    from .messages import ResourceMessage

__all__ = ["answers", "desired", "names_of", "observed", "struct_data"]

_TAKER = "a getter of crossplane_lite.request"


def struct_data(struct: Any) -> dict[str, Any]:
    """Return a Struct message as a dict."""
    return _wire.decode_struct(struct.SerializeToString())


def answers(given: Any, name: str, model: type[Any] | None, kind: str) -> list[Any]:
    """Return the resources that answer a requirement; an empty list without an answer.

    Args:
        given: The map of a request that holds answers by requirement name.
        name: The requirement's name.
        model: The class of the resources' model; None for dicts.
        kind: The name of the map, for messages.

    Raises:
        UsageError: `model` isn't a class of resources, or a resource is of another kind than `model`.
    """
    if name not in given:
        return []
    return [
        observed(item, model, "required", name, f"{kind}.{name}[{at}]") for at, item in enumerate(given[name].items)
    ]


def names_of(resources: Any, model: type[Any] | None) -> list[str]:
    """Return the sorted names of the resources that are of a model's kind; of all resources if `model` is None.

    Raises:
        UsageError: `model` isn't a class of resources.
    """
    names = sorted(resources)
    if model is None:
        return names
    check_class(model, _TAKER)
    return [name for name in names if _is_of(struct_of(resources[name], _TAKER), model)]


def _is_of(raw: bytes, model: type[Any]) -> bool:
    if not model._fixed:
        return True
    api_version, kind = (_wire.get_path(raw, (key,), "") for key in ("apiVersion", "kind"))
    return kind == model.kind and group_of(str(api_version)) == group_of(model.apiVersion)


def observed(message: ResourceMessage, model: type[Any] | None, kind: str, name: str, prefix: str = "") -> Any:
    """Return an observed or required resource as a dict or as a read-only model.

    Args:
        message: The resource.
        model: The class of the resource's model; None for a dict.
        kind: The role of the resource: `xr`, `resource` or `required`.
        name: The resource's name in the composition, or the name of the requirement.
        prefix: The beginning of paths in messages; by default the name.

    Raises:
        UsageError: `model` isn't a class of resources, or the resource is of another kind than `model`.
    """
    if model is None:
        return struct_data(message.resource)
    root = _root(message, model, kind, name, prefix or name or kind)
    cls: Any = model
    made = cls.__new__(cls)
    model._set_node(made, Node(FACT, root.raw, root, None, root.prefix))
    registered = Registered(root, None, message.ready)
    registered.take_observed(made)  # `.observed` of the resource is the resource itself
    model._set_state(made, registered)
    return made


def desired(message: ResourceMessage, model: type[Any] | None, kind: str, name: str) -> Any:
    """Return a desired resource as a dict, or as a model that shows its fields and can be changed.

    See `observed` for arguments and errors.
    """
    if model is None:
        return struct_data(message.resource)
    from .._models.overlay import lay

    root = _root(message, model, kind, name, f"desired.{name or kind}")
    return lay(ANY_TYPE, from_dict(model, {}), root.raw or b"", root)


def _root(message: ResourceMessage, model: type[Any], kind: str, name: str, prefix: str) -> Root:
    """Return the root of the message's resource, from which a model of it reads.

    Raises:
        UsageError: `model` isn't a class of resources, or the resource is of another kind.
    """
    check_class(model, _TAKER)
    root = Root(current() or Tracker(), kind, name, prefix, struct_of(message, _TAKER), message)
    if "kind" in root.fields:  # a desired composite may have no kind
        check_kind(model, root.fields, prefix)
    return root

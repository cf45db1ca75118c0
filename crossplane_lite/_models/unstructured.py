"""The model for resources of kinds that have no generated class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..errors import UsageError
from . import types
from .dynamic import DynamicFields, DynamicModel
from .libraries import MadeByAttrs
from .model import Model
from .resource import Resource, reading_of

__all__ = ["METADATA", "Unstructured"]


def _object_meta(_: str) -> type[Model]:
    from ..models.io.k8s.apimachinery.pkg.apis.meta import v1

    cls: type[Model] = v1.ObjectMeta
    return cls


METADATA: Final = types.Type(types.MODEL, ref="ObjectMeta", resolve=_object_meta)
"""The type of the metadata of every resource."""


class Unstructured(Resource, DynamicModel):
    """A resource of any kind, without a generated class. Any field can be read and set.

    Args:
        api_version: The resource's apiVersion.
        kind: The resource's kind.
        **fields: The top-level fields, such as `spec`. A field with other fields in it is a mapping.

    Raises:
        UsageError: `api_version` or `kind` isn't a string, is empty or looks like the other one, or a field is given a
            value that it can't hold.
    """

    __slots__ = ()

    __wire_fields__ = DynamicFields(
        {
            "apiVersion": types.Field("apiVersion", "apiVersion", types.parse_type("s")),
            "kind": types.Field("kind", "kind", types.parse_type("s")),
            "metadata": types.Field("metadata", "metadata", METADATA),
        }
    )

    __attrs_attrs__ = MadeByAttrs()

    if not TYPE_CHECKING:
        metadata = reading_of(__wire_fields__["metadata"])

    def __init__(self, api_version: str, kind: str, **fields: Any) -> None:
        for name, value in (("api_version", api_version), ("kind", kind)):
            if not isinstance(value, str) or not value:
                raise UsageError(f"Unstructured: {name!r} must be a string that isn't empty (got {value!r})")
        if "/" in kind or "." in kind or api_version[0].isupper():
            raise UsageError(
                f"Unstructured: the apiVersion must come first, such as 'v1' or 'apps/v1', and then the kind, such as "
                f"'Deployment' (got {api_version!r}, {kind!r})"
            )
        Resource.__init__(self, apiVersion=api_version, kind=kind, **fields)

"""Resources of kinds without a generated class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from . import types
from .dynamic import DynamicFields, DynamicModel
from .libraries import MadeByAttrs
from .model import Model
from .resource import Resource, reading_of

__all__ = ["Unstructured"]

_META = "crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1"


def _resolve(ref: str) -> type[Model]:
    import importlib

    cls: type[Model] = getattr(importlib.import_module(_META), ref)
    return cls


class Unstructured(Resource, DynamicModel):
    """A resource of any kind: any attribute path can be read and set.

    Args:
        api_version: The resource's apiVersion.
        kind: Its kind.
        **fields: Top-level fields, such as spec, as mappings.

    Raises:
        UsageError: apiVersion or kind is missing.
    """

    __slots__ = ()

    __wire_fields__ = DynamicFields(
        {
            "apiVersion": types.Field("apiVersion", "apiVersion", types.parse_type("s", _resolve)),
            "kind": types.Field("kind", "kind", types.parse_type("s", _resolve)),
            "metadata": types.Field("metadata", "metadata", types.parse_type("ObjectMeta", _resolve)),
        }
    )

    __attrs_attrs__ = MadeByAttrs()

    if not TYPE_CHECKING:
        metadata = reading_of(__wire_fields__["metadata"])

    def __init__(self, api_version: str, kind: str, **fields: Any) -> None:
        for name, value in (("api_version", api_version), ("kind", kind)):
            if not isinstance(value, str) or not value:
                raise UsageError(f"{name!r} must be a string that isn't empty (got {value!r})")
        Resource.__init__(self, apiVersion=api_version, kind=kind, **fields)

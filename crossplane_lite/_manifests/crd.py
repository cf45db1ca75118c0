"""The CustomResourceDefinitions that a document defines, and their versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._base.api_version import group_of
from ..errors import InputError
from .values import check_name, typed_at

__all__ = ["CrdVersion", "crds_in", "versions_of"]


class CrdVersion(NamedTuple):
    """One version of a kind.

    Attributes:
        served: Whether the API server serves it.
        storage: Whether it is the version that is stored; for composites the one that compositions refer to.
    """

    group: str
    version: str
    kind: str
    schema: Mapping[str, Any]
    served: bool
    storage: bool


def crds_in(where: str, content: Mapping[str, Any]) -> Sequence[Mapping[str, Any]] | None:
    """Return the CustomResourceDefinitions that a document is, or that Crossplane makes of it.

    Args:
        where: File and place of the document, for messages.
        content: The document.

    Returns:
        None where it is neither a CustomResourceDefinition nor a CompositeResourceDefinition.

    Raises:
        InputError: A CompositeResourceDefinition has not the form that it must have.
    """
    group, kind = group_of(str(content.get("apiVersion"))), content.get("kind")
    if (group, kind) == ("apiextensions.k8s.io", "CustomResourceDefinition"):
        return [content]
    if (group, kind) == ("apiextensions.crossplane.io", "CompositeResourceDefinition"):
        from .xrd import crds_of

        return crds_of(where, content)
    return None


def versions_of(where: str, crd: Mapping[str, Any]) -> Iterator[CrdVersion]:
    """Yield the versions of a CustomResourceDefinition.

    Args:
        where: File and place of the definition, for messages.
        crd: The definition.

    Raises:
        InputError: It has not the form of apiextensions.k8s.io/v1; the message names the place.
    """
    if crd.get("apiVersion") != "apiextensions.k8s.io/v1":
        raise InputError(f"{where}: only CustomResourceDefinitions of apiextensions.k8s.io/v1 can be read")
    group, kind = typed_at(where, crd, "spec.group", str), typed_at(where, crd, "spec.names.kind", str)
    check_name(where, "spec.group", group)
    check_name(where, "spec.names.kind", kind)
    for number, version in enumerate(typed_at(where, crd, "spec.versions", list)):
        path = f"spec.versions[{number}]"
        if not isinstance(version, Mapping):
            raise InputError(f"{where}: {path} must be an object")
        at = f"{where}: {path}"
        name = typed_at(at, version, "name", str)
        check_name(at, "name", name)
        schema = typed_at(at, version, "schema.openAPIV3Schema", dict)
        served, storage = typed_at(at, version, "served", bool), typed_at(at, version, "storage", bool)
        yield CrdVersion(group, name, kind, schema, served, storage)

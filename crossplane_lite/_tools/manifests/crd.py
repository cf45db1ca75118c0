"""Finds the CustomResourceDefinitions (CRDs) of a document, which may be a CRD or an XRD, and reads
their versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..._core.base.api_version import group_of
from ..._core.base.texts import short_repr
from ...errors import InputError
from .values import check_name, typed_at


class CrdVersion(NamedTuple):
    """One version of a kind that a CustomResourceDefinition defines.

    Attributes:
        group: The kind's group.
        version: The version's name, such as `v1beta1`.
        kind: The kind.
        schema: The version's `openAPIV3Schema`.
        served: Whether the API server serves the version.
        storage: Whether the API server stores objects in this version. For a kind of an XRD:
            whether the version is `referenceable`, which means that compositions are for this
            version.
        replicas: The path of the field with the number of replicas that the subresource `scale`
            sets, such as `.spec.replicas`; empty without this subresource.
    """

    group: str
    version: str
    kind: str
    schema: Mapping[str, Any]
    served: bool
    storage: bool
    replicas: str = ""


def crds_in(where: str, content: Mapping[str, Any]) -> Sequence[Mapping[str, Any]] | None:
    """Return the CustomResourceDefinitions for a document, which may be a CRD or an XRD.

    A CustomResourceDefinition is returned as it is, unchecked; from a CompositeResourceDefinition,
    those that Crossplane creates are made. Returns None for any other document. Raises InputError
    for a wrong field of a CompositeResourceDefinition.
    """
    group, kind = group_of(str(content.get("apiVersion"))), content.get("kind")
    if (group, kind) == ("apiextensions.k8s.io", "CustomResourceDefinition"):
        return [content]
    if (group, kind) == ("apiextensions.crossplane.io", "CompositeResourceDefinition"):
        from .xrd import crds_of

        return crds_of(where, content)
    return None


def versions_of(where: str, crd: Mapping[str, Any]) -> Iterator[CrdVersion]:
    """Yield the versions of a CustomResourceDefinition, also those that aren't served.

    Raises InputError, with the field's path, if the definition isn't of apiextensions.k8s.io/v1, or
    a field is missing or wrong.
    """
    if crd.get("apiVersion") != "apiextensions.k8s.io/v1":
        raise InputError(
            f"{where}: only CustomResourceDefinitions of apiextensions.k8s.io/v1 can be read (this"
            f" one is of {short_repr(crd.get('apiVersion'))}): `kubectl get crd NAME -o yaml`"
            " prints it in the version v1"
        )
    group, kind = (
        typed_at(where, crd, "spec.group", str),
        typed_at(where, crd, "spec.names.kind", str),
    )
    check_name(where, "spec.group", group)
    check_name(where, "spec.names.kind", kind)
    for number, version in enumerate(typed_at(where, crd, "spec.versions", list)):
        path = f"spec.versions[{number}]"
        if not isinstance(version, Mapping):
            raise InputError(f"{where}: {path} must be an object (got {short_repr(version)})")
        at = f"{where}: {path}"
        name = typed_at(at, version, "name", str)
        check_name(at, "name", name)
        schema = typed_at(at, version, "schema.openAPIV3Schema", dict)
        served, storage = (
            typed_at(at, version, "served", bool),
            typed_at(at, version, "storage", bool),
        )
        replicas = typed_at(at, version, "subresources.scale.specReplicasPath", str, "")
        yield CrdVersion(group, name, kind, schema, served, storage, replicas)

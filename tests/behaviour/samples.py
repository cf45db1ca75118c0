"""Resources as a cluster or a previous function would hand them over."""

from __future__ import annotations

__all__ = ["acl", "bucket", "subnet", "vpc", "xr"]

from typing import Any

from tests.support import DEFAULT_XR, MARKER, READY

EXTERNAL_NAME = "crossplane.io/external-name"


def _resource(
    api_version: str,
    kind: str,
    for_provider: dict[str, Any],
    *,
    status: dict[str, Any] | None = None,
    external_name: str | None = None,
    ours: str | None = None,
    ready: bool | None = None,
    owned: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a managed resource.

    Args:
        api_version: Its API version.
        kind: Its kind.
        for_provider: The content of spec.forProvider.
        status: The content of status.atProvider.
        external_name: Its external name.
        ours: The function that marked it as its own.
        ready: The status of its Ready condition; None for no condition.
        owned: What the composed resources' field manager owns (fieldsV1).
    """
    annotations = {}
    if external_name is not None:
        annotations[EXTERNAL_NAME] = external_name
    if ours is not None:
        annotations[MARKER] = ours
    metadata: dict[str, Any] = {"annotations": annotations} if annotations else {}
    if owned is not None:
        metadata["managedFields"] = [
            {
                "manager": "provider",
                "operation": "Update",
                "apiVersion": api_version,
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {"f:forProvider": {"f:storageClass": {}}}},
            },
            {
                "manager": "apiextensions.crossplane.io/composed/0123456789abcdef",
                "operation": "Apply",
                "apiVersion": api_version,
                "fieldsType": "FieldsV1",
                "fieldsV1": owned,
            },
        ]
    resource: dict[str, Any] = {"apiVersion": api_version, "kind": kind, "spec": {"forProvider": for_provider}}
    if metadata:
        resource["metadata"] = metadata
    if status is not None:
        resource.setdefault("status", {})["atProvider"] = status
    if ready is not None:
        condition = {**READY, "status": "True" if ready else "False"}
        resource.setdefault("status", {})["conditions"] = [condition]
    return resource


def bucket(for_provider: dict[str, Any] | None = None, **kwargs: Any) -> dict[str, Any]:
    """Return a Bucket."""
    return _resource("storage.gcp.upbound.io/v1beta1", "Bucket", for_provider or {}, **kwargs)


def acl(for_provider: dict[str, Any] | None = None, **kwargs: Any) -> dict[str, Any]:
    """Return a BucketACL."""
    return _resource("storage.gcp.upbound.io/v1beta1", "BucketACL", for_provider or {}, **kwargs)


def vpc(for_provider: dict[str, Any] | None = None, **kwargs: Any) -> dict[str, Any]:
    """Return a VPC."""
    return _resource("ec2.aws.upbound.io/v1beta1", "VPC", for_provider or {}, **kwargs)


def subnet(for_provider: dict[str, Any] | None = None, **kwargs: Any) -> dict[str, Any]:
    """Return a Subnet."""
    return _resource("ec2.aws.upbound.io/v1beta1", "Subnet", for_provider or {}, **kwargs)


def xr(parameters: dict[str, Any] | None = None, status: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the composite with these parameters and this status."""
    composite: dict[str, Any] = {**DEFAULT_XR, "metadata": dict(DEFAULT_XR["metadata"])}
    if parameters is not None:
        composite["spec"] = {"parameters": parameters}
    if status is not None:
        composite["status"] = status
    return composite

"""The resources and requests that are measured. Everything is deterministic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossplane_lite.proto.v1 import run_function_pb2 as pb

__all__ = [
    "answer_of",
    "at_rest",
    "nodes",
    "observed_bucket",
    "passed_through",
    "request",
    "told",
    "tree",
    "wave_request",
]

ANNOTATION = "crossplane-lite/function"
KNOWN = "crossplane-lite/known"
_LABELS = {"team": "platform", "stage": "prod", "cost": "4711", "owner": "ann", "tier": "1"}
_RULE = {
    "action": {"type": "SetStorageClass", "storageClass": "NEARLINE"},
    "condition": {"age": 30, "matchesPrefix": ["logs/", "tmp/"], "withState": "ANY"},
}
_OWNED = (
    *(
        "acl",
        "autoclass",
        "cors",
        "encryption",
        "id",
        "labels",
        "location",
        "logging",
        "project",
        "requesterPays",
    ),
    *("rpo", "stage", "storageClass", "tier", "url", "versioning", "website", "zone"),
)
_DESIRED = {
    "location": "EU",
    "labels": _LABELS,
    "storageClass": "STANDARD",
    "forceDestroy": True,
    "uniformBucketLevelAccess": True,
    "versioning": {"enabled": True},
    "lifecycleRule": [_RULE],
}


def observed_bucket(index: int) -> dict[str, Any]:
    """Return a Bucket as an API server shows it: 185 nodes, 3.8 KB as a Struct."""
    name = f"platform-bucket-{index:04}"
    url = f"gs://{name}"
    condition = {
        "lastTransitionTime": "2025-11-03T09:30:00Z",
        "reason": "Available",
        "status": "True",
    }
    owned = {f"f:{name}": {} for name in _OWNED}
    return {
        "apiVersion": "storage.gcp.upbound.io/v1beta2",
        "kind": "Bucket",
        "metadata": {
            "name": name,
            "uid": f"{index:08}",
            "resourceVersion": str(100_000 + index),
            "generation": 4,
            "creationTimestamp": "2025-11-03T09:00:00Z",
            "finalizers": ["crossplane.io", "example.org"],
            "labels": {"crossplane.io/composite": "platform", **_LABELS},
            "annotations": {
                "crossplane.io/composition-resource-name": f"bucket-{index}",
                "crossplane.io/external-name": name,
            },
            "ownerReferences": [
                {
                    "apiVersion": "platform.example.org/v1alpha1",
                    "kind": "XBuckets",
                    "name": "platform",
                    "uid": "1",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
            "managedFields": [
                {
                    "apiVersion": "storage.gcp.upbound.io/v1beta2",
                    "fieldsType": "FieldsV1",
                    "manager": "apiextensions.crossplane.io/composed/0a1b2c",
                    "operation": "Apply",
                    "time": "2025-11-03T09:00:00Z",
                    "fieldsV1": {
                        "f:spec": {"f:forProvider": owned, "f:initProvider": owned},
                        "f:status": {"f:atProvider": owned},
                    },
                }
            ],
        },
        "spec": {
            "deletionPolicy": "Delete",
            "managementPolicies": ["*"],
            "forProvider": {**_DESIRED, "project": "platform-production"},
            "initProvider": {},
            "providerConfigRef": {"name": "default"},
        },
        "status": {
            "atProvider": {
                **_DESIRED,
                "effectiveLabels": _LABELS,
                "id": name,
                "project": "platform-production",
                "projectNumber": 123456789,
                "publicAccessPrevention": "inherited",
                "rpo": "DEFAULT",
                "selfLink": f"/v1/b/{name}",
                "softDeletePolicy": {"retentionDurationSeconds": 604800},
                "url": url,
                "website": {"mainPageSuffix": "index.html", "notFoundPage": "404.html"},
            },
            "conditions": [{"type": "Ready", **condition}, {"type": "Synced", **condition}],
            "lastHandledReconcileAt": "",
            "observedGeneration": 4,
        },
    }


def passed_through(index: int) -> dict[str, Any]:
    """Return a desired Bucket of a previous function."""
    bucket = observed_bucket(index)
    return {
        "apiVersion": bucket["apiVersion"],
        "kind": bucket["kind"],
        "metadata": {"labels": _LABELS},
        "spec": {"deletionPolicy": "Delete", "forProvider": _DESIRED},
    }


def request(
    observed: int, passed: int, emitted: int, *, over: bool = False, describe: bool = False
) -> bytes:
    """Return the bytes of a request.

    Args:
        observed: How many Buckets are observed, and one status field read of each.
        passed: How many resources previous functions desire.
        emitted: How many Buckets the function shall desire.
        over: Whether those that previous functions desire have the names of the function's own.
        describe: Whether the function shall make a text from a field of each Bucket.
    """
    message = pb.RunFunctionRequest()
    message.meta.tag = "benchmark"
    message.context.SetInParent()  # Crossplane sends one always
    message.observed.composite.resource.update(
        {
            "apiVersion": "platform.example.org/v1alpha1",
            "kind": "XBuckets",
            "metadata": {"name": "platform", "uid": "00000000-0000-0000-0000-000000000001"},
            "spec": {
                "parameters": {
                    "emit": emitted,
                    "read": observed,
                    "location": "EU",
                    "describe": describe,
                }
            },
        }
    )
    for index in range(observed):
        message.observed.resources[f"bucket-{index}"].resource.update(observed_bucket(index))
    for index in range(passed):
        message.desired.resources[f"{'bucket' if over else 'earlier'}-{index}"].resource.update(
            passed_through(index)
        )
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def wave_request(pairs: int, fields: str, *, resolved: bool) -> bytes:
    """Return the bytes of a request for pairs of Buckets, the second of which takes the URL of the
    first.

    Args:
        pairs: How many pairs; all of the first ones are observed.
        fields: What the second ones set: one field to the URL (`value`), two fields to it
            (`direct`), or two fields to texts that are made from it (`texts`).
        resolved: Whether the observed ones have a URL.
    """
    message = pb.RunFunctionRequest()
    message.meta.tag = "benchmark"
    message.context.SetInParent()
    message.observed.composite.resource.update(
        {
            "apiVersion": "platform.example.org/v1alpha1",
            "kind": "XBuckets",
            "metadata": {"name": "platform", "uid": "00000000-0000-0000-0000-000000000001"},
            "spec": {"parameters": {"pairs": pairs, "fields": fields}},
        }
    )
    for index in range(pairs):
        bucket = observed_bucket(index)
        if not resolved:
            del bucket["status"]["atProvider"]["url"]
        message.observed.resources[f"bucket-{index}"].resource.update(bucket)
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def told(request: bytes, answer: bytes) -> bytes:
    """Return a request whose composite has the conditions of an answer, as it has from the second
    call on.
    """
    message = pb.RunFunctionRequest.FromString(request)
    statuses = {pb.STATUS_CONDITION_TRUE: "True", pb.STATUS_CONDITION_FALSE: "False"}
    conditions = [
        {
            "type": one.type,
            "status": statuses.get(one.status, "Unknown"),
            "reason": one.reason,
            "message": one.message,
        }
        for one in pb.RunFunctionResponse.FromString(answer).conditions
    ]
    message.observed.composite.resource.update({"status": {"conditions": conditions}})
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def at_rest(request: bytes, call: Callable[[bytes], bytes]) -> bytes:
    """Return a request as Crossplane sends it once nothing changes: observed state has what the
    function desires.
    """
    for _ in range(5):
        before = pb.RunFunctionRequest.FromString(request)
        after = pb.RunFunctionRequest.FromString(request)
        desired = pb.RunFunctionResponse.FromString(call(request)).desired
        _apply(after.observed.composite.resource, desired.composite.resource)
        for name, one in desired.resources.items():
            _apply(after.observed.resources[name].resource, one.resource)
        if after == before:
            return request
        request = after.SerializeToString(deterministic=True)
    raise AssertionError("what the function desires changes in each call")


def _apply(target: Any, source: Any) -> None:
    """Put the fields of a Struct into another one, as server-side apply does."""
    for key, value in source.fields.items():
        if value.HasField("struct_value"):
            _apply(target.get_or_create_struct(key), value.struct_value)
        else:
            target.fields[key].CopyFrom(value)


def answer_of(data: bytes) -> dict[str, Any]:
    """Return what a response desires, as plain data, without what one of the sides adds on its own
    account.

    Those are the annotations by which this package knows its resources and their values, type and
    kind of the composite, which Crossplane fills in itself, and the time to live, which is shorter
    here while a resource is new.
    """
    from google.protobuf import json_format

    answer: dict[str, Any] = json_format.MessageToDict(pb.RunFunctionResponse.FromString(data))
    answer.get("meta", {}).pop("ttl", None)
    composite = answer["desired"].get("composite", {}).get("resource", {})
    composite.pop("apiVersion", None)
    composite.pop("kind", None)
    for entry in answer["desired"].get("resources", {}).values():
        metadata = entry["resource"].get("metadata", {})
        annotations = metadata.get("annotations", {})
        taken = [annotations.pop(key, None) for key in (ANNOTATION, KNOWN)]
        if any(taken) and not annotations:
            del metadata["annotations"]
            if not metadata:
                del entry["resource"]["metadata"]
    return answer


def nodes(value: Any) -> int:
    """Count the values in plain data, containers included."""
    count = 0
    work = [value]
    while work:
        one = work.pop()
        count += 1
        if isinstance(one, dict):
            work.extend(one.values())
        elif isinstance(one, list):
            work.extend(one)
    return count


def tree(size: int, depth: int) -> dict[str, Any]:
    """Return plain data of about `size` nodes with repeated keys: a list of items, each a chain
    `depth` deep.
    """
    # A level of a chain is a dict with one number in it: two nodes.
    items: list[Any] = []
    for index in range(max(1, size // (2 * depth))):
        item: dict[str, Any] = {"weight": index}
        for level in range(depth - 1):
            item = {"weight": level, "below": item}
        items.append(item)
    return {"items": items}

# pyright: strict
"""What reading gives: chains at any depth, leaves, lists, maps, and the properties of resources."""

from __future__ import annotations

import copy
from typing import Any

import attrs
from typing_extensions import reveal_type

from crossplane_lite import Observable, Unstructured, apply
from crossplane_lite.model import Model, Resource, from_dict, to_dict
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import ObjectMeta
from examples.network.model.io.upbound.aws.ec2.securitygroup.v1beta1 import SGAtProvider
from tests.typing.model.io.upbound.gcp.storage.bucket.v1beta1 import Bucket


def fields(bucket: Bucket) -> None:
    reveal_type(bucket.apiVersion)  # reveal: Literal['storage.gcp.upbound.io/v1beta1']
    reveal_type(bucket.kind)  # reveal: Literal['Bucket']
    reveal_type(bucket.spec)  # reveal: BucketSpec
    reveal_type(bucket.spec.deletionPolicy or "")  # reveal: Literal['Orphan', 'Delete', '']
    reveal_type(bucket.spec.forProvider.location)  # reveal: str | Observable[str] | None
    reveal_type(bucket.status.atProvider.projectNumber)  # reveal: float | Observable[float]
    reveal_type(bucket.metadata.generation)  # reveal: int | Observable[int] | None


def lists(bucket: Bucket, group: SGAtProvider) -> None:
    reveal_type(bucket.spec.forProvider.versioning)  # reveal: ItemsList[VersioningItem]
    reveal_type(bucket.spec.forProvider.versioning[99])  # reveal: VersioningItem
    reveal_type(bucket.spec.forProvider.versioning[99].enabled)  # reveal: bool | Observable[bool] | None
    reveal_type(bucket.spec.forProvider.cors[0].method)  # reveal: ValuesList[str]
    reveal_type(bucket.spec.forProvider.lifecycleRule[0].condition[0].age)  # reveal: float | Observable[float] | None
    reveal_type(bucket.status.conditions[0].lastTransitionTime)  # reveal: str | Observable[str]
    reveal_type(bucket.metadata.finalizers[0])  # reveal: str | Observable[str]
    reveal_type(group.ingress[0].self_)  # reveal: bool | Observable[bool]
    for rule in bucket.spec.forProvider.lifecycleRule:
        reveal_type(rule)  # reveal: LifecycleRuleItem


def maps(bucket: Bucket) -> None:
    reveal_type(bucket.metadata.labels)  # reveal: ValuesDict[str]
    reveal_type(bucket.metadata.labels["a"])  # reveal: str | Observable[str]
    reveal_type(bucket.metadata.annotations.get("a"))  # reveal: str | Observable[str] | None
    for key, value in bucket.spec.forProvider.labels.items():
        reveal_type(key)  # reveal: str
        reveal_type(value)  # reveal: str | Observable[str]


def any_json(meta: ObjectMeta) -> None:
    reveal_type(meta.managedFields[0].fieldsV1)  # reveal: DynamicModel
    reveal_type(meta.managedFields[0].fieldsV1["f:spec"])  # reveal: Any


def resources(bucket: Bucket) -> None:
    reveal_type(bucket.observed)  # reveal: _ObservedBucket
    reveal_type(bucket.observed.observed.spec.forProvider.location)  # reveal: str | Observable[str] | None
    reveal_type(bucket.external_name)  # reveal: str | Observable[str] | None
    reveal_type(bucket.ready)  # reveal: bool | None
    reveal_type(bucket.name)  # reveal: str
    reveal_type(bucket.condition("Ready"))  # reveal: Condition
    reveal_type(bucket.connection_details)  # reveal: ConnectionDetails
    reveal_type(bucket.connection_details["key"])  # reveal: str | Observable[str]
    reveal_type(bucket.connection_details.raw)  # reveal: dict[str, bytes]


def unstructured(thing: Unstructured) -> None:
    reveal_type(thing.spec.anything[0].at_all)  # reveal: Any
    reveal_type(thing.observed)  # reveal: Unstructured
    reveal_type(thing.external_name)  # reveal: str | Observable[str] | None


def narrowing(bucket: Bucket) -> None:
    location = bucket.observed.spec.forProvider.location
    if location:
        reveal_type(location)  # reveal: str
    reveal_type(location or "EU")  # reveal: str
    if isinstance(location, Observable):
        reveal_type(location)  # reveal: Observable[str]
        reveal_type(location.source_path)  # reveal: str
        reveal_type(location.any.field["a"])  # reveal: Observable[Any]


def computed(bucket: Bucket) -> None:
    reveal_type(apply(len, bucket.observed.external_name))  # reveal: int | Observable[int]
    reveal_type(f"gs://{bucket.observed.external_name}")  # reveal: str


def anything(resource: Resource, bare: Observable) -> None:
    reveal_type(resource.apiVersion)  # reveal: Any
    reveal_type(resource.metadata.labels)  # reveal: Any
    reveal_type(resource.observed)  # reveal: Resource
    reveal_type(bare)  # reveal: Observable[Any]


def whole(bucket: Bucket, values: dict[str, Any]) -> None:
    reveal_type(to_dict(bucket))  # reveal: dict[str, Any]
    reveal_type(from_dict(Bucket, values))  # reveal: Bucket
    reveal_type(copy.copy(bucket))  # reveal: Bucket
    reveal_type(bool(bucket.status))  # reveal: bool
    reveal_type(attrs.fields(Bucket))  # reveal: Any
    models: list[Model] = [bucket, bucket.spec]
    reveal_type(models[0] == models[1])  # reveal: bool

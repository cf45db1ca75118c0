# pyright: strict
"""What fields and constructors take, and that both checkers let it pass."""

from __future__ import annotations

from typing_extensions import reveal_type

from crossplane_lite import NULL, UNSET, Observable, Unstructured, apply
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import ListMeta, ObjectMeta, OwnerReference
from examples.network.model.io.upbound.aws.ec2.securitygroup.v1beta1 import EgressItem
from examples.network.model.io.upbound.aws.ec2.vpc.v1beta1 import VPCForProvider
from tests.typing.model.io.upbound.gcp.storage.bucket.v1beta1 import (
    Bucket,
    BucketSpec,
    CorsItem,
    ForProvider,
    VersioningItem,
)
from tests.typing.model.io.upbound.gcp.storage.bucketacl.v1beta1 import ACLForProvider


def leaves(bucket: Bucket, text: Observable[str], flag: Observable[bool], bare: Observable) -> None:
    provider = bucket.spec.forProvider
    provider.location = "EU"
    provider.location = text
    provider.location = bare
    provider.location = bucket.observed.external_name
    provider.location = bucket.observed.spec.forProvider.location
    provider.location = f"prefix-{bucket.observed.external_name}"
    provider.location = apply(str.upper, text)
    provider.location = None
    provider.location = UNSET
    provider.location = NULL
    provider.forceDestroy = flag
    bucket.spec.deletionPolicy = "Orphan"
    del provider.location


def nested(bucket: Bucket, spec: Observable[BucketSpec]) -> None:
    bucket.spec = BucketSpec(forProvider=ForProvider(location="EU"))
    bucket.spec = {"forProvider": {"location": "EU"}}
    reveal_type(bucket.spec.forProvider)  # reveal: ForProvider
    bucket.spec = bucket.observed.spec
    bucket.spec = spec
    bucket.spec = None
    reveal_type(bucket.spec)  # reveal: BucketSpec
    bucket.spec = UNSET
    bucket.spec = NULL
    bucket.metadata = {"name": "a"}
    del bucket.spec


def location_of(spec: BucketSpec) -> str:
    return spec.forProvider.location or ""


def observed(bucket: Bucket, other: Bucket) -> None:
    seen = bucket.observed
    bucket.spec.forProvider.location = location_of(seen.spec)
    bucket.spec.forProvider = seen.spec.forProvider
    bucket.spec = BucketSpec(forProvider=seen.spec.forProvider)
    bucket.spec.forProvider.location = "EU"
    bucket.spec.forProvider.versioning = seen.spec.forProvider.versioning
    bucket.spec.forProvider.versioning[0].enabled = True
    bucket.spec.forProvider.versioning.append(seen.spec.forProvider.versioning[0])
    labels: dict[str, str | Observable[str]] = seen.metadata.labels
    bucket.metadata.labels = {**labels, "a": seen.metadata.labels["b"]}
    bucket.metadata.finalizers = [*seen.metadata.finalizers, seen.metadata.finalizers[0]]
    bucket.metadata.finalizers += seen.metadata.finalizers
    bucket.metadata.labels |= seen.metadata.labels
    made = Bucket(spec=seen.spec)
    made.spec.forProvider.location = "EU"
    for one in (bucket, other):
        one.spec.forProvider.location = one.observed.spec.forProvider.location


def lists(bucket: Bucket, flag: Observable[bool], item: Observable[VersioningItem], bare: Observable) -> None:
    provider = bucket.spec.forProvider
    provider.versioning = [VersioningItem(enabled=flag), {"enabled": True}, item, bare]
    provider.versioning = (VersioningItem(), VersioningItem())
    provider.versioning = [VersioningItem(enabled=value) for value in (True, False)]
    provider.versioning = bucket.observed.spec.forProvider.versioning
    provider.versioning = []
    provider.versioning = bare
    provider.versioning = None
    provider.versioning.append(VersioningItem())
    provider.versioning.append({"enabled": True})
    provider.versioning.extend([{"enabled": True}])
    provider.versioning.insert(0, {"enabled": True})
    provider.versioning.append(item)
    provider.versioning += [item]
    provider.versioning[0] = {"enabled": True}
    provider.versioning += [{"enabled": True}]
    reveal_type(provider.versioning)  # reveal: ItemsList[VersioningItem]
    bucket.metadata.ownerReferences = [OwnerReference(uid="a")]


def values(bucket: Bucket, text: Observable[str], bare: Observable) -> None:
    known: list[str] = ["a"]
    acl = ACLForProvider(roleEntity=["a", text, bare, bucket.observed.external_name or "b"])
    acl.roleEntity = [bucket.observed.external_name, bucket.observed.status.atProvider.id]
    acl.roleEntity.append(bucket.observed.external_name)
    acl.roleEntity.extend([bucket.observed.status.atProvider.id, "a"])
    acl.roleEntity += [text]
    acl.roleEntity[0] = bucket.observed.external_name
    acl.roleEntity = known
    acl.roleEntity = ("a", text)
    acl.roleEntity = bucket.observed.metadata.finalizers
    acl.roleEntity.append(text)
    acl.roleEntity += ["c"]
    bucket.spec.managementPolicies = ["Observe", "Create"]
    bucket.spec.forProvider.cors = [CorsItem(maxAgeSeconds=60, method=["GET", "PUT"])]


def maps(bucket: Bucket, text: Observable[str], bare: Observable) -> None:
    known: dict[str, str] = {"a": "b"}
    provider = bucket.spec.forProvider
    provider.labels = {"a": "b", "c": text, "d": bucket.observed.external_name, "e": None, "f": bare}
    provider.labels = known
    provider.labels = bucket.observed.metadata.labels
    provider.labels = bare
    provider.labels = {}
    provider.labels["a"] = bucket.observed.external_name
    provider.labels["b"] = NULL
    provider.labels.update(known)
    provider.labels.update(a="b")
    provider.labels.update({"c": bucket.observed.external_name, "d": text})
    provider.labels.update(e=bucket.observed.spec.forProvider.location)
    provider.labels.update([("f", text)])
    provider.labels |= {"g": bucket.observed.external_name}
    reveal_type(provider.labels.setdefault("h", text))  # reveal: str | Observable[str]
    del provider.labels["a"]
    VPCForProvider(tags=known)


def constructors(bucket: Bucket) -> None:
    Bucket()
    Bucket(apiVersion="storage.gcp.upbound.io/v1beta1", kind="Bucket")
    Bucket(metadata=ObjectMeta(labels={"a": "b"}), spec=None, status=UNSET)
    Bucket(metadata={"labels": {"a": "b"}}, spec=bucket.observed.spec)
    ListMeta(continue_="a")
    EgressItem(self_=True)


def properties(bucket: Bucket, thing: Unstructured) -> None:
    bucket.ready = True
    bucket.ready = None
    bucket.external_name = "a"
    bucket.external_name = bucket.observed.external_name
    bucket.connection_details["a"] = bucket.observed.connection_details["b"]
    bucket.connection_details["b"] = b"raw"
    thing.spec.anything = bucket.observed.external_name
    thing.spec = {"a": [1]}
    Unstructured("v1", "ConfigMap", data={"a": "b"})

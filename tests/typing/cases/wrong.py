# pyright: strict, reportUnusedExpression=false
# ruff: noqa: B018
"""Mistakes that both checkers must report: behind each line mypy's code and pyright's rule."""

from __future__ import annotations

from crossplane_lite import Observable, Unstructured
from crossplane_lite.model import Model
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import LabelSelector, ObjectMeta
from tests.typing.model.io.upbound.gcp.storage.bucket.v1beta1 import (
    Bucket,
    BucketSpec,
    ForProvider,
    VersioningItem,
)
from tests.typing.model.io.upbound.gcp.storage.bucketacl.v1beta1 import ACLForProvider


def misspelt(bucket: Bucket, model: Model) -> None:
    Bucket(spek=BucketSpec())  # error: call-arg reportCallIssue
    bucket.spec.forProvider.loction  # error: attr-defined reportAttributeAccessIssue
    bucket.spec.forProvider.loction = "EU"  # error: attr-defined reportAttributeAccessIssue
    bucket.observed.status.atProvidr.id  # error: attr-defined reportAttributeAccessIssue
    del bucket.spec.forProvidr  # error: attr-defined reportAttributeAccessIssue
    model.anything  # error: attr-defined reportAttributeAccessIssue


def wrong_arguments() -> None:
    Bucket(BucketSpec())  # error: call-arg|misc reportCallIssue
    Bucket(external_name="a")  # error: call-arg reportCallIssue
    Bucket(_node=None)  # error: call-arg reportCallIssue
    Bucket(_state=None)  # error: call-arg reportCallIssue
    Unstructured("v1")  # error: call-arg reportCallIssue
    Bucket(kind="Buckt")  # error: arg-type reportArgumentType


def wrong_types(bucket: Bucket, number: Observable[int]) -> None:
    ForProvider(location=1)  # error: arg-type reportArgumentType
    ForProvider(location=number)  # error: arg-type reportArgumentType
    ForProvider(location=["EU"])  # error: arg-type reportArgumentType
    bucket.spec.forProvider.location = 1  # error: assignment reportAttributeAccessIssue
    bucket.spec.forProvider.location = number  # error: assignment reportAttributeAccessIssue
    bucket.spec.deletionPolicy = "Orphn"  # error: assignment reportAttributeAccessIssue
    bucket.kind = "Buckt"  # error: assignment reportAttributeAccessIssue
    bucket.apiVersion = "v1"  # error: assignment reportAttributeAccessIssue
    bucket.ready = "yes"  # error: assignment reportAttributeAccessIssue
    bucket.external_name = 1  # error: assignment reportAttributeAccessIssue
    bucket.observed = bucket  # error: misc reportAttributeAccessIssue
    bucket.connection_details["a"] = 1  # error: assignment reportArgumentType


def wrong_nesting(bucket: Bucket) -> None:
    Bucket(spec=ForProvider())  # error: arg-type reportArgumentType
    BucketSpec(forProvider=BucketSpec())  # error: arg-type reportArgumentType
    BucketSpec(forProvider="EU")  # error: arg-type reportArgumentType
    BucketSpec(forProvider={1: 2})  # error: dict-item reportArgumentType
    bucket.spec = ForProvider()  # error: assignment reportAttributeAccessIssue
    bucket.spec.location  # error: attr-defined reportAttributeAccessIssue
    Bucket(metadata=ObjectMeta(labels=LabelSelector()))  # error: arg-type reportArgumentType


def wrong_lists(bucket: Bucket, number: Observable[int]) -> None:
    ForProvider(versioning=VersioningItem())  # error: arg-type reportArgumentType
    ForProvider(versioning={"enabled": True})  # error: arg-type reportArgumentType
    ForProvider(versioning=["a"])  # error: list-item reportArgumentType
    ForProvider(versioning=[ForProvider()])  # error: list-item reportArgumentType
    ForProvider(versioning=[None])  # error: list-item reportArgumentType
    ForProvider(versioning=number)  # error: arg-type reportArgumentType
    ACLForProvider(roleEntity="a")  # error: arg-type reportArgumentType
    ACLForProvider(roleEntity=b"a")  # error: arg-type reportArgumentType
    ACLForProvider(roleEntity=[1])  # error: list-item reportArgumentType
    ACLForProvider(roleEntity=[number])  # error: list-item reportArgumentType
    ACLForProvider(roleEntity=[{"a": "b"}])  # error: list-item reportArgumentType
    ACLForProvider(roleEntity={"a": "b"})  # error: arg-type reportArgumentType
    bucket.spec.forProvider.versioning.append("a")  # error: arg-type reportArgumentType
    bucket.spec.forProvider.versioning[0] = "a"  # error: call-overload reportCallIssue|reportArgumentType
    bucket.spec.forProvider.versioning[0].enabled = "a"  # error: assignment reportAttributeAccessIssue
    bucket.spec.managementPolicies = ["Observ"]  # error: list-item reportAttributeAccessIssue


def wrong_maps(bucket: Bucket) -> None:
    ForProvider(labels={"a": 1})  # error: dict-item reportArgumentType
    ForProvider(labels={"a": {"b": "c"}})  # error: dict-item reportArgumentType
    ForProvider(labels={1: "a"})  # error: dict-item reportArgumentType
    ForProvider(labels=["a"])  # error: arg-type reportArgumentType
    bucket.metadata.labels["a"] = 1  # error: assignment reportArgumentType
    bucket.metadata.labels[1] = "a"  # error: index reportArgumentType


def observed(bucket: Bucket) -> None:
    seen = bucket.observed
    seen.spec = BucketSpec()  # error: arg-type reportAttributeAccessIssue
    seen.spec.forProvider.location = "EU"  # error: arg-type reportAttributeAccessIssue
    seen.spec.forProvider.labels = {"a": "b"}  # error: arg-type reportAttributeAccessIssue
    seen.spec.forProvider.versioning[0].enabled = True  # error: arg-type reportAttributeAccessIssue
    seen.status.atProvider.id = "a"  # error: arg-type reportAttributeAccessIssue
    seen.metadata.name = "a"  # error: arg-type reportAttributeAccessIssue
    for item in seen.spec.forProvider.versioning:
        item.enabled = True  # error: arg-type reportAttributeAccessIssue
    seen.observed.spec.deletionPolicy = "Orphan"  # error: arg-type reportAttributeAccessIssue
    seen.external_name = "a"  # error: misc reportAttributeAccessIssue
    seen.ready = True  # error: misc reportAttributeAccessIssue
    seen.metadata.finalizers.append("a")  # error: arg-type reportArgumentType
    seen.metadata.finalizers[0] = "a"  # error: index reportArgumentType
    seen.metadata.labels["a"] = "b"  # error: index reportArgumentType
    seen.metadata.labels.update({"a": "b"})  # error: arg-type reportArgumentType
    seen.spec.forProvider.versioning += [VersioningItem()]  # error: operator|arg-type reportAttributeAccessIssue
    del seen.metadata.labels["a"]  # error: arg-type reportArgumentType


def unguarded(bucket: Bucket) -> None:
    bucket.spec.forProvider.location.upper()  # error: union-attr|operator reportOptionalMemberAccess
    bucket.spec.forProvider.location + "a"  # error: operator reportOptionalOperand
    Bucket.spec  # error: call-overload reportAttributeAccessIssue

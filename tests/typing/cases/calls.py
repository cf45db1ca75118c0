# pyright: strict
# ruff: noqa: B018
"""The types that a composition function meets: its context, and what the seed's examples do with it."""

from __future__ import annotations

from typing_extensions import reveal_type

from crossplane_lite import Unstructured, composition
from examples.network.model.io.upbound.aws.ec2.vpc.v1beta1 import VPC
from tests.typing.model.com.example.platform.storagebucket.v1alpha1 import XStorageBucket
from tests.typing.model.io.upbound.gcp.storage.bucket.v1beta1 import Bucket, BucketSpec, ForProvider


@composition.function
def plain(ctx: composition.Context) -> None:
    xr = ctx.composite(XStorageBucket)
    reveal_type(xr)  # reveal: XStorageBucket
    reveal_type(xr.observed)  # reveal: _ObservedXStorageBucket
    reveal_type(xr.observed.spec.parameters.versioning)  # reveal: bool | Observable[bool] | None
    bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider())))
    reveal_type(bucket)  # reveal: Bucket
    reveal_type(bucket.observed)  # reveal: _ObservedBucket
    xr.status.bucketName = bucket.observed.external_name
    xr.status.bucketNam = bucket.observed.external_name  # error: attr-defined reportAttributeAccessIssue
    reveal_type(ctx.composite(Unstructured))  # reveal: Unstructured
    reveal_type(ctx.resource("other", Unstructured("v1", "ConfigMap"), depends_on=[bucket]))  # reveal: Unstructured


@composition.function
def required(ctx: composition.Context) -> None:
    ctx.requirements.resources["existing-vpcs"] = composition.ResourceSelector(
        api_version="ec2.aws.upbound.io/v1beta1", kind="VPC", match_labels={"env": "prod"}
    )
    for vpc in ctx.required_resources.get("existing-vpcs", VPC):
        reveal_type(vpc)  # reveal: VPC
        if vpc.observed.status.atProvider.enableDnsSupport:
            provider = ForProvider(project=vpc.observed.spec.forProvider.region)
            ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))
            break
    reveal_type(ctx.required_resources.get("existing-vpcs", VPC)[9])  # reveal: VPC
    reveal_type(ctx.required_resources.get("existing-vpcs")[0])  # reveal: Unstructured
    reveal_type(ctx.observed["vpc"])  # reveal: Unstructured
    reveal_type(ctx.observed.get("vpc"))  # reveal: Unstructured
    reveal_type(ctx.observed.get("vpc", None))  # reveal: Unstructured | None
    reveal_type(ctx.conditions["Ready"].status)  # reveal: bool | None


@composition.function(name="step", auto_ready=True)
async def waiting(ctx: composition.Context) -> None:
    reveal_type(ctx.resource("vpc", VPC()))  # reveal: VPC


def wrong(ctx: composition.Context) -> None:
    ctx.resource("bucket")  # error: call-arg reportCallIssue
    ctx.resource("bucket", BucketSpec())  # error: type-var reportArgumentType
    ctx.composite(Bucket()).spec  # error: arg-type reportArgumentType


reveal_type(plain)  # reveal: Function
reveal_type(waiting)  # reveal: Function

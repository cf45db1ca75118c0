"""Functions and short cuts that several of the behaviour tests use."""

from __future__ import annotations

__all__ = [
    "ALL_FOUND",
    "CONDITION",
    "PATH",
    "VPC_API",
    "VPC_FOUND",
    "ask",
    "b64",
    "emitted",
    "network",
    "path",
    "provider_of",
    "selector",
    "unresolved",
]

import base64
from typing import Any

from crossplane_lite import Observable, Unstructured, composition
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, BucketSpec, Subnet
from tests.support import Response, call

PATH = "bucket.status.atProvider.id"
"""The unresolved value of most tests of text."""

CONDITION = "DependenciesResolved"
"""The type of the condition that says what waits."""

VPC_API = "ec2.aws.upbound.io/v1beta1"
"""The API version of VPCs."""

VPC_FOUND = {"vpc": samples.vpc(status={"vpcId": "v"})}
"""Observed state in which the subnet of `network` needs nothing more."""

ALL_FOUND = {**VPC_FOUND, "subnet": samples.subnet(status={"id": "s"})}
"""Observed state in which nothing of `network` waits."""


def path(value: Any) -> str:
    """Return the source path of what must be an Observable."""
    assert isinstance(value, Observable), repr(value)
    return value.source_path


def b64(text: str) -> str:
    """Return the base64 of `text`."""
    return base64.b64encode(text.encode()).decode()


def unresolved(ctx: Any) -> Any:
    """Register a VPC and return the id that it doesn't have. No schema says its type, so it fits everywhere."""
    return ctx.resource("vpc", Unstructured(VPC_API, "VPC")).observed.status.atProvider.vpcId


def provider_of(answer: Response, name: str = "bucket") -> dict[str, Any]:
    """Return the emitted forProvider."""
    assert not answer.fatal, answer.fatal
    provider: dict[str, Any] = answer.resources[name].get("spec", {}).get("forProvider", {})
    return provider


def emitted(provider: Any, **earlier: Any) -> dict[str, Any]:
    """Return forProvider as emitted for a bucket with `provider`, over earlier desired state if there is any."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))

    return provider_of(call(compose, desired={"bucket": samples.bucket(earlier)} if earlier else None)[1])


def ask(ctx: Any, key: str = "vpcs", **match: Any) -> None:
    """Require VPCs: those of the production environment unless `match` says otherwise."""
    ctx.requirements.resources[key] = composition.ResourceSelector(
        api_version=VPC_API, kind="VPC", **(match or {"match_labels": {"env": "prod"}})
    )


def selector(**match: Any) -> composition.ResourceSelector:
    """Return a selector of config maps."""
    return composition.ResourceSelector(api_version="v1", kind="ConfigMap", **match)


@composition.function(name="step")
def network(ctx: Any) -> None:
    """A subnet that waits for the VPC, and a bucket that waits for the subnet."""
    vpc = ctx.resource("vpc", VPC())
    subnet = ctx.resource("subnet", Subnet())
    subnet.spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId
    bucket = ctx.resource("bucket", Bucket())
    bucket.spec.forProvider.project = f"x-{subnet.observed.status.atProvider.id}"

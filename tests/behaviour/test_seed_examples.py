"""The examples of the design specification that the SDK grew from."""

from __future__ import annotations

from typing import Any

from crossplane_lite import composition
from crossplane_lite.composition import ResourceSelector
from tests.behaviour import models as bucketaclv1beta1
from tests.behaviour import models as bucketv1beta1
from tests.behaviour import models as storagebucketv1alpha1
from tests.behaviour import samples
from tests.behaviour.models import (
    VPC,
    Bucket,
    BucketSpec,
    ForProvider,
    SecurityGroup,
    SGForProvider,
    SGSpec,
    Subnet,
    SubnetForProvider,
    SubnetSpec,
    VPCForProvider,
    VPCSpec,
    XStorageBucket,
)
from tests.support import run, with_conditions

# --- "Basic Example" -------------------------------------------------------------------------------------------


@composition.function
def compose(ctx: composition.Context):  # type: ignore[no-untyped-def]  # noqa: ANN201
    """Compose the seed's bucket and its ACL."""
    # XR follows same pattern as composed resources
    xr = ctx.composite(storagebucketv1alpha1.XStorageBucket)

    # Read from observed XR (user's input parameters)
    location = xr.observed.spec.parameters.location
    versioning = xr.observed.spec.parameters.versioning
    acl_param = xr.observed.spec.parameters.acl

    # Compose a Bucket - full IDE autocomplete on kwargs
    bucket = ctx.resource("bucket", bucketv1beta1.Bucket(
        spec=bucketv1beta1.BucketSpec(
            forProvider=bucketv1beta1.ForProvider(
                location=location,
                versioning=[bucketv1beta1.VersioningItem(enabled=versioning)],
            )
        )
    ))

    # Compose an ACL that depends on the Bucket's external name
    # If Bucket isn't observed yet, bucket.observed.external_name returns Observable
    acl = ctx.resource("acl", bucketaclv1beta1.BucketACL(  # noqa: F841
        spec=bucketaclv1beta1.BucketACLSpec(
            forProvider=bucketaclv1beta1.ACLForProvider(
                bucket=bucket.observed.external_name,  # Observable if not ready
                predefinedAcl=acl_param,
            )
        )
    ))

    # Update XR status with computed values
    xr.status.bucketName = bucket.observed.external_name


XR = samples.xr({"location": "US", "versioning": True, "acl": "publicRead"})
BUCKET = samples.bucket({"location": "US", "versioning": [{"enabled": True}]})


def test_basic_example_first_call() -> None:
    """At first only the bucket is emitted, the ACL waits, and the composite isn't ready."""
    answer = run(compose, xr=XR)
    assert answer.resources == {"bucket": BUCKET}
    assert "bucketName" not in answer.composite.get("status", {})
    assert answer.composite_ready is False
    assert "acl waits for bucket.external_name" in answer.conditions["DependenciesResolved"][2]


def test_basic_example_bucket_observed_without_external_name() -> None:
    """A bucket that exists and has no external name yet changes nothing."""
    answer = run(compose, xr=XR, observed={"bucket": BUCKET})
    assert answer.resources == {"bucket": BUCKET}
    assert not answer.fatal


def test_basic_example_second_call() -> None:
    """With the bucket observed, bucket and ACL are emitted and the composite has the bucket's name."""
    first = run(compose, xr=XR)
    observed = {"bucket": {**BUCKET, "metadata": {"annotations": {samples.EXTERNAL_NAME: "my-bucket-x7"}}}}
    answer = run(compose, xr=with_conditions(XR, first), observed=observed)
    assert answer.resources == {
        "bucket": BUCKET,
        "acl": samples.acl({"bucket": "my-bucket-x7", "predefinedAcl": "publicRead"}),
    }
    assert answer.composite["status"] == {"bucketName": "my-bucket-x7"}
    assert answer.conditions["DependenciesResolved"][:2] == (True, "AllResolved")
    assert answer.composite_ready is None
    assert not answer.fatal


def test_basic_example_with_optional_parameters_left_out() -> None:
    """Parameters that the user left out leave fields out and hold nothing back."""
    answer = run(compose, xr=samples.xr({"versioning": False}))
    assert answer.resources == {"bucket": samples.bucket({"versioning": [{"enabled": False}]})}


def test_basic_example_bucket_is_not_lost() -> None:
    """An ACL that exists stays when the bucket's external name vanishes."""
    existing = samples.acl({"bucket": "my-bucket-x7", "predefinedAcl": "private"}, ours=compose.name)
    answer = run(compose, xr=XR, observed={"bucket": BUCKET, "acl": existing})
    assert answer.resources["acl"] == samples.acl({"bucket": "my-bucket-x7", "predefinedAcl": "publicRead"})
    assert not answer.fatal


# --- "The Dependency DAG is Implicit" --------------------------------------------------------------------------


@composition.function
def network(ctx: Any) -> None:
    """Compose the seed's network: vpc, then subnet, then security group."""
    vpc = ctx.resource("vpc", VPC(
        spec=VPCSpec(forProvider=VPCForProvider(cidrBlock="10.0.0.0/16"))
    ))

    subnet = ctx.resource("subnet", Subnet(
        spec=SubnetSpec(forProvider=SubnetForProvider(
            vpcId=vpc.observed.status.atProvider.vpcId,  # Observable if VPC not ready
        ))
    ))

    ctx.resource("security-group", SecurityGroup(
        spec=SGSpec(forProvider=SGForProvider(
            vpcId=vpc.observed.status.atProvider.vpcId,      # Depends on VPC
            subnetId=subnet.observed.status.atProvider.id,   # Depends on Subnet
        ))
    ))


def test_network_over_three_calls() -> None:
    """One, two and three resources are emitted over three calls."""
    answer = run(network)
    assert answer.resources == {"vpc": samples.vpc({"cidrBlock": "10.0.0.0/16"})}

    observed = {"vpc": {**answer.emitted["vpc"], "status": {"atProvider": {"vpcId": "vpc-1"}}}}
    answer = run(network, observed=observed)
    assert sorted(answer.resources) == ["subnet", "vpc"]
    assert answer.resources["subnet"] == samples.subnet({"vpcId": "vpc-1"})
    message = answer.conditions["DependenciesResolved"][2]
    assert "security-group waits for subnet.status.atProvider.id" in message
    assert "vpc.status.atProvider.vpcId" not in message

    observed["subnet"] = {**answer.emitted["subnet"], "status": {"atProvider": {"id": "subnet-1"}}}
    answer = run(network, observed=observed)
    assert sorted(answer.resources) == ["security-group", "subnet", "vpc"]
    group = answer.resources["security-group"]
    assert group["kind"] == "SecurityGroup"
    assert group["spec"]["forProvider"] == {"vpcId": "vpc-1", "subnetId": "subnet-1"}


# --- "Pipeline Semantics" --------------------------------------------------------------------------------------


@composition.function
def second_function(ctx: Any) -> None:
    """Add a project to the bucket of a previous function, and a storage class where it is in the US."""
    bucket = ctx.resource("bucket", Bucket(
        spec=BucketSpec(
            forProvider=ForProvider(
                project="my-project",  # Add project field
            )
        )
    ))

    # Can read and modify previous function's work:
    if bucket.spec.forProvider.location == "US":
        bucket.spec.forProvider.storageClass = "STANDARD"


def test_pipeline_semantics() -> None:
    """The second function reads, keeps and adds to what the first one desired, unknown fields included."""
    first = samples.bucket({"location": "US", "notInTheModel": {"a": [1]}})
    answer = run(second_function, desired={"bucket": first, "other": samples.vpc()})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {
        "location": "US",
        "project": "my-project",
        "storageClass": "STANDARD",
        "notInTheModel": {"a": [1]},
    }
    assert answer.emitted["other"] == samples.vpc()
    answer = run(second_function, desired={"bucket": samples.bucket({"location": "EU"})})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"location": "EU", "project": "my-project"}


# --- "Required Resources" --------------------------------------------------------------------------------------


@composition.function
def in_existing_vpc(ctx: Any) -> None:
    """Compose a bucket in the project of the default VPC among the existing ones."""
    ctx.composite(XStorageBucket)

    # Request existing VPCs with specific labels
    ctx.requirements.resources["existing-vpcs"] = ResourceSelector(
        api_version="ec2.aws.upbound.io/v1beta1",
        kind="VPC",
        match_labels={"env": "prod"},
    )

    # Access required resources (available on next invocation)
    for vpc in ctx.required_resources.get("existing-vpcs", VPC):
        if vpc.observed.status.atProvider.isDefault:
            # Use this VPC
            ctx.resource("bucket", Bucket(
                spec=BucketSpec(
                    forProvider=ForProvider(
                        project=vpc.observed.spec.forProvider.project,
                    )
                )
            ))
            break


def test_required_resources_are_asked_for_first() -> None:
    """The first call asks for the VPCs and composes nothing."""
    answer = run(in_existing_vpc)
    selector = answer.requirements.resources["existing-vpcs"]
    assert (selector.api_version, selector.kind) == ("ec2.aws.upbound.io/v1beta1", "VPC")
    assert dict(selector.match_labels.labels) == {"env": "prod"}
    assert not answer.resources
    assert not answer.fatal


def test_required_resources_are_used_when_they_are_there() -> None:
    """The next call uses the default VPC, and asks again for the same."""
    vpcs = [
        samples.vpc({"project": "one"}, status={"isDefault": False}),
        samples.vpc({"project": "two"}, status={"isDefault": True}),
        samples.vpc({"project": "three"}, status={"isDefault": True}),
    ]
    answer = run(in_existing_vpc, required={"existing-vpcs": vpcs})
    assert answer.resources == {"bucket": samples.bucket({"project": "two"})}
    assert answer.requirements == run(in_existing_vpc).requirements


def test_an_existing_bucket_survives_the_first_call() -> None:
    """While the VPCs aren't there yet, nothing is fatal though the bucket exists."""
    answer = run(in_existing_vpc, observed={"bucket": samples.bucket(ours=in_existing_vpc.name)})
    assert not answer.fatal
    assert "existing-vpcs" in answer.requirements.resources

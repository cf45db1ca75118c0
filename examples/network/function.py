"""Composes a VPC, a subnet that waits for it, and a security group that waits for both."""

from crossplane_lite import Unstructured, composition

from .model.io.upbound.aws.ec2.securitygroup.v1beta1 import SecurityGroup, SGForProvider, SGSpec
from .model.io.upbound.aws.ec2.subnet.v1beta1 import Subnet, SubnetForProvider, SubnetSpec
from .model.io.upbound.aws.ec2.vpc.v1beta1 import VPC, VPCForProvider, VPCSpec


@composition.function(name="network", auto_ready=True)
def compose(ctx: composition.Context) -> None:
    region = ctx.composite(Unstructured).observed.spec.region

    # This code implicitly creates: vpc -> subnet -> security_group
    vpc = ctx.resource("vpc", VPC(
        spec=VPCSpec(forProvider=VPCForProvider(region=region, cidrBlock="10.0.0.0/16"))
    ))

    subnet = ctx.resource("subnet", Subnet(
        spec=SubnetSpec(forProvider=SubnetForProvider(
            region=region,
            cidrBlock="10.0.0.0/24",
            vpcId=vpc.observed.status.atProvider.id,  # Observable if VPC not ready
        ))
    ))

    ctx.resource("security-group", SecurityGroup(
        spec=SGSpec(forProvider=SGForProvider(
            region=region,
            vpcId=vpc.observed.status.atProvider.id,  # Depends on VPC
            tags={"subnet": subnet.observed.status.atProvider.id},  # Depends on Subnet
        ))
    ))

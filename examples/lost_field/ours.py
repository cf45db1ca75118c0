"""The same network with crossplane-lite: what needs the id of the VPC waits for it, and then stays."""

from crossplane_lite import Unstructured, composition

EC2 = "ec2.aws.m.upbound.io/v1beta1"


@composition.function(name="network", auto_ready=True)
def compose(ctx: composition.Context) -> None:
    """Compose the VPC and all that refers to it."""
    xr = ctx.composite(Unstructured)
    region = xr.observed.spec.region

    def add(name: str, kind: str, **fields: object) -> Unstructured:
        one = ctx.resource(name, Unstructured(EC2, kind))
        one.spec.forProvider = {"region": region, **fields}
        return one

    vpc = add("vpc", "VPC", cidrBlock="10.0.0.0/16")
    vpc_id = vpc.observed.status.atProvider.id
    for zone in xr.observed.spec.zones:
        add(f"subnet-{zone}", "Subnet", vpcId=vpc_id, availabilityZone=f"{region}{zone}")
    add("gateway", "InternetGateway", vpcId=vpc_id)
    add("table", "RouteTable", vpcId=vpc_id)
    add("group", "SecurityGroup", vpcId=vpc_id)

"""The same network with crossplane-lite: what needs the id of the VPC waits for it, and then
stays.
"""

from crossplane_lite import Unstructured, composition

EC2 = "ec2.aws.m.upbound.io/v1beta1"


@composition.function(name="network", auto_ready=True)
def compose(ctx: composition.Context) -> None:
    """Compose the VPC and all that refers to it."""
    spec = ctx.composite(Unstructured).observed.spec
    vpc = ctx.resource("vpc", Unstructured(EC2, "VPC"))
    vpc.spec.forProvider = {"region": spec.region, "cidrBlock": "10.0.0.0/16"}
    # AWS makes up the id. The resources that take it wait until it is there, and stay when it goes
    # missing later.
    fields = {"region": spec.region, "vpcId": vpc.observed.status.atProvider.id}
    for zone in spec.zones:
        subnet = ctx.resource(f"subnet-{zone}", Unstructured(EC2, "Subnet"))
        subnet.spec.forProvider = {**fields, "availabilityZone": f"{spec.region}{zone}"}
    for name, kind in {
        "gateway": "InternetGateway",
        "table": "RouteTable",
        "group": "SecurityGroup",
    }.items():
        ctx.resource(name, Unstructured(EC2, kind)).spec.forProvider = fields

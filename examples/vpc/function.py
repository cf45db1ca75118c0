"""Composes a network on AWS.

Each zone has a public subnet and a private one, which reaches the internet through a NAT gateway of
its own. Nothing here says in which order the resources are created: each is held back until the
values that it refers to exist.
"""

from ipaddress import ip_network

from crossplane_lite import Observable, apply, composition

from .model.com.example.platform.network.v1alpha1 import Network
from .model.io.upbound.aws.ec2.eip import v1beta1 as eip
from .model.io.upbound.aws.ec2.internetgateway import v1beta1 as internetgateway
from .model.io.upbound.aws.ec2.managedprefixlist import v1beta1 as managedprefixlist
from .model.io.upbound.aws.ec2.natgateway import v1beta1 as natgateway
from .model.io.upbound.aws.ec2.route import v1beta1 as route
from .model.io.upbound.aws.ec2.routetable import v1beta1 as routetable
from .model.io.upbound.aws.ec2.routetableassociation import v1beta1 as association
from .model.io.upbound.aws.ec2.securitygroup import v1beta1 as securitygroup
from .model.io.upbound.aws.ec2.subnet import v1beta1 as subnet
from .model.io.upbound.aws.ec2.vpc import v1beta1 as vpc

ANYWHERE = "0.0.0.0/0"
Text = str | Observable[str] | None


@composition.function(name="vpc", auto_ready=True)
def compose(ctx: composition.Context) -> None:
    xr = ctx.composite(Network)
    region = xr.observed.spec.region
    zones = xr.observed.spec.zones
    name = xr.observed.metadata.name
    block = xr.observed.spec.cidrBlock
    blocks = [str(part) for part in ip_network(str(block)).subnets(prefixlen_diff=4)]

    network = ctx.resource("vpc", vpc.VPC())
    network.spec.forProvider = vpc.ForProvider(
        region=region,
        cidrBlock=block,
        enableDnsHostnames=True,
        enableDnsSupport=True,
        tags={"Name": name},
    )
    vpc_id = network.observed.status.atProvider.id

    gateway = ctx.resource("gateway", internetgateway.InternetGateway())
    gateway.spec.forProvider = internetgateway.ForProvider(
        region=region, vpcId=vpc_id, tags={"Name": name}
    )

    group = ctx.resource("security-group", securitygroup.SecurityGroup())
    group.spec.forProvider = securitygroup.ForProvider(
        region=region,
        vpcId=vpc_id,
        name=f"{name}-inside",
        description=f"Traffic inside of {vpc_id}",
    )

    def table(which: str, **way_out: Text) -> routetable.RouteTable:
        """Compose a route table whose default route takes the way out that is given."""
        made = ctx.resource(f"routes-{which}", routetable.RouteTable())
        made.spec.forProvider = routetable.ForProvider(
            region=region, vpcId=vpc_id, tags={"Name": f"{name}-{which}"}
        )
        default = ctx.resource(f"default-{which}", route.Route())
        default.spec.forProvider = route.ForProvider(
            region=region,
            routeTableId=made.observed.status.atProvider.id,
            destinationCidrBlock=ANYWHERE,
            **way_out,
        )
        return made

    def part(which: str, zone: Text, block: str, routes: routetable.RouteTable) -> subnet.Subnet:
        """Compose a subnet that uses a route table."""
        made = ctx.resource(f"{which}-{zone}", subnet.Subnet())
        made.spec.forProvider = subnet.ForProvider(
            region=region,
            vpcId=vpc_id,
            availabilityZone=f"{region}{zone}",
            cidrBlock=block,
            mapPublicIpOnLaunch=which == "public",
            tags={"Name": f"{name}-{which}-{zone}"},
        )
        uses = ctx.resource(f"{which}-{zone}-routes", association.RouteTableAssociation())
        uses.spec.forProvider = association.ForProvider(
            region=region,
            subnetId=made.observed.status.atProvider.id,
            routeTableId=routes.observed.status.atProvider.id,
        )
        return made

    public, private, gateways = [], [], []
    public_routes = table("public", gatewayId=gateway.observed.status.atProvider.id)
    for index, zone in enumerate(zones):
        outside = part("public", zone, blocks[index], public_routes)

        address = ctx.resource(f"address-{zone}", eip.EIP())
        address.spec.forProvider = eip.ForProvider(
            region=region, domain="vpc", tags={"Name": f"{name}-{zone}"}
        )

        # No field of a NAT gateway shows that it works only once the internet gateway is there.
        nat = ctx.resource(f"nat-{zone}", natgateway.NATGateway(), depends_on=[gateway])
        nat.spec.forProvider = natgateway.ForProvider(
            region=region,
            subnetId=outside.observed.status.atProvider.id,
            allocationId=address.observed.status.atProvider.allocationId,
            tags={"Name": f"{name}-{zone}"},
        )

        routes = table(f"private-{zone}", natGatewayId=nat.observed.status.atProvider.id)
        private.append(part("private", zone, blocks[8 + index], routes))
        public.append(outside)
        gateways.append(nat)

    xr.status.vpcId = vpc_id
    xr.status.securityGroupId = group.observed.status.atProvider.id
    xr.status.publicSubnetIds = [one.observed.status.atProvider.id for one in public]
    xr.status.privateSubnetIds = [one.observed.status.atProvider.id for one in private]
    xr.status.outgoingAddresses = [one.observed.status.atProvider.publicIp for one in gateways]

    # From the status, which keeps the last addresses while a gateway doesn't report its own.
    outgoing = ctx.resource("outgoing", managedprefixlist.ManagedPrefixList())
    outgoing.spec.forProvider = managedprefixlist.ForProvider(
        region=region,
        name=f"{name}-outgoing",
        addressFamily="IPv4",
        maxEntries=8,
        entry=apply(entries, xr.observed.status.outgoingAddresses),
    )


def entries(addresses: list[str]) -> list[managedprefixlist.EntryItem]:
    """Return the entries of a prefix list for single addresses."""
    return [
        managedprefixlist.EntryItem(cidr=f"{address}/32", description="NAT gateway")
        for address in addresses
    ]

"""The network of examples/vpc, written for function-pythonic the way its documentation has it."""

from ipaddress import ip_network

from crossplane.pythonic import BaseComposite

EC2 = "ec2.aws.upbound.io/v1beta1"


class Network(BaseComposite):
    def compose(self):
        name = self.metadata.name
        region = self.spec.region
        blocks = [
            str(part) for part in ip_network(str(self.spec.cidrBlock)).subnets(prefixlen_diff=4)
        ]

        vpc = self.resources.vpc(EC2, "VPC")
        vpc.spec.forProvider.region = region
        vpc.spec.forProvider.cidrBlock = self.spec.cidrBlock
        vpc.spec.forProvider.enableDnsHostnames = True
        vpc.spec.forProvider.enableDnsSupport = True
        vpc.spec.forProvider.tags.Name = name
        vpc_id = vpc.status.atProvider.id

        gateway = self.resources.gateway(EC2, "InternetGateway")
        gateway.spec.forProvider.region = region
        gateway.spec.forProvider.vpcId = vpc_id
        gateway.spec.forProvider.tags.Name = name

        group = self.resources["security-group"](EC2, "SecurityGroup")
        group.spec.forProvider.region = region
        group.spec.forProvider.vpcId = vpc_id
        group.spec.forProvider.name = f"{name}-inside"
        group.spec.forProvider.description = f"Traffic inside of {vpc_id}"

        public_routes = self.table("public", vpc_id, gatewayId=gateway.status.atProvider.id)
        for index, zone in enumerate(self.spec.zones):
            zone = str(zone)
            outside = self.part("public", zone, blocks[index], vpc_id, public_routes)

            address = self.resources[f"address-{zone}"](EC2, "EIP")
            address.spec.forProvider.region = region
            address.spec.forProvider.domain = "vpc"
            address.spec.forProvider.tags.Name = f"{name}-{zone}"

            nat = self.resources[f"nat-{zone}"](EC2, "NATGateway")
            nat.spec.forProvider.region = region
            nat.spec.forProvider.subnetId = outside.status.atProvider.id
            nat.spec.forProvider.allocationId = address.status.atProvider.allocationId
            nat.spec.forProvider.tags.Name = f"{name}-{zone}"
            nat.addDependency(gateway)

            routes = self.table(f"private-{zone}", vpc_id, natGatewayId=nat.status.atProvider.id)
            inside = self.part("private", zone, blocks[8 + index], vpc_id, routes)

            self.status.publicSubnetIds[index] = outside.status.atProvider.id
            self.status.privateSubnetIds[index] = inside.status.atProvider.id
            self.status.outgoingAddresses[index] = nat.status.atProvider.publicIp

        self.status.vpcId = vpc_id
        self.status.securityGroupId = group.status.atProvider.id

        outgoing = self.resources.outgoing(EC2, "ManagedPrefixList")
        outgoing.spec.forProvider.region = region
        outgoing.spec.forProvider.name = f"{name}-outgoing"
        outgoing.spec.forProvider.addressFamily = "IPv4"
        outgoing.spec.forProvider.maxEntries = 8
        for index, address in enumerate(self.observed.status.outgoingAddresses):
            outgoing.spec.forProvider.entry[index].cidr = f"{address}/32"
            outgoing.spec.forProvider.entry[index].description = "NAT gateway"

    def table(self, which, vpc_id, **way_out):
        made = self.resources[f"routes-{which}"](EC2, "RouteTable")
        made.spec.forProvider.region = self.spec.region
        made.spec.forProvider.vpcId = vpc_id
        made.spec.forProvider.tags.Name = f"{self.metadata.name}-{which}"
        default = self.resources[f"default-{which}"](EC2, "Route")
        default.spec.forProvider.region = self.spec.region
        default.spec.forProvider.routeTableId = made.status.atProvider.id
        default.spec.forProvider.destinationCidrBlock = "0.0.0.0/0"
        for field, value in way_out.items():
            default.spec.forProvider[field] = value
        return made

    def part(self, which, zone, block, vpc_id, routes):
        made = self.resources[f"{which}-{zone}"](EC2, "Subnet")
        made.spec.forProvider.region = self.spec.region
        made.spec.forProvider.vpcId = vpc_id
        made.spec.forProvider.availabilityZone = f"{self.spec.region}{zone}"
        made.spec.forProvider.cidrBlock = block
        made.spec.forProvider.mapPublicIpOnLaunch = which == "public"
        made.spec.forProvider.tags.Name = f"{self.metadata.name}-{which}-{zone}"
        uses = self.resources[f"{which}-{zone}-routes"](EC2, "RouteTableAssociation")
        uses.spec.forProvider.region = self.spec.region
        uses.spec.forProvider.subnetId = made.status.atProvider.id
        uses.spec.forProvider.routeTableId = routes.status.atProvider.id
        return made

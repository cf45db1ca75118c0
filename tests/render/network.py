"""A network on AWS as people compose it from parameters, and which parameter each of its fields is made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossplane_lite import Unstructured, composition
from tests.codegen.generated import crd, obj

__all__ = ["DEFINITION", "XR", "compose", "truth"]

LABEL = "networks.example.org/network-id"
PORTS = {"postgres": 5432, "mysql": 3306, "redis": 6379}
P = "xr.spec.parameters"
AWS = "ec2.aws.upbound.io/v1beta1"

XR: dict[str, Any] = {
    "apiVersion": "example.org/v1",
    "kind": "Network",
    "metadata": {"name": "office"},
    "spec": {
        "parameters": {
            "id": "office-eu",
            "region": "eu-central-1",
            "providerConfigName": "default",
            "deletionPolicy": "Delete",
            "vpcCidrBlock": "10.20.0.0/16",
            "tenancy": "shared",
            "subnets": [
                {"availabilityZone": f"eu-central-1{zone}", "type": type_, "cidrBlock": f"10.20.{16 * number}.0/20"}
                for number, (zone, type_) in enumerate(
                    (zone, type_) for zone in "abc" for type_ in ("public", "private")
                )
            ],
            "databases": ["postgres", "mysql"],
            "endpoint": True,
        }
    },
}


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


DEFINITION = crd(
    obj(
        spec=obj(
            parameters=obj(
                id="s",
                region=_one_of("eu-central-1", "us-west-2"),
                providerConfigName="s",
                deletionPolicy=_one_of("Delete", "Orphan"),
                vpcCidrBlock="s",
                tenancy=_one_of("shared", "own"),
                subnets={
                    "type": "array",
                    "items": obj(availabilityZone="s", type=_one_of("public", "private"), cidrBlock="s"),
                },
                databases={"type": "array", "items": _one_of(*PORTS)},
                description="s",
                endpoint="b",
            )
        ),
        status={"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    ),
    kind="Network",
)


@composition.function(auto_ready=True)
def compose(ctx: composition.Context) -> None:
    """Compose a network."""
    xr = ctx.composite(Unstructured)
    given = xr.observed.spec.parameters

    def resource(name: str, kind: str, /, **parameters: Any) -> Any:
        made = ctx.resource(name, Unstructured(AWS, kind))
        made.metadata.labels[LABEL] = given.id
        made.spec.deletionPolicy = given.deletionPolicy
        made.spec.providerConfigRef.name = given.providerConfigName
        made.spec.forProvider = {"region": given.region, **parameters}
        return made.observed.status.atProvider

    def named(part: str) -> dict[str, str]:
        return {"Name": f"{given.id}-{part}"}

    tenancy = {"shared": "default", "own": "dedicated"}[given.tenancy]
    vpc = resource(
        "vpc",
        "VPC",
        cidrBlock=given.vpcCidrBlock,
        enableDnsHostnames=True,
        instanceTenancy=tenancy,
        tags={"Name": given.id, "Owner": given.description or f"the platform in {given.region}"},
    )
    gateway = resource("gateway", "InternetGateway", vpcId=vpc.id, tags=named("gateway"))
    public = resource("routes-public", "RouteTable", vpcId=vpc.id, tags=named("public"))
    private = resource("routes-private", "RouteTable", vpcId=vpc.id, tags=named("private"))
    resource("default-public", "Route", routeTableId=public.id, gatewayId=gateway.id, destinationCidrBlock="0.0.0.0/0")
    resource("main", "MainRouteTableAssociation", routeTableId=private.id, vpcId=vpc.id)
    subnets = []
    for subnet in given.subnets:
        zone, is_public = subnet.availabilityZone, subnet.type == "public"
        made = resource(
            f"subnet-{zone}-{subnet.type}",
            "Subnet",
            vpcId=vpc.id,
            availabilityZone=zone,
            cidrBlock=subnet.cidrBlock,
            mapPublicIpOnLaunch=is_public,
            tags=named(f"{subnet.type}-{zone[-1]}"),
        )
        ctx.resources[f"subnet-{zone}-{subnet.type}"].metadata.labels["access"] = subnet.type
        routes = public if is_public else private
        resource(f"routes-{zone}-{subnet.type}", "RouteTableAssociation", subnetId=made.id, routeTableId=routes.id)
        subnets.append(made.id)
        if is_public:
            address = resource(f"address-{zone}", "EIP", domain="vpc", tags=named(zone))
            resource(f"nat-{zone}", "NATGateway", subnetId=made.id, allocationId=address.id, tags=named(zone))
    group = resource(
        "group", "SecurityGroup", vpcId=vpc.id, name=f"{given.id}-databases", description=f"Databases of {given.id}"
    )
    for database in given.databases:
        port = PORTS[database]
        resource(
            f"rule-{database}",
            "SecurityGroupRule",
            type="ingress",
            fromPort=port,
            toPort=port,
            protocol="tcp",
            cidrBlocks=[given.vpcCidrBlock],
            description=f"to {database}",
            securityGroupId=group.id,
        )
    if given.endpoint:
        resource("endpoint", "VPCEndpoint", vpcId=vpc.id, serviceName=f"com.amazonaws.{given.region}.s3")
    xr.status.vpcId = vpc.id
    xr.status.subnetIds = subnets
    xr.status.securityGroupIds = [group.id]


def truth() -> Iterator[tuple[str, str, set[str], set[str]]]:
    """Yield each field: its resource, its path, the parameters and the observed values that it is made from."""
    for name, fields in _resources().items():
        common = {
            f'metadata.labels["{LABEL}"]': f"{P}.id",
            "spec.deletionPolicy": f"{P}.deletionPolicy",
            "spec.providerConfigRef.name": f"{P}.providerConfigName",
            "spec.forProvider.region": f"{P}.region",
        }
        inner = {path if "." in path else f"spec.forProvider.{path}": made for path, made in fields.items()}
        for path, sources in {**common, **inner}.items():
            every = set(sources.split())
            yield name, path, {one for one in every if one.startswith(P)}, {f for f in every if not f.startswith(P)}
    yield "xr", "status.vpcId", set(), {"vpc.status.atProvider.id"}
    for number, (zone, type_) in enumerate(_subnets()):
        yield "xr", f"status.subnetIds[{number}]", set(), {f"subnet-{zone}-{type_}.status.atProvider.id"}
    yield "xr", "status.securityGroupIds[0]", set(), {"group.status.atProvider.id"}


def _subnets() -> list[tuple[str, str]]:
    return [(one["availabilityZone"], one["type"]) for one in XR["spec"]["parameters"]["subnets"]]


def _resources() -> dict[str, dict[str, str]]:
    name, vpc = "spec.forProvider.tags.Name", "vpc.status.atProvider.id"
    found: dict[str, dict[str, str]] = {
        "vpc": {
            **{"cidrBlock": f"{P}.vpcCidrBlock", "enableDnsHostnames": "", "instanceTenancy": f"{P}.tenancy"},
            **{name: f"{P}.id", "spec.forProvider.tags.Owner": f"{P}.description {P}.region"},
        },
        "gateway": {"vpcId": vpc, name: f"{P}.id"},
        "routes-public": {"vpcId": vpc, name: f"{P}.id"},
        "routes-private": {"vpcId": vpc, name: f"{P}.id"},
        "default-public": {
            **{"routeTableId": "routes-public.status.atProvider.id", "gatewayId": "gateway.status.atProvider.id"},
            "destinationCidrBlock": "",
        },
        "main": {"routeTableId": "routes-private.status.atProvider.id", "vpcId": vpc},
        "group": {"vpcId": vpc, "name": f"{P}.id", "description": f"{P}.id"},
        "endpoint": {"vpcId": vpc, "serviceName": f"{P}.region"},
    }
    for number, (zone, type_) in enumerate(_subnets()):
        at = f"{P}.subnets[{number}]"
        found[f"subnet-{zone}-{type_}"] = {
            **{"vpcId": vpc, "availabilityZone": f"{at}.availabilityZone", "cidrBlock": f"{at}.cidrBlock"},
            **{"mapPublicIpOnLaunch": f"{at}.type", "metadata.labels.access": f"{at}.type"},
            name: f"{P}.id {at}.type {at}.availabilityZone",
        }
        subnet = f"subnet-{zone}-{type_}.status.atProvider.id"
        found[f"routes-{zone}-{type_}"] = {
            **{"subnetId": subnet, "routeTableId": f"routes-{type_}.status.atProvider.id {at}.type"},
        }
        if type_ == "public":
            found[f"address-{zone}"] = {"domain": "", name: f"{P}.id {at}.availabilityZone"}
            found[f"nat-{zone}"] = {
                **{"subnetId": subnet, "allocationId": f"address-{zone}.status.atProvider.id"},
                name: f"{P}.id {at}.availabilityZone",
            }
    for number, database in enumerate(XR["spec"]["parameters"]["databases"]):
        at = f"{P}.databases[{number}]"
        found[f"rule-{database}"] = {
            **{"type": "", "protocol": "", "fromPort": at, "toPort": at, "description": at},
            **{"spec.forProvider.cidrBlocks[0]": f"{P}.vpcCidrBlock"},
            "securityGroupId": "group.status.atProvider.id",
        }
    return found

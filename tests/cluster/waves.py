"""A platform of 42 resources in six waves, each of which needs what the waves before it report."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from crossplane_lite import Unstructured, composition
from crossplane_lite.table import load

__all__ = ["COUNT", "compose"]

COUNT: Final = 42
_EC2: Final = "ec2.aws.m.upbound.io/v1beta1"
_REGION: Final = "eu-central-1"
_KINDS: Final = (
    "VPC",
    "Subnet",
    "RouteTable",
    "InternetGateway",
    "SecurityGroup",
    "RouteTableAssociation",
    "EIP",
    "NATGateway",
    "Route",
)
_model, _ = load(
    f"{__name__}.models",
    {
        **dict.fromkeys(_KINDS, f"@{_EC2} metadata:meta.ObjectMeta spec:Spec status:Status"),
        "Spec": "forProvider:Parameters",
        "Parameters": "region:s cidrBlock:s vpcId:s subnetId:s routeTableId:s gatewayId:s natGatewayId:s "
        "allocationId:s destinationCidrBlock:s domain:s name:s description:s tags:{s",
        "Status": "atProvider:Observation conditions:[meta.Condition#type",
        "Observation": "id:s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)


def _new(kind: str) -> Any:
    return _model(kind)() if os.environ.get("TYPED") else Unstructured(_EC2, kind)


@composition.function(name="platform", auto_ready=True)
def compose(ctx: composition.Context) -> None:
    """Compose the platform: references, texts, conditions, loops over what exists, and a status."""
    xr = ctx.composite(Unstructured)
    text = xr.observed.spec.text or "none"

    def make(name: str, kind: str, /, **fields: Any) -> Any:
        one = ctx.resource(name, _new(kind))
        one.spec.forProvider = {"region": _REGION, **fields}
        return one.observed.status.atProvider.id

    vpc = make("vpc", "VPC", cidrBlock="10.0.0.0/16", tags={"text": text})
    table = _network(make, vpc)
    subnets = [make(f"subnet-{at}", "Subnet", vpcId=vpc, cidrBlock=f"10.0.{at}.0/24") for at in range(8)]
    for at, subnet in enumerate(subnets):
        make(f"association-{at}", "RouteTableAssociation", subnetId=subnet, routeTableId=table)
    if all(subnets):
        xr.status.subnets = subnets
    xr.status.vpcId = vpc
    routes = [_way_out(make, vpc, subnets[at], at) for at in range(3)]
    if all(routes):
        for at in range(8):
            make(f"marker-{at}", "EIP", domain="vpc", tags={"text": text, "route": f"route/{routes[at % 3]}"})


def _network(make: Callable[..., Any], vpc: Any) -> Any:
    gateway = make("gateway", "InternetGateway", vpcId=vpc)
    table = make("table", "RouteTable", vpcId=vpc, tags={"net": f"net-{vpc}"})
    make("public", "Route", routeTableId=table, gatewayId=gateway, destinationCidrBlock="0.0.0.0/0")
    make("web", "SecurityGroup", vpcId=vpc, name="web", description=vpc or "unset")
    if vpc:
        make("db", "SecurityGroup", vpcId=vpc, name="db", description="db", tags={"net": f"{vpc}"[-8:]})
    return table


def _way_out(make: Callable[..., Any], vpc: Any, subnet: Any, at: int) -> Any:
    private = make(f"private-{at}", "RouteTable", vpcId=vpc)
    address = make(f"address-{at}", "EIP", domain="vpc", tags={"subnet": subnet})
    nat = make(f"nat-{at}", "NATGateway", allocationId=address, subnetId=subnet)
    return make(f"route-{at}", "Route", routeTableId=private, natGatewayId=nat, destinationCidrBlock=f"10.{at}.0.0/16")

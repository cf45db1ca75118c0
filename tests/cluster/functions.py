"""The functions that scenarios run: each asks one question. Kinds without a namespace are those of the examples."""

from __future__ import annotations

import datetime
import os

from crossplane_lite import Unstructured, composition
from crossplane_lite.composition import ResourceSelector, SchemaSelector

EC2 = "ec2.aws.m.upbound.io/v1beta1"
REGION = "eu-central-1"
RELEASE = os.environ.get("RELEASE", "1")


def _vpc(ctx: composition.Context, name: str = "vpc", **more: str) -> Unstructured:
    vpc = ctx.resource(name, Unstructured(EC2, "VPC"))
    vpc.spec.forProvider = {"region": REGION, "cidrBlock": "10.0.0.0/16", **more}
    return vpc


def _subnet(ctx: composition.Context, name: str, vpc: Unstructured, **policy: str) -> Unstructured:
    subnet = ctx.resource(name, Unstructured(EC2, "Subnet"), **policy)  # type: ignore[arg-type]
    vpc_id = vpc.observed.status.atProvider.id
    subnet.spec.forProvider = {"region": REGION, "vpcId": vpc_id, "cidrBlock": "10.0.0.0/20"}
    return subnet


@composition.function(name="guess", auto_ready=True)
def guess(ctx: composition.Context) -> None:
    """Composes as platform teams write: an `if`, a loop, a cut text and a gate over what the provider reports."""
    xr = ctx.composite(Unstructured)
    vpc = _vpc(ctx)
    vpc_id = vpc.observed.status.atProvider.id
    if vpc_id:
        subnet = _subnet(ctx, "subnet", vpc)
        xr.status.subnets = [subnet.observed.status.atProvider.id]
    table = ctx.resource("table", Unstructured(EC2, "RouteTable"))
    table.spec.forProvider = {"region": REGION, "vpcId": vpc_id, "tags": {"short": f"{vpc_id}"[-6:]}}
    for name, description in sorted(dict(xr.observed.spec.groups).items()):
        group = ctx.resource(f"group-{name}", Unstructured(EC2, "SecurityGroup"))
        group.spec.forProvider = {"region": REGION, "vpcId": vpc_id, "name": name, "description": description}
    if vpc.observed.condition("Ready").status == "True":
        gateway = ctx.resource("gateway", Unstructured(EC2, "InternetGateway"))
        gateway.spec.forProvider = {"region": REGION, "vpcId": vpc_id}
    xr.status.vpcId = vpc_id


@composition.function(name="small", auto_ready=True)
def small(ctx: composition.Context) -> None:
    """Composes a VPC and a subnet that waits for it."""
    vpc = _vpc(ctx)
    _subnet(ctx, "subnet", vpc)
    ctx.composite(Unstructured).status.vpcId = vpc.observed.status.atProvider.id


@composition.function(name="forever", auto_ready=True)
def forever(ctx: composition.Context) -> None:
    """Waits for values that never come: one that a field needs, and one that an `if` asks for."""
    vpc = _vpc(ctx)
    _subnet(ctx, "subnet", vpc)
    group = ctx.resource("group", Unstructured(EC2, "SecurityGroup"))
    group.spec.forProvider = {"region": REGION, "vpcId": vpc.observed.status.atProvider.neverThere}
    if vpc.observed.status.atProvider.neverThereEither:
        _subnet(ctx, "other", vpc)


@composition.function(name="rename", auto_ready=True)
def rename(ctx: composition.Context) -> None:
    """Calls the VPC "network" in later releases: without a word in release 2, with its former name in release 3."""
    name = "vpc" if RELEASE == "1" else "network"
    former = {"formerly": ["vpc"]} if RELEASE == "3" else {}
    vpc = ctx.resource(name, Unstructured(EC2, "VPC"), **former)  # type: ignore[arg-type]
    vpc.spec.forProvider = {"region": REGION, "cidrBlock": "10.0.0.0/16"}
    _subnet(ctx, "subnet", vpc)


@composition.function(name="policies", auto_ready=True)
def policies(ctx: composition.Context) -> None:
    """Composes a subnet for each policy in the composite's spec."""
    vpc = _vpc(ctx)
    for policy in ctx.composite(Unstructured).observed.spec.policies:
        _subnet(ctx, policy, vpc, on_unresolved=policy)


@composition.function(name="usages", auto_ready=True, usages=True)
def usages(ctx: composition.Context) -> None:
    """Keeps the order of deletion by Usages."""
    vpc = _vpc(ctx)
    subnet = _subnet(ctx, "subnet", vpc)
    address = ctx.resource("address", Unstructured(EC2, "EIP"))
    address.spec.forProvider = {"region": REGION, "domain": "vpc"}
    nat = ctx.resource("nat", Unstructured(EC2, "NATGateway"))
    nat.spec.forProvider = {
        "region": REGION,
        "subnetId": subnet.observed.status.atProvider.id,
        "allocationId": address.observed.status.atProvider.allocationId,
    }


@composition.function(name="legacy", auto_ready=True)
def legacy(ctx: composition.Context) -> None:
    """Composes a database for a composite of Crossplane 1, which has connection details of its own."""
    xr = ctx.composite(Unstructured)
    database = ctx.resource("database", Unstructured("rds.aws.upbound.io/v1beta3", "Instance"))
    database.spec.forProvider = {
        "region": REGION,
        "engine": "postgres",
        "instanceClass": "db.t4g.medium",
        "allocatedStorage": 20,
        "username": "app",
    }
    database.spec.writeConnectionSecretToRef = {
        "namespace": "crossplane-system",
        "name": f"{xr.observed.metadata.name}-database",
    }
    details = database.observed.connection_details
    xr.connection_details["host"] = details["host"]
    xr.connection_details["url"] = f"postgres://app:{details['password']}@{details['host']}"
    xr.status.address = database.observed.status.atProvider.address


@composition.function(name="chain", auto_ready=True)
def chain(ctx: composition.Context) -> None:
    """Reads a ConfigMap whose data says which ConfigMap has the address range."""
    xr = ctx.composite(Unstructured)
    namespace = xr.observed.metadata.namespace

    def config_map(key: str, name: object) -> Unstructured:
        ctx.requirements.resources[key] = ResourceSelector(
            api_version="v1", kind="ConfigMap", match_name=name, namespace=namespace
        )
        return ctx.required_resources[key][0]

    first = config_map("first", "first")
    second = config_map("second", first.data["next"])
    _vpc(ctx, cidrBlock=second.data["cidr"])
    xr.status.cidr = second.data["cidr"]


@composition.function(name="status", auto_ready=True)
def status(ctx: composition.Context) -> None:
    """Sets a status field that the definition lacks (release 1), after it has asked for its schema (release 2)."""
    xr = ctx.composite(Unstructured)
    vpc = _vpc(ctx)
    if RELEASE != "1":
        ctx.requirements.schemas["xr"] = SchemaSelector(api_version="test.example.com/v1", kind="Misspelt")
    xr.status.vpcID = vpc.observed.status.atProvider.id


@composition.function(name="label")
def label(ctx: composition.Context) -> None:
    """Writes down in a ConfigMap that the Operation has run."""
    metadata = {"name": "note", "namespace": ctx.input["namespace"]}
    ctx.resource("note", Unstructured("v1", "ConfigMap", metadata=metadata)).data = {"ran": "yes"}


@composition.function(name="wide", auto_ready=True)
def wide(ctx: composition.Context) -> None:
    """Composes three waves: a VPC, then subnets and a route table, then what connects them."""
    vpc = _vpc(ctx)
    table = ctx.resource("table", Unstructured(EC2, "RouteTable"))
    table.spec.forProvider = {"region": REGION, "vpcId": vpc.observed.status.atProvider.id}
    for number in range(ctx.composite(Unstructured).observed.spec.count // 2 - 1):
        subnet = _subnet(ctx, f"subnet-{number}", vpc)
        connection = ctx.resource(f"connection-{number}", Unstructured(EC2, "RouteTableAssociation"))
        connection.spec.forProvider = {
            "region": REGION,
            "subnetId": subnet.observed.status.atProvider.id,
            "routeTableId": table.observed.status.atProvider.id,
        }
    if "TTL" in os.environ:
        ctx.ttl = datetime.timedelta(seconds=int(os.environ["TTL"]))

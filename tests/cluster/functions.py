"""The functions that scenarios run: each asks one question. Kinds without a namespace are those of the examples."""

from __future__ import annotations

import base64
import datetime
import hashlib
import ipaddress
import os
import secrets
from typing import Any

from crossplane_lite import Unstructured, apply, composition, value_or
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


@composition.function(name="nothing")
def nothing(ctx: composition.Context) -> None:
    """Composes nothing, so that several steps can run it."""


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


@composition.function(name="zones", auto_ready=True, usages=True)
def zones(ctx: composition.Context) -> None:
    """Composes three levels that need each other in each zone: the VPC, a subnet, and a gateway with its address."""
    spec = ctx.composite(Unstructured).observed.spec
    if not spec.text:
        _address(ctx, "alone")
        return
    vpc = _vpc(ctx)
    vpc.spec.forProvider.tags = {"text": spec.text}
    for zone in spec.zones:
        subnet = _subnet(ctx, f"subnet-{zone}", vpc)
        address = _address(ctx, f"address-{zone}")
        nat = ctx.resource(f"nat-{zone}", Unstructured(EC2, "NATGateway"))
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


def _address(ctx: composition.Context, name: str, **tags: str) -> Unstructured:
    """Compose a thing that refers to no other."""
    address = ctx.resource(name, Unstructured(EC2, "EIP"))
    address.spec.forProvider = {"region": REGION, "domain": "vpc", "tags": tags}
    return address


def _zones(ctx: composition.Context, **tags: str) -> None:
    for zone in ctx.composite(Unstructured).observed.spec.zones:
        _address(ctx, f"zone-{zone}", **tags)


def _hash(value: object) -> str:
    return hashlib.sha256(str(value).encode()).hexdigest()[:8]


@composition.function(name="touched", auto_ready=True)
def touched(ctx: composition.Context) -> None:
    """Composes zones, and touches a value in all ways that leave no trace in what is composed while it is missing.

    `spec.asked` names the value, and `spec.more` says that there is something to compose with it.
    """
    spec = ctx.composite(Unstructured).observed.spec
    value: Any = getattr(_vpc(ctx).observed.status.atProvider, spec.asked)
    ctx.log.info("asked for %s", value)
    print(f"{value}", _hash(value), value is None, isinstance(value, str))
    length = len(value) + sum(1 for _ in value)
    if (value or length or value == "x") and spec.more:
        _address(ctx, "more")
    _zones(ctx)


@composition.function(name="decided", auto_ready=True)
def decided(ctx: composition.Context) -> None:
    """Lets the VPC's id decide what there is, and what is in it; the VPC's own name is in `spec.owner`."""
    xr = ctx.composite(Unstructured)
    spec = xr.observed.spec
    if spec.fatal:
        raise ValueError("no")
    vpc = _vpc(ctx, spec.owner or "vpc")
    seen = vpc.observed.status.atProvider
    named = ctx.resource("named", Unstructured(EC2, "SecurityGroup"))
    named.spec.forProvider = {"region": REGION, "name": seen.id or "unset", "description": spec.text or "none"}
    if seen.id:
        _zones(ctx, text=spec.text or "none")
    if spec.broken:
        ctx.resource("broken", Unstructured("test.example.com/v9", "Nothing"))
    xr.status.vpcId = seen.id


@composition.function(name="born", auto_ready=True)
def born(ctx: composition.Context) -> None:
    """Composes a thing with a default in place of a value that comes, and of one that never comes."""
    seen = _vpc(ctx).observed.status.atProvider
    named = ctx.resource("named", Unstructured(EC2, "SecurityGroup"))
    named.spec.forProvider = {"region": REGION, "name": seen.domain or seen.id or "unset"}


@composition.function(name="referred", auto_ready=True)
def referred(ctx: composition.Context) -> None:
    """Composes a subnet for each zone, which has the VPC's id as a reference and in a text."""
    vpc = _vpc(ctx)
    for zone in ctx.composite(Unstructured).observed.spec.zones:
        subnet = _subnet(ctx, f"zone-{zone}", vpc)
        subnet.spec.forProvider.tags = {"net": f"net-{vpc.observed.status.atProvider.id}"}


@composition.function(name="hashed", auto_ready=True)
def hashed(ctx: composition.Context) -> None:
    """Composes a thing with a hash of the VPC's id, and zones that nothing decides; the VPC has the spec's text."""
    vpc = _vpc(ctx)
    vpc.spec.forProvider.tags = {"text": ctx.composite(Unstructured).observed.spec.text or "none"}
    _address(ctx, "hashed", hash=_hash(vpc.observed.status.atProvider.id))
    _zones(ctx)


@composition.function(name="caught", auto_ready=True)
def caught(ctx: composition.Context) -> None:
    """Composes one thing for an address range, and another where there is none."""
    try:
        ipaddress.ip_network(_vpc(ctx).observed.status.atProvider.cidrBlock)
    except ValueError:
        _address(ctx, "fallback")
    else:
        _address(ctx, "main")


@composition.function(name="details", auto_ready=True)
def details(ctx: composition.Context) -> None:
    """Writes all connection details but the password into tags."""
    database = ctx.resource("database", Unstructured("rds.aws.m.upbound.io/v1beta1", "Instance"))
    database.spec.forProvider = {
        "region": REGION,
        "engine": "postgres",
        "instanceClass": "db.t4g.medium",
        "allocatedStorage": 20,
        "username": "app",
    }
    database.spec.writeConnectionSecretToRef.name = f"{ctx.composite(Unstructured).observed.metadata.name}-database"
    found = dict(database.observed.connection_details)
    found.pop("password", None)
    _address(ctx, "tagged", **found)


@composition.function(name="upgraded", auto_ready=True)
def upgraded(ctx: composition.Context) -> None:
    """Asks in release 2 for a value that never comes."""
    seen = _vpc(ctx).observed.status.atProvider
    if RELEASE == "2":
        print(_hash(seen.neverThere))
    _zones(ctx)


@composition.function(name="said", auto_ready=True)
def said(ctx: composition.Context) -> None:
    """Says which absence is meant: that of the text, and that of the zone which `spec.removed` names."""
    seen = _vpc(ctx).observed.status.atProvider
    _address(ctx, "text", owner=value_or(seen.ownerId, "none"))
    if seen.id:
        _zones(ctx)
    if ctx.composite(Unstructured).observed.spec.removed:
        ctx.remove("zone-b")


@composition.function(name="allowed", auto_ready=True, protect=False)
def allowed(ctx: composition.Context) -> None:
    """Lets zones go with the value that decides them."""
    if _vpc(ctx).observed.status.atProvider.id:
        _zones(ctx)


@composition.function(name="normal", auto_ready=True)
def normal(ctx: composition.Context) -> None:
    """Composes a Deployment with a quantity that API servers write in another way, and zones that nothing decides."""
    seen = _vpc(ctx).observed.status.atProvider
    deployment = ctx.resource("deployment", Unstructured("apps/v1", "Deployment"))
    cpu = "1000m" if seen.id else "500m"
    container = {"name": "web", "image": "web", "resources": {"requests": {"cpu": cpu}}}
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    deployment.spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    deployment.ready = True  # nothing here runs pods
    print(_hash(seen.ownerId))
    _zones(ctx)


@composition.function(name="tells")
def tells(ctx: composition.Context) -> None:
    """Composes the VPC, and tells the next step its id, if `spec.stop` doesn't stop it."""
    if ctx.composite(Unstructured).observed.spec.stop:
        raise ValueError("stopped")
    ctx.context["example.com/vpc"] = _vpc(ctx).observed.status.atProvider.id


@composition.function(name="told", auto_ready=True)
def told(ctx: composition.Context) -> None:
    """Composes zones as soon as the step before has told the id."""
    if ctx.context["example.com/vpc"]:
        _zones(ctx)


@composition.function(name="told-by-any", auto_ready=True)
def told_by_any(ctx: composition.Context) -> None:
    """Composes zones as soon as a step before, which may be made with any SDK, has told the id."""
    if ctx.context.get("example.com/vpc"):
        _zones(ctx)


@composition.function(name="adopted", auto_ready=True)
def adopted(ctx: composition.Context) -> None:
    """Composes by an `if`, by a name with a hash, by a list in a status and by a field, and tells the next step the id.

    `official.py` and `pythonic.py` compose the same.
    """
    xr = ctx.composite(Unstructured)
    vpc = _vpc(ctx)
    seen = vpc.observed.status.atProvider
    if seen.id:
        _address(ctx, "decided", net=seen.id)
    _address(ctx, f"hashed-{_hash(seen.id)}")
    blocks = ctx.resource("blocks", Unstructured(EC2, "ManagedPrefixList"))
    blocks.spec.forProvider = {
        "region": REGION,
        "name": "blocks",
        "addressFamily": "IPv4",
        "maxEntries": 8,
        "entry": [{"cidr": block, "description": "private"} for block in xr.observed.spec.blocks],
    }
    for entry in blocks.observed.status.atProvider.entry:
        _address(ctx, f"listed-{_hash(entry.cidr)}")
    _subnet(ctx, "subnet", vpc)
    xr.status.vpcId = seen.id
    ctx.context["example.com/vpc"] = seen.id


def _new_password() -> str:
    return base64.b64encode(secrets.token_bytes(24)).decode()


@composition.function(name="made", auto_ready=True)
def made(ctx: composition.Context) -> None:
    """Composes a Secret with a password that is made once, and an address that has its hash."""
    secret = ctx.resource("password", Unstructured("v1", "Secret"))
    password = ctx.once(secret.observed.data["password"], _new_password)
    secret.data = {"password": password}
    _address(ctx, "user", hash=apply(_hash, password))


def forgetful(req: Any, rsp: Any) -> None:
    """Is `made`, but gets no Secret while the composite's spec says so."""
    if "lost" in req.observed.composite.resource["spec"]:
        del req.observed.resources["password"]
    rsp.MergeFromString(made.run(req.SerializeToString()))

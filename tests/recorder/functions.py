"""Versions of a function for the tests of replay."""

from __future__ import annotations

from typing import Any

from crossplane_lite import Unstructured, composition, resource, response

__all__ = [
    "backup",
    "careless_function",
    "defaults_function",
    "fails",
    "first",
    "moved",
    "needs",
    "other_backup",
    "repeats",
    "sized",
    "slower",
    "strict_function",
    "tells",
    "waits",
]

NAME = "network"


def thing(kind: str = "Thing", **fields: object) -> Unstructured:
    """Return a resource."""
    made = Unstructured("example.org/v1", kind)
    made.spec = {"forProvider": fields}
    return made


def _vpc(ctx: composition.Context) -> Any:
    return ctx.resource("vpc", thing("VPC", size=ctx.composite(Unstructured).observed.spec.size))


def _zones(ctx: composition.Context, *names: str) -> None:
    vpc = _vpc(ctx)
    for name in names or ctx.composite(Unstructured).observed.spec.zones:
        ctx.resource(f"subnet-{name}", thing("Subnet", vpcId=vpc.observed.status.id, zone=name))
    ctx.composite(Unstructured).status.vpc = vpc.observed.status.id


@composition.function(name=NAME)
def first(ctx: composition.Context) -> None:
    """A VPC, and a subnet for each zone."""
    _zones(ctx)


@composition.function(name=NAME)
def sized(ctx: composition.Context) -> None:
    """The same, and each VPC has another size."""
    _zones(ctx)
    ctx.resources["vpc"].spec.forProvider = {"size": "large"}


@composition.function(name=NAME)
def moved(ctx: composition.Context) -> None:
    """The same without the subnet of zone c, where there is one."""
    _zones(ctx, *(zone for zone in ctx.composite(Unstructured).observed.spec.zones if zone != "c"))


@composition.function(name=NAME)
def fails(ctx: composition.Context) -> None:
    """The same, but it fails for a composite with a zone c."""
    if "c" in ctx.composite(Unstructured).observed.spec.zones:
        raise ValueError("there is no zone c")
    _zones(ctx)


@composition.function(name=NAME)
def waits(ctx: composition.Context) -> None:
    """The same, and subnets need a value of the VPC that never comes."""
    vpc = _vpc(ctx)
    for name in ctx.composite(Unstructured).observed.spec.zones:
        ctx.resource(
            f"subnet-{name}", thing("Subnet", vpcId=vpc.observed.status.id, zone=name, more=vpc.observed.status.never)
        )
    ctx.composite(Unstructured).status.vpc = vpc.observed.status.id


@composition.function(name=NAME)
def needs(ctx: composition.Context) -> None:
    """The VPC, and a resource for each one that is required."""
    ctx.requirements.resources["given"] = composition.ResourceSelector(
        api_version="example.org/v1", kind="Given", match_labels={"for": "network"}
    )
    _vpc(ctx)
    for one in ctx.required_resources.get("given"):
        ctx.resource(f"copy-{one.metadata.name}", thing("Copy", text=one.spec.text))


@composition.function(name=NAME)
def slower(ctx: composition.Context) -> None:
    """Requires something else than `needs`."""
    ctx.requirements.resources["other"] = composition.ResourceSelector(
        api_version="example.org/v1", kind="Other", match_name="one"
    )
    _vpc(ctx)


@composition.function(name=NAME)
def repeats(ctx: composition.Context) -> None:
    """Writes a credential into a resource."""
    ctx.resource("copy", thing("Copy", text=ctx.credentials["aws"]["key"].decode()))


@composition.function(name=NAME)
def tells(ctx: composition.Context) -> None:
    """Writes something of all that a request can have into a resource."""
    ctx.requirements.resources["given"] = composition.ResourceSelector(
        api_version="example.org/v1", kind="Given", match_labels={"for": "network"}
    )
    for one in ctx.required_resources.get("given"):
        parts = [one.spec.text, ctx.input["text"], ctx.context["example.org/c"]["x"]]
        parts.append(ctx.credentials["aws"]["key"].decode())
        ctx.resource("told", thing("Told", text=" ".join(map(str, parts))))


@composition.function(name=NAME)
def backup(ctx: composition.Context) -> None:
    """Copies what an Operation watches."""
    _backup(ctx, "copy")


@composition.function(name=NAME)
def other_backup(ctx: composition.Context) -> None:
    """The same, under another name."""
    _backup(ctx, "other")


def _backup(ctx: composition.Context, name: str) -> None:
    watched = ctx.watched
    assert watched is not None
    copied = ctx.resource(name, thing("Copy", text=watched.spec.text))
    copied.metadata.name = f"{watched.metadata.name}-{name}"
    ctx.output["copied"] = watched.metadata.name


class _Messages:
    """A function of messages, which composes subnets as soon as the VPC has an id.

    Args:
        without: What it composes without an id: `nothing`; `unset` in its place; `fail` for a Fatal result.
    """

    def __init__(self, without: str = "nothing") -> None:
        self._without = without

    def RunFunction(self, request: Any, _: Any) -> Any:
        """Answer a request."""
        answer = response.to(request)
        xr = resource.struct_to_dict(request.observed.composite.resource)
        vpc = {"apiVersion": "example.org/v1", "kind": "VPC", "spec": {"text": ""}}
        resource.update(answer.desired.resources["vpc"], vpc)
        observed = request.observed.resources
        seen = resource.struct_to_dict(observed["vpc"].resource) if "vpc" in observed else {}
        vpc_id = seen.get("status", {}).get("id") or ("unset" if self._without == "unset" else "")
        if not vpc_id and self._without == "fail" and len(observed) > 1:
            response.fatal(answer, "there is no id")
        for zone in xr["spec"]["zones"] if vpc_id else ():
            one = {"apiVersion": "example.org/v1", "kind": "Subnet", "spec": {"vpcId": vpc_id}}
            resource.update(answer.desired.resources[f"subnet-{zone}"], one)
        return answer


careless_function = _Messages()
defaults_function = _Messages("unset")
strict_function = _Messages("fail")

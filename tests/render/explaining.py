"""Functions whose fields tests ask about. A line's number is found by its text."""

from __future__ import annotations

import hashlib
import uuid
from pathlib import Path
from typing import Any

from crossplane_lite import Unstructured, composition, value_or
from examples.vpc.model.io.upbound.aws.ec2.subnet import v1beta1 as subnet

__all__ = ["at", "chain", "first", "late", "many", "raw", "second", "styles"]

SIZES = {"small": 1, "large": 8}
RANDOM = uuid.uuid4  # by another name, which `check` doesn't know


def at(text: str) -> str:
    """Return the place of the one line in this file that ends with a text."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.endswith(text)]
    return f"explaining.py:{number}"


@composition.function(name="styles")
def styles(ctx: composition.Context) -> None:
    """Set fields in many ways."""
    spec = ctx.composite(Unstructured).observed.spec
    region = spec.region
    print("said once")
    made = Unstructured("example.org/v1", "Thing")
    made.spec.constant = 3  # constant
    made.spec.direct = region  # direct
    made.spec.text = f"{region}-{spec.team}"  # text
    made.spec.hash = hashlib.sha256(str(spec.team).encode()).hexdigest()[:8]  # hash
    made.spec.default = spec.flavour or "vanilla"  # default
    made.spec.looked_up = SIZES[spec.size]  # looked up
    made.spec.level = ctx.input["level"]  # input
    made.spec.random = str(RANDOM())  # random
    made.metadata.labels = {"team": spec.team}  # labels
    made.spec.zones = []  # zones
    for zone in spec.zones:
        made.spec.zones.append(zone)  # a zone
    made.spec.token = ctx.credentials["cloud"]["token"].decode()  # token
    made.spec.nested = {"deep": [{"a": region}]}  # nested
    ctx.resource("thing", made)  # registered
    if spec.replica:
        ctx.resource("replica", Unstructured("example.org/v1", "Thing", spec={"a": 1}))


@composition.function(name="chain")
def chain(ctx: composition.Context) -> None:
    """Have one resource wait for another, which waits for a third."""
    xr = ctx.composite(Unstructured)
    network = ctx.resource("network", Unstructured("example.org/v1", "Network"))
    part = ctx.resource("part", Unstructured("example.org/v1", "Part"))
    part.spec.network = network.observed.status.id  # of the network
    xr.status.part = part.observed.status.id  # of the part
    last = ctx.resource("last", Unstructured("example.org/v1", "Last"))
    last.spec.text = f"part {xr.observed.status.part}"  # of the composite
    last.spec.size = value_or(network.observed.spec.size, 1)  # settles


@composition.function(name="first")
def first(ctx: composition.Context) -> None:
    """Desire a resource and put a key into the context."""
    made = Unstructured("example.org/v1", "Thing")
    made.spec.mine = ctx.composite(Unstructured).observed.spec.region  # of the first step
    made.spec.both = "first"
    ctx.resource("shared", made)
    ctx.context["told"] = {"zone": "a"}


@composition.function(name="second")
def second(ctx: composition.Context) -> None:
    """Set another field of the same resource, from the context and from what is desired."""
    shared = ctx.resource("shared", Unstructured("example.org/v1", "Thing"))
    shared.spec.both = f"{ctx.context['told']['zone']}"  # of the second step
    other = ctx.resource("other", Unstructured("example.org/v1", "Thing"))
    other.spec.copy = ctx.desired["shared"].spec.mine  # copied


@composition.function(name="late")
def late(ctx: composition.Context) -> None:
    """Change a plain dict after it was set, and use one constructor with arguments on lines of their own."""
    xr = ctx.composite(Unstructured)
    made = ctx.resource("late", subnet.Subnet())
    made.spec.forProvider = subnet.ForProvider(
        region=xr.observed.spec.region,  # an argument
        tags={"a": "1"},  # tags
    )
    made.spec.forProvider.tags["b"] = "2"  # one more tag
    made.spec.forProvider.cidrBlock = "10.0.0.0/24"  # assigned
    made.metadata.annotations["note"] = "x"  # annotated


@composition.function(name="many")
def many(ctx: composition.Context) -> None:
    """Read more values than are tried."""
    spec = ctx.composite(Unstructured).observed.spec
    made = ctx.resource("many", Unstructured("example.org/v1", "Thing"))
    made.spec.total = sum(spec.numbers)  # total
    made.spec.constant = 1  # beside it


class raw:
    """A function that handles raw messages."""

    def RunFunction(self, request: Any, _context: Any) -> Any:
        """Desire one resource."""
        from crossplane_lite import resource, response

        answer = response.to(request)
        spec = resource.struct_to_dict(request.observed.composite.resource)["spec"]
        answer.desired.resources["raw"].resource.update(
            {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"region": spec["region"], "constant": 1}}
        )
        return answer

"""Functions that the tests of the command name."""

from __future__ import annotations

from typing import Any

from crossplane_lite import Unstructured, composition, value_or
from tests.simulate import simulating

__all__ = ["broken", "chain", "choosy", "cyclic", "forgetful", "network", "plain", "silent", "wide"]

chain = composition.function(name="chain", auto_ready=True)(simulating.chain)
silent = composition.function(name="silent")(simulating.chain)
network = composition.function(name="network", auto_ready=True)(simulating.network)


@composition.function(name="tests.simulate.functions.cyclic")
def cyclic(ctx: Any) -> None:
    """Two resources that wait for each other."""
    a, b = (ctx.resource(name, simulating.thing()) for name in "ab")
    a.spec.forProvider.x = b.observed.external_name
    b.spec.forProvider.x = a.observed.external_name


@composition.function(name="tests.simulate.functions.broken")
def broken(ctx: Any) -> None:
    """Fails once its VPC has an id, after a warning."""
    vpc = ctx.resource("vpc", simulating.thing("VPC"))
    ctx.resource("user", simulating.thing(x=vpc.observed.status.atProvider.id))
    ctx.results.warning("nearly there")
    if vpc.observed.status.atProvider.id:
        raise ValueError("no more")


@composition.function(name="tests.simulate.functions.choosy", auto_ready=True)
def choosy(ctx: Any) -> None:
    """Composes one thing or the other, by a value of its VPC that nothing is made of."""
    vpc = ctx.resource("vpc", simulating.thing("VPC"))
    is_default = value_or(vpc.observed.status.atProvider.isDefault, False)
    ctx.resource("default" if is_default else "own", simulating.thing())


@composition.function(name="tests.simulate.functions.wide", auto_ready=True)
def wide(ctx: Any) -> None:
    """Twenty resources that need the same."""
    vpc = ctx.resource("vpc", simulating.thing("VPC"))
    for number in range(20):
        ctx.resource(f"user-{number:02}", simulating.thing(x=vpc.observed.external_name))


@composition.function(name="tests.simulate.functions.forgetful", auto_ready=True, protect=False)
def forgetful(ctx: Any) -> None:
    """Composes a user only while its VPC has an id."""
    vpc = ctx.resource("vpc", simulating.thing("VPC"))
    if vpc.observed.status.atProvider.id:
        ctx.resource("user", simulating.thing(x=vpc.observed.status.atProvider.id))
    ctx.composite(Unstructured).status.id = vpc.observed.status.atProvider.id


@composition.function(name="tests.simulate.functions.plain", auto_ready=True)
def plain(ctx: Any) -> None:
    """Composes a thing, and a silo whose kind has no status."""
    ctx.resource("thing", simulating.thing())
    ctx.resource("silo", Unstructured("example.org/v1", "Silo"))

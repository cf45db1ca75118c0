"""Asserting in which order resources appear."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite.errors import InputError, UsageError

XR = {"apiVersion": "example.org/v1", "kind": "XNet", "metadata": {"name": "net"}}
WAVES = [["vpc"], ["subnet-a", "subnet-b"], ["database"]]


@composition.function(name="net")
def compose(ctx: composition.Context) -> None:
    """A VPC, two subnets in it, and a database that needs both."""
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
    subnets = []
    for zone in "ab":
        subnet = ctx.resource(f"subnet-{zone}", Unstructured("example.org/v1", "Subnet"))
        subnet.spec.vpcId = vpc.observed.status.vpcId
        subnets.append(subnet)
    database = ctx.resource("database", Unstructured("example.org/v1", "Database"))
    database.spec.subnetIds = [subnet.observed.status.subnetId for subnet in subnets]


def failure(simulation: testing.Simulation, waves: Any, **kwargs: Any) -> list[str]:
    """Return the lines with which the assertion fails."""
    with pytest.raises(AssertionError) as caught:
        testing.assert_waves(simulation, waves, **kwargs)
    return str(caught.value).splitlines()


def test_as_expected() -> None:
    """The names of a wave may come in any order and as any collection."""
    simulation = testing.simulate(XR, compose)
    testing.assert_waves(simulation, WAVES)
    testing.assert_waves(simulation, [("vpc",), {"subnet-b", "subnet-a"}, ["database"]])


def test_difference() -> None:
    """Both sides are shown wave by wave, and what came late says what it waited for."""
    simulation = testing.simulate(XR, compose)
    assert failure(simulation, [["vpc", "database"], ["subnet-a", "subnet-b"]]) == [
        "the waves differ (- expected, + simulated):",
        "  - wave 1: database, vpc",
        "  + wave 1: vpc",
        "    wave 2: subnet-a, subnet-b",
        "  + wave 3: database",
        "  database has waited for subnet-a.status.subnetId, subnet-b.status.subnetId",
    ]
    assert failure(simulation, [*WAVES, ["cluster"]])[-1] == "  - wave 4: cluster"
    assert failure(simulation, [["vpc"], [], *WAVES[1:]])[2] == "  - wave 2: (nothing new)"


def test_what_never_resolves() -> None:
    """What is left waiting fails unless it is expected, and then it must be left waiting."""
    simulation = testing.simulate(XR, compose, fixtures={"subnet-b": {"status": {"subnetId": None}}})
    lines = failure(simulation, WAVES[:2])
    assert len(lines) == 1
    assert lines[0].startswith("database is left waiting for subnet-b.status.subnetId")
    testing.assert_waves(simulation, WAVES[:2], unresolved=["database"])
    assert failure(simulation, WAVES[:2], unresolved=["database", "vpc"]) == [
        "vpc was expected to be left waiting, and isn't"
    ]


def test_not_stable() -> None:
    """A simulation that didn't come to an end fails with the reason, although its waves are the expected ones."""
    simulation = testing.simulate(XR, compose, most_rounds=3)
    assert failure(simulation, WAVES)[-1].startswith("the simulation isn't stable after 3 rounds")


def test_steady_state() -> None:
    """A simulation can be asked further: what a loss would do."""
    simulation = testing.simulate(XR, compose)
    assert simulation.degrade("vpc", "status.vpcId").rendered.deleted == {}
    with pytest.raises(InputError, match="there is no resource 'x' in the steady state"):
        simulation.drop("x")


@pytest.mark.parametrize("waves", ["vpc", ["vpc"], [[1]], [None]])
def test_errors(waves: Any) -> None:
    """What isn't a list of collections of names is refused before anything is compared."""
    with pytest.raises(UsageError, match=r"waves\[0\] must be a list of resource names"):
        testing.assert_waves(testing.simulate(XR, compose), waves)

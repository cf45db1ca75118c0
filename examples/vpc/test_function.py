"""Tests of the network, as its author would write them."""

from crossplane_lite import testing
from examples.vpc.function import compose

ZONES = "abc"
GIVEN = {"functions": {"function-network": compose}, "xrd": "xrd.yaml"}


def test_only_what_needs_nothing_is_composed_first(crossplane_folder):
    """One call with nothing there: the VPC and the addresses, and the rest is held back."""
    response = testing.run(compose, crossplane_folder.request("xr.yaml"))
    assert not response.fatal
    assert sorted(response.desired) == ["address-a", "address-b", "address-c", "vpc"]
    assert response.desired["vpc"]["spec"]["forProvider"]["cidrBlock"] == "10.20.0.0/16"
    assert len(response.held_back) == 26


def test_half_of_it(crossplane_folder, crossplane_snapshot):
    """One reconcile, as `crossplane-lite render` does it, is what was reviewed."""
    rendered = crossplane_folder.render(
        "xr.yaml", "composition.yaml", observed="observed/half.yaml", **GIVEN
    )
    assert not rendered.deleted
    crossplane_snapshot.check(rendered, "expected/half.yaml")


def test_the_order(crossplane_folder):
    """From nothing to the end: what appears when, and nothing is lost when the VPC's id is."""
    simulation = crossplane_folder.simulate(
        "xr.yaml", "composition.yaml", fixtures="fixtures.yaml", **GIVEN
    )
    subnets = [f"{which}-{zone}" for which in ("private", "public") for zone in ZONES]
    testing.assert_waves(
        simulation,
        [
            ["vpc", *(f"address-{zone}" for zone in ZONES)],
            [
                "gateway",
                "security-group",
                "routes-public",
                *(f"routes-private-{zone}" for zone in ZONES),
                *subnets,
            ],
            [
                "default-public",
                *(f"nat-{zone}" for zone in ZONES),
                *(f"{subnet}-routes" for subnet in subnets),
            ],
            [f"default-private-{zone}" for zone in ZONES],
            ["outgoing"],
        ],
    )
    assert simulation.degrade("vpc", "status.atProvider.id").rendered.deleted == {}

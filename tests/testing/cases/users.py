# pyright: strict
"""How tests of users are typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from typing_extensions import reveal_type

from crossplane_lite import composition, testing
from crossplane_lite.render import Remote
from tests.typing.model.io.upbound.gcp.storage.bucket.v1beta1 import Bucket

XR = {"apiVersion": "example.org/v1", "kind": "XNet", "metadata": {"name": "net"}}


@composition.function
def compose(ctx: composition.Context) -> None:
    pass


def test_answer() -> None:
    request = testing.request(
        XR, observed={"a": Bucket(), "b": "b.yaml"}, required={"x": [XR, Path("x")], "y": None, "z": XR}, context={}
    )
    reveal_type(request)  # reveal: bytes
    response = testing.run(compose, request)
    reveal_type(response)  # reveal: Response
    reveal_type(response.desired)  # reveal: dict[str, dict[str, Any]]
    reveal_type(response.ready["a"])  # reveal: bool | None
    reveal_type(response.conditions["Ready"].status)  # reveal: str
    reveal_type(response.required["vpcs"].name)  # reveal: str | None
    reveal_type(response.fatal)  # reveal: list[str]
    reveal_type(response.held_back)  # reveal: list[str]
    reveal_type(response.ttl)  # reveal: float | None


def test_rendering(crossplane_folder: testing.Folder, crossplane_snapshot: testing.Snapshots) -> None:
    rendered = crossplane_folder.render(
        "xr.yaml",
        Path("composition.yaml"),
        functions={"a": compose, "b": Remote("localhost:9443")},
        observed=["observed", Bucket()],
        schemas=["crds"],
    )
    reveal_type(rendered.composed)  # reveal: dict[str, dict[str, Any]]
    crossplane_snapshot.check(rendered)
    crossplane_snapshot.check(rendered.composed.values(), "all.yaml")
    crossplane_snapshot.check(rendered.composite, Path("expected", "xr.yaml"))
    crossplane_snapshot.check([Bucket(), XR], "two.yaml")
    crossplane_snapshot.check(testing.run(compose, testing.request(XR)), "answer.yaml")


def test_waves(crossplane_simulation: Callable[..., testing.Simulation]) -> None:
    simulation = crossplane_simulation("xr.yaml", compose, fixtures={"vpc": {"status": {}}})
    reveal_type(simulation)  # reveal: Simulation
    testing.assert_waves(simulation, [["vpc"], ("a", "b"), {"c"}], unresolved=["d"])
    reveal_type(testing.simulate(XR, compose))  # reveal: Simulation


def wrong(snapshots: testing.Snapshots) -> None:
    testing.run(lambda ctx: None, b"")  # error: arg-type reportArgumentType
    testing.run(compose, XR)  # error: arg-type reportArgumentType
    testing.request(5)  # error: arg-type reportArgumentType
    testing.request(XR, required=[XR])  # error: arg-type reportArgumentType
    testing.render(XR, 5)  # error: arg-type reportArgumentType
    testing.render(XR, compose, functions={"a": 1})  # error: dict-item reportArgumentType
    snapshots.check(5)  # error: arg-type reportArgumentType

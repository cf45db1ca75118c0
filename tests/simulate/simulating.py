"""Simulations of small compositions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crossplane_lite import Unstructured, composition
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.manifests.yaml import Document
from crossplane_lite._tools.render.arguments import Inputs
from crossplane_lite._tools.render.cluster import Files
from crossplane_lite._tools.render.functions import runners_of
from crossplane_lite._tools.render.pipeline import Step
from crossplane_lite._tools.simulate.simulation import Round, Simulation

__all__ = [
    "CRDS",
    "XR",
    "chain",
    "crd",
    "fields",
    "made",
    "network",
    "of_steps",
    "schemas",
    "simulated",
    "simulation",
    "thing",
]

CRDS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "crds"

XR: dict[str, Any] = {
    "apiVersion": "example.org/v1",
    "kind": "XNetwork",
    "metadata": {"name": "net", "uid": "an-uid"},
    "spec": {"size": 3},
}


def thing(kind: str = "Thing", **for_provider: Any) -> Unstructured:
    """Return a managed resource."""
    return Unstructured("example.org/v1", kind, spec={"forProvider": {"region": "eu", **for_provider}})


def simulation(*functions: Any, xr: Mapping[str, Any] = XR, **options: Any) -> Simulation:
    """Return a simulation of a pipeline of functions, which may be bare compose() functions."""
    wrapped = {}
    for number, function in enumerate(functions):
        is_bare = not hasattr(function, "run")
        wrapped[f"f{number}"] = (
            composition.function(name=f"f{number}", auto_ready=True)(function) if is_bare else function
        )
    return of_steps([Step(f"step-{name}", name) for name in wrapped], wrapped, xr=xr, **options)


def of_steps(
    pipeline: list[Step],
    functions: Mapping[str, Any],
    *,
    xr: Mapping[str, Any] = XR,
    cluster: Any = None,
    observed: Iterable[Mapping[str, Any]] = (),
    fixtures: Mapping[str, Any] | None = None,
    schemas: Schemas | None = None,
    most_rounds: int = 50,
    xrd: Mapping[str, Any] | None = None,
    composition: str | None = None,
) -> Simulation:
    """Return a simulation of a pipeline."""
    there = [Document("observed", dict(one)) for one in observed]
    world = Files((), None) if cluster is None else cluster
    inputs = Inputs(
        *(Document("xr", dict(xr)), pipeline, runners_of(functions), world, there, {}, 60.0, schemas),
        composition=composition,
        xrd=xrd,
    )
    return Simulation(inputs, fixtures, most_rounds)


def simulated(*functions: Any, **options: Any) -> Simulation:
    """Return a simulation that has run; the arguments are those of `simulation`."""
    made = simulation(*functions, **options)
    made.run()
    return made


def made(round: Round, name: str, *steps: Any) -> Any:
    """Return what stands at a path in a composed resource of a round."""
    value: Any = round.rendered.composed[name]
    for step in steps:
        value = value[step]
    return value


def fields(simulation: Simulation, name: str) -> Any:
    """Return `spec.forProvider` of a resource as it is composed in the end."""
    return made(simulation.rounds[-1], name, "spec", "forProvider")


def chain(ctx: Any) -> None:
    """`vpc`, `subnet` after it, `instance` after that."""
    vpc = ctx.resource("vpc", thing("VPC"))
    subnet = ctx.resource("subnet", thing("Subnet", vpc=vpc.observed.status.atProvider.vpcId))
    ctx.resource("instance", thing("Instance", subnet=subnet.observed.status.atProvider.id))


def network(ctx: Any) -> None:
    """A chain through the composite's status: `vpc`, `xr.status.vpc`, `peer`."""
    xr = ctx.composite(Unstructured)
    vpc = ctx.resource("vpc", thing("VPC"))
    xr.status.vpc = vpc.observed.status.atProvider.vpcId
    ctx.resource("peer", thing("Peer", vpc=xr.observed.status.vpc))


def schemas(kind: str, status: Mapping[str, Any], spec: Mapping[str, Any] | None = None) -> Schemas:
    """Return the schema of one kind of example.org/v1, whose status has conditions too."""
    found = Schemas()
    found.add_crd(crd(kind, status, spec), "a test")
    return found


def crd(kind: str, status: Mapping[str, Any], spec: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return its CustomResourceDefinition."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    condition = {"type": "object", "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}
    properties = {"conditions": {"type": "array", "items": condition}, **status}
    root = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": dict(spec or {"forProvider": anything})},
            "status": {"type": "object", "properties": properties},
        },
    }
    plural = kind.lower() + "s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": kind, "plural": plural},
            "scope": "Cluster",
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}},
            ],
        },
    }

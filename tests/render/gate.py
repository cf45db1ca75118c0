"""Functions and files for tests of the check that all previews share."""

from __future__ import annotations

import base64
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.codegen.generated import crd, obj

# A compiler of CEL has 50 MB, which the tests of everything else do without.
needs_cel = pytest.mark.skipif(
    importlib.util.find_spec("cel_expr_python") is None, reason="cel-expr-python, of the extra ci, isn't installed"
)

V = "example.org/v1"
XR: dict[str, Any] = {
    "apiVersion": V,
    "kind": "Network",
    "metadata": {"name": "net", "namespace": "default"},
    "spec": {"region": "eu"},
}
SIZE = {"type": "integer", "minimum": 5}
REQUIRED = (
    "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies)"
    " || has(self.forProvider.{0}) || (has(self.initProvider) && has(self.initProvider.{0}))"
)
POLICIES = {"type": "array", "items": {"type": "string"}, "default": ["*"]}
CONDITIONS = {"conditions": {"type": "array", "items": obj(type="s", status="s", reason="s", lastTransitionTime="s")}}
INSTANCE = crd(
    obj(
        status=obj(**CONDITIONS),
        spec={
            **obj(
                forProvider={
                    **obj(instanceClass="s", engine={"type": "string"}, port="i"),
                    "x-kubernetes-validations": [
                        {"rule": "self.engine == oldSelf.engine", "message": "engine is immutable"},
                        {"rule": "!has(self.port) || self.port > 1024"},
                    ],
                },
                initProvider=obj(instanceClass="s"),
                managementPolicies=POLICIES,
            ),
            "x-kubernetes-validations": [
                {
                    "rule": REQUIRED.format("instanceClass"),
                    "message": "spec.forProvider.instanceClass is a required parameter",
                }
            ],
        },
    ),
    kind="Instance",
)
VPC = crd(obj(spec=obj(region="s", size=SIZE), status=obj(id="s", size=SIZE, **CONDITIONS)), kind="VPC")
SUBNET = crd(obj(spec=obj(region="s", vpcId="s", public="b"), status=obj(id="s", **CONDITIONS)), kind="Subnet")


def files(folder: Path) -> list[str]:
    """Write the composite and the definitions of kinds, and return the first arguments of a preview."""
    (folder / "xr.yaml").write_text(json.dumps(XR), encoding="utf-8")
    (folder / "crds").mkdir()
    (folder / "crds" / "vpc.yaml").write_text(json.dumps(VPC), encoding="utf-8")
    (folder / "crds" / "subnet.yaml").write_text(json.dumps(SUBNET), encoding="utf-8")
    (folder / "crds" / "instance.yaml").write_text(json.dumps(INSTANCE), encoding="utf-8")
    return [str(folder / "xr.yaml"), "--crds", str(folder / "crds")]


def vpc(ctx: composition.Context, **spec: Any) -> Unstructured:
    """Compose a VPC."""
    return ctx.resource("vpc", Unstructured(V, "VPC", spec={"region": "eu", **spec}))


def subnet(ctx: composition.Context, **spec: Any) -> None:
    """Compose a subnet."""
    ctx.resource("subnet", Unstructured(V, "Subnet", spec=spec))


@composition.function(auto_ready=True)
def right(ctx: composition.Context) -> None:
    """Compose a subnet that waits, with an unresolved value, text and key."""
    made = vpc(ctx).observed.status.id
    ctx.resource("subnet", Unstructured(V, "Subnet", spec={"vpcId": made, "region": f"eu-{made}"}))


@composition.function(auto_ready=True)
def waits(ctx: composition.Context) -> None:
    """Compose a subnet that waits and has mistakes."""
    subnet(ctx, vpcId=vpc(ctx).observed.status.id, regoin="eu", public="yes")


@composition.function(auto_ready=True)
def chosen(ctx: composition.Context) -> None:
    """Compose a subnet with a mistake once the VPC has an id."""
    if vpc(ctx).observed.status.id:
        subnet(ctx, regoin="eu")


@composition.function(auto_ready=True)
def guesses(ctx: composition.Context) -> None:
    """Compose a right subnet once the VPC has an id."""
    if vpc(ctx).observed.status.id:
        subnet(ctx, region="eu")


@composition.function(auto_ready=True)
def counts(ctx: composition.Context) -> None:
    """Compose a second VPC whose number is made from a missing one."""
    size = int(vpc(ctx).observed.status.size) + 1
    ctx.resource("other", Unstructured(V, "VPC", spec={"size": size}))


@composition.function(auto_ready=True)
def cut(ctx: composition.Context) -> None:
    """End early, because a library needs a real text; then compose a subnet."""
    made = vpc(ctx).observed.status.id
    subnet(ctx, vpcId=base64.b64encode(made.encode()).decode())


@composition.function(auto_ready=True)
def cut_wrong(ctx: composition.Context) -> None:
    """The same, with a mistake in the subnet."""
    made = vpc(ctx).observed.status.id
    subnet(ctx, vpcid=base64.b64encode(made.encode()).decode())


@composition.function(auto_ready=True)
def upper(ctx: composition.Context) -> None:
    """End early, at a method of a missing text; then compose a subnet."""
    subnet(ctx, vpcId=vpc(ctx).observed.status.id.upper())


@composition.function(auto_ready=True)
def splits(ctx: composition.Context) -> None:
    """Fail at a part of a missing text, which is there in the end."""
    subnet(ctx, region=f"{vpc(ctx).observed.status.id}".split("-")[1])


@composition.function(auto_ready=True)
def bug(ctx: composition.Context) -> None:
    """Fail whatever the missing value is, after a text was made from it."""
    subnet(ctx, vpcId=f"{vpc(ctx).observed.status.id}")
    print({"eu": 1}["us"])  # noqa: T201


@composition.function(auto_ready=True)
def cut_bug(ctx: composition.Context) -> None:
    """End early, and fail later, whatever the value is."""
    made = base64.b64encode(vpc(ctx).observed.status.id.encode()).decode()
    subnet(ctx, vpcId=made)
    print({"eu": 1}["us"])  # noqa: T201


@composition.function(auto_ready=True)
def parses(ctx: composition.Context) -> None:
    """Parse a text that must be a number."""
    subnet(ctx, vpcId=str(int(vpc(ctx).observed.status.id) + 1))


def instance(ctx: composition.Context, **parameters: Any) -> None:
    """Compose a database in the VPC."""
    vpc(ctx)
    ctx.resource("db", Unstructured(V, "Instance", spec={"forProvider": {"engine": "pg", **parameters}}))


@composition.function(auto_ready=True)
def classless(ctx: composition.Context) -> None:
    """Leave out a parameter that a rule requires."""
    instance(ctx)


@composition.function(auto_ready=True)
def low_port(ctx: composition.Context) -> None:
    """Break a rule of another form."""
    instance(ctx, instanceClass="small", port=80)


@composition.function(auto_ready=True)
def whole(ctx: composition.Context) -> None:
    """Keep all rules, with a parameter that isn't there yet."""
    instance(ctx, instanceClass=vpc_id(ctx), port=5432)


def vpc_id(ctx: composition.Context) -> Any:
    """Return the VPC's id."""
    return ctx.observed["vpc"].status.id


@composition.function(auto_ready=True)
def says(ctx: composition.Context) -> None:
    """Set a field of the composite's status."""
    ctx.composite(Unstructured).status.id = "x"


SIZES = {"small": 1, "large": 100}


@composition.function(auto_ready=True)
def sized(ctx: composition.Context) -> None:
    """Look up a size, of which a schema lists the names."""
    xr = ctx.composite(Unstructured).observed
    vpc(ctx, size=SIZES[xr.spec.size])

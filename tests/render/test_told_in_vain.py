"""Fields that something waits for, and that a schema lacks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite import Unstructured, composition
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.render.rendered import StepRun
from crossplane_lite._tools.render.told import in_vain, lines, summary
from crossplane_lite.cli import main
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from crossplane_lite.render import InProcess, Step
from tests.simulate.simulating import crd
from tests.support import request

HERE = "tests.render.test_told_in_vain"
XR = "apiVersion: example.org/v1\nkind: XNetwork\nmetadata: {name: net, uid: an-uid}\n"
STATUS = {"atProvider": {"type": "object", "properties": {"vpcID": {"type": "string"}}}}
WHY = "the schema of example.org/v1 VPC has no status.atProvider.vpcId; did you mean 'vpcID'?"
SUBNET = f"subnet waits for vpc.status.atProvider.vpcId ({WHY})"
FIELD = f"xr.status.vpc waits for vpc.status.atProvider.vpcId ({WHY})"
SUMMARY = "these wait for values that never come: subnet, xr.status.vpc"


@composition.function(name="misspelt")
def misspelt(ctx: composition.Context) -> None:
    """Wait for a field whose name is misspelt, and for one that comes."""
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
    found = vpc.observed.status.atProvider
    ctx.resource("subnet", Unstructured("example.org/v1", "Subnet", spec={"vpcId": found.vpcId}))
    ctx.resource("route", Unstructured("example.org/v1", "Route", spec={"vpcId": found.vpcID}))
    ctx.composite(Unstructured).status.vpc = found.vpcId


@composition.function(name="other_paths")
def other_paths(ctx: composition.Context) -> None:
    """Wait for all that isn't a field of the specification or the status."""
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
    values = [vpc.external_name, vpc.connection_details["user"], vpc.observed.metadata.uid]
    for at, value in enumerate(values):
        ctx.resource(f"r{at}", Unstructured("example.org/v1", "R", spec={"value": value}))
    ctx.resource("gated", Unstructured("example.org/v1", "R"), depends_on=[vpc])


@composition.function(name="conditions")
def conditions(ctx: composition.Context) -> None:
    """Wait for a condition, and for a field of one."""
    vpc = ctx.resource("vpc", Unstructured("example.org/v1", "VPC"))
    found = vpc.observed.status.conditions
    ctx.resource("r", Unstructured("example.org/v1", "R", spec={"value": found.Synced.status}))
    ctx.resource("s", Unstructured("example.org/v1", "R", spec={"value": found[0].reasn}))


def vpcs(tmp_path: Path, **properties: Any) -> Path:
    """Return a file with the definition of the kind VPC."""
    path = tmp_path / "crds.yaml"
    path.write_text(pyyaml.safe_dump(crd("VPC", {**STATUS, **properties})), encoding="utf-8")
    return path


def found(function: composition.Function, *paths: Path) -> dict[str, list[str]]:
    """Return the waits that never end, in a first reconcile with the schemas of these files."""
    asked = request()
    run = StepRun(Step("s", "f"), InProcess(function), asked, function.run(asked), 1)
    return in_vain([run], Schemas(list(paths)))


def test_a_field_that_the_schema_lacks(tmp_path: Path) -> None:
    """Resources and fields of the composite that wait for it are named; others aren't."""
    unresolved = found(misspelt, vpcs(tmp_path))
    assert list(lines(unresolved)) == [SUBNET, FIELD]
    assert summary(unresolved) == SUMMARY


def test_a_kind_without_a_schema() -> None:
    """Where no schema of the kind is known, nothing is said."""
    assert found(misspelt) == {}


def test_a_status_that_is_open(tmp_path: Path) -> None:
    """Where the schema lets anything stand, nothing is said."""
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    assert found(misspelt, vpcs(tmp_path, atProvider=free)) == {}


def test_other_paths(tmp_path: Path) -> None:
    """External names, connection details, metadata and readiness are no fields of the schema."""
    assert found(other_paths, vpcs(tmp_path)) == {}


def test_conditions(tmp_path: Path) -> None:
    """The type of a condition is no field of a schema; a field of a condition is one."""
    why = "the schema of example.org/v1 VPC has no status.conditions[0].reasn"
    assert found(conditions, vpcs(tmp_path)) == {"s": [f"vpc.status.conditions[0].reasn ({why})"]}
    no_list = "the schema of example.org/v1 VPC has no status.conditions[0]"
    unresolved = found(conditions, vpcs(tmp_path, conditions={"type": "string"}))
    assert unresolved == {"s": [f"vpc.status.conditions[0].reasn ({no_list})"]}


@pytest.mark.parametrize("path", ["vpc.status[name=a]", "vpc.status[", f"vpc.status[{'9' * 5000}]", "elsewhere.status"])
def test_paths_that_are_none(tmp_path: Path, path: str) -> None:
    """Paths that a function elsewhere makes up are passed over."""
    answer = fnv1.RunFunctionResponse()
    answer.desired.resources["vpc"].resource.update({"apiVersion": "example.org/v1", "kind": "VPC"})
    entry = {"held": ["a"], "waits": [{"name": "a", "of": "vpc", "path": path, "why": "so"}]}
    answer.context.update({"crossplane-lite/held-back": {"1": entry}})
    run = StepRun(Step("s", "f"), InProcess(misspelt), request(), answer.SerializeToString(), 1)
    assert in_vain([run], Schemas([vpcs(tmp_path)])) == {}


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (["render"], "never resolved: "),
        (["graph"], "crossplane-lite graph: never resolved: "),
        (["graph", "--simulate"], "crossplane-lite graph: never resolved: "),
        (["simulate"], "  "),
    ],
    ids=" ".join,
)
def test_commands(arguments: list[str], start: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All commands name the field in the same words, and end with status 1."""
    xr = tmp_path / "xr.yaml"
    xr.write_text(XR, encoding="utf-8")
    command, *flags = arguments
    given = [str(xr), "--function", f"{HERE}:misspelt", "--crds", str(vpcs(tmp_path)), *flags]
    assert main([command, *given]) == 1
    shown = "".join(capsys.readouterr()).splitlines()
    is_warning = re.compile(r"warning: test_told_in_vain\.py:\d+: .* is read, and ")
    assert [start + SUBNET, start + FIELD] == [line for line in shown if WHY in line and not is_warning.match(line)]
    assert shown.count(f"crossplane-lite {command}: {SUMMARY}") == 1


def test_commands_without_schemas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --crds a first reconcile just waits."""
    xr = tmp_path / "xr.yaml"
    xr.write_text(XR, encoding="utf-8")
    for command in ("render", "graph"):
        assert main([command, str(xr), "--function", f"{HERE}:misspelt"]) == 0
        assert "never" not in "".join(capsys.readouterr())

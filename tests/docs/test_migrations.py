"""The pages of migration: in each state, our function composes what the page's other way composes."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from benchmarks import models, pythonic
from crossplane_lite import composition, testing
from tests.docs.blocks import ROOT, blocks

Json = dict[str, Any]

NAME = "crossplane.io/composition-resource-name"
EXTERNAL = "crossplane.io/external-name"
READY = {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": "2024-01-01T00:00:00Z"}


def files(page: str) -> dict[str, str]:
    """Return the files that a page shows, by their names."""
    return {block.caption: block.text for block in blocks(ROOT / "docs" / "how-to" / page) if block.caption}


def function(source: str) -> composition.Function:
    """Return the composition function that a page shows."""
    names: Json = {"__name__": "page"}
    exec(compile(source, "function.py", "exec"), names)
    made = names["compose"]
    assert isinstance(made, composition.Function)
    return made


def plain(resource: Json) -> Json:
    """Return what the author of a resource has said: without what Crossplane or an SDK notes in its metadata."""
    spec = copy.deepcopy(resource.get("spec", {}))
    document = spec.get("forProvider", {}).get("assumeRolePolicyDocument")
    if document is not None:
        spec["forProvider"]["assumeRolePolicyDocument"] = json.loads(document)
    annotations = resource.get("metadata", {}).get("annotations", {})
    external = {EXTERNAL: annotations[EXTERNAL]} if EXTERNAL in annotations else {}
    return {"apiVersion": resource["apiVersion"], "kind": resource["kind"], "spec": spec, **external}


def observed(name: str, kind: tuple[str, str], status: Json, spec: Json | None = None) -> Json:
    """Return a resource that exists and is ready."""
    return {
        "apiVersion": kind[0],
        "kind": kind[1],
        "metadata": {"name": f"shop-{name.lower()}", "annotations": {NAME: name, EXTERNAL: f"{name}-1"}},
        "spec": spec or {},
        "status": {"atProvider": status, "conditions": [READY]},
    }


# Patch and transform. These are its rules, for the patches of the page: Go's module proxy doesn't offer the program.
DATABASE = files("migrate-patch-and-transform.rst")
RDS = "rds.aws.upbound.io/v1beta1"
INSTANCE = observed(
    "instance", (RDS, "Instance"), {"endpoint": "db:5432", "address": "db"}, {"forProvider": {"username": "owner"}}
)
DATABASES: dict[str, tuple[Json, dict[str, Json], dict[str, dict[str, str]]]] = {
    "nothing exists": ({}, {}, {}),
    "all is said": ({"engineVersion": "16", "deletionPolicy": "Orphan", "size": "large"}, {}, {}),
    "a size without a class": ({"size": None}, {}, {}),
    "the subnets exist": ({}, {"subnets": observed("subnets", (RDS, "SubnetGroup"), {})}, {}),
    "all exists": (
        {},
        {"subnets": observed("subnets", (RDS, "SubnetGroup"), {}), "instance": INSTANCE},
        {"instance": {"attribute.password": "secret"}},
    ),
    "a status is lost": ({}, {"instance": observed("instance", (RDS, "Instance"), {})}, {}),
}  # fmt: skip


def _parts(path: str) -> list[str]:
    return [inner or outer for outer, inner in re.findall(r"([^.\[\]]+)|\[([^\]]+)\]", path)]


def _read(tree: Any, path: str) -> Any:
    for part in _parts(path):
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def _put(tree: Json, path: str, value: Any) -> None:
    *above, last = _parts(path)
    for part in above:
        tree = tree.setdefault(part, {})
    tree[last] = value


def _transformed(value: Any, transforms: list[Json]) -> Any:
    for one in transforms:
        assert one["type"] in ("map", "string")
        value = one["map"][value] if one["type"] == "map" else one["string"]["fmt"] % value
    return value


def patched(xr: Json, existing: dict[str, Json], secrets: dict[str, dict[str, str]]) -> tuple[Any, Json, Json]:
    """Return the resources, the composite's status and its connection details that the page's Composition means."""
    (step,) = pyyaml.safe_load(DATABASE["before.yaml"])["spec"]["pipeline"]
    sets = {one["name"]: one["patches"] for one in step["input"]["patchSets"]}
    resources, status, details = {}, {}, {}  # type: dict[str, Json], Json, Json
    for one in step["input"]["resources"]:
        resources[one["name"]] = made = copy.deepcopy(one["base"])
        exists = existing.get(one["name"], {})
        patches = [part for patch in one["patches"] for part in sets.get(patch.get("patchSetName"), [patch])]
        for patch in patches:
            back = patch["type"] == "ToCompositeFieldPath"
            assert back or patch["type"] == "FromCompositeFieldPath"
            value = _read(exists if back else xr, patch["fromFieldPath"])
            if value is not None:  # the policy of a patch that says none is Optional
                target = {"status": status} if back else made
                _put(target, patch["toFieldPath"], _transformed(value, patch.get("transforms", [])))
        for detail in one.get("connectionDetails", []):
            if detail["type"] == "FromFieldPath":
                value = _read(exists, detail["fromFieldPath"])
            else:
                value = secrets.get(one["name"], {}).get(detail["fromConnectionSecretKey"])
            details |= {} if value is None else {detail["name"]: value}
    return {name: plain(one) for name, one in resources.items()}, status, details


@pytest.mark.parametrize("state", DATABASES)
def test_patch_and_transform(state: str) -> None:
    """The database of the page comes with the same resources, status and connection details."""
    given, existing, secrets = DATABASES[state]
    xr = pyyaml.safe_load(DATABASE["xr.yaml"])
    parameters = xr["spec"]["parameters"] | given
    xr["spec"]["parameters"] = {key: value for key, value in parameters.items() if value is not None}
    request = testing.request(xr, observed=existing, connection_details=secrets)
    response = testing.run(function(DATABASE["function.py"]), request)
    assert not response.fatal
    resources, status, details = patched(xr, existing, secrets)
    assert {name: plain(one) for name, one in response.desired.items()} == resources
    assert response.composite.get("status", {}) == status
    assert {key: value.decode() for key, value in response.connection_details.items()} == details


# function-pythonic, which pip installs.
CLUSTER = files("migrate-function-pythonic.rst")
EC2 = "ec2.aws.crossplane.io/v1beta1"
IAM = "iam.aws.crossplane.io/v1beta1"
VPC = {"vpc": observed("vpc", (EC2, "VPC"), {"vpcId": "vpc-1"})}
SUBNETS = {
    name: observed(name, (EC2, "Subnet"), {"subnetId": f"{name}-1"}) for name in ("subnet-a", "subnet-b")
}  # fmt: skip
ROLE = {"role": observed("role", (IAM, "Role"), {"roleID": "AROA1", "arn": "arn:aws:iam::1:role/shop-cluster"})}
ROLE["role"]["metadata"]["annotations"][EXTERNAL] = "shop-cluster"
CLUSTERS: dict[str, dict[str, Json]] = {
    "nothing": {},
    "vpc": VPC,
    "subnets": VPC | SUBNETS,
    "role": ROLE,
    "all": VPC | SUBNETS | ROLE,
}


@pytest.fixture(scope="module")
def program() -> Path:
    """The command of function-pythonic."""
    try:
        return pythonic.python().with_name("function-pythonic")
    except models.SkipRow as e:
        pytest.skip(str(e))


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("tags", [{"team": "web"}, None], ids=["tags", "no tags"])
@pytest.mark.parametrize("state", CLUSTERS)
def test_function_pythonic(program: Path, tmp_path: Path, state: str, tags: Json | None) -> None:
    """The cluster of the page comes with the same resources and status, as function-pythonic itself renders it."""
    xr = pyyaml.safe_load(CLUSTER["xr.yaml"])
    xr["spec"]["tags"] = tags
    xr["spec"] = {key: value for key, value in xr["spec"].items() if value is not None}
    existing = CLUSTERS[state]
    (tmp_path / "before.py").write_text(CLUSTER["before.py"])
    (tmp_path / "xr.yaml").write_text(json.dumps(xr))
    (tmp_path / "observed.yaml").write_text("\n---\n".join(map(json.dumps, existing.values())))
    command = [program, "render", "xr.yaml", "before.Composite", *(["-o", "observed.yaml"] if existing else [])]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    composite, *composed = pyyaml.safe_load_all(done.stdout[done.stdout.index("---\n") :])  # its log comes before
    response = testing.run(function(CLUSTER["function.py"]), testing.request(xr, observed=existing))
    assert not response.fatal
    theirs = {one["metadata"]["annotations"][NAME]: plain(one) for one in composed}
    assert {name: plain(one) for name, one in response.desired.items()} == theirs
    found = response.composite.get("status", {})
    assert found.get("vpcId") == composite.get("status", {}).get("vpcId") == ("vpc-1" if "vpc" in existing else None)

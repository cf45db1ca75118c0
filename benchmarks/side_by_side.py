"""One page of user code with our models, the official SDK's and Pulumi's:
`python -m benchmarks.side_by_side`.

The programs stand in docs/explanation/side-by-side.rst. Each is checked as it is, and with each of
the same mistakes in it: by mypy, by pyright, and by running it without a cluster or a cloud. The
definitions come from the folder beside the checkout and from Go's module proxy. Pulumi gets an
environment of its own, of 500 MB. It needs the extra `bench`.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import yaml

from benchmarks import models

__all__ = [
    "MISTAKES",
    "SIDES",
    "Mistake",
    "definitions",
    "ends",
    "found_by",
    "generate_ours",
    "lines",
    "programs",
    "variants",
]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "side-by-side.rst"
SIDES = {"ours.py": "crossplane-lite", "official.py": "official SDK", "pulumi_program.py": "Pulumi"}
_GO_MODULES = (
    "github.com/crossplane-contrib/provider-aws@v0.50.0",
    "github.com/prometheus-operator/prometheus-operator@v0.76.0",
)
_PULUMI = ("pulumi==3.272.0", "pulumi-aws==7.51.1", "pulumi-kubernetes==4.34.2", "pyright")
_OPENAPI = ROOT.parent / "shared" / "data" / "openapi"


class Mistake(NamedTuple):
    """A mistake that is made in each program at the same place.

    Attributes:
        name: What is wrong, for people.
        edits: For each side, in the order of `SIDES`: a text of the program, and what stands there
            instead.
    """

    name: str
    edits: tuple[tuple[str, str], ...]


MISTAKES = (
    Mistake(
        "a field is misspelt",
        (("Provider.instanceClass", "Provider.instanceClas"), ("instanceClass=", "instanceClas="))
        + (("instance_class=", "instance_clas="),),
    ),
    Mistake(
        "a string for a number",
        (
            ("Storage = 20", 'Storage = "20"'),
            ("Storage=20", 'Storage="20"'),
            ("storage=20", 'storage="20"'),
        ),
    ),
    Mistake(
        "a string for a boolean",
        (
            ("multiAz = True", 'multiAz = "often"'),
            ("multiAz=True", 'multiAz="often"'),
            ("az=True", 'az="often"'),
        ),
    ),
    Mistake(
        "a number for a string",
        (
            ('version = "1.33"', "version = 1.33"),
            ('version="1.33"', "version=1.33"),
            ('version="1.33"', "version=1.33"),
        ),
    ),
    Mistake(
        "a required field is missing",
        (
            ("    role.spec.forProvider.assumeRolePolicyDocument = ", "    _ = "),
            ("iam.ForProvider(assumeRolePolicyDocument=document)", "iam.ForProvider()"),
            (
                ', assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [TRUST]})',
                "",
            ),
        ),
    ),
    Mistake(
        "a string for a list",
        (
            ("subnetIds = spec.subnetIds", 'subnetIds = "subnet-1"'),
            ('subnetIds=spec["subnetIds"]', 'subnetIds="subnet-1"'),
            ('"subnet_ids": config.require_object("subnetIds")', '"subnet_ids": "subnet-1"'),
        ),
    ),
    Mistake(
        "a field one level too deep",
        (
            ("forProvider.version", "forProvider.resourcesVpcConfig.version"),
            ('subnetIds=spec["subnetIds"])', 'subnetIds=spec["subnetIds"], version="1.33")'),
            ('"subnet_ids": ', '"version": "1.33", "subnet_ids": '),
        ),
    ),
    Mistake(
        "a resource in the place of its ARN",
        (("roleArn = role.observed.status.atProvider.arn", "roleArn = role"),)
        + (("roleArn=arn", "roleArn=role"), ("role_arn=role.arn", "role_arn=role")),
    ),
    Mistake(
        "an output is misspelt",
        (
            (
                "database.observed.status.atProvider.address",
                "database.observed.status.atProvider.adress",
            ),
            ("seen.status.atProvider.address", "seen.status.atProvider.adress"),
            ("database.address", "database.adress"),
        ),
    ),
    Mistake(
        "an output of another type",
        (
            ("replicas = 2", "replicas = arn"),
            ("replicas=2", "replicas=cluster_arn"),
            ('"replicas": 2', '"replicas": cluster.arn'),
        ),
    ),
    Mistake(
        "an object for a list",
        (
            (
                '= [Container(name="web", image=spec.image, env=env)]',
                '= Container(name="web", image=spec.image, env=env)',
            ),
            (
                '[core.Container(name="web", image=spec["image"], env=env)]',
                'core.Container(name="web", image=spec["image"], env=env)',
            ),
            (
                '[{"name": "web", "image": config.require("image"), "env": env}]',
                '{"name": "web", "image": config.require("image"), "env": env}',
            ),
        ),
    ),
    Mistake(
        "a field in a list's object is misspelt",
        (
            ("image=spec", "imge=spec"),
            ("image=spec", "imge=spec"),
            ('"image": config', '"imge": config'),
        ),
    ),
    Mistake(
        "a required field in a list's object is missing",
        (
            ('name="web", image', "image"),
            ('name="web", image', "image"),
            ('"name": "web", "image"', '"image"'),
        ),
    ),
    Mistake(
        "a number in an environment variable",
        (
            ("value=address", "value=5432"),
            ("value=address", "value=5432"),
            ('"value": database.address', '"value": 5432'),
        ),
    ),
    Mistake(
        "a number for a label",
        (
            ('template.metadata.labels = {"app": "web"}', 'template.metadata.labels = {"app": 1}'),
            ('labels={"app": "web"}', 'labels={"app": 1}'),
            ('"labels": {"app": "web"}', '"labels": {"app": 1}'),
        ),
    ),
    Mistake(
        "the selector of a Deployment is missing",
        (
            ("    web.spec.selector.matchLabels = ", "    _labels = "),
            ('                selector=meta.LabelSelector(matchLabels={"app": "web"}),\n', ""),
            ('        "selector": {"match_labels": {"app": "web"}},\n', ""),
        ),
    ),
    Mistake(
        "a field of a custom resource is misspelt",
        (
            ("spec.retention", "spec.retension"),
            ("retention=", "retension="),
            ('"retention"', '"retension"'),
        ),
    ),
    Mistake(
        "a string for a number in a custom resource",
        (
            ("replicas = 1", 'replicas = "one"'),
            ("replicas=1", 'replicas="one"'),
            ('"replicas": 1', '"replicas": "one"'),
        ),
    ),
)


def programs() -> dict[str, str]:
    """Return the three programs of the page, by their names."""
    from tests.docs.blocks import blocks

    return {block.caption: block.text for block in blocks(PAGE) if block.caption in SIDES}


def lines(program: str) -> int:
    """Return how many lines a program has, without empty ones."""
    return sum(bool(line.strip()) for line in program.splitlines())


def variants(side: str, program: str) -> dict[str, str]:
    """Return the program as it is, as `right.py`, and with each of the mistakes."""
    at = list(SIDES).index(side)
    made = {"right.py": program}
    for number, mistake in enumerate(MISTAKES):
        old, new = mistake.edits[at]
        if program.count(old) != 1:
            raise ValueError(f"{side} has {old!r} {program.count(old)} times")
        made[f"wrong_{number:02}.py"] = program.replace(old, new)
    return made


@functools.cache
def definitions() -> tuple[Path, ...]:
    """Return the files that define the five kinds.

    Raises:
        SkipRow: The folder of definitions, Go or a module isn't there.
    """
    folder = models.find_real()
    if folder is None or not _OPENAPI.is_dir() or shutil.which("go") is None:
        raise models.SkipRow(
            "the definitions of the five kinds need the folder of real ones, and Go"
        )
    done = subprocess.run(
        ["go", "mod", "download", "-json", *_GO_MODULES],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise models.SkipRow(
            f"Go's module proxy doesn't give the definitions: {done.stdout[-300:]}"
        )
    aws, prometheus = (Path(found) for found in re.findall(r'"Dir": "([^"]+)"', done.stdout))
    return (
        folder / "rds.aws.upbound.io_instances.yaml",
        aws / "package" / "crds" / "iam.aws.crossplane.io_roles.yaml",
        aws / "package" / "crds" / "eks.aws.crossplane.io_clusters.yaml",
        prometheus
        / "example"
        / "prometheus-operator-crd"
        / "monitoring.coreos.com_prometheuses.yaml",
        _OPENAPI / "apps_v1.json",
        _OPENAPI / "core_v1.json",
    )


def generate_ours(folder: Path) -> None:
    """Generate our models of the five kinds into `folder/models`."""
    wanted = [
        f"--only={group}/*"
        for group in ("rds.aws.upbound.io", "iam.*", "eks.*", "monitoring.coreos.com")
    ]
    command = [
        sys.executable,
        "-m",
        "crossplane_lite",
        "generate",
        *map(str, definitions()),
        *wanted,
    ]
    command += ["--only=apps/Deployment", "--versions=storage", "-o", str(folder / "models")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def _generate_official(folder: Path) -> None:
    source = folder / "source"
    source.mkdir()
    for file in definitions():
        if file.suffix == ".yaml":
            crd = yaml.load(
                file.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            )
            name = crd["spec"]["names"]["singular"]
            (source / f"{name}.json").write_text(json.dumps(models.openapi(crd)), encoding="utf-8")
    shutil.copy(_OPENAPI / "apps_v1.json", source / "apps.json")
    command = [sys.executable, "-m", "datamodel_code_generator", *models.PYDANTIC_FLAGS]
    command += [f"--input={source}", f"--output={folder / 'models'}"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    settings = (
        "[mypy]\nplugins = pydantic.mypy\n[pydantic-mypy]\ninit_forbid_extra = True\ninit_typed ="
        " True\n"
    )
    (folder / "mypy.ini").write_text(settings, encoding="utf-8")


def _install_pulumi(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", *_PULUMI], check=True)
    return python


_RUNNING = {
    "ours.py": (
        """
import importlib, json, sys
from crossplane_lite import testing
compose = importlib.import_module(sys.argv[1]).compose
xr = json.loads(sys.argv[2])
call = lambda observed: testing.run(compose, testing.request(xr, observed=observed))
first = call({})
told = first.fatal or call(json.loads(sys.argv[3])).fatal
if told: sys.exit(told[0])
"""
    ),
    "official.py": (
        """
import importlib, json, sys
from crossplane.function import resource, response
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
compose = importlib.import_module(sys.argv[1]).compose
for observed in ({}, json.loads(sys.argv[3])):
    req = fnv1.RunFunctionRequest()
    resource.update(req.observed.composite, json.loads(sys.argv[2]))
    for name, one in observed.items():
        resource.update(req.observed.resources[name], one)
    compose(req, response.to(req))
"""
    ),
    "pulumi_program.py": (
        """
import importlib, json, sys, pulumi
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args): return [args.name + "-id", dict(args.inputs)]
    def call(self, args): return {}
pulumi.runtime.set_mocks(Mocks())
spec = json.loads(sys.argv[2])["spec"]
values = {"region": spec["region"], "image": spec["image"], "password": "p"}
values["subnetIds"] = json.dumps(spec["subnetIds"])
pulumi.runtime.set_all_config({f"project:{key}": value for key, value in values.items()})
pulumi.runtime.test(lambda: importlib.import_module(sys.argv[1]))()
"""
    ),
}
_XR = {
    "apiVersion": "example.org/v1",
    "kind": "Shop",
    "metadata": {"name": "shop"},
    "spec": {"region": "eu-central-1", "image": "web:1", "subnetIds": ["subnet-1"]},
}


def _observed() -> dict[str, object]:
    """Return the three resources that others need, as they are when they exist."""
    region = {"region": "eu-central-1"}
    kinds = {
        "database": ("rds.aws.upbound.io/v1beta3", "Instance", region, {"address": "db"}),
        "role": (
            "iam.aws.crossplane.io/v1beta1",
            "Role",
            {"assumeRolePolicyDocument": "{}"},
            {"arn": "a", "roleID": "AROA"},
        ),
        "cluster": (
            "eks.aws.crossplane.io/v1beta1",
            "Cluster",
            region | {"resourcesVpcConfig": {}},
            {"arn": "c"},
        ),
    }
    return {
        name: {
            "apiVersion": version,
            "kind": kind,
            "metadata": {"name": name},
            "spec": {"forProvider": given},
            "status": {"atProvider": status},
        }
        for name, (version, kind, given, status) in kinds.items()
    }


def found_by(
    checker: str, folder: Path, names: list[str], python: Path = Path(sys.executable)
) -> dict[str, int]:
    """Return how many errors a checker, `mypy` or `pyright`, finds in each file of a folder."""
    command = [python, "-m", "mypy", *([] if (folder / "mypy.ini").exists() else ["--strict"])]
    if checker == "pyright":
        command = [python.with_name("pyright"), "--pythonpath", python]
    done = subprocess.run(
        [*command, *names], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise models.SkipRow(
            f"{checker} ended with {done.returncode}: {done.stderr[-500:]}{done.stdout[-500:]}"
        )
    found = dict.fromkeys(names, 0)
    for name in re.findall(
        r"^ *(?:\S*/)?(\w+\.py):\d+(?::\d+)?(?: -|:) error", done.stdout, re.MULTILINE
    ):
        if name in found:
            found[name] += 1
    return found


def ends(
    side: str, folder: Path, names: list[str], python: Path = Path(sys.executable)
) -> dict[str, int]:
    """Return 1 for each file of a folder whose run ends with an error, and 0 for the others."""
    found = {}
    for name in names:
        arguments = [name.removesuffix(".py"), json.dumps(_XR), json.dumps(_observed())]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
        command = [python, "-c", _RUNNING[side], *arguments]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        found[name] = int(done.returncode != 0)
    return found


def main() -> None:
    """Print a line for each mistake, and the sums."""
    shown: dict[str, dict[str, list[str]]] = {}
    with tempfile.TemporaryDirectory(prefix="side-by-side-") as work:
        for side, program in programs().items():
            folder = Path(work, side.removesuffix(".py"))
            folder.mkdir()
            python = Path(sys.executable)
            if side == "ours.py":
                generate_ours(folder)
            elif side == "official.py":
                _generate_official(folder)
            else:
                python = _install_pulumi(folder)
            made = variants(side, program)
            for name, text in made.items():
                (folder / name).write_text(text, encoding="utf-8")
            names = list(made)
            # mypy needs more than 4 GB for all of these programs of Pulumi's.
            checkers = ("pyright",) if side == "pulumi_program.py" else ("mypy", "pyright")
            columns = {checker: found_by(checker, folder, names, python) for checker in checkers}
            columns["run"] = ends(side, folder, names, python)
            print(
                f"{SIDES[side]}: {lines(program)} lines; right code:",
                {key: one["right.py"] for key, one in columns.items()},
            )
            shown[side] = {
                name: [key for key, one in columns.items() if one[name] > one["right.py"]]
                for name in names[1:]
            }
    for number, mistake in enumerate(MISTAKES):
        print(
            f"{mistake.name:<50}",
            *(f"{', '.join(one[f'wrong_{number:02}.py']) or '-':<24}" for one in shown.values()),
        )
    for key in ("mypy", "pyright", "run"):
        print(
            f"{key:<50}",
            *(f"{sum(key in one for one in each.values()):<24}" for each in shown.values()),
        )


if __name__ == "__main__":
    main()

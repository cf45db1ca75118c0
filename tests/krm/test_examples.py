"""The example functions: what their golden folders say, and that a second run changes nothing."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crossplane_lite import krm
from crossplane_lite.krm.files import Package, unwrapped
from crossplane_lite.krm.runner import answered

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "krm"
NAMES = ("generate", "require_limits", "set_labels", "set_namespace")
README = ROOT / "examples" / "README.rst"
COMMANDS = [line.split() for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("    python ")]
CASES = sorted(case for name in NAMES for case in (EXAMPLES / name / "golden").iterdir())


def function_of(name: str) -> krm.Function:
    """Return an example's function, the only one in its module."""
    module = importlib.import_module(f"examples.krm.{name}.function")
    found = [one for one in vars(module).values() if isinstance(one, krm.Function)]
    assert len(found) == 1
    return found[0]


def package_of(case: Path) -> Package:
    """Return a case's files as a ResourceList."""
    config, resources = case / "functionConfig.yaml", case / "resources"
    items = [str(resources)] if resources.exists() else []
    return Package(str(config) if config.exists() else None, items, root=str(resources))


def case_id(case: Path) -> str:
    return f"{case.parent.parent.name}-{case.name}"


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str) -> None:
    """Each example makes of its resources what its golden folders expect, byte for byte."""
    krm.testing.golden(function_of(name), EXAMPLES / name / "golden")


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_second_run_changes_no_item(case: Path) -> None:
    """What comes of a function comes of it again when it is given its own output."""
    function = function_of(case.parent.parent.name)
    package = package_of(case)
    once = answered(function, package.read, package.as_list).made
    twice = function.run(once).stdout
    assert unwrapped(twice) == unwrapped(once)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_as_a_process(case: Path) -> None:
    """The file itself is the program: it answers as the function does."""
    package = package_of(case)
    data = package.as_list(package.read())
    name = case.parent.parent.name
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name / "function.py")],
        input=data,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    expected = function_of(name).run(data)
    assert done.stdout == expected.stdout
    assert done.returncode == expected.status


@pytest.mark.parametrize("name", NAMES)
def test_without_a_config(name: str) -> None:
    """A function that needs a config says so, and touches nothing; the validator has defaults."""
    data = (
        b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
        b"- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n"
    )
    output = function_of(name).run(data)
    assert output.stdout.startswith(data)
    assert output.status == (0 if name == "require_limits" else 1)
    assert ("functionConfig must" in output.stderr) == (name != "require_limits")


def test_the_namespace_of_cluster_scoped_kinds() -> None:
    """Kinds that Kubernetes has in no namespace, and those that the package's own definitions say it of, get none."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    expected = EXAMPLES / "set_namespace" / "golden" / "package" / "expected" / "resources"
    found = {}
    for file in expected.rglob("*.yaml"):
        for one in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            found[one["kind"]] = one["metadata"].get("namespace")
    in_none = {"ClusterRoleBinding", "CustomResourceDefinition", "Namespace", "Region"}
    assert {kind for kind, namespace in found.items() if namespace is None} == in_none
    assert {namespace for kind, namespace in found.items() if kind not in in_none} == {"production"}


@pytest.mark.sample(1)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: Path(command[1]).parent.name)
def test_commands_of_the_readme_work(command: list[str]) -> None:
    """Each command that the examples' README has prints something; a difference and an error are exit status 1."""
    done = subprocess.run(
        [sys.executable, *command[1:]],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout
    assert "Traceback" not in done.stderr
    assert done.returncode == (0 if "unwrap" in command else 1)


def test_the_readme_names_every_example() -> None:
    """The table of the README has all of them."""
    text = README.read_text(encoding="utf-8")
    assert len(COMMANDS) == 3
    assert all(f"``krm/{name}``" in text for name in NAMES)

"""The hosted workflows name what there is: scripts, sessions, parts, versions of Python."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from tests.long.__main__ import parts

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name: str) -> dict[str, Any]:
    """Return a workflow. PyYAML takes the word `on` for true."""
    found: dict[str, Any] = pyyaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())
    return found


def commands() -> list[str]:
    """Return all commands of all workflows."""
    jobs = [job for path in WORKFLOWS for job in workflow(path.name)["jobs"].values()]
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def sessions() -> dict[str, Any]:
    """Return the sessions of the noxfile, with what their decorators say of Python."""
    tree = ast.parse((ROOT / "noxfile.py").read_text())
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            (decorator,) = node.decorator_list
            assert isinstance(decorator, ast.Call)
            found[node.name] = ast.unparse(decorator.keywords[0].value).strip("'")
    return found


def test_scripts_are_there() -> None:
    """Each script that a workflow runs is in the project, and can be run."""
    found = {name for command in commands() for name in re.findall(r"(?<![\w/])\.ci/[\w-]+", command)}
    assert {".ci/run", ".ci/reproducible"} <= found
    assert [name for name in found if not os.access(ROOT / name, os.X_OK)] == []


def test_pythons() -> None:
    """Checks run with each Python that the package says it is for, and so does the noxfile."""
    declared = re.findall(r"^    Programming Language :: Python :: (3\.\d+)$", (ROOT / "setup.cfg").read_text(), re.M)
    assert workflow("checks.yml")["jobs"]["run"]["strategy"]["matrix"]["python"] == declared
    noxfile = (ROOT / "noxfile.py").read_text()
    assert re.findall(r'"(3\.\d+)"', noxfile.partition("PYTHONS =")[2].partition("\n")[0]) == declared


def test_sessions_and_parts_are_there() -> None:
    """Each session of nox and each part of the long tier that a workflow names is there, with that Python."""
    jobs = workflow("checks.yml")["jobs"]
    named = {one["session"]: one["python"] for one in jobs["sessions"]["strategy"]["matrix"]["include"]}
    assert named == {name: python for name, python in sessions().items() if name in named}
    assert set(named) == set(sessions()) - {"tests"}
    assert set(jobs["long"]["strategy"]["matrix"]["part"]) == set(parts(1, 1)) - {"all tests"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_rights_and_limits(path: Path) -> None:
    """A job may read and no more, but for the one that publishes, and has a time limit."""
    content = workflow(path.name)
    assert content["permissions"] == {"contents": "read"}
    rights = {name: job["permissions"] for name, job in content["jobs"].items() if "permissions" in job}
    assert rights == ({"publish": {"id-token": "write"}} if path.name == "release.yml" else {})
    assert all(job["timeout-minutes"] <= 360 for job in content["jobs"].values())

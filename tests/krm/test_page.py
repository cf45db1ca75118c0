"""The page on KRM functions: its code runs as it stands there, and prints what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from crossplane_lite import krm
from examples.application.model.io.k8s.api.apps.v1 import Deployment
from tests.docs.blocks import blocks
from tests.testing.inner import ROOT, Project

PAGE = ROOT / "docs" / "how-to" / "krm-functions.rst"
REFERENCE = ROOT / "docs" / "reference" / "krm.rst"

APP = next(block.text for block in blocks(PAGE) if block.caption == "app.yaml")
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata:\n  team: storefront\n  replicas: '3'\n"
COMPOSITE = b"""\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: platform.example.com/v1alpha1
  kind: XStorageBucket
  metadata: {name: photos}
  spec: {parameters: {location: EU, versioning: true, acl: publicRead}}
items: []
"""


def block(has: str) -> str:
    """Return the block of the page that has a text in it."""
    (one,) = (block.text for block in blocks(PAGE) if has in block.text)
    return one


def run(*arguments: str, folder: Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run Python in a folder."""
    paths = os.pathsep.join([str(ROOT), str(folder)])
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, input=data, capture_output=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the page's function, and with files for it."""
    for name, text in {"label.py": block("@krm.function\n"), "config.yaml": CONFIG, "app.yaml": APP}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_the_function_on_files(folder: Path) -> None:
    """The command prints the difference that is shown, and the warning."""
    command = block("$ python label.py ").strip("$ \n")
    done = run(*command.split()[1:], folder=folder)
    assert done.stdout.decode().splitlines() == block("--- a/app.yaml").splitlines()
    assert b"warning: Deployment web spec.template.spec.containers[0].resources.limits.cpu" in done.stderr


@pytest.mark.slow
def test_the_function_between_pipes(folder: Path) -> None:
    """The program and `crossplane-lite krm run` do the same with a ResourceList."""
    items = textwrap.indent(APP, "  ").replace("  ", "- ", 1)
    config = textwrap.indent(CONFIG, "  ")
    data = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}functionConfig:\n{config}".encode()
    done = run("label.py", folder=folder, data=data)
    assert (done.returncode, done.stdout.count(b"team: storefront")) == (0, 2), done.stderr
    again = run("-m", "crossplane_lite", "krm", "run", "label:transform", folder=folder, data=data)
    assert again.stdout == done.stdout


@pytest.mark.parametrize("page", [PAGE, REFERENCE], ids=lambda page: page.stem)
def test_the_table(page: Path) -> None:
    """Everything that the table of items has works as it is written."""
    table = page.read_text(encoding="utf-8").split("\n=====")[2]
    rows = re.findall(r"^(``.*?)(?: {2,}|\n)", table, re.MULTILINE)
    assert len(rows) >= 11
    other = str({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "b"}})
    spec = {"paused": True, "ports": [{"name": "web", "port": 8080}]}
    for row in rows:
        resource = krm.Resource({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": spec})
        rl = krm.ResourceList.read(b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n")
        rl.items.add(resource)
        names = {"rl": rl, "resource": resource, "Deployment": Deployment, "message": "m", "field": "spec.x"}
        pieces = re.findall(r"``(.+?)``", row)
        holder = pieces[0].partition("(")[0].rpartition(".")[0]
        for piece in pieces:
            code = (holder + piece if piece.startswith(".") else piece).replace("{...}", other)
            exec(code, dict(names))


@pytest.mark.slow
def test_the_golden_test(folder: Path) -> None:
    """With the option the test writes the expected output, and then it passes."""
    project = Project(folder)
    project.write("test_label.py", block("krm.testing.golden"))
    project.write("golden/web/functionConfig.yaml", CONFIG)
    project.write("golden/web/resources/app.yaml", APP)
    assert project.pytest().status == 1
    assert project.pytest("--crossplane-update-snapshots").status == 0
    assert project.pytest().status == 0
    assert "replicas: 3           # more" in project.read("golden/web/expected/resources/app.yaml")


def test_the_composition(tmp_path: Path) -> None:
    """The program composes the bucket, and says what its access control waits for."""
    done = run("-c", block("krm.from_composition"), folder=tmp_path, data=COMPOSITE)
    assert done.returncode == 0, done.stderr
    assert b"kind: Bucket\n" in done.stdout
    assert b"acl is held back: it waits for bucket.external_name" in done.stdout


@pytest.mark.slow
def test_krm_init(tmp_path: Path) -> None:
    """The command that is named writes a function."""
    done = run("-m", "crossplane_lite", "krm", "init", "label", "--sdk-from", "0.1.0", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "label" / "Dockerfile").is_file()

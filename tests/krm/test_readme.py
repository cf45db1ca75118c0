"""The README's section on KRM functions: its code runs as it stands there, and prints what it shows."""

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
from tests.testing.inner import ROOT, Project

README = ROOT / "README.rst"
TITLE = "KRM functions"

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata:\n  team: storefront\n  replicas: '3'\n"
APP = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {tier: web}   # what the dashboards group by
spec:
  replicas: 1           # more in production
  template:
    spec:
      containers:
      - name: web
        image: "example.com/web:1.4"
"""
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


@pytest.fixture(scope="module")
def section() -> str:
    """The section's text."""
    _, _, rest = README.read_text(encoding="utf-8").partition(f"\n{TITLE}\n{'-' * len(TITLE)}\n")
    if not rest:
        pytest.skip(f"{README} has no section {TITLE!r}")
    return re.split(r"\n\n[^\n]+\n-{4,}\n", rest)[0]


def block(section: str, has: str) -> str:
    """Return the literal block of a section that has a text in it."""
    found = re.findall(r"(?:::|:: \w+)\n\n((?: {4}[^\n]*\n|\n)+)", section)
    (one,) = [text for text in map(textwrap.dedent, found) if has in text]
    return one.strip("\n") + "\n"


def run(*arguments: str, folder: Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run Python in a folder."""
    paths = os.pathsep.join([str(ROOT), str(folder)])
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, input=data, capture_output=True, check=False)


@pytest.fixture
def folder(section: str, tmp_path: Path) -> Path:
    """A folder with the README's function, and with files for it."""
    for name, text in {"label.py": block(section, "@krm.function"), "config.yaml": CONFIG, "app.yaml": APP}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_function_on_files(section: str, folder: Path) -> None:
    """The command prints the difference that is shown, and the warning."""
    (command,) = [line.strip() for line in section.splitlines() if line.startswith("    python label.py ")]
    done = run(*command.split()[1:], folder=folder)
    assert done.stdout.decode().splitlines() == block(section, "--- a/app.yaml").splitlines()
    assert b"warning: Deployment web spec.template.spec.containers[0].resources.limits.cpu" in done.stderr


def test_the_function_between_pipes(folder: Path) -> None:
    """The program and `crossplane-lite krm run` do the same with a ResourceList."""
    items = textwrap.indent(APP, "  ").replace("  ", "- ", 1)
    config = textwrap.indent(CONFIG, "  ")
    data = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}functionConfig:\n{config}".encode()
    done = run("label.py", folder=folder, data=data)
    assert (done.returncode, done.stdout.count(b"team: storefront")) == (0, 2), done.stderr
    again = run("-m", "crossplane_lite", "krm", "run", "label:transform", folder=folder, data=data)
    assert again.stdout == done.stdout


def test_the_table(section: str) -> None:
    """Everything that the table has works as it is written."""
    table = section.split("\n=====")[1]
    rows = re.findall(r"^(``.*?)(?: {2,}|\n)", table, re.MULTILINE)
    assert len(rows) >= 12
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
def test_the_golden_test(section: str, folder: Path) -> None:
    """The test writes what comes of a case with the option, and passes then."""
    project = Project(folder)
    project.write("test_label.py", block(section, "krm.testing.golden"))
    project.write("golden/web/functionConfig.yaml", CONFIG)
    project.write("golden/web/resources/app.yaml", APP)
    assert project.pytest().status == 1
    assert project.pytest("--crossplane-update-snapshots").status == 0
    assert project.pytest().status == 0
    assert "replicas: 3           # more" in project.read("golden/web/expected/resources/app.yaml")


def test_the_composition(section: str, tmp_path: Path) -> None:
    """The program composes the bucket, and says what its access control waits for."""
    done = run("-c", block(section, "krm.from_composition"), folder=tmp_path, data=COMPOSITE)
    assert done.returncode == 0, done.stderr
    assert b"kind: Bucket\n" in done.stdout
    assert b"acl is held back: it waits for bucket.external_name" in done.stdout


def test_krm_init(tmp_path: Path) -> None:
    """The command that is named writes a function."""
    done = run("-m", "crossplane_lite", "krm", "init", "label", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "label" / "Dockerfile").is_file()

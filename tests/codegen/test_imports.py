"""The lines that import what was made."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.codegen.definitions import Kind, definitions
from crossplane_lite._tools.codegen.imports import import_lines, is_importable
from crossplane_lite._tools.manifests.yaml import Document
from tests.codegen.generated import component, crd, obj, openapi, output, package

Json = dict[str, Any]


def kinds(*contents: Json) -> list[Kind]:
    """Return the kinds of some documents."""
    return definitions([Document(f"file {number}", one) for number, one in enumerate(contents)]).kinds


def native(group: str, package: str, kind: str) -> Json:
    """Return the document of a kind of Kubernetes."""
    return openapi(**{f"io.k8s.api.{package}.v1.{kind}": component(obj(apiVersion="s", kind="s"), group, "v1", kind)})


def test_lines(tmp_path: Path) -> None:
    """A line for the stored version of each kind: definitions, then the usual kinds of Kubernetes, then others."""
    found = kinds(
        *(native("authentication.k8s.io", "authentication", "TokenReview"), native("apps", "apps", "Deployment")),
        *(native("apps", "apps", "StatefulSet"), crd(obj(), obj(), kind="Bucket", versions=["v1beta1", "v1"])),
    )
    assert import_lines(found, tmp_path / "models") == [
        "from models.org.example.bucket import v1 as bucketv1",
        "from models.io.k8s.api.apps import v1 as appsv1",
        "from models.io.k8s.api.authentication import v1 as authenticationv1",
    ]


def test_equal_names(tmp_path: Path) -> None:
    """Modules whose last parts are the same have aliases that tell them apart."""
    found = kinds(crd(obj(), group="a.org", kind="Bucket"), crd(obj(), group="b.org", kind="Bucket"))
    assert import_lines(found, tmp_path / "models") == [
        "from models.org.a.bucket import v1 as bucketv1",
        "from models.org.b.bucket import v1 as bbucketv1",
    ]


def test_packages_around(tmp_path: Path) -> None:
    """The packages that the folder lies in are part of the name; other folders are not."""
    (tmp_path / "src" / "network" / "apis").mkdir(parents=True)
    for name in ("src/network", "src/network/apis"):
        (tmp_path / name / "__init__.py").touch()
    (line,) = import_lines(kinds(crd(obj())), tmp_path / "src" / "network" / "apis" / "models")
    assert line == "from network.apis.models.org.example.thing import v1 as thingv1"


@pytest.mark.parametrize("name", ["my-models", "class", "3d"])
def test_a_folder_that_is_no_package(tmp_path: Path, name: str) -> None:
    """There is no line for a folder whose name can't be imported."""
    assert import_lines(kinds(crd(obj())), tmp_path / name) == []
    assert not is_importable(tmp_path / name)
    assert is_importable(tmp_path / name / ".." / "models")


def test_they_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines are what imports the modules."""
    made = package(tmp_path, output(crd(obj(a="s"))))
    (line,) = import_lines(kinds(crd(obj(a="s"))), tmp_path / made.name)
    namespace: Json = {}
    exec(line, namespace)
    assert namespace["thingv1"] is importlib.import_module(f"{made.name}.org.example.thing.v1")
    assert namespace["thingv1"].Thing(a="x").a == "x"
    assert made.name in sys.modules

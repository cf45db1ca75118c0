"""The definitions of a live API server are read through the real kubectl."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.codegen.cluster import documents
from crossplane_lite.cli import main
from crossplane_lite.errors import InputError
from tests.codegen.generated import component, crd, obj, openapi
from tests.programs.api_server import ApiServer, Kind, needs_kubectl, serving

Json = dict[str, Any]

pytestmark = needs_kubectl

CRDS = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False)


def native(group: str, package: str, kind: str) -> bytes:
    """Return the OpenAPI document of a kind of Kubernetes."""
    named = component(obj(apiVersion="s", kind="s", spec=obj(replicas="i")), group, "v1", kind)
    return json.dumps(openapi(**{f"io.k8s.api.{package}.v1.{kind}": named})).encode()


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """Serve a definition, two documents of Kubernetes, and those that have nothing of their own."""
    api = ApiServer([CRDS])
    api.objects = [crd(obj(spec=obj(size="i")), group="example.org", kind="Thing")]
    api.documents = {
        "api/v1": ("A" * 16, native("", "core", "Pod")),
        "apis/apps/v1": ("B" * 16, native("apps", "apps", "Deployment")),
        "apis/example.org/v1": ("C" * 16, b"never asked for: a definition has it"),
        "apis/apps": ("D" * 16, b"never asked for: it has no kinds"),
        "version": ("E" * 16, b"never asked for"),
    }
    with serving(tmp_path, monkeypatch, api):
        yield api


@pytest.mark.slow
def test_generate(api: ApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The kinds of the cluster are made into models, of its definitions and of its OpenAPI documents."""
    models = tmp_path / "models"
    assert main(["generate", "-o", str(models), "--kube-context"]) == 0
    files = sorted(str(path.relative_to(models)) for path in models.rglob("*.py") if path.name != "__init__.py")
    assert files == ["io/k8s/api/apps/v1.py", "io/k8s/api/core/v1.py", "org/example/thing/v1.py"]
    assert capsys.readouterr().out.startswith("3 kinds, ")


@pytest.mark.slow
def test_only_what_is_asked_for_is_fetched(api: ApiServer) -> None:
    """Documents of groups that no pattern of --only can mean are not fetched."""
    assert [one.where.split(",")[0] for one in documents("dev", ["APPS/*"])] == [
        "the kubectl context dev",
        "/openapi/v3/apis/apps/v1 of the kubectl context dev",
    ]
    assert len(list(documents("dev", ["core/Pod", "example.org/Thing"]))) == 2
    assert not any("api/v1?" in path and "apis" in path for path in api.asked)
    assert sum(path.startswith("/openapi/v3/apis/example.org") for path in api.asked) == 0


@pytest.mark.slow
def test_beside_files(api: ApiServer, tmp_path: Path) -> None:
    """A cluster is read besides the sources that are named."""
    other = tmp_path / "other.json"
    other.write_text(json.dumps(crd(obj(a="s"), group="b.org", kind="Other")))
    models = tmp_path / "models"
    assert main(["generate", str(other), "-o", str(models), "--kube-context", "dev", "--only", "*/[OT]*"]) == 0
    assert (models / "org/b/other/v1.py").is_file()
    assert (models / "org/example/thing/v1.py").is_file()


@pytest.mark.slow  # a server
def test_a_cluster_that_refuses(api: ApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What kubectl says is one line, and nothing is written."""
    api.forbidden.add(CRDS.plural)
    assert main(["generate", "-o", str(tmp_path / "models"), "--kube-context", "dev"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(
        "crossplane-lite generate: kubectl can't read CustomResourceDefinitions from the context dev"
    )
    assert told.count("\n") == 1
    assert not (tmp_path / "models").exists()
    assert main(["generate", "-o", str(tmp_path / "models"), "--kube-context", "prod"]) == 2
    assert "prod" in capsys.readouterr().err


@pytest.mark.slow
def test_an_empty_cluster(api: ApiServer) -> None:
    """A cluster without definitions has those of its documents, and one without any says so."""
    api.objects = []
    del api.documents["apis/example.org/v1"]
    assert len(list(documents("dev"))) == 2
    api.documents = {}
    with pytest.raises(InputError, match="the cluster has no kind that models can be made of"):
        from crossplane_lite._tools.codegen.command import command

        command(["--kube-context", "dev", "-o", "models"])

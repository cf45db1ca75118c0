"""The project's commands against the live API server, and a package that Crossplane's package manager reads."""

from __future__ import annotations

import contextlib
import hashlib
import json
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.programs.api_server import needs_kubectl

from .kube import wait
from .world import ROOT, Composite, World, condition

_EXAMPLE = ROOT / "examples" / "vpc"
_INPUTS = ("xr.yaml", "composition.yaml", "functions.yaml")
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"


@pytest.fixture(scope="module")
def network(shared_world: World) -> Composite:
    """The VPC example, Ready, with a zone."""
    function = shared_world.function("examples.vpc.function:compose")
    made = shared_world.example("vpc", function, zones=["a"])
    made.wait_ready(200)
    return made


def _files(world: World, network: Composite, folder: Path, **spec: Any) -> list[Path]:
    """Write the composite as it is in the cluster, with another spec, beside the example's other files."""
    paths = [folder / name for name in _INPUTS]
    one = network.get()
    one["metadata"].pop("managedFields")
    one["spec"].update(spec)
    paths[0].write_text(yaml.safe_dump(one))
    for path in paths[1:]:
        path.write_text((_EXAMPLE / path.name).read_text())
    return paths


@needs_kubectl
def test_generate(shared_world: World, network: Composite, tmp_path: Path) -> None:
    """Models made from the API server are those of its stored kinds, and they are right Python."""
    only = ("--only", "ec2.aws.m.upbound.io/Subnet", "--only", "platform.example.com/Network")
    done = shared_world.command("generate", "--kube-context", "-o", tmp_path / "models", *only)
    assert done.returncode == 0, done.stderr
    names = {path.parent.name for path in (tmp_path / "models").rglob("v1*.py")}
    assert {"subnet", "network"} <= names


@needs_kubectl
def test_diff(shared_world: World, network: Composite, tmp_path: Path) -> None:
    """A rollout that changes nothing has no differences; a zone less is shown with all that goes, and only that."""
    same = shared_world.command(
        "diff", *_files(shared_world, network, tmp_path), "--kube-context", "tests", "--exit-code"
    )
    assert same.returncode == 0, same.stdout + same.stderr
    paths = _files(shared_world, network, tmp_path, zones=["b"])
    changed = shared_world.command("diff", *paths, "--kube-context", "tests", "--format", "json")
    assert changed.returncode == 3, changed.stdout + changed.stderr
    rows = json.dumps(json.loads(changed.stdout))
    zone = {name for name in network.composed() if name.endswith(("-a", "-a-routes"))}
    assert all(name in rows for name in zone)
    before = network.snapshot()
    network.kube.merge(network.path, {"spec": {"zones": ["b"]}})
    assert wait(lambda: not zone & network.composed().keys(), 120)
    assert zone == set(network.since(before).gone)
    network.kube.merge(network.path, {"spec": {"zones": ["a"]}})
    network.wait_ready(150)


@needs_kubectl
def test_explain(shared_world: World, network: Composite, tmp_path: Path) -> None:
    """--explain finds in the cluster which value a field is made from."""
    paths = _files(shared_world, network, tmp_path)
    done = shared_world.command(
        "render", *paths, "--kube-context", "tests", "--explain", "public-a", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    assert "vpc.status.atProvider.id" in done.stdout


@contextlib.contextmanager
def _registry(package: Path) -> Iterator[str]:
    """Serve a package as a registry does, and yield its reference without the tag."""
    with tarfile.open(package) as archive:
        files = {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}  # type: ignore[union-attr]
    (image,) = json.loads(files["manifest.json"])
    config = files[image["Config"]]
    labels = json.loads(config)["config"].get("Labels", {})
    blobs = {f"sha256:{hashlib.sha256(content).hexdigest()}": content for content in files.values()}

    def described(kind: str, content: bytes) -> dict[str, Any]:
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        note = labels.get(f"io.crossplane.xpkg:{digest}")
        notes = {"annotations": {"io.crossplane.xpkg": note}} if note else {}
        return {"mediaType": kind, "digest": digest, "size": len(content), **notes}

    layer = "application/vnd.oci.image.layer.v1.tar+gzip"
    manifest = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "config": described("application/vnd.oci.image.config.v1+json", config),
        "layers": [described(layer, files[name]) for name in image["Layers"]],
    }
    text = json.dumps(manifest).encode()
    name = f"sha256:{hashlib.sha256(text).hexdigest()}"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            *_, kind, reference = self.path.split("/")
            found = text if kind == "manifests" else blobs.get(reference)
            if self.path == "/v2/":
                found = b"{}"
            self.send_response(404 if found is None else 200)
            if kind == "manifests":
                self.send_header("Content-Type", _MANIFEST)
                self.send_header("Docker-Content-Digest", name)
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(found or b"")

        do_HEAD = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}/platform/function"
        finally:
            server.shutdown()


def test_a_package(world: World, tmp_path: Path) -> None:
    """Crossplane's package manager installs a package of `xpkg build`, with the CRD of the function's input."""
    root = tmp_path / "package"
    root.mkdir()
    meta = {
        "apiVersion": "meta.pkg.crossplane.io/v1",
        "kind": "Function",
        "metadata": {"name": f"function-{world.name}"},
        "spec": {"crossplane": {"version": ">=v2.0.0"}, "capabilities": ["composition"]},
    }
    (root / "crossplane.yaml").write_text(yaml.safe_dump(meta))
    package = tmp_path / "function.xpkg"
    done = world.command("xpkg", "build", "--package-root", root, "-o", package)
    assert done.returncode == 0, done.stderr
    with _registry(package) as reference:
        one = {
            "apiVersion": "pkg.crossplane.io/v1",
            "kind": "Function",
            "metadata": {"name": f"function-{world.name}"},
            # The programs may have been built without a version.
            "spec": {"package": f"{reference}:v0.1.0", "ignoreCrossplaneConstraints": True},
        }
        world.kube.apply(one)
        path = world.kube.path(one)
        installed = wait(lambda: condition(world.kube.get(path), "Installed").get("status") == "True", 90)
        assert installed, world.kube.get(path).get("status")
        revision = world.kube.get(path)["status"]["currentRevision"]
        where = f"/apis/pkg.crossplane.io/v1/functionrevisions/{revision}"
        assert wait(lambda: world.kube.get(where).get("status", {}).get("conditions"), 60)
        status = world.kube.get(where)["status"]
        # The package was read and checked. There is no runtime of packages here, which would make its certificates.
        assert status["capabilities"] == ["composition"]
        assert "waiting for package runtime controller" in condition({"status": status}, "RevisionHealthy")["message"]
        world.kube.delete(path)
        assert wait(lambda: world.kube.find(path) is None, 60)

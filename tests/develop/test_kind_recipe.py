"""The documentation's way to serve a cluster in kind from one's own machine, as far as it goes without Docker."""

from __future__ import annotations

import base64
import contextlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from tests.develop.test_dev import FUNCTION, asked, dev
from tests.docs.blocks import blocks
from tests.helpers.ports import free_ports
from tests.programs.api_server import ApiServer, Kind, needs_kubectl, serving
from tests.runtime.certificates import Authority
from tests.runtime.serving import PREFIX, ROOT

PAGE = ROOT / "docs" / "how-to" / "develop.rst"
TEXT = PAGE.read_text(encoding="utf-8")
BEFORE, _, RECIPE = TEXT.partition("\nCalled by a cluster in kind\n")
OBJECTS, COMMANDS = (block.text for block in blocks(PAGE) if 0 < block.line - BEFORE.count("\n") <= RECIPE.count("\n"))
PACKAGE = "function-network"


def objects() -> list[dict[str, Any]]:
    """Return the objects of the first step."""
    return list(pyyaml.safe_load_all(OBJECTS))


def dev_flags() -> list[str]:
    """Return the flags of the third step."""
    (line,) = re.findall(r"^3\. ``crossplane-lite dev network\.function:compose (.*)``$", RECIPE, re.MULTILINE)
    return shlex.split(line)


def test_objects() -> None:
    """The package's pod gets a configuration that is there, and its container is the one that Crossplane fills in."""
    configuration, function = objects()
    assert function["spec"]["runtimeConfigRef"]["name"] == configuration["metadata"]["name"]
    assert function["metadata"]["name"] == PACKAGE
    (container,) = configuration["spec"]["deploymentTemplate"]["spec"]["template"]["spec"]["containers"]
    assert container["name"] == "package-runtime"


def fetch_certificates(folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]) -> None:
    """Run the second step's commands, with kubectl, against an API server that has the Secret."""
    api = ApiServer(
        [
            Kind("v1", "Secret", "secrets"),
            Kind("pkg.crossplane.io/v1", "FunctionRevision", "functionrevisions", namespaced=False),
        ]
    )
    data = {name: base64.b64encode(content).decode() for name, content in files.items()}
    for package in ("function-other", PACKAGE):
        revision = {"name": f"{package}-1", "labels": {"pkg.crossplane.io/package": package}}
        secret = f"{package}-tls"
        api.objects += [
            {
                "apiVersion": "pkg.crossplane.io/v1",
                "kind": "FunctionRevision",
                "metadata": revision,
                "status": {"tlsServerSecretName": secret},
            },
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": secret, "namespace": "crossplane-system"},
                "data": data if package == PACKAGE else {},
            },
        ]
    with serving(folder, monkeypatch, api):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", COMMANDS],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def handed_on(address: str) -> Iterator[str]:
    """Run the pod's program for an address of this machine, and yield the address at which it listens."""
    (port,) = free_ports(1)
    (container,) = objects()[0]["spec"]["deploymentTemplate"]["spec"]["template"]["spec"]["containers"]
    arguments = [one.replace("HOST:9443", address).replace(":9443", f":{port}") for one in container["args"]]
    with subprocess.Popen([container["image"].rpartition("/")[2], *arguments]) as process:
        try:
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.mark.slow
@pytest.mark.real
@needs_kubectl
@pytest.mark.skipif(shutil.which("socat") is None, reason="socat is not installed")
def test_a_call_by_way_of_the_pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the certificates that the commands fetch, `dev` answers calls that the pod's program hands on."""
    authority = Authority()
    server, client = authority.issue(PACKAGE), authority.issue("crossplane")
    files = {"tls.crt": server.certificate, "tls.key": server.key, "ca.crt": authority.certificate}
    fetch_certificates(tmp_path, monkeypatch, files)
    assert {path.name: path.read_bytes() for path in (tmp_path / "certs").iterdir()} == files
    (tmp_path / "fn.py").write_text(FUNCTION.replace("NAME", "first"))
    flags = ["127.0.0.1:0" if flag == "0.0.0.0:9443" else flag for flag in dev_flags()]
    credentials = grpc.ssl_channel_credentials(authority.certificate, client.key, client.certificate)
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(dev(tmp_path, *flags))
        address = stack.enter_context(handed_on(running.wait_for(r"serving.*address='([^']+)' tls=True")[1]))
        channel = stack.enter_context(grpc.secure_channel(address, credentials))
        channel.unary_unary(f"{PREFIX}RunFunction")(asked(), timeout=60, wait_for_ready=True)
        running.wait_for(r"XStorageBucket/photos: 0 observed \(.*\)\n  -> first emitted")

"""Small images, packages and folders for the tests."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.packaging import images
from crossplane_lite._tools.packaging.layers import Entry, write_layer

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crossplane-lite-tests"


def tool(name: str) -> str:
    """Return the path of a program, or skip."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command: str, status: int = 0) -> str:
    """Run a program, and return what it prints on stdout."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


META = """\
apiVersion: meta.pkg.crossplane.io/v1
kind: Function
metadata:
  name: function-a
spec:
  crossplane:
    version: ">=v2.0.0"
  capabilities: [composition]
"""

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: inputs.a.fn.crossplane.io
spec:
  group: a.fn.crossplane.io
  names: {kind: Input, plural: inputs, listKind: InputList, singular: input}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
"""


def elf(machine: int = 0x3E) -> bytes:
    """Return the beginning of a program for a machine, by its number in ELF files."""
    return b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00" + machine.to_bytes(2, "little") + bytes(44)


def root_folder(path: Path, machine: int = 0x3E) -> Path:
    """Make a root folder with something that looks like a Python 3.11."""
    (path / "usr" / "bin").mkdir(parents=True)
    (path / "usr" / "bin" / "python3.11").write_bytes(elf(machine))
    os.symlink("python3.11", path / "usr" / "bin" / "python3")
    os.symlink("usr/bin", path / "bin")
    return path


def image(work: Path, *layers: list[Entry], architecture: str = "amd64", **config: Any) -> images.Image:
    """Return an image of layers; without any it has one file."""
    work.mkdir(parents=True, exist_ok=True)
    written = [
        write_layer(entries, work / f"{architecture}-{number}.tar.gz")
        for number, entries in enumerate(layers or ([Entry("etc/motd", b"hello\n")],))
    ]
    base = images.Image("made", {"architecture": architecture, "os": "linux", "config": config, "rootfs": {}}, [])
    return images.added(base, written, {}, "a test")


def package_folder(path: Path, **more: str) -> Path:
    """Make a package's folder, with further files by their names without .yaml."""
    path.mkdir(exist_ok=True)
    (path / "crossplane.yaml").write_text(META)
    for name, text in more.items():
        (path / f"{name}.yaml").write_text(text)
    return path


def members(data: bytes) -> dict[str, bytes]:
    """Return the files of a tar archive."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {one.name: tar.extractfile(one).read() for one in tar if one.isreg()}  # type: ignore[union-attr]


def tar_of(files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> bytes:
    """Return a tar archive of files, in their order."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), (modes or {}).get(name, 0o644)
            tar.addfile(member, io.BytesIO(content))
    return out.getvalue()


def package_of(layer: bytes, mark: str = "base") -> bytes:
    """Return a package of one marked layer with these bytes, all of whose digests are right."""
    import gzip
    import hashlib

    packed = gzip.compress(layer, mtime=0)
    digest = f"sha256:{hashlib.sha256(packed).hexdigest()}"
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Labels": {f"io.crossplane.xpkg:{digest}": mark}},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
    }
    text = json.dumps(config).encode()
    name = f"sha256:{hashlib.sha256(text).hexdigest()}"
    file = f"{digest[7:]}.tar.gz"
    manifest = json.dumps([{"Config": name, "RepoTags": None, "Layers": [file]}]).encode()
    return tar_of({name: text, file: packed, "manifest.json": manifest})


FUNCTION = '''\
"""A function."""

from crossplane_lite import Unstructured, composition


@composition.function(name="function-a")
def compose(ctx: composition.Context) -> None:
    """Compose one thing."""
    ctx.composite(Unstructured)
    config = ctx.resource("config", Unstructured("v1", "ConfigMap"))
    config.data.key = "value"
'''

PROJECT = """\
[build-system]
requires = ["setuptools>=64"]
build-backend = "setuptools.build_meta"

[project]
name = "function-a"
version = "0.3.0"
dependencies = ["crossplane-lite"]

[project.scripts]
function = "function_a.function:compose.main"

[tool.setuptools]
packages = ["function_a"]
"""


def project(path: Path) -> Path:
    """Make the project of a function."""
    (path / "function_a").mkdir(parents=True)
    (path / "function_a" / "__init__.py").write_text("")
    (path / "function_a" / "function.py").write_text(FUNCTION)
    (path / "pyproject.toml").write_text(PROJECT)
    return path

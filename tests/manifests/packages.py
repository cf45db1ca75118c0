"""Saved images with a `package.yaml`, made as the tools make them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["PACKAGE", "Oci", "digest", "docker", "layer", "tar", "write_oci"]

PACKAGE = b"""---
apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata:
  name: provider-example
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: buckets.example.org
spec:
  group: example.org
"""


def tar(files: Mapping[str, bytes | tarfile.TarInfo]) -> bytes:
    """Return a tar file; a TarInfo is a member without content."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
            else:
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def layer(content: bytes = PACKAGE, name: str = "package.yaml") -> bytes:
    """Return a gzipped layer with one file."""
    return gzip.compress(tar({name: content}), mtime=0)


def digest(data: bytes) -> str:
    """Return the digest as images name it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def docker(
    *layers: bytes, labels: Mapping[str, str] | None = None, names: list[str] | None = None, tag: str = "example:v1"
) -> dict[str, bytes | tarfile.TarInfo]:
    """Return the files of a docker-archive, in the order that `crossplane xpkg build` writes them in.

    Args:
        layers: The layers from the base to the top.
        labels: Labels of the configuration.
        names: The layers' file names; by default their digests.
        tag: The image's tag.
    """
    names = names or [digest(one).removeprefix("sha256:") + ".tar.gz" for one in layers]
    config = json.dumps({"architecture": "amd64", "config": {"Labels": labels}}).encode()
    files: dict[str, bytes | tarfile.TarInfo] = {digest(config): config}
    files.update(zip(names, layers, strict=True))
    manifest = [{"Config": digest(config), "RepoTags": [tag], "Layers": names}]
    files["manifest.json"] = json.dumps(manifest).encode()
    return files


class Oci:
    """An OCI layout in the making.

    Attributes:
        files: Its files by name.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}'}

    def blob(self, data: bytes, **more: Any) -> dict[str, Any]:
        """Add a blob and return its descriptor."""
        self.files["blobs/" + digest(data).replace(":", "/")] = data
        return {"mediaType": "application/octet-stream", "digest": digest(data), "size": len(data), **more}

    def image(
        self, *layers: tuple[bytes, Mapping[str, str]], config: Mapping[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        """Add an image of layers with their annotations, and return its descriptor.

        Args:
            layers: Layers with their annotations.
            config: The image's configuration.
            more: Further fields of the descriptor.
        """
        described = [self.blob(data, annotations=annotations) for data, annotations in layers]
        made = self.blob(json.dumps(config or {"architecture": "amd64"}).encode())
        return self.index_entry({"schemaVersion": 2, "config": made, "layers": described}, **more)

    def index_entry(self, content: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """Add a manifest or an index, and return its descriptor."""
        return self.blob(json.dumps(content).encode(), **more)

    def saved(self, *entries: Mapping[str, Any]) -> dict[str, bytes]:
        """Return the files of the layout with these images."""
        index = json.dumps({"schemaVersion": 2, "manifests": entries}).encode()
        return {**self.files, "index.json": index}


def write_oci(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write a layout to a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder

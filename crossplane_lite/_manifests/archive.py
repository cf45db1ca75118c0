"""Images that were saved to a file, and the `package.yaml` in those that are Crossplane packages.

Two layouts are read: the docker-archive, which `crossplane xpkg build` and `docker save` write (`manifest.json`), and
the OCI layout (`index.json` and `blobs/`), as a tar file or as a folder. Tar files may be gzipped as a whole.

The layer with `package.yaml` is marked `base`: by the label `io.crossplane.xpkg:sha256:<digest of the layer>` of the
image's configuration, or by the layer's annotation `io.crossplane.xpkg` (package specification). Without a mark it is
the topmost layer that has the file.

A tar file that is no image gives its files of YAML and JSON instead, as of a folder, and a gzipped text is that text:
`crossplane xpkg extract` writes a package's `package.yaml` so.

Sizes are limited after unpacking, and every digest that an archive names for what is read is compared.
"""

from __future__ import annotations

import itertools
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final, NamedTuple

from ..errors import InputError
from .archive_files import GZIP, ZSTD, Files, FolderFiles, TarFiles, damage, gzipped_text, printable

__all__ = ["DOCUMENTS", "Image", "Layer", "Stream", "images", "is_archive", "is_layout", "read_archive", "read_layout"]

DOCUMENTS: Final = (".yaml", ".yml", ".json")
"""How the names of files that hold documents end."""

_PACKAGE: Final = "package.yaml"
_OF_IMAGES: Final = ("manifest.json", "index.json", "oci-layout")
_MARK: Final = "io.crossplane.xpkg"
_REF_NAME: Final = "org.opencontainers.image.ref.name"
# An image that was built with attestations has them beside it, as further images.
_ATTESTATION: Final = "vnd.docker.reference.type"

_TAR: Final = slice(257, 262)  # where a tar file has the word "ustar"
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
# File names in docker archives that are the digests of the files.
_NAMED_DIGEST: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})(?:\.json|\.tar|\.tar\.gz)?")


class Stream(NamedTuple):
    """The bytes of a stream of documents.

    Attributes:
        label: What messages call it, for example `provider.xpkg:package.yaml`.
        data: The bytes.
    """

    label: str
    data: bytes


class Layer(NamedTuple):
    """A layer of a saved image.

    Attributes:
        file: Its name in the archive.
        digest: The digest of the file, where the archive says it.
        unpacked: The digest of what the file unpacks to, where the configuration says it.
        mark: What a package's mark says of it: `base` for the one with `package.yaml`.
    """

    file: str
    digest: str | None
    unpacked: str | None
    mark: str | None


class Image(NamedTuple):
    """A saved image.

    Attributes:
        name: What messages call it in the archive.
        config: Its configuration, with operating system, architecture and labels.
        layers: The lowest first.
    """

    name: str
    config: Mapping[str, Any]
    layers: list[Layer]


def is_archive(head: bytes) -> bool:
    """Say whether a file is a tar file or compressed, from its first 512 bytes."""
    return head[_TAR] == b"ustar" or head.startswith((GZIP, ZSTD))


def is_layout(folder: str) -> bool:
    """Say whether a folder is an OCI layout."""
    return all(os.path.isfile(os.path.join(folder, name)) for name in ("oci-layout", "index.json"))


def read_archive(file: BinaryIO, label: str) -> list[Stream]:
    """Read the package in a saved image, the documents in another tar file, or a gzipped text.

    Args:
        file: The archive; seekable, and at its first byte.
        label: What messages call it.

    Returns:
        Its `package.yaml`; several where the archive holds several images that differ in it. Of a tar file that is no
        image, the files of YAML and JSON.

    Raises:
        InputError: It isn't such an archive, holds no package, is damaged, or too large.
    """
    text = gzipped_text(file, label)
    if text is not None:
        return [Stream(label, text)]
    files = TarFiles(file, label)
    return _documents(files) or _read(files)


def _documents(files: TarFiles) -> list[Stream]:
    """Return the documents in a tar file that is no image; nothing where it is one, or has none."""
    if any(files.has(name) for name in _OF_IMAGES):
        return []
    found = []
    with damage(files.label, "can't be read"):
        for name in files.names():
            # Hidden ones are none of the author's, such as those that macOS puts beside others.
            if not name.lower().endswith(DOCUMENTS) or any(part.startswith(".") for part in name.split("/")):
                continue
            data = files.read(name)
            if data is not None:
                found.append(Stream(f"{files.label}:{printable(name)}", data))
    return found


def read_layout(folder: str) -> list[Stream]:
    """Read the package in an OCI layout that is a folder; returns and raises as `read_archive`."""
    return _read(FolderFiles(folder))


def _read(files: Files) -> list[Stream]:
    found: dict[bytes, str] = {}
    searched: dict[str, bytes | None] = {}
    with damage(files.label, "can't be read"):
        for image in images(files):
            data = _package_of(files, image, searched)
            if data is not None:
                found.setdefault(data, image.name)
    if not found:
        raise InputError(f"{files.label} has no {_PACKAGE}: it is not a Crossplane package")
    if len(found) == 1:
        return [Stream(f"{files.label}:{_PACKAGE}", data) for data in found]
    return [Stream(f"{files.label}:{printable(name)}:{_PACKAGE}", data) for data, name in found.items()]


def images(files: Files, *, every: bool = False) -> Iterator[Image]:
    """Yield the images of an archive.

    Args:
        files: The archive.
        every: Yield each image of an index, for any platform; otherwise the first one that is there stands for all.

    Raises:
        InputError: It isn't such an archive, or is damaged.
    """
    # Newer versions of docker write both; only the OCI layout has annotations.
    if files.has("index.json"):
        index = files.typed("index.json", files.json("index.json"), dict)
        for where, entry in files.objects("index.json: manifests", index.get("manifests")):
            found = _oci_images(files, where, entry)
            yield from found if every else itertools.islice(found, 1)
    elif files.has("manifest.json"):
        for where, entry in files.objects("manifest.json: images", files.json("manifest.json")):
            yield _docker_image(files, where, entry)
    else:
        raise InputError(f"{files.label} is not a whole image archive: it has neither manifest.json nor index.json")


def _docker_image(files: Files, where: str, entry: Mapping[str, Any]) -> Image:
    config = files.typed(f"{where}.Config", entry.get("Config"), str)
    names = files.typed(f"{where}.Layers", entry.get("Layers"), list)
    for number, name in enumerate(names):
        files.typed(f"{where}.Layers[{number}]", name, str)
    read, labels, unpacked = _config(files, config, _named_digest(config), len(names))
    layers = []
    for name, below in zip(names, unpacked, strict=True):
        digest = _named_digest(name)
        if labels and digest is None:
            digest = f"sha256:{files.hash(name).hexdigest()}"
        layers.append(Layer(name, digest, below, _text(labels.get(f"{_MARK}:{digest}"))))
    tags = entry.get("RepoTags")
    return Image(str(tags[0]) if isinstance(tags, list) and tags else config, read, layers)


def _oci_images(files: Files, where: str, entry: Mapping[str, Any]) -> Iterator[Image]:
    """Yield an image, or those of an index below that are there."""
    name = _mapping(entry.get("annotations")).get(_REF_NAME) or entry.get("digest")
    missing = None
    is_there = False
    seen = set()
    work = [(where, entry)]
    while work:
        where, entry = work.pop()
        digest = _digest(files, where, entry)
        if digest in seen or _ATTESTATION in _mapping(entry.get("annotations")):
            continue
        seen.add(digest)
        blob = _blob(digest)
        if not files.has(blob):  # an index may name architectures that were not saved
            missing = missing or blob
            continue
        manifest = files.typed(blob, files.json(blob, digest), dict)
        if "layers" in manifest:
            is_there = True
            yield Image(str(name), *_oci_parts(files, blob, manifest))
            continue
        work += reversed(files.objects(f"{blob}: manifests", manifest.get("manifests")))
    if missing is not None and not is_there:
        raise files.error(f"{missing} is missing")


def _oci_parts(files: Files, where: str, manifest: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Layer]]:
    """Return the configuration and the layers of an image."""
    config = _digest(files, f"{where}: config", files.typed(f"{where}: config", manifest.get("config"), dict))
    entries = files.objects(f"{where}: layers", manifest.get("layers"))
    read, labels, unpacked = _config(files, _blob(config), config, len(entries))
    layers = []
    for (place, entry), below in zip(entries, unpacked, strict=True):
        digest = _digest(files, place, entry)
        mark = _text(_mapping(entry.get("annotations")).get(_MARK)) or _text(labels.get(f"{_MARK}:{digest}"))
        layers.append(Layer(_blob(digest), digest, below, mark))
    return read, layers


def _config(
    files: Files, name: str, digest: str | None, layers: int
) -> tuple[Mapping[str, Any], Mapping[str, Any], list[str | None]]:
    """Return an image's configuration, its labels, and for each layer the digest of what it unpacks to."""
    config = files.typed(name, files.json(name, digest), dict)
    unpacked = _mapping(config.get("rootfs")).get("diff_ids")
    known: list[str | None] = [None] * layers
    if isinstance(unpacked, list) and len(unpacked) == layers:
        known = [one if isinstance(one, str) and _DIGEST.fullmatch(one) else None for one in unpacked]
    return config, _mapping(_mapping(config.get("config")).get("Labels")), known


def _package_of(files: Files, image: Image, searched: dict[str, bytes | None]) -> bytes | None:
    """Return the package.yaml of an image.

    Args:
        files: The archive.
        image: The image.
        searched: What the layers hold that have been read; images may share them.
    """
    marked = [layer for layer in image.layers if layer.mark == "base"]
    for layer in marked[:1] or reversed(image.layers):
        if layer.file not in searched:
            if layer.digest is not None:
                files.check(layer.file, layer.digest, files.hash(layer.file, layer.digest))
            searched[layer.file] = files.unpacked(layer.file, _PACKAGE, layer.unpacked)
        data = searched[layer.file]
        if data is not None:
            return data
    return None


def _digest(files: Files, where: str, descriptor: Mapping[str, Any]) -> str:
    digest: str = files.typed(f"{where}.digest", descriptor.get("digest"), str)
    if not _DIGEST.fullmatch(digest):
        raise files.error(f"{where}.digest must be a sha256 or sha512 digest (got {digest!r:.80})")
    return digest


def _named_digest(name: str) -> str | None:
    match = _NAMED_DIGEST.fullmatch(posixpath.basename(name))
    return f"sha256:{match[1]}" if match else None


def _blob(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def _text(value: Any) -> str | None:
    """Return a text that may be left out, or be anything else in a damaged file."""
    return value if isinstance(value, str) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping that may be left out."""
    return value if isinstance(value, dict) else {}

"""Reads container images that were saved to a file or a folder, and the `package.yaml` of
Crossplane packages in them.

Two layouts are read: the docker-archive, which `crossplane xpkg build` and `docker save` write
(`manifest.json`), and the OCI layout (`index.json` and `blobs/`), as a tar file or as a folder. A
tar file may be gzipped.

A Crossplane package marks the layer that has `package.yaml` with the word `base`. The mark is the
value of the label `io.crossplane.xpkg:sha256:<digest of the layer>` in the image's configuration,
or of the layer's annotation `io.crossplane.xpkg` (package specification). Without a mark, the
topmost layer that has the file is read.

From a tar file that isn't an image, the YAML and JSON files are read, as from a folder. A gzipped
text file is unpacked and read: `crossplane xpkg extract` writes a package's `package.yaml` in this
form.

The limits on sizes are for unpacked bytes. If the archive has a digest for a file that is read, the
file's content is checked against the digest.
"""

from __future__ import annotations

import itertools
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final, NamedTuple

from ...errors import InputError
from .archive_files import GZIP, ZSTD, Files, FolderFiles, TarFiles, damage, gzipped_text, printable

DOCUMENTS: Final = (".yaml", ".yml", ".json")
"""The extensions of the names of files with YAML or JSON documents."""

_PACKAGE: Final = "package.yaml"
_OF_IMAGES: Final = ("manifest.json", "index.json", "oci-layout")
_MARK: Final = "io.crossplane.xpkg"
_REF_NAME: Final = "org.opencontainers.image.ref.name"
# The annotation of attestations, which are listed beside their image like further images.
_ATTESTATION: Final = "vnd.docker.reference.type"

_TAR: Final = slice(257, 262)  # the place of the word "ustar" in a tar file
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
# Matches file names in docker archives that have the files' digests.
_NAMED_DIGEST: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})(?:\.json|\.tar|\.tar\.gz)?")


class Stream(NamedTuple):
    """The content of one file of YAML or JSON documents, such as the `package.yaml` of a package.

    Attributes:
        label: The file's name in messages, for example `provider.xpkg:package.yaml`.
        data: The file's bytes, unpacked.
    """

    label: str
    data: bytes


class Layer(NamedTuple):
    """A layer of a saved image. A digest is a string such as `sha256:<64 hexadecimal digits>`.

    Attributes:
        file: The name of the layer's file in the archive.
        digest: The digest of the file as it is stored, gzipped or not; None if the archive has no
            digest for it.
        unpacked: The digest of the unpacked file; None if the image's configuration has no digest
            for it.
        mark: Crossplane's mark of the layer, such as `base` for the layer with `package.yaml`; None
            without a mark.
    """

    file: str
    digest: str | None
    unpacked: str | None
    mark: str | None


class Image(NamedTuple):
    """A saved image.

    Attributes:
        name: The image's name in messages: the image's tag; without a tag, the name of a file, or a
            digest.
        config: The image's configuration, with operating system, architecture and labels.
        layers: The layers, from the lowest to the topmost.
    """

    name: str
    config: Mapping[str, Any]
    layers: list[Layer]


class NoPackageError(InputError):
    """A whole image isn't a Crossplane package."""


def is_archive(head: bytes) -> bool:
    """Return whether a file is a tar file, or compressed with gzip or zstd. `head` has the file's
    first 512 bytes.
    """
    return head[_TAR] == b"ustar" or head.startswith((GZIP, ZSTD))


def is_layout(folder: str) -> bool:
    """Return whether a folder is an OCI layout, which has the files oci-layout and index.json."""
    return all(os.path.isfile(os.path.join(folder, name)) for name in ("oci-layout", "index.json"))


def read_archive(file: BinaryIO, label: str) -> list[Stream]:
    """Read the Crossplane package in a saved image, the YAML and JSON files in another tar file, or
    a gzipped text.

    For an image, these are each different `package.yaml` of its images; for another tar file, its
    YAML and JSON files that aren't hidden. `file` is seekable and at its first byte. Raises
    InputError if the file is none of these, is damaged or too large, or no image in it has a
    `package.yaml`.
    """
    text = gzipped_text(file, label)
    if text is not None:
        return [Stream(label, text)]
    files = TarFiles(file, label)
    return _documents(files) or read_files(files)


def _documents(files: TarFiles) -> list[Stream]:
    """Return the YAML and JSON files in a tar file; an empty list if it is an image, or has no such
    files.

    Hidden files, and files in hidden folders, are left out.

    Raises:
        InputError: A file is damaged or too large.
    """
    if any(files.has(name) for name in _OF_IMAGES):
        return []
    found = []
    with damage(files.label, "can't be read"):
        for name in files.names():
            # Hidden files aren't the author's: macOS, for example, puts them beside others.
            if not name.lower().endswith(DOCUMENTS) or any(
                part.startswith(".") for part in name.split("/")
            ):
                continue
            data = files.read(name)
            if data is not None:
                found.append(Stream(f"{files.label}:{printable(name)}", data))
    return found


def read_layout(folder: str) -> list[Stream]:
    """Read the Crossplane package in an OCI layout that is a folder.

    For several images, each `package.yaml` that differs from the others is returned. Raises
    InputError if the folder isn't an OCI layout, a file in it is missing, damaged or too large, or
    no image has a `package.yaml`.
    """
    return read_files(FolderFiles(folder))


def read_files(files: Files) -> list[Stream]:
    """Read the Crossplane package in an image. Raises InputError as `read_layout` does."""
    found: dict[bytes, str] = {}
    searched: dict[str, bytes | None] = {}
    with damage(files.label, "can't be read"):
        for image in images(files):
            data = _package_of(files, image, searched)
            if data is not None:
                found.setdefault(data, image.name)
    if not found:
        raise NoPackageError(
            f"{files.label} has no {_PACKAGE}: it is not a Crossplane package; build one with"
            " `crossplane xpkg build`"
        )
    if len(found) == 1:
        return [Stream(f"{files.label}:{_PACKAGE}", data) for data in found]
    return [
        Stream(f"{files.label}:{printable(name)}:{_PACKAGE}", data) for data, name in found.items()
    ]


def images(files: Files, *, every: bool = False) -> Iterator[Image]:
    """Yield the images of an archive, without the attestations that an index lists beside them.

    By default only the first platform of a multi-platform image is yielded; with `every`, all saved
    ones are. The caller wraps the iteration in `archive_files.damage`. Raises InputError if this
    isn't a whole image archive, or is damaged.
    """
    # Newer versions of docker write both layouts. The OCI layout is better, because it has
    # annotations.
    if files.has("index.json"):
        index = files.typed("index.json", files.json("index.json"), dict)
        for where, entry in files.objects("index.json: manifests", index.get("manifests")):
            found = _oci_images(files, where, entry)
            yield from found if every else itertools.islice(found, 1)
    elif files.has("manifest.json"):
        for where, entry in files.objects("manifest.json: images", files.json("manifest.json")):
            yield _docker_image(files, where, entry)
    else:
        raise InputError(
            f"{files.label} is not a whole image archive: it has neither manifest.json nor"
            " index.json; save the image with `docker save` or `crossplane xpkg build`"
        )


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
    """Yield the image of an entry in `index.json`; for an entry that is an index itself, each of
    its saved images.

    `where` is the entry's place for messages. Raises InputError if no image of the entry was saved,
    or a manifest or configuration is missing, damaged or wrong.
    """
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
        if not files.has(blob):  # an index may list architectures that were not saved
            missing = missing or blob
            continue
        manifest = files.typed(blob, files.json(blob, digest), dict)
        if "layers" in manifest:
            is_there = True
            yield Image(str(name), *_oci_parts(files, blob, manifest))
            continue
        work += reversed(files.objects(f"{blob}: manifests", manifest.get("manifests")))
    if missing is not None and not is_there:
        raise files.error(f"{missing} is missing: save the image again, with all of its files")


def _oci_parts(
    files: Files, where: str, manifest: Mapping[str, Any]
) -> tuple[Mapping[str, Any], list[Layer]]:
    """Return the configuration and the layers of an image in the OCI layout.

    Raises InputError if a field of `manifest` is missing or wrong, or the configuration can't be
    read.
    """
    config = _digest(
        files, f"{where}: config", files.typed(f"{where}: config", manifest.get("config"), dict)
    )
    entries = files.objects(f"{where}: layers", manifest.get("layers"))
    read, labels, unpacked = _config(files, _blob(config), config, len(entries))
    layers = []
    for (place, entry), below in zip(entries, unpacked, strict=True):
        digest = _digest(files, place, entry)
        mark = _text(_mapping(entry.get("annotations")).get(_MARK)) or _text(
            labels.get(f"{_MARK}:{digest}")
        )
        layers.append(Layer(_blob(digest), digest, below, mark))
    return read, layers


def _config(
    files: Files, name: str, digest: str | None, layers: int
) -> tuple[Mapping[str, Any], Mapping[str, Any], list[str | None]]:
    """Return an image's configuration, the labels in it, and the digest (or None) of each layer's
    unpacked content.

    If the configuration doesn't have as many digests as there are `layers`, all are None. Raises
    InputError if the file can't be read, isn't a JSON object, or has another digest than `digest`.
    """
    config = files.typed(name, files.json(name, digest), dict)
    unpacked = _mapping(config.get("rootfs")).get("diff_ids")
    known: list[str | None] = [None] * layers
    if isinstance(unpacked, list) and len(unpacked) == layers:
        known = [
            one if isinstance(one, str) and _DIGEST.fullmatch(one) else None for one in unpacked
        ]
    return config, _mapping(_mapping(config.get("config")).get("Labels")), known


def _package_of(files: Files, image: Image, searched: dict[str, bytes | None]) -> bytes | None:
    """Return the content of an image's `package.yaml`; None if the image has no such file.

    Only the first layer with the mark `base` is searched; without this mark, all layers are, from
    the topmost. Images may share layers, so `searched` keeps the result for each layer's file.
    Raises InputError if a layer is missing, damaged or too large.
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
        raise files.error(
            f"{where}.digest must be sha256: with 64, or sha512: with 128, lower-case hexadecimal"
            f" digits (got {digest!r:.80}); the archive may be damaged: save it again"
        )
    return digest


def _named_digest(name: str) -> str | None:
    match = _NAMED_DIGEST.fullmatch(posixpath.basename(name))
    return f"sha256:{match[1]}" if match else None


def _blob(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def _text(value: Any) -> str | None:
    """Return a value if it is a string; None for anything else."""
    return value if isinstance(value, str) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a value if it is a dict; an empty dict for anything else."""
    return value if isinstance(value, dict) else {}

"""Reads container images from archives and folders, adds layers and settings to them, and writes
them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...errors import InputError
from ..manifests import archive
from ..manifests.archive_files import Files, FolderFiles, TarFiles, damage
from ..manifests.files import naming
from .layers import Entry, Layer, copy_layer, folder_entries, write_layer, write_tar

PLATFORMS: Final = {"linux/amd64": "amd64", "linux/arm64": "arm64"}

ROOT_FOLDERS: Final = ("usr", "lib", "bin")
"""The folders of which a root folder has at least one."""

MARK: Final = "io.crossplane.xpkg"
# skopeo's words for the kinds of images in files, which stand before a path.
_PLACES: Final = ("dir", "docker-archive", "oci", "oci-archive")
# Matches the reference of an image in a registry: with `docker://`, or with a tag or a digest.
_REFERENCE: Final = re.compile(
    r"(?:(?=docker://)|(?=[^:@]+[:@]))(?:docker://)?"
    r"(?P<reference>(?:[a-z0-9][a-z0-9.-]*(?::[0-9]+)?/)?(?:[a-z0-9][a-z0-9._-]*/)*(?P<name>[a-z0-9][a-z0-9._-]*)"
    r"(?::[A-Za-z0-9_][A-Za-z0-9._-]*)?(?:@sha256:[0-9a-f]{64})?)"
)
_REF_NAME: Final = "org.opencontainers.image.ref.name"
INDEX: Final = "application/vnd.oci.image.index.v1+json"
_NO_TIME: Final = "1970-01-01T00:00:00Z"


class _Types(NamedTuple):
    """The media types of one way to write a manifest."""

    manifest: str
    config: str
    layer: str


_OCI: Final = _Types(
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.image.config.v1+json",
    "application/vnd.oci.image.layer.v1.tar+gzip",
)
# A docker-archive holds no manifest. crane and `crossplane xpkg push` make one of these types.
_DOCKER: Final = _Types(
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.container.image.v1+json",
    "application/vnd.docker.image.rootfs.diff.tar.gzip",
)

# The fields of a configuration in the order in which programs in Go write them:
# `crossplane xpkg push` reads it and writes it anew. So with another order, or with fields that Go
# doesn't know, its digest would differ from ours.
_FIELDS: Final = (
    *(
        "architecture",
        "author",
        "container",
        "created",
        "docker_version",
        "history",
        "os",
        "rootfs",
        "config",
    ),
    *("os.version", "variant", "os.features"),
)
_ALWAYS: Final = frozenset({"architecture", "created", "os", "rootfs", "config"})
_HISTORY: Final = ("author", "created", "created_by", "comment", "empty_layer")
_SETTINGS: Final = (
    *(
        "AttachStderr",
        "AttachStdin",
        "AttachStdout",
        "Cmd",
        "Healthcheck",
        "Domainname",
        "Entrypoint",
        "Env",
    ),
    *(
        "Hostname",
        "Image",
        "Labels",
        "OnBuild",
        "OpenStdin",
        "StdinOnce",
        "Tty",
        "User",
        "Volumes",
        "WorkingDir",
    ),
    *("ExposedPorts", "ArgsEscaped", "NetworkDisabled", "MacAddress", "StopSignal", "Shell"),
)
_HEALTH: Final = ("Test", "Interval", "Timeout", "StartPeriod", "Retries")
_GO_ESCAPES: Final = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
_GO_NO_TIME: Final = "0001-01-01T00:00:00Z"


class Image(NamedTuple):
    """An image whose layers are files in a temporary folder.

    Attributes:
        label: The image's name in messages.
        config: The image's configuration, as in the specification of OCI images.
        layers: The image's layers, the lowest first.
    """

    label: str
    config: dict[str, Any]
    layers: list[Layer]


def platform_of(config: Mapping[str, Any]) -> str:
    """Return the platform in an image's configuration, such as `linux/amd64`.

    If the configuration has no `os`, `linux` is used; if it has no `architecture`, `unknown` is
    used.
    """
    return f"{config.get('os') or 'linux'}/{config.get('architecture') or 'unknown'}"


def read(path: str, work: Path, platform: str | None = None, advice: str = "") -> list[Image]:
    """Read the images of a docker-archive, an OCI layout or a root folder.

    Args:
        path: The path of the archive or folder. A root folder is a folder with a container's files,
            such as `usr/bin`.
        work: The folder that the images' layers are written to.
        platform: The platform of the images to read, such as `linux/arm64`; None to read all
            images.
        advice: How to get an image, for the message about a path that doesn't exist.

    Returns:
        At least one image. A root folder doesn't say its platform, so its image gets `platform`,
        else `linux/unknown`.

    Raises:
        InputError: The path can't be read or isn't an image, an image is damaged, no image is for
            the platform, or a layer of a root folder can't be made.
    """
    if os.path.isdir(path) and not archive.is_layout(path):
        return [_of_folder(path, work, platform)]
    if os.path.isdir(path):
        return _of_files(FolderFiles(path), work, platform)
    try:
        file = open(path, "rb")  # noqa: SIM115  # only errors of opening the file are caught here
    except (OSError, ValueError) as e:
        hint = ""
        if isinstance(e, FileNotFoundError):
            hint = _copying(path) or (f"; {advice}" if advice else "")
        raise InputError(f"can't read {path}: {getattr(e, 'strerror', None) or e}{hint}") from None
    with file:
        head = file.read(512)
        file.seek(0)
        if not archive.is_archive(head):
            raise InputError(
                f"{path} isn't a saved image or package: give a docker-archive or an OCI layout, as"
                " `docker save` and `skopeo copy` write them"
            )
        return _of_files(TarFiles(file, path), work, platform)


def size(number: int) -> str:
    """Return a number of bytes as text for people, such as `1.25 MB` or `3.0 kB`."""
    return f"{number / 1_000_000:,.2f} MB" if number >= 100_000 else f"{number / 1000:,.1f} kB"


def one_each(found: Sequence[Image], path: str) -> dict[str, Image]:
    """Return images by their platforms.

    Raises:
        InputError: Two are for one platform.
    """
    by_platform = {platform_of(one.config): one for one in found}
    for platform in by_platform:
        if sum(platform_of(one.config) == platform for one in found) > 1:
            raise InputError(
                f"{path} has several images for {platform}: save only the one that you want"
            )
    return by_platform


def _copying(path: str) -> str:
    """Return how to get an image of a registry, for a message about a path that looks like one;
    else "".
    """
    prefix, _, rest = path.partition(":")
    if prefix in _PLACES:
        return f"; give the path without {prefix}:" if os.path.exists(rest) else ""
    match = _REFERENCE.fullmatch(path)
    if match is None:
        return ""
    name = match["name"]
    return (
        "; if it is an image in a registry, copy it with `skopeo copy"
        f" docker://{match['reference']} oci:{name}`, and give the folder {name}"
    )


def _of_folder(path: str, work: Path, platform: str | None) -> Image:
    if set(os.listdir(path)) <= {"blobs", "oci-layout"}:
        raise InputError(
            f"{path} has no index.json, so the copy of the image isn't complete: delete {path}, and"
            " copy it again"
        )
    if not any(os.path.isdir(os.path.join(path, name)) for name in ROOT_FOLDERS):
        raise InputError(
            f"{path} is neither an OCI layout (with oci-layout and index.json) nor a root folder"
            " (with usr, lib or bin): give the folder of an image"
        )
    layer = write_layer(folder_entries(Path(path)), work / "root.tar.gz")
    system, _, architecture = (platform or "linux/unknown").partition("/")
    config = {"architecture": architecture, "os": system, "config": {}, "rootfs": {}}
    return Image(path, config, [layer])


def _of_files(files: Files, work: Path, platform: str | None) -> list[Image]:
    with damage(files.label, "can't be read"):
        found = list(archive.images(files, every=True))
        if not found:
            raise InputError(f"{files.label} holds no image: save the image again")
        fitting = [one for one in found if platform is None or platform_of(one.config) == platform]
        if not fitting:
            there = ", ".join(sorted({platform_of(one.config) for one in found}))
            raise InputError(
                f"{files.label} has no image for {platform}: choose another --platform (it has"
                f" {there})"
            )
        return [_copied(files, one, work) for one in fitting]


def _copied(files: Files, image: archive.Image, work: Path) -> Image:
    layers = []
    for layer in image.layers:
        if layer.digest is not None:
            files.check(layer.file, layer.digest, files.hash(layer.file, layer.digest))
        name = hashlib.sha256(f"{files.label}\0{layer.file}".encode()).hexdigest()
        layers.append(
            copy_layer(files, layer.file, layer.unpacked, work / f"{name}.tar.gz", layer.mark)
        )
    said = image.config.get("rootfs")
    unpacked = said.get("diff_ids") if isinstance(said, dict) else None
    if unpacked != [layer.unpacked for layer in layers]:
        raise files.error(
            f"{image.name}: the digests under rootfs.diff_ids are not those of the layers: save the"
            " image again"
        )
    return Image(files.label, json.loads(json.dumps(image.config)), layers)


def added(image: Image, layers: Sequence[Layer], config: Mapping[str, Any], comment: str) -> Image:
    """Return a new image: `image` with more layers and other settings.

    Args:
        image: The image to begin with. It isn't changed.
        layers: The layers to add on top.
        config: Settings, such as `Entrypoint` and `User`, that replace the image's settings; None
            removes a setting. `Labels` and `Env` are merged with those of the image: each replaces
            only the label or variable of the same name.
        comment: The command, such as `image`, that the image's history names for the added layers.

    Raises:
        InputError: The environment variable SOURCE_DATE_EPOCH isn't a whole number, or is after the
            year 9999.
    """
    old = image.config.get("config")
    settings: dict[str, Any] = dict(old) if isinstance(old, dict) else {}
    for key, value in config.items():
        if key == "Labels":
            value = dict(sorted({**(settings.get("Labels") or {}), **value}.items()))
        elif key == "Env":
            names = {one.partition("=")[0] for one in value}
            value = [
                one for one in settings.get("Env") or () if one.partition("=")[0] not in names
            ] + list(value)
        settings[key] = value
    every = [*image.layers, *layers]
    time = _time()
    made = {
        **image.config,
        "config": {key: value for key, value in settings.items() if value is not None},
        "created": time,
        "rootfs": {"type": "layers", "diff_ids": [layer.unpacked for layer in every]},
        "history": [
            *_history(image),
            *({"created": time, "created_by": f"crossplane-lite {comment}"} for _ in layers),
        ],
    }
    return Image(image.label, made, every)


def _history(image: Image) -> list[Any]:
    """Return an image's history, with an entry for each layer: some tools write fewer, and a root
    folder has none.
    """
    told = image.config.get("history")
    history = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
    known = sum(not one.get("empty_layer") for one in history)
    if known > len(image.layers):
        history, known = [], 0
    missing = len(image.layers) - known
    return history + [{"created": _NO_TIME, "created_by": "a layer of the base"}] * missing


def labelled(image: Image) -> Image:
    """Return an image with one more label for each layer that has a mark (see `Layer`), as
    Crossplane expects it.

    Such a label is `io.crossplane.xpkg:sha256:...`, with the layer's digest, and has the mark as
    its value.

    Raises:
        InputError: The environment variable SOURCE_DATE_EPOCH isn't a whole number, or is after the
            year 9999.
    """
    marks = {f"{MARK}:{layer.digest}": layer.mark for layer in image.layers if layer.mark}
    return added(image, [], {"Labels": marks}, "")


def _time() -> str:
    """Return the time in the environment variable SOURCE_DATE_EPOCH, such as
    `2024-01-31T00:00:00Z`.

    If the variable is missing or empty, return the start of 1970.

    Raises:
        InputError: The variable isn't a whole number, or is after the year 9999.
    """
    import datetime

    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not text:
        return _NO_TIME
    try:
        if not text.isdecimal():  # int() also takes spaces, signs and underscores
            raise ValueError
        moment = datetime.datetime.fromtimestamp(int(text), datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise InputError(
            "SOURCE_DATE_EPOCH must be a whole number of seconds since 1970, up to the year 9999"
            f" (got {text!r:.60})"
        ) from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# Writing.


def write(image: Image, path: str, layout: str, tag: str | None = None) -> str:
    """Write an image to a file or a folder.

    Args:
        image: The image.
        path: The file to write, which is replaced if it exists. With the layout `oci`, it is the
            path of a new or empty folder, unless it ends in `.tar` or `.oci`.
        layout: `docker` for a docker-archive, `oci` for an OCI layout.
        tag: The name of the image in the file; None for no name.

    Returns:
        The digest by which a registry knows the image: that of the manifest in an OCI layout, and
        for a docker-archive that of the manifest with which crane and `crossplane xpkg push` push
        it.

    Raises:
        InputError: The image can't be written, or `check_place` refuses the path. In both cases an
            existing file is unchanged, but a folder may be left unfinished.
    """
    files, digest = (_docker_files if layout == "docker" else _oci_files)(image, tag)
    check_place(path, layout)
    with naming("write", path):
        (_write_folder if _is_folder(path, layout) else _write_tar)(files, Path(path))
    return digest


def _is_folder(path: str, layout: str) -> bool:
    return layout == "oci" and not path.endswith((".tar", ".oci"))


def check_place(path: str, layout: str) -> None:
    """Check the path of an image before the image is built, so that a long build isn't lost.

    Permissions aren't checked.

    Args:
        path: The path, as for `write`.
        layout: The layout, as for `write`.

    Raises:
        InputError: A file must be written, and its folder doesn't exist; or a folder must be
            written, and the path is that of a file, or of a folder that isn't empty.
    """
    place = Path(path)
    if not _is_folder(path, layout):
        if not place.parent.is_dir():
            raise InputError(
                f"can't write {path}: there is no folder {place.parent}; make it, or choose another"
            )
    elif place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InputError(
            f"{path} exists and isn't an empty folder: choose another one, or remove it"
        )


_Files = Sequence[tuple[str, "bytes | Path"]]


def _docker_files(image: Image, tag: str | None) -> tuple[_Files, str]:
    config = config_bytes(image.config)
    name = digest_of(config)
    names = [f"{layer.digest.partition(':')[2]}.tar.gz" for layer in image.layers]
    # equal layers are one file
    layers = {one: layer.file for one, layer in zip(names, image.layers, strict=True)}
    entry = {"Config": name, "RepoTags": [tag] if tag else None, "Layers": names}
    return [(name, config), *layers.items(), ("manifest.json", _json([entry]))], digest_of(
        manifest(image)[0]
    )


def _oci_files(image: Image, tag: str | None) -> tuple[_Files, str]:
    config = config_bytes(image.config)
    made, media_type = manifest(image, _OCI)
    entry = {
        **descriptor(media_type, made),
        "platform": {
            "architecture": image.config.get("architecture"),
            "os": image.config.get("os"),
        },
    }
    if tag:
        entry["annotations"] = {_REF_NAME: tag}
    blobs: dict[str, bytes | Path] = {layer.digest: layer.file for layer in image.layers}
    blobs[digest_of(config)] = config
    blobs[digest_of(made)] = made
    files = [(f"blobs/{digest.replace(':', '/')}", blob) for digest, blob in blobs.items()]
    return [
        ("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'),
        ("index.json", index([entry])),
        *files,
    ], digest_of(made)


def manifest(image: Image, types: _Types = _DOCKER) -> tuple[bytes, str]:
    """Return the bytes of an image's manifest as a registry has them, and their media type."""
    layers = []
    for layer in image.layers:
        entry: dict[str, Any] = {
            "mediaType": types.layer,
            "size": layer.size,
            "digest": layer.digest,
        }
        if layer.mark:
            entry["annotations"] = {MARK: layer.mark}
        layers.append(entry)
    config = descriptor(types.config, config_bytes(image.config))
    return (
        _json(
            {"schemaVersion": 2, "mediaType": types.manifest, "config": config, "layers": layers}
        ),
        types.manifest,
    )


def index(entries: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the bytes of an index of manifests."""
    return _json({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries})


def artifact(
    artifact_type: str,
    config: Mapping[str, Any],
    layer: Mapping[str, Any],
    subject: Mapping[str, Any],
) -> tuple[bytes, str]:
    """Return the bytes of the manifest of a file that belongs to another manifest (`subject`), and
    their media type.
    """
    made = {
        "schemaVersion": 2,
        "mediaType": _OCI.manifest,
        "artifactType": artifact_type,
        "config": config,
    }
    return _json({**made, "layers": [layer], "subject": subject}), _OCI.manifest


def descriptor(media_type: str, data: bytes) -> dict[str, Any]:
    """Return the entry for a blob in a manifest or an index."""
    return {"mediaType": media_type, "size": len(data), "digest": digest_of(data)}


def digest_of(data: bytes) -> str:
    """Return the digest of a blob: `sha256:...`."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def config_bytes(config: Mapping[str, Any]) -> bytes:
    """Return the bytes of an image's configuration, as a program in Go writes them after reading
    them.
    """
    made = _ordered(config, _FIELDS, _ALWAYS)
    made["created"] = made["created"] or _GO_NO_TIME
    if "history" in made:
        made["history"] = [
            _ordered({"created": _GO_NO_TIME, **one}, _HISTORY, {"created"})
            for one in made["history"] or ()
        ]
    rootfs = made["rootfs"] or {}
    made["rootfs"] = {"type": rootfs.get("type", ""), "diff_ids": rootfs.get("diff_ids")}
    made["config"] = _ordered(made["config"] or {}, _SETTINGS)
    for key in ("Labels", "Volumes", "ExposedPorts"):
        if key in made["config"]:
            made["config"][key] = dict(sorted(made["config"][key].items()))
    if "Healthcheck" in made["config"]:
        made["config"]["Healthcheck"] = _ordered(made["config"]["Healthcheck"], _HEALTH)
    return _json(made).decode().translate(_GO_ESCAPES).encode()


def _ordered(
    value: Mapping[str, Any], fields: Sequence[str], always: Container[str] = ()
) -> dict[str, Any]:
    return {key: value.get(key) for key in fields if value.get(key) or key in always}


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _write_tar(files: _Files, path: Path) -> None:
    # Written to another file first, so that a build that is stopped doesn't leave half of a file.
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as target:
            write_tar(target, (Entry(name, content) for name, content in files))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _write_folder(files: _Files, path: Path) -> None:
    # index.json is written last: without it the folder isn't an OCI layout.
    for name, content in sorted(files, key=lambda one: one[0] == "index.json"):
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            shutil.copyfile(content, file)

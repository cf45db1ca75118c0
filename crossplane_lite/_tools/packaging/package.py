"""Collects the content of a function's package from files, puts it into an image, and reads it from
an image.

A package is an image with two kinds of marked layers. A mark is a layer's annotation
`io.crossplane.xpkg`: `base` for the layer with `package.yaml`, which has all objects of the
package, and `upbound` for the layer with examples.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...errors import InputError
from ..manifests import archive_files
from ..manifests.archive_files import damage, member_of
from ..manifests.files import read_bytes
from ..manifests.yaml import decode, dump
from . import images, sbom
from .layers import Entry, Layer, names_of, write_layer
from .lint import Found, lint, read_stream

PACKAGE: Final = "package.yaml"
EXAMPLES_FILE: Final = ".up/examples.yaml"
SBOM: Final = f"function/{sbom.FILE}"
META: Final = "crossplane.yaml"
BASE: Final = "base"
EXAMPLES: Final = "upbound"


class Content(NamedTuple):
    """The content of a package that was read from an image.

    Attributes:
        objects: The objects in `package.yaml`; empty if the image has no such file.
        examples: The text of the examples; None if there are none.
        sbom: The list of the runtime's packages (SBOM), as `crossplane-lite image` writes it; None
            if there is none.
        problems: The mistakes in the package's layers, marks and objects.
        warnings: Remarks about the objects that aren't mistakes, such as a field that Crossplane
            ignores.
    """

    objects: list[Found]
    examples: str | None
    sbom: str | None
    problems: list[str]
    warnings: list[str]


def collect(root: str, examples: str | None) -> list[Found]:
    """Return the objects in a package's folder.

    All files ending in .yaml or .yml are read, also in inner folders. The objects of
    `crossplane.yaml` come first, then the objects of the other files, sorted by path.

    Args:
        root: The package's folder.
        examples: The folder of the examples, which is skipped if it is inside of `root`; None if
            there is none.

    Raises:
        InputError: The folder or a file can't be read, a file isn't YAML, or `root` has no
            `crossplane.yaml`.
        MissingExtraError: PyYAML isn't installed.
    """
    if not os.path.isdir(root):
        raise InputError(
            f"there is no folder {root}: --package-root must be the folder that has {META}"
        )
    paths = list(_yaml_files(root, examples))
    meta = os.path.join(root, META)
    if meta not in paths:
        raise InputError(
            f"{root} has no {META}, which describes the package: name its folder with"
            " --package-root"
        )
    paths.remove(meta)
    return [
        one for path in (meta, *paths) for one in read_stream(decode(read_bytes(path), path), path)
    ]


def read_examples(root: str) -> str:
    """Return the examples in a folder, and in the folders inside of it, as one YAML stream.

    Raises:
        InputError: The folder or a file can't be read, a file isn't YAML, there is no example, or
            an example has no apiVersion or kind.
        MissingExtraError: PyYAML isn't installed.
    """
    if not os.path.isdir(root):
        raise InputError(f"there is no folder {root}, which --examples-root names")
    found = [
        one
        for path in _yaml_files(root, None)
        for one in read_stream(decode(read_bytes(path), path), path)
    ]
    if not found:
        raise InputError(
            f"{root} has no examples: --examples-root must have .yaml files with objects"
        )
    for one in found:
        if not isinstance(one.content.get("kind"), str) or "apiVersion" not in one.content:
            raise InputError(f"{one.at()}: an example must have apiVersion and kind")
    return dump([one.content for one in found])


def _yaml_files(root: str, without: str | None) -> Iterator[str]:
    skipped = os.path.realpath(without) if without is not None else None
    try:
        for folder, folders, files in os.walk(root, onerror=_raise):
            folders[:] = sorted(
                one for one in folders if os.path.realpath(os.path.join(folder, one)) != skipped
            )
            for name in sorted(files):
                if name.endswith((".yaml", ".yml")):
                    yield os.path.join(folder, name)
    except OSError as e:
        raise InputError(f"can't read {e.filename or root}: {e.strerror or e}") from e


def _raise(error: OSError) -> None:
    raise error


def checked(objects: Sequence[Found], label: str) -> tuple[Mapping[str, Any], list[str]]:
    """Check the objects of a package, and return its Function object (which describes the package)
    and warnings.

    Args:
        objects: The objects of the package.
        label: The package's name in messages.

    Raises:
        InputError: The package manager would refuse the package. The message has every reason, with
            file and line.
    """
    problems, warnings = lint(objects, label)
    if problems:
        many = f"{len(problems)} errors" if len(problems) > 1 else "an error"
        raise InputError(f"the package has {many}, and nothing was written: {'; '.join(problems)}")
    meta = next(one.content for one in objects if one.content.get("kind") == "Function")
    return meta, warnings


def assembled(
    objects: Sequence[Found], examples: str | None, runtime: images.Image | None, work: Path
) -> images.Image:
    """Return the image of a package: the function's runtime image with the package's layers on top.

    Args:
        objects: The objects of the package.
        examples: The text of the examples; None for no examples.
        runtime: The function's runtime image; None to put the layers on an empty image.
        work: The folder that the layers are written to.

    Raises:
        InputError: `package.yaml` would have more than 200 MiB, a layer can't be written, or the
            environment variable SOURCE_DATE_EPOCH isn't valid.
    """
    text = dump([one.content for one in objects])
    data = text.encode()
    if len(data) > archive_files.LARGEST:
        raise InputError(
            f"{PACKAGE} would have {len(data):,} bytes, and Crossplane reads at most"
            f" {archive_files.LARGEST:,}: leave objects out"
        )
    layers = [write_layer([Entry(PACKAGE, data)], work / "package.tar.gz", BASE)]
    if examples is not None:
        layers.append(
            write_layer(
                [Entry(EXAMPLES_FILE, examples.encode())], work / "examples.tar.gz", EXAMPLES
            )
        )
    if runtime is None:
        # A package without a runtime is the same for every machine.
        empty = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {}}
        runtime = images.Image("the package", empty, [])
    return images.labelled(images.added(runtime, layers, {}, "xpkg build"))


def content_of(image: images.Image) -> Content:
    """Return the content of the package in an image, and the mistakes in it.

    Digests aren't checked: `images.read` has checked them. An image that isn't a package has a
    mistake that says so.

    Raises:
        InputError: A layer is damaged, has more than 1,000,000 files and folders, or a path with
            `..` in it; or `package.yaml` isn't YAML.
        MissingExtraError: PyYAML isn't installed.
    """
    problems = list(_of_marks(image))
    text = examples = packages = None
    for number, layer in enumerate(image.layers):
        label = f"{image.label}: layer {number + 1}"
        names = names_of(layer, label)
        if layer.mark == BASE:
            if PACKAGE not in names.links:
                problems.append(f"{label} is marked as {BASE} and has no {PACKAGE}")
                continue
            if sorted(names.links) != [PACKAGE]:
                problems.append(f"{label} is marked as {BASE} and must have no file but {PACKAGE}")
            text = _member(layer, PACKAGE, label, problems)
        elif layer.mark == EXAMPLES and EXAMPLES_FILE in names.links:
            examples = _member(layer, EXAMPLES_FILE, label, problems)
        elif SBOM in names.links:
            packages = _member(layer, SBOM, label, problems)
    if text is None:
        if not any(PACKAGE in problem for problem in problems):
            problems.append(f"{image.label} has no {PACKAGE}: it is not a Crossplane package")
        return Content([], examples, packages, problems, [])
    place = f"{image.label}:{PACKAGE}"
    objects = read_stream(text, place)
    wrong, warnings = lint(objects, place)
    return Content(objects, examples, packages, [*problems, *wrong], warnings)


def _of_marks(image: images.Image) -> Iterator[str]:
    marked = [layer for layer in image.layers if layer.mark == BASE]
    if len(marked) != 1:
        many = f"{len(marked)} layers are" if marked else "no layer is"
        yield f"{image.label}: {many} marked as {BASE}; exactly one must be, the one with {PACKAGE}"
    config = image.config.get("config")
    labels = (config.get("Labels") if isinstance(config, dict) else None) or {}
    digests = {layer.digest for layer in image.layers}
    for key in labels:
        prefix, colon, digest = key.partition(":")
        if prefix == images.MARK and colon and digest not in digests:
            yield f"{image.label}: the label {key} names a layer that isn't there"
    for layer in image.layers:
        if layer.mark and f"{images.MARK}:{layer.digest}" not in labels:
            yield (
                f"{image.label}: the configuration has no label {images.MARK}:{layer.digest}, so a"
                " push loses "
            )
            "the layer's mark"
    platform = images.platform_of(image.config)
    if platform not in images.PLATFORMS:
        those = " and ".join(images.PLATFORMS)
        yield (
            f"{image.label}: the package is for {platform}, and can only be for {those} (--platform"
            " names the platform of a root folder)"
        )


def _member(layer: Layer, name: str, label: str, problems: list[str]) -> str | None:
    try:
        with damage(label, "can't be read"), open(layer.file, "rb") as file:
            found = member_of(gzip.GzipFile(fileobj=file), label, name)
    except InputError as e:
        problems.append(str(e))
        return None
    assert found is not None  # it is among the layer's names
    mode, data = found
    if name == PACKAGE and mode != 0o644:
        problems.append(f"{label}: {name} must have the mode 0644 (it has {mode:04o})")
    return decode(data, f"{label}: {name}")

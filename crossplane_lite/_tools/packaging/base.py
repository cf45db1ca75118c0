"""Finds the Python interpreter in a base image, and the platform that the image is for, such as
`linux/amd64`.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Final, NamedTuple

from ...errors import InputError
from .images import PLATFORMS, ROOT_FOLDERS, Image, platform_of
from .layers import names_of

# The folders are searched in this order: an image that builds its own Python has it in the first
# one, and the Python of its Linux distribution in the second.
_PLACES: Final = ("usr/local/bin", "usr/bin", "opt/python/bin", "bin")
_INTERPRETER: Final = re.compile(r"python(\d+)\.(\d+)")
# The architectures by the numbers that the headers of ELF files have for them.
_MACHINES: Final = {0x3E: "amd64", 0xB7: "arm64"}
_WHITEOUT: Final = ".wh."
_OPAQUE: Final = ".wh..wh..opq"


class Python(NamedTuple):
    """The Python interpreter of a base image.

    Attributes:
        path: The path of the interpreter, for example `/usr/bin/python3.13`.
        version: The version of Python, for example (3, 13).
        platform: The image's platform, for example `linux/amd64`.
        is_musl: Whether the image has the C library musl instead of glibc, as Alpine has.
    """

    path: str
    version: tuple[int, int]
    platform: str
    is_musl: bool

    @property
    def dotted(self) -> str:
        """The version of Python as text, for example `3.13`."""
        return ".".join(map(str, self.version))


def check_folder(folder: str, wanted: str | None) -> None:
    """Check that a folder has a Python before it is read as a root folder, which may take minutes.

    Args:
        folder: The folder.
        wanted: The path of the interpreter in it, as for `python_of`.

    Raises:
        InputError: It has none, or it is the root of this machine.
    """
    root = Path(folder)
    if root.samefile(root.resolve().anchor):
        raise InputError(f"{folder} is the root of this machine: give the folder of an image")
    # what isn't, `images.read` refuses
    is_root = any((root / name).is_dir() for name in ROOT_FOLDERS)
    if (
        is_root
        and wanted is None
        and not any(one for place in _PLACES for one in root.glob(f"{place}/python[0-9]*"))
    ):
        raise InputError(_without_python(folder))


def _without_python(label: str) -> str:
    return (
        f"{label} has no Python in {', '.join('/' + place for place in _PLACES)}: take a base image"
        " with Python, or name the program with --python"
    )


def python_of(image: Image, wanted: str | None = None) -> Python:
    """Return the Python interpreter of a base image.

    Args:
        image: The base image.
        wanted: The path of the interpreter in the image; None to look for it in the usual folders,
            such as `/usr/bin`. There, the first folder counts, and the newest version in this
            folder.

    Raises:
        InputError: A layer is damaged; no interpreter is found; its name doesn't show a version; it
            is for another platform than the image; or crossplane-lite can't make images for this
            platform.
    """
    links, heads = _merged(image, wanted)
    found = sorted(
        (place, (-int(match[1]), -int(match[2])), path)
        for path in links
        for place, folder in enumerate(_PLACES)
        if posixpath.dirname(path) == folder
        and (match := _INTERPRETER.fullmatch(posixpath.basename(path)))
    )
    if wanted is not None:
        path = wanted.strip("/")
        target = _target(path, links)
        if target is None:
            raise InputError(
                f"{image.label} has no {wanted}: give the path of the image's Python with --python"
            )
        match = _INTERPRETER.search(posixpath.basename(target))
        if match is None:
            raise InputError(
                f"{image.label}: the name {wanted} doesn't show the version of Python: give a"
                " program such as /usr/bin/python3.13 with --python"
            )
        version = (int(match[1]), int(match[2]))
    elif found:
        _, (major, minor), path = found[0]
        version, target = (-major, -minor), _target(path, links)
    else:
        names = [f"{place}/{name}" for place in _PLACES for name in ("python3", "python")]
        nameless = [name for name in names if name in links]
        if nameless:
            raise InputError(
                f"{image.label} has /{nameless[0]}, and no program such as python3.13 beside it, so"
                " its version isn't known: name a program with the version in its name with"
                " --python, or take another base image"
            )
        raise InputError(_without_python(image.label))
    platform = _platform(image, path, heads.get(target or path))
    return Python(
        f"/{path}", version, platform, any(re.match(r"(usr/)?lib/ld-musl-", one) for one in links)
    )


def _platform(image: Image, path: str, head: bytes | None) -> str:
    said = platform_of(image.config)
    if head is None or head[:4] != b"\x7fELF":
        found = None
    else:
        number = int.from_bytes(head[18:20], "little")
        found = f"linux/{_MACHINES.get(number, f'machine {number}')}"
    if said.endswith("/unknown") and found is not None:
        said = found
    if said.endswith("/unknown"):
        raise InputError(
            f"{image.label}: /{path} is a script or another file that doesn't show the platform:"
            " name the platform with --platform, or a program with --python"
        )
    if found is not None and found != said:
        raise InputError(
            f"{image.label} must be for {said}, but its /{path} is for {found}: take another base"
            " image, or another --platform"
        )
    if said not in PLATFORMS:
        raise InputError(
            f"{image.label} is for {said}, and images can only be made for"
            f" {' and '.join(PLATFORMS)}: take another base image"
        )
    return said


def _merged(image: Image, wanted: str | None) -> tuple[dict[str, str | None], dict[str, bytes]]:
    """Return the paths in an image after all its layers are applied, and the first bytes of Python
    interpreters.

    Both results are by path. The first has the target of each link, and None for files and folders.
    The second has the first 64 bytes of each file whose name is that of an interpreter, such as
    `python3.13`, or whose path is `wanted`. Raises InputError if a layer is damaged, has too many
    files, or has a path with `..` in it.
    """

    def is_interpreter(path: str) -> bool:
        return bool(_INTERPRETER.fullmatch(posixpath.basename(path))) or path == (
            wanted or ""
        ).strip("/")

    links: dict[str, str | None] = {}
    heads: dict[str, bytes] = {}
    for number, layer in enumerate(image.layers):
        names = names_of(layer, f"{image.label}: layer {number + 1}", is_interpreter)
        for path in names.links:
            folder, name = posixpath.split(path)
            if name == _OPAQUE:
                _remove(links, f"{folder}/")
            elif name.startswith(_WHITEOUT):
                gone = posixpath.join(folder, name.removeprefix(_WHITEOUT))
                links.pop(gone, None)
                _remove(links, f"{gone}/")
        links.update({path: link for path, link in names.links.items() if _WHITEOUT not in path})
        heads.update(names.heads)
    return links, heads


def _remove(links: dict[str, str | None], above: str) -> None:
    for path in [one for one in links if one.startswith(above)]:
        del links[path]


def _target(path: str, links: dict[str, str | None]) -> str | None:
    """Return the path of a file after following all links in its path; None if no file is found
    after 20 links.

    Args:
        path: The path, with links in it or at its end.
        links: All paths in the image, with the target of each link, and None for files and folders.
    """
    for _ in range(20):
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            above = "/".join(parts[:end])
            link = links.get(above)
            if link is not None:
                start = "" if link.startswith("/") else posixpath.dirname(above)
                rest = "/".join(parts[end:])
                path = posixpath.normpath(posixpath.join("/", start, link, rest)).strip("/")
                break
        else:
            return path if path in links else None
    return None

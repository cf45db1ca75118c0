"""Lock files: the version and the hashes of each package of an image.

A lock file is a requirements file with hashes, as `pip-compile --generate-hashes` and `uv export`
write it, too:

    attrs==25.1.0 \\
        --hash=sha256:c75a69e28a550a7e93789579c22aa26b0f5b83b75dc4e08fe092980051e1090a
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from ...errors import InputError
from ..manifests.files import naming, read_bytes
from ..manifests.yaml import decode
from .installing import Package, canonical

Locked = dict[str, tuple[str, set[str]]]
"""The version and the sha256 digests of each package, by the package's name."""

_LINE: Final = re.compile(
    r"(?P<name>[\w.-]+)(?:\[[^]]*\])?\s*==\s*(?P<version>[^\s;]+)\s*(?:;[^\\]*?)?(?P<hashes>\s--.*)"
)
_HASH: Final = re.compile(r"--hash[= ]sha256:([0-9a-f]{64})")


def read(path: str) -> Locked:
    """Read a lock file.

    Raises:
        InputError: The file can't be read, a line isn't a version with hashes, or two lines are
            about one package.
    """
    found: Locked = {}
    number, line = 0, ""
    for number, part in enumerate(decode(read_bytes(path), path).splitlines(), 1):
        line += re.sub(r"(^|\s)#.*", "", part)
        if line.endswith("\\"):
            line = line[:-1] + " "
            continue
        if line.strip():
            match = _LINE.fullmatch(line.strip())
            hashes = set(_HASH.findall(match["hashes"])) if match is not None else set()
            if match is None or not hashes:
                raise InputError(
                    f"{path}, line {number}: must be NAME==VERSION --hash=sha256:... (got"
                    f" {line.strip()[:60]!r}); crossplane-lite image --lock writes such a file if"
                    " there is none"
                )
            name = canonical(match["name"])
            if name in found:
                raise InputError(
                    f"{path}, line {number}: {name} is in the file twice: remove one of the two"
                )
            found[name] = match["version"], hashes
        line = ""
    return found


def constraints(locked: Mapping[str, tuple[str, set[str]]]) -> str:
    """Return the lines of a file for pip's `--constraint` with the locked versions."""
    return "".join(f"{name}=={version}\n" for name, (version, _) in sorted(locked.items()))


def hold(packages: Iterable[Package], locked: Locked, path: str) -> None:
    """Check that packages are those of a lock file. The project itself and what else is local
    sources aren't in it.

    Raises:
        InputError: A package isn't in the file, or its version or hash is another one.
    """
    for one in packages:
        if one.is_local:
            continue
        if one.name not in locked:
            raise InputError(
                f"--lock: {path} doesn't have {one.name}: remove the file to have it written anew"
            )
        version, hashes = locked[one.name]
        if one.version != version:
            raise InputError(
                f"--lock: {path} has {one.name} {version}, and pip chose {one.version}"
            )
        if one.sha256 not in hashes:
            raise InputError(
                f"--lock: {one.name} {version} ({one.url.rpartition('/')[2]}) has the hash"
                f" {one.sha256 or '(none)'}, which {path} doesn't list: the file was changed, or"
                " the package was"
            )


def text(title: str, several: Iterable[Iterable[Package]]) -> str:
    """Return the text of a lock file.

    Args:
        title: What the packages are for.
        several: The packages of each platform. A package has the hashes of its files for all of
            them.

    Raises:
        InputError: A package has no hash, as one from git, or two platforms have two versions of a
            package.
    """
    locked: Locked = {}
    for packages in several:
        for one in packages:
            if one.is_local:
                continue
            if not one.sha256:
                raise InputError(
                    f"--lock: {one.name} has no hash, because it comes from {one.url}: use a"
                    " released file"
                )
            version, hashes = locked.setdefault(one.name, (one.version, set()))
            if version != one.version:
                raise InputError(
                    f"--lock: {one.name} has the versions {version} and {one.version} on two"
                    " platforms"
                )
            hashes.add(one.sha256)
    lines = [
        f"# {title}\n# Written by crossplane-lite image --lock, which holds images to it from then"
        " on.\n"
    ]
    for name, (version, hashes) in sorted(locked.items()):
        lines.append(
            f"{name}=={version}"
            + "".join(f" \\\n    --hash=sha256:{one}" for one in sorted(hashes))
            + "\n"
        )
    return "".join(lines)


def write(path: str, content: str) -> None:
    """Write a lock file.

    Raises:
        InputError: The file can't be written.
    """
    with naming("write", path):
        Path(path).write_text(content, encoding="utf-8", newline="\n")

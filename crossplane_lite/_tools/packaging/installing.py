"""Runs pip, which chooses the packages for an image's Python, and installs them into a folder.

Choosing and installing are two steps, so that packages can be left out between the two: pip itself
can't leave out packages that another package requires.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...errors import InputError
from ..programs.process import patiently
from .base import Python


class Transport(NamedTuple):
    """A way to serve gRPC in an image, with the packages that it needs, and the packages that it
    makes unnecessary.

    Attributes:
        requires: The requirements of the transport's extra. pip isn't given the extra itself: for
            an extra, pip would look for crossplane-lite on the package index even if the project
            takes it from another place.
        dispensable: The names of packages that the image doesn't need with this transport.
    """

    requires: tuple[str, ...]
    dispensable: frozenset[str]


TRANSPORTS: Final[dict[str, Transport]] = {
    "grpcio": Transport((), frozenset()),
    "h2": Transport(("h2>=4.3,<4.5",), frozenset({"grpcio"})),
    "none": Transport((), frozenset({"grpcio"})),
}
_OURS: Final = "crossplane-lite"
_WHERE_OURS: Final = f"; name the folder, wheel or URL of {_OURS} with --sdk-from"
_ARCHITECTURES: Final = {"linux/amd64": "x86_64", "linux/arm64": "aarch64"}
# The minor versions of glibc 2 that wheels are built for. A wheel also runs with a newer glibc than
# its own.
_GLIBC: Final = (17, 24, 26, 27, 28, 31, 34, 35, 36)
_MUSL: Final = (1, 2)


class Package(NamedTuple):
    """A package that pip has chosen.

    Attributes:
        name: The package's name in canonical form (see `canonical`).
        version: The package's version.
        url: The URL from which pip installs or builds the package.
        is_wheel: Whether there is a wheel at this URL. If not, the package must be built.
        sha256: The sha256 digest of the file at the URL; empty for a folder and for a version
            control system.
        is_local: Whether it is built from a folder of this machine, such as the project's.
    """

    name: str
    version: str
    url: str
    is_wheel: bool
    sha256: str = ""
    is_local: bool = False


def canonical(name: str) -> str:
    """Return the canonical form of a package's name: `my-lib` for `my-lib`, `My_Lib` and
    `my.lib`.
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(target: Path) -> dict[str, importlib.metadata.Distribution]:
    """Return the metadata of the packages in a folder, by the packages' canonical names."""
    return {
        canonical(one.metadata["Name"]): one
        for one in importlib.metadata.distributions(path=[str(target)])
    }


def requirements(project: str, transport: str, sdk: str | None = None) -> list[str]:
    """Return the requirements to give to pip for the image of a project.

    Args:
        project: The project's folder, its wheel, or a requirement such as its name.
        transport: A key of `TRANSPORTS`.
        sdk: A folder, a wheel, a URL or a version of crossplane-lite; None to let pip find
            crossplane-lite.

    Raises:
        InputError: `sdk` isn't a path that exists, a URL or a version.
    """
    found = [project]
    if sdk is not None:
        found.append(sdk_requirement(sdk))
    return [*found, *TRANSPORTS[transport].requires]


def sdk_requirement(sdk: str, extras: str = "") -> str:
    """Return the requirement to give to pip for crossplane-lite, such as
    `crossplane-lite[krm]==0.1.0`.

    Args:
        sdk: A folder, a wheel, a URL or a version of crossplane-lite.
        extras: The extras in brackets, such as `[krm]`; empty for no extras.

    Raises:
        InputError: `sdk` isn't a path that exists, a URL or a version.
    """
    if os.path.exists(sdk):
        return f"{_OURS}{extras} @ {Path(os.path.abspath(sdk)).as_uri()}"
    if "://" in sdk:
        return f"{_OURS}{extras} @ {sdk}"
    if re.fullmatch(r"\d[\w.+!]*", sdk):
        return f"{_OURS}{extras}=={sdk}"
    raise InputError(
        "--sdk-from must be a folder or file that exists, a URL, or a version such as 0.1.0 (got"
        f" {sdk!r})"
    )


def chosen(packages: Iterable[Package], transport: str) -> tuple[list[Package], list[str]]:
    """Return the packages that go into the image, and the names of the packages that are left out,
    both sorted.

    Packages that the transport makes unnecessary are left out.

    Args:
        packages: The packages that pip has chosen.
        transport: A key of `TRANSPORTS`.
    """
    found = sorted(packages)
    gone = TRANSPORTS[transport].dispensable & {package.name for package in found}
    return [package for package in found if package.name not in gone], sorted(gone)


def _target(python: Python) -> list[str]:
    """Return the flags with which pip takes only wheels for the Python and the platform of an
    image.
    """
    machine = _ARCHITECTURES[python.platform]
    if python.is_musl:
        tags = [f"musllinux_1_{minor}_{machine}" for minor in reversed(_MUSL)]
    else:
        tags = [f"manylinux_2_{minor}_{machine}" for minor in reversed(_GLIBC)] + [
            f"manylinux2014_{machine}"
        ]
    major, minor = python.version
    flags = [
        "--only-binary=:all:",
        "--implementation",
        "cp",
        "--python-version",
        f"{major}.{minor}",
    ]
    flags += ["--abi", f"cp{major}{minor}", "--abi", "abi3", "--abi", "none"]
    for tag in [*tags, f"linux_{machine}"]:
        flags += ["--platform", tag]
    return flags


def _of_newer(python: Python) -> list[str]:
    """Return the flags with which pip takes packages that need a newer Python than the one that
    runs pip.
    """
    return ["--ignore-requires-python"] if python.version > sys.version_info[:2] else []


def _asks_for_image() -> bool:
    """Return whether pip compares the Python that a package needs with the image's. It does from
    24.2 on.
    """
    version = re.match(r"(\d+)\.(\d+)", importlib.metadata.version("pip"))
    return version is not None and (int(version[1]), int(version[2])) >= (24, 2)


def resolve(
    wanted: Sequence[str],
    python: Python,
    work: Path,
    limits: Path | None = None,
) -> list[Package]:
    """Let pip choose packages for the Python of an image, without installing them.

    Args:
        wanted: The requirements.
        python: The image's Python.
        work: A folder for pip's report.
        limits: A file that limits versions, as for pip's `--constraint`; None for no limits.

    Returns:
        The packages and all packages that they require, sorted by name. All have wheels, but for
        those that `wanted` names and folders of this machine.

    Raises:
        InputError: pip isn't installed; pip finds no packages that fit (the message has pip's
            reason); a package needs a newer Python than the image's; or a package would have to be
            built although nobody asked for it.
    """
    report = work / "pip.json"
    flags = [
        "install",
        "--dry-run",
        "--ignore-installed",
        "--report",
        str(report),
        "--target",
        str(work / "nowhere"),
    ]
    if limits is not None:
        flags += ["--constraint", str(limits)]
    problem = f"pip finds no packages for Python {python.dotted} on {python.platform}"
    is_said = any(one.startswith((f"{_OURS} @ ", f"{_OURS}==")) for one in wanted)
    by_image = _asks_for_image()
    flags += [] if by_image else _of_newer(python)
    _pip([*flags, *_target(python), *wanted], problem, "" if is_said else _WHERE_OURS)
    found = []
    for entry in json.loads(report.read_text(encoding="utf-8"))["install"]:
        told: dict[str, Any] = entry["metadata"]
        # An older pip compares the required Python with the one that runs pip.
        least = re.search(r">=\s*(\d+)\.(\d+)", told.get("requires_python") or "")
        if least is not None and (int(least[1]), int(least[2])) > python.version:
            advice = "take another base image"
            if not by_image:
                advice += (
                    f", or upgrade pip ({sys.executable} -m pip install --upgrade pip), which"
                    " chooses an older version"
                )
            raise InputError(
                f"{told['name']} {told['version']} needs Python {told['requires_python']}, and the"
                f" base image has {python.dotted}: {advice}"
            )
        source: dict[str, Any] = entry["download_info"]
        url: str = source["url"]
        name = canonical(told["name"])
        if "vcs_info" in source:
            url = f"{source['vcs_info']['vcs']}+{url}@{source['vcs_info']['commit_id']}"
        is_wheel = "archive_info" in source and urllib.parse.urlparse(url).path.endswith(".whl")
        is_local = "dir_info" in source
        if not (is_wheel or is_local or entry.get("requested")):
            raise InputError(
                f"{name} {told['version']} has no wheel at {url}, and building it here would run"
                " its code: take a version with a wheel, or give pip a folder with a wheel of it"
                " (PIP_FIND_LINKS)"
            )
        archive = source.get("archive_info") or {}
        sha256 = (archive.get("hashes") or {}).get("sha256") or archive.get(
            "hash", ""
        ).removeprefix("sha256=")
        found.append(Package(name, told["version"], url, is_wheel, sha256, is_local))
    return sorted(found)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def install(packages: Sequence[Package], python: Python, target: Path, work: Path) -> None:
    """Let pip install packages into a folder, each by the hash that it had when it was chosen, or
    by that of its build.

    Packages that they require aren't installed.

    Args:
        packages: The packages to install.
        python: The image's Python.
        target: The folder to install into.
        work: A folder for the wheels of packages that must be built.

    Raises:
        InputError: pip can't build or install a package (the message has pip's reason), or a wheel
            that was built here may fit only this machine.
    """
    wheels = work / "wheels"
    wheels.mkdir(exist_ok=True)
    lines = [
        _by_hash(package.name, package.url, package.sha256)
        for package in packages
        if package.is_wheel
    ]
    for package in packages:
        if not package.is_wheel:
            folder = wheels / f"built-{package.name}"
            place = package.url
            if place.startswith("file:"):
                place = urllib.request.url2pathname(urllib.parse.urlparse(place).path)
                if package.sha256 and _sha256(Path(place)) != package.sha256:
                    raise InputError(
                        f"{place} has changed since it was chosen: run the command again"
                    )
            elif package.sha256:
                place = f"{place}#sha256={package.sha256}"
            _pip(
                ["wheel", "--no-deps", *_of_newer(python), "--wheel-dir", str(folder), place],
                f"{package.name} can't be built",
            )
            (made,) = folder.iterdir()
            if not made.name.endswith("-none-any.whl"):
                raise InputError(
                    f"{package.name} has no wheel for {python.platform}, and the one that was built"
                    f" here ({made.name}) may fit only this machine: take a version that has such a"
                    " wheel"
                )
            lines.append(_by_hash(package.name, made.as_uri(), _sha256(made)))
    listed = work / "requirements.txt"
    listed.write_text("".join(lines), encoding="utf-8")
    flags = ["install", "--no-deps", "--no-compile", "--ignore-installed", "--target", str(target)]
    flags += ["--require-hashes", "--requirement", str(listed)]
    _pip([*flags, *_of_newer(python), *_target(python)], "pip can't install the packages")


def _by_hash(name: str, url: str, sha256: str) -> str:
    """Return a line of a requirements file that installs a wheel by its hash."""
    return f"{name} @ {url} --hash=sha256:{sha256}\n"


def _pip(arguments: Sequence[str], problem: str, without_ours: str = "") -> None:
    """Run pip, with `without_ours` at the end of its reason if it fails because it doesn't find
    crossplane-lite.
    """
    # These settings of pip would disturb an installation into a folder.
    disturbing = ("PIP_USER", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV")
    environment = {name: value for name, value in os.environ.items() if name not in disturbing}
    flags = ["-q", "--no-input", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", *flags, *arguments]
    done = patiently(command, env=environment)
    if done.returncode:
        if "No module named pip" in done.stderr:
            raise InputError(f"{sys.executable} has no pip: install it (python -m ensurepip)")
        lines = [
            line.strip() for line in done.stderr.splitlines() if line.strip().startswith("ERROR:")
        ]
        # pip itself failed, such as for a pyproject.toml that isn't TOML
        if lines == ["ERROR: Exception:"]:
            lines = done.stderr.strip().splitlines()[-1:]
        reason = (
            " ".join(line.removeprefix("ERROR:").strip() for line in lines)
            or done.stderr.strip()[-500:]
        )
        hint = without_ours if re.search(rf"requirement {_OURS}(?![\w-])", reason) else ""
        raise InputError(f"{problem}: {' '.join(reason.split())}{hint}")


def compile_all(target: Path, python: Python, place: str) -> bool:
    """Compile the Python files in a folder to byte code that Python never compares with the source
    (`unchecked-hash`).

    The image's Python can only use byte code that the same version of Python has made.

    Args:
        target: The folder.
        python: The image's Python.
        place: The folder's path in the image, which tracebacks show.

    Returns:
        False if this machine doesn't have the image's version of Python, so that nothing was
        compiled. Otherwise True, also if some files couldn't be compiled. Such files stay without
        byte code.
    """
    program = (
        sys.executable
        if sys.version_info[:2] == python.version
        else shutil.which(f"python{python.dotted}")
    )
    if program is None:
        return False
    # Byte code depends on the order of sets, so hashes must be the same in each build.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    flags = ["-q", "--invalidation-mode", "unchecked-hash", "-s", str(target), "-p", place]
    # Some files can't be compiled, such as templates. No function loads them.
    patiently([program, "-m", "compileall", *flags, str(target)], env=environment)
    return True

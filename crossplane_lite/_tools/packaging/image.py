"""`crossplane-lite image`: makes the runtime image of a function without Docker.

The image is a base image and one more layer. The layer has the folder `/function` with all Python
packages and a `__main__.py`. The Python of the base image runs that folder.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ..._core.base.terminal import StatusLine
from ...errors import InputError
from ..manifests import archive
from ..programs.help import parser
from . import images, installing, locking, sbom
from .base import Python, check_folder, python_of
from .entry_point import Function, function_of
from .layers import Entry, Layer, write_layer

PLACE: Final = "function"
NOBODY: Final = "65534:65534"
_SAVING: Final = (
    "save one with `skopeo copy docker://docker.io/library/python:3.13-slim-bookworm oci:base`, and"
    " add --base base; or with `docker save -o base.tar IMAGE`, and add --base base.tar"
)


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite image` with the arguments that follow it.

    The image is written, and a summary is printed on stdout.

    Returns:
        Always 0.

    Raises:
        InputError: The project, the base image, a flag or SOURCE_DATE_EPOCH is wrong, pip can't
            install a package, or the image can't be written.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    arguments = make_parser().parse_args(argv)
    if arguments.base is None:
        raise InputError(
            "--base is missing, the image with Python that the function's layer goes onto:"
            f" {_SAVING}"
        )
    if arguments.output:
        images.check_place(arguments.output, arguments.format)
    with tempfile.TemporaryDirectory(prefix="crossplane-lite-") as folder, StatusLine() as status:
        work = Path(folder)
        status.show(f"reading {arguments.base}")
        base = _base(arguments, work)
        python = python_of(base, arguments.python)
        base.config["os"], base.config["architecture"] = python.platform.split("/")
        target = work / PLACE
        status.show(f"choosing packages for Python {python.dotted} on {python.platform}")
        function, packages, left_out = _install(arguments, python, target, work, status)
        _leave_out(target, tools=not arguments.no_prune, for_krm=arguments.krm)
        status.show("making byte code")
        has_byte_code = _byte_code(arguments.byte_code, target, python)
        # Written after the byte code was made, so it has none: Python compiles its few lines at
        # each start.
        (target / "__main__.py").write_text(
            _main(function.entry_point), encoding="utf-8", newline="\n"
        )
        (target / sbom.FILE).write_bytes(sbom.sbom(function, packages, target))
        status.show("writing")
        files = dict(_files(target))
        layer = write_layer([Entry(*file) for file in files.items()], work / "function.tar.gz")
        image = _made(base, layer, python, function, arguments)
        output = arguments.output or f"{function.name}-{image.config['architecture']}.tar"
        version = re.sub(r"[^\w.-]", "-", function.version)
        digest = images.write(
            image, output, arguments.format, arguments.tag or f"{function.name}:{version}"
        )
        sizes: Counter[str] = Counter()
        for path, file in files.items():
            sizes[path.split("/")[1]] += file.stat().st_size
    if arguments.report:
        print(
            *(f"{images.size(number):>10}  {name}" for name, number in sizes.most_common()),
            "",
            sep="\n",
        )
    packed, unpacked = images.size(layer.size), images.size(layer.unpacked_size)
    below = images.size(sum(one.size for one in base.layers))
    print(
        f"{output}: {function.name} {function.version} for {python.platform},"
        f" {function.entry_point}"
    )
    print(f"  layer     {packed} compressed, {unpacked} unpacked; the base {below} compressed")
    print(f"  python    {python.path}, byte code {'made' if has_byte_code else 'not made'}")
    if left_out:
        print(f"  left out  {', '.join(left_out)}")
    print(f"  digest    {digest}")
    return 0


def _base(arguments: argparse.Namespace, work: Path) -> images.Image:
    if os.path.isdir(arguments.base) and not archive.is_layout(arguments.base):
        check_folder(arguments.base, arguments.python)
    read = images.read(
        arguments.base, work, arguments.platform, advice=f"to get an image with Python, {_SAVING}"
    )
    found = images.one_each(read, arguments.base)
    if len(found) > 1:
        raise InputError(
            f"{arguments.base} has images for {', '.join(sorted(found))}: choose one with"
            " --platform"
        )
    return next(iter(found.values()))


def _install(
    arguments: argparse.Namespace, python: Python, target: Path, work: Path, status: StatusLine
) -> tuple[Function, list[installing.Package], list[str]]:
    project = arguments.project
    is_place = os.path.exists(project)
    if (
        is_place
        and os.path.isdir(project)
        and not any(
            os.path.exists(os.path.join(project, name))
            for name in ("pyproject.toml", "setup.py", "setup.cfg")
        )
    ):
        raise InputError(
            f"{project} isn't a Python project: it has no pyproject.toml; give the folder of the"
            " function's project"
        )
    if not is_place and ("/" in project or project.startswith(".")):
        raise InputError(
            f"there is no folder or file {project}: give the function's project, its wheel or its"
            " name"
        )
    if is_place and os.path.isdir(project):
        project = str(_copied(Path(project), work / "project", os.path.realpath(arguments.base)))
    wanted = installing.requirements(
        os.path.abspath(project) if is_place else project, arguments.transport, arguments.sdk_from
    )
    packages = _locked(arguments, wanted, python, work, status)
    kept, left_out = installing.chosen(packages, arguments.transport)
    status.show(f"installing {len(kept)} packages")
    installing.install(kept, python, target, work)
    function = function_of(target, project, packages, arguments.function)
    return function, kept, left_out


def _locked(
    arguments: argparse.Namespace,
    wanted: Sequence[str],
    python: Python,
    work: Path,
    status: StatusLine,
) -> list[installing.Package]:
    """Choose the packages: those of a lock file that is there, or any, which a new one has for all
    platforms.
    """
    lock: str | None = arguments.lock
    limits = work / "limits.txt"
    if lock is not None and os.path.exists(lock):
        locked = locking.read(lock)
        limits.write_text(locking.constraints(locked), encoding="utf-8")
        packages = installing.resolve(wanted, python, work, limits)
        locking.hold(packages, locked, lock)
        return packages
    packages = installing.resolve(wanted, python, work)
    if lock is None:
        return packages
    several = [packages]
    limits.write_text(
        "".join(f"{one.name}=={one.version}\n" for one in packages if one.sha256), encoding="utf-8"
    )
    for platform in images.PLATFORMS.keys() - {python.platform}:
        status.show(f"choosing the same packages for {platform}")
        try:
            several.append(
                installing.resolve(wanted, python._replace(platform=platform), work, limits)
            )
        except InputError as e:
            status.clear()
            print(f"warning: {lock} is not for {platform}: {e}", file=sys.stderr)
    locking.write(lock, locking.text(f"Packages of an image with Python {python.dotted}.", several))
    return packages


# Leftovers of builds and tools, and images. A build would use leftovers of a previous build in
# `build` as sources.
_LEFT_BEHIND: Final = shutil.ignore_patterns(
    *(
        "__pycache__",
        "build",
        "dist",
        "*.egg-info",
        "node_modules",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
    ),
    *("*.tar", "*.xpkg"),
)


def _copied(project: Path, target: Path, base: str) -> Path:
    """Copy a project's folder, so that a build leaves no files in it and uses no files of earlier
    builds.

    Files of builds and tools, images and virtual environments aren't copied (see `_LEFT_BEHIND`).
    `base`, the real path of the base image, isn't copied, either. Raises InputError if a file can't
    be copied.
    """

    def ignored(folder: str, names: list[str]) -> set[str]:
        found = set(_LEFT_BEHIND(folder, names))
        for name in names:
            path = os.path.join(folder, name)
            if os.path.exists(os.path.join(path, "pyvenv.cfg")) or os.path.realpath(path) == base:
                found.add(name)
        return found

    try:
        shutil.copytree(project, target, symlinks=True, ignore=ignored)
    except (OSError, shutil.Error) as e:
        raise InputError(f"can't copy the project {project} to build it: {_reason(e)}") from e
    return target


def _reason(error: OSError) -> str:
    """Return the first file that couldn't be copied and the reason, as text, with the number of
    other such files.
    """
    if isinstance(error, shutil.Error):
        (source, _, reason), *others = error.args[0]
        reason = re.sub(r"^\[Errno \d+\] |: '.*'$", "", reason)
        return f"{source}: {reason}{f' (and {len(others)} more)' if others else ''}"
    return f"{error.filename}: {error.strerror}"


# Notes of pip about this machine.
_NOTES: Final = ("RECORD", "direct_url.json")
# The tools that KRM functions load; `krm.from_composition` renders.
_OF_KRM: Final = (
    "__init__.py",
    "codegen",
    "kubernetes",
    "manifests",
    "programs",
    "render",
    "simulate",
)


def _leave_out(target: Path, *, tools: bool, for_krm: bool) -> None:
    """Remove what names this machine: notes of pip, and programs in `bin`. With `tools`, remove our
    tools, too.
    """
    ours = target / "crossplane_lite"
    gone = [target / "bin", *(path for path in target.glob("*.dist-info/*") if path.name in _NOTES)]
    if tools and for_krm:
        gone += [
            ours / "testing",
            *(path for path in ours.glob("_tools/*") if path.name not in _OF_KRM),
        ]
    elif tools:
        gone += [ours / "testing", ours / "krm", ours / "_tools"]
    for path in gone:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _main(entry_point: str) -> str:
    module, _, attribute = entry_point.partition(":")
    if not attribute:
        return (
            f'import runpy\n\nrunpy.run_module("{module}", run_name="__main__", alter_sys=True)\n'
        )
    first = attribute.partition(".")[0]
    # The name of a function stands for its program `main`, as for `crossplane-lite serve`.
    call = attribute if "." in attribute or attribute == "main" else f"{attribute}.main"
    return f"import sys\n\nfrom {module} import {first}\n\nsys.exit({call}())\n"


def _byte_code(wanted: str, target: Path, python: Python) -> bool:
    if wanted == "no":
        return False
    done = installing.compile_all(target, python, f"/{PLACE}")
    if not done and wanted == "yes":
        raise InputError(
            f"--byte-code yes: only python{python.dotted} can make the byte code, and this machine"
            " doesn't have it: install it, or leave --byte-code out"
        )
    return done


def _files(target: Path) -> Iterator[tuple[str, Path]]:
    for folder, _, files in os.walk(target):
        for name in files:
            path = Path(folder, name)
            inside = path.relative_to(target.parent).as_posix()
            if path.is_symlink():
                raise InputError(
                    "an installed package has the symbolic link"
                    f" {path.relative_to(target).as_posix()}, which the image can't have: replace"
                    " it by a file in the sources of that package"
                )
            yield inside, path


def _made(
    base: images.Image,
    layer: Layer,
    python: Python,
    function: Function,
    arguments: argparse.Namespace,
) -> images.Image:
    own = {
        "org.opencontainers.image.title": function.name,
        "org.opencontainers.image.version": function.version,
    }
    config: dict[str, Any] = {
        "Entrypoint": entrypoint(python, arguments.transport),
        "Cmd": None,
        "User": arguments.user,
        "WorkingDir": "/",
        "Labels": own,
        # The root is read-only. Without this setting, Python would try to write byte code there for
        # each module.
        "Env": ["PYTHONDONTWRITEBYTECODE=1"],
    }
    if not arguments.krm:
        config["ExposedPorts"] = {"9443/tcp": {}}
        # Otherwise glibc gives each thread its own heap, and each heap keeps the memory of the
        # thread's largest call.
        config["Env"].append("MALLOC_ARENA_MAX=1")
    return images.added(base, [layer], config, "image")


def entrypoint(python: Python, transport: str) -> list[str]:
    """Return the image's entrypoint: the command that a container runs. Kubernetes adds a
    container's arguments to it.

    Args:
        python: The base image's Python.
        transport: A key of `installing.TRANSPORTS`, such as `grpcio`.
    """
    return [python.path, f"/{PLACE}", *(("--transport", transport) if transport != "none" else ())]


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments of `crossplane-lite image`."""
    made = parser(
        "image",
        "Make the runtime image of a function without Docker. It is a base image with Python, and"
        " one layer with the function and its packages. pip chooses the packages for the base"
        " image's Python and machine. The same packages always give the same bytes.",
        "examples:\n  crossplane-lite image --base base.tar\n"
        "  crossplane-lite image --base base-layout --platform linux/arm64 --report\n"
        "  crossplane-lite image --base root-folder --transport grpcio -o function.tar",
    )
    add = made.add_argument
    add(
        "project",
        metavar="PROJECT",
        nargs="?",
        default=".",
        help=(
            "the function's project: its folder, its wheel, or a requirement of pip such as its"
            " name (.)"
        ),
    )
    add(
        "--base",
        metavar="PATH",
        help=(
            "base image with Python: a docker-archive, an OCI layout (as a folder or a tar file),"
            " or a root folder; must be given"
        ),
    )
    platforms = sorted(images.PLATFORMS)
    add(
        "--platform",
        choices=platforms,
        help="the new image's platform; needed if the base has several",
    )
    add(
        "-o", "--output", metavar="PATH", help="the file or folder to write (NAME-ARCHITECTURE.tar)"
    )
    add(
        "--format",
        choices=["docker", "oci"],
        default="docker",
        help=(
            "docker for a docker-archive (default), oci for an OCI layout: a tar file if the name"
            " of --output ends in .tar or .oci, otherwise a folder"
        ),
    )
    add(
        "--tag",
        metavar="NAME",
        help="the image's name in the file (the project's name and version)",
    )
    add(
        "--function",
        metavar="MODULE:FUNCTION",
        help="what to run (the project's script `function`, or its only one)",
    )
    add(
        "--transport",
        choices=sorted(installing.TRANSPORTS),
        default="h2",
        help="the package that serves gRPC: h2 (default), grpcio, or none, for KRM functions",
    )
    add(
        "--sdk-from",
        metavar="PATH|URL|VERSION",
        help="the folder, wheel, URL or version of crossplane-lite to install",
    )
    add(
        "--lock",
        metavar="FILE",
        help=(
            "install only packages of this file, by hash (requirements with hashes); without such a"
            " file, write it"
        ),
    )
    add(
        "--python",
        metavar="PATH",
        help="the path of Python in the base, unless it is in a usual place",
    )
    add(
        "--byte-code",
        choices=["auto", "yes", "no"],
        default="auto",
        help=(
            "whether the image has byte code: yes, no, or auto (default): if this machine has the"
            " base's version of Python"
        ),
    )
    add(
        "--user",
        metavar="UID:GID",
        default=NOBODY,
        help=f"the user that the image runs as ({NOBODY}, nobody)",
    )
    add(
        "--krm",
        action="store_true",
        help="for a KRM function: keep the part of crossplane-lite for these",
    )
    add(
        "--no-prune",
        action="store_true",
        help="keep crossplane-lite's tools, which a served function never loads",
    )
    add("--report", action="store_true", help="print the size of each folder in the layer")
    return made

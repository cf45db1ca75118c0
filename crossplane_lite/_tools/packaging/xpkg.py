"""`crossplane-lite xpkg`: builds, shows and checks Crossplane packages of functions."""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..._core.base.terminal import StatusLine
from ...errors import InputError
from ..manifests.objects import metadata_of
from ..manifests.yaml import dump
from ..programs.help import HelpFormatter, parser
from ..registry.references import reference_of
from . import images, package, registry


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite xpkg` with the arguments that follow it.

    `build` writes packages, `inspect` prints the content of a package, `verify` checks packages,
    and `push` puts them into a registry.

    Returns:
        0, or 1 if `verify` found an error or can't read a package.

    Raises:
        InputError: `build`, `inspect` or `push` can't read or write a file, `build` or `push` found
            an error in the package, or the registry refuses it.
        MissingExtraError: PyYAML isn't installed.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    arguments = make_parser().parse_args(argv)
    status: int = arguments.run(arguments)
    return status


def _build(arguments: argparse.Namespace) -> int:
    root: str = arguments.package_root
    examples = arguments.examples_root
    objects = package.collect(root, examples)
    meta, warnings = package.checked(objects, root)
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    stream = package.read_examples(examples) if examples is not None else None
    with tempfile.TemporaryDirectory(prefix="crossplane-lite-") as folder, StatusLine() as status:
        work = Path(folder)
        source = arguments.embed_runtime_image_tarball
        runtimes: dict[str, images.Image | None] = {"": None}
        if source is not None:
            status.show(f"reading {source}")
            runtimes = {**images.one_each(images.read(source, work, arguments.platform), source)}
            if len(runtimes) > 1 and arguments.package_file:
                raise InputError(
                    f"{source} has images for {', '.join(runtimes)}, and a package is for one:"
                    " choose one with --platform, or leave --package-file out, so that each gets a"
                    " file of its own"
                )
        for platform, runtime in runtimes.items():
            status.show(f"making the package {platform}")
            image = package.assembled(objects, stream, runtime, work)
            content = package.content_of(image)
            if content.problems:
                raise InputError("; ".join(content.problems))
            name = meta["metadata"]["name"]
            suffix = f"-{images.PLATFORMS[platform]}" if platform else ""
            output = arguments.package_file or f"{name}{suffix}.xpkg"
            digest = images.write(image, output, "docker")
            status.clear()
            told = f"for {platform}" if platform else "without a runtime"
            print(f"{output}: {name} {told}, {images.size(os.path.getsize(output))}")
            print(f"  digest    {digest}")
    if source is None:
        print(
            "warning: the package holds no runtime image; --embed-runtime-image-tarball puts"
            " one in",
            file=sys.stderr,
        )
    return 0


def _read(path: str, work: Path) -> list[tuple[images.Image, package.Content]]:
    if os.path.isdir(path) and not os.path.isfile(os.path.join(path, "index.json")):
        raise InputError(f"{path} is a folder that isn't an OCI layout: give a package's file")
    with StatusLine() as status:
        status.show(f"reading {path}")
        return [(image, package.content_of(image)) for image in images.read(path, work)]


def _inspect(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="crossplane-lite-") as folder:
        found = _read(arguments.file, Path(folder))
        told = [_told(image, content) for image, content in found]
    if arguments.format == "json":
        print(json.dumps(told, indent=2, ensure_ascii=False))
    elif arguments.format == "yaml":
        for _, content in found:
            print(dump([one.content for one in content.objects]), end="")
    else:
        print(dump(told), end="")
    return 0


def _told(image: images.Image, content: package.Content) -> dict[str, Any]:
    config = image.config.get("config")
    settings = config if isinstance(config, dict) else {}
    keys = ("Entrypoint", "Cmd", "User", "WorkingDir", "Env", "Labels")
    return {
        "platform": images.platform_of(image.config),
        "objects": [
            {
                "apiVersion": one.content.get("apiVersion"),
                "kind": one.content.get("kind"),
                "name": metadata_of(one.content).get("name"),
                **(
                    {"spec": one.content.get("spec")}
                    if one.content.get("kind") == "Function"
                    else {}
                ),
            }
            for one in content.objects
        ],
        "runtime": {key: settings.get(key) for key in keys},
        "layers": [
            {
                "digest": layer.digest,
                "size": layer.size,
                "unpacked": layer.unpacked_size,
                "mark": layer.mark,
            }
            for layer in image.layers
        ],
        "examples": (content.examples or "").count("\n---") + 1 if content.examples else 0,
        "problems": content.problems,
        "warnings": content.warnings,
    }


def _verify(arguments: argparse.Namespace) -> int:
    status = 0
    for path in arguments.files:
        try:
            with tempfile.TemporaryDirectory(prefix="crossplane-lite-") as folder:
                found = _read(path, Path(folder))
            problems = [problem for _, content in found for problem in content.problems]
            for _, content in found:
                for warning in content.warnings:
                    print(f"warning: {warning}", file=sys.stderr)
        except InputError as e:
            problems = [str(e)]
        for problem in problems:
            print(problem if problem.startswith(path) else f"{path}: {problem}", file=sys.stderr)
        if problems:
            status = 1
        else:
            print(f"{path}: digests, marks and objects are right")
    return status


def _push(arguments: argparse.Namespace) -> int:
    reference = reference_of(arguments.reference)
    paths = [path for one in arguments.package_files or () for path in one.split(",")] or sorted(
        name for name in os.listdir() if name.endswith(".xpkg")
    )
    if not paths:
        raise InputError("there is no .xpkg in this folder: name the package with --package-files")
    with tempfile.TemporaryDirectory(prefix="crossplane-lite-") as folder, StatusLine() as status:
        found = []
        for path in paths:
            found += _read(path, Path(folder))
        problems = [problem for _, content in found for problem in content.problems]
        if problems:
            raise InputError(f"nothing was pushed: {'; '.join(problems)}")
        status.show(f"pushing to {reference.host}")
        digest, refused = registry.push(
            reference, [(image, content.sbom) for image, content in found]
        )
    for one in refused:
        print(f"warning: {one}", file=sys.stderr)
    print(f"{reference.host}/{reference.repository}@{digest}")
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments of `crossplane-lite xpkg`."""
    made = parser(
        "xpkg",
        "Build, show, check and push Crossplane packages of functions.",
        "examples:\n  crossplane-lite xpkg build --embed-runtime-image-tarball function.tar\n "
        " crossplane-lite xpkg inspect function-naming-amd64.xpkg\n  crossplane-lite xpkg verify"
        " *.xpkg\n  crossplane-lite xpkg push registry.example.com/team/function-naming:v0.1.0",
    )
    commands = made.add_subparsers(metavar="build|inspect|verify|push", required=True, dest="what")
    add = functools.partial(commands.add_parser, formatter_class=HelpFormatter, allow_abbrev=False)
    build = add(
        "build",
        help="make a package",
        description=(
            "Make a package of a folder's YAML files. An object that the package manager would"
            " refuse is an error with file and line, and nothing is written then. The same files"
            " always give the same bytes."
        ),
        epilog=(
            "examples:\n  crossplane-lite xpkg build --package-root package"
            " --embed-runtime-image-tarball function.tar\n  crossplane-lite xpkg build"
            " --embed-runtime-image-tarball layout --platform linux/arm64 --examples-root example"
        ),
    )
    build.add_argument(
        "-f",
        "--package-root",
        metavar="DIR",
        default="package",
        help="the folder that has crossplane.yaml (package)",
    )
    build.add_argument(
        "-e", "--examples-root", metavar="DIR", help="a folder of examples to put into the package"
    )
    build.add_argument(
        "--embed-runtime-image-tarball",
        metavar="PATH",
        help="the function's image: a docker-archive, or an OCI layout as a folder or a tar file",
    )
    build.add_argument(
        "--platform",
        choices=sorted(images.PLATFORMS),
        help="use only the image for this platform (all)",
    )
    build.add_argument(
        "-o", "--package-file", metavar="FILE", help="the file to write (NAME-ARCHITECTURE.xpkg)"
    )
    build.set_defaults(run=_build)
    inspect = add(
        "inspect",
        help="print the content of a package",
        description=(
            "Print the content of a package: a saved image or an OCI layout, also one that another"
            " tool made."
        ),
        epilog="examples:\n  crossplane-lite xpkg inspect function-naming-amd64.xpkg --format json",
    )
    inspect.add_argument("file", metavar="FILE", help="the package")
    inspect.add_argument(
        "--format",
        choices=["text", "json", "yaml"],
        default="text",
        help="text (default) and json print all, yaml only its package.yaml",
    )
    inspect.set_defaults(run=_inspect)
    verify = add(
        "verify",
        help="check packages",
        description=(
            "Check packages: their digests, marks and paths of files, and their objects as the"
            " package manager checks them."
        ),
        epilog=(
            "examples:\n  crossplane-lite xpkg verify *.xpkg\n\nExit status: 1 if a package has an"
            " error."
        ),
    )
    verify.add_argument("files", metavar="FILE", nargs="+", help="a package to check")
    verify.set_defaults(run=_verify)
    push = add(
        "push",
        help="put packages into a registry",
        description=(
            "Put packages of one name into a registry: a package for one platform under the tag,"
            " packages for several platforms as an index. The login is the one that docker, podman"
            " or crane have saved. A registry on localhost is asked without TLS. Prints the name"
            " with the digest that the registry confirmed, which cosign signs."
        ),
        epilog=(
            "examples:\n  crossplane-lite xpkg push"
            " registry.example.com/team/function-naming:v0.1.0\n  crossplane-lite xpkg push -f"
            " a-amd64.xpkg -f a-arm64.xpkg localhost:5000/a:v1"
        ),
    )
    push.add_argument("reference", metavar="HOST/REPOSITORY:TAG", help="the name to push to")
    push.add_argument(
        "-f",
        "--package-files",
        metavar="FILE",
        action="append",
        help=(
            "the package, or several with commas between; can be given several times (all .xpkg of"
            " this folder)"
        ),
    )
    push.set_defaults(run=_push)
    return made

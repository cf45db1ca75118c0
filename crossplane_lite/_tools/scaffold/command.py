"""The command `crossplane-lite init`, which writes the project of a new function."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..._core.base.extras import load
from ..._core.base.terminal import StatusLine
from ...errors import InputError
from ..packaging.installing import sdk_requirement
from ..programs.help import parser
from ..programs.process import patiently
from .project import Project, check_name, filled, new_project

_LONGEST: Final = 63  # the name is that of a ConfigMap, and of the image


def krm_files(name: str, sdk_from: str | None = None) -> dict[str, str]:
    """Return the files of a new project: the text of each file, by its path in the project.

    Args:
        name: The name of the function, of its image and of the ConfigMap that configures it.
        sdk_from: The crossplane-lite that the project requires: a folder, a wheel, a URL or a
            version. None for the newest version in the package index.

    Raises:
        InputError: The name has other characters than lower-case letters, digits and single dashes,
            or more than 63, or isn't a string in YAML; or `sdk_from` can't be used.
    """
    check_name(name, _LONGEST)
    sdk = "crossplane-lite[krm]" if sdk_from is None else sdk_requirement(sdk_from, "[krm]")
    return filled("krm", name=name, sdk=sdk)


# This program writes the first snapshot. It imports the new function, so it runs in a process of
# its own, in the new folder.
_FIRST = """
import sys
from crossplane_lite import testing
from {package}.function import compose
folder = testing.Folder("tests")
if sys.argv[1] == "operation":
    value = testing.run(compose, folder.request())
else:
    value = folder.render()
testing.Snapshots("tests", update=True).check(value, "expected/first.yaml")
"""


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite init` with the arguments that follow it. Warnings are printed to stderr.

    Returns:
        Always 0. The project was written then, and the next steps were printed to stdout.

    Raises:
        InputError: The name, a flag, a file with definitions, or the folder can't be used; or
            --sdk-from is missing, and crossplane-lite wasn't installed from the index; or a file of
            the project can't be written; or the project was written, but its function can't be
            rendered.
        MissingExtraError: PyYAML isn't installed, which all templates except `krm` need.
        SystemExit: An argument is wrong or missing, with the status 2; or `--help` was printed,
            with the status 0.
    """
    arguments = make_parser().parse_args(argv)
    if arguments.sdk_from is None and (source := _installed_from()) is not None:
        raise InputError(
            f"crossplane-lite was installed from {source}, and pip's index may not have it: add"
            f" --sdk-from {source}, or --sdk-from VERSION if the index has it (nothing was written)"
        )
    folder = Path(arguments.name)
    name = Path(os.path.abspath(folder)).name
    if arguments.template != "composition" and (arguments.xrd or arguments.crd):
        raise InputError(
            "--xrd and --crd work only with --template composition: leave them out, or leave out"
            f" --template {arguments.template}"
        )
    warnings: list[str] = []
    with StatusLine() as status:
        project = None
        if arguments.template == "krm":
            texts = krm_files(name, arguments.sdk_from)
        else:
            load("yaml", "cli")
            project = new_project(name, arguments.sdk_from)
            if arguments.template == "operation":
                values = {**project._asdict(), "capability": "operation", "render": "render op"}
                values |= {"more": "", "check": ""}
                texts = {**filled("shared", **values), **filled("operation", **values)}
            else:
                from . import composition

                status.show("making models")
                texts, warnings = composition.files(project, arguments.xrd, arguments.crd or ())
        write(folder, texts)
        if project is not None:
            status.show("rendering the example")
            _write_snapshot(folder, project, arguments.template)
            texts["tests/expected/first.yaml"] = ""
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"{folder}: {len(texts)} files of a new function, {name}")
    print(*_next(arguments.name, texts["README.md"]), sep="\n")
    return 0


def _next(folder: str, readme: str) -> list[str]:
    """Return lines with the next three commands: into the project's folder, and the first two of
    its README.
    """
    enter = f"cd {shlex.quote(folder)}"
    install, show = [line.strip() for line in readme.splitlines() if line.startswith("    ")][:2]
    at_once = show.removeprefix(".venv/bin/")
    # the program of a KRM function imports what is installed first
    if not at_once.startswith("crossplane-lite "):
        return ["next:", f"  {enter}", f"  {install}", f"  {show}"]
    return ["next:", f"  {enter}", f"  {at_once}", "then, for tests and types:", f"  {install}"]


def _installed_from() -> str | None:
    """Return a value for `--sdk-from` that installs the same crossplane-lite as this one: a path,
    or a URL.

    None if it was installed from the package index, or its source isn't known.
    """
    try:
        told = distribution("crossplane-lite").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    if told is None:
        return None
    found: dict[str, Any] = json.loads(told)
    url: str = found["url"]
    if url.startswith("file:"):
        return shlex.quote(url2pathname(urlsplit(url).path))
    version_control: dict[str, str] | None = found.get("vcs_info")
    return (
        f"{version_control['vcs']}+{url}@{version_control['commit_id']}" if version_control else url
    )


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the files of a new project.

    Args:
        folder: The project's folder, which must be empty or not exist yet.
        texts: The text of each file, by the file's path in the folder.

    Raises:
        InputError: The folder is a file or isn't empty; then nothing was written. Or a file can't
            be written; then the files before it stay.
    """
    try:
        if os.path.lexists(folder) and not folder.is_dir():
            raise InputError(
                f"{folder} exists and isn't a folder: choose another name (nothing was written)"
            )
        if folder.is_dir() and (there := sorted(os.listdir(folder))):
            raise InputError(
                f"{folder} isn't an empty folder (it has {there[0]}): choose another name, or"
                " delete the folder (nothing was written)"
            )
        for path, text in texts.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
    except OSError as e:
        raise InputError(f"can't write {e.filename or folder}: {e.strerror or e}") from e


def _write_snapshot(folder: Path, project: Project, template: str) -> None:
    """Render the project's example, and write the output to `tests/expected/first.yaml`, which a
    test compares.

    This is done by another Python process, because the new function must be imported.

    Args:
        folder: The project's folder.
        project: The values in the project's files.
        template: `composition` or `operation`.

    Raises:
        InputError: The function can't be imported or rendered. The project's files stay.
    """
    program = _FIRST.format(package=project.package)
    environment = {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = patiently([sys.executable, "-c", program, template], folder=folder, env=environment)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it ended without a message"])[-1]
        raise InputError(f"{folder} was written, but its function can't be rendered: {reason}")


def make_parser() -> argparse.ArgumentParser:
    """Return the argument parser of `crossplane-lite init`."""
    made = parser(
        "init",
        "Write the project of a new function: code, models, an example, tests, and the files for"
        " its package and its image. The function can be rendered and tested at once; the project's"
        " README has the commands.",
        "examples:\n  crossplane-lite init network\n  crossplane-lite init network --xrd xrd.yaml"
        " --crd vpcs.yaml --crd subnets.yaml\n  crossplane-lite init restart --template operation\n"
        "  crossplane-lite init set-labels --template krm",
    )
    made.add_argument("name", metavar="NAME", help="the project's name, or a path that ends in it")
    made.add_argument(
        "--template",
        choices=["composition", "operation", "krm"],
        default="composition",
        help=(
            "the kind of function: for compositions (default), for Operations, or a KRM function,"
            " which changes files"
        ),
    )
    made.add_argument(
        "--xrd", metavar="FILE", help="the CompositeResourceDefinition of the function's composite"
    )
    made.add_argument(
        "--crd",
        metavar="FILE",
        action="append",
        help=(
            "definitions of the kinds that the function composes; can be given several times. Kinds"
            " from an OpenAPI document get models, and the function's code doesn't compose them"
        ),
    )
    made.add_argument(
        "--sdk-from",
        metavar="PATH|URL|VERSION",
        help=(
            "the folder, wheel, URL or version of crossplane-lite that the project requires (the"
            " newest one of pip's index, if this one came from there)"
        ),
    )
    return made

"""Reads the options of `crossplane-lite generate` from its arguments and the project file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...errors import InputError
from .. import kubernetes
from ..manifests import project as projects
from ..manifests.project import LIST, TEXT
from ..manifests.values import one_of
from ..registry.references import SCHEME, is_package
from .generate import VERSIONS

PROJECT: Final = projects.NAME

# The keys of the project file's table [generate], each with the type of its value.
_KEYS: Final = {
    **dict.fromkeys(("kube-context", "output", "versions"), TEXT),
    **dict.fromkeys(("sources", "only", "uses"), LIST),
}


class Options(NamedTuple):
    """The options of one run of `generate`.

    Attributes:
        sources: The files, folders and patterns that definitions are read from; `-` is standard
            input.
        kube_context: The kubectl context of a cluster whose definitions are read, too. Empty for
            the current context; None to read no cluster.
        output: The folder that the models are written to.
        only: Patterns `GROUP/KIND` of the kinds to generate; empty for all kinds.
        versions: The versions of each kind to generate: `served`, `storage` or `all`.
        uses: The files and folders of code that are checked against the new models.
        is_check: Whether the run only compares, and writes nothing.
        is_json: Whether the report is printed as JSON.
        is_verbose: Whether the run lists each type that the sources define differently.
        project: The project's file, if the sources are those in it; None if the arguments name
            them.
        only_in: Where `only` is written, for messages: `--only`, or its place in the project's
            file.
    """

    sources: list[str]
    kube_context: str | None
    output: Path
    only: list[str]
    versions: str
    uses: list[Path]
    is_check: bool
    is_json: bool
    is_verbose: bool
    project: Path | None = None
    only_in: str = "--only"


def read(argv: Sequence[str]) -> Options:
    """Return the options of a run, from the arguments and the project's file.

    The file is read if `--project` names it, or if the arguments have neither a source nor
    `--kube-context`. An argument replaces the same option in the file. If the arguments have a
    source or `--kube-context`, both `sources` and `kube-context` in the file are ignored. Paths in
    the file are relative to the file's folder.

    Raises:
        InputError: The file can't be read, a key or a value in it is wrong, or it names neither
            sources nor a cluster.
        MissingExtraError: Python 3.10 needs the package tomli to read the file, and tomli isn't
            installed.
        SystemExit: An argument is wrong or missing, and the reason was printed on stderr; or the
            help was printed.
    """
    parser = make_parser()
    arguments = parser.parse_args(argv)
    given: Mapping[str, Any] = {}
    only_in = "--only"
    folder = Path()
    if arguments.project is not None or (not arguments.sources and arguments.kube_context is None):
        found = (
            projects.read(arguments.project)
            if arguments.project is not None
            else projects.find(Path())
        )
        if found is None:
            parser.error(
                f"give a SOURCE or --kube-context; the current folder has no {PROJECT} to read them"
                " from"
            )
        file, given = found.file, project_table(found)
        folder = file.parent
        if not arguments.only:
            only_in = f"{file}: {found.above}generate.only:"
    sources = arguments.sources
    project = None
    if not sources and arguments.kube_context is None:
        project = file
        sources = [placed(one, folder) for one in given.get("sources", [])]
        arguments.kube_context = given.get("kube-context")
        if not sources and arguments.kube_context is None:
            raise InputError(
                f"{file}: [generate] has neither sources nor kube-context: add one of the two"
            )
    output = arguments.output
    if output is None and "output" in given:
        output = folder / given["output"]
    if output is None:
        parser.error(f"the following arguments are required: -o/--output, or `output` in {PROJECT}")
    return Options(
        sources,
        arguments.kube_context,
        output,
        arguments.only or given.get("only", []),
        arguments.versions or given.get("versions", VERSIONS[0]),
        arguments.uses or [folder / one for one in given.get("uses", [])],
        arguments.check,
        arguments.report == "json",
        arguments.verbose,
        project,
        only_in,
    )


def project_table(project: projects.Project) -> Mapping[str, Any]:
    """Return the table [generate] of a project's file, after a check of its keys and values.

    Raises:
        InputError: The file lacks the table; or a key or a value in it is wrong.
    """
    table = project.table("generate", _KEYS)
    if table is None:
        raise InputError(
            f"{project.file} must have a table [{project.above}generate], with the options of the"
            " command"
        )
    if table.get("versions", VERSIONS[0]) not in VERSIONS:
        raise InputError(
            f"{project.file}: {project.above}generate.versions must be {one_of(VERSIONS)} (got"
            f" {table['versions']!r})"
        )
    return table


def is_kubernetes(source: str) -> bool:
    """Return whether a source stands for Kubernetes' own kinds, which come with the tools."""
    return source == kubernetes.NAME and not os.path.lexists(source)


def placed(source: str, folder: Path) -> str:
    """Return the path of a source that a project's file in a folder names; what isn't a path stays
    as it is.
    """
    is_path = source not in ("-", kubernetes.NAME) and not is_package(source)
    return str(folder / source) if is_path else source


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments of `crossplane-lite generate`."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite generate",
        description=(
            "Make model packages from API definitions: CustomResourceDefinitions,"
            " CompositeResourceDefinitions, OpenAPI v3 documents and Crossplane packages. Models of"
            " earlier runs that these sources no longer define are removed. The output folder must"
            " be new or empty at the first run; files that you add to it later stay."
        ),
        epilog=(
            "Exit status: 0 on success; 1 if --check finds the folder out of date, or --uses finds"
            " lines of code that the new models break; 2 if a source or the folder can't be used."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="*",
        help=(
            "a file (YAML or JSON of one or many documents, a package, an image or another"
            " archive), a folder of such files, a package in a registry"
            f" ({SCHEME}HOST/REPOSITORY:TAG), a pattern such as 'crds/*.yaml', or - for standard"
            f" input; without any, {PROJECT} has the options"
        ),
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", type=Path, help="the folder that the models are written to"
    )
    parser.add_argument(
        "--kube-context",
        metavar="CONTEXT",
        nargs="?",
        const="",
        help=(
            "also read the definitions of a cluster through kubectl: its CustomResourceDefinitions"
            " and its API server's OpenAPI documents; without CONTEXT, kubectl's current context"
        ),
    )
    parser.add_argument(
        "--only",
        metavar="GROUP/KIND",
        action="append",
        help=(
            "generate only this kind, and the types that it refers to; can be given several times;"
            " * stands for any text, as in '*.aws.upbound.io/*', upper and lower case are the same,"
            " and the core group is called core"
        ),
    )
    parser.add_argument(
        "--versions",
        choices=VERSIONS,
        help=(
            "the versions of each kind to generate: those that are served (the default), the stored"
            " one, or all"
        ),
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help=(
            "write nothing; print whether the folder is up to date, and the changes that a run"
            " would make"
        ),
    )
    parser.add_argument(
        "--uses",
        metavar="PATH",
        action="append",
        type=Path,
        help=(
            "list the lines in this file or folder of code that the new models break, as mypy finds"
            " them; can be given several times"
        ),
    )
    parser.add_argument(
        "--report", choices=("text", "json"), default="text", help="the form of the report (text)"
    )
    parser.add_argument(
        "--project",
        metavar="FILE",
        type=Path,
        help=f"read the options from this file instead of {PROJECT}",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also list each definition in which sources differ",
    )
    return parser

"""What `crossplane-lite generate` is told: by its arguments, or by the file that keeps them for a project."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from .._base.extras import load
from .._manifests.reading import read_bytes
from .._manifests.values import one_of
from ..errors import InputError
from .generate import VERSIONS

__all__ = ["PROJECT", "Options", "make_parser", "read"]

PROJECT: Final = "crossplane-lite.toml"
"""The file that is looked for where no source is given."""

# The type of each key of the file's table [generate].
_LIST: Final = "a list of strings"
_KEYS: Final = {
    "sources": _LIST,
    "kube-context": "a string",
    "output": "a string",
    "only": _LIST,
    "versions": "a string",
    "stubs-dir": "a string",
    "descriptions": "true or false",
    "uses": _LIST,
}


class Options(NamedTuple):
    """What to do.

    Attributes:
        sources: What to read.
        kube_context: The context of kubectl whose cluster is read besides; None for no cluster.
        output: The folder of the models.
        stubs_dir: The folder of the stubs; None for beside the models.
        only: Patterns of what is generated; empty for all.
        versions: Which versions of a kind.
        descriptions: Whether stubs have them.
        uses: The code whose lines are looked at.
        is_check: Whether nothing is written.
        is_json: Whether the report is JSON.
        is_verbose: Whether details are said.
    """

    sources: list[str]
    kube_context: str | None
    output: Path
    stubs_dir: Path | None
    only: list[str]
    versions: str
    descriptions: bool
    uses: list[Path]
    is_check: bool
    is_json: bool
    is_verbose: bool


def read(argv: Sequence[str]) -> Options:
    """Read the arguments, and the project's file where they name no source.

    What an argument says counts instead of what the file says.

    Raises:
        InputError: The file can't be used.
        MissingExtraError: The file can't be read, because this Python has no reader of TOML.
    """
    parser = make_parser()
    arguments = parser.parse_args(argv)
    given: Mapping[str, Any] = {}
    folder = Path()
    if arguments.project is not None or (not arguments.sources and arguments.kube_context is None):
        file = arguments.project or Path(PROJECT)
        if arguments.project is None and not file.exists():
            parser.error(f"give a SOURCE or --kube-context, or keep them in a {PROJECT}, which is not here")
        given, folder = _project(file), file.parent
    sources = arguments.sources
    if not sources and arguments.kube_context is None:
        sources = [one if one == "-" else str(folder / one) for one in given.get("sources", [])]
        arguments.kube_context = given.get("kube-context")
        if not sources and arguments.kube_context is None:
            raise InputError(f"{file}: [generate] has neither sources nor kube-context")
    output = _path(arguments.output, folder, given.get("output"))
    if output is None:
        parser.error("the following arguments are required: -o/--output")
    return Options(
        sources,
        arguments.kube_context,
        output,
        _path(arguments.stubs_dir, folder, given.get("stubs-dir")),
        arguments.only or given.get("only", []),
        arguments.versions or given.get("versions", VERSIONS[0]),
        given.get("descriptions", True) and not arguments.no_descriptions,
        arguments.uses or [folder / one for one in given.get("uses", [])],
        arguments.check,
        arguments.report == "json",
        arguments.verbose,
    )


def _path(argument: Path | None, folder: Path, given: str | None) -> Path | None:
    return argument if argument is not None else None if given is None else folder / given


def _project(file: Path) -> Mapping[str, Any]:
    """Return the table [generate] of a project's file."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        tomllib: Any = load("tomli", "codegen")
    text = read_bytes(file)
    try:
        document = tomllib.loads(text.decode())
    except ValueError as e:  # UnicodeDecodeError is one
        raise InputError(f"{file} is not TOML: {' '.join(str(e).split())}") from None
    table = document.get("generate")
    if not isinstance(table, dict):
        raise InputError(f"{file} must have a table [generate]")
    for key, value in table.items():
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, n=1) or list(_KEYS)
            raise InputError(f"{file}: [generate] has no {key!r}; there is {one_of(near)}")
        if not _is(value, _KEYS[key]):
            raise InputError(f"{file}: generate.{key} must be {_KEYS[key]} (got {value!r})")
    if table.get("versions", VERSIONS[0]) not in VERSIONS:
        raise InputError(f"{file}: generate.versions must be {one_of(VERSIONS)} (got {table['versions']!r})")
    return table


def _is(value: Any, kind: str) -> bool:
    if kind == _LIST:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return isinstance(value, str if kind == "a string" else bool)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite generate",
        description="Make model packages from API definitions: CustomResourceDefinitions, "
        "CompositeResourceDefinitions, OpenAPI v3 documents and Crossplane packages. The output folder then holds "
        "what these sources define, and nothing of earlier runs that they don't. It must be new or empty the first "
        "time; files that others put beside the generated ones later stay.",
        epilog="Exit status: 0; 1 with --check where the folder is not what the sources give, and with --uses where "
        "lines of code no longer fit; 2 when a source or the folder can't be used, and nothing is written then.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="*",
        help="a file (YAML or JSON of one or many documents, a package, an image or another archive), a folder of such "
        f"files, a pattern such as 'crds/*.yaml', or - for standard input; without any, {PROJECT} says what to do",
    )
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, help="the package to make")
    parser.add_argument(
        "--kube-context",
        metavar="CONTEXT",
        nargs="?",
        const="",
        help="read the definitions of a cluster through kubectl, besides the sources: CustomResourceDefinitions and "
        "the API server's OpenAPI; the current context where none is named",
    )
    parser.add_argument(
        "--only",
        metavar="GROUP/KIND",
        action="append",
        help="generate this kind and what it refers to; can be given several times, in any case, and hold * as in "
        "'*.aws.upbound.io/*'; the core group is core",
    )
    parser.add_argument(
        "--versions",
        choices=VERSIONS,
        help="which versions of a kind: those that are served (the default), the one that is stored, or all",
    )
    parser.add_argument(
        "--stubs-dir",
        metavar="DIR",
        type=Path,
        help="write the .pyi files there, for images without them, instead of beside the modules",
    )
    parser.add_argument("--no-descriptions", action="store_true", help="leave descriptions out of the .pyi files")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing, and say whether the folder is what the sources give, and what would change",
    )
    parser.add_argument(
        "--uses",
        metavar="PATH",
        action="append",
        type=Path,
        help="name the lines of this code, a file or a folder, that the new models break, by their types; needs mypy "
        "or pyright; can be given several times",
    )
    parser.add_argument("--report", choices=("text", "json"), default="text", help="how to say what was done")
    parser.add_argument(
        "--project", metavar="FILE", type=Path, help=f"read what to do from this file instead of {PROJECT}"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="say more: how definitions differ that several sources have"
    )
    return parser

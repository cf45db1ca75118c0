"""`crossplane-lite check`: finds habits in the source of functions that go wrong silently."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..._core.base import stdio
from ...errors import InputError
from ..manifests import project
from ..manifests.files import read_bytes
from ..manifests.yaml import decode
from ..programs.watch import sources
from .finding import Finding
from .source import findings


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite check` with the arguments that follow it.

    Returns:
        0, or 1 if something was found.

    Raises:
        InputError: A file can't be read, or isn't Python; or the project file can't be used.
        MissingExtraError: Python 3.10 needs tomli to read the project file, and it isn't installed.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    parser = make_parser()
    arguments = parser.parse_args(argv)
    if not arguments.paths:
        if project.find(Path()) is None:
            parser.error(f"give FILE: the current folder has no {project.NAME}")
        arguments.paths = [Path()]
    lines = [
        f"{file}:{one.line}:{one.column}: {one.code} {one.text}"
        for file in _files(arguments.paths)
        for one in in_file(file)
    ]
    stdio.write("".join(f"{line}\n" for line in lines).encode())
    return 1 if lines else 0


def in_file(file: Path) -> list[Finding]:
    """Return what is wrong in a file.

    Raises:
        InputError: The file can't be read, or isn't Python.
    """
    try:
        return findings(decode(read_bytes(file), str(file)))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        place = f", line {line}" if line else ""
        raise InputError(
            f"{file}{place}: this is not Python: {getattr(error, 'msg', error)}"
        ) from None


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        yield from sorted(map(Path, sources(str(path))))


def make_parser() -> argparse.ArgumentParser:
    """Return the argument parser of `crossplane-lite check`."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite check",
        description=(
            "Read the source of composition functions, and find what goes wrong silently: values"
            " that may be missing compared with None or True, sorted or dumped as JSON, and lists"
            " that are changed after they were set."
        ),
        epilog=(
            "Exit status: 0; 1 when something was found; 2 when a file can't be read or isn't"
            " Python."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths",
        metavar="FILE",
        nargs="*",
        type=Path,
        help=(
            "a file, or a folder of files that end in .py, beside those of virtual environments"
            f" and builds; without any, the current folder, if it has a {project.NAME}"
        ),
    )
    return parser

"""`crossplane-lite generate`: model packages from API definitions."""

from __future__ import annotations

import argparse
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from .._manifests import sources
from ..errors import InputError
from . import generate, output
from .definitions import Definitions, Kind, definitions

__all__ = ["command", "make_parser"]


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite generate` with the arguments that follow it.

    Returns:
        0. A summary is printed on stdout, and progress on stderr where that is a terminal.

    Raises:
        InputError: A source, or the output folder, isn't what it should be. Nothing has been written then.
    """
    arguments = make_parser().parse_args(argv)
    progress = _Progress()
    with progress:
        found = definitions(sources.read_sources(arguments.sources))
        _check(found, arguments.sources)
        kinds = generate.select(found.kinds, arguments.versions, arguments.only or ())
        if not kinds:
            raise InputError(f"no version is left with --versions {arguments.versions}; --versions all takes all")
        progress.total = len(kinds)
        folder: Path = arguments.output
        made = generate.generate(
            kinds,
            lambda file: _text(folder / file),
            descriptions=not arguments.no_descriptions,
            progress=progress.step,
        )
    if arguments.stubs_dir is None:
        outputs = [(folder, made.modules | _stubs_beside(made))]
    else:
        outputs = [(folder, made.modules), (arguments.stubs_dir, made.stubs)]
    summaries = output.write_all(outputs)
    _warn_of_ignored([folder / file for folder, files in outputs for file in files])
    apis = {(kind.group, kind.kind) for kind in kinds}
    _print_summary(len(apis), made.classes, outputs, summaries, found)
    return 0


def _stubs_beside(made: generate.Output) -> dict[str, str]:
    """Return the stubs that stand beside modules; a package's empty `__init__.py` needs none."""
    return {file: text for file, text in made.stubs.items() if not file.endswith("__init__.pyi")}


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8") if stat.S_ISREG(file.lstat().st_mode) else None
    except (OSError, UnicodeDecodeError):  # not there, or not ours: writing says what is wrong with it
        return None


def _check(found: Definitions, arguments: Sequence[str]) -> None:
    """Refuse a file that defines nothing, where it was named itself."""
    defined = [kind.where for kind in found.kinds]
    for argument in arguments:
        if argument != "-" and Path(argument).is_dir() and found.kinds:
            continue
        name = "<stdin>" if argument == "-" else argument
        # What follows an argument in a place: a document of the file, a file of the archive or of the folder.
        starts = (f"{name}, ", f"{name}:", f"{name.rstrip('/')}/")
        if not any(where == name or where.startswith(starts) for where in defined):
            others = sorted({kind for where, kind in found.others.items() if where == name or where.startswith(starts)})
            has = f" (it has {', '.join(others)})" if others else " (it is empty)"
            raise InputError(
                f"{name} defines no API{has}: it takes a CustomResourceDefinition, a CompositeResourceDefinition or an "
                "OpenAPI v3 document"
            )


def _warn_of_ignored(files: Sequence[Path]) -> None:
    """Say which of the written files git leaves out, as a list of ignored files with `instance/` in it makes it do."""
    import shutil
    import subprocess

    git = shutil.which("git")
    if git is None:
        return
    where = files[0].parent
    names = "".join(f"{file.absolute()}\0" for file in files)
    # Status 128 where it is no work tree, 1 where nothing is ignored.
    done = subprocess.run(
        [git, "check-ignore", "-z", "--verbose", "--non-matching", "--stdin"],
        input=names,
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return
    parts = done.stdout.split("\0")[:-1]
    # Source, line, pattern and path of each file; a pattern that begins with ! keeps it.
    found = [parts[at : at + 4] for at in range(0, len(parts), 4)]
    ignored = [one for one in found if one[2] and not one[2].startswith("!")]
    if ignored:
        source, line, pattern, path = ignored[0]
        more = f" and {len(ignored) - 1} more" if len(ignored) > 1 else ""
        print(
            f"warning: git ignores {path}{more}, because {source} has {pattern!r} in line {line}: "
            "keep the models with a line such as !/models/** at its end",
            file=sys.stderr,
        )


def _print_summary(
    apis: int,
    classes: int,
    outputs: Sequence[tuple[Path, dict[str, str]]],
    summaries: Sequence[output.Summary],
    found: Definitions,
) -> None:
    print(f"{apis} {'kind' if apis == 1 else 'kinds'}, {classes} classes")
    for (folder, _), done in zip(outputs, summaries, strict=True):
        print(f"{folder}: {done.written} files written, {done.unchanged} unchanged, {done.removed} removed")
    if found.others:
        kinds = ", ".join(sorted(set(found.others.values())))
        many = f"{len(found.others)} documents define" if len(found.others) > 1 else "1 document defines"
        print(f"{many} no API, so nothing was made of {'them' if len(found.others) > 1 else 'it'}: {kinds}")


class _Progress:
    """A line on the terminal that says which kind is being read."""

    def __init__(self) -> None:
        self.total = 0
        self._done = 0
        self._shown = sys.stderr.isatty()

    def step(self, kind: Kind) -> None:
        self._done += 1
        if self._shown:
            text = f"{self._done}/{self.total} {kind.kind} {kind.api_version}"
            print(f"\r\x1b[K{text:.79}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> None:
        if self._shown:
            print("reading", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite generate",
        description="Make model packages from API definitions: CustomResourceDefinitions, "
        "CompositeResourceDefinitions, OpenAPI v3 documents and Crossplane packages. The output folder then holds "
        "what these sources define, and nothing of earlier runs that they don't. It must be new or empty the first "
        "time; files that others put beside the generated ones later stay.",
        epilog="Exit status: 0, or 2 when a source or the folder can't be used; nothing is written then.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="+",
        help="a file (YAML or JSON of one or many documents, a package or image archive), a folder of such files, "
        "or - for standard input",
    )
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, required=True, help="the package to make")
    parser.add_argument(
        "--only",
        metavar="GROUP/KIND",
        action="append",
        help="generate this kind and what it refers to; can be given several times, and hold * as in "
        "'*.aws.upbound.io/*'; the core group is core",
    )
    parser.add_argument(
        "--versions",
        choices=generate.VERSIONS,
        default="served",
        help="which versions of a kind: those that are served (the default), the one that is stored, or all",
    )
    parser.add_argument(
        "--stubs-dir",
        metavar="DIR",
        type=Path,
        help="write the .pyi files there, for images without them, instead of beside the modules",
    )
    parser.add_argument("--no-descriptions", action="store_true", help="leave descriptions out of the .pyi files")
    return parser

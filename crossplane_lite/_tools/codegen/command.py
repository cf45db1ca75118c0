"""`crossplane-lite generate`: makes packages of models from API definitions.

A source is a file, a folder or a pattern that the user names, and in which definitions are looked
for.
"""

from __future__ import annotations

import itertools
import keyword
import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..._core.base.terminal import StatusLine
from ..._core.base.texts import some
from ...errors import InputError
from ..manifests import sources
from ..manifests.kind_sources import passed_over_text
from ..manifests.yaml import Document
from . import changes, generate, imports, manifest, options, output, uses
from .definitions import Definitions, Kind, definitions
from .options import Options

# the command line asks each command's module for it
from .options import make_parser as make_parser
from .report import Report

# The shortest time between two changes of the line, in seconds. Writing to a terminal takes longer
# than many a step.
_RHYTHM: Final = 0.05


class Progress:
    """A status line with the progress. The end of the `with` statement clears the line."""

    def __init__(self) -> None:
        self._line = StatusLine()
        self._what = ""
        self._last = 0.0
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since the run began, when this object was made."""
        return time.monotonic() - self._start

    def step(self, what: str, of: str, done: int, total: int) -> None:
        """Show the current step, such as `reading 5/12 crds.yaml`.

        A step is skipped if the line changed less than 0.05 seconds ago. The first step of a sort,
        and the last of `total`, are always shown.

        Args:
            what: The sort of step: `reading`, `resolving`, `making`, `checking` or `writing`.
            of: The file, document, kind or module that the step is about.
            done: The number of this step among the steps of its sort, from 1.
            total: How many steps of this sort there are; 0 if that isn't known.
        """
        now = time.monotonic()
        if what == self._what and done != total and now - self._last < _RHYTHM:
            return
        self._what, self._last = what, now
        count = f"{done:,}/{total:,}" if total else f"{done:,}"
        self._line.show(f"{what} {count} {of}")

    def __enter__(self) -> Progress:
        self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._line.__exit__()


# The folder in which projects of `init --crd` have definitions.
_DEFINITIONS: Final = "crds"


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite generate` with the arguments that follow it.

    A report is printed on stdout. Warnings and notes are printed on stderr, and the progress if
    stderr is a terminal.

    Returns:
        0, or 1 if `--check` found the folder out of date or `--uses` found lines of code that the
        new models break.

    Raises:
        InputError: The project's file, a source, an output folder or a path of `--uses` can't be
            used. No file has changed then, or the message says that the next run finishes the
            folder.
        MissingExtraError: PyYAML isn't installed, or `--uses` needs mypy and there is none, or
            Python 3.10 needs tomli to read the project's file.
        OSError: For `--uses`, the new models can't be written into the copy of the project.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    chosen = options.read(argv)
    if chosen.uses:
        uses.check_installed()
    with Progress() as progress:
        run = _make(chosen, progress)
        report = _done(chosen, run, progress)
    if not chosen.is_check:
        _warn_of_ignored(chosen.output, run.files)
    _warn_of_names(chosen, run.found.kinds)
    _warn_of_versions(run.kinds)
    if run.found.passed_over:
        print(f"note: {passed_over_text(run.found.passed_over)}", file=sys.stderr)
    _print_notes(run.made, chosen.is_verbose)
    print(report.json() if chosen.is_json else report.text())
    return 1 if report.uses or (chosen.is_check and not report.is_current) else 0


class _Run(NamedTuple):
    """The models of one run, before anything is written.

    Attributes:
        found: The definitions in the sources.
        kinds: The kinds that `--versions` and `--only` choose.
        made: The texts of the modules and stubs.
        files: The texts of the files to write, by their paths in the folder.
    """

    found: Definitions
    kinds: list[Kind]
    made: generate.Output
    files: dict[str, str]


def _make(chosen: Options, progress: Progress) -> _Run:
    """Read the sources and make the models in memory.

    Raises:
        InputError: A source, a definition in it, or the manifest of the output folder can't be
            used; or no kind is chosen.
        MissingExtraError: A source is YAML, and PyYAML isn't installed.
    """
    found = _read(chosen, progress)
    kinds = generate.select(found.kinds, chosen.versions, chosen.only, chosen.only_in)
    if not kinds:
        wanted = "storage version" if chosen.versions == "storage" else "served version"
        raise InputError(
            f"no kind in the sources has a {wanted}: give --versions all to generate every version"
        )
    made = generate.generate(
        kinds,
        lambda file: _text(chosen.output / file),
        manifest.recorded_names(chosen.output),
        progress=progress.step,
    )
    return _Run(found, kinds, made, made.files)


def _read(chosen: Options, progress: Progress) -> Definitions:
    """Return the definitions in the sources, and in the cluster if `--kube-context` is given.

    A file that the user named must define an API. A folder or pattern may match files without an
    API, as long as any source defines an API.

    Raises:
        InputError: A source or the cluster can't be read, or defines no API.
        MissingExtraError: A file is YAML, and PyYAML isn't installed.
    """
    numbers = itertools.count(1)

    def read(documents: Iterable[Document], passed_over: list[str] | None = None) -> Definitions:
        def shown() -> Iterator[Document]:
            for document in documents:
                progress.step("reading", document.where, next(numbers), 0)
                yield document

        return definitions(shown(), passed_over)

    files = [(argument, sources.expanded(argument)) for argument in chosen.sources]
    progress.step(
        "reading", ", ".join(path for _, paths in files for path in paths) or "the cluster", 0, 0
    )
    parts = []
    for argument, paths in files:
        passed_over: list[str] | None = None if is_named(argument, paths) else []
        parts.append(read(sources.read_sources(paths, passed_over=passed_over), passed_over))
    of_cluster = []
    if chosen.kube_context is not None:
        from . import cluster

        of_cluster = [read(cluster.documents(chosen.kube_context, chosen.only))]
    found = Definitions([], {}, {}, [])
    for part in (*parts, *of_cluster):
        found.kinds.extend(part.kinds)
        found.others.update(part.others)
        found.packages.update(part.packages)
        found.passed_over.extend(part.passed_over)
    for (argument, paths), part in zip(files, parts, strict=True):
        if not part.kinds and (is_named(argument, paths) or not found.kinds):
            name = "<stdin>" if argument == "-" else argument
            others = sorted(set(part.others.values()))
            has = f" (it has {', '.join(others)})" if others else " (it is empty)"
            hints = [f"; {sources.by_name(package)}" for package in part.packages.values()]
            raise InputError(
                f"{name} defines no API{has}: give a CustomResourceDefinition, a"
                f" CompositeResourceDefinition or an OpenAPI v3 document{''.join(hints[:1])}"
            )
    if not found.kinds:
        raise InputError(
            "the cluster has no kind that models can be made of: name another kubectl context with"
            " --kube-context CONTEXT, or give a SOURCE"
        )
    return found


def is_named(argument: str, paths: Sequence[str]) -> bool:
    """Return whether the user named a file itself, and not a folder or pattern in which it lies."""
    return paths == [argument] and (argument == "-" or not Path(argument).is_dir())


def _done(chosen: Options, run: _Run, progress: Progress) -> Report:
    """Compare the folder with the models, write the models unless `--check` is given, and return
    the report.

    Code is only checked with `--uses` if the folder already has models, and the run changes them.

    Raises:
        InputError: The folder or a path of `--uses` can't be used.
        OSError: For `--uses`, the new models can't be written into the copy of the project.
    """
    names = run.made.names
    owned = manifest.owned(chosen.output) or []
    is_current = output.is_current(chosen.output, run.files, names)
    broken = modules = None
    if owned:
        modules = [] if is_current else _changes(chosen, run, owned)
        if chosen.uses:
            progress.step("checking", ", ".join(map(str, chosen.uses)), 0, 0)
            broken = (
                [] if is_current else uses.broken_uses(chosen.uses, chosen.output, owned, run.files)
            )
    summary = None
    if not chosen.is_check:
        summary = output.write(chosen.output, run.files, names, progress.step)
    return Report(
        len({(kind.group, kind.kind) for kind in run.kinds}),
        run.made.classes,
        progress.seconds,
        chosen.output,
        summary,
        is_current,
        modules,
        broken,
        imports.import_lines(run.kinds, chosen.output),
        run.found,
        run.made.preferred,
    )


def _changes(chosen: Options, run: _Run, owned: Iterable[str]) -> list[changes.ModuleChanges]:
    paths = [file for file in (*owned, *run.made.modules) if file.endswith(".py")]
    return list(changes.of_modules(lambda file: _text(chosen.output / file), run.files, paths))


def _text(file: Path) -> str | None:
    """Return the text of a file; None if it isn't a regular file, can't be read, or isn't UTF-8."""
    try:
        return file.read_text(encoding="utf-8") if stat.S_ISREG(file.lstat().st_mode) else None
    except (OSError, UnicodeDecodeError):  # if such a file is in the way, the writing says so
        return None


def _warn_of_names(chosen: Options, found: Iterable[Kind]) -> None:
    """Warn on stderr if Python can't import the models, or if the project's definitions aren't
    among the sources.
    """
    output_name = os.path.basename(os.path.abspath(chosen.output))
    if not imports.is_importable(chosen.output):
        print(
            f"warning: Python can't import the models, because {chosen.output} isn't the name of a"
            f" package: give --output another one, such as {_package_name(output_name)}",
            file=sys.stderr,
        )
    if chosen.project is not None and _has_unread(
        chosen.project.parent / _DEFINITIONS, chosen.sources, found
    ):
        print(
            "warning: no models are made of the definitions in"
            f" {chosen.project.parent / _DEFINITIONS}, because "
            f'{chosen.project} doesn\'t name them: add "{_DEFINITIONS}" to its sources',
            file=sys.stderr,
        )


def _warn_of_versions(kinds: Iterable[Kind]) -> None:
    """Warn on stderr, in one line, of models that aren't those of the version that is stored."""
    others: dict[tuple[str, str, str], dict[str, None]] = {}
    for kind in kinds:
        if kind.version != (kind.stored or kind.version):
            others.setdefault((kind.group, kind.kind, kind.stored), {})[kind.version] = None
    shown = [
        f"{group} {name} (not {' or '.join(versions)}, but {stored})"
        for (group, name, stored), versions in others.items()
    ]
    if shown:
        print(
            f"warning: take the models of the stored version of {some(shown, 3)} (--versions"
            " storage makes no others): with another version, Crossplane and the provider take"
            " turns writing the object where the provider's conversion webhook doesn't run",
            file=sys.stderr,
        )


def _package_name(name: str) -> str:
    words = re.sub(r"\W", "_", name).lstrip("0123456789_")
    return f"{words}_models" if keyword.iskeyword(words) else words or "models"


def _has_unread(folder: Path, arguments: Iterable[str], found: Iterable[Kind]) -> bool:
    """Return whether a folder has definitions, and neither it nor a part of it nor a folder around
    it is a source.

    Definitions of kinds that were found elsewhere don't count: the folder is an earlier source, and
    both together would contradict each other.
    """
    whole = os.path.realpath(folder)
    read = [
        os.path.realpath(path) for one in arguments if one != "-" for path in sources.expanded(one)
    ]
    if not folder.is_dir() or any(
        os.path.commonpath([whole, path]) in (whole, path) for path in read
    ):
        return False
    try:
        kinds = definitions(sources.read_sources([str(folder)], passed_over=[])).kinds
    except InputError:  # it has no file that could be read
        return False
    known = {(kind.group, kind.kind) for kind in found}
    return bool(kinds) and known.isdisjoint((kind.group, kind.kind) for kind in kinds)


def _warn_of_ignored(folder: Path, files: Iterable[str]) -> None:
    """Warn on stderr if git ignores some of `files` in `folder`, such as by the line `instance/` in
    a .gitignore.

    Nothing is printed if git isn't installed or the folder isn't in a work tree.
    """
    import shutil

    git = shutil.which("git")
    if git is None:
        return
    import subprocess

    names = "".join(f"{file}\n" for file in files)
    done = subprocess.run(
        [git, "check-ignore", "--verbose", "--stdin"],
        input=names,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    # Each line has the list of ignored files, the line in it, the pattern, a tab and the path. A
    # pattern with ! in front keeps the file.
    ignored = [line for line in done.stdout.splitlines() if not re.match(r".*:\d+:!", line)]
    if ignored:
        about, _, path = ignored[0].partition("\t")
        source, line, pattern = about.split(":", 2)
        more = f" and {len(ignored) - 1} more" if len(ignored) > 1 else ""
        print(
            f"warning: git ignores {folder / path}{more}, because {source} has {pattern!r} in line"
            f" {line}: add the line !** at the end of {folder / '.gitignore'}, so that git keeps"
            " the models",
            file=sys.stderr,
        )


def _print_notes(made: generate.Output, is_verbose: bool) -> None:
    """Print notes on stderr: how many types of Kubernetes the sources define differently.

    With `is_verbose`, there is a note on each of these types.
    """
    if made.preferred:
        number = len(made.preferred)
        print(
            f"note: the sources define {number:,} {'type' if number == 1 else 'types'} of"
            " Kubernetes differently; the definition with more fields is"
            f" used{'' if is_verbose else ' (-v lists them)'}",
            file=sys.stderr,
        )
    for line in made.preferred if is_verbose else ():
        print(f"note: {line}", file=sys.stderr)

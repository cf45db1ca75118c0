"""`crossplane-lite add`: adds the kinds of one more source to a project's models, and remembers
them in its file.

The file is `crossplane-lite.toml`, which `generate` and previews read. Its text is edited, so that
comments stay.
"""

from __future__ import annotations

import argparse
import fnmatch
import glob
import json
import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..._core.base.texts import near_name
from ...errors import InputError
from .. import kubernetes
from ..manifests import project as projects
from ..manifests import sources
from ..manifests.files import naming, replace_file
from ..registry.references import SCHEME, is_package, package_of
from . import cluster, options
from .command import command as generate
from .command import is_named
from .definitions import Kind, definitions
from .generate import VERSIONS, select

_MODELS: Final = "models"
# A longer list in the file has a line for each element.
_LONGEST: Final = 100


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite add` with the arguments that follow it; prints what `generate` prints.

    Returns:
        The exit status of `generate`.

    Raises:
        InputError: A source or the project's file can't be used, or a kind isn't in the source. No
            file has changed then.
        MissingExtraError: PyYAML isn't installed, or Python 3.10 needs tomli to read the project's
            file.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    parser = make_parser()
    arguments = parser.parse_args(argv)
    source, kinds = _named(parser, arguments)
    project = _Project(arguments.project)
    patterns: list[str] = []
    if arguments.remove:
        _remove(project, kinds)
    else:
        patterns = _add(project, arguments, source, kinds)
    status = project.change()
    several = _of_several_groups(patterns) if kinds else []
    if several:
        print(
            f"note: {', '.join(several)} have one name, and all were added; to take one out, run"
            f" `crossplane-lite add --remove {several[0]}`"
        )
    name = "" if source is None else _name(source, project.file)
    if name.split("/")[0] == os.pardir:
        print(
            f"note: {source} lies outside of the project, and {project.file} names it as {name}:"
            " whoever has the project alone can't make its models; put the source into the"
            " project, and add it there",
            file=sys.stderr,
        )
    return status


def _named(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace
) -> tuple[str | None, list[str]]:
    """Return the source that the arguments name, None for a cluster or no source, and the kinds.

    Raises:
        SystemExit: The arguments don't fit together, and the reason was printed.
    """
    source: str | None = arguments.source
    kinds: list[str] = arguments.kinds
    if arguments.remove or arguments.kube_context is not None:
        return None, [] if source is None else [source, *kinds]
    if source is None:
        parser.error("give a SOURCE with the kinds, or --kube-context and the kinds")
    if re.fullmatch(r"([a-z0-9.-]+/)?[A-Z]\w*", source) and not os.path.lexists(source):
        own = {kind.kind for kind in _kinds_of(kubernetes.NAME)}
        hint = (
            f"`crossplane-lite add {kubernetes.NAME} {source}` adds Kubernetes' own"
            if source in own
            else "if it is a kind, give a SOURCE that has it first, or --kube-context"
        )
        parser.error(f"there is no file {source}: {hint}")
    return source, kinds


class _Project:
    """A project's file, and what a run changes in it.

    Args:
        named: The file; None for that of the current folder.

    Attributes:
        file: The file, which may not exist yet.
        found: The file as it was read; None if there is none yet.
        given: Its table [generate]; empty if it has none.
        wanted: The table as it will be.
        previews: Its table [preview]; None if it has none.
        crds: The definitions that previews check by, as they will be; None where they stay.
    """

    def __init__(self, named: Path | None) -> None:
        if named is None:
            found = projects.find(Path())
        else:
            found = projects.read(named) if named.exists() else None
        self.file = named or Path(options.PROJECT)
        self.found = found
        self.given: dict[str, Any] = {}
        self.previews: Mapping[str, Any] | None = None
        self.crds: list[str] | None = None
        self._text = ""
        self._above = ""
        if found is not None:
            self.file = found.file
            self._text = found.file.read_text(encoding="utf-8")
            self._above = found.above
            self.previews = found.table("preview", projects.PREVIEW)
            if "generate" in found.tables:
                self.given = dict(options.project_table(found))
        self.wanted = dict(self.given)

    @property
    def sources(self) -> list[str]:
        """The sources that the file names."""
        found: list[str] = self.given.get("sources", [])
        return found

    def path(self, source: str) -> str:
        """Return the path of a source that the file names."""
        return options.placed(source, self.file.parent)

    def kinds_of(self, names: Iterable[str]) -> list[Kind]:
        """Return the kinds of sources that the file names."""
        return [kind for name in names for kind in _kinds_of(self.path(name))]

    def change(self) -> int:
        """Write the file and make the models; return the exit status of `generate`. After an error
        it is as it was.
        """
        table = f"[{self._above}generate]"
        changed = _edited(self._text, table, self.given, self.wanted)
        checked = dict(self.previews or {})
        if self.previews and self.crds is not None:
            checked["crds"] = self.crds
            changed = _edited(changed, f"[{self._above}preview]", self.previews, checked)
        with naming("write", self.file):
            replace_file(self.file, changed.encode())
        try:
            if not self._has(checked):
                raise InputError(
                    f"{self.file} can't be edited as it is written: put sources, only and output of"
                    f" {table} and crds of [{self._above}preview] in lines of their own"
                )
            return generate(["--project", str(self.file)])
        except BaseException:
            with naming("write", self.file):
                if self._text:
                    replace_file(self.file, self._text.encode())
                else:
                    self.file.unlink()
            raise

    def _has(self, checked: Mapping[str, Any]) -> bool:
        try:
            project = projects.read(self.file)
            return (
                options.project_table(project) == self.wanted
                and (project.tables.get("preview") or {}) == checked
            )
        except InputError:  # the edited text is no TOML
            return False


def _add(
    project: _Project, arguments: argparse.Namespace, source: str | None, kinds: list[str]
) -> list[str]:
    """Add kinds of a source, or of a cluster, to a project's file; return them as `GROUP/KIND`."""
    wanted, file = project.wanted, project.file
    _check_sources(project, source)
    kept = project.sources
    if source is None:
        found = definitions(cluster.documents(arguments.kube_context, [])).kinds
        wanted["kube-context"] = arguments.kube_context
    else:
        pinned = (
            _pinned(project, source, upgrade=arguments.upgrade) if is_package(source) else source
        )
        found = _kinds_of(pinned)
        kept = _others(project, source, found, upgrade=arguments.upgrade)
        name = _name(pinned, file)
        wanted["sources"] = [*kept, name]
        _check_by(project, name, set(project.sources).difference(kept))
    only = _chosen_before(project, kept) if kinds else [*project.given.get("only", [])]
    patterns: list[str] = []
    keeps_chosen = arguments.upgrade and "only" in project.given and not kinds
    if (kinds or project.given.get("only")) and not keeps_chosen:
        patterns = _patterns(
            select(found, project.given.get("versions", VERSIONS[0])), kinds, source
        )
        only += [pattern for pattern in patterns if not _is_chosen(pattern, only)]
    if only:
        wanted["only"] = only
    if arguments.output is not None or "output" not in wanted:
        folder = arguments.output or file.parent / _MODELS
        wanted["output"] = os.path.relpath(folder, file.parent).replace(os.sep, "/")
    return patterns


def _pinned(project: _Project, source: str, *, upgrade: bool) -> str:
    """Return the name of a package with its digest: the one that the project has, or the tag's.

    A note says that the tag has moved since.
    """
    from ..manifests import packages

    wanted = package_of(source)
    name = f"{SCHEME}{wanted.name}"
    pin = wanted.digest or packages.pin_of(wanted, project.found)
    if not wanted.tag or wanted.digest:
        return f"{name}@{pin}"
    try:
        now = packages.digest_of_tag(wanted)
    except InputError as error:
        if not pin or upgrade:
            raise
        print(f"note: whether {name} has moved isn't known: {error}", file=sys.stderr)
        now = pin
    if not pin or upgrade:
        return f"{name}@{now}"
    if now != pin:
        print(
            f"note: the tag of {name} has moved: it stands for {now} now, and {project.file} keeps"
            f" {pin}; --upgrade takes the new one",
            file=sys.stderr,
        )
    return f"{name}@{pin}"


def _check_by(project: _Project, name: str, gone: Iterable[str]) -> None:
    """Let previews check by the definitions of a source, and no longer by those of sources that are
    gone.
    """
    folder = project.file.parent
    before = [] if project.previews is None else project.previews.get("crds", ())
    files = _files(gone, project.file)
    project.crds = [one for one in before if not _is_in(one, files, folder)]
    project.crds += [
        one for one in _files([name], project.file) if not _is_in(one, project.crds, folder)
    ]


def _chosen_before(project: _Project, kept: Sequence[str]) -> list[str]:
    """Return what `only` must have so that the project keeps its kinds beside those that are named
    now.
    """
    before = project.given.get("only", [])
    context = project.given.get("kube-context")
    if before or not (kept or context is not None):
        return [*before]
    others = project.kinds_of(kept)
    if context is not None:
        others += definitions(cluster.documents(context, [])).kinds
    return [f"{group or 'core'}/*" for group in sorted({kind.group for kind in others})]


def _is_chosen(kind: str, only: Iterable[str]) -> bool:
    """Return whether a pattern of `only` fits `GROUP/KIND`, in any case."""
    return any(fnmatch.fnmatchcase(kind.lower(), one.lower()) for one in only)


def _others(project: _Project, source: str, found: Sequence[Kind], *, upgrade: bool) -> list[str]:
    """Return the sources of a project that stay beside one that is added.

    Raises:
        InputError: The source shall be put in the place of another, and there is none with its
            kinds.
    """
    place = _place(source)
    kept = [one for one in project.sources if _place(project.path(one)) != place]
    if upgrade:
        kept = [one for one in kept if not _shares(project.kinds_of([one]), found)]
        if len(kept) == len(project.sources):
            raise InputError(
                f"there is no source in {project.file} with the kinds of {source}: leave"
                " --upgrade out"
            )
    return kept


def _check_sources(project: _Project, added: str | None) -> None:
    """Raise InputError if a file or folder that a project names as a source, beside the one that is
    added, is gone.
    """
    for one in project.sources:
        path = project.path(one)
        is_path = not (
            is_package(path) or options.is_kubernetes(path) or glob.has_magic(path) or path == "-"
        )
        is_added = added is not None and _place(path) == _place(added)
        if is_path and not is_added and not os.path.exists(path):
            has_crd = one in (project.previews or {}).get("crds", ())
            places = "sources and crds" if has_crd else "sources"
            raise InputError(
                f"{project.file} lists {one}, which isn't there any more: replace it in {places}"
            )


def _place(source: str) -> str:
    """Return what tells a source from others: its real path, or a package's name without the
    digest.
    """
    return package_of(source).name if is_package(source) else os.path.realpath(source)


def _remove(project: _Project, names: Sequence[str]) -> None:
    """Take kinds out of a project's models.

    Raises:
        InputError: No kind is named, the project doesn't have one, or none would be left.
    """
    if not names:
        raise InputError("--remove needs the kinds: give KIND or GROUP/KIND")
    has = _patterns(
        select(project.kinds_of(project.sources), project.given.get("versions", VERSIONS[0])),
        (),
        "",
    )
    only = project.given.get("only", [])
    chosen = [one for one in has if not only or _is_chosen(one, only)]
    gone = set()
    for name in names:
        wanted = name.lower()
        matching = [
            one for one in chosen if wanted in (one.lower(), one.lower().rpartition("/")[2])
        ]
        if not matching:
            hint = near_name(name, [one.rpartition("/")[2] for one in chosen])
            raise InputError(f"the models of {project.file} have no kind {name}{hint}")
        gone.update(matching)
    if gone.issuperset(chosen):
        raise InputError(
            f"the models of {project.file} must keep a kind; remove the folder instead"
        )
    # A pattern for several kinds gives way to those of its kinds that stay.
    kept = [one for one in only if not any(_is_chosen(each, [one]) for each in gone)]
    named = [one for one in chosen if one not in gone]
    project.wanted["only"] = kept + [one for one in named if not _is_chosen(one, kept)]


def _name(source: str, file: Path) -> str:
    """Return the path of a source from the folder of a project's file."""
    if options.is_kubernetes(source) or is_package(source):
        return source
    name = os.path.relpath(source, file.parent)
    if name.split(os.sep)[0] == os.pardir:
        name = os.path.relpath(os.path.realpath(source), os.path.realpath(file.parent))
    return name.replace(os.sep, "/")


def _kinds_of(source: str) -> list[Kind]:
    paths = sources.expanded(source)
    passed_over: list[str] | None = None if is_named(source, paths) else []
    return definitions(sources.read_sources(paths, passed_over=passed_over), passed_over).kinds


def _shares(kinds: Iterable[Kind], others: Iterable[Kind]) -> bool:
    return not {(kind.group, kind.kind) for kind in kinds}.isdisjoint(
        (kind.group, kind.kind) for kind in others
    )


def _patterns(found: Collection[Kind], names: Sequence[str], source: str | None) -> list[str]:
    """Return `GROUP/KIND` for each name of a kind, `KIND` or `GROUP/KIND`.

    Without names, all kinds of a source are named, so that one can be taken out. A cluster (None)
    has too many: it gets `GROUP/*` for each group.
    """
    if not names:
        return sorted(
            {f"{kind.group or 'core'}/{'*' if source is None else kind.kind}" for kind in found}
        )
    patterns = []
    for name in names:
        group, _, wanted = name.rpartition("/")
        matching = [
            kind
            for kind in found
            if kind.kind.lower() == wanted.lower()
            and group in ("", kind.group or "core", kind.group)
        ]
        if not matching:
            hint = near_name(name, sorted({kind.kind for kind in found}))
            raise InputError(f"{source or 'the cluster'} has no kind {name}{hint}")
        patterns += sorted({f"{kind.group or 'core'}/{kind.kind}" for kind in matching})
    return patterns


def _files(names: Iterable[str], file: Path) -> list[str]:
    """Return the paths that sources stand for in a project's file: their own, or those that fit a
    pattern.
    """
    paths = [options.placed(name, file.parent) for name in names if name != kubernetes.NAME]
    return [_name(path, file) for one in paths for path in sources.expanded(one)]


def _is_in(name: str, others: Iterable[str], folder: Path) -> bool:
    if is_package(name):
        return name in others
    place = (folder / name).resolve()
    return any(place.is_relative_to((folder / one).resolve()) for one in others)


def _of_several_groups(patterns: Sequence[str]) -> list[str]:
    """Return those of `GROUP/KIND` whose kind is in another group as well."""
    names = [one.rpartition("/")[2] for one in patterns]
    return [one for one, name in zip(patterns, names, strict=True) if names.count(name) > 1]


def _edited(text: str, table: str, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return the text of a project's file with the values of `wanted` in its table, such as
    `[generate]`.
    """
    begin = re.compile(rf"^{re.escape(table)}[^\n]*\n?", re.MULTILINE)
    if begin.search(text) is None:
        text += f"{chr(10) if text else ''}{table}\n"
    for key, value in wanted.items():
        if given.get(key) == value:
            continue
        shown = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and len(shown) > _LONGEST:
            shown = json.dumps(value, ensure_ascii=False, indent=4)
        line = re.compile(
            rf"^{re.escape(key)}[ \t]*=[ \t]*(\[[^\]]*\]|[^\n#]*?)(?=[ \t]*(#[^\n]*)?$)",
            re.MULTILINE,
        )
        head = begin.search(text)
        at = len(text) if head is None else head.end()
        end = re.compile(r"^\[", re.MULTILINE).search(text, at)
        body = text[at : len(text) if end is None else end.start()]
        changed, number = line.subn(lambda _, new=f"{key} = {shown}": new, body, count=1)  # type: ignore[misc]
        if not number:
            changed = (
                f"{key} = {shown}\n{body}"
                if text[:at].endswith("\n")
                else f"\n{key} = {shown}\n{body}"
            )
        text = text[:at] + changed + text[at + len(body) :]
    return text


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments of `crossplane-lite add`."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite add",
        description=(
            "Add kinds of a provider's package, or of other definitions, to the project's models:"
            f" {options.PROJECT} remembers them for generate and for previews, and the models are"
            " made again as `crossplane-lite generate` makes them."
        ),
        epilog="Exit status: as of `crossplane-lite generate`.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help=(
            f"a package (.xpkg), one in a registry ({SCHEME}HOST/REPOSITORY:TAG, whose digest is"
            " written down), an image in a file or an OCI layout, a file of definitions, a folder"
            f" of such files, or `{kubernetes.NAME}` for Kubernetes' own kinds"
        ),
    )
    parser.add_argument(
        "kinds",
        metavar="KIND",
        nargs="*",
        help="a kind, as KIND or GROUP/KIND; without any, all kinds of the source",
    )
    parser.add_argument(
        "--remove",
        action="store_true",
        help="take the kinds KIND ... out of the project's models, and add none",
    )
    parser.add_argument(
        "--upgrade",
        action="store_true",
        help=(
            "put the source in the place of the project's earlier source of the same kinds, and"
            " report what changes; of a package in a registry, take what its tag stands for now"
        ),
    )
    parser.add_argument(
        "--kube-context",
        metavar="CONTEXT",
        help="take the kinds from a cluster, through kubectl; empty for kubectl's current context",
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", type=Path, help=f"the folder of the models ({_MODELS})"
    )
    parser.add_argument(
        "--project", metavar="FILE", type=Path, help=f"the project's file ({options.PROJECT})"
    )
    return parser

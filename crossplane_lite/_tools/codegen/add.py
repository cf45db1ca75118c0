"""`crossplane-lite add`: adds the kinds of one more source to a project's models, and remembers them in its file.

The file is `crossplane-lite.toml`, which `generate` and previews read. Its text is edited, so that comments stay.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..._core.base.texts import near_name
from ...errors import InputError
from ..manifests import project as projects
from ..manifests import sources
from ..manifests.files import naming, replace_file
from . import cluster, options
from .command import command as generate
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
        InputError: A source or the project's file can't be used, or a kind isn't in the source. No file has changed
            then.
        MissingExtraError: PyYAML isn't installed, or Python 3.10 needs tomli to read the project's file.
        SystemExit: An argument is wrong or missing, or the help was printed.
    """
    parser = make_parser()
    arguments = parser.parse_args(argv)
    source: str | None = arguments.source
    kinds: list[str] = arguments.kinds
    if arguments.kube_context is not None:
        source, kinds = None, [] if source is None else [source, *kinds]
    elif source is None:
        parser.error("give a SOURCE with the kinds, or --kube-context and the kinds")
    elif re.fullmatch(r"([a-z0-9.-]+/)?[A-Z]\w*", source) and not os.path.lexists(source):
        parser.error(f"there is no file {source}: if it is a kind, give a SOURCE that has it first, or --kube-context")
    named: Path | None = arguments.project
    project = projects.find(Path()) if named is None else projects.read(named) if named.exists() else None
    file = project.file if project is not None else named or Path(options.PROJECT)
    text = file.read_text(encoding="utf-8") if project is not None else ""
    has_table = project is not None and "generate" in project.tables
    given: dict[str, Any] = dict(options.project_table(project)) if project is not None and has_table else {}
    above = project.above if project is not None else ""
    wanted = dict(given)
    known: list[str] = given.get("sources", [])
    name = ""
    if source is None:
        found = definitions(cluster.documents(arguments.kube_context, [])).kinds
        wanted["kube-context"] = arguments.kube_context
        kept = known
    else:
        found = _kinds_of(source)
        name = _name(source, file)
        place = os.path.realpath(source)
        kept = [one for one in known if os.path.realpath(file.parent / one) != place]
        if arguments.upgrade:
            kept = [one for one in kept if not _shares(_kinds_of(str(file.parent / one)), found)]
            if len(kept) == len(known):
                raise InputError(f"there is no source in {file} with the kinds of {source}: leave --upgrade out")
        wanted["sources"] = [*kept, name]
    before = given.get("only", [])
    only = [*before]
    if not before and (kept or "kube-context" in given) and kinds:
        # Without `only` the project has all kinds of its sources, and keeps them.
        only += [f"{group or 'core'}/*" for group in _groups(file, kept, given.get("kube-context"))]
    patterns: list[str] = []
    if (kinds or before) and not (arguments.upgrade and before and not kinds):
        patterns = _patterns(select(found, given.get("versions", VERSIONS[0])), kinds, source)
        for pattern in patterns:
            if not any(fnmatch.fnmatchcase(pattern.lower(), one.lower()) for one in only):
                only.append(pattern)
    if only:
        wanted["only"] = only
    if arguments.output is not None or "output" not in wanted:
        folder = arguments.output or file.parent / _MODELS
        wanted["output"] = os.path.relpath(folder, file.parent).replace(os.sep, "/")
    changed = _edited(text, f"[{above}generate]", given, wanted)
    previews = project.table("preview", projects.PREVIEW) if project is not None else None
    checked = dict(previews or {})
    if previews and source is not None:
        gone = _files(set(known).difference(kept), file)
        checked["crds"] = [one for one in previews.get("crds", ()) if not _is_in(one, gone, file.parent)]
        checked["crds"] += [one for one in _files([name], file) if not _is_in(one, checked["crds"], file.parent)]
        changed = _edited(changed, f"[{above}preview]", previews, checked)
    with naming("write", file):
        replace_file(file, changed.encode())
    try:
        if not _has(file, wanted, checked):
            raise InputError(
                f"{file} can't be edited as it is written: put sources, only and output of [{above}generate] and crds "
                f"of [{above}preview] in lines of their own"
            )
        status = generate(["--project", str(file)])
        if kinds and (several := _of_several_groups(patterns)):
            print(
                f"note: {', '.join(several)} have one name, and all were added; to take one out, delete it from `only` "
                f"in {file}, and run `crossplane-lite generate`"
            )
        if source is not None and name.split("/")[0] == os.pardir:
            print(
                f"note: {source} lies outside of the project, and {file} names it as {name}: whoever has the project "
                "alone can't make its models; put the source into the project, and add it there",
                file=sys.stderr,
            )
        return status
    except BaseException:
        with naming("write", file):
            if text:
                replace_file(file, text.encode())
            else:
                file.unlink()
        raise


def _name(source: str, file: Path) -> str:
    """Return the path of a source from the folder of a project's file."""
    name = os.path.relpath(source, file.parent)
    if name.split(os.sep)[0] == os.pardir:
        name = os.path.relpath(os.path.realpath(source), os.path.realpath(file.parent))
    return name.replace(os.sep, "/")


def _has(file: Path, wanted: Mapping[str, Any], checked: Mapping[str, Any]) -> bool:
    try:
        project = projects.read(file)
        return options.project_table(project) == wanted and (project.tables.get("preview") or {}) == checked
    except InputError:  # the edited text is no TOML
        return False


def _kinds_of(source: str) -> list[Kind]:
    return definitions(sources.read_sources(sources.expanded(source))).kinds


def _shares(kinds: Iterable[Kind], others: Iterable[Kind]) -> bool:
    return not {(kind.group, kind.kind) for kind in kinds}.isdisjoint((kind.group, kind.kind) for kind in others)


def _groups(file: Path, known: Iterable[str], context: str | None) -> list[str]:
    kinds = [kind for source in known for kind in _kinds_of(str(file.parent / source))]
    if context is not None:
        kinds += definitions(cluster.documents(context, [])).kinds
    return sorted({kind.group for kind in kinds})


def _patterns(found: Collection[Kind], names: Sequence[str], source: str | None) -> list[str]:
    """Return `GROUP/KIND` for each name of a kind, `KIND` or `GROUP/KIND`.

    Without names, all kinds of a source are named, so that one can be taken out. A cluster (None) has too many: it gets
    `GROUP/*` for each group.
    """
    if not names:
        return sorted({f"{kind.group or 'core'}/{'*' if source is None else kind.kind}" for kind in found})
    patterns = []
    for name in names:
        group, _, wanted = name.rpartition("/")
        matching = [
            kind
            for kind in found
            if kind.kind.lower() == wanted.lower() and group in ("", kind.group or "core", kind.group)
        ]
        if not matching:
            hint = near_name(name, sorted({kind.kind for kind in found}))
            raise InputError(f"{source or 'the cluster'} has no kind {name}{hint}")
        patterns += sorted({f"{kind.group or 'core'}/{kind.kind}" for kind in matching})
    return patterns


def _files(names: Iterable[str], file: Path) -> list[str]:
    """Return the paths that sources stand for in a project's file: their own, or those that fit a pattern."""
    return [_name(path, file) for name in names for path in sources.expanded(str(file.parent / name))]


def _is_in(name: str, others: Iterable[str], folder: Path) -> bool:
    place = (folder / name).resolve()
    return any(place.is_relative_to((folder / one).resolve()) for one in others)


def _of_several_groups(patterns: Sequence[str]) -> list[str]:
    """Return those of `GROUP/KIND` whose kind is in another group as well."""
    names = [one.rpartition("/")[2] for one in patterns]
    return [one for one, name in zip(patterns, names, strict=True) if names.count(name) > 1]


def _edited(text: str, table: str, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return the text of a project's file with the values of `wanted` in its table, such as `[generate]`."""
    begin = re.compile(rf"^{re.escape(table)}[^\n]*\n?", re.MULTILINE)
    if begin.search(text) is None:
        text += f"{chr(10) if text else ''}{table}\n"
    for key, value in wanted.items():
        if given.get(key) == value:
            continue
        shown = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and len(shown) > _LONGEST:
            shown = json.dumps(value, ensure_ascii=False, indent=4)
        line = re.compile(rf"^{re.escape(key)}[ \t]*=[ \t]*(\[[^\]]*\]|[^\n#]*?)(?=[ \t]*(#[^\n]*)?$)", re.MULTILINE)
        head = begin.search(text)
        at = len(text) if head is None else head.end()
        end = re.compile(r"^\[", re.MULTILINE).search(text, at)
        body = text[at : len(text) if end is None else end.start()]
        changed, number = line.subn(lambda _, new=f"{key} = {shown}": new, body, count=1)  # type: ignore[misc]
        if not number:
            changed = f"{key} = {shown}\n{body}" if text[:at].endswith("\n") else f"\n{key} = {shown}\n{body}"
        text = text[:at] + changed + text[at + len(body) :]
    return text


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments of `crossplane-lite add`."""
    parser = argparse.ArgumentParser(
        prog="crossplane-lite add",
        description="Add kinds of a provider's package, or of other definitions, to the project's models: "
        f"{options.PROJECT} remembers them for generate and for previews, and the models are made again as "
        "`crossplane-lite generate` makes them. To take a kind out again, delete it from `only` in that file, and run "
        "`crossplane-lite generate`.",
        epilog="Exit status: as of `crossplane-lite generate`.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help="a package (.xpkg), an image in a file or an OCI layout, a file of definitions, or a folder of such files",
    )
    parser.add_argument(
        "kinds", metavar="KIND", nargs="*", help="a kind, as KIND or GROUP/KIND; without any, all kinds of the source"
    )
    parser.add_argument(
        "--upgrade",
        action="store_true",
        help="put the source in the place of the project's earlier source of the same kinds, and report what changes",
    )
    parser.add_argument(
        "--kube-context",
        metavar="CONTEXT",
        help="take the kinds from a cluster, through kubectl; empty for kubectl's current context",
    )
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, help=f"the folder of the models ({_MODELS})")
    parser.add_argument("--project", metavar="FILE", type=Path, help=f"the project's file ({options.PROJECT})")
    return parser

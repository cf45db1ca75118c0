"""Reads all YAML and JSON objects in files, folders, standard input and packages, each with its
place for messages.

`crossplane-lite generate` and `manifests.kind_schemas` read definitions (CRDs and XRDs) with this
module. They decide which of the objects define an API.
"""

from __future__ import annotations

import glob
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from ...errors import InputError
from .. import kubernetes
from ..registry.references import SCHEME, is_package
from . import archive
from .files import is_file, read_all, unreadable
from .kind_sources import CHART, DEFINES
from .lists import items_of, named
from .values import one_of
from .yaml import Document, decode, parse_documents

_ARCHIVES: Final = (".xpkg", ".tar", ".gz", ".tgz")
_SUFFIXES: Final = (*archive.DOCUMENTS, *_ARCHIVES)
# Matches references of packages: a registry, which may be left out, a path, and a tag or a digest.
_REFERENCE: Final = re.compile(
    r"(?=.{3,512}$)[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)+"
    r"(:[A-Za-z0-9_][A-Za-z0-9._-]*)?(@sha256:[0-9a-f]{64})?"
)


def read_sources(
    arguments: Sequence[str], stdin: BinaryIO | None = None, passed_over: list[str] | None = None
) -> Iterator[Document]:
    """Yield each object in the sources, in the order of the sources.

    The place of an object is the file, the number and line of the document, and the object's name,
    if it has a name. Lists, such as `kubectl get crds -o yaml` prints, are split into their items.
    Keys, and words that are booleans in YAML 1.1 only, such as `yes`, stay strings (`as_written` in
    `_tools.manifests.yaml`).

    Args:
        arguments: Files, folders, packages in registries (see `packages`), and `-` for standard
            input. A file has one or several documents of YAML or JSON, or is a Crossplane package
            or another archive (see `archive`). In a folder and the folders below it, the files that
            end in .yaml, .yml, .json, .xpkg, .tar, .gz and .tgz, and OCI layouts, are read, in the
            order of their names. Hidden files are left out, and a file is read once even if several
            links lead to it.
        stdin: The file to read for `-`; by default the process's standard input.
        passed_over: A list that gets a line for each file and document that isn't a whole
            definition, and isn't yielded: a file that can't be read and has no definition, a
            template of a chart, a patch. None if these are errors. Folders of repositories have
            such files.

    Raises:
        InputError: A source doesn't exist, can't be read, has a document that isn't an object, or
            has objects nested more than 200 levels deep. The message is one line with the file and
            the place.
        MissingExtraError: A source is YAML, and PyYAML isn't installed.
    """
    for argument in arguments:
        if argument == "-":
            yield from _parse(_contents(stdin or sys.stdin.buffer, "<stdin>"))
        else:
            for path in files_below(argument) if os.path.isdir(argument) else [argument]:
                if passed_over is None:
                    yield from _parse(_read(path))
                else:
                    yield from _whole(path, passed_over)


def _whole(path: str, passed_over: list[str]) -> Iterator[Document]:
    """Yield the objects in a file; those that are no whole definitions go to `passed_over`, with
    the reason.
    """
    try:
        contents = _read(path)
    except archive.NoPackageError as error:  # such as the image of a function
        passed_over.append(str(error))
        return
    try:
        documents = list(_parse(contents))
    except InputError as error:
        if is_template(path):
            passed_over.append(f"{error} (a template; `helm template` fills it in)")
        elif not any(DEFINES.search(content.data) for content in contents):
            passed_over.append(str(error))
        else:
            raise
        return
    for document in documents:
        reason = lacks(document.content)
        if reason:
            passed_over.append(f"{document.where}: {reason}")
        else:
            yield document


def is_template(path: str) -> bool:
    """Return whether a file is a template of a Helm chart, which isn't YAML yet."""
    folders = Path(path).parents
    return any(one.name == "templates" and (one.parent / CHART).is_file() for one in folders)


def lacks(content: Mapping[str, Any]) -> str:
    """Return why a document is no CustomResourceDefinition that an API server takes; empty if it
    may be one.
    """
    if content.get("kind") != "CustomResourceDefinition":
        return ""
    version = content.get("apiVersion")
    if version == "apiextensions.k8s.io/v1beta1":
        return f"a definition of {version}, which Kubernetes 1.22 and newer don't have"
    spec = content.get("spec")
    if not isinstance(spec, Mapping) or not (spec.get("versions") and spec.get("group")):
        return "a patch, not a whole definition"
    return ""


def expanded(argument: str) -> list[str]:
    """Return the sorted files that match a pattern, such as a quoted `crds/**/*.yaml`.

    Any other argument, such as `-`, a path or the name of a package in a registry, is returned
    unchanged as the only element, even if no such file exists.

    Raises:
        InputError: No file matches the pattern; or the argument looks like a package in a registry,
            such as `a/b:v1`, without the registry, or without a tag, and isn't a path that exists.
    """
    if argument == "-" or is_package(argument) or os.path.lexists(argument):
        return [argument]
    if argument == kubernetes.NAME:
        return [str(kubernetes.PATH)]
    if glob.has_magic(argument):
        found = sorted(path for path in glob.glob(argument, recursive=True) if is_file(path))
        if not found:
            raise InputError(f"no file matches {argument}")
        return found
    if _REFERENCE.fullmatch(argument) and (":" in argument or "." in argument.partition("/")[0]):
        if not argument.lower().endswith(_SUFFIXES):
            raise InputError(
                f"there is no file {argument}; if it is a package, {by_name(argument)}"
            )
    return [argument]


def by_name(package: str) -> str:
    """Return advice for a message: how a package in a registry, such as `example.org/a/b:v1`, is
    named as a source.
    """
    return (
        f"give {SCHEME}{package}"
        if is_package(package)
        else f"give it as {SCHEME}HOST/REPOSITORY:TAG"
    )


def files_below(folder: str) -> Iterator[str]:
    """Yield the paths that `read_sources` reads for a folder: those of files, and of folders that
    are an OCI layout.

    Hidden files and folders are left out. If `folder` is an OCI layout, it is the only path.

    Raises:
        InputError: A folder can't be read, or there is no path to yield.
    """
    is_empty = True
    seen = set()
    work = [folder]
    while work:
        path = work.pop()
        real = os.path.realpath(path)  # because links may lead in circles
        if real in seen:
            continue
        seen.add(real)
        if not os.path.isdir(path) or archive.is_layout(path):
            yield path
            is_empty = False
            continue
        try:
            names = os.listdir(path)
        except OSError as e:
            raise InputError(f"can't read {path}: {e.strerror}") from e
        paths = [
            os.path.join(path, name)
            for name in sorted(names, reverse=True)
            if not name.startswith(".")
        ]
        work += [path for path in paths if os.path.isdir(path) or _is_wanted(path)]
    if is_empty:
        raise InputError(f"there is no {one_of(_SUFFIXES)} file in {folder}")


def _is_wanted(path: str) -> bool:
    return path.lower().endswith(_SUFFIXES) and is_file(path)


def _read(path: str) -> list[archive.Stream]:
    if is_package(path):
        from . import packages  # which needs modules that few commands do

        return packages.read(path)
    if os.path.isdir(path):
        return archive.read_layout(path)
    try:
        with open(path, "rb") as file:
            return _contents(file, kubernetes.NAME if path == str(kubernetes.PATH) else path)
    except OSError as e:
        raise unreadable(path, e) from e


def _contents(file: BinaryIO, label: str) -> list[archive.Stream]:
    """Return the content of a file of documents; for an archive, the contents of the files in it
    that have documents.

    Raises InputError, with the name `label`, if the file can't be read, or is a damaged or unknown
    archive.
    """
    try:
        if not file.seekable():  # a pipe
            file = io.BytesIO(read_all(file, label))
        head = file.read(512)
        file.seek(-len(head), os.SEEK_CUR)
        if archive.is_archive(head) or label.lower().endswith(_ARCHIVES):
            return archive.read_archive(file, label)
        return [archive.Stream(label, read_all(file, label))]
    except OSError as e:
        raise unreadable(label, e) from e


def _parse(contents: list[archive.Stream]) -> Iterator[Document]:
    for label, data in contents:
        text = decode(data, label)
        for where, content in parse_documents(text, label, as_written=True):
            yield from items_of(Document(f"{where}{named(content, ', {}')}", content))

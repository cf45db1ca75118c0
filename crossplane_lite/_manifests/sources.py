"""What `crossplane-lite generate` reads: files, folders, standard input and packages, as documents.

Which of the documents define an API is decided elsewhere; this is about getting at all of them, each with its place.
"""

from __future__ import annotations

import glob
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final

from ..errors import InputError
from . import archive
from .archive_files import printable
from .json_stream import TOO_DEEP, parse_objects
from .reading import is_file, read_all
from .values import one_of
from .yaml import Document, decode, parse_documents

__all__ = ["download", "expanded", "files_below", "read_sources"]

_ARCHIVES: Final = (".xpkg", ".tar", ".gz", ".tgz")
_SUFFIXES: Final = (*archive.DOCUMENTS, *_ARCHIVES)
# A registry, or a path in the one that is meant without it, and a tag or a digest.
_REFERENCE: Final = re.compile(
    r"(?=.{3,512}$)[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)+"
    r"(:[A-Za-z0-9_][A-Za-z0-9._-]*)?(@sha256:[0-9a-f]{64})?"
)
# The deepest schema known has about a hundred levels. Whoever walks one by recursion needs a limit.
_DEEPEST: Final = 500
_LONGEST_NAME: Final = 253  # of an object of Kubernetes


def read_sources(arguments: Sequence[str], stdin: BinaryIO | None = None) -> Iterator[Document]:
    """Yield every mapping that is in the sources, in their order.

    Its place is the file, the number and line of the document, and the object's name where it has one.
    Lists, such as `kubectl get crds -o yaml` prints, are taken apart. Words of YAML 1.1 and keys are as written (see
    `crossplane_lite._manifests.yaml`).

    Args:
        arguments: Files, folders, and `-` for standard input. Files are YAML or JSON, of one or many documents, or
            Crossplane packages or other archives (see `archive`), told apart by what they hold. Of a folder, and of
            those in it, the files that end in .yaml, .yml, .json, .xpkg, .tar, .gz and .tgz are read in the order of
            their names; hidden ones are left out, and each file is read once however many links lead to it.
        stdin: Standard input; by default the process's own.

    Raises:
        InputError: A source isn't there, or isn't what it should be; the message is one line with file and place.
        MissingExtraError: PyYAML isn't installed.
    """
    for argument in arguments:
        if argument == "-":
            yield from _parse(_contents(stdin or sys.stdin.buffer, "<stdin>"))
        else:
            for path in files_below(argument) if os.path.isdir(argument) else [argument]:
                yield from _parse(_read(path))


def expanded(argument: str) -> list[str]:
    """Return the files that a pattern of names stands for, such as a quoted `crds/**/*.yaml`, or the argument itself.

    Raises:
        InputError: There is no such file, and no file of the pattern; or it is the reference of a package.
    """
    if argument == "-" or os.path.lexists(argument):
        return [argument]
    if glob.has_magic(argument):
        found = sorted(path for path in glob.glob(argument, recursive=True) if is_file(path))
        if not found:
            raise InputError(f"no file matches {argument}")
        return found
    if _REFERENCE.fullmatch(argument) and (":" in argument or "." in argument.partition("/")[0]):
        if not argument.lower().endswith(_SUFFIXES):
            raise InputError(f"there is no file {argument}; if it is a package, {download(argument)}")
    return [argument]


def download(reference: str) -> str:
    """Return the steps to take before a registry's package can be read."""
    name = re.split("[:@]", reference.rpartition("/")[2])[0]
    return f"download it with `crossplane xpkg extract {reference} -o {name}.gz`, and give {name}.gz"


def files_below(folder: str) -> Iterator[str]:
    """Yield the files below a folder, and OCI layouts, which are folders."""
    is_empty = True
    seen = set()
    work = [folder]
    while work:
        path = work.pop()
        real = os.path.realpath(path)  # links may lead in circles
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
        paths = [os.path.join(path, name) for name in sorted(names, reverse=True) if not name.startswith(".")]
        work += [path for path in paths if os.path.isdir(path) or _is_wanted(path)]
    if is_empty:
        raise InputError(f"there is no {one_of(_SUFFIXES)} file in {folder}")


def _is_wanted(path: str) -> bool:
    return path.lower().endswith(_SUFFIXES) and is_file(path)


def _read(path: str) -> list[archive.Stream]:
    if os.path.isdir(path):
        return archive.read_layout(path)
    try:
        with open(path, "rb") as file:
            return _contents(file, path)
    except OSError as e:
        raise InputError(f"can't read {path}: {e.strerror}") from e


def _contents(file: BinaryIO, label: str) -> list[archive.Stream]:
    """Return the streams of documents in a file, each with what messages call it."""
    try:
        if not file.seekable():  # a pipe
            file = io.BytesIO(read_all(file, label))
        head = file.read(512)
        file.seek(-len(head), os.SEEK_CUR)
        if archive.is_archive(head) or label.lower().endswith(_ARCHIVES):
            return archive.read_archive(file, label)
        return [archive.Stream(label, read_all(file, label))]
    except OSError as e:
        raise InputError(f"can't read {label}: {e.strerror or e}") from e


def _parse(contents: list[archive.Stream]) -> Iterator[Document]:
    for label, data in contents:
        text = decode(data, label)
        documents: Iterable[Document] | None = None
        if text.lstrip()[:1] == "{":
            documents = parse_objects(text, label, deepest=_DEEPEST, is_json=label.lower().endswith(".json"))
        if documents is None:
            documents = parse_documents(text, label, extra="codegen", as_written=True, deepest=_DEEPEST)
        for document in documents:
            _check_depth(document)
            where, content = document
            yield from _items(Document(f"{where}{_named(content, ', {}')}", content))


def _check_depth(document: Document) -> None:
    # The readers' own limits differ, and aliases in YAML can nest what isn't nested in the text.
    level: list[Any] = [document.content]
    for _ in range(_DEEPEST):
        level = [
            value
            for one in level
            for value in (one.values() if isinstance(one, dict) else one)
            if isinstance(value, (dict, list))
        ]
        if not level:
            return
    raise InputError(f"{document.where} is {TOO_DEEP.format(_DEEPEST)}")


def _items(document: Document) -> Iterator[Document]:
    """Yield the items of a list, or else the document itself."""
    where, content = document
    kind = content.get("kind")
    items = _listed(kind, content)
    if items is None:
        yield document
        return
    # Those of a list that has a type of its own may leave theirs out.
    own = {} if kind == "List" else {"apiVersion": content.get("apiVersion"), "kind": str(kind).removesuffix("List")}
    for number, item in enumerate(items):
        place = f"{where}, items[{number}]"
        if not isinstance(item, dict):
            raise InputError(f"{place} is not a mapping")
        yield from _items(Document(place + _named(item, " ({})"), {**own, **item}))


def _named(content: Mapping[str, Any], form: str) -> str:
    """Return an object's name in a form, for its place; nothing where it has none."""
    metadata = content.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return form.format(printable(name)[:_LONGEST_NAME]) if isinstance(name, str) and name else ""


def _listed(kind: Any, content: Mapping[str, Any]) -> list[Any] | None:
    """Return the items of a list; None for what isn't one."""
    if not isinstance(kind, str) or not kind.endswith("List") or "items" not in content:
        return None
    items = content["items"]
    if items is None:  # how some clients write an empty list
        return []
    # Not every kind whose name ends so is a list.
    if not isinstance(items, list) or (kind != "List" and not all(isinstance(item, dict) for item in items)):
        return None
    return items

"""Reading the inputs of render, simulate and graph: files of Kubernetes objects, and values for the context.

Only checks that every command needs are made here, such as that the data of a Secret is base64.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from .._base.api_version import group_of
from .._manifests.objects import RESOURCE_NAME, secret_data
from .._manifests.reading import is_file, read_bytes
from .._manifests.yaml import Document, decode, load_documents, parse_value
from .._paths.text import show
from .._terminal.excerpts import short_repr, short_text
from ..errors import InputError

__all__ = [
    "field",
    "files_of",
    "is_text",
    "kind_of",
    "labels",
    "objects_in",
    "read_composite",
    "read_context",
    "read_functions",
    "read_object",
    "read_observed",
    "read_resources",
    "read_secrets",
]

_SUFFIXES: Final = frozenset({".json", ".yaml", ".yml"})
_NOUNS: Final[dict[type, str]] = {str: "a string", dict: "a mapping", list: "a list"}
_FUNCTIONS: Final = ("pkg.crossplane.io/v1", "pkg.crossplane.io/v1beta1")


def read_object(path: Path, what: str) -> Document:
    """Read a file that holds exactly one object.

    Args:
        path: The file.
        what: The name of the content, for messages, such as "composite resource".

    Raises:
        InputError: The file can't be read, holds no object or several, or the object lacks apiVersion, kind or
            metadata.name.
    """
    if path.is_dir():
        raise InputError(f"{path} is a directory; one {what} is expected, so give its file")
    documents = load_documents(path)
    if len(documents) != 1:
        raise InputError(f"{path} must hold one {what} (it holds {len(documents)} documents)")
    document = documents[0]
    _check(document)
    if not field(document, str, "metadata", "name"):
        raise InputError(f"{document.where} has no metadata.name")
    return document


def read_composite(path: Path) -> Document:
    """Read a file that holds the composite resource.

    Raises:
        InputError: As for `read_object`; or spec or status isn't a mapping.
    """
    document = read_object(path, "composite resource")
    for name in ("spec", "status"):
        field(document, dict, name)
    return document


def read_resources(paths: Iterable[Path]) -> list[Document]:
    """Read objects of any kind.

    A list, such as `kubectl get -o yaml` prints, gives its items. Secrets are returned as an API server stores them:
    the strings of `stringData` are in `data`, in base64.

    Args:
        paths: Files and directories. In a directory, the files that end in .yaml, .yml and .json are read.

    Raises:
        InputError: A file can't be read; or a directory has no such file; or a document isn't an object with apiVersion
            and kind.
    """
    found: list[Document] = []
    for path in paths:
        for file in files_of(path):
            for document in load_documents(file):
                found += objects_in(document)
    return found


def read_observed(path: Path, composite: Document | None = None) -> list[Document]:
    """Read observed composed resources.

    Args:
        path: A file or a directory.
        composite: The composite resource, for a message where it is given as observed; None where it isn't known.

    Raises:
        InputError: As for `read_resources`; or a resource has no annotation `crossplane.io/composition-resource-name`,
            or has the same name there as another resource, or is the composite.
    """
    named: dict[str, Document] = {}
    for document in read_resources([path]):
        name = field(document, str, "metadata", "annotations", RESOURCE_NAME)
        if not name:
            shown = " ".join(short_text(one) for one in (document.content["kind"], _identity(document)[2]) if one)
            if composite is not None and _identity(document) == _identity(composite):
                raise InputError(
                    f"{document.where}: this is the composite itself, {shown}; leave it out, because observed "
                    "resources are those that it is composed of"
                )
            raise InputError(
                f"{document.where}: {shown} has no annotation {RESOURCE_NAME}; set it to the name that the function "
                "gives this resource"
            )
        if name in named:
            raise InputError(f"{document.where} and {named[name].where} are both named {short_repr(name)}")
        named[name] = document
    return list(named.values())


def read_secrets(path: Path) -> list[Document]:
    """Read the Secrets that hold functions' credentials.

    Raises:
        InputError: As for `read_resources`; or an object isn't a Secret with a name.
    """
    documents = read_resources([path])
    for document in documents:
        content = document.content
        if not _is_secret(content):
            raise InputError(f"{document.where}: the kind is {kind_of(document)}, and must be Secret of v1")
        if not is_text(content["metadata"].get("name")):
            raise InputError(f"{document.where} has no metadata.name")
    return documents


def read_functions(path: Path) -> dict[str, Document]:
    """Read Function documents, and return them by the functions' names.

    Raises:
        InputError: As for `read_resources`; or an object isn't a Function with a name, or has the same name as another,
            or has an annotation that isn't a string.
    """
    named: dict[str, Document] = {}
    for document in read_resources([path]):
        content = document.content
        if content["kind"] != "Function" or content["apiVersion"] not in _FUNCTIONS:
            raise InputError(
                f"{document.where}: the kind is {kind_of(document)}, and must be Function of {_FUNCTIONS[0]}"
            )
        name = field(document, str, "metadata", "name")
        if not name:
            raise InputError(f"{document.where} has no metadata.name")
        if name in named:
            raise InputError(f"{document.where} and {named[name].where} are both named {short_repr(name)}")
        labels(document, "metadata", "annotations")
        named[name] = document
    return named


def read_context(files: Sequence[tuple[str, Path]], values: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the content of a pipeline's context before its first step.

    Args:
        files: Each key with a file that holds its value as YAML or JSON.
        values: Each key with its value as YAML or JSON. Where a key is in both, this value counts.

    Raises:
        InputError: A file can't be read, or a value isn't one YAML document.
    """
    context: dict[str, Any] = {}
    for key, path in files:
        context[key] = parse_value(decode(read_bytes(path), str(path)), str(path), extra="render")
    for key, text in values:
        context[key] = parse_value(text, f"--context-values {key}", extra="render")
    return context


def files_of(path: Path) -> list[Path]:
    """Return the files that a path stands for: the path itself, or the YAML and JSON files of a directory, sorted.

    In a directory, other files, directories, pipes and devices are left out.

    Raises:
        InputError: The directory has no file whose name ends in .yaml, .yml or .json, or can't be read.
    """
    if not path.is_dir():
        return [path]
    try:
        files = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES and is_file(file))
    except OSError as e:
        raise InputError(f"can't read {path}: {e.strerror}") from e
    if not files:
        raise InputError(f"there is no .yaml, .yml or .json file in {path}")
    return files


def field(document: Document, kind: type, *keys: str | int) -> Any:
    """Return the value at a path in a document; None if it is missing or null.

    Args:
        document: The document.
        kind: The type that the value must have: `str`, `dict` or `list`.
        keys: The path: keys, and indexes of existing elements.

    Raises:
        InputError: The value has another type, or a value along the path isn't an object or a list.
    """
    value: Any = document.content
    for at, key in enumerate(keys):
        value = value.get(key) if isinstance(key, str) else value[key]
        if value is None:
            return None
        wanted = kind if at + 1 == len(keys) else list if isinstance(keys[at + 1], int) else dict
        if not isinstance(value, wanted):
            raise InputError(f"{document.where}: {short_text(show(keys[: at + 1]))} is not {_NOUNS[wanted]}")
    return value


def labels(document: Document, *keys: str | int) -> dict[str, str]:
    """Return the labels or annotations at a path in a document; empty where there are none.

    Raises:
        InputError: The value at the path isn't a mapping of strings.
    """
    found: dict[str, Any] = field(document, dict, *keys) or {}
    for key, value in found.items():
        if not isinstance(value, str):
            raise InputError(f"{document.where}: {short_text(show([*keys, key]))} is not a string; quote it")
    return found


def kind_of(document: Document) -> str:
    """Return the kind and the apiVersion of an object, for messages."""
    return f"{short_text(document.content['kind'])} of {short_text(document.content['apiVersion'])}"


def is_text(value: Any) -> bool:
    """Say whether a value is a string that isn't empty."""
    return isinstance(value, str) and value != ""


def objects_in(document: Document) -> Iterator[Document]:
    """Yield the objects of a document: the items of a `List` of v1, or else the document itself.

    Raises:
        InputError: An object has no apiVersion or kind, or an item isn't an object, or has the kind List.
    """
    where, content = document
    if content.get("kind") != "List" or content.get("apiVersion") != "v1":
        _check(document)
        yield _as_stored(document)
        return
    for number, item in enumerate(field(document, list, "items") or ()):
        place = f"{where}, items[{number}]"
        if not isinstance(item, dict):
            raise InputError(f"{place} is not a mapping")
        if item.get("kind") == "List":
            raise InputError(
                f"{place} has the kind List, which can't be inside another List: move its items into the outer one"
            )
        yield from objects_in(Document(place, item))


def _check(document: Document) -> None:
    """Refuse a document that lacks apiVersion or kind, or whose metadata isn't a mapping. Add missing metadata."""
    for key in ("apiVersion", "kind"):
        if not is_text(document.content.get(key)):
            raise InputError(f"{document.where} has no {key}")
    if document.content.get("metadata") is None:
        document.content["metadata"] = {}
    field(document, dict, "metadata")


def _identity(document: Document) -> tuple[str, str, str, str]:
    """Return group, kind, name and namespace of an object. A name or namespace that is missing is empty."""
    content = document.content
    name, namespace = (field(document, str, "metadata", key) or "" for key in ("name", "namespace"))
    return group_of(content["apiVersion"]), content["kind"], name, namespace


def _is_secret(content: dict[str, Any]) -> bool:
    return (content["apiVersion"], content["kind"]) == ("v1", "Secret")


def _as_stored(document: Document) -> Document:
    """Return a Secret with `stringData` moved into `data`, in base64; and any other object as it is."""
    if not _is_secret(document.content):
        return document
    where, content = document
    data = {key: b64encode(value).decode() for key, value in secret_data(content, where).items()}
    others = {key: value for key, value in content.items() if key not in ("data", "stringData")}
    return Document(where, {**others, "data": data} if data else others)

"""Reads the inputs of render, simulate and graph: files of Kubernetes objects, and values for the
context.

The checks here are only those that every command needs, such as that the data of a Secret is
base64. The functions whose names begin with `read_` also raise MissingExtraError if PyYAML isn't
installed.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ..._core.base.api_version import group_of
from ..._core.base.texts import json_type_in_words, json_value_in_words, short_repr, short_text
from ..._core.paths.text import show
from ...errors import InputError
from ..manifests.files import is_file
from ..manifests.lists import items_of
from ..manifests.objects import RESOURCE_NAME, secret_data
from ..manifests.yaml import Document, load_documents, parse_value

_SUFFIXES: Final = frozenset({".json", ".yaml", ".yml"})
_NOUNS: Final[dict[type, str]] = {str: "a string", dict: "a mapping", list: "a list"}
_FUNCTIONS: Final = ("pkg.crossplane.io/v1", "pkg.crossplane.io/v1beta1")


class FieldError(InputError):
    """A field of a document is missing or wrong.

    Args:
        document: The document.
        path: The field's keys and indexes; empty for the document itself.
        problem: What is wrong.

    Attributes:
        path: The field's keys and indexes.
        problem: What is wrong, which follows the path in a message.
    """

    def __init__(self, document: Document, path: Sequence[str | int], problem: str) -> None:
        place = f": {short_text(show(path))}" if path else ""
        super().__init__(f"{document.where}{place}{problem}")
        self.path = path
        self.problem = problem


def read_object(path: Path, what: str, several: str = "") -> Document:
    """Read a file that contains exactly one object, or a List with one.

    Args:
        path: The file.
        what: The name of the content for messages, such as `composite resource`.
        several: The end of the message about a file that contains several objects.

    Raises:
        InputError: The file can't be read, or doesn't contain exactly one object; or the object's
            apiVersion, kind or metadata.name is missing or isn't a string.
    """
    if path.is_dir():
        raise InputError(f"{path} is a directory; one {what} is expected, so give its file")
    documents = [one for document in load_documents(path) for one in objects_in(document)]
    if len(documents) != 1:
        hint = several if documents else ""
        raise InputError(f"{path} must hold one {what} (it holds {len(documents)} documents){hint}")
    document = documents[0]
    if not field(document, str, "metadata", "name"):
        raise InputError(f"{document.where} has no metadata.name")
    return document


def read_composite(path: Path, several: str = "") -> Document:
    """Read the file of the composite resource.

    Args:
        path: The file.
        several: The end of the message about a file that contains several objects.

    Raises:
        InputError: The file doesn't contain exactly one object with apiVersion, kind and
            metadata.name; or the object's spec or status isn't a mapping.
    """
    document = read_object(path, "composite resource", several)
    for name in ("spec", "status"):
        field(document, dict, name)
    return document


def read_resources(paths: Iterable[Path]) -> list[Document]:
    """Read the objects in files, of any kind.

    The items of a List, such as `kubectl get -o yaml` prints, are returned as single objects.
    Secrets are returned as an API server stores them: the strings of `stringData` become base64 in
    `data`.

    Args:
        paths: Files and directories. Of a directory, the files that end in .yaml, .yml and .json
            are read, without those in directories below.

    Raises:
        InputError: A file can't be read; or a directory has no such file; or a document isn't an
            object with apiVersion and kind, or is a Secret with malformed data.
    """
    found: list[Document] = []
    for path in paths:
        for file in files_of(path):
            for document in load_documents(file):
                found += objects_in(document)
    return found


def read_observed(path: Path, composite: Document | None = None) -> list[Document]:
    """Read the observed composed resources.

    Args:
        path: A file or a directory.
        composite: The composite resource, which must not be among them; the error's message says
            so. None if not known.

    Raises:
        InputError: The same as for `read_resources`; or a resource lacks the annotation
            `crossplane.io/composition-resource-name`, or two resources have the same value of it.
    """
    return list(by_name(read_resources([path]), composite).values())


def by_name(
    documents: Iterable[Document], composite: Document | None = None
) -> dict[str, Document]:
    """Return observed composed resources by composition resource name. The arguments are those of
    `read_observed`.

    Raises:
        InputError: A resource lacks the annotation, or two resources have the same value of it.
    """
    named: dict[str, Document] = {}
    for document in documents:
        name = field(document, str, "metadata", "annotations", RESOURCE_NAME)
        if not name:
            shown = " ".join(
                short_text(one) for one in (document.content["kind"], _identity(document)[2]) if one
            )
            if composite is not None and _identity(document) == _identity(composite):
                raise InputError(
                    f"{document.where}: this is the composite itself, {shown}; leave it out,"
                    " because observed resources are those that it is composed of"
                )
            raise InputError(
                f"{document.where}: {shown} has no annotation {RESOURCE_NAME}; set it to the name"
                " that the function gives this resource"
            )
        if name in named:
            raise InputError(
                f"{document.where} and {named[name].where} have the same annotation"
                f" {RESOURCE_NAME}: {short_repr(name)}"
            )
        named[name] = document
    return named


def read_secrets(path: Path) -> list[Document]:
    """Read the Secrets with credentials of functions.

    Args:
        path: A file or a directory.

    Raises:
        InputError: The same as for `read_resources`; or an object isn't a Secret with a name.
    """
    documents = read_resources([path])
    for document in documents:
        content = document.content
        if not _is_secret(content):
            raise InputError(
                f"{document.where}: the kind is {kind_of(document)}, and must be Secret of v1"
            )
        if not is_text(content["metadata"].get("name")):
            raise InputError(f"{document.where} has no metadata.name")
    return documents


def read_functions(path: Path) -> dict[str, Document]:
    """Read Function objects. Return each object by the function's name.

    Args:
        path: A file or a directory.

    Raises:
        InputError: The same as for `read_resources`; or an object isn't a Function with a name, or
            has the same name as another, or has malformed annotations, such as a number as a value.
    """
    named: dict[str, Document] = {}
    for document in read_resources([path]):
        content = document.content
        if content["kind"] != "Function" or content["apiVersion"] not in _FUNCTIONS:
            raise InputError(
                f"{document.where}: the kind is {kind_of(document)}, and must be Function of"
                f" {_FUNCTIONS[0]}"
            )
        name = field(document, str, "metadata", "name")
        if not name:
            raise InputError(f"{document.where} has no metadata.name")
        if name in named:
            raise InputError(
                f"{document.where} and {named[name].where} are both named {short_repr(name)}"
            )
        named[name] = document
    return named


def read_context(values: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the content of a pipeline's context before its first step.

    Args:
        values: Pairs of a key and the key's value, in YAML or JSON.

    Raises:
        InputError: A value is malformed, or has several YAML documents.
    """
    return {key: parse_value(text, f"--context-values {key}") for key, text in values}


def files_of(path: Path) -> list[Path]:
    """Return the files that `path` means: `path` itself, or the YAML and JSON files of a directory,
    sorted.

    A `path` that doesn't exist counts as a file. Of a directory, other files, directories, pipes
    and devices are left out.

    Raises:
        InputError: The directory has no file whose name ends in .yaml, .yml or .json, or can't be
            read.
    """
    if not path.is_dir():
        return [path]
    try:
        files = sorted(
            file for file in path.iterdir() if file.suffix in _SUFFIXES and is_file(file)
        )
    except OSError as e:
        raise InputError(f"can't read {path}: {e.strerror}") from e
    if not files:
        raise InputError(f"there is no .yaml, .yml or .json file in {path}")
    return files


def field(document: Document, kind: type, *keys: str | int) -> Any:
    """Return the value at a path in a document; None if the value, or a parent of the value, is
    missing or null.

    Args:
        document: The document.
        kind: The type that the value must have: `str`, `dict` or `list`.
        keys: The path: keys of mappings, and indexes of elements that exist.

    Raises:
        InputError: The value has another type. Or a parent of it isn't a mapping although the path
            goes on with a key, or isn't a list although the path goes on with an index.
    """
    value: Any = document.content
    for at, key in enumerate(keys):
        value = value.get(key) if isinstance(key, str) else value[key]
        if value is None:
            return None
        wanted = kind if at + 1 == len(keys) else list if isinstance(keys[at + 1], int) else dict
        if not isinstance(value, wanted):
            got = json_type_in_words(value)
            raise FieldError(document, keys[: at + 1], f" must be {_NOUNS[wanted]} (got {got})")
    return value


def labels(document: Document, *keys: str | int) -> dict[str, str]:
    """Return the labels or annotations at a path in a document; an empty dict if there are none.

    Args:
        document: The document.
        keys: The path, such as `"metadata", "labels"`.

    Raises:
        InputError: The value at the path, or a parent of it, isn't a mapping; or a label's value
            isn't a string.
    """
    found: dict[str, Any] = field(document, dict, *keys) or {}
    for key, value in found.items():
        if not isinstance(value, str):
            hint = "; quote it" if isinstance(value, (bool, int, float)) else ""
            raise FieldError(
                document, (*keys, key), f" must be a string (got {json_type_in_words(value)}){hint}"
            )
    return found


def kind_of(document: Document) -> str:
    """Return the kind and the apiVersion of an object for messages, such as `Secret of v1`."""
    return f"{short_text(document.content['kind'])} of {short_text(document.content['apiVersion'])}"


def is_text(value: Any) -> bool:
    """Return whether a value is a string and not empty."""
    return isinstance(value, str) and value != ""


def objects_in(document: Document) -> Iterator[Document]:
    """Yield the objects of a document: the items of a list, such as a ConfigMapList, or else the
    document itself.

    Missing metadata is added as an empty mapping. The strings in `stringData` of a Secret become
    base64 in `data`.

    Raises:
        InputError: An object has no apiVersion or kind; or its metadata isn't a mapping; or the
            data of a Secret is malformed; or an item of a List isn't a mapping.
    """
    for one in items_of(document):
        check(one)
        yield _as_stored(one)


def check(document: Document) -> None:
    """Check that a document has an apiVersion, a kind and sound metadata. Add empty metadata if it
    has none.

    Raises:
        InputError: apiVersion or kind isn't a non-empty string, or no API server has objects with
            such metadata.
    """
    for key in ("apiVersion", "kind"):
        value = document.content.get(key)
        if value is None:
            raise FieldError(document, (), f" has no {key}")
        if not is_text(value):
            got = json_value_in_words(value, short_repr(value))
            raise FieldError(document, (key,), f" must be a non-empty string (got {got})")
    if document.content.get("metadata") is None:
        document.content["metadata"] = {}
    for key in ("name", "namespace"):
        field(document, str, "metadata", key)
    for key in ("labels", "annotations"):
        labels(document, "metadata", key)


def _identity(document: Document) -> tuple[str, str, str, str]:
    """Return the group, kind, name and namespace of an object. A missing name or namespace is an
    empty string.

    Raises:
        InputError: The name or the namespace isn't a string.
    """
    content = document.content
    name, namespace = (field(document, str, "metadata", key) or "" for key in ("name", "namespace"))
    return group_of(content["apiVersion"]), content["kind"], name, namespace


def _is_secret(content: dict[str, Any]) -> bool:
    return (content["apiVersion"], content["kind"]) == ("v1", "Secret")


def _as_stored(document: Document) -> Document:
    """Return an object as an API server stores it: in a Secret, the strings of `stringData` become
    base64 in `data`.

    Raises:
        InputError: The data of a Secret is malformed.
    """
    if not _is_secret(document.content):
        return document
    where, content = document
    data = {key: b64encode(value).decode() for key, value in secret_data(content, where).items()}
    others = {key: value for key, value in content.items() if key not in ("data", "stringData")}
    return Document(where, {**others, "data": data} if data else others)

"""Reads the resources and documents that tests give as plain data, models, protobuf messages, YAML
text or paths.

Each such argument is called a source here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core import codec
from .._core.base.texts import short_repr, short_text
from .._core.compat.messages import encoded_resource, full_name, is_dumped
from .._core.models.model import Model
from .._tools.manifests.objects import RESOURCE_NAME
from .._tools.manifests.yaml import Document, load_documents, parse_documents
from .._tools.render.inputs import by_name, field, objects_in, read_resources
from ..errors import EncodeError, InputError, UsageError

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import TypeIs

    from .._core.compat.protocols import Source as Given

    Source: TypeAlias = Given | str | os.PathLike[str]
    """One resource or document, in any of the types that a source may have."""

    Resources: TypeAlias = Source | Iterable[Source]
    """Any number of resources: one source, or several sources."""

    Named: TypeAlias = Mapping[str, Source] | str | os.PathLike[str] | Iterable[Source]
    """Composed resources: a mapping from composition resource names, or resources whose annotation
    has the name.
    """


def as_path(source: Any, folder: Path) -> Path | None:
    """Return the path that a source means, below `folder` if it is relative; None if the source
    isn't a path.

    A string with a colon or a line end is YAML text, because every mapping in YAML has one of
    these. Any other string is a path.
    """
    if isinstance(source, str):
        bare = os.path.splitdrive(source)[1]  # C:\\... is a path too
        return None if ":" in bare or "\n" in bare else folder / source
    return folder / source if isinstance(source, os.PathLike) else None


def is_single(sources: Any) -> TypeIs[Source]:
    """Return whether an argument is one source, and not a collection of sources."""
    # Models, messages and mappings count as single sources although they can be iterated over.
    if (
        isinstance(sources, (str, os.PathLike, Mapping, Model))
        or full_name(sources)
        or is_dumped(sources)
    ):
        return True
    return not isinstance(sources, Iterable)


def json_object(source: Any, where: str) -> dict[str, Any]:
    """Return a resource or document as a dict of JSON values: encoded as a Struct, and decoded
    again.

    Args:
        source: A mapping of plain data, a model or a message.
        where: The source's name in messages.

    Raises:
        InputError: The source contains a value that JSON doesn't have.
        UnresolvedError: The source contains a value that doesn't exist yet.
        UsageError: The source is neither a mapping nor a model nor a message.
    """
    try:
        return codec.decode_struct(encoded_resource(source, where))
    except EncodeError as error:
        raise InputError(str(error)) from None


def one_document(source: Source, folder: Path, what: str) -> Document:
    """Return the only document of a source. The document must be a mapping.

    Args:
        source: The source.
        folder: The folder that relative paths start from.
        what: The purpose of the document, for messages, such as `input`.

    Raises:
        InputError: The source can't be read, or doesn't have exactly one document.
        UnresolvedError: The source contains a value that doesn't exist yet.
        UsageError: The source has a type that isn't supported.
        MissingExtraError: The source is YAML, and PyYAML isn't installed.
    """
    path = as_path(source, folder)
    if path is None and not isinstance(source, str):
        return Document(what, json_object(source, what))
    found = load_documents(path) if path is not None else _parsed(source, what)
    if len(found) != 1:
        label = path if path is not None else f"the text of {what}"
        raise InputError(f"{label} must hold one document (it holds {len(found)})")
    return Document(found[0].where, json_object(found[0].content, found[0].where))


def one(source: Source, folder: Path, what: str) -> Document:
    """Return the only resource of a source.

    The arguments and errors are those of `one_document`. InputError is also raised if the document
    isn't a resource with apiVersion and kind, or is a List (of v1) that doesn't have exactly one
    item.
    """
    found = list(objects_in(one_document(source, folder, what)))
    if len(found) != 1:
        raise InputError(f"{what} must be one resource (got a List of {len(found)})")
    return found[0]


def resources(sources: Resources, folder: Path, what: str) -> list[Document]:
    """Return the resources of any number of sources. For a directory, its YAML and JSON files are
    read.

    Args:
        sources: One source, or several.
        folder: The folder that relative paths start from.
        what: The purpose of the resources, for messages, such as `observed`.

    Raises:
        InputError: A source can't be read, or isn't a resource with apiVersion and kind.
        UnresolvedError: A source contains a value that doesn't exist yet.
        UsageError: A source has a type that isn't supported.
        MissingExtraError: A source is YAML, and PyYAML isn't installed.
    """
    if is_single(sources):
        return _resources(sources, folder, what)
    found = []
    for index, source in enumerate(sources):
        found += _resources(source, folder, f"{what}[{index}]")
    return found


def named(sources: Named, folder: Path, what: str, *, marked: bool = True) -> dict[str, Document]:
    """Return composed resources by composition resource name.

    Args:
        sources: A mapping from composition resource names to sources; or sources of resources that
            have the annotation `crossplane.io/composition-resource-name`.
        folder: The folder that relative paths start from.
        what: The purpose of the resources, for messages, such as `observed`.
        marked: Whether the resources of a mapping get this annotation. Observed resources have it.
            Resources that previous functions desire don't have it.

    Raises:
        InputError: A source can't be read or isn't a resource; or a resource has no annotation, the
            same name as another, or another name than in the mapping.
        UsageError: A name in the mapping isn't a string, or is empty; or a source has a type that
            isn't supported.
        UnresolvedError: A source contains a value that doesn't exist yet.
        MissingExtraError: A source is YAML, and PyYAML isn't installed.
    """
    if isinstance(sources, Mapping) and not _is_resource(sources):
        found = {name: one(source, folder, f"{what}[{name!r}]") for name, source in sources.items()}
        for name in found:
            _check_name(name, what)
        give = _with_name if marked else _as_desired
        return {name: give(document, name) for name, document in found.items()}
    return by_name(resources(sources, folder, what))


def _resources(source: Any, folder: Path, what: str) -> list[Document]:
    path = as_path(source, folder)
    if path is not None:
        return read_resources([path])
    documents = (
        _parsed(source, what)
        if isinstance(source, str)
        else [Document(what, json_object(source, what))]
    )
    return [found for document in documents for found in objects_in(document)]


def _parsed(text: Any, what: str) -> list[Document]:
    return list(parse_documents(text, f"the text of {what}"))


def _is_resource(mapping: Mapping[Any, Any]) -> bool:
    return isinstance(mapping.get("apiVersion"), str) and isinstance(mapping.get("kind"), str)


def _check_name(name: Any, what: str) -> None:
    if not isinstance(name, str) or not name:
        raise UsageError(
            f"the keys of {what} are composition resource names, which must be strings that aren't"
            f" empty (got {short_repr(name)})"
        )


def _as_desired(document: Document, _name: str) -> Document:
    """Return a resource as a previous function desires it: without the empty metadata that reading
    has added.
    """
    content = document.content
    if content.get("metadata"):
        return document
    return Document(
        document.where, {key: value for key, value in content.items() if key != "metadata"}
    )


def _with_name(document: Document, name: str) -> Document:
    """Return a resource with its composition resource name in the annotation
    `crossplane.io/composition-resource-name`.

    Raises:
        InputError: The annotation has another value already.
    """
    annotations = field(document, dict, "metadata", "annotations") or {}
    if annotations.get(RESOURCE_NAME, name) != name:
        found = short_text(annotations[RESOURCE_NAME])
        raise InputError(
            f"{document.where} must have the annotation {RESOURCE_NAME}: {name} (it has {found})"
        )
    metadata = {**document.content["metadata"], "annotations": {**annotations, RESOURCE_NAME: name}}
    return Document(document.where, {**document.content, "metadata": metadata})

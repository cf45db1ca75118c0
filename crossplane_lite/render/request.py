"""Requests from YAML files: what Crossplane would send for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from .. import _wire
from ..errors import EncodeError, InputError
from ..proto import _view
from .yaml import Document, load_documents

__all__ = ["RESOURCE_NAME", "build_request", "read_composite", "read_observed"]

RESOURCE_NAME: Final = "crossplane.io/composition-resource-name"
"""The annotation that names a composed resource within its composition."""

# What Crossplane 2.2 and later advertise.
_CAPABILITIES: Final = (
    _view.CAPABILITY_CAPABILITIES,
    _view.CAPABILITY_REQUIRED_RESOURCES,
    _view.CAPABILITY_CREDENTIALS,
    _view.CAPABILITY_CONDITIONS,
    _view.CAPABILITY_REQUIRED_SCHEMAS,
)
_SUFFIXES: Final = frozenset({".json", ".yaml", ".yml"})


def read_composite(path: Path) -> Document:
    """Read the composite resource: the one document of a file.

    Raises:
        InputError: It isn't one resource with apiVersion, kind and metadata.name.
    """
    documents = load_documents(path)
    if len(documents) != 1:
        raise InputError(f"{path} must hold one composite resource (it holds {len(documents)} documents)")
    document = documents[0]
    _check(document)
    if not _text(document.content["metadata"].get("name")):
        raise InputError(f"{document.where} has no metadata.name")
    return document


def read_observed(path: Path) -> dict[str, Document]:
    """Read observed composed resources by their composition resource name.

    Args:
        path: A file, or a directory of which the files that end in .yaml, .yml and .json are read.

    Raises:
        InputError: A document isn't a resource, doesn't carry its name in the annotation
            `crossplane.io/composition-resource-name`, or has the name of another.
    """
    found: dict[str, Document] = {}
    for file in _files(path):
        for document in load_documents(file):
            name = _resource_name(document)
            if name in found:
                raise InputError(f"{document.where} and {found[name].where} are both named {name!r}")
            found[name] = document
    return found


def build_request(composite: Document, observed: Mapping[str, Document]) -> bytes:
    """Return the bytes of a RunFunctionRequest as the first function of a pipeline receives it.

    Raises:
        InputError: A resource holds what a Struct can't carry, such as an integer beyond 2^53.
    """
    request = _view.RunFunctionRequest()
    request.meta.capabilities.extend(_CAPABILITIES)
    request.observed.composite.resource = _encode(composite)
    for name, document in observed.items():
        request.observed.resources[name].resource = _encode(document)
    data: bytes = request.SerializeToString()
    return data


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES and file.is_file())
    if not files:
        raise InputError(f"there is no .yaml, .yml or .json file in {path}")
    return files


def _resource_name(document: Document) -> str:
    _check(document)
    annotations = document.content["metadata"].get("annotations")
    name = annotations.get(RESOURCE_NAME) if isinstance(annotations, dict) else None
    if not _text(name):
        raise InputError(f"{document.where} has no annotation {RESOURCE_NAME}, which says what resource it is")
    return str(name)


def _check(document: Document) -> None:
    """Refuse what isn't an object of Kubernetes."""
    for key in ("apiVersion", "kind"):
        if not _text(document.content.get(key)):
            raise InputError(f"{document.where} has no {key}")
    if not isinstance(document.content.setdefault("metadata", {}), dict):
        raise InputError(f"{document.where}: metadata is not a mapping")


def _text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _encode(document: Document) -> bytes:
    try:
        return _wire.encode_struct(document.content)
    except EncodeError as e:
        raise InputError(f"{document.where}: {e}") from e

"""Takes the lists apart that Kubernetes' tools print, such as `kubectl get -o yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..._core.base.texts import json_type_in_words
from ...errors import InputError
from .archive_files import printable
from .yaml import Document

_LONGEST_NAME: Final = 253  # the longest name of a Kubernetes object


def items_of(document: Document) -> Iterator[Document]:
    """Yield the items of a Kubernetes list, such as a ConfigMapList; yield any other document
    unchanged.

    An item that is a list itself is replaced by its items.

    Raises:
        InputError: The items of a document with the kind List aren't a list of mappings.
    """
    where, content = document
    kind = content.get("kind")
    items = _listed(kind, content)
    if kind == "List" and "items" in content and items is None:
        raise InputError(
            f"{where}: items must be a list (got {json_type_in_words(content['items'])})"
        )
    if items is None:
        yield document
        return
    # Items of a list with a kind of its own, such as a ConfigMapList, may leave apiVersion and kind
    # out.
    own = (
        {}
        if kind == "List"
        else {"apiVersion": content.get("apiVersion"), "kind": str(kind).removesuffix("List")}
    )
    for number, item in enumerate(items):
        place = f"{where}, items[{number}]"
        if not isinstance(item, dict):
            raise InputError(f"{place} must be a mapping (got {json_type_in_words(item)})")
        yield from items_of(Document(place + named(item, " ({})"), {**own, **item}))


def named(content: Mapping[str, Any], form: str) -> str:
    """Return `form`, such as `, {}`, filled with an object's metadata.name; an empty string without
    a name.
    """
    metadata = content.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return form.format(printable(name)[:_LONGEST_NAME]) if isinstance(name, str) and name else ""


def _listed(kind: Any, content: Mapping[str, Any]) -> list[Any] | None:
    """Return the items of a Kubernetes list; None if the document, whose kind is `kind`, isn't such
    a list.
    """
    if not isinstance(kind, str) or not kind.endswith("List") or "items" not in content:
        return None
    items = content["items"]
    if items is None:  # some clients write an empty list like this
        return []
    # A kind whose name ends in List need not be a list.
    if not isinstance(items, list) or (
        kind != "List" and not all(isinstance(item, dict) for item in items)
    ):
        return None
    return items

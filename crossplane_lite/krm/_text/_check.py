"""Reads an edited text again before it is returned: its values must be those of the edits.

Only changed files are read. The text of a list of items is cut at the items' dashes, and only its changed items are
read.
"""

from __future__ import annotations

import re

import yaml  # type: ignore[import-untyped]

from ...errors import InputError
from ._layout import column, open_at
from ._nodes import SEQUENCE
from ._read import Unusual, value_of
from ._values import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._nodes import Stream, YamlNode

    Reader = Callable[[str], list[YamlNode]]

__all__ = ["Cut", "check", "cut", "expected", "items_of", "opened"]

_ITEMS = re.compile(r"^(?:items|\"items\"|'items'):(?=\s)[^\n]*\n", re.MULTILINE)
_NEXT_KEY = re.compile(r"^(?:[^\s#-]|-(?![ \t\r\n]))", re.MULTILINE)


class Cut:
    """The text of a list of items, cut into parts.

    Attributes:
        head: The lines before the first item's dash.
        parts: The text of each item, with its dash.
        tail: The lines after the items.
    """

    __slots__ = ("head", "parts", "tail")

    def __init__(self, head: str, parts: list[str], tail: str) -> None:
        self.head = head
        self.parts = parts
        self.tail = tail


def cut(text: str, indent: int) -> Cut | None:
    """Cut the text of a ResourceList at its items' dashes in the column `indent`; return None if it has no items."""
    head = _ITEMS.search(text)
    if head is None:
        return None
    end = _NEXT_KEY.search(text, head.end())
    stop = len(text) if end is None else end.start()
    dash = re.compile(rf"^ {{{indent}}}-(?=[ \t\r\n]|\Z)", re.MULTILINE)
    starts = [found.start() for found in dash.finditer(text, head.end(), stop)]
    if not starts:
        return None
    ends = [*starts[1:], stop]
    return Cut(text[: starts[0]], [text[one:two] for one, two in zip(starts, ends, strict=True)], text[stop:])


def opened(part: str, indent: int) -> str:
    """Return the text of an item with a space in place of its dash in column `indent`, so that it can be read alone."""
    return f"{part[:indent]} {part[indent + 1 :]}"


def items_of(doc: Stream) -> YamlNode | None:
    """Return the node of the document's list `items`.

    Return None if the document or the list isn't in block style, if the list is empty or was empty in the input, if the
    stream has several documents, or if documents were added or removed.
    """
    if len(doc.documents) != 1 or doc.gone or doc.added:
        return None
    root = doc.documents[0]
    if root.style or root.kind != root.was:
        return None
    items: YamlNode | None = root.content.get("items")
    if items is None or items.kind != SEQUENCE or items.style or not items.content:
        return None
    return items if (items.content if items.source is None else items.source) else None


def check(doc: Stream, before: str, after: str, read: Reader) -> None:
    """Check that the edited text, when it is read again, has exactly the values that the edits ask for.

    Args:
        doc: The stream.
        before: The stream's text as it was read.
        after: The stream's text with the edits.
        read: A function that returns the documents of a text.

    Raises:
        InputError: The edited text has other values, or can't be read.
    """
    items = None if doc.aliases else items_of(doc)  # items with aliases can't be read one by one
    if items is not None and _check_items(doc, items, before, after):
        return
    try:
        found = [root.value() for root in read(after)]
    except InputError as error:
        raise _refusal(doc, f": {error}") from None
    if not same(found, expected(doc, read)):
        raise _refusal(doc, "")


def _refusal(doc: Stream, why: str) -> InputError:
    return InputError(
        f"{doc.label}: the changes can't be written without changing other values{why}; nothing is written. This is a "
        "mistake in crossplane-lite: report it with this input and the function"
    )


def expected(doc: Stream, read: Reader) -> list[Any]:
    """Return the values that the documents of a stream must have with its edits, those of new documents included.

    Args:
        doc: The stream.
        read: A function that returns the documents of a text.
    """
    found = []
    for root in doc.documents:
        if root not in doc.gone:
            found.append(root.value())
        elif root in doc.slots:
            found += [one.value() for one in read(doc.slots[root])]
    return found + [one.value() for text in doc.added for one in read(text)]


def _check_items(doc: Stream, items: YamlNode, before: str, after: str) -> bool:
    """Return whether the changed items of a text, and the lines around the items, have the values of the edits.

    The result is also False if the text can't be cut into items. Then the whole text must be read.
    """
    indent = column(before, open_at(items))
    old, new = cut(before, indent), cut(after, indent)
    source: list[YamlNode] = items.content if items.source is None else items.source
    if old is None or new is None or len(old.parts) != len(source) or len(new.parts) != len(items.content):
        return False
    if (old.head, old.tail) != (new.head, new.tail):
        wanted = {key: None if child is items else child.value() for key, child in doc.documents[0].content.items()}
        if not _says(new.head + new.tail, wanted):
            return False
    parts = {id(node): part for node, part in zip(source, old.parts, strict=True)}
    for node, part in zip(items.content, new.parts, strict=True):
        if node.changed or parts.get(id(node)) != part:
            wanted = doc.contents[node] if node in doc.contents else node.value()
            if not _says(opened(part, indent), wanted):
                return False
    return True


def _says(text: str, value: Any) -> bool:
    if "\\u" in text:  # text that JSON and YAML read differently
        return False
    try:
        return same(value_of(text), value)
    except (Unusual, yaml.YAMLError):
        return False

"""Reads an edited text again before it is returned: its values must be those of the edits.

Only changed files are read. The text of a list of items is cut at the items' dashes, and only its changed items are
read.
"""

from __future__ import annotations

import re
from collections import namedtuple

import yaml  # type: ignore[import-untyped]
from yaml.events import (  # type: ignore[import-untyped]
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from ..._core.base.scalars import NOT_JSON, resolve
from ...errors import InputError
from ._layout import column, open_at
from ._nodes import SEQUENCE, YamlNode, same, wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._nodes import Stream


_ITEMS = re.compile(r"^(?:items|\"items\"|'items'):(?=\s)[^\n]*\n", re.MULTILINE)
_NEXT_KEY = re.compile(r"^(?:[^\s#-]|-(?![ \t\r\n]))", re.MULTILINE)


# The text of a list of items: the lines before the first item's dash, each item with its dash, and the lines behind.
Cut = namedtuple("Cut", "head parts tail")


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
    now = now_of(doc)
    items: YamlNode | None = doc.documents[0].content.get("items") if now and not doc.documents[0].style else None
    return items if items is not None and items.kind == SEQUENCE and not items.style and items.content else None


def now_of(doc: Stream) -> list[Any] | None:
    """Return the elements that the document's list `items` must have: its nodes, and new ones. None if it has none."""
    if len(doc.documents) != 1 or doc.gone or doc.added:
        return None
    root = doc.documents[0]
    value, lists = doc.wanted.get(root, (root.content, {}))
    items = value.get("items")
    if isinstance(items, YamlNode):
        return items.content if items.kind == SEQUENCE and items not in doc.wanted else None
    return items if lists.get(id(items), ()) is None else None


def wrong(doc: Stream, text: str) -> list[YamlNode]:
    """Return the documents and items that don't have, in the edited text, the values that the edits ask for.

    If that can't be told of each one alone, all that were edited are returned.

    Args:
        doc: The stream.
        text: The stream's text with the edits.
    """
    items, now = items_of(doc), now_of(doc)
    if items is not None and not doc.aliases and _has_items(doc, items, now or [], text):
        return []  # with aliases they can't be read alone
    values = _expected(doc)
    try:
        found = [root.value() for root in doc.read(text)]
    except InputError:
        found = []
    if same(found, values):
        return []
    units = [root for root in doc.documents if root not in doc.gone] if now is None else now
    if now is not None and len(found) == len(values) == 1:
        found, values = found[0].get("items") or [], values[0]["items"]
    if len(found) == len(values) == len(units):
        bad = [node for node, one, other in zip(units, found, values, strict=True) if not same(one, other)]
    else:
        bad = [one for one in units if isinstance(one, YamlNode) and one in doc.wanted]
    own = [one for one in bad if isinstance(one, YamlNode) and one.doc is doc]
    # If all items are right, it is another part of the ResourceList.
    known = {id(one) for one in units}
    others = [one for one in doc.wanted if one.parent is not None and id(one) not in known]
    return own or others or [root for root in doc.documents if root not in doc.gone]


def _expected(doc: Stream) -> list[Any]:
    """Return the values that the documents of a stream must have with its edits, those of new documents included.

    Args:
        doc: The stream.
    """
    found = []
    for root in doc.documents:
        if root not in doc.gone:
            found.append(wanted(root))
        elif root in doc.slots:
            found += [one.value() for one in doc.read(doc.slots[root])]
    return found + [one.value() for text in doc.added for one in doc.read(text)]


def _has_items(doc: Stream, items: YamlNode, now: list[Any], text: str) -> bool:
    """Return whether the changed items of a text, and the lines around the items, have the values of the edits.

    The result is also False if the text can't be cut into items, or needs the full reader.
    """
    indent = column(doc.text, open_at(items))
    old, new = cut(doc.text, indent), cut(text, indent)
    if old is None or new is None or len(old.parts) != len(items.content) or len(new.parts) != len(now):
        return False
    if (old.head, old.tail) != (new.head, new.tail):
        root = doc.documents[0]
        fields, _ = doc.wanted.get(root, (root.content, {}))
        if not _says(
            new.head + new.tail, {key: None if key == "items" else wanted(one) for key, one in fields.items()}
        ):
            return False
    parts = {id(node): part for node, part in zip(items.content, old.parts, strict=True)}
    for one, part in zip(now, new.parts, strict=True):
        if not isinstance(one, YamlNode):
            value = one
        elif one in one.doc.wanted:
            value = one.doc.wanted[one][0]
            value = wanted(value) if isinstance(value, YamlNode) else value
        elif parts.get(id(one)) == part:
            continue
        else:
            value = one.value()
        if not _says(opened(part, indent), value):
            return False
    return True


def _says(text: str, value: Any) -> bool:
    if "\\u" in text:  # text that JSON and YAML read differently
        return False
    try:
        return same(value_of(text), value)
    except (Unusual, yaml.YAMLError):
        return False


class Unusual(Exception):  # noqa: N818 - it isn't an error: `_parse` must read the text
    """The text has parts that only the full reader (`_parse`) reads or refuses: anchors, tags, merge keys, mistakes."""


def value_of(text: str) -> Any:
    """Return the value of a text that has one document.

    Raises:
        Unusual: The text has parts that only the full reader (`_parse`) reads, or not exactly one document.
        yaml.YAMLError: The text isn't YAML.
    """
    from yaml._yaml import CParser  # type: ignore[import-untyped]

    next_event = CParser(text).get_event
    found: list[Any] = []
    top: Any = found
    is_map = False
    key: Any = None
    above: list[tuple[Any, bool]] = []
    while True:
        event = next_event()
        cls = type(event)
        if cls is ScalarEvent:
            if event.anchor is not None or event.tag is not None:
                raise Unusual
            value = event.value
            if is_map and key is None:
                key = value
                if key in top or key == "<<" or not key:
                    raise Unusual
                continue
            if not event.style:
                if value in NOT_JSON:
                    raise Unusual
                value = resolve(value)
        elif cls is MappingEndEvent or cls is SequenceEndEvent:
            top, is_map = above.pop()
            continue
        elif cls is MappingStartEvent or cls is SequenceStartEvent:
            if event.anchor is not None or event.tag is not None or (is_map and key is None):
                raise Unusual
            value = {} if cls is MappingStartEvent else []
        elif cls is AliasEvent:
            raise Unusual
        elif cls is StreamEndEvent:
            if len(found) != 1:
                raise Unusual
            return found[0]
        else:
            if cls is DocumentStartEvent and found:
                raise Unusual
            continue
        if is_map:
            top[key] = value
            key = None
        else:
            top.append(value)
        if value.__class__ is dict or value.__class__ is list:
            above.append((top, is_map))
            top, is_map = value, value.__class__ is dict

"""Converts the text of an item: between a YAML document of a file and an element of a ResourceList's `items`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ._text import Text, YamlNode, parse
from ._text._comments import noted
from ._text._splice import document_text
from ._text._write import Style, mapping_lines
from .annotations import INDEXES, PATHS
from .resource import Resource

__all__ = ["as_document", "as_element", "indented", "joined", "unwrapped", "whole"]

_DASH: Final = re.compile(r"^( *)-(?=[ \r\n])", re.MULTILINE)
# Line breaks that only YAML 1.1 knows. A text with one of them can't be indented line by line.
_OTHER_BREAKS: Final = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_PLAIN: Final = Style(2, 0, '"', "\n", json=False, colon=": ")


def as_document(item: Resource, *, is_json: bool = False) -> str:
    """Return the text of an item as a document of a file.

    If the item has text, its comments and style stay. A new item gets text without the annotations that name its file.

    Args:
        item: The item.
        is_json: Whether to write JSON, without comments, in place of YAML.
    """
    if item._node is not None and not is_json:
        text = whole(item._node)
        return text if item._placed is not None else _clean(text, "the new item")
    content = item._own_content() if item._placed is not None else _unplaced(item._own_content())
    if is_json:
        import json

        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    text = "".join(line + "\n" for line in mapping_lines(content, 0, _PLAIN))
    return text if item._notes is None else noted(text, item._notes.now())


def _unplaced(content: dict[str, Any]) -> dict[str, Any]:
    """Return a new item's content without the annotations that name its file and index. `content` isn't changed."""
    metadata = content.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if (
        not isinstance(metadata, dict)
        or not isinstance(annotations, dict)
        or not any(key in annotations for key in (*PATHS, *INDEXES))
    ):
        return content
    left = {key: value for key, value in annotations.items() if key not in (*PATHS, *INDEXES)}
    made = {key: left if key == "annotations" else value for key, value in metadata.items()}
    if not left:
        del made["annotations"]
    return {**content, "metadata": made}


def whole(root: YamlNode) -> str:
    r"""Return the text of a document in which every line ends with `\n` alone.

    A text with line breaks that only YAML 1.1 knows, such as U+2028, is replaced by new YAML of its values, without
    comments.

    Args:
        root: The node of the document.
    """
    text = document_text(root)
    if _OTHER_BREAKS.search(text.replace("\r\n", "\n")):
        return "".join(line + "\n" for line in mapping_lines(root.value(), 0, _PLAIN))
    text = text.replace("\r\n", "\n")
    return text if text.endswith("\n") else text + "\n"


def as_element(document: str, name: str, index: int) -> str:
    """Return a document as the text of an element of `items`, with annotations that name its file.

    If metadata or its annotations aren't an object, no annotations are added.

    Args:
        document: The text of the document.
        name: The file's path.
        index: The document's index in the file, from 0.

    Raises:
        InputError: The document can't be read.
    """
    text = parse(document.encode(), name)
    metadata = text.root.get(["metadata"])
    if metadata is None or (
        isinstance(metadata, dict) and isinstance(metadata.get("annotations", {}), (dict, type(None)))
    ):
        for key, value in ((INDEXES[0], str(index)), (PATHS[0], name)):
            text.root.set(["metadata", "annotations", key], value)
    return indented(text.dump().decode(), "- ")


def _clean(document: str, name: str) -> str:
    """Return the text of a document without the annotations that name its file and its index there.

    Args:
        document: The text.
        name: The text's name in messages.
    """
    text = parse(document.encode(), name)
    node = text.root
    found = node.get(["metadata", "annotations"])
    if isinstance(found, dict):
        mine = [key for key in found if key in (*PATHS, *INDEXES)]
        for key in mine:
            node.delete(["metadata", "annotations", key])
        if mine and len(mine) == len(found):
            node.delete(["metadata", "annotations"])
    return text.dump().decode()


def joined(documents: Sequence[str]) -> str:
    """Return the texts of documents as one YAML text, with `---` lines between them."""
    return "---\n".join(one if one.endswith("\n") else one + "\n" for one in documents)


def indented(text: str, first: str) -> str:
    """Return a text with all lines indented by two spaces, except empty ones. The first line begins with `first`."""
    lines = text.removesuffix("\n").split("\n")
    return "\n".join(f"{'  ' if at else first}{line}" if line else line for at, line in enumerate(lines))


def unwrapped(data: bytes) -> str:
    """Return the items of a ResourceList as one text of YAML documents, without the annotations that name files.

    If `items` is a block list, comments and style stay. Otherwise, as for JSON, the result is new YAML of the items'
    values.

    Args:
        data: The text of the ResourceList.

    Raises:
        InputError: The text can't be read.
    """
    label = "the function's output"
    text = parse(data, label)
    node = text.root.child("items")
    if node is not None and not node.style and not text.root.style and node.children():
        return joined([_clean(document, label) for document in _items(data, label)])
    return joined([as_document(Resource(one.value())) for one in _nodes(text)])


def _nodes(text: Text) -> list[YamlNode]:
    node = text.root.child("items")
    return [] if node is None else node.children()


def _items(data: bytes, label: str) -> Iterator[str]:
    """Yield each element of `items`, which must be a block list, as the text of a document.

    The comment lines above an element belong to it.

    Args:
        data: The text of the ResourceList.
        label: The text's name in messages.
    """
    text = parse(data, label)
    nodes = _nodes(text)
    if not nodes:
        return
    dashes = [dash for dash in _DASH.finditer(text.text, 0, nodes[0].start) if len(dash[1]) < _column(text, nodes[0])]
    deep = len(dashes[-1][1])
    tops = [top.start() for top in re.compile(rf"^ {{0,{deep}}}[^ \n#]", re.MULTILINE).finditer(text.text)]
    for node in nodes:
        begin = max(top for top in tops if top <= node.start)
        end = min((top for top in tops if top > node.start), default=len(text.text))
        document = text.text[begin:end].replace("\r\n", "\n").split("\n")
        yield "\n".join(_shifted(line, deep + 2) for line in document)


def _column(text: Text, node: YamlNode) -> int:
    return node.start - (text.text.rfind("\n", 0, node.start) + 1)


def _shifted(line: str, columns: int) -> str:
    """Return a line of an item without its first `columns` characters, the indentation and the dash.

    If other text begins there, such as a comment that is indented less, only the spaces before it are removed.
    """
    before = line[:columns]
    return line[columns:] if not before.strip(" -") else line.lstrip(" ")

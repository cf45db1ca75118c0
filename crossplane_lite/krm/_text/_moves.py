"""Writes a value that has moved to another key, object, list or document, together with its comments.

The lines of the value in the text that it was read from are indented as the new place needs it. `Text.moved` says which
values have moved: it has them, and the nodes from which they were read, by their `id()`.
"""

from __future__ import annotations

from . import _layout
from ._nodes import ALIAS, MAPPING, SCALAR, SEQUENCE, YamlNode
from ._replace import apply
from ._write import mapping_lines, sequence_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._write import Style


def is_movable(node: YamlNode) -> bool:
    """Return whether a value has lines of its own, which can be written elsewhere."""
    parent = node.parent
    if parent is None or parent.style or node.doc.text[_layout.key_start(node) :][:1] == "?":
        return False
    return parent.kind == SEQUENCE or _layout.colon_of(node) >= 0


def has_comments(node: YamlNode) -> bool:
    """Return whether there is the sign of a comment in the lines of an entry in block style."""
    place = _layout.place_of(node)
    return "#" in node.doc.text[place.lead : place.end]


def texts_in(node: YamlNode) -> Iterator[YamlNode]:
    """Yield the strings in a value that no other value can share, and that can be written elsewhere."""
    if node.kind == SCALAR and len(node.content) > 1 and node.tag is None and is_movable(node):
        yield node
    for one in _layout.entries(node):
        yield from texts_in(one)


def head_lines(node: YamlNode, column: int) -> list[str]:
    """Return the comment lines above an entry in block style, indented by so many columns."""
    text, place = node.doc.text, _layout.place_of(node)
    above = text[place.lead : max(place.lead, _layout.line_start(text, place.start))]
    return [" " * column + line.strip() for line in above.splitlines()]


def moved_lines(node: YamlNode, value: Any, column: int, style: Style, key: str | None) -> list[str]:
    """Return the lines of a value that has moved, without line breaks.

    Args:
        node: The node from which the value was read.
        value: The value, plain data.
        column: The column of the new key or dash.
        style: The style of the text around the new place.
        key: The text of the new key; None for an element of a list.
    """
    place = _layout.place_of(node)
    first, body, depth = _parts(node, value)
    if body is None:
        style = style._replace(moved={})
        fresh = mapping_lines({"k": value}, column, style) if key else sequence_lines([value], column, style)
        if key is not None:
            fresh[0] = fresh[0].replace("k", key, 1)
        _, _, note = first.partition("#")
        if note and (key is not None or not value):
            fresh[0] += f" #{note}"
        elif note:
            fresh.insert(0, f"{' ' * column}#{note}")
        return [*head_lines(node, column), *fresh]
    was = _layout.column(node.doc.text, place.start)
    is_block = depth >= 0
    to = column - was + depth  # the column of the block's own first entry, if it moves as its key or dash does
    is_field = node.parent is not None and node.parent.kind == MAPPING
    if is_block and is_field and key is None:
        to = column + 2
    elif is_block and not is_field and key is not None:
        to = column + (style.step if node.kind == MAPPING else style.offset)
    lines = _shifted(body, (to - depth) if is_block else column - was)
    head = " " * column + ("-" if key is None else f"{key}:")
    if is_block and key is None and not first.strip():
        head += lines[0][column + 1 :] if lines[0][: column + 1].isspace() else " " + lines[0].strip()
        lines = lines[1:]
    elif is_block:
        head += first
    else:
        head += " " + lines[0].lstrip() if lines[0].strip() else ""
        lines = lines[1:]
    return [*head_lines(node, column), head.rstrip(" "), *lines]


def _parts(node: YamlNode, value: Any) -> tuple[str, str | None, int]:
    """Return the text of a value in two parts: the rest of the line after its key or dash, and the lines below.

    The third result is the column of the lines; -1 for a value that isn't in block style. Then all text is in the
    second part. The second part is None if nothing of the lines is left.
    """
    from ._entries import Edits, reaching_out

    doc, place = node.doc, _layout.place_of(node)
    doc.close()
    text = doc.text
    parent = node.parent
    head = (_layout.colon_of(node) if parent is not None and parent.kind == MAPPING else place.start) + 1
    if node.kind == ALIAS:
        return text[node.end : _layout.line_end(text, node.end)].rstrip("\r\n"), None, 0
    edits = Edits(doc, reaching_out(node)).of_moved(node, value)
    if not _layout.is_block(node):
        return "", apply(text, head, place.end, edits), -1
    bounds = _layout.bounds(node)[0]
    depth = _layout.column(text, bounds.start)
    start = _layout.line_start(text, bounds.start)
    if start < head:  # behind a dash
        if not value:
            return "", None, depth
        return "", " " * _layout.column(text, head) + apply(text, head, place.end, edits), depth
    start = _layout.line_end(text, head)
    first = text[head:start].rstrip("\r\n")
    if not value or any(edit[0] < start for edit in edits):
        return first, None, depth
    return first, apply(text, start, place.end, edits), depth


def _shifted(body: str, by: int) -> list[str]:
    """Return the lines of a text, moved to the right by so many columns, or to the left."""
    found: list[str] = []
    for line in body.replace("\r\n", "\n").removesuffix("\n").split("\n"):
        bare = line.lstrip(" ")
        found.append(" " * (len(line) - len(bare) + by) + bare if bare else "")
    return found

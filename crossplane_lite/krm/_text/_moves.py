"""Writes a value that has moved to another key, object, list or document, together with its
comments.

The lines of the value in the text that it was read from are indented as the new place needs it.
`Text.moved` says which values have moved: it has them, and the nodes from which they were read, by
their `id()`.
"""

from __future__ import annotations

from . import _layout
from ._nodes import ALIAS, MAPPING, SCALAR, SEQUENCE, YamlNode
from ._replace import apply
from ._write import fresh_lines

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
    """Yield the strings in a value that no other value can share, and that can be written
    elsewhere.
    """
    if node.kind == SCALAR and len(node.content) > 1 and node.tag is None and is_movable(node):
        yield node
    for one in _layout.entries(node):
        yield from texts_in(one)


def head_lines(node: YamlNode, column: int) -> list[str]:
    """Return the comment lines above an entry in block style, indented by so many columns."""
    text, place = node.doc.text, _layout.place_of(node)
    above = text[place.lead : max(place.lead, _layout.line_start(text, place.start))]
    return [" " * column + line.strip() for line in above.splitlines()]


def moved_lines(
    node: YamlNode, value: Any, column: int, style: Style, key: str | None
) -> list[str]:
    """Return the lines of a value that has moved, without line breaks.

    Args:
        node: The node from which the value was read.
        value: The value, plain data.
        column: The column of the new key or dash.
        style: The style of the text around the new place.
        key: The text of the new key; None for an element of a list.
    """
    first, body, depth = _parts(node, value)
    above = head_lines(node, column)
    if body is None:
        return above + _fresh_lines(value, column, style, key, first)
    was = _layout.column(node.doc.text, _layout.place_of(node).start)
    head = " " * column + ("-" if key is None else f"{key}:")
    if depth < 0:
        rest, *lines = _shifted(body, column - was)
        return [*above, f"{head} {rest.lstrip()}".rstrip(" "), *lines]
    # the column of the block's own first entry, if it moves as its key or dash does
    to = column - was + depth
    was_field = node.parent is not None and node.parent.kind == MAPPING
    if was_field and key is None:
        to = column + 2
    elif not was_field and key is not None:
        to = column + style.indent(node.kind)
    lines = _shifted(body, to - depth)
    if key is not None or first.strip():
        return [*above, (head + first).rstrip(" "), *lines]
    rest, *lines = lines
    return [
        *above,
        (head + rest[column + 1 :] if rest[: column + 1].isspace() else f"{head} {rest.strip()}"),
        *lines,
    ]


def _fresh_lines(value: Any, column: int, style: Style, key: str | None, behind: str) -> list[str]:
    """Return new lines of a value, with the comment that is behind its old key or dash."""
    _, _, note = behind.partition("#")
    lines = fresh_lines(key, value, column, style)
    if note and (key is not None or not value):
        lines[0] += f" #{note}"
    return [f"{' ' * column}#{note}", *lines] if note and key is None and value else lines


def _parts(node: YamlNode, value: Any) -> tuple[str, str | None, int]:
    """Return the text of a value in two parts: the rest of the line after its key or dash, and the
    lines below.

    The third result is the column of the lines; -1 for a value that isn't in block style. Then all
    text is in the second part. The second part is None if nothing of the lines is left.
    """
    from ._entries import Edits, reaching_out

    doc, place = node.doc, _layout.place_of(node)
    doc.close()
    text = doc.text
    parent = node.parent
    head = (
        _layout.colon_of(node) if parent is not None and parent.kind == MAPPING else place.start
    ) + 1
    edited = Edits(doc, reaching_out(node))
    if node.kind == ALIAS or edited.must_open(node, value):
        return text[node.end : _layout.line_end(text, node.end)].rstrip("\r\n"), None, 0
    edits = edited.of_moved(node, value)
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

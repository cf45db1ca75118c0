"""Comments as data: the comments of each value, and the edits that set new comments.

A value has three comments: the lines above it (head), the rest of its line (line), and the lines
below it that are indented more (foot). If the value is moved or removed, so are its comments
(`_layout`). The comments of a document, and of an item of a list, are the lines above its first
field (head) and below its last field (foot).

Comments are read from the text of the input. They are written into text that has all other edits
already: one document, or one item without its dash (`noted`). A region is the start and the end of
a comment in the text. It is empty where a comment could be.
"""

from __future__ import annotations

import re

from ..._core.paths.text import show
from ...errors import UsageError
from . import _layout
from ._nodes import ALIAS, MAPPING, SEQUENCE
from ._parse import parse
from ._replace import apply
from ._write import is_item, style_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._nodes import Edit, YamlNode

    Steps = tuple[str | int, ...]
    Region = tuple[int, int]


HEAD, LINE, FOOT = PLACES = ("head", "line", "foot")

_LINE = re.compile(r"[ \t]+#[^\r\n]*")
_FLOW_LINE = re.compile(r"[ \t]*,?([ \t]+#[^\r\n]*)")
_FLOW_END = re.compile(r"[ \t]*,?(?=[ \t]*\r?(?:\n|\Z))")
_IN_BRACKETS = "in brackets, only the last value on a line can have a comment, behind it"
_NO_COMMENTS = "a document in brackets can't have comments"
_NO_PLACE = "there is no place for a comment"


def comment(node: YamlNode, place: str) -> str:
    """Return a comment of a value in the text of the input, without its `#` signs; an empty string
    if there is none.

    Args:
        node: The node of the value.
        place: Which comment: `HEAD`, `LINE` or `FOOT`.
    """
    text = node.doc.text
    if place == LINE:
        found = _line_region(node)
        return "" if found is None or found[0] == found[1] else _bare(text[found[0] : found[1]])
    region = _head_region(node) if place == HEAD else _foot_region(node)
    return "" if region is None else _lines(text, region)


def check_place(node: YamlNode, place: str, name: str) -> None:
    """Check that the text has a place for a comment of a value.

    Args:
        node: The node of the value.
        place: Which comment: `HEAD`, `LINE` or `FOOT`.
        name: The value's name in the message.

    Raises:
        UsageError: The text has no place for the comment.
    """
    if _REGIONS[place](node) is None:
        raise UsageError(f"{_NO_PLACE} {_WHERE[place]} {name}; {_why(node, place)}")


def check_new(above: YamlNode, place: str, name: str) -> None:
    """Check that the text has a place for a comment of a new value in an object or list; see
    `check_place`.
    """
    if above.style and _layout.entries(above):
        raise UsageError(f"{_NO_PLACE} {_WHERE[place]} {name}; {_IN_BRACKETS}")
    if style_at(above).json:
        raise UsageError(f"{_NO_PLACE} {_WHERE[place]} {name}; {_NO_COMMENTS}")


def _lines(text: str, region: Region) -> str:
    lines = [_bare(line) for line in text[region[0] : region[1]].splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def _bare(line: str) -> str:
    """Return one line of a comment without its `#`, and without a dash before the `#`."""
    bare = line.strip(" \t\r\n")
    bare = bare.removeprefix("-").lstrip(" \t") if not bare.startswith("#") else bare
    return bare.removeprefix("#").removeprefix(" ")


def _is_item(node: YamlNode) -> bool:
    """Return whether comments above the first field of a node may stand after its dash, as in a
    ResourceList.
    """
    return (
        node.kind == MAPPING and node.parent is not None and not node.parent.style and is_item(node)
    )


def _is_first_of_unit(node: YamlNode) -> bool:
    """Return whether a field is the first of a document or of an element, which owns the comments
    above the field.
    """
    parent = node.parent
    if (
        parent is None
        or parent.kind != MAPPING
        or (parent.parent is not None and parent.parent.kind == MAPPING)
    ):
        return False
    return _layout.entries(parent)[0] is node


def _place(node: YamlNode) -> _layout.Bounds | None:
    """Return the positions of an entry in block style; None for an entry in brackets, and for a
    document.
    """
    parent = node.parent
    return (
        None
        if parent is None or parent.style or not _layout.is_block(parent)
        else _layout.place_of(node)
    )


def _head_region(node: YamlNode) -> Region | None:
    """Return the region of the comments above a value; None if no comment can stand there."""
    text = node.doc.text
    if node.parent is None:
        if node.style or not _layout.entries(node):
            return None
        start = _layout.pieces_of(node.doc)[node].start
        return start, max(
            start, _layout.line_start(text, _layout.key_start(_layout.entries(node)[0]))
        )
    if _is_item(node) and _layout.is_block(node):
        first = _layout.key_start(_layout.entries(node)[0])
        dash = _layout.place_of(node).start
        return (
            (dash, _layout.line_start(text, first))
            if _layout.line_start(text, first) > dash
            else (dash, dash)
        )
    place = _place(node)
    if place is None or _is_first_of_unit(node):
        return None
    line = _layout.line_start(text, place.start)
    if text[line : place.start].strip(" "):
        return None
    return place.lead, line


def _line_region(node: YamlNode) -> Region | None:
    """Return the region of the comment after a value on its line, with the space before it.

    Return None if no comment can stand there.
    """
    text, parent = node.doc.text, node.parent
    if parent is None:
        return None
    if parent.style:
        end = max(node.end, node.kend)
        found = _FLOW_LINE.match(text, end)
        if found is not None:
            return found.span(1)
        found = _FLOW_END.match(text, end)
        return None if found is None else (found.end(), found.end())
    if _layout.is_block(node):
        if parent.kind == SEQUENCE and node.kind == MAPPING:
            return None
        head = (
            _layout.colon_of(node) + 1
            if parent.kind == MAPPING
            else _layout.place_of(node).start + 1
        )
        first = _layout.bounds(node)[0].start
        stop = _layout.line_end(text, head)
        if head <= 0 or first < stop:
            return None
        found = _LINE.search(text, head, stop)
        if found is not None:
            return found.span()
        end = len(text[:stop].rstrip(" \t\r\n"))
        return end, end
    if _layout.is_block_scalar(node):
        at = _layout.header(node).end()
    elif node.start == node.end:
        at = (
            _layout.colon_of(node) if parent.kind == MAPPING else _layout.place_of(node).start
        ) + 1
        if at <= 0:
            return None
    else:
        at = node.end
    found = _LINE.match(text, at)
    return (at, at) if found is None else found.span()


def _foot_region(node: YamlNode) -> Region | None:
    """Return the region of the comments below a value; None if no comment can stand there."""
    text, parent = node.doc.text, node.parent
    if parent is not None and (parent.style or not _layout.is_block(parent)):
        return None
    if _layout.is_block(node):
        start = _layout.bounds(node)[-1].end
    elif parent is None:
        return None
    else:
        start = _layout.own_end(node)
    if parent is None:
        return start, _layout.tail_end(text, start, -1)
    return start, max(start, _layout.place_of(node).end)


_REGIONS = {HEAD: _head_region, LINE: _line_region, FOOT: _foot_region}


# Writing


def noted(text: str, notes: Mapping[tuple[Steps, str], str]) -> str:
    """Return a document's text with new comments.

    Args:
        text: The text of one document, which may be indented as a whole.
        notes: The new comments, by the path of the value and the comment's place; an empty text
            removes a comment.

    Raises:
        UsageError: There is no place for a comment, such as in JSON, or it would become another
            value's comment.
    """
    root = parse(text.encode()).root
    edits: list[Edit] = []
    # At one place, the comment below a value comes before the comment above the next value.
    wanted = sorted(notes.items(), key=lambda note: note[0][1])
    for (steps, place), new in wanted:
        node = _reached(root, steps)
        if comment(node, place) != new:
            edits += _edits(node, place, new, show(steps) or "the resource")
    made = apply(text, 0, len(text), edits)
    again = parse(made.encode()).root
    for (steps, place), new in wanted:
        if comment(_reached(again, steps), place) != new:
            name = show(steps) or "the resource"
            raise UsageError(
                f"{_NO_PLACE} {_WHERE[place]} {name}: it would become another value's comment"
            )
    return made


_WHERE = {HEAD: "above", LINE: "behind", FOOT: "below"}


def _reached(node: YamlNode, steps: Steps) -> YamlNode:
    for step in steps:
        while node.kind == ALIAS:
            node = node.content
        node = node.child(step) or node
    return node


def _edits(node: YamlNode, place: str, new: str, name: str) -> list[Edit]:
    text, newline = node.doc.text, node.doc.newline
    check_place(node, place, name)
    start, end = _REGIONS[place](node) or (0, 0)
    if place == LINE:
        if not new:
            return [(start, end, "")]
        space = re.match(r"[ \t]*", text[start:end])
        return [(start, end, (space[0] if space and space[0] else " ") + _written(new))]
    indent = " " * _indent(node, place)
    lines = (
        [
            indent + _written(line) if line else _empty(text[start:end], indent)
            for line in new.split("\n")
        ]
        if new
        else []
    )
    return [(start, end, "".join(line + newline for line in lines))]


def _empty(before: str, indent: str) -> str:
    """Return an empty line of a comment: `#`, or nothing if the old comment `before` has blank
    lines without `#`.
    """
    return "" if re.search(r"^[ \t]*\r?\n", before, re.MULTILINE) else f"{indent}#"


def _indent(node: YamlNode, place: str) -> int:
    """Return the column of new comments above or below a value."""
    text = node.doc.text
    if node.parent is None:
        return _layout.column(text, _layout.key_start(_layout.entries(node)[0]))
    at = _layout.column(text, _layout.place_of(node).start)
    if place == HEAD:
        return at
    if _layout.is_block(node):
        inner = _layout.column(
            text,
            (
                _layout.key_start(_layout.entries(node)[0])
                if node.kind == MAPPING
                else _layout.open_at(node)
            ),
        )
        return max(inner, at + 1)
    if _layout.is_block_scalar(node):
        return at + 1 if _layout.content_column(node) > at + 1 else at
    return at + 2


def _written(line: str) -> str:
    """Return a line of a comment with `#` before it, unless it begins with `#`."""
    return "#" + line if not line or line.startswith("#") else "# " + line


def _why(node: YamlNode, place: str) -> str:
    parent = node.parent
    if parent is not None and parent.style:
        return _IN_BRACKETS
    if node.style == "{" or (parent is None and not _layout.entries(node)):
        return _NO_COMMENTS
    if place == LINE:
        return "an object in a list has no line of its own; set its head instead"
    return (
        "a comment above the first field belongs to the document, or to the object in the list; set"
        " the head of that"
    )

"""Comments as data: the comments of each value, and the edits that set new comments.

A value has three comments: the lines above it (head), the rest of its line (line), and the lines below it that are
indented more (foot). If the value is moved or removed, so are its comments (`_layout`). The comments of a document, and
of an item of a list, are the lines above its first field (head) and below its last field (foot).

Comments are read from the text of the input. They are written into text that has all other edits already: one document,
or one item without its dash (`noted`). A region is the start and the end of a comment in the text. It is empty where a
comment could be.
"""

from __future__ import annotations

import re

from ...errors import UsageError
from ._layout import (
    Bounds,
    bounds,
    colon_of,
    column,
    content_column,
    entries,
    header,
    is_block,
    is_block_scalar,
    key_start,
    line_end,
    line_start,
    open_at,
    own_end,
    place_of,
    tail_end,
)
from ._nodes import FRESH, MAPPING, SEQUENCE
from ._parse import parse
from ._replace import apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ._nodes import YamlNode
    from ._replace import Edit

    Note = tuple[tuple[str | int, ...], str, str]
    Region = tuple[int, int]

__all__ = ["FOOT", "HEAD", "LINE", "PLACES", "check_place", "comment", "noted"]

HEAD, LINE, FOOT = PLACES = ("head", "line", "foot")

_LINE = re.compile(r"[ \t]+#[^\r\n]*")
_FLOW_LINE = re.compile(r"[ \t]*,?([ \t]+#[^\r\n]*)")
_FLOW_END = re.compile(r"[ \t]*,?(?=[ \t]*\r?(?:\n|\Z))")
_NO_PLACE = "there is no place for a comment"


def comment(node: YamlNode, place: str) -> str:
    """Return a comment of a value in the text of the input, without its `#` signs; an empty string if there is none.

    Args:
        node: The node of the value.
        place: Which comment: `HEAD`, `LINE` or `FOOT`.
    """
    if node.was == FRESH:
        return ""
    text = node.doc.text
    if place == LINE:
        found = _line_region(node)
        return "" if found is None or found[0] == found[1] else _bare(text[found[0] : found[1]])
    region = _head_region(node) if place == HEAD else _foot_region(node)
    return "" if region is None else _lines(text, region)


def check_place(node: YamlNode, place: str, name: str) -> None:
    """Check that the text has a place for a comment of a value. A new value always passes.

    Args:
        node: The node of the value.
        place: Which comment: `HEAD`, `LINE` or `FOOT`.
        name: The value's name in the message.

    Raises:
        UsageError: The text has no place for the comment.
    """
    if node.was != FRESH and _REGIONS[place](node) is None:
        raise UsageError(f"{_NO_PLACE} {_WHERE[place]} {name}; {_why(node, place)}")


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
    """Return whether a node is an item of a ResourceList. Comments above its first field may stand after its dash."""
    parent = node.parent
    return (
        node.was == MAPPING
        and parent is not None
        and parent.was == SEQUENCE
        and not parent.style
        and parent.parent is not None
        and parent.parent.parent is None
        and parent.kstart >= 0
        and node.doc.text[parent.kstart : parent.kend].strip("'\"") == "items"
    )


def _is_first_of_unit(node: YamlNode) -> bool:
    """Return whether a field is the first of a document or of an element, which owns the comments above the field."""
    parent = node.parent
    if parent is None or parent.was != MAPPING or (parent.parent is not None and parent.parent.was == MAPPING):
        return False
    return entries(parent)[0] is node


def _place(node: YamlNode) -> Bounds | None:
    """Return the positions of an entry in block style; None for an entry in brackets, and for a document."""
    parent = node.parent
    return None if parent is None or parent.style or not is_block(parent) else place_of(node)


def _head_region(node: YamlNode) -> Region | None:
    """Return the region of the comments above a value; None if no comment can stand there."""
    text = node.doc.text
    if node.parent is None:
        if node.style or not entries(node):
            return None
        from ._documents import pieces_of

        start = next(one.start for one in pieces_of(node.doc) if one.root is node)
        return start, max(start, line_start(text, key_start(entries(node)[0])))
    if _is_item(node) and is_block(node):
        first = key_start(entries(node)[0])
        dash = place_of(node).start
        return (dash, line_start(text, first)) if line_start(text, first) > dash else (dash, dash)
    place = _place(node)
    if place is None or _is_first_of_unit(node):
        return None
    line = line_start(text, place.start)
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
    if is_block(node):
        if parent.was == SEQUENCE and node.was == MAPPING:
            return None
        head = colon_of(node) + 1 if parent.was == MAPPING else place_of(node).start + 1
        first = bounds(node)[0].start
        stop = line_end(text, head)
        if head <= 0 or first < stop:
            return None
        found = _LINE.search(text, head, stop)
        if found is not None:
            return found.span()
        end = len(text[:stop].rstrip(" \t\r\n"))
        return end, end
    if is_block_scalar(node):
        at = header(node).end()
    elif node.start == node.end:
        at = (colon_of(node) if parent.was == MAPPING else place_of(node).start) + 1
        if at <= 0:
            return None
    else:
        at = node.end
    found = _LINE.match(text, at)
    return (at, at) if found is None else found.span()


def _foot_region(node: YamlNode) -> Region | None:
    """Return the region of the comments below a value; None if no comment can stand there."""
    text, parent = node.doc.text, node.parent
    if parent is not None and (parent.style or not is_block(parent)):
        return None
    if is_block(node):
        start = bounds(node)[-1].end
    elif parent is None:
        return None
    else:
        start = own_end(node)
    if parent is None:
        return start, tail_end(text, start, -1)
    return start, max(start, place_of(node).end)


_REGIONS = {HEAD: _head_region, LINE: _line_region, FOOT: _foot_region}


# Writing


def noted(text: str, notes: Iterable[Note], least: int = -1) -> str:
    """Return a document's text with new comments.

    Args:
        text: The text of one document, which may be indented as a whole.
        notes: The new comments: the path of the value, the comment's place, and its text; an empty text removes it.
            Comments of values that the document doesn't have are ignored.
        least: Comments after the last field belong to the document if they are indented more than this column.

    Raises:
        UsageError: There is no place for a comment, such as in JSON, or it would become another value's comment.
    """
    is_open = not text.endswith("\n")
    source = f"{text}\n" if is_open else text
    root = parse(source.encode()).documents[0]
    edits: list[Edit] = []
    # At one place, the comment below a value comes before the comment above the next value.
    wanted = sorted(notes, key=lambda note: note[1])
    for steps, place, new in wanted:
        node = _reached(root, steps)
        if node is None or comment(node, place) == new:
            continue
        edits += _edits(node, place, new, least, _path(steps))
    made = apply(source, 0, len(source), edits)
    again = parse(made.encode()).documents[0]
    for steps, place, new in wanted:
        node = _reached(again, steps)
        if node is not None and comment(node, place) != new:
            raise UsageError(f"{_NO_PLACE} {_WHERE[place]} {_path(steps)}: it would become another value's comment")
    return made.removesuffix("\n").removesuffix("\r") if is_open and not wanted_foot(wanted) else made


def wanted_foot(notes: Sequence[Note]) -> bool:
    """Return whether a comment below a value is set or removed. Then the document's last line ends in a line break."""
    return any(place == FOOT for _, place, _ in notes)


_WHERE = {HEAD: "above", LINE: "behind", FOOT: "below"}


def _path(steps: Sequence[str | int]) -> str:
    from ..._paths.text import show

    return show(steps) or "the resource"


def _reached(root: YamlNode, steps: Sequence[str | int]) -> YamlNode | None:
    from ._nodes import own_child

    node: YamlNode | None = root
    for step in steps:
        node = None if node is None else own_child(node, step)
    return node


def _edits(node: YamlNode, place: str, new: str, least: int, name: str) -> list[Edit]:
    text, newline = node.doc.text, node.doc.newline
    region = _REGIONS[place](node)
    if region is not None and place == FOOT and node.parent is None:
        region = region[0], tail_end(text, region[0], least)
    if region is None:
        raise UsageError(f"{_NO_PLACE} {_WHERE[place]} {name}; {_why(node, place)}")
    start, end = region
    if place == LINE:
        if "\n" in new:
            raise UsageError(f"the comment behind {name} must be one line (got {new!r:.60})")
        if not new:
            return [(start, end, "")]
        space = re.match(r"[ \t]*", text[start:end])
        return [(start, end, (space[0] if space and space[0] else " ") + _written(new))]
    indent = " " * _indent(node, place)
    lines = (
        [indent + _written(line) if line else _empty(text[start:end], indent) for line in new.split("\n")]
        if new
        else []
    )
    return [(start, end, "".join(line + newline for line in lines))]


def _empty(before: str, indent: str) -> str:
    """Return an empty line of a comment: `#`, or nothing if the old comment `before` has blank lines without `#`."""
    return "" if re.search(r"^[ \t]*\r?\n", before, re.MULTILINE) else f"{indent}#"


def _indent(node: YamlNode, place: str) -> int:
    """Return the column of new comments above or below a value."""
    text = node.doc.text
    if node.parent is None:
        return column(text, key_start(entries(node)[0]))
    at = column(text, place_of(node).start)
    if place == HEAD:
        return at
    if is_block(node):
        inner = column(text, key_start(entries(node)[0]) if node.was == MAPPING else open_at(node))
        return max(inner, at + 1)
    if is_block_scalar(node):
        return at + 1 if content_column(node) > at + 1 else at
    return at + 2


def _written(line: str) -> str:
    """Return a line of a comment with `#` before it, unless it begins with `#`."""
    return "#" + line if not line or line.startswith("#") else "# " + line


def _why(node: YamlNode, place: str) -> str:
    parent = node.parent
    if parent is not None and parent.style:
        return "in brackets, only the last value on a line can have a comment, behind it"
    if node.style == "{" or (parent is None and not entries(node)):
        return "a document in brackets can't have comments"
    if place == LINE:
        return "an object in a list has no line of its own; set its head instead"
    return "a comment above the first field belongs to the document, or to the object in the list; set the head of that"

"""Finds where entries begin and end in the text, and the comments that belong to them.

All positions are those of characters in the text of the input; edits don't count. A collection is a
mapping or a sequence. In block style it is written in lines, with indentation or dashes; otherwise
it is in brackets. An entry is a field of a mapping or an element of a sequence. In block style it
has, besides its own lines:

- comment lines directly above it, unless they are indented more than it;
- comment lines below it that are indented more than it, also after blank lines.

Comments above the first field of a document or of an element (`- # comment`) belong to the document
or the element. All other comments, and blank lines, stay where they are.
"""

from __future__ import annotations

import re
from collections import namedtuple

from ._nodes import MAPPING, SCALAR, SEQUENCE, cached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._nodes import Edit, Stream, YamlNode


_PROPERTIES = re.compile(r"(?:[&!]\S*\s+(?:#.*\s+)*)*")
_FILLER = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")
_COMMENT_OR_BLANK = re.compile(r"([ \t]*)(#[^\n]*|\r?)(\n|\Z)")
_COMMENT = re.compile(r"#[^\n]*")
_EXPLICIT = re.compile(r"[ -]*\? +")
_COLON = re.compile(r"[ \t]*:")
_COLON_BELOW = re.compile(r"(?:[ \t]*(?:(?<=[ \t])#[^\n]*)?\r?\n)*[ \t]*:(?=\s)")
_HEADER = re.compile(r"(?:[&!]\S*\s+)*[|>]([-+0-9]*)")


# Where an entry in block style lies: its first comment line, or `start` if it is on the same line
# as a dash of the sequence around it; its key or dash; and the end of the last line that belongs to
# it.
Bounds = namedtuple("Bounds", "lead start end")


# The beginning of a line, also behind line breaks that only YAML 1.1 has.
_LINE = r"(?:\A|(?<=[\n\u2028\u2029]))"


def indented(text: str, columns: int) -> str:
    """Return a text with `columns` spaces before each line that isn't empty."""
    return re.sub(rf"{_LINE}(?=[^\n])", " " * columns, text)


def dedented(text: str, columns: int) -> str:
    """Return a text with so many columns fewer before each line, or with none where a line has
    fewer.
    """
    return re.sub(rf"{_LINE} {{1,{columns}}}", "", text.replace("\r\n", "\n"))


def line_start(text: str, at: int) -> int:
    """Return the position at which the line around the position `at` begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return the position at which the line after the position `at` begins; the end of the text if
    there is none.
    """
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def column(text: str, at: int) -> int:
    """Return the column of the position `at`, counted from 0."""
    return at - line_start(text, at)


def entries(node: YamlNode) -> list[YamlNode]:
    """Return the nodes of a collection's entries; an empty list for other nodes."""
    if node.kind == MAPPING:
        return list(node.content.values())
    return node.children()


def is_block(node: YamlNode) -> bool:
    """Return whether a node is, in the input, a collection in block style that has entries."""
    return not node.style and bool(entries(node))


def key_start(node: YamlNode) -> int:
    """Return the position where a field in block style begins: its key, or the question mark before
    the key.
    """
    text = node.doc.text
    start = line_start(text, node.kstart)
    mark = text.rfind("?", start, node.kstart)
    return mark if mark >= 0 and _EXPLICIT.fullmatch(text, start, node.kstart) else node.kstart


def colon_of(node: YamlNode) -> int:
    """Return the position of the colon after the key of a field in block style; -1 for a `? key`
    without a colon.
    """
    found = _COLON_BELOW.match(node.doc.text, node.kend)
    return -1 if found is None else found.end() - 1


def is_block_scalar(node: YamlNode) -> bool:
    """Return whether a node is, in the input, a block scalar: a string after `|` or `>`."""
    return node.kind == SCALAR and node.style in ("|", ">")


def header(node: YamlNode) -> Any:
    """Return the regex match of a block scalar's header, such as `|-2`. Its group 1 is the part
    after `|` or `>`.
    """
    found = _HEADER.match(node.doc.text, node.start)
    assert found is not None
    return found


def last_leaf(node: YamlNode) -> YamlNode:
    """Return the value that ends a node: in block style, the last value inside of it; else the node
    itself.
    """
    while is_block(node):
        node = entries(node)[-1]
    return node


def own_end(node: YamlNode) -> int:
    """Return the position after the last line of a value in block style. Comments below the value
    don't count.
    """
    node = last_leaf(node)
    text = node.doc.text
    if is_block_scalar(node):
        return _block_end(node)
    if node.start == node.end and node.kend >= 0 and text[node.start - 1] != ":":
        # `? key` without a value: libyaml puts the value where the next token is
        return line_end(text, node.kend)
    return line_end(text, node.end)


def content_column(node: YamlNode) -> int:
    """Return the indentation of a block scalar's lines; 0 if all lines are blank and the header
    doesn't give it.
    """
    text = node.doc.text
    digits, parent = header(node)[1].strip("-+"), node.parent
    if digits and parent is not None and not parent.style:
        start = (
            key_start(node)
            if parent.kind == MAPPING
            else text.rfind("-", line_start(text, node.start), node.start)
        )
        if start >= 0:
            return column(text, start) + int(digits)
    body = text[line_end(text, header(node).end()) : node.end]
    for line in body.split("\n"):
        if line.strip(" \r"):
            return len(line) - len(line.lstrip(" "))
    return 0


def keeps_blanks(node: YamlNode) -> bool:
    """Return whether blank lines after a node belong to its last value: a block scalar with `+`,
    such as `|+`.
    """
    leaf = last_leaf(node)
    return is_block_scalar(leaf) and "+" in header(leaf)[1]


def _block_end(node: YamlNode) -> int:
    """Return the position after a block scalar. Blank lines that aren't part of its value don't
    count.
    """
    text, found = node.doc.text, header(node)
    first, end = line_end(text, found.end()), node.end
    if "+" in found[1]:
        return max(first, line_end(text, end - 1))
    digits = found[1].strip("-")
    indent = content_column(node)
    end = line_end(text, end - 1)  # behind the line break, which `_close` may have added
    while end > first:
        start = line_start(text, end - 1)
        line = text[start:end].rstrip("\r\n")
        if line.strip(" ") or (indent and len(line) > indent) or (digits and line):
            break
        end = start
    return max(end, first)


def tail_end(text: str, at: int, indent: int) -> int:
    """Return the end of the comment lines after `at` that are indented more than `indent`; `at` if
    there are none.

    Blank lines may stand before and between these comment lines.
    """
    end = at
    while at < len(text) and (found := _COMMENT_OR_BLANK.match(text, at)):
        if found[2].startswith("#"):
            if len(found[1]) <= indent:
                break
            end = found.end()
        at = found.end()
    return end


def _lead_start(text: str, at: int, bound: int, indent: int) -> int:
    """Return where the comment lines directly above a line begin.

    Args:
        text: The text.
        at: Where the line begins. It is returned if there are no such comment lines.
        bound: Comment lines before this position don't count.
        indent: Comment lines that are indented more than this don't count, nor do comments above
            them.
    """
    while at > bound:
        above = line_start(text, at - 1)
        line = text[above:at]
        bare = line.lstrip(" \t")
        if above < bound or not bare.startswith("#") or len(line) - len(bare) > indent:
            break
        at = above
    return at


def open_at(node: YamlNode) -> int:
    """Return the position of a collection's bracket, first dash or first key, after the
    collection's anchor and tag.
    """
    found = _PROPERTIES.match(node.doc.text, node.start)
    assert found is not None
    return found.end()


@cached
def bounds(node: YamlNode) -> list[Bounds]:
    """Return the positions of each entry of a collection in block style."""
    text, nodes = node.doc.text, entries(node)
    starts = [key_start(child) for child in nodes] if node.kind == MAPPING else None
    first = starts[0] if starts else open_at(node)
    indent = column(text, first)
    found: list[Bounds] = []
    end = 0
    for at, child in enumerate(nodes):
        if starts:
            start = starts[at]
        elif at:
            skipped = _FILLER.match(text, end)
            assert skipped is not None
            start = skipped.end() + indent
        else:
            start = first
        line = line_start(text, start)
        if at:
            lead = _lead_start(text, line, end, indent)
        elif text[line:start].strip(" "):
            lead = start
        else:
            lead = _lead_start(text, line, _first_bound(node, line), indent)
        end = tail_end(text, own_end(child), indent)
        found.append(Bounds(lead, start, end))
    return found


def place_of(node: YamlNode) -> Bounds:
    """Return the positions of an entry of a collection in block style."""
    parent = node.parent
    assert parent is not None
    return bounds(parent)[_places(parent)[id(node)]]


@cached
def _places(node: YamlNode) -> dict[int, int]:
    return {id(child): at for at, child in enumerate(entries(node))}


def _first_bound(node: YamlNode, line: int) -> int:
    """Return the position after which comments belong to a collection's first entry, whose line
    begins at `line`.
    """
    parent = node.parent
    if parent is None or (parent.kind == SEQUENCE and node.kind == MAPPING):
        return line
    return line_end(node.doc.text, node.kend if parent.kind == MAPPING else node.start)


# The text between documents: a marker, and the rest of its line if that is empty or a comment.
_MARKER = re.compile(r"^(?:---|\.\.\.)(?:[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)|[ \t]+)", re.MULTILINE)
_LICENCE = re.compile(r"(?i)copyright|licen[cs]|spdx|all rights reserved")


# A part of a stream: a marker between documents (`---` or `...`), or the text between two markers,
# without the blank lines and directives (`%YAML 1.2`) before its document.
Piece = namedtuple("Piece", "start end is_marker")


def split(text: str) -> list[Piece]:
    """Split a stream at its markers, `---` and `...`, and return all pieces. The text between them
    needn't be YAML.
    """
    found: list[Piece] = []
    at = 0
    for marker in _MARKER.finditer(text):
        found.append(Piece(_first(text, at, marker.start()), marker.start(), is_marker=False))
        found.append(Piece(marker.start(), marker.end(), is_marker=True))
        at = marker.end()
    found.append(Piece(_first(text, at, len(text)), len(text), is_marker=False))
    return found


def _first(text: str, at: int, end: int) -> int:
    """Return the position between `at` and `end` where a document begins: after blank lines and
    directives.
    """
    while at < end:
        stop = min(line_end(text, at), end)
        line = text[at:stop]
        if line.strip() and not line.startswith("%"):
            break
        at = stop
    return at


def pieces_of(doc: Stream) -> dict[YamlNode, Piece]:
    """Return the piece of each document of a stream."""
    if pieces_of not in doc.cache:
        pieces = iter(one for one in split(doc.text) if not one.is_marker)
        doc.cache[pieces_of] = {
            root: next(one for one in pieces if one.start <= root.start < one.end)
            for root in doc.documents
        }
    found: dict[YamlNode, Piece] = doc.cache[pieces_of]
    return found


def removals(doc: Stream, gone: Sequence[YamlNode]) -> list[Edit]:
    """Return the edits that remove documents, each together with a marker `---` next to it, if
    there is one.

    The header of the stream stays: above the first document, a licence, and comments with a blank
    line below them.

    Args:
        doc: The stream.
        gone: The documents to remove.
    """
    edits: list[Edit] = []
    places, found = pieces_of(doc), split(doc.text)
    starts = {places[root].start: root for root in gone}
    taken: set[int] = set()
    for at, piece in enumerate(found):
        if piece.is_marker or piece.start not in starts:
            continue
        is_first = starts[piece.start] is doc.documents[0]
        edits.append((header_end(doc.text, piece) if is_first else piece.start, piece.end, ""))
        for one in (at + 1, at - 1):
            if (
                0 <= one < len(found)
                and one not in taken
                and doc.text.startswith("---", found[one].start)
            ):
                taken.add(one)
                edits.append((found[one].start, found[one].end, ""))
                break
    return edits


def header_end(text: str, piece: Piece) -> int:
    """Return where the header of a stream ends: the comments that stay if the stream's first
    document is removed.

    Args:
        text: The text of the stream.
        piece: The piece of the first document.
    """
    at = end = block = piece.start
    while at < piece.end:
        stop = min(line_end(text, at), piece.end)
        line = text[at:stop].strip()
        if not line:
            end = block = stop
        elif not line.startswith("#"):
            break
        at = stop
    return int(at if _LICENCE.search(text, block, at) else end)


def header_of(head: str) -> str:
    """Return the header of a stream: the part of the comments above its first document that stays
    without the document.

    Args:
        head: The comments, without `#` and with their blank lines.

    Returns:
        The comments above the last blank line; all comments if the rest is a licence. The header
        may be empty.
    """
    above, _, last = head.rpartition("\n\n")
    if _LICENCE.search(last):
        return head
    return above

"""Finds where the documents of a stream begin and end, and which lines are removed together with a document."""

from __future__ import annotations

import re

from ...errors import InputError
from ._layout import line_end
from ._parse import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._nodes import Stream, YamlNode
    from ._replace import Edit

__all__ = ["Piece", "header_end", "header_of", "masked", "pieces_of", "removals", "split"]

# The text between documents: a marker, and the rest of its line if that is empty or a comment.
_MARKER = re.compile(r"^(?:---|\.\.\.)(?:[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)|[ \t]+)", re.MULTILINE)
_SIGN = re.compile(r"[^\r\n]")
_LICENCE = re.compile(r"(?i)copyright|licen[cs]|spdx|all rights reserved")


class Piece:
    """A part of a stream: a marker between documents, or the text between two markers.

    Attributes:
        start: Where the piece begins. A document begins after blank lines and directives, such as `%YAML 1.2`.
        end: Where the piece ends.
        is_marker: Whether the piece is a marker, `---` or `...`.
        root: The document in the piece; None if there is none, or if the stream wasn't read.
    """

    __slots__ = ("end", "is_marker", "root", "start")

    def __init__(self, start: int, end: int, *, is_marker: bool, root: YamlNode | None = None) -> None:
        self.start = start
        self.end = end
        self.is_marker = is_marker
        self.root = root


def split(text: str) -> list[Piece]:
    """Split a stream at its markers, `---` and `...`, and return all pieces. The text between them needn't be YAML."""
    found: list[Piece] = []
    at = 0
    for marker in _MARKER.finditer(text):
        found.append(Piece(_first(text, at, marker.start()), marker.start(), is_marker=False))
        found.append(Piece(marker.start(), marker.end(), is_marker=True))
        at = marker.end()
    found.append(Piece(_first(text, at, len(text)), len(text), is_marker=False))
    return found


def _first(text: str, at: int, end: int) -> int:
    """Return the position between `at` and `end` where a document begins: after blank lines and directives."""
    while at < end:
        stop = min(line_end(text, at), end)
        line = text[at:stop]
        if line.strip() and not line.startswith("%"):
            break
        at = stop
    return at


def pieces_of(doc: Stream) -> list[Piece]:
    """Return the pieces of a stream that was read, each with its document."""
    found = split(doc.text)
    roots = iter(doc.documents)
    root = next(roots, None)
    for piece in found:
        if root is not None and not piece.is_marker and piece.start <= root.start < piece.end:
            piece.root = root
            root = next(roots, None)
    return found


def removals(doc: Stream, gone: Sequence[YamlNode], found: list[Piece]) -> list[Edit]:
    """Return the edits that remove documents, each together with a marker `---` next to it, if there is one.

    The header of the stream stays: above the first document, a licence, and comments with a blank line below them.

    Args:
        doc: The stream.
        gone: The documents to remove.
        found: The result of `pieces_of`.
    """
    edits: list[Edit] = []
    taken: set[int] = set()
    for at, piece in enumerate(found):
        if piece.root is None or not any(piece.root is one for one in gone):
            continue
        start = piece.start
        if piece.root is doc.documents[0]:
            start = header_end(doc.text, piece)
        edits.append((start, piece.end, ""))
        for one in (at + 1, at - 1):
            if 0 <= one < len(found) and one not in taken and doc.text.startswith("---", found[one].start):
                taken.add(one)
                edits.append((found[one].start, found[one].end, ""))
                break
    return edits


def header_end(text: str, piece: Piece) -> int:
    """Return where the header of a stream ends: the comments that stay if the stream's first document is removed.

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
    return at if _LICENCE.search(text, block, at) else end


def header_of(head: str) -> str:
    """Return the header of a stream: the part of the comments above its first document that stays without the document.

    Args:
        head: The comments, without `#` and with their blank lines.

    Returns:
        The comments above the last blank line; all comments if the rest is a licence. The header may be empty.
    """
    above, _, last = head.rpartition("\n\n")
    if _LICENCE.search(last):
        return head
    return above


def masked(text: str, label: str) -> tuple[str, list[str]]:
    """Return a stream with spaces in place of the documents that can't be read, and the mistake in each of these.

    The spaces keep the positions of all other text. If the mistake is between documents, the whole stream becomes
    spaces.

    Args:
        text: The stream.
        label: The stream's name in messages.
    """
    problems: list[str] = []
    left = text
    for piece in split(text):
        if piece.is_marker or piece.start == piece.end:
            continue
        try:
            parse(("\n" * text.count("\n", 0, piece.start) + text[piece.start : piece.end]).encode(), label)
        except InputError as error:
            problems.append(str(error))
            left = left[: piece.start] + _SIGN.sub(" ", text[piece.start : piece.end]) + left[piece.end :]
    try:
        parse(left.encode(), label)
    except InputError as error:  # the mistake is between the documents
        return _SIGN.sub(" ", text), [*problems, str(error)]
    return left, problems

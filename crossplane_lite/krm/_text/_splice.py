"""Writes the edits of a stream into its text. All other parts are copied unchanged."""

from __future__ import annotations

from ._check import expected, settled
from ._entries import Edits, place_of_unit, reaching_out
from ._layout import column, dedented, header_end, pieces_of, removals
from ._moves import head_lines
from ._nodes import YamlNode, wanted
from ._replace import apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._nodes import Stream


def spliced(doc: Stream) -> str:
    """Return the text of a stream with its edits, after a check that it has the values of the
    edits.

    Raises:
        InputError: The text would have other values.
        UsageError: A comment that was set has no place in the text, or a key or an integer is too
            long.
    """
    doc.close()
    text = _joined(doc)
    is_open = doc.is_open and not doc.added and doc.documents and doc.documents[-1] not in doc.gone
    return settled(doc, text.removesuffix(doc.newline) if is_open else text, expected(doc))


def document_text(root: YamlNode) -> str:
    """Return the text of a document, or of an item of a list, with its edits, for another stream or
    alone.

    A removed first document is returned without the comments at the top of its file if other
    documents stay there.

    Raises:
        InputError: The text would have other values.
        UsageError: A comment that was set has no place in the text, or a key or an integer is too
            long.
    """
    doc, found = root.doc, unit_text(root)
    if root.parent is not None:
        head = "".join(line + "\n" for line in head_lines(root, 0))
        return head + dedented(found, column(doc.text, place_of_unit(root).start) + 2)
    if root is not doc.documents[0] or root not in doc.gone or len(doc.gone) == len(doc.documents):
        return found
    piece = pieces_of(doc)[root]
    return found.removeprefix(doc.text[piece.start : header_end(doc.text, piece)])


def unit_text(node: YamlNode) -> str:
    """Return the text of a document or an item with its edits, to be read alone. An item has a
    space for its dash.

    Raises:
        InputError: The text would have other values.
        UsageError: An item is in brackets, or a key or an integer is too long.
    """
    doc = node.doc
    doc.close()
    place = place_of_unit(node)
    text = apply(doc.text, place.start, place.end, Edits(doc, reaching_out(node)).of([node]))
    if node.parent is not None:
        text = " " * (column(doc.text, place.start) + 1) + text[1:]
    return settled(doc, text, [wanted(node)]) if node in doc.wanted or doc.is_open else text


def _joined(doc: Stream) -> str:
    found = Edits(doc).of([root for root in doc.documents if root not in doc.gone])
    if doc.gone:
        found += removals(doc, [root for root in doc.gone if root not in doc.slots])
        places = pieces_of(doc)
        found += [
            (places[root].start, places[root].end, _with_ends(text, doc.newline))
            for root, text in doc.slots.items()
        ]
    text = apply(doc.text, 0, len(doc.text), found)
    if not doc.added:
        return text
    added = [_with_ends(one, doc.newline) for one in doc.added]
    head = [text if text.endswith("\n") else text + doc.newline] if text.strip() else []
    return f"---{doc.newline}".join([*head, *added])


def _with_ends(text: str, newline: str) -> str:
    """Return the text of a document with all its lines ended by `newline`, also the last one."""
    text = text.replace("\r\n", "\n")
    text = text if text.endswith("\n") else text + "\n"
    return text if newline == "\n" else text.replace("\n", newline)

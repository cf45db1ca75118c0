"""Writes the edits of a stream into its text. All other parts are copied unchanged."""

from __future__ import annotations

from ...errors import InputError
from ._check import wrong
from ._entries import Edits, place_of_unit
from ._layout import column, header_end, pieces_of, removals
from ._nodes import YamlNode, same, wanted
from ._replace import OverlapError, apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ._nodes import Stream


def spliced(doc: Stream) -> str:
    """Return the text of a stream with its edits, after a check that it has the values of the edits.

    If it hasn't, because a rare form of YAML stands beside an edit, the documents and items with other values are
    written anew, without their comments.

    Raises:
        InputError: The text would have other values.
        UsageError: A comment that was set has no place in the text, or a key or an integer is too long.
    """
    _prepare(doc)
    is_open = doc.is_open and not doc.added and doc.documents and doc.documents[-1] not in doc.gone
    anew: list[YamlNode] = []
    for _ in range(2):
        try:
            text = _joined(doc, anew)
        except (InputError, OverlapError):
            text = ""
        for end in (doc.newline, "") if is_open else ("",):
            found = wrong(doc, text.removesuffix(end))
            if not found:
                return text.removesuffix(end)
        anew = found
    raise InputError(
        f"{doc.label}: the changes can't be written without changing other values; nothing is written. This is a "
        "mistake in crossplane-lite: report it with this input and the function"
    )


def _prepare(doc: Stream) -> None:
    """Prepare a stream for writing: copies replace aliases that can't stay, and the text ends in a line break."""
    if not doc.text.endswith("\n"):
        doc.text += doc.newline
        doc.is_open = True
        doc.cache.clear()


def document_text(root: YamlNode) -> str:
    """Return the text of a document with its edits, for another stream or alone.

    A removed first document is returned without the comments at the top of its file if other documents stay there. An
    edited document whose text would have other values is written anew.

    Raises:
        UsageError: A comment that was set has no place in the text, or a key or an integer is too long.
    """
    doc, found = root.doc, unit_text(root)
    if root is not doc.documents[0] or root not in doc.gone or len(doc.gone) == len(doc.documents):
        return found
    piece = pieces_of(doc)[root]
    return found.removeprefix(doc.text[piece.start : header_end(doc.text, piece)])


def unit_text(node: YamlNode) -> str:
    """Return the text of a document or an item with its edits, to be read alone. An item has a space for its dash.

    Text that can't be read alone, or would have other values, is written anew.

    Raises:
        UsageError: An item is in brackets, or a key or an integer is too long.
    """
    found = _unit_text(node, ())
    return found if node not in node.doc.wanted or _says(found, node) else _unit_text(node, (node,))


def _says(text: str, root: YamlNode) -> bool:
    try:
        found = root.doc.read(text)
        return len(found) == 1 and same(found[0].value(), wanted(root))
    except InputError:
        return False


def _unit_text(node: YamlNode, anew: Collection[YamlNode]) -> str:
    doc = node.doc
    _prepare(doc)
    place = place_of_unit(node)
    try:
        text = apply(doc.text, place.start, place.end, Edits(doc, anew).of([node]))
    except OverlapError:
        return ""
    return text if node.parent is None else " " * (column(doc.text, place.start) + 1) + text[1:]


def _joined(doc: Stream, anew: Collection[YamlNode]) -> str:
    """Return the text of a stream with its edits. The nodes `anew` are written anew.

    Raises:
        OverlapError: Two edits overlap.
        UsageError: A key or an integer is too long.
    """
    found = Edits(doc, anew).of([root for root in doc.documents if root not in doc.gone])
    if doc.gone:
        found += removals(doc, [root for root in doc.gone if root not in doc.slots])
        places = pieces_of(doc)
        found += [
            (places[root].start, places[root].end, _with_ends(text, doc.newline)) for root, text in doc.slots.items()
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

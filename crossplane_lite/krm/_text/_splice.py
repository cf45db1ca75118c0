"""Writes the edits of a stream into its text. All other parts are copied unchanged."""

from __future__ import annotations

import re

from ...errors import InputError, UsageError
from ._block import block_edits, last_now, seal
from ._check import check, cut, expected, items_of, opened
from ._edit import release
from ._layout import column, entries, is_block_scalar, is_odd, last_leaf, line_start, open_at
from ._nodes import FRESH, MAPPING, SEQUENCE, YamlNode
from ._replace import apply, replace
from ._style import style_at
from ._values import same
from ._write import mapping_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._nodes import Stream
    from ._replace import Edit

    Reader = Callable[[str], list[YamlNode]]

__all__ = ["document_text", "edits_of", "spliced"]

# Line breaks of YAML that no editor shows. `_layout` doesn't know them, so the output is read again.
_RARE = re.compile("\\r(?!\\n)|[\\x85\\u2028\\u2029]")
_SPACED = re.compile(r"(?m)^[ \t]+\r?$")


def spliced(doc: Stream, read: Reader) -> str:
    """Return the text of a stream with its edits, after a check that it has the values of the edits.

    Args:
        doc: The stream.
        read: A function that returns the documents of a text.

    Raises:
        InputError: The text would have other values.
        UsageError: A comment that was set has no place in the text, or a key or an integer is too long.
    """
    _prepare(doc)
    bare = False
    text = _joined(doc, bare=bare)
    if _has_spaced(doc.text) and not _says(text, doc, read):
        # Lines of spaces have become a part of a block scalar that stands before them now.
        bare = True
        text = _joined(doc, bare=bare)
    if _has_rare(doc.text) and not _says(text, doc, read):
        texts = ["\n".join(mapping_lines(one, 0, style_at(doc.documents[0]))) + "\n" for one in expected(doc, read)]
        text = "---\n".join(texts)
    shown = text if doc.shown is None else _joined(doc, bare=bare, source=doc.shown)
    if doc.notes:
        edits = note_edits(doc, text, read)
        text, shown = (apply(one, 0, len(one), edits) for one in (text, shown))
    check(doc, doc.text, text, read)
    return shown


def note_edits(doc: Stream, text: str, read: Reader) -> list[Edit]:
    """Return the edits that set the comments of items or documents.

    Args:
        doc: The stream.
        text: The stream's text with all other edits. The positions in the result are those of this text.
        read: A function that returns the documents of a text.

    Raises:
        UsageError: A comment that was set has no place in the text.
    """
    from ._comments import noted
    from ._documents import split

    found: list[Edit] = []
    items = (
        doc.documents[0].content.get("items") if len(doc.documents) == 1 and not doc.gone and not doc.added else None
    )
    if items is not None and items.kind == SEQUENCE and any(node in doc.notes for node in items.content):
        indent = _indent_of_items(doc, text, read)
        parts = None if indent is None else cut(text, indent)
        if indent is not None and parts is not None and len(parts.parts) == len(items.content):
            at = len(parts.head)
            for node, part in zip(items.content, parts.parts, strict=True):
                if node in doc.notes:
                    new = noted(opened(part, indent), doc.notes[node], indent)
                    found.append((at, at + len(part), f"{new[:indent]}-{new[indent + 1 :]}"))
                at += len(part)
            return found
    pieces = [one for one in split(text) if not one.is_marker and _holds_any(text[one.start : one.end])]
    roots = [root for root in doc.documents if root not in doc.gone or root in doc.slots]
    for root, piece in zip(roots, pieces, strict=False):
        if root in doc.notes and root not in doc.gone:
            found.append((piece.start, piece.end, noted(text[piece.start : piece.end], doc.notes[root])))
    if len(found) < sum(root not in doc.gone for root in doc.notes):
        raise UsageError(
            f"{doc.label}: comments can be set only if the items are written in lines, with dashes, not in brackets"
        )
    return found


def _indent_of_items(doc: Stream, text: str, read: Reader) -> int | None:
    """Return the column of the dashes of the items in the new text; None if the items have no dashes there."""
    items = items_of(doc)
    if items is not None:
        return column(doc.text, open_at(items))
    fresh = read(text)[0].content.get("items")  # there were none before
    return None if fresh is None or fresh.was != SEQUENCE or fresh.style else column(text, open_at(fresh))


_CONTENT = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)


def _holds_any(text: str) -> bool:
    """Return whether a part of a stream has anything but comments and blank lines."""
    return _CONTENT.search(text) is not None


def _has_rare(text: str) -> bool:
    if text.isascii() and "\r" not in text:  # nearly always, and ten times as fast to see
        return False
    return _RARE.search(text) is not None


def _has_spaced(text: str) -> bool:
    if not any(end in text for end in (" \n", "\t\n", " \r\n", "\t\r\n")):  # nearly always, and fast to see
        return False
    return _SPACED.search(text) is not None


def _prepare(doc: Stream) -> None:
    """Prepare a stream for writing: copies replace aliases that can't stay, and the text ends in a line break."""
    while doc.aliases and sum(map(_release_odd, doc.documents)):
        pass
    if not doc.text.endswith("\n"):
        _close(doc)


def document_text(root: YamlNode) -> str:
    """Return the text of a document with its edits, for another stream or alone.

    A removed first document is returned without the comments at the top of its file if other documents stay there.

    Raises:
        UsageError: A comment that was set has no place in the text, or a key or an integer is too long.
    """
    from ._documents import header_end, pieces_of

    doc = root.doc
    _prepare(doc)
    doc.cache.update(sealed=set(), bare=False)
    found: list[Edit] = []
    edits_of(root, found)
    seal(root, found)
    piece = next(one for one in pieces_of(doc) if one.root is root)
    is_left = root is doc.documents[0] and root in doc.gone and len(doc.gone) < len(doc.documents)
    start = header_end(doc.text, piece) if is_left else piece.start
    text = apply(doc.text, start, piece.end, [edit for edit in found if edit[1] > start or edit[0] >= start])
    if root in doc.notes:
        from ._comments import noted

        text = noted(text, doc.notes[root])
    return text


def _joined(doc: Stream, *, bare: bool, source: str | None = None) -> str:
    """Return the text of a stream with its edits, except new comments.

    Args:
        doc: The stream.
        bare: Whether blank lines directly after an edit lose their spaces.
        source: The text that the edits go into; None for the stream's text. It has the same positions, but also the
            text of the documents that were skipped because they can't be read.

    Raises:
        UsageError: A key or an integer is too long.
    """
    doc.cache.update(sealed=set(), bare=bare)
    found: list[Edit] = []
    for root in doc.documents:
        if root not in doc.gone:
            edits_of(root, found)
    left = bool(doc.documents) and doc.documents[-1] not in doc.gone
    if doc.gone:
        from ._documents import pieces_of, removals

        pieces = pieces_of(doc)
        found += removals(doc, [root for root in doc.gone if root not in doc.slots], pieces)
        found += [
            (one.start, one.end, _with_ends(doc.slots[one.root], doc.newline))
            for one in pieces
            if one.root is not None and one.root in doc.slots
        ]
    if doc.added and left:
        seal(doc.documents[-1], found)
    text = apply(doc.text if source is None else source, 0, len(doc.text), found, bare=bare)
    if doc.added:
        added = [_with_ends(one, doc.newline) for one in doc.added]
        head = [text if text.endswith("\n") else text + doc.newline] if text.strip() else []
        return f"---{doc.newline}".join([*head, *added])
    if not left:
        return text
    last = last_now(doc.documents[-1])
    if doc.is_open and not _needs_line_end(last):
        text = text.removesuffix(doc.newline)
    elif last is doc.cache.get("spaced"):
        text += doc.cache["spaces"]
    return text


def _with_ends(text: str, newline: str) -> str:
    """Return the text of a document with all its lines ended by `newline`, also the last one."""
    text = text.replace("\r\n", "\n")
    text = text if text.endswith("\n") else text + "\n"
    return text if newline == "\n" else text.replace("\n", newline)


def _close(doc: Stream) -> None:
    """Make a text end in a line break, which it doesn't have yet.

    A line break is added. But if only spaces follow the last line break, after a block scalar, the spaces are removed.
    `_joined` undoes both where the result may end as the input did.
    """
    if doc.shown is not None:
        doc.shown += doc.newline
    if not doc.documents:
        doc.text += doc.newline
        return
    leaf, start = last_leaf(doc.documents[-1]), line_start(doc.text, len(doc.text))
    value, spaces = leaf.content if leaf.source is None else leaf.source, doc.text[start:]
    if is_block_scalar(leaf) and value.endswith("\n") and leaf.end >= start and not spaces.strip():
        # With an end, these spaces would become a line of the block.
        doc.text = doc.text[:start]
        if doc.shown is not None:
            doc.shown = doc.shown[:start]
        doc.cache.update(spaced=leaf, spaces=spaces)
    else:
        doc.text += doc.newline
        doc.is_open = True


def _says(text: str, doc: Stream, read: Reader) -> bool:
    """Return whether the documents of a text have the values that a stream's documents have with its edits."""
    try:
        found = read(text)
    except InputError:
        return False
    return same([root.value() for root in found], expected(doc, read))


def edits_of(node: YamlNode, out: list[Edit]) -> None:
    """Add the edits that write the present content of a node into its text; no edits if the node hasn't changed.

    Raises:
        UsageError: A key or an integer is too long.
    """
    if not node.changed:
        return
    if node.kind not in (MAPPING, SEQUENCE):
        if node.kind == FRESH:
            replace(node, out)
    elif not node.content or not entries(node) or is_odd(node):
        if is_odd(node) or (node.source is not None and not _noted(node, out)):
            replace(node, out)
    elif node.style:
        from ._flow import flow_edits

        flow_edits(node, out, edits_of)
    else:
        block_edits(node, out, edits_of)


def _noted(node: YamlNode, out: list[Edit]) -> bool:
    """Add the edits of a collection in brackets that is empty, or was empty in the input, so that its comments stay.

    Return whether it has comments that belong to no entry. Without them, no edits are added.
    """
    from ._flow import flow_edits, is_noted

    if not is_noted(node):
        return False
    flow_edits(node, out, edits_of)
    return True


def _release_odd(node: YamlNode) -> int:
    """Replace aliases by copies if their values are in a collection that must be written as a whole.

    Returns:
        The number of anchors that have lost their aliases. If it isn't 0, other collections may have changed.
    """
    if not node.changed or node.kind not in (MAPPING, SEQUENCE):
        return 0
    children = list(node.content.values()) if node.kind == MAPPING else node.content
    if not is_odd(node):
        return sum(map(_release_odd, children))
    before = len(node.doc.aliases)
    for child in children:
        release(child)
    return before - len(node.doc.aliases)


def _needs_line_end(node: YamlNode) -> bool:
    """Return whether the value that ends a document is a block scalar, or a new string, that ends in a line break."""
    value = node.content
    if node.kind == FRESH:
        while isinstance(value, (dict, list)) and value:
            value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
    elif not is_block_scalar(node):
        return False
    return isinstance(value, str) and value.endswith("\n")
